//! What the CPU can map instead (reading R70): the buffer in the heap that is made for it, or the buffer that is copied from or
//! to it.

use super::Candidate;
use super::declared::{declared, with_new_option, with_option};
use crate::api::{BarrierAccess, HeapType};
use crate::finding::{Edit, Finding, Source};
use crate::id::{ResourceId, narrow};
use crate::pipeline::front::Prepared;
use crate::scenario::{Command, CommandKind, Placement, Scenario, Statement, StatementKind};

/// A buffer that is copied from or to the one that the CPU cannot map, then another heap for that one.
pub(super) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    let written = prepared.written();
    let Some((id, name, resource)) = declared(written, finding) else {
        return Vec::new();
    };
    let timeline = prepared.timeline();
    let mut submissions = timeline.submissions.iter();
    let statement = submissions
        .find(|submission| submission.statement.span.start == finding.span.start)
        .map(|submission| submission.statement);
    let made_for = match statement.map(|statement| &statement.kind) {
        Some(StatementKind::CpuRead { .. }) => HeapType::Readback,
        Some(StatementKind::CpuWrite { .. }) => HeapType::Upload,
        _ => return Vec::new(),
    };
    let mut candidates = Vec::new();
    for other in partners(written, id, made_for) {
        let named = statement.and_then(|at| renamed(source, written, at, name, other));
        candidates.extend(named);
    }
    let (what, span) = match resource.placement {
        Placement::Placed { heap, .. } => {
            let heap_name = written.heaps.name(heap);
            (format!("the heap `{heap_name}`"), written.heaps[heap].span)
        }
        Placement::Committed | Placement::Reserved => (format!("`{name}`"), resource.span),
    };
    let new = format!("type {made_for}");
    let edit = with_option(source, span, "type", &new);
    let edit = edit.or_else(|| with_new_option(source, span, &new));
    candidates.extend(edit.map(|edit| {
        let says = format!("create {what} with `{new}`");
        Candidate::new(vec![edit], says)
    }));
    candidates
}

/// Buffers in a heap of a type that are copied from a buffer which the CPU wants to read, or to one which it wants to write.
fn partners(written: &Scenario, id: ResourceId, made_for: HeapType) -> Vec<ResourceId> {
    let (own, other) = match made_for {
        HeapType::Readback => (BarrierAccess::COPY_SOURCE, BarrierAccess::COPY_DEST),
        _ => (BarrierAccess::COPY_DEST, BarrierAccess::COPY_SOURCE),
    };
    let commands = written.commands();
    let mut partners = Vec::new();
    for copy in commands.filter(|command| matches!(command.kind, CommandKind::Copy)) {
        let with = |copy: &Command, access: BarrierAccess| {
            let mut uses = copy.uses.iter();
            uses.find(|used| used.access == access)
                .map(|used| used.resource)
        };
        if with(copy, own) == Some(id)
            && let Some(partner) = with(copy, other)
            && written.heap_type(partner) == made_for
            && !partners.contains(&partner)
        {
            partners.push(partner);
        }
    }
    partners
}

/// An access of the CPU to another buffer.
fn renamed(
    source: &Source,
    written: &Scenario,
    statement: &Statement,
    name: &str,
    other: ResourceId,
) -> Option<Candidate> {
    let mut span = statement.span;
    let text = source.text.get(span.start as usize..span.end as usize)?;
    let (head, _) = text.rsplit_once(name)?;
    let other = written.resource_name(other);
    let says = format!("{head}{other}");
    span.start += narrow(head.len());
    span.end = span.start + narrow(name.len());
    let edit = Edit::new(span, other);
    Some(Candidate::new(vec![edit], format!("write `{says}`")))
}
