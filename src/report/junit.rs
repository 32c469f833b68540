//! The format `junit`: XML as test frameworks write it, for the pages that build servers make of it.

use super::format::Format;
use super::judgement::{self, JUDGEMENT, JudgementPrinter};
use super::test::{TEST, TestedFile};
use super::verification::VERIFICATION;
use super::{Style, text};
use crate::finding::Source;
use crate::workbench::{Class, Counterexample, DriverJudgement, Fault, Verification};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::io::{self, Write};

/// The format.
pub const FORMAT: Format = Format {
    extensions: &["junit.xml", "xml"],
    writers: &[
        TEST.by(&(test as _)),
        VERIFICATION.by(&(verification as _)),
        JUDGEMENT.by(&(judgement as JudgementPrinter)),
    ],
    usage: "From `test` and `verify`: a case for each file, or for each profile.",
    ..Format::new("junit", "JUnit XML, for build servers")
};

/// A case for each file.
fn test(files: &[TestedFile], _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut suite = TestSuite::new("scenarios");
    for file in files {
        let message = match file.differences.as_slice() {
            [] => None,
            [one] => Some(one.clone()),
            several => Some(format!("{} differences", several.len())),
        };
        let text = file.differences.join("\n");
        suite.add_test_case(case(&file.path, "syncscope test", message, &text));
    }
    write("syncscope test", suite, out)
}

/// A case for each profile; the counterexamples of a profile on which the lowering is wrong are in it.
fn verification(found: &Verification, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut suite = TestSuite::new(text::clean(&found.lowering));
    for profile in &found.profiles {
        let (wrong, legal) = (profile.wrong, found.legal);
        let message = match (found.is_wrong_on(profile), found.untried) {
            (false, 0) if !found.is_judged() => Some("no program is legal".to_owned()),
            (false, 0) => None,
            (false, untried) => Some(format!("stopped: {untried} programs were not tried")),
            (true, _) if wrong == 0 => {
                Some("wrong on what is left of an illegal program".to_owned())
            }
            (true, _) => Some(format!("wrong on {wrong} of {legal} legal programs")),
        };
        let examples = found.counterexamples.iter().filter(|it| it.is_legal());
        let own = examples.filter(|example| example.profiles.contains(&profile.profile));
        let told: Vec<String> = own.map(told).collect();
        let name = format!("{} on {}", found.lowering, profile.profile);
        suite.add_test_case(case(&name, "syncscope verify", message, &told.join("\n")));
    }
    write("syncscope verify", suite, out)
}

/// A suite for each driver, and in it a case for each scenario; one for what is wrong with the recording. What is owed only if
/// something is dirty fails nothing.
fn judgement(
    found: &DriverJudgement,
    source: &Source,
    _: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut report = Report::new("syncscope judge");
    for driver in &found.drivers {
        let title = judgement::title(driver);
        let mut suite = TestSuite::new(title.clone());
        for situation in driver.legal() {
            let fails = situation.class().is_some_and(|it| it > Class::Owed);
            let causes: Vec<&str> = situation.lacks.iter().map(|it| it.cause.as_str()).collect();
            let message = fails.then(|| causes.join("; "));
            let lines = situation.lacks.iter().flat_map(judgement::lines);
            let text = lines.collect::<Vec<_>>().join("\n");
            suite.add_test_case(case(&situation.name, &title, message, &text));
        }
        report.add_test_suite(suite);
    }
    if !found.findings.is_empty() {
        let mut suite = TestSuite::new("recording");
        for mistake in &found.findings {
            let name = format!("line {}", source.line(mistake.span.start));
            let says = format!("{}: {}", mistake.rule.id, mistake.message);
            // Of an error, a part of the recording was not judged.
            let message = mistake.severity.fails().then(|| says.clone());
            let mut told = case(&name, "recording", message, "");
            if !mistake.severity.fails() {
                told.set_system_out(harmless(&says));
            }
            suite.add_test_case(told);
        }
        report.add_test_suite(suite);
    }
    report.serialize(&mut *out).map_err(io::Error::other)
}

fn told(example: &Counterexample) -> String {
    let kinds: Vec<String> = example.faults.iter().map(Fault::kind).collect();
    let says = example.says.join("\n");
    format!("{}\n{says}\n\n{}", kinds.join("; "), example.text)
}

fn case(name: &str, class: &str, failure: Option<String>, text: &str) -> TestCase {
    let status = match failure {
        None => TestCaseStatus::success(),
        Some(message) => {
            let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
            status
                .set_message(text::clean(&message))
                .set_description(harmless(text));
            status
        }
    };
    let mut case = TestCase::new(text::clean(name), status);
    case.set_classname(class);
    case
}

/// A text of several lines without control characters.
fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.lines().map(text::clean).collect();
    lines.join("\n")
}

fn write(name: &str, suite: TestSuite, out: &mut dyn Write) -> io::Result<()> {
    let mut report = Report::new(name);
    report.add_test_suite(suite);
    report.serialize(&mut *out).map_err(io::Error::other)?;
    Ok(())
}
