//! Time as integer picoseconds; how times and sizes are shown.
//!
//! 64 bits of picoseconds reach 213 days, and the reciprocal of a GPU clock is rounded by less than one picosecond.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign, Sub};

/// A moment or a duration, in picoseconds.
#[derive(
    Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Ps(pub u64);

#[cfg(test)]
impl schemars::JsonSchema for Ps {
    fn inline_schema() -> bool {
        u64::inline_schema()
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        u64::schema_name()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        u64::json_schema(generator)
    }
}

impl Ps {
    /// No time.
    pub const ZERO: Self = Self(0);
    /// Later than everything.
    pub const MAX: Self = Self(u64::MAX);

    /// Whole nanoseconds.
    pub const fn from_ns(ns: u64) -> Self {
        Self(ns * 1_000)
    }

    /// A time with a unit such as `12.5us`; decimals are allowed down to one picosecond. `integer` reads what is before the
    /// point.
    pub fn parse(text: &str, integer: impl Fn(&str) -> Option<u64>) -> Option<Self> {
        const UNITS: [(&str, u64); 4] = [
            ("ps", 1),
            ("ns", 1_000),
            ("us", 1_000_000),
            ("ms", 1_000_000_000),
        ];
        let (number, unit) = UNITS
            .iter()
            .find_map(|(word, ps)| Some((text.strip_suffix(word)?, *ps)))?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let mut ps = integer(whole)?.checked_mul(unit)?;
        let mut digit_ps = unit;
        for c in fraction.chars() {
            let digit = u64::from(c.to_digit(10)?);
            digit_ps /= 10;
            if digit_ps == 0 && digit != 0 {
                return None;
            }
            ps = ps.checked_add(digit * digit_ps)?;
        }
        Some(Self(ps))
    }

    /// The same time in nanoseconds, for printing.
    #[allow(clippy::cast_precision_loss, reason = "printing shows a few digits")]
    pub fn as_ns(self) -> f64 {
        self.0 as f64 / 1e3
    }

    /// The time in the largest unit that divides it, as [`parse`](Self::parse) reads it.
    pub fn in_whole_units(self) -> String {
        for (unit, ps) in [("ms", 1_000_000_000), ("us", 1_000_000), ("ns", 1_000)] {
            if self.0 != 0 && self.0.is_multiple_of(ps) {
                return format!("{}{unit}", self.0 / ps);
            }
        }
        format!("{}ps", self.0)
    }

    /// `self - other`, or zero when `other` is later.
    #[must_use]
    pub fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// Time that `amount` units take at `per_second` units a second, rounded up. `per_second` zero means no time.
    pub fn for_amount(amount: u64, per_second: u64) -> Self {
        const SECOND: u64 = 1_000_000_000_000;
        if per_second == 0 {
            return Self::ZERO;
        }
        // Mostly 64 bits are enough, and they divide much faster.
        if let Some(product) = amount.checked_mul(SECOND) {
            return Self(product.div_ceil(per_second));
        }
        let ps = (u128::from(amount) * u128::from(SECOND)).div_ceil(u128::from(per_second));
        Self(u64::try_from(ps).unwrap_or(u64::MAX))
    }
}

/// A number of bytes in the largest binary unit that keeps it above one: `15.8 MiB`.
#[allow(
    clippy::cast_precision_loss,
    reason = "one decimal is printed, and a double has fifteen"
)]
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let unit = (bytes.max(1).ilog2() / 10).min(4) as usize;
    if unit == 0 {
        return format!("{bytes} B");
    }
    let value = bytes as f64 / (1_u64 << (10 * unit)) as f64;
    format!("{value:.1} {}", UNITS[unit])
}

/// A number of bytes in words, with its size where that is easier to read: `16588800 bytes (15.8 MiB)`.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".to_owned(),
        0..1024 => format!("{n} bytes"),
        _ => format!("{n} bytes ({})", size(n)),
    }
}

impl Add for Ps {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for Ps {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sub for Ps {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        assert!(self >= other, "time never goes back: {self} - {other}");
        Self(self.0 - other.0)
    }
}

impl Sum for Ps {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

impl fmt::Display for Ps {
    /// The shortest of `ps`, `ns`, `us`, `ms`, `s` that keeps three significant digits.
    #[allow(clippy::cast_precision_loss, reason = "three or four digits are shown")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ps = self.0;
        match ps {
            0 => write!(f, "0 ns"),
            1..1_000 => write!(f, "{ps} ps"),
            1_000..1_000_000 => write!(f, "{:.1} ns", ps as f64 / 1e3),
            1_000_000..1_000_000_000 => write!(f, "{:.2} us", ps as f64 / 1e6),
            1_000_000_000..1_000_000_000_000 => write!(f, "{:.3} ms", ps as f64 / 1e9),
            _ => write!(f, "{:.2} s", ps as f64 / 1e12),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_read_down_to_one_picosecond() {
        let read = |text| Ps::parse(text, |whole| whole.parse().ok());
        assert_eq!(read("12.5us"), Some(Ps(12_500_000)));
        assert_eq!(read("1.0010ns"), Some(Ps(1_001)));
        for wrong in ["1.0001ns", "0.5ps", "1", "ns", "1.xns", "20000000000ms"] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn numbers_are_shown_in_the_unit_that_fits() {
        let times = [
            (0, "0 ns"),
            (999, "999 ps"),
            (1_500, "1.5 ns"),
            (2_500_000, "2.50 us"),
        ];
        for (ps, shown) in times {
            assert_eq!(Ps(ps).to_string(), shown);
        }
        assert_eq!(Ps(999_000_000_000).to_string(), "999.000 ms");
        assert_eq!(Ps(3_220_002_000_000).to_string(), "3.22 s");
        assert_eq!(bytes(1), "1 byte");
        assert_eq!(bytes(1023), "1023 bytes");
        assert_eq!(bytes(16_588_800), "16588800 bytes (15.8 MiB)");
        assert_eq!(size(4096), "4.0 KiB");
    }
}
