//! `precise`: per barrier exactly what the profile's cache paths call for.

use super::build::BarrierContext;
use super::{Lowering, needs};
use crate::api::BarrierAccess;
use crate::hardware::{Client, Policy};
use crate::id::CacheId;
use crate::program::{StepKind, Why};

/// Waits, flushes and invalidates derived from the profile.
pub struct Precise;

impl Lowering for Precise {
    fn name(&self) -> &'static str {
        "precise"
    }

    fn summary(&self) -> &'static str {
        "each barrier waits for its SyncBefore, moves what its accesses need along the cache paths, holds its SyncAfter"
    }

    fn barrier(&self, context: &mut BarrierContext<'_>) {
        if !context.ends {
            context.wait = context.scopes.0.stages.intersection(context.queue.leaves());
            context.order_after_composed();
            flush(context);
        }
        if !context.begins {
            context.hold = context.scopes.1.stages.intersection(context.queue.leaves());
        }
    }
}

/// Cleans, the layout operation, invalidates — in this order: what is dropped must have been written back before.
fn flush(context: &mut BarrierContext<'_>) {
    let profile = context.profile;
    let writes = context.scopes.0.accesses & BarrierAccess::WRITES;
    let after = context.scopes.1.accesses;
    let mut clean: Vec<(CacheId, Why)> = Vec::new();
    let mut invalidate: Vec<(CacheId, Why)> = Vec::new();
    let add = |list: &mut Vec<(CacheId, Why)>, cache, why| {
        if !list.iter().any(|(known, _)| *known == cache) {
            list.push((cache, why));
        }
    };
    for write in writes.iter() {
        for other in after.iter() {
            let pair = needs(profile, context.client(write), context.client(other));
            pair.clean
                .iter()
                .for_each(|cache| add(&mut clean, *cache, Why::Pair(write, other)));
            pair.invalidate
                .iter()
                .for_each(|cache| add(&mut invalidate, *cache, Why::Pair(write, other)));
        }
        // Nothing may be written back over whoever comes next: a deactivated resource, or a rewritten layout.
        if after.is_empty() || context.layout_op().is_some() {
            for cache in client_write_caches(context, write) {
                add(&mut clean, cache, Why::WriteBack(write));
            }
        }
    }
    if context.layout_op().is_some() {
        // The rewritten texels are below every reader's private caches.
        for other in after.iter() {
            for cache in profile.path(profile.path_of(context.client(other))) {
                if profile.cache(*cache).parent.is_some() {
                    add(
                        &mut invalidate,
                        *cache,
                        Why::Text("the layout operation rewrote the texels"),
                    );
                }
            }
        }
    }
    for cache in context.nearest_first(&clean.iter().map(|(cache, _)| *cache).collect::<Vec<_>>()) {
        let why = clean
            .iter()
            .find(|(known, _)| *known == cache)
            .map_or(Why::Text(""), |(_, why)| *why);
        let reach = context.reach();
        context.step(StepKind::Clean { cache, reach }, why);
    }
    context.layout_step();
    for (cache, why) in invalidate {
        let reach = context.reach();
        context.step(StepKind::Invalidate { cache, reach }, why);
    }
    let front_end = BarrierAccess::INDIRECT_ARGUMENT | BarrierAccess::INDEX_BUFFER;
    if !writes.is_empty() && after.intersects(front_end) {
        context.step(
            StepKind::FrontEnd,
            Why::Text("the front end may have prefetched what was written"),
        );
    }
}

/// Write-back caches of a write's path that are not the last level.
fn client_write_caches(context: &BarrierContext<'_>, write: BarrierAccess) -> Vec<CacheId> {
    let profile = context.profile;
    let client: Client = context.client(write);
    let path = profile.path(profile.path_of(client));
    let own = |id: &&CacheId| {
        profile.cache(**id).policy == Policy::WriteBack && profile.cache(**id).parent.is_some()
    };
    path.iter().filter(own).copied().collect()
}
