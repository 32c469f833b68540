//! Render passes of a machine that renders tile by tile: which commands stay in tile memory together.
//!
//! Draws that follow each other with the same attachments form a pass if nothing stands between them but clears of these
//! attachments and barriers by region: fragment-space stages on both sides, accesses to attachments on both sides, no
//! change of how anything is stored. One draw alone is no pass: it is rendered past tile memory. Whatever else comes ends
//! the pass.

use crate::api::{BarrierAccess, Layout, LeafSet, QueueType, Scope};
use crate::hardware::{LayoutClass, Profile, TilePass, Variant};
use crate::id::{ListId, NodeId, ResourceId, SubmissionId};
use crate::order::Timeline;
use crate::scenario::{Barrier, BarrierTarget, Command, CommandKind, Range, Scenario};

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
                let attachments = attachments(tiles, command);
                let goes_on = attachments.as_ref().is_some_and(|set| {
                    open.as_mut()
                        .is_some_and(|open| open.list == list && open.draw(node, set))
                });
                if !goes_on {
                    close(&mut open, &mut found);
                    open = attachments.map(|attachments| Open {
                        list,
                        first: node,
                        last: node,
                        draws: 1,
                        attachments,
                        cleared: Vec::new(),
                    });
                }
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
        BarrierTarget::Texture {
            resource: Some(resource),
            layout_before,
            layout_after,
            discard: false,
            ..
        } => (Some(*resource), Some((*layout_before, *layout_after))),
        BarrierTarget::Global => (None, None),
        _ => return false,
    };
    let stays = layouts.is_none_or(|(before, after)| {
        let class = |layout| profile.layout_class(layout, queue, Variant::default());
        let is_static = |layout| class(layout) == LayoutClass::Static;
        before == after || is_static(before) && is_static(after)
    });
    let ours = resource.is_none_or(|r| open.attachments.iter().any(|(a, _)| *a == r));
    let traits = resource.map(|r| scenario.traits(r));
    let known = |layout: Option<Layout>| layout.filter(|l| *l != Layout::Undefined);
    let before = Scope::new(
        barrier.sync_before,
        barrier.access_before,
        known(layouts.map(|l| l.0)),
        queue,
        traits,
    );
    let after = Scope::new(
        barrier.sync_after,
        barrier.access_after,
        known(layouts.map(|l| l.1)),
        queue,
        traits,
    );
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
