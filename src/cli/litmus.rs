//! `syncscope litmus`: every outcome of small sets of shader threads.

use super::console::Console;
use super::disk;
use super::machine::ProfileChoice;
use super::printing::unknown;
use super::switches::Switches;
use super::{Ended, Status, formats, input, test};
use crate::finding::Source;
use crate::kernel::{self, Kernel};
use crate::litmus::Knobs;
use crate::litmus::examine::{ExamineOptions, ModelName};
use crate::litmus::explore::Limits;
use crate::litmus::study::{Study, Walks, study};
use crate::report::Style;
use crate::report::format::AnyOutput;
use crate::report::litmus::{LITMUS, Sheet, WriteLitmus};
use crate::run::{self, Registry, Unusable};
use crate::scenario::Scenario;
use clap::Args;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

/// Show every outcome that fences, groupshared memory and barriers of a few shader threads allow
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Litmus files (`.litmus`, `.json`), or directories of them; `-` is standard input
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&LITMUS))]
    format: Option<String>,
    #[command(flatten)]
    profile: ProfileChoice,
    /// Show which weaker fences change the outcomes
    #[arg(long)]
    mutate: bool,
    /// Also run this many times at random, and count the outcomes
    #[arg(long, value_name = "N")]
    random: Option<u64>,
    /// Seed of the random runs
    #[arg(long, value_name = "S", default_value_t = 0)]
    seed: u64,
    /// Model of the random runs, instead of the profile's machine: sc, write-through, write-back, specification
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Read the specification in another way: no-coherence, reads-in-order, cumulative, takes-by-scope,
    /// discard-free; `default` returns to the readings of the book
    #[arg(long, value_name = "READING,…", value_delimiter = ',')]
    reading: Vec<String>,
    /// Most states that one exploration visits
    #[arg(long, value_name = "N", default_value_t = Limits::default().states_max)]
    states: usize,
    #[command(flatten)]
    switches: Switches,
    /// Print every register, variable and outcome, and advice too
    #[arg(long)]
    all: bool,
    /// Print ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// Random runs beyond which only patience is tested.
const RANDOM_MAX: u64 = 100_000_000;

/// A file's tests, parsed, with what was found about each.
struct Done {
    source: Source,
    kernel: Kernel,
    study: Study,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&LITMUS];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 all expectations hold (without any: nothing worse than a warning), 1 one does not or is undecided, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let (options, walks) = options(arguments, registry)?;
    let switches = arguments.switches.checked(registry)?;
    let files = test::files(&arguments.paths, &["litmus", "json"])?;
    let writer = formats::writer(arguments.format.as_deref(), &LITMUS)?;
    let style = Style {
        ascii: arguments.ascii,
        all: arguments.all,
        ..console.style()
    };
    let mut status = Status::Good;
    let mut all = Vec::new();
    for file in &files {
        let texts = match read(file) {
            Ok(texts) => texts,
            Err(what) => {
                console.unusable(&what);
                status = Status::Unusable;
                continue;
            }
        };
        for source in texts {
            let (kernel, findings) = run::read_litmus(&source);
            if !findings.is_empty() {
                input::refuse(&source, findings, &style, console);
                status = Status::Unusable;
                continue;
            }
            let mut study = study(&kernel, &options, walks);
            run::switch(&mut study.findings, &switches);
            if !run::litmus_holds(&kernel, &study, &switches) {
                status = status.max(Status::Found);
            }
            let done = Done {
                source,
                kernel,
                study,
            };
            match writer {
                WriteLitmus::Each(write) => {
                    write(&sheet(&done, arguments), &style, &mut console.out)?;
                }
                WriteLitmus::All(_) => all.push(done),
            }
        }
    }
    if let WriteLitmus::All(write) = writer {
        let sheets: Vec<Sheet<'_>> = all.iter().map(|d| sheet(d, arguments)).collect();
        write(&sheets, &style, &mut console.out)?;
    }
    Ok(status)
}

fn sheet<'a>(done: &'a Done, arguments: &Arguments) -> Sheet<'a> {
    Sheet {
        source: &done.source,
        kernel: &done.kernel,
        study: &done.study,
        mutations: arguments.mutate,
    }
}

fn options(
    arguments: &Arguments,
    registry: &Registry,
) -> Result<(ExamineOptions, Option<Walks>), Unusable> {
    let mut knobs = Knobs::default();
    for word in &arguments.reading {
        if !knobs.set(word) {
            let words: Vec<&str> = Knobs::WORDS.iter().map(|w| w.0).collect();
            return Err(unknown("reading", word, &words));
        }
    }
    let chosen = arguments.profile.choose(registry, disk::options())?;
    let (machine, own) =
        run::litmus_machine(&run::choose(registry, &Scenario::default(), "", &chosen)?.profile);
    let model = match &arguments.model {
        None => own,
        Some(word) => ModelName::ALL
            .into_iter()
            .find(|m| m.word() == word)
            .ok_or_else(|| unknown("model", word, &ModelName::ALL.map(ModelName::word)))?,
    };
    if arguments.random.is_some_and(|n| n > RANDOM_MAX) {
        return Err(Unusable {
            message: format!("`--random` takes at most {RANDOM_MAX} runs"),
            help: "the exploration without `--random` already visits every outcome".to_owned(),
        });
    }
    // Indices of states are 32-bit.
    if arguments.states == 0 || arguments.states > 1 << 30 {
        return Err(Unusable {
            message: format!(
                "`--states {}` is not between 1 and {}",
                arguments.states,
                1 << 30
            ),
            help: format!("the default is {}", Limits::default().states_max),
        });
    }
    let options = ExamineOptions {
        knobs,
        machine,
        limits: Limits {
            states_max: arguments.states,
            // Somebody who waits at a terminal is told how far it is.
            progress: io::stderr().is_terminal().then_some(progress as fn(usize)),
        },
        everything: arguments.all,
        specification_only: false,
        without_symmetry: false,
    };
    let walks = arguments.random.map(|runs| Walks {
        runs,
        seed: arguments.seed,
        model,
    });
    Ok((options, walks))
}

/// A line on standard error that the next one replaces; errors do not matter.
fn progress(states: usize) {
    let _ = write!(io::stderr().lock(), "\r{states} states …\r");
}

/// The tests of a file, each as litmus text.
pub(super) fn read(path: &Path) -> Result<Vec<Source>, Unusable> {
    let raw = input::read_raw(path)?;
    tests(raw, input::is_json(path))
}

/// The one test that a file holds.
pub(super) fn only_test(raw: Source, is_json: bool) -> Result<Source, Unusable> {
    let name = raw.name.clone();
    let mut tests = tests(raw, is_json)?;
    match tests.pop() {
        Some(test) if tests.is_empty() => Ok(test),
        last => Err(Unusable {
            message: format!(
                "`{name}` holds {} tests",
                tests.len() + usize::from(last.is_some())
            ),
            help: "only one test is allowed here: move it to a file of its own".to_owned(),
        }),
    }
}

fn tests(raw: Source, is_json: bool) -> Result<Vec<Source>, Unusable> {
    if !is_json {
        return Ok(vec![raw]);
    }
    match kernel::json::to_texts(&raw) {
        Ok(texts) => {
            let one = texts.len() == 1;
            let name = |i: usize| {
                if one {
                    raw.name.clone()
                } else {
                    format!("{}[{i}]", raw.name)
                }
            };
            Ok(texts
                .into_iter()
                .enumerate()
                .map(|(i, text)| Source::new(name(i), text))
                .collect())
        }
        Err(finding) => Err(Unusable {
            message: format!(
                "{}:{}:{}: {}",
                raw.name,
                raw.line(finding.span.start),
                raw.column(finding.span.start),
                finding.message
            ),
            help: finding.help.as_deref().unwrap_or_default().into(),
        }),
    }
}
