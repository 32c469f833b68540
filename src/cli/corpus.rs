//! What a lowering is tried on: machines, and the programs of the standard corpus and of one's own files.

use super::console::Console;
use super::disk;
use super::machine::{self, is_lowering, is_profile, remark_rules};
use super::{input, test};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::run::{self, Options, Registry, Unusable};
use crate::workbench::{self, Machine};
use clap::Args;
use std::panic;
use std::path::PathBuf;

/// Programs and machines.
#[derive(Args, Debug)]
pub(super) struct Corpus {
    /// Scenario files, and directories of them, to be tried as well
    #[arg(value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Hardware profiles by name, or profile files (`*.toml`); `all` is every built-in one
    #[arg(
        long,
        value_name = "PROFILE,…",
        value_delimiter = ',',
        default_value = "all"
    )]
    profile: Vec<String>,
    /// Override a number of a profile; `syncscope list profiles --numbers` prints the keys. The profile may be left out
    /// where there is one
    #[arg(long, value_name = "PROFILE.KEY=VALUE")]
    set: Vec<String>,
    /// Try only the files that are named, not the standard corpus
    #[arg(long, requires = "paths")]
    only: bool,
}

impl Corpus {
    /// The standard corpus on some profiles, or on every built-in one.
    pub(super) fn standard(profiles: &[String]) -> Self {
        let every = || vec!["all".to_owned()];
        Self {
            paths: Vec::new(),
            profile: Some(profiles.to_vec())
                .filter(|named| !named.is_empty())
                .unwrap_or_else(every),
            set: Vec::new(),
            only: false,
        }
    }

    /// The programs.
    pub(super) fn programs(&self) -> Result<Vec<Source>, Unusable> {
        let mut programs = if self.only {
            Vec::new()
        } else {
            workbench::corpus()
        };
        programs.extend(own(&self.paths)?);
        Ok(programs)
    }
}

/// Work in which a lowering that panics says nothing on standard error: the panic is an answer, and is told in its place.
pub(super) fn quietly<R>(work: impl FnOnce() -> R) -> R {
    let hook = panic::take_hook();
    panic::set_hook(Box::new(|_| {}));
    let result = work();
    panic::set_hook(hook);
    result
}

/// That a driver is not asked any more: what was found by then is not the whole, and depends on who asked when.
pub(super) fn given_up<'m>(
    mut machines: impl Iterator<Item = &'m Machine<'m>>,
) -> Option<Unusable> {
    let given_up =
        |machine: &Machine<'_>| Some((machine.lowering.name(), machine.lowering.given_up()?));
    let (name, why) = machines.find_map(given_up)?;
    Some(Unusable {
        message: format!("`{name}`: {why}"),
        help: "a driver answers each program at once, and flushes what it writes after each line; what was found before that is not told"
            .to_owned(),
    })
}

/// A machine by its profile and lowering, which the command owns.
pub(super) fn tried<'m>(machines: &'m [(Profile, &'static dyn Lowering)]) -> Vec<Machine<'m>> {
    let machines = machines.iter();
    machines
        .map(|(profile, lowering)| Machine {
            profile,
            lowering: *lowering,
        })
        .collect()
}

/// The profiles that are named, each with the lowering. A rule file that names what a profile lacks is tried on the others,
/// if every profile was meant.
pub(super) fn machines(
    corpus: &Corpus,
    lowering: &str,
    registry: &Registry,
    console: &mut Console,
) -> Result<Vec<(Profile, &'static dyn Lowering)>, Unusable> {
    let options = Options {
        lowering: Some(lowering.to_owned()),
        ..disk::options()
    };
    is_lowering(registry, lowering, &options)?;
    remark_rules(&options, registry, console);
    let mut machines: Vec<(Profile, &'static dyn Lowering)> = Vec::new();
    let mut unfit: Option<Unusable> = None;
    for name in &corpus.profile {
        let is_every = name == "all";
        let chosen: Vec<&str> = if is_every {
            registry.profiles.iter().map(|p| p.name).collect()
        } else {
            is_profile(registry, name, &options)?;
            vec![name]
        };
        for name in chosen {
            let profile = registry.profile_or_file(name, &*options.files)?;
            if machines.iter().any(|(known, _)| known.name == profile.name) {
                continue;
            }
            match registry.lowering_or_file(lowering, &*options.files, Some(&profile)) {
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
        _ => {
            set(corpus, registry, &mut machines)?;
            Ok(machines)
        }
    }
}

/// Sets the numbers that `--set` names, each in its profile.
fn set(
    corpus: &Corpus,
    registry: &Registry,
    machines: &mut [(Profile, &'static dyn Lowering)],
) -> Result<(), Unusable> {
    for pair in &corpus.set {
        let (key, value) = machine::number(pair, "PROFILE.KEY=VALUE")?;
        let is_named = |profile: &Profile| {
            let (name, _) = key.split_once('.')?;
            let entry = registry.entry(name).map_or(name, |entry| entry.name);
            (entry == profile.name || name == profile.name).then_some(name.len() + 1)
        };
        let meant = machines
            .iter()
            .enumerate()
            .find_map(|(at, (profile, _))| Some((at, is_named(profile)?)));
        // A key without a profile is of the only one.
        let only = || (machines.len() == 1).then_some((0, 0));
        let Some((at, start)) = meant.or_else(only) else {
            let names: Vec<&str> = machines.iter().map(|(p, _)| p.name.as_str()).collect();
            return Err(Unusable {
                message: format!(
                    "`--set {pair}` names none of the profiles {}",
                    names.join(", ")
                ),
                help: "write `--set PROFILE.KEY=VALUE`, or one profile after `--profile`"
                    .to_owned(),
            });
        };
        let profile = &mut machines[at].0;
        profile
            .set(&key[start..], &value)
            .map_err(|message| Unusable {
                message,
                help: "`list profiles --numbers` prints every number with its key".to_owned(),
            })?;
    }
    Ok(())
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
