//! Two runs compared barrier by barrier: what the one does that the other does not, and what that costs.
//!
//! The runs differ in the lowering, in the profile or in the file. Barriers are paired in the order of execution by their queue
//! and what they say, so that a barrier that only one of two files has stands alone.

use super::{BarrierRow, Report};
use crate::api::LeafSet;
use crate::finding::Source;
use crate::time::Ps;
use serde::Serialize;
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::collections::BTreeMap;

/// Two runs, compared.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Difference {
    /// The runs.
    pub sides: [DifferenceRun; 2],
    /// Barrier entries in order of execution.
    pub rows: Vec<DifferenceRow>,
}

/// One of the runs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RunRow"))]
pub struct DifferenceRun {
    /// The scenario's file.
    pub file: String,
    /// Hardware profile.
    pub profile: String,
    /// The lowering.
    pub lowering: String,
    /// From the first submission to the end of the last work.
    #[serde(rename = "makespan_ps")]
    pub makespan: Ps,
    /// Time in which nothing ran on any queue because of barriers.
    #[serde(rename = "exposed_ps")]
    pub exposed: Ps,
    /// Write-backs of caches.
    pub cleans: u64,
    /// Drops of caches.
    pub invalidates: u64,
    /// Operations on textures.
    pub layout_operations: u64,
    /// Bytes that were written back.
    pub flushed_bytes: u64,
    /// Reads that did not see what they should have.
    pub bad_reads: u64,
}

/// One barrier entry of both runs, or of one.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DifferenceRow {
    /// Text of the barrier entry.
    pub text: String,
    /// Its part in each run.
    pub sides: [Option<DifferenceSide>; 2],
    /// Operations that both runs have.
    pub common: Vec<String>,
}

/// A barrier in one of the runs.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SideRow"))]
#[non_exhaustive]
pub struct DifferenceSide {
    /// Id in the report of the run.
    pub id: String,
    /// Line of its text.
    pub line: u32,
    /// From its turn until the work that it waits for had finished.
    #[serde(rename = "drain_ps")]
    pub drain: Ps,
    /// Its cache and layout operations.
    #[serde(rename = "operation_ps")]
    pub operation: Ps,
    /// What the work that it held needed to fill pipeline and caches again.
    #[serde(rename = "refill_ps")]
    pub refill: Ps,
    /// Time in which nothing ran on any queue and its own waited for this barrier. The barriers of one queue share no time.
    #[serde(rename = "exposed_ps")]
    pub exposed: Ps,
    /// Operations of this run only.
    pub only: Vec<String>,
    /// The packet lacks what is asked (LW101).
    pub lacks: bool,
    /// The packet does more than is asked (LW102).
    pub exceeds: bool,
}

impl DifferenceRow {
    /// Whether both runs do the same at the same price.
    pub fn is_same(&self) -> bool {
        match &self.sides {
            [Some(one), Some(other)] => {
                one.costs() == other.costs()
                    && one.only.is_empty()
                    && other.only.is_empty()
                    && (one.lacks, one.exceeds) == (other.lacks, other.exceeds)
            }
            _ => false,
        }
    }
}

impl DifferenceSide {
    /// Drain, operation, refill, exposed.
    pub fn costs(&self) -> [Ps; 4] {
        [self.drain, self.operation, self.refill, self.exposed]
    }
}

/// Compares two runs, each with its text.
pub fn difference(first: (&Report, &Source), second: (&Report, &Source)) -> Difference {
    let reports = [first, second];
    let keys = reports.map(|(report, _)| {
        let keys = report.barriers.iter().map(|row| (&row.queue, &row.text));
        keys.collect::<Vec<_>>()
    });
    let marks = reports.map(|(report, source)| marks(report, source));
    let side = |at: usize, row: usize| {
        let row = &reports[at].0.barriers[row];
        let (lacks, exceeds) = marks[at].get(&row.line).copied().unwrap_or_default();
        DifferenceSide {
            id: row.id.clone(),
            line: row.line,
            drain: row.drain,
            operation: row.operation,
            refill: row.refill,
            exposed: row.exposed,
            only: operations(row),
            lacks,
            exceeds,
        }
    };
    let alone = |at: usize, row: usize| {
        let mut sides = [None, None];
        sides[at] = Some(side(at, row));
        DifferenceRow {
            text: reports[at].0.barriers[row].text.clone(),
            sides,
            common: Vec::new(),
        }
    };
    let mut rows = Vec::new();
    for op in capture_diff_slices(Algorithm::Myers, &keys[0], &keys[1]) {
        let (old, new) = (op.old_range(), op.new_range());
        if matches!(op, DiffOp::Equal { .. }) {
            for (at, other) in old.zip(new) {
                let (mut one, mut other) = (side(0, at), side(1, other));
                let common = shared(&mut one.only, &mut other.only);
                rows.push(DifferenceRow {
                    text: reports[0].0.barriers[at].text.clone(),
                    sides: [Some(one), Some(other)],
                    common,
                });
            }
        } else {
            rows.extend(old.map(|row| alone(0, row)));
            rows.extend(new.map(|row| alone(1, row)));
        }
    }
    Difference {
        sides: reports.map(|(report, _)| totals(report)),
        rows,
    }
}

/// What two lists share, each as often as both have it; the rest stays.
fn shared(one: &mut Vec<String>, other: &mut Vec<String>) -> Vec<String> {
    let mut common = Vec::new();
    one.retain(
        |operation| match other.iter().position(|o| o == operation) {
            Some(at) => {
                common.push(other.remove(at));
                false
            }
            None => true,
        },
    );
    common
}

fn operations(row: &BarrierRow) -> Vec<String> {
    let operations = row.operations.iter();
    let every = LeafSet::ALL.to_string();
    let text = |op: &str, target: &str| match target {
        "" => op.to_owned(),
        all if all == every => format!("{op} for every stage"),
        _ => format!("{op} {target}"),
    };
    operations.map(|it| text(&it.op, &it.target)).collect()
}

/// By line: whether the lowering lacks something there, and whether it does too much.
fn marks(report: &Report, source: &Source) -> BTreeMap<u32, (bool, bool)> {
    let mut marks: BTreeMap<u32, (bool, bool)> = BTreeMap::new();
    for finding in &report.findings {
        let mark = marks.entry(source.line(finding.span.start)).or_default();
        mark.0 |= finding.rule.id == "LW101";
        mark.1 |= finding.rule.id == "LW102";
    }
    marks
}

fn totals(report: &Report) -> DifferenceRun {
    let totals = &report.totals;
    DifferenceRun {
        file: report.file.clone(),
        profile: report.profile.clone(),
        lowering: report.lowering.clone(),
        makespan: report.makespan.unwrap_or(Ps::ZERO),
        exposed: report.exposed,
        cleans: totals.cleans,
        invalidates: totals.invalidates,
        layout_operations: totals.layout_operations,
        flushed_bytes: totals.cleaned_bytes,
        bad_reads: totals.bad_reads,
    }
}
