//! Barriers that are in the wrong place: a use between the halves of a split barrier, of which one is moved past the use or
//! both are made one; a barrier after the use that needs it.

use super::super::around::{CommandPlace, ExecutedEntry, executed};
use super::super::halves::end_of;
use super::Maker;
use super::weight::Weight;
use crate::api::BarrierAccess;
use crate::finding::{Edit, Span};
use crate::order::{Moment, Of};
use crate::scenario::CommandKind;
use crate::scenario::edit::is_split;

impl<'s> Maker<'_, 's> {
    /// The use leaves the split barrier: the second half comes before it, or the first half after it, or both become
    /// one.
    pub(super) fn move_half(&mut self) {
        let Some(begin) = self.around.previous else {
            return;
        };
        let is_end = |next: &ExecutedEntry<'s>| next.barrier.sync_before.is_split();
        let Some(end) = self.around.next.filter(is_end) else {
            self.end_before_use(&begin);
            return;
        };
        let (Some(second), Some(last)) = (self.around.second, self.around.last_use) else {
            return;
        };
        let span =
            |place: CommandPlace| self.written.lists[place.0].commands[place.1 as usize].span;
        let (text, gone) = self.taken(&end);
        let moved = self.text.before(span(second).start, &text);
        let end_first = (
            vec![Some(moved), Some(gone)],
            "end the split barrier before (2)",
        );
        let (text, gone) = self.taken(&begin);
        let moved = self.text.after(span(last), &text);
        let begin_last = (
            vec![Some(gone.clone()), Some(moved)],
            "begin the split barrier after (2)",
        );
        let mut whole = end.barrier.clone();
        whole.sync_before = begin.barrier.sync_before;
        whole.access_before = begin.barrier.access_before;
        let rewritten = self.rewrite(&end, &whole);
        let one = (
            vec![Some(gone), rewritten],
            "make one barrier of both halves, after (2)",
        );
        let access = self.conflict.second.access;
        let old = begin.barrier.access_before;
        let belongs_before = old == BarrierAccess::COMMON || old.contains(access);
        let order = if belongs_before {
            [begin_last, one, end_first]
        } else {
            [end_first, begin_last, one]
        };
        for (at, (edits, says)) in order.into_iter().enumerate() {
            self.push(Weight::MOVED.plus(at), edits, says.to_string());
        }
    }

    /// A whole barrier that comes after the second use comes before it.
    pub(super) fn move_up(&mut self) {
        let Some((list, command)) = self.around.second else {
            return;
        };
        let now = self.timeline.moment(self.conflict.second.node, None);
        let scope = ..Moment::start(now.rank + 1);
        let mut globals = self.timeline.touches(Of::Entries(None), now..scope.end);
        let global = globals.find_map(executed);
        let at = self.written.lists[list].commands[command as usize]
            .span
            .start;
        for late in self.around.next.into_iter().chain(global) {
            let is_later = late.place.0 == list && late.place.1 > command;
            if is_split(late.barrier) || !is_later {
                continue;
            }
            let (text, gone) = self.taken(&late);
            let moved = self.text.before(at, &text);
            let line = self.text.source.line(late.barrier.span.start);
            let says = format!("move the barrier of line {line} before (2)");
            self.push(Weight::MOVED, vec![Some(moved), Some(gone)], says);
        }
    }

    /// A second half, which the text lacks, before the use.
    fn end_before_use(&mut self, begin: &ExecutedEntry<'s>) {
        if begin.barrier.sync_after.is_split() && !self.is_legacy(begin.place) {
            let end = end_of(begin.barrier, self.around.after.0);
            self.push_entry(Weight::NEW_ENTRY, &end, "end the split barrier before (2)");
        }
    }

    /// The text of an entry without its call, and the edit that takes it away.
    fn taken(&self, entry: &ExecutedEntry<'s>) -> (String, Edit) {
        let (list, command) = entry.place;
        let call = &self.written.lists[list].commands[command as usize];
        let (count, word) = match &call.kind {
            CommandKind::Legacy(entries) => (entries.len(), "legacy"),
            CommandKind::Barrier(entries) => (entries.len(), "barrier"),
            // A fence barrier is moved whole: its fence and value belong to all of its entries.
            _ => (1, ""),
        };
        let written = |span: Span| &self.text.source.text[span.start as usize..span.end as usize];
        if count == 1 {
            return (written(call.span).to_owned(), self.text.without(call.span));
        }
        let span = entry.barrier.span;
        (
            format!("{word} {{ {} }}", written(span)),
            self.text.without(span),
        )
    }
}
