crate::finding::rule! {
    /// **What it finds.** A copy whose source and destination share bytes: regions of one resource that intersect, or
    /// of two that alias.
    ///
    /// **Why it matters.** Source and destination are read and written at the same time in any order. What arrives is
    /// undefined.
    ///
    /// **Source.** Enhanced Barriers specification, "Self Resource Copy"; readings R41, R49.
    pub(crate) static RULE = "EB043", "self-copy-intersects", Error,
        "a copy between regions that intersect";
}

use crate::validate::state::Facts;

use crate::finding::Finding;
use crate::scenario::Command;

/// Looks at a `copy`.
pub(crate) fn check(facts: &Facts<'_, '_>, command: &Command) -> Option<Finding> {
    let [source, dest, ..] = &*command.uses else {
        return None;
    };
    let memory = &facts.timeline.memory;
    if source.resource != dest.resource
        && !(memory.is_aliased(source.resource) && memory.is_aliased(dest.resource))
    {
        return None;
    }
    let scenario = facts.scenario;
    let read = memory.extents(scenario, source.resource, &source.range);
    let written = memory.extents(scenario, dest.resource, &dest.range);
    // Both ascend.
    let (mut a, mut b) = (read.iter().peekable(), written.iter().peekable());
    while let (Some(x), Some(y)) = (a.peek(), b.peek()) {
        if x.memory == y.memory && x.start < y.end && y.start < x.end {
            let name = scenario.resource_name(dest.resource);
            let message = if source.resource == dest.resource {
                format!("source and destination regions of `{name}` intersect")
            } else {
                let other = scenario.resource_name(source.resource);
                format!("`{other}` and `{name}` share memory, and the copied regions intersect")
            };
            return Some(
                Finding::new(&RULE, command.span, message)
                    .resource(name)
                    .help(
                        "copy through another resource, or between regions that do not intersect",
                    ),
            );
        }
        if (x.memory, x.end) <= (y.memory, y.end) {
            a.next();
        } else {
            b.next();
        }
    }
    None
}
