//! `syncscope mutate`: which mistakes in a lowering the corpus notices.

use super::console::Console;
use super::corpus::{self, Corpus, quietly};
use super::progress::{self, Progress};
use super::{Ended, Status, formats};
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::mutation::MUTATION;
use crate::run::Registry;
use crate::workbench::{self, Phase, Reached, SPACE_MAX};
use clap::{Args, value_parser};
use std::cell::RefCell;

/// Make every small mistake in a lowering, one at a time, and say which of them the standard corpus notices
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Lowering by name, a rule file (`*.lower`), or a driver in another process (`exec:./mydriver`)
    #[arg(long, value_name = "LOWERING")]
    lowering: String,
    #[command(flatten)]
    corpus: Corpus,
    /// Try what the corpus does not notice on every program of up to this many commands
    #[arg(long, value_name = "COMMANDS", default_value_t = 3, value_parser = value_parser!(u32).range(3..=i64::from(SPACE_MAX)))]
    commands: u32,
    #[arg(long, value_name = "FORMAT", help = formats::help(&MUTATION))]
    format: Option<String>,
    /// Print mistakes that are noticed, too
    #[arg(long)]
    all: bool,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&MUTATION];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the corpus misses no mistake that is known to matter, 1 it misses one, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let writer = formats::writer(arguments.format.as_deref(), &MUTATION)?;
    let corpus = &arguments.corpus;
    let machines = corpus::machines(corpus, &arguments.lowering, registry, console)?;
    let programs = corpus.programs()?;
    let machines = corpus::tried(&machines);
    progress::listen();
    let bars: RefCell<Option<(String, Progress)>> = RefCell::default();
    let go_on = |reached: Reached<'_>| {
        let what = counted(reached);
        let mut bars = bars.borrow_mut();
        if bars.as_ref().is_none_or(|(known, _)| *known != what) {
            if let Some((_, bar)) = bars.take() {
                bar.end();
            }
            let bar = Progress::new(what.clone());
            *bars = Some((what, bar));
        }
        if let Some((_, bar)) = bars.as_ref() {
            bar.show(reached.done, reached.all);
        }
        !progress::is_stopped() && corpus::given_up(machines.iter()).is_none()
    };
    let found = quietly(|| workbench::mutate(&machines, &programs, arguments.commands, &go_on));
    if let Some((_, bar)) = bars.take() {
        bar.end();
    }
    corpus::given_up(machines.iter()).map_or(Ok(()), Err)?;
    let Some(found) = found else {
        console.complain(
            "the search was interrupted",
            "what was found so far says nothing about the rest; let it end, or name fewer profiles",
        );
        return Ok(Status::Unusable);
    };
    if found.programs == 0 {
        let (message, help) = NONE_COUNTS;
        console.complain(message, help);
        return Ok(Status::Unusable);
    }
    let style = Style {
        all: arguments.all,
        ..console.style()
    };
    writer(&found, &style, &mut console.out)?;
    let missed = found.profiles.iter().any(|profile| profile.missed() > 0);
    Ok(if missed { Status::Found } else { Status::Good })
}

/// What a bar counts.
fn counted(reached: Reached<'_>) -> String {
    let Reached { profile, phase, .. } = reached;
    match phase {
        Phase::Corpus => format!("programs on {profile}"),
        Phase::Space => format!("short programs on {profile}, for what the corpus does not notice"),
        Phase::Chains => format!("chains of uses on {profile}, for what none of these meets"),
    }
}

/// That no program can show a mistake.
const NONE_COUNTS: (&str, &str) = (
    "no program has a barrier to lower, no mistake of its own, and a lowering that is right on it",
    "`syncscope verify` says where the lowering is wrong; `syncscope check` says what is wrong with a program",
);
