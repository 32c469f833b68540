//! What else a wrong legacy transition, or the one that left a wrong state, could say: the states that its resource is in
//! elsewhere in the text, one state of a combination, no split flag. In the words of the text, which has no other barriers
//! there.

use super::declared::with_option;
use super::legacy_back::{brought_back, brought_back_before};
use super::legacy_found::{changes_nothing, in_parts, narrowed};
use super::legacy_halves::{self, both_in_parts, in_place_of_both};
use super::legacy_ranges::on_other_ranges;
use super::{Candidate, Text, ranges};
use crate::api::{BarrierAccess, Leaf, LeafSet, ResourceState};
use crate::finding::{Edit, Finding, Source, Span};
use crate::id::ResourceId;
use crate::legacy::states;
use crate::pipeline::front::Prepared;
use crate::scenario::{
    BarrierRange, Command, Initial, LegacyBarrier, LegacyKind, LegacyTransition, Range, Scenario,
    Use, print_legacy, range_text, transition_text,
};

/// Other forms of the transition at which a finding is, those that change one word first.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    let written = prepared.written();
    let entries = || {
        let commands = written.commands();
        commands.flat_map(|command| command.kind.legacy())
    };
    let Some(entry) = entries().find(|e| e.span.start == finding.span.start) else {
        return of_a_use(source, written, finding);
    };
    let mut first = Vec::new();
    let all: Vec<_> = entries().collect();
    let mut forms: Vec<LegacyKind> = match finding.rule.id {
        "LB004" => {
            let timeline = prepared.timeline();
            if changes_nothing(&timeline, entry) {
                first.extend(super::deletion(source, written, entry.span));
                ordering_only(entry).into_iter().collect()
            } else {
                let parts = in_parts(written, &timeline, entry, &all);
                first.extend(
                    parts.and_then(|parts| both_in_parts(source, written, entry, &parts, &all)),
                );
                let mut forms = narrowed(written, &timeline, entry);
                forms.extend(from_promotion(written, entry));
                forms
            }
        }
        "LB001" => {
            first.extend(in_place_of_both(source, written, entry, &all));
            Vec::new()
        }
        "LB010" => on_other_ranges(written, entry),
        _ => Vec::new(),
    };
    for kind in variants(written, entry, &all) {
        if kind != entry.kind && !forms.contains(&kind) {
            forms.push(kind);
        }
    }
    let one = |kind: &LegacyKind| legacy_halves::edited(source, written, entry, kind, &all);
    if finding.rule.id != "LB004" {
        first.extend(forms.iter().filter_map(one));
        return first;
    }
    // Where the transition goes stays as it is written, if it can (reading R73).
    let (from, others): (Vec<_>, Vec<_>) = forms
        .into_iter()
        .partition(|kind| goes_to_the_same(entry, kind));
    let both = |kind: &LegacyKind| match (one(kind), kind) {
        (Some(one), LegacyKind::Transition(it)) => {
            let back = brought_back_in(source, written, finding, Some(it.before));
            together(&one, back)
        }
        _ => Vec::new(),
    };
    first.extend(from.iter().filter_map(one));
    first.extend(brought_back_in(source, written, finding, None));
    first.extend(brought_back_before(source, written, finding));
    first.extend(from.iter().flat_map(both));
    first.extend(others.iter().filter_map(one));
    first
}

/// What may mend a use: what left its state, and what brings it back.
fn of_a_use(source: &Source, written: &Scenario, finding: &Finding) -> Vec<Candidate> {
    let mut forms = at_a_use(source, written, finding);
    if finding.rule.id == "LB026" {
        forms.extend(brought_back_in(source, written, finding, None));
        forms.extend(brought_back_before(source, written, finding));
    }
    forms
}

/// A change together with each of others.
fn together(one: &Candidate, others: Vec<Candidate>) -> Vec<Candidate> {
    let both = others.into_iter().filter_map(|other| {
        let edits = Text::in_order([one.edits.clone(), other.edits].concat())?;
        let says = format!("{}, and {}", one.says, other.says);
        Some(Candidate::new(edits, says))
    });
    both.collect()
}

/// Two halves that change no state, to the state that the uses after the second one need.
pub(super) fn to_needed(
    written: &Scenario,
    entry: &LegacyBarrier,
    second: &LegacyBarrier,
) -> Option<LegacyKind> {
    let mut kind = entry.kind.clone();
    let it = kind.as_transition_mut()?;
    it.after = needed_next(written, second, it.resource)?;
    (kind != entry.kind).then_some(kind)
}

/// Whether another form of an entry differs from it in `StateBefore` only.
fn goes_to_the_same(entry: &LegacyBarrier, kind: &LegacyKind) -> bool {
    let mut same = entry.kind.clone();
    if let (Some(same), Some(other)) = (same.as_transition_mut(), kind.as_transition()) {
        same.before = other.before;
    }
    same == *kind
}

/// The same for the list and the resource of a finding.
fn brought_back_in(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
    to: Option<ResourceState>,
) -> Vec<Candidate> {
    let at = finding.span.start;
    let mut lists = written.lists.iter();
    let is_own = |command: &Command| command.span.start <= at && at < command.span.end;
    let list = lists.find(|list| list.commands.iter().any(is_own));
    match (list, super::resource_of(written, finding)) {
        (Some(list), Some(id)) => brought_back(source, written, (list, id), to),
        _ => Vec::new(),
    }
}

/// What orders the work before and after an entry without a change of states, if anything does.
pub(super) fn ordering_only(entry: &LegacyBarrier) -> Option<LegacyKind> {
    let it = entry.kind.as_transition()?;
    (it.after == ResourceState::UNORDERED_ACCESS).then_some(LegacyKind::Uav(Some(it.resource)))
}

fn variants(written: &Scenario, entry: &LegacyBarrier, all: &[&LegacyBarrier]) -> Vec<LegacyKind> {
    let Some(it) = entry.kind.as_transition() else {
        return Vec::new();
    };
    let (range, (before, after), split) = (&it.range, it.states(), it.split);
    let form = |before, after, split, range: &Range| {
        LegacyKind::Transition(LegacyTransition {
            resource: it.resource,
            range: range.clone(),
            before,
            after,
            split,
        })
    };
    let (states, ranges) = elsewhere(written, it.resource, range, all);
    let mut forms: Vec<LegacyKind> = Vec::new();
    if before == after {
        let uav = ordering_only(entry);
        let is_ordering = uav.is_some();
        // Between two uses of unordered access a UAV barrier is what orders.
        forms.extend(uav);
        let needed = needed_next(written, entry, it.resource);
        forms.extend(needed.map(|state| form(before, state, split, range)));
        if is_ordering {
            let others = states.iter();
            forms.extend(others.map(|state| form(before, *state, split, range)));
            return forms;
        }
    }
    forms.extend(states.iter().map(|state| form(*state, after, split, range)));
    forms.extend(after.iter().map(|state| form(before, state, split, range)));
    forms.extend(before.iter().map(|state| form(state, after, split, range)));
    forms.push(form(before, after, None, range));
    for range in &ranges {
        forms.push(form(before, after, split, range));
    }
    for one in &states {
        forms.extend(states.iter().map(|other| form(*one, *other, split, range)));
    }
    forms
}

/// The transition from the state that the uses since the entry before it promoted the resource to.
fn from_promotion(written: &Scenario, entry: &LegacyBarrier) -> Option<LegacyKind> {
    let mut kind = entry.kind.clone();
    let it = kind.as_transition_mut()?;
    let is_own = |command: &Command| command.kind.legacy().iter().any(|e| e.span == entry.span);
    let mut lists = written.lists.iter();
    let list = lists.find(|list| list.commands.iter().any(is_own))?;
    let own = list.commands.iter().position(is_own)?;
    let is_since = |command: &&Command| {
        let mut entries = command.kind.legacy().iter();
        !entries.any(|e| names(e, it.resource))
    };
    let since = list.commands[..own].iter().rev().take_while(is_since);
    let uses = since.flat_map(|command| &command.uses);
    let uses = uses.filter(|used| used.resource == it.resource);
    let promoted = uses.fold(ResourceState::empty(), |all, used| {
        all | state_of(used.access, used.stages)
    });
    it.before = promoted;
    (!promoted.is_empty() && kind != entry.kind).then_some(kind)
}

/// The uses of a resource between an entry and the next one of its list.
pub(super) fn uses_after<'s>(
    written: &'s Scenario,
    entry: &LegacyBarrier,
    id: ResourceId,
) -> Vec<&'s Use> {
    let is_own = |command: &Command| command.kind.legacy().iter().any(|e| e.span == entry.span);
    let mut lists = written.lists.iter();
    let Some(list) = lists.find(|list| list.commands.iter().any(is_own)) else {
        return Vec::new();
    };
    let after = list.commands.iter().skip_while(|command| !is_own(command));
    let is_next = |command: &&Command| !command.kind.legacy().iter().any(|e| names(e, id));
    let uses = after
        .skip(1)
        .take_while(is_next)
        .flat_map(|command| &command.uses);
    uses.filter(|used| used.resource == id).collect()
}

/// The state that the uses of a resource between an entry and the next one of its list need: of the first one if it writes, else
/// of all that read like it.
fn needed_next(written: &Scenario, entry: &LegacyBarrier, id: ResourceId) -> Option<ResourceState> {
    let mut needed = ResourceState::empty();
    for used in uses_after(written, entry, id) {
        let state = state_of(used.access, used.stages);
        if !needed.is_empty() && states::access(needed | state).writes() {
            break;
        }
        needed |= state;
    }
    (!needed.is_empty()).then_some(needed)
}

/// Whether a legacy entry is about a resource.
fn names(entry: &LegacyBarrier, id: ResourceId) -> bool {
    entry.kind == LegacyKind::Uav(None) || entry.kind.names(id)
}

/// The states that a resource is in, the last one first, and the ranges that a transition on it could name.
pub(super) fn elsewhere(
    written: &Scenario,
    resource: ResourceId,
    range: &Range,
    all: &[&LegacyBarrier],
) -> (Vec<ResourceState>, Vec<Range>) {
    let mut states = vec![ResourceState::empty()];
    if let Initial::State(state) = written.resource(resource).initial {
        states.push(state);
    }
    let shape = written.resource(resource).texture();
    let cut = shape.and_then(|shape| ranges::cut(shape, &BarrierRange::Range(range.clone())));
    let mut ranges = vec![range.clone()];
    ranges.extend(cut.and_then(|cut| match cut {
        BarrierRange::Range(range) => Some(range),
        BarrierRange::Raw(_) => None,
    }));
    ranges.push(Range::All);
    for other in all {
        if let Some(it) = other.kind.as_transition()
            && it.resource == resource
        {
            states.extend([it.before, it.after]);
            ranges.push(it.range.clone());
        }
    }
    states.reverse();
    (states, ranges)
}

/// The legacy transition at a place, on another range.
pub(super) fn with_range(
    source: &Source,
    written: &Scenario,
    at: Span,
    range: &BarrierRange,
) -> Option<Candidate> {
    let BarrierRange::Range(other) = range else {
        return None;
    };
    let entry = super::entry_at(written, at)?.legacy(written)?;
    let mut kind = entry.kind.clone();
    if let Some(it) = kind.as_transition_mut() {
        it.range.clone_from(other);
    }
    (kind != entry.kind)
        .then(|| edited(source, written, entry, &kind))
        .flatten()
}

/// What else the transition, or the declaration, could say that left the state which a use finds.
fn at_a_use(source: &Source, written: &Scenario, finding: &Finding) -> Vec<Candidate> {
    let Some(origin) = finding.related.first().map(|related| related.span.start) else {
        return Vec::new();
    };
    let Some(id) = super::resource_of(written, finding) else {
        return Vec::new();
    };
    let commands = || written.commands();
    if finding.rule.id == "LB025" {
        return between_promotions(source, written, finding, id);
    }
    let used = commands()
        .flat_map(|c| &c.uses)
        .find(|used| used.resource == id && used.span.start == finding.span.start);
    let wanted = used.map_or(ResourceState::empty(), |used| {
        state_of(used.access, used.stages)
    });
    let other_states = |state: ResourceState| match finding.rule.id {
        // No state of pixel shaders on a compute queue.
        "LB023" => {
            let rest = state - ResourceState::PIXEL_SHADER_RESOURCE;
            let rest = if rest.is_empty() { wanted } else { rest };
            vec![rest, ResourceState::empty()]
        }
        "LB024" | "LB026" => vec![state | wanted, wanted],
        _ => Vec::new(),
    };
    let resource = written.resource(id);
    if let (Initial::State(state), true) = (&resource.initial, resource.span.start == origin) {
        let forms = other_states(*state)
            .into_iter()
            .filter(|other| other != state);
        let made = forms.filter_map(|other| {
            let new = format!("state {other}");
            let edit = with_option(source, resource.span, "state", &new)?;
            let says = format!("create `{}` with `{new}`", written.resource_name(id));
            Some(Candidate::new(vec![edit], says))
        });
        return made.collect();
    }
    let mut entries = commands().flat_map(|command| command.kind.legacy());
    let Some(entry) = entries.find(|entry| entry.span.start == origin) else {
        return Vec::new();
    };
    let Some(it) = entry.kind.as_transition() else {
        return Vec::new();
    };
    let forms = other_states(it.after).into_iter();
    forms
        .filter(|other| *other != it.after && *other != it.before)
        .filter_map(|after| {
            let kind = LegacyKind::Transition(LegacyTransition {
                after,
                ..it.clone()
            });
            edited(source, written, entry, &kind)
        })
        .collect()
}

/// A transition between the two uses of a subresource whose promotions do not join: from the state of the first, or of all
/// uses up to the second.
fn between_promotions(
    source: &Source,
    written: &Scenario,
    finding: &Finding,
    id: ResourceId,
) -> Vec<Candidate> {
    let commands = || written.commands();
    let uses = commands().flat_map(|command| command.uses.iter().map(move |used| (command, used)));
    let uses: Vec<(&Command, &Use)> = uses.filter(|(_, used)| used.resource == id).collect();
    let at = |start: u32| uses.iter().position(|(_, used)| used.span.start == start);
    let origin = finding.related.first().map(|related| related.span.start);
    let (Some(first), Some(second)) = (origin.and_then(at), at(finding.span.start)) else {
        return Vec::new();
    };
    if second <= first {
        return Vec::new();
    }
    let state = |used: &Use| state_of(used.access, used.stages);
    let (command, later) = uses[second];
    let own = state(uses[first].1);
    let all_of = |uses: &[(&Command, &Use)]| {
        let states = uses.iter().map(|(_, used)| state(used));
        states.fold(ResourceState::empty(), |all, state| all | state)
    };
    let range = match later.range {
        Range::Bytes { .. } => String::new(),
        ref range => range_text(range),
    };
    let name = written.resource_name(id);
    let mut befores = vec![own, all_of(&uses[first..second]), all_of(&uses[..second])];
    befores.dedup();
    let text = Text { source };
    befores
        .into_iter()
        .map(|before| {
            let what = format!("{name}{range}");
            let transition = transition_text(&what, (before, state(later)), None);
            let statement = format!("legacy {{ {transition} }}");
            let edit = text.before(command.span.start, &statement);
            Candidate::new(vec![edit], format!("add before this use: `{statement}`"))
        })
        .collect()
}

/// The legacy state of an access; for `SHADER_RESOURCE` the stages decide.
pub(super) fn state_of(access: BarrierAccess, stages: LeafSet) -> ResourceState {
    let shader = ResourceState::PIXEL_SHADER_RESOURCE | ResourceState::NON_PIXEL_SHADER_RESOURCE;
    let mut state = states::of_access(access);
    if state.contains(shader) {
        let pixel = LeafSet::one(Leaf::PixelShading);
        if !stages.meets(pixel) {
            state -= ResourceState::PIXEL_SHADER_RESOURCE;
        } else if stages.minus(pixel).is_empty() {
            state -= ResourceState::NON_PIXEL_SHADER_RESOURCE;
        }
    }
    state
}

pub(super) fn edited(
    source: &Source,
    written: &Scenario,
    entry: &LegacyBarrier,
    kind: &LegacyKind,
) -> Option<Candidate> {
    entries_in_place(source, written, entry, std::slice::from_ref(kind))
}

/// Some entries in place of one.
pub(super) fn entries_in_place(
    source: &Source,
    written: &Scenario,
    entry: &LegacyBarrier,
    kinds: &[LegacyKind],
) -> Option<Candidate> {
    source
        .text
        .get(entry.span.start as usize..entry.span.end as usize)?;
    let each = kinds.iter().map(|kind| {
        let other = LegacyBarrier {
            kind: kind.clone(),
            ..entry.clone()
        };
        print_legacy(written, &other)
    });
    let text = each.collect::<Vec<_>>().join("; ");
    let says = format!("write `{text}`");
    let span = entry.span;
    (!text.is_empty()).then(|| Candidate::new(vec![Edit { span, text }], says))
}
