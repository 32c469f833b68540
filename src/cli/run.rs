//! `syncscope run`: simulate scenarios and report.

use super::console::Console;
use super::judging::Judging;
use super::printing::{Printer, Printing, unknown};
use super::{Status, comparing, ddi, input, kernels};
use crate::finding::Source;
use crate::run::{self, Options, Registry, Unusable};
use crate::sim::Eviction;
use clap::{Args, ValueEnum};
use std::io;
use std::path::{Path, PathBuf};

/// Run scenarios on the modelled GPU and report
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    machine: Machine,
    /// Show more, or something else: `path`, the whole critical path; `ddi`, what a driver is handed instead of a report
    #[arg(long, value_name = "WHAT")]
    show: Option<String>,
    /// Compare machines, one row each: names, or `all`
    #[arg(
        long,
        value_name = "PROFILE,…",
        value_delimiter = ',',
        conflicts_with = "show"
    )]
    profiles: Vec<String>,
    /// Run again without each barrier, and show what each costs
    #[arg(long, conflicts_with_all = ["show", "profiles"])]
    what_if: bool,
    #[command(flatten)]
    judging: Judging,
    #[command(flatten)]
    printing: Printing,
}

/// Options that choose the machine and the driver.
#[derive(Args, Debug)]
pub(super) struct Machine {
    #[command(flatten)]
    choice: Choice,
    /// Lowering, instead of the scenario's own
    #[arg(long, value_name = "LOWERING")]
    lowering: Option<String>,
    /// Which lines leave a full cache: oldest; random (see --seed); or never, whatever its size; eager: all at once
    #[arg(long, value_enum, value_name = "WHICH", default_value_t)]
    eviction: Which,
    /// Seed of `--eviction random`
    #[arg(long, value_name = "N", default_value_t)]
    seed: u64,
}

/// Options that choose the hardware profile and its numbers.
#[derive(Args, Debug)]
pub(super) struct Choice {
    /// Hardware profile by name, or a profile file (`*.toml`), instead of the scenario's own
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Override a number of the profile
    #[arg(long, value_name = "KEY=VALUE")]
    set: Vec<String>,
}

impl Choice {
    /// The part of a run's options that this is. Names that exist nowhere are found here, and what is wrong in a file.
    pub(super) fn options(&self, registry: &Registry) -> Result<Options, Unusable> {
        let mut profile_file = None;
        if let Some(name) = self.profile.as_ref().filter(|name| is_file(name)) {
            let file = input::profile(Path::new(name))?;
            run::parse_profile(&file.name, &file.text)?;
            profile_file = Some(file);
        } else if let Some(name) = &self.profile {
            let profiles = &registry.profiles;
            if !profiles
                .iter()
                .any(|p| p.name == name || p.aliases.contains(&name.as_str()))
            {
                return Err(unknown(
                    "hardware profile",
                    name,
                    profiles.iter().map(|p| p.name).collect(),
                ));
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
            ..Options::default()
        })
    }
}

/// Which lines leave a cache by themselves.
#[derive(Copy, Clone, PartialEq, Eq, Default, ValueEnum, Debug)]
enum Which {
    /// When a cache is full, what was touched longest ago
    #[default]
    Oldest,
    /// When a cache is full, any line
    Random,
    /// Nothing: every missing operation shows
    Never,
    /// Everything at once: what is right by luck is right
    Eager,
}

impl Machine {
    /// What a run is asked to do. Names that exist nowhere are found here, before any file is read.
    pub(super) fn options(
        &self,
        judging: &Judging,
        registry: &Registry,
        printer: &Printer,
    ) -> Result<Options, Unusable> {
        let choice = self.choice.options(registry)?;
        if let Some(name) = &self.lowering {
            let names: Vec<_> = registry.lowerings.iter().map(|l| l.name()).collect();
            if !names.contains(&name.as_str()) {
                return Err(unknown("lowering", name, names));
            }
        }
        let parts = printer.parts();
        Ok(Options {
            profile: choice.profile,
            profile_file: choice.profile_file,
            set: choice.set,
            eviction: match self.eviction {
                Which::Oldest => Eviction::Oldest,
                Which::Random => Eviction::Random(self.seed),
                Which::Never => Eviction::Never,
                Which::Eager => Eviction::Eager,
            },
            lowering: self.lowering.clone(),
            without_commands: !parts.commands,
            without_barriers: !parts.barriers,
            without_path: !(parts.path || parts.utilisation),
            ..judging.options(registry)?
        })
    }
}

/// Whether a profile is meant by its file and not by a name.
fn is_file(profile: &str) -> bool {
    profile.contains(['/', '\\']) || Path::new(profile).extension().is_some_and(|e| e == "toml")
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    match arguments.show.as_deref() {
        None | Some("path") => {}
        Some("ddi") => {
            let checked = arguments.printing.printer().and_then(|printer| {
                let machine = &arguments.machine;
                let options = machine.options(&arguments.judging, registry, &printer)?;
                ddi::Show::new(printer, options)
            });
            return match checked {
                Ok(show) => show.files(&arguments.files, console),
                Err(what) => {
                    console.unusable(&what);
                    Ok(Status::Unusable)
                }
            };
        }
        Some(word) => {
            console.unusable(&unknown("thing to show", word, vec!["path", "ddi"]));
            return Ok(Status::Unusable);
        }
    }
    if arguments.what_if || !arguments.profiles.is_empty() {
        return compare(arguments, registry, console);
    }
    sources(
        &arguments.machine,
        &arguments.judging,
        (&arguments.printing, arguments.show.is_some()),
        registry,
        console,
        |console, each| {
            let mut status = Status::Good;
            for file in &arguments.files {
                status = status.max(match input::read(file) {
                    Ok(source) => each(console, &source)?,
                    Err(what) => {
                        console.unusable(&what);
                        Status::Unusable
                    }
                });
            }
            Ok(status)
        },
    )
}

/// Several runs of each file, side by side.
fn compare(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let checked = arguments.printing.printer().and_then(|printer| {
        let machine = &arguments.machine;
        let options = machine.options(&arguments.judging, registry, &printer)?;
        Ok((printer, options))
    });
    let (printer, options) = match checked {
        Ok(checked) => checked,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let form = comparing::Form {
        json: printer.format() == "json",
        ascii: printer.ascii(),
    };
    let how = (registry, &options, form);
    if arguments.what_if {
        return comparing::what_if(&arguments.files, how, console);
    }
    comparing::profiles(&arguments.files, &arguments.profiles, how, console)
}

/// Checks the options once and runs every source that `feed` hands over.
pub(super) fn sources(
    machine: &Machine,
    judging: &Judging,
    (printing, with_path): (&Printing, bool),
    registry: &Registry,
    console: &mut Console,
    feed: impl FnOnce(
        &mut Console,
        &mut dyn FnMut(&mut Console, &Source) -> io::Result<Status>,
    ) -> io::Result<Status>,
) -> io::Result<Status> {
    let checked = printing
        .printer()
        .map(|p| if with_path { p.with_path() } else { p })
        .and_then(|p| machine.options(judging, registry, &p).map(|o| (p, o)));
    let (printer, options) = match checked {
        Ok(checked) => checked,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    feed(console, &mut |console, source| match run::run(
        source,
        registry,
        &kernels::with(source, &options),
    ) {
        Ok(report) => {
            printer.print(&report, source, console)?;
            let fails = report.findings.iter().any(|f| f.severity.fails());
            Ok(if fails { Status::Found } else { Status::Good })
        }
        Err(what) => {
            console.unusable(&what);
            Ok(Status::Unusable)
        }
    })
}
