//! A table of a page, laid out for a terminal: every column gives way, the widest first, and cells are broken at blanks.

use super::layout::without_links;
use crate::report::text;

/// Blanks between two columns.
const GAP: usize = 2;
/// Least room of a column whose words are longer than that.
const LEAST: usize = 8;

/// A table of Markdown.
pub(super) struct Table {
    /// The heads first, then the rows; each as many cells.
    rows: Vec<Vec<String>>,
    /// Whether a column is set to the right.
    right: Vec<bool>,
}

impl Table {
    /// Reads the lines of a table: heads, how columns are set, rows.
    pub(super) fn of(lines: &[&str]) -> Self {
        let mut rows: Vec<Vec<String>> = lines.iter().map(|line| cells(line)).collect();
        let set = if rows.len() > 1 {
            rows.remove(1)
        } else {
            Vec::new()
        };
        let columns = rows[0].len();
        for row in &mut rows {
            row.resize(columns, String::new());
        }
        let is_right = |column| set.get(column).is_some_and(|it: &String| it.ends_with(':'));
        Self {
            right: (0..columns).map(is_right).collect(),
            rows,
        }
    }

    /// Its lines in at most `columns` columns.
    pub(super) fn lines(&self, columns: usize) -> Vec<String> {
        let widths = self.widths(columns);
        let mut lines = Vec::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cells: Vec<Vec<String>> = row
                .iter()
                .zip(&widths)
                .map(|(cell, width)| text::wrap(cell, *width))
                .collect();
            let height = cells.iter().map(Vec::len).max().unwrap_or(0);
            for at in 0..height {
                let parts = cells.iter().zip(&widths).zip(&self.right);
                let parts = parts.map(|((cell, width), right)| {
                    let part = cell.get(at).map_or("", String::as_str);
                    if *right {
                        text::right(part, *width)
                    } else {
                        text::left(part, *width)
                    }
                });
                let line = parts.collect::<Vec<_>>().join(&" ".repeat(GAP));
                lines.push(line.trim_end().to_owned());
            }
            if number == 0 {
                let rules = widths.iter().map(|width| "-".repeat(*width));
                lines.push(rules.collect::<Vec<_>>().join(&" ".repeat(GAP)));
            }
        }
        lines
    }

    /// Columns of each column: what its cells take, or less where the page has no room for all.
    fn widths(&self, columns: usize) -> Vec<usize> {
        let of = |column: usize, measure: fn(&str) -> usize| {
            let cells = self.rows.iter().map(|row| measure(&row[column]));
            cells.max().unwrap_or(0).max(1)
        };
        let longest = |cell: &str| cell.split(' ').map(text::width).max().unwrap_or(0);
        let all = 0..self.right.len();
        let mut widths: Vec<usize> = all.clone().map(|it| of(it, text::width)).collect();
        let words: Vec<usize> = all.clone().map(|it| of(it, longest)).collect();
        let room = columns.saturating_sub(GAP * widths.len().saturating_sub(1));
        // First only between words, then inside them.
        let narrow: Vec<usize> = words.iter().map(|it| (*it).min(LEAST)).collect();
        for least in [&words, &narrow] {
            while widths.iter().sum::<usize>() > room {
                let able = all.clone().filter(|it| widths[*it] > least[*it]);
                let Some(widest) = able.max_by_key(|it| (widths[*it], *it)) else {
                    break;
                };
                widths[widest] -= 1;
            }
        }
        widths
    }
}

/// The cells of a line, without links and without the signs of code.
fn cells(line: &str) -> Vec<String> {
    let inner = line.trim().trim_start_matches('|').replace("\\|", "\u{0}");
    let inner = inner.strip_suffix('|').unwrap_or(&inner).to_owned();
    let cell = |cell: &str| {
        let plain = without_links(cell.trim()).replace(['`', '*'], "");
        plain.replace('\u{0}', "|")
    };
    inner.split('|').map(cell).collect()
}

#[cfg(test)]
mod tests {
    use super::Table;

    #[test]
    fn columns_give_way_between_words_first() {
        let rows = [
            "| name | what it is |",
            "|---|---:|",
            "| [`one`](one.md) | a few words \\| more |",
            "| two | |",
        ];
        let table = Table::of(&rows);
        let wide =
            "name          what it is\n----  ------------------\none   a few words | more\ntwo";
        assert_eq!(table.lines(60).join("\n"), wide);
        let narrow =
            "name    what it is\n----  ------------\none    a few words\n            | more\ntwo";
        assert_eq!(table.lines(18).join("\n"), narrow);
    }
}
