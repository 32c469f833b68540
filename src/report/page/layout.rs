//! Markdown of pages, laid out for a terminal. It knows what pages use: headlines, paragraphs, `**strong**` words, links, lists,
//! tables and fenced blocks.

use super::table::Table;
use crate::report::{Style, text};
use anstyle::Style as Paint;
use std::fmt::Write as _;

const STRONG: Paint = Paint::new().bold();
/// Columns before a line of an example.
const INDENT: usize = 4;
/// Stands for each `**` while lines are broken: it takes no column and separates no words.
const MARK: char = '\u{2060}';

/// A page laid out for a terminal.
pub(super) fn laid_out(page: &str, style: &Style) -> String {
    let mut lines = Vec::new();
    let mut open = String::new();
    let mut rest = page.lines().peekable();
    while let Some(line) = rest.next() {
        let begins = ["```", "|", "# ", "- "]
            .iter()
            .any(|it| line.starts_with(it));
        if begins || line.trim().is_empty() {
            lines.append(&mut paragraph(&std::mem::take(&mut open), style));
        }
        if line.starts_with("```") {
            let block: Vec<&str> = rest.by_ref().take_while(|it| *it != "```").collect();
            lines.append(&mut example(&block, style.columns));
        } else if line.starts_with('|') {
            let mut rows = vec![line];
            while let Some(row) = rest.next_if(|it| it.starts_with('|')) {
                rows.push(row);
            }
            lines.append(&mut Table::of(&rows).lines(style.columns));
        } else if let Some(title) = line.strip_prefix("# ") {
            lines.append(&mut paragraph(&format!("**{title}**"), style));
        } else if line.trim().is_empty() {
            lines.push(String::new());
        } else {
            open.push_str(line);
            open.push('\n');
        }
    }
    lines.append(&mut paragraph(&open, style));
    let mut out = String::new();
    for line in lines {
        let line = line.trim_end();
        out.push_str(&style.plain(line));
        out.push('\n');
    }
    out
}

/// A text without the targets of its links.
pub(super) fn without_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at);
        let (Some(start), Some(end)) = (before.rfind('['), after.find(')')) else {
            break;
        };
        out.push_str(&before[..start]);
        out.push_str(&before[start + 1..]);
        rest = &after[end + 1..];
    }
    out + rest
}

/// A paragraph in lines, its strong words styled; no line for an empty one.
fn paragraph(paragraph: &str, style: &Style) -> Vec<String> {
    if paragraph.trim().is_empty() {
        return Vec::new();
    }
    let mut strong = false;
    let mut lines = Vec::new();
    let words = without_links(paragraph).replace("**", &MARK.to_string());
    // What belongs to a point of a list begins where its first word does.
    let hang = if paragraph.starts_with("- ") { 2 } else { 0 };
    for (index, line) in text::wrap(&words, style.columns - hang).iter().enumerate() {
        // A style ends with its line and begins again on the next.
        let mut out = " ".repeat(if index > 0 { hang } else { 0 });
        for (part_index, part) in line.split(MARK).enumerate() {
            strong ^= part_index > 0;
            if strong && style.color && !part.is_empty() {
                let _ = write!(out, "{STRONG}{part}{STRONG:#}");
            } else {
                out.push_str(part);
            }
        }
        lines.push(out);
    }
    lines
}

/// The lines of an example, indented. Long ones are broken so that they can be copied.
fn example(block: &[&str], columns: usize) -> Vec<String> {
    let is_comment = |line: &str| line.trim_start().starts_with("// ");
    let is_long = |line: &&str| text::width(line) + INDENT > columns;
    let mut lines = Vec::new();
    for lines_of_one in block.chunk_by(|a, b| is_comment(a) && is_comment(b)) {
        let first = lines_of_one[0];
        let indent = " ".repeat(INDENT + first.len() - first.trim_start().len());
        if !lines_of_one.iter().any(is_long) {
            let shown = lines_of_one.iter().map(|line| " ".repeat(INDENT) + line);
            lines.extend(shown);
        } else if is_comment(first) {
            let sign = format!("{indent}// ");
            let words = lines_of_one.iter().map(|line| line.trim_start());
            let words: Vec<&str> = words.map(|line| &line["// ".len()..]).collect();
            let wrapped = text::wrap(&words.join(" "), columns.saturating_sub(sign.len()));
            lines.extend(wrapped.into_iter().map(|line| sign.clone() + &line));
        } else {
            lines.append(&mut code(first, &indent, columns));
        }
    }
    lines
}

/// A long line of code, broken where the language allows a line end. What follows the code, an expectation above all, stays
/// on the first line, where its statement begins.
fn code(line: &str, indent: &str, columns: usize) -> Vec<String> {
    let (code, comment) = line.split_at(line.find("//").unwrap_or(line.len()));
    let more = format!("{indent}{}", " ".repeat(INDENT));
    let mut lines: Vec<String> = Vec::new();
    let mut rest = code.trim();
    loop {
        let (indent, comment) = if lines.is_empty() {
            (indent, format!(" {comment}"))
        } else {
            (more.as_str(), String::new())
        };
        let room = columns.saturating_sub(indent.len() + text::width(comment.trim_end()));
        let fits = text::width(rest) <= room;
        let end = breaking_point(rest, room).filter(|_| !fits);
        let (now, later) = rest.split_at(end.unwrap_or(rest.len()));
        let line = format!("{indent}{}{comment}", now.trim_end());
        lines.push(line.trim_end().to_owned());
        rest = later.trim_start();
        if rest.is_empty() {
            return lines;
        }
    }
}

/// The last blank within `columns` after a sign that may end a line; failing that, the last blank of all.
fn breaking_point(line: &str, columns: usize) -> Option<usize> {
    let blanks = || {
        line.match_indices(' ')
            .map(|(at, _)| at)
            .filter(|at| *at > 0 && text::width(&line[..*at]) <= columns)
    };
    let ends = |signs: &[&str]| blanks().rfind(|at| signs.iter().any(|s| line[..*at].ends_with(s)));
    ends(&[";", "{"])
        .or_else(|| ends(&["->", "|", ","]))
        .or_else(|| blanks().next_back())
}
