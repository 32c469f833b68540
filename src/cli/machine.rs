//! Which machine, which numbers and which driver: the arguments of every command that runs something on one.

use super::console::Console;
use super::printing::unknown;
use crate::run::{self, FileKind, Options, Registry, Unusable};
use crate::sim::Eviction;
use clap::{Args, ValueEnum};

/// Options that choose the machine and the driver.
#[derive(Args, Debug)]
pub(super) struct Machine {
    #[command(flatten)]
    profile: ProfileChoice,
    /// Lowering by name, a rule file (`*.lower`), or a driver in another process (`exec:./mydriver`), instead of the scenario's or
    /// the profile's own
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
    /// None, and caches for reading have fetched every line before it is written
    Prefetch,
}

impl ProfileChoice {
    /// Whether the command line names a profile.
    pub(super) fn is_named(&self) -> bool {
        self.profile.is_some()
    }

    /// `options` with this profile. Names that exist nowhere are found here, and what is wrong in a file.
    pub(super) fn choose(
        &self,
        registry: &Registry,
        options: Options,
    ) -> Result<Options, Unusable> {
        if let Some(name) = &self.profile {
            is_profile(registry, name, &options)?;
        }
        let set: Result<Vec<_>, _> = self
            .set
            .iter()
            .map(|pair| number(pair, "KEY=VALUE"))
            .collect();
        Ok(Options {
            profile: self.profile.clone(),
            set: set?,
            ..options
        })
    }
}

/// The key and the value of a `--set`, of which messages say the form.
pub(super) fn number(pair: &str, form: &str) -> Result<(String, String), Unusable> {
    let (key, value) = pair.split_once('=').ok_or_else(|| Unusable {
        message: format!("`--set {pair}` has no `=`"),
        help: format!("write `--set {form}`"),
    })?;
    Ok((key.trim().to_owned(), value.trim().to_owned()))
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
            is_lowering(registry, name, &options)?;
        }
        Ok(Options {
            eviction: match self.eviction {
                Which::Oldest => Eviction::Oldest,
                Which::Random => Eviction::Random(self.seed),
                Which::Never => Eviction::Never,
                Which::Eager => Eviction::Eager,
                Which::Prefetch => Eviction::Prefetch,
            },
            lowering: self.lowering.clone(),
            ..options
        })
    }
}

/// Says what is suspicious in the rule file of the options: rules that can never match, and profiles that nobody knows.
pub(super) fn remark_rules(options: &Options, registry: &Registry, console: &mut Console) {
    let name = options.lowering.as_deref();
    let Some(name) = name.filter(|name| run::is_lowering_file(name)) else {
        return;
    };
    // What is wrong with the file is said where it is chosen.
    let Ok(file) = options.files.read(name, FileKind::Lowering) else {
        return;
    };
    let read = run::read_lowering(&file, None);
    let mut findings = read.findings;
    findings.extend(run::name_taken(&read.file, registry));
    if !options.profile.as_deref().is_some_and(run::is_profile_file) {
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

/// Checks that a lowering exists.
pub(super) fn is_lowering(
    registry: &Registry,
    name: &str,
    options: &Options,
) -> Result<(), Unusable> {
    if run::driver_command(name).is_some() {
        return registry
            .lowering_or_file(name, &*options.files, None)
            .map(drop);
    }
    if !run::is_lowering_file(name) && name.contains(',') {
        return Err(Unusable {
            message: format!("`{name}` is more than one lowering"),
            help: format!("`syncscope diff FILE --lowering {name}` compares them"),
        });
    }
    let names: Vec<_> = registry.lowerings.iter().map(|l| l.name()).collect();
    if run::is_lowering_file(name) || names.contains(&name) {
        return registry
            .lowering_or_file(name, &*options.files, None)
            .map(drop);
    }
    Err(unknown("lowering", name, &names))
}

/// Checks that a profile exists.
pub(super) fn is_profile(
    registry: &Registry,
    name: &str,
    options: &Options,
) -> Result<(), Unusable> {
    if run::is_profile_file(name) {
        return registry.profile_or_file(name, &*options.files).map(drop);
    }
    if registry.entry(name).is_some() {
        return Ok(());
    }
    let names: Vec<&str> = registry.profiles.iter().map(|p| p.name).collect();
    Err(unknown("hardware profile", name, &names))
}
