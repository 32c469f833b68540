//! `syncscope roundtrip`: what of a scenario's barriers survives the way to Vulkan's words and back.

use super::console::Console;
use super::outputs::Outs;
use super::{Ended, Status, formats, input};
use crate::interop::exchange::{self, WayBack};
use crate::interop::vulkan::Table;
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::vulkan::roundtrip::ROUNDTRIP;
use crate::run::Registry;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Send barriers to Vulkan's words and back, and say what widens, narrows or vanishes
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The tables of words
    #[arg(long, value_enum, value_name = "TABLE", default_value_t)]
    table: Word,
    #[arg(long, value_name = "FORMAT", help = formats::help(&ROUNDTRIP))]
    format: Option<String>,
    /// Print every entry
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    outs: Outs,
}

#[derive(Copy, Clone, ValueEnum, Debug, Default)]
enum Word {
    /// There by the narrowest masks that contain what D3D12's words mean, back as an import reads them
    #[default]
    Minimal,
    /// There as the translator vkd3d-proton does it, back as an import reads it
    Vkd3dProton,
    /// There by the narrowest masks, back as the translator dzn does it
    Dzn,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&ROUNDTRIP];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 every pair that is needed and asked for survives, 1 one is lost, 2 the \
                                 input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let (table, back) = match arguments.table {
        Word::Minimal => (Table::Minimal, WayBack::Ours),
        Word::Vkd3dProton => (Table::Vkd3dProton, WayBack::Ours),
        Word::Dzn => (Table::Minimal, WayBack::Dzn),
    };
    let format = arguments.format.as_deref();
    let (mut outputs, source) = arguments.outs.open(format, &ROUNDTRIP, &arguments.file)?;
    let trip = exchange::roundtrip(&source, table, back)
        .map_err(|findings| input::undone(&source, findings, None, console))?;
    let style = Style {
        all: arguments.all,
        ..console.style()
    };
    outputs.write(&source.name, &style, console, &mut |writer, style, out| {
        writer(&trip, &source, style, out)
    })?;
    let written = outputs.finish(console);
    let lost = trip
        .survival
        .is_some_and(|survival| !survival.lost.is_empty());
    Ok(written.max(if lost { Status::Found } else { Status::Good }))
}
