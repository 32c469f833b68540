//! Which changes would help: the proved fixes of findings, and the word that a message says is meant.

use super::{Language, marks};
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::narrow;
use crate::run::Report;
use std::borrow::Cow;

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

/// What the findings of the family `RD` propose, from a run that kept the changed texts. A changed text is formatted: in a text
/// that is not, the change formats it too.
pub fn savings(source: &Source, report: &Report) -> Vec<Action> {
    let mut actions: Vec<Action> = Vec::new();
    for changed in &report.changed {
        let is_it = |it: &Finding| it.rule.id == changed.rule && it.span == changed.span;
        let Some(finding) = report.findings.iter().position(is_it) else {
            continue;
        };
        // The changed text has the line ends that are printed.
        let has_returns = source.text.contains("\r\n");
        let new = if has_returns {
            Cow::Owned(changed.text.replace('\n', "\r\n"))
        } else {
            Cow::Borrowed(&changed.text)
        };
        let edits = difference(&source.text, &new);
        if edits.is_empty() || actions.iter().any(|it| it.edits == edits) {
            continue;
        }
        let found = &report.findings[finding];
        let says = found.help.as_deref().unwrap_or(found.rule.summary);
        actions.push(Action {
            title: format!("{}: {says}", found.rule.id),
            finding,
            edits,
            is_saving: true,
        });
    }
    actions
}

/// What makes `new` of `old`: an edit for each run of lines that differ.
pub fn difference(old: &str, new: &str) -> Vec<Edit> {
    let starts = |text: &str| -> Vec<usize> {
        let mut at = 0;
        let mut starts = vec![0];
        for line in text.split_inclusive('\n') {
            at += line.len();
            starts.push(at);
        }
        starts
    };
    let (from, to) = (starts(old), starts(new));
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let all = similar::capture_diff_slices(similar::Algorithm::Myers, &before, &after);
    let changes = all.iter().filter(|it| it.tag() != similar::DiffTag::Equal);
    let edits = changes.map(|it| Edit {
        span: Span {
            start: narrow(from[it.old_range().start]),
            end: narrow(from[it.old_range().end]),
        },
        text: new[to[it.new_range().start]..to[it.new_range().end]].to_owned(),
    });
    edits.collect()
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
