//! `syncscope verify`: whether a lowering is right, with the smallest program on which it is not.

use super::console::Console;
use super::machine::add_profile;
use super::printing::unknown;
use super::progress::{self, Progress};
use super::{Status, formats, input, test};
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::report::format::VERIFICATION;
use crate::run::verify::{self, Program};
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
    /// Lowering
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
    let chosen = formats::writer(arguments.format.as_deref(), &VERIFICATION).and_then(|writer| {
        let lowering = lowering(&arguments.lowering, registry)?;
        Ok((writer, lowering, profiles(&arguments.profile, registry)?))
    });
    let (writer, lowering, profiles) = match chosen {
        Ok(chosen) => chosen,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
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
    let found = verify::verify(lowering, &profiles, &programs, &|done, all| {
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

fn lowering(name: &str, registry: &Registry) -> Result<&'static dyn Lowering, Unusable> {
    registry.lowering(name).map_err(|_| {
        let names: Vec<&str> = registry.lowerings.iter().map(|l| l.name()).collect();
        unknown("lowering", name, &names)
    })
}

fn profiles(names: &[String], registry: &Registry) -> Result<Vec<Profile>, Unusable> {
    let mut profiles: Vec<Profile> = Vec::new();
    for name in names {
        let mut files = Vec::new();
        let chosen: Vec<&str> = if name == "all" {
            registry.profiles.iter().map(|p| p.name).collect()
        } else {
            add_profile(registry, name, &mut files)?;
            vec![name]
        };
        let options = Options {
            profile_files: files,
            ..Options::default()
        };
        for name in chosen {
            let profile = registry.profile_or_file(name, &options)?;
            if profiles.iter().all(|known| known.name != profile.name) {
                profiles.push(profile);
            }
        }
    }
    Ok(profiles)
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
