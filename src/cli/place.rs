//! `syncscope place`: the barriers that the commands need, written by the program.

use super::console::Console;
use super::judging::Judging;
use super::machine::Machine;
use super::progress::{self, Progress};
use super::{Ended, Status, Stop, comparing, formats, input, save};
use crate::finding::{Finding, Source};
use crate::interop::exchange;
use crate::interop::frame_graph::FrameGraph;
use crate::interop::vulkan::Table;
use crate::place::{self, Count, Fences, Needed, Placed, Placing, Policy, Price};
use crate::report::format::AnyOutput;
use crate::report::placement::{PLACEMENT, PlacedText, WritePlaced};
use crate::report::vulkan::{VULKAN, WriteVulkan};
use crate::run::{Options, Registry, Unusable};
use crate::time::Ps;
use clap::{Args, ValueEnum, value_parser};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Write the barriers that the commands of a scenario need, at little cost on a machine
#[derive(Args, Debug)]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE", required_unless_present = "from")]
    file: Option<PathBuf>,
    /// A frame graph in place of a scenario; `syncscope schema frame-graph` describes it
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "write", "keep", "diff"])]
    from: Option<PathBuf>,
    /// Keep the text's own barriers, and add what they lack
    #[arg(long)]
    keep: bool,
    /// Place fences, too: add what lacks between queues, and drop and move waits that nothing needs, or needs so early
    #[arg(long, conflicts_with = "from")]
    fences: bool,
    /// Place for these profiles, by name or file (`*.toml`); the sum of their times counts, and `all` is every built-in profile
    #[arg(
        long,
        value_name = "PROFILE,…",
        value_delimiter = ',',
        conflicts_with = "profile"
    )]
    profiles: Vec<String>,
    /// Of several profiles the longest time counts, not the sum
    #[arg(long, requires = "profiles")]
    worst: bool,
    /// Show that each placed barrier is needed, and each bit of it: what is wrong without
    #[arg(long)]
    prove: bool,
    /// How the place of each barrier is chosen
    #[arg(long, value_name = "POLICY", value_enum, default_value_t)]
    policy: Way,
    /// Search until nothing helps, or for this many seconds, instead of a number of tries that depends on the text's length
    #[arg(long, value_name = "SECONDS", value_parser = value_parser!(u64).range(1..))]
    budget: Option<u64>,
    /// Print what changes in the text, as a unified diff
    #[arg(long, conflicts_with = "format")]
    diff: bool,
    /// Write the placed barriers to the file instead of printing its text
    #[arg(long, conflicts_with_all = ["diff", "format"])]
    write: bool,
    /// Whose barriers are written; Vulkan's as c (the default) or json
    #[arg(long, value_name = "STYLE", value_enum, default_value_t)]
    style: Words,
    /// Output format: scn (the default), json, diff
    #[arg(long, value_name = "FORMAT")]
    format: Option<String>,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    judging: Judging,
}

/// How places are chosen.
#[derive(Copy, Clone, PartialEq, Eq, Default, ValueEnum, Debug)]
enum Way {
    /// Wherever the machines take least
    #[default]
    Search,
    /// Before the first command that needs the barrier
    JustInTime,
    /// In as few calls as can be
    RpsLike,
    /// The best of all places, in a scenario that has few
    Exact,
}

/// Whose barriers are written.
#[derive(Copy, Clone, PartialEq, Eq, Default, ValueEnum, Debug)]
enum Words {
    /// D3D12's enhanced barriers, in the scenario
    #[default]
    Enhanced,
    /// D3D12's resource states, in the scenario
    Legacy,
    /// `VkDependencyInfo` of synchronization2, as `export --to vulkan` prints it
    Vulkan,
}

/// Prints the placed text.
enum Writer {
    Scenario(WritePlaced),
    Vulkan(WriteVulkan),
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&PLACEMENT, &VULKAN];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the placed text is clean, 1 an error or a hazard is left that no barrier mends, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let writer = writer(arguments)?;
    let options = arguments.judging.options(registry)?;
    let options = arguments.machine.choose(registry, options)?;
    let (own, source) = read(arguments, console)?;
    let mut placed = placed(arguments, &source, registry, &options)?;
    let with_ends = save::with_line_ends(&source.text, placed.source.text.clone());
    placed.source = Source::new(placed.source.name.clone(), with_ends);
    let written = own.filter(|(file, _)| arguments.write && *file != Path::new("-"));
    if let Some((file, own)) = written {
        let text = save::in_form_of(file, &own, &placed.source);
        save::replace(file, &own, &text, "run without `--write`")?;
    } else {
        print(&writer, &source, &placed, console)?;
    }
    let is_searched = matches!(arguments.policy, Way::Search | Way::Exact);
    say(
        &source,
        &placed,
        (arguments.from.is_none(), is_searched),
        console,
    );
    Ok(if placed.left.is_empty() {
        Status::Good
    } else {
        Status::Found
    })
}

/// What prints the placed text in the style and format that are asked for.
fn writer(arguments: &Arguments) -> Result<Writer, Unusable> {
    let asked = arguments.format.as_deref();
    match arguments.style {
        Words::Enhanced | Words::Legacy => {
            let asked = if arguments.diff {
                "diff"
            } else {
                asked.unwrap_or("scn")
            };
            formats::writer(Some(asked), &PLACEMENT).map(Writer::Scenario)
        }
        Words::Vulkan if arguments.diff || arguments.write => Err(Unusable::new(
            "barriers of Vulkan are no part of a scenario",
            "`--diff` and `--write` need `--style enhanced` or `legacy`",
        )),
        Words::Vulkan => formats::writer(asked, &VULKAN).map(Writer::Vulkan),
    }
}

fn print(
    writer: &Writer,
    source: &Source,
    placed: &Placed,
    console: &mut Console,
) -> io::Result<()> {
    let style = console.style();
    match writer {
        Writer::Scenario(write) => {
            let text = PlacedText { source, placed };
            write(&text, &style, &mut console.out)
        }
        Writer::Vulkan(write) => {
            let exported = exchange::export(&placed.source, Table::Minimal)
                .expect("a placed text can be read");
            write(&exported, &placed.source, &style, &mut console.out)
        }
    }
}

/// A file as it is, to be written back.
type Own<'a> = (&'a PathBuf, input::Text);

/// The scenario to place barriers in; of a frame graph there is no file of it.
fn read<'a>(
    arguments: &'a Arguments,
    console: &mut Console,
) -> Result<(Option<Own<'a>>, Source), Stop> {
    match (&arguments.file, &arguments.from) {
        (Some(file), _) => {
            let (own, source) = input::scenario(file, Some("placed"), console)?;
            Ok((Some((file, own)), source))
        }
        (None, Some(graph)) => Ok((None, frame_graph(graph)?)),
        (None, None) => unreachable!("clap asks for one of the two"),
    }
}

/// The scenario of a frame graph.
fn frame_graph(path: &Path) -> Result<Source, Unusable> {
    let document = input::read_raw(path)?;
    let text = FrameGraph::read(&document.text).and_then(|graph| graph.text());
    let text = text.map_err(|what| {
        let message = format!("`{}` is no frame graph: {what}", path.display());
        Unusable::new(message, "`syncscope schema frame-graph` describes one")
    })?;
    Ok(Source::new(document.name, text))
}

fn placed(
    arguments: &Arguments,
    source: &Source,
    registry: &Registry,
    options: &Options,
) -> Result<Placed, Unusable> {
    let names = comparing::names(&arguments.profiles, registry, options);
    progress::listen();
    let bar = Progress::new("plans");
    let start = Instant::now();
    let budget = arguments.budget.map(Duration::from_secs);
    let goes_on = |tries: usize| {
        bar.show(tries, tries);
        !progress::is_stopped() && budget.is_none_or(|most| start.elapsed() < most)
    };
    let placing = Placing {
        keep: arguments.keep,
        style: if arguments.style == Words::Legacy {
            place::Style::Legacy
        } else {
            place::Style::Enhanced
        },
        fences: arguments.fences,
        worst: arguments.worst,
        proves: arguments.prove,
        policy: match arguments.policy {
            Way::Search => Policy::Search,
            Way::JustInTime => Policy::JustInTime,
            Way::RpsLike => Policy::RpsLike,
            Way::Exact => Policy::Exact,
        },
        goes_on: &goes_on,
        tries_max: arguments.budget.map(|_| usize::MAX),
        ..Placing::default()
    };
    let placed = place::place(source, &names, registry, options, &placing);
    bar.end();
    placed
}

/// What was placed and what it costs, a line each.
fn say(
    source: &Source,
    placed: &Placed,
    (had_barriers, is_searched): (bool, bool),
    console: &mut Console,
) {
    let barriers = |count: Count| {
        let (entries, calls) = (many(count.entries, "barrier"), many(count.calls, "call"));
        format!("{entries} in {calls}")
    };
    let now = barriers(placed.placed);
    console.say(&if had_barriers {
        let written = barriers(placed.written);
        format!("{}: {now} placed; {written} written", source.name)
    } else {
        format!("{}: {now} placed", source.name)
    });
    for price in &placed.prices {
        let time = |it: Option<Ps>| it.map_or_else(|| "too long".to_owned(), |it| it.to_string());
        let written = match (had_barriers, placed.written.is_clean) {
            (false, _) => String::new(),
            (true, true) => format!(", {} as written", time(price.written)),
            (true, false) => format!(", {} as written, with mistakes", time(price.written)),
        };
        let bound = price.bound.map(|it| format!(", {it} at least"));
        console.say(&format!(
            "{}: {}: {} placed{written}, {} without any barrier{}",
            source.name,
            price.profile,
            time(price.placed),
            time(price.unbarred),
            bound.unwrap_or_default(),
        ));
    }
    // A policy writes what nothing needs.
    if had_barriers && is_searched {
        for spare in placed.prices.iter().filter_map(|it| spare(placed, it)) {
            console.say(&format!("{}: {spare}", source.name));
        }
    }
    if let Some(fences) = changed(placed.fences) {
        console.say(&format!("{}: {fences}", source.name));
    }
    for needed in &placed.needed {
        console.say(&format!("{}: {}", source.name, because(needed)));
    }
    for finding in &placed.left {
        left(&placed.source, finding, console);
    }
}

/// What of the text's own barriers, and of its time, nothing needs.
fn spare(placed: &Placed, price: &Price) -> Option<String> {
    let (was, now) = (price.written?.0, price.placed?.0);
    let (all, few) = (placed.written.entries, placed.placed.entries);
    // In tenths of a percent, to the nearest.
    let more = u128::from(was.saturating_sub(now));
    let share = (more * 1_000 + u128::from(was) / 2) / u128::from(was.max(1));
    let (percent, tenth) = (share / 10, share % 10);
    let of_time = format!("{percent}.{tenth} % of the time on {}", price.profile);
    let of_barriers = format!("{} of {all} written barriers", all.saturating_sub(few));
    match (all > few, share > 0) {
        (true, true) => Some(format!("{of_barriers} and {of_time} are not needed")),
        (true, false) if all - few == 1 => Some(format!("{of_barriers} is not needed")),
        (true, false) => Some(format!("{of_barriers} are not needed")),
        (false, true) => Some(format!("{of_time} is not needed")),
        (false, false) => None,
    }
}

fn many(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// What became of the fences; `None` if nothing did.
fn changed(fences: Fences) -> Option<String> {
    let parts = [
        (fences.added, "statement", "added"),
        (fences.dropped, "wait", "dropped"),
        (fences.later, "wait", "moved later"),
    ];
    let parts = parts.iter().filter(|(count, ..)| *count > 0);
    let said: Vec<String> = parts
        .map(|(count, noun, verb)| format!("{} {verb}", many(*count, noun)))
        .collect();
    (!said.is_empty()).then(|| format!("fences: {}", said.join(", ")))
}

/// Why a barrier is there.
fn because(needed: &Needed) -> String {
    let without = match needed.without.zip(needed.without_line) {
        Some((rule, line)) => format!("without it {rule} on line {line}"),
        None => "the text is clean without it".to_owned(),
    };
    let bits = match (needed.bits, needed.spare.as_slice()) {
        (0, _) => String::new(),
        (_, []) => ", and each of its bits is needed".to_owned(),
        (_, spare) => format!(", and {} may go", spare.join(" or ")),
    };
    format!("line {}: {}: {without}{bits}", needed.line, needed.barrier)
}

fn left(source: &Source, finding: &Finding, console: &mut Console) {
    let line = source.line(finding.span.start);
    console.say(&format!(
        "{}: {} {}, line {line} of the placed text: left: {}",
        source.name, finding.rule.id, finding.rule.name, finding.message
    ));
}
