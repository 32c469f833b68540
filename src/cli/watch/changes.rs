//! What is different between two runs of a scenario that was changed in between, in words.
//!
//! Lines move when a text is edited, so findings are told apart by what they say: first by every word, then by rule and
//! resource.

use crate::finding::{Finding, Source};
use crate::run::Report;
use crate::time::Ps;

/// What is kept of a run.
pub(super) struct Seen {
    findings: Vec<Known>,
    exposed: Ps,
    /// None if something never ends: what comes after it takes no time.
    makespan: Option<Ps>,
}

/// What is kept of a finding.
struct Known {
    rule: &'static str,
    name: &'static str,
    severity: &'static str,
    line: u32,
    resource: String,
    message: String,
}

impl Known {
    fn new(finding: &Finding, source: &Source) -> Self {
        Self {
            rule: finding.rule.id,
            name: finding.rule.name,
            severity: finding.severity.word(),
            line: source.line(finding.span.start),
            resource: finding.resource.as_deref().unwrap_or_default().to_owned(),
            message: finding.message.to_string(),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        self.rule == other.rule && self.message == other.message
    }

    fn is_alike(&self, other: &Self) -> bool {
        self.rule == other.rule && self.resource == other.resource
    }
}

impl Seen {
    pub(super) fn new(report: &Report, source: &Source) -> Self {
        let findings = report.findings.iter();
        Self {
            findings: findings
                .map(|finding| Known::new(finding, source))
                .collect(),
            exposed: report.exposed,
            makespan: report.makespan.filter(|_| report.stuck.is_empty()),
        }
    }

    /// What is different since another run, a line each.
    pub(super) fn since(&self, before: &Self) -> Vec<String> {
        let mut gone: Vec<&Known> = before.findings.iter().collect();
        let mut new: Vec<&Known> = self.findings.iter().collect();
        for same in [Known::is_same, Known::is_alike] {
            new.retain(|known| match gone.iter().position(|old| same(old, known)) {
                Some(at) => {
                    gone.remove(at);
                    false
                }
                None => true,
            });
        }
        let mut lines: Vec<String> = gone
            .iter()
            .map(|known| format!("{} at line {} fixed", known.rule, known.line))
            .collect();
        lines.extend(new.iter().map(|known| {
            let Known {
                rule,
                name,
                severity,
                line,
                message,
                ..
            } = known;
            format!("new: {severity} {rule} {name} at line {line}: {message}")
        }));
        if let (Some(then), Some(now)) = (before.makespan, self.makespan) {
            let times = [
                (before.exposed, self.exposed, "exposed"),
                (then, now, "makespan"),
            ];
            let changed = times.into_iter().filter(|(then, now, _)| then != now);
            lines.extend(changed.map(|(then, now, what)| {
                if now < then {
                    format!("-{} {what}", then - now)
                } else {
                    format!("+{} {what}", now - then)
                }
            }));
        }
        if lines.is_empty() {
            lines.push("nothing is different in what was found".to_owned());
        }
        lines
    }
}
