//! The run with and without one barrier: `run --without`.

use super::format::{Output, Printer};
use super::json::{self, CommandJson, FindingJson, ObservationJson};
use super::terminal::without;
use crate::finding::Source;
use crate::run::without::{Broken, CopyRun, FindingChange, ReadPair, Seen, WrongRead, rules};
use crate::run::{BarrierRow, Report, WithAndWithout};
use crate::schema::schema;
use crate::time::Ps;
use serde::Serialize;

/// The run with and without a barrier.
pub const WITHOUT: Output<Printer<WithAndWithout>> = Output {
    name: "without",
    noun: "a run without a barrier",
    writers: &[
        ("terminal", without::write),
        ("json", |both, _, out| json::indented(&document(both), out)),
    ],
    schema: Some(schema!(
        written WithoutDocument<'static>, "without", "The output of `run --without BARRIER --format json`"
    )),
};

/// A run, and the run without one barrier.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WithoutDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// Title of the scenario, or its file name.
    scenario: &'a str,
    /// File as it was named on the command line.
    file: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// The lowering.
    lowering: &'a str,
    /// Ids of the executions of the barrier, of a split barrier those of both halves; empty if it is not executed.
    barriers: &'a [String],
    /// Line of its text.
    line: u32,
    /// Line of the other half of a split barrier; null for other barriers.
    end_line: Option<u32>,
    /// Declared name of the resource; empty for a global barrier.
    resource: &'a str,
    /// What it comes to, in one sentence.
    says: &'a str,
    /// The run as written.
    with: RunJson,
    /// The run without the barrier; null if there can be none.
    without: Option<CopyJson<'a>>,
    /// Rules that other barriers break without it, if there can be no run.
    breaks: Vec<&'static str>,
    /// The same, each with the line of its barrier.
    breaks_at: &'a [Broken],
}

/// What a run takes.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Run"))]
struct RunJson {
    /// From the first submission to the end of the last work.
    makespan_ps: u64,
    /// Time in which nothing ran on any queue because of barriers.
    exposed_ps: u64,
    /// Reads that did not see what they should have.
    bad_reads: u64,
}

impl RunJson {
    fn new(report: &Report) -> Self {
        Self {
            makespan_ps: report.makespan.unwrap_or_default().0,
            exposed_ps: report.exposed.0,
            bad_reads: report.totals.bad_reads,
        }
    }
}

/// The run without the barrier. Its commands and barriers have the ids that they have in the text as written.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Copy"))]
struct CopyJson<'a> {
    #[serde(flatten)]
    run: RunJson,
    /// How much longer it takes than the run as written; negative if it takes less.
    difference_ps: i64,
    /// How many more reads go wrong than as written, or 0. A use that several stages read is so many reads.
    more_bad_reads: u64,
    /// Findings that are new, found more often, or visible only now; the worst first. What is redundant is not asked.
    new_findings: Vec<ChangeJson<'a>>,
    /// Findings that are gone, or found less often.
    gone_findings: Vec<ChangeJson<'a>>,
    /// Reads that go wrong and did not before, in order of time.
    wrong_reads: Vec<WrongReadJson<'a>>,
    /// Reads that went wrong and do not any more.
    mended_reads: Vec<WrongReadJson<'a>>,
    /// What reads of what somebody writes find in both runs.
    reads: Vec<ReadJson<'a>>,
    /// What is not told of the reads of either run, a sentence each.
    untold: &'a [String],
    /// Executed commands in order of execution.
    commands: Vec<CommandJson<'a>>,
    /// Executed barrier entries in order of execution.
    barriers: Vec<BarrierTimeJson<'a>>,
}

/// A finding that one of the two runs has, or has more often.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Change"))]
struct ChangeJson<'a> {
    #[serde(flatten)]
    finding: FindingJson<'a>,
    /// What became of it: `new`, `more often` or `now visible here`; `gone`, `less often` or `no longer visible here`.
    change: &'static str,
    /// How many executions more report it.
    times: u32,
}

/// A read that goes wrong.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "WrongRead"))]
struct WrongReadJson<'a> {
    /// Id of the command that reads.
    command: &'a str,
    /// Its label.
    label: &'a str,
    /// Line of its text.
    line: u32,
    /// Its queue.
    queue: &'a str,
    /// When it reads; of a read that a write overtook, when it ended.
    at_ps: u64,
    #[serde(flatten)]
    read: ObservationJson<'a>,
    /// The same as a sentence.
    says: &'a str,
}

/// What a command finds when it reads a resource.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Read"))]
struct ReadJson<'a> {
    /// Id of the command.
    command: &'a str,
    /// Declared name of the resource.
    resource: &'a str,
    /// What it finds as written.
    with: Vec<SeenJson<'a>>,
    /// What it finds without the barrier.
    without: Vec<SeenJson<'a>>,
    /// Both find the same contents, wherever, and both rightly or wrongly.
    same: bool,
}

/// A version that a read finds.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "Seen"))]
struct SeenJson<'a> {
    /// Its number in its own run.
    version: usize,
    /// Whose it is: the id of a command, or `initial contents`.
    by: &'a str,
    /// The caches that answer, or `memory`.
    places: &'a [String],
    /// What is wrong with it, as `observations[].kind` says it; null if nothing is.
    wrong: Option<&'a str>,
    /// Of a wrong one, whose version it should be; null otherwise.
    expected: Option<&'a str>,
}

/// When a barrier entry was carried out.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[cfg_attr(test, schemars(rename = "BarrierTime"))]
struct BarrierTimeJson<'a> {
    /// Its id in the text as written.
    id: &'a str,
    /// Line of its text.
    line: u32,
    /// Queue.
    queue: &'a str,
    /// When it was its turn.
    start_ps: u64,
    /// When it was complete.
    end_ps: u64,
}

fn document(both: &WithAndWithout) -> WithoutDocument<'_> {
    let WithAndWithout {
        report,
        source,
        barrier,
        ..
    } = both;
    let (without, breaks_at) = match &barrier.copy {
        Ok(copy) => (Some(CopyJson::new(copy, source)), &[][..]),
        Err(broken) => (None, broken.as_slice()),
    };
    WithoutDocument {
        schema: 1,
        scenario: &report.scenario,
        file: &report.file,
        profile: &report.profile,
        lowering: &report.lowering,
        barriers: &barrier.barriers,
        line: barrier.line,
        end_line: barrier.end_line,
        resource: &barrier.resource,
        says: &barrier.says,
        with: RunJson::new(report),
        without,
        breaks: rules(breaks_at),
        breaks_at,
    }
}

impl<'a> CopyJson<'a> {
    fn new(copy: &'a CopyRun, source: &Source) -> Self {
        let report = &copy.report;
        let changes = |all: &'a [FindingChange], is_new: bool| {
            let change = move |change: &'a FindingChange| ChangeJson {
                finding: FindingJson::new(&change.finding, source),
                change: change.word(is_new),
                times: change.times,
            };
            all.iter().map(change).collect()
        };
        let reads = |all: &'a [WrongRead]| all.iter().map(WrongReadJson::new).collect();
        Self {
            run: RunJson::new(report),
            difference_ps: difference(copy.with, copy.makespan()),
            more_bad_reads: copy.more_bad_reads,
            new_findings: changes(&copy.new, true),
            gone_findings: changes(&copy.gone, false),
            wrong_reads: reads(&copy.wrong_reads),
            mended_reads: reads(&copy.mended_reads),
            reads: copy.reads.iter().map(ReadJson::new).collect(),
            untold: &copy.untold,
            commands: report.commands.iter().map(CommandJson::new).collect(),
            barriers: report.barriers.iter().map(BarrierTimeJson::new).collect(),
        }
    }
}

/// How much longer the second takes. A run ends long before 2^63 ps.
fn difference(with: Ps, without: Ps) -> i64 {
    let signed = |time: Ps| i64::try_from(time.0).unwrap_or(i64::MAX);
    signed(without) - signed(with)
}

impl<'a> WrongReadJson<'a> {
    fn new(read: &'a WrongRead) -> Self {
        Self {
            command: &read.command,
            label: &read.label,
            line: read.line,
            queue: &read.queue,
            at_ps: read.at.0,
            read: ObservationJson::new(&read.read),
            says: &read.says,
        }
    }
}

impl<'a> ReadJson<'a> {
    fn new(pair: &'a ReadPair) -> Self {
        let side = |side: &'a [Seen]| {
            let seen = |seen: &'a Seen| SeenJson {
                version: seen.version,
                by: &seen.by,
                places: &seen.places,
                wrong: Some(seen.wrong).filter(|word| !word.is_empty()),
                expected: Some(seen.expected.as_str()).filter(|by| !by.is_empty()),
            };
            side.iter().map(seen).collect()
        };
        Self {
            command: &pair.command,
            resource: &pair.resource,
            with: side(&pair.with),
            without: side(&pair.without),
            same: pair.is_same(),
        }
    }
}

impl<'a> BarrierTimeJson<'a> {
    fn new(row: &'a BarrierRow) -> Self {
        Self {
            id: &row.id,
            line: row.line,
            queue: &row.queue,
            start_ps: row.start.0,
            end_ps: row.end.0,
        }
    }
}
