//! The envelope of the specification: lists of messages, views that name messages.

use super::{At, Branch, Cell, Found, Progress, Test, effect};
use syncscope::kernel::{Kernel, OpKind, Scope, Subject};

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
            self.note_foreign_reads(&world.p);
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

    /// Decision 8 and reading R59, of a whole execution: the reads that happened, each with the write that it read.
    fn note_foreign_reads(&mut self, p: &Progress) {
        for t in 0..self.kernel.threads.len() {
            for i in 0..self.kernel.threads[t].ops.len() {
                let at = (t, i);
                let Some((cell, writer)) = self.cell(at).zip(p.source[t][i]) else {
                    continue;
                };
                let atomics =
                    [at, writer].map(|o| matches!(self.op(o).kind, OpKind::Atomic { .. }));
                let group = |thread: usize| self.kernel.threads[thread].group;
                if cell.1.is_none()
                    && !self.coherent(cell)
                    && self.branch(p, at) == Branch::Taken
                    && group(writer.0) != group(t)
                    && atomics != [true, true]
                {
                    self.found.foreign_reads.insert(at);
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
        let messages = world.messages(cell).to_vec();
        let visible = world.position(cell, view(&world.visible, at.0, cell));
        let accessed = world.position(cell, view(&world.accessed, at.0, cell));
        match self.op(at).kind {
            OpKind::Load { .. } => {
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
                    if atomic {
                        next.p.source[at.0][at.1] = messages[position].writer;
                    }
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
        next.p.source[at.0][at.1] = message.writer;
        next.p.done[at.0][at.1] = true;
        self.walk_specification(&next);
    }
}
