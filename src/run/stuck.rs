//! Waits that never ended, by the names that reports print.

use super::stalls::Namer;
use crate::analyze::stuck::{Ending, endings};
use crate::order::Actor;
use crate::time::Ps;
use crate::trace::{Stuck, Trace};

/// A wait that never ended: the run stops with it.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct StuckRow {
    /// Id of the wait, as `gfx#3`.
    pub id: String,
    /// Label or statement word: `wait f 2`.
    pub label: String,
    /// Line of its text.
    pub line: u32,
    /// Queue, or `cpu`.
    pub queue: String,
    /// Which of the queues, in order of declaration; the CPU comes after the last.
    pub track: usize,
    /// Name of the fence.
    pub fence: String,
    /// The value that is waited for.
    pub value: u64,
    /// The value that the fence has at the end.
    pub reached: u64,
    /// Since when it waits.
    pub since: Ps,
    /// Which wait of this list keeps the signal that would end it.
    pub behind: Option<usize>,
    /// What it waits for, and why that never comes.
    pub says: String,
}

/// The waits of a run that never ended, in order of queue.
pub(super) fn stuck(namer: Namer<'_, '_>, trace: &Trace) -> Vec<StuckRow> {
    let endings = endings(namer.timeline, trace);
    let rows = trace.stuck.iter().zip(endings);
    rows.map(|(stuck, ending)| row(namer, trace, stuck, ending))
        .collect()
}

fn row(namer: Namer<'_, '_>, trace: &Trace, stuck: &Stuck, ending: Ending) -> StuckRow {
    let timeline = namer.timeline;
    let actor = stuck.queue.map_or(Actor::Cpu, Actor::Queue);
    let fence = timeline.scenario.fence_name(stuck.fence).to_owned();
    let (value, reached) = (stuck.value, stuck.reached);
    let why = match ending {
        Ending::Nobody => "nobody signals it".to_owned(),
        Ending::SetBack => format!("it was set back to {reached}"),
        Ending::Dropped(signal) => format!("{} never comes", timeline.node_name(signal)),
        Ending::Behind { signal, wait } => format!(
            "{} signals it, after {}, which never ends",
            timeline.node_name(signal),
            timeline.node_name(trace.stuck[wait].node)
        ),
    };
    StuckRow {
        id: timeline.node_name(stuck.node),
        label: crate::analyze::names::node_label(timeline, stuck.node),
        line: namer.source.line(timeline.span(stuck.node).start),
        queue: timeline.actor_name(actor).to_owned(),
        track: timeline.actor_index(actor),
        says: format!("waits for {fence} >= {value}; {why}"),
        fence,
        value,
        reached,
        since: stuck.since,
        behind: match ending {
            Ending::Behind { wait, .. } => Some(wait),
            _ => None,
        },
    }
}
