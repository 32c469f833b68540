//! The run with and without one barrier: `run --without`.

use super::format::{Output, Printer};
use super::json::{self, FindingJson};
use super::terminal::without;
use crate::finding::Source;
use crate::run::without::{
    Broken, CopyRun, FindingChange, ReadPair, WithoutBarrier, WrongRead, rules,
};
use crate::run::{BarrierRow, CommandRow, Report, WithAndWithout};
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
    #[serde(flatten)]
    barrier: &'a WithoutBarrier,
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
    wrong_reads: &'a [WrongRead],
    /// Reads that went wrong and do not any more.
    mended_reads: &'a [WrongRead],
    /// What reads of what somebody writes find in both runs.
    reads: Vec<ReadJson<'a>>,
    /// What is not told of the reads of either run, a sentence each.
    untold: &'a [String],
    /// Executed commands in order of execution.
    commands: &'a [CommandRow],
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

/// What a command finds when it reads a resource.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Read"))]
struct ReadJson<'a> {
    #[serde(flatten)]
    pair: &'a ReadPair,
    /// Both find the same contents, wherever, and both rightly or wrongly.
    same: bool,
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
        barrier,
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
        Self {
            run: RunJson::new(report),
            difference_ps: difference(copy.with, copy.makespan()),
            more_bad_reads: copy.more_bad_reads,
            new_findings: changes(&copy.new, true),
            gone_findings: changes(&copy.gone, false),
            wrong_reads: &copy.wrong_reads,
            mended_reads: &copy.mended_reads,
            reads: copy.reads.iter().map(read).collect(),
            untold: &copy.untold,
            commands: &report.commands,
            barriers: report.barriers.iter().map(BarrierTimeJson::new).collect(),
        }
    }
}

fn read(pair: &ReadPair) -> ReadJson<'_> {
    let same = pair.is_same();
    ReadJson { pair, same }
}

/// How much longer the second takes. A run ends long before 2^63 ps.
fn difference(with: Ps, without: Ps) -> i64 {
    let signed = |time: Ps| i64::try_from(time.0).unwrap_or(i64::MAX);
    signed(without) - signed(with)
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
