//! Numbers by their keys: where each comes from, setting one, and what follows from them.

use super::{Costs, Profile, parse};
use crate::time::Ps;

/// A number with its origin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Number {
    /// Value; the key's last word names the unit.
    pub value: u64,
    /// `measured`, `published`, `driver`, `assumed`, or `given` for one set on the command line.
    pub tag: String,
    /// Where it comes from; of `driver` with the version.
    pub source: String,
}

/// Where a table of a profile comes from, or a row of one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// `measured`, `published`, `driver` or `assumed`.
    pub tag: String,
    /// Where it comes from; of `driver` with the version.
    pub source: String,
}

impl Profile {
    /// Replaces a number, as `--set KEY=VALUE` says: `fixed.eop_wait_ns=500`, `L2.line_bytes=64`.
    ///
    /// # Errors
    /// What is wrong with the key or value, and which keys are near.
    pub fn set(&mut self, key: &str, value: &str) -> Result<(), String> {
        let Ok(number) = value.replace('_', "").parse::<u64>() else {
            return Err(format!("`{value}` is not a whole number (for `{key}`)"));
        };
        if !self.numbers.contains_key(key) {
            return Err(format!(
                "the profile `{}` has no number `{key}`; near it are {}",
                self.name,
                self.near(key).join(", ")
            ));
        }
        if let Some(problem) = parse::unusable_value(key, number) {
            return Err(problem);
        }
        self.numbers[key] = Number {
            value: number,
            tag: "given".into(),
            source: "the command line".into(),
        };
        self.derive();
        Ok(())
    }

    /// Keys of the same family, or with the same last word; any six otherwise.
    fn near(&self, key: &str) -> Vec<&str> {
        let family = key.split('.').next().unwrap_or(key);
        let last = key.rsplit('.').next();
        let keys = || self.numbers.keys().map(String::as_str);
        let of_family = keys().filter(|k| k.split('.').next() == Some(family));
        let of_word = keys().filter(|k| k.rsplit('.').next() == last);
        let mut near: Vec<_> = of_family.chain(of_word).take(12).collect();
        if near.is_empty() {
            near = keys().take(6).collect();
        }
        near
    }

    /// Where tables come from, and rows of them (`path.COPY_DEST`), and exceptions (`exception.NAME`).
    pub fn origins(&self) -> impl Iterator<Item = (String, Origin)> {
        let exceptions = self.exceptions.iter().map(|it| {
            let origin = Origin {
                tag: it.tag.clone(),
                source: it.source.clone(),
            };
            (format!("exception.{}", it.name), origin)
        });
        self.origins.iter().cloned().chain(exceptions)
    }

    /// Every number with its key.
    pub fn numbers(&self) -> impl Iterator<Item = (&str, &Number)> {
        self.numbers
            .iter()
            .map(|(key, number)| (key.as_str(), number))
    }

    /// A number in nanoseconds as a time.
    pub fn nanoseconds(&self, key: &str) -> Option<Ps> {
        let number = self.numbers.get(key)?;
        Some(Ps(number.value.saturating_mul(1_000)))
    }

    /// Recomputes what follows from numbers.
    pub(super) fn derive(&mut self) {
        for cache in &mut self.caches {
            let number = |what: &str| self.numbers[&format!("{}.{what}", cache.name)].value;
            cache.line_bytes = number("line_bytes");
            cache.capacity_bytes = number("size_bytes").saturating_mul(number("instances"));
            cache.clean = Ps(number("clean_ns").saturating_mul(1_000));
            cache.invalidate = Ps(number("invalidate_ns").saturating_mul(1_000));
            cache.fill = Ps(number("fill_ns").saturating_mul(1_000));
            cache.bytes_per_s = number("bytes_per_s");
        }
        for drain in &mut self.drains {
            drain.cost = Ps(self.numbers[&drain.key].value.saturating_mul(1_000));
        }
        self.costs = Costs::new(|key| self.numbers[key].value);
    }
}
