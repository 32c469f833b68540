//! Ranges of texture barriers as data: cut to what exists, narrowed to some subresources, widened to more (reading R73).

use crate::scenario::geometry::{self, range_of_box};
use crate::scenario::{BarrierRange, TextureShape};

/// What exists of a range that goes too far; `None` if it does not, or nothing does.
pub(super) fn cut(shape: &TextureShape, range: &BarrierRange) -> Option<BarrierRange> {
    let goes_too_far = geometry::written_box(shape, range).is_err();
    let exists = goes_too_far.then(|| geometry::barrier_box(shape, range));
    Some(BarrierRange::Range(range_of_box(shape, &exists?.ok()?)))
}

/// The least box around two ranges; `None` if it is one of them.
pub(super) fn around_both(
    shape: &TextureShape,
    one: &BarrierRange,
    other: &BarrierRange,
) -> Option<BarrierRange> {
    let box_of = |range| geometry::barrier_box(shape, range).ok();
    let (a, b) = (box_of(one)?, box_of(other)?);
    let sub = a.joined(&b, |a, b| (a.0.min(b.0), a.1.max(b.1)));
    (sub != a && sub != b).then(|| BarrierRange::Range(range_of_box(shape, &sub)))
}
