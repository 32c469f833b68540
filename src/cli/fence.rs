//! `syncscope fence`: what the fences of a scenario are, where their values are, and which values they take.

use super::console::Console;
use super::disk;
use super::machine::Machine;
use super::{Ended, Status, formats, input};
use crate::report::fences::{FENCE_KINDS, FENCES};
use crate::report::format::AnyOutput;
use crate::report::wakeups::WAKE_UPS;
use crate::run::{self, Registry};
use clap::Args;
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
    #[arg(long, requires = "file", conflicts_with_all = ["eviction", "seed"])]
    kinds: bool,

    #[arg(long, value_name = "FORMAT", help = formats::help(&FENCES))]
    format: Option<String>,

    #[command(flatten)]
    machine: Machine,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&FENCES, &FENCE_KINDS, &WAKE_UPS];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 printed, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    match &arguments.file {
        None => lost_wake_up(arguments, console),
        Some(file) => of_scenario(file, arguments, registry, console),
    }
}

fn of_scenario(
    file: &Path,
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let format = arguments.format.as_deref();
    let write_fences = formats::writer(format, &FENCES)?;
    let write_kinds = formats::writer(format, &FENCE_KINDS)?;
    let options = arguments.machine.choose(registry, disk::options())?;
    let source = input::read(file)?;
    let (style, out) = (console.style(), &mut console.out);
    let told = if arguments.kinds {
        let outcomes = run::fence_kinds(&source, registry, &options);
        outcomes.map(|outcomes| write_kinds(&outcomes, &style, out))
    } else {
        run::fence_account(&source, registry, &options, |timeline, account| {
            write_fences(timeline, account, &style, out)
        })
    };
    told.map_err(|failure| input::failed(&source, failure, console))??;
    Ok(Status::Good)
}

/// What comes of every design.
fn lost_wake_up(arguments: &Arguments, console: &mut Console) -> Ended {
    let writer = formats::writer(arguments.format.as_deref(), &WAKE_UPS)?;
    writer(&run::wake_ups(), &console.style(), &mut console.out)?;
    Ok(Status::Good)
}
