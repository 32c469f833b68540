//! Memory: resources that share bytes while both are alive are placed in one heap, all others are committed.
//!
//! D3D12 places textures at multiples of 64 KiB and gives them whole pages; Vulkan does neither. Placing everything as
//! Vulkan has it would make neighbours aliases, so only real aliases are placed, each group in a heap of its own.

use super::super::draft::Draft;
use super::super::report::{Fate, Notes};
use super::super::story::Story;
use super::Decided;
use crate::scenario::Placement;

const PAGE: u64 = 64 << 10;
const LARGE_PAGE: u64 = 4 << 20;

/// A bound and used resource: memory, first byte, one past the last, item.
type Bound = (u64, u64, u64, usize);

/// The placement of each item.
pub(super) fn placements(
    story: &Story,
    items: &[Decided],
    draft: &mut Draft,
    notes: &mut Notes,
) -> Vec<Placement> {
    let mut all = vec![Placement::Committed; items.len()];
    let mut bound: Vec<Bound> = Vec::new();
    for (at, item) in story.items.iter().enumerate() {
        if let (true, Some((memory, offset, size))) = (items[at].used, item.memory)
            && size > 0
        {
            bound.push((memory, offset, offset.saturating_add(size), at));
        }
    }
    bound.sort_unstable();
    for group in groups(story, &bound) {
        place(story, &group, &mut all, draft);
        notes.note_at(
            Fate::Widened,
            "resources that share memory: placed in a heap at multiples of 64 KiB (4 MiB with samples), so aliases may share more",
            story.items[group[0].3].alive.0,
        );
    }
    all
}

/// Sets of resources that overlap, directly or through others, while alive.
fn groups(story: &Story, bound: &[Bound]) -> Vec<Vec<Bound>> {
    let mut groups: Vec<Vec<Bound>> = Vec::new();
    let mut open: Vec<Bound> = Vec::new();
    let mut end = (0, 0);
    let mut finish = |run: &mut Vec<Bound>| {
        if run.len() > 1
            && run
                .iter()
                .enumerate()
                .any(|(i, a)| run[..i].iter().any(|b| overlap(story, a, b)))
        {
            let aliased: Vec<Bound> = run
                .iter()
                .filter(|a| run.iter().any(|b| a.3 != b.3 && overlap(story, a, b)))
                .copied()
                .collect();
            groups.push(aliased);
        }
        run.clear();
    };
    for one in bound {
        if !open.is_empty() && (one.0 != end.0 || one.1 >= end.1) {
            finish(&mut open);
        }
        if open.is_empty() {
            end = (one.0, one.2);
        }
        end.1 = end.1.max(one.2);
        // A run of very many is a suballocated block that was used again and again; the bound keeps this quick.
        if open.len() < 512 {
            open.push(*one);
        }
    }
    finish(&mut open);
    groups
}

/// Whether two share bytes while both are alive.
fn overlap(story: &Story, a: &Bound, b: &Bound) -> bool {
    let (x, y) = (story.items[a.3].alive, story.items[b.3].alive);
    a.0 == b.0 && a.1 < b.2 && b.1 < a.2 && x.0 < y.1 && y.0 < x.1
}

/// Puts a group into a heap.
fn place(story: &Story, group: &[Bound], all: &mut [Placement], draft: &mut Draft) {
    let first = group.iter().map(|one| one.1).min().unwrap_or(0);
    let page = |at: usize| match &story.items[at].kind {
        crate::scenario::ResourceKind::Texture(shape) if shape.samples > 1 => LARGE_PAGE,
        _ => PAGE,
    };
    let mut end = PAGE;
    let mut places = Vec::new();
    for one in group {
        let page = page(one.3);
        let offset = (one.1 - first) / page * page;
        let size = occupied(story, one.3).max(one.2 - one.1);
        end = end.max(offset.saturating_add(size.div_ceil(page).saturating_mul(page)));
        places.push((one.3, offset));
    }
    let heap = draft.heap(&format!("memory_{}", group[0].0), end);
    for (at, offset) in places {
        all[at] = Placement::Placed { heap, offset };
    }
}

/// An upper bound of the bytes that an item occupies when placed.
fn occupied(story: &Story, at: usize) -> u64 {
    match &story.items[at].kind {
        crate::scenario::ResourceKind::Buffer { size } => *size,
        crate::scenario::ResourceKind::Texture(shape) => {
            let texels = [
                shape.width,
                shape.height,
                shape.depth,
                shape.layers,
                shape.samples,
            ]
            .iter()
            .fold(1u64, |all, side| all.saturating_mul(u64::from(*side)));
            // A block has at most 16 bytes a texel; all mips together are less than twice the first.
            let bytes: u64 = (0..shape.format.planes())
                .map(|plane| u64::from(shape.format.plane(plane).block_bytes))
                .sum();
            texels.saturating_mul(bytes).saturating_mul(2)
        }
    }
}
