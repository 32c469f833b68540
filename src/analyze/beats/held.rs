//! What a place holds of some texels, and what became of bytes between two looks at it.

use crate::id::{Extent, MemoryId};
use crate::trace::contents::{Held, HeldRun};

/// What a place holds of some texels, cut to them: runs of the texels, then those of the metadata, at the same bytes, which says
/// that texels are clear and so is the only place of their version. Each with whether it is metadata.
pub(crate) fn of_texels<'r>(
    texels: Extent,
    metadata: Option<MemoryId>,
    runs: impl Fn(MemoryId) -> &'r [HeldRun],
) -> impl Iterator<Item = (HeldRun, bool)> {
    let clears = metadata.map_or(&[][..], &runs);
    let clears = within(clears, texels).filter(|run| run.held.is_clear());
    let all = within(runs(texels.memory), texels).map(|run| (run, false));
    all.chain(clears.map(|run| (run, true)))
}

/// Runs, cut to some bytes.
pub(super) fn within(runs: &[HeldRun], bytes: Extent) -> impl Iterator<Item = HeldRun> {
    let first = runs.partition_point(|run| run.end <= bytes.start);
    let runs = runs[first..].iter();
    let own = runs.take_while(move |run| run.start < bytes.end);
    own.map(move |run| HeldRun {
        start: run.start.max(bytes.start),
        end: run.end.min(bytes.end),
        held: run.held,
    })
}

/// What became of some bytes in one place.
#[derive(Copy, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) enum Did {
    /// It is dirty there now.
    Writes,
    /// It is clean there now, or gone to where the place writes back.
    WritesBack,
    /// It is not there any more.
    Drops,
    /// It is there now, and clean.
    Fetches,
    /// Memory has it now.
    Receives,
}

/// What became of bytes that were `old` and are `new`.
pub(crate) fn what(old: Option<Held>, new: Option<Held>, is_memory: bool) -> Vec<(Did, Held)> {
    let same = |a: Held, b: Held| (a.writer, a.state) == (b.writer, b.state);
    match (old, new) {
        (_, Some(new)) if is_memory => vec![(Did::Receives, new)],
        (Some(old), Some(new)) if same(old, new) => match (old.dirty, new.dirty) {
            (true, false) => vec![(Did::WritesBack, old)],
            (false, true) => vec![(Did::Writes, new)],
            _ => Vec::new(),
        },
        (old, new) => {
            let mut all = Vec::new();
            if let Some(old) = old {
                if old.dirty && new.is_none() {
                    all.push((Did::WritesBack, old));
                }
                if new.is_none() {
                    all.push((Did::Drops, old));
                }
            }
            if let Some(new) = new {
                all.push((if new.dirty { Did::Writes } else { Did::Fetches }, new));
            }
            all
        }
    }
}

/// Calls `each` for the pieces into which two lists of runs divide the bytes, where they differ.
pub(crate) fn pieces(
    old: &[HeldRun],
    new: &[HeldRun],
    mut each: impl FnMut(u64, u64, Option<Held>, Option<Held>),
) {
    let ends =
        |runs: &[HeldRun]| -> Vec<u64> { runs.iter().flat_map(|r| [r.start, r.end]).collect() };
    let mut cuts = ends(old);
    cuts.extend(ends(new));
    cuts.sort_unstable();
    cuts.dedup();
    let at = |runs: &[HeldRun], byte: u64| {
        let index = runs.partition_point(|run| run.end <= byte);
        runs.get(index)
            .filter(|run| run.start <= byte)
            .map(|run| run.held)
    };
    for pair in cuts.windows(2) {
        let (was, is) = (at(old, pair[0]), at(new, pair[0]));
        if was != is {
            each(pair[0], pair[1], was, is);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::id::NodeId;

    fn run(start: u64, end: u64, writer: u32, dirty: bool) -> HeldRun {
        let held = Held {
            writer: Some(NodeId(writer)),
            resource: None,
            dirty,
            state: "plain",
        };
        HeldRun { start, end, held }
    }

    fn told(old: &[HeldRun], new: &[HeldRun]) -> Vec<(u64, u64, Vec<Did>)> {
        let mut all = Vec::new();
        pieces(old, new, |start, end, old, new| {
            let did = what(old, new, false).into_iter().map(|(did, _)| did);
            all.push((start, end, did.collect()));
        });
        all
    }

    #[test]
    fn what_is_clean_and_was_dirty_is_written_back() {
        let told = told(&[run(0, 64, 1, true)], &[run(0, 64, 1, false)]);
        assert_eq!(told, [(0, 64, vec![Did::WritesBack])]);
    }

    #[test]
    fn what_is_gone_is_dropped_and_if_it_was_dirty_written_back() {
        let told = told(&[run(0, 64, 1, true), run(64, 128, 1, false)], &[]);
        let expected = [
            (0, 64, vec![Did::WritesBack, Did::Drops]),
            (64, 128, vec![Did::Drops]),
        ];
        assert_eq!(told, expected);
    }

    #[test]
    fn only_what_differs_is_told() {
        let told = told(
            &[run(0, 128, 1, false)],
            &[run(0, 64, 1, false), run(64, 128, 2, true)],
        );
        assert_eq!(told, [(64, 128, vec![Did::Writes])]);
    }
}
