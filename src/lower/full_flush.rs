super::lowering! {
    /// **What it does.** Every barrier waits for everything, writes back and drops every cache, syncs the front end and holds
    /// everything. Render passes end at every barrier.
    ///
    /// **Whom it is shaped after.** What a driver does for a barrier that says nothing, such as a NULL aliasing barrier, and what is
    /// tried first when a picture is wrong.
    ///
    /// **What it costs.** The upper bound.
    ///
    /// **Limits.** Being right costs nothing to prove and says nothing about any other lowering.
    pub FullFlush = "full_flush",
        "every barrier waits for everything and cleans and invalidates every cache";
}

use super::{Entry, Policy, Session, StepDraft};
use crate::api::LeafSet;
use crate::hardware::WritePolicy;
use crate::id::CacheId;
use crate::program::Why;

/// The one value.
pub static FULL_FLUSH: FullFlush = FullFlush;

impl Policy for FullFlush {
    fn keeps_passes(&self) -> bool {
        false
    }

    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let why = Why::Text("everything is flushed at every barrier");
        let profile = session.profile();
        // What a cache gets after its own turn stays there: each before those that its lines go into.
        let caches = profile.caches_upwards();
        let flush = |steps: &mut Vec<StepDraft>| {
            let writes_back = |id: &CacheId| profile.cache(*id).policy == WritePolicy::WriteBack;
            let dirty = caches.iter().copied().filter(writes_back);
            steps.extend(dirty.map(|cache| StepDraft::Clean {
                cache,
                everything: true,
                why,
            }));
            steps.extend(caches.iter().map(|cache| StepDraft::Invalidate {
                cache: *cache,
                everything: true,
                why,
            }));
        };
        let mut steps = Vec::new();
        flush(&mut steps);
        if let (true, Some(layout)) = (entry.acts(), &entry.layout) {
            // The operation has read what others wrote past its caches, and others read past them what it writes.
            steps.push(StepDraft::Layout(*layout));
            flush(&mut steps);
        }
        steps.push(StepDraft::FrontEnd { why });
        let mut draft = entry.draft(LeafSet::ALL, LeafSet::ALL);
        draft.after_all = true;
        draft.steps = steps;
        session.barrier(entry, &draft);
    }
}
