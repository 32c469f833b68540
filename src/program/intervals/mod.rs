//! A map from byte ranges to values: the newest assignment of a byte wins, neighbours with equal values are one entry.
//!
//! A block of memory has few distinct runs at a time (one a resource, one a subresource that differs), so a sorted vector
//! is both smaller and quicker than a tree. Where runs are many they are in pages, and an edit moves those of one page.

mod few;
mod pages;

use few::Few;
use pages::Pages;

/// One run of bytes with one value.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Interval<V> {
    /// First byte.
    pub start: u64,
    /// One past the last.
    pub end: u64,
    /// The value.
    pub value: V,
}

impl<V: PartialEq> Interval<V> {
    /// Whether the next run goes on where this one ends, with the same value.
    #[inline]
    fn touches(&self, next: &Self) -> bool {
        self.end == next.start && self.value == next.value
    }
}

/// Runs in the making, ascending: what touches the last one and equals it becomes one with it.
#[derive(Debug)]
pub struct Runs<V>(Vec<Interval<V>>);

impl<V> Default for Runs<V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<V> From<Runs<V>> for Vec<Interval<V>> {
    fn from(runs: Runs<V>) -> Self {
        runs.0
    }
}

impl<V: Copy + PartialEq> Runs<V> {
    /// Adds a run after the others.
    pub fn push(&mut self, run: Interval<V>) {
        match self.0.last_mut() {
            Some(before) if before.touches(&run) => before.end = run.end,
            _ => self.0.push(run),
        }
    }
}

/// What some bytes have.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Look<V> {
    /// One run covers them.
    Whole(V),
    /// None has a value.
    Nothing,
    /// Anything else.
    Pieces,
}

/// Runs beyond which they are kept in pages, and below which they no longer are.
const MANY: usize = 512;
const FEW: usize = MANY / 4;

/// Byte ranges with values, sorted and disjoint.
#[derive(Clone, Debug, Default)]
pub struct IntervalMap<V> {
    /// All runs; none if they are in pages.
    few: Few<V>,
    many: Option<Box<Pages<V>>>,
}

impl<V: Copy + PartialEq> IntervalMap<V> {
    /// No byte has a value.
    pub const fn new() -> Self {
        Self {
            few: Few::new(),
            many: None,
        }
    }

    /// Whether no byte has a value.
    pub fn is_empty(&self) -> bool {
        self.few.runs.is_empty() && self.many.is_none()
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        let many = self.many.as_ref().map_or(0, |many| many.len());
        self.few.runs.len() + many
    }

    /// All runs, ascending.
    pub fn runs(&self) -> impl Iterator<Item = &Interval<V>> {
        self.pages(0).iter().flat_map(|page| &page.runs)
    }

    /// The runs in vectors, without those of the first ones that end before `start`.
    #[inline]
    fn pages(&self, start: u64) -> &[Few<V>] {
        match &self.many {
            None => std::slice::from_ref(&self.few),
            Some(many) => many.from(start),
        }
    }

    /// The first run that ends after `start`.
    #[inline]
    fn next(&self, start: u64) -> Option<&Interval<V>> {
        match self.few.runs.get(self.few.first(start)) {
            None => self.many.as_ref()?.next(start),
            run => run,
        }
    }

    /// The value of all of `start..end`, if one run covers it.
    #[inline]
    pub fn whole(&self, start: u64, end: u64) -> Option<V> {
        let run = self.next(start)?;
        (run.start <= start && end <= run.end).then_some(run.value)
    }

    /// What `start..end` has, as far as one look tells.
    #[inline]
    pub fn look(&self, start: u64, end: u64) -> Look<V> {
        match self.next(start) {
            Some(run) if run.start <= start && end <= run.end => Look::Whole(run.value),
            Some(run) if run.start < end => Look::Pieces,
            _ => Look::Nothing,
        }
    }

    /// Calls `each` with every run that meets `start..end`, cut to it.
    #[inline]
    pub fn for_each(&self, start: u64, end: u64, mut each: impl FnMut(u64, u64, V)) {
        for page in self.pages(start) {
            for run in &page.runs[page.first(start)..] {
                if run.start >= end {
                    return;
                }
                each(run.start.max(start), run.end.min(end), run.value);
            }
        }
    }

    /// Calls `each` with every piece of `start..end`, with the value that it has, if any.
    #[inline]
    pub fn for_each_piece(&self, start: u64, end: u64, mut each: impl FnMut(u64, u64, Option<V>)) {
        let mut at = start;
        self.for_each(start, end, |from, until, value| {
            if at < from {
                each(at, from, None);
            }
            each(from, until, Some(value));
            at = until;
        });
        if at < end {
            each(at, end, None);
        }
    }

    /// Gives `start..end` a value. Returns how many bytes of it had one.
    pub fn set(&mut self, start: u64, end: u64, value: V) -> u64 {
        if start >= end {
            return 0;
        }
        // Most maps have no run, or one that the new one replaces.
        match self.few.runs.as_mut_slice() {
            [] if self.many.is_none() => {
                self.few.runs.push(Interval { start, end, value });
                0
            }
            [only] if start <= only.start && only.end <= end => {
                let covered = only.end - only.start;
                *only = Interval { start, end, value };
                covered
            }
            _ => self.edit(start, end, |few| few.set(start, end, value)),
        }
    }

    /// Gives bytes that have no value one: `news` are ascending and disjoint. One pass over the runs among them.
    pub fn fill(&mut self, news: &[Interval<V>]) {
        match news {
            [] => {}
            [run] => {
                self.set(run.start, run.end, run.value);
            }
            [first, .., last] => self.edit(first.start, last.end, |few| few.fill(news)),
        }
    }

    /// Replaces the runs that meet `start..end`, each by what `pieces` pushes for the part of it that lies there: the same
    /// bytes, ascending. One pass.
    pub fn divide(&mut self, start: u64, end: u64, pieces: impl FnMut(Interval<V>, &mut Runs<V>)) {
        self.edit(start, end, |few| few.divide(start, end, pieces));
    }

    /// Takes the value of `start..end` away. Returns how many bytes had one.
    pub fn remove(&mut self, start: u64, end: u64) -> u64 {
        // Most maps have one run, of which all goes, or one side.
        if let [only] = self.few.runs.as_mut_slice() {
            let (from, until) = (only.start.max(start), only.end.min(end));
            if from >= until {
                return 0;
            }
            match (from == only.start, until == only.end) {
                (true, true) => self.few.runs.clear(),
                (true, false) => only.start = until,
                (false, true) => only.end = from,
                (false, false) => {
                    let right = Interval {
                        start: until,
                        ..*only
                    };
                    only.end = from;
                    self.few.runs.push(right);
                }
            }
            return until - from;
        }
        self.edit(start, end, |few| few.remove(start, end))
    }

    /// Takes every value away.
    pub fn clear(&mut self) {
        self.few.runs.clear();
        self.many = None;
    }

    /// Changes the values of the pieces of `start..end` that have one; `None` takes it away.
    pub fn update(&mut self, start: u64, end: u64, change: impl FnMut(u64, u64, V) -> Option<V>) {
        self.edit(start, end, |few| few.update(start, end, change));
    }

    /// Renames every value. Different values must stay different.
    pub fn rename(&mut self, mut rename: impl FnMut(&mut V)) {
        let pages = match &mut self.many {
            None => std::slice::from_mut(&mut self.few),
            Some(many) => many.all(),
        };
        let runs = pages.iter_mut().flat_map(|page| &mut page.runs);
        runs.for_each(|run| rename(&mut run.value));
    }

    /// Edits the runs that meet or touch `start..end`.
    #[inline]
    fn edit<R>(&mut self, start: u64, end: u64, edit: impl FnOnce(&mut Few<V>) -> R) -> R {
        if let Some(many) = &mut self.many {
            let result = edit_pages(many, start, end, edit);
            if many.len() < FEW {
                self.few = many.take();
                self.many = None;
            }
            return result;
        }
        let result = edit(&mut self.few);
        if self.few.runs.len() > MANY {
            let few = std::mem::take(&mut self.few.runs);
            self.many = Some(Box::new(Pages::new(few)));
        }
        result
    }
}

/// The same where runs are many.
#[cold]
#[inline(never)]
fn edit_pages<V: Copy + PartialEq, R>(
    pages: &mut Pages<V>,
    start: u64,
    end: u64,
    edit: impl FnOnce(&mut Few<V>) -> R,
) -> R {
    pages.edit(start, end, edit)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs<V: Copy + PartialEq>(map: &IntervalMap<V>) -> Vec<Interval<V>> {
        map.runs().copied().collect()
    }

    /// Every sequence of three edits on eight bytes against one value a byte.
    #[allow(clippy::cast_possible_truncation, reason = "eight bytes")]
    #[test]
    fn equals_one_value_a_byte() {
        let ranges = [(0, 8), (0, 3), (2, 5), (3, 4), (4, 8), (5, 6)];
        let values = [None, Some(1), Some(2)];
        let mut edits = Vec::new();
        for range in ranges {
            for value in values {
                edits.push((range, value));
            }
        }
        for a in &edits {
            for b in &edits {
                for c in &edits {
                    let mut map = IntervalMap::new();
                    let mut plain = [None; 8];
                    for ((start, end), value) in [a, b, c] {
                        let bytes = &mut plain[*start as usize..*end as usize];
                        let had = bytes.iter().flatten().count() as u64;
                        let covered = match value {
                            Some(value) => map.set(*start, *end, *value),
                            None => map.remove(*start, *end),
                        };
                        assert_eq!(covered, had, "{a:?} {b:?} {c:?}");
                        bytes.fill(*value);
                    }
                    let mut read = [None; 8];
                    map.for_each(0, 8, |from, until, value| {
                        read[from as usize..until as usize].fill(Some(value));
                    });
                    assert_eq!(read, plain, "{a:?} {b:?} {c:?}");
                    let apart =
                        |w: &[Interval<i32>]| w[0].end < w[1].start || w[0].value != w[1].value;
                    assert!(
                        runs(&map).windows(2).all(apart),
                        "{a:?} {b:?} {c:?}: {map:?}"
                    );
                    map.update(1, 7, |from, _, value| (from > 1).then_some(value + 1));
                    map.for_each_piece(1, 7, |from, until, value| {
                        for byte in from..until {
                            let old = plain[byte as usize];
                            let run = (1..=byte)
                                .rev()
                                .take_while(|b| plain[*b as usize] == old)
                                .last();
                            let expected = if run == Some(1) {
                                None
                            } else {
                                old.map(|v| v + 1)
                            };
                            assert_eq!(value, expected, "{a:?} {b:?} {c:?} byte {byte}");
                        }
                    });
                }
            }
        }
    }

    /// Against the same runs set one by one, on every set of borders of ten bytes.
    #[test]
    fn filling_and_dividing_equal_edits_one_by_one() {
        for before in 0..1_u64 << 10 {
            for at in [0, 3, 7] {
                let mut plain = IntervalMap::new();
                let mut news = Vec::new();
                for byte in 0..10 {
                    if before & 1 << byte != 0 {
                        plain.set(byte, byte + 1, byte / 4);
                    } else if byte >= at {
                        let (start, end, value) = (byte, byte + 1, byte / 3);
                        news.push(Interval { start, end, value });
                    }
                }
                let mut filled = plain.clone();
                filled.fill(&news);
                for new in &news {
                    plain.set(new.start, new.end, new.value);
                }
                assert_eq!(runs(&filled), runs(&plain), "{before:b} {at}");
                filled.divide(at, 9, |run, all| {
                    for start in run.start..run.end {
                        let (end, value) = (start + 1, run.value + start % 2);
                        all.push(Interval { start, end, value });
                    }
                });
                for byte in at..9 {
                    if let Some(value) = plain.whole(byte, byte + 1) {
                        plain.set(byte, byte + 1, value + byte % 2);
                    }
                }
                assert_eq!(runs(&filled), runs(&plain), "{before:b} {at}");
            }
        }
    }

    /// Numbers of a generator below others: same seed, same numbers.
    fn draws(seed: u64) -> impl FnMut(u64) -> u64 {
        let mut state = seed;
        move |below| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            (state >> 33) % below
        }
    }

    /// The runs of one value a byte.
    fn plain_runs(plain: &[Option<u64>]) -> Vec<Interval<u64>> {
        let mut all = Runs::default();
        for (start, value) in (0..).zip(plain) {
            if let Some(value) = *value {
                let end = start + 1;
                all.push(Interval { start, end, value });
            }
        }
        all.into()
    }

    /// What the looks at a range say is what its bytes hold.
    #[allow(clippy::cast_possible_truncation, reason = "thousands of bytes")]
    fn looks_as_plain(
        map: &IntervalMap<u64>,
        plain: &[Option<u64>],
        (start, end): (u64, u64),
        at: &str,
    ) {
        let mut pieces = vec![None; plain.len()];
        map.for_each_piece(start, end, |from, until, value| {
            pieces[from as usize..until as usize].fill(value);
        });
        let of = start as usize..end as usize;
        let bytes = &plain[of.clone()];
        assert_eq!(&pieces[of], bytes, "{at}");
        let first = bytes[0].filter(|_| bytes.iter().all(|byte| *byte == bytes[0]));
        assert_eq!(map.whole(start, end), first, "{at}");
        let look = match (first, bytes.iter().all(Option::is_none)) {
            (Some(value), _) => Look::Whole(value),
            (None, true) => Look::Nothing,
            (None, false) => Look::Pieces,
        };
        assert_eq!(map.look(start, end), look, "{at}");
    }

    /// Random edits, of some bytes or of many, on thousands of bytes: the map goes from one vector to pages and back. What
    /// it holds and says is that of one value a byte.
    #[allow(clippy::cast_possible_truncation, reason = "thousands of bytes")]
    #[test]
    fn many_runs_equal_one_value_a_byte() {
        const BYTES: u64 = 6000;
        let mut turns = [0; 2];
        for seed in 0..4 {
            let mut draw = draws(seed);
            let mut map = IntervalMap::new();
            let mut plain: Vec<Option<u64>> = vec![None; BYTES as usize];
            for step in 0..8000 {
                let was_many = map.many.is_some();
                let is_wide = draw(1000) == 0;
                let start = draw(if is_wide { BYTES / 8 } else { BYTES });
                let longest = if is_wide { BYTES } else { start + 6 };
                let end = (longest - draw(6)).min(BYTES);
                let value = draw(5);
                let bytes = &mut plain[start as usize..end as usize];
                let had = bytes.iter().flatten().count() as u64;
                let at = format!("seed {seed} step {step}: {start}..{end}");
                match draw(8) {
                    0 => {
                        assert_eq!(map.remove(start, end), had, "{at}");
                        bytes.fill(None);
                    }
                    1 => {
                        map.update(start, end, |_, _, v| (v != value).then_some(v / 2));
                        let changed = |v: &u64| (*v != value).then_some(*v / 2);
                        for b in bytes.iter_mut() {
                            *b = b.as_ref().and_then(changed);
                        }
                    }
                    2 => {
                        map.divide(start, end, |run, all| {
                            for start in run.start..run.end {
                                let (end, value) = (start + 1, run.value + start % 2);
                                all.push(Interval { start, end, value });
                            }
                        });
                        for (byte, value) in (start..).zip(bytes) {
                            *value = value.map(|v| v + byte % 2);
                        }
                    }
                    3 => {
                        let mut news = Vec::new();
                        for (start, byte) in (start..).zip(bytes).filter(|(s, _)| s % 3 < 2) {
                            if byte.is_none() {
                                let (end, value) = (start + 1, value + start % 2);
                                news.push(Interval { start, end, value });
                                *byte = Some(value);
                            }
                        }
                        map.fill(&news);
                    }
                    _ => {
                        assert_eq!(map.set(start, end, value), had, "{at}");
                        bytes.fill(Some(value));
                    }
                }
                turns[usize::from(was_many)] += usize::from(was_many != map.many.is_some());
                if step % 16 == 0 || was_many != map.many.is_some() {
                    assert_eq!(runs(&map), plain_runs(&plain), "{at}");
                    assert_eq!(map.len(), plain_runs(&plain).len(), "{at}");
                }
                looks_as_plain(&map, &plain, (start, end), &at);
            }
            map.rename(|value| *value += 100);
            plain.iter_mut().flatten().for_each(|value| *value += 100);
            assert_eq!(runs(&map), plain_runs(&plain), "seed {seed}");
        }
        assert!(turns[0] > 3 && turns[1] > 3, "to pages and back: {turns:?}");
    }
}
