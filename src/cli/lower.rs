//! `syncscope lower`: the packets that barriers become, and lowerings as rule files.

use super::console::Console;
use super::disk;
use super::machine::{self, Machine};
use super::{Ended, Status, formats, input, told};
use crate::report::Style;
use crate::report::format::{AnyOutput, Printer};
use crate::report::lower_text::RULES;
use crate::report::packets::PACKETS;
use crate::run::{self, Options, Packets, Registry, Unusable};
use crate::workbench;
use clap::Args;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print the packets that barriers become, each operation with its reason and its price
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`; `-` is standard input
    #[arg(required_unless_present = "emit_rules", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print a lowering as the rule file that it follows on the profile, instead of packets
    #[arg(long, value_name = "LOWERING", conflicts_with_all = ["files", "lowering"])]
    emit_rules: Option<String>,
    #[command(flatten)]
    machine: Machine,
    #[arg(long, value_name = "FORMAT", help = formats::help(&PACKETS))]
    format: Option<String>,
    /// Print every barrier and every way
    #[arg(long)]
    all: bool,
    /// Print ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&PACKETS, &RULES];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 printed, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    if let Some(name) = &arguments.emit_rules {
        let text = emit_rules(name, arguments, registry)?;
        console.out.write_all(&text)?;
        return Ok(Status::Good);
    }
    let writer = formats::writer(arguments.format.as_deref(), &PACKETS)?;
    let options = arguments.machine.choose(registry, disk::options())?;
    machine::remark_rules(&options, registry, console);
    let style = Style {
        all: arguments.all,
        ascii: arguments.ascii,
        ..console.style()
    };
    let mut status = Status::Good;
    for file in &arguments.files {
        let one = one(file, registry, &options, (writer, &style), console);
        status = status.max(told(one, console)?);
    }
    Ok(status)
}

/// Prints the packets of a scenario.
fn one(
    file: &Path,
    registry: &Registry,
    options: &Options,
    (writer, style): (Printer<Packets>, &Style),
    console: &mut Console,
) -> Ended {
    let source = input::read(file)?;
    let packets = run::packets(&source, registry, options)?;
    writer(&packets, style, &mut console.out)?;
    let fails = packets.findings.iter().any(|it| it.severity.fails());
    if !packets.findings.is_empty() {
        let style = console.style_of_errors();
        input::refuse(&source, packets.findings, &style, console);
    }
    Ok(if fails {
        Status::Unusable
    } else {
        Status::Good
    })
}

/// A lowering as a rule file.
fn emit_rules(name: &str, arguments: &Arguments, registry: &Registry) -> Result<Vec<u8>, Unusable> {
    let writer = formats::writer(arguments.format.as_deref(), &RULES)?;
    let options = arguments.machine.choose(registry, disk::options())?;
    if run::driver_command(name).is_some() {
        return Err(Unusable {
            message: format!(
                "`{name}` is a driver in another process: what it decides is not known as rules"
            ),
            help: "name a built-in lowering or a rule file".to_owned(),
        });
    }
    machine::is_lowering(registry, name, &options)?;
    let rules = workbench::exported(name, registry, &options)?;
    let mut text = Vec::new();
    writer(&rules, &Style::default(), &mut text).expect("writing to memory does not fail");
    Ok(text)
}
