//! Halves of split barriers that miss each other: a second half added before the first use, one half that says what the
//! other says, two second halves made one (reading R27: both halves say the same).

use super::{Candidate, Text, written};
use crate::api::{BarrierSync, LeafSet, QueueType};
use crate::finding::{Finding, Source};
use crate::id::ResourceId;
use crate::order::{Of, Timeline, Touch};
use crate::pipeline::front::Prepared;
use crate::scenario::edit::is_split;
use crate::scenario::geometry;
use crate::scenario::{Barrier, BarrierRange, Scenario, print_barrier};

/// What may mend the half at which a finding is, the likeliest first.
pub(in crate::repair) fn candidates(
    source: &Source,
    prepared: &Prepared<'_>,
    finding: &Finding,
) -> Vec<Candidate> {
    if finding.rule.family() != "EB" {
        return Vec::new();
    }
    let timeline = prepared.timeline();
    let written = prepared.written();
    let Some(id) = super::resource_of(written, finding) else {
        return Vec::new();
    };
    let entries: Vec<Touch<'_>> = timeline.touches(Of::Entries(Some(id)), ..).collect();
    let is_it = |touch: &Touch<'_>| {
        let barrier = touch.entry().map(|(_, barrier)| barrier);
        barrier.is_some_and(|barrier| barrier.span.start == finding.span.start)
    };
    let Some(at) = entries.iter().position(is_it) else {
        return Vec::new();
    };
    let halves = Halves {
        text: Text { source },
        written,
        timeline: &timeline,
        id,
        entries: &entries,
        at,
    };
    match finding.rule.id {
        // The stages of the one side do not fit the accesses of the other.
        "EB020" => {
            let mut found = Vec::from_iter(halves.swapped());
            found.extend(halves.as_its_end());
            found
        }
        "EB031" => halves.agreeing(),
        "EB032" => {
            let mut found = halves.joined();
            found.extend(halves.unsaid(at));
            found.extend(halves.swapped());
            found.extend(halves.meeting());
            found
        }
        // What is between the halves may be the second one, without its `SPLIT`.
        "EB034" => {
            let begin = halves.barrier(at).is_some_and(is_begin).then_some(at);
            let begin = begin.or_else(|| halves.begin());
            Vec::from_iter(begin.and_then(|begin| halves.unsaid(begin)))
        }
        "EB033" => {
            let mut found = Vec::from_iter(halves.unsaid(at));
            found.extend(halves.swapped());
            found.extend(halves.meeting());
            found.extend(halves.ended());
            found
        }
        // What is wrong in a first half by itself is right in the second one.
        _ => Vec::from_iter(halves.as_its_end()),
    }
}

/// The entries on a resource as they are executed, and which of them is wrong.
struct Halves<'a, 's> {
    text: Text<'a>,
    written: &'a Scenario,
    timeline: &'a Timeline<'s>,
    id: ResourceId,
    entries: &'a [Touch<'s>],
    at: usize,
}

impl Halves<'_, '_> {
    fn barrier(&self, at: usize) -> Option<&Barrier> {
        self.entries.get(at)?.entry().map(|(_, barrier)| barrier)
    }

    /// The first half that is before the second half at which the finding is.
    fn begin(&self) -> Option<usize> {
        let is_begin = |at: &usize| self.barrier(*at).is_some_and(is_begin);
        (0..self.at).rev().find(is_begin)
    }

    /// The second half says what the first says, or the first what the second says. First the one of which the later uses
    /// need no more.
    fn agreeing(&self) -> Vec<Candidate> {
        let Some(begin) = self.begin() else {
            return Vec::new();
        };
        // Of two first halves it is not known which of them this one ends.
        let earlier = begin.checked_sub(1).and_then(|at| self.barrier(at));
        if earlier.is_some_and(is_begin) {
            return Vec::new();
        }
        self.one_as_the_other(begin, self.at)
    }

    /// A first half and a second half that name different subresources, so that neither meets the other.
    fn meeting(&self) -> Vec<Candidate> {
        let Some(own) = self.barrier(self.at) else {
            return Vec::new();
        };
        let fits = |at: &usize| {
            let (wanted, own_part) = (self.barrier(*at), part(own));
            wanted.is_some_and(|other| {
                is_begin(own) != is_begin(other)
                    && (is_begin(other) || other.sync_before.is_split())
                    && part(other) != own_part
            })
        };
        let other = if is_begin(own) {
            (self.at + 1..self.entries.len()).find(fits)
        } else {
            (0..self.at).rev().find(fits)
        };
        other.map_or_else(Vec::new, |other| {
            self.one_as_the_other(self.at.min(other), self.at.max(other))
        })
    }

    /// The entry next to a half says all that its other half says, but for `SPLIT`.
    fn unsaid(&self, half: usize) -> Option<Candidate> {
        let own = self.barrier(half)?;
        let at = if is_begin(own) {
            half + 1
        } else {
            half.checked_sub(1)?
        };
        let old = self.barrier(at)?;
        if is_split(old) || like(old, own) != *old {
            return None;
        }
        let mut half = old.clone();
        if is_begin(own) {
            half.sync_before = BarrierSync::SPLIT;
        } else {
            half.sync_after = BarrierSync::SPLIT;
        }
        Some(written::writes(self.text.source, self.written, old, &half))
    }

    /// The half is the other half: `SPLIT` is on the wrong side.
    fn swapped(&self) -> Option<Candidate> {
        let old = self.barrier(self.at).filter(|old| is_split(old))?;
        let mut half = old.clone();
        (half.sync_before, half.sync_after) = (old.sync_after, old.sync_before);
        (half != *old).then(|| written::writes(self.text.source, self.written, old, &half))
    }

    fn one_as_the_other(&self, begin: usize, end: usize) -> Vec<Candidate> {
        let (Some(first), Some(second)) = (self.barrier(begin), self.barrier(end)) else {
            return Vec::new();
        };
        let mut pairs = vec![(second, like(second, first)), (first, like(first, second))];
        if !self.holds_uses_after(first, end) && self.holds_uses_after(second, end) {
            pairs.reverse();
        }
        let rewritten = pairs.into_iter().filter(|(old, new)| *old != new);
        rewritten
            .map(|(old, new)| written::writes(self.text.source, self.written, old, &new))
            .collect()
    }

    /// The first half at which the finding is says what its second half says.
    fn as_its_end(&self) -> Option<Candidate> {
        let first = self.barrier(self.at).filter(|first| is_begin(first))?;
        let mut later = (self.at + 1..self.entries.len()).filter_map(|at| self.barrier(at));
        let second = later.find(|second| part(second) == part(first))?;
        let mended = like(first, second);
        let is_end = second.sync_before.is_split() && mended != *first;
        is_end.then(|| written::writes(self.text.source, self.written, first, &mended))
    }

    /// Whether a barrier names all that is used after an entry, up to the next one.
    fn holds_uses_after(&self, barrier: &Barrier, at: usize) -> bool {
        let Some(own) = geometry::part_of_barrier(self.written, barrier) else {
            return true;
        };
        self.uses_after(at).iter().all(|touch| {
            let used = touch.used();
            let sub = used.and_then(|used| geometry::part_of_use(self.written, used));
            sub.is_none_or(|sub| own.contains(&sub))
        })
    }

    /// Uses of what an entry names, after it and up to the next one on any of that.
    fn uses_after(&self, at: usize) -> Vec<Touch<'_>> {
        let Some(start) = self.entries.get(at).map(|touch| touch.moment) else {
            return Vec::new();
        };
        let part = |barrier: &Barrier| geometry::part_of_barrier(self.written, barrier);
        let own = self.barrier(at).and_then(part);
        let next = self.entries[at + 1..].iter().find(|touch| {
            let barrier = touch.entry().map(|(_, barrier)| barrier);
            barrier.is_some_and(|barrier| !geometry::are_apart(own, part(barrier)))
        });
        let uses = self.timeline.touches(Of::Uses(self.id), start..);
        uses.take_while(|touch| next.is_none_or(|next| touch.moment < next.moment))
            .filter(|touch| {
                touch.used().is_some_and(|used| {
                    !geometry::are_apart(own, geometry::part_of_use(self.written, used))
                })
            })
            .collect()
    }

    /// A second half before the first use.
    fn ended(&self) -> Option<Candidate> {
        let begin = self.barrier(self.at)?;
        let uses = self.uses_after(self.at);
        let first = uses.first()?;
        let (list, command) = first.place?;
        if self.written.lists[list].queue_type == QueueType::Bundle {
            return None;
        }
        let same_scope = uses.iter().filter(|u| u.moment.rank == first.moment.rank);
        let stages = same_scope.filter_map(Touch::used).map(|used| used.stages);
        let end = end_of(begin, stages.fold(LeafSet::EMPTY, LeafSet::union));
        let printed = print_barrier(self.written, &end);
        let at = self.written.lists[list]
            .commands
            .get(command as usize)?
            .span;
        let edit = self
            .text
            .before(at.start, &format!("barrier {{ {printed} }}"));
        let line = self.text.source.line(at.start);
        let says = format!("end the split barrier before the use of line {line}: `{printed}`");
        Some(Candidate::new(vec![edit], says))
    }

    /// Of two second halves of one barrier the first also holds what the second holds.
    fn joined(&self) -> Vec<Candidate> {
        let Some(extra) = self.barrier(self.at) else {
            return Vec::new();
        };
        let Some(end) = self.at.checked_sub(1).and_then(|at| self.barrier(at)) else {
            return Vec::new();
        };
        if !end.sync_before.is_split() || part(end) != part(extra) {
            return Vec::new();
        }
        let mut wide = end.clone();
        wide.sync_after =
            BarrierSync::named(end.sync_after.leaves().union(extra.sync_after.leaves()));
        if !wide.access_after.is_empty() && !extra.access_after.is_empty() {
            wide.access_after |= extra.access_after;
        }
        let Some(gone) = super::deletion(self.text.source, self.written, extra.span) else {
            return Vec::new();
        };
        let mut edits = gone.edits;
        if wide != *end {
            edits.push(written::rewritten(
                self.text.source,
                self.written,
                end,
                &wide,
            ));
        }
        let begin = (0..self.at - 1).rev().filter_map(|at| self.barrier(at));
        let begin = begin.take(1).find(|begin| is_begin(begin));
        if let Some(begin) = begin.filter(|begin| begin.access_after != wide.access_after) {
            let mut other = begin.clone();
            other.access_after = wide.access_after;
            edits.push(written::rewritten(
                self.text.source,
                self.written,
                begin,
                &other,
            ));
        }
        let says = format!(
            "make one second half of both: `{}`",
            print_barrier(self.written, &wide)
        );
        let edits = Text::in_order(edits);
        edits
            .map(|edits| Candidate::new(edits, says))
            .into_iter()
            .collect()
    }
}

/// Whether an entry is the first half of a split barrier.
fn is_begin(barrier: &Barrier) -> bool {
    barrier.sync_after.is_split() && !barrier.sync_before.is_split()
}

/// The range that an entry names.
fn part(barrier: &Barrier) -> Option<&BarrierRange> {
    barrier.as_texture().map(|entry| &entry.range)
}

/// A half that names the range, the layouts and the accesses of another one.
fn like(half: &Barrier, other: &Barrier) -> Barrier {
    let mut like = half.clone();
    like.target = other.target.clone();
    like.access_before = other.access_before;
    like.access_after = other.access_after;
    like
}

/// The second half of a split barrier, which holds some stages.
pub(super) fn end_of(begin: &Barrier, stages: LeafSet) -> Barrier {
    let mut end = begin.clone();
    end.sync_before = BarrierSync::SPLIT;
    end.sync_after = BarrierSync::named(stages);
    end
}
