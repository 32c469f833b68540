//! A run told step by step, for people and for programs.

pub mod panes;

use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::run::steps::{Ask, BeatRow, Diagram, SceneRow, Told};
use crate::schema::schema;
use serde::Serialize;
use std::io::{self, Write};

/// Columns of the time and of the line, each with a gap after it.
const TIME: usize = 9;
const LINE: usize = 9;

/// Every beat as a sentence, with its time and the line that it is about.
///
/// # Errors
/// Only what the writer returns.
fn page(told: &Told, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (report, steps) = (&told.report, told.steps());
    let shown = told.last.map_or(0, |last| last + 1);
    let of = if shown < steps.beats.len() {
        format!("{shown} of {}", steps.beats.len())
    } else {
        shown.to_string()
    };
    let title = format!(
        "{} on {} with {}: {of} {}, {}",
        text::clean(&report.scenario),
        report.profile,
        report.lowering,
        if steps.beats.len() == 1 {
            "beat"
        } else {
            "beats"
        },
        report.makespan.unwrap_or_default(),
    );
    style.lines(&title, out)?;
    let mut before = None;
    for beat in &steps.beats[..shown] {
        let is_new = before.replace(beat.at) != Some(beat.at);
        let time = if is_new {
            beat.at.to_string()
        } else {
            String::new()
        };
        if is_new {
            writeln!(out)?;
        }
        if let Some(ask) = beat.ask.as_ref().filter(|_| told.asks) {
            asked(ask, style, out)?;
        }
        let line = format!("line {}", beat.line);
        let head = format!("{}  {} ", text::right(&time, TIME), text::left(&line, LINE));
        row(&head, &sentence(beat), style, out)?;
    }
    if !steps.left_out.is_empty() {
        writeln!(out)?;
    }
    for what in &steps.left_out {
        style.lines(&format!("Not told: {what}."), out)?;
    }
    Ok(())
}

/// A beat's sentence; what goes wrong is marked.
pub fn sentence(beat: &BeatRow) -> String {
    let mark = if beat.kind == "hazard" || !beat.wrong.is_empty() {
        "✖ "
    } else {
        ""
    };
    format!("{mark}{}", text::clean(&beat.says))
}

/// A question with its choices, and the true one marked.
fn asked(ask: &Ask, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut put = |mark: &str, says: &str| {
        let blank = " ".repeat(TIME + LINE + 3);
        row(&blank, &format!("{mark}{}", text::clean(says)), style, out)
    };
    put("? ", &ask.question)?;
    for (index, choice) in ask.choices.iter().enumerate() {
        put(if index == ask.answer { "  + " } else { "  - " }, choice)?;
    }
    if !ask.because.is_empty() {
        put("  ", &ask.because)?;
    }
    Ok(())
}

/// A head and a text next to it, in as many lines as it takes.
fn row(head: &str, says: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let indent = text::width(head);
    for (index, line) in text::hung(says, style.columns - indent).iter().enumerate() {
        let head = if index == 0 {
            head
        } else {
            &" ".repeat(indent)
        };
        writeln!(out, "{}", style.plain(format!("{head}{line}").trim_end()))?;
    }
    Ok(())
}

/// The same for programs.
///
/// # Errors
/// Only what the writer returns.
fn document(told: &Told, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let (report, steps) = (&told.report, told.steps());
    let shown = told.last.map_or(0, |last| last + 1);
    let document = StepsDocument {
        schema: json::SCHEMA,
        scenario: &report.scenario,
        file: &report.file,
        profile: &report.profile,
        lowering: &report.lowering,
        makespan_ps: report.makespan.unwrap_or_default().0,
        beats: steps.beats[..shown]
            .iter()
            .zip(&steps.diagram.scenes)
            .map(|(beat, scene)| BeatJson {
                beat,
                scene: scene.is_seen().then_some(scene),
            })
            .collect(),
        beats_in_all: steps.beats.len(),
        diagram: &steps.diagram,
        left_out: &steps.left_out,
    };
    json::line(&document, out)
}

/// A run told step by step: `syncscope step FILE --format json`.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Steps"))]
struct StepsDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// File as it was named on the command line.
    file: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// Lowering that the run took.
    lowering: &'a str,
    /// From the first submission to the end of the last work.
    makespan_ps: u64,
    /// What happens, in order of time; of what happens at once, a cause before its effect.
    beats: Vec<BeatJson<'a>>,
    /// Number of beats to the end of the run.
    beats_in_all: usize,
    /// The machine as a diagram, with what its boxes hold before anything happens.
    diagram: &'a Diagram,
    /// What is not told, a sentence each.
    left_out: &'a [String],
}

/// Something happens.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Beat"))]
struct BeatJson<'a> {
    #[serde(flatten)]
    beat: &'a BeatRow,
    /// What it changes in the diagram.
    #[serde(skip_serializing_if = "Option::is_none")]
    scene: Option<&'a SceneRow>,
}

/// A run told step by step: `step`.
pub const STEPS: Output<Printer<Told>> = Output {
    name: "steps",
    noun: "steps",
    writers: &[("terminal", page), ("json", document)],
    schema: Some(schema!(
        written StepsDocument<'static>, "steps", "The output of `step --format json`"
    )),
};
