//! With and without: a barrier is left out, and the run is compared with the run as written (reading R74).
//!
//! The copy is judged and run as `--what-if` does it (`trials.rs`), and then told as a report of its own. Its commands and barriers
//! have the ids that they have in the text as written, though a call that is gone shifts the numbers after it: so one command is the
//! same in both. What is new and what is gone is found by `compare.rs`, the sentence that says it is made by `words.rs`.

mod compare;
pub(in crate::run) mod trials;
mod which;
mod words;

use super::{Drawn, ObservationRow, Options, Registry, Report, Request, Unusable, execute, run};
use crate::analyze::names;
use crate::finding::{Finding, Severity, Source};
use crate::id::{BarrierRef, SubmissionId, narrow};
use crate::order::Timeline;
use crate::parallel::prelude::*;
use crate::pipeline::Proposals;
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Prepared};
use crate::scenario::Scenario;
use crate::scenario::edit::{self, Whole};
use crate::schema;
use crate::time::Ps;
use serde::Serialize;
use std::collections::BTreeMap;
pub use trials::Broken;
pub(crate) use trials::rules;
use trials::{Runnable, Trials};

/// Commands up to which a page has the run without each barrier.
pub const COMMANDS_MAX: u64 = 200;

/// A barrier of the text, and the run without it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Part"))]
#[non_exhaustive]
pub struct WithoutBarrier {
    /// Ids of the executions of the barrier, of a split barrier those of both halves; empty if it is not executed.
    pub barriers: Vec<String>,
    /// Line of its text.
    pub line: u32,
    /// Line of the other half of a split barrier; null for other barriers.
    pub end_line: Option<u32>,
    /// Declared name of the resource; empty for a global barrier.
    pub resource: String,
    /// The run without it; or the rules that other barriers break without it: then there can be no run.
    #[serde(skip)]
    pub copy: Result<Box<CopyRun>, Vec<Broken>>,
    /// What it comes to, in one sentence.
    pub says: String,
}

impl WithoutBarrier {
    /// What it is called: `gfx#2.0, line 19`; of a split barrier `gfx#2.0 and gfx#4.0, lines 9 and 13`; of one that is executed
    /// again `gfx#2.0 and 2 more, line 19`.
    pub fn name(&self) -> String {
        let lines = match self.end_line {
            Some(end) => format!("lines {} and {end}", self.line),
            None => format!("line {}", self.line),
        };
        match self.barriers.as_slice() {
            [] => lines,
            [id] => format!("{id}, {lines}"),
            [one, other] => format!("{one} and {other}, {lines}"),
            [first, more @ ..] => format!("{first} and {} more, {lines}", more.len()),
        }
    }
}

/// A run of the text without a barrier, compared with the run as written.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct CopyRun {
    /// Its report. Commands and barriers have the ids of the text as written. Nobody asks what is redundant in it.
    pub report: Report,
    /// Makespan of the run as written.
    pub with: Ps,
    /// How many more reads go wrong than as written, or zero.
    pub more_bad_reads: u64,
    /// Findings that are new, found more often, or visible only now; the worst first.
    pub new: Vec<FindingChange>,
    /// Findings that are gone, found less often, or not visible any more; the worst first.
    pub gone: Vec<FindingChange>,
    /// Reads that go wrong and did not before, in order of time.
    pub wrong_reads: Vec<WrongRead>,
    /// Reads that went wrong and do not any more.
    pub mended_reads: Vec<WrongRead>,
    /// What reads of what somebody writes find, with the barrier and without it.
    pub reads: Vec<ReadPair>,
    /// What is not told of the reads of either run, a sentence each.
    pub untold: Vec<String>,
}

impl CopyRun {
    /// Makespan without the barrier.
    pub fn makespan(&self) -> Ps {
        self.report.makespan.unwrap_or_default()
    }
}

/// A finding that one of two runs has, or has more often.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FindingChange {
    /// The finding.
    pub finding: Finding,
    /// Its line.
    pub line: u32,
    /// How many executions more report it; 0 if only what a read of this run shows of it is new.
    pub times: u32,
    /// The other run has it, too.
    pub was_there: bool,
}

impl FindingChange {
    /// What became of it without the barrier, in a word or three; `is_new`: the copy has it, not the run as written.
    pub fn word(&self, is_new: bool) -> &'static str {
        match (is_new, self.was_there, self.times) {
            (true, false, _) => "new",
            (true, true, 0) => "now visible here",
            (true, true, _) => "more often",
            (false, false, _) => "gone",
            (false, true, 0) => "no longer visible here",
            (false, true, _) => "less often",
        }
    }

    /// Whether a run with it ends with an exit status other than 0.
    pub fn fails(&self) -> bool {
        self.finding.severity.fails()
    }

    fn is_hazard(&self) -> bool {
        self.finding.severity == Severity::Hazard
    }
}

/// A read that goes wrong.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct WrongRead {
    /// Id of the command that reads.
    pub command: String,
    /// Its label.
    pub label: String,
    /// Line of its text.
    pub line: u32,
    /// Its queue.
    pub queue: String,
    /// When it reads; of a read that a write overtook, when it ended.
    #[serde(rename = "at_ps")]
    pub at: Ps,
    /// What it saw and should have seen.
    #[serde(flatten)]
    pub read: ObservationRow,
    /// The same as a sentence.
    pub says: String,
}

/// What a command finds when it reads a resource.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Read"))]
#[non_exhaustive]
pub struct ReadPair {
    /// Id of the command.
    pub command: String,
    /// Declared name of the resource.
    pub resource: String,
    /// What it finds as written.
    pub with: Vec<Seen>,
    /// What it finds without the barrier.
    pub without: Vec<Seen>,
}

impl ReadPair {
    /// Whether both find the same contents, wherever, and both rightly or wrongly.
    pub fn is_same(&self) -> bool {
        let of = |side: &[Seen]| -> Vec<(String, &'static str)> {
            side.iter().map(|s| (s.by.clone(), s.wrong)).collect()
        };
        of(&self.with) == of(&self.without)
    }
}

/// A version that a read finds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Seen {
    /// Its number in its own run.
    pub version: usize,
    /// Whose it is: the id of a command, or `initial contents`.
    pub by: String,
    /// The caches that answer, or `memory`.
    pub places: Vec<String>,
    /// What is wrong with it, as `observations[].kind` says it; null if nothing is.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub wrong: &'static str,
    /// Of a wrong one, whose version it should be; null otherwise.
    #[serde(serialize_with = "schema::null_if_empty")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub expected: String,
}

/// A run, and the run without one barrier.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct WithAndWithout {
    /// The run as written.
    pub report: Report,
    /// The text.
    pub source: Source,
    /// The barrier, and the run without it.
    pub barrier: WithoutBarrier,
}

/// A barrier of the text, before it is left out.
struct Entry {
    /// Ids of its executions.
    ids: Vec<String>,
    line: u32,
    end_line: Option<u32>,
    resource: String,
}

impl Entry {
    /// An id that names it; its line if it is not executed.
    fn name(&self) -> String {
        let first = self.ids.first().cloned();
        first.unwrap_or_else(|| self.line.to_string())
    }
}

/// Runs a scenario as written and without one barrier, which `word` names by the id of an execution, by its call or by its line.
/// With [`Drawn::Page`] the report has what a page shows of both.
///
/// # Errors
/// If a name or setting is unknown, the text is no scenario, there is no timeline, or `word` names no barrier or several.
pub fn without(
    source: Source,
    registry: &Registry,
    options: &Options,
    word: &str,
) -> Result<WithAndWithout, Unusable> {
    let options = told(options);
    let runnable = Runnable::new(&source, registry, &options)?;
    let timeline = runnable.prepared.timeline();
    let (wholes, entries) = entries(&runnable, &timeline, &source);
    let chosen = which::named(word, &entries, &source.name)?;
    let mut report = run(&source, registry, &options)?;
    let copies = Copies::new(&source, registry, &options, &runnable, &timeline);
    let barrier = copies.without(&wholes[chosen], &entries[chosen], &report)?;
    drop(copies);
    if let Some(detail) = report.detail.take() {
        let kept = detail.with_copies((&report, &options), std::slice::from_ref(&barrier), true);
        report.detail = Some(Box::new(kept));
    }
    drop(timeline);
    Ok(WithAndWithout {
        report,
        source,
        barrier,
    })
}

/// Runs a scenario as written and without each executed barrier, in order of the text.
///
/// # Errors
/// If a name or setting is unknown, the text is no scenario, there is no timeline, or the machine's clock does not reach the end.
pub fn without_each(
    source: &Source,
    registry: &Registry,
    options: &Options,
) -> Result<(Report, Vec<WithoutBarrier>), Unusable> {
    let options = told(options);
    let runnable = Runnable::new(source, registry, &options)?;
    let report = run(source, registry, &options)?;
    let all = each(source, registry, &options, &runnable, &report)?;
    Ok((report, all))
}

/// The same for a page of the run as written; nothing if the text has too many commands or barriers.
pub(super) fn of_page(request: &Request<'_>, report: &Report) -> Option<Vec<WithoutBarrier>> {
    let Request {
        source,
        registry,
        options,
        ..
    } = *request;
    if report.totals.commands > COMMANDS_MAX {
        return None;
    }
    let runnable = Runnable::new(source, registry, options).ok()?;
    if edit::wholes(runnable.prepared.written()).len() > super::detail::WHAT_IFS_MAX {
        return None;
    }
    each(source, registry, options, &runnable, report).ok()
}

fn each(
    source: &Source,
    registry: &Registry,
    options: &Options,
    runnable: &Runnable,
    report: &Report,
) -> Result<Vec<WithoutBarrier>, Unusable> {
    let timeline = runnable.prepared.timeline();
    let (wholes, entries) = entries(runnable, &timeline, source);
    let copies = Copies::new(source, registry, options, runnable, &timeline);
    let each = wholes.par_iter().zip(&entries);
    let each = each.filter(|(_, entry)| !entry.ids.is_empty());
    each.map(|(whole, entry)| copies.without(whole, entry, report))
        .collect()
}

/// A run that is told step by step: its steps say which versions reads find. A page has them anyway.
fn told(options: &Options) -> Options {
    Options {
        steps: options.drawn != Drawn::Page,
        ..options.clone()
    }
}

/// The barriers of the text, each with what it is called.
fn entries(
    runnable: &Runnable,
    timeline: &Timeline<'_>,
    source: &Source,
) -> (Vec<Whole>, Vec<Entry>) {
    let written = runnable.prepared.written();
    let mut ids: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for id in (0..timeline.submissions.len()).map(SubmissionId::new) {
        for (node, _, command) in timeline.commands(id) {
            for entry in 0..narrow(command.kind.barriers().len()) {
                let barrier = BarrierRef { node, entry };
                let Some(of) = names::entry(timeline, barrier) else {
                    continue;
                };
                let name = timeline.barrier_name(barrier);
                ids.entry(of.span.start).or_default().push(name);
            }
        }
    }
    let wholes = edit::wholes(written);
    let entry = |whole: &Whole| {
        let starts = whole.iter().filter_map(|e| Some(e.span(written)?.start));
        let mut lines = starts.clone().map(|start| source.line(start));
        Entry {
            line: lines.next().unwrap_or_default(),
            end_line: lines.next(),
            ids: starts
                .flat_map(|start| ids.get(&start).cloned().unwrap_or_default())
                .collect(),
            resource: resource(written, whole),
        }
    };
    let entries = wholes.iter().map(entry).collect();
    (wholes, entries)
}

/// Name of a barrier's resource; empty for a global one.
pub(super) fn resource(written: &Scenario, whole: &Whole) -> String {
    let id = whole[0].resource(written);
    id.map_or_else(String::new, |id| written.resource_name(id).to_owned())
}

/// What runs copies of a text, and compares them with it.
struct Copies<'a> {
    source: &'a Source,
    registry: &'a Registry,
    options: Options,
    runnable: &'a Runnable,
    timeline: &'a Timeline<'a>,
    trials: Trials<'a>,
}

impl<'a> Copies<'a> {
    fn new(
        source: &'a Source,
        registry: &'a Registry,
        options: &'a Options,
        runnable: &'a Runnable,
        timeline: &'a Timeline<'a>,
    ) -> Self {
        let asked = front::needed_and_asked(timeline);
        Self {
            source,
            registry,
            // Nobody asks of a copy what else would do.
            options: Options {
                without_proofs: true,
                proposals: Proposals::None,
                keep_changed: false,
                clock: None,
                ..told(options)
            },
            runnable,
            timeline,
            trials: Trials::new(source, runnable, timeline, &asked, options),
        }
    }

    /// The run without a barrier.
    ///
    /// # Errors
    /// If the machine's clock does not reach its end.
    fn without(
        &self,
        whole: &Whole,
        entry: &Entry,
        with: &Report,
    ) -> Result<WithoutBarrier, Unusable> {
        let ran = self.trials.without(whole, |copy, _| self.run(copy));
        let copy = match ran {
            Ok(report) => Ok(Box::new(compared(self.source, with, report?))),
            Err(rules) => Err(rules),
        };
        Ok(WithoutBarrier {
            says: words::sentence(with, &copy),
            barriers: entry.ids.clone(),
            line: entry.line,
            end_line: entry.end_line,
            resource: entry.resource.clone(),
            copy,
        })
    }

    fn run(&self, copy: &Prepared<'_>) -> Result<Report, Unusable> {
        let request = Request {
            source: self.source,
            registry: self.registry,
            options: &self.options,
            machine: self.runnable.machine(),
            original: Some(self.timeline),
        };
        execute(&request, copy, Clock::untold()).map(|(report, _)| report)
    }
}

fn compared(source: &Source, with: &Report, report: Report) -> CopyRun {
    let more_bad_reads = report.totals.bad_reads;
    CopyRun {
        with: with.makespan.unwrap_or_default(),
        more_bad_reads: more_bad_reads.saturating_sub(with.totals.bad_reads),
        new: compare::more_in(source, &report, with),
        gone: compare::more_in(source, with, &report),
        wrong_reads: compare::wrong_in(&report, with),
        mended_reads: compare::wrong_in(with, &report),
        reads: compare::reads(with, &report),
        untold: compare::untold(with, &report),
        report,
    }
}
