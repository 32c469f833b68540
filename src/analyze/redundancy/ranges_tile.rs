crate::finding::rule! {
    /// **What it finds.** Entries of one `Barrier()` call that agree in everything but the subresources, where these
    /// fit together to one range without gap or overlap. The change is verified: in a copy with one entry in their
    /// place there is no new error or hazard.
    ///
    /// **Why it matters.** One range is one operation for a driver; a hundred entries are a hundred to look at, and may
    /// be a hundred passes.
    ///
    /// **Source.** Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`"; reading R28.
    pub(super) static RULE = "RD108", "ranges-tile", Advice,
        "entries of a call that together are one range";
}

use super::look::Look;
use super::{Gain, Proposal, Saving};
use crate::id::narrow;
use crate::scenario::edit::{Change, EntryId, is_split};
use crate::scenario::geometry::{self, SubresourceBox};
use crate::scenario::{Barrier, BarrierRange, CommandKind, Range, SubresourceRange};
use indexmap::{IndexMap, IndexSet};

/// When it is right.
pub(super) static SAVING: Saving = Saving {
    rule: &RULE,
    condition: "this holds on every profile: the ranges fill one box of mips, layers and planes exactly, and everything else in the entries is equal",
    gain: Gain::Always,
};

/// Entries of one call that are compared with each other.
const PIECES_MAX: usize = 4_096;

/// Sets of entries that are one range.
pub(super) fn proposals(look: &Look<'_>) -> Vec<Proposal> {
    let mut found = Vec::new();
    for list in look.lists() {
        for (at, command) in look.scenario.lists[list].commands.iter().enumerate() {
            let CommandKind::Barrier(barriers) = &command.kind else {
                continue;
            };
            if barriers.len() > PIECES_MAX || look.is_legacy(list, narrow(at)) {
                continue;
            }
            for pieces in alike(barriers) {
                let Some(whole) = whole(look, barriers, &pieces) else {
                    continue;
                };
                let place = |index: &usize| EntryId {
                    list,
                    command: narrow(at),
                    index: narrow(*index),
                };
                let mut changes = vec![Change::Set(place(&pieces[0]), whole)];
                changes.extend(pieces[1..].iter().map(|index| Change::Clear(place(index))));
                let mut proposal = look.proposal(&SAVING, place(&pieces[0]), changes);
                proposal.message = format!(
                    "{} entries of this call are one range of `{}`",
                    pieces.len(),
                    proposal.resource
                );
                proposal.witness = "with one entry in their place".into();
                proposal.help = "name the whole range in one entry".into();
                found.push(proposal);
            }
        }
    }
    found
}

/// Entries that agree in everything but the subresources, two or more together.
fn alike(barriers: &[Barrier]) -> Vec<Vec<usize>> {
    let mut sets: IndexMap<_, Vec<usize>> = IndexMap::new();
    for (index, barrier) in barriers.iter().enumerate() {
        if let Some((id, entry)) = barrier.named_texture()
            && !is_split(barrier)
        {
            let key = (
                id,
                (entry.layouts(), entry.discard),
                (barrier.sync_before, barrier.sync_after),
                (barrier.access_before, barrier.access_after),
            );
            sets.entry(key).or_default().push(index);
        }
    }
    sets.into_values().filter(|set| set.len() > 1).collect()
}

/// The entry that replaces all, if their boxes tile one box.
fn whole(look: &Look<'_>, barriers: &[Barrier], pieces: &[usize]) -> Option<Barrier> {
    let mut whole = barriers[pieces[0]].clone();
    let entry = whole.as_texture_mut()?;
    let shape = look.scenario.resource(entry.resource?).texture()?;
    let mut boxes = Vec::new();
    for piece in pieces {
        if let Some(piece) = barriers[*piece].as_texture() {
            boxes.push(geometry::barrier_box(shape, &piece.range).ok()?);
        }
    }
    let around = |side: fn(&SubresourceBox) -> (u32, u32)| {
        let first = boxes.iter().map(|b| side(b).0).min().unwrap_or(0);
        (first, boxes.iter().map(|b| side(b).1).max().unwrap_or(0))
    };
    let bounds = SubresourceBox {
        mips: around(|b| b.mips),
        layers: around(|b| b.layers),
        planes: around(|b| b.planes),
        rect: None,
    };
    let mut seen = IndexSet::new();
    for (first, end) in boxes.iter().flat_map(|b| b.index_runs(shape)) {
        for index in first..end {
            if !seen.insert(index) || seen.len() > PIECES_MAX {
                return None;
            }
        }
    }
    let inside: u32 = bounds.index_runs(shape).iter().map(|(a, b)| b - a).sum();
    if inside as usize != seen.len() {
        return None;
    }
    entry.range = BarrierRange::Range(if bounds.is_all(shape) {
        Range::All
    } else {
        Range::Subresources(Box::new(SubresourceRange {
            mips: Some(bounds.mips),
            layers: Some(bounds.layers),
            planes: Some(bounds.planes),
            rect: None,
        }))
    });
    Some(whole)
}
