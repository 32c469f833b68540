//! `syncscope judge`: whether a driver is right, by the packets that somebody recorded of it.

use super::console::Console;
use super::machine::ProfileChoice;
use super::outputs::Outs;
use super::{Ended, Status, disk, formats, input, situations, test};
use crate::finding::{Finding, Source};
use crate::hardware::Profile;
use crate::interop::streams::{self, StreamReader};
use crate::lower::recorded::{self, PacketTrace};
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::judgement::JUDGEMENT;
use crate::report::vulkan::VULKAN;
use crate::run::{self, Options, Registry, Unusable};
use crate::scenario::{self, Scenario};
use crate::workbench::{self, Class, Driver, DriverJudgement, JudgedOn};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use std::path::{Path, PathBuf};

/// Mistakes of a recording that are told one by one.
const TOLD_MAX: usize = 20;

/// Judge the packets that a driver emitted: what they lack, what they do that nobody asked for
#[derive(Args, Debug)]
#[command(group(ArgGroup::new("programs").required(true).multiple(true)))]
pub(super) struct Arguments {
    /// Scenario that the packets are for, `.scn` or `.json`; may be given several times
    #[arg(long, value_name = "FILE", group = "programs")]
    scenario: Vec<PathBuf>,
    /// Directory of scenarios (`.scn`) that the packets are for: each line names one
    #[arg(long, value_name = "DIR", group = "programs")]
    situations: Vec<PathBuf>,
    /// What the driver emitted, a line of JSON for each packet: `syncscope schema driver-packets`; or its own stream; `-` is
    /// standard input
    #[arg(long, value_name = "FILE", required_unless_present = "emit_situations")]
    packets: Option<PathBuf>,
    /// Whose stream the packets are, if they are one that names no driver
    #[arg(long, value_name = "READER", value_parser = reader())]
    stream: Option<&'static StreamReader>,
    /// Write situations to record, instead of judging: each as a scenario, and its barrier as Vulkan's structures in C and
    /// JSON; and `situations.txt`, which a probe of Vulkan drivers reads; with `--all` also what `verify` tries beyond one
    /// barrier
    #[arg(long, value_name = "DIR", group = "programs", conflicts_with_all = ["scenario", "situations", "packets", "stream", "format", "out"])]
    emit_situations: Option<PathBuf>,
    #[command(flatten)]
    profile: ProfileChoice,
    #[arg(long, value_name = "FORMAT", help = formats::help(&JUDGEMENT))]
    format: Option<String>,
    /// Tell each lack of each scenario; write every situation
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    outs: Outs,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&JUDGEMENT, &VULKAN];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the packets ensure what was asked, or lack only what is owed if something is \
                                 dirty, 1 they lack more, 2 the input or the command line was unusable, or a part of the \
                                 recording";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    match &arguments.emit_situations {
        Some(directory) => Ok(situations::emit(directory, arguments.all, console)?),
        None => judged(arguments, registry, console),
    }
}

fn judged(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let format = arguments.format.as_deref();
    let mut outputs = arguments.outs.choose(format, &JUDGEMENT, &[])?;
    let is_set = arguments.profile.is_named();
    let options = arguments.profile.choose(registry, disk::options())?;
    let programs = programs(arguments)?;
    let profile = default_profile(&programs, registry, &options)?;
    let packets = arguments.packets.as_deref().unwrap_or(Path::new("-"));
    let (name, bytes) = input::packets(packets)?;
    let (source, trace) = read(&name, &bytes, arguments.stream);
    let on = if is_set {
        JudgedOn::This(&profile)
    } else {
        JudgedOn::Named(registry, &profile)
    };
    let found = workbench::judge_drivers(&programs, &trace, &source, on);
    mistakes(&found.findings, &source, console);
    if found.drivers.is_empty() {
        return Err(Unusable::new(
            format!("no packet of `{}` is about a scenario", source.name),
            "lines name a scenario's file without `.scn`, or calls of the only scenario in order",
        )
        .into());
    }
    let style = Style {
        all: arguments.all,
        ..console.style()
    };
    outputs.write("judge", &style, console, &mut |writer, style, out| {
        writer(&found, &source, style, out)
    })?;
    Ok(status(&found).max(outputs.finish(console)))
}

/// Takes the names of readers.
fn reader() -> impl TypedValueParser<Value = &'static StreamReader> {
    let names = streams::READERS
        .iter()
        .map(|reader| PossibleValue::new(reader.name).help(reader.about));
    PossibleValuesParser::new(names)
        .map(|word| streams::reader(&word).expect("clap knows the word"))
}

/// A recording: packets as JSON, or streams of drivers.
fn read(name: &str, bytes: &[u8], named: Option<&'static StreamReader>) -> (Source, PacketTrace) {
    let text = String::from_utf8_lossy(bytes);
    if named.is_none() && !streams::is_stream(&text) {
        return recorded::read_bytes(name, bytes);
    }
    let source = Source::new(name, text);
    let trace = streams::read(&source, named);
    (source, trace)
}

/// The machine of packets that name none: the one that is asked for, or that of the only scenario.
fn default_profile(
    programs: &[Source],
    registry: &Registry,
    options: &Options,
) -> Result<Profile, Unusable> {
    let (scenario, place) = match programs {
        [one] => (scenario::parse(one).0, one.name.as_str()),
        _ => (Scenario::default(), ""),
    };
    Ok(run::choose(registry, &scenario, place, options)?.profile)
}

/// The scenarios: those that are named must be ones that can run; of those below a directory the others are left out.
fn programs(arguments: &Arguments) -> Result<Vec<Source>, Unusable> {
    let mut programs = Vec::new();
    for file in &arguments.scenario {
        let source = input::read(file)?;
        run::to_run(&source, "there is nothing to judge")?;
        programs.push(source);
    }
    if !arguments.situations.is_empty() {
        for file in test::files(&arguments.situations, &["scn"])? {
            programs.push(input::read(&file)?);
        }
    }
    match workbench::alike_programs(&programs) {
        None => Ok(programs),
        Some((one, other)) => Err(Unusable {
            message: format!(
                "packets cannot tell `{}` and `{}` apart: a packet names a scenario by its file without `.scn`",
                one.name, other.name
            ),
            help: "rename one of the two".to_owned(),
        }),
    }
}

/// What is wrong with a recording, on standard error.
fn mistakes(findings: &[Finding], source: &Source, console: &mut Console) {
    if findings.is_empty() {
        return;
    }
    let style = console.style_of_errors();
    let shown = findings.iter().take(TOLD_MAX).cloned().collect();
    input::refuse(source, shown, &style, console);
    if findings.len() > TOLD_MAX {
        let more = findings.len() - TOLD_MAX;
        console.remark(&format!(
            "… and {more} more mistakes of the recording; `--format json` has all"
        ));
    }
}

fn status(found: &DriverJudgement) -> Status {
    let lacks = |driver: &Driver| {
        [Class::Shown, Class::Missing]
            .iter()
            .any(|class| driver.of_class(*class) > 0)
    };
    if found.findings.iter().any(|it| it.severity.fails()) {
        Status::Unusable
    } else if found.drivers.iter().any(lacks) {
        Status::Found
    } else {
        Status::Good
    }
}
