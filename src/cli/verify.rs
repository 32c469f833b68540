//! `syncscope verify`: whether a lowering is right, with the smallest program on which it is not.

use super::console::Console;
use super::corpus::{self, Corpus, quietly};
use super::progress::{self, Progress};
use super::searching::{self, Searching};
use super::{Status, formats};
use crate::report::format::{SEARCH, VERIFICATION};
use crate::run::Registry;
use crate::run::verify;
use clap::Args;
use std::io;

/// Try a lowering on the standard corpus: right, or the smallest program on which it is wrong
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Lowering by name, or a rule file (`*.lower`)
    #[arg(long, value_name = "LOWERING", required_unless_present = "merge")]
    lowering: Option<String>,
    #[command(flatten)]
    corpus: Corpus,
    #[arg(long, value_name = "FORMAT", help = formats::help(&VERIFICATION))]
    format: Option<String>,
    #[command(flatten)]
    searching: Searching,
}

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the lowering is right, 1 it is wrong on some program, 2 the input or the command line was unusable";

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let format = arguments.format.as_deref();
    let writers = formats::writer(format, &VERIFICATION)
        .and_then(|all| Ok((all, formats::writer(format, &SEARCH)?)));
    let (writer, search) = match writers {
        Ok(writers) => writers,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    if let Some(directory) = &arguments.searching.merge {
        return searching::merge(directory, search, console);
    }
    let lowering = arguments.lowering.as_deref().unwrap_or_default();
    let machines = match corpus::machines(&arguments.corpus, lowering, registry, console) {
        Ok(machines) => machines,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let machines = corpus::tried(&machines);
    if let Some(commands) = arguments.searching.exhaustive {
        return quietly(|| {
            searching::execute(&arguments.searching, commands, &machines, search, console)
        });
    }
    let programs = match arguments.corpus.programs() {
        Ok(programs) => programs,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    progress::listen();
    let bar = Progress::new("programs");
    let found = quietly(|| verify::verify(&machines, &programs, &|done, all| bar.show(done, all)));
    bar.end();
    if found.programs == 0 {
        console.complain(
            "no file has a barrier to lower",
            "name a scenario whose timeline executes a barrier, or leave `--only` out",
        );
        return Ok(Status::Unusable);
    }
    writer(&found, &console.style(), &mut console.out)?;
    Ok(if found.is_right() {
        Status::Good
    } else {
        Status::Found
    })
}
