//! `syncscope demo`: a run that needs no file.

use super::Status;
use super::console::Console;
use super::judging::Judging;
use super::printing::Printing;
use super::run::{self, Machine};
use crate::finding::Source;
use crate::run::Registry;
use clap::Args;
use std::io::{self, Write};

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

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    if arguments.text {
        console.out.write_all(SCENE.as_bytes())?;
        return Ok(Status::Good);
    }
    let source = Source::new("demo.scn", SCENE);
    run::sources(
        &arguments.machine,
        &Judging::default(),
        (&arguments.printing, false),
        registry,
        console,
        |console, each| each(console, &source),
    )
}
