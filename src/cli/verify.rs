//! `syncscope verify`: whether a lowering is right, with the smallest program on which it is not.

use super::console::Console;
use super::machine::{add_lowering, add_profile};
use super::progress::{self, Progress};
use super::{Status, formats, input, test};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::report::format::VERIFICATION;
use crate::run::verify::{self, Machine, Program};
use crate::run::{Options, Registry, Unusable};
use clap::Args;
use std::io;
use std::panic;
use std::path::PathBuf;

/// Try a lowering on the standard corpus: right, or the smallest program on which it is wrong
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, and directories of them, to be tried as well
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Lowering by name, or a rule file (`*.lower`)
    #[arg(long, value_name = "LOWERING", required = true)]
    lowering: String,
    /// Hardware profiles by name, or profile files (`*.toml`); `all` is every built-in one
    #[arg(
        long,
        value_name = "PROFILE,…",
        value_delimiter = ',',
        default_value = "all"
    )]
    profile: Vec<String>,
    /// Try only the files that are named, not the standard corpus
    #[arg(long, requires = "paths")]
    only: bool,
    #[arg(long, value_name = "FORMAT", help = formats::help(&VERIFICATION))]
    format: Option<String>,
}

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the lowering is right, 1 it is wrong on some program, 2 the input or the command line was unusable";

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let chosen = formats::writer(arguments.format.as_deref(), &VERIFICATION)
        .and_then(|writer| Ok((writer, machines(arguments, registry, console)?)));
    let (writer, machines) = match chosen {
        Ok(chosen) => chosen,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let machines: Vec<Machine<'_>> = machines
        .iter()
        .map(|(profile, lowering)| Machine {
            profile,
            lowering: *lowering,
        })
        .collect();
    let mut programs = if arguments.only {
        Vec::new()
    } else {
        verify::corpus()
    };
    match own(&arguments.paths) {
        Ok(own) => programs.extend(own),
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    }
    progress::listen();
    let bar = Progress::new("programs");
    // A lowering that panics is an answer: it is told in its place.
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let found = verify::verify(&machines, &programs, &|done, all| {
        bar.show(done, all);
    });
    panic::set_hook(hook);
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

/// The profiles that are named, each with the lowering. A rule file that names what a profile lacks is tried on the others,
/// if every profile was meant.
fn machines(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<Vec<(Profile, &'static dyn Lowering)>, Unusable> {
    let mut lowering_files = Vec::new();
    add_lowering(registry, &arguments.lowering, &mut lowering_files)?;
    let mut machines: Vec<(Profile, &'static dyn Lowering)> = Vec::new();
    let mut unfit: Option<Unusable> = None;
    for name in &arguments.profile {
        let mut profile_files = Vec::new();
        let is_every = name == "all";
        let chosen: Vec<&str> = if is_every {
            registry.profiles.iter().map(|p| p.name).collect()
        } else {
            add_profile(registry, name, &mut profile_files)?;
            vec![name]
        };
        let options = Options {
            profile_files,
            lowering_files: lowering_files.clone(),
            ..Options::default()
        };
        for name in chosen {
            let profile = registry.profile_or_file(name, &options)?;
            if machines.iter().any(|(known, _)| known.name == profile.name) {
                continue;
            }
            match registry.lowering_or_file(&arguments.lowering, &options, &profile) {
                Ok(lowering) => machines.push((profile, lowering)),
                Err(what) if is_every => {
                    console.remark(&format!("not tried on {}: {}", profile.name, what.message));
                    unfit = Some(what);
                }
                Err(what) => return Err(what),
            }
        }
    }
    match unfit {
        Some(what) if machines.is_empty() => Err(what),
        _ => Ok(machines),
    }
}

/// The scenarios of some paths: files, and all below directories.
fn own(paths: &[PathBuf]) -> Result<Vec<Program>, Unusable> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let files = test::files(paths, &["scn", "json"])?;
    let program = |file: &PathBuf| {
        let source = input::read(file)?;
        Ok(Program {
            name: source.name.clone(),
            source,
        })
    };
    files.iter().map(program).collect()
}
