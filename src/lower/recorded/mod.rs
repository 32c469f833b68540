//! `recorded`: the packets of a driver, as somebody recorded them, in place of what a lowering would decide.
//!
//! ```text
//! text ─read→ PacketTrace ─place(timeline), resolve(profile)→ Recorded: a lowering like any other
//! ```
//! * `format.rs` is the shape of a line, which is published as a JSON Schema.
//! * `trace.rs` reads lines: what is no line is a finding, and the other lines are kept.
//! * `places.rs` finds the barrier call, the command or the list that each line is about.
//! * `resolve.rs` looks names up in a profile.
//!
//! A recording is data: nothing in it runs, and whatever it says there is a program. What a driver wrote where no barrier is
//! becomes a packet of its own there. What submission itself does is not recorded: a scope starts with fresh caches and ends
//! finished and flushed (reading R22), as for every lowering. Cost: linear in lines and in what they name.

mod format;
pub mod mistakes;
mod places;
mod resolve;
mod trace;

pub use format::{At, OpLine, PacketLine, SCHEMA, VERSION, WORK};
pub use places::{Placed, Places};
pub use resolve::{resolve, resolve_some};
pub use trace::{
    PacketTrace, TraceLine, asked_before, kind_of, mistake_of, of_answer, packet, packet_left_out,
    programs_before, read, read_bytes, said,
};

use super::Lowering;
use super::policy::{Draft, Entry, LayoutDraft, Policy, ScopeDraft, StepDraft};
use super::precise::whole_queue;
use super::session::Session;
use crate::api::LeafSet;
use crate::hardware::Profile;
use crate::id::{BarrierRef, CacheId, LayoutOpId, NodeId};
use crate::program::Why;
use crate::scenario::{Barrier, BarrierTarget, Command};
use std::collections::BTreeMap;
use std::ops::Bound::{Excluded, Included};

/// What a step says of itself, and one of a packet that no barrier made.
const WHY: Why = Why::Text("the driver wrote it");
const WHY_UNASKED: Why = Why::Text("the driver wrote it where no barrier is");

/// The packets of a driver for one timeline.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Recorded {
    /// By `Barrier()` call.
    calls: BTreeMap<NodeId, RecordedPacket>,
    /// By call: packets for some of its entries, in order.
    parts: BTreeMap<NodeId, Vec<(Vec<u32>, RecordedPacket)>>,
    /// Of nobody, in the order of the stream.
    unasked: BTreeMap<Spot, Vec<RecordedPacket>>,
    /// What is left to whoever wrote the packets.
    left: Left,
}

/// What a session does by itself for other lowerings, and what of that is left to the packets.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct Left {
    /// Render passes stay in tile memory across barriers by region: the session loads and stores them. If not, the packets
    /// decide about those barriers too.
    pub keeps_passes: bool,
    /// The packets write back and drop what a scope ends and starts with.
    pub ends_scopes: bool,
}

/// A place in the stream of a queue: before a command, or after it.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot {
    /// The command.
    pub node: NodeId,
    /// After it.
    pub is_after: bool,
}

/// What a driver wrote in one place.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Default, Debug)]
pub struct RecordedPacket {
    /// Stages whose earlier work must end first.
    pub wait: LeafSet,
    /// Stages whose later work must not start before its end; `None`: those that its barriers ask for, or if no barrier made
    /// it, all.
    pub hold: Option<LeafSet>,
    /// What it does, in order.
    pub steps: Vec<RecordedStep>,
}

/// What a driver did to a whole cache, or to what its barrier is about.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum RecordedStep {
    /// Write a cache back.
    Clean(CacheId),
    /// A layout operation by name, or whichever the barrier needs.
    Layout(Option<LayoutOpId>),
    /// Drop what a cache has.
    Invalidate(CacheId),
    /// Make the front end wait.
    FrontEnd,
}

impl RecordedPacket {
    /// A packet of which nothing but sets is known: write-backs, each before those of caches that its lines go into, then
    /// layout operations, then drops, then the front end.
    #[must_use]
    pub fn in_usual_order(mut self, profile: &Profile) -> Self {
        self.steps.sort_by_key(|step| match *step {
            RecordedStep::Clean(cache) => (0, Some(profile.turn(cache))),
            RecordedStep::Layout(_) => (1, None),
            RecordedStep::Invalidate(_) => (2, None),
            RecordedStep::FrontEnd => (3, None),
        });
        self.steps.dedup();
        self
    }

    fn draft(&self, hold: LeafSet) -> Draft {
        Draft {
            wait: self.wait,
            hold: self.hold.unwrap_or(hold),
            after_all: false,
            steps: Vec::new(),
        }
    }
}

impl RecordedStep {
    /// The step of a draft; none for a layout operation, which an entry has.
    fn draft(self, why: Why) -> Option<StepDraft> {
        let everything = true;
        match self {
            Self::Clean(cache) => Some(StepDraft::Clean {
                cache,
                everything,
                why,
            }),
            Self::Invalidate(cache) => Some(StepDraft::Invalidate {
                cache,
                everything,
                why,
            }),
            Self::FrontEnd => Some(StepDraft::FrontEnd { why }),
            Self::Layout(_) => None,
        }
    }
}

impl Recorded {
    /// What was written for a `Barrier()` call.
    pub fn call(&self, node: NodeId) -> Option<&RecordedPacket> {
        self.calls.get(&node)
    }

    /// Whether anything was written for a `Barrier()` call, or for some of its entries.
    pub fn has_call(&self, node: NodeId) -> bool {
        self.calls.contains_key(&node) || self.parts.contains_key(&node)
    }

    /// The same packets with what a session leaves to them.
    #[must_use]
    pub fn with(self, left: Left) -> Self {
        Self { left, ..self }
    }

    /// Adds a packet for some entries of a call.
    pub fn add_part(&mut self, node: NodeId, entries: Vec<u32>, packet: RecordedPacket) {
        self.parts.entry(node).or_default().push((entries, packet));
    }

    /// What was written for an entry: the packet of some entries that names it, or that of the whole call.
    fn packet_of(&self, id: BarrierRef) -> Option<(Option<&[u32]>, &RecordedPacket)> {
        let mut parts = self.parts.get(&id.node).into_iter().flatten();
        let own = parts.find(|(entries, _)| entries.contains(&id.entry));
        let whole = || Some((None, self.calls.get(&id.node)?));
        own.map(|(entries, packet)| (Some(entries.as_slice()), packet))
            .or_else(whole)
    }

    /// The packet of a `Barrier()` call, to be changed; an empty one if there was none.
    pub fn call_mut(&mut self, node: NodeId) -> &mut RecordedPacket {
        self.calls.entry(node).or_default()
    }

    /// Whether some packet does a step.
    pub fn does(&self, step: RecordedStep) -> bool {
        let unasked = self.unasked.values().flatten();
        let parts = self.parts.values().flatten().map(|(_, packet)| packet);
        let mut packets = self.calls.values().chain(parts).chain(unasked);
        packets.any(|packet| packet.steps.contains(&step))
    }

    /// Adds a packet that no barrier made, after those that are there.
    pub fn add_unasked(&mut self, spot: Spot, packet: RecordedPacket) {
        self.unasked.entry(spot).or_default().push(packet);
    }

    /// What one entry of a call gets. Entries of one call have one packet: what comes before its layout operations is the
    /// first one's, what comes after them the last one's. A half of a split barrier is never together with others.
    fn draft(&self, session: &Session<'_, '_>, entry: &Entry<'_>, part: Part) -> Draft {
        let nothing = RecordedPacket::default();
        let packet = self.packet_of(entry.id);
        let packet = packet.map_or(&nothing, |(_, packet)| packet);
        let (_, hold) = entry.asked();
        let mut draft = packet.draft(hold);
        let is_layout = |step: &RecordedStep| matches!(step, RecordedStep::Layout(_));
        let first_layout = packet.steps.iter().position(is_layout).unwrap_or(0);
        for (at, step) in packet.steps.iter().enumerate() {
            match *step {
                RecordedStep::Layout(op) => {
                    let layout = layout(session, entry, op);
                    draft.steps.extend(layout.map(StepDraft::Layout));
                }
                other if at < first_layout && part.is_first => draft.steps.extend(other.draft(WHY)),
                other if at >= first_layout && part.is_last => draft.steps.extend(other.draft(WHY)),
                _ => {}
            }
        }
        whole_queue(session.profile(), &mut draft);
        draft
    }

    /// Emits what nobody asked for, up to a place.
    fn flow(&self, session: &mut Session<'_, '_>, until: Spot) {
        if self.unasked.is_empty() {
            return;
        }
        let start = Spot {
            node: session.scope_nodes().start,
            is_after: false,
        };
        let reached = session.state::<Reached>();
        let from = match reached.0.replace(until) {
            Some(spot) if spot >= start => Excluded(spot),
            _ => Included(start),
        };
        if from == Excluded(until) {
            return;
        }
        for (_, packets) in self.unasked.range((from, Included(until))) {
            for packet in packets {
                let mut draft = packet.draft(LeafSet::ALL);
                let steps = packet.steps.iter();
                draft.steps = steps.filter_map(|step| step.draft(WHY_UNASKED)).collect();
                whole_queue(session.profile(), &mut draft);
                session.unasked(until.node, &draft);
            }
        }
    }
}

/// How far the stream of a scope was followed.
#[derive(Default)]
struct Reached(Option<Spot>);

/// Which entry of its call an entry is.
#[derive(Copy, Clone)]
struct Part {
    is_first: bool,
    is_last: bool,
    /// It is not kept for a packet with the others.
    is_apart: bool,
}

impl Part {
    /// `among`: the entries that its packet is for; `None` is all of them.
    fn of(session: &Session<'_, '_>, entry: &Entry<'_>, among: Option<&[u32]>) -> Self {
        let all = session.entries_of(entry.id.node);
        let is_real = |(at, it): &(u32, &Barrier)| {
            !matches!(it.target, BarrierTarget::EmptyGroup(_))
                && among.is_none_or(|among| among.contains(at))
        };
        let is_half = |it: &Barrier| it.sync_before.is_split() || it.sync_after.is_split();
        let own: Vec<u32> = (0..).zip(all).filter(is_real).map(|(at, _)| at).collect();
        let is_apart = all.iter().any(is_half) || own.len() == 1;
        Self {
            is_first: is_apart || own.first() == Some(&entry.id.entry),
            is_last: is_apart || own.last() == Some(&entry.id.entry),
            is_apart,
        }
    }
}

/// The layout operation of an entry: a named one, or the one that it needs; none where the entry is about no texture with
/// metadata, or needs none.
fn layout(
    session: &Session<'_, '_>,
    entry: &Entry<'_>,
    op: Option<LayoutOpId>,
) -> Option<LayoutDraft> {
    let own = entry.layout;
    match op {
        None => own,
        Some(op) if own.is_some_and(|own| own.op() == op) => own,
        Some(op) => session.layout_operation(entry, op),
    }
}

impl Lowering for Recorded {
    fn name(&self) -> &'static str {
        "recorded"
    }

    fn summary(&self) -> &'static str {
        "emits what a driver emitted, as somebody recorded it"
    }

    fn policy(&self) -> &dyn Policy {
        self
    }
}

impl Policy for Recorded {
    /// What a driver does at the borders of its passes is in what was recorded, unless it leaves that to the session.
    fn keeps_passes(&self) -> bool {
        self.left.keeps_passes
    }

    fn scope(&self, _: &mut Session<'_, '_>, scope: &mut ScopeDraft) {
        if self.left.ends_scopes {
            *scope = ScopeDraft::default();
        }
    }

    fn entry<'s>(&self, session: &mut Session<'_, 's>, entry: &Entry<'s>) {
        let node = entry.id.node;
        let before = Spot {
            node,
            is_after: false,
        };
        self.flow(session, before);
        let among = self.packet_of(entry.id).and_then(|(among, _)| among);
        let is_named = among.is_some() || !self.parts.contains_key(&node);
        if !is_named {
            // Other entries of the call have packets, and this one has none.
            let empty = entry.draft(LeafSet::EMPTY, LeafSet::EMPTY);
            session.barrier(entry, &empty);
            return;
        }
        let part = Part::of(session, entry, among);
        let draft = self.draft(session, entry, part);
        if part.is_apart {
            session.barrier(entry, &draft);
            return;
        }
        session.defer(entry.clone(), draft);
        if part.is_last {
            session.emit_deferred_in_order();
        }
    }

    fn before_work(&self, session: &mut Session<'_, '_>, node: NodeId, _: &Command) {
        let before = Spot {
            node,
            is_after: false,
        };
        self.flow(session, before);
    }

    fn before_end(&self, session: &mut Session<'_, '_>) {
        let nodes = session.scope_nodes();
        if let Some(last) = nodes.end.0.checked_sub(1) {
            let node = NodeId(last).max(nodes.start);
            let end = Spot {
                node,
                is_after: true,
            };
            self.flow(session, end);
        }
        // The next scope may be one of another queue that comes before this one in the text.
        session.state::<Reached>().0 = None;
    }
}
