//! `syncscope lower`: the packets that barriers become, and lowerings as rule files.

use super::console::Console;
use super::disk;
use super::machine::{self, Machine};
use super::{Status, formats, input};
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::lower_text::RULES;
use crate::report::packets::PACKETS;
use crate::run::{self, Registry, Unusable};
use crate::workbench;
use clap::Args;
use std::io::{self, Write};
use std::path::PathBuf;

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

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    if let Some(name) = &arguments.emit_rules {
        return match emit_rules(name, arguments, registry) {
            Ok(text) => console.out.write_all(&text).map(|()| Status::Good),
            Err(what) => Ok(refuse(&what, console)),
        };
    }
    let checked = formats::writer(arguments.format.as_deref(), &PACKETS).and_then(|writer| {
        let options = arguments.machine.choose(registry, disk::options())?;
        Ok((writer, options))
    });
    let (writer, options) = match checked {
        Ok(checked) => checked,
        Err(what) => return Ok(refuse(&what, console)),
    };
    machine::remark_rules(&options, registry, console);
    let style = Style {
        all: arguments.all,
        ascii: arguments.ascii,
        ..console.style()
    };
    let mut status = Status::Good;
    for file in &arguments.files {
        let packets = input::read(file).and_then(|source| {
            let packets = run::packets(&source, registry, &options)?;
            Ok((source, packets))
        });
        match packets {
            Ok((source, packets)) => {
                writer(&packets, &style, &mut console.out)?;
                if !packets.findings.is_empty() {
                    let fails = packets.findings.iter().any(|it| it.severity.fails());
                    let style = console.style_of_errors();
                    input::refuse(&source, packets.findings, &style, console);
                    if fails {
                        status = Status::Unusable;
                    }
                }
            }
            Err(what) => status = refuse(&what, console),
        }
    }
    Ok(status)
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

fn refuse(what: &Unusable, console: &mut Console) -> Status {
    console.unusable(what);
    Status::Unusable
}
