//! The walk's uses: one use against layouts, metadata, contents, state and granules, and its entry into them.

use super::check::Check;
use super::content::{self, Content, Edit, Owner};
use super::cover::Precedes;
use super::lost::{Found, Reader, Sum};
use super::shared_granules::SharedPart;
use super::splits::Open;
use super::state::{Access, Enter};
use super::undefined::{Loss, LossKind};
use super::walk::Walk;
use super::{Collected, Conflict, ConflictKind, Side, UndefinedRead, lone};
use crate::api::Layout;
use crate::id::{Extent, MemoryId, ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::scenario::geometry::SubresourceBox;
use crate::scenario::{Range, geometry};
use smallvec::SmallVec;

impl Walk<'_, '_> {
    /// Compares a use with the layouts of its subresources. Spec: "Layout Access Compatibility". Where transitions race,
    /// nobody knows the layout (reading R23).
    pub(super) fn check_layout(
        &mut self,
        side: Side,
        range: &Range,
        allows: impl Fn(Layout) -> bool,
    ) {
        if self.held.layouts.all(side.resource, &allows) {
            return;
        }
        let Some(sub) = self.here.subresources(side.resource, range) else {
            return;
        };
        let mut wrong: SmallVec<[(u32, u32, Layout); 2]> = SmallVec::new();
        let (contents, timeline, submission) = (
            &self.held.contents,
            self.here.timeline,
            self.here.submission,
        );
        let shared = self.between.has(self.here.timeline, side.resource);
        // One finding says where the first is.
        let is_enough = !self.here.request.unfolded;
        self.held.layouts.find(
            self.here.scenario,
            side.resource,
            &sub,
            |first, end, layout| {
                let run = (first, end);
                let races =
                    || shared && contents.are_racing(timeline, side.resource, run, submission);
                if allows(layout) || races() {
                    return None;
                }
                wrong.push((first, end, layout));
                is_enough.then_some(())
            },
        );
        let mismatch = |layout| Conflict {
            ordered: true,
            visible: true,
            layout: Some(layout),
            ..lone(ConflictKind::LayoutMismatch, side, side)
        };
        if is_enough {
            let first = wrong.first();
            self.told
                .found
                .extend(first.map(|(.., layout)| mismatch(*layout)));
            return;
        }
        for (first, end, layout) in wrong {
            self.here.timeline.memory.for_each_subresource_extent(
                self.here.scenario,
                side.resource,
                &[(first, end)],
                |extent| {
                    self.told.found.push(Conflict {
                        bytes: Some(extent),
                        ..mismatch(layout)
                    });
                },
            );
        }
    }

    /// A use in a compressed layout needs sound metadata (reading R25); once per subresource.
    pub(super) fn check_metadata(&mut self, access: &Access, range: &Range) {
        let resource = access.side.resource;
        if !self.held.contents.has_metadata(resource) {
            return;
        }
        let Some(sub) = self.here.subresources(resource, range) else {
            return;
        };
        let mut unsound: SmallVec<[Extent; 4]> = SmallVec::new();
        let (scenario, memory, contents) = (
            self.here.scenario,
            &self.here.timeline.memory,
            &mut self.held.contents,
        );
        for (first, end) in
            content::compressed(self.here.timeline, &self.held.layouts, resource, &sub)
        {
            let mut is_sound = true;
            memory.for_each_subresource_extent(scenario, resource, &[(first, end)], |extent| {
                is_sound &= contents.is_sound(extent, resource);
            });
            if is_sound {
                continue;
            }
            let each: Vec<(u32, u32)> = (first..end).map(|index| (index, index + 1)).collect();
            memory.for_each_subresource_extent(scenario, resource, &each, |extent| {
                if !contents.is_sound(extent, resource) {
                    unsound.push(extent);
                }
            });
        }
        if unsound.is_empty() {
            return;
        }
        for extent in unsound {
            self.held.contents.edit(extent, Edit::Initialise(resource));
            self.told.found.push(Conflict {
                bytes: Some(extent),
                ..lone(
                    ConflictKind::MetadataUninitialised,
                    access.side,
                    access.side,
                )
            });
        }
        self.held.contents.settle(self.here.timeline, resource);
    }

    /// A whole-subresource clear, copy, resolve or discard initialises metadata.
    pub(super) fn initialise(&mut self, resource: ResourceId, range: &Range) {
        let whole = self
            .here
            .subresources(resource, range)
            .is_some_and(|sub| sub.rect.is_none());
        if !whole || !self.held.contents.has_metadata(resource) {
            return;
        }
        let (timeline, contents) = (self.here.timeline, &mut self.held.contents);
        timeline
            .memory
            .for_each_extent(self.here.scenario, resource, range, |extent| {
                contents.edit(extent, Edit::Initialise(resource));
            });
        contents.settle(timeline, resource);
    }

    /// Whether the subresources are active and not in the middle of a split barrier (readings R24, R27). Returns
    /// whether they are in the middle of one.
    pub(super) fn check_contents(&mut self, access: &Access, range: &Range) -> bool {
        let side = access.side;
        if !self.held.contents.any() {
            return false;
        }
        let (timeline, epoch) = (self.here.timeline, self.here.epoch);
        let open = Open {
            timeline: self.here.timeline,
            epoch: self.here.epoch,
            submission: self.here.submission,
            ends_left: &self.held.ends_left,
        };
        let (contents, found) = (&mut self.held.contents, &mut self.told.found);
        let (mut split, from) = (false, found.len());
        let is_inactive =
            |(since, first): &(u32, Side)| *since == epoch && first.resource == side.resource;
        timeline
            .memory
            .for_each_extent(self.here.scenario, side.resource, range, |extent| {
                if !contents.is_kept(extent) {
                    return;
                }
                let mut inactive = false;
                let matters = |content: &Content| {
                    let mut splits = content.splits.iter();
                    splits.any(|half| half.acts || half.side.resource == side.resource)
                        || content.inactive.iter().any(is_inactive)
                };
                contents.look((side.resource, extent), matters, |part, content| {
                    for half in &content.splits {
                        if half.side.resource == side.resource {
                            if open.is_around(half) {
                                split = true;
                                found.push(at(ConflictKind::UseWhileSplit, half.side, side, part));
                            }
                        } else if open.is_disturbed(half, side.resource) {
                            // An alias is neither before nor after the pair.
                            found.push(at(access.after_write(), half.side, side, part));
                        }
                    }
                    for (_, first) in content.inactive.iter().filter(|known| is_inactive(known)) {
                        inactive = true;
                        found.push(at(ConflictKind::UseInactive, *first, side, part));
                    }
                });
                if inactive {
                    contents.edit(extent, Edit::Activate(side.resource));
                }
            });
        if split {
            // Compared with nothing else.
            let others = found.split_off(from);
            found.extend(others.into_iter().filter(|c| !c.kind.is_data()));
        }
        split
    }

    /// An ordered read of memory that an alias wrote since the resource was last activated or written. What only writes renews
    /// the bytes that it covers (readings R41, R63).
    pub(super) fn check_inheritance(
        &mut self,
        access: &Access,
        range: &Range,
        precedes: &Precedes,
    ) {
        let side = access.side;
        if !access.reads || !self.here.timeline.memory.is_aliased(side.resource) {
            return;
        }
        let (timeline, scenario) = (self.here.timeline, self.here.scenario);
        let (submission, replay) = (self.here.submission, self.here.replay());
        let (contents, found) = (&mut self.held.contents, &mut self.told.found);
        timeline
            .memory
            .for_each_extent(scenario, side.resource, range, |extent| {
                let mut by: SmallVec<[(Extent, Owner); 2]> = SmallVec::new();
                let matters = |content: &Content| content.overwritten(side.resource).is_some();
                contents.look((side.resource, extent), matters, |part, content| {
                    if let Some(owner) = content.overwritten(side.resource) {
                        // A barrier need not hold the same on all of its subresources (reading R52).
                        let within =
                            owner.submission == submission && owner.side.barrier().is_some();
                        let parts = within.then(|| replay.parts(owner.side.resource, part));
                        let parts = parts.unwrap_or_else(|| vec![part]);
                        by.extend(parts.into_iter().map(|part| (part, owner)));
                    }
                });
                for (part, owner) in by {
                    let ordered = if owner.submission != submission {
                        timeline.happens_before(owner.submission, submission)
                    } else if owner.is_over {
                        true
                    } else if let Some(barrier) = owner.side.barrier() {
                        let sub = replay.subresource(owner.side.resource, part.start);
                        replay.precedes_use((barrier, sub), side.node, side.stages)
                    } else {
                        precedes.contains_all(side.stages, owner.side.stages, owner.position)
                    };
                    let kind = if content::inherits(scenario, owner.side.resource, side.resource) {
                        ConflictKind::Inherited
                    } else {
                        ConflictKind::UseOverwritten
                    };
                    if ordered {
                        found.push(at(kind, owner.side, side, part));
                        contents.edit(part, Edit::Revive(side.resource));
                    }
                }
            });
    }

    /// A certain read of contents that were dropped, any read of a write that was given up in an earlier scope
    /// (readings R53, R57).
    pub(super) fn check_undefined(&mut self, access: &Access, range: &Range) {
        if !self.held.undefined.any() || !access.reads {
            return;
        }
        let (submission, side) = (self.here.submission, access.side);
        let timeline = self.here.timeline;
        let reader = Reader {
            submission,
            is_before: &|loss| timeline.happens_before(loss, submission),
        };
        let memory = &self.here.timeline.memory;
        let (undefined, found) = (&mut self.held.undefined, &mut self.told.found);
        let mut sum = Sum::default();
        let is_unfolded = self.here.request.unfolded;
        memory.for_each_extent(self.here.scenario, side.resource, range, |extent| {
            if let Some(lost) = undefined.look(extent, &reader) {
                sum.add(&lost);
            }
            if is_unfolded {
                undefined.for_each(extent, &reader, |loss| {
                    found.extend(read_of_lost(loss, extent.memory, access, submission));
                });
            }
        });
        let Some(whole) = memory.whole(side.resource).filter(|_| sum.is_any()) else {
            return;
        };
        let (block, first) = (whole.memory, sum.first_dropped.filter(|_| access.certain));
        if !is_unfolded {
            // One finding says what was lost last.
            let latest = [sum.dropped, sum.given_up].into_iter().flatten();
            found.extend(latest.filter_map(|loss| read_of_lost(loss, block, access, submission)));
        }
        self.told
            .out
            .undefined_reads
            .extend(first.map(|(start, end)| UndefinedRead {
                side,
                first: Extent::new(block, start, end),
                bytes: sum.dropped_bytes,
            }));
    }

    /// A command's write defines bytes; a discard leaves them undefined.
    pub(super) fn define(&mut self, access: &Access, range: &Range, discards: bool) {
        if !access.writes || !(discards || self.held.undefined.any()) {
            return;
        }
        let loss = Loss {
            kind: LossKind::Dropped,
            side: access.side,
            barrier: None,
            submission: self.here.submission,
            actor: self.here.actor(),
        };
        let undefined = &mut self.held.undefined;
        let memory = &self.here.timeline.memory;
        memory.for_each_extent(self.here.scenario, access.side.resource, range, |extent| {
            if discards {
                undefined.drop(extent, loss);
            } else {
                undefined.define(extent);
            }
        });
    }

    /// Remembers which subresources the scope has accessed.
    pub(super) fn note_access(&mut self, resource: ResourceId, range: &Range) {
        let runs = match self.here.scenario.resource(resource).texture() {
            None => vec![(0, 1)],
            Some(shape) => geometry::subresource_box(shape, range)
                .map_or_else(|_| Vec::new(), |sub| sub.index_runs(shape)),
        };
        self.held.accessed.note(resource, &runs, self.here.epoch);
    }

    /// Checks a use against what its bytes have seen.
    pub(super) fn check(&mut self, access: &Access, range: &Range, precedes: &Precedes) {
        let replay = self.here.replay();
        let Self {
            here,
            asked,
            held,
            told,
            ..
        } = self;
        let request = here.request;
        let pairs = (request.pairs != Collected::Nothing).then_some(&mut told.out.pairs);
        let mut check = Check {
            access,
            precedes,
            globals: &asked.globals,
            found: &mut told.found,
            latest_global: asked.latest_global,
            order: &asked.order,
            pairs,
            unfolded: request.unfolded,
            // A picture shows what was asked, not what would be if a hazard were mended.
            grants: request.pairs != Collected::Named,
            replay,
            memory: MemoryId(0),
        };
        let (memory, ranges) = extents(here.timeline, access.side.resource, range);
        check.memory = memory;
        let bytes = held.memories[memory].at(here.epoch);
        bytes.visit_all(&ranges, &mut check);
    }

    /// Compares a write of a part of a subresource with concurrent ones of other parts (reading R21).
    pub(super) fn check_granules(&mut self, access: &Access, range: &Range, precedes: &Precedes) {
        if matches!(range, Range::All) {
            return;
        }
        let warns = self
            .here
            .scenario
            .resource(access.side.resource)
            .is_simultaneous();
        for (index, runs) in partial_runs(self.here.timeline, access.side.resource, range) {
            let Some(whole) = self.here.timeline.memory.whole(access.side.resource) else {
                continue;
            };
            let place = (whole.memory, access.side.resource, index);
            let found = &mut self.told.found;
            self.held
                .granules
                .check(place, access, &runs, precedes, warns, found);
            if self.between.is_shared[whole.memory] {
                self.between.parts.push(SharedPart {
                    submission: self.here.submission,
                    side: access.side,
                    place,
                    runs: runs.clone(),
                    atomics: access.atomics,
                    warns,
                });
            }
            // A synchronous write is over before anything later begins.
            if !access.synchronous {
                self.held
                    .granules
                    .enter(place, access, runs, self.here.request.unfolded);
            }
        }
    }

    /// Enters a use into the state of its bytes.
    pub(super) fn enter(&mut self, access: &Access, range: &Range) {
        let here = self.here;
        let mut enter = Enter {
            access,
            keeps: here.request.unfolded,
        };
        let (memory, ranges) = extents(here.timeline, access.side.resource, range);
        let bytes = self.held.memories[memory].at(here.epoch);
        bytes.visit_all(&ranges, &mut enter);
    }

    /// A write makes the bytes its resource's own.
    pub(super) fn own(&mut self, access: &Access, range: &Range) {
        let side = access.side;
        if !access.writes || !self.here.timeline.memory.is_aliased(side.resource) {
            return;
        }
        let owner = Owner {
            side,
            submission: self.here.submission,
            epoch: self.here.epoch,
            position: access.position,
            is_over: access.synchronous,
        };
        let (timeline, contents) = (self.here.timeline, &mut self.held.contents);
        timeline
            .memory
            .for_each_extent(self.here.scenario, side.resource, range, |extent| {
                contents.edit(extent, Edit::Write(owner));
            });
    }
}

/// What is wrong with a read of contents that are lost (readings R53, R57).
fn read_of_lost(
    Found { loss, bytes }: Found,
    memory: MemoryId,
    access: &Access,
    submission: SubmissionId,
) -> Option<Conflict> {
    let (start, end) = bytes;
    let (kind, given_up) = match loss.kind {
        LossKind::Dropped if access.certain => (ConflictKind::UndefinedContents, false),
        // In the same scope the state knows it.
        LossKind::GivenUp if loss.submission != submission => (ConflictKind::ReadAfterWrite, true),
        LossKind::Dropped | LossKind::GivenUp | LossKind::Unflushed => return None,
    };
    Some(Conflict {
        barrier: loss.barrier,
        ordered: true,
        visible: !given_up,
        given_up,
        bytes: Some(Extent { memory, start, end }),
        ..lone(kind, loss.side, access.side)
    })
}

/// The block and the extents of a range.
fn extents(
    timeline: &Timeline<'_>,
    resource: ResourceId,
    range: &Range,
) -> (MemoryId, SmallVec<[(u64, u64); 1]>) {
    let (mut block, mut ranges) = (MemoryId(0), SmallVec::new());
    let memory = &timeline.memory;
    memory.for_each_extent(timeline.scenario, resource, range, |extent| {
        block = extent.memory;
        ranges.push((extent.start, extent.end));
    });
    (block, ranges)
}

/// A conflict about some bytes, with the barrier that is the cause of it.
pub(super) fn at(kind: ConflictKind, first: Side, second: Side, bytes: Extent) -> Conflict {
    Conflict {
        barrier: first.barrier(),
        bytes: Some(bytes),
        ..lone(kind, first, second)
    }
}

/// Bytes of each subresource of which a use touches a part, by subresource.
fn partial_runs(
    timeline: &Timeline<'_>,
    resource: ResourceId,
    range: &Range,
) -> Vec<(u32, Vec<(u64, u64)>)> {
    let described = timeline.scenario.resource(resource);
    let Some(whole) = timeline.memory.whole(resource) else {
        return Vec::new();
    };
    let in_memory = |runs: Vec<(u64, u64)>| -> Vec<(u64, u64)> {
        let runs = runs.into_iter();
        runs.map(|(start, end)| (whole.start + start, whole.start + end))
            .collect()
    };
    match (range, described.texture()) {
        (Range::Bytes { .. }, None) => {
            let runs = in_memory(geometry::byte_runs(described, range));
            if runs.is_empty() || runs == [(whole.start, whole.end)] {
                return Vec::new();
            }
            vec![(0, runs)]
        }
        (Range::Subresources(sub), Some(shape)) if sub.rect.is_some() => {
            let all = geometry::subresource_box(shape, range).ok();
            let Some(all) = all.filter(|all| all.rect.is_some()) else {
                return Vec::new();
            };
            let indices = all.index_runs(shape).into_iter().flat_map(|(a, b)| a..b);
            indices
                .map(|index| {
                    let (mip, layer, plane) = shape.coordinates(index);
                    let one = SubresourceBox {
                        mips: (mip, mip + 1),
                        layers: (layer, layer + 1),
                        planes: (plane, plane + 1),
                        ..all
                    };
                    (index, in_memory(geometry::box_byte_runs(shape, &one)))
                })
                .collect()
        }
        _ => Vec::new(),
    }
}
