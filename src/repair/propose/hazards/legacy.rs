//! Candidates in the words of legacy barriers, where the text has them.

use super::super::around::CommandPlace;
use super::super::legacy::state_of;
use super::super::legacy_back::brought_back;
use super::super::ranges;
use super::Maker;
use super::fields::distinct;
use super::weight::Weight;
use crate::api::{BarrierAccess, LeafSet, ResourceState, compat};
use crate::finding::Edit;
use crate::scenario::{
    BarrierRange, CommandKind, Initial, LegacyKind, geometry, range_text, transition_text,
};

impl Maker<'_, '_> {
    /// Whether the second's resource is one that legacy barriers are about: created in a state, or named by them only, or in a
    /// text that has no others.
    pub(super) fn is_in_legacy_state(&self) -> bool {
        let id = self.conflict.second.resource;
        let commands = || self.written.commands();
        let barriers = || commands().flat_map(|command| command.kind.barriers());
        if barriers().any(|barrier| barrier.resource() == Some(id)) {
            return false;
        }
        if barriers().next().is_none() && commands().any(|c| !c.kind.legacy().is_empty()) {
            return true;
        }
        let speaks_of =
            |kind: &LegacyKind| !matches!(kind, LegacyKind::Alias(..)) && kind.names(id);
        let mut legacy = commands().flat_map(|command| command.kind.legacy());
        let declared = self.written.resource(id);
        matches!(declared.initial, Initial::State(_)) && !declared.is_buffer()
            || legacy.any(|entry| speaks_of(&entry.kind))
    }

    /// The same in the words of legacy barriers, where the text has them.
    pub(super) fn legacy(&mut self) {
        let second = self.conflict.second;
        let speaks_legacy = self
            .written
            .commands()
            .any(|c| matches!(c.kind, CommandKind::Legacy(_)))
            || matches!(
                self.written.resource(second.resource).initial,
                Initial::State(_)
            );
        if !speaks_legacy {
            return;
        }
        let name = self.scenario().resource_name(second.resource).to_string();
        let range = self.wrong_range();
        let mut statements = vec![format!("legacy {{ uav {name} }}")];
        let first = self.conflict.first.resource;
        if first != second.resource {
            let old = self.scenario().resource_name(first);
            statements.push(format!("legacy {{ alias {old} -> {name} }}"));
        }
        let wanted = state_of(second.access, second.stages);
        let after = state_of(self.around.after.1, self.around.after.0);
        for state in self.legacy_states() {
            for to in distinct([wanted, after]) {
                if state != to && !to.is_empty() {
                    statements.push(format!(
                        "legacy {{ transition {name}{range} {state} -> {to} }}"
                    ));
                }
            }
        }
        self.legacy_round_trips(&name, &range, wanted);
        self.legacy_back();
        for (at, statement) in statements.iter().enumerate() {
            for (list, command) in self.places() {
                let start = self.written.lists[list].commands[command as usize]
                    .span
                    .start;
                let edit = self.text.before(start, statement);
                let says = format!("add before (2): `{statement}`");
                // Where the list speaks legacy, so does the change.
                let here = self.around.second.is_some_and(|(list, _)| {
                    let commands = &self.written.lists[list].commands;
                    let has = |wanted: fn(&CommandKind) -> bool| {
                        commands.iter().any(|command| wanted(&command.kind))
                    };
                    has(|kind| matches!(kind, CommandKind::Legacy(_)))
                        && !has(|kind| matches!(kind, CommandKind::Barrier(_)))
                });
                let weight = if here {
                    Weight::MOVED
                } else {
                    Weight::OTHER_KIND
                };
                self.push(weight.plus(at), vec![Some(edit)], says);
            }
        }
        self.widen_legacy(wanted);
        self.rerange_legacy();
        self.turn_alias();
    }

    /// A transition before the second use, in its list, acts on what that touches, or on that too.
    fn rerange_legacy(&mut self) {
        let id = self.conflict.second.resource;
        let Some(shape) = self.scenario().resource(id).texture() else {
            return;
        };
        let Some((list, command)) = self.around.second.filter(|_| shape.subresources() > 1) else {
            return;
        };
        let before = &self.written.lists[list].commands[..command as usize];
        let entries = before
            .iter()
            .rev()
            .flat_map(|command| command.kind.legacy());
        let wanted = self.around.range.clone();
        let name = self.scenario().resource_name(id);
        let mut found = Vec::new();
        for entry in entries {
            let Some(whole) = entry.kind.as_whole_transition() else {
                continue;
            };
            let own = BarrierRange::Range(whole.range.clone());
            if whole.resource != id || own == wanted {
                continue;
            }
            let both = ranges::around_both(shape, &own, &wanted);
            for other in [Some(wanted.clone()), both].into_iter().flatten() {
                let BarrierRange::Range(other) = other else {
                    continue;
                };
                let what = format!("{name}{}", range_text(&other));
                let text = transition_text(&what, whole.states(), None);
                found.push((entry.span, text));
            }
        }
        for (at, (span, text)) in found.into_iter().enumerate() {
            let says = format!("write `{text}`");
            let edit = Edit { span, text };
            self.push(Weight::edited(1).plus(at), vec![Some(edit)], says);
        }
    }

    /// An aliasing barrier that takes the second's resource out of use was perhaps meant the other way round.
    fn turn_alias(&mut self) {
        let id = self.conflict.second.resource;
        let commands = self.written.commands();
        let entries = commands.flat_map(|command| command.kind.legacy());
        let turned: Vec<_> = entries
            .filter_map(|entry| match entry.kind {
                LegacyKind::Alias(Some(old), Some(new)) if old == id => {
                    let scenario = self.scenario();
                    let (old, new) = (scenario.resource_name(old), scenario.resource_name(new));
                    Some((entry.span, format!("alias {new} -> {old}")))
                }
                _ => None,
            })
            .collect();
        for (span, text) in turned {
            let says = format!("turn the aliasing barrier around: `{text}`");
            let edit = Edit { span, text };
            self.push(Weight::edited(1), vec![Some(edit)], says);
        }
    }

    /// The subresources that the second use finds in a wrong layout, if they are a part of all that it touches.
    fn wrong_range(&self) -> String {
        let second = &self.conflict.second;
        let traits = self.scenario().traits(second.resource);
        let shape = self.scenario().resource(second.resource).texture();
        let parts = self.around.parts.iter();
        let wrong =
            parts.filter(|(_, layout)| !compat::layout_allows(*layout, second.access, traits));
        let runs: Vec<(u32, u32)> = wrong.map(|(index, _)| (*index, index + 1)).collect();
        let part = shape.and_then(|shape| Some((shape, geometry::box_of_runs(shape, &runs)?)));
        match (part, &self.around.range) {
            (Some((shape, part)), _) => range_text(&geometry::range_of_box(shape, &part)),
            (None, BarrierRange::Range(range)) => range_text(range),
            (None, BarrierRange::Raw(_)) => String::new(),
        }
    }

    /// The state in which the list of the second use takes its resource over, at the end of that list.
    fn legacy_back(&mut self) {
        let Some((list, _)) = self.around.second else {
            return;
        };
        let list = &self.written.lists[list];
        let (source, id) = (self.text.source, self.conflict.second.resource);
        let back = brought_back(source, self.written, (list, id), None);
        for (at, it) in back.into_iter().enumerate() {
            let edits = it.edits.into_iter().map(Some).collect();
            self.push(Weight::MOVED.plus(at), edits, it.says);
        }
    }

    /// A transition before the second use, and back before the first later one that needs another state.
    fn legacy_round_trips(&mut self, name: &str, range: &str, wanted: ResourceState) {
        let Some(second) = self.around.second.filter(|_| !wanted.is_empty()) else {
            return;
        };
        let start = |(list, command): CommandPlace| {
            self.written.lists[list].commands[command as usize]
                .span
                .start
        };
        self.legacy_round_trips_here(second, name, range, wanted);
        let needs_another = |(_, stages, access): &&(CommandPlace, LeafSet, BarrierAccess)| {
            !wanted.contains(state_of(*access, *stages))
        };
        let Some((place, stages, access)) = self.around.later.iter().find(needs_another).copied()
        else {
            return;
        };
        let back = state_of(access, stages);
        let (first, then) = (start(second), start(place));
        for (at, state) in self.legacy_states().into_iter().enumerate() {
            if state == wanted || back.is_empty() || then <= first {
                continue;
            }
            let there = format!("legacy {{ transition {name}{range} {state} -> {wanted} }}");
            let home = format!("legacy {{ transition {name}{range} {wanted} -> {back} }}");
            let edits = [(first, &there), (then, &home)];
            let edits = edits.map(|(at, statement)| Some(self.text.before(at, statement)));
            let says =
                format!("there before (2), and back before the next use: `{there}`, `{home}`");
            self.push(Weight::MOVED.plus(10 + at), edits.to_vec(), says);
        }
    }

    /// A transition before the second use, and back after it: for a list that executes again.
    fn legacy_round_trips_here(
        &mut self,
        (list, command): CommandPlace,
        name: &str,
        range: &str,
        wanted: ResourceState,
    ) {
        let span = self.written.lists[list].commands[command as usize].span;
        for (at, state) in self.legacy_states().into_iter().enumerate() {
            if state == wanted || state.is_empty() {
                continue;
            }
            let there = format!("legacy {{ transition {name}{range} {state} -> {wanted} }}");
            let home = format!("legacy {{ transition {name}{range} {wanted} -> {state} }}");
            let edits = vec![
                Some(self.text.before(span.start, &there)),
                Some(self.text.after(span, &home)),
            ];
            let says = format!("there before (2), and back after it: `{there}`, `{home}`");
            self.push(Weight::MOVED.plus(20 + at), edits, says);
        }
    }

    /// The state in which the texture is created, where nothing has changed it before.
    pub(super) fn redeclare_legacy(&mut self) {
        let second = self.conflict.second;
        let declared = self.written.resource(second.resource);
        let Initial::State(state) = declared.initial else {
            return;
        };
        let wanted = state_of(second.access, second.stages);
        if self.around.previous.is_some() || wanted.is_empty() || wanted == state {
            return;
        }
        let Some(span) = self.declared_as(&format!("state {state}")) else {
            return;
        };
        let new = format!("state {wanted}");
        let says = format!("create the resource with `{new}`");
        let edit = Edit { span, text: new };
        self.push(Weight::TWO_STATEMENTS, vec![Some(edit)], says);
    }

    /// The state after a legacy transition of the second's resource, with a state added; of the latest one another state in its
    /// place, where it needs none of what the transition says.
    fn widen_legacy(&mut self, wanted: ResourceState) {
        let id = self.conflict.second.resource;
        let entries: Vec<_> = self
            .written
            .commands()
            .flat_map(|command| command.kind.legacy())
            .collect();
        for (at, entry) in entries.iter().enumerate() {
            let Some(it) = entry.kind.as_transition() else {
                continue;
            };
            let (before, after) = it.states();
            let both = after | wanted;
            if it.resource != id || both == after || after.is_empty() {
                continue;
            }
            let name = self.scenario().resource_name(id);
            let what = format!("{name}{}", range_text(&it.range));
            let written = |before: ResourceState, after: ResourceState, split| {
                transition_text(&what, (before, after), split)
            };
            let edit = |span, text| Some(Edit { span, text });
            let previous = self.around.previous.map(|it| it.barrier.span.start);
            if !after.intersects(wanted) && previous == Some(entry.span.start) {
                let text = written(before, wanted, it.split);
                let says = format!("write `{text}`");
                self.push(Weight::edited(2), vec![edit(entry.span, text)], says);
            }
            let mut edits = vec![edit(entry.span, written(before, both, it.split))];
            let says = format!("in `{}`, add {wanted}", written(before, after, it.split));
            self.push(Weight::edited(2), edits.clone(), says.clone());
            // The next one begins in the state that this one leaves.
            let next = entries[at + 1..].iter().find_map(|next| {
                let then = next.kind.as_transition()?;
                let goes_on = then.resource == id && then.range == it.range && then.before == after;
                goes_on.then_some((next.span, then.after))
            });
            if let Some((span, then)) = next {
                edits.push(edit(span, written(both, then, None)));
                let next = written(after, then, None);
                let says = format!("{says}, and in `{next}` too");
                self.push(Weight::edited(3), edits, says);
            }
        }
    }

    /// States in which legacy entries leave the second's resource, the one it was created in, and `COMMON`.
    fn legacy_states(&self) -> Vec<ResourceState> {
        let id = self.conflict.second.resource;
        let mut states = Vec::new();
        // What the first use promoted it to.
        if self.conflict.first.resource == id && self.conflict.first.barrier().is_none() {
            let first = self.conflict.first;
            states.push(state_of(first.access, first.stages));
        }
        if let Initial::State(state) = self.written.resource(id).initial {
            states.push(state);
        }
        for command in self.written.commands() {
            for entry in command.kind.legacy() {
                if let Some(it) = entry.kind.as_transition()
                    && it.resource == id
                    && !states.contains(&it.after)
                {
                    states.push(it.after);
                }
            }
        }
        // The latest is the likeliest.
        states.reverse();
        let common = ResourceState::empty();
        if !states.contains(&common) {
            states.push(common);
        }
        states.truncate(6);
        states
    }
}
