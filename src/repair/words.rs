//! What is said of a change, in lines and names of another text than the one it was found in.

use super::edited::{Round, apply, back, first_place};
use super::search::Proved;
use super::{Found, deletions};
use crate::finding::{Edit, Finding, Source};
use crate::id::{NodeId, narrow};
use crate::order::Timeline;

/// What is said of a change to the text after some rounds, with the lines of the text before them.
pub(super) fn in_lines_of(first: &Source, text: &Source, rounds: &[Round], says: &str) -> String {
    in_lines(first, text, says, |place| first_place(rounds, place))
}

/// The same, for any way back from a place to the one in the first text.
pub(super) fn in_lines(
    first: &Source,
    text: &Source,
    says: &str,
    back: impl Fn(u32) -> u32,
) -> String {
    const LINE: &str = " of line ";
    let mut parts = says.split(LINE);
    let mut said = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        said.push_str(LINE);
        let digits = part.bytes().take_while(u8::is_ascii_digit).count();
        match part[..digits].parse::<u32>() {
            Ok(line @ 1..) => {
                let content = text.line_text(line);
                let blanks = content.len() - content.trim_start().len();
                let place = back(text.line_start(line) + narrow(blanks));
                said.push_str(&first.line(place).to_string());
            }
            _ => said.push_str(&part[..digits]),
        }
        said.push_str(&part[digits..]);
    }
    said
}

/// What is said, with each name of a command or entry (`gfx#12`, `gfx#12.0`) replaced by what `rename` says of its node.
/// A name that it does not know is left.
pub(super) fn in_names(
    timeline: &Timeline<'_>,
    says: &str,
    rename: impl Fn(NodeId) -> Option<String>,
) -> String {
    let mut said = String::with_capacity(says.len());
    let mut rest = says;
    while let Some(hash) = rest.find('#') {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
        let actor = rest[..hash].rfind(|c| !is_name(c)).map_or(0, |at| {
            at + rest[at..].chars().next().map_or(1, char::len_utf8)
        });
        let after = &rest[hash + 1..];
        let digits = after.bytes().take_while(u8::is_ascii_digit).count();
        let name = node(timeline, &rest[actor..hash], &after[..digits]).and_then(&rename);
        match name {
            Some(name) => {
                said.push_str(&rest[..actor]);
                said.push_str(&name);
            }
            None => said.push_str(&rest[..=hash + digits]),
        }
        rest = &after[digits..];
    }
    said.push_str(rest);
    said
}

/// A barrier that is taken away from a change.
pub(super) struct Gone {
    /// Where it is in the changed text.
    pub(super) at: u32,
    /// The change wrote it.
    pub(super) is_its_own: bool,
    /// Nothing else changes with it, as its neighbours do where they are linked again.
    pub(super) is_all: bool,
}

/// What a change does of which a barrier is taken away: what it did and that, unless that is a barrier which it wrote itself, or
/// changes what it wrote.
pub(super) fn of_less(
    source: &Source,
    target: &Found,
    now: &Proved,
    gone: &Gone,
    less: &[Edit],
) -> String {
    if !gone.is_its_own && !gone.is_all {
        return of_edits(source, less);
    }
    if !gone.is_its_own {
        let made = [(source.clone(), now.edits.clone())];
        let line = source.line(first_place(&made, gone.at));
        return format!(
            "{}; and delete the barrier of line {line}, which nothing needs then",
            now.says
        );
    }
    let less_text = apply(&source.text, less);
    // It wrote the barrier in the place of another one: that one goes, if nothing else is left of the change.
    let of_the_text = back(&now.edits, gone.at).and_then(|was| {
        let mut deletions = deletions(source, was, target.finding.span).into_iter();
        deletions.find(|it| apply(&source.text, &it.edits) == less_text)
    });
    of_the_text.map_or_else(|| of_edits(source, less), |it| it.says)
}

/// What is said of a change that writes a barrier on another line than the one that is asked about: the line too. `line`: that of
/// a place of the text that is changed.
pub(super) fn with_line(
    source: &Source,
    edits: &[Edit],
    says: &str,
    line: impl Fn(u32) -> u32,
    asked: u32,
) -> String {
    let begins_with_a_barrier = |edit: &&Edit| {
        let old = source
            .text
            .get(edit.span.start as usize..edit.span.end as usize);
        let words = [
            "transition ",
            "uav ",
            "alias ",
            "texture ",
            "buffer ",
            "global ",
        ];
        old.is_some_and(|old| words.iter().any(|word| old.starts_with(word)))
    };
    let (Some(edit), Some(rest)) = (
        edits.first().filter(begins_with_a_barrier),
        says.strip_prefix("write `"),
    ) else {
        return says.to_owned();
    };
    let there = line(edit.span.start);
    match rest.split_once('`') {
        Some((written, after)) if there != asked && !after.starts_with(" in place of ") => {
            format!("write `{written}` in place of the barrier of line {there}{after}")
        }
        _ => says.to_owned(),
    }
}

/// What edits of whole lines do, where nobody has better words.
fn of_edits(source: &Source, edits: &[Edit]) -> String {
    let statements = |text: &str| {
        let lines = text.lines().map(str::trim);
        let lines = lines.filter(|line| !line.is_empty());
        lines.collect::<Vec<_>>().join("; ")
    };
    let each = edits.iter().map(|edit| {
        let old = &source.text[edit.span.start as usize..edit.span.end as usize];
        let blanks = old.len() - old.trim_start().len();
        let line = source.line(edit.span.start + narrow(blanks));
        match (old.trim().is_empty(), statements(&edit.text)) {
            (true, new) => format!("add above the text of line {line}: `{new}`"),
            (false, new) if new.is_empty() => {
                let begins = |word: &&str| old.trim_start().starts_with(word);
                let is_barrier = ["barrier", "legacy"].iter().any(begins);
                let what = if is_barrier { "barrier" } else { "text" };
                format!("delete the {what} of line {line}")
            }
            (false, new) => format!("write `{new}` in place of the text of line {line}"),
        }
    });
    each.collect::<Vec<_>>().join("; and ")
}

/// The node that an actor and a number name.
fn node(timeline: &Timeline<'_>, actor: &str, number: &str) -> Option<NodeId> {
    let ordinal = number.parse::<u32>().ok()?.checked_sub(1)?;
    let mut submissions = timeline.submissions.iter();
    let submission = submissions.find(|submission| {
        let own = submission.first_ordinal..submission.first_ordinal + submission.nodes;
        timeline.actor_name(submission.actor) == actor && own.contains(&ordinal)
    })?;
    let node = submission.first_node.0 + (ordinal - submission.first_ordinal);
    Some(NodeId(node))
}

/// What is said of a change for one finding, next to another one: (1) and (2) are those of the other, so what they are
/// of this one is named. `rounds` lead from the text that was asked about to the finding's.
pub(super) fn in_words_of(
    asked: &Found,
    finding: &Finding,
    rounds: &[Round],
    says: &str,
) -> String {
    let (Some(hazard), own) = (&finding.hazard, asked.finding.hazard.as_ref()) else {
        return says.to_owned();
    };
    let mut says = says.to_owned();
    for (number, party, own) in [
        ("(1)", &hazard.first, own.map(|own| &own.first)),
        ("(2)", &hazard.second, own.map(|own| &own.second)),
    ] {
        let place = first_place(rounds, party.span.start);
        if own.is_none_or(|own| own.span.start != place) {
            let line = rounds[0].0.line(place);
            says = says.replace(number, &format!("{} of line {line}", party.label));
        }
    }
    says
}
