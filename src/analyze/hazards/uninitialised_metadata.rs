crate::finding::rule! {
    /// **What it finds.** A use of a placed or reserved texture in a layout that may be compressed (`RENDER_TARGET`,
    /// `DEPTH_STENCIL_*`, `UNORDERED_ACCESS` and their queue-specific forms) while nothing has initialised the
    /// compression metadata of the subresource, or an alias has overwritten it since. Reported once per subresource.
    ///
    /// **Why it matters.** The metadata is whatever the memory contained before: the client decodes garbage, or hangs.
    /// A `discard` barrier, a `discard`, or a clear, copy or resolve of whole subresources initialises it; a committed
    /// texture starts with sound metadata.
    ///
    /// **Source.** Enhanced Barriers specification, "Placed Resource Metadata Initialization"; readings R25, R26.
    static RULE = "HZ105", "uninitialised-metadata", Hazard,
        "a compressed use of placed or reserved memory whose metadata nothing has initialised";
}

use super::{Context, HazardRule, USES};
use crate::graph::{Conflict, ConflictKind};

pub(super) static HAZARD: HazardRule =
    HazardRule::new(&RULE, &[ConflictKind::MetadataUninitialised], message, help);

fn message(context: &Context<'_, '_>, conflict: &Conflict) -> String {
    format!(
        "{} {} {} as {}, but nothing has initialised its compression metadata",
        context.side(&conflict.second),
        context.second(conflict, USES),
        context.resource(conflict),
        conflict.second.access,
    )
}

#[allow(
    clippy::unnecessary_wraps,
    reason = "the type that every hazard rule shares"
)]
fn help(_: &Context<'_, '_>, _: &Conflict) -> Option<String> {
    Some("add `discard` to the barrier that takes the texture out of UNDEFINED, or clear, copy to or discard all of it first".into())
}
