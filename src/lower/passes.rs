//! Render passes of a machine that renders tile by tile: which commands stay in tile memory together.
//!
//! Draws that follow each other with the same attachments form a pass if there is nothing between them but clears of these
//! attachments and barriers by region: fragment-space stages on both sides, accesses to attachments on both sides, no
//! change of how anything is stored. A single draw is no pass: it is rendered past tile memory. Anything else ends the
//! pass.

use super::Session;
use super::derive::insert;
use super::session::{sides, touched};
use crate::api::{BarrierAccess, LeafSet, QueueType};
use crate::hardware::{Client, LayoutClass, Profile, TilePass, Variant};
use crate::id::{Extent, ListId, NodeId, PathId, ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::program::{BarrierOp, BarrierRole, HwOpKind, Reach, Slice, Step, StepKind, Why};
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind, Range, Scenario};
use crate::time::Ps;

/// A pass of one submission.
#[derive(Clone, Debug)]
pub(super) struct Pass {
    /// Its first command, a clear or a draw, and its last draw.
    pub(super) first: NodeId,
    pub(super) last: NodeId,
    /// What its draws render to and test against.
    pub(super) attachments: Vec<(ResourceId, Range)>,
    /// Those that are cleared before anything is drawn.
    pub(super) cleared: Vec<(ResourceId, Range)>,
}

/// What may become a pass.
struct Open {
    list: ListId,
    first: NodeId,
    last: NodeId,
    draws: u32,
    attachments: Vec<(ResourceId, Range)>,
    cleared: Vec<(ResourceId, Range)>,
}

/// The passes of a submission, in order.
pub(super) fn passes(
    timeline: &Timeline<'_>,
    profile: &Profile,
    id: SubmissionId,
    queue: QueueType,
) -> Vec<Pass> {
    let mut found = Vec::new();
    let Some(tiles) = profile.tile_pass.as_ref() else {
        return found;
    };
    if queue != QueueType::Direct {
        return found;
    }
    let scenario = timeline.scenario;
    let mut open: Option<Open> = None;
    for (node, list, command) in timeline.commands(id) {
        let goes_on = match &command.kind {
            CommandKind::Draw { .. } => {
                draw(tiles, (node, list, command), &mut open, &mut found);
                true
            }
            CommandKind::ClearRtv | CommandKind::ClearDsv => {
                let cleared = command.uses.iter().map(|u| (u.resource, u.range.clone()));
                let cleared: Vec<_> = cleared.collect();
                let inside = open
                    .as_mut()
                    .is_some_and(|open| open.list == list && open.clear(&cleared));
                if !inside {
                    close(&mut open, &mut found);
                    open = Some(Open {
                        list,
                        first: node,
                        last: node,
                        draws: 0,
                        attachments: Vec::new(),
                        cleared,
                    });
                }
                true
            }
            CommandKind::Barrier(entries) => open.as_ref().is_some_and(|open| {
                let by_region = |entry| is_by_region(scenario, profile, tiles, queue, open, entry);
                open.draws > 0 && entries.iter().all(by_region)
            }),
            CommandKind::SetRoot { .. }
            | CommandKind::MarkerBegin { .. }
            | CommandKind::MarkerEnd
            | CommandKind::AssertAccess { .. }
            | CommandKind::AssertLayout { .. } => true,
            _ => false,
        };
        if !goes_on {
            close(&mut open, &mut found);
        }
    }
    close(&mut open, &mut found);
    found
}

/// A draw goes on with what is open, or opens something else.
fn draw(
    tiles: &TilePass,
    (node, list, command): (NodeId, ListId, &Command),
    open: &mut Option<Open>,
    found: &mut Vec<Pass>,
) {
    let attachments = attachments(tiles, command);
    let goes_on = attachments.as_ref().is_some_and(|set| {
        open.as_mut()
            .is_some_and(|open| open.list == list && open.draw(node, set))
    });
    if !goes_on {
        close(open, found);
        *open = attachments.map(|attachments| Open {
            list,
            first: node,
            last: node,
            draws: 1,
            attachments,
            cleared: Vec::new(),
        });
    }
}

fn close(open: &mut Option<Open>, found: &mut Vec<Pass>) {
    if let Some(open) = open.take()
        && open.draws > 1
    {
        found.push(Pass {
            first: open.first,
            last: open.last,
            attachments: open.attachments,
            cleared: open.cleared,
        });
    }
}

impl Open {
    /// Whether a draw goes on with it; then it does.
    fn draw(&mut self, node: NodeId, attachments: &[(ResourceId, Range)]) -> bool {
        let same = if self.draws == 0 {
            self.cleared.iter().all(|c| attachments.contains(c))
        } else {
            self.attachments == attachments
        };
        if same {
            self.attachments = attachments.to_vec();
            self.draws += 1;
            self.last = node;
        }
        same
    }

    /// Whether clears go on with it; then they do. Between draws they write tile memory as draws do.
    fn clear(&mut self, cleared: &[(ResourceId, Range)]) -> bool {
        if self.draws > 0 {
            return cleared.iter().all(|c| self.attachments.contains(c));
        }
        self.cleared.extend_from_slice(cleared);
        true
    }
}

/// What a draw renders to and tests against, in a fixed order; `None` if that is nothing, or if it uses one of them in
/// another way too.
fn attachments(tiles: &TilePass, command: &Command) -> Option<Vec<(ResourceId, Range)>> {
    let is_attachment = |access: BarrierAccess| tiles.accesses.contains(access);
    let uses = || command.uses.iter();
    let mut set: Vec<(ResourceId, Range)> = uses()
        .filter(|u| is_attachment(u.access))
        .map(|u| (u.resource, u.range.clone()))
        .collect();
    set.sort_by_key(|(resource, _)| *resource);
    set.dedup();
    let mut others = uses().filter(|u| !is_attachment(u.access));
    let both = others.any(|u| set.iter().any(|(resource, _)| *resource == u.resource));
    (!set.is_empty() && !both).then_some(set)
}

/// Whether a barrier asks for nothing that tile memory does not give tile by tile.
fn is_by_region(
    scenario: &Scenario,
    profile: &Profile,
    tiles: &TilePass,
    queue: QueueType,
    open: &Open,
    barrier: &Barrier,
) -> bool {
    let (resource, layouts) = match &barrier.target {
        BarrierTarget::Texture(it) if it.resource.is_some() && !it.discard => {
            (it.resource, Some(it.layouts()))
        }
        BarrierTarget::Global => (None, None),
        _ => return false,
    };
    let stays = layouts.is_none_or(|(before, after)| {
        let class = |layout| profile.layout_class(layout, queue, Variant::default());
        let is_static = |layout| class(layout) == LayoutClass::Static;
        before == after || is_static(before) && is_static(after)
    });
    let ours = resource.is_none_or(|r| open.attachments.iter().any(|(a, _)| *a == r));
    let (before, after) = sides(scenario, queue, barrier);
    let split = barrier.sync_before.is_split() || barrier.sync_after.is_split();
    let inside = |stages: LeafSet, accesses: BarrierAccess| {
        !stages.is_empty()
            && tiles.stages.contains(stages)
            && !accesses.is_empty()
            && tiles.accesses.contains(accesses)
    };
    stays
        && ours
        && !split
        && inside(before.stages, before.accesses)
        && inside(after.stages, after.accesses)
}

impl Session<'_, '_> {
    /// The way of an attachment in the pass that goes on.
    pub(super) fn in_tile(&self, access: BarrierAccess) -> Option<PathId> {
        let tiles = self.profile.tile_pass.as_ref()?;
        (self.scope.pass.is_some() && tiles.accesses.contains(access)).then_some(tiles.path)
    }

    pub(super) fn note_discarded(&mut self, resource: ResourceId, extents: Slice<Extent>) {
        for extent in extents.of(&self.block.extents) {
            let discarded = self.discarded.entry(extent.memory).or_default();
            discarded.set(extent.start, extent.end, resource);
        }
    }

    pub(super) fn note_written(&mut self, extents: Slice<Extent>) {
        for extent in extents.of(&self.block.extents) {
            if let Some(discarded) = self.discarded.get_mut(&extent.memory) {
                discarded.remove(extent.start, extent.end);
            }
        }
    }

    /// Whether nothing of some bytes is worth loading.
    fn is_discarded(&self, resource: ResourceId, extents: Slice<Extent>) -> bool {
        extents.of(&self.block.extents).iter().all(|extent| {
            let mut all = true;
            let discarded = self.discarded.get(&extent.memory);
            discarded.is_some_and(|map| {
                map.for_each_piece(extent.start, extent.end, |_, _, of| {
                    all &= of == Some(resource);
                });
                all
            })
        })
    }

    /// A render pass starts: the caches of attachments drop what they hold of them, and attachments whose contents matter
    /// are loaded.
    pub(super) fn begin_pass(&mut self, node: NodeId) {
        let (Some(tiles), Some(pass)) = (self.profile.tile_pass.as_ref(), self.scope.passes.pop())
        else {
            return;
        };
        let (mut all, mut loaded) = (Vec::new(), Vec::new());
        for attachment in &pass.attachments {
            let (resource, range) = attachment;
            let extents = self.extents(*resource, range);
            let bytes = extents.of(&self.block.extents).to_vec();
            if !pass.cleared.contains(attachment) && !self.is_discarded(*resource, extents) {
                loaded.extend_from_slice(&bytes);
            }
            all.extend(bytes);
        }
        let all = Slice::push(&mut self.block.extents, all);
        let mut caches = Vec::new();
        for access in tiles.accesses.iter() {
            for path in self.profile.read_paths(Client::of(access, self.queue)) {
                let path = self.profile.path(*path).iter();
                path.for_each(|cache| insert(&mut caches, *cache));
            }
        }
        // A dirty line goes into the next cache, which must not have had its turn.
        caches.sort_by_key(|cache| self.profile.turn(*cache));
        let why = Why::Text("a render pass starts: attachments go to tile memory");
        let mut steps: Vec<Step> = caches
            .into_iter()
            .map(|cache| StepKind::Invalidate {
                cache,
                reach: Reach::Extents(all),
            })
            .map(|kind| Step { kind, why })
            .collect();
        if !loaded.is_empty() {
            let extents = Slice::push(&mut self.block.extents, loaded);
            let cache = tiles.tile;
            let kind = StepKind::TileLoad { cache, extents };
            let why = Why::Text("a render pass starts: its attachments are loaded");
            steps.push(Step { kind, why });
        }
        self.pass_packet(node, BarrierRole::PassBegin, steps);
        self.scope.pass = Some(pass);
    }

    /// The last draw of a pass was emitted: what comes next carries its store.
    pub(super) fn end_pass(&mut self) {
        let Some(pass) = self.scope.pass.take() else {
            return;
        };
        let mut all = Vec::new();
        for (resource, range) in &pass.attachments {
            let extents = self.extents(*resource, range);
            all.extend_from_slice(extents.of(&self.block.extents));
        }
        self.scope.store = Some(Slice::push(&mut self.block.extents, all));
    }

    /// The store of a pass that has ended.
    pub(super) fn store_step(&mut self) -> Option<Step> {
        let cache = self.profile.tile_pass.as_ref()?.tile;
        let extents = self.scope.store.take()?;
        Some(Step {
            kind: StepKind::TileStore { cache, extents },
            why: Why::Text("the render pass ends: tile memory is stored"),
        })
    }

    /// Stores a pass that has ended with a packet of its own.
    pub(super) fn store_now(&mut self, node: NodeId) {
        if let Some(step) = self.store_step() {
            self.pass_packet(node, BarrierRole::PassEnd, vec![step]);
        }
    }

    /// Start or end of a pass: earlier work has ended, later work has not begun.
    fn pass_packet(&mut self, node: NodeId, role: BarrierRole, steps: Vec<Step>) {
        let touched = touched(Slice::EMPTY, &steps);
        let steps = self.push_steps(steps);
        let barrier = BarrierOp::of_everything(role, steps);
        let op = self.push(node, None, Ps::ZERO, HwOpKind::Barrier(barrier));
        self.note_packet(op, &touched);
    }
}
