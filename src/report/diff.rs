//! The format `diff`: what a repair or a placement changes, as `patch` takes it.

use super::Style;
use super::format::Format;
use super::placement::{PLACEMENT, PlacedText, WritePlaced};
use super::repair::{REPAIR, Repaired, WriteRepair};
use crate::finding::Source;
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["diff", "patch"],
    writers: &[
        REPAIR.by(&WriteRepair::Changes(repaired)),
        PLACEMENT.by(&(placed as WritePlaced)),
    ],
    ..Format::new("diff", "a unified diff")
};

fn repaired(repaired: &Repaired<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    write(repaired.source, repaired.text, out)
}

fn placed(it: &PlacedText<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    write(it.source, &it.placed.source.text, out)
}

fn write(before: &Source, after: &str, out: &mut dyn Write) -> io::Result<()> {
    let name = &before.name;
    let diff = similar::TextDiff::from_lines(before.text.as_str(), after);
    let mut unified = diff.unified_diff();
    unified.header(name, name);
    write!(out, "{unified}")
}
