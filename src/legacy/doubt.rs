//! Whether a transition may act otherwise than it says: a cheap look that knows transitions and no uses.
//!
//! Lists are followed in the order of their executions, the body of a `repeat` twice: further turns find what the second
//! finds. Each transition is compared with the one before it on the
//! same subresources; where that agrees, no promotion, decay or race makes it wrong. Who must know asks
//! `validate`.

use super::runs::Runs;
use super::states;
use crate::api::{QueueType, ResourceFlags, ResourceState};
use crate::id::{ListId, ResourceId, Table};
use crate::scenario::{
    CommandKind, Initial, LegacyBarrier, LegacyKind, LegacySplit, Resource, Scenario, Statement,
    StatementKind, TextureShape, geometry,
};

/// A state that a transition left.
#[derive(Copy, Clone, PartialEq)]
struct Left {
    /// The number of its scope.
    scope: u32,
    state: ResourceState,
    /// The state ends with the scope.
    decays: bool,
    /// It was the first half of a pair, whose second half has not come.
    is_open: bool,
}

struct Doubt<'s> {
    scenario: &'s Scenario,
    states: Table<ResourceId, Option<Runs<Left>>>,
    scope: u32,
    queue: QueueType,
    /// The states that the queue has.
    known: ResourceState,
}

/// Whether some `StateBefore` may not be the state that its subresource is in, or is the `StateAfter`, or a UAV barrier may find
/// its texture elsewhere, or a queue does not have a state, or a barrier is between two halves. If not, all act as they say.
pub(crate) fn is_in_doubt(scenario: &Scenario) -> bool {
    let Some(timeline) = &scenario.timeline else {
        return false;
    };
    let mut doubt = Doubt {
        scenario,
        states: Table::filled(scenario.resources.len(), None),
        scope: 0,
        queue: QueueType::Direct,
        known: ResourceState::empty(),
    };
    doubt.statements(&timeline.statements)
}

impl Doubt<'_> {
    fn statements(&mut self, statements: &[Statement]) -> bool {
        statements.iter().any(|statement| match &statement.kind {
            StatementKind::Execute { lists, .. } => {
                self.scope += 1;
                lists.iter().any(|list| self.list(*list))
            }
            StatementKind::Repeat { body, count } => {
                (0..(*count).min(2)).any(|_| self.statements(body))
            }
            _ => false,
        })
    }

    fn list(&mut self, id: ListId) -> bool {
        let list = &self.scenario.lists[id];
        self.queue = list.queue_type;
        self.known = states::of_queue(self.queue);
        list.commands.iter().any(|command| match &command.kind {
            CommandKind::Legacy(entries) => entries.iter().any(|entry| self.differs(entry)),
            _ => false,
        })
    }

    /// Whether a transition does not go on where the one before it ended, or a UAV barrier is not where it belongs.
    fn differs(&mut self, entry: &LegacyBarrier) -> bool {
        if let LegacyKind::Uav(Some(id)) = entry.kind {
            return self.is_elsewhere(id);
        }
        let Some(it) = entry.kind.as_transition() else {
            return false;
        };
        let declared = self.scenario.resource(it.resource);
        let is_free = is_free(declared);
        let decays = is_free || self.queue == QueueType::Copy;
        let created = created(declared);
        let shape = declared.texture();
        let indices = match shape.map(|shape| (shape, geometry::existing_box(shape, &it.range))) {
            Some((shape, Ok(sub))) => sub.index_runs(shape),
            Some((_, Err(_))) => return true,
            None => vec![(0, 1)],
        };
        let count = shape.map_or(1, TextureShape::subresources);
        let at_first = Left {
            scope: 0,
            state: created,
            decays: is_free,
            is_open: false,
        };
        let states = self.states[it.resource].get_or_insert_with(|| Runs::new(count, at_first));
        let mut differs = it.before == it.after || !self.known.contains(it.after);
        for (first, end) in indices {
            states.update(first, end, |_, _, left| {
                let is_over = (decays || left.decays) && left.scope != self.scope;
                let known = if is_over {
                    ResourceState::empty()
                } else {
                    left.state
                };
                // The second half says what the first one said.
                let is_between = left.is_open && !is_over;
                differs |= it.split != Some(LegacySplit::End) && (known != it.before || is_between);
                let is_first_half = it.split == Some(LegacySplit::Begin);
                *left = Left {
                    scope: self.scope,
                    state: if is_first_half { it.before } else { it.after },
                    decays,
                    is_open: is_first_half,
                };
            });
        }
        differs
    }

    /// Whether some subresource of a texture is not in `UNORDERED_ACCESS`, the only state in which a UAV barrier names a layout.
    fn is_elsewhere(&self, id: ResourceId) -> bool {
        let declared = self.scenario.resource(id);
        let is_there = |state| state == ResourceState::UNORDERED_ACCESS;
        if is_free(declared) {
            return false;
        }
        let Some(states) = &self.states[id] else {
            return !is_there(created(declared));
        };
        let mut is_elsewhere = false;
        let count = declared.texture().map_or(1, TextureShape::subresources);
        states.for_each(0, count, |_, _, left| {
            is_elsewhere |= left.decays || !is_there(left.state);
        });
        is_elsewhere
    }
}

/// Whether a resource always decays, and has no layout.
fn is_free(declared: &Resource) -> bool {
    declared.is_buffer() || declared.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS)
}

/// The legacy state that a resource starts in.
fn created(declared: &Resource) -> ResourceState {
    match declared.initial {
        Initial::State(state) if !is_free(declared) => state,
        _ => ResourceState::empty(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Source;
    use crate::scenario;

    fn doubted(transitions: &str) -> bool {
        let text = format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ mips 2; flags RENDER_TARGET; state RENDER_TARGET }}\n\
             buffer b : 4KiB {{ flags UNORDERED_ACCESS }}\nqueue q : direct\n\
             list l : direct {{ {transitions} }}\nlist m : direct {{ legacy {{ transition b COMMON -> COPY_DEST }} }}\n\
             timeline {{ q execute l; q execute m }}"
        );
        let (scenario, findings) = scenario::parse(&Source::new("test", text));
        assert!(findings.is_empty(), "{findings:?}");
        is_in_doubt(&scenario)
    }

    #[test]
    fn a_chain_of_transitions_is_in_no_doubt() {
        assert!(!doubted(
            "legacy { transition t RENDER_TARGET -> COPY_DEST; transition t[mip 1] COPY_DEST -> COPY_SOURCE }\n\
             legacy { transition t[mip 0] COPY_DEST -> COPY_SOURCE; transition t COPY_SOURCE -> COMMON }"
        ));
        assert!(!doubted(
            "legacy { transition t RENDER_TARGET -> COPY_DEST begin }\n\
             legacy { transition t RENDER_TARGET -> COPY_DEST end; transition b COMMON -> COPY_SOURCE }"
        ));
    }

    #[test]
    fn a_gap_in_the_chain_is_in_doubt() {
        assert!(doubted(
            "legacy { transition t COPY_DEST -> RENDER_TARGET }"
        ));
        assert!(doubted(
            "legacy { transition t[mip 1] RENDER_TARGET -> COPY_DEST; transition t RENDER_TARGET -> COMMON }"
        ));
        assert!(doubted("legacy { transition b COPY_DEST -> COMMON }"));
        assert!(doubted("legacy { uav t }"));
        let half = "legacy { transition t RENDER_TARGET -> COPY_DEST begin }";
        assert!(doubted(&format!("{half}\n{half}")));
    }

    #[test]
    fn an_unordered_access_barrier_where_it_belongs_is_in_no_doubt() {
        assert!(!doubted(
            "legacy { uav b; transition t RENDER_TARGET -> UNORDERED_ACCESS }\nlegacy { uav t; transition t UNORDERED_ACCESS -> COMMON }"
        ));
    }
}
