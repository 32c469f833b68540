//! Lowering bugs: asked and not ensured. Over-flushes: ensured and not asked.
//!
//! * `needed.rs` says which missing operations a needed pair rests on, and which two uses these are.
//! * `later.rs` says who looks in later scopes at a layout that was not changed.
//! * `tally.rs` counts what the executions of each barrier entry lack, and what they have beyond need.

mod later;
mod less_than_masks;
mod missing_operation;
mod needed;
mod over_flush;
mod tally;

pub use later::Owed;
pub use needed::{Judged, Lack, NeededPairs};
pub use tally::Tally;

use super::attribution::{Attribution, Cause};
use super::hazards::observation_text;
use crate::analyze::names;
use crate::api::{BarrierAccess, LeafSet, QueueType};
use crate::ensure::{Extra, Shortfall, What};
use crate::finding::{Finding, Rule, Span};
use crate::graph::Side;
use crate::hardware::{Client, LayoutClass, Profile, WritePolicy};
use crate::id::{BarrierRef, CacheId};
use crate::order::Timeline;
use crate::scenario::{Barrier, TextureBarrier};
use crate::trace::{Observation, Sum};
use indexmap::IndexMap;
use std::collections::BTreeSet;
use tally::Lacking;

/// Rules of this family.
pub static RULES: &[&Rule] = &[
    &missing_operation::RULE,
    &over_flush::RULE,
    &less_than_masks::RULE,
];

/// What a lowering made of a timeline on a machine.
#[derive(Copy, Clone)]
pub struct Lowered<'a, 's> {
    /// The timeline.
    pub timeline: &'a Timeline<'s>,
    /// The machine.
    pub profile: &'a Profile,
    /// Name of the lowering.
    pub lowering: &'a str,
    /// What the lowering does not ensure, and what it does beyond need.
    pub tally: &'a Tally,
}

/// Findings about a lowered program; `attribution` says what a run showed, and `sums` what it paid for what nothing asked for.
pub fn findings(
    lowered: Lowered<'_, '_>,
    attribution: &Attribution<'_>,
    sums: &[Sum],
) -> Vec<Finding> {
    let Lowered {
        timeline, tally, ..
    } = lowered;
    let mut seen: IndexMap<Span, &Observation> = IndexMap::new();
    for (index, missing) in tally.missing.iter().enumerate() {
        if let Some(read) = attribution.shown_by(Cause::Missing(index)) {
            let first = seen.entry(tally::span(timeline, missing.barrier));
            let first = first.or_insert(read);
            if (read.at, read.node) < (first.at, first.node) {
                *first = read;
            }
        }
    }
    let bugs = tally.lacking.iter();
    let bugs = bugs.map(|(span, place)| {
        let mut finding = lacking(lowered, (*span, place));
        let read = seen.get(span);
        finding.visible = Some(read.is_some());
        finding
            .notes
            .extend(read.map(|read| observation_text(timeline, read).into()));
        finding
    });
    bugs.chain(over_flush::findings(lowered, sums))
        .chain(less_than_masks::findings(lowered))
        .collect()
}

/// Layout operations that nothing asks for, over bytes that a use before them wrote and one after them reads: what each is
/// called, and what it destroys.
pub fn overwriting(
    lowered: Lowered<'_, '_>,
    needed: &NeededPairs<'_, '_>,
    extra: &[Extra],
) -> Vec<(String, String)> {
    let Lowered {
        timeline,
        profile,
        lowering,
        ..
    } = lowered;
    let name = |side: &Side| names::node_label(timeline, side.node);
    let told = |extra: &Extra| {
        let What::Layout(op) = extra.what else {
            return None;
        };
        let op = profile.layout_op(op);
        if !op.from.contains(&LayoutClass::Undefined) {
            // It keeps what the texels are.
            return None;
        }
        let (before, after) = needed.around(extra.barrier)?;
        let op = op.name.clone();
        let barrier = timeline.barrier_name(extra.barrier);
        let says = format!(
            "on {}, the lowering `{lowering}` of {barrier} runs the layout operation `{op}`, which nothing asks for, over \
             what {} leaves for {}",
            profile.name,
            name(&before),
            name(&after)
        );
        Some((op, says))
    };
    extra.iter().filter_map(told).collect()
}

/// What a lowering lacks: for each barrier entry, the operations that fail the same two uses in one sentence.
pub fn sentences(lowered: Lowered<'_, '_>) -> Vec<String> {
    let Lowered {
        timeline,
        profile,
        lowering,
        tally,
    } = lowered;
    let mut all = Vec::new();
    for place in tally.lacking.values() {
        // By what it fails and by the verb: what is not done, to what.
        let mut groups: IndexMap<(String, String), Vec<String>> = IndexMap::new();
        for (what, early) in place.missing.keys() {
            let uses = place.uses.get(&(*what, *early));
            let (verb, object) = lacks(profile, mattering(*what, uses), *early);
            let fails = uses.map_or_else(String::new, |uses| {
                fails_uses(lowered, place.executions.first, (*what, *early), uses)
            });
            groups.entry((fails, verb)).or_default().push(object);
        }
        let barrier = timeline.barrier_name(place.executions.first);
        all.extend(groups.into_iter().map(|((fails, verb), objects)| {
            format!(
                "on {}, the lowering `{lowering}` of {barrier} {verb} {}: {fails}",
                profile.name,
                objects.join(", ")
            )
        }));
    }
    all
}

/// What a lack is, in words that many have, and what becomes of the two uses that rest on it.
pub fn told(lowered: Lowered<'_, '_>, lack: &Lack) -> (String, String) {
    let Shortfall {
        barrier,
        what,
        early,
    } = lack.shortfall;
    let uses = Some(&lack.uses);
    let (verb, object) = lacks(lowered.profile, mattering(what, uses), early);
    let fails = fails_uses(lowered, barrier, (what, early), &lack.uses);
    (format!("{verb} {object}"), fails)
}

/// What a packet does that nothing asks for, in words that many have: of stages only that they are more.
pub fn too_much(profile: &Profile, what: What) -> String {
    match what {
        What::Wait(_) => "waits for more stages".to_owned(),
        What::Hold(_) => "holds more stages".to_owned(),
        other => over_flush::does_too_much(profile, other),
    }
}

/// The rule that reports a missing operation, and where.
pub fn named(timeline: &Timeline<'_>, missing: &Shortfall) -> (&'static str, Span) {
    (
        missing_operation::RULE.id,
        tally::span(timeline, missing.barrier),
    )
}

/// The finding about an entry that lacks operations.
fn lacking(lowered: Lowered<'_, '_>, (span, place): (Span, &Lacking)) -> Finding {
    let Lowered {
        timeline,
        profile,
        lowering,
        ..
    } = lowered;
    let lacks: Vec<(String, String)> = place
        .missing
        .iter()
        .map(|((what, early), lack)| {
            let uses = place.uses.get(&(*what, *early));
            let (verb, object) = lacks(profile, mattering(*what, uses), *early);
            let says = format!("{verb} {object}");
            let fails = uses.map_or_else(String::new, |uses| {
                fails_uses(lowered, place.executions.first, (*what, *early), uses)
            });
            let (some, all) = (lack.count, place.executions.count);
            let rare = if some < all {
                format!(" (in {some} of {all} executions)")
            } else {
                String::new()
            };
            (says, format!("{fails}{rare}"))
        })
        .collect();
    let barrier = timeline.barrier_name(place.executions.first);
    let head = format!(
        "on {}, the lowering `{lowering}` of {barrier}",
        profile.name
    );
    let finding = match lacks.as_slice() {
        [(says, fails)] => Finding::new(&missing_operation::RULE, span, format!("{head} {says}"))
            .note(fails.as_str()),
        several => {
            let message = format!("{head} lacks {} operations", several.len());
            let finding = Finding::new(&missing_operation::RULE, span, message);
            several.iter().fold(finding, |finding, (says, fails)| {
                finding.note(format!("it {says}: {fails}"))
            })
        }
    }
    .help(match lacks.len() {
        1 => "let the lowering emit that operation for this barrier",
        _ => "let the lowering emit those operations for this barrier",
    });
    about(finding, timeline, place)
}

/// A finding about an entry: its resource, and how often it was executed so.
fn about(mut finding: Finding, timeline: &Timeline<'_>, place: &Lacking) -> Finding {
    let entry = names::entry(timeline, place.executions.first);
    if let Some(resource) = entry.and_then(Barrier::resource) {
        finding = finding.resource(timeline.scenario.resource_name(resource));
    }
    finding.repeats = place.executions.count;
    finding
}

/// What a barrier lacks: the verb after "it", and what that is about. `early`: it is there, before what must come first.
fn lacks(profile: &Profile, what: What, early: bool) -> (String, String) {
    let layout = |id| format!("`{}`", profile.layout_op(id).name);
    let front_end = || format!("`{}`", profile.front_end_op);
    let (verb, object) = match (what, early) {
        (What::Wait(leaves), _) => ("does not wait for", leaves.to_string()),
        (What::Hold(leaves), _) => ("does not hold", leaves.to_string()),
        (What::Clean(id), false) => ("does not write back", profile.cache(id).name.clone()),
        (What::Clean(id), true) => ("writes back too early", profile.cache(id).name.clone()),
        (What::Invalidate(id), false) => ("does not drop", profile.cache(id).name.clone()),
        (What::Invalidate(id), true) => ("drops too early", profile.cache(id).name.clone()),
        (What::Layout(id), false) => ("lacks the layout operation", layout(id)),
        (What::Layout(id), true) => ("runs too early the layout operation", layout(id)),
        (What::FrontEnd, false) => ("does not hold the front end back with", front_end()),
        (What::FrontEnd, true) => ("holds the front end back too early with", front_end()),
        (What::FirstHalf, _) => (
            "does not wait for",
            "the first half of its split pair".to_owned(),
        ),
    };
    (verb.to_owned(), object)
}

/// A missing operation with the stages that matter: those at which the uses work that rest on it. A change of a layout works
/// at none.
fn mattering(what: What, uses: Option<&(Side, Side)>) -> What {
    let of = |leaves: LeafSet, side: &Side| {
        let own = leaves.intersection(side.stages);
        if own.is_empty() { leaves } else { own }
    };
    match (what, uses) {
        (What::Wait(leaves), Some((first, _))) => What::Wait(of(leaves, first)),
        (What::Hold(leaves), Some((_, second))) => What::Hold(of(leaves, second)),
        _ => what,
    }
}

/// What becomes of two uses for want of an operation, or what must come before one that is early, as a sentence.
fn fails_uses(
    lowered: Lowered<'_, '_>,
    barrier: BarrierRef,
    (what, early): (What, bool),
    uses: &(Side, Side),
) -> String {
    let (first, second) = uses;
    let timeline = lowered.timeline;
    let (before, after) = (side_name(timeline, first), side_name(timeline, second));
    match what {
        What::Wait(_) | What::FirstHalf => {
            format!("{before} may still run when {after} begins")
        }
        What::Hold(_) => format!("{after} may begin before {before} has ended"),
        What::Clean(_) => format!("what {before} leaves there may not reach {after}"),
        What::Invalidate(cache) if !finds_lines(lowered, cache, second) => {
            format!("what comes after {after} may find lines there that are older than {before}")
        }
        What::Invalidate(_) => {
            format!("{after} may find lines there that are older than {before}")
        }
        What::Layout(_) if early => {
            let first = comes_first(lowered, barrier, first, &before);
            format!("it must come after {first}, or {after} finds other texels")
        }
        What::Layout(_) => format!("{after} finds texels as {before} left them"),
        What::FrontEnd => {
            format!("the front end may have fetched for {after} before {before} has ended")
        }
    }
}

/// A use in words.
fn side_name(timeline: &Timeline<'_>, side: &Side) -> String {
    if let Some(barrier) = side.barrier() {
        return format!("the layout change of {}", timeline.barrier_name(barrier));
    }
    let label = names::node_label(timeline, side.node);
    format!(
        "{label} ({}, {})",
        timeline.node_name(side.node),
        side.access
    )
}

/// Whether a use itself finds what is in a cache. A layout change does not that drops the contents, or reads past the cache.
fn finds_lines(lowered: Lowered<'_, '_>, cache: CacheId, side: &Side) -> bool {
    let Some(barrier) = side.barrier() else {
        return true;
    };
    let entry = names::entry(lowered.timeline, barrier);
    let entry = entry.and_then(Barrier::as_texture);
    let is_new = entry.is_some_and(TextureBarrier::drops_contents);
    let profile = lowered.profile;
    let mut routes = [profile.texel_routes(), profile.metadata_routes()].into_iter();
    !is_new
        && routes.any(|routes| {
            let mut paths = routes.read_paths(Client::LayoutOperation).iter();
            paths.any(|path| routes.path(*path).contains(&cache))
        })
}

/// What a missing wait is, in the words of [`told`], where the packets have it after what the barrier asks for: the operations
/// come too early.
pub fn told_late(lowered: Lowered<'_, '_>, lack: &Lack) -> (String, String) {
    let (_, object) = lacks(
        lowered.profile,
        mattering(lack.shortfall.what, Some(&lack.uses)),
        false,
    );
    let (before, after) = &lack.uses;
    let timeline = lowered.timeline;
    let fails = format!(
        "{} may still run when the packets do what {} needs of caches: their wait comes after that",
        side_name(timeline, before),
        side_name(timeline, after)
    );
    (
        format!("waits only after its operations for {object}"),
        fails,
    )
}

/// What must come before a layout operation: the end of what was there before, and the write-back of what that left dirty.
fn comes_first(lowered: Lowered<'_, '_>, barrier: BarrierRef, first: &Side, name: &str) -> String {
    let entry = names::entry(lowered.timeline, barrier);
    let (mut accesses, mut end) = (first.access, format!("the end of {name}"));
    if let (Some(entry), true) = (entry, accesses.is_empty()) {
        // Its own change: what it waits for, and names.
        accesses = entry.access_before;
        end = format!("the end of work at {}", entry.sync_before);
    }
    let dirty = left_dirty(lowered, barrier, accesses);
    if dirty.is_empty() {
        end
    } else {
        format!("{end} and the write-back of {}", dirty.join(", "))
    }
}

/// Caches that accesses may leave dirty, of those that a layout operation does not read through.
fn left_dirty(
    lowered: Lowered<'_, '_>,
    barrier: BarrierRef,
    accesses: BarrierAccess,
) -> Vec<String> {
    let Lowered {
        timeline, profile, ..
    } = lowered;
    let queue = timeline.submission(timeline.submission_of(barrier.node));
    let queue = timeline.queue_type(queue).unwrap_or(QueueType::Direct);
    let mut dirty: BTreeSet<CacheId> = BTreeSet::new();
    for routes in [profile.texel_routes(), profile.metadata_routes()] {
        let operation = routes.read_paths(Client::LayoutOperation).iter();
        let operation = operation.flat_map(|path| routes.path(*path));
        let seen: Vec<&CacheId> = operation.collect();
        let writes = (accesses & BarrierAccess::WRITES).iter();
        let paths = writes.flat_map(|access| routes.write_paths(Client::of(access, queue)));
        for path in paths {
            let apart = routes.path(path).iter();
            let apart = apart.take_while(|cache| !seen.contains(cache));
            dirty.extend(apart.filter(|id| routes.cache(**id).policy == WritePolicy::WriteBack));
        }
    }
    let names = dirty.into_iter();
    names.map(|id| profile.cache(id).name.clone()).collect()
}
