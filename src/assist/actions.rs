//! Which changes would help: the proved fixes of findings, and the word that a message says is meant.

use super::{Language, marks};
use crate::finding::{Edit, Finding, Source, Span};

/// A change that an editor offers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// What it does, in words.
    pub title: String,
    /// Index of the finding that it is for.
    pub finding: usize,
    /// The change.
    pub edits: Vec<Edit>,
    /// Whether it saves something rather than removing a mistake.
    pub is_saving: bool,
}

/// Those for the findings that touch a range.
pub fn of(source: &Source, language: Language, findings: &[Finding], range: Span) -> Vec<Action> {
    let near = findings.iter().enumerate();
    let near = near.filter(|(_, it)| touches(source, it, range));
    let mut actions = Vec::new();
    for (index, finding) in near {
        if let Some(fix) = &finding.fix {
            actions.push(Action {
                title: fix.says.clone(),
                finding: index,
                edits: fix.edits.clone(),
                is_saving: finding.rule.family() == "RD",
            });
        }
        actions.extend(meant(source, language, finding).map(|edit| Action {
            title: format!("Write `{}`", edit.text),
            finding: index,
            edits: vec![edit],
            is_saving: false,
        }));
    }
    actions
}

/// Whether a finding is on one of the lines of a range: an editor asks for a place, and a finding is about a line.
pub fn touches(source: &Source, finding: &Finding, range: Span) -> bool {
    let (first, last) = (source.line(range.start), source.line(range.end));
    let (from, to) = (
        source.line(finding.span.start),
        source.line(finding.span.end),
    );
    from <= last && first <= to
}

/// The word that a message asks about, in the place of the one that is there, if that removes the mistake.
fn meant(source: &Source, language: Language, finding: &Finding) -> Option<Edit> {
    let help = finding.help.as_deref()?;
    let word = help.strip_prefix("did you mean `")?.split('`').next()?;
    let there = source
        .text
        .get(finding.span.start as usize..finding.span.end as usize)?;
    if there.is_empty() || there.contains(char::is_whitespace) {
        return None;
    }
    let edit = Edit {
        span: finding.span,
        text: word.to_owned(),
    };
    let changed = Source::new(
        source.name.clone(),
        applied(&source.text, std::slice::from_ref(&edit))?,
    );
    let stays = |it: &Finding| it.rule.id == finding.rule.id && it.span.start == finding.span.start;
    let left = marks::of_text(&changed, language);
    (!left.iter().any(stays)).then_some(edit)
}

/// A text with changes made; `None` if one of them is not inside the text or overlaps another.
pub fn applied(text: &str, edits: &[Edit]) -> Option<String> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for edit in edits {
        out.push_str(text.get(at..edit.span.start as usize)?);
        out.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    out.push_str(text.get(at..)?);
    Some(out)
}
