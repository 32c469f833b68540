//! The reference: the models once more, from nothing but their rules, with explicit values and every path walked.
//!
//! Nothing is shared with the explorer but the parsed test: no packing, no hashing, no step taken early, no lazy
//! eviction. Views name messages, not positions. A walk that costs more than its budget is given up.

mod machine;
mod specification;

pub(crate) use machine::{Caches, machine};
pub(crate) use specification::specification;

use std::collections::BTreeSet;
use syncscope::id::LocationId;
use syncscope::kernel::{
    Effect, Fence, Guard, Intrinsic, Kernel, LocationKind, Op, OpKind, Operand, Register, Subject,
};

/// What a walk found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) outcomes: BTreeSet<Vec<u32>>,
    /// Reads that made some whole execution undefined: what they read is another group's, on an incoherent UAV.
    pub(crate) foreign_reads: BTreeSet<At>,
    pub(crate) mixed_atomic: bool,
}

/// Thread and instruction.
pub(crate) type At = (usize, usize);
/// Index of a location and the group of its instance, `None` for a UAV.
type Cell = (usize, Option<u32>);

#[derive(Copy, Clone, PartialEq)]
enum Branch {
    Taken,
    NotTaken,
    Unknown,
}

/// What is done, and what each done read returned and whose write that was.
#[derive(Clone)]
struct Progress {
    done: Vec<Vec<bool>>,
    value: Vec<Vec<u32>>,
    source: Vec<Vec<Option<At>>>,
}

struct Test<'k> {
    kernel: &'k Kernel,
    subjects: &'k [Subject],
    budget: u64,
    found: Found,
}

fn effect(op: &Op) -> Option<Effect> {
    match op.kind {
        OpKind::Fence(fence) => Some(fence.effect()),
        OpKind::Discard { .. } => Some(Fence::Intrinsic(Intrinsic::DeviceMemoryBarrier).effect()),
        _ => None,
    }
}

impl Test<'_> {
    fn op(&self, at: At) -> &Op {
        &self.kernel.threads[at.0].ops[at.1]
    }

    fn cell(&self, at: At) -> Option<Cell> {
        let location = self.op(at).location()?;
        let uav = self.kernel.location(location).kind.is_uav();
        Some((
            location.index(),
            (!uav).then_some(self.kernel.threads[at.0].group),
        ))
    }

    fn coherent(&self, cell: Cell) -> bool {
        self.kernel.locations[LocationId::new(cell.0)].kind
            == LocationKind::Uav {
                globally_coherent: true,
            }
    }

    fn init(&self, cell: Cell) -> u32 {
        self.kernel.locations[LocationId::new(cell.0)]
            .init
            .unwrap_or(0)
    }

    fn start(&self) -> Progress {
        Progress {
            done: self
                .kernel
                .threads
                .iter()
                .map(|t| vec![false; t.ops.len()])
                .collect(),
            value: self
                .kernel
                .threads
                .iter()
                .map(|t| vec![0; t.ops.len()])
                .collect(),
            source: self
                .kernel
                .threads
                .iter()
                .map(|t| vec![None; t.ops.len()])
                .collect(),
        }
    }

    /// A register's value before an instruction, if it is known.
    fn register(
        &self,
        p: &Progress,
        thread: usize,
        before: usize,
        register: Register,
    ) -> Option<u32> {
        for i in (0..before).rev() {
            if self.op((thread, i)).defines() != Some(register) {
                continue;
            }
            match self.branch(p, (thread, i)) {
                Branch::Unknown => return None,
                Branch::NotTaken => {}
                Branch::Taken => return p.done[thread][i].then(|| p.value[thread][i]),
            }
        }
        Some(0)
    }

    fn branch(&self, p: &Progress, at: At) -> Branch {
        let mut all = Branch::Taken;
        for guard in &self.op(at).guards {
            if let Guard::Register {
                register,
                equal,
                value,
            } = *guard
            {
                match self.register(p, at.0, at.1, register) {
                    None if all == Branch::Taken => all = Branch::Unknown,
                    Some(v) if (v == value) != equal => return Branch::NotTaken,
                    _ => {}
                }
            }
        }
        all
    }

    fn operand(&self, p: &Progress, at: At, operand: Operand) -> Option<u32> {
        match operand {
            Operand::Value(v) => Some(v),
            Operand::Register(r) => self.register(p, at.0, at.1, r),
        }
    }

    fn finished(&self, p: &Progress, at: At) -> bool {
        p.done[at.0][at.1] || self.branch(p, at) == Branch::NotTaken
    }

    /// Whether a write must not happen; `None` if that is not known yet.
    fn muted(&self, p: &Progress, at: At) -> Option<bool> {
        if self.cell(at).is_none_or(|c| c.1.is_some()) {
            return Some(false);
        }
        if self.kernel.threads[at.0].helper {
            return Some(true);
        }
        for i in 0..at.1 {
            if matches!(self.op((at.0, i)).kind, OpKind::Discard { taken: true }) {
                match self.branch(p, (at.0, i)) {
                    Branch::Taken => return Some(true),
                    Branch::NotTaken => {}
                    Branch::Unknown => return None,
                }
            }
        }
        Some(false)
    }

    /// Does the fence concern the cell as an earlier, as a later access?
    fn names(&self, thread: usize, effect: &Effect, cell: Cell) -> (bool, bool) {
        if let Some(group) = cell.1 {
            let it = effect.classes.groupshared && group == self.kernel.threads[thread].group;
            return (it, it);
        }
        let uav = effect.classes.uav.is_some();
        let object = effect.classes.object.is_none_or(|o| o.index() == cell.0);
        (uav && object, uav)
    }

    fn cells(&self) -> Vec<Cell> {
        let mut cells = BTreeSet::new();
        for (t, thread) in self.kernel.threads.iter().enumerate() {
            for i in 0..thread.ops.len() {
                cells.extend(self.cell((t, i)));
            }
        }
        cells.into_iter().collect()
    }

    /// Must `i` be finished before `j` of the same thread is done?
    #[allow(
        clippy::many_single_char_names,
        reason = "two places, two fences, one cell"
    )]
    fn before(&self, thread: usize, i: usize, j: usize, machine: bool) -> bool {
        let (a, b) = ((thread, i), (thread, j));
        match (effect(self.op(a)), effect(self.op(b))) {
            (Some(f), Some(g)) => {
                f.meets && g.meets
                    || self
                        .cells()
                        .iter()
                        .any(|&c| self.names(thread, &f, c).1 && self.names(thread, &g, c).0)
            }
            (Some(f), None) => self.cell(b).is_some_and(|c| self.names(thread, &f, c).1),
            (None, Some(g)) => self.cell(a).is_some_and(|c| self.names(thread, &g, c).0),
            (None, None) => {
                let writes = |at: At| {
                    self.op(at).writes() && self.muted(&self.nothing_skipped(), at) != Some(true)
                };
                self.cell(a) == self.cell(b) && (machine || writes(a) || writes(b))
            }
        }
    }

    fn nothing_skipped(&self) -> Progress {
        self.start()
    }

    /// Whether an instruction may be done now. In a machine, loads wait for branches and addresses too.
    fn ready(&self, p: &Progress, at: At, machine: bool) -> bool {
        let (t, j) = at;
        if p.done[t][j] {
            return false;
        }
        let op = self.op(at);
        let helper_read = self.kernel.threads[t].helper && op.writes();
        let may_guess = matches!(op.kind, OpKind::Load { .. }) && !machine && !helper_read;
        match self.branch(p, at) {
            Branch::NotTaken => return false,
            Branch::Unknown if !may_guess => return false,
            _ => {}
        }
        let known = match &op.kind {
            OpKind::Store { value, .. } => {
                self.operand(p, at, *value).is_some() || self.muted(p, at) == Some(true)
            }
            OpKind::Atomic { value, new, .. } => {
                let operands = self.operand(p, at, *value).is_some()
                    && new.is_none_or(|n| self.operand(p, at, n).is_some());
                operands || self.muted(p, at) == Some(true)
            }
            OpKind::Load {
                address: Some(r), ..
            } if machine => self.register(p, t, j, *r).is_some(),
            _ => true,
        };
        known
            && (!op.writes() || self.muted(p, at).is_some())
            && (0..j).all(|i| !self.before(t, i, j, machine) || self.finished(p, (t, i)))
    }

    /// Sets of instructions that are done in one step: an access, a fence, or a whole group's barrier.
    fn fence_steps(&self, p: &Progress, machine: bool) -> Vec<Vec<At>> {
        let mut steps = Vec::new();
        for (t, thread) in self.kernel.threads.iter().enumerate() {
            for i in 0..thread.ops.len() {
                if effect(self.op((t, i))).is_some_and(|e| !e.meets)
                    && self.ready(p, (t, i), machine)
                {
                    steps.push(vec![(t, i)]);
                }
            }
        }
        for group in self.kernel.groups() {
            let threads: Vec<usize> = (0..self.kernel.threads.len())
                .filter(|&t| self.kernel.threads[t].group == group)
                .collect();
            let mut met = Vec::new();
            let ready = threads.iter().all(|&t| {
                let ops = &self.kernel.threads[t].ops;
                let next = (0..ops.len())
                    .find(|&i| effect(&ops[i]).is_some_and(|e| e.meets) && !p.done[t][i]);
                match next {
                    Some(i) => {
                        met.push((t, i));
                        self.ready(p, (t, i), machine)
                    }
                    None => (0..ops.len()).all(|i| self.finished(p, (t, i))),
                }
            });
            // Who has come one barrier further than the others waits there.
            let round = |&(t, i): &At| {
                (0..i)
                    .filter(|&k| effect(self.op((t, k))).is_some_and(|e| e.meets))
                    .count()
            };
            let same = met.iter().all(|at| round(at) == round(&met[0]));
            if ready && same && !met.is_empty() {
                steps.push(met);
            }
        }
        steps
    }

    fn ended(&self, p: &Progress) -> bool {
        (0..self.kernel.threads.len())
            .all(|t| (0..self.kernel.threads[t].ops.len()).all(|i| self.finished(p, (t, i))))
    }

    /// A done load that is under a branch that was not taken: a wrong guess.
    fn guessed_wrong(&self, p: &Progress) -> bool {
        (0..self.kernel.threads.len()).any(|t| {
            (0..self.kernel.threads[t].ops.len())
                .any(|i| p.done[t][i] && self.branch(p, (t, i)) == Branch::NotTaken)
        })
    }

    fn outcome(&self, p: &Progress, contents: &dyn Fn(Cell) -> u32) -> Vec<u32> {
        self.subjects
            .iter()
            .map(|subject| match *subject {
                Subject::Register { thread, register } => self
                    .register(p, thread, self.kernel.threads[thread].ops.len(), register)
                    .expect("all is done"),
                Subject::Uav(location) => contents((location.index(), None)),
                Subject::Groupshared { location, group } => {
                    contents((location.index(), Some(group)))
                }
            })
            .collect()
    }

    fn spend(&mut self) -> bool {
        self.budget = self.budget.saturating_sub(1);
        self.budget > 0
    }

    /// What an atomic leaves in memory, given what it read.
    fn applied(&self, p: &Progress, at: At, old: u32) -> u32 {
        let OpKind::Atomic {
            atomic, value, new, ..
        } = &self.op(at).kind
        else {
            panic!("an atomic");
        };
        let value = self.operand(p, at, *value).expect("known");
        let new = new.map_or(0, |n| self.operand(p, at, n).expect("known"));
        atomic.apply(old, value, new)
    }
}
