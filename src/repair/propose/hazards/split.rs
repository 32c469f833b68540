//! Candidates for a use between the halves of a split barrier: a half moved past the use, or one whole barrier.

use super::super::around::{CommandPlace, ExecutedEntry};
use super::Maker;
use super::weight::Weight;
use crate::api::BarrierAccess;
use crate::finding::{Edit, Span};
use crate::scenario::CommandKind;

impl<'s> Maker<'_, 's> {
    /// The use leaves the split barrier: the second half comes before it, or the first half after it, or both become
    /// one.
    pub(super) fn move_half(&mut self) {
        let (Some(begin), Some(end)) = (self.around.previous, self.around.next) else {
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
