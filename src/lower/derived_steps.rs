//! Operations that were derived before: a text has few kinds of barriers, and each many times.

use super::policy::{Entry, MetadataSides, StepDraft};
use crate::api::QueueType;
use crate::hardware::VariantSet;
use std::collections::BTreeMap;

/// What operations follow from if they rewrite nothing: the accesses before, those given up and those after, and the ways.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct StepsKey {
    accesses: [u32; 3],
    waits: bool,
    queue: QueueType,
    variants: VariantSet,
    metadata: MetadataSides,
}

/// Operations by kind of barrier, for one profile.
#[derive(Default)]
pub(super) struct DerivedSteps {
    steps: BTreeMap<StepsKey, Vec<StepDraft>>,
}

impl DerivedSteps {
    /// The operations of an entry; `derive` finds those of a kind that has not come before.
    pub(super) fn steps(
        &mut self,
        entry: &Entry<'_>,
        derive: impl FnOnce() -> Vec<StepDraft>,
    ) -> Vec<StepDraft> {
        if entry.layout.is_some() || !entry.leftovers.is_empty() {
            return derive();
        }
        let accesses = [entry.before.accesses, entry.given_up, entry.after.accesses];
        let kind = StepsKey {
            accesses: accesses.map(|accesses| accesses.bits()),
            waits: !entry.before.stages.is_empty(),
            queue: entry.queue,
            variants: entry.variants,
            metadata: entry.metadata,
        };
        self.steps.entry(kind).or_insert_with(derive).clone()
    }
}
