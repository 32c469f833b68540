//! Scenarios that a program built: printed, and then read like any text. So a finding has a place, and what a scenario means does not
//! depend on how it came to be. What the language has no words for is not in the text.

use super::{Options, Registry, Report, Unusable, check, run};
use crate::finding::Source;
use crate::scenario::{Scenario, print};

/// Checks a scenario that was built in code. With the report comes the scenario's text, in which the findings have their places.
///
/// ```
/// use syncscope::run::{Options, check_scenario};
/// use syncscope::scenario::ScenarioBuilder;
///
/// let (source, report) = check_scenario(&ScenarioBuilder::new().build(), &Options::default());
/// assert!(report.findings.is_empty() && source.text.is_empty());
/// ```
pub fn check_scenario(scenario: &Scenario, options: &Options) -> (Source, Report) {
    let source = printed(scenario);
    let report = check(&source, options);
    (source, report)
}

/// Runs a scenario that was built in code. With the report comes the scenario's text, in which the findings have their places.
///
/// # Errors
/// As of [`run`].
pub fn run_scenario(
    scenario: &Scenario,
    registry: &Registry,
    options: &Options,
) -> Result<(Source, Report), Unusable> {
    let source = printed(scenario);
    let report = run(&source, registry, options)?;
    Ok((source, report))
}

/// The text of a built scenario.
fn printed(scenario: &Scenario) -> Source {
    Source::new("scenario", print(scenario))
}
