//! The run with and without a barrier, for people: a sentence, two timelines on one axis, and what differs.

use super::lanes::{self, Frame};
use super::{BAD, GOOD, Page, STRONG, legend};
use crate::report::Style;
use crate::report::columns::{Set, Table};
use crate::report::legend::Legend;
use crate::report::text;
use crate::run::WithAndWithout;
use crate::run::without::{CopyRun, FindingChange, ReadPair, Seen};
use std::io::{self, Write};

/// Writes it.
///
/// # Errors
/// Only what the writer returns.
pub(in crate::report) fn write(
    both: &WithAndWithout,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let WithAndWithout {
        report, barrier, ..
    } = both;
    let mut page = Page::new(style, Legend::of(&report.caches), out);
    let on = if barrier.resource.is_empty() {
        "everything"
    } else {
        &barrier.resource
    };
    let end = barrier.end_line.map_or_else(String::new, |end| {
        format!(", a split barrier that ends in line {end}")
    });
    let title = format!(
        "{} on {} with {}, without {}{end} (barrier on {on})",
        report.scenario,
        report.profile,
        report.lowering,
        barrier.name()
    );
    words(&mut page, &title, false)?;
    let is_bad = match &barrier.copy {
        Ok(copy) => !copy.wrong_reads.is_empty() || copy.new.iter().any(FindingChange::fails),
        Err(_) => true,
    };
    words(&mut page, &barrier.says, is_bad)?;
    page.blank()?;
    let Ok(copy) = &barrier.copy else {
        heading(&mut page, "as written", report.makespan.unwrap_or_default())?;
        return lanes::write(&mut page, report, Frame::of(report));
    };
    let frame = Frame::of(report).and(Frame::of(&copy.report));
    heading(&mut page, "as written", copy.with)?;
    lanes::write(&mut page, report, frame)?;
    page.blank()?;
    let name = format!("without {}", barrier.name());
    heading(&mut page, &name, copy.makespan())?;
    lanes::write(&mut page, &copy.report, frame)?;
    page.blank()?;
    findings(&mut page, copy)?;
    reads(&mut page, copy)?;
    page.blank()?;
    legend(&mut page, &report.profile)
}

/// A sentence in as many lines as it takes, in the colour of what is wrong or not.
fn words(page: &mut Page<'_>, sentence: &str, is_bad: bool) -> io::Result<()> {
    let paint = if is_bad { BAD } else { STRONG };
    for line in text::wrap(&text::clean(sentence), page.style.columns) {
        page.painted(paint, &line)?;
    }
    Ok(())
}

fn heading(page: &mut Page<'_>, name: &str, takes: crate::time::Ps) -> io::Result<()> {
    page.painted(STRONG, &format!("{}: {takes}", text::clean(name)))
}

/// Findings that are new, and those that are gone.
fn findings(page: &mut Page<'_>, copy: &CopyRun) -> io::Result<()> {
    if copy.new.is_empty() && copy.gone.is_empty() {
        return page.line("findings: the same");
    }
    let new = copy.new.iter().map(|change| (change, true));
    let gone = copy.gone.iter().map(|change| (change, false));
    for (change, is_new) in new.chain(gone) {
        let (sign, paint) = if is_new { ("✖", BAD) } else { ("✓", GOOD) };
        let finding = &change.finding;
        let here = match finding.visible {
            Some(true) => "; visible here",
            Some(false) => "; this run does not show it",
            None => "",
        };
        let word = change.word(is_new);
        let line = format!(
            "{sign} {word}: {} {}, line {}: {}{here}",
            finding.rule.id,
            finding.rule.name,
            change.line,
            text::clean(&finding.message)
        );
        for (at, part) in text::hung(&line, page.style.columns)
            .into_iter()
            .enumerate()
        {
            let head = format!("{sign} {word}:");
            let painted = match part.strip_prefix(&head).filter(|_| at == 0) {
                Some(rest) => format!("{}{rest}", page.paint(paint, &head)),
                None => part,
            };
            page.line(&painted)?;
        }
    }
    Ok(())
}

/// Which version each read finds.
fn reads(page: &mut Page<'_>, copy: &CopyRun) -> io::Result<()> {
    let (same, other): (Vec<&ReadPair>, Vec<&ReadPair>) =
        copy.reads.iter().partition(|pair| pair.is_same());
    for what in &copy.untold {
        words(page, &format!("reads: {what}"), false)?;
    }
    if copy.reads.is_empty() && !copy.untold.is_empty() {
        return Ok(());
    }
    let count = text::count(same.len() as u64, "read", "reads");
    if other.is_empty() {
        let line = format!("reads: {count} of what somebody writes, each finds the same");
        return page.line(if same.is_empty() {
            "reads: none of what somebody writes"
        } else {
            &line
        });
    }
    page.blank()?;
    let rows = other.iter().map(|pair| {
        vec![
            text::clean(&pair.command),
            text::clean(&pair.resource),
            side(&pair.with),
            side(&pair.without),
        ]
    });
    let table = Table {
        heads: vec![
            ("read by", Set::Left),
            ("resource", Set::Left),
            ("finds as written", Set::Left),
            ("finds without it", Set::Words),
        ],
        rows: rows.collect(),
    };
    let (heads, rows) = table.lines(page.style.columns);
    for line in heads.iter().chain(rows.iter().flatten()) {
        page.line(line)?;
    }
    if !same.is_empty() {
        page.line(&format!("{count} more: each finds the same"))?;
    }
    Ok(())
}

/// `✗ version 1 (gfx#1) in L0V, not that of gfx#3`.
fn side(seen: &[Seen]) -> String {
    let one = |seen: &Seen| {
        let places = match seen.places.join(", ") {
            places if places.is_empty() => places,
            places => format!(" in {places}"),
        };
        let found = format!("version {} ({}){places}", seen.version, seen.by);
        match seen.wrong {
            "" => found,
            wrong => format!("✗ {wrong}: {found}, not that of {}", seen.expected),
        }
    };
    let all: Vec<String> = seen.iter().map(one).collect();
    if all.is_empty() {
        "nothing that somebody writes".to_owned()
    } else {
        text::clean(&all.join("; "))
    }
}
