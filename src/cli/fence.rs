//! `syncscope fence`: what the fences of a scenario are, where their values lie and which values they take.

use super::console::Console;
use super::{Status, input};
use crate::analyze::account;
use crate::order::Timeline;
use crate::report::{Style, fences, terminal};
use crate::run::Report;
use crate::storage::Memory;
use crate::wakeup::{Design, explore};
use crate::{legacy, preview, scenario};
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

/// Print where the values of a scenario's fences lie, who signals and waits, and the interrupts that it takes
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "lost_wake_up")]
    file: Option<PathBuf>,

    /// Explore every interleaving of a native fence's signal and the lowering of its monitored value, for each design
    #[arg(long, conflicts_with = "file")]
    lost_wake_up: bool,
}

pub(super) fn execute(arguments: &Arguments, console: &mut Console) -> io::Result<Status> {
    let Some(file) = &arguments.file else {
        return lost_wake_up(console);
    };
    let source = match input::read(file) {
        Ok(source) => source,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let (scenario, findings) = scenario::parse(&source);
    if findings.iter().any(|f| f.severity.fails()) {
        let report = Report {
            file: source.name.clone(),
            findings,
            ..Report::default()
        };
        let mut text = Vec::new();
        // Writing to memory does not fail.
        let _ = (terminal::FORMAT.write)(&report, &source, &Style::default(), &mut text);
        console.remark(String::from_utf8_lossy(&text).trim_end());
        return Ok(Status::Found);
    }
    let paired = preview::pair_fence_barriers(scenario);
    let plain = legacy::translate(&paired);
    let timeline = Timeline::new(&plain);
    let accounts = account::accounts(&timeline);
    fences::write(&timeline, &accounts, &Memory::discrete(), &mut console.out)?;
    Ok(Status::Good)
}

/// One line a design, and a shortest way to lose the wake-up for the first that can.
fn lost_wake_up(console: &mut Console) -> io::Result<Status> {
    let word = |on: bool| if on { "yes" } else { "-" };
    writeln!(
        console.out,
        "engine barrier  management barrier  compares again  system reads again  states  lost  in vain"
    )?;
    let mut shown = None;
    for design in Design::all() {
        let outcome = explore(design);
        writeln!(
            console.out,
            "{:<15} {:<19} {:<15} {:<19} {:>6}  {:<4}  {:>7}",
            word(design.engine_barrier),
            word(design.management_barrier),
            word(design.management_compares),
            word(design.system_reads_again),
            outcome.states,
            word(outcome.lost.is_some()),
            outcome.spurious_max,
        )?;
        let with_barrier = Design {
            engine_barrier: true,
            ..design
        };
        if !design.engine_barrier && with_barrier == Design::RIGHT {
            shown = outcome.lost;
        }
    }
    if let Some(way) = shown {
        writeln!(
            console.out,
            "\nWithout the engine's barrier the wake-up is lost like this:"
        )?;
        for (index, step) in way.iter().enumerate() {
            writeln!(console.out, "{:>3}. {step}", index + 1)?;
        }
    }
    Ok(Status::Good)
}
