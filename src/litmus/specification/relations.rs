//! What of a test never changes while it runs: which instructions concern which cells and views, and where in a state
//! each of them is kept.

use super::Specification;
use crate::litmus::frame::{Field, StateLayout};
use crate::litmus::program::{Action, Instruction, Observed, Ordering, Set, bit, members};

impl Specification<'_> {
    /// Which instructions concern which cells.
    pub(super) fn relate(&mut self) {
        let program = self.frame.program;
        for (index, op) in program.ops.iter().enumerate() {
            if let Some(cell) = op.action.cell() {
                let foreign = |w: &&usize| program.ops[**w].thread != op.thread;
                let writers = program.cells[cell].writers.iter().filter(foreign);
                self.foreign_writes[index] = writers.fold(0, |set, &w| set | bit(w));
                self.accesses[op.thread][cell] |= bit(index);
                if matches!(op.action, Action::Load { plain: true, .. })
                    && !op.branches.is_empty()
                    && program.cells[cell].is_incoherent()
                {
                    self.guessed |= bit(index);
                }
                if op.action.writes() {
                    self.writes[op.thread][cell] |= bit(index);
                }
            }
            let Action::Fence(fence) = &op.action else {
                continue;
            };
            for cell in members(fence.before) {
                self.publishes[op.thread][cell] |= bit(index);
            }
            for cell in members(fence.after) {
                self.takes[op.group][cell] |= bit(index);
            }
            for (other, it) in program.ops.iter().enumerate() {
                if it.thread != op.thread
                    && let Action::Fence(theirs) = &it.action
                    && (flows(fence, op, theirs, it) || flows(theirs, it, fence, op))
                {
                    self.exchanges[index] |= bit(other);
                }
            }
        }
        for (index, cell) in program.cells.iter().enumerate() {
            let store = |w: &usize| matches!(program.ops[*w].action, Action::Store { .. });
            let both = cell.writers.iter().any(store) && !cell.writers.iter().all(store);
            if !cell.is_uav() && both {
                self.mixed |= bit(index);
            }
        }
        for observed in &program.observed {
            if let Observed::Cell(cell) = observed {
                self.observed |= bit(*cell);
            }
        }
    }

    pub(super) fn lay_out(&mut self, layout: &mut StateLayout) {
        let program = self.frame.program;
        for (index, cell) in program.cells.iter().enumerate() {
            let messages = cell.writers.len();
            self.order
                .push((0..messages).map(|_| layout.field(messages)).collect());
            if messages == 0 {
                continue;
            }
            for thread in 0..program.threads.len() {
                if self.accesses[thread][index] != 0 {
                    self.visible[thread][index] = Some(layout.field(messages));
                    self.accessed[thread][index] = Some(layout.field(messages));
                }
            }
            for group in 0..program.groups {
                if self.takes[group][index] != 0 {
                    self.group[group][index] = Some(layout.field(messages));
                }
            }
            let device = program.ops.iter().any(
                |op| matches!(&op.action, Action::Fence(f) if f.device & f.before & bit(index) != 0),
            );
            self.device[index] = device.then(|| layout.field(messages));
            self.ask(index, cell.accesses);
        }
    }

    /// Who may still ask for the views of a cell: nobody once no access to it is left.
    fn ask(&mut self, cell: usize, accesses: Set) {
        let mut found: Vec<(Field, Set)> = Vec::new();
        for thread in 0..self.visible.len() {
            let own = self.accesses[thread][cell];
            found.extend(self.visible[thread][cell].map(|view| (view, own)));
            let asks = self.writes[thread][cell] | self.publishes[thread][cell];
            found.extend(self.accessed[thread][cell].map(|view| (view, asks)));
        }
        let mut by_groups = 0;
        for group in 0..self.group.len() {
            let takes = self.takes[group][cell];
            by_groups |= takes;
            found.extend(self.group[group][cell].map(|view| (view, takes)));
        }
        found.extend(self.device[cell].map(|view| (view, by_groups)));
        self.views[cell] = found.iter().map(|(view, _)| *view).collect();
        self.askers.extend(found);
        // A view matters only as long as its cell does.
        self.askers
            .extend(self.views[cell].iter().map(|&view| (view, accesses)));
    }
}

/// Whether something that the first fence publishes may reach the second.
fn flows(from: &Ordering, from_op: &Instruction, to: &Ordering, to_op: &Instruction) -> bool {
    let shared = from.before & to.after;
    shared & from.device != 0 || shared != 0 && from_op.group == to_op.group
}
