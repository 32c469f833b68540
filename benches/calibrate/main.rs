//! How well the profile `hopper` predicts what was measured on one NVIDIA H100.
//!
//! `cargo bench --bench calibrate [-- PROFILE.toml]` rebuilds each measured row as a scenario, runs it on the profile under
//! the lowering `nvidia_like`, and prints for each table the median, the 90th percentile and the worst relative error, and
//! for the rows about stale reads whether both agree. Every row is timed, judged for staleness, or left out for a reason
//! that is printed. `CALIBRATE_ROWS=1` prints every timed row.
//!
//! Numbers of the profile were fitted together, and only to the rows in odd places of each table; both halves are printed.

mod compute;
mod copies;
mod graphics;
mod mixed;
mod queues;
mod rows;
mod stale;
mod streams;
mod text;

use rows::Row;
use std::collections::BTreeMap;
use std::path::Path;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::QueueId;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::program::{BarrierRole, HwOpKind, Program};
use syncscope::time::Ps;
use syncscope::trace::{ObservationKind, Trace};
use syncscope::{catalog, scenario, sim};
use text::{Measure, Rebuilt};

/// Two timestamps with an empty list between them, in nanoseconds: row `empty` of table D.
const TIMESTAMPS_NS: f64 = 512.0;

/// What became of the rows.
#[derive(Default)]
struct Outcome {
    /// Relative errors by table, with the place in the table and the row.
    timed: BTreeMap<String, Vec<(f64, usize, String)>>,
    /// By table and reason.
    left_out: BTreeMap<(String, &'static str), usize>,
    /// Stale on silicon, stale here, the row.
    stale: Vec<(bool, bool, String)>,
    rows: BTreeMap<String, usize>,
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
    let lowering = registry
        .lowering("nvidia_like")
        .expect("a built-in lowering");
    let rows = rows::load();
    let mut outcome = Outcome::default();
    for row in rows.iter().step_by(if measures { 1 } else { 97 }) {
        outcome.add(row, &profile, lowering);
    }
    outcome.print();
    streams(&rows, &profile, lowering);
}

/// Streams of unlike steps, compared with the sums of what the steps take in measured chains of like ones.
fn streams(rows: &[Row], profile: &Profile, lowering: &dyn Lowering) {
    let steps = mixed::steps(rows);
    let mut errors = Vec::new();
    for seed in 1..=32 {
        let (commands, sum) = mixed::stream(&steps, 64, seed);
        let text = text::whole("direct", &[commands], false);
        let ours = time_ns(&text, Measure::Lists(0), profile, lowering) - TIMESTAMPS_NS;
        errors.push(((ours - sum) / sum, 0, String::new()));
    }
    println!(
        "32 streams of 64 unlike steps (of {} kinds) against the sums of measured steps: median {:.1} %, worst {:.1} %",
        steps.len(),
        share(&errors, 0.5, |_| true),
        share(&errors, 1.0, |_| true)
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
    fn add(&mut self, row: &Row, profile: &Profile, lowering: &dyn Lowering) {
        let place = self.rows.entry(row.table.clone()).or_default();
        *place += 1;
        match rebuild(row) {
            Rebuilt::Timed(text, measure) => {
                let time = row.values["median_ns"].as_f64();
                let time = time.or_else(|| row.values["duration_ns"].as_f64());
                let measured = time.expect("a time");
                let ours = time_ns(&text, measure, profile, lowering);
                let error = (ours - measured) / measured;
                let line = format!("{} | {measured} | {ours:.0}", row.place());
                let table = self.timed.entry(row.table.clone()).or_default();
                table.push((error, *place, line));
            }
            Rebuilt::Staleness(text) => {
                let share = row.values["stale_fraction"].as_f64().expect("a share");
                let trace = simulate(&text, profile, lowering).1;
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
            "table  rows  timed  left out   median      p90    worst   fitted  held out  the worst row"
        );
        for (name, rows) in &self.rows {
            let timed = self.timed.get(name).map_or(&[][..], Vec::as_slice);
            let left_out = self.left_out.iter().filter(|((table, _), _)| table == name);
            let left_out: usize = left_out.map(|(_, count)| count).sum();
            let Some(worst) = timed.iter().max_by(|a, b| a.0.abs().total_cmp(&b.0.abs())) else {
                println!("{name:5} {rows:5} {:6} {left_out:9}", 0);
                continue;
            };
            let all = |_: usize| true;
            println!(
                "{name:5} {rows:5} {:6} {left_out:9} {:7.1} % {:6.1} % {:6.1} % {:6.1} % {:7.1} %  {}",
                timed.len(),
                share(timed, 0.5, all),
                share(timed, 0.9, all),
                share(timed, 1.0, all),
                share(timed, 0.5, |place| place % 2 == 1),
                share(timed, 0.5, |place| place % 2 == 0),
                worst.2
            );
        }
        println!("left out:");
        for ((table, why), count) in &self.left_out {
            println!("  {table:3} {count:4}  {why}");
        }
        if std::env::var_os("CALIBRATE_ROWS").is_some() {
            for (name, (error, place, line)) in self
                .timed
                .iter()
                .flat_map(|(name, rows)| rows.iter().map(move |row| (name, row)))
            {
                println!("{:8.1} %  {name} {place} {line}", error * 100.0);
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

/// The error in percent that such a share of the rows at some places does not exceed.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "there are some thousand rows, and the share is between 0 and 1"
)]
fn share(rows: &[(f64, usize, String)], share: f64, of: impl Fn(usize) -> bool) -> f64 {
    let rows = rows.iter().filter(|(_, place, _)| of(*place));
    let mut sizes: Vec<f64> = rows.map(|(error, ..)| error.abs() * 100.0).collect();
    sizes.sort_by(f64::total_cmp);
    let last = sizes.len().saturating_sub(1);
    let at = (last as f64 * share).round() as usize;
    sizes.get(at).copied().unwrap_or(f64::NAN)
}

/// Runs a scenario and times what the row times.
fn time_ns(text: &str, measure: Measure, profile: &Profile, lowering: &dyn Lowering) -> f64 {
    let (program, trace) = simulate(text, profile, lowering);
    let lists = |queue: usize| lists(&program, &trace, queue);
    #[allow(
        clippy::cast_precision_loss,
        reason = "2^52 picoseconds are more than an hour"
    )]
    let ns = |time: Ps| time.0 as f64 / 1000.0;
    match measure {
        Measure::Lists(queue) => {
            let lists = lists(queue);
            let (first, last) = (lists.first().expect("a list"), lists.last());
            ns(last.expect("a list").1 - first.0) + TIMESTAMPS_NS
        }
        Measure::Gap => {
            let lists = lists(0);
            ns(lists[1].0 - lists[0].1) + TIMESTAMPS_NS
        }
        Measure::HandOff => ns(lists(1)[0].0 - lists(0)[0].1),
        Measure::Command => {
            let ran = trace.commands.iter().find(|timing| timing.ran());
            let ran = ran.expect("a command");
            ns(ran.end - ran.start)
        }
    }
}

/// Begin and end of each call of a queue.
fn lists(program: &Program, trace: &Trace, queue: usize) -> Vec<(Ps, Ps)> {
    let mut found = Vec::new();
    for block in &program.blocks {
        if block.queue != Some(QueueId::new(queue)) {
            continue;
        }
        let at = |role: BarrierRole| {
            let is = |kind: &HwOpKind| matches!(kind, HwOpKind::Barrier(b) if b.role == role);
            let op = block.ops.iter().find(|op| is(&op.kind));
            op.map(|op| trace.ops[op.id.index()].retired)
        };
        if let (Some(begin), Some(end)) = (at(BarrierRole::ScopeBegin), at(BarrierRole::ScopeEnd)) {
            found.push((begin, end));
        }
    }
    found
}

fn simulate(text: &str, profile: &Profile, lowering: &dyn Lowering) -> (Program, Trace) {
    let (scenario, findings) = scenario::parse(&Source::new("row.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let program = lowering.lower(&Timeline::new(&scenario), profile);
    let options = sim::SimOptions {
        spans: false,
        ..sim::SimOptions::default()
    };
    let trace = sim::simulate(&program, profile, &options);
    (program, trace)
}
