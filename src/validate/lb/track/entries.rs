//! What one entry finds and does.

use super::known::{BarrierKind, How, Known, Nature, State};
use super::mends::Finds;
use super::refused::Acts;
use super::{At, Begin, Candidate, Met, Phase, Tracker, WrongBefore};
use crate::api::{Layout, QueueType, ResourceState};
use crate::finding::Finding;
use crate::id::{ResourceId, narrow};
use crate::legacy::states;
use crate::scenario::{
    Barrier, BarrierRange, BarrierTarget, LegacyBarrier, LegacyKind, LegacySplit, List, Range,
    geometry, range_text,
};
use crate::validate::eb::{enhanced_on_legacy_state, mixed_barriers};
use crate::validate::lb::{
    barrier_between_halves, end_without_begin, halves_differ, on_enhanced_layout, state_before,
    unflushed,
};
use crate::validate::state::minus;
use smallvec::SmallVec;

/// The resource of an enhanced entry, its subresources as runs, and the layout that the entry leaves.
type EnhancedTarget = (ResourceId, SmallVec<[(u32, u32); 2]>, Option<Layout>);

/// A legacy transition.
pub(super) struct Transition {
    pub(super) resource: ResourceId,
    pub(super) before: ResourceState,
    pub(super) after: ResourceState,
    pub(super) split: Option<LegacySplit>,
    pub(super) covers: u32,
    /// Its range, as text.
    part: String,
    /// It is refused for itself.
    is_refused: bool,
    /// It is found to be between the halves of a pair.
    is_between: bool,
    /// What it acts as if it is.
    pub(super) acts: Acts,
}

impl<'s> Tracker<'s, '_> {
    /// A legacy entry.
    pub(super) fn legacy(&mut self, list: &'s List, entry: &'s LegacyBarrier) {
        let refused = self.is_refused(list, entry) || list.queue_type == QueueType::Bundle;
        match &entry.kind {
            LegacyKind::Transition(written) => {
                let indices = self.indices(written.resource, &written.range);
                let it = Transition {
                    resource: written.resource,
                    before: written.before,
                    after: written.after,
                    split: written.split,
                    covers: indices.iter().map(|(first, end)| end - first).sum(),
                    part: range_text(&written.range),
                    is_refused: refused,
                    is_between: false,
                    acts: Acts::AsWritten,
                };
                let at = self.at(list, entry.span, written.resource);
                self.transition(&at, it, &indices);
            }
            LegacyKind::Uav(Some(resource)) => {
                let at = self.at(list, entry.span, *resource);
                self.uav(&at, refused);
            }
            LegacyKind::Alias(from, to) => {
                for resource in [*from, *to].into_iter().flatten() {
                    let at = self.at(list, entry.span, resource);
                    self.alias(&at, refused);
                }
            }
            LegacyKind::Uav(None) => {}
        }
    }

    fn transition(&mut self, at: &At<'s>, mut it: Transition, indices: &[(u32, u32)]) {
        let met = self.met(it.resource, indices);
        if met.is_empty() {
            return;
        }
        let refused = it.is_refused;
        if refused {
            it.acts = self.acts_as(at.list, &it, &met);
        }
        let wrong = if refused {
            None
        } else {
            self.examine(at, &it, &met)
        };
        it.is_between = wrong.as_ref().is_some_and(barrier_between_halves::is_found);
        if it.is_between && self.ends_the_pair(at.list, &it, &met) {
            (it.acts, it.split) = (Acts::Ends, Some(LegacySplit::End));
        }
        let it = &it;
        let is_good = wrong.is_none() && !refused;
        let is_wrong_before = wrong.as_ref().is_some_and(state_before::is_found);
        let may_change = is_good || is_wrong_before || refused || it.acts == Acts::Ends;
        let mut met = self.mends.cut(met, it.acts);
        let mend = self.note_mend(it, &met, may_change, is_good);
        if let Some(finding) = wrong {
            self.report(at, finding);
        }
        let stays = |run: &(u32, u32, Known)| self.leaves(it, run.0).is_none();
        let staying: SmallVec<[(u32, u32); 2]> = met
            .iter()
            .filter(|run| stays(run))
            .map(|run| (run.0, run.1))
            .collect();
        if !staying.is_empty() {
            met.retain(|run| !staying.contains(&(run.0, run.1)));
            self.stay(it.resource, &staying);
        }
        if met.is_empty() {
            return;
        }
        let nature = self.nature(it.resource);
        let promotes = is_good && self.advise(at, it, &met, nature);
        self.apply(at, it, &met, promotes, mend);
        let leaves = it.split.is_none()
            && self.submission.is_some()
            && (nature.free
                || self.queue == QueueType::Copy
                || it.after.is_empty() && met.iter().all(|(.., known)| is_read_promotion(known)));
        if is_good && leaves {
            self.candidates.push(Candidate {
                resource: it.resource,
                indices: indices.iter().copied().collect(),
                touch: self.touch,
                span: at.span,
                list: self.list,
            });
        }
    }

    /// What is wrong with a transition: the first thing, in the order in which it would be noticed.
    fn examine(&mut self, at: &At<'s>, it: &Transition, met: &Met) -> Option<Finding> {
        if let Some(finding) = self.halves(at, it, met) {
            return Some(finding);
        }
        if it.split == Some(LegacySplit::End) {
            // The begin half was compared with the state.
            return None;
        }
        if let Some(finding) = self.interop(at, met, true) {
            return Some(finding);
        }
        let nature = self.nature(it.resource);
        for (.., known) in met {
            let phase = self.phase(&known.origin);
            let earlier = known.origin.scope != self.scope;
            // Spec: "All resources used in Copy queues must begin in the COMMON state".
            let strict = self.queue == QueueType::Copy && earlier && self.submission.is_some();
            let foreign =
                strict && matches!(known.state, State::Explicit(_) | State::Promoted { .. });
            if foreign {
                return Some(state_before::on_copy_queue(at, phase, known, it.before));
            }
            if !known.matches(it.before, nature) {
                let is_one = met.iter().all(|(.., other)| other.state == known.state);
                let part = if is_one {
                    it.part.clone()
                } else {
                    self.part_in(met, it.resource, known.state)
                };
                let at = At { part, ..at.clone() };
                let words = (it.before, it.after, it.split);
                let found = state_before::found(&at, phase, known, words, !is_one);
                self.wrong.entry(self.place).or_insert_with(|| WrongBefore {
                    at,
                    known: *known,
                    before: it.before,
                });
                return Some(found);
            }
        }
        None
    }

    /// Split transitions. Reading R27; language, "Where a finding sits".
    fn halves(&mut self, at: &At<'s>, it: &Transition, met: &Met) -> Option<Finding> {
        let open: SmallVec<[(u32, u32); 2]> = met
            .iter()
            .filter_map(|(first, end, known)| {
                let index = known.split?;
                let begin = &self.begins[index as usize];
                self.is_open(begin).then_some((index, end - first))
            })
            .collect();
        let begin = open.first().map(|(index, _)| self.begins[*index as usize]);
        match (it.split, begin) {
            (Some(LegacySplit::End), None) => {
                // A list that is only recorded may end what another began.
                self.submission?;
                if self.ends_left_over(it, met) {
                    return None;
                }
                let free = self.nature(it.resource).free;
                Some(end_without_begin::found(at, free))
            }
            (Some(LegacySplit::End), Some(begin)) => {
                let one = open.iter().all(|(index, _)| *index == open[0].0);
                let covered: u32 = open.iter().map(|(_, count)| count).sum();
                let same_range = one && covered == it.covers && it.covers == begin.covers;
                // Where the first half names a wrong state, this one may name the right one (reading R72).
                let agrees = begin.before == it.before || begin.known_before == Some(it.before);
                // That it differs from a half that is wrong by itself follows from that.
                let follows = begin.is_refused && (agrees || begin.after == it.after);
                if same_range && (follows || agrees && begin.after == it.after) {
                    return None;
                }
                // The pair is over, whatever it covered: one mistake is one finding.
                self.begins[open[0].0 as usize].open = 0;
                if one && covered == it.covers && says_the_same(&begin, it) {
                    self.leave_over(open[0].0, begin, met);
                }
                Some(halves_differ::found(
                    at, &begin, it.before, it.after, same_range,
                ))
            }
            // A first half of an earlier list was never ended, which is said there.
            (Some(LegacySplit::Begin), Some(begin)) if begin.walk != self.walks => None,
            (_, Some(begin)) => Some(barrier_between_halves::found(at, &begin)),
            (_, None) => None,
        }
    }

    /// Notes what a half that names fewer subresources than the first, and agrees with it otherwise, leaves over.
    fn leave_over(&mut self, index: u32, begin: Begin, met: &Met) {
        let mut covered: Vec<(u32, u32)> = Vec::new();
        let all = self.indices(begin.resource, &Range::All);
        for (first, end, known) in self.met(begin.resource, &all) {
            if known.split == Some(index) {
                covered.push((first, end));
            }
        }
        let named: Vec<(u32, u32)> = met.iter().map(|(first, end, _)| (*first, *end)).collect();
        let left = minus(&covered, &named);
        let scope = self.scope;
        self.left_over.retain(|(_, of, _)| *of == scope);
        self.left_over.push((begin, scope, left));
    }

    /// Whether a half ends what an earlier one left over: one mistake is one finding (reading R72).
    fn ends_left_over(&mut self, it: &Transition, met: &Met) -> bool {
        let named: Vec<(u32, u32)> = met.iter().map(|(first, end, _)| (*first, *end)).collect();
        let scope = self.scope;
        let own = self.left_over.iter_mut().find(|(begin, of, left)| {
            *of == scope
                && begin.resource == it.resource
                && says_the_same(begin, it)
                && !left.is_empty()
                && minus(&named, left).is_empty()
        });
        own.map(|(.., left)| *left = minus(left, &named)).is_some()
    }

    /// Legacy entries on what enhanced barriers manage. Spec: "Interop with legacy `ResourceBarrier`".
    fn interop(&mut self, at: &At<'s>, met: &Met, undefined_counts: bool) -> Option<Finding> {
        let scope = self.scope;
        for (.., known) in met {
            let phase = self.phase(&known.origin);
            match known.state {
                State::Enhanced(Layout::Undefined) if !undefined_counts => {}
                State::Enhanced(layout) => {
                    return Some(on_enhanced_layout::found(at, phase, known, layout));
                }
                _ => {}
            }
            let managed =
                matches!(known.last, Some((BarrierKind::Enhanced, last)) if last == scope);
            if managed && known.dirty {
                return Some(unflushed::found(at, phase, known));
            }
        }
        None
    }

    /// Advice about a transition that is right. Whether a use that follows would have promoted what it sets.
    fn advise(&mut self, at: &At<'s>, it: &Transition, met: &Met, nature: Nature) -> bool {
        let scope = self.scope;
        let mixes = met
            .iter()
            .any(|(.., k)| matches!(k.last, Some((BarrierKind::Enhanced, last)) if last == scope));
        if mixes {
            let finding = mixed_barriers::found(at, "a legacy barrier", "an enhanced one");
            self.report(at, finding);
            return false;
        }
        let fresh = |known: &Known| {
            known.state == State::Common
                && known.used != scope
                && known.last.is_none_or(|(_, last)| last != scope)
        };
        self.submission.is_some()
            && it.split.is_none()
            && it.before.is_empty()
            && nature.promotable().contains(nature.meant(it.after))
            && met.iter().all(|(.., known)| fresh(known))
    }

    /// The state in which a transition leaves a subresource; `None`: the state in which that is.
    fn leaves(&self, it: &Transition, index: u32) -> Option<ResourceState> {
        match self.mends.acts_at(it.acts, index) {
            Acts::To(state) => Some(state),
            Acts::Nowhere => None,
            Acts::AsWritten | Acts::Like(_) | Acts::Ends | Acts::Apart(_) => Some(it.after),
        }
    }

    /// What the transition does, right or wrong.
    fn apply(
        &mut self,
        at: &At<'s>,
        it: &Transition,
        met: &Met,
        promotes: bool,
        mend: Option<Finds>,
    ) {
        let scope = self.scope;
        let touch = self.next_touch();
        let decays = self.nature(it.resource).free || self.queue == QueueType::Copy;
        let origin = self.origin(at.span, How::Transition);
        let begin = (it.split == Some(LegacySplit::Begin)).then(|| self.begin(at, it, mend));
        for (first, end, known) in met {
            let (first, end) = (*first, *end);
            let after = self.leaves(it, first).unwrap_or(it.after);
            let mut known = *known;
            // A barrier between two halves leaves the pair as it is.
            if it.split.is_some()
                && let Some(index) = known.split.take()
            {
                self.close(index, end - first, it);
            }
            known.legacy = true;
            known.assigned = true;
            known.unsettled = false;
            known.foreign = it.is_refused && self.is_foreign_read(after);
            known.last = Some((BarrierKind::Legacy, scope));
            known.dirty = false;
            // Uses before a barrier of the scope tell nothing more: subresources become alike whoever used them.
            known.used = 0;
            known.touch = touch;
            known.promotes = promotes;
            known.split = begin.or(known.split);
            if begin.is_none() {
                self.set(&mut known, State::after(after), origin, decays);
            } else {
                // Until the second half it stays what the first says it is.
                self.set(&mut known, State::after(it.before), origin, decays);
            }
            self.change(it.resource, &[(first, end)], |slot| *slot = known);
        }
    }

    /// A legacy entry that leaves states as they are.
    fn stay(&mut self, resource: ResourceId, indices: &[(u32, u32)]) {
        let touch = self.next_touch();
        let scope = self.scope;
        self.change(resource, indices, |known| {
            known.last = Some((BarrierKind::Legacy, scope));
            known.dirty = false;
            known.promotes = false;
            known.touch = touch;
        });
    }

    /// Notes a first half, and what it finds.
    fn begin(&mut self, at: &At<'s>, it: &Transition, finds: Option<Finds>) -> u32 {
        let begin = Begin {
            resource: it.resource,
            before: it.before,
            after: it.after,
            span: at.span,
            list: self.list,
            place: self.place,
            finds,
            acts: it.acts,
            is_refused: it.is_refused,
            is_told: it.is_between,
            known_before: finds.and_then(|finds| self.mends.one_state(finds)),
            covers: it.covers,
            scope: self.scope,
            walk: self.walks,
            open: it.covers,
        };
        if let Some(index) = self.free_begins.pop() {
            self.begins[index as usize] = begin;
            return index;
        }
        self.begins.push(begin);
        narrow(self.begins.len()) - 1
    }

    /// Whether a first half still waits: on buffers and simultaneous-access textures only within its scope.
    pub(super) fn is_open(&self, begin: &Begin) -> bool {
        begin.open > 0 && (begin.scope == self.scope || !self.nature(begin.resource).free)
    }

    /// Subresources of a first half that met their second half, or a barrier instead.
    fn close(&mut self, index: u32, count: u32, it: &Transition) {
        let slot = &mut self.begins[index as usize];
        let unmatched = it.split == Some(LegacySplit::Begin) && slot.walk != self.walks;
        let expired =
            slot.scope != self.scope && Nature::of(self.scenario.resource(slot.resource)).free;
        if (unmatched || expired) && slot.open > 0 {
            let begin = *slot;
            slot.open = 0;
            if count == begin.covers {
                self.free_begins.push(index);
            }
            self.report_never_ended(&begin);
            return;
        }
        if slot.open > 0 {
            slot.open = slot.open.saturating_sub(count);
            if slot.open == 0 {
                self.free_begins.push(index);
            }
        }
    }

    fn uav(&mut self, at: &At<'s>, refused: bool) {
        let indices = self.indices(at.resource, &Range::All);
        let met = self.met(at.resource, &indices);
        self.note_uav(at.resource, &met);
        if !refused {
            let open = met.iter().find_map(|(.., known)| {
                let begin = self.begins[known.split? as usize];
                self.is_open(&begin).then_some(begin)
            });
            let wrong = match open {
                Some(begin) => Some(barrier_between_halves::found(at, &begin)),
                None => self
                    .interop(at, &met, true)
                    .or_else(|| self.uav_state(at, &met)),
            };
            if let Some(finding) = wrong {
                self.report(at, finding);
            }
        }
        self.stay(at.resource, &indices);
    }

    /// A UAV barrier stands for `UNORDERED_ACCESS` on both sides. Spec: "UAV Barriers".
    fn uav_state(&mut self, at: &At<'s>, met: &Met) -> Option<Finding> {
        let nature = self.nature(at.resource);
        let uav = ResourceState::UNORDERED_ACCESS;
        let wrong = met.iter().find(|(.., known)| match known.state {
            State::Common => !nature.free,
            State::Explicit(state) => state != uav,
            State::Promoted { surely, .. } => surely != uav && !known.unsettled,
            State::Enhanced(_) | State::Unknown => false,
        });
        wrong.map(|(.., known)| {
            let phase: Phase = self.phase(&known.origin);
            state_before::of_uav(at, phase, known)
        })
    }

    /// An aliasing entry changes no state.
    fn alias(&mut self, at: &At<'s>, refused: bool) {
        let indices = self.indices(at.resource, &Range::All);
        let met = self.met(at.resource, &indices);
        // A layout that was never given is nothing that an aliasing barrier could disturb.
        if !refused && let Some(finding) = self.interop(at, &met, false) {
            self.report(at, finding);
        }
        self.stay(at.resource, &indices);
    }

    /// An enhanced entry on a resource. Spec: "Interop with legacy `ResourceBarrier`".
    pub(super) fn enhanced(&mut self, list: &'s List, barrier: &'s Barrier) {
        let Some((resource, indices, layout)) = self.enhanced_target(barrier) else {
            return;
        };
        let at = self.at(list, barrier.span, resource);
        let scope = self.scope;
        let mut wrong = None;
        let mut mixed = None;
        for (.., known) in self.met(resource, &indices) {
            let begin = known.split.map(|index| self.begins[index as usize]);
            let open = begin.filter(|begin| self.is_open(begin));
            let stuck =
                known.legacy && matches!(known.state, State::Explicit(_) | State::Promoted { .. });
            if stuck || open.is_some() {
                wrong.get_or_insert((known, open.map(|begin| begin.span)));
            } else if let Some((BarrierKind::Legacy, last)) = known.last
                && last == scope
            {
                mixed.get_or_insert(known.origin);
            }
        }
        let failed = wrong.is_some();
        if list.queue_type == QueueType::Bundle {
            // The barrier itself is refused there.
        } else if let Some((known, begin)) = wrong {
            let phase = self.phase(&known.origin);
            let finding = enhanced_on_legacy_state::found(&at, phase, &known, begin);
            self.report(&at, finding);
        } else if mixed.is_some() {
            let finding = mixed_barriers::found(&at, "an enhanced barrier", "a legacy one");
            self.report(&at, finding);
        }
        let origin = self.origin(barrier.span, How::Enhanced);
        let touch = self.next_touch();
        for (first, end, mut known) in self.met(resource, &indices) {
            let state = match layout {
                Some(Layout::Common) => State::Common,
                Some(layout) => State::Enhanced(layout),
                // Memory only: where the layout was not the entry's to know, nothing is known of it.
                None if failed => State::Unknown,
                None if matches!(known.state, State::Promoted { .. }) => State::Common,
                None => known.state,
            };
            let free = self.nature(resource).free;
            self.set(&mut known, state, origin, free);
            known.legacy = false;
            known.assigned = false;
            known.unsettled = false;
            known.foreign = false;
            known.last = Some((BarrierKind::Enhanced, scope));
            known.dirty = false;
            known.promotes = false;
            known.touch = touch;
            self.change(resource, &[(first, end)], |slot| *slot = known);
        }
    }

    /// The resource of an enhanced entry, its subresources, and the layout that it leaves; no layout for a barrier of
    /// memory only, for a buffer and for a simultaneous-access texture.
    fn enhanced_target(&self, barrier: &Barrier) -> Option<EnhancedTarget> {
        let id = barrier.resource()?;
        let resource = self.scenario.resource(id);
        match &barrier.target {
            BarrierTarget::Texture(entry) => {
                let shape = resource.texture()?;
                let sub = geometry::barrier_box(shape, &entry.range).ok()?;
                let indices = match &entry.range {
                    BarrierRange::Range(range) => self.indices(id, range),
                    BarrierRange::Raw(_) => sub.index_runs(shape).into_iter().collect(),
                };
                let layout = if resource.is_simultaneous() {
                    Some(Layout::Common)
                } else {
                    (!entry.is_memory_only()).then_some(entry.layout_after)
                };
                Some((id, indices, layout))
            }
            BarrierTarget::Buffer { .. } if resource.is_buffer() => {
                Some((id, SmallVec::from_slice(&[(0, 1)]), Some(Layout::Common)))
            }
            _ => None,
        }
    }
}

/// Whether a half names the states that the first one names.
pub(super) fn says_the_same(begin: &Begin, half: &Transition) -> bool {
    (begin.before, begin.after) == (half.before, half.after)
}

/// In a state that reads promoted it to, which decays by itself.
fn is_read_promotion(known: &Known) -> bool {
    matches!(known.state, State::Promoted { surely, maybe } if !states::access(surely | maybe).writes())
}
