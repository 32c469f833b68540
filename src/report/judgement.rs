//! What came of the packets of drivers: a row for each driver, what it lacks by cause and class, what it does beyond need.

use super::columns::Set;
use super::format::Output;
use super::{Style, json, text};
use crate::finding::{Finding, Source};
use crate::schema::schema;
use crate::workbench::{
    Class, Driver, DriverExtra, DriverJudgement, DriverLack, DriverRun, JudgedSituation, LackCause,
    run_options,
};
use serde::Serialize;
use std::io::{self, Write};

/// Situations of a driver of which each lack is told unless all are asked for: no more than these.
const TOLD_MAX: usize = 8;
/// Situations that a row of causes names.
const NAMED_MAX: usize = 3;

/// What a writer gets: the judgement, and the recording that its findings are about.
pub(crate) type JudgementPrinter =
    fn(&DriverJudgement, &Source, &Style, &mut dyn Write) -> io::Result<()>;

/// What came of the packets of drivers: `judge`.
pub(crate) const JUDGEMENT: Output<JudgementPrinter> = Output {
    name: "judgement",
    noun: "a judgement of drivers",
    writers: &[
        ("terminal", |found, _, style, out| {
            terminal(found, style, out)
        }),
        ("json", |found, source, _, out| {
            json::indented(&document(found, source), out)
        }),
    ],
    schema: Some(schema!(
        written JudgementDocument<'static>, "judgement", "The output of `judge --format json`"
    )),
};

/// What a driver is called in a line.
pub(super) fn title(driver: &Driver) -> String {
    let name = match driver.name.as_str() {
        "" => "the driver",
        name => name,
    };
    let device = match driver.device.as_str() {
        "" => String::new(),
        device => format!(" on {device}"),
    };
    let form = match driver.form.as_str() {
        "" => String::new(),
        form => format!(", asked as {form}"),
    };
    text::clean(&format!("{name}{device} ({}{form})", driver.profile))
}

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
fn terminal(found: &DriverJudgement, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let heads = [
        ("situa\u{ad}tions", Set::Right),
        ("enough", Set::Right),
        ("wrong", Set::Right),
        ("missing", Set::Right),
        ("owed if dirty", Set::Right),
        ("more than asked", Set::Right),
        ("driver", Set::Words),
    ];
    let rows = found.drivers.iter().map(row);
    style.table(&heads, rows, out)?;
    for driver in &found.drivers {
        causes(driver, style, out)?;
        wastes(driver, style, out)?;
        if style.all || driver.situations.len() <= TOLD_MAX {
            for situation in &driver.situations {
                told(situation, style, out)?;
            }
        }
        illegal(driver, style, out)?;
    }
    Ok(())
}

fn row(driver: &Driver) -> Vec<String> {
    let counts = Class::ALL.map(|class| driver.of_class(class));
    let numbers = [driver.legal().count(), driver.enough()]
        .into_iter()
        .chain(counts)
        .chain([driver.over()]);
    let cells = numbers.map(|it| it.to_string());
    cells.chain([title(driver)]).collect()
}

fn causes(driver: &Driver, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let causes = driver.causes();
    if causes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    style.lines(&format!("{} lacks:", title(driver)), out)?;
    let heads = [
        ("wrong", Set::Right),
        ("missing", Set::Right),
        ("owed if dirty", Set::Right),
        ("what, and where", Set::Words),
    ];
    let rows = causes.iter().map(|cause| {
        let worst = [&cause.shown, &cause.missing, &cause.owed];
        let such: Vec<&str> = worst.into_iter().flatten().copied().collect();
        let numbers = worst.map(|it| it.len().to_string()).into_iter();
        numbers.chain([such_as(cause.cause, &such)]).collect()
    });
    style.table(&heads, rows, out)
}

fn wastes(driver: &Driver, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let wastes = driver.wastes();
    if wastes.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    style.lines(
        &format!("{} does more than anyone asked:", title(driver)),
        out,
    )?;
    let heads = [
        ("situa\u{ad}tions", Set::Right),
        ("what, and where", Set::Words),
    ];
    let rows = wastes
        .iter()
        .map(|(cause, situations)| vec![situations.len().to_string(), such_as(cause, situations)]);
    style.table(&heads, rows, out)
}

/// A cause, and some names of what it was found in.
fn such_as(cause: &str, names: &[&str]) -> String {
    let mut shown: Vec<&str> = names.iter().take(NAMED_MAX).copied().collect();
    if names.len() > NAMED_MAX {
        shown.push("…");
    }
    text::clean(&format!("{cause}: {}", shown.join(" ")))
}

/// What packets of one program lack, each with what becomes of it.
fn told(situation: &JudgedSituation, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if situation.lacks.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    style.lines(&format!("{}:", text::clean(&situation.name)), out)?;
    for lack in &situation.lacks {
        for line in lines(lack) {
            style.hanging(&line, out)?;
        }
    }
    if !situation.raw.is_empty() {
        let raw = text::clean(&situation.raw.join("; "));
        style.hanging(&format!("  the driver wrote: {raw}"), out)?;
    }
    Ok(())
}

/// A lack in lines: what it is, what fails, what a run shows.
pub(super) fn lines(lack: &DriverLack) -> Vec<String> {
    let class = lack.class.word();
    let mut lines = vec![
        format!(
            "  {class}: {}, barrier {} at line {}",
            lack.cause, lack.barrier, lack.line
        ),
        format!("    {}", lack.fails),
    ];
    if let Some(run) = &lack.shown {
        lines.push(format!("    {}", shown(run)));
    }
    lines
}

/// What a run shows, and how to see it.
fn shown(run: &DriverRun) -> String {
    let option = run_options(run.eviction);
    let option = option.map_or_else(String::new, |option| format!(" (`{option}`)"));
    let joint = if run.is_joint {
        ", for want of all that is missing together"
    } else {
        ""
    };
    format!("{}{option}{joint}", text::clean(&run.read))
}

fn illegal(driver: &Driver, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let illegal = driver.situations.len() - driver.legal().count();
    if illegal == 0 {
        return Ok(());
    }
    let scenarios = text::count(
        illegal as u64,
        "scenario has errors or hazards of its own and is not counted",
        "scenarios have errors or hazards of their own and are not counted",
    );
    style.lines(&scenarios, out)
}

/// What came of the packets of drivers.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct JudgementDocument<'a> {
    /// Version of this contract.
    schema: u32,
    /// The recording.
    packets_file: &'a str,
    /// Packets that were judged.
    packets: usize,
    /// Scenarios that were given.
    scenarios: usize,
    /// Scenarios that nothing can run.
    left_out: usize,
    /// Drivers in the order in which the recording names them.
    drivers: Vec<DriverRow<'a>>,
    /// Mistakes of the recording, in order.
    mistakes: Vec<MistakeRow<'a>>,
}

/// A driver on a device.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct DriverRow<'a> {
    #[serde(flatten)]
    driver: &'a Driver,
    /// Scenarios with packets and without errors and hazards of their own: what follows counts these.
    situations: usize,
    /// Those that lack nothing.
    enough: usize,
    /// Those of which a run reads wrong data.
    wrong: usize,
    /// Those that lack something on this machine, without such a run.
    missing: usize,
    /// Those that lack only what is owed if something is dirty.
    owed_if_dirty: usize,
    /// Those with something that nobody asked for.
    more_than_asked: usize,
    /// What is lacking: the worst class first, then the most frequent.
    lacks: Vec<LackCause<'a>>,
    /// What nobody asked for, the most frequent first.
    more: Vec<WasteRow<'a>>,
    /// Every scenario with packets.
    judged: Vec<SituationRow<'a>>,
}

/// What nobody asked for.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct WasteRow<'a> {
    /// What it is.
    cause: &'a str,
    /// Names of the scenarios.
    situations: Vec<&'a str>,
}

/// A scenario.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SituationRow<'a> {
    /// Its file's name, without what that ends in.
    situation: &'a str,
    /// Line of its first packet in the recording.
    line: u32,
    /// `enough`, or the worst class of what it lacks: `wrong`, `missing` or `owed if dirty`.
    verdict: &'static str,
    /// Errors and hazards of its own, by the names of their rules.
    mistakes: &'a [String],
    /// What the packets lack.
    lacks: &'a [DriverLack],
    /// What they do that nobody asked for.
    more: &'a [DriverExtra],
    /// What the driver wrote.
    raw: &'a [String],
}

/// A mistake in the recording.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct MistakeRow<'a> {
    /// Its rule.
    rule: &'static str,
    /// The rule's name.
    name: &'static str,
    /// `error` or `warning`.
    severity: &'static str,
    /// Line in the recording.
    line: u32,
    /// Column in the recording.
    column: u32,
    /// What is wrong.
    message: &'a str,
    /// What was kept.
    kept: Vec<&'a str>,
    /// What would be right.
    help: Option<&'a str>,
}

/// The word for what came of a scenario.
pub(super) fn verdict(situation: &JudgedSituation) -> &'static str {
    situation.class().map_or("enough", Class::word)
}

fn document<'a>(found: &'a DriverJudgement, source: &'a Source) -> JudgementDocument<'a> {
    JudgementDocument {
        schema: 1,
        packets_file: &source.name,
        packets: found.packets,
        scenarios: found.programs,
        left_out: found.left_out,
        drivers: found.drivers.iter().map(driver).collect(),
        mistakes: found
            .findings
            .iter()
            .map(|it| mistake(it, source))
            .collect(),
    }
}

fn driver(driver: &Driver) -> DriverRow<'_> {
    let [wrong, missing, owed_if_dirty] = Class::ALL.map(|class| driver.of_class(class));
    DriverRow {
        driver,
        situations: driver.legal().count(),
        enough: driver.enough(),
        wrong,
        missing,
        owed_if_dirty,
        more_than_asked: driver.over(),
        lacks: driver.causes(),
        more: driver.wastes().into_iter().map(waste_row).collect(),
        judged: driver.situations.iter().map(situation).collect(),
    }
}

fn waste_row<'a>((cause, situations): (&'a str, Vec<&'a str>)) -> WasteRow<'a> {
    WasteRow { cause, situations }
}

fn situation(situation: &JudgedSituation) -> SituationRow<'_> {
    SituationRow {
        situation: &situation.name,
        line: situation.line,
        verdict: verdict(situation),
        mistakes: &situation.mistakes,
        lacks: &situation.lacks,
        more: &situation.more,
        raw: &situation.raw,
    }
}

fn mistake<'a>(finding: &'a Finding, source: &Source) -> MistakeRow<'a> {
    MistakeRow {
        rule: finding.rule.id,
        name: finding.rule.name,
        severity: finding.severity.word(),
        line: source.line(finding.span.start),
        column: source.column(finding.span.start),
        message: &finding.message,
        kept: finding.notes.iter().map(|note| &**note).collect(),
        help: finding.help.as_deref(),
    }
}
