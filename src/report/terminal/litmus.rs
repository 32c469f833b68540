//! A studied litmus test for people: verdicts, outcome table, witness as a space-time diagram, findings.

use super::super::Style;
use super::super::legend::Legend;
use super::super::litmus::Sheet;
use super::super::text::{self, count};
use super::{BAD, FAINT, GOOD, Page, SOSO, STRONG, findings};
use crate::finding::{Finding, Severity};
use crate::kernel::{Intrinsic, Kernel, OpKind, Verdict, print_condition, print_op, print_subject};
use crate::litmus::examine::satisfies;
use crate::litmus::mutate::{Reason, Tried, Weakening};
use crate::litmus::random::Histogram;
use crate::litmus::study::Walks;
use crate::litmus::witness::Witness;
use std::fmt::Write as _;
use std::io::{self, Write};

/// Rows of an outcome table unless all are asked for.
const OUTCOMES_SHOWN: usize = 40;
/// Columns of the longest bar of random runs.
const BAR: u64 = 30;
/// Steps of a witness unless all are asked for.
const STEPS_SHOWN: usize = 60;

/// Prints one test.
///
/// # Errors
/// Only what the writer returns.
pub fn write(sheet: &Sheet<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(style, Legend::default(), out);
    verdicts(&mut page, sheet)?;
    let shown: Vec<Finding> = sheet
        .study
        .findings
        .iter()
        .filter(|f| style.all || f.severity > Severity::Advice)
        .cloned()
        .collect();
    if !shown.is_empty() {
        page.blank()?;
        findings::write(&mut page, &shown, sheet.source, "")?;
    }
    let advice = sheet.study.findings.len() - shown.len();
    if advice > 0 {
        page.blank()?;
        let line = format!(
            "{} not shown: --all shows {}",
            count(advice, "piece of advice is", "pieces of advice are"),
            if advice == 1 { "it" } else { "them" }
        );
        page.painted(FAINT, &line)?;
    }
    page.blank()
}

/// Prints one test without its findings.
///
/// # Errors
/// Only what the writer returns.
pub(crate) fn without_findings(
    sheet: &Sheet<'_>,
    style: &Style,
    out: &mut dyn Write,
) -> io::Result<()> {
    let mut page = Page::new(style, Legend::default(), out);
    verdicts(&mut page, sheet)?;
    page.blank()
}

/// What is expected, what comes of it, and how.
fn verdicts(page: &mut Page<'_>, sheet: &Sheet<'_>) -> io::Result<()> {
    headline(page, sheet)?;
    threads(page, sheet.kernel)?;
    for index in 0..sheet.kernel.expectations.len() {
        expectation(page, sheet, index)?;
    }
    outcomes(page, sheet)?;
    if let Some((walks, histogram)) = &sheet.study.histogram {
        random(page, sheet, walks, histogram)?;
    }
    if sheet.mutations {
        mutations(page, sheet)?;
    }
    Ok(())
}

fn headline(page: &mut Page<'_>, sheet: &Sheet<'_>) -> io::Result<()> {
    let judged = &sheet.study.examination.judged;
    let undecided = judged.iter().filter(|j| j.verdict.is_none()).count();
    let failed = judged
        .iter()
        .filter(|j| {
            j.verdict
                .is_some_and(|v| v != sheet.kernel.expectations[j.expectation].verdict)
        })
        .count();
    let title = sheet.kernel.title.as_deref().unwrap_or(&sheet.source.name);
    let (paint, what) = match (judged.len(), failed) {
        (0, _) => (STRONG, "no expectation".to_owned()),
        (n, 0) if undecided > 0 => (
            SOSO,
            format!(
                "{undecided} of {} {}",
                count(n, "expectation", "expectations"),
                if undecided == 1 {
                    "is undecided"
                } else {
                    "are undecided"
                }
            ),
        ),
        (1, 0) => {
            let verdict = judged[0].verdict.map_or("", Verdict::word);
            (GOOD, format!("{verdict}, as expected"))
        }
        (n, 0) => (GOOD, format!("all {n} expectations hold")),
        (n, failed) => (
            BAD,
            format!(
                "{failed} of {} {}",
                count(n, "expectation", "expectations"),
                if failed == 1 { "fails" } else { "fail" }
            ),
        ),
    };
    page.painted(paint, &format!("{}: {what}", text::clean(title)))?;
    if sheet.kernel.title.is_none() {
        return page.blank();
    }
    page.painted(
        FAINT,
        &text::ellipsis_left(&text::clean(&sheet.source.name), page.style.columns),
    )?;
    page.blank()
}

/// The threads next to each other, fences with their HLSL names.
fn threads(page: &mut Page<'_>, kernel: &Kernel) -> io::Result<()> {
    let columns: Vec<Vec<String>> = kernel
        .threads
        .iter()
        .enumerate()
        .map(|(index, thread)| {
            let mut lines = vec![format!(
                "{index}: group {} {}{}",
                thread.group,
                thread.stage.word(),
                if thread.helper { " helper" } else { "" }
            )];
            lines.extend(thread.ops.iter().map(|op| print_op(kernel, op)));
            lines
        })
        .collect();
    let widths = widths(&columns, page.style.columns - 2);
    let rows = columns.iter().map(Vec::len).max().unwrap_or(0);
    for row in 0..rows {
        let cells: Vec<&str> = columns
            .iter()
            .map(|c| c.get(row).map_or("", String::as_str))
            .collect();
        let line = format!("  {}", side_by_side(&cells, &widths));
        let line = if row == 0 {
            page.paint(STRONG, line.trim_end())
        } else {
            line
        };
        page.line(&line)?;
    }
    let mut names: Vec<(String, &str)> = Vec::new();
    for op in kernel.threads.iter().flat_map(|t| &t.ops) {
        if let OpKind::Fence(crate::kernel::Fence::Sync(sync)) = op.kind {
            let name = match Intrinsic::of(sync) {
                Some(intrinsic) => intrinsic.name(),
                None if sync.ugroup && !sync.uglobal => "not in HLSL before SM6.8",
                None => continue,
            };
            let pair = (sync.to_string(), name);
            if !names.contains(&pair) {
                names.push(pair);
            }
        }
        if let OpKind::Fence(crate::kernel::Fence::Intrinsic(intrinsic)) = op.kind {
            let pair = (intrinsic.sync().to_string(), intrinsic.name());
            if !names.contains(&pair) {
                names.push(pair);
            }
        }
    }
    if !names.is_empty() {
        let names: Vec<String> = names
            .iter()
            .map(|(sync, name)| format!("{sync} is {name}"))
            .collect();
        page.blank()?;
        for line in text::wrap(&names.join("; "), page.style.columns - 2) {
            page.painted(FAINT, &format!("  {line}"))?;
        }
    }
    page.blank()
}

/// Widths of columns that fit together: as wide as their text, the widest cut first.
fn widths(columns: &[Vec<String>], room: usize) -> Vec<usize> {
    const GAP: usize = 3;
    let mut widths: Vec<usize> = columns
        .iter()
        .map(|c| c.iter().map(|l| text::width(l)).max().unwrap_or(0) + GAP)
        .collect();
    while widths.iter().sum::<usize>() > room {
        let widest = widths
            .iter_mut()
            .max()
            .expect("a sum above nothing has parts");
        *widest -= 1;
    }
    widths
}

fn side_by_side(cells: &[&str], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, &width) in cells.iter().zip(widths) {
        line.push_str(&text::left(cell, width.saturating_sub(1)));
        line.push(' ');
    }
    line
}

fn expectation(page: &mut Page<'_>, sheet: &Sheet<'_>, index: usize) -> io::Result<()> {
    let expectation = &sheet.kernel.expectations[index];
    let judged = &sheet.study.examination.judged[index];
    let holds = judged.verdict == Some(expectation.verdict);
    let found = judged.verdict.map_or("not decided", Verdict::word);
    let condition = print_condition(sheet.kernel, &expectation.condition);
    let line = if holds {
        page.paint(GOOD, &format!("{found}: {condition}"))
    } else {
        let line = format!("{found}, not {}: {condition}", expectation.verdict.word());
        page.paint(BAD, &line)
    };
    page.line(&line)?;
    let told = &sheet.study.told[index];
    if let Some(reason) = &told.reason {
        for line in text::wrap(&because(reason, &sheet.study.tried), page.style.columns - 2) {
            page.line(&format!("  {line}"))?;
        }
    }
    if let Some(witness) = &told.witness {
        self::witness(page, sheet.kernel, witness)?;
    } else if judged.verdict == Some(Verdict::Undefined) {
        page.line("  no modelled cache shows this value, but nothing forbids it")?;
    }
    page.blank()
}

fn because(reason: &Reason, tried: &[Tried]) -> String {
    match reason {
        Reason::NoFence => {
            "forbidden without any fence: by coherence, atomicity, or because no such value is ever made".to_owned()
        }
        Reason::Together => {
            "no single fence forbids it: it stays forbidden without any one of them, but not without all of them".to_owned()
        }
        Reason::Fences(needed) => {
            let named: Vec<String> = needed.iter().map(|&t| fence(&tried[t])).collect();
            match &named[..] {
                [one] => format!("forbidden by {one}: allowed without it"),
                _ => format!("forbidden by {}: allowed without any one of them", named.join(" and ")),
            }
        }
    }
}

/// `sync_uglobal in thread 1`.
fn fence(tried: &Tried) -> String {
    let threads: Vec<String> = tried
        .mutation
        .places
        .iter()
        .map(|p| p.0.to_string())
        .collect();
    let threads = match &threads[..] {
        [one] => format!("thread {one}"),
        _ => format!("threads {}", threads.join(", ")),
    };
    format!("{} in {threads}", tried.mutation.original)
}

/// Threads to the right, time downward.
fn witness(page: &mut Page<'_>, kernel: &Kernel, witness: &Witness) -> io::Result<()> {
    let head = match witness.model {
        crate::litmus::examine::ModelName::Sequential => {
            "even in program order with one memory".to_owned()
        }
        crate::litmus::examine::ModelName::Specification => {
            "allowed by the specification; no modelled machine does it".to_owned()
        }
        model => format!("on a machine with {} caches", model.word()),
    };
    page.line(&format!("  {head}:"))?;
    let mut columns: Vec<Vec<String>> = kernel
        .threads
        .iter()
        .enumerate()
        .map(|(index, t)| vec![format!("{index} (group {})", t.group)])
        .collect();
    for row in &witness.rows {
        for (column, cell) in columns.iter_mut().zip(&row.threads) {
            column.push(cell.clone().unwrap_or_default());
        }
    }
    let widths = widths(&columns, page.style.columns - 8);
    let used: usize = 6 + widths.iter().sum::<usize>();
    let shown = page.style.shown(witness.rows.len(), STEPS_SHOWN);
    for number in 0..=shown {
        let cells: Vec<&str> = columns.iter().map(|c| c[number].as_str()).collect();
        let line = side_by_side(&cells, &widths);
        if number == 0 {
            page.painted(STRONG, format!("  step {line}").trim_end())?;
            continue;
        }
        let mut line = format!("  {number:>3}  {line}");
        let events = &witness.rows[number - 1].events;
        let room = page.style.columns.saturating_sub(used + 2);
        let mut further = Vec::new();
        for (index, event) in events.iter().enumerate() {
            if index == 0 && text::width(event) <= room {
                line.push_str(event);
            } else {
                further.push(event);
            }
        }
        page.line(&line)?;
        for event in further {
            for part in text::wrap(event, page.style.columns - 10) {
                page.line(&format!("          {part}"))?;
            }
        }
    }
    if shown < witness.rows.len() {
        page.line(&format!("  … {} more steps", witness.rows.len() - shown))?;
    }
    Ok(())
}

fn outcomes(page: &mut Page<'_>, sheet: &Sheet<'_>) -> io::Result<()> {
    let examination = &sheet.study.examination;
    let Some(specification) = examination.answers.last() else {
        return Ok(());
    };
    let mut all: Vec<&Vec<u32>> = examination
        .answers
        .iter()
        .flat_map(|a| a.exploration.outcomes.keys())
        .collect();
    all.sort();
    all.dedup();
    outcome_table(page, sheet, &all)?;
    let states: Vec<String> = examination
        .answers
        .iter()
        .map(|a| a.exploration.states().to_string())
        .collect();
    let complete = examination.answers.iter().all(|a| a.exploration.complete);
    let line = format!(
        "  {} in the specification{}; states: {}; * meets an expectation's condition",
        count(
            specification.exploration.outcomes.len(),
            "outcome",
            "outcomes"
        ),
        if complete {
            ", all of them explored"
        } else {
            ", but not every state was visited"
        },
        states.join(", ")
    );
    page.painted(FAINT, &line)
}

/// One row an outcome: the values, and which models reach it.
fn outcome_table(page: &mut Page<'_>, sheet: &Sheet<'_>, all: &[&Vec<u32>]) -> io::Result<()> {
    let examination = &sheet.study.examination;
    let subjects: Vec<String> = examination
        .subjects
        .iter()
        .map(|s| print_subject(sheet.kernel, *s))
        .collect();
    let column = |i: usize| {
        let values = all.iter().map(|o| o[i].to_string().len());
        values.chain([text::width(&subjects[i])]).max().unwrap_or(1) + 2
    };
    let widths: Vec<usize> = (0..subjects.len()).map(column).collect();
    let mut head = String::from("  ");
    for (subject, width) in subjects.iter().zip(&widths) {
        head.push_str(&text::right(subject, *width));
    }
    head.push_str("   ");
    for answer in &examination.answers {
        head.extend(["  ", answer.model.word()]);
    }
    page.painted(STRONG, &head)?;
    let shown = page.style.shown(all.len(), OUTCOMES_SHOWN);
    for outcome in &all[..shown] {
        let line = outcome_row(sheet, outcome, &widths);
        page.line(&line)?;
    }
    if shown < all.len() {
        page.line(&format!("  … {} more: --all shows them", all.len() - shown))?;
    }
    Ok(())
}

fn outcome_row(sheet: &Sheet<'_>, outcome: &Vec<u32>, widths: &[usize]) -> String {
    let examination = &sheet.study.examination;
    let mut line = String::from("  ");
    for (value, width) in outcome.iter().zip(widths) {
        line.push_str(&text::right(&value.to_string(), *width));
    }
    let mut expectations = sheet.kernel.expectations.iter();
    let meets = expectations.any(|e| satisfies(&e.condition, &examination.subjects, outcome));
    line.push_str(if meets { "  *" } else { "   " });
    for answer in &examination.answers {
        let width = answer.model.word().len();
        let reached = answer.exploration.outcomes.contains_key(outcome);
        let sign = if reached { "x" } else { "." };
        let _ = write!(line, "  {sign:^width$}");
    }
    line
}

fn random(
    page: &mut Page<'_>,
    sheet: &Sheet<'_>,
    walks: &Walks,
    histogram: &Histogram,
) -> io::Result<()> {
    page.blank()?;
    let head = format!(
        "{} random runs of the {} model, seed {}",
        walks.runs,
        walks.model.word(),
        walks.seed
    );
    page.painted(STRONG, &head)?;
    let subjects = &sheet.study.examination.subjects;
    let most = histogram.values().max().copied().unwrap_or(1).max(1);
    for (outcome, times) in histogram {
        let values: Vec<String> = subjects
            .iter()
            .zip(outcome)
            .map(|(s, v)| format!("{} = {v}", print_subject(sheet.kernel, *s)))
            .collect();
        let bar = "#".repeat(bar_columns(*times, most));
        page.line(&format!("  {times:>9}  {bar:30}  {}", values.join(", ")))?;
    }
    Ok(())
}

/// Columns of a bar; the longest has [`BAR`].
fn bar_columns(times: u64, most: u64) -> usize {
    usize::try_from((times * BAR).div_ceil(most)).expect("a bar lies on the page")
}

fn mutations(page: &mut Page<'_>, sheet: &Sheet<'_>) -> io::Result<()> {
    page.blank()?;
    page.painted(STRONG, "weaker versions")?;
    if sheet.study.tried.is_empty() {
        return page.line("  there is no fence to weaken");
    }
    for tried in &sheet.study.tried {
        let what = match &tried.mutation.weakening {
            Weakening::Dropped => format!("without {}", fence(tried)),
            Weakening::Replaced(by) => format!("{by} for {}", fence(tried)),
        };
        let changed: Vec<String> = sheet
            .kernel
            .expectations
            .iter()
            .zip(&tried.verdicts)
            .zip(&sheet.study.examination.judged)
            .filter(|((_, now), before)| **now != before.verdict)
            .map(|((e, now), _)| {
                let now = now.map_or("not decided", Verdict::word);
                format!("{now}: {}", print_condition(sheet.kernel, &e.condition))
            })
            .collect();
        let result = if tried.equivalent {
            "same outcomes".to_owned()
        } else if changed.is_empty() {
            "other outcomes, same verdicts".to_owned()
        } else {
            changed.join("; ")
        };
        page.line(&format!("  {what}: {result}"))?;
    }
    Ok(())
}
