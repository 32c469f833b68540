//! Findings by place, as an editor marks them.

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
    /// Units before each line.
    lines: Vec<usize>,
}

impl<'s> Marks<'s> {
    pub(super) fn of(source: &'s Source) -> Self {
        let mut lines = Vec::new();
        let mut before = 0;
        for line in source.text.split_inclusive('\n') {
            lines.push(before);
            before += line.encode_utf16().count();
        }
        lines.push(before);
        Self { source, lines }
    }

    /// The units before a byte.
    fn units(&self, byte: u32) -> usize {
        let line = self.source.line(byte);
        let start = self.source.line_start(line) as usize;
        let before = self.lines.get(line as usize - 1).copied().unwrap_or(0);
        let head = self.source.text.get(start..byte as usize);
        before + head.map_or(0, |head| head.encode_utf16().count())
    }

    fn place(&self, span: Span) -> (usize, usize, u32) {
        let (from, to) = (self.units(span.start), self.units(span.end));
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

/// The byte at which a unit begins; the end of the text for those beyond it.
pub(super) fn byte_of(text: &str, unit: usize) -> usize {
    let mut units = 0;
    for (byte, character) in text.char_indices() {
        if units >= unit {
            return byte;
        }
        units += character.len_utf16();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::{Marks, byte_of};
    use crate::finding::Source;

    #[test]
    fn places_are_counted_in_units_of_utf_16() {
        // `é` is two bytes and one unit, `𝄞` four bytes and two units.
        let source = Source::new("a.scn", "é\n𝄞x\n");
        let marks = Marks::of(&source);
        let units: Vec<usize> = [0, 2, 3, 7, 8, 9].map(|byte| marks.units(byte)).into();
        assert_eq!(units, [0, 1, 2, 4, 5, 6]);
        let bytes: Vec<usize> = [0, 1, 2, 4, 5, 6, 99]
            .map(|unit| byte_of(&source.text, unit))
            .into();
        assert_eq!(bytes, [0, 2, 3, 7, 8, 9, 9]);
    }
}
