//! `syncscope export`: a scenario's barriers in the words of another interface.

use super::console::Console;
use super::outputs::Outs;
use super::{Ended, formats, input};
use crate::interop::exchange;
use crate::interop::vulkan::Table;
use crate::report::format::AnyOutput;
use crate::report::vulkan::VULKAN;
use crate::run::Registry;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// Print a scenario's barriers in Vulkan's words, as C text or JSON
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The interface
    #[arg(long, value_enum, value_name = "INTERFACE")]
    to: To,
    /// The table of words
    #[arg(long, value_enum, value_name = "TABLE", default_value_t)]
    table: Word,
    #[arg(long, value_name = "FORMAT", help = formats::help(&VULKAN))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
}

#[derive(Copy, Clone, ValueEnum, Debug)]
enum To {
    /// `VkDependencyInfo` of synchronization2
    Vulkan,
}

/// A table of the way from D3D12 to Vulkan.
#[derive(Copy, Clone, ValueEnum, Debug, Default)]
enum Word {
    /// The narrowest masks that contain what D3D12's words mean
    #[default]
    Minimal,
    /// What the translator vkd3d-proton does
    Vkd3dProton,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&VULKAN];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 printed, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let To::Vulkan = arguments.to;
    let table = match arguments.table {
        Word::Minimal => Table::Minimal,
        Word::Vkd3dProton => Table::Vkd3dProton,
    };
    let format = arguments.format.as_deref();
    let (mut outputs, source) = arguments.outs.open(format, &VULKAN, &arguments.file)?;
    let exported = exchange::export(&source, table)
        .map_err(|findings| input::undone(&source, findings, None, console))?;
    let style = console.style();
    outputs.write(&source.name, &style, console, &mut |writer, style, out| {
        writer(&exported, &source, style, out)
    })?;
    Ok(outputs.finish(console))
}
