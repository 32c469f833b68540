//! Which barrier call, command or list of a timeline each line of a recording is about.
//!
//! Lines are in the order of the stream. One that names its place is there; one that does not is about what comes next.

use super::Spot;
use super::format::At;
use super::mistakes;
use super::trace::TraceLine;
use crate::finding::Finding;
use crate::id::NodeId;
use crate::lower::rules::suggest;
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::{BarrierTarget, CommandKind};
use std::collections::BTreeMap;

/// Where lines of a recording may be in a timeline. Made once for each timeline.
#[derive(Debug)]
pub struct Places {
    /// `Barrier()` calls, in order.
    calls: Vec<NodeId>,
    /// Entries of each.
    entries: Vec<usize>,
    /// Commands that work, in order, each with its label.
    works: Vec<(NodeId, Option<String>)>,
    /// Command lists as they are executed: name, first node, last node.
    lists: Vec<(Option<String>, NodeId, NodeId)>,
    /// Scopes: first node, and whose stream it is in.
    scopes: Vec<(NodeId, Actor)>,
    /// Calls and commands by id.
    ids: BTreeMap<String, NodeId>,
}

/// A line with its place.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Placed {
    /// It is the packet of a call.
    Call(NodeId),
    /// It is nobody's.
    Unasked(Spot),
}

impl Placed {
    fn spot(self) -> Spot {
        match self {
            Self::Call(node) => Spot {
                node,
                is_after: false,
            },
            Self::Unasked(spot) => spot,
        }
    }
}

impl Places {
    /// The places of a timeline.
    pub fn new(timeline: &Timeline<'_>) -> Self {
        let mut places = Self {
            calls: Vec::new(),
            entries: Vec::new(),
            works: Vec::new(),
            lists: Vec::new(),
            scopes: Vec::new(),
            ids: BTreeMap::new(),
        };
        for index in 0..timeline.submissions.len() {
            let id = crate::id::SubmissionId::new(index);
            if timeline.submission(id).kind != SubmissionKind::Execute {
                continue;
            }
            let submission = timeline.submission(id);
            places
                .scopes
                .push((submission.first_node, submission.actor));
            let lists = timeline.lists(submission).iter();
            let ends = timeline.list_starts(id).skip(1).map(|start| start.0);
            let ends = ends.chain([submission.first_node.0 + submission.nodes]);
            for ((list, start), end) in lists.zip(timeline.list_starts(id)).zip(ends) {
                let name = timeline.scenario.lists[*list].name.clone();
                // An empty list has no end that anything could be next to.
                if start.0 < end {
                    places.lists.push((name, start, NodeId(end - 1)));
                }
            }
            for (node, _, command) in timeline.commands(id) {
                places.command(timeline, node, &command.kind);
            }
        }
        places
    }

    fn command(&mut self, timeline: &Timeline<'_>, node: NodeId, kind: &CommandKind) {
        let mut entries = kind.barriers().iter();
        let is_call = entries.any(|it| !matches!(it.target, BarrierTarget::EmptyGroup(_)));
        if is_call {
            self.calls.push(node);
            self.entries.push(kind.barriers().len());
        } else if kind.works() {
            let label = kind.label().map(str::to_owned);
            self.works.push((node, label));
        } else {
            return;
        }
        self.ids.insert(timeline.node_name(node), node);
    }

    /// `Barrier()` calls, in order.
    pub fn calls(&self) -> &[NodeId] {
        &self.calls
    }

    /// What a call is called.
    pub fn name_of(&self, call: NodeId) -> &str {
        let mut ids = self.ids.iter();
        let own = ids.find(|(_, node)| **node == call);
        own.map_or("", |(name, _)| name.as_str())
    }

    /// Whose stream a place is in.
    fn stream(&self, node: NodeId) -> Option<Actor> {
        let scopes = self.scopes.partition_point(|(first, _)| *first <= node);
        scopes.checked_sub(1).map(|at| self.scopes[at].1)
    }

    /// Whether a name is of a call, or of an entry of one.
    pub fn has_call(&self, name: &str) -> bool {
        self.call(name).is_some()
    }

    /// The call or the command of an id.
    pub fn named(&self, name: &str) -> Option<NodeId> {
        self.call(name).or_else(|| self.ids.get(name).copied())
    }

    fn call(&self, name: &str) -> Option<NodeId> {
        let of = |name: &str| {
            let node = self.ids.get(name).copied()?;
            self.calls.binary_search(&node).is_ok().then_some(node)
        };
        of(name).or_else(|| of(name.rsplit_once('.')?.0))
    }

    /// The places of the lines about one program: `lines` are those of one driver, each with whether its `barrier` names a
    /// call and not the scenario. What has no place is a finding.
    pub fn place<'l>(
        &self,
        lines: impl Iterator<Item = (&'l TraceLine, Option<&'l str>)>,
        findings: &mut Vec<Finding>,
    ) -> Vec<(&'l TraceLine, Placed)> {
        let mut placed: Vec<(&TraceLine, Placed)> = Vec::new();
        let mut seen: Seen<'_> = BTreeMap::new();
        // Where the line before is, and how far the stream of each queue has come.
        let mut before: Option<Spot> = None;
        let mut streams: Vec<(Option<Actor>, Spot)> = Vec::new();
        for (line, call) in lines {
            let at = match self.find(line, call, (before, &seen)) {
                Ok(at) => at,
                Err(finding) => {
                    findings.push(*finding);
                    continue;
                }
            };
            if let Some(finding) = self.without_entries(line, at) {
                findings.push(finding);
                continue;
            }
            if let Placed::Call(node) = at
                && let Some(first) = taken(&mut seen, node, line)
            {
                let message = "a second packet for one barrier call";
                let finding = Finding::new(&mistakes::OUT_OF_ORDER, line.span, message)
                    .related(first.span, "the first packet for it, which is kept")
                    .note("this packet is left out")
                    .help("write one packet for each call, with everything that the driver wrote for it");
                findings.push(finding);
                continue;
            }
            before = Some(at.spot());
            let own = self.stream(at.spot().node);
            let stream = streams.iter().position(|(actor, _)| *actor == own);
            let reached = stream.map(|stream| &mut streams[stream].1);
            if reached
                .as_ref()
                .is_some_and(|reached| at.spot() < **reached)
            {
                let message =
                    "this packet is for something before what the packet before it is for";
                let finding = Finding::new(&mistakes::OUT_OF_ORDER, line.span, message)
                    .note("it is kept, at the place that it names")
                    .help("write packets in the order of the stream");
                findings.push(finding);
            } else if let Some(reached) = reached {
                *reached = at.spot();
            } else {
                streams.push((own, at.spot()));
            }
            placed.push((line, at));
        }
        placed
    }

    /// That a packet is for entries that are not there.
    fn without_entries(&self, line: &TraceLine, at: Placed) -> Option<Finding> {
        let named = line.packet.entries.as_ref()?;
        let (message, help) = match at {
            Placed::Unasked(_) => (
                format!("a packet at `{}` that names entries", line.packet.at.word()),
                "`entries` is of the packet of a call: leave it out".to_owned(),
            ),
            Placed::Call(node) => {
                let call = self.calls.binary_search(&node).ok()?;
                let (name, count) = (self.name_of(node), self.entries[call]);
                let unknown = named.iter().find(|at| **at as usize >= count);
                let message = match unknown {
                    Some(unknown) => format!("the barrier call {name} has no entry {unknown}"),
                    None if named.is_empty() => "a packet for no entry".to_owned(),
                    None => return None,
                };
                let help = format!(
                    "it has {count}, counted from 0; without `entries` a packet is for all of them"
                );
                (message, help)
            }
        };
        let finding = Finding::new(&mistakes::NO_PLACE, line.span, message);
        Some(finding.note("the packet is left out").help(help))
    }

    fn find(
        &self,
        line: &TraceLine,
        call: Option<&str>,
        (reached, seen): (Option<Spot>, &Seen<'_>),
    ) -> Result<Placed, Box<Finding>> {
        let packet = &line.packet;
        let named = packet.command.as_deref();
        let nothing = |message: String, help: String| {
            let finding = Finding::new(&mistakes::NO_PLACE, line.span, message);
            Box::new(finding.note("the packet is left out").help(help))
        };
        let is_next =
            |node: &NodeId| reached.is_none_or(|it| it.node <= *node) && !seen.contains_key(node);
        if packet.at != At::Barrier && call.is_some() || packet.at == At::Barrier && named.is_some()
        {
            let message = format!(
                "a packet at `{}` that names {}",
                packet.at.word(),
                if call.is_some() {
                    "a barrier call"
                } else {
                    "a command"
                }
            );
            let help = "`barrier` is of the packet of a call, `command` of a packet of nobody: leave one of them out";
            return Err(nothing(message, help.to_owned()));
        }
        match packet.at {
            At::Barrier => {
                let count = self.calls.len();
                let (known, message) = if let Some(name) = call {
                    let message = format!("no barrier call `{}`", suggest::cut(name));
                    (self.call(name), message)
                } else {
                    let next = self.calls.iter().find(|node| is_next(node));
                    let message = format!(
                        "a packet for a barrier call after the last: the scenario makes {count}"
                    );
                    (next.copied(), message)
                };
                known
                    .map(Placed::Call)
                    .ok_or_else(|| nothing(message, self.known_calls()))
            }
            At::Work => self
                .work(named, reached)
                .map(before)
                .ok_or_else(|| nothing(format!("no command {}", told(named)), WORKS.to_owned())),
            At::End => self
                .list_end(named, reached)
                .map(|node| {
                    Placed::Unasked(Spot {
                        node,
                        is_after: true,
                    })
                })
                .ok_or_else(|| nothing(format!("no list {}", told(named)), LISTS.to_owned())),
            At::Submit => self
                .scope_start(named, reached)
                .map(before)
                .ok_or_else(|| nothing(format!("no submission {}", told(named)), WORKS.to_owned())),
        }
    }

    /// A command by id, or the next one of a label, or the next one.
    fn work(&self, named: Option<&str>, reached: Option<Spot>) -> Option<NodeId> {
        if let Some(node) = named.and_then(|name| self.ids.get(name)) {
            let works = self.works.binary_search_by_key(node, |(node, _)| *node);
            return works.is_ok().then_some(*node);
        }
        let from = reached.map_or(0, |it| {
            self.works
                .partition_point(|(node, _)| *node < it.node || *node == it.node && it.is_after)
        });
        let fits = |label: &Option<String>| named.is_none() || label.as_deref() == named;
        let next = self.works[from..].iter().find(|(_, label)| fits(label));
        let any = || {
            self.works
                .iter()
                .rev()
                .find(|(_, label)| named.is_some() && fits(label))
        };
        next.or_else(any).map(|(node, _)| *node)
    }

    /// The end of a list, by name or by the id of something in it, or of the one that the stream is in.
    fn list_end(&self, named: Option<&str>, reached: Option<Spot>) -> Option<NodeId> {
        if let Some(node) = named.and_then(|name| self.named(name)) {
            let mut own = self.lists.iter();
            let own = own.find(|(_, first, last)| (*first..=*last).contains(&node));
            return own.map(|(_, _, last)| *last);
        }
        let fits = |name: &Option<String>| named.is_none() || name.as_deref() == named;
        let is_ahead = |last: NodeId| {
            reached.is_none_or(|it| it.node < last || it.node == last && !it.is_after)
        };
        let mut fit = self.lists.iter().filter(|(name, ..)| fits(name));
        let ahead = fit.clone().find(|(_, _, last)| is_ahead(*last));
        ahead.or_else(|| fit.next_back()).map(|(_, _, last)| *last)
    }

    /// The start of the submission of a command, or of the one that the stream enters next.
    fn scope_start(&self, named: Option<&str>, reached: Option<Spot>) -> Option<NodeId> {
        if named.is_some() {
            let known = named.and_then(|name| self.ids.get(name)).copied();
            let node = known.or_else(|| self.work(named, reached))?;
            let scopes = self.scopes.partition_point(|(first, _)| *first <= node);
            return scopes.checked_sub(1).map(|at| self.scopes[at].0);
        }
        let is_ahead = |first: NodeId| reached.is_none_or(|it| it.node <= first && !it.is_after);
        let mut starts = self.scopes.iter().map(|(first, _)| *first);
        match reached {
            Some(it) if it.is_after => starts.find(|first| *first > it.node),
            _ => starts.find(|first| is_ahead(*first)),
        }
    }

    fn known_calls(&self) -> String {
        let first = self.calls.iter().take(LISTED_MAX);
        let mut names: Vec<&str> = first.map(|call| self.name_of(*call)).collect();
        if names.len() < self.calls.len() {
            names.push("…");
        }
        match names.as_slice() {
            [] => "the scenario makes no barrier call".to_owned(),
            names => format!("its calls are {}", names.join(", ")),
        }
    }
}

/// The packets of each call so far.
type Seen<'l> = BTreeMap<NodeId, Vec<&'l TraceLine>>;

/// Adds a packet to its call's, unless an earlier one is for the same entries: that one. Entries of one packet follow each
/// other, and come after those of the packets before it: what does not is a second packet too.
fn taken<'l>(seen: &mut Seen<'l>, node: NodeId, line: &'l TraceLine) -> Option<&'l TraceLine> {
    let known = seen.entry(node).or_default();
    let last = known.last().copied();
    let follows = match (last.map(|it| &it.packet.entries), &line.packet.entries) {
        (None, _) => true,
        (Some(Some(before)), Some(own)) => before.iter().max() < own.iter().min(),
        _ => false,
    };
    if follows {
        known.push(line);
        return None;
    }
    last
}

/// Calls that a message lists.
const LISTED_MAX: usize = 20;

const WORKS: &str =
    "name a command that works by its id, as `syncscope run` prints it, or by its label";
const LISTS: &str =
    "name a list that is executed, or something in it by its id, as `syncscope run` prints it";

fn before(node: NodeId) -> Placed {
    Placed::Unasked(Spot {
        node,
        is_after: false,
    })
}

fn told(named: Option<&str>) -> String {
    named.map_or_else(
        || "after what the packet before it is for".to_owned(),
        |name| format!("`{}`", suggest::cut(name)),
    )
}
