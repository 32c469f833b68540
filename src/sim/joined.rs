//! Many versions under one name.
//!
//! A buffer that is written range by range has a version for each range, and whoever reads all of it meets them all: reads
//! and ranges together would cost the square of their number. So the ranges that such a read expects become one: the
//! latest version of their bytes gets one number, which says byte by byte what they are, and memory, caches and what is in
//! flight name the same bytes alike wherever they hold the same. Who compares finds one number on both sides. Where the
//! numbers differ, both are looked up.
//!
//! Cost: ranges are joined when a read expects [`RANGES`] of them or more, and are one from then on. So a read looks at a
//! bounded number, and a write pays once, O(log n), for joining its range, and for the lines of it that are joined with
//! it. The worst case is ranges that never can be one, of which every read looks at each: textures, ranges that share
//! lines of a cache, and lines that stay stale, or dirty next to clean ones.
//!
//! What happens is the same: joined bytes behave alike for whoever names them by one number (buffers, written, in one
//! encoding), and their borders are borders of lines, so that a cache drops the same bytes in the same order.

use super::cell::{Cell, Content, INITIAL, Version, VersionInfo};
use super::memory::Eviction;
use super::{Engine, Part, SimOptions};
use crate::hardware::Profile;
use crate::id::{Extent, MemoryId, Table, narrow};
use crate::lookup::{LookupMap, LookupSet};
use crate::program::{Form, Interval, Program, Runs};
use std::rc::Rc;

/// Ranges that one read must expect before they are joined.
const RANGES: usize = 16;

/// A number for many versions, and what its bytes are.
pub(super) struct Joined {
    version: Version,
    tree: Tree,
}

/// Which bytes can be joined, and what is.
pub(super) struct Joins {
    /// By block of memory, whether its ranges can be.
    blocks: Table<MemoryId, bool>,
    /// Borders between ranges are multiples of it.
    grain: u64,
    /// Ascending by version.
    all: Vec<Joined>,
}

impl Joins {
    pub(super) fn new(program: &Program, profile: &Profile, options: &SimOptions) -> Self {
        // Which line is drawn depends on how many there are.
        let is_drawn = matches!(options.eviction, Eviction::Random(_) | Eviction::Prefetch);
        let mut blocks = Table::filled(program.memories.len(), !is_drawn && !options.eager);
        for resource in program.resources.iter().filter(|r| !r.is_buffer) {
            if let Some(extent) = resource.extent {
                blocks[extent.memory] = false;
            }
        }
        let metadata = program.metadata.unwrap_or(u32::MAX) as usize;
        blocks.iter_mut().skip(metadata).for_each(|b| *b = false);
        let lines = || profile.caches.iter().map(|cache| cache.line_bytes);
        let grain = lines().max().unwrap_or(1);
        if !lines().all(|line| grain.is_multiple_of(line)) {
            blocks.fill(false);
        }
        Self {
            blocks,
            grain,
            all: Vec::new(),
        }
    }

    /// Whether names for others may be met in a block of memory.
    pub(super) fn are_in(&self, memory: MemoryId) -> bool {
        !self.all.is_empty() && self.blocks[memory]
    }

    /// Whether a version is a name for others.
    pub(super) fn is_joined(&self, version: Version) -> bool {
        !self.all.is_empty() && self.of(version).is_some()
    }

    fn of(&self, version: Version) -> Option<&Tree> {
        let at = self
            .all
            .binary_search_by_key(&version, |j| j.version)
            .ok()?;
        Some(&self.all[at].tree)
    }

    /// What some bytes of a cell are, ascending: the versions of those who wrote them.
    pub(super) fn members(&self, start: u64, end: u64, cell: Cell) -> Vec<Interval<Cell>> {
        let mut members = Runs::default();
        match self.of(cell.version) {
            Some(tree) => each(tree.as_deref(), start, end, &mut |run| members.push(run)),
            None => members.push(Interval {
                start,
                end,
                value: cell,
            }),
        }
        members.into()
    }

    /// Marks the versions that those which are kept stand for, and forgets the others.
    pub(super) fn keep(&mut self, kept: &mut [bool]) {
        self.all.retain(|joined| kept[joined.version as usize]);
        let mut seen = LookupSet::default();
        for joined in &self.all {
            mark(joined.tree.as_ref(), kept, &mut seen);
        }
    }

    /// Versions have other numbers.
    pub(super) fn rename(&mut self, names: &[Version]) {
        let mut renamed = LookupMap::default();
        for joined in &mut self.all {
            joined.version = names[joined.version as usize];
            joined.tree = rename(joined.tree.as_ref(), names, &mut renamed);
        }
    }
}

impl Engine<'_> {
    /// Joins the ranges that are to be read, if they are many.
    pub(super) fn join_ranges(&mut self, extent: Extent) {
        let memory = extent.memory;
        if !self.joins.blocks[memory] || self.latest[memory].len() < RANGES / 2 {
            return;
        }
        let mut ranges: Vec<Interval<Cell>> = Vec::new();
        self.expect(extent, |part, value| {
            ranges.push(Interval {
                start: part.start,
                end: part.end,
                value,
            });
        });
        self.trace.visits += ranges.len() as u64;
        if ranges.len() < RANGES {
            return;
        }
        let mut from = 0;
        for at in 0..ranges.len() {
            let next = ranges.get(at + 1);
            let goes_on = next.is_some_and(|next| {
                next.start.is_multiple_of(self.joins.grain) && self.can_join(next.value)
            });
            if goes_on && self.can_join(ranges[from].value) {
                continue;
            }
            if at + 1 - from >= RANGES {
                self.join(extent, &ranges[from..=at]);
            }
            from = at + 1;
        }
    }

    /// Whether whoever meets the version need not know which it is.
    fn can_join(&self, cell: Cell) -> bool {
        let version = &self.versions[cell.version as usize];
        let is_plain = matches!(
            cell.content,
            Content::Untouched | Content::Texels(Form::Plain)
        );
        is_plain && !version.undefined && !version.lost
    }

    /// Gives neighbouring ranges one name, everywhere.
    fn join(&mut self, within: Extent, ranges: &[Interval<Cell>]) {
        let (start, end) = (ranges[0].start, ranges[ranges.len() - 1].end);
        let extent = within.at(start, end);
        let tree = ranges.iter().fold(None, |tree, range| {
            let own = match self.joins.of(range.value.version) {
                Some(tree) => slice(tree.as_ref(), range.start, range.end),
                None => Some(leaf(*range)),
            };
            concat(tree, own)
        });
        let written = ranges.iter().find(|range| range.value.version != INITIAL);
        let resource = written.map(|range| self.versions[range.value.version as usize].resource);
        self.versions.push(VersionInfo {
            resource: resource.unwrap_or(VersionInfo::INITIAL.resource),
            ..VersionInfo::INITIAL
        });
        let version = narrow(self.versions.len()) - 1;
        let cell = Cell::texels(version, Form::Plain);
        self.joins.all.push(Joined { version, tree });
        self.latest[extent.memory].set(start, end, cell);
        self.trace.visits += self.memory.name(extent, ranges, cell);
        for f in self.flights.iter_mut().filter(|f| f.queue != u32::MAX) {
            if f.expected
                .iter()
                .any(|part| part.extent.intersection(extent).is_some())
            {
                self.trace.visits += f.expected.len() as u64;
                f.expected = named(&f.expected, extent, ranges, cell);
            }
        }
    }

    /// What lands, by the name that its bytes have by now.
    pub(super) fn landing(&self, extent: Extent, cell: Cell) -> Cell {
        if self.joins.all.is_empty() {
            return cell;
        }
        let latest = &self.latest[extent.memory];
        match latest.whole(extent.start, extent.end) {
            Some(name) if name.version != cell.version && self.joins.is_joined(name.version) => {
                let members = self.joins.members(extent.start, extent.end, name);
                let is_member = matches!(members[..], [only] if only.value == cell);
                if is_member { name } else { cell }
            }
            _ => cell,
        }
    }
}

/// What a read expects, with a new name for those of its bytes that have it.
fn named(parts: &[Part], extent: Extent, ranges: &[Interval<Cell>], name: Cell) -> Vec<Part> {
    let mut all: Vec<Part> = Vec::with_capacity(parts.len());
    for part in parts {
        let whole = part.extent;
        if whole.intersection(extent).is_none() {
            all.push(*part);
            continue;
        }
        let mut add = |start: u64, end: u64, cell: Cell| {
            let piece = Part {
                extent: whole.at(start, end),
                cell,
                ..*part
            };
            match all.last_mut() {
                _ if start >= end => {}
                Some(last) if last.extent.end > whole.start && last.goes_on_in(&piece) => {
                    last.extent.end = end;
                }
                _ => all.push(piece),
            }
        };
        add(whole.start, whole.end.min(extent.start), part.cell);
        pieces_of(ranges, whole.start, whole.end, |start, end, old| {
            add(start, end, if old == part.cell { name } else { part.cell });
        });
        add(whole.start.max(extent.end), whole.end, part.cell);
    }
    all
}

/// Calls `each` with the part of each range that lies in `start..end`.
pub(super) fn pieces_of(
    ranges: &[Interval<Cell>],
    start: u64,
    end: u64,
    mut each: impl FnMut(u64, u64, Cell),
) {
    let first = ranges.partition_point(|range| range.end <= start);
    for range in ranges[first..].iter().take_while(|r| r.start < end) {
        each(range.start.max(start), range.end.min(end), range.value);
    }
}

/// Ranges with cells, ascending: a treap that shares what it has in common with others.
type Tree = Option<Rc<Node>>;

struct Node {
    run: Interval<Cell>,
    /// No less than those of its children.
    priority: u64,
    left: Tree,
    right: Tree,
}

/// A tree of one range. Equal trees get equal shapes: priorities are drawn from where ranges start.
fn leaf(run: Interval<Cell>) -> Rc<Node> {
    let mixed = run
        .start
        .wrapping_add(1)
        .wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let priority = (mixed ^ (mixed >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    Rc::new(Node {
        run,
        priority,
        left: None,
        right: None,
    })
}

impl Node {
    fn with(&self, run: Interval<Cell>, left: Tree, right: Tree) -> Rc<Node> {
        let priority = self.priority;
        Rc::new(Self {
            run,
            priority,
            left,
            right,
        })
    }
}

/// The part of a tree in some bytes.
fn slice(tree: Option<&Rc<Node>>, start: u64, end: u64) -> Tree {
    until(from(tree, start).as_ref(), end)
}

/// The part of a tree from `start` on.
fn from(tree: Option<&Rc<Node>>, start: u64) -> Tree {
    let node = tree?;
    if node.run.end <= start {
        return from(node.right.as_ref(), start);
    }
    let left = if node.run.start > start {
        from(node.left.as_ref(), start)
    } else {
        None
    };
    let run = Interval {
        start: node.run.start.max(start),
        ..node.run
    };
    Some(node.with(run, left, node.right.clone()))
}

/// The part of a tree before `end`.
fn until(tree: Option<&Rc<Node>>, end: u64) -> Tree {
    let node = tree?;
    if node.run.start >= end {
        return until(node.left.as_ref(), end);
    }
    let right = if node.run.end < end {
        until(node.right.as_ref(), end)
    } else {
        None
    };
    let run = Interval {
        end: node.run.end.min(end),
        ..node.run
    };
    Some(node.with(run, node.left.clone(), right))
}

/// One tree and then the other.
fn concat(a: Tree, b: Tree) -> Tree {
    match (a, b) {
        (None, tree) | (tree, None) => tree,
        (Some(a), Some(b)) if a.priority >= b.priority => {
            let right = concat(a.right.clone(), Some(b));
            Some(a.with(a.run, a.left.clone(), right))
        }
        (Some(a), Some(b)) => {
            let left = concat(Some(a), b.left.clone());
            Some(b.with(b.run, left, b.right.clone()))
        }
    }
}

/// Calls `visit` with the ranges in some bytes, cut to them.
fn each(tree: Option<&Node>, start: u64, end: u64, visit: &mut impl FnMut(Interval<Cell>)) {
    let Some(node) = tree else { return };
    let run = node.run;
    if start < run.start {
        each(node.left.as_deref(), start, end, visit);
    }
    if run.start < end && start < run.end {
        visit(Interval {
            start: run.start.max(start),
            end: run.end.min(end),
            ..run
        });
    }
    if run.end < end {
        each(node.right.as_deref(), start, end, visit);
    }
}

/// Marks the versions of a tree that was not seen yet.
fn mark(tree: Option<&Rc<Node>>, kept: &mut [bool], seen: &mut LookupSet<*const Node>) {
    let Some(node) = tree else { return };
    if seen.insert(Rc::as_ptr(node)) {
        kept[node.run.value.version as usize] = true;
        mark(node.left.as_ref(), kept, seen);
        mark(node.right.as_ref(), kept, seen);
    }
}

/// A tree with other numbers. What trees have in common they have in common afterwards.
fn rename(
    tree: Option<&Rc<Node>>,
    names: &[Version],
    renamed: &mut LookupMap<*const Node, Tree>,
) -> Tree {
    let node = tree?;
    if let Some(known) = renamed.get(&Rc::as_ptr(node)) {
        return known.clone();
    }
    let mut run = node.run;
    run.value.version = names[run.value.version as usize];
    let left = rename(node.left.as_ref(), names, renamed);
    let right = rename(node.right.as_ref(), names, renamed);
    let new = Some(node.with(run, left, right));
    renamed.insert(Rc::as_ptr(node), new.clone());
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(start: u64, end: u64) -> Interval<Cell> {
        let version = narrow(usize::try_from(start).expect("small"));
        Interval {
            start,
            end,
            value: Cell::texels(version, Form::Plain),
        }
    }

    fn runs(tree: &Tree, start: u64, end: u64) -> Vec<(u64, u64, Version)> {
        let mut runs = Vec::new();
        each(tree.as_deref(), start, end, &mut |r| {
            runs.push((r.start, r.end, r.value.version));
        });
        runs
    }

    /// Every cut of a tree, and what is put together of two cuts, against the plain list.
    #[test]
    fn cuts_equal_those_of_a_list() {
        let plain: Vec<_> = (0..40).map(|i| run(i * 3, i * 3 + 3)).collect();
        let tree = plain
            .iter()
            .fold(None, |tree, r| concat(tree, Some(leaf(*r))));
        for start in 0..120 {
            for end in start + 1..=120 {
                let cut = |r: &Interval<Cell>| {
                    let (from, until) = (r.start.max(start), r.end.min(end));
                    (from < until).then_some((from, until, r.value.version))
                };
                let expected: Vec<_> = plain.iter().filter_map(cut).collect();
                let part = slice(tree.as_ref(), start, end);
                assert_eq!(runs(&part, 0, 120), expected);
                assert_eq!(runs(&tree, start, end), expected);
                let again = concat(
                    slice(tree.as_ref(), 0, start),
                    slice(tree.as_ref(), start, 120),
                );
                assert_eq!(runs(&again, start, end), expected);
            }
        }
    }
}
