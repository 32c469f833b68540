//! The JSON twin: the same test as data, in the form `sm5-litmus-1`. Instructions and conditions stand in it as text,
//! so there is one grammar of them.
//!
//! Comments are kept where JSON has a place for them: before the title, and beside instructions.

use super::model::*;
use super::printer;
use crate::finding::{Finding, Source, Span};
use crate::kernel::rules;
use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The form's name.
pub const FORMAT: &str = "sm5-litmus-1";

/// A file: one test, or a collection of them.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum File {
    /// Many tests.
    Collection {
        /// `sm5-litmus-1`.
        #[serde(default)]
        format: Option<String>,
        /// The tests.
        tests: Vec<Test>,
    },
    /// One test.
    One(Box<Test>),
}

/// A test.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Test {
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Comment lines before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// UAVs by name, in order.
    #[serde(default)]
    uavs: IndexMap<String, Uav>,
    /// Groupshared variables.
    #[serde(default)]
    tgsm: Vec<String>,
    /// Contents at the start, where not 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    init: Option<IndexMap<String, i64>>,
    /// Threads.
    threads: Vec<JsonThread>,
    /// An expectation's condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    /// Its verdict.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// Further expectations: verdict and condition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    expectations: Vec<(String, String)>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Uav {
    /// Declared so.
    #[serde(default)]
    globallycoherent: bool,
    /// A UAV before it whose cache line it shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beside: Option<String>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct JsonThread {
    group: u32,
    stage: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    helper: bool,
    ops: Vec<String>,
}

/// A JSON Schema of the form.
pub fn schema() -> serde_json::Value {
    schemars::schema_for!(File).to_value()
}

/// The test as JSON, with a line end.
pub fn to_json(kernel: &Kernel) -> String {
    let test = Test {
        name: kernel.title.clone(),
        comments: kernel.comments.before.clone(),
        uavs: kernel
            .locations
            .iter()
            .filter_map(|l| match l.kind {
                LocationKind::Uav { globally_coherent } => Some((
                    l.name.clone(),
                    Uav {
                        globallycoherent: globally_coherent,
                        beside: l.beside.map(|b| kernel.location(b).name.clone()),
                    },
                )),
                LocationKind::Groupshared => None,
            })
            .collect(),
        tgsm: kernel
            .locations
            .iter()
            .filter(|l| !l.kind.is_uav())
            .map(|l| l.name.clone())
            .collect(),
        init: Some(
            kernel
                .locations
                .iter()
                .filter_map(|l| l.init.map(|v| (l.name.clone(), i64::from(v))))
                .collect::<IndexMap<_, _>>(),
        )
        .filter(|init| !init.is_empty()),
        threads: kernel
            .threads
            .iter()
            .map(|t| JsonThread {
                group: t.group,
                stage: t.stage.word().to_uppercase(),
                helper: t.helper,
                ops: t
                    .ops
                    .iter()
                    .map(|op| {
                        let text = printer::op(kernel, op);
                        match &op.comments.after {
                            Some(comment) => format!("{text} {comment}"),
                            None => text,
                        }
                    })
                    .collect(),
            })
            .collect(),
        condition: None,
        expected: None,
        expectations: kernel
            .expectations
            .iter()
            .map(|e| {
                (
                    e.verdict.word().to_owned(),
                    printer::condition(kernel, &e.condition),
                )
            })
            .collect(),
    };
    let mut text = serde_json::to_string_pretty(&test).expect("names and numbers have a JSON form");
    text.push('\n');
    text
}

/// The tests of a JSON text, each as litmus text that is still to be parsed.
///
/// # Errors
/// A finding with its place in the JSON text.
pub fn to_texts(source: &Source) -> Result<Vec<String>, Box<Finding>> {
    let file: File = serde_json::from_str::<serde_json::Value>(&source.text)
        .and_then(|value| {
            // A value that is neither is described as a test, which says more than "no variant matched".
            if value.get("tests").is_some() {
                serde_json::from_value(value)
            } else {
                serde_json::from_value(value).map(|test| File::One(Box::new(test)))
            }
        })
        .map_err(|error| {
            let at = place(&source.text, error.line(), error.column());
            Finding::new(
                &rules::UNEXPECTED,
                at,
                format!("this is not the JSON form of a litmus test: {error}"),
            )
            .help("`syncscope schema litmus` prints what the form looks like")
        })?;
    Ok(match file {
        File::One(test) => vec![text_of(&test)],
        File::Collection { tests, .. } => tests.iter().map(text_of).collect(),
    })
}

fn place(text: &str, line: usize, column: usize) -> Span {
    let start = text
        .split_inclusive('\n')
        .take(line.saturating_sub(1))
        .map(str::len)
        .sum::<usize>();
    let at = (start + column.saturating_sub(1)).min(text.len()) as u32;
    Span { start: at, end: at }
}

/// Words that come from JSON are put where the parser expects them and judged there; a line end inside one would move
/// what follows to another statement.
fn text_of(test: &Test) -> String {
    let flat = |text: &str| text.replace(['\n', '\r'], " ");
    let mut out = String::new();
    for line in &test.comments {
        let _ = writeln!(out, "{}", flat(line));
    }
    if let Some(name) = &test.name {
        let name = flat(name).replace('\\', "\\\\").replace('"', "\\\"");
        let _ = writeln!(out, "litmus \"{name}\"");
    }
    for (name, uav) in &test.uavs {
        let coherent = if uav.globallycoherent {
            " globallycoherent"
        } else {
            ""
        };
        let beside = match &uav.beside {
            Some(other) => format!(" beside {}", flat(other)),
            None => String::new(),
        };
        let _ = writeln!(out, "uav {}{coherent}{beside}", flat(name));
    }
    for name in &test.tgsm {
        let _ = writeln!(out, "groupshared {}", flat(name));
    }
    for (name, value) in test.init.iter().flatten() {
        let _ = writeln!(out, "init {} {value}", flat(name));
    }
    for thread in &test.threads {
        let _ = writeln!(
            out,
            "thread group {} {}{} {{",
            thread.group,
            flat(&thread.stage).to_lowercase(),
            if thread.helper { " helper" } else { "" }
        );
        for op in &thread.ops {
            let _ = writeln!(out, "  {}", flat(op));
        }
        out.push_str("}\n");
    }
    let own = test.expected.iter().zip(&test.condition);
    let more = test.expectations.iter().map(|(v, c)| (v, c));
    for (verdict, condition) in own.chain(more) {
        let _ = writeln!(
            out,
            "expect {} {}",
            flat(verdict).to_lowercase(),
            flat(condition)
        );
    }
    out
}
