//! `full_flush`: every barrier waits for everything, flushes and drops every cache, and holds everything.
//!
//! The bound from above: whatever a barrier asks for is ensured, at the price of everything else.

use super::Lowering;
use super::build::BarrierContext;
use crate::hardware::Policy;
use crate::id::CacheId;
use crate::program::{Reach, StepKind, Why};

/// Idle and flush everything at every barrier.
pub struct FullFlush;

impl Lowering for FullFlush {
    fn name(&self) -> &'static str {
        "full_flush"
    }

    fn summary(&self) -> &'static str {
        "every barrier idles the queue, writes back and drops every cache, and holds all later work"
    }

    fn barrier(&self, context: &mut BarrierContext<'_>) {
        let why = Why::Text("this lowering flushes everything");
        if !context.ends {
            context.wait = context.queue.leaves();
            context.after_all = true;
            let caches: Vec<CacheId> = (0..context.profile.caches.len())
                .map(CacheId::new)
                .collect();
            // Nearest first, so that what one writes back the next writes on.
            for cache in context.nearest_first(&caches) {
                if context.profile.cache(cache).policy == Policy::WriteBack {
                    context.step(
                        StepKind::Clean {
                            cache,
                            reach: Reach::Everything,
                        },
                        why,
                    );
                }
            }
            context.layout_step();
            for cache in caches {
                context.step(
                    StepKind::Invalidate {
                        cache,
                        reach: Reach::Everything,
                    },
                    why,
                );
            }
            context.step(StepKind::FrontEnd, why);
        }
        if !context.begins {
            context.hold = context.queue.leaves();
        }
    }
}
