//! Executions at which a command acts otherwise than its list says.

use super::Command;
use crate::id::{ListId, NodeId, narrow};

/// The commands of some executions. A text says one thing of a list, however often the list executes; legacy barriers with a
/// wrong `StateBefore` act as the state that each execution finds (reading R72).
///
/// Each has as many barrier entries as the command that it stands for, on the same subresources.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Otherwise {
    commands: Vec<(ListId, u32, Command)>,
    /// By node, ascending: which of the commands.
    nodes: Vec<(NodeId, u32)>,
}

impl Otherwise {
    /// Commands by their places in lists, each with the nodes at which it is executed.
    pub(crate) fn new(
        all: impl IntoIterator<Item = ((ListId, u32), Command, Vec<NodeId>)>,
    ) -> Self {
        let mut otherwise = Self::default();
        for ((list, index), command, nodes) in all {
            let which = narrow(otherwise.commands.len());
            otherwise.commands.push((list, index, command));
            let nodes = nodes.into_iter().map(|node| (node, which));
            otherwise.nodes.extend(nodes);
        }
        otherwise.nodes.sort_unstable();
        otherwise
    }

    /// The command of a node whose list has it at this place, if it is another one there. A node of another scenario, such as an
    /// edited copy, has none.
    pub(crate) fn at(&self, node: NodeId, place: (ListId, u32)) -> Option<&Command> {
        let at = self.nodes.binary_search_by_key(&node, |(at, _)| *at).ok()?;
        let (list, index, command) = &self.commands[self.nodes[at].1 as usize];
        ((*list, *index) == place).then_some(command)
    }
}
