//! How near a pair or a barrier comes to being the link that let a read go wrong.
//!
//! Three ways lead to a wrong read: the needed write does not reach the read in time (`Need`), a later write comes too
//! early (`Overtake`), an older write stays or comes back over the needed one (`Outlive`). A way has two ends, and the
//! barriers on the read's bytes between these are its places. A *link* is a pair whose sides both are ends or places.
//! A finding stands for other pairs that it implies (reading R42): a pair of the same use or of an earlier reader counts
//! where no link is found.

use super::{EvaluationPlace, Judge, Pair, Sided, extents};
use crate::analyze::names;
use crate::ensure::{Shortfall, What};
use crate::graph::{Conflict, ConflictKind, Part, Side};
use crate::id::{Extent, NodeId};
use crate::trace::{Observation, ObservationKind, WrongPart};

/// Bytes in which the writes of two clients may disturb each other (reading R21).
const GRANULE: u64 = 256;

/// How near, the lowest being the nearest.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Rank(u8);

impl Rank {
    /// The link itself.
    const LINK: Self = Self(0);
    /// It stands for the link.
    const STANDS_FOR: Self = Self(1);
    /// Somewhere on the way.
    const NEAR: Self = Self(20);
    /// Farther than anything.
    pub(super) const FAR: Self = Self(u8::MAX);

    fn worse(self, by: u8) -> Self {
        Self(self.0.saturating_add(by))
    }
}

/// How a read went wrong.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
enum Way {
    /// From the needed write (or from before anything) to the read.
    Need,
    /// From the read to a later write that it saw.
    Overtake,
    /// From the write that comes first to the one that comes second, of the needed one and the one that was seen.
    Outlive,
}

/// Some bytes of a wrong read, with the ways that may have led there.
pub(super) struct Chain<'j, 'a, 's> {
    judge: &'j Judge<'a, 's>,
    read: &'j Observation,
    bytes: Extent,
    saw: Option<NodeId>,
    expected: Option<NodeId>,
    reader: EvaluationPlace,
    /// Ways that the bytes took, likeliest first.
    ways: [Option<(Way, EvaluationPlace, EvaluationPlace)>; 3],
}

/// Whether the two sides of a kind of conflict happen at once, so that neither end of a way is between them.
pub(super) fn is_concurrent(kind: ConflictKind) -> bool {
    kind.is_race()
        || matches!(
            kind,
            ConflictKind::FalseSharing | ConflictKind::ConcurrentWriters
        )
}

impl<'j, 'a, 's> Chain<'j, 'a, 's> {
    pub(super) fn new(judge: &'j Judge<'a, 's>, read: &'j Observation, part: &WrongPart) -> Self {
        let reader = judge.place(read.node);
        let (saw, expected) = (part.saw, part.expected);
        let at = |node: Option<NodeId>| node.map(|node| judge.place(node));
        // What the whole timeline finds in memory was there before its first node.
        let start = at(expected).unwrap_or((0, 0));
        let need = (start <= reader).then_some((Way::Need, start, reader));
        let overtake = at(saw).filter(|saw| *saw > reader);
        let overtake = overtake.map(|saw| (Way::Overtake, reader, saw));
        let outlive = at(saw).zip(at(expected)).filter(|(a, b)| a != b);
        let outlive = outlive.map(|(a, b)| (Way::Outlive, a.min(b), a.max(b)));
        let ways = match read.kind {
            _ if overtake.is_some() => [overtake, need, outlive],
            ObservationKind::Torn => [outlive, need, None],
            ObservationKind::Early
            | ObservationKind::Late
            | ObservationKind::Stale
            | ObservationKind::Undefined
            | ObservationKind::Undecoded => [need, outlive, None],
        };
        Self {
            judge,
            read,
            bytes: part.extent,
            saw,
            expected,
            reader,
            ways,
        }
    }

    /// The first and the last place of all ways.
    pub(super) fn range(&self) -> (EvaluationPlace, EvaluationPlace) {
        let ways = || self.ways.iter().flatten();
        let from = ways().map(|(_, from, _)| *from).min();
        let until = ways().map(|(_, _, until)| *until).max();
        let from = from.unwrap_or(self.reader).min(self.reader);
        (from, until.unwrap_or(self.reader).max(self.reader))
    }

    /// How near a conflict comes; `None` if it has nothing to do with the read.
    pub(super) fn rank(&self, pair: Pair<'_>) -> Option<Rank> {
        let second = pair.second;
        match pair.conflict.kind {
            ConflictKind::ReadAfterWrite | ConflictKind::WriteAfterRead => self.rank_of_pair(pair),
            ConflictKind::WriteAfterWrite => self.rank_of_pair(pair).or_else(|| {
                // What one finding says of two writers holds for the bytes next to them in one line too.
                let is_torn = self.read.kind == ObservationKind::Torn;
                self.rank_of_writers(pair.conflict).filter(|_| is_torn)
            }),
            ConflictKind::UndefinedContents => {
                let undefined = self.read.kind == ObservationKind::Undefined;
                let near = if undefined { Rank::LINK } else { Rank::NEAR };
                self.rank_of_use(second, near, Rank::FAR)
                    .filter(|rank| *rank < Rank::FAR)
            }
            // No command reads what is kept.
            ConflictKind::KeptUndefined | ConflictKind::KeptGivenUp => None,
            ConflictKind::LayoutMismatch | ConflictKind::MetadataUninitialised => {
                let garbled = matches!(
                    self.read.kind,
                    ObservationKind::Undecoded | ObservationKind::Undefined
                );
                let near = if garbled { Rank::LINK } else { Rank::NEAR };
                self.rank_of_use(second, near, near)
            }
            ConflictKind::UseWhileSplit
            | ConflictKind::UseInactive
            | ConflictKind::UseOverwritten
            | ConflictKind::FeedbackInCommand
            | ConflictKind::Inherited => self.rank_of_use(second, Rank::LINK, Rank::STANDS_FOR),
            ConflictKind::FalseSharing | ConflictKind::ConcurrentWriters => {
                self.rank_of_writers(pair.conflict)
            }
            ConflictKind::RaceReadWrite
            | ConflictKind::RaceWriteWrite
            | ConflictKind::RaceLayout => self.rank_of_race(pair),
        }
    }

    /// A use that is wrong by itself: the read, or the write of what was seen or needed.
    fn rank_of_use(&self, used: Sided<'_>, reads: Rank, writes: Rank) -> Option<Rank> {
        let side = used.side;
        if self.is_read(side) {
            return Some(reads);
        }
        if self.is_told_of(side) {
            return Some(reads.worse(1));
        }
        let wrote = Some(side.node) == self.saw || Some(side.node) == self.expected;
        (wrote && self.meets(used)).then_some(writes)
    }

    /// Two uses of one scope, or a use and a barrier's layout change, or two of those.
    fn rank_of_pair(&self, pair: Pair<'_>) -> Option<Rank> {
        let conflict = pair.conflict;
        let places = (pair.first.facts.place, pair.second.facts.place);
        let mut best: Option<Rank> = None;
        let meet = || self.meets(pair.first) && self.meets(pair.second);
        for (at, way) in self.ways.iter().enumerate() {
            let Some((way, from, until)) = *way else {
                continue;
            };
            let is_between = places.0 >= from && places.1 <= until;
            let by = 4 * u8::try_from(at).unwrap_or(u8::MAX);
            let rank = if is_between && self.is_link(way, pair, (from, until)) && meet() {
                // A write that had not ended is not what visibility is about.
                let excused = self.read.kind == ObservationKind::Early && conflict.ordered;
                Some(Rank::LINK.worse(by + 2 * u8::from(excused)))
            } else if self.stands_for(way, conflict, places, (from, until)) && {
                // The earlier read that it names may be of other bytes.
                let writes = way == Way::Overtake && self.meets(pair.second);
                self.is_told_of(pair.second.side) || writes || meet()
            } {
                Some(Rank::STANDS_FOR.worse(by))
            } else if is_between && meet() {
                Some(Rank::NEAR.worse(by))
            } else {
                None
            };
            best = best.into_iter().chain(rank).min();
        }
        best
    }

    /// Whether both sides of a pair are ends or places of a way.
    fn is_link(
        &self,
        way: Way,
        pair: Pair<'_>,
        (from, until): (EvaluationPlace, EvaluationPlace),
    ) -> bool {
        let (first, second) = (pair.first, pair.second);
        let is_end = |own: Sided<'_>, end: EvaluationPlace| {
            own.facts.place == end && (end != self.reader || self.is_read(own.side))
        };
        let is_place = |own: Sided<'_>| own.side.barrier().is_some();
        let is_first = is_end(first, from) || is_place(first);
        let is_second = is_end(second, until) || is_place(second);
        let is_reads = pair.conflict.kind == ConflictKind::WriteAfterRead;
        let fits = match way {
            // The write is what must reach the read.
            Way::Need | Way::Outlive => !is_reads,
            Way::Overtake => is_reads != is_place(first),
        };
        fits && is_first && is_second
    }

    /// Whether a pair is the one that was reported for a link (reading R42).
    fn stands_for(
        &self,
        way: Way,
        conflict: &Conflict,
        places: (EvaluationPlace, EvaluationPlace),
        (from, until): (EvaluationPlace, EvaluationPlace),
    ) -> bool {
        let (first, second) = (&conflict.first, &conflict.second);
        let is_place = |side: &Side| side.barrier().is_some();
        match way {
            // The same read with another write; or the same write, or barrier, with an earlier read.
            Way::Need => {
                self.is_told_of(second)
                    || (places.0 == from || is_place(first))
                        && places.0 >= from
                        && places.1 <= until
            }
            // The same write with a later read.
            Way::Overtake => {
                (places.1 == until || is_place(second)) && places.0 >= from && places.1 <= until
            }
            Way::Outlive => {
                (places.0 == from || places.1 == until || is_place(first) || is_place(second))
                    && places.0 >= from
                    && places.1 <= until
            }
        }
    }

    /// Two writers that share a line. Between granules that nobody shares, only a machine with longer lines can tear.
    fn rank_of_writers(&self, conflict: &Conflict) -> Option<Rank> {
        let (first, second) = (&conflict.first, &conflict.second);
        let own = [first, second]
            .into_iter()
            .filter(|side| Some(side.node) == self.expected || Some(side.node) == self.saw);
        let both = first.node != second.node && own.clone().count() == 2;
        let whole = self.bytes.at(
            self.bytes.start / GRANULE * GRANULE,
            self.bytes.end.next_multiple_of(GRANULE),
        );
        let mut own = own;
        let meets = own.any(|side| {
            extents(self.judge.timeline, side)
                .iter()
                .any(|e| e.intersection(whole).is_some())
        });
        if !meets {
            return None;
        }
        Some(match self.read.kind {
            ObservationKind::Torn => Rank::LINK,
            _ if both => Rank::LINK,
            _ => Rank::NEAR,
        })
    }

    /// Two uses that no fence orders.
    fn rank_of_race(&self, pair: Pair<'_>) -> Option<Rank> {
        let (first, second) = (pair.first, pair.second);
        let wrote = |own: Sided<'_>| {
            let node = Some(own.side.node);
            (node == self.saw || node == self.expected) && self.meets(own)
        };
        let is_garbled = matches!(
            self.read.kind,
            ObservationKind::Undecoded | ObservationKind::Undefined | ObservationKind::Torn
        );
        let rewrites = |own: Sided<'_>| own.side.barrier().is_some() && self.meets(own);
        let reads = (self.is_read(first.side), self.is_read(second.side));
        match reads {
            (true, _) if wrote(second) => Some(Rank::LINK),
            (_, true) if wrote(first) => Some(Rank::LINK),
            (false, false) if wrote(first) && wrote(second) => Some(Rank::LINK),
            (true, _) if rewrites(second) && is_garbled => Some(Rank::LINK),
            (_, true) if rewrites(first) && is_garbled => Some(Rank::LINK),
            (false, false)
                if wrote(first) && rewrites(second) || wrote(second) && rewrites(first) =>
            {
                Some(if is_garbled { Rank::LINK } else { Rank::NEAR })
            }
            _ if self.is_told_of(first.side) || self.is_told_of(second.side) => {
                Some(Rank::STANDS_FOR)
            }
            _ => (wrote(first) || wrote(second)).then_some(Rank::NEAR),
        }
    }

    /// How near a barrier with a missing operation comes.
    pub(super) fn rank_of_missing(&self, missing: &Shortfall) -> Option<Rank> {
        let timeline = self.judge.timeline;
        let node = missing.barrier.node;
        let place = self.judge.place(node);
        let barrier = names::entry(timeline, missing.barrier)?;
        if barrier.resource().is_some() {
            let mut meets = false;
            timeline
                .memory
                .for_each_barrier_extent(timeline.scenario, barrier, |extent| {
                    meets |= extent.intersection(self.bytes).is_some();
                });
            if !meets {
                return None;
            }
        }
        let scope = self.judge.submission(node);
        let ways = self.ways.iter().enumerate();
        let rank = ways.filter_map(|(at, way)| {
            let (way, from, until) = (*way)?;
            let is_in_scope = [Some(self.read.node), self.saw, self.expected]
                .into_iter()
                .flatten()
                .any(|end| self.judge.submission(end) == scope);
            (is_in_scope && place >= from && place <= until).then(|| {
                let by = 4 * u8::try_from(at).unwrap_or(u8::MAX);
                let near = if self.fits(way, missing.what) {
                    Rank::LINK
                } else {
                    Rank::STANDS_FOR
                };
                near.worse(by)
            })
        });
        rank.min()
    }

    /// Whether a missing operation leads to such a wrong read.
    fn fits(&self, way: Way, what: What) -> bool {
        match what {
            What::Wait(_) | What::Hold(_) | What::FrontEnd | What::FirstHalf => {
                self.read.kind != ObservationKind::Stale || way == Way::Overtake
            }
            // The cache that answered kept its line.
            What::Invalidate(cache) => {
                self.read.kind == ObservationKind::Stale && self.read.from == Some(cache)
            }
            What::Clean(cache) => {
                way != Way::Overtake
                    && self.read.kind != ObservationKind::Early
                    && self.read.from != Some(cache)
            }
            What::Layout(_) => matches!(
                self.read.kind,
                ObservationKind::Undecoded | ObservationKind::Undefined
            ),
        }
    }

    /// Whether a side is the read itself.
    fn is_read(&self, side: &Side) -> bool {
        let read = self.read;
        side.node == read.node
            && side.resource == read.resource
            && match side.part {
                Part::Use(index) => {
                    read.use_node == side.node && index == u32::from(read.use_index)
                }
                Part::Root { set, index } => {
                    read.use_node == set && index == u32::from(read.use_index)
                }
                Part::Whole => true,
                Part::Entry(_) => false,
            }
    }

    /// Whether what is said of a side is said of the read too: one finding stands for all uses of a resource by one command
    /// (reading R42).
    fn is_told_of(&self, side: &Side) -> bool {
        side.node == self.read.node
            && side.resource == self.read.resource
            && !matches!(side.part, Part::Entry(_))
    }

    /// Whether a side touches the bytes.
    fn meets(&self, own: Sided<'_>) -> bool {
        own.meets(self.judge.timeline, self.bytes)
    }
}
