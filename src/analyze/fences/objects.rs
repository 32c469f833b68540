//! Synchronization objects as processes have them: who has opened what, and when an `INTRA_GPU` fence has its first
//! value. Objects are created, opened, shared and destroyed in the order of the text.

use super::{object_not_open, open_unshared, share_without_nt_security, undefined_fence_value};
use crate::api::{NativeFence, NtStatus, SyncObject, SyncObjectFlags};
use crate::finding::{Finding, Rule};
use crate::id::{FenceId, QueueId, SubmissionId, Table};
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::{ObjectAct, StatementKind};
use crate::validate::fences::{monitored_only_flag, no_signal_and_no_wait, reserved_bits};
use indexmap::IndexSet;

/// What is wrong with them.
pub(super) fn findings(timeline: &Timeline<'_>) -> Vec<Finding> {
    let mut found = undefined(timeline);
    if !timeline.scenario.has_processes() {
        return found;
    }
    let fences = timeline.scenario.fences.len();
    let managed = (0..fences).map(FenceId::new);
    found.extend(managed.flat_map(|fence| Objects::new(timeline, fence).findings()));
    found
}

/// The local objects of one fence.
struct Objects<'t, 's> {
    timeline: &'t Timeline<'s>,
    fence: FenceId,
    /// Processes with a local object, one entry an object.
    open: Vec<QueueId>,
    /// It has been given an NT handle.
    shared: bool,
    /// Processes whose mistake was reported.
    reported: IndexSet<QueueId>,
}

impl<'t, 's> Objects<'t, 's> {
    fn new(timeline: &'t Timeline<'s>, fence: FenceId) -> Self {
        let owner = timeline.scenario.fences[fence].process;
        Self {
            timeline,
            fence,
            open: owner.into_iter().collect(),
            shared: false,
            reported: IndexSet::new(),
        }
    }

    /// A fence that no process owns, creates or opens belongs to all of them.
    fn is_managed(&self) -> bool {
        let acts = self.timeline.submissions.iter().any(|s| {
            matches!(s.kind, SubmissionKind::Object { fence, act }
                if fence == self.fence && act != ObjectAct::Initialise)
        });
        acts || !self.open.is_empty()
    }

    fn findings(mut self) -> Vec<Finding> {
        let mut found = Vec::new();
        if !self.is_managed() {
            return found;
        }
        for index in 0..self.timeline.submissions.len() {
            let id = SubmissionId::new(index);
            let submission = self.timeline.submission(id);
            let Actor::Queue(actor) = submission.actor else {
                continue;
            };
            let Some(process) = self.timeline.scenario.process_of(actor) else {
                continue;
            };
            match submission.kind {
                SubmissionKind::Signal { fence, .. } | SubmissionKind::Wait { fence, .. }
                    if fence == self.fence =>
                {
                    found.extend(self.used(id, process));
                }
                SubmissionKind::Object { fence, act } if fence == self.fence => {
                    found.extend(self.act(id, process, act));
                }
                _ => {}
            }
        }
        found
    }

    fn act(&mut self, id: SubmissionId, process: QueueId, act: ObjectAct) -> Option<Finding> {
        let fence = &self.timeline.scenario.fences[self.fence];
        match act {
            ObjectAct::Create => {
                self.open.push(process);
                None
            }
            ObjectAct::Open => {
                if let Some(found) = self.opened_with(id) {
                    self.open.push(process);
                    return Some(found);
                }
                let own = self.open.contains(&process);
                let visible = fence.has(SyncObjectFlags::SHARED) || own;
                let handle = !fence.has(SyncObjectFlags::NT_SECURITY_SHARING) || self.shared;
                let gone = self.open.is_empty();
                self.open.push(process);
                if gone {
                    let what = "is opened, but no process has it open at this point";
                    let help =
                        "create the object first, or open it before the last process destroys it";
                    return Some(self.finding(&object_not_open::RULE, id, what, help));
                }
                if !visible {
                    let what = "has no `Shared`: no other process can open it";
                    let help = "add `Shared` to the fence's flags";
                    return Some(self.finding(&open_unshared::RULE, id, what, help));
                }
                (!handle).then(|| {
                    let what =
                        "has `NtSecuritySharing` but no NT handle yet, so it cannot be opened";
                    self.finding(
                        &open_unshared::RULE,
                        id,
                        what,
                        "write `PROCESS share FENCE` before this statement",
                    )
                })
            }
            ObjectAct::Share => {
                let right = fence.has(SyncObjectFlags::NT_SECURITY_SHARING);
                if let Some(found) = self.used(id, process) {
                    return Some(found);
                }
                self.shared = true;
                (!right).then(|| {
                    let what =
                        "was created without `NtSecuritySharing`: `D3DKMTShareObjects` refuses it";
                    let help = "add `Shared|NtSecuritySharing` to the fence's flags";
                    self.finding(&share_without_nt_security::RULE, id, what, help)
                })
            }
            ObjectAct::Destroy => {
                let found = self.used(id, process);
                if let Some(at) = self.open.iter().position(|p| *p == process) {
                    self.open.remove(at);
                }
                found
            }
            ObjectAct::Initialise => None,
        }
    }

    /// A finding about the flags of an `open`: they obey the rules of a declaration's.
    fn opened_with(&self, id: SubmissionId) -> Option<Finding> {
        let StatementKind::Object { flags, .. } = self.timeline.submission(id).statement.kind
        else {
            return None;
        };
        let flags = SyncObjectFlags::from_bits_retain(flags);
        let denied = SyncObjectFlags::NO_SIGNAL | SyncObjectFlags::NO_WAIT;
        let fence = &self.timeline.scenario.fences[self.fence];
        let only = flags & SyncObjectFlags::MONITORED_ONLY;
        let (rule, what) = if flags.intersects(SyncObjectFlags::MUST_BE_ZERO) {
            let bits = flags & SyncObjectFlags::MUST_BE_ZERO;
            (
                &reserved_bits::RULE,
                format!("is opened with `{bits}`, which must be 0"),
            )
        } else if flags.contains(denied) {
            let what = "is opened with `NoSignal` and `NoWait`: the process could neither signal it nor wait for it";
            (&no_signal_and_no_wait::RULE, what.to_owned())
        } else if !only.is_empty() && fence.object() != SyncObject::Monitored {
            let what = format!("is opened with `{only}`, which only monitored fences take");
            (&monitored_only_flag::RULE, what)
        } else {
            return None;
        };
        let status = NtStatus::InvalidParameter;
        Some(self.finding(
            rule,
            id,
            &format!("{what}; opening it returns {status}"),
            "leave out the flag",
        ))
    }

    /// A finding if the process has no local object. One mistake is one finding: it counts as open from then on.
    fn used(&mut self, id: SubmissionId, process: QueueId) -> Option<Finding> {
        if self.open.contains(&process) || !self.reported.insert(process) {
            return None;
        }
        let name = self.timeline.scenario.queue_name(process);
        let what = format!("is not open in the process `{name}`");
        let help = "open the object before this statement, or destroy it later";
        Some(self.finding(&object_not_open::RULE, id, &what, help))
    }

    fn finding(&self, rule: &'static Rule, id: SubmissionId, what: &str, help: &str) -> Finding {
        let scenario = self.timeline.scenario;
        let name = scenario.fence_name(self.fence);
        let span = self.timeline.submission(id).statement.span;
        Finding::new(rule, span, format!("`{name}` {what}"))
            .related(scenario.fences[self.fence].span, "declared here")
            .resource(name)
            .help(help)
    }
}

/// `INTRA_GPU` fences that are used before they have a value.
fn undefined(timeline: &Timeline<'_>) -> Vec<Finding> {
    let scenario = timeline.scenario;
    let count = timeline.submissions.len();
    let mut packets: Table<FenceId, Option<SubmissionId>> =
        Table::filled(scenario.fences.len(), None);
    for index in 0..count {
        let id = SubmissionId::new(index);
        if let SubmissionKind::Object {
            fence,
            act: ObjectAct::Initialise,
        } = timeline.submission(id).kind
        {
            packets[fence].get_or_insert(id);
        }
    }
    let mut last: Vec<Option<SubmissionId>> = vec![None; timeline.actor_count()];
    let mut found = Vec::new();
    for index in 0..count {
        let id = SubmissionId::new(index);
        let submission = timeline.submission(id);
        let actor = timeline.actor_index(submission.actor);
        let previous = last[actor].replace(id);
        let (SubmissionKind::Signal { fence, .. } | SubmissionKind::Wait { fence, .. }) =
            submission.kind
        else {
            continue;
        };
        let declared = &scenario.fences[fence];
        let packet = packets[fence];
        if declared.native_type() != Some(NativeFence::IntraGpu)
            || packet.is_none() && !declared.uninitialised
        {
            continue;
        }
        // What the fence itself orders does not count: its value is what may be wrong.
        let over = packet.is_some_and(|packet| {
            let known =
                |before: SubmissionId| before == packet || timeline.happens_before(packet, before);
            let signals = matches!(submission.kind, SubmissionKind::Signal { .. });
            previous.is_some_and(known) || signals && timeline.happens_before(packet, id)
        });
        if !over {
            let name = scenario.fence_name(fence);
            let message = format!("this may come before the first value of `{name}` is written");
            let rule = &undefined_fence_value::RULE;
            let mut finding = Finding::new(rule, submission.statement.span, message).resource(name);
            if let Some(packet) = packet {
                let span = timeline.submission(packet).statement.span;
                finding = finding.related(span, "the first value is written here");
            }
            found.push(finding.help(
                "let `QUEUE initialise FENCE` come first, and order this after it by another fence",
            ));
        }
    }
    found
}
