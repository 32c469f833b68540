//! Situations in which a texture starts anew: its contents are given up, or its memory was another's.

use super::draft::{Draft, Setting, access, discarding, only_writes, plain, side};
use super::elsewhere::{in_layout, shared_layouts};
use super::situations::{Situations, Uses};
use super::uses::{self, ProgramResources, Row, SideText};
use crate::api::{BarrierAccess, QueueType, compat};

/// How a copy fills a resource, and how a shader reads it then.
fn filled(kind: ProgramResources) -> Option<(&'static Row, &'static Row)> {
    let rows = || kind.rows().iter();
    let filling = rows().find(|row| row.access == BarrierAccess::COPY_DEST)?;
    let reading = rows().find(|row| row.access == BarrierAccess::SHADER_RESOURCE)?;
    Some((filling, reading))
}

impl Situations {
    /// Adds every situation of this file.
    pub(super) fn anew(&mut self) {
        self.filled_aliases();
        self.filled_renewals();
        self.split_renewals();
        for queue in [QueueType::Direct, QueueType::Compute] {
            self.renewals_into_shared_layouts(queue);
        }
    }

    /// Contents are given up, and the layout that follows is one that several accesses share.
    fn renewals_into_shared_layouts(&mut self, queue: QueueType) {
        let place = Setting::on(queue);
        for kind in ProgramResources::textures() {
            let rows = || kind.rows().iter().filter(|row| place.has(row));
            let Some(x) = rows().find(|row| row.writes()) else {
                continue;
            };
            for layout in shared_layouts(queue) {
                let allowed = compat::layout_accesses(layout);
                let there = || rows().filter(|row| allowed.contains(row.access));
                let Some(z) = there().find(|row| !row.writes()) else {
                    continue;
                };
                let name = layout.name();
                for y in there().filter(|row| row.writes()) {
                    let pair = Uses { place, kind, x, y };
                    let before = SideText {
                        layout: "UNDEFINED",
                        ..plain(x, "NO_ACCESS")
                    };
                    let (written, read) = (in_layout(y, &name), in_layout(z, &name));
                    let entry = discarding(&pair.entry(before, written));
                    let mut draft = Draft::about(place, kind, x);
                    draft.add(&only_writes(x, "a")).barrier(&entry);
                    draft.add(&only_writes(y, "a"));
                    draft.barrier(&uses::entry(kind, "a", written, read));
                    draft.add(&z.on("a"));
                    let mut words = pair.words();
                    words.push(&name);
                    self.add("renewals", &words, draft.done(&[kind]));
                }
            }
        }
    }

    /// A texture takes over the memory of a buffer and keeps what is there: all of it is copied over, so that nothing need be
    /// dropped, and nothing is initialised.
    fn filled_aliases(&mut self) {
        let second = ProgramResources::Texture;
        let Some((y, z)) = filled(second) else {
            return;
        };
        for first in [ProgramResources::Buffer, ProgramResources::Structure] {
            for x in first.rows() {
                let mut draft = Draft::sharing_memory(QueueType::Direct, first, second);
                draft.taking_turns((first, x), (second, y, z));
                let text = draft.done(&[first, second]).replace("; discard }", " }");
                let words = [first.nouns().0, access(x), x.sync];
                self.add("filled-aliases", &words, text);
            }
        }
    }

    /// Contents are given up without a discard, because all of it is copied over: what was dirty must not come back.
    fn filled_renewals(&mut self) {
        for kind in [ProgramResources::Texture, ProgramResources::RateImage] {
            let Some((y, z)) = filled(kind) else {
                continue;
            };
            for x in kind.rows() {
                let place = Setting::USUAL;
                let pair = Uses { place, kind, x, y };
                let before = SideText {
                    layout: "UNDEFINED",
                    ..plain(x, "NO_ACCESS")
                };
                let mut draft = Draft::about(place, kind, x);
                draft.apart(x).barrier(&pair.entry(before, side(y)));
                draft.apart(y);
                draft.barrier(&uses::entry(kind, "a", side(y), side(z)));
                draft.apart(z);
                self.add("filled-renewals", &pair.words(), draft.done(&[kind]));
            }
        }
    }

    /// Contents are given up by a split barrier: what starts anew starts with its first half.
    fn split_renewals(&mut self) {
        for kind in ProgramResources::textures() {
            let rows = kind.rows();
            let writers = || rows.iter().filter(|row| row.writes());
            let Some(first) = writers().next() else {
                continue;
            };
            let onto_others = writers().map(|y| (first, y));
            let from_others = rows.iter().map(|x| (x, first)).skip(1);
            for (x, y) in onto_others.chain(from_others) {
                let place = Setting::USUAL;
                let pair = Uses { place, kind, x, y };
                let given_up = |sync| SideText {
                    layout: "UNDEFINED",
                    sync,
                    ..plain(x, "NO_ACCESS")
                };
                let half = |before, after| discarding(&pair.entry(before, after));
                let end = SideText {
                    sync: "SPLIT",
                    ..side(y)
                };
                let mut draft = Draft::about(place, kind, x);
                draft.add(&x.on("a")).barrier(&half(given_up(x.sync), end));
                draft.add("dispatch 1x1x1 { }");
                draft.barrier(&half(given_up("SPLIT"), side(y)));
                draft.add(&only_writes(y, "a"));
                self.add("split-renewals", &pair.words(), draft.done(&[kind]));
            }
        }
    }
}
