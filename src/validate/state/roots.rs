//! What `set-root` binds for as long as it binds it, and the barriers that come too late for it.
//!
//! Spec: "Synchronization" (`DATA_STATIC_WHILE_SET_AT_EXECUTE`); reading R38.

use super::{Facts, Spans};
use crate::finding::Finding;
use crate::id::{ResourceId, Table};
use crate::scenario::{Barrier, Command, CommandKind, IndirectTarget};
use crate::validate::eb;

/// One resource that a `set-root` names.
struct Bound<'s> {
    resource: ResourceId,
    runs: Spans,
    set: &'s Command,
    /// Barriers on it since.
    late: Vec<&'s Barrier>,
}

/// Bindings of a list: graphics, then compute.
pub(super) struct Roots<'s> {
    bound: [Vec<Bound<'s>>; 2],
    /// Whether a bind point has a late barrier.
    any_late: [bool; 2],
    /// Per resource, at how many places it is bound.
    counts: Table<ResourceId, u32>,
}

/// The bind point that a command reads: `true` for compute.
pub(super) fn bind_point(kind: &CommandKind) -> Option<bool> {
    match kind {
        CommandKind::Draw { .. } => Some(false),
        CommandKind::Dispatch { .. } | CommandKind::DispatchRays { .. } => Some(true),
        CommandKind::ExecuteIndirect { target, .. } => Some(*target != IndirectTarget::Draw),
        _ => None,
    }
}

impl<'s> Roots<'s> {
    /// Nothing bound, of this many resources.
    pub(super) fn new(resources: usize) -> Self {
        Self {
            bound: [Vec::new(), Vec::new()],
            any_late: [false; 2],
            counts: Table::filled(resources, 0),
        }
    }

    /// At the start of a list nothing is bound.
    pub(super) fn clear(&mut self) {
        self.set(false);
        self.set(true);
    }

    /// A `set-root` replaces what its bind point had.
    pub(super) fn set(&mut self, compute: bool) {
        for bound in self.bound[usize::from(compute)].drain(..) {
            self.counts[bound.resource] -= 1;
        }
        self.any_late[usize::from(compute)] = false;
    }

    /// Binds a resource.
    pub(super) fn add(
        &mut self,
        compute: bool,
        resource: ResourceId,
        runs: Spans,
        set: &'s Command,
    ) {
        self.counts[resource] += 1;
        self.bound[usize::from(compute)].push(Bound {
            resource,
            runs,
            set,
            late: Vec::new(),
        });
    }

    /// A barrier on some subresources.
    pub(super) fn barrier(
        &mut self,
        resource: ResourceId,
        runs: &[(u32, u32)],
        barrier: &'s Barrier,
    ) {
        if self.counts[resource] == 0 {
            return;
        }
        for (point, any_late) in self.bound.iter_mut().zip(&mut self.any_late) {
            for bound in point.iter_mut().filter(|b| b.resource == resource) {
                let meets = |a: &(u32, u32)| runs.iter().any(|b| a.0 < b.1 && b.0 < a.1);
                if bound.runs.iter().any(meets) {
                    bound.late.push(barrier);
                    *any_late = true;
                }
            }
        }
    }

    /// A draw or dispatch reads what is bound: late barriers are now known to be too late.
    pub(super) fn work(
        &mut self,
        facts: &Facts<'_, '_>,
        compute: bool,
        command: &Command,
    ) -> Vec<Finding> {
        let point = usize::from(compute);
        if !std::mem::take(&mut self.any_late[point]) {
            return Vec::new();
        }
        let mut findings = Vec::new();
        for bound in &mut self.bound[point] {
            for barrier in bound.late.drain(..) {
                findings.push(eb::set_root_barrier::finding(
                    facts,
                    bound.resource,
                    bound.set,
                    barrier,
                    command,
                ));
            }
        }
        findings
    }
}
