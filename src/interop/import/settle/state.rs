//! What the scope so far has left of each subresource: what legality and the choice of accesses depend on.

use super::super::story::{ItemId, Part, Touch};
use super::Settler;
use super::barrier::ItemPart;
use crate::api::{BarrierAccess, LeafSet};

/// One subresource, or a buffer.
#[derive(Copy, Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one subresource that do not exclude each other"
)]
pub(super) struct Sub {
    /// The scope used it or named it in a barrier.
    pub(super) touched: bool,
    /// `SyncAfter` of the last barrier.
    pub(super) after: LeafSet,
    /// That `SyncAfter` was `NONE`.
    pub(super) ends: bool,
    /// `AccessAfter` of the last barrier; empty before the first.
    pub(super) known: BarrierAccess,
    /// The last barrier lets the attachment be written and not loaded.
    pub(super) unread: bool,
    /// The last barrier is visible to no access of the layout.
    pub(super) unseen: bool,
    /// Writes of this scope that no barrier made available.
    pub(super) pending: BarrierAccess,
}

/// A resource in the scope of a number.
#[derive(Clone, Debug, Default)]
pub(super) struct State {
    scope: u64,
    subs: Vec<Sub>,
}

impl Settler<'_> {
    /// The subresources of a part.
    pub(super) fn place(&self, item: ItemId, part: &Part) -> ItemPart {
        let subs = self.story.items[item as usize].subresources(part).collect();
        ItemPart { item, subs }
    }

    fn state(&mut self, item: ItemId) -> &mut State {
        let scope = self.scope;
        let count = self.story.items[item as usize].layouts.len().max(1);
        let state = &mut self.states[item as usize];
        if state.scope != scope {
            self.touched.push(item);
            state.scope = scope;
            state.subs.clear();
            state.subs.resize(count, Sub::default());
        }
        state
    }

    /// Whether a barrier of the scope lets the image be written and not loaded, and nothing used it since.
    pub(super) fn is_unread(&self, item: ItemId) -> bool {
        let state = &self.states[item as usize];
        state.scope == self.scope && state.subs.iter().any(|sub| sub.unread)
    }

    /// What is left of all subresources of a place: the union, and of the known accesses what all share.
    pub(super) fn seen(&mut self, place: &ItemPart) -> Sub {
        let state = self.state(place.item);
        let mut all: Option<Sub> = None;
        for sub in place.subs.iter().filter_map(|at| state.subs.get(*at)) {
            all = Some(match all {
                None => *sub,
                Some(all) => Sub {
                    touched: all.touched || sub.touched,
                    after: all.after.union(sub.after),
                    ends: all.ends || sub.ends,
                    unread: all.unread || sub.unread,
                    unseen: all.unseen || sub.unseen,
                    known: if all.known.is_empty() {
                        sub.known
                    } else if sub.known.is_empty() {
                        all.known
                    } else {
                        all.known & sub.known
                    },
                    pending: all.pending | sub.pending,
                },
            });
        }
        all.unwrap_or_default()
    }

    pub(super) fn leave(&mut self, place: &ItemPart, change: impl Fn(Sub) -> Sub) {
        let state = self.state(place.item);
        for at in &place.subs {
            if let Some(sub) = state.subs.get_mut(*at) {
                *sub = change(*sub);
            }
        }
    }

    /// Whether a shader reads an image of which parts were written: which texels it reads is not known.
    pub(super) fn reads_partly_written(&self, touch: &Touch) -> bool {
        let is_sampled = touch.access == BarrierAccess::SHADER_RESOURCE;
        let mut subs = self.story.items[touch.item as usize].subresources(&touch.part);
        is_sampled && subs.any(|at| self.partly.contains(&(touch.item, at)))
    }

    /// A write of a rectangle leaves the rest as it was; any other one is taken as one of everything.
    pub(super) fn write_part(&mut self, touch: &Touch) {
        let item = &self.story.items[touch.item as usize];
        let is_part = matches!(&touch.part, Part::Image(part) if part.rect.is_some());
        for at in item.subresources(&touch.part) {
            if is_part {
                self.partly.insert((touch.item, at));
            } else {
                self.partly.remove(&(touch.item, at));
            }
        }
    }

    /// A global barrier makes writes available, of whatever resource.
    pub(super) fn make_available(&mut self, written: BarrierAccess) {
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        dirty.retain(|item| {
            let mut waits = false;
            for sub in &mut self.state(*item).subs {
                sub.pending = sub.pending.difference(written);
                waits |= !sub.pending.is_empty();
            }
            waits
        });
        self.dirty = dirty;
    }

    /// A use: what a later barrier has to make available.
    pub(super) fn touch(&mut self, item: ItemId, part: &Part, access: BarrierAccess, writes: bool) {
        let place = self.place(item, part);
        let written = if writes {
            access
        } else {
            BarrierAccess::empty()
        };
        if writes && self.dirty.last() != Some(&item) {
            self.dirty.push(item);
        }
        self.leave(&place, |sub| Sub {
            touched: true,
            unread: false,
            pending: sub.pending | written,
            ..sub
        });
    }
}
