crate::finding::rule! {
    /// **What it finds.** A barrier on a resource that a `set-root` has bound with `DATA_STATIC_WHILE_SET_AT_EXECUTE`
    /// descriptors, before a later draw or dispatch of that bind point reads it.
    ///
    /// **Why it matters.** The driver may read such data when the root argument is set, long before the draw. The
    /// barrier comes too late for it.
    ///
    /// **Source.** Enhanced Barriers specification, "Synchronization" (`DATA_STATIC_WHILE_SET_AT_EXECUTE`); reading
    /// R38.
    pub(crate) static RULE = "EB038", "set-root-barrier", Error,
        "a barrier on what a set-root has already bound";
}

use crate::validate::state::Facts;

use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::{Barrier, Command};

/// The finding on a barrier between a `set-root` and the work that reads it.
pub(crate) fn finding(
    facts: &Facts<'_, '_>,
    resource: ResourceId,
    set: &Command,
    barrier: &Barrier,
    work: &Command,
) -> Finding {
    let name = facts.scenario.resource_name(resource);
    Finding::new(
        &RULE,
        barrier.span,
        format!("this barrier on `{name}` comes too late: a `set-root` has already bound it as static data"),
    )
    .resource(name)
    .related(set.span, format!("`{name}` is bound here"))
    .related(work.span, "this command reads it")
    .note("found while the list is recorded: the list contradicts itself wherever it executes")
    .help("put the barrier before the `set-root`, or set the root argument again after it")
}
