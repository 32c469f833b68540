//! Weaker versions of a test: each fence dropped, narrowed in scope, or with a memory class or its meeting left out.
//!
//! A barrier that a group meets at is weakened in every thread at once: in one thread only it would leave the others
//! waiting. Exploring a weaker version shows what the fence is for.

use super::examine::{Examination, ExamineOptions, Undefined, examine};
use crate::kernel::{
    BarrierFlags, BarrierMemory, Fence, Kernel, OpKind, SyncFlags, Verdict, legality, print_op,
};

/// An instruction by its thread and its index there.
pub type OpPlace = (usize, usize);

/// How a fence is weakened.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weakening {
    /// The fence is left out.
    Dropped,
    /// Replaced by this instruction.
    Replaced(String),
}

/// A weaker version of a test.
#[derive(Clone, Debug)]
pub struct Mutation {
    /// The fence, or the barrier in each of the threads that meet there.
    pub places: Vec<OpPlace>,
    /// As it is written.
    pub original: String,
    /// What is done to it.
    pub weakening: Weakening,
    /// The weaker test.
    pub kernel: Kernel,
}

/// A weaker version with what exploring it showed.
#[derive(Clone, Debug)]
pub struct Tried {
    /// The version.
    pub mutation: Mutation,
    /// Whether its outcomes, with every register and variable, are those of the test, and it is as defined. Said only
    /// if it also holds under the reading in which group scope takes in less (`takes-by-scope`): advice to weaken a
    /// fence must not depend on a disputed reading.
    pub equivalent: bool,
    /// Verdict of each expectation's condition.
    pub verdicts: Vec<Option<Verdict>>,
}

/// The fences of a test, each with the threads that meet there.
pub fn fences(kernel: &Kernel) -> Vec<Vec<OpPlace>> {
    let mut found: Vec<Vec<OpPlace>> = Vec::new();
    let mut rounds: Vec<(u32, usize, usize)> = Vec::new();
    for (thread, it) in kernel.threads.iter().enumerate() {
        let mut round = 0;
        for (line, op) in it.ops.iter().enumerate() {
            match op.kind {
                OpKind::Fence(fence) if fence.effect().meets => {
                    let known = rounds
                        .iter()
                        .find(|(group, r, _)| *group == it.group && *r == round);
                    if let Some((_, _, at)) = known {
                        found[*at].push((thread, line));
                    } else {
                        rounds.push((it.group, round, found.len()));
                        found.push(vec![(thread, line)]);
                    }
                    round += 1;
                }
                OpKind::Fence(_) | OpKind::Discard { taken: false } => {
                    found.push(vec![(thread, line)]);
                }
                _ => {}
            }
        }
    }
    found
}

/// A test without some instructions.
pub fn without(kernel: &Kernel, places: &[OpPlace]) -> Kernel {
    let mut kernel = kernel.clone();
    for (thread, it) in kernel.threads.iter_mut().enumerate() {
        let mut line = 0;
        it.ops.retain(|_| {
            line += 1;
            !places.contains(&(thread, line - 1))
        });
    }
    kernel
}

/// Every legal weaker version that differs in one fence.
pub fn weakenings(kernel: &Kernel) -> Vec<Mutation> {
    let mut found = Vec::new();
    for places in fences(kernel) {
        let (thread, line) = places[0];
        let op = &kernel.threads[thread].ops[line];
        let original = print_op(kernel, op);
        found.push(Mutation {
            places: places.clone(),
            original: original.clone(),
            weakening: Weakening::Dropped,
            kernel: without(kernel, &places),
        });
        let OpKind::Fence(fence) = op.kind else {
            continue;
        };
        for weaker in weaker(fence) {
            let mut copy = kernel.clone();
            for &(thread, line) in &places {
                copy.threads[thread].ops[line].kind = OpKind::Fence(weaker);
            }
            if legality::check(&copy).is_empty() {
                let text = print_op(&copy, &copy.threads[thread].ops[line]);
                found.push(Mutation {
                    places: places.clone(),
                    original: original.clone(),
                    weakening: Weakening::Replaced(text),
                    kernel: copy,
                });
            }
        }
    }
    found
}

/// The fences that are one notch weaker: without the group's meeting, with a narrower scope, without a class.
fn weaker(fence: Fence) -> Vec<Fence> {
    match fence {
        Fence::Intrinsic(intrinsic) => weaker(Fence::Sync(intrinsic.sync())),
        Fence::Sync(sync) => {
            let no_uav = SyncFlags {
                uglobal: false,
                ugroup: false,
                ..sync
            };
            let mut found = Vec::new();
            if sync.t {
                found.push(SyncFlags { t: false, ..sync });
            }
            if sync.uglobal {
                found.push(SyncFlags {
                    ugroup: true,
                    ..no_uav
                });
            }
            if sync.g && no_uav != sync {
                found.extend([no_uav, SyncFlags { g: false, ..sync }]);
            }
            found.into_iter().map(Fence::Sync).collect()
        }
        Fence::Barrier { memory, flags } => {
            let mut found = Vec::new();
            let with = |flags| Fence::Barrier { memory, flags };
            if flags.sync {
                found.push(with(BarrierFlags {
                    sync: false,
                    ..flags
                }));
            }
            if flags.device {
                found.push(with(BarrierFlags {
                    device: false,
                    group: true,
                    ..flags
                }));
            }
            let by_type = !matches!(memory, BarrierMemory::Object(_));
            if by_type && memory.classes() == (true, true) {
                for (uav, groupshared) in [(true, false), (false, true)] {
                    let memory = BarrierMemory::Types { uav, groupshared };
                    // Groupshared memory has no device scope.
                    let flags = BarrierFlags {
                        device: flags.device && uav,
                        group: flags.group || flags.device && !uav,
                        ..flags
                    };
                    found.push(Fence::Barrier { memory, flags });
                }
            }
            found
        }
    }
}

/// What can be compared of two versions: outcomes with everything in them, and what is undefined.
fn essence(examination: &Examination) -> (Vec<&Vec<u32>>, Vec<Undefined>) {
    let outcomes = examination
        .specification()
        .map(|a| a.exploration.outcomes.keys().collect())
        .unwrap_or_default();
    // Numbers of instructions shift where one is dropped.
    let undefined = examination
        .undefined
        .iter()
        .map(|u| match u {
            Undefined::NeverWritten { .. } => Undefined::NeverWritten { op: 0 },
            other => *other,
        })
        .collect();
    (outcomes, undefined)
}

/// Explores every weaker version of a legal test.
pub fn try_all(kernel: &Kernel, options: &ExamineOptions) -> Vec<Tried> {
    try_within(kernel, options, usize::MAX)
}

/// The same, as far as so many states go; what is left then is not tried.
pub fn try_within(kernel: &Kernel, options: &ExamineOptions, budget: usize) -> Vec<Tried> {
    let mut left = budget;
    let mut explored = |kernel: &Kernel, takes_by_scope: bool| {
        let mut options = ExamineOptions {
            everything: true,
            specification_only: true,
            ..options.clone()
        };
        options.knobs.takes_by_scope |= takes_by_scope;
        options.limits.states_max = options.limits.states_max.min(left);
        let examination = examine(kernel, &options);
        let states = examination
            .specification()
            .map_or(0, |a| a.exploration.states());
        left = left.saturating_sub(states);
        (left > 0).then_some(examination)
    };
    let Some(base) = explored(kernel, false).filter(|e| e.illegal.is_empty()) else {
        return Vec::new();
    };
    let Some(strict_base) = explored(kernel, true) else {
        return Vec::new();
    };
    let mut tried = Vec::new();
    for mutation in weakenings(kernel) {
        let Some(examination) = explored(&mutation.kernel, false) else {
            break;
        };
        let mut equivalent = same(&base, &examination);
        if equivalent {
            let Some(strict) = explored(&mutation.kernel, true) else {
                break;
            };
            equivalent = same(&strict_base, &strict);
        }
        tried.push(Tried {
            equivalent,
            verdicts: examination.judged.iter().map(|j| j.verdict).collect(),
            mutation,
        });
    }
    tried
}

/// Whether two versions are the same in all that can be compared; not known of one that was given up.
fn same(a: &Examination, b: &Examination) -> bool {
    let complete = |e: &Examination| e.specification().is_some_and(|a| a.exploration.complete);
    complete(a) && complete(b) && essence(a) == essence(b)
}

/// Why a condition is forbidden.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reason {
    /// Each of these fences is needed: without any one of them an outcome satisfies the condition.
    Fences(Vec<usize>),
    /// No single fence: only leaving out several makes it reachable.
    Together,
    /// Fences have nothing to do with it: coherence, atomicity or the values themselves forbid it.
    NoFence,
}

/// Why the condition of an expectation is forbidden; not known if too few weaker versions were explored. `tried` are the
/// test's weaker versions; the result indexes them.
pub fn reason(
    kernel: &Kernel,
    expectation: usize,
    tried: &[Tried],
    options: &ExamineOptions,
) -> Option<Reason> {
    let reachable = |verdict: Verdict| verdict != Verdict::Forbidden;
    let needed: Vec<usize> = tried
        .iter()
        .enumerate()
        .filter(|(_, t)| {
            t.mutation.weakening == Weakening::Dropped
                && t.verdicts[expectation].is_some_and(reachable)
        })
        .map(|(index, _)| index)
        .collect();
    if !needed.is_empty() {
        return Some(Reason::Fences(needed));
    }
    let known = tried.iter().all(|t| t.verdicts[expectation].is_some());
    if !known || tried.len() < weakenings(kernel).len() {
        return None;
    }
    let all: Vec<OpPlace> = fences(kernel).into_iter().flatten().collect();
    let options = ExamineOptions {
        specification_only: true,
        ..options.clone()
    };
    let bare = examine(&without(kernel, &all), &options);
    let together = reachable(bare.judged[expectation].verdict?);
    Some(if together {
        Reason::Together
    } else {
        Reason::NoFence
    })
}
