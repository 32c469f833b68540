//! The barriers with their costs, first those whose removal could gain most: what is not on the critical path gains nothing.
//! One unit for all times, so that sizes compare at a glance.

use super::super::text::{self, width};
use super::{BAD, FAINT, GOOD, Page, SOSO, STRONG};
use crate::run::{BarrierRow, Verdict};
use crate::time::Ps;
use std::io;

/// Rows shown unless all are asked for.
const ROWS: usize = 40;
/// Room that the text of a barrier has at least.
const TEXT_LEAST: usize = 16;
/// The same where the page has no room for that: less would say nothing.
const TEXT_TIGHT: usize = 8;
/// Longest id shown whole, and on a page with little room.
const ID_MOST: [usize; 2] = [14, 10];

/// A column of times.
struct Column {
    name: &'static str,
    time: fn(&BarrierRow) -> Ps,
}

/// What is on the critical path comes first: rows are in its order.
const COSTS: [Column; 5] = [
    Column {
        name: "critical",
        time: |b| b.critical.unwrap_or_default(),
    },
    Column {
        name: "drain",
        time: |b| b.drain,
    },
    Column {
        name: "operation",
        time: |b| b.operation,
    },
    Column {
        name: "refill",
        time: |b| b.refill,
    },
    Column {
        name: "exposed",
        time: |b| b.exposed,
    },
];

/// The unit of all times of the table.
#[derive(Copy, Clone)]
enum Unit {
    Nanoseconds,
    Microseconds,
    Milliseconds,
}

impl Unit {
    /// The smallest in which no time takes more than four digits.
    fn of(rows: &[&BarrierRow]) -> Self {
        let most = rows
            .iter()
            .flat_map(|b| COSTS.iter().map(|c| (c.time)(b)))
            .max();
        match most.map_or(0, |t| t.0) {
            0..10_000_000 => Self::Nanoseconds,
            10_000_000..10_000_000_000 => Self::Microseconds,
            _ => Self::Milliseconds,
        }
    }

    fn word(self) -> &'static str {
        match self {
            Self::Nanoseconds => "ns",
            Self::Microseconds => "us",
            Self::Milliseconds => "ms",
        }
    }

    /// Rounded to a tenth of a nanosecond or a hundredth of a larger unit; nothing is a bare zero.
    fn print(self, time: Ps) -> String {
        match self {
            _ if time == Ps::ZERO => "0".to_owned(),
            Self::Nanoseconds => format!("{:.1}", time.as_ns()),
            Self::Microseconds => format!("{:.2}", time.as_ns() / 1e3),
            Self::Milliseconds => format!("{:.2}", time.as_ns() / 1e6),
        }
    }
}

/// How wide the columns are.
struct Widths {
    id: usize,
    line: usize,
    what: usize,
    costs: Vec<usize>,
    /// Blanks between columns.
    gap: usize,
}

impl Widths {
    /// As wide as what is in them, on a page of so many columns.
    fn new(
        (rows, shown): (&[&BarrierRow], &[Column]),
        heading: &str,
        unit: Unit,
        columns: usize,
    ) -> Self {
        let widest = |head: &str, cell: &dyn Fn(&BarrierRow) -> usize| {
            rows.iter()
                .map(|b| cell(b))
                .max()
                .unwrap_or(0)
                .max(head.len())
        };
        let whole_id = widest("id", &|b| width(&b.id));
        let line = widest("line", &|b| b.line.to_string().len());
        let costs = shown.iter();
        let costs = costs.map(|c| widest(c.name, &|b| unit.print((c.time)(b)).len()));
        let costs: Vec<usize> = costs.collect();
        let verdict = widest("verdict", &|b| b.verdict.word().len());
        // Two blanks between any two columns, or one where there is little room.
        let fixed = line + costs.iter().sum::<usize>() + verdict;
        let gaps = costs.len() + 3;
        let left = |id: usize, gap: usize| columns.saturating_sub(fixed + id + gap * gaps);
        let mut id = whole_id.min(ID_MOST[0]);
        let mut gap = 2;
        if left(id, gap) < TEXT_LEAST {
            gap = 1;
        }
        if left(id, gap) < TEXT_LEAST {
            id = whole_id.min(ID_MOST[1]);
        }
        let room = left(id, gap).max(TEXT_TIGHT);
        let what = widest(heading, &|b| width(&b.text)).min(room);
        Self {
            id,
            line,
            what,
            costs,
            gap,
        }
    }
}

pub(super) fn write(page: &mut Page<'_>, barriers: &[BarrierRow]) -> io::Result<()> {
    let mut rows: Vec<&BarrierRow> = barriers.iter().collect();
    // Stable: equal costs stay in order of execution.
    let whole = |b: &BarrierRow| b.drain + b.operation + b.refill;
    rows.sort_by_key(|b| std::cmp::Reverse((b.critical, b.exposed, whole(b))));
    rows.truncate(page.style.shown(barriers.len(), ROWS));
    let hidden = barriers.len() - rows.len();
    let unit = Unit::of(&rows);
    let heading = format!("barrier, times in {}", unit.word());
    // Without a critical path the column would say nothing.
    let has_path = rows.iter().any(|row| row.critical.is_some());
    let shown = &COSTS[usize::from(!has_path)..];
    let Widths {
        id,
        line,
        what,
        costs,
        gap,
    } = Widths::new((&rows, shown), &heading, unit, page.style.columns);
    let gap = " ".repeat(gap);
    let mut head = vec![
        text::left("id", id),
        text::right("line", line),
        text::left(&heading, what),
    ];
    head.extend(
        shown
            .iter()
            .zip(&costs)
            .map(|(c, w)| text::right(c.name, *w)),
    );
    head.push("verdict".to_owned());
    page.painted(STRONG, &head.join(&gap))?;
    let is_long = rows.len() > 1;
    for row in rows {
        let name = text::ellipsis_left(&text::clean(&row.id), id);
        let mut cells = vec![
            text::left(&name, id),
            text::right(&row.line.to_string(), line),
            text::left(&text::clean(&row.text), what),
        ];
        cells.extend(
            shown
                .iter()
                .zip(&costs)
                .map(|(c, w)| text::right(&unit.print((c.time)(row)), *w)),
        );
        let paint = match row.verdict {
            Verdict::Needed => GOOD,
            Verdict::Redundant | Verdict::TooWide => SOSO,
            Verdict::TooNarrow => BAD,
        };
        cells.push(page.paint(paint, row.verdict.word()));
        page.line(&cells.join(&gap))?;
    }
    if hidden > 0 {
        let more = page.paint(FAINT, &format!("… and {hidden} more; --all shows them"));
        page.line(&more)?;
    }
    if is_long {
        page.painted(FAINT, order(has_path))?;
    }
    Ok(())
}

/// In what order the rows are.
fn order(has_path: bool) -> &'static str {
    if has_path {
        "in order of what each takes of the critical path, then of the time exposed"
    } else {
        "in order of the time exposed"
    }
}
