//! The format `lower`: rule text, as `fmt` writes it.

use super::Style;
use super::format::Format;
use crate::lower::rules::{self, RuleFile};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["lower"],
    rules: Some(write),
    ..Format::new("lower", "rule text")
};

fn write(file: &RuleFile, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(rules::print(file).as_bytes())
}
