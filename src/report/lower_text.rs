//! Rules of a lowering, as they can be read again, and the format `lower`: rule text, as `fmt` writes it.

use super::Style;
use super::format::{Format, Output, Printer};
use crate::lower::rules::{self, RuleFile};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["lower"],
    ..Format::new("lower", "rule text")
};

/// Rules of a lowering: `fmt --to`, `lower --emit-rules`.
pub(crate) const RULES: Output<Printer<RuleFile>> = Output {
    name: "rules",
    noun: "a rule file",
    writers: &[
        ("lower", write),
        ("json", |it, _, out| {
            out.write_all(rules::json::to_json(it).as_bytes())
        }),
    ],
    schema: Some(rules::json::SCHEMA),
};

fn write(file: &RuleFile, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(rules::print(file).as_bytes())
}
