//! The fields of a barrier entry: with more bits in them, with another layout, or all of them new.

use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet};
use crate::id::ResourceId;
use crate::scenario::{Barrier, BarrierRange, BarrierTarget, TextureBarrier};

/// A field of an entry with bits added, or with others in place of those that serve nothing.
#[derive(Copy, Clone, PartialEq, Eq)]
pub(super) enum Widened {
    SyncBefore(BarrierSync),
    AccessBefore(BarrierAccess),
    SyncAfter(BarrierSync),
    AccessAfter(BarrierAccess),
}

impl Widened {
    /// Sets it; returns how many bits changed.
    pub(super) fn set(self, barrier: &mut Barrier) -> usize {
        let (was, is) = match self {
            Self::SyncBefore(sync) => {
                let was = std::mem::replace(&mut barrier.sync_before, sync);
                (was.bits(), sync.bits())
            }
            Self::SyncAfter(sync) => {
                let was = std::mem::replace(&mut barrier.sync_after, sync);
                (was.bits(), sync.bits())
            }
            Self::AccessBefore(access) => {
                let was = std::mem::replace(&mut barrier.access_before, access);
                (was.bits(), access.bits())
            }
            Self::AccessAfter(access) => {
                let was = std::mem::replace(&mut barrier.access_after, access);
                (was.bits(), access.bits())
            }
        };
        (was ^ is).count_ones() as usize
    }

    /// How many bits change.
    pub(super) fn bits(self, barrier: &Barrier) -> usize {
        self.set(&mut barrier.clone())
    }

    /// Sets it in the other half of a split barrier, if the halves have it in common.
    pub(super) fn set_in_other_half(self, barrier: &mut Barrier) {
        if let Self::AccessBefore(_) | Self::AccessAfter(_) = self {
            self.set(barrier);
        }
    }

    /// What is added or replaced, in words.
    pub(super) fn says(self, old: &Barrier) -> String {
        let sync = |name: &str, was: BarrierSync, is: BarrierSync| {
            if was == BarrierSync::NONE || !is.contains(was) {
                format!("make {name} {is}")
            } else {
                format!("add {} to {name}", is.difference(was))
            }
        };
        let access = |name: &str, was: BarrierAccess, is: BarrierAccess| {
            if was.is_no_access() || !is.contains(was) {
                format!("make {name} {is}")
            } else {
                format!("add {} to {name}", is.difference(was))
            }
        };
        match self {
            Self::SyncBefore(is) => sync("SyncBefore", old.sync_before, is),
            Self::SyncAfter(is) => sync("SyncAfter", old.sync_after, is),
            Self::AccessBefore(is) => access("AccessBefore", old.access_before, is),
            Self::AccessAfter(is) => access("AccessAfter", old.access_after, is),
        }
    }
}

/// A mask that also has the leaves; `None` if it has them, or is half of a split barrier.
pub(super) fn add_sync(mask: BarrierSync, leaves: LeafSet) -> Option<BarrierSync> {
    let lacking = leaves.minus(mask.leaves());
    (!mask.is_split() && !lacking.is_empty()).then(|| mask | BarrierSync::of_leaves(lacking))
}

/// A mask that also has the accesses; `None` if it has them.
pub(super) fn add_access(mask: BarrierAccess, access: BarrierAccess) -> Option<BarrierAccess> {
    let access = access.difference(BarrierAccess::NO_ACCESS);
    if access.is_empty() || mask == BarrierAccess::COMMON || mask.contains(access) {
        return None;
    }
    Some(if mask.is_no_access() {
        access
    } else {
        mask | access
    })
}

/// Two masks as one; `COMMON` is zero, and would vanish.
pub(super) fn joined(a: BarrierAccess, b: BarrierAccess) -> BarrierAccess {
    if a == BarrierAccess::COMMON || b.is_no_access() {
        a
    } else if b == BarrierAccess::COMMON || a.is_no_access() {
        b
    } else {
        a | b
    }
}

pub(super) fn distinct<T: PartialEq, const N: usize>(values: [T; N]) -> Vec<T> {
    let mut distinct = Vec::with_capacity(N);
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct
}

/// An entry on one resource: `(leaves, accesses)` before and after, and `(before, after, discard)` for a texture.
pub(super) fn entry_on(
    id: ResourceId,
    is_buffer: bool,
    range: BarrierRange,
    before: (LeafSet, BarrierAccess),
    after: (LeafSet, BarrierAccess),
    (layout_before, layout_after, discard): (Layout, Layout, bool),
) -> Barrier {
    let target = if is_buffer {
        BarrierTarget::buffer(id)
    } else {
        BarrierTarget::Texture(TextureBarrier {
            resource: Some(id),
            range,
            layout_before,
            layout_after,
            discard,
        })
    };
    Barrier::of(target)
        .sync(BarrierSync::named(before.0), BarrierSync::named(after.0))
        .access(before.1, after.1)
}
