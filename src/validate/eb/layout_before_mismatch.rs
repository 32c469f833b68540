crate::finding::rule! {
    /// **What it finds.** A texture barrier whose `LayoutBefore` is not the layout that the subresources have at that
    /// point: the one that the latest earlier barrier left, or the one that they were created in.
    ///
    /// **Why it matters.** The driver decompresses and resolves according to `LayoutBefore`. With the wrong layout it
    /// applies an operation to data that is not in that form: the contents are lost, on some GPUs only.
    ///
    /// **Source.** Enhanced Barriers specification, "Barrier API Call Validation", "Layout Validation", "Validation
    /// Phases"; readings R23, R25.
    pub(crate) static RULE = "EB026", "layout-before-mismatch", Error,
        "a LayoutBefore that the texture is not in";
}

use crate::validate::state::{Before, place as place_of};
use crate::validate::{Check, ValidationRule};

use crate::api::compat;
use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Before(check)]);

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let before = it.layout_before()?;
    if it.is_split() {
        return None;
    }
    let resource = it.entry.resource()?;
    let id = it.entry.resource_id()?;
    let name = it.facts.scenario.resource_name(id);
    let Some((actual, run)) = it.facts.layout(id, it.run, it.known) else {
        // A list that never executes: all that is known is what it did so far.
        let allowed = compat::texture_accesses(before, resource.flags);
        let wrong = it.known.blended.difference(allowed);
        let assumed = it.facts.is_recording() && it.known.layout.is_none() && !wrong.is_empty();
        return assumed.then(|| {
            let place = it.place();
            it.finding(
                &RULE,
                it.known.touched,
                "the list first uses the texture here",
                format!(
                    "`LayoutBefore` is {before}, but the list already used `{name}`{place} as {wrong}, which that layout does not allow"
                ),
            )
            .help("name the layout that the list found the texture in")
        });
    };
    (actual != before).then(|| {
        let place = place_of(resource, run);
        let origin = it.known.layout_from;
        let label = format!("`{name}`{place} went to {actual} here");
        let mut finding = it.finding(
            &RULE,
            origin,
            &label,
            format!("`LayoutBefore` is {before}, but `{name}`{place} is in {actual}"),
        );
        if origin.is_none() {
            finding = finding.related(resource.span, format!("`{name}` was created in {actual}"));
        }
        finding.help(format!(
            "write `layout {actual} -> …`, or UNDEFINED if the contents are not needed"
        ))
    })
}
