//! What a place holds of a resource: its versions, as far as they are its own. What an alias wrote is a version of the alias.

use super::{HeldToken, Shown};
use crate::analyze::beats::Versions;
use crate::id::narrow;
use crate::trace::contents::HeldRun;
use std::collections::BTreeMap;

/// The versions of a resource among some runs of its block, ascending. Bytes of which memory says nothing are as they were
/// before anything ran.
pub(super) fn tokens(
    runs: &[HeldRun],
    Shown { id, own }: Shown,
    versions: &Versions,
    is_memory: bool,
) -> Vec<HeldToken> {
    let mut bytes: BTreeMap<u32, (u64, bool)> = BTreeMap::new();
    let mut covered = 0;
    let first = runs.partition_point(|run| run.end <= own.start);
    for run in runs[first..].iter().take_while(|run| run.start < own.end) {
        let length = run.end.min(own.end) - run.start.max(own.start);
        covered += length;
        let writer = run.held.whose();
        if writer.is_some_and(|writer| writer.resource != id) {
            continue;
        }
        let number = narrow(versions.number(writer));
        let known = bytes.entry(number).or_default();
        *known = (known.0 + length, known.1 || run.held.dirty);
    }
    let untouched = own.len().saturating_sub(covered);
    if is_memory && untouched > 0 {
        bytes.entry(0).or_default().0 += untouched;
    }
    let token = |(number, (length, dirty))| HeldToken {
        number,
        dirty,
        part: length < own.len(),
    };
    bytes.into_iter().map(token).collect()
}
