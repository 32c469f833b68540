//! The lives of commands: when a stage of one made progress, and what it waited for when none did.
//!
//! A command's bar in a picture is its life: solid where it works, something else where it waits. Everything comes from the spans of
//! its packet and their reasons.

use super::stalls::Namer;
use crate::id::{NodeId, OpId, Table};
use crate::program::HwOpKind;
use crate::time::Ps;
use crate::trace::{Reason, Trace};
use serde::{Serialize, Serializer};
use std::sync::Arc;

/// Part of a command's life. The parts tile it, from when the front end took the command up to when its last stage ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(
        rename = "Wait",
        description = "Part of a command's life in which it only waited."
    )
)]
#[non_exhaustive]
pub struct LifeRow {
    /// When that begins.
    #[serde(rename = "start_ps")]
    pub start: Ps,
    /// When that ends.
    #[serde(rename = "end_ps")]
    pub end: Ps,
    /// What the command does.
    #[serde(rename = "did")]
    #[cfg_attr(
        test,
        schemars(
            with = "String",
            description = "`held by barrier` or `waits for its turn`."
        )
    )]
    pub does: Does,
    /// Who holds it: the id of a barrier, or what else it is, with its id; left out if nobody does.
    #[serde(skip_serializing_if = "str::is_empty")]
    pub by: Arc<str>,
    /// Line of the holder's text; left out likewise.
    #[serde(skip_serializing_if = "is_nobodys")]
    #[cfg_attr(test, schemars(with = "Option<u32>"))]
    pub line: u32,
}

/// What a command does for a while.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Does {
    /// A stage of it makes progress.
    Work,
    /// The front end launches it, or it flows to its next stage.
    Launch,
    /// A barrier holds it.
    Held,
    /// It waits for its turn: too much is in flight, or the queue must be idle.
    Queue,
}

/// In a document, where somebody holds what waits.
impl Serialize for Does {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// Of a command's life, the parts in which it only waited.
pub(super) fn waits<S: Serializer>(life: &[LifeRow], serializer: S) -> Result<S::Ok, S::Error> {
    let waits = life.iter();
    serializer.collect_seq(waits.filter(|row| matches!(row.does, Does::Held | Does::Queue)))
}

#[allow(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_nobodys(line: &u32) -> bool {
    *line == 0
}

impl Does {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Self::Work => "work",
            Self::Launch => "launch",
            Self::Held => "held by barrier",
            Self::Queue => "waits for its turn",
        }
    }

    fn of(reason: Reason) -> Self {
        match reason {
            Reason::WaitBarrier(_) => Self::Held,
            Reason::WaitSlot | Reason::WaitIdle | Reason::WaitFence(_) => Self::Queue,
            Reason::FrontEnd | Reason::Latency | Reason::EngineSwitch | Reason::FrontEndSync => {
                Self::Launch
            }
            _ => Self::Work,
        }
    }
}

impl LifeRow {
    /// What it says next to a bar: `held by gfx#2.0, line 14`.
    pub fn says(&self) -> String {
        match self.does {
            Does::Held => format!("held by {}, line {}", self.by, self.line),
            other => other.word().to_owned(),
        }
    }
}

/// The lives of all commands of a run, each made once: a command's row and its segment share it.
pub(super) struct Lives(Table<NodeId, Option<Arc<[LifeRow]>>>);

impl Lives {
    pub(super) fn new(namer: Namer<'_, '_>, trace: &Trace) -> Self {
        let mut lives: Table<NodeId, Option<Arc<[LifeRow]>>> =
            Table::filled(trace.commands.len(), None);
        for (_, op) in namer.program.ops() {
            // What the CPU and the display do waits for its turn, too.
            if matches!(op.kind, HwOpKind::Work(_) | HwOpKind::Client(_)) {
                let life = &mut lives[op.origin.node];
                life.get_or_insert_with(|| of_packet(namer, trace, op.id));
            }
        }
        Self(lives)
    }

    /// The life of a command; nothing if it never ran, or if no spans were kept.
    pub(super) fn of(&self, node: NodeId) -> Arc<[LifeRow]> {
        self.0[node].clone().unwrap_or_default()
    }
}

/// The life of a packet.
pub(super) fn of_packet(namer: Namer<'_, '_>, trace: &Trace, op: OpId) -> Arc<[LifeRow]> {
    let mut rows: Vec<LifeRow> = Vec::new();
    // Most commands are held by one packet, in several spans: its name is made once.
    let mut held: Option<(OpId, Arc<str>, u32)> = None;
    for (start, span) in trace.spans(op) {
        let does = Does::of(span.reason);
        let (by, line) = match span.reason {
            Reason::WaitBarrier(holder) => {
                if held.as_ref().is_none_or(|(known, ..)| *known != holder) {
                    let (by, line) = holder_of(namer, holder);
                    held = Some((holder, by.into(), line));
                }
                let (_, by, line) = held.as_ref().expect("made above");
                (by.clone(), *line)
            }
            _ => (Arc::default(), 0),
        };
        match rows.last_mut() {
            Some(last) if last.does == does && last.by == by => last.end = span.end,
            _ => rows.push(LifeRow {
                start,
                end: span.end,
                does,
                by,
                line,
            }),
        }
    }
    rows.into()
}

fn holder_of(namer: Namer<'_, '_>, op: OpId) -> (String, u32) {
    let id = namer.id(op);
    let (by, span) = if namer.program.op(op).origin.entry.is_some() {
        (id, namer.span(op))
    } else {
        let (label, span) = namer.label(op);
        (format!("{label} ({id})"), span)
    };
    (by, namer.source.line(span.start))
}
