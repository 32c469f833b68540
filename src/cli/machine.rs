//! Which machine, which numbers and which driver: the arguments of every command that runs something on one.

use super::input;
use super::printing::unknown;
use crate::run::{self, Options, Registry, Unusable};
use crate::sim::Eviction;
use clap::{Args, ValueEnum};
use std::path::Path;

/// Options that choose the machine and the driver.
#[derive(Args, Debug)]
pub(super) struct Machine {
    #[command(flatten)]
    profile: ProfileChoice,
    /// Lowering, instead of the scenario's or the profile's own
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
        let mut profile_file = None;
        if let Some(name) = self.profile.as_ref().filter(|name| is_file(name)) {
            let file = input::profile(Path::new(name))?;
            run::parse_profile(&file.name, &file.text)?;
            profile_file = Some(file);
        } else if let Some(name) = &self.profile {
            let mut profiles = registry.profiles.iter();
            if !profiles.any(|p| p.name == name || p.aliases.contains(&name.as_str())) {
                let names: Vec<&str> = registry.profiles.iter().map(|p| p.name).collect();
                return Err(unknown("hardware profile", name, &names));
            }
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
            profile_file,
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
        if let Some(name) = &self.lowering {
            let names: Vec<_> = registry.lowerings.iter().map(|l| l.name()).collect();
            if !names.contains(&name.as_str()) {
                return Err(unknown("lowering", name, &names));
            }
        }
        Ok(Options {
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

/// Whether a profile is meant by its file and not by a name.
fn is_file(profile: &str) -> bool {
    profile.contains(['/', '\\']) || Path::new(profile).extension().is_some_and(|e| e == "toml")
}
