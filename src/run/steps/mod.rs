//! A run told step by step, by the names that reports print: beats with their sentences, what is asked before each, and what
//! places hold of each resource.

mod cells;
mod diagram;
mod until;

pub use crate::analyze::beats::Ask;
pub use cells::{CellRow, Cells};
pub use diagram::{
    ActRow, BoxRow, Diagram, EdgeRow, HeldToken, HoldRow, LetterRow, SceneRow, SideRow, Token,
};
pub use until::Until;

use super::detail::EVENTS_MAX;
use super::rows::Rows;
use super::{Failure, Options, Registry, Report, Verdict, run};
use crate::analyze::beats::{self, Beat, BeatKind, Beats, Deleted, Found, Read, Teller, Without};
use crate::finding::Source;
use crate::id::{BarrierRef, CacheId, OpId};
use crate::repair::prove::{DELETED_ADDS, DELETED_ADDS_NOTHING};
use crate::sim;
use crate::time::Ps;
use crate::trace::Contents;
use crate::trace::contents::Writer;
use serde::{Serialize, Serializer};

/// Runs of bytes that are kept of what memory held, of a run that is told step by step.
pub const RUNS_MAX: usize = 400_000;

/// Frames of a run that are written at most.
pub const FRAMES_MAX: usize = 500;

/// A scenario that ran and is told step by step: what `step` shows.
#[derive(Clone, Debug)]
pub struct Told {
    /// The report; it has [`Report::steps`].
    pub report: Report,
    /// The text.
    pub source: Source,
    /// The last beat that is told; `None`: none, because there is none.
    pub last: Option<usize>,
    /// What is asked before a beat is told, too.
    pub asks: bool,
}

impl Told {
    /// The steps.
    pub fn steps(&self) -> &Steps {
        static NOTHING: Steps = Steps::NOTHING;
        self.report.steps.as_deref().unwrap_or(&NOTHING)
    }

    /// The beats that frames show: those that change what the diagram shows and those in which something goes wrong, up to
    /// the last that is told and not more than [`FRAMES_MAX`]; and how many there are.
    pub fn frames(&self) -> (Vec<usize>, usize) {
        let steps = self.steps();
        let shown = self.last.map_or(0, |last| last + 1);
        let beats = steps.beats[..shown].iter().zip(&steps.diagram.scenes);
        let is_shown = |(beat, scene): &(&BeatRow, &SceneRow)| {
            scene.is_seen() || beat.kind == "hazard" || !beat.wrong.is_empty()
        };
        let all = beats.enumerate().filter(|(_, pair)| is_shown(pair));
        let mut all: Vec<usize> = all.map(|(index, _)| index).collect();
        let count = all.len();
        all.truncate(FRAMES_MAX);
        (all, count)
    }

    /// Number of lines of the text.
    pub fn lines(&self) -> u32 {
        lines(&self.source)
    }
}

/// Number of lines of a text, without empty ones at its end.
fn lines(source: &Source) -> u32 {
    source.line(crate::id::narrow(source.text.trim_end().len()))
}

/// Runs a scenario and tells it step by step, to its end or to where `until` says.
///
/// # Errors
/// If the text is not understood, as of [`run`], or if `until` names no place.
pub fn told(
    source: Source,
    registry: &Registry,
    options: &Options,
    (until, asks): (Option<&str>, bool),
) -> Result<Told, Failure> {
    let lines = lines(&source);
    let until = until.map(|text| Until::parse(text, lines)).transpose()?;
    let options = Options {
        steps: true,
        ..options.clone()
    };
    let report = run(&source, registry, &options)?;
    if report.makespan.is_none() {
        return Err(Failure::NotUnderstood(report.findings));
    }
    let mut told = Told {
        report,
        source,
        last: None,
        asks,
    };
    told.last = match until {
        Some(until) => Some(told.steps().until(None, until)?),
        None => told.steps().beats.len().checked_sub(1),
    };
    Ok(told)
}

/// A run told step by step.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Steps {
    /// Beats in order: see [`crate::analyze::beats`].
    pub beats: Vec<BeatRow>,
    /// What places hold, as a table.
    pub cells: Cells,
    /// What places hold, as a diagram.
    pub diagram: Diagram,
    /// What is not told, a sentence each.
    pub left_out: Vec<String>,
}

impl Steps {
    const NOTHING: Self = Self {
        beats: Vec::new(),
        cells: Cells::NOTHING,
        diagram: Diagram::NOTHING,
        left_out: Vec::new(),
    };
}

/// A beat by the names that reports print.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Beat"))]
#[non_exhaustive]
pub struct BeatRow {
    /// When.
    #[serde(rename = "at_ps")]
    pub at: Ps,
    /// What: `submitted`, `starts`, `held`, `released`, `reads`, `write-ends`, `cleaned`, `dropped`, `rewritten`, `fence`,
    /// `hazard`, `never-ends` or `never-starts`.
    pub kind: &'static str,
    /// It in one sentence.
    pub says: String,
    /// Id of the command or barrier entry that it is about.
    pub id: String,
    /// Line of its text; of a hazard, that of the finding.
    pub line: u32,
    /// Queue, or `cpu`.
    pub queue: String,
    /// Indices of earlier beats that it follows from.
    pub after: Vec<u32>,
    /// Stage that starts.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub stage: &'static str,
    /// Resource.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub resource: String,
    /// The version that is read, written or moved: of a read of several, the first.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_version"
    )]
    #[cfg_attr(test, schemars(with = "Option<VersionOfBeat<'static>>"))]
    pub version: Option<(usize, String)>,
    /// The cache that answers a read, has a write first, or gives a version away; `memory`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub place: String,
    /// Of a read that finds several versions, or one in several places: all of them.
    #[serde(skip_serializing_if = "Vec::is_empty", serialize_with = "write_found")]
    #[cfg_attr(test, schemars(with = "Vec<FoundOfBeat<'static>>"))]
    pub found: Vec<(usize, String, String)>,
    /// Of a wrong read, the version that it should have found.
    #[serde(
        skip_serializing_if = "Option::is_none",
        serialize_with = "write_version"
    )]
    #[cfg_attr(test, schemars(with = "Option<VersionOfBeat<'static>>"))]
    pub expected: Option<(usize, String)>,
    /// Of a wrong read, what it is: `stale`, `early`, `late`, `torn`, `undefined` or `undecoded`.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub wrong: &'static str,
    /// Of a hazard, its rule; of a wrong read, the rules that explain it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<&'static str>,
    /// Of a hazard, the index of its finding in the report of `run`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub finding: Option<usize>,
    /// What can be asked before it is told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ask: Option<Ask>,
    /// Changes of [`Cells`] that have happened by then.
    #[serde(skip)]
    pub moments: u32,
    /// The packet.
    #[serde(skip)]
    pub(super) op: Option<OpId>,
}

/// A version of a resource.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Version"))]
struct VersionOfBeat<'a> {
    /// Its number: 0 is what was there before anything ran, and each command that writes the resource makes the next one, in
    /// the order of submission.
    number: usize,
    /// Who wrote it: the id of a command, or `initial contents`.
    by: &'a str,
}

/// A version that a read finds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Found"))]
struct FoundOfBeat<'a> {
    /// Its number.
    number: usize,
    /// Who wrote it: the id of a command, or `initial contents`.
    by: &'a str,
    /// The cache that answers; `memory`.
    place: &'a str,
}

#[allow(clippy::ref_option, reason = "serde gives a reference")]
fn write_version<S: Serializer>(
    of: &Option<(usize, String)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let of = of.as_ref();
    of.map(|&(number, ref by)| VersionOfBeat { number, by })
        .serialize(serializer)
}

fn write_found<S: Serializer>(
    all: &[(usize, String, String)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let all = all.iter();
    serializer.collect_seq(all.map(|&(number, ref by, ref place)| FoundOfBeat {
        number,
        by,
        place,
    }))
}

/// Runs the program again, and keeps what places held, what reads found and where writes ended.
pub(super) fn contents(rows: Rows<'_>, options: &Options, most: usize) -> Contents {
    let simulated = sim::SimOptions {
        eviction: options.eviction,
        ..sim::SimOptions::default()
    };
    sim::contents(&rows.ran.program, rows.machine.profile, &simulated, most)
}

/// The steps of a run whose report has its rows. A page shows some only, and what places hold in its own way. Of a copy no
/// diagram is drawn.
pub(super) fn steps(
    rows: Rows<'_>,
    report: &Report,
    contents: &Contents,
    (options, is_drawn): (&Options, bool),
) -> Steps {
    let trace = &rows.ran.paid;
    let met: Vec<(usize, Ps)> = report
        .meetings
        .iter()
        .map(|m| (m.finding, m.both))
        .collect();
    let given = beats::Given {
        timeline: rows.timeline,
        profile: rows.machine.profile,
        program: &rows.ran.program,
        trace,
        contents,
        findings: &report.findings,
        met: &met,
    };
    let told = beats::beats(given);
    let explained: Vec<Vec<&'static str>> = (0..trace.observations.len())
        .map(|index| {
            let mut rules: Vec<_> = rows.findings_of(index).iter().map(|f| f.rule).collect();
            rules.dedup();
            rules
        })
        .collect();
    let stuck: Vec<String> = report.stuck.iter().map(|row| row.says.clone()).collect();
    let teller = Teller {
        source: rows.source,
        given,
        explained: &explained,
        stuck: &stuck,
    };
    let deleted = |entry| deleted(rows, entry, options);
    let (most, cells) = if options.steps {
        (told.beats.len(), cells::cells(&teller, &told))
    } else {
        (EVENTS_MAX, Cells::default())
    };
    let asks = teller.asks(&told, most, &deleted);
    let made = told.beats.iter().zip(asks).map(|(beat, ask)| BeatRow {
        ask,
        ..row(&teller, &told, beat)
    });
    Steps {
        beats: made.collect(),
        diagram: diagram::diagram(&teller, &told, if is_drawn { most } else { 0 }),
        cells,
        left_out: left_out(given, &told),
    }
}

/// What was found out about a barrier by leaving it out. Of one that leaves a hazard, it is not known whether there would be
/// another.
fn deleted(rows: Rows<'_>, entry: BarrierRef, options: &Options) -> Option<Deleted> {
    if options.without_proofs {
        return None;
    }
    let (verdict, why) = rows.verdicts.of(rows.timeline, entry);
    // Of other verdicts it is not known: a half of a split barrier, say, was not left out.
    let without = match verdict {
        Verdict::Redundant => Without::Nothing,
        Verdict::Needed if why == DELETED_ADDS => Without::Wrong,
        Verdict::Needed | Verdict::TooWide | Verdict::TooNarrow => return None,
    };
    let is_plain = [DELETED_ADDS, DELETED_ADDS_NOTHING].contains(&why);
    let why = if is_plain {
        String::new()
    } else {
        sentence(why)
    };
    Some(Deleted { without, why })
}

/// A clause as a sentence.
fn sentence(clause: &str) -> String {
    let mut letters = clause.chars();
    let first = letters.next().map(|c| c.to_ascii_uppercase());
    let whole: String = first.into_iter().chain(letters).collect();
    let stop = if whole.ends_with('.') { "" } else { "." };
    format!("{whole}{stop}")
}

fn row(teller: &Teller<'_>, told: &Beats, beat: &Beat) -> BeatRow {
    let mut row = BeatRow {
        at: beat.at,
        kind: beat.kind.word(),
        says: teller.says(told, beat),
        id: teller.id(beat),
        line: teller.line(beat),
        queue: teller.queue(beat.node).to_owned(),
        after: beat.after.to_vec(),
        moments: beat.moments,
        op: beat.op,
        ..BeatRow::default()
    };
    match &beat.kind {
        BeatKind::Starts(leaf) => row.stage = leaf.map_or("", |leaf| leaf.name()),
        BeatKind::Hazard { finding, .. } => {
            let found = &teller.given.findings[*finding];
            row.rules = vec![found.rule.id];
            row.finding = Some(*finding);
            let resource = found.resource.as_deref().unwrap_or_default();
            resource.clone_into(&mut row.resource);
        }
        BeatKind::Reads(read) => row.reads(teller, told, read),
        _ => row.moves(teller, told, beat),
    }
    row
}

/// A version's number, and whose it is.
fn version(teller: &Teller<'_>, told: &Beats, writer: Option<Writer>) -> (usize, String) {
    let by = writer.map_or_else(
        || "initial contents".to_owned(),
        |writer| teller.given.timeline.node_name(writer.node),
    );
    (told.versions.number(writer), by)
}

fn place(teller: &Teller<'_>, cache: Option<CacheId>) -> String {
    let name = cache.map_or("memory", |cache| teller.cache(cache));
    name.to_owned()
}

impl BeatRow {
    /// What a read finds, and what it should find.
    fn reads(&mut self, teller: &Teller<'_>, told: &Beats, read: &Read) {
        teller
            .resource(read.resource)
            .clone_into(&mut self.resource);
        if let Some(first) = read.found.first() {
            self.version = Some(version(teller, told, first.writer));
            self.place = place(teller, first.from);
        }
        if read.found.len() > 1 {
            let one = |found: &Found| {
                let (number, by) = version(teller, told, found.writer);
                (number, by, place(teller, found.from))
            };
            self.found = read.found.iter().map(one).collect();
        }
        if let Some(wrong) = &read.wrong {
            self.expected = Some(version(teller, told, wrong.expected));
            self.wrong = teller.given.trace.observations[wrong.observation]
                .kind
                .word();
            self.rules.clone_from(&teller.explained[wrong.observation]);
        }
    }

    /// What becomes of a version.
    fn moves(&mut self, teller: &Teller<'_>, told: &Beats, beat: &Beat) {
        let resource = match &beat.kind {
            BeatKind::WriteEnds {
                resource,
                place: cache,
                ..
            } => {
                let writer = Writer {
                    node: beat.node,
                    resource: *resource,
                };
                self.version = Some(version(teller, told, Some(writer)));
                self.place = teller.landing(*cache);
                *resource
            }
            BeatKind::Cleaned(moved) | BeatKind::Dropped(moved) => {
                self.version = Some(version(teller, told, moved.writer));
                self.place = teller.place(moved.place);
                moved.resource
            }
            BeatKind::Rewritten { resource, .. } => *resource,
            _ => return,
        };
        teller.resource(resource).clone_into(&mut self.resource);
    }
}

fn left_out(given: beats::Given<'_>, told: &Beats) -> Vec<String> {
    let mut all = Vec::new();
    if given.trace.causes.is_none() {
        all.push(format!(
            "runs of up to {} packets are told step by step, and this one has {}; `run` reports all of it",
            crate::analyze::stalls::CAUSES_MAX,
            given.program.ops
        ));
    }
    if told.all > told.beats.len() {
        all.push(format!(
            "the first {} of {} beats are told",
            told.beats.len(),
            told.all
        ));
    }
    if let Some(until) = told.memory_until {
        all.push(format!(
            "what reads find and what caches do is told up to {until}: there is no room for more"
        ));
    }
    all
}
