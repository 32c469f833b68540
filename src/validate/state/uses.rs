//! What the walk asks of uses, `set-root`s and assertions, and what they leave: barriers are in `mod.rs`.

use super::change::Transfer;
use super::known::Known;
use super::tree::{Always, KnownKind};
use super::{Spans, Walk, box_runs};
use crate::api::{BarrierAccess, BarrierSync, LeafSet, QueueType, compat};
use crate::id::{ListId, ResourceId};
use crate::scenario::geometry;
use crate::scenario::{Command, CommandKind, List, Range, Use};
use crate::validate::{RuleSet, eb};
use smallvec::smallvec;

impl<'s> Walk<'s, '_> {
    /// Subresources of a use.
    fn use_runs(&self, id: ResourceId, range: &Range) -> Spans {
        if matches!(range, Range::All) {
            return smallvec![(0, self.known[id].count())];
        }
        match self.facts.scenario.resource(id).texture() {
            None => smallvec![(0, 1)],
            Some(shape) => geometry::subresource_box(shape, range)
                .map_or_else(|_| Spans::new(), |sub| box_runs(shape, &sub)),
        }
    }

    pub(super) fn used(&mut self, list: &'s List, used: &'s Use) {
        self.know(used.resource);
        let scope = self.facts.scope;
        let origin = self.facts.origin(used.span);
        let recording = self.facts.is_recording();
        // A `discard` says no access: it has that of the layout.
        let discards = used.access.is_no_access() && list.queue_type == QueueType::Compute;
        let is_wrong = self.is_buffer_access_on_texture(used);
        let facts = &self.facts;
        let check = |run: (u32, u32), known: &Known| {
            if discards {
                return eb::list_command::check_discard(facts, used, known, run).map(Box::new);
            }
            // Where no barrier of the scope came before, only a recorded list says something.
            if is_wrong || !recording && known.left_in(scope).is_none() {
                return None;
            }
            eb::use_outside_known_access::check(facts, used, known, run)
                .or_else(|| eb::no_common_layout::check(facts, list, used, known, run))
                .map(Box::new)
        };
        let runs = self.use_runs(used.resource, &used.range);
        let known = &mut self.known[used.resource];
        let all = (0, known.count());
        let is_racing = discards && facts.is_racing(used.resource, all.1);
        let concerns = |kind: &KnownKind| {
            is_racing || !facts.is_one(kind) || check(all, &kind.known).is_some()
        };
        let blended = if recording && !is_wrong {
            used.access.difference(BarrierAccess::NO_ACCESS)
        } else {
            BarrierAccess::empty()
        };
        let mut touching = Always {
            scope,
            change: Transfer::touched(scope, origin, blended),
        };
        let mut told = Told::new(&runs);
        known.find(&runs, scope, concerns, |first, end, known| {
            if let Some(finding) = told.first(first, || check((first, end), known)) {
                self.found.push(*finding);
            }
            None::<()>
        });
        known.change(&runs, &mut touching);
    }

    /// Reading R60: such a use is wrong by itself, and no layout or barrier could make it right.
    fn is_buffer_access_on_texture(&self, used: &Use) -> bool {
        compat::ONLY_ON_BUFFERS.intersects(used.access)
            && !self.facts.scenario.resource(used.resource).is_buffer()
    }

    pub(super) fn set_root(&mut self, compute: bool, command: &'s Command) {
        self.roots.set(compute);
        let needed = if compute {
            BarrierSync::COMPUTE_SHADING.leaves()
        } else {
            LeafSet::DRAW
        };
        let scope = self.facts.scope;
        for used in &command.uses {
            self.know(used.resource);
            let runs = self.use_runs(used.resource, &used.range);
            let origin = self.facts.origin(used.span);
            let facts = &self.facts;
            let check = |known: &Known| {
                let left = known.left_in(scope)?;
                let short = !left.leaves.contains(needed) && facts.open_split(known).is_none();
                short.then(|| {
                    eb::set_root_sync::finding(facts, used.resource, left, needed, command)
                })
            };
            let mut touching = Always {
                scope,
                change: Transfer::touched(scope, origin, BarrierAccess::empty()),
            };
            let known = &mut self.known[used.resource];
            let concerns = |kind: &KnownKind| check(&kind.known).is_some();
            let mut told = Told::new(&runs);
            known.find(&runs, scope, concerns, |first, _, known| {
                if let Some(finding) = told.first(first, || check(known)) {
                    self.found.push(finding);
                }
                None::<()>
            });
            known.change(&runs, &mut touching);
            self.roots.add(compute, used.resource, runs, command);
        }
    }

    /// A list or a bundle begins. To the letter, its assertions are about this moment (readings R39, R58).
    pub(super) fn begins(&mut self, list: ListId) {
        if self.rules != RuleSet::Tables {
            return;
        }
        let scenario = self.facts.scenario;
        for command in &scenario.lists[list].commands {
            self.assertion(command);
        }
    }

    pub(super) fn assertion(&mut self, command: &'s Command) {
        let (CommandKind::AssertAccess {
            resource, range, ..
        }
        | CommandKind::AssertLayout {
            resource, range, ..
        }) = &command.kind
        else {
            return;
        };
        // Reading R39: an assertion is checked on the timeline. One that the device refuses is not evaluated.
        let is_refused = matches!(command.kind, CommandKind::AssertLayout { .. })
            && !eb::unsupported::is_supported(self.facts.scenario);
        if is_refused || self.facts.is_recording() {
            return;
        }
        let facts = &self.facts;
        let id = *resource;
        let check = |run: (u32, u32), known: &Known| {
            let at = eb::Assertion {
                command,
                id,
                known,
                run,
            };
            match &command.kind {
                CommandKind::AssertAccess { access, .. } => {
                    eb::assert_access::check(facts, at, *access)
                }
                CommandKind::AssertLayout { layout, .. } => {
                    eb::assert_layout::check(facts, at, *layout)
                }
                _ => None,
            }
        };
        let runs = self.use_runs(*resource, range);
        let known = &mut self.known[*resource];
        let all = (0, known.count());
        let is_racing = facts.is_racing(*resource, all.1);
        let concerns = |kind: &KnownKind| {
            is_racing || !facts.is_one(kind) || check(all, &kind.known).is_some()
        };
        let found = known.find(&runs, facts.scope, concerns, |first, end, known| {
            check((first, end), known)
        });
        if let Some(finding) = found {
            self.found.push(if self.rules == RuleSet::Tables {
                finding
                    .note("`--rules tables` judges the assertions of a list where the list begins")
            } else {
                finding
            });
        }
    }
}

/// Which of some ascending ranges nothing has been told of yet: each has one finding, its first.
struct Told<'r> {
    ranges: &'r [(u32, u32)],
}

impl<'r> Told<'r> {
    fn new(ranges: &'r [(u32, u32)]) -> Self {
        Self { ranges }
    }

    /// What is found at a subresource, if it is the first of its range. Ranges are asked in order.
    fn first<T>(&mut self, at: u32, find: impl FnOnce() -> Option<T>) -> Option<T> {
        while let [(_, end), rest @ ..] = self.ranges
            && *end <= at
        {
            self.ranges = rest;
        }
        let [(first, _), rest @ ..] = self.ranges else {
            return None;
        };
        if at < *first {
            return None;
        }
        let found = find()?;
        self.ranges = rest;
        Some(found)
    }
}
