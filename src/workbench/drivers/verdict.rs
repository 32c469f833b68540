//! What a driver wrote for one program: what it lacks, of which class, and what is more than asked.

use super::{Class, DriverExtra, DriverLack, DriverRun};
use crate::analyze::lowering::{self as bugs, Lack};
use crate::analyze::names;
use crate::api::{BarrierAccess, QueueType};
use crate::ensure::{Shortfall, What};
use crate::finding::Source;
use crate::hardware::{Client, Profile};
use crate::id::{BarrierRef, CacheId, Extent, NodeId, ResourceId};
use crate::lower::Recorded;
use crate::lower::recorded::RecordedStep;
use crate::order::Timeline;
use crate::pipeline::back;
use crate::program::{AccessMode, HwOpKind, Program, StepKind};
use crate::scenario::Range;
use crate::workbench::Shown;
use crate::workbench::judge::Case;

/// What a driver's packets for one program come to.
#[derive(Clone)]
pub(super) struct Verdict {
    pub(super) lacks: Vec<DriverLack>,
    pub(super) more: Vec<DriverExtra>,
}

/// One program on one machine.
pub(super) struct Judge<'a, 't, 's> {
    pub(super) case: &'a Case<'t, 's>,
    pub(super) timeline: &'a Timeline<'s>,
    pub(super) program: &'a Source,
    pub(super) profile: &'a Profile,
}

impl Judge<'_, '_, '_> {
    pub(super) fn verdict(&self, recorded: &Recorded) -> Verdict {
        let lowered = back::lower(recorded, self.timeline, self.profile);
        let mut found = self.case.check(self.profile, &lowered);
        for lack in &mut found.missing {
            // What the driver never wrote does not come too early: the start of a scope did it.
            lack.shortfall.early &= match lack.shortfall.what {
                What::Clean(cache) => recorded.does(RecordedStep::Clean(cache)),
                What::Invalidate(cache) => recorded.does(RecordedStep::Invalidate(cache)),
                _ => true,
            };
        }
        let missing = found.missing.iter();
        let owed: Vec<bool> = missing.map(|lack| self.is_owed(&lowered, lack)).collect();
        let shown = self.shown(recorded, &lowered, (&found.missing, &owed));
        let lacks = found.missing.iter().zip(owed).zip(shown);
        let lacks = lacks.map(|((lack, is_owed), shown)| {
            self.lack((recorded, &lowered), lack, (is_owed, shown))
        });
        let more = found.extra.iter().map(|extra| {
            let named = names::entry(self.timeline, extra.barrier);
            DriverExtra {
                cause: bugs::too_much(self.profile, extra.what),
                at: match named {
                    Some(_) => self.timeline.barrier_name(extra.barrier),
                    None => self.timeline.node_name(extra.barrier.node),
                },
            }
        });
        Verdict {
            lacks: lacks.collect(),
            more: more.chain(self.front_ends(&lowered)).collect(),
        }
    }

    fn lack(
        &self,
        (recorded, lowered): (&Recorded, &Program),
        lack: &Lack,
        (is_owed, shown): (bool, Option<DriverRun>),
    ) -> DriverLack {
        let tally = bugs::Tally::default();
        let told_of = self.case.told_of(recorded, self.profile, &tally);
        let (cause, fails) = if self.waits_late(lowered, lack) {
            bugs::told_late(told_of, lack)
        } else {
            bugs::told(told_of, lack)
        };
        let class = match shown {
            Some(_) => Class::Shown,
            None if is_owed => Class::Owed,
            None => Class::Missing,
        };
        let barrier = lack.shortfall.barrier;
        let entry = names::entry(self.timeline, barrier);
        let span = entry.map_or_else(|| self.timeline.span(barrier.node), |entry| entry.span);
        DriverLack {
            class,
            cause,
            barrier: self.timeline.barrier_name(barrier),
            line: self.program.line(span.start),
            fails,
            shown,
        }
    }

    /// Packets that hold the front end back although no entry that they can be for asks for that. Of a packet that no barrier
    /// made these are all entries of its scope before it.
    fn front_ends(&self, lowered: &Program) -> Vec<DriverExtra> {
        let mut found = Vec::new();
        for block in &lowered.blocks {
            let mut asked = false;
            for op in &block.ops {
                let HwOpKind::Barrier(barrier) = &op.kind else {
                    continue;
                };
                let node = op.origin.node;
                let is_call = op.origin.entry.is_some();
                let by_call = is_call && self.asks_front_end(node);
                asked |= by_call;
                let steps = barrier.steps.of(&block.steps);
                let holds = steps.iter().any(|it| matches!(it.kind, StepKind::FrontEnd));
                let is_asked = if is_call { by_call } else { asked };
                // Where the wait itself is that operation there is no other way to wait.
                let mut waited = barrier.wait.iter();
                let is_wait =
                    waited.any(|leaf| self.profile.drain(leaf).op == self.profile.front_end_op);
                if holds && !is_asked && !is_wait {
                    let entry = op.origin.entry;
                    let named = entry.map(|entry| BarrierRef { node, entry });
                    found.push(DriverExtra {
                        cause: bugs::too_much(self.profile, What::FrontEnd),
                        at: named.map_or_else(
                            || self.timeline.node_name(node),
                            |id| self.timeline.barrier_name(id),
                        ),
                    });
                }
            }
        }
        found
    }

    /// Whether a barrier call has an entry after which the front end may read ahead.
    fn asks_front_end(&self, call: NodeId) -> bool {
        let readers = self.profile.front_end_readers;
        let command = self.timeline.command(call);
        let mut entries = command.into_iter().flat_map(|it| it.kind.barriers().iter());
        entries.any(|entry| {
            // In another layout `COMMON` is fewer accesses; a driver may not know.
            let after = entry.access_after;
            !readers.is_empty() && (after == BarrierAccess::COMMON || after.intersects(readers))
        })
    }

    /// Whether what is missing is a wait that packets have after what its barrier asks for, and before the second use.
    fn waits_late(&self, lowered: &Program, lack: &Lack) -> bool {
        let What::Wait(leaves) = lack.shortfall.what else {
            return false;
        };
        let (first, second) = &lack.uses;
        let leaves = match leaves.intersection(first.stages) {
            none if none.is_empty() => leaves,
            own => own,
        };
        let call = lack.shortfall.barrier.node;
        let block = &lowered.blocks[self.timeline.submission_of(call)];
        let after = block.ops.iter().skip_while(|op| op.origin.node < call);
        let until = after.take_while(|op| {
            op.origin.node < second.node
                || op.origin.node == second.node && matches!(op.kind, HwOpKind::Barrier(_))
        });
        // Operations without the wait, then the wait.
        let mut acts = false;
        for op in until {
            let HwOpKind::Barrier(barrier) = &op.kind else {
                continue;
            };
            if acts && barrier.wait.contains(leaves) {
                return true;
            }
            acts |= !barrier.steps.of(&block.steps).is_empty();
        }
        false
    }

    /// For each lack a run that shows it: with every other lack mended, or if no lack has such a run by itself, as the packets
    /// are. What is only owed has none: a cache that nobody has filled is stale only where it fetches by itself.
    fn shown(
        &self,
        recorded: &Recorded,
        lowered: &Program,
        (lacks, owed): (&[Lack], &[bool]),
    ) -> Vec<Option<DriverRun>> {
        let told = |shown: Option<Shown>, is_joint| {
            shown.map(|shown| DriverRun {
                eviction: shown.eviction,
                read: shown.read,
                is_joint,
            })
        };
        if lacks.len() > 1 {
            let each = (0..lacks.len()).map(|at| {
                let is_owed = owed[at];
                (!is_owed)
                    .then(|| self.alone(recorded, lacks, at))
                    .flatten()
            });
            let each: Vec<Option<Shown>> = each.collect();
            if each.iter().any(Option::is_some) {
                return each.into_iter().map(|it| told(it, false)).collect();
            }
        }
        if owed.iter().all(|is_owed| *is_owed) {
            return vec![None; lacks.len()];
        }
        let shortfalls: Vec<Shortfall> = lacks.iter().map(|lack| lack.shortfall).collect();
        let shown = self.case.shown(lowered, self.profile, &shortfalls);
        let shown = shown.into_iter().zip(owed);
        let shown = shown.map(|(shown, is_owed)| told(shown.filter(|_| !is_owed), lacks.len() > 1));
        shown.collect()
    }

    /// A run that shows one lack, with every other lack mended; none if they cannot be.
    fn alone(&self, recorded: &Recorded, lacks: &[Lack], at: usize) -> Option<Shown> {
        let others = lacks.iter().enumerate().filter(|(other, _)| *other != at);
        let mended = self.mended(recorded, others.map(|(_, lack)| lack));
        let lowered = back::lower(&mended, self.timeline, self.profile);
        let left = self.case.check(self.profile, &lowered).missing;
        let [one] = left.as_slice() else {
            return None;
        };
        let is_same = one.shortfall.what == lacks[at].shortfall.what;
        let shown = || self.case.shown(&lowered, self.profile, &[one.shortfall]);
        is_same
            .then(|| shown().into_iter().next().flatten())
            .flatten()
    }

    /// The packets with what some lacks say that they lack.
    fn mended<'l>(&self, recorded: &Recorded, lacks: impl Iterator<Item = &'l Lack>) -> Recorded {
        let mut mended = recorded.clone();
        for lack in lacks {
            let call = lack.shortfall.barrier.node;
            let packet = mended.call_mut(call);
            match lack.shortfall.what {
                What::Wait(leaves) => packet.wait = packet.wait.union(leaves),
                What::Hold(leaves) => {
                    packet.hold = packet.hold.map(|hold| hold.union(leaves));
                }
                What::Clean(cache) => packet.steps.push(RecordedStep::Clean(cache)),
                What::Invalidate(cache) => packet.steps.push(RecordedStep::Invalidate(cache)),
                What::Layout(op) => packet.steps.push(RecordedStep::Layout(Some(op))),
                What::FrontEnd => packet.steps.push(RecordedStep::FrontEnd),
                What::FirstHalf => {}
            }
            *packet = std::mem::take(packet).in_usual_order(self.profile);
        }
        mended
    }

    /// Whether an operation is only owed if something is dirty, see [`Class::Owed`].
    fn is_owed(&self, lowered: &Program, lack: &Lack) -> bool {
        let (cache, only_writes) = match lack.shortfall.what {
            What::Clean(cache) => (cache, true),
            What::Invalidate(cache) => (cache, false),
            _ => return false,
        };
        let bytes = self.bytes(cache, lack.uses.1.resource);
        !self.goes_through(lowered, lack, (cache, only_writes), &bytes)
    }

    /// The bytes of a resource, with what shares lines of a cache with them.
    fn bytes(&self, cache: CacheId, resource: ResourceId) -> Vec<Extent> {
        let line = self.profile.cache(cache).line_bytes.max(1);
        let (memory, scenario) = (&self.timeline.memory, self.timeline.scenario);
        let mut bytes = Vec::new();
        memory.for_each_extent(scenario, resource, &Range::All, |extent| {
            bytes.push(extent.at(extent.start / line * line, extent.end.div_ceil(line) * line));
        });
        bytes
    }

    /// Whether work or a layout operation before a lack's barrier, in its submission, writes some bytes through a cache, or
    /// accesses them.
    fn goes_through(
        &self,
        lowered: &Program,
        lack: &Lack,
        (cache, only_writes): (CacheId, bool),
        bytes: &[Extent],
    ) -> bool {
        let node = lack.shortfall.barrier.node;
        let block = &lowered.blocks[self.timeline.submission_of(node)];
        let submission = self.timeline.submission(self.timeline.submission_of(node));
        let queue = self
            .timeline
            .queue_type(submission)
            .unwrap_or(QueueType::Direct);
        let meets = |extents: &[Extent]| {
            let mut extents = extents.iter();
            extents.any(|it| bytes.iter().any(|own| own.intersection(*it).is_some()))
        };
        let has = |path| self.profile.path(path).contains(&cache);
        let before = block.ops.iter().take_while(|op| op.origin.node < node);
        before.into_iter().any(|op| match &op.kind {
            HwOpKind::Work(work) => work.accesses.of(&block.accesses).iter().any(|access| {
                let writes = access.mode == AccessMode::Write;
                if only_writes && !writes || !meets(access.extents.of(&block.extents)) {
                    return false;
                }
                let client = Client::of(access.access, queue);
                let others = if access.access.is_empty() {
                    &[]
                } else {
                    self.profile.read_paths(client)
                };
                has(access.path)
                    || access.metadata.is_some_and(has)
                    || !writes && others.iter().any(|path| has(*path))
            }),
            HwOpKind::Barrier(barrier) => barrier.steps.of(&block.steps).iter().any(|step| {
                matches!(step.kind, StepKind::Layout { extents, .. } if meets(extents.of(&block.extents)))
                    && self.profile.read_paths(Client::LayoutOperation).iter().any(|path| has(*path))
            }),
            _ => false,
        })
    }
}
