//! Which machine, which numbers and which driver: the arguments of every command that runs something on one.

use super::console::Console;
use super::input;
use super::printing::unknown;
use crate::finding::Source;
use crate::run::{self, BASES_MAX, Options, Registry, Unusable};
use crate::sim::Eviction;
use clap::{Args, ValueEnum};
use std::path::Path;

/// Options that choose the machine and the driver.
#[derive(Args, Debug)]
pub(super) struct Machine {
    #[command(flatten)]
    profile: ProfileChoice,
    /// Lowering by name, or a rule file (`*.lower`), instead of the scenario's or the profile's own
    #[arg(long, value_name = "LOWERING")]
    lowering: Option<String>,
    /// Which lines a cache drops without being told to
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    eviction: Which,
    /// Seed of `--eviction random`
    #[arg(long, value_name = "N", default_value_t)]
    seed: u64,
}

/// Options that choose the hardware profile and its numbers.
#[derive(Args, Debug)]
pub(super) struct ProfileChoice {
    /// Hardware profile by name, or a profile file (`*.toml`), instead of the scenario's own
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Override a number of the profile; `syncscope list profiles --numbers` prints the keys
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

/// Which lines leave a cache by themselves.
#[derive(Copy, Clone, PartialEq, Eq, Default, ValueEnum, Debug)]
enum Which {
    /// From a full cache, the line that was not touched for the longest time
    #[default]
    Oldest,
    /// From a full cache, any line
    Random,
    /// None, even from a full cache: every missing operation shows
    Never,
    /// All at once: a missing operation may go unnoticed
    Eager,
}

impl ProfileChoice {
    /// `options` with this profile. Names that exist nowhere are found here, and what is wrong in a file.
    pub(super) fn choose(
        &self,
        registry: &Registry,
        options: Options,
    ) -> Result<Options, Unusable> {
        let mut profile_files = options.profile_files.clone();
        if let Some(name) = &self.profile {
            add_profile(registry, name, &mut profile_files)?;
        }
        let mut set = Vec::new();
        for pair in &self.set {
            let (key, value) = pair.split_once('=').ok_or_else(|| Unusable {
                message: format!("`--set {pair}` has no `=`"),
                help: "write `--set KEY=VALUE`".to_owned(),
            })?;
            set.push((key.trim().to_owned(), value.trim().to_owned()));
        }
        Ok(Options {
            profile: self.profile.clone(),
            profile_files,
            set,
            ..options
        })
    }
}

impl Machine {
    /// `options` with this machine and driver. Names that exist nowhere are found here, before any file is read.
    pub(super) fn choose(
        &self,
        registry: &Registry,
        options: Options,
    ) -> Result<Options, Unusable> {
        let options = self.profile.choose(registry, options)?;
        let mut lowering_files = options.lowering_files.clone();
        if let Some(name) = &self.lowering {
            add_lowering(registry, name, &mut lowering_files)?;
        }
        Ok(Options {
            lowering_files,
            eviction: match self.eviction {
                Which::Oldest => Eviction::Oldest,
                Which::Random => Eviction::Random(self.seed),
                Which::Never => Eviction::Never,
                Which::Eager => Eviction::Eager,
            },
            lowering: self.lowering.clone(),
            ..options
        })
    }
}

/// Says what is suspicious in the rule files of the options: rules that can never match, and profiles that nobody knows.
pub(super) fn remark_rules(options: &Options, registry: &Registry, console: &mut Console) {
    for file in &options.lowering_files {
        let read = run::read_lowering(file, None);
        let mut findings = read.findings;
        findings.extend(run::name_taken(&read.file, registry));
        if options.profile_files.is_empty() {
            findings.extend(run::unknown_profiles(&read.file, registry));
        }
        for finding in findings {
            let at = finding.span.start;
            let (line, column) = (file.line(at), file.column(at));
            let help = finding.help.as_deref().unwrap_or_default();
            console.say(&format!(
                "warning: {}:{line}:{column}: {}\nhelp: {help}",
                file.name, finding.message
            ));
        }
    }
}

/// Checks that a lowering exists, and adds it to `files` if it is in one.
pub(super) fn add_lowering(
    registry: &Registry,
    name: &str,
    files: &mut Vec<Source>,
) -> Result<(), Unusable> {
    if run::is_lowering_file(name) {
        let file = input::lowering(Path::new(name))?;
        run::load_lowering(&file, None)?;
        files.push(file);
        return Ok(());
    }
    if name.contains(',') {
        return Err(Unusable {
            message: format!("`{name}` is more than one lowering"),
            help: format!("`syncscope diff FILE --lowering {name}` compares them"),
        });
    }
    let names: Vec<_> = registry.lowerings.iter().map(|l| l.name()).collect();
    if names.contains(&name) {
        return Ok(());
    }
    Err(unknown("lowering", name, &names))
}

/// Checks that a profile exists, and adds it to `files` if it is in one.
pub(super) fn add_profile(
    registry: &Registry,
    name: &str,
    files: &mut Vec<Source>,
) -> Result<(), Unusable> {
    if run::is_profile_file(name) {
        let read = profile_with_bases(name)?;
        run::load_profile(registry, &read[0], &read)?;
        files.extend(read);
    } else if registry.entry(name).is_none() {
        let names: Vec<&str> = registry.profiles.iter().map(|p| p.name).collect();
        return Err(unknown("hardware profile", name, &names));
    }
    Ok(())
}

/// A profile file, and the files that it is based on.
pub(super) fn profile_with_bases(name: &str) -> Result<Vec<Source>, Unusable> {
    let mut files = vec![input::profile(Path::new(name))?];
    // Where they go in a circle, or too far, it is said when they are joined.
    while files.len() <= BASES_MAX {
        let last = files.last().expect("it begins with one");
        match run::base_file(last) {
            Some(path) if files.iter().all(|file| file.name != path) => {
                let told = |what: Unusable| Unusable {
                    message: format!("{}: base: {}", last.name, what.message),
                    ..what
                };
                let next = input::profile(Path::new(&path)).map_err(told)?;
                files.push(next);
            }
            _ => break,
        }
    }
    Ok(files)
}
