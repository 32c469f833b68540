//! `syncscope diff`: two runs compared barrier by barrier, or two lowerings on the whole corpus.

use super::console::Console;
use super::corpus::{self, Corpus, quietly};
use super::judging::Judging;
use super::machine::{is_lowering, is_profile};
use super::outputs::Outs;
use super::progress::{self, Progress};
use super::{Ended, Status, formats, input};
use crate::finding::Source;
use crate::report::Style;
use crate::report::corpus_difference::CORPUS_DIFFERENCE;
use crate::report::difference::DIFFERENCE;
use crate::report::format::AnyOutput;
use crate::run::{self, Options, Registry, Report, Unusable};
use crate::workbench::{self, Comparison, Machine};
use clap::Args;
use std::path::PathBuf;

/// Compare two lowerings, two profiles or two files, barrier by barrier; or two lowerings on the standard corpus
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// One scenario file, or two; with `--corpus` the old lowering and the new one
    #[arg(required = true, value_name = "FILE", num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// Compare two lowerings, by name or rule file, on every program of the standard corpus: which programs change, which
    /// become wrong, what is saved
    #[arg(long, conflicts_with_all = ["lowering", "rules", "deny", "warn", "allow"])]
    corpus: bool,
    /// Lowerings by name, rule files, or drivers in another process (`exec:./mydriver`): one, or two to compare
    #[arg(long, value_name = "LOWERING,…", value_delimiter = ',')]
    lowering: Vec<String>,
    /// Hardware profiles by name, or profile files: one, or two to compare; with `--corpus` any number
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',')]
    profile: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&DIFFERENCE))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
    /// Print barriers that are the same in both, too; with `--corpus` every program that changes
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    judging: Judging,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&DIFFERENCE, &CORPUS_DIFFERENCE];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 both runs do the same at the same price, 1 they differ, 2 the input or the command line was unusable. With `--corpus`: 0 the new lowering is wrong on no legal program on which the old one is right, 1 it is on some, 2 as above, or Ctrl-C came before one was found";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    if arguments.corpus {
        return on_corpus(arguments, registry, console);
    }
    let format = arguments.format.as_deref();
    let mut outputs = arguments
        .outs
        .choose(format, &DIFFERENCE, &arguments.files)?;
    let [first, second] = runs(arguments, registry)?;
    let found = run::difference((&first.1, &first.0), (&second.1, &second.0));
    let style = Style {
        all: arguments.all,
        ..console.style()
    };
    let name = &first.0.name;
    outputs.print(&found, name, &style, console)?;
    let is_same = found.rows.iter().all(run::DifferenceRow::is_same);
    let status = if is_same { Status::Good } else { Status::Found };
    Ok(status.max(outputs.finish(console)))
}

/// `--corpus`: an old and a new lowering.
fn on_corpus(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let format = arguments.format.as_deref();
    let mut outputs = arguments
        .outs
        .choose(format, &CORPUS_DIFFERENCE, &arguments.files)?;
    let [old, new] = lowerings(arguments)?;
    let corpus = Corpus::standard(&arguments.profile);
    let chosen = [&old, &new].map(|name| corpus::machines(&corpus, name, registry, console));
    let [olds, news] = chosen;
    let (olds, news) = (olds?, news?);
    let pairs = paired(&corpus::tried(&olds), &corpus::tried(&news));
    if pairs.is_empty() {
        return Err(Unusable::new(
            format!("`{old}` and `{new}` have no profile in common"),
            "name one that has the caches of both after `--profile`",
        )
        .into());
    }
    let programs = corpus.programs()?;
    progress::listen();
    let bar = Progress::new("programs");
    let go_on = |done, all| {
        bar.show(done, all);
        !progress::is_stopped() && corpus::given_up(pairs.iter().flatten()).is_none()
    };
    let found = quietly(|| workbench::compare([old, new], &pairs, &programs, &go_on));
    bar.end();
    corpus::given_up(pairs.iter().flatten()).map_or(Ok(()), Err)?;
    let style = Style {
        all: arguments.all,
        ..console.style()
    };
    outputs.print(&found, "diff", &style, console)?;
    Ok(status(&found).max(outputs.finish(console)))
}

fn status(found: &Comparison) -> Status {
    match found.has_newly_wrong() {
        true => Status::Found,
        // What was not tried may be wrong.
        false if found.untried > 0 => Status::Unusable,
        false => Status::Good,
    }
}

/// The old lowering and the new one, as they were typed.
fn lowerings(arguments: &Arguments) -> Result<[String; 2], Unusable> {
    let mut files = arguments.files.iter();
    let names = files.clone().map(|file| file.display().to_string());
    let names: Vec<String> = names.collect();
    if let Some(scene) = files.find(|file| file.extension().is_some_and(|end| end == "scn")) {
        return Err(Unusable {
            message: format!(
                "`{}` is a scenario, and `--corpus` has its own",
                scene.display()
            ),
            help:
                "write `syncscope diff --corpus OLD NEW`, with two lowerings by name or rule file"
                    .to_owned(),
        });
    }
    names.try_into().map_err(|_| Unusable {
        message: "`diff --corpus` compares two lowerings".to_owned(),
        help: "name the old one and the new one: `syncscope diff --corpus OLD NEW`".to_owned(),
    })
}

/// Machines of which both lowerings are there.
fn paired<'m>(olds: &[Machine<'m>], news: &[Machine<'m>]) -> Vec<[Machine<'m>; 2]> {
    let pair = |old: &Machine<'m>| {
        let same = |new: &&Machine<'m>| new.profile.name == old.profile.name;
        news.iter().find(same).map(|new| [*old, *new])
    };
    olds.iter().filter_map(pair).collect()
}

/// Both runs, each with its text.
fn runs(arguments: &Arguments, registry: &Registry) -> Result<[(Source, Report); 2], Unusable> {
    let counts = [
        arguments.files.len(),
        arguments.lowering.len(),
        arguments.profile.len(),
    ];
    let pairs = counts.iter().filter(|count| **count == 2).count();
    if pairs != 1 || counts.iter().any(|count| *count > 2) {
        return Err(Unusable {
            message: "`diff` compares two of one kind".to_owned(),
            help: "name two lowerings, or two profiles, or two files: `syncscope diff FILE --lowering A,B`"
                .to_owned(),
        });
    }
    let one = |at: usize| {
        let file = arguments.files.get(at).or(arguments.files.first());
        let source = input::read(file.expect("one is required"))?;
        let choose = |words: &[String]| words.get(at).or(words.first()).cloned();
        let mut options = arguments.judging.options(registry)?;
        options.lowering = choose(&arguments.lowering);
        options.profile = choose(&arguments.profile);
        if let Some(name) = &options.lowering {
            is_lowering(registry, name, &options)?;
        }
        if let Some(name) = &options.profile {
            is_profile(registry, name, &options)?;
        }
        let options = Options {
            without_path: true,
            proposals: run::Proposals::None,
            ..options
        };
        let report = run::run(&source, registry, &options)?;
        if report.makespan.is_none() {
            return Err(Unusable {
                message: format!("`{}` is not understood", source.name),
                help: "`syncscope check` shows where".to_owned(),
            });
        }
        Ok((source, report))
    };
    Ok([one(0)?, one(1)?])
}
