//! Tables of a few columns that fit the page: heads break before cells do, and the last column takes what is left.

use super::text;

/// Least room that a last column of words has.
const WORDS_LEAST: usize = 16;
/// Where a word of a head may be broken, shown as `-` only there.
const SOFT: char = '\u{ad}';

/// How the cells of a column are set.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(super) enum Set {
    /// Words, from the left.
    Left,
    /// Numbers, to the right.
    Right,
    /// Words in the last column, in as many lines as they take.
    Words,
}

/// A table: heads with how their column is set, and rows of as many cells.
pub(super) struct Table<'h> {
    pub(super) heads: Vec<(&'h str, Set)>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table<'_> {
    /// The lines of the heads, and those of each row. Two blanks are between columns, or one where there is no room for two.
    pub(super) fn lines(&self, columns: usize) -> (Vec<String>, Vec<Vec<String>>) {
        let end = self.heads.len() - 1;
        let words = self.heads[end].1 == Set::Words;
        let fixed = if words { end } else { end + 1 };
        let cells = |column: usize| {
            let cells = self.rows.iter().map(|row| text::width(&row[column]));
            cells.max().unwrap_or(0)
        };
        let whole = |column: usize| cells(column).max(head_width(self.heads[column].0));
        let mut widths: Vec<usize> = (0..fixed).map(whole).collect();
        let least = if words { WORDS_LEAST } else { 0 };
        let taken = |widths: &[usize], gap: usize| widths.iter().sum::<usize>() + gap * end + least;
        // Heads that are wider than their cells give way, the widest first.
        let narrowest: Vec<usize> = (0..fixed)
            .map(|c| cells(c).max(longest_part(self.heads[c].0)))
            .collect();
        while taken(&widths, 2) > columns {
            let able = (0..fixed).filter(|c| widths[*c] > narrowest[*c]);
            let Some(widest) = able.max_by_key(|c| (widths[*c], *c)) else {
                break;
            };
            widths[widest] -= 1;
        }
        let gap = if taken(&widths, 2) > columns { 1 } else { 2 };
        let used = taken(&widths, gap) - least;
        if words {
            widths.push(columns.saturating_sub(used).max(WORDS_LEAST));
        }
        let heads = self.heads.iter().zip(&widths);
        let heads = heads.map(|((head, _), width)| broken(head, *width));
        let heads = self.joined(&heads.collect::<Vec<_>>(), &widths, gap, true);
        let rows = self.rows.iter().map(|row| {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, width))| match self.heads[column].1 {
                Set::Words => text::wrap(cell, *width),
                Set::Left | Set::Right => vec![cell.clone()],
            });
            self.joined(&cells.collect::<Vec<_>>(), &widths, gap, false)
        });
        (heads, rows.collect())
    }

    /// Cells of several lines next to each other. Heads end on one line, other cells begin on one.
    fn joined(
        &self,
        cells: &[Vec<String>],
        widths: &[usize],
        gap: usize,
        low: bool,
    ) -> Vec<String> {
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        let line = |number: usize| {
            let mut line = String::new();
            for (column, (cell, width)) in cells.iter().zip(widths).enumerate() {
                let above = if low { height - cell.len() } else { 0 };
                let part = number.checked_sub(above).and_then(|n| cell.get(n));
                let part = part.map_or("", String::as_str);
                let gap = if column == 0 { 0 } else { gap };
                line.extend(std::iter::repeat_n(' ', gap));
                line += &match self.heads[column].1 {
                    Set::Right => text::right(part, *width),
                    Set::Left | Set::Words => text::left(part, *width),
                };
            }
            line.truncate(line.trim_end().len());
            line
        };
        (0..height).map(line).collect()
    }
}

/// Columns of a head on one line.
fn head_width(head: &str) -> usize {
    text::width(&head.replace(SOFT, ""))
}

/// Columns of the longest part of a head that is not broken, with the sign that shows the break.
fn longest_part(head: &str) -> usize {
    let word = |word: &str| {
        let parts: Vec<&str> = word.split(SOFT).collect();
        let last = parts.len() - 1;
        let parts = parts.iter().enumerate();
        let widths = parts.map(|(at, part)| text::width(part) + usize::from(at < last));
        widths.max().unwrap_or(0)
    };
    head.split(' ').map(word).max().unwrap_or(0)
}

/// A head in lines of at most `width` columns.
fn broken(head: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in head.split(' ') {
        let whole = word.replace(SOFT, "");
        let line = lines.last_mut().expect("there is always a line");
        let used = text::width(line);
        if used > 0 && used + 1 + text::width(&whole) <= width {
            line.push(' ');
            line.push_str(&whole);
            continue;
        }
        if used > 0 {
            lines.push(String::new());
        }
        let parts: Vec<&str> = word.split(SOFT).collect();
        for (at, part) in parts.iter().enumerate() {
            let line = lines.last_mut().expect("there is always a line");
            // Room for the rest, or for this part with the sign of a break.
            let rest: usize = parts[at..].iter().map(|p| text::width(p)).sum();
            let sign = usize::from(at + 1 < parts.len());
            let room = width.saturating_sub(text::width(line));
            if line.is_empty() || rest <= room || text::width(part) + sign <= room {
                line.push_str(part);
            } else {
                line.push('-');
                lines.push((*part).to_owned());
            }
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table<'static> {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        Table {
            heads: vec![
                ("id", Set::Left),
                ("decom\u{ad}pressions", Set::Right),
                ("what it is", Set::Words),
            ],
            rows: vec![row(["gfx#1", "12", "a draw of many words that say a lot"])],
        }
    }

    #[test]
    fn a_table_with_room_keeps_its_heads_whole() {
        let (heads, rows) = table().lines(80);
        assert_eq!(heads, ["id     decompressions  what it is"]);
        assert_eq!(
            rows,
            [["gfx#1              12  a draw of many words that say a lot"]]
        );
    }

    #[test]
    fn heads_break_first_and_words_take_the_rest() {
        let (heads, rows) = table().lines(36);
        assert_eq!(
            heads,
            ["            decom-", "id       pressions  what it is"]
        );
        assert_eq!(
            rows[0],
            [
                "gfx#1           12  a draw of many",
                "                    words that say a",
                "                    lot"
            ]
        );
        let widest = heads.iter().chain(&rows[0]).map(|l| text::width(l)).max();
        assert!(widest <= Some(36));
    }
}
