//! Identical threads and identical groups: only one order of their first steps is explored.
//!
//! Threads of one group with the same text may change places, and so may whole groups. Of the executions that differ by
//! such a change, the one is explored in which they start in the order of the text; the others' outcomes follow by
//! changing the places in it.

use super::program::{Program, Set, bit};
use crate::kernel::{Kernel, Op, OpKind, Subject};
use std::collections::BTreeMap;

/// A change of places: pairs of threads that change with each other.
pub type Swap = Vec<(usize, usize)>;

/// What may change places in a test.
#[derive(Default)]
pub struct Symmetry {
    /// Instructions that may not start before one of the second set has started.
    pub begins_after: Vec<(Set, Set)>,
    /// The changes, as neighbours: together they make every order.
    pub swaps: Vec<Swap>,
}

/// The text of threads without places and comments.
fn text(ops: &[Op]) -> Vec<(&OpKind, &[crate::kernel::Guard])> {
    ops.iter().map(|o| (&o.kind, &o.guards[..])).collect()
}

fn alike(kernel: &Kernel, a: usize, b: usize) -> bool {
    let (a, b) = (&kernel.threads[a], &kernel.threads[b]);
    a.stage == b.stage && a.helper == b.helper && text(&a.ops) == text(&b.ops)
}

impl Symmetry {
    /// What may change places in a compiled test.
    pub fn new(kernel: &Kernel, program: &Program) -> Self {
        let mut found = Self::default();
        let ops = |thread: usize| {
            let it = &program.threads[thread];
            (it.first..it.end).fold(0, |set, op| set | bit(op))
        };
        let groups: Vec<Vec<usize>> = (0..program.groups)
            .map(|group| {
                (0..program.threads.len())
                    .filter(|&t| program.threads[t].group == group)
                    .collect()
            })
            .collect();
        for threads in &groups {
            for (index, &thread) in threads.iter().enumerate() {
                let before = threads[..index]
                    .iter()
                    .rev()
                    .find(|&&t| alike(kernel, t, thread));
                if let Some(&before) = before.filter(|&&t| ops(t) != 0) {
                    found.begins_after.push((ops(thread), ops(before)));
                    found.swaps.push(vec![(before, thread)]);
                }
            }
        }
        for (index, group) in groups.iter().enumerate() {
            let before = groups[..index].iter().rev().find(|other| {
                other.len() == group.len()
                    && other.iter().zip(group).all(|(&a, &b)| alike(kernel, a, b))
            });
            let all = |threads: &[usize]| threads.iter().fold(0, |set, &t| set | ops(t));
            if let Some(before) = before.filter(|b| all(b) != 0) {
                found.begins_after.push((all(group), all(before)));
                found
                    .swaps
                    .push(before.iter().copied().zip(group.iter().copied()).collect());
            }
        }
        found
    }

    /// Whether nothing may change places.
    pub fn is_empty(&self) -> bool {
        self.swaps.is_empty()
    }

    /// Instructions that have to wait until their elder twins have started; `start` is what was done at the start.
    #[inline]
    pub fn blocked(&self, done: Set, start: Set) -> Set {
        self.begins_after
            .iter()
            .filter(|(own, elder)| done & own == start & own && done & elder == start & elder)
            .fold(0, |set, (own, _)| set | own)
    }
}

/// What a subject becomes when threads change places.
pub fn swapped(kernel: &Kernel, swap: &Swap, subject: Subject) -> Subject {
    let other = |thread: usize| {
        swap.iter()
            .find_map(|&(a, b)| match thread {
                t if t == a => Some(b),
                t if t == b => Some(a),
                _ => None,
            })
            .unwrap_or(thread)
    };
    match subject {
        Subject::Register { thread, register } => Subject::Register {
            thread: other(thread),
            register,
        },
        Subject::Groupshared { location, group } => {
            let group = kernel
                .threads
                .iter()
                .position(|t| t.group == group)
                .map_or(group, |thread| kernel.threads[other(thread)].group);
            Subject::Groupshared { location, group }
        }
        Subject::Uav(_) => subject,
    }
}

/// The subjects with all that they can become.
pub fn closed(kernel: &Kernel, symmetry: &Symmetry, subjects: &[Subject]) -> Vec<Subject> {
    let mut all = subjects.to_vec();
    let mut at = 0;
    while at < all.len() {
        for swap in &symmetry.swaps {
            let other = swapped(kernel, swap, all[at]);
            if !all.contains(&other) {
                all.push(other);
            }
        }
        at += 1;
    }
    all.sort_unstable();
    all
}

/// An outcome's first state, and whether the state shows that outcome itself or one with places changed.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Shown {
    /// The state.
    pub state: u32,
    /// Whether places are changed.
    pub changed: bool,
}

/// Adds the outcomes that follow by changing places, then leaves out what was not asked for. `all` are the subjects
/// of the explored outcomes, `asked` some of them.
///
/// # Panics
/// If `all` is not closed under the symmetry, or lacks something of `asked`.
pub fn complete(
    kernel: &Kernel,
    symmetry: &Symmetry,
    all: &[Subject],
    asked: &[Subject],
    explored: BTreeMap<Vec<u32>, Shown>,
) -> BTreeMap<Vec<u32>, Shown> {
    if symmetry.is_empty() {
        return explored;
    }
    // Where each value comes from when places change.
    let sources: Vec<Vec<usize>> = symmetry
        .swaps
        .iter()
        .map(|swap| {
            all.iter()
                .map(|&s| {
                    all.binary_search(&swapped(kernel, swap, s))
                        .expect("the subjects are closed")
                })
                .collect()
        })
        .collect();
    let mut open: Vec<Vec<u32>> = explored.keys().cloned().collect();
    let mut found = explored;
    while let Some(outcome) = open.pop() {
        let state = found[&outcome].state;
        for source in &sources {
            let other: Vec<u32> = source.iter().map(|&at| outcome[at]).collect();
            if !found.contains_key(&other) {
                let shown = Shown {
                    state,
                    changed: true,
                };
                found.insert(other.clone(), shown);
                open.push(other);
            }
        }
    }
    let kept: Vec<usize> = asked
        .iter()
        .map(|s| all.binary_search(s).expect("what is asked for is told"))
        .collect();
    let mut out: BTreeMap<Vec<u32>, Shown> = BTreeMap::new();
    for (outcome, shown) in found {
        let outcome: Vec<u32> = kept.iter().map(|&at| outcome[at]).collect();
        let best = out.entry(outcome).or_insert(shown);
        // What a state shows itself needs no change of places in its witness.
        *best = (*best).min_by_change(shown);
    }
    out
}

impl Shown {
    fn min_by_change(self, other: Self) -> Self {
        if (other.changed, other.state) < (self.changed, self.state) {
            other
        } else {
            self
        }
    }
}

/// The instructions that correspond to some when threads change places, and those themselves.
pub fn complete_ops(program: &Program, symmetry: &Symmetry, ops: Set) -> Set {
    let mut all = ops;
    loop {
        let before = all;
        for swap in &symmetry.swaps {
            for &(a, b) in swap {
                let (a, b) = (&program.threads[a], &program.threads[b]);
                for index in 0..a.end - a.first {
                    let pair = bit(a.first + index) | bit(b.first + index);
                    if all & pair != 0 {
                        all |= pair;
                    }
                }
            }
        }
        if all == before {
            return all;
        }
    }
}
