crate::finding::rule! {
    /// **What it finds.** A barrier on subresources that lies between the two halves of a split barrier on them.
    ///
    /// **Why it matters.** Between the halves the driver may change the layout at any time. Another barrier there finds
    /// either layout.
    ///
    /// **Source.** Enhanced Barriers specification, "Split Barriers"; reading R27.
    pub(crate) static RULE = "EB034", "split-intervening-barrier", Error,
        "a barrier between the halves of a split barrier";
}

use crate::validate::state::Before;
use crate::validate::{Check, ValidationRule};

use crate::finding::Finding;

/// What it looks at.
pub(crate) static VALIDATION: ValidationRule = ValidationRule::new(&RULE, &[Check::Before(check)]);

fn check(it: &Before<'_, '_, '_>) -> Option<Finding> {
    let split = it.facts.open_split(it.known)?;
    let name = it.facts.scenario.resource_name(it.entry.resource_id()?);
    let place = it.place();
    let finding = it
        .finding(
            &RULE,
            None,
            "",
            format!(
                "this barrier on `{name}`{place} lies between the halves of a split barrier on it"
            ),
        )
        .related(split.barrier.span, "the split begins here");
    Some(finding.help("move this barrier before the first half or after the second half"))
}
