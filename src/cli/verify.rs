//! `syncscope verify`: whether a lowering is right, with the smallest program on which it is not.

use super::console::Console;
use super::machine::{add_lowering, add_profile, remark_rules};
use super::progress::{self, Progress};
use super::searching::{self, Searching};
use super::{Status, formats, input, test};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::report::format::{SEARCH, VERIFICATION};
use crate::run::verify::{self, Machine};
use crate::run::{self, Options, Registry, Unusable};
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
    #[arg(long, value_name = "LOWERING", required_unless_present = "merge")]
    lowering: Option<String>,
    /// Hardware profiles by name, or profile files (`*.toml`); `all` is every built-in one
    #[arg(
        long,
        value_name = "PROFILE,…",
        value_delimiter = ',',
        default_value = "all"
    )]
    profile: Vec<String>,
    /// Try only the files that are named, not the standard corpus
    #[arg(long, requires = "paths", conflicts_with_all = ["exhaustive", "merge"])]
    only: bool,
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
    let machines = match machines(arguments, registry, console) {
        Ok(machines) => machines,
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
    if let Some(commands) = arguments.searching.exhaustive {
        return quietly(|| {
            searching::execute(&arguments.searching, commands, &machines, search, console)
        });
    }
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

/// Work in which a lowering that panics says nothing on standard error: the panic is an answer, and is told in its place.
fn quietly<R>(work: impl FnOnce() -> R) -> R {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = work();
    panic::set_hook(hook);
    result
}

/// The profiles that are named, each with the lowering. A rule file that names what a profile lacks is tried on the others,
/// if every profile was meant.
fn machines(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> Result<Vec<(Profile, &'static dyn Lowering)>, Unusable> {
    let lowering = arguments.lowering.as_deref().unwrap_or_default();
    let mut lowering_files = Vec::new();
    add_lowering(registry, lowering, &mut lowering_files)?;
    remark_rules(
        &Options {
            lowering_files: lowering_files.clone(),
            ..Options::default()
        },
        console,
    );
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
            match registry.lowering_or_file(lowering, &options, &profile) {
                Ok(own) => machines.push((profile, own)),
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

/// The scenarios of some paths: files, and all below directories. A file that is named must be one that can run; of those
/// below a directory the others are left out.
fn own(paths: &[PathBuf]) -> Result<Vec<Source>, Unusable> {
    if paths.is_empty() {
        return Ok(Vec::new());
    }
    let mut programs = Vec::new();
    for file in test::files(paths, &["scn", "json"])? {
        let source = input::read(&file)?;
        if paths.contains(&file) {
            run::to_run(&source, "there is nothing to lower")?;
        }
        programs.push(source);
    }
    Ok(programs)
}
