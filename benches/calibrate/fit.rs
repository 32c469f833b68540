//! Fits numbers of the profile to rows: `cargo bench --bench calibrate -- --fit`.
//!
//! What is fitted: the numbers whose source says `fitted to`, but for those that count places or say from how many bytes on
//! something happens; they are read off single rows. What to: the rows that are not held out (`kinds`). What falls: the sum
//! over the tables of the mean error of their fitted rows, the streams as much as three tables. The error of a row is its
//! relative error and a multiple of its square: a few rows that are far off count more than many that are a little off.
//!
//! How: each number in turn is made larger and smaller by a share of itself, and the better value is kept; the share is
//! halved when a round of all numbers gains little. Nothing is random, so two fits of the same profile are the same. At the
//! end each number is printed with what a change of 5 % would cost, and how many rows that moves by more than 0.1 %.

use super::kinds::is_held_out;
use super::machine::{Machine, scenario};
use super::rows::Row;
use super::text::{Measure, Rebuilt};
use rayon::prelude::*;
use std::collections::BTreeMap;
use syncscope::hardware::Profile;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::scenario::Scenario;

/// Numbers that count, or at which something begins.
const COUNTS: [&str; 7] = [
    "shader.units",
    "shader.unit_threads",
    "shader.unit_groups",
    "shader.unit_shared_bytes",
    "shader.refill_gap",
    "kernel.copy_min_bytes",
    "kernel.fill_min_bytes",
];
/// The first share by which a number changes, and the last.
const SHARES: (f64, f64) = (0.08, 0.01);
/// A round that gains less than this share halves the share of changes.
const LITTLE: f64 = 0.004;
/// As many tables as the streams count.
const STREAMS: f64 = 3.0;
/// How much the square of an error counts.
const SQUARE: f64 = 4.0;

/// A row that decides.
struct Sample<'s> {
    table: String,
    timeline: Timeline<'s>,
    measure: Measure,
    measured: f64,
}

struct Fit<'s> {
    samples: Vec<Sample<'s>>,
    /// The weight of each sample.
    weights: Vec<f64>,
    lowering: &'static dyn Lowering,
}

/// Fits, prints the numbers, and returns the profile with them.
pub(crate) fn fit(
    rows: &[Row],
    profile: &Profile,
    lowering: &'static dyn Lowering,
    rebuild: impl Fn(&Row) -> Rebuilt,
) -> Profile {
    let texts = texts(rows, rebuild);
    let samples: Vec<Sample<'_>> = texts
        .iter()
        .map(|(row, scenario, measure)| Sample {
            table: row.table.clone(),
            timeline: Timeline::new(scenario),
            measure: *measure,
            measured: row.time_ns(),
        })
        .collect();
    let fit = Fit {
        weights: weights(&samples),
        samples,
        lowering,
    };
    let keys = keys(profile);
    println!("{} numbers, {} rows", keys.len(), fit.samples.len());
    let mut best = profile.clone();
    fit.descend(&keys, &mut best);
    fit.print(&keys, profile, &best);
    best
}

/// The rows that decide, as scenarios.
fn texts(rows: &[Row], rebuild: impl Fn(&Row) -> Rebuilt) -> Vec<(&Row, Scenario, Measure)> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut texts = Vec::new();
    for row in rows {
        let place = places.entry(&row.table).or_default();
        *place += 1;
        if is_held_out(row, *place) {
            continue;
        }
        if let Rebuilt::Timed(text, measure) = rebuild(row) {
            texts.push((row, scenario(&text), measure));
        }
    }
    texts
}

/// Each table weighs the same, whatever its rows.
fn weights(samples: &[Sample<'_>]) -> Vec<f64> {
    let mut counts: BTreeMap<&str, f64> = BTreeMap::new();
    for sample in samples {
        *counts.entry(&sample.table).or_default() += 1.0;
    }
    let weight = |sample: &Sample<'_>| {
        let tables = if sample.table == "V" { STREAMS } else { 1.0 };
        tables / counts[sample.table.as_str()]
    };
    samples.iter().map(weight).collect()
}

/// The numbers that are fitted.
fn keys(profile: &Profile) -> Vec<String> {
    let fitted = profile.numbers().filter(|(key, number)| {
        number.source.contains("fitted to") && number.value > 0 && !COUNTS.contains(key)
    });
    fitted.map(|(key, _)| key.to_owned()).collect()
}

impl Fit<'_> {
    /// Relative errors of some rows.
    fn errors(&self, profile: &Profile, rows: &[usize]) -> Vec<f64> {
        let machine = Machine {
            profile,
            lowering: self.lowering,
        };
        let error = |at: &usize| {
            let sample = &self.samples[*at];
            let ours = machine.time_ns(&sample.timeline, sample.measure);
            (ours - sample.measured) / sample.measured
        };
        rows.par_iter().map(error).collect()
    }

    fn all(&self) -> Vec<usize> {
        (0..self.samples.len()).collect()
    }

    /// What is to fall.
    fn loss(&self, errors: &[f64]) -> f64 {
        let parts = errors.iter().zip(&self.weights);
        let size = |error: f64| error.abs() + SQUARE * error * error;
        parts.map(|(error, weight)| size(*error) * weight).sum()
    }

    /// The errors after a change of one number, of which only some rows can know.
    fn changed(&self, errors: &[f64], profile: &Profile, rows: &[usize]) -> Vec<f64> {
        let mut changed = errors.to_vec();
        for (at, error) in rows.iter().zip(self.errors(profile, rows)) {
            changed[*at] = error;
        }
        changed
    }

    /// Goes down, one number after the other.
    fn descend(&self, keys: &[String], best: &mut Profile) {
        let mut errors = self.errors(best, &self.all());
        let mut loss = self.loss(&errors);
        println!("at first {loss:.5}");
        let mut share = SHARES.0;
        while share >= SHARES.1 {
            let before = loss;
            for key in keys {
                let value = number(best, key);
                let tried = [1.0 + share, 1.0 - share].map(|factor| scaled(value, factor));
                // Which rows know of a number is found out by the first change.
                let mut rows = self.all();
                for (turn, other) in tried.into_iter().enumerate() {
                    let profile = with(best, key, other);
                    let changed = self.changed(&errors, &profile, &rows);
                    if turn == 0 {
                        rows.retain(|at| (changed[*at] - errors[*at]).abs() > 0.0);
                    }
                    let lower = self.loss(&changed);
                    if lower < loss * (1.0 - 1e-6) {
                        (*best, errors, loss) = (profile, changed, lower);
                        break;
                    }
                }
            }
            // What the shortcut left out is put right before the next round.
            errors = self.errors(best, &self.all());
            loss = self.loss(&errors);
            println!("changes of {:4.1} %: {loss:.5}", share * 100.0);
            if loss > before * (1.0 - LITTLE) {
                share /= 2.0;
            }
        }
    }

    fn print(&self, keys: &[String], before: &Profile, best: &Profile) {
        let errors = self.errors(best, &self.all());
        let loss = self.loss(&errors);
        println!(
            "{:36} {:>14} {:>14} {:>9} {:>9} {:>6}",
            "number", "before", "fitted", "+5 %", "-5 %", "rows"
        );
        for key in keys {
            let value = number(best, key);
            let [up, down] = [1.05, 0.95].map(|factor| {
                let profile = with(best, key, scaled(value, factor));
                self.errors(&profile, &self.all())
            });
            let moved = errors.iter().zip(&up);
            let moved = moved.filter(|(a, b)| (**a - **b).abs() > 0.001).count();
            println!(
                "{key:36} {:14} {value:14} {:+8.2} % {:+8.2} % {moved:6}",
                number(before, key),
                (self.loss(&up) / loss - 1.0) * 100.0,
                (self.loss(&down) / loss - 1.0) * 100.0,
            );
        }
    }
}

fn number(profile: &Profile, key: &str) -> u64 {
    let mut numbers = profile.numbers();
    let found = numbers.find(|(name, _)| *name == key);
    found.expect("the profile has it").1.value
}

fn with(profile: &Profile, key: &str, value: u64) -> Profile {
    let mut changed = profile.clone();
    let set = changed.set(key, &value.to_string());
    set.expect("a value near one that was good");
    changed
}

/// A value times a factor, and another value in any case.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "values are far below 2^52, factors near one"
)]
fn scaled(value: u64, factor: f64) -> u64 {
    let scaled = (value as f64 * factor).round() as u64;
    if scaled != value {
        scaled.max(1)
    } else if factor > 1.0 {
        value + 1
    } else {
        value.saturating_sub(1).max(1)
    }
}
