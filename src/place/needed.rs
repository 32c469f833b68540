//! That nothing less is enough: the placed text without each barrier, and without each bit of its masks, is wrong.

use super::proof;
use crate::api::{BarrierAccess, BarrierSync};
use crate::finding::Source;
use crate::pipeline::front::Prepared;
use crate::scenario::edit::{self, EntryId, Next};
use crate::scenario::{self, Barrier, Scenario};
use crate::validate::RuleSet;
use bitflags::Flags;
use serde::Serialize;
use std::fmt::Display;

/// Why a barrier is there.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NeededRow"))]
#[non_exhaustive]
pub struct Needed {
    /// Line of the placed text, counted from 1.
    pub line: u32,
    /// The entry.
    pub barrier: String,
    /// Id of a rule that the text breaks without it; null if the text is clean without it.
    pub without: Option<&'static str>,
    /// The line on which it breaks that rule.
    pub without_line: Option<u32>,
    /// Bits in its masks, of masks with more than one.
    pub bits: usize,
    /// Those that may go, one at a time.
    pub spare: Vec<String>,
}

/// Why each barrier of a text is there.
pub(super) fn each(source: &Source, rules: RuleSet) -> Vec<Needed> {
    let (scenario, _) = scenario::parse(source);
    let wholes = edit::wholes(&scenario);
    let needed = wholes.iter().filter_map(|whole| {
        let first = *whole.first()?;
        let barrier = first.of(&scenario)?;
        let copy = edit::without(&scenario, whole, Next::Relinked);
        let broken = wrong(&copy, rules);
        let bits = bits(&scenario, whole);
        let spare = bits.iter().filter(|(_, copy)| wrong(copy, rules).is_none());
        Some(Needed {
            line: source.line(first.span(&scenario)?.start),
            barrier: scenario::print_barrier(&scenario, barrier),
            without: broken.map(|(id, _)| id),
            without_line: broken.map(|(_, at)| source.line(at)),
            spare: spare.map(|(name, _)| name.clone()).collect(),
            bits: bits.len(),
        })
    });
    needed.collect()
}

/// The first rule that a copy breaks, and where.
fn wrong(copy: &Scenario, rules: RuleSet) -> Option<(&'static str, u32)> {
    let found = proof::wrong(&Prepared::edited(copy), rules);
    let first = found.into_iter().min_by_key(|it| it.span.start)?;
    Some((first.rule.id, first.span.start))
}

/// A mask of an entry.
type Mask<T> = (&'static str, fn(&mut Barrier) -> &mut T);

const SYNCS: [Mask<BarrierSync>; 2] = [
    ("SyncBefore", |it| &mut it.sync_before),
    ("SyncAfter", |it| &mut it.sync_after),
];
const ACCESSES: [Mask<BarrierAccess>; 2] = [
    ("AccessBefore", |it| &mut it.access_before),
    ("AccessAfter", |it| &mut it.access_after),
];

/// Each bit of a barrier, and the scenario without it. Of a split barrier both halves lose it. A mask of one bit has none:
/// without it the entry says something else.
pub(super) fn bits(scenario: &Scenario, whole: &[EntryId]) -> Vec<(String, Scenario)> {
    let syncs = SYNCS.iter().flat_map(|mask| bits_of(scenario, whole, mask));
    let accesses = ACCESSES.iter();
    let accesses = accesses.flat_map(|mask| bits_of(scenario, whole, mask));
    syncs.chain(accesses).collect()
}

fn bits_of<T: Flags + Copy + Display>(
    scenario: &Scenario,
    whole: &[EntryId],
    (name, mask): &Mask<T>,
) -> Vec<(String, Scenario)> {
    let Some(mut first) = whole.first().and_then(|it| it.of(scenario)).cloned() else {
        return Vec::new();
    };
    let bits: Vec<T> = mask(&mut first).iter().collect();
    let without = |bit: &T| {
        let mut copy = scenario.clone();
        for entry in whole {
            if let Some(barrier) = entry.of_mut(&mut copy) {
                mask(barrier).remove(*bit);
            }
        }
        (format!("{name} {bit}"), copy)
    };
    if bits.len() > 1 {
        bits.iter().map(without).collect()
    } else {
        Vec::new()
    }
}
