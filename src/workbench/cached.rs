//! Situations in which it matters what caches hold from before: nothing, or old lines.

use super::draft::{Draft, Setting, access, side};
use super::situations::Situations;
use super::uses::{self, ProgramResources};
use crate::api::BarrierAccess;

impl Situations {
    /// A write and two reads, with nothing else in the caches: what the first has seen is passed on to the second, which may be
    /// of the same kind.
    pub(super) fn passed_on(&mut self, kind: ProgramResources) {
        let rows = kind.rows();
        let readers = || rows.iter().filter(|row| !row.writes());
        // A shader writes, and a copy.
        let first = rows.iter().find(|row| row.writes());
        let copy = rows
            .iter()
            .find(|row| row.access == BarrierAccess::COPY_DEST);
        for w in first.into_iter().chain(copy) {
            for x in readers() {
                for y in readers() {
                    let mut draft = Draft::about(Setting::USUAL, kind, w);
                    draft.add(&w.on("a"));
                    draft.barrier(&uses::entry(kind, "a", side(w), side(x)));
                    draft.apart(x);
                    draft.barrier(&uses::entry(kind, "a", side(x), side(y)));
                    draft.apart(y);
                    let (from, to) = (access(x), access(y));
                    let words = [kind.nouns().0, access(w), from, x.sync, to, y.sync];
                    self.add("passed-on", &words, draft.done(&[kind]));
                }
            }
        }
    }

    /// A read, a write and the same read: what the reader's caches hold is old.
    pub(super) fn warm(&mut self, kind: ProgramResources) {
        let rows = kind.rows();
        for w in rows.iter().filter(|row| row.writes()) {
            for r in rows.iter().filter(|row| !row.writes()) {
                let mut draft = Draft::about(Setting::USUAL, kind, r);
                draft.apart(r);
                draft.barrier(&uses::entry(kind, "a", side(r), side(w)));
                draft.add(&w.on("a"));
                draft.barrier(&uses::entry(kind, "a", side(w), side(r)));
                draft.apart(r);
                let words = [kind.nouns().0, access(r), r.sync, access(w), w.sync];
                self.add("warm", &words, draft.done(&[kind]));
            }
        }
    }
}
