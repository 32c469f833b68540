//! The format `github`: findings as annotations, which GitHub shows at their lines of a pull request.
//!
//! A workflow command is one line: `::error file=…,line=…::message`. What would end a property or the line is written as
//! `%25`, `%0D`, `%0A`, `%3A` and `%2C`, which is how the runner reads it back.

use super::format::{Format, REPORT, WriteReport};
use super::{Style, text};
use crate::finding::{Finding, Severity, Source};
use crate::run::Report;
use std::fmt::Write as _;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    writers: &[REPORT.by(&WriteReport::Each(write))],
    usage: "Print it in a workflow: a pull request shows findings at their lines, ten of each kind in a step.",
    ..Format::new("github", "annotations of a GitHub workflow")
};

fn write(report: &Report, source: &Source, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    for finding in &report.findings {
        writeln!(out, "{}", annotation(report, finding, source))?;
    }
    for unlisted in &report.unlisted {
        let word = word(unlisted.severity);
        let title = property(&format!("{} {}", unlisted.rule.id, unlisted.rule.name));
        let file = property(&report.file);
        let says = text::count(unlisted.count, "further finding", "further findings");
        writeln!(out, "::{word} file={file},title={title}::{says}")?;
    }
    Ok(())
}

fn annotation(report: &Report, finding: &Finding, source: &Source) -> String {
    let (start, end) = (finding.span.start, finding.span.end);
    let (line, last) = (source.line(start), source.line(end));
    let mut place = format!("file={},line={line}", property(&report.file));
    // A column counts only within one line: the runner refuses an end column of another.
    if line == last {
        let (column, end) = (source.column(start), source.column(end));
        let _ = write!(place, ",col={column},endLine={last},endColumn={end}");
    } else {
        let _ = write!(place, ",endLine={last}");
    }
    let rule = finding.rule;
    let title = property(&format!("{} {}", rule.id, rule.name));
    let mut says = vec![finding.message.to_string()];
    says.extend(finding.notes.iter().map(|note| format!("note: {note}")));
    if let Some(hazard) = finding.hazard.as_deref() {
        let of = |number, party: &crate::finding::Party| {
            let line = source.line(party.span.start);
            format!(
                "({number}) line {line}: {} ({}) on {}",
                party.label, party.command, party.queue
            )
        };
        says.push(of(1, &hazard.first));
        says.push(of(2, &hazard.second));
    }
    let fix = finding.fix.as_deref().map(|fix| fix.says.as_str());
    if let Some(help) = finding.help.as_deref().or(fix) {
        says.push(format!("help: {help}"));
    }
    let says: Vec<String> = says.iter().map(|line| text::clean(line)).collect();
    let word = word(finding.severity);
    format!("::{word} {place},title={title}::{}", data(&says.join("\n")))
}

fn word(severity: Severity) -> &'static str {
    match severity {
        Severity::Error | Severity::Hazard => "error",
        Severity::Warning => "warning",
        Severity::Advice => "notice",
    }
}

/// The text of a command.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(&text::clean(text))
        .replace(':', "%3A")
        .replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{data, property};

    #[test]
    fn what_would_end_a_value_is_escaped() {
        assert_eq!(data("100% a\r\nb: c, d"), "100%25 a%0D%0Ab: c, d");
        assert_eq!(property("C:\\a,b\u{202e}%"), "C%3A\\a%2Cb\\u{202e}%25");
    }
}
