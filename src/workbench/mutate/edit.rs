//! Mistakes in lowered packets: which ones a program's packets leave room for, and the packets with one of them.
//!
//! A mistake is one of the lowering and not of one packet: it is made wherever the lowering does the same for the same
//! reason. What the machine has no model of (what the front end has prefetched, a driver's own work, engine switches) is
//! left as it is, and so are tile memory and what scopes begin and end with.

use crate::analyze::names;
use crate::api::{BarrierSide, BarrierSync, Leaf, LeafSet};
use crate::hardware::Profile;
use crate::id::{BarrierRef, CacheId, Extent, LayoutOpId, SubmissionId};
use crate::order::Timeline;
use crate::program::{
    BarrierOp, BarrierRole, Block, HwOpKind, Origin, Program, Reach, Slice, Step, StepKind, Why,
};

/// What a step does.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Act {
    Clean(CacheId),
    Invalidate(CacheId),
    Layout(LayoutOpId),
    FrontEnd,
}

impl Act {
    pub(super) fn of(kind: &StepKind) -> Option<Self> {
        match kind {
            StepKind::Clean { cache, .. } => Some(Self::Clean(*cache)),
            StepKind::Invalidate { cache, .. } => Some(Self::Invalidate(*cache)),
            StepKind::Layout { op, .. } => Some(Self::Layout(*op)),
            StepKind::FrontEnd => Some(Self::FrontEnd),
            _ => None,
        }
    }

    fn says(self, profile: &Profile) -> String {
        match self {
            Self::Clean(id) => format!("write-back of {}", profile.cache(id).name),
            Self::Invalidate(id) => format!("drop of {}", profile.cache(id).name),
            Self::Layout(id) => format!("layout operation {}", profile.layout_op(id).name),
            Self::FrontEnd => format!("hold of the front end by {}", profile.front_end_op),
        }
    }
}

/// A mistake of a lowering.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub(super) enum Mistake {
    /// A step that is done for a reason is left out.
    Drop(Act, Why),
    /// It is done for the first half of its bytes.
    Halve(Act, Why),
    /// It is done for the whole cache.
    Whole(Act, Why),
    /// Two steps, one right after the other, are done in the other order.
    Swap(Act, Act),
    /// A sync bit of one side does not stand for a stage.
    Forget(BarrierSide, BarrierSync, Leaf),
    /// A packet that no barrier made does not wait for a stage, or does not hold one.
    ForgetUnasked(BarrierSide, Leaf),
    /// A side stands for every stage.
    Widen(BarrierSide, BarrierRole),
    /// The second half of a split barrier does not follow the first.
    Unlink,
}

/// What is wrong with a mutant.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Part {
    /// An operation is left out.
    Dropped,
    /// An operation is done for half of its bytes.
    Halved,
    /// An operation is done for a whole cache.
    Whole,
    /// Two operations are done in the other order.
    Swapped,
    /// A stage is not waited for, or not held.
    Forgotten,
    /// Every stage is waited for, or held.
    Widened,
    /// The halves of a split barrier have nothing to do with each other.
    Unlinked,
    /// A rule of a rule file is left out.
    Rule,
    /// A condition of a rule is left out.
    Condition,
    /// Two rules change places.
    Order,
}

impl Part {
    /// What is done, in words.
    pub fn says(self) -> &'static str {
        match self {
            Self::Dropped => "operation left out",
            Self::Halved => "operation on half of the bytes",
            Self::Whole => "operation on the whole cache",
            Self::Swapped => "operations swapped",
            Self::Forgotten => "stage forgotten",
            Self::Widened => "every stage named",
            Self::Unlinked => "split halves not linked",
            Self::Rule => "rule left out",
            Self::Condition => "condition left out",
            Self::Order => "rules swapped",
        }
    }

    /// Whether it can only do too much: a run notices what it costs.
    pub(super) fn is_wider(self) -> bool {
        matches!(self, Self::Whole | Self::Widened)
    }
}

impl Mistake {
    pub(super) fn part(self) -> Part {
        match self {
            Self::Drop(..) => Part::Dropped,
            Self::Halve(..) => Part::Halved,
            Self::Whole(..) => Part::Whole,
            Self::Swap(..) => Part::Swapped,
            Self::Forget(..) | Self::ForgetUnasked(..) => Part::Forgotten,
            Self::Widen(..) => Part::Widened,
            Self::Unlink => Part::Unlinked,
        }
    }

    /// The edit in words.
    pub(super) fn says(self, profile: &Profile) -> String {
        let verb = |side| match side {
            BarrierSide::Before => "wait",
            BarrierSide::After => "hold",
        };
        match self {
            Self::Drop(act, why) => format!("no {} ({why})", act.says(profile)),
            Self::Halve(act, why) => format!("{} for half of the bytes ({why})", act.says(profile)),
            Self::Whole(act, why) => format!("{} as a whole ({why})", act.says(profile)),
            Self::Swap(first, then) => {
                format!("{} before {}", then.says(profile), first.says(profile))
            }
            Self::Forget(side, bit, leaf) if BarrierSync::of_leaves(LeafSet::one(leaf)) == bit => {
                format!("{bit} does not {} for its stage", verb(side)).replace("hold for", "hold")
            }
            Self::Forget(BarrierSide::Before, bit, leaf) => {
                format!("{bit} does not wait for {}", leaf.name())
            }
            Self::Forget(BarrierSide::After, bit, leaf) => {
                format!("{bit} does not hold {}", leaf.name())
            }
            Self::ForgetUnasked(BarrierSide::Before, leaf) => {
                format!("a packet of no barrier does not wait for {}", leaf.name())
            }
            Self::ForgetUnasked(BarrierSide::After, leaf) => {
                format!("a packet of no barrier does not hold {}", leaf.name())
            }
            Self::Widen(side, role) => {
                let what = match role {
                    BarrierRole::SplitBegin => "the first half of a split barrier",
                    BarrierRole::SplitEnd => "the second half of a split barrier",
                    BarrierRole::ByRegion => "a barrier by region",
                    BarrierRole::Unasked => "a packet of no barrier",
                    _ => "a barrier",
                };
                match side {
                    BarrierSide::Before => format!("{what} waits for every stage"),
                    BarrierSide::After => format!("{what} holds every stage"),
                }
            }
            Self::Unlink => {
                "the second half of a split barrier does not follow the first".to_owned()
            }
        }
    }
}

/// The packets of entries of barriers, and those that a lowering writes where no barrier is, by place.
fn packets(
    program: &Program,
) -> impl Iterator<Item = (SubmissionId, usize, Origin, &Block, &BarrierOp)> {
    program.blocks.pairs().flat_map(|(b, block)| {
        let ops = block.ops.iter().enumerate();
        ops.filter_map(move |(o, op)| match &op.kind {
            HwOpKind::Barrier(barrier)
                if op.origin.entry.is_some() || barrier.role == BarrierRole::Unasked =>
            {
                Some((b, o, op.origin, block, barrier))
            }
            _ => None,
        })
    })
}

/// What an entry says of a side's stages, bit by bit.
fn bits(timeline: &Timeline<'_>, origin: Origin, side: BarrierSide) -> BarrierSync {
    let node = origin.node;
    let entry = origin
        .entry
        .and_then(|entry| names::entry(timeline, BarrierRef { node, entry }));
    entry.map_or(BarrierSync::NONE, |entry| match side {
        BarrierSide::Before => entry.sync_before,
        BarrierSide::After => entry.sync_after,
    })
}

/// Stages of a mask that a bit of it names and no other bit does.
fn only_by(mask: BarrierSync, bit: BarrierSync) -> LeafSet {
    bit.leaves().minus(mask.difference(bit).leaves())
}

/// Mistakes that packets leave room for, each once.
pub(super) fn room(timeline: &Timeline<'_>, profile: &Profile, program: &Program) -> Vec<Mistake> {
    let mut found = Found(Vec::new());
    for (_, _, origin, block, barrier) in packets(program) {
        found.steps(profile, block, barrier);
        for side in [BarrierSide::Before, BarrierSide::After] {
            let mask = bits(timeline, origin, side);
            let stages = stages(barrier, side);
            if barrier.role == BarrierRole::Unasked {
                for leaf in stages.iter() {
                    found.add(Mistake::ForgetUnasked(side, leaf));
                }
            }
            for bit in mask.iter() {
                for leaf in only_by(mask, bit).intersection(stages).iter() {
                    found.add(Mistake::Forget(side, bit, leaf));
                }
            }
            if !stages.is_empty() && stages != LeafSet::ALL {
                found.add(Mistake::Widen(side, barrier.role));
            }
        }
        if barrier.role == BarrierRole::SplitEnd && !barrier.after.is_empty() {
            found.add(Mistake::Unlink);
        }
    }
    found.0
}

fn stages(barrier: &BarrierOp, side: BarrierSide) -> LeafSet {
    match side {
        BarrierSide::Before => barrier.wait,
        BarrierSide::After => barrier.hold,
    }
}

/// Mistakes found so far.
struct Found(Vec<Mistake>);

impl Found {
    fn add(&mut self, mistake: Mistake) {
        if !self.0.contains(&mistake) {
            self.0.push(mistake);
        }
    }

    fn steps(&mut self, profile: &Profile, block: &Block, barrier: &BarrierOp) {
        let steps = barrier.steps.of(&block.steps);
        for step in steps {
            let Some(act) = Act::of(&step.kind) else {
                continue;
            };
            self.add(Mistake::Drop(act, step.why));
            if halved(block, &step.kind).is_some() {
                self.add(Mistake::Halve(act, step.why));
            }
            if whole(&step.kind).is_some() {
                self.add(Mistake::Whole(act, step.why));
            }
        }
        for pair in steps.windows(2) {
            if let (Some(a), Some(b)) = (Act::of(&pair[0].kind), Act::of(&pair[1].kind))
                && are_ordered(profile, a, b)
            {
                self.add(Mistake::Swap(a, b));
            }
        }
    }
}

/// Whether the order of two steps says something: steps of one kind run together, but for what is written back into each
/// other.
fn are_ordered(profile: &Profile, a: Act, b: Act) -> bool {
    match (a, b) {
        (Act::Clean(a), Act::Clean(b)) => profile.is_below(a, b),
        (Act::Invalidate(_), Act::Invalidate(_)) | (Act::Layout(_), Act::Layout(_)) => false,
        // A drop writes dirty lines back first.
        (Act::Clean(a), Act::Invalidate(b)) | (Act::Invalidate(a), Act::Clean(b)) => a != b,
        _ => true,
    }
}

/// The first half of what a step concerns, in bytes; `None` if it is not told by bytes.
fn halved(block: &Block, kind: &StepKind) -> Option<Vec<Extent>> {
    let extents = match kind {
        StepKind::Clean { reach, .. } | StepKind::Invalidate { reach, .. } => {
            block.reach(*reach)?
        }
        StepKind::Layout { extents, .. } => extents.of(&block.extents),
        _ => return None,
    };
    let all: u64 = extents.iter().map(|e| e.end - e.start).sum();
    let mut left = all / 2;
    let mut half = Vec::new();
    for extent in extents {
        let takes = left.min(extent.end - extent.start);
        if takes > 0 {
            half.push(Extent {
                end: extent.start + takes,
                ..*extent
            });
        }
        left -= takes;
    }
    (all > 1).then_some(half)
}

/// A step on a whole cache, if it is on less.
fn whole(kind: &StepKind) -> Option<StepKind> {
    match kind {
        StepKind::Clean {
            cache,
            reach: Reach::Extents(_),
        } => Some(StepKind::Clean {
            cache: *cache,
            reach: Reach::Everything,
        }),
        StepKind::Invalidate {
            cache,
            reach: Reach::Extents(_),
        } => Some(StepKind::Invalidate {
            cache: *cache,
            reach: Reach::Everything,
        }),
        _ => None,
    }
}

/// The packets with a mistake; `None` if they leave no room for it.
pub(super) fn with(
    mistake: Mistake,
    timeline: &Timeline<'_>,
    program: &Program,
) -> Option<Program> {
    let places: Vec<(SubmissionId, usize, Origin)> = packets(program)
        .map(|(block, op, origin, ..)| (block, op, origin))
        .collect();
    let mut edited = program.clone();
    let mut any = false;
    for (block, op, origin) in places {
        let block = &mut edited.blocks[block];
        let HwOpKind::Barrier(mut barrier) = block.ops[op].kind else {
            continue;
        };
        any |= edit(mistake, timeline, origin, block, &mut barrier);
        block.ops[op].kind = HwOpKind::Barrier(barrier);
    }
    any.then_some(edited)
}

/// Makes a mistake in a packet. Whether there is room for it.
fn edit(
    mistake: Mistake,
    timeline: &Timeline<'_>,
    origin: Origin,
    block: &mut Block,
    barrier: &mut BarrierOp,
) -> bool {
    match mistake {
        Mistake::Forget(side, bit, leaf) => {
            let mask = bits(timeline, origin, side);
            let is_named = mask.contains(bit) && only_by(mask, bit).contains(LeafSet::one(leaf));
            is_named && forget(stages_mut(barrier, side), leaf)
        }
        Mistake::ForgetUnasked(side, leaf) => {
            barrier.role == BarrierRole::Unasked && forget(stages_mut(barrier, side), leaf)
        }
        Mistake::Widen(side, role) => {
            let named = stages(barrier, side);
            if barrier.role != role || named.is_empty() || named == LeafSet::ALL {
                return false;
            }
            *stages_mut(barrier, side) = LeafSet::ALL;
            true
        }
        Mistake::Unlink => {
            let has = barrier.role == BarrierRole::SplitEnd && !barrier.after.is_empty();
            if has {
                barrier.after = Slice::EMPTY;
            }
            has
        }
        Mistake::Swap(first, then) => {
            let mut steps = barrier.steps.of(&block.steps).to_vec();
            let is = |step: &Step, act| Act::of(&step.kind) == Some(act);
            let at = steps
                .windows(2)
                .position(|w| is(&w[0], first) && is(&w[1], then));
            let Some(at) = at else { return false };
            steps.swap(at, at + 1);
            barrier.steps = Slice::push(&mut block.steps, steps);
            true
        }
        Mistake::Drop(act, why) | Mistake::Halve(act, why) | Mistake::Whole(act, why) => {
            let mut any = false;
            let mut steps = Vec::new();
            for step in barrier.steps.of(&block.steps).to_vec() {
                if Act::of(&step.kind) != Some(act) || step.why != why {
                    steps.push(step);
                    continue;
                }
                let other = match mistake {
                    Mistake::Drop(..) => {
                        any = true;
                        continue;
                    }
                    Mistake::Whole(..) => whole(&step.kind),
                    _ => half(block, &step.kind),
                };
                any |= other.is_some();
                let kind = other.unwrap_or(step.kind);
                steps.push(Step { kind, ..step });
            }
            barrier.steps = Slice::push(&mut block.steps, steps);
            any
        }
    }
}

/// Takes a stage away. Whether it was there.
fn forget(stages: &mut LeafSet, leaf: Leaf) -> bool {
    let lost = LeafSet::one(leaf);
    let was_there = stages.contains(lost);
    *stages = stages.minus(lost);
    was_there
}

fn stages_mut(barrier: &mut BarrierOp, side: BarrierSide) -> &mut LeafSet {
    match side {
        BarrierSide::Before => &mut barrier.wait,
        BarrierSide::After => &mut barrier.hold,
    }
}

/// A step on half of its bytes, where it has some.
fn half(block: &mut Block, kind: &StepKind) -> Option<StepKind> {
    let bytes = halved(block, kind)?;
    let extents = Slice::push(&mut block.extents, bytes);
    let reach = Reach::Extents(extents);
    Some(match *kind {
        StepKind::Clean { cache, .. } => StepKind::Clean { cache, reach },
        StepKind::Invalidate { cache, .. } => StepKind::Invalidate { cache, reach },
        StepKind::Layout {
            op,
            resource,
            act,
            initialise,
            ..
        } => StepKind::Layout {
            op,
            resource,
            extents,
            act,
            initialise,
        },
        other => other,
    })
}
