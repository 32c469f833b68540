//! Who touches which memory, in order: the uses, barrier entries, presents and accesses of the CPU on each resource.
//!
//! Made once for a timeline, when somebody first asks. What a list does to a resource is kept once, however often the
//! list is executed: this costs the uses and entries of the text (8 bytes each), and for every executed list the
//! resources that it touches (16 bytes each). A query costs a look-up and the touches that it reads, none of the
//! commands between them.
//!
//! Uses and entries are asked for separately: who follows a layout through thousands of draws does not read the draws. A
//! use belongs to the resource that it names: who wants aliases asks for each of them. Submissions that are never
//! evaluated touch nothing.

use super::{SubmissionKind, Timeline};
use crate::id::{BarrierRef, ListId, NodeId, ResourceId, SubmissionId, Table, narrow};
use crate::scenario::{Barrier, Statement, Use};
use indexmap::IndexMap;
use std::ops::{Bound, RangeBounds};

/// When something happens in the order of evaluation. Uses of a command share theirs and come before its entries.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Moment {
    /// Place of the submission in the order of evaluation.
    pub rank: u32,
    /// The node.
    pub node: NodeId,
    /// The entry of the node's call, if it is one.
    pub entry: Option<u32>,
}

impl Moment {
    /// The first moment of a submission, by its place in the order of evaluation.
    pub fn start(rank: u32) -> Self {
        Self {
            rank,
            node: NodeId(0),
            entry: None,
        }
    }
}

/// Which touches.
#[derive(Copy, Clone, PartialEq, Eq, Hash, Debug)]
pub enum Of {
    /// Uses of a resource, presents and accesses of the CPU.
    Uses(ResourceId),
    /// Barrier entries on a resource; `None` asks for those that name none: global ones.
    Entries(Option<ResourceId>),
}

/// A touch.
#[derive(Copy, Clone, Debug)]
pub struct Touch<'s> {
    /// When it happens.
    pub moment: Moment,
    /// The command of the text; `None` of a present and of the CPU.
    pub place: Option<(ListId, u32)>,
    /// What it is.
    pub act: Act<'s>,
}

/// What a touch is.
#[derive(Copy, Clone, Debug)]
pub enum Act<'s> {
    /// A use by a command.
    Use(&'s Use),
    /// A barrier entry.
    Entry(&'s Barrier),
    /// A present or an access of the CPU.
    Outside(&'s Statement),
}

impl<'s> Touch<'s> {
    /// The use, if it is one.
    pub fn used(&self) -> Option<&'s Use> {
        match self.act {
            Act::Use(used) => Some(used),
            Act::Entry(_) | Act::Outside(_) => None,
        }
    }

    /// The barrier entry, if it is one.
    pub fn entry(&self) -> Option<(BarrierRef, &'s Barrier)> {
        let (Act::Entry(barrier), Some(entry)) = (self.act, self.moment.entry) else {
            return None;
        };
        let node = self.moment.node;
        Some((BarrierRef { node, entry }, barrier))
    }
}

/// What a list does: the node in the list, and the index of a use or an entry.
type Acts = IndexMap<Of, Vec<(u32, u32)>>;

/// An execution that touches a resource: of a list, or a present or an access of the CPU.
#[derive(Copy, Clone, Debug)]
struct Execution {
    rank: u32,
    first_node: NodeId,
    list: Option<ListId>,
}

/// The touches of a timeline.
#[derive(Debug)]
pub(super) struct Touches {
    /// What each executed list does.
    lists: Table<ListId, Option<Acts>>,
    /// Executions in order, by what they touch.
    executions: IndexMap<Of, Vec<Execution>>,
    ranks: Table<SubmissionId, u32>,
}

impl Touches {
    fn new(timeline: &Timeline<'_>) -> Self {
        let mut lists = Table::filled(timeline.scenario.lists.len(), None);
        let mut executions: IndexMap<_, Vec<Execution>> = IndexMap::new();
        let mut ranks = Table::filled(timeline.submissions.len(), 0);
        for (rank, id) in timeline.evaluation.iter().enumerate() {
            let rank = narrow(rank);
            ranks[id] = rank;
            let submission = timeline.submission(id);
            let mut add = |of, first_node, list| {
                executions.entry(of).or_default().push(Execution {
                    rank,
                    first_node,
                    list,
                });
            };
            if let SubmissionKind::Present { resource }
            | SubmissionKind::CpuRead { resource }
            | SubmissionKind::CpuWrite { resource } = submission.kind
            {
                add(Of::Uses(resource), submission.first_node, None);
            }
            for (list, start) in timeline
                .lists(submission)
                .iter()
                .zip(timeline.list_starts(id))
            {
                let acts = lists[*list].get_or_insert_with(|| acts(timeline, *list));
                acts.keys().for_each(|of| add(*of, start, Some(*list)));
            }
        }
        Self {
            lists,
            executions,
            ranks,
        }
    }
}

fn acts(timeline: &Timeline<'_>, list: ListId) -> Acts {
    let mut acts = Acts::new();
    let mut node = 0;
    timeline.for_each_command(list, |from, index| {
        let command = &timeline.scenario.lists[from].commands[index as usize];
        let mut add = |of, at| acts.entry(of).or_default().push((node, narrow(at)));
        for (at, used) in command.uses.iter().enumerate() {
            add(Of::Uses(used.resource), at);
        }
        for (at, barrier) in command.kind.barriers().iter().enumerate() {
            add(Of::Entries(barrier.resource()), at);
        }
        node += 1;
    });
    acts
}

impl<'s> Timeline<'s> {
    /// When a node, or an entry of its call, is executed. Of a submission that is evaluated.
    pub fn moment(&self, node: NodeId, entry: Option<u32>) -> Moment {
        let rank = self.touched().ranks[self.submission_of(node)];
        Moment { rank, node, entry }
    }

    /// The touches at some moments, in order.
    pub fn touches<'t>(
        &'t self,
        of: Of,
        when: impl RangeBounds<Moment> + 't,
    ) -> impl DoubleEndedIterator<Item = Touch<'s>> + 't {
        let index = self.touched();
        let all = index.executions.get(&of).map_or(&[][..], Vec::as_slice);
        // How many executions start up to a bound.
        let started = |bound: Bound<&Moment>| match bound {
            Bound::Included(moment) | Bound::Excluded(moment) => {
                let until = (moment.rank, moment.node);
                Some(all.partition_point(|it| (it.rank, it.first_node) <= until))
            }
            Bound::Unbounded => None,
        };
        let first = started(when.start_bound()).map_or(0, |count| count.saturating_sub(1));
        let end = started(when.end_bound()).map_or(all.len(), |count| count.max(first));
        let touches = all[first..end].iter().flat_map(move |execution| {
            let acts = match execution.list {
                Some(list) => index.lists[list].as_ref().and_then(|acts| acts.get(&of)),
                None => None,
            };
            // What has no list is one touch by itself.
            let acts = acts.map_or(&[(0, 0)][..], Vec::as_slice);
            acts.iter().map(move |act| self.touch(of, *execution, *act))
        });
        touches.filter(move |touch| when.contains(&touch.moment))
    }

    fn touched(&self) -> &Touches {
        self.touches.get_or_init(|| Touches::new(self))
    }

    fn touch(&self, of: Of, execution: Execution, (node, at): (u32, u32)) -> Touch<'s> {
        let place = execution.list.map(|list| self.list_command(list, node));
        let node = NodeId(execution.first_node.0 + node);
        let command = place.map(|place| self.executed(node, place));
        let (entry, act) = match (command, of) {
            (Some(command), Of::Uses(_)) => (None, Act::Use(&command.uses[at as usize])),
            (Some(command), Of::Entries(_)) => {
                (Some(at), Act::Entry(&command.kind.barriers()[at as usize]))
            }
            (None, _) => {
                let submission = self.submission(self.submission_of(node));
                (None, Act::Outside(submission.statement))
            }
        };
        let moment = Moment {
            rank: execution.rank,
            node,
            entry,
        };
        Touch { moment, place, act }
    }
}
