//! Captures to scenarios: hand-written lines by the format's rules for each construct, planted mistakes, hostile text.

mod attachments;
#[allow(
    clippy::needless_pass_by_value,
    reason = "values are made where they are given"
)]
mod capture;
mod compressed;
#[allow(
    clippy::needless_pass_by_value,
    reason = "values are made where they are given"
)]
mod d3d12;
mod hostile;
mod hosts;
mod loads;
mod parts;
mod planted;
mod queues;
mod stages;
#[allow(
    clippy::needless_pass_by_value,
    reason = "values are made where they are given"
)]
mod templates;
mod texts;

use syncscope::catalog;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::interop::import::{Imported, Importer, Options};
use syncscope::run;
use syncscope::scenario;

/// Imports a text.
fn import(text: &str) -> Imported {
    import_with(text, Options::default())
}

fn import_with(text: &str, options: Options) -> Imported {
    let mut importer = Importer::new(options);
    for (number, line) in (1..).zip(text.lines()) {
        if importer.line(number, line.as_bytes()).is_break() {
            break;
        }
    }
    importer.finish()
}

/// The text of an imported scenario, which must be scenario text as `fmt` prints it.
fn text_of(imported: &Imported) -> String {
    let text = scenario::print(&imported.scenario);
    let (again, findings) = scenario::parse(&Source::new("imported", &text));
    assert!(
        findings.iter().all(|f| !f.severity.fails()),
        "{findings:#?}\n{text}"
    );
    assert_eq!(
        scenario::print(&again),
        text,
        "printed once more it is the same"
    );
    text
}

/// Errors and hazards of a scenario's text, with the number of the call that each is about.
fn findings(text: &str) -> Vec<(String, u64)> {
    found(text, |finding| finding.severity.fails())
}

/// Hazards that rest on a use that may not be made.
fn doubts(text: &str) -> Vec<(String, u64)> {
    found(text, |finding| {
        finding.severity == Severity::Warning && finding.rule.id.starts_with("HZ")
    })
}

fn found(text: &str, fits: impl Fn(&Finding) -> bool) -> Vec<(String, u64)> {
    let report = run::check(&Source::new("imported", text), &run::Options::default());
    let lines: Vec<&str> = text.lines().collect();
    let of = |finding: &Finding| (finding.rule.id.to_owned(), call_at(&lines, finding, text));
    report.findings.iter().filter(|f| fits(f)).map(of).collect()
}

/// Everything that is not advice about cost.
fn warnings(text: &str) -> Vec<String> {
    let report = run::check(&Source::new("imported", text), &run::Options::default());
    let kept = report
        .findings
        .iter()
        .filter(|f| f.severity == Severity::Warning);
    kept.map(|f| f.rule.id.to_owned()).collect()
}

/// Waste that a run claims.
fn waste(text: &str) -> Vec<String> {
    let (source, options) = (Source::new("imported", text), run::Options::default());
    let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
    let waste = report.findings.iter().filter(|f| f.rule.family() == "RD");
    waste.map(|f| f.rule.id.to_owned()).collect()
}

/// The number in the comment at the end of the statement that a finding is on.
fn call_at(lines: &[&str], finding: &Finding, text: &str) -> u64 {
    let before = &text[..finding.span.start as usize];
    let line = before.matches('\n').count();
    let comment = lines[line..]
        .iter()
        .find_map(|line| line.split_once("// call "));
    comment.map_or(0, |(_, number)| number.trim().parse().expect("a number"))
}
