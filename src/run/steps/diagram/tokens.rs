//! What a place holds of a resource: its versions, as far as they are its own. What an alias wrote is a version of the alias. A fast
//! clear is a version that only metadata has.

use super::{HeldToken, Shown};
use crate::analyze::beats::Versions;
use crate::analyze::beats::held::of_texels;
use crate::id::{MemoryId, narrow};
use crate::trace::contents::HeldRun;
use std::collections::BTreeMap;

/// The versions of a resource among what a place holds, ascending. Bytes of which memory says nothing are as they were before
/// anything ran.
pub(super) fn tokens<'r>(
    Shown { id, own, metadata }: Shown,
    runs: impl Fn(MemoryId) -> &'r [HeldRun],
    versions: &Versions,
    is_memory: bool,
) -> Vec<HeldToken> {
    let mut found: BTreeMap<u32, (Vec<(u64, u64)>, bool)> = BTreeMap::new();
    let mut covered = 0;
    for (run, is_metadata) in of_texels(own, metadata, runs) {
        let writer = run.held.whose();
        if writer.is_none_or(|writer| writer.resource == id) {
            let known = found.entry(narrow(versions.number(writer))).or_default();
            known.0.push((run.start, run.end));
            known.1 |= run.held.dirty;
        }
        if !is_metadata {
            covered += run.end - run.start;
        }
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
