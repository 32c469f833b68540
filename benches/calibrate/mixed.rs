//! Streams of unlike steps: they should take what their steps take in the measured chains of like steps.

use super::rows::Row;
use super::text::{barrier, dispatch};
use std::collections::BTreeMap;

/// A step: duration of a group in microseconds, groups, the barrier after it.
type Step = (u64, u64, String);

/// Steps with the time that one takes in a measured chain of its like on a graphics queue, in nanoseconds: the slope
/// between the shortest and the longest chain of at least 16.
pub(crate) fn steps(rows: &[Row]) -> Vec<(Step, f64)> {
    let mut chains: BTreeMap<Step, Vec<(u64, f64)>> = BTreeMap::new();
    for row in rows
        .iter()
        .filter(|row| row.table == "A" && row.name == "chain")
    {
        let (Some(groups), Some(variant), Some(n)) =
            (row.number("groups"), row.text("variant"), row.number("N"))
        else {
            continue;
        };
        let orders = ["exec", "mem", "buf", "all"].contains(&variant);
        if row.queue() == "direct" && n >= 16 && orders {
            let micros = u64::from(row.text("kernel") == Some("spin10us")) * 10;
            let time = row.values["median_ns"].as_f64().expect("a time");
            let chain = chains.entry((micros, groups, variant.to_owned()));
            chain.or_default().push((n, time));
        }
    }
    let slope = |(step, mut times): (Step, Vec<(u64, f64)>)| {
        times.sort_by_key(|(n, _)| *n);
        let (first, last) = (times.first()?, times.last()?);
        let between = u32::try_from(last.0 - first.0).expect("a chain has few steps");
        (between > 0).then(|| (step, (last.1 - first.1) / f64::from(between)))
    };
    chains.into_iter().filter_map(slope).collect()
}

/// A stream of so many steps drawn with a seed: its commands, and the sum of its steps.
pub(crate) fn stream(steps: &[(Step, f64)], count: usize, seed: u64) -> (String, f64) {
    let mut state = seed;
    let (mut text, mut sum) = (String::new(), 0.0);
    for _ in 0..count {
        // Numerical Recipes' generator: its upper bits are good enough to draw steps.
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let ((micros, groups, variant), time) = &steps[(state >> 33) as usize % steps.len()];
        text += &dispatch(*groups, 128, *micros);
        text += &barrier(variant).expect("a variant of the chains");
        sum += time;
    }
    (text, sum)
}
