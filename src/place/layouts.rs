//! Sets of layouts, and the layout that each use gets: the fewest changes, and the layout made for an access where several
//! serve.
//!
//! One pass forward and one back over the uses of a part (Viterbi): O(uses × layouts²) with at most 37 layouts, of which a use
//! allows a few.

use crate::api::{BarrierAccess, Layout, QueueType, ResourceFlags, compat};
use crate::scenario::Resource;

/// A set of layouts, a bit each in the order of [`Layout::ALL`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) struct Layouts(u64);

impl Layouts {
    pub(super) const ANY: Self = Self(u64::MAX);
    pub(super) const NONE: Self = Self(0);

    /// The layouts that a barrier on a queue may name.
    pub(super) fn named_on(queue: QueueType) -> Self {
        let all = Layout::ALL.iter().enumerate();
        let named = all.filter(|(_, layout)| compat::queue_allows_layout(queue, **layout));
        Self(named.fold(0, |set, (index, _)| set | 1 << index))
    }

    /// Only one layout.
    pub(super) fn one(layout: Layout) -> Self {
        Self(index(layout).map_or(0, |index| 1 << index))
    }

    /// The public layouts in which a queue's work may make an access to a texture.
    pub(super) fn allowing(access: BarrierAccess, resource: &Resource, queue: QueueType) -> Self {
        let is_allowed = |layout: &Layout| {
            layout.is_public()
                && *layout != Layout::Undefined
                && compat::queue_uses_layout(queue, *layout)
                && compat::creation_allows_layout(*layout, resource.flags)
                && compat::texture_accesses(*layout, resource.flags).contains(access)
        };
        let all = Layout::ALL.iter().enumerate();
        Self(
            all.filter(|(_, layout)| is_allowed(layout))
                .fold(0, |set, (index, _)| set | 1 << index),
        )
    }

    /// In either.
    pub(super) fn or(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// In both.
    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(super) fn has(self, layout: Layout) -> bool {
        self.0 & Self::one(layout).0 != 0
    }

    pub(super) fn iter(self) -> impl Iterator<Item = Layout> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            Layout::ALL.get(index).copied()
        })
    }
}

fn index(layout: Layout) -> Option<usize> {
    Layout::ALL.iter().position(|it| *it == layout)
}

/// Which of the layouts that allow an access is wanted.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
pub(super) enum Taste {
    /// Fewest changes: one layout for several kinds of readers.
    #[default]
    Shared,
    /// The layout made for the access, if it takes a change more.
    Own,
}

/// What a change costs next to a layout that is not the one made for an access.
const CHANGE: u64 = 1000;
/// A change in a list that has nothing to do with it.
const LATE_CHANGE: u64 = 1100;
/// A change that takes two barriers, one on each queue.
const TWO_CHANGES: u64 = 2200;

/// How little a layout is wanted for an access.
fn dislike(taste: Taste, layout: Layout, flags: ResourceFlags) -> u64 {
    let accesses = compat::texture_accesses(layout, flags).bits().count_ones();
    // Wide layouts keep less compressed, whatever the machine.
    let wide = u64::from(accesses.min(20));
    let wide = if taste == Taste::Own {
        wide * 200
    } else {
        wide
    };
    wide + if layout == Layout::Common { 25 } else { 0 }
        + if layout.is_queue_specific() { 30 } else { 0 }
}

/// What a step of a chain allows, and what may change before it.
pub(super) struct Step {
    /// Layouts that it may find.
    pub(super) allowed: Layouts,
    /// The layout that is there whatever was before, without a barrier: `UNDEFINED` where contents are lost.
    pub(super) becomes: Option<Layout>,
    /// Layouts that one barrier may name on the side of the step before; empty if it cannot be there.
    pub(super) by_former: Layouts,
    /// Layouts that one barrier may name on its own side; empty if it cannot be there.
    pub(super) by_own: Layouts,
    /// Layouts that one barrier may name at the end of another list between the two; empty if there is none.
    pub(super) by_other: Layouts,
    /// There is a barrier before it in any case.
    pub(super) has_barrier: bool,
    /// A change is made on the side of the step before, where both can make it.
    pub(super) is_early: bool,
}

/// Where the change before a step is made.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Change {
    /// Nothing changes.
    None,
    /// On the own side.
    Own,
    /// On the side of the step before.
    Former,
    /// To `COMMON` on the side of the step before, and from there on the own side.
    Both,
    /// In a list between the two.
    Other,
}

impl Step {
    /// A step that finds one of these layouts, before which nothing can be changed.
    pub(super) fn finding(allowed: Layouts) -> Self {
        Self {
            allowed,
            becomes: None,
            by_former: Layouts::NONE,
            by_own: Layouts::NONE,
            by_other: Layouts::NONE,
            has_barrier: false,
            is_early: false,
        }
    }

    /// How a change from one layout to another can be made before the step.
    pub(super) fn change(&self, from: Layout, to: Layout) -> Option<Change> {
        if from == to && from != Layout::Undefined {
            return Some(Change::None);
        }
        let names = |set: Layouts, layout| layout == Layout::Undefined || set.has(layout);
        let fits = |set: Layouts| !set.is_empty() && names(set, from) && set.has(to);
        if fits(self.by_own) && !(self.is_early && fits(self.by_former)) {
            Some(Change::Own)
        } else if fits(self.by_former) {
            Some(Change::Former)
        } else {
            let common = Layout::Common;
            let is_possible = from != common
                && to != common
                && names(self.by_former, from)
                && self.by_former.has(common)
                && self.by_own.has(common)
                && self.by_own.has(to);
            if is_possible {
                Some(Change::Both)
            } else {
                fits(self.by_other).then_some(Change::Other)
            }
        }
    }
}

/// Layouts for a chain.
pub(super) struct Assigned {
    /// Of each step.
    pub(super) layouts: Vec<Layout>,
    /// What they cost: changes, and layouts that are not those made for an access.
    pub(super) cost: u64,
}

/// The layout of each step, or the first step that none can be found for.
pub(super) fn assign(
    initial: Layout,
    steps: &[Step],
    taste: Taste,
    flags: ResourceFlags,
) -> Result<Assigned, usize> {
    // What it costs at least to be in a layout at a step, and the layout before.
    let mut rows: Vec<Vec<(Layout, u64, Layout)>> = Vec::with_capacity(steps.len());
    let start = vec![(initial, 0, initial)];
    for (at, step) in steps.iter().enumerate() {
        let former = rows.last().unwrap_or(&start);
        let row: Vec<_> = if let Some(layout) = step.becomes {
            let least = former.iter().min_by_key(|it| it.1);
            let kept = least.map(|it| (layout, it.1, it.0));
            kept.into_iter().collect()
        } else {
            let reached = |to: Layout| {
                let ways = former.iter().filter_map(|(from, cost, _)| {
                    let change = match step.change(*from, to)? {
                        Change::None => 0,
                        Change::Own if step.has_barrier => 1,
                        Change::Own | Change::Former => CHANGE,
                        Change::Other => LATE_CHANGE,
                        Change::Both => TWO_CHANGES,
                    };
                    Some((to, cost + change + dislike(taste, to, flags), *from))
                });
                ways.min_by_key(|it| it.1)
            };
            step.allowed.iter().filter_map(reached).collect()
        };
        if row.is_empty() {
            return Err(at);
        }
        rows.push(row);
    }
    let mut layouts = vec![initial; steps.len()];
    let mut now = rows.last().and_then(|row| row.iter().min_by_key(|it| it.1));
    let cost = now.map_or(0, |it| it.1);
    for at in (0..rows.len()).rev() {
        let Some((layout, _, from)) = now else { break };
        layouts[at] = *layout;
        let before = at.checked_sub(1).map(|before| &rows[before]);
        now = before.and_then(|row| row.iter().find(|it| it.0 == *from));
    }
    Ok(Assigned { layouts, cost })
}
