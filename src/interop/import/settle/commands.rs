//! Acts as commands of the scenario language.

use super::super::report::Fate;
use super::super::story::{ItemId, Part, Touch, What, Work};
use super::broken::Broken;
use super::claims::WASTE;
use super::{INLINE_BYTES, NextUses, Settler, ranges};
use crate::api::{BarrierAccess, HeapType, Layout, Leaf, LeafSet, ResourceFlags};
use crate::finding::Span;
use crate::id::ResourceId;
use crate::interop::import::draft::{self, Entry, Recorded};
use crate::scenario::parser::{GROUPS_MAX, WORK_MAX};
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, Command, CommandKind, DrawOptions, Initial, Placement,
    Range, Resource, ResourceKind, TextureBarrier, Trivia, Use, UseFields, UseMode,
};
use std::rc::Rc;

/// Rays of a dispatch in one dimension: so many in two are as many as a dispatch may have.
const RAYS_MAX: u32 = 1 << 15;

const SHADER: BarrierAccess = BarrierAccess::SHADER_RESOURCE
    .union(BarrierAccess::UNORDERED_ACCESS)
    .union(BarrierAccess::CONSTANT_BUFFER)
    .union(BarrierAccess::RAYTRACING_ACCELERATION_STRUCTURE_READ);

impl Settler<'_> {
    /// An act, as commands.
    pub(super) fn act(
        &mut self,
        what: &What,
        queue: usize,
        (batch, place): (usize, usize),
        next: &NextUses,
        out: &mut Vec<Command>,
    ) {
        match what {
            What::Work {
                work,
                label,
                touches,
            } => self.work(work, label.as_ref(), touches, out),
            What::Barrier(dependencies) => {
                let mut entries = Vec::new();
                let mut broken = Vec::new();
                let mut unsure = Vec::new();
                for (index, dependency) in dependencies.iter().enumerate() {
                    unsure.extend(self.unsure(dependency));
                    self.next = next
                        .get(&(batch, place, index))
                        .copied()
                        .unwrap_or_default();
                    self.entries(dependency, queue, &mut broken, &mut entries);
                }
                if entries.is_empty() {
                    return;
                }
                let mut trivia = draft::call_comment(self.call);
                let waste = self.no_claim(&mut unsure, &broken).then_some(WASTE);
                broken.sort_unstable();
                let rules = broken.iter().flat_map(|one| one.rules()).copied();
                let rules = once(rules.chain(waste));
                if !rules.is_empty() {
                    draft::allow(&mut trivia, &rules);
                    for words in once(broken.iter().map(|one| one.words())) {
                        self.notes.note_at(Fate::Read, words, self.call);
                    }
                }
                out.push(command(
                    CommandKind::Barrier(entries.into()),
                    Vec::new(),
                    trivia,
                ));
                if let Some((item, holder)) = self.given_back.take() {
                    self.present_engine(item, holder, out);
                }
            }
            What::Open(label) => {
                let kind = CommandKind::MarkerBegin {
                    label: short(label),
                };
                out.push(command(kind, Vec::new(), draft::call_comment(self.call)));
            }
            What::Lost(_) => {}
            What::Close => out.push(command(CommandKind::MarkerEnd, Vec::new(), Trivia(None))),
        }
    }

    pub(super) fn work(
        &mut self,
        work: &Work,
        label: Option<&Rc<str>>,
        touches: &[Touch],
        out: &mut Vec<Command>,
    ) {
        self.see_passes(touches);
        if touches.first().is_some_and(|touch| touch.loads) && !self.is_found_by_load(touches) {
            return;
        }
        let implied = matches!(
            work,
            Work::Copy
                | Work::Fill
                | Work::ClearRtv
                | Work::ClearDsv
                | Work::Discard
                | Work::Predicate
        );
        let kind = kind(work, label.map(|label| short(label)));
        let mut trivia = draft::call_comment(self.call);
        if touches.iter().any(|touch| self.is_hidden_from(touch)) {
            draft::allow(&mut trivia, &["use-outside-known-access"]);
        }
        if touches.iter().any(|touch| touch.stores) {
            let rules = ["layout-mismatch", "use-outside-known-access"];
            draft::allow(&mut trivia, &rules);
            self.notes
                .note_at(Fate::Read, Broken::Stored.words(), self.call);
        }
        if touches.iter().any(|touch| self.reads_partly_written(touch)) {
            draft::allow(&mut trivia, &["undefined-contents"]);
        }
        // A copy has no word for what it may touch: some slices of a volume.
        if implied && touches.iter().any(|touch| touch.may) {
            let rules = ["read-after-write", "write-after-read", "write-after-write"];
            draft::allow(&mut trivia, &rules);
        }
        let mut uses = Vec::new();
        for touch in touches {
            if let Some(used) = self.used(work, touch, implied) {
                uses.push(used);
            }
        }
        if implied && uses.len() < touches.len() {
            return;
        }
        if *work == Work::Fill {
            let source = self.inline();
            uses.insert(0, inline_use(source));
        }
        out.push(command(kind, uses, trivia));
    }

    /// Whether a load says something that the draws after it do not.
    fn is_found_by_load(&mut self, touches: &[Touch]) -> bool {
        touches.iter().any(|touch| {
            let place = self.place(touch.item, &touch.part);
            let seen = self.seen(&place);
            let depth = touch.access == BarrierAccess::DEPTH_STENCIL_READ;
            seen.unread || (depth && !seen.known.is_empty() && !seen.known.contains(touch.access))
        })
    }

    /// A touch as a use, and what it leaves.
    fn used(&mut self, work: &Work, touch: &Touch, implied: bool) -> Option<Use> {
        let resource = self.resource(touch.item)?;
        let item = &self.story.items[touch.item as usize];
        if !self.is_possible(touch) {
            return None;
        }
        let stages = stages(work, touch);
        let mut fields = UseFields {
            access: touch.access,
            resource,
            range: if *work == Work::Copy || *work == Work::Fill {
                ranges::range(item, &touch.part)
            } else {
                ranges::subresources(item, &touch.part)
            },
            stages,
            explicit_stages: false,
            mode: touch.mode,
            may: touch.may && !implied,
            independent: false,
            implied,
            trivia: Trivia(None),
        };
        let is_draw = matches!(
            work,
            Work::Draw { .. } | Work::Indirect(crate::scenario::IndirectTarget::Draw)
        );
        fields.explicit_stages =
            is_draw && SHADER.contains(touch.access) && stages != LeafSet::DRAW_SHADING;
        if *work == Work::Discard {
            fields.access = BarrierAccess::NO_ACCESS;
            fields.stages = LeafSet::EMPTY;
        }
        let writes = fields.writes();
        if writes {
            self.write_part(touch);
        }
        self.touch(touch.item, &touch.part, touch.access, writes);
        Some(fields.into())
    }

    /// Whether an access can be what the program does. One that only may be made, in a layout that the descriptor does not
    /// say, is none: the program could not make it.
    fn is_possible(&mut self, touch: &Touch) -> bool {
        let at = touch.item as usize;
        let item = &self.story.items[at];
        if item.layouts.is_empty() {
            return true;
        }
        if touch.may
            && let Some(said) = touch.layout
        {
            let is = |sub: usize| self.layouts[at].get(sub).is_some_and(|now| *now == said);
            if !item.subresources(&touch.part).all(is) {
                self.notes.note_at(
                    Fate::Dropped,
                    "possible uses of images in a layout that their descriptor does not name: such an access would be an error of its own",
                    self.call,
                );
                return false;
            }
        }
        let depth = BarrierAccess::DEPTH_STENCIL_READ | BarrierAccess::DEPTH_STENCIL_WRITE;
        let general = self.items[at].general == super::General::Layout(Layout::DepthStencilWrite);
        let mut subs = item.subresources(&touch.part);
        let in_general = subs.any(|sub| super::layouts::is_general(self.layouts[at][sub]));
        !(general && in_general && !depth.contains(touch.access))
    }

    /// The buffer that fills and clears copy from: they have no source of their own.
    fn inline(&mut self) -> ResourceId {
        if let Some(id) = self.inline {
            return id;
        }
        let resource = Resource {
            kind: ResourceKind::Buffer { size: INLINE_BYTES },
            flags: ResourceFlags::empty(),
            placement: Placement::Committed,
            initial: Initial::Default,
            heap_type: HeapType::Upload,
            uncompressed: false,
            keep: false,
            span: Span::default(),
            trivia: draft::comment(
                "fills and clears copy from here: they have no source of their own",
            ),
        };
        let id = self.draft.resource("inline_data", resource);
        self.inline = Some(id);
        id
    }

    /// A scope before all others that brings subresources to the layouts in which the first step finds them.
    pub(super) fn begin_layouts(&mut self, all: Vec<(ItemId, Part, Layout)>) {
        let entries: Vec<Barrier> = all
            .into_iter()
            .map(|(item, part, layout)| {
                let range = ranges::subresources(&self.story.items[item as usize], &part);
                let texture = TextureBarrier {
                    resource: self.resource(item),
                    range: BarrierRange::Range(range),
                    layout_before: Layout::Common,
                    layout_after: layout,
                    discard: false,
                };
                Barrier::of(BarrierTarget::Texture(texture))
                    .access(BarrierAccess::NO_ACCESS, BarrierAccess::NO_ACCESS)
            })
            .collect();
        let Some(queue) = (0..self.story.queues.len())
            .find(|at| self.story.queues[*at].queue_type == crate::api::QueueType::Direct)
        else {
            return;
        };
        let trivia = draft::comment("layouts in which the first frame finds these subresources");
        let commands = vec![command(
            CommandKind::Barrier(entries.into()),
            Vec::new(),
            trivia,
        )];
        let recorded = Recorded {
            name: "before".to_owned(),
            queue_type: crate::api::QueueType::Direct,
            commands,
        };
        let work = vec![self.draft.list(recorded)];
        self.draft.push(Entry::Execute {
            queue,
            work,
            call: 0,
            goes_on: false,
            runs_on: false,
        });
    }
}

/// Each once, in the order in which they come.
fn once(all: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    let mut found = Vec::new();
    for one in all {
        if !found.contains(&one) {
            found.push(one);
        }
    }
    found
}

/// What work is as a command, but for its uses.
fn kind(work: &Work, label: Option<Box<str>>) -> CommandKind {
    match work {
        Work::Draw {
            indexed,
            vertices,
            pixels,
        } => CommandKind::Draw {
            label,
            indexed: *indexed,
            options: DrawOptions {
                vertices: (*vertices > 0).then_some((*vertices).min(WORK_MAX)),
                pixels: (*pixels > 0).then_some((*pixels).min(WORK_MAX)),
                ..DrawOptions::default()
            }
            .kept(),
        },
        Work::Dispatch(groups) => CommandKind::Dispatch {
            label,
            groups: groups.map(|count| count.clamp(1, GROUPS_MAX)),
            options: None,
        },
        Work::Rays(size) => CommandKind::DispatchRays {
            label,
            size: size.map(|side| side.clamp(1, RAYS_MAX)),
        },
        Work::Indirect(target) => CommandKind::ExecuteIndirect {
            label,
            target: *target,
        },
        Work::Copy | Work::Fill => CommandKind::Copy,
        Work::ClearRtv => CommandKind::ClearRtv,
        Work::ClearDsv => CommandKind::ClearDsv,
        Work::Discard => CommandKind::Discard,
        Work::Predicate => CommandKind::Predicate,
    }
}

/// Leaves of a use: those at which its command can make it.
fn stages(work: &Work, touch: &Touch) -> LeafSet {
    let possible: LeafSet = match work {
        Work::Draw { .. } | Work::Indirect(crate::scenario::IndirectTarget::Draw)
            if SHADER.contains(touch.access) =>
        {
            LeafSet::DRAW_SHADING
        }
        Work::Dispatch(_) | Work::Indirect(crate::scenario::IndirectTarget::Dispatch)
            if SHADER.contains(touch.access) =>
        {
            LeafSet::one(Leaf::ComputeShading)
        }
        Work::Rays(_) => LeafSet::one(Leaf::Raytracing),
        _ => return touch.stages,
    };
    let inside = touch.stages.intersection(possible);
    if inside.is_empty() { possible } else { inside }
}

/// A label no longer than the language has.
fn short(label: &str) -> Box<str> {
    let clean: String = label
        .chars()
        .filter(|c| !c.is_control())
        .take(512)
        .collect();
    clean.into()
}

pub(super) fn command(kind: CommandKind, uses: Vec<Use>, trivia: Trivia) -> Command {
    Command {
        kind,
        uses: uses.into(),
        span: Span::default(),
        trivia,
    }
}

fn inline_use(resource: ResourceId) -> Use {
    let fields = UseFields {
        access: BarrierAccess::COPY_SOURCE,
        resource,
        range: Range::All,
        stages: LeafSet::one(Leaf::Copy),
        explicit_stages: false,
        mode: UseMode::Default,
        may: false,
        independent: false,
        implied: true,
        trivia: Trivia(None),
    };
    fields.into()
}
