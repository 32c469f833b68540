//! What was found in a text, as an editor is told.

use super::convert::{self, Text};
use super::pages::Pages;
use crate::assist::actions::Action;
use crate::assist::marks;
use crate::finding::{Finding, Source};
use crate::run::Report;
use serde_json::{Value, json};
use std::sync::Arc;

/// Findings that an editor is shown of one text.
pub(super) const SHOWN_MAX: usize = 2_000;

/// What was found in a text.
pub(super) struct Found {
    /// Of which text.
    pub(super) revision: u64,
    pub(super) source: Arc<Source>,
    pub(super) report: Report,
    pub(super) savings: Vec<Action>,
}

/// Findings as diagnostics, the worst first if there are too many.
pub(super) fn diagnostics(
    findings: &[Finding],
    uri: &str,
    text: Text<'_>,
    pages: &mut Pages,
) -> Vec<Value> {
    let mut shown: Vec<&Finding> = findings.iter().collect();
    if shown.len() > SHOWN_MAX {
        shown.sort_by_key(|it| std::cmp::Reverse(it.severity));
        shown.truncate(SHOWN_MAX);
    }
    shown
        .into_iter()
        .map(|it| diagnostic(it, uri, text, pages))
        .collect()
}

/// A finding as a diagnostic.
pub(super) fn diagnostic(finding: &Finding, uri: &str, text: Text<'_>, pages: &mut Pages) -> Value {
    let place = |span| json!({"uri": uri, "range": text.range(span)});
    let related = finding
        .related
        .iter()
        .map(|it| json!({"location": place(it.span), "message": &*it.label}));
    let sides = finding.hazard.iter().flat_map(|hazard| {
        [("(1)", &hazard.first), ("(2)", &hazard.second)].map(|(number, party)| {
            let stage = if party.stage.is_empty() {
                String::new()
            } else {
                format!(" at {}", party.stage)
            };
            let says = format!(
                "{number} {} on {}: {}{stage}",
                party.label, party.queue, party.access
            );
            json!({"location": place(party.span), "message": says})
        })
    });
    let mut related: Vec<Value> = sides.chain(related).collect();
    related.dedup();
    let mut message = format!("{}: {}", finding.rule.name, finding.message);
    for note in &finding.notes {
        message = message + "\n" + note;
    }
    if let Some(help) = &finding.help {
        message = message + "\nhelp: " + help;
    }
    let mut out = json!({
        "range": text.range(finding.span),
        "severity": convert::severity(finding.severity),
        "code": finding.rule.id,
        "source": "syncscope",
        "message": message,
        "relatedInformation": related,
    });
    // What is not needed is drawn faint.
    if finding.rule.id == "RD101" {
        out["tags"] = json!([1]);
    }
    if marks::has_page(finding.rule)
        && let Some(href) = pages.link(finding.rule)
    {
        out["codeDescription"] = json!({"href": href});
    }
    out
}
