crate::finding::rule! {
    /// **What it finds.** A texture barrier on a list whose queue type cannot transition into or out of one of its
    /// layouts; also layouts that only the driver interface knows, and numbers that no header defines.
    ///
    /// **Why it matters.** The queue lacks the hardware that understands the layout: a compute queue cannot decompress
    /// what only render targets have.
    ///
    /// **Source.** Enhanced Barriers specification, "Command Queue Layout Compatibility", "Legacy layouts"; readings
    /// R08, R10.
    pub(crate) static RULE = "EB014", "queue-layout", Error,
        "a layout that the queue type does not know";
}

use crate::validate::{Check, SideOf, ValidationRule};

use crate::api::compat;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Side(check)]);

fn check(it: &SideOf<'_>) -> Option<Finding> {
    let (queue, layout) = (it.entry.queue(), it.layout?);
    if compat::queue_allows_layout_under(it.entry.rules, queue, layout) {
        return None;
    }
    let side = it.side.suffix();
    let finding = if layout.is_public() {
        it.finding(
            &RULE,
            format!("`Layout{side}` is {layout}, which a {queue} list cannot use in a barrier"),
        )
        .help("make the transition on a queue that has the layout, or use COMMON between queues")
    } else {
        it.finding(
            &RULE,
            format!("`Layout{side}` is {layout}, which is no layout of the API"),
        )
        .help("use a layout of D3D12_BARRIER_LAYOUT")
    };
    Some(finding)
}
