//! Complete exploration of a model's states, breadth first, so that the first way to an outcome is a shortest one.
//!
//! States are packed in one array that is both the set of known states and the queue; a table of indices finds
//! equal ones. Nothing is ever removed, and nothing depends on the order of the table.

use super::program::{Set, bit};
use super::symmetry::Shown;
use crate::id::narrow;
use crate::parallel::prelude::*;
use std::collections::BTreeMap;

/// A step from one state to the next.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Transition {
    /// The event.
    pub kind: StepKind,
    /// The instruction, the meeting or the group.
    pub subject: u16,
    /// Further choice: which message is read or followed, or which line is written back.
    pub choice: u16,
}

impl Transition {
    /// A step. Instructions, groups and meetings are fewer than 64, as are the messages and lines to choose from.
    #[inline]
    pub fn new(kind: StepKind, subject: usize, choice: usize) -> Self {
        debug_assert!(subject < 1 << 16 && choice < 1 << 16, "a test is small");
        #[allow(
            clippy::cast_possible_truncation,
            reason = "both are below 64, and every successor of every state makes one"
        )]
        Self {
            kind,
            subject: subject as u16,
            choice: choice as u16,
        }
    }
}

/// What happens in a step.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// The start of the path.
    Start,
    /// A load. Choice: the message that it reads, as in the state.
    Load,
    /// A load that misses or is made to: the line is fetched from L2 first.
    Refill,
    /// A store. Choice: how many messages are before it in coherence order.
    Store,
    /// An atomic. Choice as for a load.
    Atomic,
    /// A fence.
    Fence,
    /// A write that must not happen.
    Nothing,
    /// A group barrier; the subject is the meeting.
    Meet,
    /// A write on its way arrives at L2.
    Arrive,
    /// A dirty line is written back; the subject is the group, the choice the line.
    WriteBack,
}

/// What makes an execution undefined (decision 8), or is worth a remark, as bits.
pub mod undefined {
    /// On a UAV that is not globally coherent: a plain load of another group's write, or an atomic's read of another
    /// group's plain store.
    pub const FOREIGN_READ: u8 = 1;
    /// A groupshared atomic and a plain store race.
    pub const MIXED_ATOMIC: u8 = 2;
    /// A plain access races with another thread's write. Not undefined (decision 1), but worth a remark.
    pub const PLAIN_RACE: u8 = 4;
    /// Number of bits.
    pub const KINDS: usize = 3;
}

/// States that follow a state.
pub struct Successors {
    words: usize,
    states: Vec<u64>,
    steps: Vec<Transition>,
    /// For each bit of [`undefined`]: the instructions that did it in one of these steps.
    undefined: [Set; undefined::KINDS],
}

impl Successors {
    fn new(words: usize) -> Self {
        Self {
            words,
            states: Vec::new(),
            steps: Vec::new(),
            undefined: [0; undefined::KINDS],
        }
    }

    fn clear(&mut self) {
        self.states.clear();
        self.steps.clear();
        self.undefined = [0; undefined::KINDS];
    }

    /// Adds a successor that starts as a copy of `from`; the caller changes it.
    #[inline]
    pub fn push(&mut self, from: &[u64], step: Transition) -> &mut [u64] {
        let at = self.states.len();
        self.states.extend_from_slice(from);
        self.steps.push(step);
        &mut self.states[at..]
    }

    /// Says what an instruction does in one of these steps.
    pub fn mark(&mut self, flag: u8, op: usize) {
        self.undefined[flag.trailing_zeros() as usize] |= bit(op);
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// A successor.
    pub fn state(&self, index: usize) -> &[u64] {
        &self.states[index * self.words..][..self.words]
    }

    /// Each successor with its step.
    pub fn iter(&self) -> impl Iterator<Item = (&[u64], Transition)> {
        self.states
            .chunks_exact(self.words)
            .zip(self.steps.iter().copied())
    }
}

/// What an abstract machine can do.
pub trait Model: Sync {
    /// Words of a state.
    fn words(&self) -> usize;
    /// The state before the first step.
    fn initial(&self) -> Vec<u64>;
    /// Adds every successor; none means that the execution has ended.
    fn expand(&self, state: &[u64], next: &mut Successors);
    /// What a step did, for people: the value that it read or wrote, and what became of it in memory and caches.
    fn explain(&self, before: &[u64], step: Transition, after: &[u64]) -> Told;
    /// Whether a done instruction was executed: its branches were taken.
    fn took(&self, state: &[u64], op: usize) -> bool;
    /// What a final state tells.
    fn outcome(&self, state: &[u64], out: &mut Vec<u32>);
}

/// What a step did.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Told {
    /// The value that was read.
    pub read: Option<u32>,
    /// What happened in memory and caches.
    pub events: Vec<String>,
}

/// When to give up, and whom to tell how far it is.
#[derive(Copy, Clone, Debug)]
pub struct Limits {
    /// Distinct states.
    pub states_max: usize,
    /// Called with the number of states, about every [`PROGRESS_STATES`].
    pub progress: Option<fn(usize)>,
}

/// States between two calls of [`Limits::progress`].
pub const PROGRESS_STATES: usize = 1 << 20;

impl Default for Limits {
    fn default() -> Self {
        Self {
            states_max: 20_000_000,
            progress: None,
        }
    }
}

/// Everything that was reached.
#[non_exhaustive]
pub struct Exploration {
    words: usize,
    states: Vec<u64>,
    parents: Vec<u32>,
    steps: Vec<Transition>,
    /// Outcomes in order, each with the first final state that shows it.
    pub outcomes: BTreeMap<Vec<u32>, Shown>,
    /// For each bit of [`undefined`]: the instructions that did it.
    pub undefined: [Set; undefined::KINDS],
    /// Transitions that were followed.
    pub transitions: u64,
    /// Whether every state was visited.
    pub complete: bool,
}

impl Exploration {
    /// Number of distinct states.
    pub fn states(&self) -> usize {
        self.parents.len()
    }

    /// A state.
    pub fn state(&self, index: u32) -> &[u64] {
        let at = index as usize * self.words;
        &self.states[at..at + self.words]
    }

    /// Whether some instruction did what a bit of [`undefined`] means.
    pub fn did(&self, flag: u8) -> bool {
        self.undefined[flag.trailing_zeros() as usize] != 0
    }

    /// The states from the first to `index`, each with the step that leads to it.
    pub fn path(&self, index: u32) -> Vec<(u32, Transition)> {
        let mut path = Vec::new();
        let mut at = index;
        while at != u32::MAX {
            path.push((at, self.steps[at as usize]));
            at = self.parents[at as usize];
        }
        path.reverse();
        path
    }
}

/// Indices of states by hash; open addressing, never more than half full.
struct Table {
    slots: Vec<u32>,
}

impl Table {
    fn new() -> Self {
        Self {
            slots: vec![u32::MAX; 1 << 10],
        }
    }

    /// The slot where a state is or would be.
    #[inline]
    fn find(&self, hash: u64, states: &[u64], state: &[u64]) -> (usize, bool) {
        let mask = self.slots.len() - 1;
        let mut slot = low_bits(hash) & mask;
        loop {
            let index = self.slots[slot];
            if index == u32::MAX {
                return (slot, false);
            }
            let at = index as usize * state.len();
            if &states[at..at + state.len()] == state {
                return (slot, true);
            }
            slot = (slot + 1) & mask;
        }
    }

    fn grow(&mut self, states: &[u64], words: usize) {
        let mut slots = vec![u32::MAX; self.slots.len() * 4];
        let mask = slots.len() - 1;
        for (index, state) in states.chunks_exact(words).enumerate() {
            let mut slot = low_bits(hash(state)) & mask;
            while slots[slot] != u32::MAX {
                slot = (slot + 1) & mask;
            }
            slots[slot] = narrow(index);
        }
        self.slots = slots;
    }
}

/// As much of a hash as an index has bits; the mask of a table keeps fewer.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "only low bits are meant")]
fn low_bits(hash: u64) -> usize {
    hash as usize
}

/// Multiply and fold: every bit of the state reaches the low bits of the result.
#[inline]
#[allow(clippy::cast_possible_truncation, reason = "both halves are folded")]
fn hash(state: &[u64]) -> u64 {
    const FACTOR: u64 = 0x9E37_79B9_7F4A_7C15;
    let mut hash: u64 = 0;
    for &word in state {
        let product =
            u128::from(hash.rotate_left(29) ^ word ^ FACTOR) * u128::from(FACTOR | 1 << 63);
        hash = product as u64 ^ (product >> 64) as u64;
    }
    hash
}

/// From this many waiting states on, states are expanded in parallel.
const PARALLEL_MIN: usize = 4096;
/// States that are expanded before their successors are taken in: bounds the memory for what is in between.
const BATCH_MAX: usize = 1 << 15;
/// States that one thread expands at a time.
const CHUNK: usize = 256;

/// What expanding some states in order came to.
struct Expanded {
    next: Successors,
    /// For each state: how many successors are before its own; none of its own means that it is final.
    starts: Vec<usize>,
    /// Outcomes of the final ones, in order.
    outcomes: Vec<Vec<u32>>,
}

fn expand_some(model: &impl Model, states: &[u64], words: usize) -> Expanded {
    let mut out = Expanded {
        next: Successors::new(words),
        starts: Vec::new(),
        outcomes: Vec::new(),
    };
    for state in states.chunks_exact(words) {
        let before = out.next.steps.len();
        out.starts.push(before);
        model.expand(state, &mut out.next);
        if out.next.steps.len() == before {
            let mut outcome = Vec::new();
            model.outcome(state, &mut outcome);
            out.outcomes.push(outcome);
        }
    }
    out
}

/// Visits every state of a model. The numbering of states, and with it every witness, does not depend on how many
/// threads of this computer take part: they expand, one takes in.
pub fn explore(model: &impl Model, limits: Limits) -> Exploration {
    let words = model.words();
    let mut out = Exploration {
        words,
        states: model.initial(),
        parents: vec![u32::MAX],
        steps: vec![Transition::new(StepKind::Start, 0, 0)],
        outcomes: BTreeMap::new(),
        undefined: [0; undefined::KINDS],
        transitions: 0,
        complete: true,
    };
    let mut table = Table::new();
    let (slot, _) = table.find(hash(&out.states), &[], &out.states);
    table.slots[slot] = 0;
    let mut at = 0;
    let mut told = 0;
    let mut single = Expanded {
        next: Successors::new(words),
        starts: Vec::new(),
        outcomes: Vec::new(),
    };
    let mut current = vec![0; words];
    while at < out.parents.len() {
        let waiting = out.parents.len() - at;
        if waiting < PARALLEL_MIN {
            current.copy_from_slice(out.state(narrow(at)));
            single.next.clear();
            single.outcomes.clear();
            single.starts.clear();
            single.starts.push(0);
            model.expand(&current, &mut single.next);
            if single.next.is_empty() {
                let mut outcome = Vec::new();
                model.outcome(&current, &mut outcome);
                single.outcomes.push(outcome);
            }
            out.take_in(&mut table, at, &single);
            at += 1;
        } else {
            let end = at + waiting.min(BATCH_MAX);
            let parts: Vec<Expanded> = out.states[at * words..end * words]
                .par_chunks(CHUNK * words)
                .map(|states| expand_some(model, states, words))
                .collect();
            for part in &parts {
                out.take_in(&mut table, at, part);
                at += part.starts.len();
            }
        }
        let states = out.parents.len();
        if let Some(tell) = limits.progress
            && states / PROGRESS_STATES != told
        {
            told = states / PROGRESS_STATES;
            tell(states);
        }
        if states > limits.states_max {
            out.complete = false;
            break;
        }
    }
    out
}

impl Exploration {
    /// Takes in what expanding the states from `first` on came to.
    fn take_in(&mut self, table: &mut Table, first: usize, expanded: &Expanded) {
        let mut outcomes = expanded.outcomes.iter();
        let total = expanded.next.steps.len();
        for (all, some) in self.undefined.iter_mut().zip(expanded.next.undefined) {
            *all |= some;
        }
        for (index, &start) in expanded.starts.iter().enumerate() {
            let parent = narrow(first + index);
            let end = expanded.starts.get(index + 1).copied().unwrap_or(total);
            if start == end {
                let outcome = outcomes.next().expect("a final state has an outcome");
                if !self.outcomes.contains_key(outcome) {
                    let shown = Shown {
                        state: parent,
                        changed: false,
                    };
                    self.outcomes.insert(outcome.clone(), shown);
                }
            }
            for successor in start..end {
                let state = expanded.next.state(successor);
                let step = expanded.next.steps[successor];
                self.transitions += 1;
                let (slot, known) = table.find(hash(state), &self.states, state);
                if known {
                    continue;
                }
                table.slots[slot] = narrow(self.parents.len());
                self.states.extend_from_slice(state);
                self.parents.push(parent);
                self.steps.push(step);
                if self.parents.len() * 2 > table.slots.len() {
                    table.grow(&self.states, self.words);
                }
            }
        }
    }
}

/// Successors of one state, for a walk that does not visit everything.
pub fn successors(model: &impl Model, state: &[u64]) -> Successors {
    let mut next = Successors::new(model.words());
    model.expand(state, &mut next);
    next
}
