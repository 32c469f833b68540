//! What is wrong with a text, and what is wasted in it: the two questions that every edited copy is asked.

use super::prove;
use super::{Found, Key, key};
use crate::analyze::{self, names};
use crate::analyze::{fences, hazards};
use crate::finding::{Finding, Severity, Source, Span};
use crate::graph::{Conflict, ConflictKind, Evaluation};
use crate::order::{SubmissionKind, Timeline};
use crate::pipeline::asserted;
use crate::pipeline::clock::Clock;
use crate::pipeline::front::{self, Kernels, Prepared};
use crate::pipeline::switches;
use crate::scenario::{Barrier, Range, TextureBarrier, Use};
use crate::validate::RuleSet;
use std::collections::BTreeSet;

/// Steps of one evaluation times barrier entries: a text with more is not searched for waste.
const WASTE_MAX: u64 = 40_000;

/// A text, prepared for reading barriers; `None` if it cannot be read. What kernels cost does not matter here.
pub(super) fn prepared(source: &Source) -> Option<Prepared<'static>> {
    let clock = &mut Clock::untold();
    let parsed = front::read(source, clock).ok()?;
    Some(parsed.prepare(Kernels::LeftOut, clock))
}

/// Errors, hazards and warnings of a text, once a rule, place and resource; `None` if it cannot be read.
pub(super) fn wrong_in(source: &Source, rules: RuleSet) -> Option<Vec<Found>> {
    let prepared = prepared(source)?;
    let timeline = prepared.timeline();
    let evaluation = front::needed_and_asked(&timeline);
    let lone = |finding: Finding| Found {
        cause: finding.span.start,
        finding,
        conflict: None,
    };
    let mut found: Vec<Found> = prepared
        .legality(&timeline, rules)
        .into_iter()
        .chain(fences::findings(&timeline))
        .chain(asserted::findings(prepared.plain(), evaluation.steps))
        .map(lone)
        .collect();
    let pairs = hazards::findings(&timeline, &evaluation, None);
    for (finding, conflict) in pairs.into_iter().zip(&evaluation.conflicts) {
        found.push(Found {
            cause: cause(&timeline, conflict, &finding),
            finding,
            conflict: Some(conflict.clone()),
        });
    }
    found.retain(|f| f.finding.severity > Severity::Advice);
    let mut seen = BTreeSet::new();
    found.retain(|f| seen.insert(f.key()));
    let mut findings: Vec<Finding> = found.iter().map(|f| f.finding.clone()).collect();
    analyze::drop_explained(&mut findings, &[]);
    switches::drop_allowed(&mut findings, prepared.written());
    let said: BTreeSet<Key> = findings.iter().map(key).collect();
    found.retain(|f| said.contains(&f.key()));
    found.sort_by_key(|f| f.finding.span);
    Some(found)
}

/// Where the mistake is that a conflict comes from: the entry that fell short, what set the wrong layout, or the first
/// use.
fn cause(timeline: &Timeline<'_>, conflict: &Conflict, finding: &Finding) -> u32 {
    let origin = finding.related.first();
    if let Some(origin) = origin.filter(|_| conflict.kind == ConflictKind::LayoutMismatch) {
        return origin.span.start;
    }
    let entry = conflict.barrier.or(conflict.second.barrier());
    entry.and_then(|id| names::entry(timeline, id)).map_or_else(
        || names::side_span(timeline, &conflict.first).start,
        |barrier| barrier.span.start,
    )
}

/// What an evaluation of a text costs, times its barrier entries.
fn size(prepared: &Prepared<'_>, evaluation: &Evaluation) -> u64 {
    let commands = prepared.plain().commands();
    let entries: usize = commands.map(|c| c.kind.barriers().len()).sum();
    evaluation.work().saturating_mul(entries as u64)
}

/// Warnings about barriers of a text that nothing needs; `None` if it cannot be read, or would take too long.
pub(super) fn waste_in(source: &Source, rules: RuleSet) -> Option<Vec<Finding>> {
    let prepared = prepared(source)?;
    let timeline = prepared.timeline();
    let evaluation = front::needed_and_asked(&timeline);
    if size(&prepared, &evaluation) > WASTE_MAX {
        return None;
    }
    let legality = prepared.legality(&timeline, rules);
    let given = prove::Given {
        source: prepared.written(),
        timeline: &timeline,
        evaluation: &evaluation,
        legality: &legality,
        rules,
        ran: None,
    };
    let pairs = hazards::findings(&timeline, &evaluation, None);
    let wrong = legality.iter().chain(&pairs).filter(|f| f.severity.fails());
    let mut findings = prove::prove(given, &wrong.map(|f| f.span).collect()).findings;
    findings.retain(|f| f.severity > Severity::Advice);
    Some(findings)
}

/// Whether an entry that begins in one of some places gives up contents which its scope has used and which something
/// reads later. Reading R62: a proposal never says so.
pub(super) fn gives_up(source: &Source, places: &[Span]) -> bool {
    let Some(prepared) = prepared(source) else {
        return false;
    };
    let timeline = prepared.timeline();
    let is_new = |barrier: &Barrier| {
        let at = barrier.span.start;
        places.iter().any(|p| p.start <= at && at < p.end)
    };
    let mut open = Vec::new();
    for id in timeline.evaluation.iter() {
        if timeline.submission(id).kind != SubmissionKind::Execute {
            continue;
        }
        let mut used = BTreeSet::new();
        for (_, _, command) in timeline.commands(id) {
            if command
                .uses
                .iter()
                .any(|u| u.reads() && open.contains(&u.resource))
            {
                return true;
            }
            open.retain(|id| !command.uses.iter().any(|u| u.resource == *id && renews(u)));
            used.extend(command.uses.iter().map(|u| u.resource));
            for barrier in command.kind.barriers() {
                let Some(resource) = barrier.resource() else {
                    continue;
                };
                let gives_up = barrier.access_before.is_no_access()
                    && !barrier.sync_before.leaves().is_empty();
                if gives_up && !drops(barrier) && used.contains(&resource) && is_new(barrier) {
                    open.push(resource);
                } else if drops(barrier) {
                    open.retain(|id| *id != resource);
                }
            }
        }
    }
    false
}

/// Whether a use writes all of its resource, whatever was there.
fn renews(used: &Use) -> bool {
    used.writes() && !used.reads() && used.range == Range::All
}

/// Whether a texture's contents end at an entry anyway.
fn drops(barrier: &Barrier) -> bool {
    let entry = barrier.as_texture();
    entry.is_some_and(TextureBarrier::drops_contents)
}
