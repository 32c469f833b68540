//! The format `scn`: scenario text, as `fmt` writes it.

use super::Style;
use super::format::Format;
use crate::scenario::{self, Scenario};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["scn"],
    scenario: Some(write),
    ..Format::new("scn", "scenario text")
};

fn write(scenario: &Scenario, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(scenario::print(scenario).as_bytes())
}
