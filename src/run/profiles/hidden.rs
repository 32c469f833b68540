//! Why a conflict does not show in a run: one phrase that is true of that run.

use crate::analyze::names;
use crate::api::{BarrierAccess, QueueType};
use crate::graph::{Conflict, ConflictKind, Side};
use crate::hardware::{Client, Profile, WritePolicy};
use crate::id::{CacheId, Extent, ResourceId};
use crate::order::{Act, Moment, Of, SubmissionKind, Timeline, Touch};
use crate::scenario::{CommandKind, Range, StatementKind};
use crate::trace::Trace;

/// What hid a conflict in a run.
pub(super) fn hidden(
    timeline: &Timeline<'_>,
    profile: &Profile,
    trace: &Trace,
    conflict: &Conflict,
) -> String {
    let (first, second) = (&conflict.first, &conflict.second);
    let (before, after) = (trace.command(first.node), trace.command(second.node));
    if !before.ran() || !after.ran() {
        return "one of the two never ran".into();
    }
    let gap = (before.end <= after.start).then(|| after.start - before.end);
    match conflict.kind {
        ConflictKind::ReadAfterWrite => {
            let Some(gap) = gap else {
                return "the two overlapped, and the bytes were there in time".into();
            };
            let order = if conflict.ordered {
                String::new()
            } else {
                format!("the write happened to end {gap} before the read began, and ")
            };
            match (client(timeline, first), client(timeline, second)) {
                (Some(source), Some(target)) => order + &where_they_met(profile, source, target),
                _ => order + "the bytes were there in time",
            }
        }
        ConflictKind::WriteAfterRead => match gap {
            Some(gap) => format!("the read happened to end {gap} before the write began"),
            None => "the two overlapped, and the read was over before the write landed".into(),
        },
        ConflictKind::RaceReadWrite => {
            "the two happened to run in the order of the text, and the read saw what that order gives"
                .into()
        }
        ConflictKind::LayoutMismatch | ConflictKind::MetadataUninitialised => {
            if profile.layout_ops.is_empty() {
                "no layout changes how texels are stored here".into()
            } else {
                "both layouts store texels in a form that the use decodes".into()
            }
        }
        ConflictKind::WriteAfterWrite if second.barrier().is_some() && profile.drains_queue() => {
            "the barrier waits for the whole queue here".into()
        }
        _ if !is_read(timeline, conflict) => "no later read looks at the bytes".into(),
        ConflictKind::FalseSharing => kept_apart(timeline, profile, conflict),
        ConflictKind::WriteAfterWrite | ConflictKind::RaceWriteWrite => match gap {
            Some(gap) => format!("the first write happened to end {gap} before the second began"),
            None => "the two overlapped, and later reads found what the second left".into(),
        },
        _ => "every read of the bytes found what it should".into(),
    }
}

/// Whether the second side, or anything after it in order of evaluation, reads bytes of its memory.
fn is_read(timeline: &Timeline<'_>, conflict: &Conflict) -> bool {
    let (second, memory) = (&conflict.second, &timeline.memory);
    let own = names::used(timeline, second).is_some_and(|used| used.reads());
    let Some(whole) = memory.whole(second.resource) else {
        return own;
    };
    let bytes = conflict.bytes.unwrap_or(whole);
    let meets = |extent: Extent| extent.intersection(bytes).is_some();
    let from = Moment::start(timeline.moment(second.node, None).rank);
    let is_read = |id: ResourceId, touch: Touch<'_>| {
        let range = match touch.act {
            Act::Use(used) if used.reads() => {
                // Descriptors that were set before are read later.
                let is_set = || {
                    let command = timeline.command(touch.moment.node);
                    command.is_some_and(|c| matches!(c.kind, CommandKind::SetRoot { .. }))
                };
                (touch.moment.node > second.node || is_set()).then_some(&used.range)
            }
            Act::Outside(statement) => match &statement.kind {
                StatementKind::Present { .. } => Some(&Range::All),
                StatementKind::CpuRead { range, .. } => Some(range),
                _ => None,
            },
            Act::Use(_) | Act::Entry(_) => None,
        };
        let extents = range.map(|range| memory.extents(timeline.scenario, id, range));
        extents.is_some_and(|extents| extents.into_iter().any(meets))
    };
    let mut aliases = timeline.scenario.resources.ids();
    own || aliases.any(|id| {
        memory.whole(id).is_some_and(meets)
            && timeline
                .touches(Of::Uses(id), from..)
                .any(|touch| is_read(id, touch))
    })
}

/// Why writers of one granule did not undo each other's bytes.
fn kept_apart(timeline: &Timeline<'_>, profile: &Profile, conflict: &Conflict) -> String {
    let sides = (
        client(timeline, &conflict.first),
        client(timeline, &conflict.second),
    );
    let (Some(one), Some(two)) = sides else {
        return "later reads found the bytes of both".into();
    };
    let path = |client| {
        let path = profile.write_paths(client).next();
        path.map_or(&[][..], |path| profile.path(path))
    };
    let (one, two) = (path(one), path(two));
    let meet = one
        .iter()
        .find(|c| two.contains(c) && !profile.cache(**c).private);
    let own = |path: &[CacheId]| -> Vec<CacheId> {
        let path = path.iter().take_while(|c| Some(*c) != meet);
        let keeps = path.filter(|c| profile.cache(**c).policy == WritePolicy::WriteBack);
        keeps.copied().collect()
    };
    let mut own: Vec<CacheId> = own(one).into_iter().chain(own(two)).collect();
    own.sort_unstable();
    own.dedup();
    if own.is_empty() {
        return match meet {
            Some(cache) => format!("both write into {}", profile.cache(*cache).name),
            None => "no cache keeps what they write".into(),
        };
    }
    if own.iter().all(|c| profile.cache(*c).byte_masks) {
        let names: Vec<&str> = own.iter().map(|c| &*profile.cache(*c).name).collect();
        return format!(
            "{} writes back only the bytes that were written",
            names.join(" and ")
        );
    }
    "no line was written back over the other's bytes in this run".into()
}

/// Who carries out a side; `None` if it has several accesses, or none: a barrier's layout change is no client's.
fn client(timeline: &Timeline<'_>, side: &Side) -> Option<Client> {
    let submission = timeline.submission(timeline.submission_of(side.node));
    let queue = timeline.queue_type(submission);
    match submission.kind {
        SubmissionKind::CpuRead { .. } | SubmissionKind::CpuWrite { .. } => Some(Client::Host),
        SubmissionKind::Present { .. } => Some(Client::Display),
        _ => {
            let is_one = side.access.bits().is_power_of_two();
            (is_one && BarrierAccess::EVERY.contains(side.access))
                .then(|| Client::of(side.access, queue.unwrap_or(QueueType::Direct)))
        }
    }
}

/// Where a read found a write that nothing made visible to it.
fn where_they_met(profile: &Profile, write: Client, read: Client) -> String {
    let name = |id: &CacheId| profile.cache(*id).name.clone();
    let stays = profile.write_paths(write).next().and_then(|path| {
        let mut path = profile.path(path).iter();
        path.find(|c| profile.cache(**c).policy == WritePolicy::WriteBack)
    });
    let path = profile.path(profile.read_paths(read)[0]);
    let nearer = |meets: Option<usize>| {
        let nearer: Vec<_> = path[..meets.unwrap_or(path.len())]
            .iter()
            .map(name)
            .collect();
        if nearer.is_empty() {
            String::new()
        } else {
            format!(", and no old line was in {}", nearer.join(" or "))
        }
    };
    match stays {
        Some(cache) => match path.iter().position(|c| c == cache) {
            Some(at) => format!(
                "the read found the write in {}{}",
                name(cache),
                nearer(Some(at))
            ),
            None => format!("{} had been written back before", name(cache)),
        },
        None => format!("the write was in memory{}", nearer(None)),
    }
}
