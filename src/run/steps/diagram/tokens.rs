//! What a place holds of a resource: its versions, as far as they are its own. What an alias wrote is a version of the alias. A fast
//! clear is a version that only metadata has.

use super::{HeldToken, Shown};
use crate::analyze::beats::Versions;
use crate::id::{Extent, narrow};
use crate::trace::contents::HeldRun;
use std::collections::BTreeMap;

/// The versions of a resource among some runs of its texels and of their metadata, ascending. Bytes of which memory says nothing
/// are as they were before anything ran.
pub(super) fn tokens(
    (texels, metadata): (&[HeldRun], &[HeldRun]),
    Shown { id, own, .. }: Shown,
    versions: &Versions,
    is_memory: bool,
) -> Vec<HeldToken> {
    let mut found: BTreeMap<u32, (Vec<(u64, u64)>, bool)> = BTreeMap::new();
    let mut covered = 0;
    let mut take = |run: &HeldRun| {
        let bytes = (run.start.max(own.start), run.end.min(own.end));
        let writer = run.held.whose();
        if writer.is_none_or(|writer| writer.resource == id) {
            let known = found.entry(narrow(versions.number(writer))).or_default();
            known.0.push(bytes);
            known.1 |= run.held.dirty;
        }
        bytes.1 - bytes.0
    };
    for run in within(texels, &own) {
        covered += take(run);
    }
    for run in within(metadata, &own).filter(|run| run.held.is_clear()) {
        take(run);
    }
    let untouched = own.len().saturating_sub(covered);
    let token = |(number, (bytes, dirty)): (u32, (Vec<(u64, u64)>, bool))| {
        let rest = if is_memory && number == 0 {
            untouched
        } else {
            0
        };
        HeldToken {
            number,
            dirty,
            part: length(bytes) + rest < own.len(),
        }
    };
    if is_memory && untouched > 0 {
        found.entry(0).or_default();
    }
    found.into_iter().map(token).collect()
}

/// The runs that have bytes of a resource.
fn within<'r>(runs: &'r [HeldRun], own: &Extent) -> impl Iterator<Item = &'r HeldRun> {
    let (start, end) = (own.start, own.end);
    let first = runs.partition_point(|run| run.end <= start);
    runs[first..].iter().take_while(move |run| run.start < end)
}

/// Number of bytes of some ranges, each byte once.
fn length(mut ranges: Vec<(u64, u64)>) -> u64 {
    ranges.sort_unstable();
    let (mut all, mut until) = (0, 0);
    for (start, end) in ranges {
        all += end.max(until) - start.max(until);
        until = until.max(end);
    }
    all
}
