//! What could remove a conflict inside a queue, as candidates: those that change least first.
//!
//! * `data.rs`: uses without order or visibility. `layout.rs`: a texture in the wrong layout.
//! * `split.rs`: a use between the halves of a split barrier. `contents.rs`: memory that is not active or initialised.
//! * `undefined.rs`: contents that were dropped and are read.
//! * `legacy.rs` says the same in legacy barriers. `fields.rs` edits an entry, `unused.rs` says which of its bits serve
//!   nothing, `ranges.rs` and `renamed.rs` make it act on something else, `weight.rs` says which candidate comes first.

mod contents;
mod data;
mod fields;
mod layout;
mod legacy;
mod ranges;
mod renamed;
mod split;
mod undefined;
mod unused;
mod weight;

pub(crate) use contents::is_lost;

use super::around::{Around, CommandPlace, ExecutedEntry};
use super::written;
use super::{Candidate, Text};
use crate::analyze::names;
use crate::api::{LeafSet, QueueType};
use crate::finding::{Edit, Source};
use crate::graph::{Conflict, ConflictKind, Part};
use crate::id::narrow;
use crate::order::Timeline;
use crate::scenario::{Barrier, CommandKind, Scenario, print_barrier};
use weight::Weight;

/// Makes candidates for one conflict.
struct Maker<'a, 's> {
    text: Text<'a>,
    /// The scenario as written: with its legacy barriers.
    written: &'a Scenario,
    timeline: &'a Timeline<'s>,
    conflict: &'a Conflict,
    around: Around<'s>,
    found: Vec<(Weight, Candidate)>,
}

/// Candidates for a conflict of one queue, those that change least first. `written` is the scenario as the text has it;
/// `timeline` is of its translation.
pub(crate) fn candidates(
    source: &Source,
    written: &Scenario,
    timeline: &Timeline<'_>,
    conflict: &Conflict,
) -> Vec<Candidate> {
    let mut maker = Maker {
        text: Text { source },
        written,
        timeline,
        conflict,
        around: Around::new(timeline, conflict),
        found: Vec::new(),
    };
    maker.attempt(conflict.kind);
    maker.legacy();
    maker.found.sort_by_key(|(weight, _)| *weight);
    let stage = maker.stage_in_the_text();
    let mut candidates: Vec<Candidate> = Vec::new();
    for (_, mut candidate) in maker.found {
        candidate.instead.clone_from(&stage);
        if candidates
            .iter()
            .all(|known| known.edits != candidate.edits)
        {
            candidates.push(candidate);
        }
    }
    candidates
}

impl<'s> Maker<'_, 's> {
    /// Makes what may remove a conflict of a kind.
    fn attempt(&mut self, kind: ConflictKind) {
        match kind {
            // Legacy text gets legacy repairs, and a global barrier acts on no legacy state (reading R73).
            _ if kind.is_data() && self.is_in_legacy_state() => {
                self.widen();
                self.narrow();
                self.rename();
                self.move_up();
            }
            ConflictKind::LayoutMismatch if self.is_in_legacy_state() => {
                self.narrow();
                self.rename();
                self.move_up();
                self.redeclare_legacy();
            }
            ConflictKind::ReadAfterWrite
            | ConflictKind::WriteAfterRead
            | ConflictKind::WriteAfterWrite
            | ConflictKind::FalseSharing
            | ConflictKind::ConcurrentWriters => {
                self.widen();
                self.narrow();
                self.rerange();
                self.rename();
                self.move_up();
                if self.wants_another_layout() {
                    // One transition orders, makes visible and changes the layout.
                    self.relayout();
                    self.transition();
                }
                self.insert();
                self.hand_over();
            }
            ConflictKind::LayoutMismatch => {
                self.narrow();
                self.rerange();
                self.rename();
                self.move_up();
                self.relayout();
                self.transition();
            }
            ConflictKind::UseWhileSplit => self.move_half(),
            ConflictKind::UseInactive => {
                self.keep_active();
                self.activate();
            }
            ConflictKind::UseOverwritten => self.activate(),
            ConflictKind::MetadataUninitialised => self.initialise(),
            ConflictKind::UndefinedContents | ConflictKind::KeptUndefined => self.keep_contents(),
            ConflictKind::KeptGivenUp => self.widen(),
            ConflictKind::Inherited
            | ConflictKind::FeedbackInCommand
            | ConflictKind::RaceReadWrite
            | ConflictKind::RaceWriteWrite
            | ConflictKind::RaceLayout => {}
        }
    }

    fn push(&mut self, weight: Weight, edits: Vec<Option<Edit>>, says: String) {
        let Some(edits) = edits.into_iter().collect::<Option<Vec<_>>>() else {
            return;
        };
        if let Some(edits) = Text::in_order(edits) {
            self.found.push((weight, Candidate::new(edits, says)));
        }
    }

    fn scenario(&self) -> &'s Scenario {
        self.timeline.scenario
    }

    fn queue(&self) -> Option<QueueType> {
        let node = self.conflict.second.node;
        let submission = self.timeline.submission_of(node);
        self.timeline
            .queue_type(self.timeline.submission(submission))
    }

    fn is_legacy(&self, (list, command): CommandPlace) -> bool {
        let commands = &self.written.lists[list].commands;
        matches!(commands[command as usize].kind, CommandKind::Legacy(_))
    }

    /// Another text for an entry; none for a legacy one.
    fn rewrite(&self, entry: &ExecutedEntry<'s>, barrier: &Barrier) -> Option<Edit> {
        (!self.is_legacy(entry.place))
            .then(|| written::rewritten(self.text.source, self.scenario(), entry.barrier, barrier))
    }

    /// Leaves at which the first use happens, or which a transition holds.
    fn first_leaves(&self) -> LeafSet {
        let first = &self.conflict.first;
        match first
            .barrier()
            .and_then(|id| names::entry(self.timeline, id))
        {
            Some(barrier) => barrier.sync_after.leaves(),
            None => first.stages,
        }
    }

    /// Leaves at which the second use happens, or for which a transition waits.
    fn second_leaves(&self) -> LeafSet {
        let second = &self.conflict.second;
        match second
            .barrier()
            .and_then(|id| names::entry(self.timeline, id))
        {
            Some(barrier) => barrier.sync_before.leaves(),
            None => second.stages,
        }
    }

    /// Places before which a new call may be added: the second use, the descriptor's `set-root`, the calls of a bundle.
    fn places(&self) -> Vec<CommandPlace> {
        let Some(place) = self.around.second else {
            return Vec::new();
        };
        let mut places = vec![place];
        if let Part::Root { set, .. } = self.conflict.second.part {
            places.extend(self.timeline.place(set).command);
        }
        let lists = &self.scenario().lists;
        if lists[place.0].queue_type == QueueType::Bundle {
            places.clear();
            let submission = self
                .timeline
                .submission(self.timeline.submission_of(self.conflict.second.node));
            for list in self.timeline.lists(submission) {
                for (at, command) in lists[*list].commands.iter().enumerate() {
                    if matches!(command.kind, CommandKind::ExecuteBundle { list: bundle } if bundle == place.0)
                    {
                        places.push((*list, narrow(at)));
                    }
                }
            }
        }
        places
    }

    /// A new entry before a command: in the call right before it, and in a new call.
    fn push_entry(&mut self, weight: Weight, entry: &Barrier, says: &str) {
        let printed = print_barrier(self.scenario(), entry);
        for place in self.places() {
            for edit in self.entry_edits(place, &printed) {
                self.push(weight, vec![Some(edit)], format!("{says}: `{printed}`"));
            }
        }
    }

    fn entry_edits(&self, (list, command): CommandPlace, printed: &str) -> Vec<Edit> {
        let commands = &self.written.lists[list].commands;
        let mut edits = Vec::new();
        if let Some(before) = (command as usize).checked_sub(1).map(|at| &commands[at])
            && let CommandKind::Barrier(entries) = &before.kind
            && !entries.is_empty()
        {
            edits.extend(self.text.append(before.span, printed));
        }
        let at = commands[command as usize].span.start;
        edits.push(self.text.before(at, &format!("barrier {{ {printed} }}")));
        edits
    }
}
