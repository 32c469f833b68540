//! Which changes would help: the proved fixes of findings, and the word that a message says is meant.

use super::{Language, marks, printed};
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
/// that is not, the change is made in the lines that it is about, and only where these are not as they are printed the text is
/// formatted too.
pub fn savings(source: &Source, report: &Report) -> Vec<Action> {
    let mut actions: Vec<Action> = Vec::new();
    if report.changed.is_empty() {
        return actions;
    }
    let printed = printed::of(source, Language::Scenario).ok().flatten();
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
        let in_place = printed.as_deref();
        let in_place = in_place.and_then(|it| carried(&source.text, it, &changed.text));
        let formats = in_place.is_none();
        let edits = in_place.unwrap_or_else(|| difference(&source.text, &new));
        if edits.is_empty() || actions.iter().any(|it| it.edits == edits) {
            continue;
        }
        let found = &report.findings[finding];
        let says = found.help.as_deref().unwrap_or(found.rule.summary);
        actions.push(Action {
            title: format!(
                "{}: {says}{}",
                found.rule.id,
                if formats { " (formats the text)" } else { "" }
            ),
            finding,
            edits,
            is_saving: true,
        });
    }
    actions
}

/// The change from `printed` to `new`, made in `own`, which says the same as `printed` in lines of its own; `None` where a line that
/// changes is not as it is printed.
fn carried(own: &str, printed: &str, new: &str) -> Option<Vec<Edit>> {
    let lines =
        |text: &'_ str| -> Vec<String> { text.lines().map(|it| it.trim().to_owned()).collect() };
    let (own_lines, base) = (lines(own), lines(printed));
    let same = similar::capture_diff_slices(similar::Algorithm::Myers, &base, &own_lines);
    // The line of `own` that each line of `printed` is.
    let mut line_of: Vec<Option<usize>> = vec![None; base.len()];
    for op in same.iter().filter(|it| it.tag() == similar::DiffTag::Equal) {
        for (from, to) in op.old_range().zip(op.new_range()) {
            line_of[from] = Some(to);
        }
    }
    let starts = line_starts(own);
    let before: Vec<&str> = printed.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let all = similar::capture_diff_slices(similar::Algorithm::Myers, &before, &after);
    let changes = all.iter().filter(|it| it.tag() != similar::DiffTag::Equal);
    let edits = changes.map(|it| {
        let range = it.old_range();
        let first = match line_of.get(range.start) {
            Some(line) => (*line)?,
            None => own_lines.len(),
        };
        let last = first + range.len();
        let mut each = range.clone().zip(first..last);
        each.all(|(from, to)| line_of[from] == Some(to)).then(|| {
            Edit::new(
                Span::new(narrow(starts[first]), narrow(starts[last])),
                after[it.new_range()].concat(),
            )
        })
    });
    edits.collect()
}

/// Where the lines of a text begin, and its end.
fn line_starts(text: &str) -> Vec<usize> {
    let mut at = 0;
    let ends = text.split_inclusive('\n').map(|line| {
        at += line.len();
        at
    });
    std::iter::once(0).chain(ends).collect()
}

/// What makes `new` of `old`: an edit for each run of lines that differ.
fn difference(old: &str, new: &str) -> Vec<Edit> {
    let (from, to) = (line_starts(old), line_starts(new));
    let before: Vec<&str> = old.split_inclusive('\n').collect();
    let after: Vec<&str> = new.split_inclusive('\n').collect();
    let all = similar::capture_diff_slices(similar::Algorithm::Myers, &before, &after);
    let changes = all.iter().filter(|it| it.tag() != similar::DiffTag::Equal);
    let edits = changes.map(|it| {
        Edit::new(
            Span::new(
                narrow(from[it.old_range().start]),
                narrow(from[it.old_range().end]),
            ),
            &new[to[it.new_range().start]..to[it.new_range().end]],
        )
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
    let edit = Edit::new(finding.span, word);
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
