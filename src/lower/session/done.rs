//! What barriers have done since work that a later barrier is about.

use super::Session;
use crate::api::LeafSet;
use crate::id::{CacheId, Extent};
use crate::lower::policy::Entry;
use crate::program::{HwOpKind, Reach, StepKind};

/// Packets that are looked back at.
const LOOK_BACK_MAX: usize = 64;

/// What packets have done since the latest work at the stages that an entry waits for.
#[derive(Default, Debug)]
pub struct Done {
    /// Stages that they have waited for.
    pub waited: LeafSet,
    /// By packet that came after all these waits: the caches that it has written back, at least the entry's bytes.
    cleaned: Vec<Vec<CacheId>>,
    /// The same of caches that it has dropped, since the latest packet that wrote something back.
    dropped: Vec<Vec<CacheId>>,
}

impl Done {
    /// Whether one packet has written all of these caches back. What several have, each a part, may have gone from one of
    /// these caches to the next in between.
    pub fn has_cleaned(&self, caches: &[CacheId]) -> bool {
        has_all(&self.cleaned, caches)
    }

    /// Whether one packet has dropped all of these caches, and nothing was written back since. Of what several have
    /// dropped, each a part, one may have filled again from another.
    pub fn has_dropped(&self, caches: &[CacheId]) -> bool {
        has_all(&self.dropped, caches)
    }
}

fn has_all(packets: &[Vec<CacheId>], caches: &[CacheId]) -> bool {
    let mut packets = packets.iter();
    caches.is_empty() || packets.any(|done| caches.iter().all(|cache| done.contains(cache)))
}

impl Session<'_, '_> {
    /// What earlier packets have done of what an entry needs.
    pub fn done_since(&self, entry: &Entry<'_>) -> Done {
        let mut done = Done::default();
        let stages = entry.before.stages;
        let ops = &self.block.ops;
        let first = ops.len().saturating_sub(LOOK_BACK_MAX);
        let works = |kind: &HwOpKind| match kind {
            HwOpKind::Work(work) => {
                let mut tasks = work.tasks.of(&self.block.tasks).iter();
                tasks.any(|task| stages.has(task.leaf))
            }
            HwOpKind::Barrier(_) => false,
            _ => true,
        };
        let Some(last) = (first..ops.len()).rev().find(|at| works(&ops[*at].kind)) else {
            return done;
        };
        let bytes = entry.extents.of(&self.block.extents);
        for op in &ops[last + 1..] {
            let HwOpKind::Barrier(barrier) = &op.kind else {
                continue;
            };
            done.waited = done.waited.union(barrier.wait);
            // Packets overlap: one that does not follow the waits before it may do its steps before they end.
            let follows = barrier.after_all || barrier.wait.contains(stages);
            let is_after = follows && done.waited.contains(stages);
            let (mut cleaned, mut dropped) = (Vec::new(), Vec::new());
            for step in barrier.steps.of(&self.block.steps) {
                let (found, cache, reach) = match step.kind {
                    StepKind::Clean { cache, reach } => (&mut cleaned, cache, reach),
                    StepKind::Invalidate { cache, reach } => (&mut dropped, cache, reach),
                    StepKind::Layout { .. } => {
                        // It writes: what was done before it says nothing about that.
                        for before in [&mut done.cleaned, &mut done.dropped] {
                            before.clear();
                        }
                        for before in [&mut cleaned, &mut dropped] {
                            before.clear();
                        }
                        continue;
                    }
                    _ => continue,
                };
                let is_whole = matches!(reach, Reach::Everything);
                if is_whole || entry.resource.is_some() && self.reaches(reach, bytes) {
                    found.push(cache);
                }
            }
            if !cleaned.is_empty() {
                // What readers dropped before may have come back old.
                done.dropped.clear();
            }
            if is_after && !cleaned.is_empty() {
                done.cleaned.push(cleaned);
            }
            if is_after && !dropped.is_empty() {
                done.dropped.push(dropped);
            }
        }
        done
    }

    fn reaches(&self, reach: Reach, bytes: &[Extent]) -> bool {
        let Reach::Extents(reached) = reach else {
            return true;
        };
        let reached = reached.of(&self.block.extents);
        let is_in = |of: &Extent, all: &Extent| {
            of.memory == all.memory && all.start <= of.start && of.end <= all.end
        };
        bytes.iter().all(|b| reached.iter().any(|r| is_in(b, r)))
    }
}
