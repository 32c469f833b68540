//! One step of a timeline: of a story, whose command buffers and resources are Vulkan's, or of a draft, whose are the
//! scenario's.

use super::runs;
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Work that a step executes: a command buffer or a list.
pub(super) trait Work: Clone {
    /// What it is, numbers apart.
    fn kind(&self) -> (u32, u32);

    /// Whether two are the same, numbers apart.
    fn same(&self, other: &Self) -> bool;

    /// See [`runs::Item::numbers`].
    fn numbers(&mut self, visit: &mut dyn FnMut(&mut u64));
}

/// A step. Queues and fences by their place; `None` is the CPU.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Step<W, R> {
    /// One `ExecuteCommandLists` call.
    Execute {
        queue: usize,
        work: Vec<W>,
        call: u64,
        /// It is more of what the queue's last one began, which was cut at a signal.
        goes_on: bool,
        /// Earlier work of the queue may still run.
        runs_on: bool,
    },
    Signal {
        queue: Option<usize>,
        fence: usize,
        value: u64,
        call: u64,
    },
    Wait {
        queue: Option<usize>,
        fence: usize,
        value: u64,
        call: u64,
    },
    Present {
        queue: usize,
        resource: R,
        call: u64,
    },
}

impl<W, R> Step<W, R> {
    /// The number of its call.
    pub(super) fn call(&self) -> u64 {
        match self {
            Self::Execute { call, .. }
            | Self::Signal { call, .. }
            | Self::Wait { call, .. }
            | Self::Present { call, .. } => *call,
        }
    }
}

/// Of each of so many fences, whether a step waits for it.
pub(super) fn awaited<W, R>(steps: impl Iterator<Item = Step<W, R>>, fences: usize) -> Vec<bool> {
    let mut awaited = vec![false; fences];
    for step in steps {
        if let Step::Wait { fence, .. } = step {
            awaited[fence] = true;
        }
    }
    awaited
}

impl<W: Work, R: Clone + Eq + Hash> runs::Item for Step<W, R> {
    fn shape(&self) -> u64 {
        let mut hasher = FxHasher::default();
        std::mem::discriminant(self).hash(&mut hasher);
        match self {
            Self::Execute {
                queue,
                work,
                goes_on,
                runs_on,
                ..
            } => {
                (queue, goes_on, runs_on).hash(&mut hasher);
                for one in work {
                    one.kind().hash(&mut hasher);
                }
            }
            Self::Signal { queue, .. } | Self::Wait { queue, .. } => queue.hash(&mut hasher),
            Self::Present {
                queue, resource, ..
            } => (queue, resource).hash(&mut hasher),
        }
        hasher.finish()
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Execute {
                    queue,
                    work,
                    goes_on,
                    runs_on,
                    ..
                },
                Self::Execute {
                    queue: on,
                    work: others,
                    goes_on: too,
                    runs_on: also,
                    ..
                },
            ) => {
                let mut both = work.iter().zip(others);
                (queue, goes_on, runs_on) == (on, too, also)
                    && work.len() == others.len()
                    && both.all(|(a, b)| a.same(b))
            }
            (Self::Signal { queue, .. }, Self::Signal { queue: on, .. })
            | (Self::Wait { queue, .. }, Self::Wait { queue: on, .. }) => queue == on,
            (
                Self::Present {
                    queue, resource, ..
                },
                Self::Present {
                    queue: on,
                    resource: other,
                    ..
                },
            ) => (queue, resource) == (on, other),
            _ => false,
        }
    }

    fn numbers(&mut self, visit: &mut dyn FnMut(&mut u64)) {
        match self {
            Self::Execute { work, call, .. } => {
                visit(call);
                for one in work {
                    one.numbers(visit);
                }
            }
            Self::Signal {
                fence, value, call, ..
            }
            | Self::Wait {
                fence, value, call, ..
            } => {
                let mut place = *fence as u64;
                visit(&mut place);
                *fence = usize::try_from(place).unwrap_or(usize::MAX);
                visit(value);
                visit(call);
            }
            Self::Present { call, .. } => visit(call),
        }
    }
}
