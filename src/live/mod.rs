//! What a page in a browser asks, and what it is answered: JSON in, JSON out.
//!
//! A page has a text and the files that it names, and no command line. It asks for one of these:
//!
//! * `{"ask": "lists"}`: profiles and lowerings by name, for menus.
//! * `{"ask": "run", "name": …, "text": …}`, with `files`, `profile` and `lowering` if need be: what the text is worth. The
//!   extension of the name says what it is: a litmus test (`.litmus`), a rule file (`.lower`), or a scenario.
//! * `{"ask": "marks", …}` with the same: only the findings, which come sooner. `"fixes": false` leaves their fixes out.
//! * `{"ask": "lesson", "name": …, "text": …, "files": …}`: the text as an attempt at a lesson. The lesson of that name and
//!   its solution are among the files. The answer has the checks too, and no fix: a lesson has its hints for that.
//! * `{"ask": "card", "name": …, "files": …}`: what a lesson says, asks and hints at, and what a student starts with.
//! * `{"ask": "words", "name": …, "text": …, "at": …}`: which words may be at a place of the text.
//! * `{"ask": "hover", …}` with the same: what the word there means.
//!
//! Places in the text are counted in UTF-16 units, as a browser counts. What cannot be done is answered too: `unusable` says
//! why. Nothing is remembered from one question to the next, and the same question has the same answer, byte for byte.

mod lesson;
mod marks;
mod words;

use crate::assist::marks::{self as found_in, ran};
use crate::catalog;
use crate::finding::{Finding, Source};
use crate::litmus::examine::ExamineOptions;
use crate::litmus::study::study;
use crate::report::html::write_data;
use crate::report::litmus::Sheet;
use crate::report::{Style, terminal};
use crate::run::lesson::Kind;
use crate::run::{self, Drawn, Options, Reader, Registry, Report, Texts, Unusable, read_lowering};
use marks::{Mark, Marks};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::BTreeMap;

/// What is asked.
#[derive(Deserialize, Debug)]
#[serde(deny_unknown_fields)]
struct Question {
    ask: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    text: String,
    /// Texts by name: whatever the text names, and of a lesson its start and solution.
    #[serde(default)]
    files: BTreeMap<String, String>,
    /// Empty: the one that the text says.
    #[serde(default)]
    profile: String,
    /// The same.
    #[serde(default)]
    lowering: String,
    /// A place in the text.
    #[serde(default)]
    at: usize,
    /// Whether findings have their fixes.
    #[serde(default = "yes")]
    fixes: bool,
}

fn yes() -> bool {
    true
}

/// Why there is no answer.
#[derive(Serialize)]
struct Refusal {
    unusable: String,
}

/// What a text is worth.
#[derive(Serialize, Default)]
struct Worth {
    /// Why nothing could be run.
    #[serde(skip_serializing_if = "Option::is_none")]
    unusable: Option<String>,
    /// Findings by place.
    marks: Vec<Mark>,
    /// The same in words, of a text that has no page.
    says: String,
    /// What the page's script shows; none of a text that is no scenario.
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<Box<RawValue>>,
}

impl Worth {
    fn unusable(what: &Unusable) -> Self {
        Self {
            unusable: Some(what.to_string()),
            says: format!("{what}\n"),
            ..Self::default()
        }
    }
}

/// Names with what they are.
#[derive(Serialize)]
struct Named {
    name: &'static str,
    summary: String,
}

/// What menus list.
#[derive(Serialize)]
struct Lists {
    version: &'static str,
    profiles: Vec<Named>,
    lowerings: Vec<Named>,
}

/// Answers a question.
pub fn answer(question: &str) -> String {
    let question: Question = match serde_json::from_str(question) {
        Ok(question) => question,
        Err(error) => return refusal(format!("the question is not understood: {error}")),
    };
    let registry = catalog::registry();
    match question.ask.as_str() {
        "lists" => json(&lists(&registry)),
        "run" => json(&worth(&question, &registry, question.fixes)),
        "marks" => json(&found(&question, &registry)),
        "lesson" => lesson::attempt(&question, &registry).unwrap_or_else(refusal),
        "card" => lesson::card(&question, &registry).unwrap_or_else(refusal),
        "words" => json(&words::at(&question)),
        "hover" => json(&words::hover(&question)),
        other => refusal(format!(
            "nothing is called `{other}`: ask for lists, run, marks, lesson, card, words or hover"
        )),
    }
}

fn refusal(unusable: String) -> String {
    json(&Refusal { unusable })
}

fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("every answer is JSON")
}

fn lists(registry: &Registry) -> Lists {
    let profiles = registry.profiles.iter().map(|entry| Named {
        name: entry.name,
        summary: registry
            .profile(entry.name)
            .map_or_else(|_| String::new(), |it| it.summary.clone()),
    });
    let lowerings = registry.lowerings.iter().map(|it| Named {
        name: it.name(),
        summary: it.summary().to_owned(),
    });
    Lists {
        version: env!("CARGO_PKG_VERSION"),
        profiles: profiles.collect(),
        lowerings: lowerings.collect(),
    }
}

impl Question {
    fn kind(&self) -> Kind {
        Kind::of(&self.name)
    }

    fn source(&self) -> Source {
        Source::new(self.name.clone(), self.text.clone())
    }

    fn named(word: &str) -> Option<String> {
        (!word.is_empty()).then(|| word.to_owned())
    }

    /// How the text is run. The text itself is one of the files.
    fn options(&self) -> Options {
        let own = (self.name.as_str(), self.text.as_str());
        let files = self
            .files
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()));
        Options {
            profile: Self::named(&self.profile),
            lowering: Self::named(&self.lowering),
            drawn: Drawn::Page,
            files: Reader::from(files.chain([own]).collect::<Texts>()),
            ..Options::default()
        }
    }
}

/// What a text is worth, with or without its fixes.
fn worth(question: &Question, registry: &Registry, fixes: bool) -> Worth {
    let source = question.source();
    match question.kind() {
        Kind::Litmus => litmus_test(&source, fixes),
        Kind::Rules => rules(&source, fixes),
        Kind::Scenario => scenario(&source, registry, &question.options(), fixes),
    }
}

/// What is found in a text: what it is worth without its page.
fn found(question: &Question, registry: &Registry) -> Worth {
    if question.kind() != Kind::Scenario {
        return worth(question, registry, question.fixes);
    }
    let source = question.source();
    let options = found_in::only_findings(question.options(), question.fixes);
    match ran(&source, registry, &options) {
        Ok(report) => Worth {
            marks: Marks::of(&source).all(&without_fixes(report, question.fixes).findings),
            ..Worth::default()
        },
        Err(what) => Worth::unusable(&what),
    }
}

fn scenario(source: &Source, registry: &Registry, options: &Options, fixes: bool) -> Worth {
    match ran(source, registry, options) {
        Ok(report) => shown(&without_fixes(report, fixes), source),
        Err(what) => Worth::unusable(&what),
    }
}

fn without_fixes(mut report: Report, fixes: bool) -> Report {
    if !fixes {
        hide_fixes(&mut report.findings);
    }
    report
}

fn hide_fixes(findings: &mut [Finding]) {
    for finding in findings {
        (finding.help, finding.fix) = (None, None);
    }
}

/// A report as a page shows it.
fn shown(report: &Report, source: &Source) -> Worth {
    let mut page = Vec::new();
    write_data(report, source, &Style::default(), &mut page).expect("a vector takes all");
    let page = String::from_utf8(page).expect("JSON is text");
    Worth {
        unusable: None,
        marks: Marks::of(source).all(&report.findings),
        says: String::new(),
        page: Some(RawValue::from_string(page).expect("the page's data is JSON")),
    }
}

fn litmus_test(source: &Source, fixes: bool) -> Worth {
    let (kernel, findings) = run::read_litmus(source);
    if !findings.is_empty() {
        return only_findings(findings, source, fixes);
    }
    let study = study(&kernel, &ExamineOptions::default(), None);
    let sheet = Sheet {
        source,
        kernel: &kernel,
        study: &study,
        mutations: false,
    };
    let mut verdicts = Vec::new();
    terminal::litmus::without_findings(&sheet, &Style::default(), &mut verdicts)
        .expect("a vector takes all");
    let found = only_findings(study.findings, source, fixes);
    Worth {
        says: String::from_utf8_lossy(&verdicts).into_owned() + &found.says,
        ..found
    }
}

/// A rule file for no profile in particular.
fn rules(source: &Source, fixes: bool) -> Worth {
    only_findings(read_lowering(source, None).findings, source, fixes)
}

/// What is not understood, or is only read.
fn only_findings(mut findings: Vec<Finding>, source: &Source, fixes: bool) -> Worth {
    if !fixes {
        hide_fixes(&mut findings);
    }
    let marks = Marks::of(source).all(&findings);
    let says = marks.iter().map(Mark::in_a_line);
    Worth {
        says: says.collect(),
        marks,
        ..Worth::default()
    }
}
