crate::finding::rule! {
    /// **What it finds.** A texture barrier whose mips, array slices, planes or subresource index do not exist in the
    /// texture.
    ///
    /// **Why it matters.** The range is a promise about subresources; those that do not exist have no layout to change.
    /// `0xffffffff` means "all" only as an index with `NumMipLevels` 0, never as a count.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`", "Barrier API Call Validation";
    /// reading R28.
    pub(crate) static RULE = "EB006", "subresource-range-out-of-bounds", Error,
        "a subresource range that reaches beyond the texture";
}

use crate::validate::{BarrierEntry, Check, ValidationRule};

use crate::finding::Finding;
use crate::scenario::{BarrierRange, geometry};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Entry(check)]);

fn check(entry: &BarrierEntry<'_>) -> Option<Finding> {
    let range = &entry.barrier.as_texture()?.range;
    let shape = entry.resource()?.texture()?;
    let out = geometry::written_box(shape, range).err()?;
    let name = entry.scenario.resource_name(entry.resource_id()?);
    let message = match ones(range, out.what) {
        Some((0, count)) => format!(
            "`IndexOrFirstMipLevel` 0xffffffff means all subresources only if `NumMipLevels` is 0, and it is {count:#x}"
        ),
        Some((at, _)) => format!(
            "`{}` is 0xffffffff, a number like any other there and not a word for all: `{name}` has only {} {}s",
            FIELDS[at], out.limit, out.what
        ),
        None => format!(
            "the range names {} {} of `{name}`, which has only {}",
            out.what, out.given, out.limit
        ),
    };
    let help = "each count follows its first index; all subresources are `range 0xffffffff 0 0 0 0 0`, or no range at all";
    Some(entry.finding(&RULE, message).help(help))
}

/// The fields of the header's range, in order.
const FIELDS: [&str; 6] = [
    "IndexOrFirstMipLevel",
    "NumMipLevels",
    "FirstArraySlice",
    "NumArraySlices",
    "FirstPlane",
    "NumPlanes",
];

/// Of a range with a mip count, the field of the mips, layers or planes, whichever are out of bounds, that is 0xffffffff; and
/// that count.
fn ones(range: &BarrierRange, what: &str) -> Option<(usize, u32)> {
    let BarrierRange::Raw(fields) = range else {
        return None;
    };
    let first = match what {
        "mip" => 0,
        "layer" => 2,
        "plane" => 4,
        _ => return None,
    };
    let at = (first..first + 2).find(|at| fields[*at] == u32::MAX)?;
    Some((at, fields[1]))
}
