//! A step of the specification's model in words. Decides nothing.

use super::Specification;
use crate::litmus::explore::{StepKind, Told, Transition};
use crate::litmus::program::{Action, bit, members};

impl Specification<'_> {
    /// What a step did, for people.
    pub(super) fn tell(&self, before: &[u64], step: Transition, after: &[u64]) -> Told {
        let program = self.frame.program;
        let mut told = Told::default();
        let op = match step.kind {
            StepKind::Fence | StepKind::Meet => {
                self.explain_fence(before, step, &mut told);
                return told;
            }
            StepKind::Start | StepKind::Nothing => return told,
            _ => &program.ops[step.subject as usize],
        };
        let Some(cell) = op.action.cell() else {
            return told;
        };
        let name = &program.cells[cell].name;
        let count = self.count(before, cell);
        let last = self.at(before, cell, count);
        let value = |message| self.frame.message(after, cell, message);
        let message = step.choice as usize;
        match step.kind {
            StepKind::Load => {
                told.read = Some(value(message));
                if message != last {
                    told.events.push(format!(
                        "older than {name} = {}, which nothing has made visible to this thread",
                        value(last)
                    ));
                }
            }
            StepKind::Store => {
                if (step.choice as usize) < count {
                    told.events.push(format!(
                        "is before {name} = {} in coherence order",
                        value(last)
                    ));
                }
            }
            _ => {
                told.read = Some(value(message));
                let stored = value(op.writer + 1);
                told.events.push(format!("{name} = {stored}"));
                if message != last {
                    told.events.push(format!(
                        "before {name} = {} in coherence order",
                        value(last)
                    ));
                }
            }
        }
        told
    }

    /// What a fence made visible to whom.
    fn explain_fence(&self, before: &[u64], step: Transition, told: &mut Told) {
        let program = self.frame.program;
        let one = [step.subject as usize];
        let ops: &[usize] = match step.kind {
            StepKind::Meet => &program.meetings[step.subject as usize].ops,
            _ => &one,
        };
        for &op in ops {
            let it = &program.ops[op];
            let Action::Fence(fence) = &it.action else {
                continue;
            };
            for cell in members(fence.before) {
                let own = self.accessed[it.thread][cell].map_or(0, |v| v.get(before));
                if own == 0 {
                    continue;
                }
                let to = if fence.device & bit(cell) != 0 {
                    "every thread".to_owned()
                } else {
                    "its group".to_owned()
                };
                let value = self.frame.message(before, cell, self.at(before, cell, own));
                told.events.push(format!(
                    "thread {} makes {} = {value} visible to {to}",
                    it.thread, program.cells[cell].name
                ));
            }
        }
    }
}
