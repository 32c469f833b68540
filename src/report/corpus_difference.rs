//! Two lowerings compared on a corpus: which programs change, which become wrong or right, what is saved.

use super::columns::Set;
use super::format::{Output, Printer};
use super::verification::{kinds, share};
use super::{Style, json, text};
use crate::schema::schema;
use crate::time::Ps;
use crate::workbench::{Became, Change, Comparison, Fault, Paid};
use serde::Serialize;
use std::cmp::Ordering;
use std::io::{self, Write};

/// Programs of a list that are told without `--all`.
const TOLD_MAX: usize = 5;

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
fn terminal(found: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let [old, new] = found.lowerings.each_ref().map(|name| text::clean(name));
    let (programs, legal) = (found.programs, found.legal);
    let illegal = programs - legal;
    style.lines(
        &format!("{old} against {new}, on {programs} programs ({legal} legal, {illegal} illegal)"),
        out,
    )?;
    if found.untried > 0 {
        let others = text::count(found.untried, "program was", "programs were");
        let says = format!("stopped: {others} not tried and may show more");
        style.lines(&says, out)?;
    }
    if found.changes.is_empty() {
        return style.lines("packets are the same on all of them", out);
    }
    style.lines(&verdict(found, &new), out)?;
    writeln!(out)?;
    verdicts(found, style, out)?;
    writeln!(out)?;
    costs(found, style, out)?;
    failing(found, Became::Wrong, style, out)?;
    failing(found, Became::Right, style, out)?;
    extremes(found, style, out)
}

/// What became of programs, in a sentence.
fn verdict(found: &Comparison, new: &str) -> String {
    let distinct = |is: &dyn Fn(&Change) -> bool| {
        let changes = found.changes.iter().filter(|change| is(change));
        let mut names: Vec<&str> = changes.map(|change| change.program.as_str()).collect();
        names.dedup();
        names.len()
    };
    let of = |became, is_legal| distinct(&|it| it.became() == became && it.is_legal == is_legal);
    let changed = text::count(distinct(&|_| true), "program", "programs");
    let says = format!(
        "packets differ on {changed}: {new} is newly wrong on {} legal ones, newly right on {}",
        of(Became::Wrong, true),
        of(Became::Right, true)
    );
    let (wrong, right) = (of(Became::Wrong, false), of(Became::Right, false));
    if wrong + right == 0 {
        return says;
    }
    format!(
        "{says}; of illegal ones, on which the verdict does not rest, newly wrong on {wrong}, newly right on {right}"
    )
}

fn verdicts(found: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let row = |(machine, profile): (usize, &String)| {
        let own = || of_machine(found, machine);
        let count = |became| {
            own()
                .filter(|it| it.is_legal && it.became() == became)
                .count()
        };
        let illegal = own().filter(|it| !it.is_legal && it.became() == Became::Wrong);
        vec![
            profile.clone(),
            own().count().to_string(),
            count(Became::Wrong).to_string(),
            count(Became::Right).to_string(),
            count(Became::StillWrong).to_string(),
            illegal.count().to_string(),
        ]
    };
    let heads = [
        ("profile", Set::Left),
        ("programs that differ", Set::Right),
        ("newly wrong legal", Set::Right),
        ("newly right legal", Set::Right),
        ("still wrong legal", Set::Right),
        ("newly wrong illegal", Set::Right),
    ];
    let rows = found.profiles.iter().enumerate().map(row);
    style.table(&heads, rows, out)
}

fn costs(found: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let row = |(machine, profile): (usize, &String)| {
        let (programs, [old, new]) = sum(found, machine);
        let mut cells = vec![profile.clone(), programs.to_string()];
        let share = |old: u64, new: u64, more: String| match share(new, old) {
            same if old == new => same,
            new_ones if old == 0 => new_ones,
            share => format!("{more} ({share})"),
        };
        let number = |old: u64, new: u64| share(old, new, signed(old, new, &|n| n.to_string()));
        let waits = of_nobody(old.unasked_waits, new.unasked_waits);
        let operations = of_nobody(old.unasked_operations, new.unasked_operations);
        cells.push(number(old.waits, new.waits) + &waits);
        cells.push(number(old.operations, new.operations) + &operations);
        cells.push(number(old.bytes, new.bytes));
        let (old, new) = (old.makespan.0, new.makespan.0);
        cells.push(share(old, new, signed(old, new, &|n| Ps(n).to_string())));
        cells
    };
    let heads = [
        ("profile", Set::Left),
        ("right with both", Set::Right),
        ("waits", Set::Right),
        ("operations", Set::Right),
        ("flushed bytes", Set::Right),
        ("time", Set::Right),
    ];
    let rows = found.profiles.iter().enumerate().map(row);
    style.table(&heads, rows, out)?;
    style.lines(
        "More (+) or less (-) with the new one, over the legal programs that differ and on which both are right.",
        out,
    )
}

/// How much more or less of it no barrier made.
fn of_nobody(old: u64, new: u64) -> String {
    if old == new {
        return String::new();
    }
    format!(" ({} of no barrier)", signed(old, new, &|n| n.to_string()))
}

/// The changes of one machine.
fn of_machine(found: &Comparison, machine: usize) -> impl Iterator<Item = &Change> {
    let changes = found.changes.iter();
    changes.filter(move |change| change.machine == machine)
}

/// What programs cost that are right with both, and how many these are.
fn sum(found: &Comparison, machine: usize) -> (usize, [Paid; 2]) {
    let mut sum = [Paid::default(); 2];
    let paid = of_machine(found, machine).filter_map(|change| change.paid.as_ref());
    let mut programs = 0;
    for paid in paid {
        programs += 1;
        for (sum, paid) in sum.iter_mut().zip(paid) {
            sum.add(paid);
        }
    }
    (programs, sum)
}

/// A difference with its sign.
fn signed(old: u64, new: u64, says: &dyn Fn(u64) -> String) -> String {
    match new.cmp(&old) {
        Ordering::Equal => "=".to_owned(),
        Ordering::Greater => format!("+{}", says(new - old)),
        Ordering::Less => format!("-{}", says(old - new)),
    }
}

/// The programs that become wrong, or right, and how they fail.
fn failing(
    found: &Comparison,
    became: Became,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let side = usize::from(became == Became::Wrong);
    let mut told: Vec<(bool, &str, &[Fault], Vec<&str>)> = Vec::new();
    for change in found.changes.iter().filter(|it| it.became() == became) {
        let (name, faults) = (change.program.as_str(), &change.faults[side]);
        let profile = found.profiles[change.machine].as_str();
        match told.last_mut() {
            Some((_, known, same, on)) if *known == name && *same == faults => on.push(profile),
            _ => told.push((change.is_legal, name, faults, vec![profile])),
        }
    }
    if told.is_empty() {
        return Ok(());
    }
    // Legal ones first.
    told.sort_by_key(|(is_legal, ..)| !is_legal);
    writeln!(out)?;
    style.lines(
        match became {
            Became::Wrong => "newly wrong:",
            _ => "newly right:",
        },
        out,
    )?;
    let shown = if style.all { told.len() } else { TOLD_MAX };
    for (is_legal, name, faults, on) in told.iter().take(shown) {
        let illegal = if *is_legal { "" } else { " (illegal)" };
        let says = format!(
            "{}{illegal}, on {}: {}",
            text::clean(name),
            on.join(", "),
            kinds(faults)
        );
        style.hanging(&format!("  {says}"), out)?;
    }
    more(told.len().saturating_sub(shown), style, out)
}

fn more(left: usize, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if left == 0 {
        return Ok(());
    }
    style.lines(&format!("  and {left} more; --all shows them"), out)
}

/// The programs that save most, and those that cost most.
fn extremes(found: &Comparison, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let priced = found.changes.iter();
    let mut priced: Vec<(&Change, &[Paid; 2])> = priced
        .filter_map(|change| Some((change, change.paid.as_ref()?)))
        .collect();
    priced.sort_by_key(|(_, [old, new])| saved(old, new));
    let more = |(_, [old, new]): &&(&Change, &[Paid; 2])| saved(old, new) > NOTHING;
    let less = |(_, [old, new]): &&(&Change, &[Paid; 2])| saved(old, new) < NOTHING;
    let saves: Vec<_> = priced.iter().rev().filter(more).copied().collect();
    let takes: Vec<_> = priced.iter().filter(less).copied().collect();
    list("saves most:", &saves, found, style, out)?;
    list("costs most:", &takes, found, style, out)
}

/// Time, bytes, operations and waits.
type Saved = [i128; 4];
const NOTHING: Saved = [0; 4];

fn saved(old: &Paid, new: &Paid) -> Saved {
    let less = |old: u64, new: u64| i128::from(old) - i128::from(new);
    [
        less(old.makespan.0, new.makespan.0),
        less(old.bytes, new.bytes),
        less(old.operations, new.operations),
        less(old.waits, new.waits),
    ]
}

fn list(
    title: &str,
    programs: &[(&Change, &[Paid; 2])],
    found: &Comparison,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    if programs.is_empty() {
        return Ok(());
    }
    writeln!(out)?;
    style.lines(title, out)?;
    let row = |(change, [old, new]): &(&Change, &[Paid; 2])| {
        let number = |old, new| signed(old, new, &|n| n.to_string());
        vec![
            signed(old.makespan.0, new.makespan.0, &|n| Ps(n).to_string()),
            number(old.bytes, new.bytes),
            number(old.operations, new.operations),
            number(old.waits, new.waits),
            found.profiles[change.machine].clone(),
            text::clean(&change.program),
        ]
    };
    let shown = if style.all { programs.len() } else { TOLD_MAX };
    let heads = [
        ("time", Set::Right),
        ("flushed bytes", Set::Right),
        ("opera\u{ad}tions", Set::Right),
        ("waits", Set::Right),
        ("profile", Set::Left),
        ("program", Set::Words),
    ];
    let rows = programs.iter().take(shown).map(row);
    style.table(&heads, rows, out)?;
    more(programs.len().saturating_sub(shown), style, out)
}

/// Two lowerings compared on a corpus: `diff --corpus`.
pub(crate) const CORPUS_DIFFERENCE: Output<Printer<Comparison>> = Output {
    name: "corpus-difference",
    noun: "a comparison on a corpus",
    writers: &[
        ("terminal", terminal),
        ("json", |found, _, out| {
            json::indented(&document(found), out)
        }),
    ],
    schema: Some(schema!(
        written CorpusDifferenceDocument<'static>, "corpus-difference", "The output of `diff --corpus --format json`"
    )),
};

/// Two lowerings compared on a corpus.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct CorpusDifferenceDocument<'a> {
    /// Version of this layout.
    schema: u32,
    /// The old lowering.
    old: &'a str,
    /// The new lowering.
    new: &'a str,
    /// The new lowering is wrong on a legal program on which the old one is right.
    newly_wrong: bool,
    /// Programs that were tried.
    programs: usize,
    /// Of these, those without errors and hazards of their own.
    legal_programs: usize,
    /// Other files: they have no barrier to lower.
    left_out: usize,
    /// Programs that were not tried.
    untried: usize,
    /// Each machine.
    profiles: Vec<ComparedMachine<'a>>,
    /// Each program whose packets differ on a machine.
    changes: Vec<ChangeRow<'a>>,
}

/// What legal programs cost together on a machine: those that differ, and on which both lowerings are right.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ComparedMachine<'a> {
    /// Hardware profile.
    profile: &'a str,
    /// How many programs these are.
    compared_programs: usize,
    /// With the old lowering.
    old: Paid,
    /// With the new one.
    new: Paid,
}

/// A program whose packets differ on a machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct ChangeRow<'a> {
    /// The program.
    program: &'a str,
    /// Hardware profile.
    profile: &'a str,
    /// It has no errors and hazards of its own.
    legal: bool,
    /// `newly wrong`, `newly right`, `still wrong` or `still right`.
    became: &'static str,
    /// How the old lowering fails.
    old_faults: Vec<String>,
    /// How the new lowering fails.
    new_faults: Vec<String>,
    /// What the run pays with the old lowering; null if one of both is wrong, or the program is illegal.
    old: Option<&'a Paid>,
    /// What it pays with the new one; null where `old` is.
    new: Option<&'a Paid>,
}

fn document(found: &Comparison) -> CorpusDifferenceDocument<'_> {
    let machines = found.profiles.iter().enumerate();
    let machines = machines.map(|(machine, profile)| {
        let (compared_programs, [old, new]) = sum(found, machine);
        ComparedMachine {
            profile,
            compared_programs,
            old,
            new,
        }
    });
    CorpusDifferenceDocument {
        schema: 1,
        old: &found.lowerings[0],
        new: &found.lowerings[1],
        newly_wrong: found.has_newly_wrong(),
        programs: found.programs,
        legal_programs: found.legal,
        left_out: found.left_out,
        untried: found.untried,
        profiles: machines.collect(),
        changes: found.changes.iter().map(|it| change(found, it)).collect(),
    }
}

fn change<'a>(found: &'a Comparison, change: &'a Change) -> ChangeRow<'a> {
    let [old_faults, new_faults] = change
        .faults
        .each_ref()
        .map(|faults| faults.iter().map(Fault::kind).collect());
    let paid = |side: usize| change.paid.as_ref().map(|paid| &paid[side]);
    ChangeRow {
        program: &change.program,
        profile: &found.profiles[change.machine],
        legal: change.is_legal,
        became: match change.became() {
            Became::Wrong => "newly wrong",
            Became::Right => "newly right",
            Became::StillWrong => "still wrong",
            Became::StillRight => "still right",
        },
        old_faults,
        new_faults,
        old: paid(0),
        new: paid(1),
    }
}
