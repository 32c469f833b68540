//! What the walk asks of uses, `set-root`s and assertions, and what they leave: barriers are in `mod.rs`.

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
            return smallvec![(0, self.known[id.index()].count())];
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
        for (first, end) in self.use_runs(used.resource, &used.range) {
            let known = &self.known[used.resource.index()];
            let facts = &self.facts;
            let found = known.find(first, end, |first, end, known| {
                let run = (first, end);
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
            });
            if let Some(finding) = found {
                self.found.push(*finding);
            }
            self.known[used.resource.index()].update(first, end, |known| {
                known.enter(scope);
                known.touched.get_or_insert(origin);
                if recording && known.left.is_none() && !is_wrong {
                    known.blended |= used.access.difference(BarrierAccess::NO_ACCESS);
                }
            });
        }
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
            for (first, end) in &runs {
                let facts = &self.facts;
                let found = self.known[used.resource.index()].find(*first, *end, |_, _, known| {
                    let left = known.left_in(scope)?;
                    let short = !left.leaves.contains(needed) && facts.open_split(known).is_none();
                    short.then(|| {
                        eb::set_root_sync::finding(facts, used.resource, left, needed, command)
                    })
                });
                if let Some(finding) = found {
                    self.found.push(finding);
                }
                self.known[used.resource.index()].update(*first, *end, |known| {
                    known.enter(scope);
                    known.touched.get_or_insert(origin);
                });
            }
            self.roots.add(compute, used.resource, runs, command);
        }
    }

    /// A list or a bundle begins. To the letter, its assertions are about this moment (readings R39, R58).
    pub(super) fn begins(&mut self, list: ListId) {
        if self.rules != RuleSet::Tables {
            return;
        }
        let scenario = self.facts.scenario;
        for command in &scenario.lists[list.index()].commands {
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
        let found = self
            .use_runs(*resource, range)
            .into_iter()
            .find_map(|(first, end)| {
                self.known[resource.index()].find(first, end, |first, end, known| {
                    match &command.kind {
                        CommandKind::AssertAccess { access, .. } => eb::assert_access::check(
                            facts,
                            command,
                            *resource,
                            *access,
                            known,
                            (first, end),
                        ),
                        CommandKind::AssertLayout { layout, .. } => eb::assert_layout::check(
                            facts,
                            command,
                            *resource,
                            *layout,
                            known,
                            (first, end),
                        ),
                        _ => None,
                    }
                })
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
