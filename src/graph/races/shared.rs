//! Which blocks of memory more than one actor touches: only there can uses race.

use crate::id::{ListId, MemoryId, ResourceId, SubmissionId, Table};
use crate::lookup::LookupSet;
use crate::order::{Actor, SubmissionKind, Timeline};
use crate::scenario::CommandKind;

/// Who touches a block of memory, by the number of the actor.
#[derive(Copy, Clone, PartialEq)]
enum Touched {
    Nobody,
    One(usize),
    Many,
}

/// Whether a submission of this kind may touch memory.
fn touches_memory(kind: SubmissionKind) -> bool {
    matches!(
        kind,
        SubmissionKind::Execute
            | SubmissionKind::Present { .. }
            | SubmissionKind::CpuWrite { .. }
            | SubmissionKind::CpuRead { .. }
    )
}

/// Which blocks of memory more than one actor touches.
pub(in super::super) fn shared_memories(timeline: &Timeline<'_>) -> Table<MemoryId, bool> {
    let scenario = timeline.scenario;
    let count = timeline.memory.memory_count();
    let mut busy = timeline
        .submissions
        .iter()
        .filter(|s| touches_memory(s.kind));
    let first = busy.next().map(|s| s.actor);
    if busy.all(|s| Some(s.actor) == first) {
        // One actor shares nothing with itself: no need to look at every command.
        return Table::filled(count, false);
    }
    // The actors known to touch each block.
    let mut touched = Table::filled(count, Touched::Nobody);
    let mut seen: LookupSet<(usize, ListId)> = LookupSet::default();
    let mut touch = |resource: ResourceId, actor: usize| {
        if let Some(extent) = timeline.memory.whole(resource) {
            let by = &mut touched[extent.memory];
            *by = match *by {
                Touched::Nobody => Touched::One(actor),
                Touched::One(known) if known == actor => *by,
                Touched::One(_) | Touched::Many => Touched::Many,
            };
        }
    };
    for (index, submission) in timeline.submissions.iter().enumerate() {
        let actor = timeline.actor_index(submission.actor);
        match submission.kind {
            SubmissionKind::Present { resource }
            | SubmissionKind::CpuWrite { resource }
            | SubmissionKind::CpuRead { resource } => touch(resource, actor),
            SubmissionKind::Execute => {
                let lists = timeline.lists(submission);
                let known = seen.len();
                seen.extend(lists.iter().map(|list| (actor, *list)));
                if seen.len() == known {
                    continue;
                }
                for (_, _, command) in timeline.commands(SubmissionId::new(index)) {
                    for usage in &command.uses {
                        touch(usage.resource, actor);
                    }
                    if let CommandKind::Barrier(entries) = &command.kind {
                        entries
                            .iter()
                            .filter_map(crate::scenario::Barrier::resource)
                            .for_each(|r| touch(r, actor));
                    }
                }
            }
            _ => {}
        }
    }
    debug_assert!(
        timeline
            .submissions
            .iter()
            .all(|s| !matches!(s.actor, Actor::Queue(q) if q.index() >= scenario.queues.len()))
    );
    let by_many = |by| by == Touched::Many;
    touched.into_iter().map(by_many).collect()
}
