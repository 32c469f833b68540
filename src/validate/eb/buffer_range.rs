crate::finding::rule! {
    /// **What it finds.** A buffer barrier whose `Offset` is not 0, or whose `Size` is neither the size of the buffer
    /// nor `UINT64_MAX`.
    ///
    /// **Why it matters.** A buffer barrier acts on the whole buffer; the fields exist for later use.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BUFFER_BARRIER`"; reading R29.
    pub(crate) static RULE = "EB008", "buffer-barrier-range", Error,
        "a buffer barrier on a part of the buffer";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::Finding;
use crate::scenario::{BarrierTarget, ResourceKind};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let BarrierTarget::Buffer { offset, size, .. } = entry.barrier.target else {
        return None;
    };
    let ResourceKind::Buffer { size: whole } = entry.resource()?.kind else {
        return None;
    };
    let message = match (offset, size) {
        (Some(offset), _) if offset != 0 => format!("`Offset` is {offset} and must be 0"),
        (_, Some(size)) if size != whole && size != u64::MAX => {
            format!("`Size` is {size} and must be the size of the buffer, {whole}, or UINT64_MAX")
        }
        _ => return None,
    };
    Some(
        entry
            .finding(&RULE, message)
            .help("leave out `offset` and `size`, or write `offset 0; size all`"),
    )
}
