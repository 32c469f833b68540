crate::finding::rule! {
    /// **What it finds.** A legacy state whose access or stage the list's queue type does not have, or a UAV barrier on
    /// a queue type without unordered access.
    ///
    /// **Why it matters.** A compute queue has no pixel shaders, so it cannot name `PIXEL_SHADER_RESOURCE`, by itself
    /// or combined; a copy queue knows `COMMON` and the two copy states.
    ///
    /// **Source.** Enhanced Barriers specification, "Compute Queues and `D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE`",
    /// "Command Queue Access Compatibility", "Command Queue Sync Compatibility", "Equivalent `D3D12_BARRIER_SYNC` bit
    /// for each `D3D12_RESOURCE_STATES` bit".
    pub(crate) static RULE = "LB003", "queue-state", Error,
        "a state, or a UAV barrier, that the queue type does not have";
}

use crate::api::{BarrierAccess, compat};
use crate::finding::Finding;
use crate::legacy::states;
use crate::scenario::LegacyKind;
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let queue = entry.queue();
    let word = queue.word();
    if matches!(entry.barrier.kind, LegacyKind::Uav(_)) {
        let allowed = compat::queue_accesses(queue).intersects(BarrierAccess::UNORDERED_ACCESS);
        return (!allowed).then(|| {
            entry
                .finding(
                    &RULE,
                    format!("a {word} queue has no unordered access to wait for"),
                )
                .help("leave the UAV barrier out, or record it in a direct or compute list")
        });
    }
    let (before, after) = entry.states()?;
    let foreign = (before | after) - states::of_queue(queue);
    (!foreign.is_empty()).then(|| {
        let side = match (before.intersects(foreign), after.intersects(foreign)) {
            (true, true) => "`StateBefore` and `StateAfter` name",
            (true, false) => "`StateBefore` names",
            _ => "`StateAfter` names",
        };
        entry
            .finding(&RULE, format!("{side} {foreign}, which a {word} queue does not have"))
            .help(format!(
                "a {word} queue has COMMON and {}; make the transition on another queue, after a fence",
                states::of_queue(queue)
            ))
    })
}
