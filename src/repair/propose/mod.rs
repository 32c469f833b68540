//! Changes of the text that could remove a finding, as data: the smallest first.
//!
//! Nothing is proved here. `run` applies a candidate to a copy of the text, checks the copy, and shows only what
//! removes the finding and adds none.
//!
//! * `entry.rs` says what a wrong barrier entry could be instead.
//! * `around.rs` looks at what surrounds a conflict: barriers between, layouts, uses before and after.
//! * `halves.rs` mends split barriers whose halves miss each other, `legacy_halves.rs` legacy ones.
//! * `hazards/` makes candidates for conflicts inside a queue: wider entries, new ones, moved halves.
//! * `legacy.rs` says what a legacy transition could say, `legacy_found.rs` by what its executions find,
//!   `legacy_back.rs` what a list that executes again must bring back, `legacy_ranges.rs` on what it could be. `kinds.rs` says an
//!   entry in the other kind of barrier.
//! * `declared.rs`, `placed.rs` and `mapped.rs` change declarations; `moved.rs` makes a transition on another queue.
//! * `previous.rs` mends the barrier before the one that is told of. `ranges.rs` says what a range of subresources could be instead.
//! * `written.rs` writes other fields into an entry and leaves the rest of it as the user wrote it.
//! * `renamed.rs` makes an entry name another resource, `linked.rs` leave what the next one expects.
//! * `races.rs` makes candidates for conflicts between queues: fences. `waits.rs` changes a word of a wait or a signal,
//!   `fence_barriers.rs` one of a `wait-barrier` or a `signal-barrier`.

mod around;
pub(super) mod declared;
mod entry;
pub(super) mod fence_barriers;
pub(super) mod fields;
pub(super) mod halves;
pub(super) mod hazards;
pub(super) mod kinds;
pub(super) mod legacy;
mod legacy_back;
mod legacy_found;
pub(super) mod legacy_halves;
mod legacy_ranges;
pub(super) mod linked;
mod mapped;
pub(super) mod moved;
mod placed;
pub(super) mod previous;
pub(super) mod races;
mod ranges;
pub(super) mod renamed;
pub(super) mod waits;
mod written;

use super::Key;
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::{ResourceId, narrow};
use crate::scenario::edit::{self, EntryId};
use crate::scenario::{CommandKind, Scenario};

/// A change that may remove a finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Candidate {
    /// Replacements, in order of place, none overlapping.
    pub edits: Vec<Edit>,
    /// What it does, in words.
    pub says: String,
    /// The fence that it declares, if any.
    pub declares: Option<String>,
    /// Another change that would do instead, where the text may have meant less than it says.
    pub instead: Option<Instead>,
    /// Further findings that are to be gone with it: without that it is no better than any other change.
    pub removes: Vec<Key>,
}

/// A change that says in the text what is not said there.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Instead {
    /// Replacements.
    pub edits: Vec<Edit>,
    /// What they do, and when they are right.
    pub says: String,
}

impl Candidate {
    /// A change of barriers, lists or declarations.
    pub(crate) fn new(edits: Vec<Edit>, says: impl Into<String>) -> Self {
        Self {
            edits,
            says: says.into(),
            declares: None,
            instead: None,
            removes: Vec::new(),
        }
    }
}

/// The barrier entry that begins at a place.
fn entry_at(written: &Scenario, at: Span) -> Option<EntryId> {
    let is_there = |entry: &EntryId| entry.span(written).is_some_and(|s| s.start == at.start);
    edit::entries(written).find(is_there)
}

/// The resource of a finding.
fn resource_of(written: &Scenario, finding: &Finding) -> Option<ResourceId> {
    written.resources.id_of(finding.resource.as_deref()?)
}

/// The barrier entry that begins where a finding is, taken away; the whole call if it is the only one. What its
/// neighbours expect of the layout is not linked again: a copy shows whether that matters.
pub(crate) fn deletion(source: &Source, written: &Scenario, at: Span) -> Option<Candidate> {
    let text = Text { source };
    let entry = entry_at(written, at)?;
    let call = entry.call(written)?;
    if matches!(call.kind, CommandKind::FenceBarrier { .. }) {
        return None;
    }
    let is_alone = call.kind.barriers().len() + call.kind.legacy().len() == 1;
    let gone = if is_alone {
        call.span
    } else {
        entry.span(written)?
    };
    Some(Candidate::new(
        vec![text.without(gone)],
        deletes("this barrier"),
    ))
}

/// What taking a barrier away says.
pub(crate) fn deletes(what: &str) -> String {
    format!("delete {what}: nothing in this text needs it")
}

/// Where text can be put and taken away.
#[derive(Copy, Clone)]
struct Text<'a> {
    source: &'a Source,
}

impl<'a> Text<'a> {
    /// Blanks that begin the line of a byte.
    fn indent(self, at: u32) -> &'a str {
        let line = self.source.line_text(self.source.line(at));
        let content = line.trim_start();
        &line[..line.len() - content.len()]
    }

    /// Where the line of a byte begins.
    fn line_start(self, at: u32) -> u32 {
        let before = self.source.text.get(..at as usize).unwrap_or("");
        before.rfind('\n').map_or(0, |n| narrow(n) + 1)
    }

    /// Whether there are only blanks before a byte on its line.
    fn begins_line(self, at: u32) -> bool {
        let before = self
            .source
            .text
            .get(self.line_start(at) as usize..at as usize);
        before.is_some_and(|text| text.trim().is_empty())
    }

    /// A statement of its own before the one that begins at a byte.
    fn before(self, at: u32, statement: &str) -> Edit {
        let at = self.above_comments(at);
        let text = if self.begins_line(at) {
            format!("{statement}\n{}", self.indent(at))
        } else {
            format!("{statement}; ")
        };
        Edit::insertion(at, text)
    }

    /// The comment lines right above a statement belong to it: what comes before it comes before them.
    fn above_comments(self, at: u32) -> u32 {
        let mut at = at;
        while self.begins_line(at) {
            let line = self.source.line(at);
            let above = if line > 1 {
                self.source.line_text(line - 1)
            } else {
                ""
            };
            let comment = above.trim_start();
            if !comment.starts_with("//") {
                break;
            }
            let blanks = above.len() - comment.len();
            at = self.line_start(self.line_start(at) - 1) + narrow(blanks);
        }
        at
    }

    /// A new statement after the one of a span. A comment on its last line stays where it is.
    fn after(self, span: Span, statement: &str) -> Edit {
        let rest = self.source.text.get(span.end as usize..).unwrap_or("");
        let line = rest.lines().next().unwrap_or("");
        let tail = line.trim_start();
        let (at, text) = if tail.is_empty() || tail.starts_with("//") {
            let indent = self.indent(span.start);
            (
                span.end + narrow(line.len()),
                format!("\n{indent}{statement}"),
            )
        } else {
            (span.end, format!("; {statement}"))
        };
        Edit::insertion(at, text)
    }

    /// Takes a statement away, with its line if it has one of its own.
    fn without(self, span: Span) -> Edit {
        let rest = self.source.text.get(span.end as usize..).unwrap_or("");
        let line = rest.split_inclusive('\n').next().unwrap_or("");
        let tail = line.trim();
        let span = if self.begins_line(span.start) && (tail.is_empty() || tail.starts_with("//")) {
            Span::new(self.line_start(span.start), span.end + narrow(line.len()))
        } else {
            let semicolon = line.trim_start().starts_with(';');
            let more = line.find(';').filter(|_| semicolon).map_or(0, |n| n + 1);
            Span::new(span.start, span.end + narrow(more))
        };
        Edit::new(span, "")
    }

    /// A further entry of a `barrier { }` call, as its last.
    fn append(self, call: Span, entry: &str) -> Option<Edit> {
        let close = call.end.checked_sub(1)?;
        if self.source.text.as_bytes().get(close as usize) != Some(&b'}') {
            return None;
        }
        if self.begins_line(close) {
            let at = self.line_start(close);
            return Some(Edit::insertion(
                at,
                format!("{}  {entry}\n", self.indent(close)),
            ));
        }
        // In a line of its own the call ends as it began.
        let inside = self.source.text.get(..close as usize)?.trim_end();
        let at = narrow(inside.len());
        Some(Edit::insertion(at, format!("; {entry}")))
    }

    /// Edits in order of place; `None` if two overlap.
    fn in_order(mut edits: Vec<Edit>) -> Option<Vec<Edit>> {
        edits.sort_by_key(|edit| (edit.span.start, edit.span.end));
        let apart = edits
            .windows(2)
            .all(|pair| pair[0].span.end <= pair[1].span.start);
        apart.then_some(edits)
    }
}
