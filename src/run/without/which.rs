//! Which barrier of the text a word names: the id of one of its executions, the call that only it is in, or its line.

use super::Entry;
use crate::pipeline::Unusable;

/// Ids that a message names.
const NEAR: usize = 3;

/// The index of the barrier that `word` names: `gfx#2.0`, `gfx#2` where the call has one barrier, or `24`, its line.
///
/// # Errors
/// If it names none, or several.
pub(super) fn named(word: &str, all: &[Entry], file: &str) -> Result<usize, Unusable> {
    if all.is_empty() {
        return Err(Unusable::new(
            format!("`{file}` has no barrier"),
            "without one there is nothing to leave out",
        ));
    }
    let by_id = |id: &str| all.iter().position(|e| e.ids.iter().any(|own| own == id));
    if let Some(found) = by_id(word) {
        return Ok(found);
    }
    let line = word.strip_prefix("line ").unwrap_or(word).parse::<u32>();
    let is_meant = |entry: &Entry| match line {
        Ok(line) => entry.line == line || entry.end_line == Some(line),
        Err(_) => entry.ids.iter().any(|id| call(id) == word),
    };
    let meant: Vec<usize> = (0..all.len()).filter(|at| is_meant(&all[*at])).collect();
    match (meant.as_slice(), line) {
        ([one], _) => Ok(*one),
        ([], Ok(line)) => Err(Unusable::new(
            format!("there is no barrier at line {line} of `{file}`"),
            near_lines(line, all),
        )),
        ([], Err(_)) => Err(Unusable::new(
            format!("`{file}` has no barrier `{word}`"),
            near_ids(word, all),
        )),
        (several, _) => {
            let names = several.iter().map(|at| all[*at].name());
            Err(Unusable::new(
                format!("`{word}` names {} barriers", several.len()),
                format!("name one of {}", list(names)),
            ))
        }
    }
}

/// `gfx#2` of `gfx#2.0`.
fn call(id: &str) -> &str {
    id.rsplit_once('.').map_or(id, |(call, _)| call)
}

fn near_ids(word: &str, all: &[Entry]) -> String {
    let mut ids: Vec<&str> = all
        .iter()
        .flat_map(|e| e.ids.iter().map(String::as_str))
        .collect();
    // Stable: of those as near as each other, the first in the text.
    ids.sort_by_key(|id| strsim::osa_distance(word, id));
    if ids.is_empty() {
        return "no barrier is executed: name one by its line".to_owned();
    }
    let names = ids.into_iter().take(NEAR).map(str::to_owned);
    format!("did you mean {}?", list(names))
}

fn near_lines(line: u32, all: &[Entry]) -> String {
    let mut near: Vec<&Entry> = all.iter().collect();
    near.sort_by_key(|entry| entry.line.abs_diff(line));
    let mut lines: Vec<u32> = Vec::new();
    for entry in near {
        if !lines.contains(&entry.line) && lines.len() < NEAR {
            lines.push(entry.line);
        }
    }
    let names = lines.iter().map(u32::to_string);
    format!("barriers near it are at line {}", list(names))
}

/// `a`, `b` or `c`.
fn list(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.map(|name| format!("`{name}`")).collect();
    match names.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} or {last}", before.join(", ")),
        Some((only, _)) => only.clone(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::named;
    use crate::run::without::Entry;

    fn entry(ids: &[&str], line: u32, end_line: Option<u32>) -> Entry {
        Entry {
            ids: ids.iter().map(|id| (*id).to_owned()).collect(),
            line,
            end_line,
            resource: String::new(),
        }
    }

    #[test]
    fn a_barrier_is_named_by_an_id_a_call_or_a_line() {
        let all = [
            entry(&["gfx#2.0", "gfx#4.0"], 14, Some(20)),
            entry(&["gfx#6.0"], 30, None),
            entry(&["gfx#6.1"], 31, None),
            entry(&[], 40, None),
        ];
        let found = |word| named(word, &all, "a.scn");
        for (word, at) in [
            ("gfx#4.0", 0),
            ("gfx#2", 0),
            ("20", 0),
            ("line 31", 2),
            ("40", 3),
        ] {
            assert_eq!(found(word), Ok(at), "{word}");
        }
        let said = |word| found(word).expect_err("no barrier").to_string();
        assert_eq!(
            said("gfx#6"),
            "`gfx#6` names 2 barriers: name one of `gfx#6.0` or `gfx#6.1`"
        );
        assert_eq!(
            said("gfx#3.0"),
            "`a.scn` has no barrier `gfx#3.0`: did you mean `gfx#2.0`, `gfx#4.0` or `gfx#6.0`?"
        );
        assert_eq!(
            said("29"),
            "there is no barrier at line 29 of `a.scn`: barriers near it are at line `30`, `31` or `40`"
        );
    }
}
