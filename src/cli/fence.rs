//! `syncscope fence`: what the fences of a scenario are, where their values are, and which values they take.

use super::console::Console;
use super::machine::Machine;
use super::{Status, formats, input};
use crate::analyze::{account, kinds};
use crate::order::Timeline;
use crate::report::Style;
use crate::report::format::{FENCE_KINDS, FENCES, WAKE_UPS};
use crate::run::{self, Options, Registry, Unusable};
use crate::wakeup::{Design, explore};
use crate::{legacy, preview, sim};
use clap::Args;
use std::io;
use std::path::{Path, PathBuf};

/// Show a scenario's fences: where their values are, who signals and waits, and which interrupts are raised
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "lost_wake_up")]
    file: Option<PathBuf>,

    /// Explore every interleaving of a native fence's signal and the lowering of its monitored value, for each design
    #[arg(long, conflicts_with = "file")]
    lost_wake_up: bool,

    /// Run the scenario with monitored, native and intra-GPU fences, and compare
    #[arg(long, requires = "file")]
    kinds: bool,

    #[arg(long, value_name = "FORMAT", help = formats::help(&FENCES))]
    format: Option<String>,

    #[command(flatten)]
    machine: Machine,
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let shown = match &arguments.file {
        None => lost_wake_up(arguments, console),
        Some(file) => of_scenario(file, arguments, registry, console),
    };
    shown.unwrap_or_else(|what| {
        console.unusable(&what);
        Ok(Status::Unusable)
    })
}

fn of_scenario(
    file: &Path,
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<io::Result<Status>, Unusable> {
    let format = arguments.format.as_deref();
    let write_fences = formats::writer(format, &FENCES)?;
    let write_kinds = formats::writer(format, &FENCE_KINDS)?;
    let options = arguments.machine.choose(registry, Options::default())?;
    let (_, scenario) = match input::scenario(file, None, console) {
        Ok(read) => read,
        Err(status) => return Ok(Ok(status)),
    };
    let (profile, lowering) = run::choose(registry, &scenario, &options)?;
    let paired = preview::pair_fence_barriers(scenario);
    let plain = legacy::translate(&paired);
    let style = Style::default();
    let out = &mut console.out;
    let written = if arguments.kinds {
        let outcomes = kinds::compare(&plain, &profile, lowering);
        write_kinds(&outcomes, &style, out)
    } else {
        let timeline = Timeline::new(&plain);
        let program = lowering.lower(&timeline, &profile);
        let trace = sim::simulate(&program, &profile, &sim::Options::default());
        let account = account::account(&timeline, &trace);
        write_fences(&timeline, &account, &style, out)
    };
    Ok(written.map(|()| Status::Good))
}

/// What comes of every design.
fn lost_wake_up(
    arguments: &Arguments,
    console: &mut Console,
) -> Result<io::Result<Status>, Unusable> {
    let writer = formats::writer(arguments.format.as_deref(), &WAKE_UPS)?;
    let outcomes: Vec<_> = Design::all()
        .map(|design| (design, explore(design)))
        .collect();
    let written = writer(&outcomes, &Style::default(), &mut console.out);
    Ok(written.map(|()| Status::Good))
}
