//! A text printed the one way.

use super::Language;
use crate::finding::{Finding, Source};
use crate::{kernel, lower::rules, scenario};

/// The text as `syncscope fmt` prints it, with its own line ends; `None` for a language that has no printer.
///
/// # Errors
/// What of the text is not understood.
pub fn of(source: &Source, language: Language) -> Result<Option<String>, Vec<Finding>> {
    let is_wrong = |findings: &[Finding]| findings.iter().any(|f| f.severity.fails());
    let (text, findings) = match language {
        Language::Scenario => {
            let (value, findings) = scenario::parse(source);
            (
                (!is_wrong(&findings)).then(|| scenario::print(&value)),
                findings,
            )
        }
        Language::Litmus => {
            let (value, findings) = kernel::parse(source);
            (
                (!is_wrong(&findings)).then(|| kernel::print(&value)),
                findings,
            )
        }
        Language::Rules => {
            let (value, findings) = rules::parse(source);
            (
                (!is_wrong(&findings)).then(|| rules::print(&value)),
                findings,
            )
        }
        Language::Profile => return Ok(None),
    };
    text.map(Some).ok_or(findings)
}
