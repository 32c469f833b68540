//! Why each moment of a run came no earlier.
//!
//! A moment is the start or end of something that a packet does: its launch, a stage, a wait, an operation. Its links
//! name every earlier moment that it had to wait for, and how long it took from there. So a moment's time is exactly the
//! latest of its links' ends; the links that reach it bind, the others have slack. [`Causes::check`] holds that.
//!
//! Moments are in an order in which every link points backward.
//!
//! Memory: 24 bytes a moment, 24 a link; a draw of four stages has about ten moments and fifteen links.

use super::Reason;
use crate::api::Leaf;
use crate::id::{MomentId, OpId, Table};
use crate::time::Ps;

/// Moments and what each waited for.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Causes {
    /// Moments; the first is the start of time.
    pub moments: Table<MomentId, Moment>,
    /// Links of all moments; a moment's own start at [`Moment::first_link`] and end where the next one's start.
    pub links: Vec<Link>,
    /// When each packet had retired, by `OpId`; [`Causes::NEVER`] for one that did not.
    pub ends: Table<OpId, MomentId>,
    /// Stages whose work lost time because a barrier had dropped what they read: the end of the stage, and the time.
    pub refills: Vec<(MomentId, Ps)>,
}

/// Something starts or ends.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Moment {
    /// Time of the moment.
    pub at: Ps,
    /// Whose; `None`: the start of time, or a meeting of several.
    pub op: Option<OpId>,
    /// First of its links.
    pub first_link: u32,
}

/// What a moment had to wait for.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Link {
    /// The earlier moment.
    pub from: MomentId,
    /// How it bears on this one.
    pub why: Why,
    /// What was done from there until this moment.
    pub did: Reason,
    /// How long that took.
    pub takes: Ps,
}

/// How an earlier moment bears on a later one.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum Why {
    /// The packet goes on.
    Flow,
    /// The queue's front end takes up packets in order.
    FrontEnd,
    /// The CPU had to submit it.
    Submission,
    /// Too many packets were in flight.
    Slot,
    /// All earlier packets of the queue had to retire.
    Idle,
    /// A barrier's waits kept the front end.
    Stop,
    /// A fence had to reach a value.
    Fence,
    /// A barrier held the stage.
    Hold,
    /// A barrier could have held the stage, but had completed before the work came there. The link takes no part in the
    /// moment's time; it says how late the barrier may be.
    Passed,
    /// A barrier waits for the work of a stage.
    Drain,
    /// A barrier follows an earlier barrier.
    EarlierBarrier,
    /// Depth tests and colour outputs end in the order of issue.
    RasterOrder,
    /// One of several that meet here.
    Meet,
    /// One of several barriers that may hold a stage.
    Gate,
}

impl Why {
    /// The words that reports print.
    pub fn words(self) -> &'static str {
        match self {
            Self::Flow | Self::Meet => "pipeline",
            Self::FrontEnd => "front end in order",
            Self::Submission => "submission",
            Self::Slot => "slot",
            Self::Idle => "idle",
            Self::Fence => "fence",
            Self::Hold | Self::Passed | Self::Gate | Self::Stop => "barrier",
            Self::Drain => "drain",
            Self::EarlierBarrier => "earlier barrier",
            Self::RasterOrder => "raster order",
        }
    }
}

impl Causes {
    /// The moment of what never happened.
    pub const NEVER: MomentId = MomentId(u32::MAX);
    /// The start of time.
    pub const START: MomentId = MomentId(0);

    /// Nothing has happened yet.
    pub fn new(ops: usize) -> Self {
        let begin = Moment {
            at: Ps::ZERO,
            op: None,
            first_link: 0,
        };
        Self {
            moments: vec![begin].into(),
            links: Vec::new(),
            ends: Table::filled(ops, Self::NEVER),
            refills: Vec::new(),
        }
    }

    /// A moment.
    pub fn moment(&self, id: MomentId) -> Moment {
        self.moments[id]
    }

    /// When a moment is.
    pub fn at(&self, id: MomentId) -> Ps {
        self.moments[id].at
    }

    /// What a moment had to wait for.
    pub fn links(&self, id: MomentId) -> &[Link] {
        let next = self.moments.get(MomentId(id.0 + 1));
        let end = next.map_or(self.links.len(), |m| m.first_link as usize);
        &self.links[self.moments[id].first_link as usize..end]
    }

    /// When a link is over.
    pub fn end_of(&self, link: &Link) -> Ps {
        self.at(link.from) + link.takes
    }

    /// The link that bound a moment: of several, the one that took longest, and of those the first.
    pub fn binding(&self, id: MomentId) -> Option<&Link> {
        let at = self.at(id);
        let mut best: Option<&Link> = None;
        for link in self.links(id) {
            let binds = link.why != Why::Passed && self.end_of(link) == at;
            if binds && best.is_none_or(|b| link.takes > b.takes) {
                best = Some(link);
            }
        }
        best
    }

    /// What the stages of packets did: the packet, its stage, from when and until when. A stage goes from the moment of its
    /// start to that of its end.
    pub fn stages(&self) -> impl Iterator<Item = (OpId, Leaf, Ps, Ps)> + '_ {
        let all = (0..self.moments.len()).map(MomentId::new);
        all.flat_map(move |id| {
            let moment = self.moment(id);
            self.links(id).iter().filter_map(move |link| {
                let op = moment.op?;
                let is_own = self.moment(link.from).op == Some(op);
                match link.did {
                    Reason::Work(leaf) if is_own => Some((op, leaf, self.at(link.from), moment.at)),
                    _ => None,
                }
            })
        })
    }

    /// Adds a moment after all others.
    ///
    /// # Panics
    /// If there are more than 2^32 links.
    pub fn push(&mut self, at: Ps, op: Option<OpId>, links: &[Link]) -> MomentId {
        let id = MomentId::new(self.moments.len());
        self.moments.push(Moment {
            at,
            op,
            first_link: u32::try_from(self.links.len()).expect("a trace is limited to 2^32 links"),
        });
        self.links.extend_from_slice(links);
        id
    }

    /// The last moment of all.
    pub fn last(&self) -> MomentId {
        let ends = self.ends.iter().copied().filter(|end| *end != Self::NEVER);
        ends.max_by_key(|end| (self.at(*end), *end))
            .unwrap_or(Self::START)
    }

    /// The first moment that its links do not explain, if any: its time must be the latest end of a link, and every
    /// link must point backward.
    pub fn check(&self) -> Option<MomentId> {
        let explained = |id: MomentId| {
            let links = self.links(id);
            let backward = links
                .iter()
                .all(|l| l.from < id && self.at(l.from) <= self.at(id));
            let counted = links.iter().filter(|l| l.why != Why::Passed);
            let latest = counted.map(|l| self.end_of(l)).max();
            backward && latest.unwrap_or(Ps::ZERO) == self.at(id)
        };
        (0..self.moments.len())
            .map(MomentId::new)
            .find(|id| !explained(*id))
    }
}
