//! Findings by place, as an editor marks them.

use crate::assist::places::Units;
use crate::finding::{Finding, Source, Span};
use serde::Serialize;

/// A finding in the text.
#[derive(Serialize, Debug, PartialEq)]
pub(super) struct Mark {
    /// First unit.
    from: usize,
    /// The unit after the last.
    to: usize,
    /// Line, counted from 1.
    line: u32,
    severity: &'static str,
    rule: &'static str,
    name: &'static str,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    help: Option<String>,
    /// Further places, with what is there.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related: Vec<Related>,
    /// A change that was tried on a copy: it removes the finding and adds none.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<Change>,
}

impl Mark {
    /// The finding in words.
    pub(super) fn in_a_line(&self) -> String {
        let help = self
            .help
            .as_deref()
            .map_or_else(String::new, |help| format!("  fix: {help}\n"));
        format!(
            "line {}: {} {} {}: {}\n{help}",
            self.line, self.severity, self.rule, self.name, self.message
        )
    }
}

#[derive(Serialize, Debug, PartialEq)]
struct Related {
    from: usize,
    to: usize,
    line: u32,
    says: String,
}

#[derive(Serialize, Debug, PartialEq)]
struct Change {
    says: String,
    edits: Vec<Replacement>,
}

#[derive(Serialize, Debug, PartialEq)]
struct Replacement {
    from: usize,
    to: usize,
    text: String,
}

/// Places of a text in UTF-16 units.
pub(super) struct Marks<'s> {
    source: &'s Source,
    units: Units<'s>,
}

impl<'s> Marks<'s> {
    pub(super) fn of(source: &'s Source) -> Self {
        let units = Units::of(&source.text);
        Self { source, units }
    }

    fn place(&self, span: Span) -> (usize, usize, u32) {
        let (from, to) = (self.units.before(span.start), self.units.before(span.end));
        (from, to, self.source.line(span.start))
    }

    pub(super) fn all(&self, findings: &[Finding]) -> Vec<Mark> {
        findings.iter().map(|finding| self.mark(finding)).collect()
    }

    fn mark(&self, finding: &Finding) -> Mark {
        let (from, to, line) = self.place(finding.span);
        let related = finding.related.iter().map(|it| {
            let (from, to, line) = self.place(it.span);
            let says = it.label.to_string();
            Related {
                from,
                to,
                line,
                says,
            }
        });
        let fix = finding.fix.as_deref().map(|fix| {
            let edits = fix.edits.iter().map(|edit| {
                let (from, to, _) = self.place(edit.span);
                let text = edit.text.clone();
                Replacement { from, to, text }
            });
            Change {
                says: fix.says.clone(),
                edits: edits.collect(),
            }
        });
        Mark {
            from,
            to,
            line,
            severity: finding.severity.word(),
            rule: finding.rule.id,
            name: finding.rule.name,
            message: finding.message.to_string(),
            help: finding.help.as_deref().map(str::to_owned),
            related: related.collect(),
            fix,
        }
    }
}
