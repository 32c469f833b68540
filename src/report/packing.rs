//! Which row of a drawing each bar is in, and which bars are left out where there are more than rows.

use crate::run::{Does, LifeRow, Report};
use crate::time::Ps;
use std::collections::BTreeSet;

/// Something that is drawn from left to right.
#[derive(Copy, Clone)]
pub(super) struct Bar {
    pub(super) start: Ps,
    pub(super) end: Ps,
    /// What has more of it is never left out for what has less: whether a finding is about it, then how long it works.
    pub(super) weight: (bool, Ps),
}

impl Bar {
    /// A command from its life, or from when it ran if that is not known.
    pub(super) fn command((start, end): (Ps, Ps), life: &[LifeRow], is_told: bool) -> Self {
        let works = life.iter().filter(|row| row.does == Does::Work);
        let works: Ps = works.map(|row| row.end - row.start).sum();
        let works = if life.is_empty() { end - start } else { works };
        Self {
            start: life.first().map_or(start, |row| row.start),
            end,
            weight: (is_told, works),
        }
    }
}

/// The row of each bar, such that none overlap in a row: rows are opened in order of start. Of more than `most` at one time
/// those of the least weight have no row.
pub(super) fn packed(bars: &[Bar], most: usize) -> Vec<Option<usize>> {
    let mut order: Vec<usize> = (0..bars.len()).collect();
    order.sort_by_key(|index| (bars[*index].start, *index));
    let mut is_kept = vec![true; bars.len()];
    let mut active: Vec<usize> = Vec::new();
    for index in &order {
        active.retain(|other| bars[*other].end > bars[*index].start);
        active.push(*index);
        if active.len() > most {
            // Of equal ones the later goes.
            let least = (0..active.len())
                .rev()
                .min_by_key(|at| bars[active[*at]].weight);
            is_kept[active.remove(least.expect("some are active"))] = false;
        }
    }
    let mut ends: Vec<Ps> = Vec::new();
    let mut rows = vec![None; bars.len()];
    for index in order.into_iter().filter(|index| is_kept[*index]) {
        let free = ends.iter().position(|end| *end <= bars[index].start);
        let row = free.unwrap_or_else(|| {
            ends.push(Ps::ZERO);
            ends.len() - 1
        });
        ends[row] = bars[index].end;
        rows[index] = Some(row);
    }
    rows
}

/// The commands and barriers that hazards are about, by their ids.
pub(super) fn told(report: &Report) -> BTreeSet<&str> {
    let hazards = report.findings.iter().filter_map(|f| f.hazard.as_deref());
    let sides = hazards.flat_map(|hazard| [&hazard.first, &hazard.second]);
    sides.map(|side| &*side.command).collect()
}

#[cfg(test)]
mod tests {
    use super::{Bar, packed};
    use crate::time::Ps;

    fn bar(start: u64, end: u64) -> Bar {
        let weight = (false, Ps(end - start));
        Bar {
            start: Ps(start),
            end: Ps(end),
            weight,
        }
    }

    #[test]
    fn the_longest_stay_and_the_last_is_one_of_them() {
        let mut bars: Vec<Bar> = (0..4).map(|i| bar(i, 10 + i)).collect();
        bars.push(bar(5, 900));
        let kept = [Some(0), Some(1), None, None, Some(2)];
        assert_eq!(packed(&bars, 3), kept);
        bars[2].weight.0 = true;
        let kept = [Some(0), None, Some(1), None, Some(2)];
        assert_eq!(packed(&bars, 3), kept);
    }

    #[test]
    fn as_many_rows_as_overlap_are_enough() {
        let bars = [bar(0, 5), bar(2, 8), bar(5, 6), bar(6, 9), bar(8, 10)];
        assert_eq!(packed(&bars, 2), [0, 1, 0, 0, 1].map(Some));
    }
}
