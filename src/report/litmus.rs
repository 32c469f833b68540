//! A studied litmus test as JSON. The terminal's layout of it is `terminal/litmus.rs`.

use crate::finding::{Finding, Source};
use crate::kernel::{Kernel, Verdict, print_condition, print_subject};
use crate::litmus::mutate::{Reason, Tried, Weakening};
use crate::litmus::study::Study;
use crate::litmus::witness::Witness;
use serde_json::{Map, Value, json};
use std::io::{self, Write};

/// The form's version.
pub(crate) const SCHEMA: u32 = 1;

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

/// Prints the sheets as one JSON array.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn write_json(sheets: &[Sheet<'_>], out: &mut dyn Write) -> io::Result<()> {
    let all: Vec<Value> = sheets.iter().map(sheet).collect();
    serde_json::to_writer_pretty(&mut *out, &all)?;
    out.write_all(b"\n")
}

fn sheet(it: &Sheet<'_>) -> Value {
    let examination = &it.study.examination;
    let models: Vec<Value> = examination
        .answers
        .iter()
        .map(|a| {
            json!({
                "model": a.model.word(),
                "states": a.exploration.states(),
                "transitions": a.exploration.transitions,
                "complete": a.exploration.complete,
                "outcomes": a.exploration.outcomes.keys().collect::<Vec<_>>(),
            })
        })
        .collect();
    let mut value = json!({
        "schema": SCHEMA,
        "file": it.source.name,
        "title": it.kernel.title,
        "holds": examination.holds(it.kernel),
        "expectations": (0..it.kernel.expectations.len()).map(|i| expectation(it, i)).collect::<Vec<_>>(),
        "subjects": examination.subjects.iter().map(|s| print_subject(it.kernel, *s)).collect::<Vec<_>>(),
        "models": models,
        "findings": it.study.findings.iter().map(|f| finding(f, it.source)).collect::<Vec<_>>(),
    });
    let map = value.as_object_mut().expect("an object was made");
    if it.mutations {
        let tried = it.study.tried.iter().map(|t| mutation(t, it)).collect();
        map.insert("mutations".into(), Value::Array(tried));
    }
    if let Some((walks, histogram)) = &it.study.histogram {
        let seen: Vec<Value> = histogram
            .iter()
            .map(|(outcome, times)| json!({ "outcome": outcome, "times": times }))
            .collect();
        map.insert(
            "random".into(),
            json!({ "model": walks.model.word(), "runs": walks.runs, "seed": walks.seed, "seen": seen }),
        );
    }
    value
}

fn expectation(it: &Sheet<'_>, index: usize) -> Value {
    let expectation = &it.kernel.expectations[index];
    let judged = &it.study.examination.judged[index];
    let reached: Map<String, Value> = judged
        .reached
        .iter()
        .map(|(model, some)| (model.word().to_owned(), Value::Bool(*some)))
        .collect();
    let told = &it.study.told[index];
    let forbidden_by = told.reason.as_ref().map(|reason| match reason {
        Reason::Fences(tried) => tried
            .iter()
            .map(|&t| place(&it.study.tried[t], it))
            .collect::<Vec<_>>(),
        Reason::Together | Reason::NoFence => Vec::new(),
    });
    let reason = told.reason.as_ref().map(|reason| match reason {
        Reason::Fences(_) => "fences",
        Reason::Together => "fences-together",
        Reason::NoFence => "no-fence",
    });
    json!({
        "line": it.source.line(expectation.span.start),
        "condition": print_condition(it.kernel, &expectation.condition),
        "expected": expectation.verdict.word(),
        "verdict": judged.verdict.map(Verdict::word),
        "holds": judged.verdict == Some(expectation.verdict),
        "reached": reached,
        "witness": told.witness.as_ref().map(witness),
        "forbidden_because": reason,
        "forbidden_by": forbidden_by,
    })
}

fn witness(witness: &Witness) -> Value {
    json!({
        "model": witness.model.word(),
        "outcome": witness.outcome,
        "steps": witness.rows.iter().map(|row| json!({
            "threads": row.threads,
            "events": row.events,
        })).collect::<Vec<_>>(),
    })
}

fn place(tried: &Tried, it: &Sheet<'_>) -> Value {
    let (thread, line) = tried.mutation.places[0];
    json!({
        "fence": tried.mutation.original,
        "threads": tried.mutation.places.iter().map(|p| p.0).collect::<Vec<_>>(),
        "line": it.source.line(it.kernel.threads[thread].ops[line].span.start),
    })
}

fn mutation(tried: &Tried, it: &Sheet<'_>) -> Value {
    let mut value = place(tried, it);
    let replaced = match &tried.mutation.weakening {
        Weakening::Dropped => Value::Null,
        Weakening::Replaced(text) => Value::String(text.clone()),
    };
    let map = value.as_object_mut().expect("an object was made");
    map.insert("replaced_by".into(), replaced);
    map.insert("equivalent".into(), Value::Bool(tried.equivalent));
    let verdicts: Vec<Value> = tried
        .verdicts
        .iter()
        .map(|v| json!(v.map(Verdict::word)))
        .collect();
    map.insert("verdicts".into(), Value::Array(verdicts));
    value
}

fn finding(finding: &Finding, source: &Source) -> Value {
    json!({
        "rule": finding.rule.id,
        "name": finding.rule.name,
        "severity": finding.severity.word(),
        "line": source.line(finding.span.start),
        "column": source.column(finding.span.start),
        "message": finding.message,
        "resource": finding.resource,
        "help": finding.help,
    })
}
