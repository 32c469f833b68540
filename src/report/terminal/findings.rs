//! Findings in rustc's style, each in its source.
//!
//! Findings of one cause are shown once, the worst first; beyond a limit they are only counted by rule. The renderer gets the
//! few lines that a finding names, never the whole text, so that its cost does not grow with the file.

use super::super::text::{self, count};
use super::{FAINT, Page, STRONG};
use crate::finding::{Finding, Severity, Source, Span, head};
use crate::id::ListId;
use crate::lower::recorded;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};
use indexmap::IndexMap;
use std::io;

/// Causes shown in full unless all are asked for.
const FULL: usize = 10;
/// Lines named for each rule in the summary of the others.
const LINES_NAMED: usize = 12;
/// Columns left of the source text: line number, bar and blanks.
const GUTTER: usize = 10;
/// Bytes of a line that are handed to the renderer before the last place in it, and after.
const LINE_BYTES: usize = 16 * 1024;
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
    let mut groups: IndexMap<Cause<'_>, Vec<&Finding>> = IndexMap::new();
    for finding in findings {
        let cause = Cause::of(finding, source, page.style.all);
        groups.entry(cause).or_default().push(finding);
    }
    let mut shown: Vec<Vec<&Finding>> = groups.into_values().collect();
    shown.sort_by_key(|group| (std::cmp::Reverse(group[0].severity), group[0].span.start));
    let rest = shown.split_off(page.style.shown(shown.len(), FULL));
    let renderer = if page.style.color {
        Renderer::styled()
    } else {
        Renderer::plain()
    }
    .term_width(page.style.columns);
    for group in shown {
        render(page, &renderer, group[0], (source, profile))?;
        if group.len() > 1 {
            alike(page, &group, source)?;
        }
        page.blank()?;
    }
    summarise(page, &rest, source)
}

/// What findings have in common that one mistake makes.
#[derive(PartialEq, Eq, Hash)]
struct Cause<'f> {
    rule: &'f str,
    severity: Severity,
    /// Of a hazard: the lists of its two uses.
    lists: Option<(ListId, ListId)>,
    /// Places that explain it: the barriers between the two uses, the declaration that lacks a flag. Without any, of what is no
    /// hazard, its own line.
    places: Vec<u32>,
    /// What it is about. A barrier on a hazard's way says more: it may be there for many.
    resource: Option<&'f str>,
    /// Of packets and rule files, the mistake: one line may have several of one rule.
    mistake: Option<&'f str>,
}

impl<'f> Cause<'f> {
    /// `apart`: only findings of the same two lines have one cause.
    fn of(finding: &'f Finding, source: &Source, apart: bool) -> Self {
        let hazard = finding.hazard.as_ref();
        let lists = hazard.and_then(|h| h.first.list.zip(h.second.list));
        let related = finding.related.iter().map(|r| source.line(r.span.start));
        let mut places: Vec<u32> = related.collect();
        let mut resource = finding.resource.as_deref();
        if apart || lists.is_none() && places.is_empty() {
            let first = hazard.map_or(0, |h| source.line(h.first.span.start));
            places.extend([source.line(finding.span.start), first]);
            resource = None;
        } else if lists.is_some() && !places.is_empty() {
            resource = None;
        }
        Self {
            rule: finding.rule.id,
            severity: finding.severity,
            lists: lists.filter(|_| !apart),
            places,
            resource,
            mistake: matches!(finding.rule.family(), "PT" | "RF")
                .then(|| recorded::mistake_of(&finding.message)),
        }
    }
}

/// How many more findings have the cause of the one above, and where.
fn alike(page: &mut Page<'_>, group: &[&Finding], source: &Source) -> io::Result<()> {
    let mut lines: Vec<u32> = group[1..]
        .iter()
        .map(|f| source.line(f.span.start))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let mut more = format!("= and {} more like this", group.len() - 1);
    if lines != [source.line(group[0].span.start)] {
        more = format!("{more}, {}; --all shows each", named(&lines));
    }
    for (index, line) in text::wrap(&more, page.style.columns - 4).iter().enumerate() {
        let indent = if index == 0 { "  " } else { "    " };
        page.painted(FAINT, &format!("{indent}{line}"))?;
    }
    Ok(())
}

/// `lines 3, 5, 8, …`.
fn named(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(LINES_NAMED).map(u32::to_string).collect();
    let word = if lines.len() == 1 { "line" } else { "lines" };
    let more = if lines.len() > LINES_NAMED {
        ", …"
    } else {
        ""
    };
    format!("{word} {}{more}", shown.join(", "))
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
    let marks = marks(finding, source, page.style.columns, &mut notes);
    let columns = page.style.columns;
    let title = wrapped(&finding.message, indent, columns);
    let mut group = Group::with_title(level.primary_title(title).id(id));
    for part in snippets(&marks, source, page.style.columns) {
        group = group.element(part);
    }
    if let Some(visible) = finding.visible {
        let is_invalid = finding.is_spec_invalid() && finding.hazard.is_some();
        notes.extend(match (is_invalid, visible) {
            (true, true) => Some("invalid by specification, and visible in this run".to_owned()),
            (true, false) => Some(format!(
                "invalid by specification; not visible in this run on `{profile}`"
            )),
            (false, true) => Some("visible in this run".to_owned()),
            // What is allowed shows nothing.
            (false, false) if finding.hazard.is_some() => None,
            (false, false) => Some(format!("not visible in this run on `{profile}`")),
        });
    }
    notes.extend(finding.notes.iter().map(ToString::to_string));
    // What is wrong in a text was executed by nobody.
    if finding.repeats > 1 && finding.rule.family() != "SC" {
        notes.push(match finding.rule.family() {
            "PT" => format!("first of {} packets with this mistake", finding.repeats),
            _ => format!("first of {} executions with this finding", finding.repeats),
        });
    }
    for note in &notes {
        group = group.element(Level::NOTE.message(wrapped(note, 12, columns)));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(wrapped(help, 12, columns)));
    }
    if let Some(fix) = &finding.fix {
        let what = match finding.severity {
            Severity::Hazard => "hazard",
            Severity::Error | Severity::Warning | Severity::Advice => "finding",
        };
        let change = format!("{} (verified: removes this {}, adds none)", fix.says, what);
        group = group.element(Level::HELP.message(wrapped(&change, 12, columns)));
    }
    for line in renderer.render(&[group]).lines() {
        page.line(line)?;
    }
    Ok(())
}

/// A sentence in lines that fit after `indent` columns; the renderer aligns them.
fn wrapped(text: &str, indent: usize, columns: usize) -> String {
    // A very long name in front leaves a narrow column rather than none.
    text::wrap(
        &text::clean(text),
        columns.saturating_sub(indent + 2).max(40),
    )
    .join("\n")
}

/// Every place that a finding names. A label that has no room next to its place becomes a note.
fn marks(finding: &Finding, source: &Source, columns: usize, notes: &mut Vec<String>) -> Vec<Mark> {
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
            related.label.to_string(),
            "here".to_owned(),
        ));
    }
    let mut marks = Vec::new();
    for (span, primary, label, short) in places {
        let (line, start, end) = place(span, source);
        let column = text::width(source.line_text(line).get(..end).unwrap_or(""));
        let room = columns.saturating_sub(GUTTER + column);
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
    // A word may be as long as the file.
    let end = (span.end as usize)
        .saturating_sub(before)
        .clamp(start, head(content, start + LINE_BYTES).len());
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
    columns: usize,
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
    let path = text::ellipsis_left(&text::clean(&source.name), columns - 30);
    runs.into_iter()
        .map(|(first, last)| {
            let mut slice = String::new();
            let mut starts = Vec::new();
            for line in first..=last {
                starts.push(slice.len());
                let mine = marks.iter().filter(|m| m.line == line);
                let reach = mine.map(|m| m.start).max().unwrap_or(0) + LINE_BYTES;
                slice.push_str(&text::straight(head(source.line_text(line), reach)));
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
fn summarise(page: &mut Page<'_>, rest: &[Vec<&Finding>], source: &Source) -> io::Result<()> {
    if rest.is_empty() {
        return Ok(());
    }
    let mut rules: IndexMap<&str, (&Finding, usize, Vec<u32>)> = IndexMap::new();
    for finding in rest.iter().flatten() {
        let entry = rules
            .entry(finding.rule.id)
            .or_insert((finding, 0, Vec::new()));
        entry.1 += 1;
        entry.2.push(source.line(finding.span.start));
    }
    let total: usize = rules.values().map(|(_, n, _)| n).sum();
    let title = format!(
        "… and {}; --all shows them",
        count(total, "more finding", "more findings")
    );
    page.painted(STRONG, &title)?;
    for (finding, n, mut lines) in rules.into_values() {
        lines.sort_unstable();
        lines.dedup();
        let head = format!("  {n:>7} × ");
        let text = format!(
            "{} {}, {}",
            finding.rule.id,
            finding.rule.name,
            named(&lines)
        );
        let indent = text::width(&head);
        for (index, line) in text::wrap(&text, page.style.columns - indent)
            .iter()
            .enumerate()
        {
            let margin = " ".repeat(indent);
            let head = if index == 0 { &head } else { &margin };
            page.line(&format!("{head}{line}"))?;
        }
    }
    page.blank()
}
