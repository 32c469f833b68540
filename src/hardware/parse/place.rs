//! Where things are in a profile's text.

use super::read::Mismatch;
use std::ops::Range;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// Something that is wrong in a profile.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Problem {
    /// Index of the text: 0 is the file, 1 what it is based on, and so on.
    pub text: usize,
    /// First byte of what is wrong: a value, a key, or the table that lacks something.
    pub start: Option<usize>,
    /// What is wrong with what.
    pub message: String,
}

impl Problem {
    /// A text that is no TOML.
    pub(super) fn of(error: &toml::de::Error) -> Self {
        Self::in_a_line(error.span().map(|span| span.start), error.message())
    }

    /// A text that is not that of a profile.
    pub(super) fn of_mismatch(wrong: &Mismatch) -> Self {
        Self::in_a_line(wrong.start, &wrong.message)
    }

    fn in_a_line(start: Option<usize>, message: &str) -> Self {
        let mut words = message.split_whitespace();
        let first = words.next().unwrap_or_default().to_owned();
        Self {
            text: 0,
            start,
            message: words.fold(first, |text, word| text + " " + word),
        }
    }
}

/// Problems in the order of the text, each once.
pub(super) fn in_order(mut problems: Vec<Problem>) -> Vec<Problem> {
    let mut sorted: Vec<Problem> = Vec::with_capacity(problems.len());
    problems.sort_by_key(|problem| problem.start);
    for problem in problems {
        if !sorted.contains(&problem) {
            sorted.push(problem);
        }
    }
    sorted
}

/// The way to something in the file: keys, and numbers of rows.
#[derive(Clone, Debug)]
pub(super) struct At {
    steps: Vec<String>,
    /// The last step's key is meant, not its value.
    key: bool,
}

impl At {
    /// Something at the top.
    pub(super) fn of(step: &str) -> Self {
        Self {
            steps: vec![step.to_owned()],
            key: false,
        }
    }

    /// The place of a part of the value.
    #[allow(
        clippy::needless_pass_by_value,
        reason = "a step is a word or a number, and callers read like a path"
    )]
    pub(super) fn to(&self, step: impl ToString) -> Self {
        let mut steps = self.steps.clone();
        steps.push(step.to_string());
        Self { steps, key: false }
    }

    /// A key below that should not be there.
    pub(super) fn key(&self, step: &str) -> Self {
        Self {
            key: true,
            ..self.to(step)
        }
    }
}

/// The places of everything in a text.
pub(super) struct Places<'t> {
    root: Spanned<DeTable<'t>>,
}

impl<'t> Places<'t> {
    pub(super) fn of(root: Spanned<DeTable<'t>>) -> Self {
        Self { root }
    }

    /// Where something starts; if it is missing, where the table or row that should have it starts.
    pub(super) fn start(&self, at: &At) -> Option<usize> {
        let mut table = Some(self.root.get_ref());
        let mut array: Option<&[Spanned<DeValue<'t>>]> = None;
        let mut place: Option<Range<usize>> = None;
        for (index, step) in at.steps.iter().enumerate() {
            let is_last = index + 1 == at.steps.len();
            let value = match (table, array) {
                (Some(table), _) => {
                    let entry = table.iter().find(|(key, _)| key.get_ref() == step);
                    if let (Some((key, _)), true) = (entry, is_last && at.key) {
                        return Some(key.span().start);
                    }
                    entry.map(|(_, value)| value)
                }
                (None, Some(array)) => step.parse().ok().and_then(|i: usize| array.get(i)),
                (None, None) => None,
            };
            let Some(value) = value else { break };
            place = Some(value.span());
            table = match value.get_ref() {
                DeValue::Table(table) => Some(table),
                _ => None,
            };
            array = match value.get_ref() {
                DeValue::Array(array) => Some(array),
                _ => None,
            };
        }
        place.map(|place| place.start)
    }
}
