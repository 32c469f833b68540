//! The state within a scope as one on which operations act later: which states differ only in their marks.
//!
//! A mark is the position at which something happened, with who did it, or what a barrier waited for. Only order and
//! global barriers look at marks, and both are monotone in them: later work is covered less, and so is what less was
//! waited for. Names of resources are told apart as long as they are few. Everything else that decides is compared.

use super::apply::Entry;
use super::cover::{Row, Version, Writer};
use super::state::{Access, Latest, Reader, Record, State};
use super::tree::{Bound, Lazy, Likeness};
use crate::id::ResourceId;
use smallvec::SmallVec;
use std::cmp::Ordering;

/// What remains to be done of a use or a barrier entry that found nothing.
pub(super) enum Later {
    Use(Access),
    Barrier(Box<Entry>),
}

impl Lazy for State {
    type Later = Later;

    fn redo(&mut self, later: &Later) {
        match later {
            Later::Use(access) => self.enter(access, false),
            Later::Barrier(entry) => {
                let met = entry.meet(self);
                entry.change(self, &met, false);
            }
        }
    }

    fn is_same_slot(first: &Later, second: &Later) -> bool {
        match (first, second) {
            (Later::Use(a), Later::Use(b)) => {
                let key = |a: &Access| (a.side.resource, a.side.stages, a.writes);
                key(a) == key(b)
            }
            (Later::Barrier(a), Later::Barrier(b)) => a.side.resource == b.side.resource,
            _ => false,
        }
    }

    fn likeness(&self, other: &Self) -> Likeness {
        if !self.is_same_but_for_names(other) {
            Likeness::None
        } else if self.has_names_of(other) {
            Likeness::Full
        } else if are_in_one_order(self.names(), other.names()) {
            Likeness::Renamed
        } else {
            Likeness::None
        }
    }

    fn widen(&mut self, by: &Self, bound: Bound) {
        for (known, by) in self.versions.iter_mut().zip(&by.versions) {
            widen_record(known, by, bound);
        }
        for (known, by) in self.readers.iter_mut().zip(&by.readers) {
            let at = |r: &Reader| (r.position, r.side.part);
            let name = bound.of(known.side.resource, by.side.resource);
            if bound.of(at(known), at(by)) != at(known) {
                *known = *by;
            }
            known.side.resource = name;
        }
        self.latest_whole = bound.of(self.latest_whole, by.latest_whole);
        let latest = self.latest.iter_mut().zip(&by.latest);
        for ((name, known), (by_name, by)) in latest.chain(self.begun.iter_mut().zip(&by.begun)) {
            *name = bound.of(*name, *by_name);
            widen_latest(known, by, bound);
        }
    }

    fn is_told_apart(later: &Later, worst: &Self, best: &Self) -> bool {
        let resource = match later {
            Later::Use(access) => access.side.resource,
            Later::Barrier(entry) => entry.side.resource,
        };
        worst.has_between(best, resource)
    }
}

/// Whether two lists of names are the same but for which names they are: any two of one are equal, or ordered, as those of the
/// other are.
pub(super) fn are_in_one_order(
    one: impl Iterator<Item = ResourceId>,
    other: impl Iterator<Item = ResourceId>,
) -> bool {
    let mut pairs: SmallVec<[(ResourceId, ResourceId); 8]> = one.zip(other).collect();
    pairs.sort_unstable();
    let mut next = pairs.windows(2);
    next.all(|pair| pair[0].0.cmp(&pair[1].0) == pair[0].1.cmp(&pair[1].1))
}

/// Whether a name is among those between the last and the first of a kind, in some place.
pub(super) fn is_between(
    last: impl Iterator<Item = ResourceId>,
    first: impl Iterator<Item = ResourceId>,
    name: ResourceId,
) -> bool {
    let mut ends = last.zip(first);
    ends.any(|(last, first)| first != last && first <= name && name <= last)
}

/// How a version lies to a barrier on its bytes.
#[derive(PartialEq)]
enum Link {
    /// To one that the state knows, if it knows one.
    To(Option<Ordering>),
    /// To one that the walk knows: its position in full.
    At(u32),
}

impl State {
    /// Whether two states differ only in their marks and names.
    fn is_same_but_for_names(&self, other: &Self) -> bool {
        let barriers = |a: &[(ResourceId, Latest)], b: &[(ResourceId, Latest)]| {
            same(a, b, |(_, latest), (_, by)| latest.after == by.after)
        };
        barriers(&self.latest, &other.latest)
            && barriers(&self.begun, &other.begun)
            && same(&self.readers, &other.readers, |a, b| {
                let key = |r: &Reader| (r.leaf, r.synchronous, r.side.access);
                key(a) == key(b)
            })
            && same(&self.versions, &other.versions, |a, b| {
                is_record_alike(a, b) && self.links(a).eq(other.links(b))
            })
    }

    /// Whether a state that is the same but for names has the same names.
    fn has_names_of(&self, other: &Self) -> bool {
        let barriers = |a: &[(ResourceId, Latest)], b: &[(ResourceId, Latest)]| {
            same(a, b, |(a, _), (b, _)| a == b)
        };
        same(&self.versions, &other.versions, |a, b| {
            (a.side.resource, a.begun.map(|half| half.resource))
                == (b.side.resource, b.begun.map(|half| half.resource))
                && same(&a.flushed_by, &b.flushed_by, |a, b| {
                    a.resource == b.resource
                })
                && same(&a.run, &b.run, |(a, _), (b, _)| a == b)
        }) && barriers(&self.latest, &other.latest)
            && barriers(&self.begun, &other.begun)
            && same(&self.readers, &other.readers, |a, b| {
                a.side.resource == b.side.resource
            })
    }

    /// The names of resources, place by place: two states that are the same but for them have as many.
    fn names(&self) -> impl Iterator<Item = ResourceId> + '_ {
        let barriers = self.latest.iter().chain(&self.begun);
        let readers = self.readers.iter().map(|reader| reader.side.resource);
        let versions = self.versions.iter().flat_map(|record| {
            let flushed = record.flushed_by.iter().map(|by| by.resource);
            let runs = record.run.iter().map(|(resource, _)| *resource);
            let begun = record.begun.map(|half| half.resource);
            let own = [record.side.resource].into_iter().chain(begun);
            own.chain(flushed).chain(runs)
        });
        barriers
            .map(|(resource, _)| *resource)
            .chain(readers)
            .chain(versions)
    }

    /// Whether a name is among those between the last and the first of a kind, of which this is the worst state.
    pub(super) fn has_between(&self, best: &Self, name: ResourceId) -> bool {
        is_between(self.names(), best.names(), name)
    }

    /// How a version lies to the barriers on its bytes with which it may compose: before, with or after the latest one
    /// and the open first half of its resource, and for each run that it is in.
    fn links<'s>(&'s self, record: &'s Record) -> impl Iterator<Item = Link> + 's {
        let resource = record.side.resource;
        let is_transition = matches!(record.version.writer, Writer::Transition(_));
        let begun = self.begun.iter().find(|(known, _)| *known == resource);
        let own = [self.latest_of(resource), begun.map(|(_, latest)| latest)];
        let link = record.version.link_position();
        let own = own.into_iter().map(move |latest| {
            let latest = latest.filter(|_| is_transition);
            Link::To(latest.map(|latest| link.cmp(&latest.position)))
        });
        let runs = record.run.iter().map(|(resource, position)| {
            let latest = self.latest_of(*resource);
            latest.map_or(Link::At(*position), |latest| {
                Link::To(Some(position.cmp(&latest.position)))
            })
        });
        own.chain(runs)
    }
}

fn same<T>(a: &[T], b: &[T], mut alike: impl FnMut(&T, &T) -> bool) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b))
}

fn is_record_alike(a: &Record, b: &Record) -> bool {
    let facts = |r: &Record| {
        (
            (r.side.access, r.atomics, r.synchronous),
            (r.given_up, r.replaced, r.settled),
            r.begun.map(|half| half.picked_up),
        )
    };
    facts(a) == facts(b)
        && a.version.is_alike(&b.version)
        && a.run.len() == b.run.len()
        && same(&a.flushed_by, &b.flushed_by, |a, b| {
            (a.held, a.held_in_call, a.is_first) == (b.held, b.held_in_call, b.is_first)
        })
}

fn widen_record(known: &mut Record, by: &Record, bound: Bound) {
    let at = |r: &Record| (r.version.position, r.side.part);
    let name = bound.of(known.side.resource, by.side.resource);
    if bound.of(at(known), at(by)) != at(known) {
        known.side = by.side;
    }
    known.side.resource = name;
    if let (Some(half), Some(by)) = (&mut known.begun, by.begun) {
        half.resource = bound.of(half.resource, by.resource);
    }
    Version::widen(&mut known.version, &by.version, bound);
    for (known, by) in known.flushed_by.iter_mut().zip(&by.flushed_by) {
        known.call = bound.of(known.call, by.call);
        known.resource = bound.of(known.resource, by.resource);
    }
    for ((name, known), (by_name, by)) in known.run.iter_mut().zip(&by.run) {
        *name = bound.of(*name, *by_name);
        *known = bound.of(*known, *by);
    }
}

fn widen_latest(known: &mut Latest, by: &Latest, bound: Bound) {
    if bound.of(known.position, by.position) != known.position {
        (known.position, known.barrier) = (by.position, by.barrier);
    }
    // To have waited for more is better.
    widen_row(&mut known.row, &by.row, bound.opposite());
}

fn widen_row(known: &mut Row, by: &Row, bound: Bound) {
    for (known, by) in known.iter_mut().zip(by) {
        *known = bound.of(*known, *by);
    }
}
