//! A studied litmus test as JSON. The terminal's layout of it is `terminal/litmus.rs`.

use super::format::Output;
use super::{Style, json, terminal};
use crate::finding::{Finding, Source};
use crate::kernel::{Kernel, Verdict, print_condition, print_subject};
use crate::litmus::mutate::{Reason, Tried, Weakening};
use crate::litmus::study::Study;
use crate::litmus::witness::Witness;
use crate::schema::schema;
use indexmap::IndexMap;
use serde::Serialize;
use std::io::{self, Write};

/// The form's version.
const SCHEMA: u32 = 1;

/// What is printed about one file.
pub struct Sheet<'a> {
    /// Text of the file.
    pub source: &'a Source,
    /// The parsed test.
    pub kernel: &'a Kernel,
    /// What studying the test found.
    pub study: &'a Study,
    /// Print every weaker version.
    pub mutations: bool,
}

/// How litmus tests are written.
#[derive(Copy, Clone)]
#[non_exhaustive]
pub enum WriteLitmus {
    /// Each as soon as it is studied.
    Each(fn(&Sheet<'_>, &Style, &mut dyn Write) -> io::Result<()>),
    /// All in one document.
    All(fn(&[Sheet<'_>], &Style, &mut dyn Write) -> io::Result<()>),
}

/// Every outcome of litmus tests: `litmus`.
pub(crate) const LITMUS: Output<WriteLitmus> = Output {
    name: "litmus",
    noun: "a litmus report",
    writers: &[
        ("terminal", WriteLitmus::Each(terminal::litmus::write)),
        (
            "json",
            WriteLitmus::All(|sheets, _, out| {
                let sheets = sheets.iter().map(SheetRow::new);
                json::indented(&LitmusDocument(sheets.collect()), out)
            }),
        ),
    ],
    schema: Some(schema!(
        written LitmusDocument<'static>, "litmus-report", "The output of `litmus --format json`"
    )),
};

/// Litmus tests and what came of each.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct LitmusDocument<'a>(Vec<SheetRow<'a>>);

/// A litmus test and what came of it.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SheetRow<'a> {
    /// Version of this contract.
    schema: u32,
    /// The test's file.
    file: &'a str,
    /// Title; null if it has none.
    title: Option<&'a str>,
    /// Every expectation holds.
    holds: bool,
    /// Expectations in the order of the text.
    expectations: Vec<ExpectationRow<'a>>,
    /// What the numbers of an outcome are values of.
    subjects: Vec<String>,
    /// Each memory model.
    models: Vec<ModelRow<'a>>,
    /// Findings by place.
    findings: Vec<FindingRow<'a>>,
    /// Every weaker version of the test; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    mutations: Option<Vec<MutationRow<'a>>>,
    /// Random runs; left out unless asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    random: Option<RandomRow<'a>>,
}

/// What a memory model reaches.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ModelRow<'a> {
    /// Name of the model.
    model: &'static str,
    /// States that were explored.
    states: usize,
    /// Steps between them.
    transitions: u64,
    /// Every state was explored.
    complete: bool,
    /// Outcomes, each with a number for each of `subjects`.
    outcomes: Vec<&'a [u32]>,
}

/// An expectation, and what is true of its condition.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ExpectationRow<'a> {
    /// Line of its text.
    line: u32,
    /// The condition.
    condition: String,
    /// The verdict that is expected.
    expected: &'static str,
    /// The verdict; null if the exploration gave up before it was known.
    verdict: Option<&'static str>,
    /// Both are the same.
    holds: bool,
    /// By model: whether it reaches the condition.
    reached: IndexMap<&'static str, bool>,
    /// A way to the condition; null if there is none or none is told.
    witness: Option<&'a Witness>,
    /// What forbids the condition: `fences` (each of `forbidden_by` does), `fences-together` or `no-fence`; null if it is
    /// not forbidden.
    forbidden_because: Option<&'static str>,
    /// Fences without which it is not forbidden; null if it is not forbidden.
    forbidden_by: Option<Vec<FenceRow<'a>>>,
}

/// A fence of the text.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FenceRow<'a> {
    /// The instruction.
    fence: &'a str,
    /// Threads that have it, by number.
    threads: Vec<usize>,
    /// Line of the first of them.
    line: u32,
}

/// A weaker version of the test.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MutationRow<'a> {
    #[serde(flatten)]
    fence: FenceRow<'a>,
    /// What is there instead of the fence; null for nothing.
    replaced_by: Option<&'a str>,
    /// It has the same outcomes.
    equivalent: bool,
    /// Verdicts by expectation; null where the exploration gave up before it was known.
    verdicts: Vec<Option<&'static str>>,
}

/// What random runs saw.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct RandomRow<'a> {
    /// Name of the model.
    model: &'static str,
    /// Number of runs.
    runs: u64,
    /// Seed of the random numbers.
    seed: u64,
    /// Outcomes that were seen.
    seen: Vec<SeenRow<'a>>,
}

/// An outcome that random runs saw.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SeenRow<'a> {
    /// The outcome, a number for each of `subjects`.
    outcome: &'a [u32],
    /// How many runs ended so.
    times: u64,
}

/// A finding about the test.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct FindingRow<'a> {
    /// Permanent id of the rule.
    rule: &'static str,
    /// Name of the rule.
    name: &'static str,
    /// `error`, `hazard`, `warning` or `advice`.
    severity: &'static str,
    /// Line, counted from 1.
    line: u32,
    /// Column in characters, counted from 1.
    column: u32,
    /// The finding in one sentence.
    message: &'a str,
    /// Name of the variable; null if the finding is about none.
    resource: Option<&'a str>,
    /// What would be right; null if nothing is proposed.
    help: Option<&'a str>,
}

impl<'a> SheetRow<'a> {
    fn new(it: &Sheet<'a>) -> Self {
        let (kernel, study) = (it.kernel, it.study);
        let examination = &study.examination;
        let models = examination.answers.iter().map(|a| ModelRow {
            model: a.model.word(),
            states: a.exploration.states(),
            transitions: a.exploration.transitions,
            complete: a.exploration.complete,
            outcomes: a.exploration.outcomes.keys().map(Vec::as_slice).collect(),
        });
        let subjects = examination.subjects.iter();
        let findings = study.findings.iter();
        let tried = || {
            study
                .tried
                .iter()
                .map(|t| MutationRow::new(t, it))
                .collect()
        };
        Self {
            schema: SCHEMA,
            file: &it.source.name,
            title: kernel.title.as_deref(),
            holds: examination.holds(kernel),
            expectations: (0..kernel.expectations.len())
                .map(|index| expectation(it, index))
                .collect(),
            subjects: subjects.map(|s| print_subject(kernel, *s)).collect(),
            models: models.collect(),
            findings: findings.map(|f| finding(f, it.source)).collect(),
            mutations: it.mutations.then(tried),
            random: study
                .histogram
                .as_ref()
                .map(|(walks, histogram)| RandomRow {
                    model: walks.model.word(),
                    runs: walks.runs,
                    seed: walks.seed,
                    seen: histogram
                        .iter()
                        .map(|(outcome, &times)| SeenRow { outcome, times })
                        .collect(),
                }),
        }
    }
}

fn expectation<'a>(it: &Sheet<'a>, index: usize) -> ExpectationRow<'a> {
    let study = it.study;
    let expectation = &it.kernel.expectations[index];
    let judged = &study.examination.judged[index];
    let told = &study.told[index];
    let reached = judged.reached.iter();
    let fence = |&at: &usize| FenceRow::new(&study.tried[at], it);
    let (forbidden_because, forbidden_by) = match &told.reason {
        None => (None, None),
        Some(Reason::Fences(tried)) => (Some("fences"), Some(tried.iter().map(fence).collect())),
        Some(Reason::Together) => (Some("fences-together"), Some(Vec::new())),
        Some(Reason::NoFence) => (Some("no-fence"), Some(Vec::new())),
    };
    ExpectationRow {
        line: it.source.line(expectation.span.start),
        condition: print_condition(it.kernel, &expectation.condition),
        expected: expectation.verdict.word(),
        verdict: judged.verdict.map(Verdict::word),
        holds: judged.verdict == Some(expectation.verdict),
        reached: reached.map(|(model, some)| (model.word(), *some)).collect(),
        witness: told.witness.as_ref(),
        forbidden_because,
        forbidden_by,
    }
}

impl<'a> FenceRow<'a> {
    fn new(tried: &'a Tried, it: &Sheet<'_>) -> Self {
        let places = &tried.mutation.places;
        let (thread, line) = places[0];
        Self {
            fence: &tried.mutation.original,
            threads: places.iter().map(|place| place.0).collect(),
            line: it
                .source
                .line(it.kernel.threads[thread].ops[line].span.start),
        }
    }
}

impl<'a> MutationRow<'a> {
    fn new(tried: &'a Tried, it: &Sheet<'_>) -> Self {
        let verdicts = tried.verdicts.iter();
        Self {
            fence: FenceRow::new(tried, it),
            replaced_by: match &tried.mutation.weakening {
                Weakening::Dropped => None,
                Weakening::Replaced(text) => Some(text),
            },
            equivalent: tried.equivalent,
            verdicts: verdicts.map(|v| v.map(Verdict::word)).collect(),
        }
    }
}

fn finding<'a>(finding: &'a Finding, source: &Source) -> FindingRow<'a> {
    FindingRow {
        rule: finding.rule.id,
        name: finding.rule.name,
        severity: finding.severity.word(),
        line: source.line(finding.span.start),
        column: source.column(finding.span.start),
        message: &finding.message,
        resource: finding.resource.as_deref(),
        help: finding.help.as_deref(),
    }
}
