//! What a lowering does to one entry, and which kinds of entries there are on a profile.

use super::Refused;
use super::check::barrier;
use crate::api::{BarrierAccess, Layout, LeafSet, QueueType, Scope};
use crate::finding::Source;
use crate::hardware::{LayoutClass, Profile, Surface, Variant, VariantSet};
use crate::id::{BarrierRef, CacheId, LayoutOpId, NodeId, ResourceId};
use crate::lower::policy::{Entry, LayoutDraft, MetadataSides, Policy};
use crate::lower::session::{Session, SinceLastWait};
use crate::lower::surfaces;
use crate::order::Timeline;
use crate::program::{Block, HwOpKind, Reach, Slice, StepKind};
use crate::scenario::{self, Barrier, CommandKind, Range, Scenario};
use std::collections::{BTreeMap, BTreeSet};

/// Queues that a list may be executed on.
pub(super) const QUEUES: [QueueType; 6] = [
    QueueType::Direct,
    QueueType::Compute,
    QueueType::Copy,
    QueueType::VideoDecode,
    QueueType::VideoProcess,
    QueueType::VideoEncode,
];

/// What the text of a barrier may have that its meaning does not say: `AccessBefore` is `COMMON`; `AccessAfter` is `COMMON`
/// or `NO_ACCESS`; the layout before is `UNDEFINED`. Of each the number of values.
pub(super) const TEXTS: [u8; 3] = [2, 3, 2];

/// The barriers to probe with, one for each thing that an entry may be about, with each text. Nothing is executed.
pub(super) fn scenario() -> Scenario {
    let mut text = "queue q : direct\n\
        texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; initial RENDER_TARGET }\n\
        buffer b : 4KiB { flags UNORDERED_ACCESS }\n\
        list l : direct {\n"
        .to_owned();
    for target in ["texture t", "buffer b", "global"] {
        for before in ["COPY_DEST", "COMMON"] {
            for after in ["COPY_SOURCE", "COMMON", "NO_ACCESS"] {
                for layout in ["COPY_DEST", "UNDEFINED"] {
                    let layouts = match target {
                        "texture t" => format!("; layout {layout} -> COPY_SOURCE"),
                        _ => String::new(),
                    };
                    text = format!(
                        "{text}barrier {{ {target} {{ sync COPY -> COPY; access {before} -> {after}{layouts} }} }}\n"
                    );
                }
            }
        }
    }
    text.push_str("}\ntimeline { q execute l }\n");
    let (scenario, findings) = scenario::parse(&Source::new("probe", text));
    debug_assert!(findings.is_empty(), "{findings:?}");
    scenario
}

/// Quantities of an entry, besides its accesses, that its operations may depend on. Each is a small number, so that sets
/// of contexts are boxes of numbers.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Context(pub(super) [u8; DIMENSIONS]);

/// Queue, surface, whether it waits, what becomes of the layout, which sides touch metadata, and which half it is.
pub(super) const DIMENSIONS: usize = 6;
pub(super) const QUEUE: usize = 0;
pub(super) const SURFACE: usize = 1;
pub(super) const WAITS: usize = 2;
pub(super) const CHANGE: usize = 3;
pub(super) const METADATA: usize = 4;
pub(super) const HALF: usize = 5;

/// An operation of a packet, and on which side of the layout operation it is.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Act {
    /// A write-back: the cache, all of it, before the layout operation.
    Clean(CacheId, bool, bool),
    /// A drop, likewise.
    Invalidate(CacheId, bool, bool),
    /// The layout operation.
    Layout,
    /// The front end.
    FrontEnd,
}

impl Act {
    /// As a rule would say it.
    pub(super) fn text(self, profile: &Profile) -> String {
        let (word, cache, whole, early) = match self {
            Self::Layout => return "layout".to_owned(),
            Self::FrontEnd => return "front-end".to_owned(),
            Self::Clean(cache, whole, early) => ("clean", cache, whole, early),
            Self::Invalidate(cache, whole, early) => ("invalidate", cache, whole, early),
        };
        let whole = if whole { " whole" } else { "" };
        let early = if early {
            " before the layout operation"
        } else {
            ""
        };
        format!("{word} {}{whole}{early}", profile.cache(cache).name)
    }
}

/// A packet as rules could say it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Probed {
    pub(super) wait: LeafSet,
    pub(super) hold: LeafSet,
    pub(super) after_all: bool,
    pub(super) acts: BTreeSet<Act>,
}

/// What an entry is about.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum About {
    Texture,
    Buffer,
    Global,
}

impl About {
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Texture => "texture",
            Self::Buffer => "buffer",
            Self::Global => "global",
        }
    }
}

/// An entry to ask about.
#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) about: About,
    pub(super) context: Context,
    /// More surfaces than the context's.
    pub(super) surfaces: VariantSet,
    pub(super) before: BarrierAccess,
    pub(super) after: BarrierAccess,
    pub(super) given_up: BarrierAccess,
    pub(super) wait: LeafSet,
    pub(super) hold: LeafSet,
    /// 0: whole, 1: first half, 2: second half.
    pub(super) split: u8,
    pub(super) leftovers: Vec<CacheId>,
    pub(super) since: SinceLastWait,
    /// What its text has, a value of each of [`TEXTS`].
    pub(super) texts: [u8; 3],
}

/// Asks a lowering.
pub(super) struct Prober<'t, 's> {
    pub(super) profile: &'t Profile,
    policy: &'t dyn Policy,
    session: Session<'t, 's>,
    barriers: Vec<&'s Barrier>,
    /// Sets of ways that some texture has.
    pub(super) surfaces: Vec<Variant>,
    /// Contexts that entries have, with a layout operation where they need one.
    pub(super) contexts: BTreeMap<Context, Option<LayoutOpId>>,
}

impl<'t, 's> Prober<'t, 's> {
    pub(super) fn new(
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
        policy: &'t dyn Policy,
    ) -> Self {
        let commands = timeline.scenario.commands();
        let entries = commands.filter_map(|command| match &command.kind {
            CommandKind::Barrier(entries) => entries.first(),
            _ => None,
        });
        let barriers = entries.collect();
        let surfaces = surfaces(profile);
        let contexts = contexts(profile, &surfaces);
        Self {
            profile,
            policy,
            session: Session::new(timeline, profile),
            barriers,
            surfaces,
            contexts,
        }
    }

    /// What another lowering answers.
    pub(super) fn says(
        &mut self,
        policy: &dyn Policy,
        asked: &[Question],
    ) -> Result<Vec<Probed>, Refused> {
        asked.iter().map(|it| self.answer(policy, it)).collect()
    }

    /// What the packet of an entry has.
    pub(super) fn ask(&mut self, question: &Question) -> Result<Probed, Refused> {
        self.answer(self.policy, question)
    }

    fn answer(&mut self, policy: &dyn Policy, question: &Question) -> Result<Probed, Refused> {
        let entry = self.entry(question);
        policy.entry(&mut self.session, &entry);
        let kept = !self.session.deferred().is_empty();
        if kept {
            return Err(Refused {
                message: format!(
                    "it keeps barriers for later, which a rule does not say: {}",
                    barrier(question)
                ),
            });
        }
        let block = &self.session.block;
        let packet = block.ops.iter().find_map(|op| match &op.kind {
            HwOpKind::Barrier(barrier) => Some(barrier),
            _ => None,
        });
        let Some(packet) = packet else {
            return Err(Refused {
                message: "it emits no packet for some barriers".to_owned(),
            });
        };
        let steps = packet.steps.of(&block.steps);
        let layout = steps
            .iter()
            .position(|step| matches!(step.kind, StepKind::Layout { .. }));
        let mut acts = BTreeSet::new();
        for (at, step) in steps.iter().enumerate() {
            let early = layout.is_some_and(|layout| at < layout);
            acts.insert(match &step.kind {
                StepKind::Clean { cache, reach } => {
                    Act::Clean(*cache, matches!(reach, Reach::Everything), early)
                }
                StepKind::Invalidate { cache, reach } => {
                    Act::Invalidate(*cache, matches!(reach, Reach::Everything), early)
                }
                StepKind::Layout { .. } => Act::Layout,
                StepKind::FrontEnd => Act::FrontEnd,
                StepKind::Driver { op, .. } => {
                    let message = format!(
                        "it has steps of its own (`{op}`), whose place and time rules about accesses do not say: {}",
                        barrier(question)
                    );
                    return Err(Refused { message });
                }
                _ => {
                    let message = "it has steps that no rule emits".to_owned();
                    return Err(Refused { message });
                }
            });
        }
        Ok(Probed {
            wait: packet.wait,
            hold: packet.hold,
            after_all: packet.after_all,
            acts,
        })
    }

    fn entry(&mut self, question: &Question) -> Entry<'s> {
        let session = &mut self.session;
        session.block = Block::default();
        session.scope = crate::lower::session::ScopeState::default();
        session.scope.since_wait = question.since;
        let [queue, _, _, change, metadata, _] = question.context.0;
        session.queue = QUEUES[usize::from(queue)];
        let at = match question.about {
            About::Texture => 0,
            About::Buffer => 1,
            About::Global => 2,
        };
        let place = question.texts.iter().zip(TEXTS);
        let at = place.fold(at, |at, (value, count)| {
            at * usize::from(count) + usize::from(*value)
        });
        let barrier = self.barriers[at];
        let resource = barrier.resource();
        let extents = resource.map_or(Slice::EMPTY, |id| session.extents(id, &Range::All));
        let op = self.contexts.get(&question.context).copied().flatten();
        let layout = op.filter(|_| change > 0).map(|op| LayoutDraft {
            op,
            resource: resource.unwrap_or(ResourceId(0)),
            extents,
            act: surfaces::act(
                self.profile.layout_op(op),
                LayoutClass::Plain,
                LayoutClass::Plain,
            ),
            initialise: change == 2,
            why: None,
        });
        let is_texture = question.about == About::Texture;
        let scope = |stages, accesses| Scope { stages, accesses };
        Entry {
            id: BarrierRef {
                node: NodeId(0),
                entry: 0,
            },
            barrier,
            queue: session.queue,
            before: scope(question.wait, question.before),
            after: scope(question.hold, question.after),
            given_up: question.given_up,
            resource,
            layout: layout.filter(|_| is_texture),
            leftovers: question.leftovers.clone(),
            variants: question.surfaces,
            metadata: MetadataSides {
                before: metadata == 1 || metadata == 3,
                after: metadata == 2 || metadata == 3,
            },
            is_split_begin: question.split == 1,
            is_split_end: question.split == 2,
            extents,
        }
    }
}

/// Sets of ways that some texture or buffer has.
pub(super) fn surfaces(profile: &Profile) -> Vec<Variant> {
    let mut found = BTreeSet::from([Variant::default()]);
    for (depth, stencil) in [(false, false), (true, false), (true, true)] {
        for samples in [1, 2, 4, 8, 16] {
            for mip in 0..16 {
                found.insert(profile.variant(Surface {
                    depth,
                    stencil,
                    samples,
                    mip,
                }));
            }
        }
    }
    found.into_iter().collect()
}

/// Every context that an entry may have: what follows from each pair of layouts on each queue for each kind of texture, and
/// what buffers and global barriers are.
fn contexts(profile: &Profile, surfaces: &[Variant]) -> BTreeMap<Context, Option<LayoutOpId>> {
    let mut kinds: BTreeMap<[u8; 4], Option<LayoutOpId>> = BTreeMap::new();
    for (queue, kind) in (0..).zip(QUEUES) {
        for (surface, variant) in (0..).zip(surfaces) {
            // Buffers, and textures without metadata; a global barrier may be about all of it.
            kinds.insert([queue, surface, 0, 0], None);
            if !profile.compresses() {
                continue;
            }
            kinds.insert([queue, surface, 0, 3], None);
            for before in Layout::ALL {
                for after in Layout::ALL.into_iter().filter(|l| *l != Layout::Undefined) {
                    for (discard, depth) in
                        [(false, false), (false, true), (true, false), (true, true)]
                    {
                        let sides = (before, after);
                        let (change, metadata, op) =
                            transition(profile, kind, *variant, sides, discard, depth);
                        kinds
                            .entry([queue, surface, change, metadata])
                            .or_insert(op);
                    }
                }
            }
        }
    }
    let mut contexts = BTreeMap::new();
    for ([queue, surface, change, metadata], op) in kinds {
        for waits in [0, 1] {
            for half in [0, 1] {
                contexts.insert(Context([queue, surface, waits, change, metadata, half]), op);
            }
        }
    }
    contexts
}

/// What a transition is: whether it stays, changes or discards, which sides touch metadata, and its operation.
fn transition(
    profile: &Profile,
    queue: QueueType,
    variant: Variant,
    (before, after): (Layout, Layout),
    discard: bool,
    depth: bool,
) -> (u8, u8, Option<LayoutOpId>) {
    let class = |layout| profile.layout_class_anywhere(layout, queue, variant);
    let touches = |class| {
        u8::from(!matches!(
            class,
            LayoutClass::Plain | LayoutClass::Static | LayoutClass::Illegal
        ))
    };
    let (from, to) = (class(before), class(after));
    let metadata = touches(from) + 2 * touches(to);
    let from = if discard {
        LayoutClass::Undefined
    } else {
        from
    };
    if from == LayoutClass::Undefined && !discard {
        return (0, metadata, None);
    }
    let op = profile.layout_op_between(from, to, depth);
    let change = match op {
        None => 0,
        Some(_) if discard => 2,
        Some(_) => 1,
    };
    (change, metadata, op)
}
