//! The rules of synchronization objects that need no timeline: family `FN`, one file a rule.
//!
//! Each flag of `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS` with the objects that may have it and the operations that it
//! forbids; each refusal with the status that Windows returns. What depends on the order of signals and waits is found
//! by `analyze/`.

pub mod cpu_on_intra_gpu;
pub mod flag_without_effect;
pub mod foreign_use;
pub mod intra_gpu_across_adapters;
pub mod monitored_only_flag;
pub mod native_type_of_other_object;
pub mod no_gpu_access;
pub mod no_signal_and_no_wait;
pub mod nt_sharing_without_shared;
pub mod reserved_bits;
pub mod signal_by_kmd;
pub mod signal_denied;
pub mod two_layout_changes;
pub mod wait_denied;

use super::ValidationRule;
use crate::api::NtStatus;
use crate::finding::{Finding, Rule, Span};
use crate::id::{FenceId, QueueId};
use crate::scenario::{Command, CommandKind, Fence, Scenario, Statement, StatementKind};

/// Every rule of the family that needs no timeline.
pub static RULES: &[&ValidationRule] = &[
    &nt_sharing_without_shared::VALIDATION,
    &monitored_only_flag::VALIDATION,
    &no_signal_and_no_wait::VALIDATION,
    &signal_by_kmd::VALIDATION,
    &reserved_bits::VALIDATION,
    &intra_gpu_across_adapters::VALIDATION,
    &native_type_of_other_object::VALIDATION,
    &signal_denied::VALIDATION,
    &wait_denied::VALIDATION,
    &cpu_on_intra_gpu::VALIDATION,
    &flag_without_effect::VALIDATION,
    &no_gpu_access::VALIDATION,
    &foreign_use::VALIDATION,
    &two_layout_changes::VALIDATION,
];

/// Who signals a fence or waits for it.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum FenceActor {
    /// A queue, by a packet.
    Queue(QueueId),
    /// The CPU.
    Cpu,
    /// A command list, by a fence barrier.
    List,
}

/// A signal or a wait.
#[derive(Copy, Clone)]
pub struct FenceUse<'s> {
    /// The scenario.
    pub scenario: &'s Scenario,
    /// The fence.
    pub id: FenceId,
    /// Who.
    pub actor: FenceActor,
    /// Signal, not wait.
    pub signal: bool,
    /// The statement or command.
    pub span: Span,
}

impl<'s> FenceUse<'s> {
    /// What a statement of the timeline does with a fence.
    pub(super) fn of_statement(scenario: &'s Scenario, statement: &Statement) -> Option<Self> {
        let (queue, id, signal) = match statement.kind {
            StatementKind::Signal { queue, fence, .. } => (queue, fence, true),
            StatementKind::Wait { queue, fence, .. } => (queue, fence, false),
            _ => return None,
        };
        Some(Self {
            scenario,
            id,
            actor: queue.map_or(FenceActor::Cpu, FenceActor::Queue),
            signal,
            span: statement.span,
        })
    }

    /// What a command does with a fence.
    pub(super) fn of_command(scenario: &'s Scenario, command: &Command) -> Option<Self> {
        let CommandKind::FenceBarrier { signal, fence, .. } = command.kind else {
            return None;
        };
        Some(Self {
            scenario,
            id: fence,
            actor: FenceActor::List,
            signal,
            span: command.span,
        })
    }

    /// The fence.
    pub fn fence(&self) -> &'s Fence {
        &self.scenario.fences[self.id.index()]
    }

    /// The fence's name.
    pub fn name(&self) -> &'s str {
        self.scenario.fence_name(self.id)
    }

    /// A finding that Windows refuses the operation.
    pub fn refused(&self, rule: &'static Rule, why: &str, status: NtStatus) -> Finding {
        let word = if self.signal { "signal" } else { "wait" };
        let name = self.name();
        let message = format!("`{name}` {why}; the {word} returns {status}");
        Finding::new(rule, self.span, message)
            .related(self.fence().span, "declared here")
            .resource(name)
    }
}

/// A finding that Windows refuses to create a fence.
fn refused(
    scenario: &Scenario,
    rule: &'static Rule,
    id: FenceId,
    what: &str,
    status: NtStatus,
) -> Finding {
    let name = scenario.fence_name(id);
    let span = scenario.fences[id.index()].span;
    let message = format!("`{name}` {what}; creating it returns {status}");
    Finding::new(rule, span, message).resource(name)
}
