//! Columns and times: the scale of a timeline, and its axis.

use super::super::{FAINT, Page};
use crate::report::text::width;
use crate::time::Ps;
use std::io;

/// A time as columns of the page.
#[derive(Copy, Clone)]
pub(super) struct Scale {
    /// The time that all columns show.
    pub(super) whole: Ps,
    pub(super) columns: usize,
}

impl Scale {
    /// Times in units of a column's share of the whole, without rounding.
    pub(super) fn scaled(self, time: Ps) -> u128 {
        u128::from(time.0) * self.columns as u128
    }

    /// The unit of [`scaled`](Self::scaled) times: a column.
    pub(super) fn unit(self) -> u128 {
        u128::from(self.whole.0.max(1))
    }

    /// The column in which a time is.
    pub(super) fn column(self, time: Ps) -> usize {
        narrow(self.scaled(time) / self.unit()).min(self.columns - 1)
    }

    /// The columns that a time from `start` to `end` touches: at least one.
    pub(super) fn touched(self, (start, end): (Ps, Ps)) -> std::ops::Range<usize> {
        let first = self.column(start);
        let last = narrow(self.scaled(end).div_ceil(self.unit())).min(self.columns);
        first..last.max(first + 1)
    }

    /// How much of a column lies between two times.
    pub(super) fn share(self, column: usize, (start, end): (Ps, Ps)) -> u128 {
        let from = self.scaled(start).max(column as u128 * self.unit());
        let to = self.scaled(end).min((column as u128 + 1) * self.unit());
        to.saturating_sub(from)
    }
}

/// A column by its number: a time within the whole, scaled to the columns of the page.
fn narrow(column: u128) -> usize {
    usize::try_from(column).expect("a column lies on the page")
}

/// Ticks at round times, at least sixteen columns apart.
pub(super) fn axis(page: &mut Page<'_>, scale: Scale, name: usize) -> io::Result<()> {
    let Scale { whole, columns } = scale;
    let step = step(whole, columns / 16);
    let [line, tick, corner] = if page.style.ascii {
        ['-', '+', '+']
    } else {
        ['─', '┬', '└']
    };
    let mut rule = vec![line; columns];
    let mut labels = String::new();
    let mut time = 0;
    while time <= whole.0 {
        let column = scale.column(Ps(time));
        let label = round(time);
        if column + width(&label) > columns {
            break;
        }
        rule[column] = if column == 0 { corner } else { tick };
        labels += &" ".repeat(column.saturating_sub(labels.len()));
        labels += &label;
        time += step;
    }
    let margin = " ".repeat(name + 2);
    let rule = page.paint(FAINT, &rule.iter().collect::<String>());
    let labels = page.paint(FAINT, &labels);
    page.line(&format!("{margin}{rule}"))?;
    page.line(&format!("{margin}{labels}"))
}

/// The least of 1, 2, 5 × 10^n picoseconds that makes at most `ticks` of the whole.
pub(in crate::report) fn step(whole: Ps, ticks: usize) -> u64 {
    let least = (whole.0 / ticks.max(1) as u64).max(1);
    let mut power = 1_u64;
    while power <= least / 10 {
        power *= 10;
    }
    [1, 2, 5, 10]
        .into_iter()
        .map(|n| power.saturating_mul(n))
        .find(|s| *s >= least)
        .unwrap_or(u64::MAX)
}

/// A round time in the largest unit that needs the fewest digits after the point.
pub(in crate::report) fn round(ps: u64) -> String {
    let (unit, word) = match ps {
        0 => return "0".to_owned(),
        1..1_000 => (1_u64, "ps"),
        1_000..1_000_000 => (1_000, "ns"),
        1_000_000..1_000_000_000 => (1_000_000, "us"),
        1_000_000_000..1_000_000_000_000 => (1_000_000_000, "ms"),
        _ => (1_000_000_000_000, "s"),
    };
    #[allow(
        clippy::cast_precision_loss,
        reason = "a tick is a round time and has few digits"
    )]
    let value = ps as f64 / unit as f64;
    format!("{value} {word}")
}
