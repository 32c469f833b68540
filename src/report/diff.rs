//! The format `diff`: what a repair changes, as `patch` takes it.

use super::Style;
use super::format::Format;
use super::repair::{REPAIR, Repaired, WriteRepair};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["diff", "patch"],
    writers: &[REPAIR.by(&WriteRepair::Changes(write))],
    ..Format::new("diff", "a unified diff")
};

fn write(repaired: &Repaired<'_>, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let name = &repaired.source.name;
    let diff = similar::TextDiff::from_lines(repaired.source.text.as_str(), repaired.text);
    let mut unified = diff.unified_diff();
    unified.header(name, name);
    write!(out, "{unified}")
}
