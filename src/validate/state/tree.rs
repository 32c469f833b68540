//! What is known of very many subresources: pages of runs, under a binary tree in which a change of many pages waits.
//!
//! A change of all subresources below a node does not go to its pages: it waits at the node until one of them is looked
//! at by itself, and two that wait are one. A look at all of them goes by the *kinds* below: knowledge that differs only
//! in its marks (which barrier, which use, how long ago) is one kind, and a node none of whose kinds concerns the look is
//! passed over.
//!
//! Cost: O(log n + page) for a change or a look at one run, at both ends of a range, and at each run that concerns a look.
//! Of a node with more than [`KINDS_MAX`] kinds everything concerns every look; and where transitions race, a change goes
//! to every run.

use super::change::Transfer;
use super::known::Known;
use smallvec::SmallVec;

/// Subresources of a page.
#[cfg(not(test))]
const PAGE: u32 = 64;
/// Few enough for the tests to have several.
#[cfg(test)]
const PAGE: u32 = 2;

/// Kinds that a node tells apart.
const KINDS_MAX: usize = 16;

/// A run: its first subresource, and what is known up to the next run.
pub(super) type Run = (u32, Known);

/// A change of subresources, and on which of them it may wait.
pub(super) trait Operation {
    /// The scope that it happens in.
    fn scope(&self) -> u32;

    /// Whether [`later`](Self::later) is all that happens where this is known.
    fn may_wait(&self, known: &Known) -> bool;

    /// Whether that is so wherever it happens.
    fn may_always_wait(&self) -> bool;

    /// What is done later; `None`: it never waits.
    fn later(&self) -> Option<&Transfer>;

    /// Whether it does anything where this is known.
    fn concerns(&self, _known: &Known) -> bool {
        true
    }

    /// Does it now.
    fn act(&mut self, known: &mut Known);
}

/// A change that is the same whatever is known.
pub(super) struct Always {
    pub(super) scope: u32,
    pub(super) change: Transfer,
}

impl Operation for Always {
    fn scope(&self) -> u32 {
        self.scope
    }

    fn may_wait(&self, _known: &Known) -> bool {
        true
    }

    fn may_always_wait(&self) -> bool {
        true
    }

    fn later(&self) -> Option<&Transfer> {
        Some(&self.change)
    }

    fn act(&mut self, known: &mut Known) {
        self.change.apply(known);
    }
}

/// Knowledge that differs only in its marks.
#[derive(Copy, Clone, Debug)]
pub(super) struct KnownKind {
    /// One of it, with the lowest of all stamps.
    pub(super) known: Known,
    /// The highest stamp.
    pub(super) newest: u32,
    /// Whether all of it is equal, in what belongs to the scope and in the rest.
    is_one: (bool, bool),
}

type Kinds = SmallVec<[KnownKind; 2]>;

/// All subresources of a resource.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    /// Runs of 64 subresources each; every page begins one.
    pages: Vec<Vec<Run>>,
    /// The inner nodes: the root is the first, and the children of `i` are `2i + 1` and `2i + 2`.
    nodes: Vec<Node>,
    count: u32,
}

#[derive(Clone, Debug, Default)]
struct Node {
    /// What the children have not seen.
    waiting: Option<Box<Transfer>>,
    below: Below,
}

/// The kinds below a node, after what waits there.
#[derive(Clone, Debug, Default)]
enum Below {
    /// Somebody has changed a child.
    #[default]
    Stale,
    /// More than there is room for, seen from this scope.
    TooMany(u32),
    Kinds(Box<Kinds>),
}

/// A node, and the pages below it.
#[derive(Copy, Clone)]
struct NodeSpan {
    node: usize,
    first: u32,
    end: u32,
}

impl NodeSpan {
    fn is_page(self) -> bool {
        self.end - self.first == 1
    }

    fn children(self) -> [Self; 2] {
        let middle = self.first + (self.end - self.first).div_ceil(2);
        let child = |side: usize, first, end| Self {
            node: 2 * self.node + side,
            first,
            end,
        };
        [child(1, self.first, middle), child(2, middle, self.end)]
    }
}

/// A look at some ranges.
struct Look<C, F> {
    scope: u32,
    concerns: C,
    each: F,
    /// The run that the look is at, as far as it has come.
    run: Option<(u32, Run)>,
}

impl<T, C: FnMut(&KnownKind) -> bool, F: FnMut(u32, u32, &Known) -> Option<T>> Look<C, F> {
    /// Ends the run.
    fn close(&mut self) -> Option<T> {
        let (end, (first, known)) = self.run.take()?;
        (self.each)(first, end, &known)
    }

    /// The run goes on, or another one begins. It is of a range that begins at `start`.
    fn meet(&mut self, start: u32, (first, end): (u32, u32), known: &Known) -> Option<T> {
        if let Some((until, run)) = &mut self.run
            && *until == first
            && run.0 >= start
            && run.1 == *known
        {
            *until = end;
            return None;
        }
        let found = self.close();
        self.run = Some((end, (first, *known)));
        found
    }
}

impl Tree {
    /// The same runs, of `count` subresources.
    pub(super) fn new(runs: &[Run], count: u32) -> Self {
        let pages = count.div_ceil(PAGE);
        let mut made = Self {
            pages: Vec::with_capacity(pages as usize),
            nodes: vec![Node::default(); pages.next_power_of_two() as usize],
            count,
        };
        let mut next = 0;
        for page in 0..pages {
            let (start, end) = (page * PAGE, ((page + 1) * PAGE).min(count));
            let mut own = Vec::new();
            if runs.get(next).is_none_or(|run| run.0 > start) {
                own.push((start, runs[next - 1].1));
            }
            while let Some(run) = runs.get(next).filter(|run| run.0 < end) {
                own.push(*run);
                next += 1;
            }
            made.pages.push(own);
        }
        made
    }

    /// Bytes on the heap.
    pub(super) fn bytes(&self) -> usize {
        let runs: usize = self.pages.iter().map(Vec::capacity).sum();
        let nodes = self.nodes.iter().map(|node| {
            let kinds = match &node.below {
                Below::Kinds(kinds) if kinds.spilled() => kinds.capacity() * size_of::<KnownKind>(),
                _ => 0,
            };
            let boxed = usize::from(matches!(node.below, Below::Kinds(_))) * size_of::<Kinds>();
            kinds + boxed + node.waiting.as_ref().map_or(0, |_| size_of::<Transfer>())
        });
        runs * size_of::<Run>()
            + self.pages.capacity() * size_of::<Vec<Run>>()
            + self.nodes.capacity() * size_of::<Node>()
            + nodes.sum::<usize>()
    }

    fn root(&self) -> NodeSpan {
        NodeSpan {
            node: 0,
            first: 0,
            end: self.count.div_ceil(PAGE),
        }
    }

    /// The subresources below a node.
    fn span(&self, place: NodeSpan) -> (u32, u32) {
        (place.first * PAGE, (place.end * PAGE).min(self.count))
    }

    /// Calls `each` with every run that meets one of some ascending ranges, cut to it, until it gives something. Runs of a
    /// kind that does not concern the look may be left out.
    pub(super) fn find<T>(
        &mut self,
        ranges: &[(u32, u32)],
        scope: u32,
        concerns: impl FnMut(&KnownKind) -> bool,
        each: impl FnMut(u32, u32, &Known) -> Option<T>,
    ) -> Option<T> {
        let mut look = Look {
            scope,
            concerns,
            each,
            run: None,
        };
        let found = self.look(self.root(), ranges, &mut look);
        found.or_else(|| look.close())
    }

    fn look<T, C: FnMut(&KnownKind) -> bool, F: FnMut(u32, u32, &Known) -> Option<T>>(
        &mut self,
        place: NodeSpan,
        ranges: &[(u32, u32)],
        look: &mut Look<C, F>,
    ) -> Option<T> {
        let span = self.span(place);
        let ranges = within(ranges, span);
        if ranges.is_empty() {
            return None;
        }
        if place.is_page() {
            let runs = &self.pages[place.first as usize];
            for range in ranges {
                let mut at = runs.partition_point(|run| run.0 <= range.0).max(1) - 1;
                while let Some(run) = runs.get(at).filter(|run| run.0 < range.1) {
                    at += 1;
                    let end = runs.get(at).map_or(span.1, |next| next.0);
                    let cut = (run.0.max(range.0), end.min(range.1));
                    if let Some(found) = look.meet(range.0, cut, &run.1) {
                        return Some(found);
                    }
                }
            }
            return None;
        }
        if covers(ranges, span) {
            self.summarise(place, look.scope);
            if let Below::Kinds(kinds) = &self.nodes[place.node].below
                && !kinds.iter().any(&mut look.concerns)
            {
                return None;
            }
        }
        self.settle(place);
        let [left, right] = place.children();
        let found = self.look(left, ranges, look);
        if found.is_some() {
            return found;
        }
        self.look(right, ranges, look)
    }

    /// Changes what is known of some ascending ranges. Returns what is known of every subresource, if that has become one.
    pub(super) fn change(
        &mut self,
        ranges: &[(u32, u32)],
        operation: &mut impl Operation,
    ) -> Option<Known> {
        self.act(self.root(), ranges, operation);
        match &self.nodes[0].below {
            Below::Kinds(kinds) => match kinds.as_slice() {
                [kind] if kind.is_one == (true, true) => Some(kind.known),
                _ => None,
            },
            Below::Stale | Below::TooMany(_) => None,
        }
    }

    fn act(&mut self, place: NodeSpan, ranges: &[(u32, u32)], operation: &mut impl Operation) {
        let span = self.span(place);
        let ranges = within(ranges, span);
        if ranges.is_empty() {
            return;
        }
        if place.is_page() {
            let runs = &mut self.pages[place.first as usize];
            for range in ranges {
                change_page(runs, span.1, *range, |known| operation.act(known));
            }
            return;
        }
        if covers(ranges, span) && self.act_on_kinds(place, operation) {
            return;
        }
        self.settle(place);
        for child in place.children() {
            self.act(child, ranges, operation);
        }
        self.nodes[place.node].below = Below::Stale;
    }

    /// A change of all below a node. Returns whether it is done: it waits, or there is nothing to do.
    fn act_on_kinds(&mut self, place: NodeSpan, operation: &impl Operation) -> bool {
        self.summarise(place, operation.scope());
        let may_wait = match &self.nodes[place.node].below {
            Below::Kinds(kinds) => {
                let mut all = kinds.iter().map(|kind| &kind.known);
                if !all.clone().any(|known| operation.concerns(known)) {
                    return true;
                }
                all.all(|known| operation.may_wait(known))
            }
            Below::TooMany(_) | Below::Stale => operation.may_always_wait(),
        };
        match operation.later().filter(|_| may_wait) {
            Some(later) => {
                self.wait(place.node, later, operation.scope());
                true
            }
            None => false,
        }
    }

    /// Lets a change wait at a node.
    fn wait(&mut self, node: usize, change: &Transfer, scope: u32) {
        let node = &mut self.nodes[node];
        node.waiting = Some(Box::new(match &node.waiting {
            Some(first) => first.then(change),
            None => *change,
        }));
        if let Below::Kinds(kinds) = &mut node.below {
            let mut after = Kinds::new();
            for mut kind in kinds.drain(..) {
                kind.change(change);
                add(&mut after, kind, scope);
            }
            **kinds = after;
        } else {
            node.below = Below::Stale;
        }
    }

    /// Hands what waits on to the children.
    fn settle(&mut self, place: NodeSpan) {
        let Some(change) = self.nodes[place.node].waiting.take() else {
            return;
        };
        for child in place.children() {
            if child.is_page() {
                for (_, known) in &mut self.pages[child.first as usize] {
                    change.apply(known);
                }
                self.pages[child.first as usize].dedup_by(|run, before| run.1 == before.1);
            } else {
                let node = &mut self.nodes[child.node];
                node.waiting = Some(match &node.waiting {
                    Some(first) => Box::new(first.then(&change)),
                    None => change.clone(),
                });
                node.below = Below::Stale;
            }
        }
    }

    /// Finds out the kinds below a node.
    fn summarise(&mut self, place: NodeSpan, scope: u32) {
        match &self.nodes[place.node].below {
            Below::Kinds(_) => return,
            Below::TooMany(seen) if *seen == scope => return,
            Below::Stale | Below::TooMany(_) => {}
        }
        let kinds = self.collect(place, scope);
        self.nodes[place.node].below = match kinds {
            Some(kinds) => Below::Kinds(Box::new(kinds)),
            None => Below::TooMany(scope),
        };
    }

    /// The kinds below a node; `None`: they are too many.
    fn collect(&mut self, place: NodeSpan, scope: u32) -> Option<Kinds> {
        let mut kinds = Kinds::new();
        for child in place.children() {
            if child.is_page() {
                for (_, known) in &self.pages[child.first as usize] {
                    if !add(&mut kinds, KnownKind::of(known), scope) {
                        return None;
                    }
                }
                continue;
            }
            self.summarise(child, scope);
            let Below::Kinds(below) = &self.nodes[child.node].below else {
                return None;
            };
            for kind in below.iter() {
                if !add(&mut kinds, *kind, scope) {
                    return None;
                }
            }
        }
        let Some(change) = &self.nodes[place.node].waiting else {
            return Some(kinds);
        };
        let mut after = Kinds::new();
        for mut kind in kinds {
            kind.change(change);
            add(&mut after, kind, scope);
        }
        Some(after)
    }
}

impl KnownKind {
    fn of(known: &Known) -> Self {
        Self {
            known: *known,
            newest: known.left.map_or(0, |left| left.stamp),
            is_one: (true, true),
        }
    }

    fn change(&mut self, change: &Transfer) {
        self.is_one.0 |= change.levels_scope();
        self.is_one.1 |= change.levels_layout(&self.known);
        let stamp = self.known.left.map(|left| left.stamp);
        change.apply(&mut self.known);
        let now = self.known.left.map(|left| left.stamp);
        if now != stamp {
            self.newest = now.unwrap_or(0);
        }
    }

    /// Whether another one differs only in its marks.
    fn is_alike(&self, other: &Self) -> bool {
        let plain = |known: &Known| {
            let left = known.left.map(|left| (left.leaves, left.access, left.ends));
            let split = (known.split != 0, known.split * u32::from(!known.is_over));
            let layout = (known.layout, known.writers, split, known.intervened);
            (layout, left, known.touched.is_some(), known.blended)
        };
        plain(&self.known) == plain(&other.known)
    }
}

/// Those of some ascending ranges that meet a span.
fn within(ranges: &[(u32, u32)], span: (u32, u32)) -> &[(u32, u32)] {
    let from = ranges.partition_point(|range| range.1 <= span.0);
    let until = ranges.partition_point(|range| range.0 < span.1);
    &ranges[from..until.max(from)]
}

/// Whether one of the ranges that meet a span has all of it.
fn covers(ranges: &[(u32, u32)], span: (u32, u32)) -> bool {
    matches!(ranges, [(first, end)] if *first <= span.0 && span.1 <= *end)
}

/// Adds a kind, as it is seen from a scope. Returns whether there is room for it.
fn add(kinds: &mut Kinds, mut kind: KnownKind, scope: u32) -> bool {
    if kind.known.scope != scope {
        kind.known.enter(scope);
        (kind.newest, kind.is_one.0) = (0, true);
    }
    let Some(same) = kinds.iter_mut().find(|same| same.is_alike(&kind)) else {
        let has_room = kinds.len() < KINDS_MAX;
        if has_room {
            kinds.push(kind);
        }
        return has_room;
    };
    let (one, other) = (&mut same.known, &kind.known);
    same.is_one.0 &= kind.is_one.0 && one.left == other.left && one.touched == other.touched;
    same.is_one.1 &=
        kind.is_one.1 && one.layout_from == other.layout_from && one.split == other.split;
    same.newest = same.newest.max(kind.newest);
    if let (Some(one), Some(other)) = (&mut one.left, &other.left) {
        one.stamp = one.stamp.min(other.stamp);
    }
    true
}

/// Changes the runs of a page that meet a range; the page ends at `end`.
pub(super) fn change_page(
    runs: &mut Vec<Run>,
    end: u32,
    range: (u32, u32),
    mut change: impl FnMut(&mut Known),
) {
    for cut in [range.0, range.1] {
        let at = runs.partition_point(|run| run.0 < cut);
        if 0 < at && cut < end && runs.get(at).is_none_or(|run| run.0 != cut) {
            let known = runs[at - 1].1;
            runs.insert(at, (cut, known));
        }
    }
    let from = runs.partition_point(|run| run.0 < range.0);
    let until = runs.partition_point(|run| run.0 < range.1);
    for (_, known) in &mut runs[from..until] {
        change(known);
    }
    // Runs stay maximal: within the range, and at both of its ends.
    let mut at = until.min(runs.len() - 1);
    while at > 0 && at >= from {
        if runs[at].1 == runs[at - 1].1 {
            runs.remove(at);
        }
        at -= 1;
    }
}
