//! Proofs by running edited copies: a barrier is redundant if the timeline without it has no new conflict and no new
//! error of legality, too wide if the timeline with it narrowed has none (reading R48).
//!
//! Cost: one evaluation per barrier entry of the text and one more per wide one. Within [`STEPS_MAX`] steps every entry
//! is proved; beyond, an entry counts as needed unless it fell short of a hazard, and nothing is claimed of it.

use super::Verdict;
use crate::analyze::{names, redundancy};
use crate::api::{BarrierAccess, BarrierSync, Layout, LeafSet};
use crate::finding::Finding;
use crate::graph::{Conflict, ConflictKind, Evaluation, Part};
use crate::id::{BarrierRef, ListId, ResourceId};
use crate::order::{LayoutTracker, SubmissionKind, Timeline};
use crate::scenario::{Barrier, BarrierTarget, CommandKind, Scenario, StatementKind};
use crate::validate::{self, RuleSet};
use indexmap::IndexMap;

/// Steps (commands and barrier entries, over all evaluations) that proofs may take in one run.
const STEPS_MAX: u64 = 1_000_000;

/// A barrier entry of the text.
type Entry = (ListId, u32, u32);

/// What was proved of each barrier entry of the text.
#[derive(Default)]
pub(super) struct Verdicts {
    entries: IndexMap<Entry, (Verdict, String)>,
    /// Entries were left unproved because the limit was passed.
    partial: bool,
}

impl Verdicts {
    /// Verdict of an executed entry, and why.
    pub(super) fn of(&self, timeline: &Timeline<'_>, barrier: BarrierRef) -> (Verdict, &str) {
        let found = timeline
            .place(barrier.node)
            .command
            .and_then(|(list, index)| self.entries.get(&(list, index, barrier.entry)));
        match found {
            Some((verdict, why)) => (*verdict, why),
            None if self.partial => (
                Verdict::Needed,
                "not examined: the timeline is too long for proofs",
            ),
            None => (Verdict::Needed, ""),
        }
    }

    /// Findings of the family `RD`.
    pub(super) fn findings(&self, timeline: &Timeline<'_>) -> Vec<Finding> {
        let scenario = timeline.scenario;
        let mut findings = Vec::new();
        for ((list, command, entry), (verdict, why)) in &self.entries {
            let Some(barrier) = entry_of(scenario, *list, *command, *entry) else {
                continue;
            };
            let resource = resource_of(barrier).map_or("", |id| scenario.resource_name(id));
            match verdict {
                Verdict::Redundant => findings.push(redundancy::redundant(
                    barrier.span,
                    resource,
                    &names::barrier_text(scenario, barrier),
                )),
                Verdict::TooWide => {
                    findings.push(redundancy::too_wide(barrier.span, resource, why))
                }
                Verdict::Needed | Verdict::TooNarrow => {}
            }
        }
        findings
    }
}

/// Proves a verdict for every barrier entry that the timeline executes.
pub(super) fn verdicts(
    timeline: &Timeline<'_>,
    base: &Evaluation,
    evaluate: impl Fn(&Timeline<'_>) -> Evaluation,
) -> Verdicts {
    let scenario = timeline.scenario;
    let executed = executed_entries(timeline);
    let mut verdicts = Verdicts::default();
    let known = keys(&base.conflicts);
    let wrong = errors(scenario, timeline);
    let narrow: Vec<Entry> = base
        .conflicts
        .iter()
        .filter_map(|c| fell_short(timeline, c))
        .collect();
    // Edited and put back for each proof.
    let mut copy = scenario.clone();
    let mut budget = STEPS_MAX;
    for entry in executed {
        let barrier = entry_of(scenario, entry.0, entry.1, entry.2)
            .expect("an executed entry stands in its list");
        if narrow.contains(&entry) {
            verdicts.entries.insert(
                entry,
                (
                    Verdict::TooNarrow,
                    "a hazard remains that it could have prevented".into(),
                ),
            );
            continue;
        }
        let cost = base.steps.max(1) * 3;
        if budget < cost {
            verdicts.partial = true;
            break;
        }
        budget -= cost;
        let adds = |copy: &Scenario| {
            let edited = Timeline::new(copy);
            keys(&evaluate(&edited).conflicts)
                .iter()
                .any(|key| !known.contains(key))
                || errors(copy, &edited).iter().any(|key| !wrong.contains(key))
        };
        let is_split = barrier.sync_before.is_split() || barrier.sync_after.is_split();
        let verdict = if is_for_the_next_frame(timeline, entry, barrier) {
            (
                Verdict::Needed,
                "leaves the texture as the next frame expects it".to_string(),
            )
        } else if !is_split && is_idle(&mut copy, entry, barrier, &adds) {
            (
                Verdict::Redundant,
                "deleting it adds no error or hazard".to_string(),
            )
        } else if let Some((narrowed, text)) = narrowed(scenario, barrier)
            && is_enough(&mut copy, entry, narrowed, &adds)
        {
            (Verdict::TooWide, text)
        } else {
            (
                Verdict::Needed,
                "deleting it adds an error or a hazard".to_string(),
            )
        };
        verdicts.entries.insert(entry, verdict);
    }
    verdicts
}

/// What makes a conflict the same conflict in an edited copy, whose nodes keep their numbers.
type Key = (ConflictKind, u32, Part, ResourceId);

fn keys(conflicts: &[Conflict]) -> std::collections::BTreeSet<Key> {
    conflicts
        .iter()
        .filter(|c| c.kind.is_hazard())
        .map(|c| (c.kind, c.second.node.0, c.second.part, c.second.resource))
        .collect()
}

/// Errors of legality, as rule, place and resource. A change that makes another barrier illegal is not free.
fn errors(
    scenario: &Scenario,
    timeline: &Timeline<'_>,
) -> std::collections::BTreeSet<(&'static str, u32, Option<String>)> {
    validate::validate(scenario, timeline, RuleSet::Specification)
        .into_iter()
        .filter(|f| f.severity.fails())
        .map(|f| (f.rule.id, f.span.start, f.resource))
        .collect()
}

/// The entry that a conflict says fell short.
fn fell_short(timeline: &Timeline<'_>, conflict: &Conflict) -> Option<Entry> {
    let barrier = conflict.barrier?;
    let (list, command) = timeline.place(barrier.node).command?;
    Some((list, command, barrier.entry))
}

/// Entries that run at least once, in order of the text.
fn executed_entries(timeline: &Timeline<'_>) -> Vec<Entry> {
    let mut lists = vec![false; timeline.scenario.lists.len()];
    for submission in &timeline.submissions {
        for list in timeline.lists(submission) {
            lists[list.index()] = true;
        }
    }
    let mut entries = Vec::new();
    for (list, _) in lists.iter().enumerate().filter(|(_, run)| **run) {
        for (command, kind) in timeline.scenario.lists[list]
            .commands
            .iter()
            .map(|c| &c.kind)
            .enumerate()
        {
            if let CommandKind::Barrier(barriers) = kind {
                for (entry, barrier) in barriers.iter().enumerate() {
                    if !matches!(barrier.target, BarrierTarget::EmptyGroup(_)) {
                        entries.push((ListId::new(list), command as u32, entry as u32));
                    }
                }
            }
        }
    }
    entries
}

fn entry_of(scenario: &Scenario, list: ListId, command: u32, entry: u32) -> Option<&Barrier> {
    match &scenario.lists[list.index()].commands[command as usize].kind {
        CommandKind::Barrier(barriers) => barriers.get(entry as usize),
        _ => None,
    }
}

fn entry_mut(scenario: &mut Scenario, (list, command, entry): Entry) -> Option<&mut Barrier> {
    match &mut scenario.lists[list.index()].commands[command as usize].kind {
        CommandKind::Barrier(barriers) => barriers.get_mut(entry as usize),
        _ => None,
    }
}

fn resource_of(barrier: &Barrier) -> Option<ResourceId> {
    match &barrier.target {
        BarrierTarget::Texture { resource, .. }
        | BarrierTarget::Buffer { resource, .. }
        | BarrierTarget::Ranged { resource, .. } => *resource,
        BarrierTarget::Global | BarrierTarget::EmptyGroup(_) => None,
    }
}

/// Whether a scenario without the entry has nothing new.
fn is_idle(
    copy: &mut Scenario,
    entry: Entry,
    barrier: &Barrier,
    adds: &impl Fn(&Scenario) -> bool,
) -> bool {
    let undo = delete(copy, entry, barrier);
    let idle = !adds(copy);
    for (entry, barrier) in undo {
        replace(copy, entry, barrier);
    }
    idle
}

/// Whether a scenario with the entry narrowed has nothing new.
fn is_enough(
    copy: &mut Scenario,
    entry: Entry,
    narrowed: Barrier,
    adds: &impl Fn(&Scenario) -> bool,
) -> bool {
    let Some(old) = replace(copy, entry, narrowed) else {
        return false;
    };
    let enough = !adds(copy);
    replace(copy, entry, old);
    enough
}

/// Replaces one entry; returns what stood there.
fn replace(scenario: &mut Scenario, entry: Entry, barrier: Barrier) -> Option<Barrier> {
    entry_mut(scenario, entry).map(|slot| std::mem::replace(slot, barrier))
}

/// Deletes one entry, and lets the next barrier on the same subresources of its list begin where the deleted one began.
/// The entry becomes an empty group, so that nodes and entries keep their numbers. Returns what to put back.
fn delete(scenario: &mut Scenario, entry: Entry, barrier: &Barrier) -> Vec<(Entry, Barrier)> {
    let mut empty = barrier.clone();
    empty.target = BarrierTarget::EmptyGroup(crate::api::BarrierType::Global);
    let mut undo = vec![(entry, barrier.clone())];
    replace(scenario, entry, empty);
    let BarrierTarget::Texture {
        resource: Some(id),
        range,
        layout_before,
        ..
    } = &barrier.target
    else {
        return undo;
    };
    let (list, command, index) = entry;
    let commands = &mut scenario.lists[list.index()].commands[command as usize..];
    for (offset, later) in commands.iter_mut().enumerate() {
        let CommandKind::Barrier(entries) = &mut later.kind else {
            continue;
        };
        let skip = if offset == 0 { index as usize + 1 } else { 0 };
        for (place, next) in entries.iter_mut().enumerate().skip(skip) {
            let old = next.clone();
            if let BarrierTarget::Texture {
                resource,
                range: r,
                layout_before: before,
                ..
            } = &mut next.target
                && *resource == Some(*id)
                && r == range
            {
                if *before != Layout::Undefined {
                    *before = *layout_before;
                    undo.push(((list, command + offset as u32, place as u32), old));
                }
                return undo;
            }
        }
    }
    undo
}

/// Whether an entry is the last on its texture and leaves it as a next round expects it: in the layout in which the
/// timeline found it, or for a present, a `keep` or a repeating timeline (reading R33).
fn is_for_the_next_frame(timeline: &Timeline<'_>, entry: Entry, barrier: &Barrier) -> bool {
    let BarrierTarget::Texture {
        resource: Some(id),
        layout_before,
        layout_after,
        ..
    } = &barrier.target
    else {
        return false;
    };
    if layout_before == layout_after {
        return false;
    }
    let scenario = timeline.scenario;
    let resource = scenario.resource(*id);
    let repeats = scenario.timeline.as_ref().is_some_and(|t| {
        t.statements
            .iter()
            .any(|s| matches!(s.kind, StatementKind::Repeat { .. }))
    });
    let presented = timeline
        .submissions
        .iter()
        .any(|s| s.kind == SubmissionKind::Present { resource: *id });
    let starts = LayoutTracker::declared(resource);
    let wanted = *layout_after == starts || repeats || presented || resource.keep;
    wanted && !used_after(scenario, entry, *id)
}

/// Whether the list uses or transitions a resource after an entry.
fn used_after(scenario: &Scenario, (list, command, _): Entry, resource: ResourceId) -> bool {
    scenario.lists[list.index()].commands[command as usize + 1..].iter().any(|later| {
        later.uses.iter().any(|u| u.resource == resource)
            || matches!(&later.kind, CommandKind::Barrier(b) if b.iter().any(|e| resource_of(e) == Some(resource)))
    })
}

/// The entry with `ALL` and `COMMON` replaced by what the resource's uses need, and without bits that serve none of
/// them; `None` if nothing can be narrowed. A global barrier serves every resource.
fn narrowed(scenario: &Scenario, barrier: &Barrier) -> Option<(Barrier, String)> {
    let resource = resource_of(barrier);
    let (mut leaves, mut accesses) = (LeafSet::EMPTY, BarrierAccess::empty());
    for command in scenario.lists.iter().flat_map(|l| &l.commands) {
        for usage in command
            .uses
            .iter()
            .filter(|u| resource.is_none_or(|r| r == u.resource))
        {
            leaves = leaves.union(usage.stages);
            accesses |= usage.access & BarrierAccess::EVERY;
        }
    }
    let mut narrow = barrier.clone();
    let mut said = Vec::new();
    for (name, slot) in [
        ("SyncBefore", &mut narrow.sync_before),
        ("SyncAfter", &mut narrow.sync_after),
    ] {
        if let Some(mask) = narrower_sync(*slot, leaves) {
            said.push(format!("{name} {slot} can be {mask}"));
            *slot = mask;
        }
    }
    for (name, slot) in [
        ("AccessBefore", &mut narrow.access_before),
        ("AccessAfter", &mut narrow.access_after),
    ] {
        if let Some(mask) = narrower_access(*slot, accesses) {
            said.push(format!("{name} {slot} can be {mask}"));
            *slot = mask;
        }
    }
    (!said.is_empty()).then(|| (narrow, said.join(", ")))
}

fn narrower_sync(mask: BarrierSync, used: LeafSet) -> Option<BarrierSync> {
    if mask == BarrierSync::NONE || mask.is_split() || used.is_empty() {
        return None;
    }
    let narrow = if mask.contains(BarrierSync::ALL) {
        BarrierSync::of_leaves(used)
    } else {
        mask.iter().filter(|bit| bit.leaves().meets(used)).collect()
    };
    (narrow != mask && narrow != BarrierSync::NONE).then_some(narrow)
}

fn narrower_access(mask: BarrierAccess, used: BarrierAccess) -> Option<BarrierAccess> {
    if mask.is_no_access() || used.is_empty() {
        return None;
    }
    let narrow = if mask == BarrierAccess::COMMON {
        used
    } else {
        mask & used
    };
    (narrow != mask && !narrow.is_empty()).then_some(narrow)
}
