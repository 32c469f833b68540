//! The lowering that idles and flushes everything at every barrier: always right, and the price of not knowing.

use super::{Entry, Lowering, Policy, Session, StepDraft};
use crate::api::LeafSet;
use crate::hardware;
use crate::program::Why;

/// `full_flush`.
#[derive(Debug)]
pub struct FullFlush;

/// The one value.
pub static FULL_FLUSH: FullFlush = FullFlush;

impl Lowering for FullFlush {
    fn name(&self) -> &'static str {
        "full_flush"
    }

    fn summary(&self) -> &'static str {
        "every barrier waits for everything and cleans and invalidates every cache"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for FullFlush {
    fn keeps_passes(&self) -> bool {
        false
    }

    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let why = Why::Text("everything is flushed at every barrier");
        let profile = session.profile();
        let mut steps = Vec::new();
        for cache in profile.cache_ids() {
            if profile.cache(cache).policy == hardware::WritePolicy::WriteBack {
                steps.push(StepDraft::Clean {
                    cache,
                    everything: true,
                    why,
                });
            }
        }
        let drop_everything = |steps: &mut Vec<StepDraft>| {
            steps.extend(profile.cache_ids().map(|cache| StepDraft::Invalidate {
                cache,
                everything: true,
                why,
            }));
        };
        if let (true, Some(layout)) = (entry.acts(), &entry.layout) {
            // The operation reads what others may have written past the caches that it reads through.
            drop_everything(&mut steps);
            steps.push(StepDraft::Layout(*layout));
        }
        // What the layout operation has written is dirty only in the last level, where everyone on the queue meets.
        drop_everything(&mut steps);
        steps.push(StepDraft::FrontEnd { why });
        let mut draft = entry.draft(LeafSet::ALL, LeafSet::ALL);
        draft.after_all = true;
        draft.steps = steps;
        session.barrier(entry, &draft);
    }
}
