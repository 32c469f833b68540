//! Packets of barriers: from a draft to operations on bytes, and after which packets they come.

use super::Session;
use super::scope::{SCOPE_START, SinceLastWait};
use crate::api::LeafSet;
use crate::id::{BarrierRef, CacheId, Extent, NodeId, OpId};
use crate::lower::derive::insert;
use crate::lower::policy::{Draft, Entry, LayoutDraft, StepDraft};
use crate::lower::precise::LOSES;
use crate::order;
use crate::program::{BarrierOp, BarrierRole, HwOpKind, Reach, Slice, Step, StepKind, Why};
use smallvec::SmallVec;

/// Bytes that a packet is about.
type Touched = SmallVec<[Slice<Extent>; 2]>;

impl<'s> Session<'_, 's> {
    /// Emits the packet of an entry. Returns its number within the submission.
    pub fn barrier(&mut self, entry: &Entry<'_>, draft: &Draft) -> OpId {
        let steps = steps_of(entry, draft);
        self.packet(entry, draft, steps)
    }

    /// Steps of a packet that nobody wrote: what its drops would lose is written back first.
    pub(in crate::lower) fn push_steps(&mut self, mut steps: Vec<Step>) -> Slice<Step> {
        let drops = |step: &Step| match step.kind {
            StepKind::Invalidate { cache, reach } => Some((cache, reach)),
            _ => None,
        };
        let dropped: Vec<(CacheId, Reach)> = steps.iter().filter_map(drops).collect();
        let caches: Vec<CacheId> = dropped.iter().map(|(cache, _)| *cache).collect();
        let at = steps.iter().position(|step| drops(step).is_some());
        let mut cleans = Vec::new();
        for cache in self.profile.kept_before_drop(&caches) {
            let reaches = dropped.iter().filter(|(dropped, _)| *dropped == cache);
            cleans.extend(reaches.map(|(cache, reach)| Step {
                kind: StepKind::Clean {
                    cache: *cache,
                    reach: *reach,
                },
                why: Why::Text(LOSES),
            }));
        }
        steps.splice(at.unwrap_or(0)..at.unwrap_or(0), cleans);
        Slice::push(&mut self.block.steps, steps)
    }

    /// Keeps an entry for later, with what it will become. The policy emits it before the end of the scope.
    pub fn defer(&mut self, entry: Entry<'s>, draft: Draft) {
        self.deferred.push((entry, draft));
    }

    /// The entries that are kept, in their order.
    pub fn deferred(&self) -> &[(Entry<'s>, Draft)] {
        &self.deferred
    }

    /// Emits one packet for all entries that are kept, in their order: one wait, their operations, one hold. It is the
    /// last entry's; the others have empty packets.
    pub fn emit_deferred(&mut self) {
        self.emit_together(true);
    }

    /// The same, with the steps as they are: somebody else has decided about their order.
    pub(in crate::lower) fn emit_deferred_in_order(&mut self) {
        self.emit_together(false);
    }

    fn emit_together(&mut self, sorts: bool) {
        let mut entries = std::mem::take(&mut self.deferred);
        let Some((mut last, mut all)) = entries.pop() else {
            return;
        };
        if entries.is_empty() {
            self.barrier(&last, &all);
            return;
        }
        let mut steps = Vec::new();
        for (entry, draft) in &entries {
            last.after.accesses |= entry.after.accesses;
            steps.extend(steps_of(entry, draft));
            all.wait = all.wait.union(draft.wait);
            all.hold = all.hold.union(draft.hold);
            let empty = entry.draft(LeafSet::EMPTY, LeafSet::EMPTY);
            self.packet(entry, &empty, Vec::new());
        }
        steps.extend(steps_of(&last, &all));
        let is_layout = |step: &Step| matches!(step.kind, StepKind::Layout { .. });
        if sorts && !steps.iter().any(is_layout) {
            // Nothing comes between write-backs and drops: all of the one, each before those that its lines go into, then
            // all of the other, each once.
            let profile = self.profile();
            steps.sort_by_key(|step| {
                let turn = match step.kind {
                    StepKind::Clean { cache, .. } => Some(profile.turn(cache)),
                    _ => None,
                };
                let (kind, cache) = rank(&step.kind);
                (kind, turn, cache)
            });
            steps.dedup_by(|a, b| same_whole(&a.kind, &b.kind));
        }
        // It follows whatever any of its entries would follow.
        all.after_all = true;
        self.packet(&last, &all, steps);
    }

    /// Emits a packet that no barrier made, next in the stream: it follows every packet before it, and what it does is done to
    /// whole caches. `node` is the command that comes next, or the last one of the scope.
    pub fn unasked(&mut self, node: NodeId, draft: &Draft) -> OpId {
        self.store_now(node);
        if !draft.wait.is_empty() {
            self.scope.since_wait = SinceLastWait::Nothing;
        }
        let steps = draft.steps.iter();
        // A layout operation has an entry.
        let steps = steps.filter(|step| !matches!(step, StepDraft::Layout(_)));
        let steps: Vec<Step> = steps
            .map(|step| make_step(step, |_| Reach::Everything))
            .collect();
        let steps = Slice::push(&mut self.block.steps, steps);
        let packet = BarrierOp {
            role: BarrierRole::Unasked,
            wait: draft.wait,
            after: Slice::EMPTY,
            after_all: true,
            steps,
            hold: draft.hold,
            // Only a step of its own holds fetches.
            holds_fetches: false,
        };
        let launch = self.profile.costs.launch_barrier;
        let op = self.push(node, None, launch, HwOpKind::Barrier(packet));
        // Every later barrier follows it, as it follows a global one.
        self.scope.latest_global = Some(op);
        op
    }

    pub(super) fn packet(&mut self, entry: &Entry<'_>, draft: &Draft, steps: Vec<Step>) -> OpId {
        if !draft.wait.is_empty() {
            self.scope.since_wait = SinceLastWait::Nothing;
        }
        let is_global = entry.resource.is_none();
        // Reading R12: barriers compose directly on a common subresource, if one is global, or if the later SyncBefore
        // has every leaf.
        let every = entry.acts() && entry.before.stages.contains(self.queue.leaves());
        let after_all = draft.after_all || is_global || every;
        let mut steps = steps;
        // A barrier that waits for all of a pass and holds whatever follows carries its store; none else can.
        if self.scope.store.is_some() {
            let every = self.queue.leaves();
            if draft.wait.contains(every) && draft.hold.contains(every) {
                steps.splice(0..0, self.store_step());
            } else {
                self.store_now(entry.id.node);
            }
        }
        for step in &steps {
            if let StepKind::Layout {
                resource, extents, ..
            } = step.kind
            {
                self.note_layout(resource, extents);
            }
        }
        let touched = touched(entry.extents, &steps);
        let steps = Slice::push(&mut self.block.steps, steps);
        let after = if after_all {
            Vec::new()
        } else {
            self.earlier(entry, &touched)
        };
        let after = Slice::push(&mut self.block.after, after);
        let role = self.role_of(entry);
        let asks_for_fetches = entry
            .after
            .accesses
            .intersects(self.profile.front_end_readers);
        let kind = HwOpKind::Barrier(BarrierOp {
            role,
            wait: draft.wait,
            after,
            after_all,
            steps,
            hold: draft.hold,
            holds_fetches: role == BarrierRole::ByRegion || !asks_for_fetches,
        });
        let op = self.push(
            entry.id.node,
            Some(entry.id.entry),
            self.profile.costs.launch_barrier,
            kind,
        );
        if is_global {
            self.scope.latest_global = Some(op);
        }
        self.note_packet(op, &touched);
        if entry.is_split_begin {
            self.scope.splits.entry(entry.id).or_default().push(op);
        }
        op
    }

    fn role_of(&self, entry: &Entry<'_>) -> BarrierRole {
        if self.scope.pass.is_some() {
            BarrierRole::ByRegion
        } else if entry.is_split_begin {
            BarrierRole::SplitBegin
        } else if entry.is_split_end {
            BarrierRole::SplitEnd
        } else {
            BarrierRole::Whole
        }
    }

    /// A later packet on any of these bytes follows this one (reading R12): its steps may be about more than its entry is, such
    /// as every attachment of a pass that it stores, or the bytes of entries that were kept.
    pub(in crate::lower) fn note_packet(&mut self, op: OpId, touched: &[Slice<Extent>]) {
        for extents in touched {
            for extent in extents.of(&self.block.extents) {
                let latest = self.scope.latest.entry(extent.memory).or_default();
                latest.set(extent.start, extent.end, op);
            }
        }
    }

    /// The first half that a second half ends.
    pub(super) fn first_half(&mut self, second: BarrierRef) -> Option<BarrierRef> {
        let timeline = self.timeline;
        let pairs = self.scope.pairs.get_or_insert_with(|| {
            let pairs = order::split_pairs(timeline, timeline.submission_of(second.node));
            pairs.into_iter().map(|(a, b)| (b, a)).collect()
        });
        pairs.get(&second).copied()
    }

    /// Packets that one must follow that touches these bytes.
    fn earlier(&mut self, entry: &Entry<'_>, touched: &[Slice<Extent>]) -> Vec<OpId> {
        let mut after: Vec<OpId> = vec![SCOPE_START];
        after.extend(self.scope.latest_global);
        for extent in touched.iter().flat_map(|e| e.of(&self.block.extents)) {
            if let Some(latest) = self.scope.latest.get(&extent.memory) {
                latest.for_each(extent.start, extent.end, |_, _, op| insert(&mut after, op));
            }
        }
        if entry.is_split_end {
            // An entry may have several packets.
            let first = self.first_half(entry.id);
            let packets = first.and_then(|first| self.scope.splits.get(&first));
            for packet in packets.into_iter().flatten() {
                insert(&mut after, *packet);
            }
        }
        after
    }
}

/// The bytes that a packet is about: those of its entry and those of its steps.
pub(in crate::lower) fn touched(own: Slice<Extent>, steps: &[Step]) -> Touched {
    let mut touched = Touched::from_slice(&[own]);
    for step in steps {
        let extents = match step.kind {
            StepKind::Clean { reach, .. } | StepKind::Invalidate { reach, .. } => match reach {
                Reach::Extents(extents) => extents,
                Reach::Everything => continue,
            },
            StepKind::Layout { extents, .. }
            | StepKind::TileLoad { extents, .. }
            | StepKind::TileStore { extents, .. } => extents,
            StepKind::FrontEnd | StepKind::Driver { .. } | StepKind::EngineSwitch => continue,
        };
        // As a rule all are the entry's.
        let is_known =
            |known: &Slice<Extent>| (known.start, known.len) == (extents.start, extents.len);
        if !touched.iter().any(is_known) {
            touched.push(extents);
        }
    }
    touched
}

/// The operations of an entry, on its bytes.
fn steps_of(entry: &Entry<'_>, draft: &Draft) -> Vec<Step> {
    let reach = |everything: bool| {
        if everything || entry.resource.is_none() {
            Reach::Everything
        } else {
            Reach::Extents(entry.extents)
        }
    };
    let steps = draft.steps.iter();
    steps.map(|step| make_step(step, reach)).collect()
}

fn rank(kind: &StepKind) -> (u8, CacheId) {
    match kind {
        StepKind::Clean { cache, .. } => (0, *cache),
        // What a driver puts between them: a sync that ends what is written back.
        StepKind::Driver { .. } => (1, CacheId(0)),
        StepKind::Invalidate { cache, .. } => (2, *cache),
        _ => (3, CacheId(0)),
    }
}

/// Whether two steps do the same to a whole cache, or to the queue.
fn same_whole(a: &StepKind, b: &StepKind) -> bool {
    if let (StepKind::Driver { op: a, .. }, StepKind::Driver { op: b, .. }) = (a, b) {
        return a == b;
    }
    let whole = |kind: &StepKind| {
        matches!(
            kind,
            StepKind::Clean {
                reach: Reach::Everything,
                ..
            } | StepKind::Invalidate {
                reach: Reach::Everything,
                ..
            } | StepKind::FrontEnd
        )
    };
    whole(a) && whole(b) && rank(a) == rank(b)
}

fn make_step(draft: &StepDraft, reach: impl Fn(bool) -> Reach) -> Step {
    match *draft {
        StepDraft::Clean {
            cache,
            everything,
            why,
        } => Step {
            kind: StepKind::Clean {
                cache,
                reach: reach(everything),
            },
            why,
        },
        StepDraft::Invalidate {
            cache,
            everything,
            why,
        } => Step {
            kind: StepKind::Invalidate {
                cache,
                reach: reach(everything),
            },
            why,
        },
        StepDraft::Layout(LayoutDraft {
            op,
            resource,
            extents,
            act,
            initialise,
            why,
        }) => Step {
            kind: StepKind::Layout {
                op,
                resource,
                extents,
                act,
                initialise,
            },
            why: why.unwrap_or(Why::Text(if initialise {
                "the contents are discarded and the metadata initialised"
            } else {
                "the two layouts store texels differently"
            })),
        },
        StepDraft::FrontEnd { why } => Step {
            kind: StepKind::FrontEnd,
            why,
        },
        StepDraft::Driver { op, takes, why } => Step {
            kind: StepKind::Driver { op, takes },
            why,
        },
    }
}
