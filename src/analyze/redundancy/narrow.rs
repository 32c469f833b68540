//! Narrower masks for a barrier, as candidates: bits that match no use on their side.
//!
//! A bit stays if a use between the entry and its neighbour on the same resource has it; where there is no such use,
//! if any use of the resource has it. Of an umbrella the part stays that the uses need, unless the rest makes no
//! difference: work that is held at one stage of a draw is held at all later ones, and work that has left the last
//! stage has left all (reading R46). Whether a candidate is enough is proved elsewhere.

use super::survey::{Around, Survey, Used};
use crate::api::{BarrierAccess, BarrierSync, Leaf, LeafSet};
use crate::scenario::Barrier;

/// A mask of a barrier.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Field {
    SyncBefore,
    SyncAfter,
    AccessBefore,
    AccessAfter,
}

impl Field {
    const ALL: [Self; 4] = [
        Self::SyncBefore,
        Self::SyncAfter,
        Self::AccessBefore,
        Self::AccessAfter,
    ];

    /// The header's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::SyncBefore => "SyncBefore",
            Self::SyncAfter => "SyncAfter",
            Self::AccessBefore => "AccessBefore",
            Self::AccessAfter => "AccessAfter",
        }
    }
}

/// Which rule a narrowing belongs to.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum NarrowingKind {
    /// `ALL` or `COMMON` where bits would do.
    Everything,
    /// Stages.
    Sync,
    /// Accesses.
    Access,
}

/// One mask with less in it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Narrower {
    /// The mask that gets narrower.
    pub field: Field,
    /// What it can be.
    pub to: Mask,
}

/// A mask's value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Mask {
    Sync(BarrierSync),
    Access(BarrierAccess),
}

impl Narrower {
    /// Makes the mask of a barrier what this says.
    pub fn apply(&self, barrier: &mut Barrier) {
        match (self.field, self.to) {
            (Field::SyncBefore, Mask::Sync(mask)) => barrier.sync_before = mask,
            (Field::SyncAfter, Mask::Sync(mask)) => barrier.sync_after = mask,
            (Field::AccessBefore, Mask::Access(mask)) => barrier.access_before = mask,
            (Field::AccessAfter, Mask::Access(mask)) => barrier.access_after = mask,
            _ => unreachable!("a field has a mask of its kind"),
        }
    }

    /// Which rule it belongs to, for a barrier that has the wider mask.
    pub fn kind(&self, barrier: &Barrier) -> NarrowingKind {
        match value(barrier, self.field) {
            Mask::Sync(mask) if mask.contains(BarrierSync::ALL) => NarrowingKind::Everything,
            Mask::Sync(_) => NarrowingKind::Sync,
            Mask::Access(BarrierAccess::COMMON) => NarrowingKind::Everything,
            Mask::Access(_) => NarrowingKind::Access,
        }
    }

    /// `SyncBefore ALL can be COPY`.
    pub fn text(&self, barrier: &Barrier) -> String {
        let (name, old) = (self.field.name(), show(value(barrier, self.field)));
        format!("{name} {old} can be {}", show(self.to))
    }

    /// `SyncBefore to COPY`.
    pub fn change(&self) -> String {
        format!("{} to {}", self.field.name(), show(self.to))
    }
}

fn show(mask: Mask) -> String {
    match mask {
        Mask::Sync(mask) => mask.to_string(),
        Mask::Access(mask) => mask.to_string(),
    }
}

fn value(barrier: &Barrier, field: Field) -> Mask {
    match field {
        Field::SyncBefore => Mask::Sync(barrier.sync_before),
        Field::SyncAfter => Mask::Sync(barrier.sync_after),
        Field::AccessBefore => Mask::Access(barrier.access_before),
        Field::AccessAfter => Mask::Access(barrier.access_after),
    }
}

/// Every mask of a barrier that names more than the uses around it have.
pub fn candidates(survey: &Survey, around: &Around, barrier: &Barrier) -> Vec<Narrower> {
    let anywhere = match barrier.resource() {
        Some(id) => survey.anywhere[id],
        None => survey.of_all,
    };
    let live = survey.live;
    Field::ALL
        .into_iter()
        .filter_map(|field| {
            let near = match field {
                Field::SyncBefore | Field::AccessBefore => around.before,
                Field::SyncAfter | Field::AccessAfter => around.after,
            };
            let to = match value(barrier, field) {
                Mask::Sync(mask) => {
                    let used = stages(near, anywhere);
                    Mask::Sync(narrower_sync(mask, used, live, field)?)
                }
                Mask::Access(mask) => {
                    Mask::Access(narrower_access(mask, accesses(near, anywhere))?)
                }
            };
            Some(Narrower { field, to })
        })
        .collect()
}

fn stages(near: Used, anywhere: Used) -> LeafSet {
    if near.stages.is_empty() {
        anywhere.stages
    } else {
        near.stages
    }
}

fn accesses(near: Used, anywhere: Used) -> BarrierAccess {
    if near.accesses.is_empty() {
        anywhere.accesses
    } else {
        near.accesses
    }
}

fn narrower_sync(
    mask: BarrierSync,
    used: LeafSet,
    live: LeafSet,
    field: Field,
) -> Option<BarrierSync> {
    if mask == BarrierSync::NONE || mask.is_split() || used.is_empty() {
        return None;
    }
    let narrow = if mask.contains(BarrierSync::ALL) {
        BarrierSync::named(used)
    } else {
        mask.iter()
            .filter(|bit| bit.leaves().meets(used))
            .map(|bit| {
                let part = bit.leaves().intersection(used);
                let reached = reach(part, field);
                if reached.contains(bit.leaves().intersection(live)) {
                    bit
                } else {
                    BarrierSync::of_leaves(part)
                }
            })
            .collect()
    };
    (narrow != mask && narrow != BarrierSync::NONE && narrow.leaves() != mask.leaves())
        .then_some(narrow)
}

/// Stages that are waited for, or held, with these.
fn reach(stages: LeafSet, field: Field) -> LeafSet {
    const PIPELINE: [Leaf; 5] = [
        Leaf::IndexInput,
        Leaf::VertexShading,
        Leaf::DepthStencil,
        Leaf::PixelShading,
        Leaf::RenderTarget,
    ];
    // "Any shader of the draw" is as good as the draw: its first and its last stage are among them.
    if stages.contains(LeafSet::DRAW_SHADING) {
        return stages.union(LeafSet::DRAW);
    }
    let mut reached = stages;
    let forward = field == Field::SyncAfter;
    let mut seen = false;
    for at in 0..PIPELINE.len() {
        let leaf = PIPELINE[if forward { at } else { PIPELINE.len() - 1 - at }];
        seen |= stages.has(leaf);
        if seen {
            reached = reached.union(LeafSet::one(leaf));
        }
    }
    // Index input feeds vertex shading only: whether it is held makes no difference before that.
    if reached.has(Leaf::VertexShading) {
        reached = reached.union(LeafSet::one(Leaf::IndexInput));
    }
    reached
}

fn narrower_access(mask: BarrierAccess, used: BarrierAccess) -> Option<BarrierAccess> {
    if mask.is_no_access() || used.is_empty() {
        return None;
    }
    let narrow = if mask == BarrierAccess::COMMON {
        used
    } else {
        mask & used
    };
    (narrow != mask && !narrow.is_empty()).then_some(narrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn narrow(mask: BarrierSync, used: &[Leaf], field: Field) -> Option<BarrierSync> {
        narrower_sync(mask, LeafSet::of(used), LeafSet::ALL, field)
    }

    #[test]
    fn an_umbrella_stays_where_its_rest_makes_no_difference() {
        let draw = BarrierSync::DRAW;
        // The colour output is over last, so whoever waits for it waits for the draw.
        assert_eq!(narrow(draw, &[Leaf::RenderTarget], Field::SyncBefore), None);
        assert_eq!(narrow(draw, &[Leaf::VertexShading], Field::SyncAfter), None);
        let shaders = [Leaf::VertexShading, Leaf::PixelShading];
        assert_eq!(narrow(draw, &shaders, Field::SyncBefore), None);
    }

    #[test]
    fn an_umbrella_is_narrowed_where_it_holds_more() {
        let pixel = Some(BarrierSync::PIXEL_SHADING);
        assert_eq!(
            narrow(BarrierSync::DRAW, &[Leaf::PixelShading], Field::SyncAfter),
            pixel
        );
        let all = BarrierSync::ALL_SHADING;
        assert_eq!(narrow(all, &[Leaf::PixelShading], Field::SyncBefore), pixel);
    }

    #[test]
    fn bits_that_serve_no_use_go() {
        let mask = BarrierSync::COPY | BarrierSync::COMPUTE_SHADING;
        assert_eq!(
            narrow(mask, &[Leaf::Copy], Field::SyncBefore),
            Some(BarrierSync::COPY)
        );
        assert_eq!(
            narrow(BarrierSync::ALL, &[Leaf::Copy], Field::SyncBefore),
            Some(BarrierSync::COPY)
        );
        assert_eq!(
            narrow(BarrierSync::NONE, &[Leaf::Copy], Field::SyncBefore),
            None
        );
    }
}
