//! What surrounds each barrier entry: the uses between it and its neighbours on the same resource.
//!
//! One pass over the executed commands. Subresources are not told apart, and a use belongs to every alias of its
//! memory: what is found here only says where to look; proofs are made elsewhere.

use crate::api::{BarrierAccess, LeafSet, QueueType};
use crate::id::{ListId, ResourceId, Table, narrow};
use crate::order::{SubmissionKind, Timeline};
use crate::scenario::edit::{EntryId, is_split};
use crate::scenario::{Barrier, BarrierTarget, CommandKind, IndirectTarget, Scenario};
use indexmap::{IndexMap, IndexSet};
use smallvec::SmallVec;

/// Stages and accesses of uses.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Used {
    /// Stages.
    pub stages: LeafSet,
    /// Accesses.
    pub accesses: BarrierAccess,
}

impl Default for Used {
    fn default() -> Self {
        Self {
            stages: LeafSet::EMPTY,
            accesses: BarrierAccess::empty(),
        }
    }
}

impl Used {
    fn add(&mut self, other: Self) {
        self.stages = self.stages.union(other.stages);
        self.accesses |= other.accesses;
    }

    /// Whether there is no use.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty() && self.accesses.is_empty()
    }
}

/// What surrounds an entry.
#[derive(Copy, Clone, Default, Debug)]
pub struct Around {
    /// Uses since the barrier before it, and that barrier's `SyncAfter`.
    pub before: Used,
    /// Uses up to the barrier after it.
    pub after: Used,
}

/// What surrounds each executed entry.
#[derive(Debug, Default)]
pub struct Survey {
    /// Executed entries in order of the text, with what surrounds them in any of their executions.
    pub entries: IndexMap<EntryId, Around>,
    /// Uses of each resource and its aliases by any command of the file.
    pub anywhere: Table<ResourceId, Used>,
    /// Uses of anything.
    pub of_all: Used,
    /// Stages that commands of the file run through, used or not: a draw has all of its own.
    pub live: LeafSet,
    /// Types of the queues that use each resource, in the timeline.
    pub queues: Table<ResourceId, Vec<QueueType>>,
    /// Whether the CPU or a present touches it.
    pub is_outside: Table<ResourceId, bool>,
    /// Lists that are executed, bundles included.
    pub executed: IndexSet<ListId>,
    /// For each resource those whose memory overlaps its own, itself included.
    pub aliases: Table<ResourceId, Vec<ResourceId>>,
}

/// What is kept of a resource while a scope is walked.
#[derive(Clone, Default)]
struct State<'s> {
    since: Used,
    /// The latest entries: indices of [`Survey::entries`].
    latest: SmallVec<[(usize, &'s Barrier); 1]>,
}

/// The state of each resource, and last of all memory at once.
struct States<'s> {
    of: Vec<State<'s>>,
    /// Those that the scope has touched.
    touched: Vec<usize>,
}

impl<'s> States<'s> {
    fn new(resources: usize) -> Self {
        Self {
            of: vec![State::default(); resources + 1],
            touched: Vec::new(),
        }
    }

    fn get(&mut self, resource: Option<ResourceId>) -> &mut State<'s> {
        let at = resource.map_or(self.of.len() - 1, ResourceId::index);
        let state = &mut self.of[at];
        if state.since.is_empty() && state.latest.is_empty() {
            self.touched.push(at);
        }
        state
    }

    /// The scope is over.
    fn clear(&mut self) {
        for at in self.touched.drain(..) {
            self.of[at] = State::default();
        }
    }
}

impl Survey {
    /// Looks at every executed command once.
    pub fn new(timeline: &Timeline<'_>) -> Self {
        let scenario = timeline.scenario;
        let count = scenario.resources.len();
        let mut survey = Self {
            anywhere: Table::filled(count, Used::default()),
            queues: Table::filled(count, Vec::new()),
            is_outside: Table::filled(count, false),
            ..Self::default()
        };
        let aliases = aliases(timeline);
        survey.text(scenario, &aliases);
        let mut states = States::new(count);
        for id in timeline.evaluation.iter() {
            let submission = timeline.submission(id);
            match submission.kind {
                SubmissionKind::Execute => {
                    survey.scope(timeline, &aliases, timeline.lists(submission), &mut states);
                    states.clear();
                    if let Some(queue) = timeline.queue_type(submission) {
                        survey.queue(timeline, timeline.lists(submission), queue);
                    }
                }
                SubmissionKind::Present { resource }
                | SubmissionKind::CpuRead { resource }
                | SubmissionKind::CpuWrite { resource } => {
                    survey.is_outside[resource] = true;
                }
                _ => {}
            }
        }
        survey.entries.sort_unstable_keys();
        survey.executed.sort_unstable();
        survey.aliases = aliases;
        survey
    }

    fn text(&mut self, scenario: &Scenario, aliases: &Table<ResourceId, Vec<ResourceId>>) {
        for command in scenario.commands() {
            let is_draw = matches!(
                command.kind,
                CommandKind::Draw { .. }
                    | CommandKind::ExecuteIndirect {
                        target: IndirectTarget::Draw,
                        ..
                    }
            );
            if is_draw {
                self.live = self.live.union(LeafSet::DRAW);
            }
        }
        for usage in scenario.commands().flat_map(|c| &c.uses) {
            let used = Used {
                stages: usage.stages,
                accesses: usage.access & BarrierAccess::EVERY,
            };
            for id in &aliases[usage.resource] {
                self.anywhere[*id].add(used);
            }
            self.of_all.add(used);
            self.live = self.live.union(used.stages);
        }
    }

    fn queue(&mut self, timeline: &Timeline<'_>, lists: &[ListId], queue: QueueType) {
        for list in lists {
            timeline.for_each_command(*list, |from, index| {
                self.executed.insert(from);
                let command = &timeline.scenario.lists[from].commands[index as usize];
                for usage in &command.uses {
                    let known = &mut self.queues[usage.resource];
                    if !known.contains(&queue) {
                        known.push(queue);
                    }
                }
            });
        }
    }

    fn scope<'s>(
        &mut self,
        timeline: &Timeline<'s>,
        aliases: &Table<ResourceId, Vec<ResourceId>>,
        lists: &[ListId],
        states: &mut States<'s>,
    ) {
        let scenario = timeline.scenario;
        for list in lists {
            timeline.for_each_command(*list, |from, command| {
                let it = &scenario.lists[from].commands[command as usize];
                for usage in &it.uses {
                    let used = Used {
                        stages: usage.stages,
                        accesses: usage.access & BarrierAccess::EVERY,
                    };
                    for id in &aliases[usage.resource] {
                        self.used(states.get(Some(*id)), used);
                    }
                    self.used(states.get(None), used);
                }
                let CommandKind::Barrier(barriers) = &it.kind else {
                    return;
                };
                for (index, barrier) in barriers.iter().enumerate() {
                    if matches!(barrier.target, BarrierTarget::EmptyGroup(_)) {
                        continue;
                    }
                    let entry = EntryId {
                        list: from,
                        command,
                        index: narrow(index),
                    };
                    let state = states.get(barrier.resource());
                    self.barrier(state, entry, barrier);
                }
            });
        }
    }

    fn used(&mut self, state: &mut State<'_>, used: Used) {
        state.since.add(used);
        for (at, _) in &state.latest {
            self.entries[*at].after.add(used);
        }
    }

    fn barrier<'s>(&mut self, state: &mut State<'s>, entry: EntryId, barrier: &'s Barrier) {
        let mut before = state.since;
        for (_, earlier) in &state.latest {
            before.stages = before.stages.union(earlier.sync_after.leaves());
        }
        let known = self.entries.entry(entry);
        let at = known.index();
        known.or_default().before.add(before);
        if is_split(barrier) && barrier.sync_before.is_split() {
            state.latest.clear();
        }
        // Barriers on parts of a resource are next to each other until one of them is followed by a use.
        if !state.since.is_empty() {
            state.latest.clear();
        }
        state.since = Used::default();
        state.latest.push((at, barrier));
    }
}

/// Aliased resources beyond which each is looked at by itself.
const ALIASED_MAX: usize = 1_000;

/// For each resource the resources whose memory overlaps its own, itself included.
fn aliases(timeline: &Timeline<'_>) -> Table<ResourceId, Vec<ResourceId>> {
    let ids = || timeline.scenario.resources.ids();
    let aliased: Vec<ResourceId> = ids().filter(|id| timeline.memory.is_aliased(*id)).collect();
    ids()
        .map(|id| {
            if !timeline.memory.is_aliased(id) || aliased.len() > ALIASED_MAX {
                return vec![id];
            }
            let own = timeline.memory.whole(id);
            let overlaps = |other: &&ResourceId| match (own, timeline.memory.whole(**other)) {
                (Some(a), Some(b)) => {
                    a.memory == b.memory && a.start < b.end && b.start < a.end || **other == id
                }
                _ => **other == id,
            };
            aliased.iter().filter(overlaps).copied().collect()
        })
        .collect()
}
