//! One timeline over fences of each kind: what the hand-over costs.

use crate::analyze::account::{Account, account};
use crate::api::{NativeFence, SyncObject, SyncObjectFlags};
use crate::id::FenceId;
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::pipeline::trial::Bench;
use crate::scenario::Scenario;
use crate::sim;

/// A kind of fence that a timeline is tried with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FenceKind {
    /// Monitored.
    Monitored,
    /// Native, for CPU and GPU.
    Native,
    /// Native, between the engines of one GPU, where nobody else takes part.
    IntraGpu,
}

impl FenceKind {
    /// Every kind, slowest first.
    pub const ALL: [Self; 3] = [Self::Monitored, Self::Native, Self::IntraGpu];

    /// What a table calls it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Monitored => "monitored",
            Self::Native => "native",
            Self::IntraGpu => "intra-gpu",
        }
    }
}

/// What became of the timeline with one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct Outcome {
    /// The kind.
    pub kind: FenceKind,
    /// Fences that are of another kind because of who uses them or of their flags.
    pub others: u32,
    /// The run.
    pub account: Account,
}

/// Runs the timeline with each kind. The scenario has no legacy barriers and no pairs of fence barriers any more. `None` if
/// the machine's clock does not reach the end of a run.
pub(super) fn compare(scenario: &Scenario, bench: Bench<'_>) -> Option<Vec<Outcome>> {
    let timeline = Timeline::new(scenario);
    FenceKind::ALL
        .into_iter()
        .map(|kind| {
            let mut scenario = scenario.clone();
            let mut others = 0;
            for id in scenario.fences.ids() {
                others += u32::from(!change(&timeline, id, kind, &mut scenario));
            }
            let timeline = Timeline::new(&scenario);
            let trace = bench.trace(&timeline, sim::SimOptions::default());
            (!trace.is_cut).then(|| Outcome {
                kind,
                others,
                account: account(&timeline, &trace),
            })
        })
        .collect()
}

/// Makes a fence one of a kind, as far as its flags and users allow. `false`: it became or stayed another.
fn change(timeline: &Timeline<'_>, id: FenceId, kind: FenceKind, scenario: &mut Scenario) -> bool {
    let fence = &mut scenario.fences[id];
    let object = fence.object();
    let changeable = matches!(object, SyncObject::Monitored | SyncObject::Native);
    let bound = fence.bits().intersects(SyncObjectFlags::MONITORED_ONLY);
    if !changeable || bound {
        return kind == FenceKind::Monitored && object == SyncObject::Monitored;
    }
    let flags = SyncObjectFlags::SHARED | SyncObjectFlags::CROSS_ADAPTER;
    let inside = !fence.bits().intersects(flags) && !is_used_outside(timeline, id);
    let (word, native, exact) = match kind {
        FenceKind::Monitored => (SyncObject::Monitored, None, true),
        FenceKind::Native => (SyncObject::Native, Some(NativeFence::Default), true),
        FenceKind::IntraGpu if inside => (SyncObject::Native, Some(NativeFence::IntraGpu), true),
        FenceKind::IntraGpu => (SyncObject::Native, Some(NativeFence::Default), false),
    };
    fence.kind = Some(word.word().to_owned());
    fence.native = native.map(|native| native.word().to_owned());
    fence.storage = crate::scenario::FenceStorage::default();
    exact
}

/// Whether the CPU or a process signals the fence or waits for it.
fn is_used_outside(timeline: &Timeline<'_>, id: FenceId) -> bool {
    timeline.submissions.iter().any(|submission| {
        let (SubmissionKind::Signal { fence, .. } | SubmissionKind::Wait { fence, .. }) =
            submission.kind
        else {
            return false;
        };
        let outside = match submission.actor {
            Actor::Queue(queue) => !timeline.scenario.queue(queue).is_gpu(),
            Actor::Cpu => true,
        };
        fence == id && outside
    })
}
