//! Sequential consistency: one memory, each thread in program order. The innermost of the nested models.

use super::explore::{Model, StepKind, Successors, Told, Transition};
use super::frame::{Field, Frame, StateLayout};
use super::program::{Action, Program, bit, members};

/// The model.
pub(crate) struct Sequential<'p> {
    frame: Frame<'p>,
    /// The last message of each cell.
    contents: Vec<Field>,
    words: usize,
}

impl<'p> Sequential<'p> {
    /// The model of a test.
    pub(crate) fn new(program: &'p Program) -> Self {
        let mut layout = StateLayout::new();
        let frame = Frame::new(program, &mut layout);
        let contents = program
            .cells
            .iter()
            .map(|c| layout.field(c.writers.len()))
            .collect();
        let mut it = Self {
            frame,
            contents,
            words: layout.words(),
        };
        it.frame.start = it.initial()[0];
        it
    }

    /// Does everything that no other thread can see: branches not taken, fences, meetings that are complete.
    fn settle(&self, state: &mut [u64]) {
        let program = self.frame.program;
        loop {
            self.frame.skip(state);
            let before = state[0];
            for thread in &program.threads {
                while let Some(op) = next(state, thread.first, thread.end) {
                    match &program.ops[op].action {
                        Action::Nothing => Frame::finish(state, op),
                        Action::Fence(fence) => match fence.meeting {
                            None => Frame::finish(state, op),
                            Some(_) => break,
                        },
                        _ => break,
                    }
                    self.frame.skip(state);
                }
            }
            for meeting in &program.meetings {
                let here = |&op: &usize| {
                    let thread = &program.threads[program.ops[op].thread];
                    next(state, thread.first, thread.end) == Some(op)
                };
                if meeting.absent & !state[0] == 0 && meeting.ops.iter().all(here) {
                    for &op in &meeting.ops {
                        Frame::finish(state, op);
                    }
                }
            }
            if state[0] == before {
                return;
            }
        }
    }
}

/// The next instruction of a thread.
fn next(state: &[u64], first: usize, end: usize) -> Option<usize> {
    (first..end).find(|&op| state[0] & bit(op) == 0)
}

impl Model for Sequential<'_> {
    fn words(&self) -> usize {
        self.words
    }

    fn initial(&self) -> Vec<u64> {
        let mut state = vec![0; self.words];
        self.settle(&mut state);
        state
    }

    fn expand(&self, state: &[u64], successors: &mut Successors) {
        let program = self.frame.program;
        let blocked = self.frame.blocked(state);
        for thread in &program.threads {
            let Some(op) = next(state, thread.first, thread.end) else {
                continue;
            };
            if blocked & bit(op) != 0 {
                continue;
            }
            let it = &program.ops[op];
            let Some(cell) = it.action.cell() else {
                continue;
            };
            let field = self.contents[cell];
            let writes = it.action.writes() && !self.frame.muted(state, op);
            let kind = match it.action {
                Action::Load { .. } => StepKind::Load,
                Action::Store { .. } => StepKind::Store,
                _ => StepKind::Atomic,
            };
            let seen = field.get(state);
            let to = successors.push(state, Transition::new(kind, op, seen));
            if it.action.reads() {
                self.frame.note_read(to, op, seen);
            }
            if writes {
                field.set(to, it.writer + 1);
            }
            Frame::finish(to, op);
            self.settle(to);
        }
    }

    fn explain(&self, _: &[u64], step: Transition, after: &[u64]) -> Told {
        let op = &self.frame.program.ops[step.subject as usize];
        let read = op
            .action
            .cell()
            .filter(|_| step.kind != StepKind::Start && op.action.reads())
            .map(|cell| self.frame.message(after, cell, step.choice as usize));
        Told {
            read,
            events: Vec::new(),
        }
    }

    fn took(&self, state: &[u64], op: usize) -> bool {
        self.frame.decided(state, op) && self.frame.taken(state, op)
    }

    fn outcome(&self, state: &[u64], out: &mut Vec<u32>) {
        assert!(
            self.frame.all_done(state),
            "an execution ends when every instruction is done: {:?} are left",
            members(program_rest(self.frame.program, state)).collect::<Vec<_>>()
        );
        self.frame
            .outcome(state, |cell| self.contents[cell].get(state), out);
    }
}

fn program_rest(program: &Program, state: &[u64]) -> u64 {
    program.everything() & !state[0]
}
