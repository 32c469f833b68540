//! Fitting text into columns: display width, ellipsis, wrapping. Knows nothing of reports.

use std::borrow::Cow;
use std::fmt::Display;
use std::mem::take;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// Columns of a line where nobody says how many there are: the output is no terminal.
pub const COLUMNS: usize = 100;
/// Fewest columns that a page is laid out for: a table of numbers takes that much.
pub const COLUMNS_LEAST: usize = 72;
/// Most columns that a page is laid out for.
pub const COLUMNS_MOST: usize = 1000;

/// Columns that a text without escape sequences takes.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Whether a character turns the direction of the text around it and is not seen itself.
fn turns(c: char) -> bool {
    matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// The text with bidirectional control characters written as their escapes (`\u{202e}`): what is read is what is there.
pub fn straight(text: &str) -> Cow<'_, str> {
    if !text.contains(turns) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if turns(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    Cow::Owned(out)
}

/// The text without control characters, which would move the cursor or change the terminal's state.
pub fn clean(text: &str) -> String {
    straight(text)
        .chars()
        .map(|c| match c {
            '\t' | '\n' => ' ',
            c if c.is_control() => '\u{fffd}',
            c => c,
        })
        .collect()
}

/// The text in at most `columns` columns, its end replaced by `…` if it is longer.
pub fn ellipsis(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 0;
    for c in text.chars() {
        let w = c.width().unwrap_or(0);
        if used + w + 1 > columns {
            break;
        }
        used += w;
        out.push(c);
    }
    if columns > 0 {
        out.push('…');
    }
    out
}

/// The text in at most `columns` columns, its beginning replaced by `…`: for paths, whose end says most.
pub fn ellipsis_left(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut kept = Vec::new();
    let mut used = 1;
    for c in text.chars().rev() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        kept.push(c);
    }
    kept.push('…');
    kept.iter().rev().collect()
}

/// The text followed by blanks up to `columns`, or cut with `…`.
pub fn left(text: &str, columns: usize) -> String {
    let mut out = ellipsis(text, columns);
    out.extend(std::iter::repeat_n(' ', columns - width(&out)));
    out
}

/// Blanks and then the text, in `columns` columns.
pub fn right(text: &str, columns: usize) -> String {
    let text = ellipsis(text, columns);
    let mut out = " ".repeat(columns - width(&text));
    out.push_str(&text);
    out
}

/// A line in lines of at most `columns`; those after the first begin two columns after where it begins.
pub fn hung(line: &str, columns: usize) -> Vec<String> {
    let bare = line.trim_start();
    if width(line) <= columns {
        return vec![line.to_owned()];
    }
    let indent = line.len() - bare.len();
    let room = columns.saturating_sub(indent + 2).max(20);
    let mut lines = wrap(bare, room);
    for (at, line) in lines.iter_mut().enumerate() {
        line.insert_str(0, &" ".repeat(indent + if at > 0 { 2 } else { 0 }));
    }
    lines
}

/// The text in lines of at most `columns`, broken at blanks (not at no-break ones), and inside a word only where it is too long for a line.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    let mut used = 0;
    for word in text
        .split([' ', '\n', '\t'])
        .filter(|word| !word.is_empty())
    {
        let needed = width(word);
        if used > 0 && used + 1 + needed <= columns {
            line.push(' ');
            used += 1;
        } else if used > 0 {
            lines.push(take(&mut line));
            used = 0;
        }
        // A mask that is longer than a line breaks after one of its bits, not inside a name.
        let mut after_bit = None;
        for c in word.chars() {
            let w = c.width().unwrap_or(0);
            if used + w > columns {
                let rest = after_bit.take().map(|at| line.split_off(at));
                lines.push(take(&mut line));
                line = rest.unwrap_or_default();
                used = width(&line);
            }
            line.push(c);
            used += w;
            if c == '|' {
                after_bit = Some(line.len());
            }
        }
    }
    lines.push(line);
    lines
}

/// A line of scenario text in lines of at most `columns`, which say the same: what is too long is broken at the braces and
/// semicolons of its outermost block first. A statement that is too long by itself stays on its line.
pub fn folded(line: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    fold(line, columns, &mut lines);
    lines
}

fn fold(line: &str, columns: usize, lines: &mut Vec<String>) {
    let bare = line.trim_start();
    let indent = &line[..line.len() - bare.len()];
    let block = Some(line).filter(|line| width(line) > columns);
    let Some((head, inner, tail)) = block.and_then(block_of) else {
        lines.push(line.to_owned());
        return;
    };
    lines.push(format!("{head}{{"));
    for statement in statements(inner) {
        fold(&format!("{indent}  {statement}"), columns, lines);
    }
    fold(&format!("{indent}}}{tail}"), columns, lines);
}

/// What is before the first block of a line, in it, and after it; nothing if it does not end on the line, or says nothing.
fn block_of(line: &str) -> Option<(&str, &str, &str)> {
    let marks = marks(line);
    let first = marks.iter().position(|(_, mark)| *mark == '{')?;
    let mut depth = 0;
    for (at, mark) in &marks[first..] {
        match mark {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let start = marks[first].0;
            let inner = line[start + 1..*at].trim();
            return (!inner.is_empty()).then_some((&line[..start], inner, &line[at + 1..]));
        }
    }
    None
}

/// The statements of a block: what is between semicolons that are in no block inside it.
fn statements(inner: &str) -> Vec<&str> {
    let (mut depth, mut start) = (0, 0);
    let mut found = Vec::new();
    for (at, mark) in marks(inner) {
        match mark {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ if depth == 0 => {
                found.push(inner[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(inner[start..].trim());
    found.retain(|statement| !statement.is_empty());
    found
}

/// Braces and semicolons of a line that are in no string and no comment, with their places.
fn marks(line: &str) -> Vec<(usize, char)> {
    let mut marks = Vec::new();
    let (mut quoted, mut previous) = (false, ' ');
    for (at, c) in line.char_indices() {
        match c {
            '"' if previous != '\\' => quoted = !quoted,
            '/' if previous == '/' && !quoted => return marks,
            '{' | '}' | ';' if !quoted => marks.push((at, c)),
            _ => {}
        }
        previous = if (previous, c) == ('\\', '\\') {
            ' '
        } else {
            c
        };
    }
    marks
}

/// A whole line with colour escapes, cut to `columns`: the last resort that holds the limit whatever a part does.
pub fn clip(line: &str, columns: usize) -> String {
    let line = &*straight(line);
    let mut out = String::with_capacity(line.len());
    let mut used = 0;
    let mut chars = line.chars();
    let mut styled = false;
    let fits = visible_width(line) <= columns;
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            styled = true;
            out.push(c);
            for c in chars.by_ref() {
                out.push(c);
                if c.is_ascii_alphabetic() {
                    break;
                }
            }
            continue;
        }
        let w = c.width().unwrap_or(0);
        if !fits && used + w + 1 > columns {
            out.push('…');
            if styled {
                out.push_str("\u{1b}[0m");
            }
            break;
        }
        used += w;
        out.push(c);
    }
    out
}

/// Columns that a line takes, escape sequences not counted.
pub fn visible_width(line: &str) -> usize {
    let mut used = 0;
    let mut chars = line.chars();
    while let Some(c) = chars.next() {
        if c == '\u{1b}' {
            chars.by_ref().find(char::is_ascii_alphabetic);
        } else {
            used += c.width().unwrap_or(0);
        }
    }
    used
}

/// The line in ASCII: signs of our own by their nearest sign, others by `?`.
pub fn ascii(line: &str) -> String {
    line.chars()
        .map(|c| match c {
            c if c.is_ascii() => c,
            '…' => '~',
            '—' | '–' | '─' => '-',
            '┼' => '+',
            '×' => 'x',
            '→' => '>',
            _ => '?',
        })
        .collect()
}

/// `1 hazard`, `2 hazards`.
pub fn count<N: Copy + Display + PartialEq + From<u8>>(n: N, one: &str, many: &str) -> String {
    let noun = if n == N::from(1) { one } else { many };
    format!("{n} {noun}")
}

/// The candidates nearest to a mistyped word, nearest first; empty if none is near.
pub fn near<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let lower = word.to_ascii_lowercase();
    let mut found: Vec<(usize, &str)> = candidates
        .into_iter()
        .map(|c| (strsim::levenshtein(&lower, &c.to_ascii_lowercase()), c))
        .filter(|(d, c)| *d <= 1 + c.len().min(word.len()) / 4)
        .collect();
    found.sort_by_key(|(d, _)| *d);
    found.truncate(3);
    found.into_iter().map(|(_, c)| c).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_breaks_after_a_bit() {
        let text = "lacks VERTEX_SHADING|PIXEL_SHADING|COPY now";
        let expected = ["lacks", "VERTEX_SHADING|", "PIXEL_SHADING|COPY", "now"];
        assert_eq!(wrap(text, 20), expected);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
    }

    #[test]
    fn what_turns_the_direction_is_written_out() {
        assert_eq!(clean("a\u{202e}b\u{7}"), "a\\u{202e}b\u{fffd}");
        assert_eq!(clip("\u{2066}x", 20), "\\u{2066}x");
        assert_eq!(straight("plain"), "plain");
    }

    #[test]
    fn wide_characters_count_as_two_columns() {
        assert_eq!(ellipsis("日本語の名前", 7), "日本語…");
        assert_eq!(width(&left("日本", 7)), 7);
    }

    #[test]
    fn wrapping_keeps_every_word_and_the_limit() {
        let lines = wrap("one two three-is-a-very-long-word four", 8);
        assert!(lines.iter().all(|l| width(l) <= 8));
        assert_eq!(
            lines.concat().replace(' ', ""),
            "onetwothree-is-a-very-long-wordfour"
        );
    }

    #[test]
    fn clipping_leaves_escapes_whole() {
        let line = clip("\u{1b}[1mabcdefgh\u{1b}[0m", 4);
        assert_eq!(line, "\u{1b}[1mabc…\u{1b}[0m");
    }

    #[test]
    fn near_names_are_found() {
        assert_eq!(near("rdan", ["rdna", "turing", "apple"]), ["rdna"]);
        assert!(near("nothing-like-it", ["rdna"]).is_empty());
    }
}
