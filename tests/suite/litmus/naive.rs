//! The reference: the models once more, from their rules alone, with explicit values and every path walked.
//!
//! Nothing is shared with the explorer but the parsed test: no packing, no hashing, no step taken early, no lazy
//! eviction. Views name messages, not positions. A walk that costs more than its budget is given up.

use std::collections::BTreeSet;
use syncscope::kernel::{
    Effect, Fence, Guard, Intrinsic, Kernel, LocationKind, Op, OpKind, Operand, Register, Scope,
    Subject,
};

/// What a walk found.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) outcomes: BTreeSet<Vec<u32>>,
    pub(crate) foreign_read: bool,
    pub(crate) mixed_atomic: bool,
}

/// Thread and instruction.
type At = (usize, usize);
/// Index of a location and the group of its instance, `None` for a UAV.
type Cell = (usize, Option<u32>);

#[derive(Copy, Clone, PartialEq)]
enum Branch {
    Taken,
    NotTaken,
    Unknown,
}

/// What is done, and what each done read returned.
#[derive(Clone)]
struct Progress {
    done: Vec<Vec<bool>>,
    value: Vec<Vec<u32>>,
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
        self.kernel.locations[cell.0].kind
            == LocationKind::Uav {
                globally_coherent: true,
            }
    }

    fn init(&self, cell: Cell) -> u32 {
        self.kernel.locations[cell.0].init.unwrap_or(0)
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
        if !self.cell(at).is_some_and(|c| c.1.is_none()) {
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
        match cell.1 {
            Some(group) => {
                let it = effect.classes.groupshared && group == self.kernel.threads[thread].group;
                (it, it)
            }
            None => {
                let uav = effect.classes.uav.is_some();
                let object = effect.classes.object.is_none_or(|o| o.index() == cell.0);
                (uav && object, uav)
            }
        }
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

    /// A done load that stands under a branch that was not taken: a wrong guess.
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

// ---------------------------------------------------------------- the specification

/// A message of a cell; the initial one has no writer.
#[derive(Clone, PartialEq)]
struct Message {
    writer: Option<At>,
    value: u32,
    atomic: bool,
}

#[derive(Clone)]
struct World {
    p: Progress,
    cells: Vec<(Cell, Vec<Message>)>,
    /// `(who, cell, message)`: the newest message that this holder has of the cell.
    visible: Vec<(usize, Cell, Option<At>)>,
    accessed: Vec<(usize, Cell, Option<At>)>,
    group: Vec<(u32, Cell, Option<At>)>,
    device: Vec<(Cell, Option<At>)>,
}

impl World {
    fn messages(&self, cell: Cell) -> &[Message] {
        &self.cells.iter().find(|c| c.0 == cell).expect("known").1
    }

    fn position(&self, cell: Cell, message: Option<At>) -> usize {
        self.messages(cell)
            .iter()
            .position(|m| m.writer == message)
            .expect("messages stay")
    }

    fn newer(&self, cell: Cell, a: Option<At>, b: Option<At>) -> Option<At> {
        if self.position(cell, a) >= self.position(cell, b) {
            a
        } else {
            b
        }
    }
}

fn view<K: PartialEq + Copy>(views: &[(K, Cell, Option<At>)], who: K, cell: Cell) -> Option<At> {
    views
        .iter()
        .find(|v| v.0 == who && v.1 == cell)
        .and_then(|v| v.2)
}

fn set<K: PartialEq + Copy>(
    views: &mut Vec<(K, Cell, Option<At>)>,
    who: K,
    cell: Cell,
    to: Option<At>,
) {
    views.retain(|v| !(v.0 == who && v.1 == cell));
    views.push((who, cell, to));
}

/// Every outcome by the rules of the specification's envelope; `None` if the budget did not suffice.
pub(crate) fn specification(kernel: &Kernel, subjects: &[Subject], budget: u64) -> Option<Found> {
    let mut test = Test {
        kernel,
        subjects,
        budget,
        found: Found::default(),
    };
    let cells = test
        .cells()
        .into_iter()
        .map(|cell| {
            let message = Message {
                writer: None,
                value: test.init(cell),
                atomic: false,
            };
            (cell, vec![message])
        })
        .collect();
    let world = World {
        p: test.start(),
        cells,
        visible: Vec::new(),
        accessed: Vec::new(),
        group: Vec::new(),
        device: Vec::new(),
    };
    test.walk_specification(&world);
    (test.budget > 0).then_some(test.found)
}

impl Test<'_> {
    fn walk_specification(&mut self, world: &World) {
        if !self.spend() || self.guessed_wrong(&world.p) {
            return;
        }
        if self.ended(&world.p) {
            let contents = |cell: Cell| {
                world
                    .cells
                    .iter()
                    .find(|c| c.0 == cell)
                    .map_or(self.init(cell), |c| c.1.last().expect("not empty").value)
            };
            let outcome = self.outcome(&world.p, &contents);
            self.found.outcomes.insert(outcome);
            return;
        }
        for step in self.fence_steps(&world.p, false) {
            let mut next = world.clone();
            for &at in &step {
                self.publish(&mut next, at);
            }
            for &at in &step {
                self.take(&mut next, at);
                next.p.done[at.0][at.1] = true;
            }
            self.walk_specification(&next);
        }
        for t in 0..self.kernel.threads.len() {
            for i in 0..self.kernel.threads[t].ops.len() {
                let at = (t, i);
                if effect(self.op(at)).is_none() && self.ready(&world.p, at, false) {
                    self.access(world, at);
                }
            }
        }
    }

    fn publish(&self, world: &mut World, at: At) {
        let effect = effect(self.op(at)).expect("a fence");
        let group = self.kernel.threads[at.0].group;
        for cell in self.cells() {
            if !self.names(at.0, &effect, cell).0 {
                continue;
            }
            let own = view(&world.accessed, at.0, cell);
            if effect.classes.uav == Some(Scope::Device) && self.coherent(cell) {
                let before = world.device.iter().find(|d| d.0 == cell).and_then(|d| d.1);
                let newest = world.newer(cell, before, own);
                world.device.retain(|d| d.0 != cell);
                world.device.push((cell, newest));
            } else {
                let newest = world.newer(cell, view(&world.group, group, cell), own);
                set(&mut world.group, group, cell, newest);
            }
        }
    }

    fn take(&self, world: &mut World, at: At) {
        let effect = effect(self.op(at)).expect("a fence");
        let group = self.kernel.threads[at.0].group;
        for cell in self.cells() {
            let (earlier, later) = self.names(at.0, &effect, cell);
            if !later {
                continue;
            }
            let mut newest = view(&world.visible, at.0, cell);
            newest = world.newer(cell, newest, view(&world.group, group, cell));
            let device = world.device.iter().find(|d| d.0 == cell).and_then(|d| d.1);
            newest = world.newer(cell, newest, device);
            if earlier {
                newest = world.newer(cell, newest, view(&world.accessed, at.0, cell));
            }
            set(&mut world.visible, at.0, cell, newest);
        }
    }

    fn access(&mut self, world: &World, at: At) {
        let cell = self.cell(at).expect("an access");
        let muted = self.op(at).writes() && self.muted(&world.p, at) == Some(true);
        let group = self.kernel.threads[at.0].group;
        let messages = world.messages(cell).to_vec();
        let visible = world.position(cell, view(&world.visible, at.0, cell));
        let accessed = world.position(cell, view(&world.accessed, at.0, cell));
        match self.op(at).kind {
            OpKind::Load { .. } => {
                let foreign = cell.1.is_none()
                    && !self.coherent(cell)
                    && self.branch(&world.p, at) == Branch::Taken
                    && messages.iter().any(|m| {
                        m.writer
                            .is_some_and(|w| self.kernel.threads[w.0].group != group)
                    });
                self.found.foreign_read |= foreign;
                for (position, message) in messages.iter().enumerate().skip(visible) {
                    self.read(world, at, cell, message, position.max(accessed));
                }
            }
            // A write that does not happen: an atomic reads whatever its thread may see.
            OpKind::Store { .. } if muted => {
                let mut next = world.clone();
                next.p.done[at.0][at.1] = true;
                self.walk_specification(&next);
            }
            OpKind::Atomic { .. } if muted => {
                for (position, message) in messages.iter().enumerate().skip(visible) {
                    self.read(world, at, cell, message, position.max(accessed));
                }
            }
            _ => {
                let atomic = matches!(self.op(at).kind, OpKind::Atomic { .. });
                self.found.mixed_atomic |= cell.1.is_some()
                    && messages
                        .iter()
                        .skip(visible + 1)
                        .any(|m| m.atomic != atomic && m.writer.is_some_and(|w| w.0 != at.0));
                for position in visible.max(accessed)..messages.len() {
                    if messages.get(position + 1).is_some_and(|m| m.atomic) {
                        continue;
                    }
                    let old = messages[position].value;
                    let mut next = world.clone();
                    let value = match self.op(at).kind {
                        OpKind::Store { value, .. } => {
                            self.operand(&world.p, at, value).expect("known")
                        }
                        _ => self.applied(&world.p, at, old),
                    };
                    let list = next.cells.iter_mut().find(|c| c.0 == cell).expect("known");
                    list.1.insert(
                        position + 1,
                        Message {
                            writer: Some(at),
                            value,
                            atomic,
                        },
                    );
                    set(&mut next.visible, at.0, cell, Some(at));
                    set(&mut next.accessed, at.0, cell, Some(at));
                    next.p.value[at.0][at.1] = old;
                    next.p.done[at.0][at.1] = true;
                    self.walk_specification(&next);
                }
            }
        }
    }

    fn read(&mut self, world: &World, at: At, cell: Cell, message: &Message, accessed: usize) {
        let mut next = world.clone();
        let newest = world.messages(cell)[accessed].writer;
        set(&mut next.accessed, at.0, cell, newest);
        next.p.value[at.0][at.1] = message.value;
        next.p.done[at.0][at.1] = true;
        self.walk_specification(&next);
    }
}

// ---------------------------------------------------------------- machines

/// Which memory a machine has.
#[derive(Copy, Clone, PartialEq)]
pub(crate) enum Caches {
    /// None, and program order.
    Sequential,
    WriteThrough,
    WriteBack,
}

#[derive(Clone)]
struct Hardware {
    p: Progress,
    memory: Vec<(Cell, u32)>,
    /// Words in L1: group, location, value, and the store whose value is not at L2.
    l1: Vec<(u32, usize, u32, Option<At>)>,
}

/// Every outcome of a machine; `None` if the budget did not suffice.
pub(crate) fn machine(
    kernel: &Kernel,
    subjects: &[Subject],
    caches: Caches,
    line_words: usize,
    budget: u64,
) -> Option<Found> {
    let mut test = Test {
        kernel,
        subjects,
        budget,
        found: Found::default(),
    };
    let memory = test
        .cells()
        .into_iter()
        .map(|c| (c, test.init(c)))
        .collect();
    let mut world = Hardware {
        p: test.start(),
        memory,
        l1: Vec::new(),
    };
    if caches != Caches::Sequential {
        for group in kernel.groups() {
            for cell in test.cells() {
                if cell.1.is_none() && !test.coherent(cell) {
                    world.l1.push((group, cell.0, test.init(cell), None));
                }
            }
        }
    }
    test.walk_machine(&world, caches, line_words);
    (test.budget > 0).then_some(test.found)
}

impl Test<'_> {
    fn walk_machine(&mut self, world: &Hardware, caches: Caches, line: usize) {
        if !self.spend() {
            return;
        }
        let unwritten = world.l1.iter().any(|w| w.3.is_some());
        if self.ended(&world.p) && !unwritten {
            let contents = |cell: Cell| {
                let found = world.memory.iter().find(|m| m.0 == cell);
                found.map_or(self.init(cell), |m| m.1)
            };
            let outcome = self.outcome(&world.p, &contents);
            self.found.outcomes.insert(outcome);
            return;
        }
        for step in self.fence_steps(&world.p, true) {
            if step.iter().all(|&at| self.may_fence(world, at, caches)) {
                let mut next = world.clone();
                for at in step {
                    next.p.done[at.0][at.1] = true;
                }
                self.walk_machine(&next, caches, line);
            }
        }
        self.move_lines(world, caches, line);
        for t in 0..self.kernel.threads.len() {
            for i in 0..self.kernel.threads[t].ops.len() {
                let at = (t, i);
                let in_order =
                    caches != Caches::Sequential || (0..i).all(|k| self.finished(&world.p, (t, k)));
                if effect(self.op(at)).is_none() && in_order && self.ready(&world.p, at, true) {
                    self.machine_access(world, at, caches, line);
                }
            }
        }
    }

    /// In program order everything before; with write-through, stores before it have arrived.
    fn may_fence(&self, world: &Hardware, at: At, caches: Caches) -> bool {
        match caches {
            Caches::Sequential => (0..at.1).all(|k| self.finished(&world.p, (at.0, k))),
            Caches::WriteBack => true,
            Caches::WriteThrough => {
                let effect = effect(self.op(at)).expect("a fence");
                world.l1.iter().all(|w| {
                    !w.3.is_some_and(|s| {
                        s.0 == at.0 && s.1 < at.1 && self.names(at.0, &effect, (w.1, None)).0
                    })
                })
            }
        }
    }

    /// The line that a UAV lies in: what stands beside each other fills lines one after the other.
    fn line(&self, location: usize, words: usize) -> (usize, usize) {
        let root = |mut at: usize| {
            while let Some(other) = self.kernel.locations[at].beside {
                at = other.index();
            }
            at
        };
        let before = (0..location).filter(|&l| root(l) == root(location)).count();
        (root(location), before / words)
    }

    /// Lines leave L1: clean ones vanish, dirty ones are written back, stores on their way arrive.
    fn move_lines(&mut self, world: &Hardware, caches: Caches, line: usize) {
        let mut lines: Vec<(u32, (usize, usize))> = world
            .l1
            .iter()
            .map(|w| (w.0, self.line(w.1, line)))
            .collect();
        lines.sort_unstable();
        lines.dedup();
        for (group, number) in lines {
            let here: Vec<bool> = world
                .l1
                .iter()
                .map(|w| w.0 == group && self.line(w.1, line) == number)
                .collect();
            if (0..here.len()).any(|w| here[w] && world.l1[w].3.is_none()) {
                let mut next = world.clone();
                let mut w = 0;
                next.l1.retain(|word| {
                    w += 1;
                    !here[w - 1] || word.3.is_some()
                });
                self.walk_machine(&next, caches, line);
            }
            let dirty: Vec<usize> = (0..here.len())
                .filter(|&w| here[w] && world.l1[w].3.is_some())
                .collect();
            let together: Vec<Vec<usize>> = match caches {
                Caches::WriteThrough => dirty.into_iter().map(|w| vec![w]).collect(),
                _ if dirty.is_empty() => Vec::new(),
                _ => vec![dirty],
            };
            for words in together {
                let mut next = world.clone();
                for w in words {
                    let (_, location, value, _) = next.l1[w];
                    next.l1[w].3 = None;
                    write(&mut next.memory, (location, None), value);
                }
                self.walk_machine(&next, caches, line);
            }
        }
    }

    fn machine_access(&mut self, world: &Hardware, at: At, caches: Caches, line: usize) {
        let cell = self.cell(at).expect("an access");
        let group = self.kernel.threads[at.0].group;
        let muted = self.op(at).writes() && self.muted(&world.p, at) == Some(true);
        let cached = caches != Caches::Sequential && cell.1.is_none() && !self.coherent(cell);
        let word = world.l1.iter().position(|w| w.0 == group && w.1 == cell.0);
        let mut next = world.clone();
        next.p.done[at.0][at.1] = true;
        let memory = world.memory.iter().find(|m| m.0 == cell).expect("known").1;
        let read_only = matches!(self.op(at).kind, OpKind::Atomic { .. }) && muted;
        match self.op(at).kind {
            // What is left of an atomic that must not write is its read.
            _ if read_only || matches!(self.op(at).kind, OpKind::Load { .. }) => {
                let mut value = memory;
                if cached {
                    if let Some(w) = word {
                        value = world.l1[w].2;
                    } else {
                        for (other, contents) in &world.memory {
                            let fetched = other.1.is_none()
                                && !self.coherent(*other)
                                && self.line(other.0, line) == self.line(cell.0, line)
                                && !world.l1.iter().any(|w| w.0 == group && w.1 == other.0);
                            if fetched {
                                next.l1.push((group, other.0, *contents, None));
                            }
                        }
                    }
                }
                next.p.value[at.0][at.1] = value;
            }
            OpKind::Store { value, .. } if !muted => {
                let value = self.operand(&world.p, at, value).expect("known");
                if cached {
                    let busy = word.is_some_and(|w| world.l1[w].3.is_some());
                    if busy && caches == Caches::WriteThrough {
                        return;
                    }
                    next.l1.retain(|w| !(w.0 == group && w.1 == cell.0));
                    next.l1.push((group, cell.0, value, Some(at)));
                } else {
                    write(&mut next.memory, cell, value);
                }
            }
            OpKind::Store { .. } => {}
            _ => {
                let mut old = memory;
                if cached && let Some(w) = word {
                    if world.l1[w].3.is_some() {
                        if caches == Caches::WriteThrough {
                            return;
                        }
                        old = world.l1[w].2;
                        write(&mut next.memory, cell, old);
                        next.l1[w].3 = None;
                    }
                    next.l1.retain(|w| !(w.0 == group && w.1 == cell.0));
                }
                next.p.value[at.0][at.1] = old;
                let value = self.applied(&world.p, at, old);
                write(&mut next.memory, cell, value);
            }
        }
        self.walk_machine(&next, caches, line);
    }
}

fn write(memory: &mut [(Cell, u32)], cell: Cell, value: u32) {
    memory.iter_mut().find(|m| m.0 == cell).expect("known").1 = value;
}
