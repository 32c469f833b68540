crate::finding::rule! {
    /// **What it finds.** A resolve from or to a buffer whose other side is no feedback map.
    ///
    /// **Why it matters.** A resolve turns several samples of a texel into one, and a buffer has neither. Only what the
    /// sampler wrote into a feedback map is decoded into a buffer or encoded from one. The call fails, or what it writes is
    /// undefined.
    ///
    /// **Source.** Enhanced Barriers specification, "Upload Heap Resources", "Readback Heap Resources": buffers take
    /// resolves where there is sampler feedback.
    pub(crate) static RULE = "EB053", "resolve-operands", Error,
        "a resolve between a buffer and what is no feedback map";
}

use crate::finding::Finding;
use crate::id::ResourceId;
use crate::scenario::CommandKind;
use crate::validate::{Check, CommandOf, ValidationRule};

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Command(check)]);

fn check(it: &CommandOf<'_>) -> Option<Finding> {
    let (CommandKind::Resolve, [source, dest]) = (&it.command.kind, &*it.command.uses) else {
        return None;
    };
    let is_buffer = |id: ResourceId| it.scenario.resource(id).is_buffer();
    let is_map = |id: ResourceId| {
        let shape = it.scenario.resource(id).texture();
        shape.is_some_and(|shape| shape.format.is_sampler_feedback())
    };
    let (buffer, other, way) = if is_buffer(dest.resource) {
        (dest.resource, source.resource, "into")
    } else {
        (source.resource, dest.resource, "from")
    };
    if !is_buffer(buffer) || is_map(other) {
        return None;
    }
    let name = |id| it.scenario.resource_name(id);
    let message = format!(
        "`{}` is a buffer: only a feedback map is resolved {way} one, and `{}` is none",
        name(buffer),
        name(other)
    );
    Some(
        Finding::new(&RULE, it.command.span, message)
            .resource(name(buffer))
            .help("resolve into a texture and copy that, or copy without a resolve"),
    )
}
