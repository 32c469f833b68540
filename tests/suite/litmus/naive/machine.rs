//! Machines with explicit caches, and program order over one memory.

use super::{At, Cell, Found, Progress, Test, effect};
use syncscope::id::LocationId;
use syncscope::kernel::{Kernel, OpKind, Subject};

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

    /// The line that a UAV lies in: neighbours fill lines one after the other.
    fn line(&self, location: usize, words: usize) -> (usize, usize) {
        let root = |mut at: usize| {
            while let Some(other) = self.kernel.locations[LocationId::new(at)].beside {
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
        let is_cached = caches != Caches::Sequential && cell.1.is_none() && !self.coherent(cell);
        let copy = world.l1.iter().position(|w| w.0 == group && w.1 == cell.0);
        let mut next = world.clone();
        next.p.done[at.0][at.1] = true;
        let memory = world.memory.iter().find(|m| m.0 == cell).expect("known").1;
        let read_only = matches!(self.op(at).kind, OpKind::Atomic { .. }) && muted;
        match self.op(at).kind {
            // What is left of an atomic that must not write is its read.
            _ if read_only || matches!(self.op(at).kind, OpKind::Load { .. }) => {
                let mut value = memory;
                if is_cached {
                    if let Some(w) = copy {
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
                if is_cached {
                    let busy = copy.is_some_and(|w| world.l1[w].3.is_some());
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
                if is_cached && let Some(w) = copy {
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
