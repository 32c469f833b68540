//! Two runs compared barrier by barrier: what the one does that the other does not, and what that costs.
//!
//! The runs differ in the lowering, in the profile or in the file. Barriers are paired in the order of execution by their queue
//! and what they say, so that a barrier that only one of two files has stands alone.

use super::{BarrierRow, Report};
use crate::api::LeafSet;
use crate::finding::Source;
use crate::time::Ps;
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

/// A run of a difference.
#[derive(Clone, Debug)]
pub struct DifferenceRun {
    /// The file.
    pub file: String,
    /// The profile.
    pub profile: String,
    /// The lowering.
    pub lowering: String,
    /// From the first submission to the end of the last work.
    pub makespan: Ps,
    /// Time in which nothing ran because of barriers.
    pub exposed: Ps,
    /// Cache cleans, cache invalidates and layout operations.
    pub operations: [u64; 3],
    /// Bytes that cleans and invalidates wrote back.
    pub bytes: u64,
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

/// A barrier entry in one run.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DifferenceSide {
    /// Id of the execution.
    pub id: String,
    /// Line of the entry.
    pub line: u32,
    /// Drain, operation, refill, exposed.
    pub costs: [Ps; 4],
    /// Operations that only this run has.
    pub only: Vec<String>,
    /// The lowering lacks something that the entry asks for (`LW101`).
    pub lacks: bool,
    /// The lowering does something that nothing asks for (`LW102`).
    pub exceeds: bool,
}

impl DifferenceRow {
    /// Whether both runs do the same at the same price.
    pub fn is_same(&self) -> bool {
        match &self.sides {
            [Some(one), Some(other)] => {
                one.costs == other.costs
                    && one.only.is_empty()
                    && other.only.is_empty()
                    && (one.lacks, one.exceeds) == (other.lacks, other.exceeds)
            }
            _ => false,
        }
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
            costs: [row.drain, row.operation, row.refill, row.exposed],
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
        operations: [totals.cleans, totals.invalidates, totals.layout_operations],
        bytes: totals.cleaned_bytes,
        bad_reads: totals.bad_reads,
    }
}
