//! Findings in rustc's style, each in its source.
//!
//! Equal findings are shown once, the worst first; beyond a limit they are only counted by rule. The renderer gets the
//! few lines that a finding names, never the whole text, so that its cost does not grow with the file.

use super::super::text::{self, COLUMNS, count};
use super::{FAINT, Page, STRONG};
use crate::finding::{Finding, Severity, Source, Span};
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use indexmap::IndexMap;
use std::io;

/// Findings shown in full unless all are asked for.
const FULL: usize = 50;
/// Lines named for each rule in the summary of the others.
const LINES_NAMED: usize = 12;
/// Columns left of the source text: line number, bar and blanks.
const GUTTER: usize = 10;
/// Two places farther apart than this many lines get a snippet each.
const NEAR_LINES: u32 = 60;

/// A place in the snippet.
struct Mark {
    line: u32,
    /// Bytes in the line.
    start: usize,
    end: usize,
    primary: bool,
    label: String,
}

/// `profile` names the machine of the run that hazards were or were not visible in.
pub(super) fn write(
    page: &mut Page<'_>,
    findings: &[Finding],
    source: &Source,
    profile: &str,
) -> io::Result<()> {
    let mut groups: IndexMap<(&str, Severity, u32, u32), (&Finding, usize)> = IndexMap::new();
    for finding in findings {
        let first = finding
            .hazard
            .as_ref()
            .map_or(0, |h| source.line(h.first.span.start));
        let key = (
            finding.rule.id,
            finding.severity,
            source.line(finding.span.start),
            first,
        );
        groups.entry(key).or_insert((finding, 0)).1 += 1;
    }
    let mut shown: Vec<(&Finding, usize)> = groups.into_values().collect();
    shown.sort_by_key(|(f, _)| (std::cmp::Reverse(f.severity), f.span.start));
    let rest = shown.split_off(if page.style.all {
        shown.len()
    } else {
        FULL.min(shown.len())
    });
    let renderer = if page.style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
    .term_width(COLUMNS);
    for (finding, equal) in shown {
        render(page, &renderer, finding, (source, profile))?;
        if equal > 1 {
            let more = format!("  = and {} more like this", equal - 1);
            let more = page.paint(FAINT, &more);
            page.line(&more)?;
        }
        page.blank()?;
    }
    summarise(page, &rest, source)
}

fn render(
    page: &mut Page<'_>,
    renderer: &Renderer,
    finding: &Finding,
    (source, profile): (&Source, &str),
) -> io::Result<()> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Hazard => Level::ERROR.with_name("hazard"),
        Severity::Warning => Level::WARNING,
        Severity::Advice => Level::INFO.with_name("advice"),
    };
    let id = format!("{} {}", finding.rule.id, finding.rule.name);
    let indent = finding.severity.word().len() + id.len() + 4;
    let mut notes = Vec::new();
    let marks = marks(finding, source, &mut notes);
    let title = wrapped(&finding.message, indent);
    let mut group = Group::with_title(level.primary_title(title).id(id));
    for part in snippets(&marks, source) {
        group = group.element(part);
    }
    if let Some(visible) = finding.visible {
        notes.push(match (finding.hazard.is_some(), visible) {
            (true, true) => "invalid by specification, and visible in this run".to_owned(),
            (true, false) => {
                format!("invalid by specification; not visible in this run on `{profile}`")
            }
            (false, true) => "visible in this run".to_owned(),
            (false, false) => format!("not visible in this run on `{profile}`"),
        });
    }
    notes.extend(finding.notes.iter().cloned());
    if finding.repeats > 1 {
        let times = count(finding.repeats, "execution", "executions");
        notes.push(format!("first of {times} with this finding"));
    }
    for note in &notes {
        group = group.element(Level::NOTE.message(wrapped(note, 12)));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(wrapped(help, 12)));
    }
    if let Some(fix) = &finding.fix {
        let what = match finding.severity {
            Severity::Hazard => "hazard",
            Severity::Error | Severity::Warning | Severity::Advice => "finding",
        };
        let change = format!("{} (verified: removes this {}, adds none)", fix.says, what);
        group = group.element(Level::HELP.message(wrapped(&change, 12)));
    }
    for line in renderer.render(&[group]).lines() {
        page.line(line)?;
    }
    Ok(())
}

/// A sentence in lines that fit after `indent` columns; the renderer aligns them.
fn wrapped(text: &str, indent: usize) -> String {
    // A very long name in front leaves a narrow column rather than none.
    text::wrap(
        &text::clean(text),
        COLUMNS.saturating_sub(indent + 2).max(40),
    )
    .join("\n")
}

/// Every place that a finding names. A label that has no room next to its place becomes a note.
fn marks(finding: &Finding, source: &Source, notes: &mut Vec<String>) -> Vec<Mark> {
    let mut places: Vec<(Span, bool, String, String)> = Vec::new();
    match &finding.hazard {
        Some(hazard) => {
            for (number, party, primary) in
                [("(1)", &hazard.first, false), ("(2)", &hazard.second, true)]
            {
                // One use by itself: what it collides with is among the related places.
                if !primary && hazard.first == hazard.second {
                    continue;
                }
                let mut label = format!("{number} {}", party.label);
                for (word, value) in [
                    (":", &party.access),
                    (" @", &party.stage),
                    (" on", &party.queue),
                ] {
                    if !value.is_empty() {
                        label.extend([word, " ", value]);
                    }
                }
                places.push((party.span, primary, label, number.to_owned()));
            }
            if hazard.second.span.start != finding.span.start {
                places.push((finding.span, true, String::new(), String::new()));
            }
        }
        None => places.push((finding.span, true, String::new(), String::new())),
    }
    for related in &finding.related {
        places.push((
            related.span,
            false,
            related.label.clone(),
            "here".to_owned(),
        ));
    }
    let mut marks = Vec::new();
    for (span, primary, label, short) in places {
        let (line, start, end) = place(span, source);
        let column = text::width(source.line_text(line).get(..end).unwrap_or(""));
        let room = COLUMNS.saturating_sub(GUTTER + column);
        let mut label = text::clean(&label);
        if text::width(&label) > room {
            let at = if short == "here" {
                format!("line {line}: ")
            } else {
                String::new()
            };
            notes.push(format!("{at}{label}"));
            label = short;
        }
        marks.push(Mark {
            line,
            start,
            end,
            primary,
            label,
        });
    }
    marks
}

/// Line and bytes of the part of a span that is underlined: its first line, without the block that it may open.
fn place(span: Span, source: &Source) -> (u32, usize, usize) {
    let line = source.line(span.start);
    let content = source.line_text(line);
    let before = source
        .text
        .get(..span.start as usize)
        .and_then(|t| t.rfind('\n'))
        .map_or(0, |n| n + 1);
    let start = (span.start as usize - before).min(content.len());
    let end = (span.end as usize)
        .saturating_sub(before)
        .clamp(start, content.len());
    let said = content.get(start..end).unwrap_or("");
    let said = said
        .split_once(" {")
        .map_or(said, |(head, _)| head)
        .trim_end();
    // A whole character at least: some that are blank have several bytes.
    let first = content.get(start..).and_then(|rest| rest.chars().next());
    let least = first.map_or(1, char::len_utf8);
    (
        line,
        start,
        (start + said.len().max(least)).min(content.len().max(start)),
    )
}

/// The marked lines as snippets: one if they are near each other.
fn snippets<'s>(
    marks: &[Mark],
    source: &'s Source,
) -> Vec<Snippet<'s, annotate_snippets::Annotation<'s>>> {
    let mut lines: Vec<u32> = marks.iter().map(|m| m.line).collect();
    lines.sort_unstable();
    lines.dedup();
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for line in lines {
        match runs.last_mut() {
            Some((_, last)) if line - *last <= NEAR_LINES => *last = line,
            _ => runs.push((line, line)),
        }
    }
    // The place of the finding itself comes first: the arrow names its line.
    runs.sort_by_key(|(first, last)| {
        !marks
            .iter()
            .any(|m| m.primary && (*first..=*last).contains(&m.line))
    });
    let path = text::ellipsis_left(&text::clean(&source.name), 70);
    runs.into_iter()
        .map(|(first, last)| {
            let mut slice = String::new();
            let mut starts = Vec::new();
            for line in first..=last {
                starts.push(slice.len());
                slice.push_str(&text::straight(source.line_text(line)));
                slice.push('\n');
            }
            // Escapes are longer than what they stand for.
            let shown = |line: u32, end: usize| {
                let before = source.line_text(line).get(..end);
                before.map_or(end, |before| text::straight(before).len())
            };
            let mine = marks
                .iter()
                .filter(|m| (first..=last).contains(&m.line))
                .map(|m| {
                    let at = starts[(m.line - first) as usize];
                    let kind = if m.primary {
                        AnnotationKind::Primary
                    } else {
                        AnnotationKind::Context
                    };
                    let mark = kind.span(at + shown(m.line, m.start)..at + shown(m.line, m.end));
                    if m.label.is_empty() {
                        mark
                    } else {
                        mark.label(m.label.clone())
                    }
                });
            let annotations: Vec<_> = mine.collect();
            Snippet::source(slice)
                .line_start(first as usize)
                .path(path.clone())
                .annotations(annotations)
        })
        .collect()
}

/// What was not shown in full: one line a rule, with the first lines of the text.
fn summarise(page: &mut Page<'_>, rest: &[(&Finding, usize)], source: &Source) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let mut rules: IndexMap<&str, (&Finding, usize, Vec<u32>)> = IndexMap::new();
    for (finding, equal) in rest {
        let entry = rules
            .entry(finding.rule.id)
            .or_insert((finding, 0, Vec::new()));
        entry.1 += equal;
        entry.2.push(source.line(finding.span.start));
    }
    let total: usize = rules.values().map(|(_, n, _)| n).sum();
    let title = format!(
        "… and {}; --all shows them",
        count(total, "more finding", "more findings")
    );
    let title = page.paint(STRONG, &title);
    page.line(&title)?;
    for (finding, n, mut lines) in rules.into_values() {
        lines.dedup();
        let more = if lines.len() > LINES_NAMED {
            ", …"
        } else {
            ""
        };
        let named: Vec<String> = lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
        let word = if lines.len() == 1 { "line" } else { "lines" };
        let line = format!(
            "  {n:>7} × {} {}, {word} {}{more}",
            finding.rule.id,
            finding.rule.name,
            named.join(", ")
        );
        page.line(&line)?;
    }
    page.blank()
}
