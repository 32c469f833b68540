//! Scopes that were cut at signals: they are one again where nobody waits for the signal, or where one queue does all the work.

use super::super::step;
use super::super::story::{Batch, Step, Story};

/// At which signals a scope ends.
pub(super) struct Cuts {
    /// Of each fence, whether somebody waits for it.
    awaited: Vec<bool>,
    /// Whether several queues execute something.
    several: bool,
}

impl Cuts {
    pub(super) fn of(story: &Story) -> Self {
        let awaited = step::awaited(story.steps.iter(), story.fences.len());
        let mut queues = story.steps.kinds().filter_map(|step| match step {
            Step::Execute { queue, .. } => Some(queue),
            Step::Signal { .. } | Step::Wait { .. } | Step::Present { .. } => None,
        });
        let first = queues.next();
        let several = queues.any(|queue| Some(queue) != first);
        Self { awaited, several }
    }
}

/// What one queue does up to a boundary.
struct Open {
    queue: usize,
    work: Vec<Batch>,
    call: u64,
    goes_on: bool,
    runs_on: bool,
    presents: Vec<Step>,
    signals: Vec<Step>,
    /// Somebody waits for one of the signals.
    ends: bool,
}

impl Open {
    fn end(self, each: &mut impl FnMut(Step)) {
        each(Step::Execute {
            queue: self.queue,
            work: self.work,
            call: self.call,
            goes_on: self.goes_on,
            runs_on: self.runs_on,
        });
        self.presents.into_iter().chain(self.signals).for_each(each);
    }
}

/// Calls a function with each step; what need not have been cut is one.
pub(super) fn joined(steps: impl Iterator<Item = Step>, cuts: &Cuts, mut each: impl FnMut(Step)) {
    let mut open: Option<Open> = None;
    for step in steps {
        match step {
            Step::Execute {
                queue,
                mut work,
                call,
                goes_on,
                runs_on,
            } => {
                let more = |open: &&mut Open| goes_on && open.queue == queue && !open.ends;
                if let Some(open) = open.as_mut().filter(more) {
                    open.work.append(&mut work);
                    continue;
                }
                if let Some(open) = open.take() {
                    open.end(&mut each);
                }
                open = Some(Open {
                    queue,
                    work,
                    call,
                    goes_on,
                    runs_on,
                    presents: Vec::new(),
                    signals: Vec::new(),
                    ends: false,
                });
            }
            Step::Present { queue, .. } if open.as_ref().is_some_and(|it| it.queue == queue) => {
                open.as_mut().expect("it is").presents.push(step);
            }
            Step::Signal {
                queue: Some(queue),
                fence,
                ..
            } if open.as_ref().is_some_and(|it| it.queue == queue) => {
                let open = open.as_mut().expect("it is");
                open.ends |= cuts.several && cuts.awaited[fence];
                open.signals.push(step);
            }
            Step::Present { .. } | Step::Signal { .. } | Step::Wait { .. } => {
                if let Some(open) = open.take() {
                    open.end(&mut each);
                }
                each(step);
            }
        }
    }
    if let Some(open) = open {
        open.end(&mut each);
    }
}
