//! Where the time went, as values.

use crate::run::{FrameRow, SegmentRow};
use serde::{Serialize, Serializer};

/// Segments of all frames, made one at a time.
pub(in crate::report) struct CriticalPath<'a>(pub(super) &'a [FrameRow]);

impl Serialize for CriticalPath<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(segments(self.0))
    }
}

/// Part of a critical path. Segments are in order of time; each starts where the one before it ends.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Segment"))]
pub(in crate::report) struct SegmentJson<'a> {
    /// Index in `frames`.
    frame: usize,
    #[serde(flatten)]
    segment: &'a SegmentRow,
}

/// The segments of frames, in order of time.
pub(in crate::report) fn segments(frames: &[FrameRow]) -> impl Iterator<Item = SegmentJson<'_>> {
    let frames = frames.iter().enumerate();
    frames.flat_map(|(frame, row)| {
        let path = row.path.iter();
        path.map(move |segment| SegmentJson { frame, segment })
    })
}
