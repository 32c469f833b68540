//! What the global barriers of a scope carried and made visible.
//!
//! They act on all memory (reading R45) and are never replayed into ranges. Kept is, for each class of write and each
//! carrying stage, the latest position up to which versions have been carried or made visible: earlier versions have
//! seen the same global barriers and more, so one position says it all.

use super::cover::{BarrierScopes, Carry, L, Row, Version, Writer};
use crate::api::{BarrierAccess, Leaf, LeafSet, Scope};
use crate::id::BarrierRef;
use std::rc::Rc;

/// Global barriers since a version among which the one that shows it is looked for.
const STEPS_MAX: usize = 1_000;

/// Number of access bits.
const A: usize = 23;

/// What the global barriers of a scope carried and made visible, by source.
///
/// A source is a class of write (access bit and leaf) or a leaf to which a barrier on the bytes carried a version.
/// Positions are monotone: whatever is true of a version made or carried at position p is true of earlier ones.
#[derive(Debug, Default)]
pub(super) struct Globals {
    /// Shared with the barriers that are applied later, who must know it as it was.
    carried: Rc<Carried>,
    /// By source: visible to the access at the leaf if made at or before this position.
    shown: Vec<[[u32; L]; A]>,
    /// By source: who showed it, in order. Kept only where barriers are named: no verdict looks at it.
    steps: Option<Vec<Vec<Step>>>,
}

/// A global barrier that picked a source up.
#[derive(Copy, Clone, Debug)]
struct Step {
    position: u32,
    /// What was made at or before this position it picked up.
    reach: u32,
    after: Scope,
    barrier: BarrierRef,
}

/// What they carried, and where to: all that another barrier needs to know.
#[derive(Clone, Debug, Default)]
pub(super) struct Carried {
    /// Whether there was any.
    any: bool,
    sources: Vec<Source>,
}

#[derive(Clone, Debug)]
struct Source {
    kind: SourceKind,
    /// Picked up if made at or before this position.
    taken: u32,
    /// Carried to the leaf if made at or before this position.
    carried: Row,
}

impl Source {
    /// The position that counts of a version, if this is a source of it.
    fn counts(&self, version: &Version) -> Option<u32> {
        match self.kind {
            SourceKind::Write(access, leaf) => (version.writer == Writer::Work(leaf)
                && version.access.intersects(access))
            .then_some(version.position),
            SourceKind::Carried(leaf) => {
                let mut carries = version.carries().iter();
                let carry = carries.find(|carry| carry.stages.has(leaf));
                carry.map(|carry| carry.position)
            }
        }
    }

    /// Stages to which what was made at `position` has been carried.
    fn reaches(&self, position: u32) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for leaf in Leaf::ALL {
            if self.carried[leaf.index()] >= position {
                set = set.union(LeafSet::one(leaf));
            }
        }
        set
    }
}

#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum SourceKind {
    Write(BarrierAccess, Leaf),
    Carried(Leaf),
}

impl Globals {
    /// What they carried so far.
    #[inline]
    pub(super) fn carried(&self) -> &Rc<Carried> {
        &self.carried
    }

    /// `names` them: keeps who showed what.
    pub(super) fn new(names: bool) -> Self {
        Self {
            steps: names.then(Vec::new),
            ..Self::default()
        }
    }

    /// Starts a scope.
    pub(super) fn reset(&mut self) {
        if self.carried.any {
            *self = Self::new(self.steps.is_some());
        }
    }

    /// A global barrier at `position`. Cost: sources × |`SyncAfter`| × |`AccessAfter`|.
    pub(super) fn apply(&mut self, scopes: &BarrierScopes, position: u32, barrier: BarrierRef) {
        for leaf in scopes.before.stages.iter() {
            for access in (scopes.before.accesses & BarrierAccess::WRITES).iter() {
                if write_leaves(access).has(leaf) {
                    self.open(SourceKind::Write(access, leaf));
                }
            }
            self.open(SourceKind::Carried(leaf));
        }
        let carried = Rc::make_mut(&mut self.carried);
        carried.any = true;
        let sources = carried.sources.iter_mut().zip(&mut self.shown);
        for (index, (source, shown)) in sources.enumerate() {
            let direct = match source.kind {
                SourceKind::Write(access, leaf) => {
                    scopes.before.stages.has(leaf) && scopes.before.accesses.intersects(access)
                }
                SourceKind::Carried(leaf) => scopes.before.stages.has(leaf),
            };
            let mut reach = if direct { position } else { 0 };
            for leaf in scopes.before.stages.iter() {
                reach = reach.max(source.carried[leaf.index()]);
            }
            if reach == 0 {
                continue;
            }
            source.taken = source.taken.max(reach);
            if let Some(steps) = &mut self.steps {
                steps[index].push(Step {
                    position,
                    reach,
                    after: scopes.after,
                    barrier,
                });
            }
            for leaf in scopes.after.stages.iter() {
                let at = leaf.index();
                source.carried[at] = source.carried[at].max(reach);
                for access in scopes.after.accesses.iter() {
                    let slot = &mut shown[bit_index(access)][at];
                    *slot = (*slot).max(reach);
                }
            }
        }
    }

    fn open(&mut self, kind: SourceKind) {
        if !self.carried.sources.iter().any(|s| s.kind == kind) {
            Rc::make_mut(&mut self.carried).sources.push(Source {
                kind,
                taken: 0,
                carried: [0; L],
            });
            self.shown.push([[0; L]; A]);
            if let Some(steps) = &mut self.steps {
                steps.push(Vec::new());
            }
        }
    }

    /// Whether global barriers made a version visible to an access at a leaf.
    pub(super) fn shows(&self, version: &Version, access: BarrierAccess, leaf: Leaf) -> bool {
        let sources = self.carried.sources.iter().zip(&self.shown);
        sources.into_iter().any(|(source, shown)| {
            let position = source.counts(version);
            position.is_some_and(|at| shown[bit_index(access)][leaf.index()] >= at)
        })
    }
}

impl Globals {
    /// The first global barrier that made a version visible to an access at a leaf, if names are kept. Cost: the global
    /// barriers since the version that picked one of its sources up, up to that one, of a source the first 1,000.
    pub(super) fn shown_by(
        &self,
        version: &Version,
        access: BarrierAccess,
        leaf: Leaf,
    ) -> Option<BarrierRef> {
        let sources = self.carried.sources.iter().zip(self.steps.as_ref()?);
        let found = sources.filter_map(|(source, steps)| {
            let at = source.counts(version)?;
            // None reaches further than its own position.
            let since = steps.partition_point(|step| step.position < at);
            let fits = |step: &&Step| {
                step.reach >= at
                    && step.after.stages.has(leaf)
                    && step.after.accesses.contains(access)
            };
            let step = steps[since..].iter().take(STEPS_MAX).find(fits)?;
            Some((step.position, step.barrier))
        });
        found.min().map(|(_, barrier)| barrier)
    }
}

impl Carried {
    /// Whether the scope has had a global barrier.
    #[inline]
    pub(super) fn any(&self) -> bool {
        self.any
    }

    /// The sources that a version has, with the position that counts.
    fn of<'g>(&'g self, version: &'g Version) -> impl Iterator<Item = (&'g Source, u32)> {
        let sources = self.sources.iter();
        sources.filter_map(|source| source.counts(version).map(|position| (source, position)))
    }

    /// Whether a global barrier picked a version up.
    pub(super) fn took(&self, version: &Version) -> bool {
        self.of(version)
            .any(|(source, position)| source.taken >= position)
    }

    /// Stages to which global barriers carried a version.
    pub(super) fn carried(&self, version: &Version) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for (source, position) in self.of(version) {
            set = set.union(source.reaches(position));
        }
        set
    }

    /// Stages to which global barriers carried on what barriers on the bytes had carried.
    pub(super) fn beyond<'c>(&self, carries: impl Iterator<Item = &'c Carry>) -> LeafSet {
        let mut set = LeafSet::EMPTY;
        for carry in carries {
            for source in &self.sources {
                if let SourceKind::Carried(leaf) = source.kind
                    && carry.stages.has(leaf)
                {
                    set = set.union(source.reaches(carry.position));
                }
            }
        }
        set
    }
}

/// Leaves at which a write access can happen: no other classes of writes need a source.
fn write_leaves(access: BarrierAccess) -> LeafSet {
    match access {
        BarrierAccess::RENDER_TARGET => LeafSet::one(Leaf::RenderTarget),
        BarrierAccess::DEPTH_STENCIL_WRITE => LeafSet::one(Leaf::DepthStencil),
        BarrierAccess::STREAM_OUTPUT => LeafSet::one(Leaf::VertexShading),
        BarrierAccess::COPY_DEST => LeafSet::one(Leaf::Copy),
        BarrierAccess::RESOLVE_DEST => LeafSet::one(Leaf::Resolve),
        BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_WRITE => {
            LeafSet::of(&[Leaf::BuildAs, Leaf::CopyAs])
        }
        BarrierAccess::VIDEO_DECODE_WRITE => LeafSet::one(Leaf::VideoDecode),
        BarrierAccess::VIDEO_PROCESS_WRITE => LeafSet::one(Leaf::VideoProcess),
        BarrierAccess::VIDEO_ENCODE_WRITE => LeafSet::one(Leaf::VideoEncode),
        BarrierAccess::UNORDERED_ACCESS => LeafSet::of(&[
            Leaf::VertexShading,
            Leaf::PixelShading,
            Leaf::ComputeShading,
            Leaf::Raytracing,
            Leaf::ClearUav,
            Leaf::BuildAs,
            Leaf::EmitAs,
        ]),
        _ => LeafSet::EMPTY,
    }
}

/// Index of a single access bit.
fn bit_index(access: BarrierAccess) -> usize {
    access.bits().trailing_zeros() as usize
}
