//! The rules of synchronization objects that need no timeline: family `FN`, one file a rule.
//!
//! Each flag of `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS` with the objects that may have it and the operations that it
//! forbids; each refusal with the status that Windows returns. What depends on the order of signals and waits is found
//! by `analyze/`.

pub(crate) mod cpu_on_intra_gpu;
pub(crate) mod external_fence_barrier;
pub(crate) mod fence_barrier_tier;
pub(crate) mod fence_of_another_adapter;
pub(crate) mod flag_without_effect;
pub(crate) mod foreign_use;
pub(crate) mod intra_gpu_across_adapters;
pub(crate) mod list_fence_outside_lists;
pub(crate) mod monitored_only_flag;
pub(crate) mod monitored_value_hidden;
pub(crate) mod native_fence_unsupported;
pub(crate) mod native_type_of_other_object;
pub(crate) mod no_gpu_access;
pub(crate) mod no_signal_and_no_wait;
pub(crate) mod no_such_segment;
pub(crate) mod nt_sharing_without_shared;
pub(crate) mod private_data_touched;
pub(crate) mod reserved_bits;
pub(crate) mod shared_storage_outside_system_memory;
pub(crate) mod signal_by_kmd;
pub(crate) mod signal_denied;
pub(crate) mod two_layout_changes;
pub(crate) mod wait_denied;

use super::ValidationRule;
use crate::api::{NativeFence, NtStatus, SyncObjectFlags};
use crate::finding::{Finding, Rule, Span};
use crate::id::{FenceId, QueueId};
use crate::order::storage::{self, Fault, Memory, ValueType};
use crate::scenario::{Command, CommandKind, Fence, ObjectAct, Scenario, Statement, StatementKind};

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
    &monitored_value_hidden::VALIDATION,
    &shared_storage_outside_system_memory::VALIDATION,
    &private_data_touched::VALIDATION,
    &no_such_segment::VALIDATION,
    &fence_of_another_adapter::VALIDATION,
    &list_fence_outside_lists::VALIDATION,
    &external_fence_barrier::VALIDATION,
    &fence_barrier_tier::VALIDATION,
    &native_fence_unsupported::VALIDATION,
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
    /// Who signals or waits.
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
        &self.scenario.fences[self.id]
    }

    /// The fence's name.
    pub fn name(&self) -> &'s str {
        self.scenario.fence_name(self.id)
    }

    /// The flags that bind whoever signals or waits: those with which its process has opened the object, if it has;
    /// else those of the declaration.
    pub fn bits(&self) -> SyncObjectFlags {
        let process = match self.actor {
            FenceActor::Queue(queue) => self.scenario.process_of(queue),
            FenceActor::Cpu | FenceActor::List => None,
        };
        let statements = self.scenario.timeline.as_ref();
        let opened = process.zip(statements).and_then(|(process, timeline)| {
            opened_with(self.scenario, &timeline.statements, process, self.id)
        });
        let bound = SyncObjectFlags::NO_SIGNAL | SyncObjectFlags::NO_WAIT;
        match opened {
            Some(flags) => self.fence().bits().difference(bound) | flags,
            None => self.fence().bits(),
        }
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

/// The flags with which a process opens an object, if it does.
fn opened_with(
    scenario: &Scenario,
    statements: &[Statement],
    process: QueueId,
    id: FenceId,
) -> Option<SyncObjectFlags> {
    statements
        .iter()
        .find_map(|statement| match &statement.kind {
            StatementKind::Repeat { body, .. } => opened_with(scenario, body, process, id),
            StatementKind::Object {
                queue,
                act: ObjectAct::Open,
                fence,
                flags,
            } if *fence == id && scenario.process_of(*queue) == Some(process) => {
                Some(SyncObjectFlags::from_bits_retain(*flags))
            }
            _ => None,
        })
}

/// A finding that a driver's answer to the request for fence storage is wrong.
fn storage_fault(
    scenario: &Scenario,
    rule: &'static Rule,
    id: FenceId,
    fault: Fault,
    what: &str,
) -> Option<Finding> {
    let fence = &scenario.fences[id];
    let native = fence.native_type()?;
    let memory = Memory::of(scenario, fence.adapter.unwrap_or(0));
    let values: &[ValueType] = match native {
        NativeFence::Default => &[ValueType::Current, ValueType::Monitored],
        NativeFence::IntraGpu => &[ValueType::Current],
    };
    let wrong = values.iter().any(|value| {
        let request = storage::request(fence, *value);
        storage::given(fence, *value, &memory)
            .is_some_and(|given| storage::faults(&request, &memory, &given).contains(&fault))
    });
    wrong.then(|| {
        let name = scenario.fence_name(id);
        Finding::new(rule, fence.span, format!("`{name}` {what}")).resource(name)
    })
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
    let span = scenario.fences[id].span;
    let message = format!("`{name}` {what}; creating it returns {status}");
    Finding::new(rule, span, message).resource(name)
}
