//! What a run without a barrier has that the run as written has not, and the other way round: findings, wrong reads, and what
//! each read found.
//!
//! The copy's ids are the original's, so that one command is the same in both.

use super::{FindingChange, ReadPair, Seen, WrongRead};
use crate::finding::{Finding, Source, Span};
use crate::run::steps::BeatRow;
use crate::run::{CommandRow, Report};
use indexmap::IndexMap;
use std::sync::Arc;

/// What makes a finding the same in a copy: its rule, the places of its two sides, and the resource.
type Key = (&'static str, Option<Span>, Span, Option<Arc<str>>);

fn key(finding: &Finding) -> Key {
    let hazard = finding.hazard.as_deref();
    (
        finding.rule.id,
        hazard.map(|h| h.first.span),
        hazard.map_or(finding.span, |h| h.second.span),
        finding.resource.clone(),
    )
}

/// Findings that a copy does not have: nobody asks there what is redundant.
fn is_compared(finding: &Finding) -> bool {
    finding.rule.family() != "RD"
}

/// What `report` has more often than `other`: findings, the worst first.
pub(super) fn more_in(source: &Source, report: &Report, other: &Report) -> Vec<FindingChange> {
    // How often each is found, and whether a read shows it.
    let mut known: IndexMap<Key, (u32, bool)> = IndexMap::new();
    for finding in other.findings.iter().filter(|f| is_compared(f)) {
        let (times, is_visible) = known.entry(key(finding)).or_default();
        *times += finding.repeats;
        *is_visible |= finding.visible == Some(true);
    }
    let mut more = Vec::new();
    for finding in report.findings.iter().filter(|f| is_compared(f)) {
        let before = known.get_mut(&key(finding));
        let was_there = before.is_some();
        let (times, was_visible) = before.map_or((0, false), |(times, is_visible)| {
            let left = times.saturating_sub(finding.repeats);
            (std::mem::replace(times, left), *is_visible)
        });
        let shows = was_there && !was_visible && finding.visible == Some(true);
        if finding.repeats > times || shows {
            more.push(FindingChange {
                finding: finding.clone(),
                line: source.line(finding.span.start),
                times: finding.repeats.saturating_sub(times),
                was_there,
            });
        }
    }
    more.sort_by_key(|change| std::cmp::Reverse(change.finding.severity));
    more
}

/// Reads that go wrong in `report` and not in `other`.
pub(super) fn wrong_in(report: &Report, other: &Report) -> Vec<WrongRead> {
    let mut found = wrong_reads(report);
    let mut known = wrong_reads(other);
    // Of a use that reads wrong in both, the reads that are the same are taken first.
    for is_exact in [true, false] {
        found.retain(|read| {
            let same = known.iter().position(|k| read.is_same(k, is_exact));
            same.map(|at| known.remove(at)).is_none()
        });
    }
    found.sort_by_key(|read| read.at);
    found
}

impl WrongRead {
    /// Whether another is of the same command, resource and access; `is_exact`: and whether it found the same.
    fn is_same(&self, other: &Self, is_exact: bool) -> bool {
        let (a, b) = (&self.read, &other.read);
        let is_one =
            (&self.command, &a.resource, &a.access) == (&other.command, &b.resource, &b.access);
        let found = |r: &Self| {
            let r = &r.read;
            (
                r.kind.clone(),
                r.saw.clone(),
                r.expected.clone(),
                r.from.clone(),
            )
        };
        is_one && (!is_exact || found(self) == found(other))
    }
}

fn wrong_reads(report: &Report) -> Vec<WrongRead> {
    let steps = report.steps.as_deref();
    let beats = steps.map_or(&[][..], |steps| &steps.beats);
    let mut told: IndexMap<(&str, &str, u64), Vec<&BeatRow>> = IndexMap::new();
    for beat in beats.iter().filter(|b| !b.wrong.is_empty()) {
        let key = (beat.id.as_str(), beat.resource.as_str(), beat.at.0);
        told.entry(key).or_default().push(beat);
    }
    let read = |command: &CommandRow, read: &crate::run::ObservationRow| {
        let key = (command.id.as_str(), read.resource.as_str(), read.at.0);
        let beats = told.get(&key).map_or(&[][..], Vec::as_slice);
        let beat = beats.iter().find(|beat| {
            let saw = beat.version.as_ref().map(|(_, by)| by);
            beat.wrong == read.kind && saw == Some(&read.saw)
        });
        WrongRead {
            command: command.id.clone(),
            label: command.label.clone(),
            line: command.line,
            queue: command.queue.clone(),
            at: read.at,
            read: read.clone(),
            says: beat.map_or_else(
                || {
                    format!(
                        "{} ({}) reads `{}` from {}: what it finds is of {}, not of {}",
                        command.label,
                        command.id,
                        read.resource,
                        read.from,
                        read.saw,
                        read.expected
                    )
                },
                |beat| beat.says.clone(),
            ),
        }
    };
    let commands = report.commands.iter();
    commands
        .flat_map(|c| c.observations.iter().map(move |o| read(c, o)))
        .collect()
}

/// What each read of both runs found, in the order of the run as written. A command reads a resource once here, whatever the
/// number of its stages.
pub(super) fn reads(with: &Report, without: &Report) -> Vec<ReadPair> {
    let mut pairs: IndexMap<(String, String), ReadPair> = IndexMap::new();
    for (report, is_copy) in [(with, false), (without, true)] {
        let steps = report.steps.as_deref();
        let beats = steps.map_or(&[][..], |steps| &steps.beats);
        for beat in beats.iter().filter(|beat| beat.kind == "reads") {
            let pair = pairs
                .entry((beat.id.clone(), beat.resource.clone()))
                .or_insert_with(|| ReadPair {
                    command: beat.id.clone(),
                    resource: beat.resource.clone(),
                    with: Vec::new(),
                    without: Vec::new(),
                });
            let side = if is_copy {
                &mut pair.without
            } else {
                &mut pair.with
            };
            for (seen, place) in seen(beat) {
                add(side, seen, place);
            }
        }
    }
    pairs.into_values().collect()
}

/// What the steps of either run leave out.
pub(super) fn untold(with: &Report, without: &Report) -> Vec<String> {
    let steps = [with, without].map(|report| report.steps.as_deref());
    let all = steps.into_iter().flatten().flat_map(|s| &s.left_out);
    let mut all: Vec<String> = all.cloned().collect();
    all.dedup();
    all
}

/// Adds a version, or only where it is found, too.
fn add(side: &mut Vec<Seen>, seen: Seen, place: String) {
    let is_it = |known: &&mut Seen| {
        (known.version, &known.by, known.wrong, &known.expected)
            == (seen.version, &seen.by, seen.wrong, &seen.expected)
    };
    match side.iter_mut().find(is_it) {
        Some(known) if known.places.contains(&place) => {}
        Some(known) => known.places.push(place),
        // What a late read finds is where the write has it: nobody knows where the read took it from.
        None => side.push(Seen {
            places: if seen.wrong == "late" {
                Vec::new()
            } else {
                vec![place]
            },
            ..seen
        }),
    }
}

/// The versions that a read finds, each with its place.
fn seen(beat: &BeatRow) -> Vec<(Seen, String)> {
    let one = |(version, by): &(usize, String), place: &str| {
        let seen = Seen {
            version: *version,
            by: by.clone(),
            places: Vec::new(),
            wrong: beat.wrong,
            expected: beat.expected.clone().unwrap_or_default().1,
        };
        (seen, place.to_owned())
    };
    if !beat.found.is_empty() {
        let all = beat.found.iter();
        return all
            .map(|(version, by, place)| one(&(*version, by.clone()), place))
            .collect();
    }
    let first = beat.version.as_ref();
    first
        .map(|version| one(version, &beat.place))
        .into_iter()
        .collect()
}
