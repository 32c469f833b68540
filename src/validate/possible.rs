//! Uses that may not be made (`may`): what is wrong with one is no error, because perhaps nobody makes it.

use crate::finding::{Finding, Severity, Span};
use crate::scenario::Scenario;
use std::collections::BTreeSet;

/// Makes warnings of the errors of such uses.
pub(super) fn soften(scenario: &Scenario, findings: &mut [Finding]) {
    if findings.iter().all(|f| !f.severity.fails()) {
        return;
    }
    let commands = scenario.commands();
    let uses = commands.flat_map(|c| &c.uses).filter(|usage| usage.may);
    let place = |span: Span| (span.start, span.end);
    let possible: BTreeSet<(u32, u32)> = uses.map(|usage| place(usage.span)).collect();
    for finding in findings {
        if finding.severity.fails() && possible.contains(&place(finding.span)) {
            finding.severity = Severity::Warning;
            finding
                .notes
                .push("a use that says `may` may not be made at all".into());
        }
    }
}
