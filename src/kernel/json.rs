//! The JSON twin: the same test as data, in the form `sm5-litmus-1`. Instructions and conditions are text in it,
//! so there is one grammar of them.
//!
//! Every comment is kept: those inside a thread are among its instructions, the others have members of their own.

use super::model::{Comments, Kernel, LocationKind, Thread};
use super::printer;
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use crate::kernel::rules;
use crate::schema::{Schema, schema};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The form's name.
pub const FORMAT: &str = "sm5-litmus-1";

/// A file: one test, or a collection of them.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Test {
    /// Title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Comment lines before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// Comment at the end of its line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
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
    /// The verdict that is expected of the condition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// Further expectations: verdict and condition.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    expectations: Vec<(String, String)>,
    /// Variables in the order of the text, where that is not UAVs before groupshared variables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    order: Vec<String>,
    /// Comments of variables, by name.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    variable_comments: IndexMap<String, Comments>,
    /// Comments of the further expectations, by their index.
    #[serde(default, skip_serializing_if = "IndexMap::is_empty")]
    expectation_comments: IndexMap<String, Comments>,
    /// Comments after everything.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments_at_end: Vec<String>,
}

/// Comments, if there are any.
fn some(comments: &Comments) -> Option<Comments> {
    (*comments != Comments::default()).then(|| comments.clone())
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Uav {
    /// Declared so.
    #[serde(default)]
    globallycoherent: bool,
    /// A UAV before it whose cache line it shares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    beside: Option<String>,
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct JsonThread {
    group: u32,
    stage: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    helper: bool,
    /// Comments around its first line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comments: Option<Comments>,
    /// Instructions, and comment lines between them. Several instructions in one text are on one line.
    ops: Vec<String>,
    /// The first of them are on the line where the thread starts.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    begins_on_line: bool,
    /// The thread's end is on the line of the last of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    closes_on_line: bool,
    /// Comment after its end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    comment_behind: Option<String>,
}

/// What describes the form.
pub const SCHEMA: Schema = schema!(read File, "litmus", "The JSON form of a litmus test");

/// The test as JSON, with a line end.
///
/// # Panics
/// Never: names and numbers have a JSON form.
pub fn to_json(kernel: &Kernel) -> String {
    let test = Test {
        name: kernel.title.clone(),
        comments: kernel.comments.before.clone(),
        comment: kernel.comments.after.clone(),
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
        threads: kernel.threads.iter().map(|t| thread(kernel, t)).collect(),
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
        order: order(kernel),
        variable_comments: kernel
            .locations
            .iter()
            .filter_map(|l| Some((l.name.clone(), some(&l.comments)?)))
            .collect(),
        expectation_comments: kernel
            .expectations
            .iter()
            .enumerate()
            .filter_map(|(i, e)| Some((i.to_string(), some(&e.comments)?)))
            .collect(),
        comments_at_end: kernel.comments_at_end.clone(),
    };
    let mut json = serde_json::to_string_pretty(&test).expect("names and numbers have a JSON form");
    json.push('\n');
    json
}

/// Names of variables, where the UAVs are not declared before the others.
fn order(kernel: &Kernel) -> Vec<String> {
    let is_plain = kernel.locations.is_sorted_by_key(|l| !l.kind.is_uav());
    let names = kernel.locations.iter().map(|l| l.name.clone());
    if is_plain {
        Vec::new()
    } else {
        names.collect()
    }
}

fn thread(kernel: &Kernel, thread: &Thread) -> JsonThread {
    let mut ops: Vec<String> = Vec::new();
    for op in &thread.ops {
        let mut text = printer::op(kernel, op);
        if let Some(comment) = &op.comments.after {
            text = format!("{text} {comment}");
        }
        if let Some(line) = ops.last_mut().filter(|_| op.on_line) {
            *line = format!("{line}; {text}");
        } else {
            ops.extend(op.comments.before.iter().cloned());
            ops.push(text);
        }
    }
    ops.extend(thread.comments_at_end.iter().cloned());
    JsonThread {
        group: thread.group,
        stage: thread.stage.word().to_uppercase(),
        helper: thread.helper,
        comments: some(&thread.comments),
        ops,
        begins_on_line: thread.ops.first().is_some_and(|op| op.on_line),
        closes_on_line: thread.closes_on_line,
        comment_behind: thread.comment_behind.clone(),
    }
}

/// Whether a JSON text is meant as litmus tests: a scenario has other members.
pub fn is_meant(text: &str) -> bool {
    #[derive(Deserialize)]
    struct Members {
        #[serde(default)]
        tests: Option<serde::de::IgnoredAny>,
        #[serde(default)]
        threads: Option<serde::de::IgnoredAny>,
    }
    serde_json::from_str(text).is_ok_and(|m: Members| m.tests.is_some() || m.threads.is_some())
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
    let at = (start + column.saturating_sub(1)).min(text.len());
    let at = narrow(at);
    Span { start: at, end: at }
}

/// Words that come from JSON are put where the parser expects them, and the parser checks them; a line end inside one
/// would move what follows to another statement.
fn text_of(test: &Test) -> String {
    let mut out = String::new();
    before(&mut out, &test.comments);
    if let Some(name) = &test.name {
        let name = flat(name).replace('\\', "\\\\").replace('"', "\\\"");
        line(
            &mut out,
            &format!("litmus \"{name}\""),
            test.comment.as_deref(),
        );
    }
    let uavs = test.uavs.iter().map(|(name, uav)| {
        let mut declared = format!("uav {}", flat(name));
        if uav.globallycoherent {
            declared.push_str(" globallycoherent");
        }
        if let Some(other) = &uav.beside {
            let _ = write!(declared, " beside {}", flat(other));
        }
        (name, declared)
    });
    let groupshared = test.tgsm.iter();
    let groupshared = groupshared.map(|name| (name, format!("groupshared {}", flat(name))));
    let mut variables: Vec<(&String, String)> = uavs.chain(groupshared).collect();
    let place = |name: &String| test.order.iter().position(|n| n == name);
    variables.sort_by_key(|(name, _)| place(name));
    for (name, text) in variables {
        statement(&mut out, &text, test.variable_comments.get(name));
    }
    for (name, value) in test.init.iter().flatten() {
        line(&mut out, &format!("init {} {value}", flat(name)), None);
    }
    for thread in &test.threads {
        thread_text(&mut out, thread);
    }
    let own = test.expected.iter().zip(&test.condition);
    let own = own.map(|(v, c)| (v, c, None));
    let more = test.expectations.iter().enumerate().map(|(i, (v, c))| {
        let comments = test.expectation_comments.get(&i.to_string());
        (v, c, comments)
    });
    for (verdict, condition, comments) in own.chain(more) {
        let verdict = flat(verdict).to_lowercase();
        let expected = format!("expect {verdict} {}", flat(condition));
        statement(&mut out, &expected, comments);
    }
    before(&mut out, &test.comments_at_end);
    out
}

fn thread_text(out: &mut String, thread: &JsonThread) {
    let none = Comments::default();
    let comments = thread.comments.as_ref().unwrap_or(&none);
    before(out, &comments.before);
    let _ = write!(
        out,
        "thread group {} {}{} {{",
        thread.group,
        flat(&thread.stage).to_lowercase(),
        if thread.helper { " helper" } else { "" }
    );
    let one_line = thread.begins_on_line && thread.closes_on_line && thread.ops.len() == 1;
    let mut ops = thread.ops.iter();
    if thread.begins_on_line
        && let Some(first) = ops.next()
    {
        let _ = write!(out, " {}", flat(first));
    }
    if !one_line {
        line(
            out,
            "",
            comments.after.as_deref().filter(|_| !thread.begins_on_line),
        );
    }
    let last = ops.len();
    for (index, op) in ops.enumerate() {
        let _ = write!(out, "  {}", flat(op));
        if index + 1 < last || !thread.closes_on_line {
            out.push('\n');
        }
    }
    out.push_str(if thread.closes_on_line { " }" } else { "}" });
    let after = comments.after.as_deref().filter(|_| one_line);
    line(out, "", after.or(thread.comment_behind.as_deref()));
}

/// A text of one line.
fn flat(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// A comment; whatever else a text says, it begins no statement.
fn comment(text: &str) -> String {
    let text = flat(text);
    if text.starts_with("//") {
        text
    } else {
        format!("// {text}")
    }
}

/// Comment lines. An empty one is an empty line.
fn before(out: &mut String, lines: &[String]) {
    for text in lines {
        if text.is_empty() {
            out.push('\n');
        } else {
            let _ = writeln!(out, "{}", comment(text));
        }
    }
}

/// A text, and the comment at its end.
fn line(out: &mut String, text: &str, after: Option<&str>) {
    out.push_str(text);
    if let Some(after) = after {
        let _ = write!(out, " {}", comment(after));
    }
    out.push('\n');
}

fn statement(out: &mut String, text: &str, comments: Option<&Comments>) {
    if let Some(comments) = comments {
        before(out, &comments.before);
    }
    line(out, text, comments.and_then(|c| c.after.as_deref()));
}
