//! Many runs of subresources with one value each, in pages: a run that begins at a subresource is a bit of its page and an
//! entry of the page's list. What comes before and after a subresource is found by its page's bits, or by the bit of
//! another page, so that a change costs the runs that it meets and a page of those next to them.

/// Subresources of a page.
const PAGE: u32 = u64::BITS;

/// Runs by the subresource at which they begin. Subresource 0 begins one.
#[derive(Clone, Debug)]
pub struct Pages<T> {
    pages: Vec<Page<T>>,
    /// A bit for each page in which a run begins.
    begun: Vec<u64>,
}

/// The runs that begin at 64 subresources.
#[derive(Clone, Debug)]
struct Page<T> {
    /// A bit for each subresource at which one begins.
    starts: u64,
    /// The value of each, in their order.
    values: Vec<T>,
}

impl<T> Page<T> {
    /// Place in the list of the run that begins at a bit, or would.
    fn rank(&self, bit: u32) -> usize {
        (self.starts & below(bit)).count_ones() as usize
    }
}

/// The bits below one.
fn below(bit: u32) -> u64 {
    (1 << bit) - 1
}

/// The highest of the bits up to `bit`.
fn last_to(bits: u64, bit: u32) -> Option<u32> {
    let bits = bits & (below(bit) | 1 << bit);
    (bits != 0).then(|| bits.ilog2())
}

/// The lowest of the bits after `bit`.
fn first_after(bits: u64, bit: u32) -> Option<u32> {
    let bits = bits & !(below(bit) | 1 << bit);
    (bits != 0).then(|| bits.trailing_zeros())
}

impl<T: Clone> Pages<T> {
    /// The same runs, of `count` subresources.
    pub fn new(runs: &[(u32, T)], count: u32) -> Self {
        let pages = count.div_ceil(PAGE);
        let mut made = Self {
            pages: (0..pages)
                .map(|_| Page {
                    starts: 0,
                    values: Vec::new(),
                })
                .collect(),
            begun: vec![0; pages.div_ceil(PAGE) as usize],
        };
        for run in runs {
            made.insert(run.clone());
        }
        made
    }

    /// Number of runs.
    pub fn run_count(&self) -> usize {
        self.pages.iter().map(|page| page.values.len()).sum()
    }

    /// Bytes on the heap.
    pub fn bytes(&self) -> usize {
        let values = self.pages.iter().map(|page| page.values.capacity());
        values.sum::<usize>() * size_of::<T>()
            + self.pages.capacity() * size_of::<Page<T>>()
            + self.begun.capacity() * size_of::<u64>()
    }

    /// The run that a subresource is in.
    pub fn at(&self, subresource: u32) -> (u32, &T) {
        let (page, bit) = (subresource / PAGE, subresource % PAGE);
        let starts = self.pages[page as usize].starts;
        let (page, bit) = if let Some(bit) = last_to(starts, bit) {
            (page, bit)
        } else {
            let page = self.page_before(page);
            (page, self.pages[page as usize].starts.ilog2())
        };
        let found = &self.pages[page as usize];
        (page * PAGE + bit, &found.values[found.rank(bit)])
    }

    /// The last page before this one in which a run begins.
    fn page_before(&self, page: u32) -> u32 {
        let (mut word, bit) = (page / PAGE, page % PAGE);
        let mut bits = self.begun[word as usize] & below(bit);
        while bits == 0 {
            // Subresource 0 begins a run: there is one.
            word -= 1;
            bits = self.begun[word as usize];
        }
        word * PAGE + bits.ilog2()
    }

    /// Where the next run begins.
    pub fn next(&self, subresource: u32) -> Option<u32> {
        let (page, bit) = (subresource / PAGE, subresource % PAGE);
        if let Some(bit) = first_after(self.pages[page as usize].starts, bit) {
            return Some(page * PAGE + bit);
        }
        let (word, bit) = (page / PAGE, page % PAGE);
        let page = if let Some(bit) = first_after(self.begun[word as usize], bit) {
            word * PAGE + bit
        } else {
            let mut rest = self.begun.iter().zip(0..).skip(word as usize + 1);
            let (bits, word) = rest.find(|(bits, _)| **bits != 0)?;
            word * PAGE + bits.trailing_zeros()
        };
        Some(page * PAGE + self.pages[page as usize].starts.trailing_zeros())
    }

    /// The value of the run that begins at a subresource, if one does.
    pub fn get_mut(&mut self, start: u32) -> Option<&mut T> {
        let page = &mut self.pages[(start / PAGE) as usize];
        let bit = start % PAGE;
        let at = page.rank(bit);
        (page.starts & 1 << bit != 0).then(|| &mut page.values[at])
    }

    /// Calls `each` with every run that meets `first..end`, cut to it, until it gives something.
    pub fn find<F>(
        &self,
        first: u32,
        end: u32,
        mut each: impl FnMut(u32, u32, &T) -> Option<F>,
    ) -> Option<F> {
        let mut from = first;
        loop {
            let (_, value) = self.at(from);
            let until = self.next(from).map_or(end, |next| next.min(end));
            let found = each(from, until, value);
            if found.is_some() || until == end {
                return found;
            }
            from = until;
        }
    }

    /// Puts other runs in the place of those that begin at `first..=last`.
    pub fn replace(&mut self, first: u32, last: u32, runs: &[(u32, T)]) {
        let mut runs = runs.iter();
        let mut next = runs.next();
        let mut at = Some(first);
        // What begins where a run began takes its place.
        while let Some(start) = at.filter(|start| *start <= last) {
            let after = self.next(start);
            match next {
                Some(run) if run.0 == start => {
                    self.insert(run.clone());
                    next = runs.next();
                }
                _ => self.remove(start),
            }
            at = after;
        }
        next.into_iter()
            .chain(runs)
            .for_each(|run| self.insert(run.clone()));
    }

    /// A run that begins here, in the place of one that did.
    fn insert(&mut self, (start, value): (u32, T)) {
        let page = &mut self.pages[(start / PAGE) as usize];
        let bit = start % PAGE;
        let at = page.rank(bit);
        if page.starts & 1 << bit == 0 {
            page.starts |= 1 << bit;
            page.values.insert(at, value);
            let page = start / PAGE;
            self.begun[(page / PAGE) as usize] |= 1 << (page % PAGE);
        } else {
            page.values[at] = value;
        }
    }

    /// No run begins here any more.
    fn remove(&mut self, start: u32) {
        let page = &mut self.pages[(start / PAGE) as usize];
        let bit = start % PAGE;
        if page.starts & 1 << bit == 0 {
            return;
        }
        page.values.remove(page.rank(bit));
        page.starts &= !(1 << bit);
        if page.starts == 0 {
            let page = start / PAGE;
            self.begun[(page / PAGE) as usize] &= !(1 << (page % PAGE));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs over three words of pages, against a sorted list.
    #[test]
    fn pages_equal_a_sorted_list() {
        let count = 3 * PAGE * PAGE + 5;
        let mut plain = std::collections::BTreeMap::from([(0, 0)]);
        let mut pages = Pages::new(&[(0, 0)], count);
        let mut random = 7_u32;
        for step in 0..4_000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let first = 1 + (random >> 8) % (count - 1);
            let length = [0, 1, 3, 70, 5_000][(random >> 4) as usize % 5];
            let last = (first + length).min(count - 1);
            let mut runs = vec![(first, step)];
            if random & 2 == 0 && last > first {
                runs.push((last, step + 1));
            }
            runs.truncate((random & 3) as usize);
            plain.retain(|start, _| !(first..=last).contains(start));
            plain.extend(runs.iter().copied());
            pages.replace(first, last, &runs);
            for at in [0, first - 1, first, last, count - 1] {
                let (start, value) = plain.range(..=at).next_back().expect("the first");
                assert_eq!(pages.at(at), (*start, value), "step {step}, at {at}");
                let next = plain.range(at + 1..).next().map(|(start, _)| *start);
                assert_eq!(pages.next(at), next, "step {step}, after {at}");
            }
        }
    }
}
