//! `syncscope fix`: the smallest changes that remove errors and hazards, each verified before it is shown.

use super::console::Console;
use super::judging::Judging;
use super::progress::{self, Progress};
use super::{Ended, Status, formats, input, save, told};
use crate::finding::{Finding, Source};
use crate::report::format::AnyOutput;
use crate::report::repair::{REPAIR, Repaired, WriteRepair};
use crate::run::{self, Effort, Options, Registry, Repair};
use clap::{Args, value_parser};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Print the smallest changes that remove errors and hazards, or apply them
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario files, `.scn` or `.json`; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Apply the changes to the files instead of printing them
    #[arg(long)]
    write: bool,
    /// Remove only findings of these ids, names or families
    #[arg(long, value_name = "ID,…", value_delimiter = ',')]
    only: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&REPAIR))]
    format: Option<String>,
    /// Name every change, and everything that is left
    #[arg(long)]
    all: bool,
    /// Make at most this many changes in each file
    #[arg(long, value_name = "CHANGES", value_parser = value_parser!(u32).range(1..))]
    limit: Option<u32>,
    #[command(flatten)]
    judging: Judging,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&REPAIR];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 no error or hazard is left, 1 some are left, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let options = arguments.judging.options(registry)?;
    let writer = formats::writer(arguments.format.as_deref(), &REPAIR)?;
    if let Some(what) = unknown(&arguments.only, registry) {
        console.complain(
            &format!("`{what}` is no rule and no family"),
            "`syncscope list rules` names them",
        );
        return Ok(Status::Unusable);
    }
    let mut status = Status::Good;
    for file in &arguments.files {
        let one = one(arguments, file, writer, &options, registry, console);
        status = status.max(told(one, console)?);
    }
    Ok(status)
}

fn unknown<'a>(only: &'a [String], registry: &Registry) -> Option<&'a String> {
    only.iter().find(|word| {
        !registry
            .rules
            .iter()
            .any(|r| r.id == **word || r.name == **word || r.family() == **word)
    })
}

fn one(
    arguments: &Arguments,
    file: &Path,
    writer: WriteRepair,
    options: &Options,
    registry: &Registry,
    console: &mut Console,
) -> Ended {
    let (own, source) = input::scenario(file, Some("changed"), console)?;
    let wanted = |f: &Finding| {
        arguments.only.is_empty()
            || arguments
                .only
                .iter()
                .any(|w| *w == f.rule.id || *w == f.rule.name || *w == f.rule.family())
    };
    let repair = repair(arguments, &source, options, wanted);
    let repaired = if repair.changes.is_empty() {
        source.text.clone()
    } else {
        let text = run::settled(&repair, registry, options);
        save::with_line_ends(&source.text, text)
    };
    let shown = Repaired {
        source: &source,
        repair: &repair,
        text: &repaired,
    };
    let style = console.style();
    match writer {
        WriteRepair::Document(write) => write(&shown, &style, &mut console.out)?,
        WriteRepair::Changes(write) => {
            if !arguments.write {
                write(&shown, &style, &mut console.out)?;
            }
            say(&source, &repair, arguments.all, console);
        }
    }
    if arguments.write && repaired != source.text {
        let text = save::in_form_of(file, &own, &Source::new(&source.name, repaired));
        if file == Path::new("-") {
            console.out.write_all(&own.bytes(&text))?;
        } else {
            save::replace(file, &own, &text, "run without `--write`")?;
        }
    }
    Ok(if repair.left.is_empty() {
        Status::Good
    } else {
        Status::Found
    })
}

/// The repair of a text, with a bar; Ctrl-C ends it with what is proved.
fn repair(
    arguments: &Arguments,
    source: &Source,
    options: &Options,
    wanted: impl Fn(&Finding) -> bool,
) -> Repair {
    progress::listen();
    let bar = Progress::new("causes");
    let watch = |progress: run::Progress| {
        if progress.all > 0 {
            bar.show(progress.done, progress.all);
        }
        !progress::is_stopped()
    };
    let effort = Effort {
        changes_max: arguments.limit.map_or(usize::MAX, |limit| limit as usize),
        watch: &watch,
        ..Effort::default()
    };
    let repair = run::repair_within(source, options.rules, wanted, effort);
    bar.end();
    repair
}

/// Changes, and findings that are left, that are named without `--all`.
const NAMED_MAX: usize = 10;

/// What was done and what is left, a line each.
fn say(source: &Source, repair: &Repair, all: bool, console: &mut Console) {
    let most = if all { usize::MAX } else { NAMED_MAX };
    let more = |whole: usize, what: &str| {
        let hidden = whole.saturating_sub(most);
        (hidden > 0).then(|| {
            let name = &source.name;
            format!("{name}: … and {hidden} more {what}; --all names them")
        })
    };
    for change in repair.changes.iter().take(most) {
        let rule = change.finding.rule;
        console.say(&format!(
            "{}: {} {}, line {}: {}",
            source.name, rule.id, rule.name, change.line, change.says
        ));
    }
    if let Some(more) = more(repair.changes.len(), "changes") {
        console.say(&more);
    }
    for finding in repair.left.iter().take(most) {
        let line = source.line(finding.span.start);
        let why = match finding.notes.last().filter(|note| note.contains("lost")) {
            Some(lost) => lost,
            None if repair.is_ended => "the repair ended first",
            None => "none of the small changes tried removes it",
        };
        console.say(&format!(
            "{}: {} {}, line {line}: left: {}; {why}",
            source.name, finding.rule.id, finding.rule.name, finding.message
        ));
    }
    if let Some(more) = more(repair.left.len(), "that are left") {
        console.say(&more);
    }
    let (made, left) = (repair.changes.len(), repair.left.len());
    let plural = if made == 1 { "" } else { "s" };
    let left = match left {
        0 => "no error or hazard is left".to_owned(),
        1 => "1 finding is left".to_owned(),
        _ => format!("{left} findings are left"),
    };
    let summary = match (made, repair.left.is_empty()) {
        (0, true) => "nothing to change: no error or hazard".to_owned(),
        (0, false) => format!("no change found; {left}"),
        _ => format!("{made} change{plural}, verified; {left}"),
    };
    let why = if !repair.is_ended || repair.left.is_empty() {
        ""
    } else if progress::is_stopped() {
        ", because it was stopped"
    } else {
        ", because of `--limit`"
    };
    console.say(&format!("{}: {summary}{why}", source.name));
}
