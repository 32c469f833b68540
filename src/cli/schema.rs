//! `syncscope schema`: JSON Schemas of what the program reads and writes.

use super::Status;
use super::console::Console;
use crate::hardware::Profile;
use crate::lower::rules;
use crate::report::{json, vulkan};
use crate::run::Registry;
use crate::{kernel, scenario};
use clap::{Args, ValueEnum};
use std::io::{self, Write};

/// Print the JSON Schema of what the program reads and writes
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// What it describes
    #[arg(value_enum)]
    of: Of,
}

#[derive(Copy, Clone, ValueEnum, Debug)]
enum Of {
    /// The JSON form of a scenario
    Scenario,
    /// The output of `run --format json`
    Report,
    /// The JSON form of a litmus test
    Litmus,
    /// The JSON form of a rule file
    Lowering,
    /// The output of `export --to vulkan --format json`
    Vulkan,
    /// The output of `roundtrip --format json`
    Roundtrip,
    /// A hardware profile, as `--profile FILE` takes it
    Profile,
}

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 2 the command line was unusable";

pub(super) fn execute(
    arguments: &Arguments,
    _: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let schema = match arguments.of {
        Of::Scenario => scenario::json::schema(),
        Of::Report => json::schema(),
        Of::Litmus => kernel::json::schema(),
        Of::Lowering => rules::json::schema(),
        Of::Vulkan => vulkan::schema(),
        Of::Roundtrip => vulkan::roundtrip::schema(),
        Of::Profile => Profile::schema(),
    };
    serde_json::to_writer_pretty(&mut console.out, &schema)?;
    writeln!(console.out)?;
    Ok(Status::Good)
}
