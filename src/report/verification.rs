//! What came of a lowering: whether it is right on each machine, the smallest programs on which it is not, its waste.

use super::columns::Set;
use super::format::{Output, Printer};
use super::{Style, json, text};
use crate::schema::schema;
use crate::workbench::{
    Counterexample, Fault, Paid, ProfileVerdict, Shown, Unsteady, Verification, run_options,
};
use indexmap::IndexMap;
use serde::Serialize;
use std::io::{self, Write};

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
pub fn terminal(found: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let wrong = found.profiles.iter().filter(|it| found.is_wrong_on(it));
    let verdict = match wrong.count() {
        0 if found.untried > 0 => "nothing wrong so far".to_owned(),
        0 if !found.is_judged() => "no verdict (no program is legal)".to_owned(),
        0 => "right".to_owned(),
        wrong if wrong == found.profiles.len() => "wrong".to_owned(),
        wrong => format!("wrong on {wrong} of {} profiles", found.profiles.len()),
    };
    let programs = text::count(found.programs as u64, "program", "programs");
    let verdict = match &found.unsteady {
        Some(_) if found.profiles.iter().all(|it| !found.is_wrong_on(it)) => {
            "not the same whenever it is asked".to_owned()
        }
        _ => verdict,
    };
    let name = text::clean(&found.lowering);
    let (legal, illegal) = (found.legal, found.illegal());
    let says = format!("{name}: {verdict}, tried on {programs} ({legal} legal, {illegal} illegal)");
    style.lines(&says, out)?;
    unsteady(found, style, out)?;
    illegal_ones(found, style, out)?;
    if found.left_out > 0 {
        let others = text::count(found.left_out as u64, "other file has", "other files have");
        style.lines(&format!("{others} no barrier to lower"), out)?;
    }
    if found.untried > 0 {
        let others = text::count(found.untried as u64, "program was", "programs were");
        let says = format!("stopped: {others} not tried and may show more");
        style.lines(&says, out)?;
    }
    writeln!(out)?;
    let rows = found.profiles.iter().map(row);
    let heads = [
        ("profile", Set::Left),
        ("barriers", Set::Right),
        ("wrong legal", Set::Right),
        ("wrong ille\u{ad}gal", Set::Right),
        ("waits", Set::Right),
        ("opera\u{ad}tions", Set::Right),
        ("flushed bytes", Set::Right),
        ("time", Set::Right),
    ];
    style.table(&heads, rows, out)?;
    style.lines(
        "Waits, operations, bytes and time are more (+) or less (-) than those of `precise`, over the legal programs on \
         which the lowering is right.",
        out,
    )?;
    open(found, style, out)?;
    unmatched(found, style, out)?;
    for found in &found.counterexamples {
        writeln!(out)?;
        counterexample(found, style, out)?;
    }
    Ok(())
}

/// A program that was not answered as before.
fn unsteady(found: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let Some(it) = &found.unsteady else {
        return Ok(());
    };
    let says = format!(
        "PT007: asked again after other programs, the driver answers `{}` on {} otherwise ({} of {} answers differ). What it answers \
         depends on what it was asked before, and so does everything that is said here; a driver remembers nothing of other \
         programs.",
        text::clean(&it.program),
        it.profile,
        it.count,
        it.asked
    );
    style.lines(&says, out)
}

/// What the verdict does not rest on: programs with errors or hazards of their own.
fn illegal_ones(found: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    if found.wrong_illegal > 0 {
        let programs = text::count(
            found.wrong_illegal as u64,
            "illegal program, with errors or hazards of its own",
            "illegal programs, with errors or hazards of their own",
        );
        let says = format!("it fails on {programs}: the verdict does not rest on that");
        style.lines(&says, out)?;
    }
    if found.illegal_left_out > 0 {
        let programs = text::count(
            found.illegal_left_out as u64,
            "illegal program was",
            "illegal programs were",
        );
        style.lines(&format!("{programs} left out"), out)?;
    }
    Ok(())
}

/// Programs of which nothing is known, because the model is wrong on them.
fn open(found: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for on in found.profiles.iter().filter(|it| it.open > 0) {
        let programs = text::count(on.open as u64, "program", "programs");
        let says = format!(
            "On {programs} on {}, `precise` reads wrong too: the model is wrong there, and that says nothing of the lowering.",
            on.profile
        );
        style.lines(&says, out)?;
    }
    Ok(())
}

/// How many barriers no rule is about.
fn unmatched(found: &Verification, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let name = text::clean(&found.lowering);
    if found.is_based {
        let idle = found.profiles.iter();
        let idle = idle.filter(|it| it.unmatched > 0 && it.unmatched == it.barriers);
        let idle: Vec<&str> = idle.map(|it| it.profile.as_str()).collect();
        if idle.is_empty() {
            return Ok(());
        }
        let on = idle.join(", ");
        let says =
            format!("No rule of `{name}` matches any barrier on {on}: it is `precise` there.");
        return style.lines(&says, out);
    }
    let left = found.profiles.iter().filter(|it| it.unmatched > 0);
    let left = left.map(|it| format!("{} of {} on {}", it.unmatched, it.barriers, it.profile));
    let left: Vec<String> = left.collect();
    if left.is_empty() {
        return Ok(());
    }
    let left = left.join(", ");
    let says = format!(
        "No rule of `{name}` matches these barriers: {left}. Their packets wait and hold as asked, and do nothing else; \
         `syncscope run` names them as RF005."
    );
    style.lines(&says, out)
}

fn row(profile: &ProfileVerdict) -> Vec<String> {
    let (paid, precise) = (&profile.paid, &profile.precise);
    vec![
        profile.profile.clone(),
        profile.barriers.to_string(),
        profile.wrong.to_string(),
        profile.wrong_illegal.to_string(),
        share(paid.waits, precise.waits) + &of_nobody(paid.unasked_waits),
        share(paid.operations, precise.operations) + &of_nobody(paid.unasked_operations),
        share(paid.bytes, precise.bytes),
        share(paid.makespan.0, precise.makespan.0),
    ]
}

/// How many of some packets or operations no barrier made.
pub(super) fn of_nobody(count: u64) -> String {
    match count {
        0 => String::new(),
        count => format!(" ({count} of no barrier)"),
    }
}

/// How much more one number is than another, in per cent.
#[allow(
    clippy::cast_precision_loss,
    reason = "a share of a tenth of a per cent is all that is shown"
)]
pub(super) fn share(number: u64, of: u64) -> String {
    if number == of {
        return "=".to_owned();
    }
    if of == 0 {
        return format!("+{number}");
    }
    let more = (number as f64 / of as f64 - 1.0) * 100.0;
    format!("{more:+.1} %")
}

pub(super) fn counterexample(
    found: &Counterexample,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let profiles = found.profiles.join(", ");
    let (faults, programs) = (kinds(&found.faults), failing(found));
    let head = format!("{faults} ({programs}, on {profiles})");
    style.lines(&head, out)?;
    for sentence in &found.says {
        style.indented(sentence, out)?;
    }
    if !found.mistakes.is_empty() {
        let rules = found.mistakes.join(", ");
        let says = format!("the program has mistakes of its own: {rules}");
        style.indented(&says, out)?;
    }
    if let Some(depends) = &found.depends {
        style.indented(depends, out)?;
    }
    let mut faults = found.faults.iter();
    let is_of_answer = faults.all(|fault| matches!(fault, Fault::Answers { .. }));
    match (&found.shown, &found.witness) {
        (Some(shown), _) => style.indented(&told(shown), out)?,
        (None, None) if is_of_answer => {}
        (None, None) => {
            style.indented("no run was found in which a read goes wrong", out)?;
        }
        (None, Some(_)) => {}
    }
    writeln!(out)?;
    program(&found.text, style, out)?;
    if let Some(witness) = &found.witness {
        let note = format!("a longer program shows it: {}", told(&witness.shown));
        writeln!(out)?;
        style.indented(&note, out)?;
        writeln!(out)?;
        program(&witness.text, style, out)?;
    }
    Ok(())
}

/// How many programs fail as a counterexample does.
fn failing(found: &Counterexample) -> String {
    let count = |number: usize, one, several| text::count(number as u64, one, several);
    let illegal = count(
        found.illegal_programs,
        "illegal program",
        "illegal programs",
    );
    match found.programs - found.illegal_programs {
        0 => illegal,
        legal if found.illegal_programs == 0 => count(legal, "program", "programs"),
        legal => format!("{legal} legal and {illegal}"),
    }
}

/// How a lowering fails: what is said of several things, once.
pub(super) fn kinds(faults: &[Fault]) -> String {
    let mut groups: IndexMap<String, Vec<String>> = IndexMap::new();
    for kind in faults.iter().map(Fault::kind) {
        let (says, of) = match kind.split_once(": ") {
            Some((says, of)) => (says.to_owned(), Some(of.to_owned())),
            None => (kind, None),
        };
        groups.entry(says).or_default().extend(of);
    }
    let groups = groups.into_iter().map(|(says, of)| match of.len() {
        0 => says,
        _ => format!("{says}: {}", of.join(", ")),
    });
    groups.collect::<Vec<_>>().join("; ")
}

fn told(shown: &Shown) -> String {
    match run_options(shown.eviction) {
        None => shown.read.clone(),
        Some(option) => format!("{} (`run {option}`)", shown.read),
    }
}

fn program(text: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    for line in text.lines() {
        for line in text::folded(line, style.columns.saturating_sub(4)) {
            match line.as_str() {
                "" => writeln!(out)?,
                _ => writeln!(out, "    {}", style.plain(&line))?,
            }
        }
    }
    Ok(())
}

/// Whether a lowering is right: `verify`.
pub const VERIFICATION: Output<Printer<Verification>> = Output {
    name: "verification",
    noun: "a verification",
    writers: &[
        ("terminal", terminal),
        ("json", |found, _, out| {
            json::indented(&document(found), out)
        }),
    ],
    schema: Some(schema!(
        written VerificationDocument<'static>, "verification", "The output of `verify --format json`"
    )),
};

/// Whether a lowering is right.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VerificationDocument<'a> {
    /// Version of this layout: 2. In the first, which had no such field, `right` rested on illegal programs too.
    schema: u32,
    /// The lowering.
    lowering: &'a str,
    /// Nothing is wrong on legal programs, there is one, and every program was tried.
    right: bool,
    /// Programs that were tried.
    programs: usize,
    /// Of these, those without errors and hazards of their own.
    legal_programs: usize,
    /// Illegal programs on which the lowering is wrong on some machine.
    wrong_illegal_programs: usize,
    /// Illegal programs that were not tried, because only legal ones were asked for.
    illegal_left_out: usize,
    /// Other files: they have no barrier to lower.
    left_out: usize,
    /// Programs that were not tried.
    untried: usize,
    /// The first program that a driver answered otherwise when it was asked again after others; null if there is none.
    unsteady: Option<&'a Unsteady>,
    /// Each machine.
    profiles: Vec<VerdictRow<'a>>,
    /// The smallest programs on which it is wrong.
    counterexamples: &'a [Counterexample],
}

/// What came of the lowering on a machine.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct VerdictRow<'a> {
    /// Hardware profile.
    profile: &'a str,
    /// Barriers that were lowered.
    barriers: u64,
    /// Barriers that no rule of a rule file matches.
    unmatched_barriers: u64,
    /// Programs on which the lowering is wrong, legal or not.
    wrong_programs: usize,
    /// Of these, those without errors and hazards of their own: `right` rests on them.
    wrong_legal_programs: usize,
    /// Of these, those with errors or hazards of their own.
    wrong_illegal_programs: usize,
    /// Programs that it reads wrong, and `precise` too: nothing is known of the lowering there.
    open_programs: usize,
    /// Programs that ran with this lowering and with `precise`.
    compared_programs: usize,
    /// What these runs paid.
    paid: &'a Paid,
    /// What they paid with `precise`.
    precise: &'a Paid,
}

fn document(found: &Verification) -> VerificationDocument<'_> {
    let profiles = found.profiles.iter().map(|profile| VerdictRow {
        profile: &profile.profile,
        barriers: profile.barriers,
        unmatched_barriers: profile.unmatched,
        wrong_programs: profile.wrong + profile.wrong_illegal,
        wrong_legal_programs: profile.wrong,
        wrong_illegal_programs: profile.wrong_illegal,
        open_programs: profile.open,
        compared_programs: profile.ran,
        paid: &profile.paid,
        precise: &profile.precise,
    });
    VerificationDocument {
        schema: 2,
        lowering: &found.lowering,
        right: found.is_right() && found.is_judged() && found.untried == 0,
        programs: found.programs,
        legal_programs: found.legal,
        wrong_illegal_programs: found.wrong_illegal,
        illegal_left_out: found.illegal_left_out,
        left_out: found.left_out,
        untried: found.untried,
        unsteady: found.unsteady.as_ref(),
        profiles: profiles.collect(),
        counterexamples: &found.counterexamples,
    }
}
