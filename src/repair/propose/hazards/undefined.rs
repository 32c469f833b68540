//! Candidates for a read of contents that something dropped (readings R57, R62): a discard taken away, or a barrier that
//! names what comes before it.

use super::super::written;
use super::Maker;
use super::fields::{distinct, joined};
use super::weight::Weight;
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet};
use crate::scenario::{Barrier, CommandKind};

impl Maker<'_, '_> {
    /// What dropped the contents keeps them.
    pub(super) fn keep_contents(&mut self) {
        if self.conflict.barrier.is_none() {
            self.without_discard();
            return;
        }
        let Some(dropped) = self.around.dropped else {
            return;
        };
        let mut kept = dropped.entry.barrier.clone();
        let mut said = Vec::new();
        if let Some(texture) = kept.as_texture_mut()
            && texture.drops_contents()
        {
            // In no layout, or in several, there is none to name.
            let known = dropped.layout.filter(|layout| *layout != Layout::Undefined);
            let Some(layout) = known else { return };
            said.push(format!("make LayoutBefore {}", layout.name()));
            if texture.discard {
                said.push("leave out `discard`".into());
            }
            texture.layout_before = layout;
            texture.discard = false;
        }
        let used = dropped.before.used;
        let left = dropped
            .before
            .left
            .unwrap_or((LeafSet::EMPTY, BarrierAccess::NO_ACCESS));
        let sides = if used.0.is_empty() || used.1.is_empty() {
            vec![left]
        } else {
            distinct([used, (used.0.union(left.0), joined(used.1, left.1))])
        };
        let mut kept_with = vec![kept.clone()];
        for (leaves, access) in sides {
            let mut named = kept.clone();
            named.access_before = access;
            if !named.sync_before.is_split() && named.sync_before.leaves() != leaves {
                // First what is there, if it is enough.
                if named.sync_before.leaves().contains(leaves) && !leaves.is_empty() {
                    kept_with.push(named.clone());
                }
                named.sync_before = BarrierSync::named(leaves);
            }
            kept_with.push(named);
        }
        for (at, other) in kept_with.iter().enumerate() {
            self.push_kept(&dropped.entry, other, &said, at);
        }
    }

    /// The entry as another one, if it is; says how.
    fn push_kept(
        &mut self,
        entry: &super::ExecutedEntry<'_>,
        other: &Barrier,
        layout: &[String],
        at: usize,
    ) {
        let old = entry.barrier;
        let mut said = layout.to_vec();
        if other.sync_before != old.sync_before {
            said.push(format!("make SyncBefore {}", other.sync_before));
        }
        if other.access_before != old.access_before {
            said.push(format!("make AccessBefore {}", other.access_before));
        }
        if said.is_empty() {
            return;
        }
        let name = self.timeline.barrier_name(entry.id);
        let says = format!(
            "in {name}, {}, which keeps the contents",
            said.join(" and ")
        );
        let edit = (!self.is_legacy(entry.place))
            .then(|| written::rewritten(self.text.source, self.scenario(), old, other));
        self.push(Weight::edited(1).plus(at), vec![edit], says);
    }

    /// The `discard` command taken away.
    fn without_discard(&mut self) {
        let place = self.timeline.place(self.conflict.first.node).command;
        let Some((list, at)) = place else { return };
        let command = &self.written.lists[list].commands[at as usize];
        if !matches!(command.kind, CommandKind::Discard) {
            return;
        }
        let line = self.text.source.line(command.span.start);
        let edit = self.text.without(command.span);
        let says = format!("delete the discard of line {line}: its contents are read");
        self.push(Weight::edited(1), vec![Some(edit)], says);
    }
}
