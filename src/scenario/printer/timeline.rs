//! Statements of the timeline.

use super::words::range_text;
use super::{Piece, Printer};
use crate::api::SyncObjectFlags;
use crate::id::{ListId, QueueId};
use crate::scenario::model::{FenceValue, List, Statement, StatementKind};

impl Printer<'_> {
    /// Statements of the timeline or of a `repeat`.
    pub(super) fn statements(&self, statements: &[Statement]) -> Vec<Piece> {
        let pieces = statements.iter().map(|statement| {
            let piece = Piece::new(self.statement_head(&statement.kind), &statement.trivia);
            match &statement.kind {
                StatementKind::Execute { lists, .. } => match self.written_in_place(lists) {
                    Some(list) => piece.with(self.commands(&list.commands)),
                    None => piece,
                },
                StatementKind::Repeat { body, .. } => piece.with(self.statements(body)),
                _ => piece,
            }
        });
        pieces.collect()
    }

    /// The list of an `execute` that has its commands in a block.
    fn written_in_place(&self, lists: &[ListId]) -> Option<&List> {
        let [only] = lists else { return None };
        let list = &self.scenario.lists[*only];
        list.name.is_none().then_some(list)
    }

    /// A statement without its block.
    fn statement_head(&self, kind: &StatementKind) -> String {
        let scenario = self.scenario;
        let actor = |id: &Option<QueueId>| id.map_or("cpu", |id| scenario.queue_name(id));
        match kind {
            StatementKind::Execute { queue, lists } => self.execute_head(*queue, lists),
            StatementKind::Signal {
                queue,
                fence,
                value,
            } => {
                let fence = scenario.fence_name(*fence);
                format!("{} signal {fence} {}", actor(queue), value_text(*value))
            }
            StatementKind::Wait {
                queue,
                fence,
                value,
            } => {
                let fence = scenario.fence_name(*fence);
                format!("{} wait {fence} {}", actor(queue), value_text(*value))
            }
            StatementKind::CpuWrite { resource, range } => {
                let name = scenario.resource_name(*resource);
                format!("cpu write {name}{}", range_text(range))
            }
            StatementKind::CpuRead { resource, range } => {
                let name = scenario.resource_name(*resource);
                format!("cpu read {name}{}", range_text(range))
            }
            StatementKind::CpuWork(time) => format!("cpu work {}", time.in_whole_units()),
            StatementKind::Present { queue, resource } => {
                let name = scenario.resource_name(*resource);
                format!("{} present {name}", scenario.queue_name(*queue))
            }
            StatementKind::Reset(None) => "reset device".into(),
            StatementKind::Reset(Some(queue)) => {
                format!("reset queue {}", scenario.queue_name(*queue))
            }
            StatementKind::Object {
                queue,
                act,
                fence,
                flags,
            } => {
                let (queue, fence) = (scenario.queue_name(*queue), scenario.fence_name(*fence));
                let flags = match flags {
                    0 => String::new(),
                    bits => format!(" flags {}", SyncObjectFlags::from_bits_retain(*bits)),
                };
                format!("{queue} {} {fence}{flags}", act.word())
            }
            StatementKind::Repeat { count, .. } => format!("repeat {count}"),
        }
    }

    fn execute_head(&self, queue: QueueId, lists: &[ListId]) -> String {
        let queue = self.scenario.queue_name(queue);
        if self.written_in_place(lists).is_some() {
            return format!("{queue} execute");
        }
        let name = |list: &ListId| self.scenario.lists[*list].name.as_deref();
        let names: Vec<&str> = lists
            .iter()
            .map(|list| name(list).unwrap_or("unnamed"))
            .collect();
        format!("{queue} execute {}", names.join(", "))
    }
}

fn value_text(value: FenceValue) -> String {
    match value {
        FenceValue::Absolute(value) => value.to_string(),
        FenceValue::Relative(step) => format!("+{step}"),
    }
}
