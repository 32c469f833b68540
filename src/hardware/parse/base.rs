//! A profile that is based on another: both texts as one table, whose places tell the texts apart.
//!
//! What the file says wins. A table (`[path]`, `[number]`, `[drain]`, …) is merged key by key, and what a key names is replaced
//! as a whole, so that a number keeps no source that was another number's. Rows of a list (`[[cache]]`, `[[layout_op]]`,
//! `[[exception]]`) are merged by their `id` or `name`: of a row that both have, the keys that the file gives are replaced; other
//! rows are added at the end. A list of rows without such a key is replaced. `name`, `aliases` and `base` are never inherited.

use super::place::Problem;
use toml::Spanned;
use toml::de::{DeArray, DeTable, DeValue};

/// What is the file's own.
const OWN: [&str; 3] = ["name", "aliases", "base"];
/// What names a row of a list.
const ROW_NAMES: [&str; 2] = ["id", "name"];

/// The profile that a file is based on, and where the file says so.
pub(in crate::hardware) fn base(text: &str) -> Option<(String, usize)> {
    let root = DeTable::parse(text).ok()?;
    let value = root.get_ref().get("base")?;
    Some((value.get_ref().as_str()?.to_owned(), value.span().start))
}

/// Texts joined into one that is as long, so that a place names its text: a file, what it is based on, and so on.
pub(super) struct Texts {
    /// Each text after as many blanks as the texts before it are long.
    padded: Vec<String>,
    /// Where each text begins.
    starts: Vec<usize>,
}

impl Texts {
    pub(super) fn of(texts: &[&str]) -> Self {
        let mut at = 0;
        let mut starts = Vec::with_capacity(texts.len());
        let mut padded = Vec::with_capacity(texts.len());
        for text in texts {
            starts.push(at);
            padded.push(" ".repeat(at) + text);
            at += text.len() + 1;
        }
        Self { padded, starts }
    }

    /// The table of all, or what is no TOML.
    pub(super) fn merged(&self) -> Result<Spanned<DeTable<'_>>, Problem> {
        let mut tables = Vec::with_capacity(self.padded.len());
        for text in &self.padded {
            tables.push(DeTable::parse(text).map_err(|error| Problem::of(&error))?);
        }
        let mut merged = tables
            .pop()
            .unwrap_or_else(|| Spanned::new(0..0, DeTable::new()));
        while let Some(own) = tables.pop() {
            let mut table = merged.into_inner();
            for word in OWN {
                table.remove(word);
            }
            let span = own.span();
            for (key, value) in own.into_inner() {
                let below = table.remove(key.get_ref().as_ref());
                table.insert(key, over(below, value));
            }
            merged = Spanned::new(span, table);
        }
        Ok(merged)
    }

    /// The same place in its own text, by the text's index.
    pub(super) fn place(&self, mut problem: Problem) -> Problem {
        if let Some(start) = problem.start {
            let text = self.starts.partition_point(|at| *at <= start).max(1) - 1;
            problem.text = text;
            problem.start = Some(start - self.starts[text]);
        }
        problem
    }
}

/// A value of a file over that of its base.
fn over<'t>(
    below: Option<Spanned<DeValue<'t>>>,
    value: Spanned<DeValue<'t>>,
) -> Spanned<DeValue<'t>> {
    let Some(below) = below else { return value };
    let span = value.span();
    let merged = match (below.into_inner(), value.into_inner()) {
        (DeValue::Table(mut table), DeValue::Table(own)) => {
            lay(&mut table, own);
            DeValue::Table(table)
        }
        (DeValue::Array(rows), DeValue::Array(own)) if own.iter().all(|r| name_of(r).is_some()) => {
            DeValue::Array(joined(rows, own))
        }
        (_, own) => own,
    };
    Spanned::new(span, merged)
}

/// Keys with their values in place of what a table has of them.
fn lay<'t>(table: &mut DeTable<'t>, own: DeTable<'t>) {
    for (key, value) in own {
        // The key too, for its place.
        table.remove(key.get_ref().as_ref());
        table.insert(key, value);
    }
}

/// Rows of a base with those of a file.
fn joined<'t>(rows: DeArray<'t>, own: DeArray<'t>) -> DeArray<'t> {
    let mut all: Vec<Spanned<DeValue<'t>>> = rows.into_iter().collect();
    for row in own {
        let same = all.iter().position(|below| name_of(below) == name_of(&row));
        let Some(at) = same else {
            all.push(row);
            continue;
        };
        let span = row.span();
        let below = std::mem::replace(&mut all[at], Spanned::new(0..0, DeValue::Boolean(false)));
        all[at] = match (below.into_inner(), row.into_inner()) {
            (DeValue::Table(mut table), DeValue::Table(own)) => {
                lay(&mut table, own);
                Spanned::new(span, DeValue::Table(table))
            }
            (_, own) => Spanned::new(span, own),
        };
    }
    all.into_iter().collect()
}

/// What names a row, if anything does.
fn name_of<'v>(row: &'v Spanned<DeValue<'_>>) -> Option<&'v str> {
    let table = row.get_ref().as_table()?;
    ROW_NAMES
        .iter()
        .find_map(|word| table.get(*word)?.get_ref().as_str())
}
