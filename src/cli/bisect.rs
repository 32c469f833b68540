//! `syncscope bisect`: what makes a scene misbehave.

use super::console::Console;
use super::judging::Judging;
use super::machine::Machine;
use super::progress::Progress;
use super::{Ended, Status, corpus, formats, input};
use crate::report::bisection::BISECTION;
use crate::report::format::AnyOutput;
use crate::run::{self, Registry};
use crate::workbench::{self, Stage};
use clap::Args;
use std::path::PathBuf;

/// Find the barriers that make a scene misbehave, and the smallest scene that still does
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[arg(long, value_name = "FORMAT", help = formats::help(&BISECTION))]
    format: Option<String>,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    judging: Judging,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&BISECTION];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the scene does not misbehave, 1 it does, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let writer = formats::writer(arguments.format.as_deref(), &BISECTION)?;
    let options = arguments.judging.options(registry)?;
    let options = arguments.machine.choose(registry, options)?;
    let (_, source) = input::scenario(&arguments.file, Some("examined"), console)?;
    let scenario = run::to_run(&source, "there is nothing to run")?;
    let chosen = run::choose(registry, &scenario, &source.name, &options)?;
    let machine = workbench::Machine {
        profile: &chosen.profile,
        lowering: chosen.lowering,
    };
    let barriers = Progress::new("barriers");
    let scenes = Progress::new("smaller scenes at most");
    let watch = |stage| match stage {
        Stage::Barriers(done, all) => barriers.show(done, all),
        Stage::Scenes(done, all) => {
            barriers.end();
            scenes.show(done, all);
        }
    };
    let found = workbench::bisect(machine, &source, &watch);
    scenes.end();
    corpus::given_up(std::iter::once(&machine)).map_or(Ok(()), Err)?;
    let Some(found) = found else {
        let (profile, lowering) = (&chosen.profile.name, chosen.lowering.name());
        let mistakes = workbench::mistakes(&source);
        let says = if mistakes.is_empty() {
            "every read sees what it should, and nothing is missing".to_owned()
        } else {
            // What a read of such a scene should see is not defined for each of them.
            format!(
                "no run of it goes wrong, and no operation is missing; the scene has mistakes of its own: {}",
                mistakes.join(", ")
            )
        };
        console.say(&format!(
            "{} on {profile} with {lowering}: {says}",
            source.name
        ));
        return Ok(Status::Good);
    };
    writer(&found, &console.style(), &mut console.out)?;
    Ok(Status::Found)
}
