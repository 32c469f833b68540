//! `syncscope step`: a run told step by step.

mod frames;
mod screen;
mod terminal;
mod walk;

use super::console::Console;
use super::judging::Judging;
use super::machine::{self, Machine};
use super::outputs::Outs;
use super::{Ended, formats, input, progress};
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::format::Printer;
use crate::report::steps::STEPS;
use crate::report::text::straight;
use crate::run::steps::Told;
use crate::run::{self, Options, Proposals, Registry};
use clap::Args;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;

/// Tell a run step by step: what happens, why, and who reads which version; in a terminal, one step after the other
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Go to this place: `hazard`, `line N` or `t 12us`
    #[arg(long, value_name = "PLACE")]
    until: Option<String>,
    /// Print what can be asked before a step, with the answer
    #[arg(long)]
    ask: bool,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    judging: Judging,
    #[arg(long, value_name = "FORMAT", help = formats::help(&STEPS))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
    /// Write a drawing for each beat that memory or a hazard is in: `step-001.svg`, …; the directory is new or empty
    #[arg(long, value_name = "DIRECTORY")]
    frames: Option<PathBuf>,
    /// Print ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&STEPS];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let format = arguments.format.as_deref();
    let files = [arguments.file.clone()];
    let mut outputs = arguments.outs.choose(format, &STEPS, &files)?;
    let options = options(arguments, registry)?;
    if let Some(directory) = &arguments.frames {
        frames::check(directory)?;
    }
    let source = input::read(&arguments.file)?;
    machine::remark_rules(&options, registry, console);
    let asked = (arguments.until.as_deref(), arguments.ask);
    let told = progress::during(&source.name, || {
        run::steps::told(source.clone(), registry, &options, asked)
    });
    let told = told.map_err(|failure| input::failed(&source, failure, console))?;
    let status = input::status_of(&told.report);
    let style = Style {
        ascii: arguments.ascii,
        ..console.style()
    };
    if is_walked(arguments, console) {
        let ink = screen::Ink {
            color: style.color,
            ascii: style.ascii,
        };
        let at = arguments.until.as_ref().and(told.last);
        terminal::walk(&told, at, ink)?;
        return Ok(status);
    }
    let mut put =
        |writer: &Printer<Told>, style: &Style, out: &mut dyn io::Write| writer(&told, style, out);
    let Some(directory) = &arguments.frames else {
        outputs.write(&source.name, &style, console, &mut put)?;
        return Ok(status.max(outputs.finish(console)));
    };
    outputs.write_own(&source.name, &style, console, &mut put);
    outputs.write_shared(&style, console, &mut put);
    if arguments.format.is_some() {
        outputs.write_page(&style, console, &mut put)?;
    }
    let said = frames::write(&told, directory);
    let status = status.max(outputs.finish(console));
    say(&said?, arguments.format.is_some(), console)?;
    Ok(status)
}

/// Says what was written; `is_beside`: something else is printed.
fn say(lines: &[String], is_beside: bool, console: &mut Console) -> io::Result<()> {
    for line in lines {
        if is_beside {
            console.remark(line);
        } else if !console.is_quiet() {
            writeln!(console.out, "{}", straight(line))?;
        }
    }
    Ok(())
}

/// Whether a person is there who steps: somebody who reads, types, and asked for nothing that is printed.
fn is_walked(arguments: &Arguments, console: &Console) -> bool {
    let is_terminal = io::stdout().is_terminal() && io::stdin().is_terminal();
    let is_printed = arguments.format.is_some()
        || !arguments.outs.is_empty()
        || arguments.frames.is_some()
        || arguments.ask;
    is_terminal && !is_printed && !console.is_quiet()
}

/// What a run is asked to do.
fn options(arguments: &Arguments, registry: &Registry) -> Result<Options, run::Unusable> {
    let judging = arguments.judging.options(registry)?;
    let options = arguments.machine.choose(registry, judging)?;
    Ok(Options {
        // Nobody sees changes here.
        proposals: Proposals::None,
        ..options
    })
}
