//! The format `sarif`: findings as a log of SARIF 2.1.0, which code scanners and editors read.
//!
//! One log has one run with the findings of every scenario; its rules are those that were found, each with its page. Lines
//! and columns count from 1, columns in characters (`unicodeCodePoints`), and the end of a region is the column after it.

use super::format::{Format, REPORT, WriteReport};
use super::page::body;
use super::{Style, text};
use crate::finding::{Edit, Finding, Party, Rule, Severity, Source, Span};
use crate::run::Report;
use indexmap::IndexMap;
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["sarif", "sarif.json"],
    writers: &[REPORT.by(&WriteReport::All(write))],
    usage: "Upload it to the code scanning of GitHub, GitLab or Azure, or open it next to the scenario in an editor with a SARIF viewer: \
            fixes can be applied from it. Of a scenario in JSON it names only the file.",
    ..Format::new("sarif", "SARIF 2.1.0, for code scanners and editors")
};

fn write(reports: &[(&Report, &Source)], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut rules: IndexMap<&str, &Rule> = IndexMap::new();
    for (report, _) in reports {
        for finding in &report.findings {
            rules.entry(finding.rule.id).or_insert(finding.rule);
        }
        for unlisted in &report.unlisted {
            rules.entry(unlisted.rule.id).or_insert(unlisted.rule);
        }
    }
    let mut results = Vec::new();
    for (report, source) in reports {
        let place = SarifFile {
            source,
            uri: uri(&report.file),
            has_lines: !is_translated(&report.file),
        };
        let of = |id: &str| rules.get_index_of(id).unwrap_or_default();
        let found = report.findings.iter();
        results.extend(found.map(|finding| place.result(finding, of(finding.rule.id))));
        let further = report.unlisted.iter();
        results.extend(further.map(|unlisted| {
            let says = text::count(unlisted.count, "further finding", "further findings");
            json!({
                "ruleId": unlisted.rule.id,
                "ruleIndex": of(unlisted.rule.id),
                "level": level(unlisted.severity),
                "message": { "text": format!("{says} of this rule; the report has no room for them") },
                "locations": [{ "physicalLocation": place.file() }],
            })
        }));
    }
    let log = json!({
        "$schema": "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": {
                "name": "syncscope",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules.values().map(|rule| descriptor(rule)).collect::<Vec<Value>>(),
            }},
            "columnKind": "unicodeCodePoints",
            "artifacts": artifacts(reports),
            "results": results,
        }],
    });
    serde_json::to_writer_pretty(&mut *out, &log)?;
    writeln!(out)
}

/// The scenarios, once each.
fn artifacts(reports: &[(&Report, &Source)]) -> Vec<Value> {
    let mut files: Vec<String> = reports
        .iter()
        .map(|(report, _)| uri(&report.file))
        .collect();
    files.sort();
    files.dedup();
    let artifact = |uri: &String| json!({ "location": { "uri": uri }, "mimeType": "text/plain", "encoding": "UTF-8" });
    files.iter().map(artifact).collect()
}

/// A rule with its page.
fn descriptor(rule: &Rule) -> Value {
    let page = body(rule);
    json!({
        "id": rule.id,
        "name": pascal(rule.name),
        "shortDescription": { "text": rule.summary },
        "fullDescription": { "text": rule.summary },
        "help": { "text": page, "markdown": page },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.family(), rule.name], "severity": rule.severity.word() },
    })
}

/// `read-after-write` as `ReadAfterWrite`, which is how names of rules are written here.
fn pascal(name: &str) -> String {
    name.split('-')
        .flat_map(|word| {
            let mut chars = word.chars();
            let first = chars.next().map(|c| c.to_ascii_uppercase());
            first.into_iter().chain(chars)
        })
        .collect()
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error | Severity::Hazard => "error",
        Severity::Warning => "warning",
        Severity::Advice => "note",
    }
}

/// Places of a scenario that is JSON are those of the text that it was translated to: the file has other lines.
fn is_translated(file: &str) -> bool {
    let extension = file.rsplit_once('.').map_or("", |(_, extension)| extension);
    extension.eq_ignore_ascii_case("json")
}

/// The file in which findings have their places.
struct SarifFile<'a> {
    source: &'a Source,
    uri: String,
    has_lines: bool,
}

impl SarifFile<'_> {
    fn result(&self, finding: &Finding, rule: usize) -> Value {
        let mut related: Vec<Value> = Vec::new();
        if let Some(hazard) = finding.hazard.as_deref() {
            for (number, party) in [(1, &hazard.first), (2, &hazard.second)] {
                related.push(self.related(number, party.span, &side(number, party)));
            }
        }
        for place in &finding.related {
            related.push(self.related(related.len() + 1, place.span, &place.label));
        }
        let mut result = json!({
            "ruleId": finding.rule.id,
            "ruleIndex": rule,
            "level": level(finding.severity),
            "message": { "text": message(finding) },
            "locations": [{ "physicalLocation": self.physical(finding.span) }],
            "relatedLocations": related,
            "properties": {
                "severity": finding.severity.word(),
                "resource": finding.resource.as_deref(),
                "specInvalid": finding.is_spec_invalid(),
                "visible": finding.visible,
                "repeats": finding.repeats,
            },
        });
        if let Some(fix) = finding.fix.as_deref().filter(|_| self.has_lines) {
            let replacement = |edit: &Edit| {
                json!({
                    "deletedRegion": self.region(edit.span),
                    "insertedContent": { "text": edit.text },
                })
            };
            result["fixes"] = json!([{
                "description": { "text": fix.says },
                "artifactChanges": [{
                    "artifactLocation": { "uri": self.uri },
                    "replacements": fix.edits.iter().map(replacement).collect::<Vec<Value>>(),
                }],
            }]);
        }
        result
    }

    fn related(&self, id: usize, span: Span, label: &str) -> Value {
        json!({
            "id": id,
            "physicalLocation": self.physical(span),
            "message": { "text": text::clean(label) },
        })
    }

    fn physical(&self, span: Span) -> Value {
        let mut place = self.file();
        if self.has_lines {
            place["region"] = self.region(span);
        }
        place
    }

    fn file(&self) -> Value {
        json!({ "artifactLocation": { "uri": self.uri } })
    }

    fn region(&self, span: Span) -> Value {
        let source = self.source;
        json!({
            "startLine": source.line(span.start),
            "startColumn": source.column(span.start),
            "endLine": source.line(span.end),
            "endColumn": source.column(span.end),
        })
    }
}

/// What a finding says, a paragraph each.
fn message(finding: &Finding) -> String {
    let mut says = vec![finding.message.to_string()];
    says.extend(finding.notes.iter().map(|note| format!("Note: {note}")));
    says.extend(finding.help.iter().map(|help| format!("Help: {help}")));
    let says: Vec<String> = says.iter().map(|line| text::clean(line)).collect();
    says.join("\n\n")
}

fn side(number: usize, party: &Party) -> String {
    let words = [&*party.stage, &*party.access];
    let uses: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
    let uses = if uses.is_empty() {
        String::new()
    } else {
        format!(", {}", uses.join(" "))
    };
    format!(
        "({number}) {} ({}) on {}{uses}",
        party.label, party.command, party.queue
    )
}

/// A file's name as a URI: a relative reference, or `file:` for a name from the root.
fn uri(file: &str) -> String {
    let path = if cfg!(windows) {
        file.replace('\\', "/")
    } else {
        file.to_owned()
    };
    let mut out = String::new();
    let has_drive = cfg!(windows) && path.as_bytes().get(1) == Some(&b':');
    if has_drive {
        out.push_str("file:///");
    } else if path.starts_with('/') {
        out.push_str("file://");
    }
    let (drive, path) = path.split_at(if has_drive { 2 } else { 0 });
    out + drive + &percent_coded(path, b"-._~/")
}

/// A text in a URI: other bytes than letters, digits and those of `plain` as `%` and their number.
pub(crate) fn percent_coded(text: &str, plain: &[u8]) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || plain.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{pascal, uri};

    #[test]
    fn names_of_files_are_uris() {
        assert_eq!(uri("scenes/a b#1.scn"), "scenes/a%20b%231.scn");
        assert_eq!(uri("a:b?.scn"), "a%3Ab%3F.scn");
        assert_eq!(uri("<stdin>"), "%3Cstdin%3E");
        assert_eq!(uri("é.scn"), "%C3%A9.scn");
        #[cfg(unix)]
        assert_eq!(uri("/tmp/a.scn"), "file:///tmp/a.scn");
    }

    #[test]
    fn names_of_rules_are_words_in_one() {
        assert_eq!(pascal("read-after-write"), "ReadAfterWrite");
    }
}
