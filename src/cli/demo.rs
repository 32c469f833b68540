//! `syncscope demo`: a run that needs no file.

use super::console::Console;
use super::judging::Judging;
use super::machine::Machine;
use super::printing::Printing;
use super::run;
use super::{Ended, Status};
use crate::finding::Source;
use crate::report::format::{AnyOutput, REPORT};
use crate::run::Registry;
use clap::Args;
use std::io::Write;

/// The scene: one hazard and one redundant flush.
const SCENE: &str = include_str!("demo.scn");

/// Run a small built-in scenario with a hazard and a redundant flush
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Print the scenario's text instead of running it
    #[arg(long)]
    text: bool,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    printing: Printing,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&REPORT];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    if arguments.text {
        console.out.write_all(SCENE.as_bytes())?;
        return Ok(Status::Good);
    }
    let source = Source::new("demo.scn", SCENE);
    let mut printer = arguments.printing.printer(&[], console.style())?;
    let options = Judging::default().options(registry)?;
    let options = printer.limit(arguments.machine.choose(registry, options)?);
    let status = run::report(&source, &mut printer, &options, registry, console)?;
    Ok(status.max(printer.finish(console)?))
}
