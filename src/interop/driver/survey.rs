//! What each barrier of a timeline means on a machine: found by a session whose packets nobody uses.

use crate::api::{BarrierAccess, LeafSet, Scope};
use crate::hardware::Profile;
use crate::hardware::VariantSet;
use crate::id::CacheId;
use crate::id::{BarrierRef, NodeId};
use crate::lower::{Entry, LayoutDraft, Lowering, MetadataSides, Policy, Session};
use crate::order::Timeline;
use crate::scenario::Command;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, PoisonError};

/// What an entry means.
pub(super) struct Meaning {
    pub(super) asked: (LeafSet, LeafSet),
    pub(super) before: Scope,
    pub(super) after: Scope,
    pub(super) given_up: BarrierAccess,
    pub(super) metadata: MetadataSides,
    pub(super) surfaces: VariantSet,
    pub(super) layout: Option<LayoutDraft>,
    pub(super) leftovers: Vec<CacheId>,
    pub(super) is_split_begin: bool,
    pub(super) is_split_end: bool,
    /// A session that keeps render passes does it by itself.
    pub(super) is_by_region: bool,
}

/// What was found.
#[derive(Default)]
pub(super) struct Survey {
    pub(super) entries: BTreeMap<BarrierRef, Meaning>,
    /// Stages of each command that works.
    pub(super) stages: BTreeMap<NodeId, LeafSet>,
}

/// What every barrier and command of a timeline means on a machine.
pub(super) fn survey(timeline: &Timeline<'_>, profile: &Profile) -> Survey {
    let surveyor = Surveyor::default();
    drop(surveyor.lower(timeline, profile));
    let mut found = surveyor.taken();
    if profile.tile_pass.is_some() {
        let keeping = Surveyor {
            keeps_passes: true,
            ..Surveyor::default()
        };
        drop(keeping.lower(timeline, profile));
        let others: BTreeSet<BarrierRef> = keeping.taken().entries.into_keys().collect();
        for (id, meaning) in &mut found.entries {
            meaning.is_by_region = !others.contains(id);
        }
    }
    found
}

/// A lowering that asks and does nothing.
#[derive(Default)]
struct Surveyor {
    keeps_passes: bool,
    found: Mutex<Survey>,
}

impl Surveyor {
    fn taken(self) -> Survey {
        // Nothing in here leaves half an entry, whoever panics.
        let found = self.found.into_inner();
        found.unwrap_or_else(PoisonError::into_inner)
    }

    fn note(&self, note: impl FnOnce(&mut Survey)) {
        note(&mut self.found.lock().unwrap_or_else(PoisonError::into_inner));
    }
}

impl Lowering for Surveyor {
    fn name(&self) -> &'static str {
        "surveyor"
    }

    fn summary(&self) -> &'static str {
        "asks what barriers mean, and does nothing"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for Surveyor {
    fn keeps_passes(&self) -> bool {
        self.keeps_passes
    }

    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let meaning = Meaning {
            asked: entry.asked(),
            before: entry.before,
            after: entry.after,
            given_up: entry.given_up,
            metadata: entry.metadata,
            surfaces: entry.variants,
            layout: entry.layout,
            leftovers: entry.leftovers.clone(),
            is_split_begin: entry.is_split_begin,
            is_split_end: entry.is_split_end,
            is_by_region: false,
        };
        self.note(|found| {
            found.entries.insert(entry.id, meaning);
        });
        session.barrier(entry, &entry.draft(LeafSet::EMPTY, LeafSet::EMPTY));
    }

    fn before_work(&self, session: &mut Session<'_, '_>, node: NodeId, command: &Command) {
        let stages = session.stages_of(node, command);
        self.note(|found| {
            found.stages.insert(node, stages);
        });
    }
}
