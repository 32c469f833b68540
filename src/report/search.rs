//! What came of a search through every program of a small universe.

use super::format::{Output, Printer};
use super::{Style, json, text, verification};
use crate::schema::schema;
use crate::workbench::{Counterexample, Searched, Tried, work};
use serde::Serialize;
use std::io::{self, Write};

/// Writes it for people.
///
/// # Errors
/// If the output cannot be written.
fn terminal(found: &Searched, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let tried = &found.tried;
    let what = if tried.is_complete() && tried.shares == 1 {
        whole(tried)
    } else {
        part(tried)
    };
    style.lines(&what, out)?;
    if let Some(says) = illegal(tried) {
        style.lines(&says, out)?;
    }
    let judged = if tried.runs {
        "packets, and runs of programs without a mistake of their own"
    } else {
        "packets"
    };
    style.lines(&format!("universe: {}", tried.universe), out)?;
    let profiles = tried.profiles.join(", ");
    style.lines(&format!("judged: {judged}, on {profiles}"), out)?;
    if let Some(example) = &found.counterexample {
        writeln!(out)?;
        verification::counterexample(example, style, out)?;
    }
    Ok(())
}

/// What is said of every program of the universe.
fn whole(tried: &Tried) -> String {
    let name = text::clean(&tried.lowering);
    let (programs, commands) = (programs(tried), commands(tried));
    match tried.wrong_legal {
        0 => format!("{name}: no counterexample among {programs} of {commands}"),
        wrong => {
            let wrong = grouped(wrong);
            format!("{name}: wrong on {wrong} of {programs} of {commands}")
        }
    }
}

/// What is said of some of them: never that there is no counterexample.
fn part(tried: &Tried) -> String {
    let name = text::clean(&tried.lowering);
    let (programs, commands) = (programs(tried), commands(tried));
    let so_far = match tried.wrong_legal {
        0 => "none is wrong".to_owned(),
        wrong => format!("{} are wrong", grouped(wrong)),
    };
    let share = match tried.shares {
        1 => String::new(),
        shares => format!(", share {} of {shares}", tried.share),
    };
    let rest = if tried.is_complete() {
        "the share is complete"
    } else {
        "not complete"
    };
    format!("{name}: {so_far} of {programs} of {commands}{share}; {rest}")
}

fn programs(tried: &Tried) -> String {
    let (legal, all) = (grouped(tried.legal), grouped(tried.programs));
    let noun = if tried.legal == 1 {
        "program"
    } else {
        "programs"
    };
    format!("{legal} legal {noun} (of {all})")
}

/// What the verdict does not rest on: programs with errors or hazards of their own.
fn illegal(tried: &Tried) -> Option<String> {
    if tried.legal_only {
        let left_out = grouped(tried.programs - tried.legal);
        return Some(format!("illegal programs were left out: {left_out}"));
    }
    let wrong = tried.wrong - tried.wrong_legal;
    let programs = if wrong == 1 {
        "program, with errors or hazards of its own"
    } else {
        "programs, with errors or hazards of their own"
    };
    let says = format!(
        "it fails on {} illegal {programs}: the verdict does not rest on that",
        grouped(wrong)
    );
    (wrong > 0).then_some(says)
}

fn commands(tried: &Tried) -> String {
    let up_to = if tried.commands > 1 { "up to " } else { "" };
    format!("{up_to}{}", work(tried.commands))
}

/// A number with a comma every three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut grouped = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// What came of every program of a small universe: `verify --exhaustive`.
pub(crate) const SEARCH: Output<Printer<Searched>> = Output {
    name: "search",
    noun: "a search",
    writers: &[
        ("terminal", terminal),
        ("json", |found, _, out| {
            json::indented(&document(found), out)
        }),
    ],
    schema: Some(schema!(
        written SearchDocument<'static>, "search", "The output of `verify --exhaustive --format json`"
    )),
};

/// What came of a search.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct SearchDocument<'a> {
    /// Version of this layout: 2. In the first, which had no such field, `commands` of the result counted barriers too.
    schema: u32,
    /// Every program of the universe was tried.
    complete: bool,
    /// What was tried, and how much of it is wrong.
    result: &'a Tried,
    /// The smallest program on which the lowering is wrong, a legal one if there is one; null if none was found.
    counterexample: Option<&'a Counterexample>,
}

fn document(found: &Searched) -> SearchDocument<'_> {
    SearchDocument {
        schema: 2,
        complete: found.tried.is_complete() && found.tried.shares == 1,
        result: &found.tried,
        counterexample: found.counterexample.as_ref(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn digits_are_grouped() {
        for (number, text) in [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (41_203_118, "41,203,118"),
        ] {
            assert_eq!(super::grouped(number), text);
        }
    }
}
