//! The logs of hardware queues, and their progress fences.
//!
//! A hardware queue logs the native fences that it signals, and those that it has waited for, in two buffers of 4 KiB.
//! An entry has the fence, the value, what happened, when the wait was first seen and when it ended; the header has the
//! first free index and how often the buffer was full. The GPU writes on when the operating system does not read: what
//! it overwrites is lost, and the operating system then looks at every fence. The operating system reads at each
//! interrupt. The sizes of entry and header are ours: 40 and 16 bytes.
//!
//! The progress fence of a queue rises by one with each submission that is over.

use crate::id::{FenceId, QueueId, SubmissionId, Table};
use crate::order::storage::PAGE_BYTES;
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::time::Ps;
use crate::trace::Trace;

/// Bytes of the header of a log.
pub const HEADER_BYTES: u32 = 16;
/// Bytes of an entry.
pub const ENTRY_BYTES: u32 = 40;
/// Entries of a log.
pub const ENTRIES: u32 = (PAGE_BYTES - HEADER_BYTES) / ENTRY_BYTES;

/// What an entry says.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct LogEntry {
    /// The fence.
    pub fence: FenceId,
    /// The value signalled, or waited for.
    pub value: u64,
    /// When the wait was first seen; of a signal the same as `end`.
    pub seen: Ps,
    /// When the signal was executed, or the wait unblocked.
    pub end: Ps,
}

/// A log buffer.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Log {
    /// Entries; the oldest are overwritten.
    pub entries: Vec<LogEntry>,
    /// First free index.
    pub first_free: u32,
    /// How often it was full.
    pub wraparounds: u32,
    /// Entries that were overwritten before they were read.
    pub lost: u32,
    /// Reads that found something lost, after which every fence is looked at.
    pub rescans: u32,
    unread: u32,
    lost_unread: u32,
}

impl Log {
    /// Writes an entry, whether anybody has read the one before it in that place or not.
    pub fn push(&mut self, entry: LogEntry) {
        debug_assert!(self.last().is_none_or(|last| last.end <= entry.end));
        let at = self.first_free as usize;
        if at < self.entries.len() {
            self.entries[at] = entry;
        } else {
            self.entries.push(entry);
        }
        self.first_free = (self.first_free + 1) % ENTRIES;
        self.wraparounds += u32::from(self.first_free == 0);
        if self.unread == ENTRIES {
            self.lost_unread += 1;
        } else {
            self.unread += 1;
        }
    }

    /// The operating system reads it.
    pub fn read(&mut self) {
        self.rescans += u32::from(self.lost_unread > 0);
        self.lost += self.lost_unread;
        self.unread = 0;
        self.lost_unread = 0;
    }

    /// The entry that was written last.
    pub fn last(&self) -> Option<&LogEntry> {
        let at = (self.first_free + ENTRIES - 1) % ENTRIES;
        self.entries.get(at as usize)
    }

    /// How many entries were written.
    pub fn written(&self) -> u32 {
        self.wraparounds * ENTRIES + self.first_free
    }
}

/// What a hardware queue keeps.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct QueueLog {
    /// Native fences that it has signalled.
    pub signals: Log,
    /// Native fences that it has waited for.
    pub waits: Log,
    /// The value of its progress fence at the end.
    pub progress: u32,
    /// What it would be if everything were over.
    pub submitted: u32,
}

impl QueueLog {
    pub(super) fn signal(&mut self, fence: FenceId, value: u64, at: Ps) {
        self.signals.push(LogEntry {
            fence,
            value,
            seen: at,
            end: at,
        });
    }

    pub(super) fn wait(
        &mut self,
        fence: FenceId,
        timeline: &Timeline<'_>,
        id: SubmissionId,
        at: Ps,
        since: Ps,
    ) {
        if let SubmissionKind::Wait { value, .. } = timeline.submission(id).kind {
            self.waits.push(LogEntry {
                fence,
                value,
                seen: since,
                end: at,
            });
        }
    }

    pub(super) fn read(&mut self) {
        self.signals.read();
        self.waits.read();
    }

    /// Whether anything was logged.
    pub fn is_used(&self) -> bool {
        self.signals.written() + self.waits.written() > 0
    }
}

/// Empty logs of every queue, with the progress that the run made.
pub(super) fn queues(timeline: &Timeline<'_>, trace: &Trace) -> Table<QueueId, QueueLog> {
    let mut logs = Table::filled(timeline.scenario.queues.len(), QueueLog::default());
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let Actor::Queue(queue) = submission.actor else {
            continue;
        };
        let id = SubmissionId::new(index);
        let over = (0..submission.nodes.max(1))
            .map(|n| crate::id::NodeId(submission.first_node.0 + n))
            .any(|node| trace.command(node).ran());
        let log = &mut logs[queue];
        log.submitted += 1;
        log.progress += u32::from(over && !super::account::is_dropped(timeline, id));
    }
    logs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(value: u64) -> LogEntry {
        LogEntry {
            fence: FenceId::new(0),
            value,
            seen: Ps(value),
            end: Ps(value),
        }
    }

    /// The buffer is 4 KiB; the GPU writes over what nobody has read, and the count of wraparounds says so.
    #[test]
    fn a_full_log_begins_again_and_what_was_not_read_is_lost() {
        const { assert!(HEADER_BYTES + ENTRIES * ENTRY_BYTES <= PAGE_BYTES) };
        let mut log = Log::default();
        for value in 0..u64::from(ENTRIES) {
            log.push(entry(value));
        }
        assert_eq!((log.wraparounds, log.first_free), (1, 0));
        log.read();
        assert_eq!((log.lost, log.rescans), (0, 0));
        for value in 0..u64::from(ENTRIES) + 3 {
            log.push(entry(1_000 + value));
        }
        log.read();
        assert_eq!((log.lost, log.rescans), (3, 1));
        assert_eq!((log.wraparounds, log.first_free), (2, 3));
        assert_eq!(log.written(), 2 * ENTRIES + 3);
        assert_eq!(log.last(), Some(&entry(1_002 + u64::from(ENTRIES))));
    }
}
