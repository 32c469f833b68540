//! The parts of a scenario in the order of submission, and how they become one: names, lists that are the same, signals
//! that nobody waits for, frames that repeat.

use super::fold;
use super::names::Names;
use super::runs::Runs;
use super::step;
use crate::api::QueueType;
use crate::finding::Span;
use crate::id::{self, FenceId, HeapId, ListId, QueueId, ResourceId};
use crate::lookup::LookupMap;
use crate::scenario::parser::NESTING_MAX;
use crate::scenario::{
    Command, CommandKind, Comments, Declaration, Device, Fence, FenceValue, Heap, Initial, List,
    Queue, Range, Resource, Scenario, Statement, StatementKind, Timeline, Trivia,
};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A list of one execution.
#[derive(Clone, Debug)]
pub(super) struct Recorded {
    pub(super) name: String,
    pub(super) queue_type: QueueType,
    pub(super) commands: Vec<Command>,
}

/// One statement of the timeline. Queues and fences by their place in the draft.
pub(super) type Entry = step::Step<ListId, ResourceId>;

impl step::Work for ListId {
    fn kind(&self) -> (u32, u32) {
        (id::narrow(self.index()), 0)
    }

    fn same(&self, other: &Self) -> bool {
        self == other
    }

    fn numbers(&mut self, _: &mut dyn FnMut(&mut u64)) {}
}

/// A scenario that is being put together.
#[derive(Debug, Default)]
pub(super) struct Draft {
    out: Scenario,
    resources: Names,
    queues: Names,
    fences: Names,
    lists: Names,
    /// Name and first value of each fence: only those that are waited for are declared.
    fence_names: Vec<(String, u64)>,
    queue_types: Vec<(String, QueueType)>,
    entries: Runs<Entry>,
    /// Lists by what they do.
    known: LookupMap<u64, Vec<ListId>>,
    asynchronous: bool,
    /// Writes that share no byte are not in each other's way.
    by_byte: bool,
}

/// A comment on the line of a statement.
pub(super) fn call_comment(call: u64) -> Trivia {
    Trivia(Some(Box::new(Comments {
        after: Some(format!("// call {call}")),
        ..Comments::default()
    })))
}

/// A comment before a statement.
pub(super) fn comment(text: &str) -> Trivia {
    let mut comments = Comments::default();
    comments.before.push(&format!("// {text}"));
    Trivia(Some(Box::new(comments)))
}

/// Allows rules on a statement.
pub(super) fn allow(trivia: &mut Trivia, rules: &[&str]) {
    let comments = trivia.0.get_or_insert_default();
    comments
        .before
        .push(&format!("{ALLOW}{}", rules.join(", ")));
}

/// The rules that the comments of a statement allow, as [`allow`] wrote them.
fn allowed(trivia: &Trivia) -> Vec<&str> {
    let comments = trivia.0.iter().flat_map(|all| all.before.iter());
    let lists = comments.filter_map(|line| line.strip_prefix(ALLOW));
    lists.flat_map(|list| list.split(", ")).collect()
}

/// Allows on a statement what another one of the same words allows: each is right where it is.
fn allow_too(trivia: &mut Trivia, other: &Trivia) {
    let known = allowed(trivia);
    let mut more = allowed(other);
    more.retain(|rule| !known.contains(rule));
    if !more.is_empty() {
        allow(trivia, &more);
    }
}

const ALLOW: &str = "// syncscope: allow ";

impl Draft {
    /// Writes that share no byte need no order, however near they are: so says Vulkan, and D3D12 does not.
    pub(super) fn by_byte(&mut self) {
        self.by_byte = true;
    }

    pub(super) fn queue(&mut self, name: &str, queue_type: QueueType) {
        let name = self.queues.unique(name);
        self.queue_types.push((name, queue_type));
    }

    pub(super) fn fence(&mut self, name: &str, first: u64) {
        self.fence_names.push((name.to_owned(), first));
    }

    pub(super) fn heap(&mut self, name: &str, size: u64) -> HeapId {
        let name = self.resources.unique(name);
        let heap = Heap {
            size,
            heap_type: crate::api::HeapType::Default,
            span: Span::default(),
            trivia: Trivia(None),
        };
        let id = self.out.heaps.push(name, heap);
        self.out.order.push(Declaration::Heap(id));
        id
    }

    pub(super) fn resource(&mut self, name: &str, resource: Resource) -> ResourceId {
        let name = self.resources.unique(name);
        let id = self.out.resources.push(name, resource);
        self.out.order.push(Declaration::Resource(id));
        id
    }

    pub(super) fn push(&mut self, entry: Entry) {
        self.entries.push(entry);
    }

    /// Copies promise nothing, as in Vulkan.
    pub(super) fn copies_are_asynchronous(&mut self) {
        self.asynchronous = true;
    }

    /// The scenario.
    pub(super) fn finish(mut self, title: Option<String>) -> Scenario {
        let entries = std::mem::take(&mut self.entries);
        let queues = self.declare_queues(&entries);
        let fences = self.declare_fences(&entries);
        for at in 0..self.out.lists.len() {
            let list = Declaration::List(ListId::new(at));
            self.out.order.push(list);
        }
        let firsts = self.out.fences.values().map(|fence| fence.initial);
        let firsts: Vec<u64> = firsts.collect();
        let statements = || {
            let entries = entries.iter();
            entries.filter_map(|entry| statement(entry, &queues, &fences))
        };
        let statements = fold::fold(statements, &firsts);
        if self.asynchronous {
            self.out.device = Device {
                asynchronous_copies: true,
                ..Device::default()
            };
            self.out.order.insert(0, Declaration::Device);
        }
        if title.is_some() {
            self.out.title = title;
            self.out.order.insert(0, Declaration::Title);
        }
        self.out.timeline = Some(Timeline {
            statements,
            ..Timeline::default()
        });
        self.out.order.push(Declaration::Timeline);
        self.out
    }

    /// Queues that do something.
    fn declare_queues(&mut self, entries: &Runs<Entry>) -> Vec<Option<QueueId>> {
        let mut used = vec![false; self.queue_types.len()];
        for entry in entries.kinds() {
            match entry {
                Entry::Execute { queue, .. } | Entry::Present { queue, .. } => used[*queue] = true,
                Entry::Signal { queue, .. } | Entry::Wait { queue, .. } => {
                    if let Some(queue) = queue {
                        used[*queue] = true;
                    }
                }
            }
        }
        let mut ids = Vec::new();
        for (at, (name, queue_type)) in self.queue_types.iter().enumerate() {
            ids.push(used[at].then(|| {
                let queue = Queue::new(*queue_type);
                let id = self.out.queues.push(name.clone(), queue);
                self.out.order.push(Declaration::Queue(id));
                id
            }));
        }
        ids
    }

    /// Fences that somebody waits for.
    fn declare_fences(&mut self, entries: &Runs<Entry>) -> Vec<Option<FenceId>> {
        let waited = step::awaited(entries.iter(), self.fence_names.len());
        let names = std::mem::take(&mut self.fence_names);
        let mut ids = Vec::new();
        for (at, (name, initial)) in names.into_iter().enumerate() {
            if !waited[at] {
                ids.push(None);
                continue;
            }
            let name = self.fences.unique(&name);
            let id = self.out.fences.push(
                name,
                Fence {
                    initial,
                    ..Fence::default()
                },
            );
            self.out.order.push(Declaration::Fence(id));
            ids.push(Some(id));
        }
        ids
    }

    /// The state or layout in which a resource is when the first statement begins.
    pub(super) fn begins(&mut self, resource: ResourceId, initial: Initial) {
        self.out.resources[resource].initial = initial;
    }

    /// The value of a fence when the first statement begins.
    pub(super) fn first_value(&mut self, fence: usize, value: u64) {
        self.fence_names[fence].1 = value;
    }

    /// A list: an earlier one that does the same, or a new one.
    pub(super) fn list(&mut self, recorded: Recorded) -> ListId {
        let key = hash(&recorded);
        for id in self.known.get(&key).into_iter().flatten() {
            let other = &self.out.lists[*id];
            if other.queue_type == recorded.queue_type && same(&other.commands, &recorded.commands)
            {
                let known = &mut self.out.lists[*id].commands;
                for (known, command) in known.iter_mut().zip(shallow(recorded.commands)) {
                    allow_too(&mut known.trivia, &command.trivia);
                }
                return *id;
            }
        }
        let mut trivia = Trivia(None);
        if self.by_byte && recorded.commands.iter().any(writes_part) {
            allow(&mut trivia, &["false-sharing"]);
        }
        let id = self.out.lists.push(List {
            name: Some(self.lists.unique(&recorded.name)),
            queue_type: recorded.queue_type,
            extended_async: false,
            commands: shallow(recorded.commands),
            span: Span::default(),
            trivia,
        });
        self.known.entry(key).or_default().push(id);
        id
    }
}

/// An entry as a statement; `None` of a signal that nobody waits for.
fn statement(
    entry: Entry,
    queues: &[Option<QueueId>],
    fences: &[Option<FenceId>],
) -> Option<Statement> {
    let of = |queue: Option<usize>| queue.and_then(|queue| queues[queue]);
    let call = entry.call();
    let kind = match entry {
        Entry::Execute {
            queue, work: lists, ..
        } => StatementKind::Execute {
            queue: queues[queue]?,
            lists,
        },
        Entry::Signal {
            queue,
            fence,
            value,
            ..
        } => StatementKind::Signal {
            queue: of(queue),
            fence: fences[fence]?,
            value: FenceValue::Absolute(value),
        },
        Entry::Wait {
            queue,
            fence,
            value,
            ..
        } => StatementKind::Wait {
            queue: of(queue),
            fence: fences[fence]?,
            value: FenceValue::Absolute(value),
        },
        Entry::Present {
            queue, resource, ..
        } => StatementKind::Present {
            queue: queues[queue]?,
            resource,
        },
    };
    Some(Statement {
        kind,
        span: Span::default(),
        trivia: call_comment(call),
    })
}

/// Groups inside groups: a list is a block too.
const GROUPS_DEEP_MAX: i64 = NESTING_MAX as i64 - 2;

/// The commands without groups that are nested deeper than the language has them.
fn shallow(mut commands: Vec<Command>) -> Vec<Command> {
    let mut depth = 0;
    commands.retain(|command| match command.kind {
        CommandKind::MarkerBegin { .. } => {
            depth += 1;
            depth <= GROUPS_DEEP_MAX
        }
        CommandKind::MarkerEnd => {
            depth -= 1;
            depth < GROUPS_DEEP_MAX
        }
        _ => true,
    });
    commands
}

/// Whether a command writes a part of a subresource.
fn writes_part(command: &Command) -> bool {
    let is_part = |range: &Range| match range {
        Range::Bytes { .. } => true,
        Range::Subresources(some) => some.rect.is_some(),
        Range::All | Range::Subresource(_) => false,
    };
    let mut uses = command.uses.iter();
    uses.any(|one| one.writes() && is_part(&one.range))
}

/// Whether commands do the same: their call numbers may differ.
fn same(a: &[Command], b: &[Command]) -> bool {
    let equal = |(a, b): (&Command, &Command)| a.kind == b.kind && a.uses == b.uses;
    a.len() == b.len() && a.iter().zip(b).all(equal)
}

fn hash(recorded: &Recorded) -> u64 {
    let mut hasher = FxHasher::default();
    recorded.commands.len().hash(&mut hasher);
    for command in &recorded.commands {
        std::mem::discriminant(&command.kind).hash(&mut hasher);
        match &command.kind {
            CommandKind::Barrier(entries) => {
                for entry in entries {
                    (**entry).hash(&mut hasher);
                }
            }
            CommandKind::Dispatch { groups, .. } => groups.hash(&mut hasher),
            _ => {}
        }
        for used in &command.uses {
            (**used).hash(&mut hasher);
        }
    }
    hasher.finish()
}
