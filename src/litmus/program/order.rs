//! What a test's fences and program order make wait for what.

use super::{Action, Meeting, Ordering, Program, Set, bit, definitions};
use crate::kernel::{Fence, Kernel, OpKind, Scope};
use crate::litmus::Knobs;

/// What `discard` implies: `sync_uglobal`.
const DISCARD: Fence = Fence::Intrinsic(crate::kernel::Intrinsic::DeviceMemoryBarrier);

impl Program {
    /// Turns the classes of fences into sets of cells. Decisions 3, 5 and 9.
    pub(super) fn fences(&mut self, kernel: &Kernel, knobs: Knobs) {
        for index in 0..self.ops.len() {
            let (thread, line, group) = {
                let op = &self.ops[index];
                (op.thread, op.line, op.group)
            };
            let effect = match kernel.threads[thread].ops[line].kind {
                OpKind::Fence(fence) => fence.effect(),
                OpKind::Discard { .. } if knobs.discard_fences => DISCARD.effect(),
                _ => continue,
            };
            let classes = effect.classes;
            let mut ordering = Ordering {
                before: 0,
                after: 0,
                device: 0,
                meeting: None,
            };
            for (at, cell) in self.cells.iter().enumerate() {
                if let Some(instance) = cell.group {
                    if classes.groupshared && instance == group {
                        ordering.before |= bit(at);
                        ordering.after |= bit(at);
                    }
                } else if let Some(scope) = classes.uav {
                    ordering.after |= bit(at);
                    if classes.object.is_none_or(|object| object == cell.location) {
                        ordering.before |= bit(at);
                    }
                    if scope == Scope::Device && cell.globally_coherent {
                        ordering.device |= bit(at);
                    }
                }
            }
            self.ops[index].action = Action::Fence(ordering);
        }
    }

    pub(super) fn meetings(&mut self, kernel: &Kernel) {
        for group in 0..self.groups {
            let threads: Vec<Vec<usize>> = self
                .threads
                .iter()
                .filter(|t| t.group == group)
                .map(|t| (t.first..t.end).collect())
                .collect();
            let barriers: Vec<Vec<usize>> = threads
                .iter()
                .map(|ops| {
                    ops.iter()
                        .copied()
                        .filter(|&o| {
                            let op = &self.ops[o];
                            matches!(
                                kernel.threads[op.thread].ops[op.line].kind,
                                OpKind::Fence(fence) if fence.effect().meets
                            )
                        })
                        .collect()
                })
                .collect();
            for round in 0..barriers.iter().map(Vec::len).max().unwrap_or(0) {
                let ops: Vec<usize> = barriers
                    .iter()
                    .filter_map(|b| b.get(round).copied())
                    .collect();
                let absent = threads
                    .iter()
                    .zip(&barriers)
                    .filter(|(_, b)| b.len() <= round)
                    .flat_map(|(ops, _)| ops)
                    .fold(0, |set, &o| set | bit(o));
                for &op in &ops {
                    if let Action::Fence(ordering) = &mut self.ops[op].action {
                        ordering.meeting = Some(self.meetings.len());
                    }
                }
                self.meetings.push(Meeting { group, ops, absent });
            }
        }
    }

    /// What must be done before instruction `index`: by the specification, and further in a machine.
    pub(super) fn order(&self, kernel: &Kernel, index: usize, knobs: Knobs) -> (Set, Set) {
        let op = &self.ops[index];
        let thread = &self.threads[op.thread];
        let mut after = self.data(&op.action);
        let mut in_machine = op.decides;
        // Decision 2: a branch promises nothing to a load; no write happens before it is known that it will.
        if !matches!(op.action, Action::Load { plain: true, .. }) {
            after |= op.decides;
        }
        for earlier in thread.first..index {
            let (spec, machine) = self.pair(earlier, index, knobs);
            if spec {
                after |= bit(earlier);
            }
            if machine {
                in_machine |= bit(earlier);
            }
        }
        if let OpKind::Load {
            address: Some(register),
            ..
        } = kernel.threads[op.thread].ops[op.line].kind
        {
            let text = &kernel.threads[op.thread].ops[..op.line];
            let address = self.resolved(&definitions(text, register, thread.first));
            in_machine |= address;
        }
        (after, in_machine)
    }

    /// Whether two instructions of one thread stay in order: by the specification, and in a machine.
    fn pair(&self, earlier: usize, later: usize, knobs: Knobs) -> (bool, bool) {
        let (a, b) = (&self.ops[earlier], &self.ops[later]);
        match (&a.action, &b.action) {
            (Action::Fence(f), Action::Fence(g)) => {
                let both_meet = f.meeting.is_some() && g.meeting.is_some();
                (both_meet || f.after & g.before != 0, false)
            }
            (Action::Fence(f), _) => {
                let Some(cell) = b.action.cell() else {
                    return (false, false);
                };
                (f.after & bit(cell) != 0, false)
            }
            (_, Action::Fence(g)) => {
                let Some(cell) = a.action.cell() else {
                    return (false, false);
                };
                (g.before & bit(cell) != 0, false)
            }
            _ => {
                let same = a.action.cell().is_some() && a.action.cell() == b.action.cell();
                let two_plain_reads = !a.action.writes() && !b.action.writes();
                (same && (!two_plain_reads || knobs.reads_in_order), same)
            }
        }
    }
}
