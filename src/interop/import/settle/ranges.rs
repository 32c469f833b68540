//! Parts as ranges of the scenario language.

use super::super::story::{Item, Part};
use crate::scenario::{Range, SubresourceRange};

/// A part of a resource as a command names it.
pub(super) fn range(item: &Item, part: &Part) -> Range {
    let counts = item.counts();
    let unless_all = |range: (u32, u32), all: u32| (range != (0, all)).then_some(range);
    match part {
        Part::All => Range::All,
        Part::Bytes(start, end) => Range::Bytes {
            start: *start,
            end: *end,
        },
        Part::Image(part) => Range::Subresources(Box::new(SubresourceRange {
            mips: unless_all(part.mips, counts.0),
            layers: unless_all(part.layers, counts.1),
            planes: unless_all(part.planes, counts.2),
            rect: part.rect,
        })),
    }
}

/// The same without a region: what barriers, clears and views name.
pub(super) fn subresources(item: &Item, part: &Part) -> Range {
    match range(item, part) {
        Range::Subresources(mut boxed) => {
            boxed.rect = None;
            if *boxed == SubresourceRange::default() {
                Range::All
            } else {
                Range::Subresources(boxed)
            }
        }
        other => other,
    }
}
