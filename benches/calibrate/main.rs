//! How well the profile `hopper` predicts what was measured on one NVIDIA H100.
//!
//! `cargo bench --bench calibrate [-- PROFILE.toml]` rebuilds each measured row as a scenario, runs it on the profile under
//! its own lowering, and prints for each table the median, the 90th percentile and the worst relative error, and for the rows
//! about stale reads whether both agree. Every row is timed, judged for staleness, or left out for a reason that is printed.
//! `CALIBRATE_ROWS=1` prints every timed row.
//!
//! `cargo bench --bench calibrate -- --fit` fits the profile's numbers first, to the rows that are not held out, and prints
//! them; the tables are then those of the fitted profile. Both parts of the rows are printed.

mod compute;
mod copies;
mod fit;
mod graphics;
mod kinds;
mod machine;
mod mixed;
mod queues;
mod rows;
mod stale;
mod streams;
mod text;

use kinds::is_held_out;
use machine::{Machine, TIMESTAMPS_NS, scenario};
use rows::Row;
use std::collections::BTreeMap;
use std::path::Path;
use syncscope::catalog;
use syncscope::hardware::Profile;
use syncscope::order::Timeline;
use syncscope::trace::ObservationKind;
use text::{Measure, Rebuilt};

/// What became of the rows.
#[derive(Default)]
struct Outcome {
    /// By table.
    timed: BTreeMap<String, Vec<Timed>>,
    /// By table and reason.
    left_out: BTreeMap<(String, &'static str), usize>,
    /// Stale on silicon, stale here, the row.
    stale: Vec<(bool, bool, String)>,
    rows: BTreeMap<String, usize>,
}

/// A row that was timed.
struct Timed {
    /// Relative.
    error: f64,
    is_held_out: bool,
    place: usize,
    /// The row, what was measured and what was predicted.
    line: String,
}

fn main() {
    let measures = std::env::args().any(|arg| arg == "--bench");
    let is_profile = |arg: &String| Path::new(arg).extension().is_some_and(|e| e == "toml");
    let own = std::env::args().find(is_profile);
    let registry = catalog::registry();
    let profile = match own {
        Some(path) => {
            let text = std::fs::read_to_string(&path).expect("the profile can be read");
            Profile::parse(&text).expect("a sound profile")
        }
        None => registry.profile("hopper").expect("a built-in profile"),
    };
    let (lowering, _) = registry.own_lowering(&profile).expect("a lowering");
    let rows = rows::load();
    let fits = std::env::args().any(|arg| arg == "--fit");
    let profile = if fits {
        fit::fit(&rows, &profile, lowering, rebuild)
    } else {
        profile
    };
    let machine = Machine {
        profile: &profile,
        lowering,
    };
    let mut outcome = Outcome::default();
    for row in rows.iter().step_by(if measures { 1 } else { 97 }) {
        outcome.add(row, &machine);
    }
    outcome.print();
    streams(&rows, &machine);
}

/// Streams of unlike steps, compared with the sums of what the steps take in measured chains of like ones.
fn streams(rows: &[Row], machine: &Machine<'_>) {
    let steps = mixed::steps(rows);
    let mut errors = Vec::new();
    for seed in 1..=32 {
        let (commands, sum) = mixed::stream(&steps, 64, seed);
        let scenario = scenario(&text::whole("direct", &[commands], false));
        let ours = machine.time_ns(&Timeline::new(&scenario), Measure::Lists(0)) - TIMESTAMPS_NS;
        errors.push((ours - sum) / sum);
    }
    println!(
        "32 streams of 64 unlike steps (of {} kinds) against the sums of measured steps: median {:.1} %, worst {:.1} %",
        steps.len(),
        share(&errors, 0.5),
        share(&errors, 1.0)
    );
}

fn rebuild(row: &Row) -> Rebuilt {
    match (row.table.as_str(), row.name.as_str()) {
        ("B", "A16_other_queue_B") | ("E" | "Q", _) => queues::rebuild(row),
        ("A2", _) => copies::kernels(row),
        ("C", _) => copies::rebuild(row),
        ("D", _) => graphics::rebuild(row),
        ("S" | "SX", _) => stale::rebuild(row),
        ("V", _) => streams::rebuild(row),
        _ => compute::rebuild(row),
    }
}

impl Outcome {
    fn add(&mut self, row: &Row, machine: &Machine<'_>) {
        let place = self.rows.entry(row.table.clone()).or_default();
        *place += 1;
        match rebuild(row) {
            Rebuilt::Timed(text, measure) => {
                let measured = row.time_ns();
                let ours = machine.time_ns(&Timeline::new(&scenario(&text)), measure);
                let table = self.timed.entry(row.table.clone()).or_default();
                table.push(Timed {
                    error: (ours - measured) / measured,
                    is_held_out: is_held_out(row, *place),
                    place: *place,
                    line: format!("{} | {measured} | {ours:.0}", row.place()),
                });
            }
            Rebuilt::Staleness(text) => {
                let share = row.values["stale_fraction"].as_f64().expect("a share");
                let trace = machine.run(&Timeline::new(&scenario(&text))).1;
                let kinds = [ObservationKind::Stale, ObservationKind::Early];
                let ours = trace.observations.iter().any(|o| kinds.contains(&o.kind));
                self.stale.push((share >= 0.01, ours, row.place()));
            }
            Rebuilt::LeftOut(why) => {
                *self.left_out.entry((row.table.clone(), why)).or_default() += 1;
            }
        }
    }

    fn print(&self) {
        println!(
            "table  rows  timed  left out   median      p90    worst   fitted: median, p90, worst  held out: the same    the worst row"
        );
        for (name, rows) in &self.rows {
            let timed = self.timed.get(name).map_or(&[][..], Vec::as_slice);
            let left_out = self.left_out.iter().filter(|((table, _), _)| table == name);
            let left_out: usize = left_out.map(|(_, count)| count).sum();
            let worst = timed
                .iter()
                .max_by(|a, b| a.error.abs().total_cmp(&b.error.abs()));
            let Some(worst) = worst else {
                println!("{name:5} {rows:5} {:6} {left_out:9}", 0);
                continue;
            };
            let part = |held_out: Option<bool>| -> Vec<f64> {
                let rows = timed.iter();
                let rows = rows.filter(|row| held_out.is_none_or(|it| it == row.is_held_out));
                rows.map(|row| row.error).collect()
            };
            let (all, fitted, held_out) = (part(None), part(Some(false)), part(Some(true)));
            println!(
                "{name:5} {rows:5} {:6} {left_out:9} {:7.1} % {:6.1} % {:6.1} % {} {}  {}",
                timed.len(),
                share(&all, 0.5),
                share(&all, 0.9),
                share(&all, 1.0),
                summary(&fitted),
                summary(&held_out),
                worst.line
            );
        }
        println!("left out:");
        for ((table, why), count) in &self.left_out {
            println!("  {table:3} {count:4}  {why}");
        }
        if std::env::var_os("CALIBRATE_ROWS").is_some() {
            for (name, row) in self
                .timed
                .iter()
                .flat_map(|(name, rows)| rows.iter().map(move |row| (name, row)))
            {
                println!(
                    "{:8.1} %  {name} {} {}",
                    row.error * 100.0,
                    row.place,
                    row.line
                );
            }
        }
        let wrong: Vec<_> = self.stale.iter().filter(|(s, o, _)| s != o).collect();
        println!(
            "stale reads: {} of {} rows agree",
            self.stale.len() - wrong.len(),
            self.stale.len()
        );
        for (silicon, _, row) in wrong {
            let word = if *silicon { "stale" } else { "fresh" };
            println!("  {word} only on silicon: {row}");
        }
    }
}

/// Median, 90th percentile and worst of some errors, and how many there are.
fn summary(errors: &[f64]) -> String {
    if errors.is_empty() {
        return " ".repeat(25);
    }
    format!(
        "{:5.1} {:5.1} {:5.1} % ({:4})",
        share(errors, 0.5),
        share(errors, 0.9),
        share(errors, 1.0),
        errors.len()
    )
}

/// The size in percent that such a share of the errors does not exceed.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "there are some thousand rows, and the share is between 0 and 1"
)]
fn share(errors: &[f64], share: f64) -> f64 {
    let mut sizes: Vec<f64> = errors.iter().map(|error| error.abs() * 100.0).collect();
    sizes.sort_by(f64::total_cmp);
    let last = sizes.len().saturating_sub(1);
    let at = (last as f64 * share).round() as usize;
    sizes.get(at).copied().unwrap_or(f64::NAN)
}
