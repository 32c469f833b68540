//! Integers, sizes, durations, extents.

use super::super::hints;
use super::super::lexer::Token;
use super::super::rules;
use super::{DURATION_PS_MAX, Parsed, Parser};
use crate::finding::Span;
use crate::time::Ps;
use crate::tokens::shown;

/// An integer: decimal or `0x…`, with `_`.
pub(super) fn integer(text: &str) -> Option<u64> {
    let (digits, radix) = match text.strip_prefix("0x") {
        Some(hex) => (hex, 16_u32),
        None => (text, 10),
    };
    number(digits.as_bytes(), radix)
}

/// Digits with `_` between.
fn number(digits: &[u8], radix: u32) -> Option<u64> {
    let mut value: u64 = 0;
    let mut any = false;
    for byte in digits {
        if *byte == b'_' {
            continue;
        }
        any = true;
        value = value
            .checked_mul(u64::from(radix))?
            .checked_add(u64::from(char::from(*byte).to_digit(radix)?))?;
    }
    any.then_some(value)
}

/// A size: an integer with an optional unit.
fn size(text: &str) -> Option<u64> {
    const UNITS: [(&str, u32); 4] = [("KiB", 10), ("MiB", 20), ("GiB", 30), ("B", 0)];
    if !text.starts_with("0x") {
        for (unit, shift) in UNITS {
            if let Some(number) = text.strip_suffix(unit) {
                return integer(number)?.checked_mul(1 << shift);
            }
        }
    }
    integer(text)
}

fn duration(text: &str) -> Option<u64> {
    Ps::parse(text, integer).map(|time| time.0)
}

/// An extent `AxB` or `AxBxC`: how many parts, and the parts (1 where absent).
fn extent(text: &str) -> Option<(usize, [u32; 3])> {
    if text.starts_with("0x") {
        return None;
    }
    let mut parts = [1; 3];
    let mut count = 0;
    for part in text.as_bytes().split(|byte| *byte == b'x') {
        if count == 3 || part.starts_with(b"0") && part.len() > 1 {
            return None;
        }
        parts[count] = u32::try_from(number(part, 10)?).ok()?;
        count += 1;
    }
    Some((count, parts))
}

impl Parser<'_, '_> {
    fn number<T>(&mut self, what: &str, read: impl Fn(&str) -> Option<T>) -> Parsed<(T, Span)> {
        if self.token != Token::Number {
            return Err(self.unexpected(what));
        }
        let (text, span) = (self.slice(), self.span);
        let Some(value) = read(text) else {
            let shown = shown(text);
            return Err(self.error(
                &rules::BAD_VALUE,
                span,
                format!("expected {what}, found {shown}"),
                None,
            ));
        };
        self.bump();
        Ok((value, span))
    }

    /// An integer up to `max`.
    pub(super) fn integer(&mut self, what: &str, max: u64) -> Parsed<u64> {
        let (value, span) = self.number(what, integer)?;
        self.limited(value, max, what, span)
    }

    /// An integer of 32 bits.
    pub(super) fn integer32(&mut self, what: &str) -> Parsed<u32> {
        self.integer_to(what, u32::MAX)
    }

    /// An integer up to `max`, which has 32 bits.
    pub(super) fn integer_to(&mut self, what: &str, max: u32) -> Parsed<u32> {
        let value = self.integer(what, u64::from(max))?;
        Ok(u32::try_from(value).expect("the value is at most `max`"))
    }

    /// A size in bytes up to `max`.
    pub(super) fn size(&mut self, what: &str, max: u64) -> Parsed<u64> {
        let units = "sizes are whole numbers of B, KiB, MiB or GiB";
        let (value, span) = self.measure((what, max), units, size, hints::size)?;
        self.limited(value, max, what, span)
    }

    /// A duration such as `12.5us`.
    pub(super) fn duration(&mut self) -> Parsed<Ps> {
        let what = "a duration such as `12.5us`";
        let units = "durations have the units ps, ns, us and ms";
        let (value, span) =
            self.measure((what, DURATION_PS_MAX), units, duration, hints::duration)?;
        Ok(Ps(self.limited(value, DURATION_PS_MAX, what, span)?))
    }

    /// A number with a unit, and the most that it may be. `meant` knows other units, and those that follow after a blank.
    fn measure(
        &mut self,
        (what, max): (&str, u64),
        units: &str,
        read: fn(&str) -> Option<u64>,
        meant: fn(&str, Option<&str>) -> Option<String>,
    ) -> Parsed<(u64, Span)> {
        if self.token != Token::Number {
            return Err(self.unexpected(what));
        }
        let (text, span) = (self.slice(), self.span);
        let value = read(text);
        self.bump();
        let after = (self.token == Token::Word).then(|| self.slice());
        let is_complete = text.ends_with(|c: char| c.is_ascii_alphabetic());
        let apart = after.filter(|word| !is_complete && meant(text, Some(word)).is_some());
        if let (Some(value), None) = (value, apart) {
            return Ok((value, span));
        }
        let shown = shown(text);
        let right = meant(text, after);
        if apart.is_none() && right.as_deref() == Some(text) {
            // Nothing is wrong with how it is written.
            let message = format!("{shown} is too large for {what}: the limit is {max}");
            let help = format!("write at most {max}");
            return Err(self.error(&rules::LIMIT_EXCEEDED, span, message, help));
        }
        let (message, place) = match apart {
            Some(word) => (
                format!("`{text} {word}` has a blank before its unit"),
                span.to(self.span),
            ),
            None => (format!("expected {what}, found {shown}"), span),
        };
        let help = match right {
            Some(meant) => format!("write `{meant}`: {units}"),
            None => units.to_owned(),
        };
        Err(self.error(&rules::BAD_VALUE, place, message, help))
    }

    /// An extent of `least..=most` parts.
    pub(super) fn extent(
        &mut self,
        what: &str,
        least: usize,
        most: usize,
    ) -> Parsed<([u32; 3], Span)> {
        let ((count, parts), span) = self.number(what, extent)?;
        if count < least || count > most || parts.contains(&0) {
            let shown = shown(&self.text[span.start as usize..span.end as usize]);
            return Err(self.error(
                &rules::BAD_VALUE,
                span,
                format!("expected {what}, found {shown}"),
                None,
            ));
        }
        Ok((parts, span))
    }

    /// Says so if a number is beyond its limit.
    pub(super) fn limited(&mut self, value: u64, max: u64, what: &str, span: Span) -> Parsed<u64> {
        if value <= max {
            return Ok(value);
        }
        Err(self.error(
            &rules::LIMIT_EXCEEDED,
            span,
            format!("{value} is too large for {what}: the limit is {max}"),
            format!("write at most {max}"),
        ))
    }
}
