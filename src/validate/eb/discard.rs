crate::finding::rule! {
    /// **What it finds.** A texture barrier with `discard` whose `LayoutBefore` is not `UNDEFINED`, or whose layouts
    /// are both `UNDEFINED`.
    ///
    /// **Why it matters.** Discarding gives up contents and initialises compression metadata of the new layout. With a
    /// known old layout there are contents to keep; without a new layout there is no metadata to initialise.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_TEXTURE_BARRIER_FLAG_DISCARD`", "Placed Resource Metadata
    /// Initialization"; reading R25.
    pub(crate) static RULE = "EB012", "discard-without-undefined", Error,
        "discard although LayoutBefore is not UNDEFINED, or nothing is transitioned";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::api::Layout;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let texture = entry.barrier.as_texture().filter(|it| it.discard)?;
    let layout_before = texture.layout_before;
    if entry.is_memory_only() {
        return Some(
            entry
                .finding(
                    &RULE,
                    "`discard` with both layouts UNDEFINED has no layout to initialise",
                )
                .help("set `LayoutAfter`, or leave out `discard`"),
        );
    }
    (layout_before != Layout::Undefined).then(|| {
        entry
            .finding(
                &RULE,
                format!("`discard` needs `LayoutBefore` UNDEFINED, but it is {layout_before}"),
            )
            .help("set `LayoutBefore` to UNDEFINED (and `AccessBefore` to NO_ACCESS), or leave out `discard`")
    })
}
