crate::finding::rule! {
    /// **What it finds.** A transition whose subresources reach beyond the texture, or whose bytes are not exactly the
    /// buffer: a buffer has one subresource.
    ///
    /// **Why it matters.** The call names memory that the resource does not have, so the whole call is invalid.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier API Call Validation", "Buffer Barriers"; language,
    /// "Command lists".
    pub(crate) static RULE = "LB010", "legacy-range-out-of-bounds", Error,
        "a transition of subresources or bytes that do not exist, or of a part of a buffer";
}

use crate::finding::Finding;
use crate::scenario::{Range, ResourceKind, geometry};
use crate::validate::{Check, LegacyEntry, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Legacy(check)]);

fn check(entry: &LegacyEntry<'_>) -> Option<Finding> {
    let range = &entry.barrier.kind.as_transition()?.range;
    let name = entry.scenario.resource_name(entry.resource_id()?);
    match &entry.resource()?.kind {
        ResourceKind::Texture(shape) => {
            let out = geometry::subresource_box(shape, range).err()?;
            let message = format!(
                "the range names {} {} of `{name}`, which has only {}",
                out.what, out.given, out.limit
            );
            let help =
                "indices count from 0, `a..b` does not include `b`, and no range means everything";
            Some(entry.finding(&RULE, message).help(help))
        }
        ResourceKind::Buffer { size } => {
            let Range::Bytes { start, end } = range else {
                return None;
            };
            (*start != 0 || end != size).then(|| {
                let message = format!("the range names bytes {start}..{end} of `{name}`, but a buffer of {size} bytes is one subresource");
                entry
                    .finding(&RULE, message)
                    .help("leave out the range: a buffer is transitioned as a whole")
            })
        }
    }
}
