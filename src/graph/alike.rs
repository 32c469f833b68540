//! The state within a scope as one on which operations act later: which states differ only in their marks.
//!
//! A mark is the position at which something happened, with who did it, or what a barrier waited for. Only order and
//! global barriers look at marks, and both are monotone in them: later work is covered less, and so is what less was
//! waited for. Everything else that decides is compared.

use super::apply::Entry;
use super::cover::{Row, Version, Writer};
use super::state::{Access, Latest, Reader, Record, State};
use super::tree::{Bound, Lazy};
use crate::id::ResourceId;
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

    fn is_alike(&self, other: &Self) -> bool {
        let barriers = |a: &[(ResourceId, Latest)], b: &[(ResourceId, Latest)]| {
            same(a, b, |(resource, latest), (other, by)| {
                resource == other && latest.after == by.after
            })
        };
        barriers(&self.latest, &other.latest)
            && barriers(&self.begun, &other.begun)
            && same(&self.readers, &other.readers, |a, b| {
                let key = |r: &Reader| (r.leaf, r.synchronous, r.side.resource, r.side.access);
                key(a) == key(b)
            })
            && same(&self.versions, &other.versions, |a, b| {
                is_record_alike(a, b) && self.links(a).eq(other.links(b))
            })
    }

    fn widen(&mut self, by: &Self, bound: Bound) {
        for (known, by) in self.versions.iter_mut().zip(&by.versions) {
            widen_record(known, by, bound);
        }
        for (known, by) in self.readers.iter_mut().zip(&by.readers) {
            let at = |r: &Reader| (r.position, r.side.part);
            if bound.of(at(known), at(by)) != at(known) {
                *known = *by;
            }
        }
        let latest = self.latest.iter_mut().zip(&by.latest);
        for ((_, known), (_, by)) in latest.chain(self.begun.iter_mut().zip(&by.begun)) {
            widen_latest(known, by, bound);
        }
    }
}

impl State {
    /// How a version lies to the barriers on its bytes with which it may compose: before, with or after the latest one
    /// and the open first half of its resource, and for each run that it is in.
    fn links<'s>(&'s self, record: &'s Record) -> impl Iterator<Item = Option<Ordering>> + 's {
        let resource = record.side.resource;
        let is_transition = matches!(record.version.writer, Writer::Transition(_));
        let begun = self.begun.iter().find(|(known, _)| *known == resource);
        let own = [self.latest_of(resource), begun.map(|(_, latest)| latest)];
        let link = record.version.link_position();
        let own = own.into_iter().map(move |latest| {
            let latest = latest.filter(|_| is_transition);
            latest.map(|latest| link.cmp(&latest.position))
        });
        let runs = record.run.iter().map(|(resource, position)| {
            let latest = self.latest_of(*resource);
            latest.map(|latest| position.cmp(&latest.position))
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
            (r.side.resource, r.side.access, r.atomics, r.synchronous),
            (r.given_up, r.replaced, r.settled, r.begun),
        )
    };
    facts(a) == facts(b)
        && a.version.is_alike(&b.version)
        && same(&a.run, &b.run, |(a, _), (b, _)| a == b)
        && same(&a.flushed_by, &b.flushed_by, |a, b| {
            (a.resource, a.held, a.held_in_call, a.is_first)
                == (b.resource, b.held, b.held_in_call, b.is_first)
        })
}

fn widen_record(known: &mut Record, by: &Record, bound: Bound) {
    let at = |r: &Record| (r.version.position, r.side.part);
    if bound.of(at(known), at(by)) != at(known) {
        known.side = by.side;
    }
    Version::widen(&mut known.version, &by.version, bound);
    for (known, by) in known.flushed_by.iter_mut().zip(&by.flushed_by) {
        known.call = bound.of(known.call, by.call);
    }
    for ((_, known), (_, by)) in known.run.iter_mut().zip(&by.run) {
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
