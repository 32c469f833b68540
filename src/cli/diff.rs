//! `syncscope diff`: two runs compared barrier by barrier.

use super::console::Console;
use super::judging::Judging;
use super::machine::{is_lowering, is_profile};
use super::outputs::Outs;
use super::{Status, formats, input};
use crate::finding::Source;
use crate::report::Style;
use crate::report::difference::DIFFERENCE;
use crate::run::{self, Options, Registry, Report, Unusable};
use clap::Args;
use std::io;
use std::path::PathBuf;

/// Compare two lowerings, two profiles or two files, barrier by barrier
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// One scenario file, or two
    #[arg(required = true, value_name = "FILE", num_args = 1..=2)]
    files: Vec<PathBuf>,
    /// Lowerings by name, or rule files: one, or two to compare
    #[arg(long, value_name = "LOWERING,…", value_delimiter = ',')]
    lowering: Vec<String>,
    /// Hardware profiles by name, or profile files: one, or two to compare
    #[arg(long, value_name = "PROFILE,…", value_delimiter = ',')]
    profile: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&DIFFERENCE))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
    /// Print barriers that are the same in both, too
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    judging: Judging,
}

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 both runs do the same at the same price, 1 they differ, 2 the input or the command line was unusable";

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let format = arguments.format.as_deref();
    let outputs = arguments.outs.choose(format, &DIFFERENCE, &arguments.files);
    let compared = outputs.and_then(|outputs| Ok((outputs, runs(arguments, registry)?)));
    let (mut outputs, [first, second]) = match compared {
        Ok(compared) => compared,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let found = run::difference((&first.1, &first.0), (&second.1, &second.0));
    let style = Style {
        all: arguments.all,
        ..console.style()
    };
    let name = &first.0.name;
    outputs.write(name, &style, console, &mut |writer, style, out| {
        writer(&found, style, out)
    })?;
    let is_same = found.rows.iter().all(run::DifferenceRow::is_same);
    let status = if is_same { Status::Good } else { Status::Found };
    Ok(status.max(outputs.finish(console)))
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
