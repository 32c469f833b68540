//! A scenario, as it can be read again, and the format `scn`: scenario text, as `fmt` writes it.

use super::Style;
use super::format::{Format, Output, Printer};
use crate::scenario::{self, Scenario};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["scn"],
    ..Format::new("scn", "scenario text")
};

/// A scenario: `fmt --to`.
pub(crate) const SCENARIO: Output<Printer<Scenario>> = Output {
    name: "scenario",
    noun: "a scenario",
    writers: &[
        ("scn", write),
        ("json", |it, _, out| {
            out.write_all(scenario::json::to_json(it).as_bytes())
        }),
    ],
    schema: Some(scenario::json::SCHEMA),
};

fn write(scenario: &Scenario, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(scenario::print(scenario).as_bytes())
}
