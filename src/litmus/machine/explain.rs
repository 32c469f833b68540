//! A step of the machine in words. Decides nothing.

use super::{L1Policy, Machine};
use crate::litmus::explore::{StepKind, Told, Transition};

impl Machine<'_> {
    /// What a step did, for people.
    pub(super) fn tell(&self, before: &[u64], step: Transition, after: &[u64]) -> Told {
        let (subject, choice) = (step.subject as usize, step.choice as usize);
        let mut told = Told::default();
        match step.kind {
            StepKind::Start | StepKind::Nothing | StepKind::Fence | StepKind::Meet => {}
            StepKind::Arrive => told
                .events
                .extend(self.moved(before, after, subject, choice)),
            StepKind::WriteBack => {
                let cells = self.line_cells[choice].iter();
                let moved = cells.filter_map(|&cell| self.moved(before, after, subject, cell));
                told.events.extend(moved);
            }
            StepKind::Load | StepKind::Refill | StepKind::Store | StepKind::Atomic => {
                if let Some(cell) = self.frame.program.ops[subject].action.cell() {
                    self.tell_access(before, step, after, cell, &mut told);
                }
            }
        }
        told
    }

    /// A word that has left its group's L1.
    fn moved(&self, before: &[u64], after: &[u64], group: usize, cell: usize) -> Option<String> {
        let word = self.word(group, cell)?;
        let left = word.dirty.get(before) != 0 && word.dirty.get(after) == 0;
        left.then(|| {
            format!(
                "{} = {} goes from group {}'s L1 to L2",
                self.frame.program.cells[cell].name,
                self.frame.message(after, cell, word.held.get(before) - 1),
                self.groups[group],
            )
        })
    }

    /// What became of an access in L1 and L2.
    fn tell_access(
        &self,
        before: &[u64],
        step: Transition,
        after: &[u64],
        cell: usize,
        told: &mut Told,
    ) {
        let program = self.frame.program;
        let op = &program.ops[step.subject as usize];
        let choice = step.choice as usize;
        let name = &program.cells[cell].name;
        let group = self.groups[op.group];
        let value = |message| self.frame.message(after, cell, message);
        let cached = self.lines[cell].is_some();
        match step.kind {
            StepKind::Load => {
                told.read = Some(value(choice));
                let at_l2 = self.memory[cell].get(before);
                if cached && choice != at_l2 {
                    told.events.push(format!(
                        "group {group} L1 keeps {name} = {}, L2 has {name} = {}",
                        value(choice),
                        value(at_l2)
                    ));
                }
            }
            StepKind::Refill => {
                told.read = Some(value(choice));
                let event = format!("group {group} fetches {name} from L2");
                told.events.push(event);
            }
            StepKind::Store => {
                let stored = value(op.writer + 1);
                if cached {
                    let how = match self.policy {
                        L1Policy::WriteThrough => "on its way to L2",
                        L1Policy::WriteBack => "dirty, not at L2",
                    };
                    let event = format!("group {group} L1 has {name} = {stored}, {how}");
                    told.events.push(event);
                }
            }
            _ => {
                told.events
                    .extend(self.moved(before, after, op.group, cell));
                let dirty = self
                    .word(op.group, cell)
                    .filter(|word| word.dirty.get(before) != 0);
                let seen = dirty.map_or(choice, |word| word.held.get(before) - 1);
                told.read = Some(value(seen));
                let stored = value(op.writer + 1);
                told.events.push(format!("{name} = {stored} at L2"));
            }
        }
    }
}
