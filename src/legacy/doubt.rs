//! Whether a transition may act otherwise than it says: a cheap look that knows transitions and no uses.
//!
//! Lists are followed in the order of their executions, the body of a `repeat` twice: further turns find what the second
//! finds. Each transition is compared with the one before it on the
//! same subresources; where that agrees, no promotion, decay or race makes it wrong. Who must know asks
//! `validate`.

use super::runs::Runs;
use crate::api::{QueueType, ResourceFlags, ResourceState};
use crate::id::{ListId, ResourceId, Table};
use crate::scenario::{
    CommandKind, Initial, LegacyBarrier, LegacyKind, LegacySplit, Scenario, Statement,
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
}

struct Doubt<'s> {
    scenario: &'s Scenario,
    states: Table<ResourceId, Option<Runs<Left>>>,
    scope: u32,
    is_copy_queue: bool,
}

/// Whether some `StateBefore` may not be the state that its subresource is in, or is the `StateAfter`. If not, none is wrong.
pub(crate) fn is_in_doubt(scenario: &Scenario) -> bool {
    let Some(timeline) = &scenario.timeline else {
        return false;
    };
    let mut doubt = Doubt {
        scenario,
        states: Table::filled(scenario.resources.len(), None),
        scope: 0,
        is_copy_queue: false,
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
        self.is_copy_queue = list.queue_type == QueueType::Copy;
        list.commands.iter().any(|command| match &command.kind {
            CommandKind::Legacy(entries) => entries.iter().any(|entry| self.differs(entry)),
            _ => false,
        })
    }

    /// Whether a transition does not go on where the one before it ended.
    fn differs(&mut self, entry: &LegacyBarrier) -> bool {
        let LegacyKind::Transition {
            resource,
            range,
            before,
            after,
            split,
        } = &entry.kind
        else {
            return false;
        };
        let declared = self.scenario.resource(*resource);
        let is_free =
            declared.is_buffer() || declared.flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS);
        let decays = is_free || self.is_copy_queue;
        let created = match declared.initial {
            Initial::State(state) if !is_free => state,
            _ => ResourceState::empty(),
        };
        let shape = declared.texture();
        let indices = match shape.map(|shape| (shape, geometry::existing_box(shape, range))) {
            Some((shape, Ok(sub))) => sub.index_runs(shape),
            Some((_, Err(_))) => return true,
            None => vec![(0, 1)],
        };
        let count = shape.map_or(1, TextureShape::subresources);
        let at_first = Left {
            scope: 0,
            state: created,
            decays: is_free,
        };
        let states = self.states[*resource].get_or_insert_with(|| Runs::new(count, at_first));
        let mut differs = before == after;
        for (first, end) in indices {
            states.update(first, end, |_, _, left| {
                let is_over = (decays || left.decays) && left.scope != self.scope;
                let known = if is_over {
                    ResourceState::empty()
                } else {
                    left.state
                };
                // The second half says what the first one said.
                differs |= *split != Some(LegacySplit::End) && known != *before;
                let is_first_half = *split == Some(LegacySplit::Begin);
                *left = Left {
                    scope: self.scope,
                    state: if is_first_half { *before } else { *after },
                    decays,
                };
            });
        }
        differs
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
    }
}
