//! `syncscope verify`: whether a lowering is right, with the smallest program on which it is not.

use super::console::Console;
use super::corpus::{self, Corpus, quietly};
use super::outputs::Outs;
use super::progress::{self, Progress};
use super::searching::{self, Searching};
use super::{Ended, Status, formats};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::report::format::AnyOutput;
use crate::report::search::SEARCH;
use crate::report::verification::VERIFICATION;
use crate::run::{Registry, Unusable};
use crate::workbench::{self as verify, Which};
use clap::Args;

/// Try a lowering on the standard corpus: right, or the smallest program on which it is wrong
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Lowering by name, a rule file (`*.lower`), or a driver in another process (`exec:./mydriver`)
    #[arg(long, value_name = "LOWERING", required_unless_present = "merge")]
    lowering: Option<String>,
    #[command(flatten)]
    corpus: Corpus,
    /// Leave programs with errors or hazards of their own out; else they are tried, and counted apart
    #[arg(long, conflicts_with = "merge")]
    legal_only: bool,
    #[arg(long, value_name = "FORMAT", help = formats::help(&VERIFICATION))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
    #[command(flatten)]
    searching: Searching,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&VERIFICATION, &SEARCH];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the lowering is right on legal programs, 1 it is wrong on some, 2 the input or the command line was unusable, or Ctrl-C came before anything was found";

impl Arguments {
    fn which(&self) -> Which {
        if self.legal_only {
            Which::Legal
        } else {
            Which::All
        }
    }
}

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let (outs, searching) = (&arguments.outs, &arguments.searching);
    let outputs = || outs.choose(arguments.format.as_deref(), &SEARCH, &[]);
    if let Some(directory) = &searching.merge {
        return searching::merge(directory, outputs()?, console);
    }
    let Some(commands) = searching.exhaustive else {
        return tried(arguments, registry, console);
    };
    let outputs = outputs()?;
    let chosen = machines(arguments, registry, console)?;
    let machines = corpus::tried(&chosen);
    quietly(|| {
        let what = (commands, arguments.which());
        searching::execute(searching, what, &machines, outputs, console)
    })
}

/// Every program of the corpus.
fn tried(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let format = arguments.format.as_deref();
    let mut outputs = arguments.outs.choose(format, &VERIFICATION, &[])?;
    let chosen = machines(arguments, registry, console)?;
    let machines = corpus::tried(&chosen);
    let programs = arguments.corpus.programs()?;
    progress::listen();
    let bar = Progress::new("programs");
    let go_on = |done, all| {
        bar.show(done, all);
        !progress::is_stopped() && corpus::given_up(machines.iter()).is_none()
    };
    let found = quietly(|| verify::verify_some(&machines, &programs, arguments.which(), &go_on));
    bar.end();
    corpus::given_up(machines.iter()).map_or(Ok(()), Err)?;
    if found.programs == 0 && found.illegal_left_out > 0 && found.untried == 0 {
        return Err(Unusable::new(
            "every program has errors or hazards of its own",
            "leave `--legal-only` out to see what the lowering does on them",
        )
        .into());
    }
    if found.programs == 0 && found.untried == 0 {
        return Err(Unusable::new(
            "no file has a barrier to lower",
            "name a scenario whose timeline executes a barrier, or leave `--only` out",
        )
        .into());
    }
    let style = console.style();
    outputs.print(&found, "verify", &style, console)?;
    let status = match found.is_right() {
        // What was not tried may be wrong, and of nothing legal nothing is said.
        true if found.untried > 0 || !found.is_judged() => Status::Unusable,
        true => Status::Good,
        false => Status::Found,
    };
    Ok(status.max(outputs.finish(console)))
}

type Chosen = Vec<(Profile, &'static dyn Lowering)>;

/// The profiles, each with the lowering.
fn machines(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<Chosen, Unusable> {
    let lowering = arguments.lowering.as_deref().unwrap_or_default();
    corpus::machines(&arguments.corpus, lowering, registry, console)
}
