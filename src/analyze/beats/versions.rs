//! How the versions of a resource are counted: version 0 is what was there before anything ran, and each command that writes the
//! resource, or barrier that gives its contents up, makes the next one, in the order of submission. A barrier that initialises metadata makes one too, on machines that have metadata.

use crate::id::{Extent, NodeId, ResourceId, Table};
use crate::program::{AccessMode, HwOpKind, Program, StepKind};
use crate::trace::contents::Writer;

/// Who writes each resource, in the order of submission.
#[derive(Clone, Debug, Default)]
pub struct Versions {
    writers: Table<ResourceId, Vec<NodeId>>,
}

impl Versions {
    pub(super) fn new(program: &Program) -> Self {
        let mut writers: Table<ResourceId, Vec<NodeId>> =
            Table::filled(program.resources.len(), Vec::new());
        for (block, op) in program.ops() {
            let node = op.origin.node;
            let accesses = match &op.kind {
                HwOpKind::Work(work) => work.accesses.of(&block.accesses),
                HwOpKind::Client(client) => client.accesses.of(&block.accesses),
                HwOpKind::Barrier(barrier) => {
                    // A barrier that gives contents up writes metadata: nobody finds what was there before.
                    for step in barrier.steps.of(&block.steps) {
                        if let StepKind::Layout {
                            resource,
                            initialise: true,
                            ..
                        } = step.kind
                        {
                            writers[resource].push(node);
                        }
                    }
                    continue;
                }
                _ => continue,
            };
            for access in accesses.iter().filter(|a| a.mode == AccessMode::Write) {
                writers[access.resource].push(node);
            }
        }
        for nodes in &mut writers {
            nodes.sort_unstable();
            nodes.dedup();
        }
        Self { writers }
    }

    /// The number of what a command has written; 0: initial contents.
    pub fn number(&self, writer: Option<Writer>) -> usize {
        let Some(writer) = writer else { return 0 };
        let nodes = &self.writers[writer.resource];
        nodes.binary_search(&writer.node).map_or(0, |at| at + 1)
    }

    /// Whether anything writes a resource.
    pub fn is_written(&self, resource: ResourceId) -> bool {
        !self.writers[resource].is_empty()
    }

    /// Who writes a resource, in the order of submission.
    pub fn writers(&self, resource: ResourceId) -> impl DoubleEndedIterator<Item = Writer> + '_ {
        let nodes = self.writers[resource].iter();
        nodes.map(move |node| Writer {
            node: *node,
            resource,
        })
    }

    /// What a command wrote of some bytes of `resource`: the resource itself, or else an alias.
    pub(super) fn of_node(
        &self,
        program: &Program,
        node: NodeId,
        (resource, bytes): (ResourceId, Option<Extent>),
    ) -> Option<Writer> {
        let has = |id: &ResourceId| self.writers[*id].binary_search(&node).is_ok();
        let shares = |id: &ResourceId| {
            let own = program.resources[*id].extent;
            own.zip(bytes)
                .is_none_or(|(own, bytes)| own.intersection(bytes).is_some())
        };
        let all = (0..self.writers.len()).map(ResourceId::new);
        let resource = if has(&resource) {
            resource
        } else {
            all.into_iter().find(|id| has(id) && shares(id))?
        };
        Some(Writer { node, resource })
    }
}
