//! A litmus test, as it can be read again, and the format `litmus`: litmus text, as `fmt` writes it.

use super::Style;
use super::format::{Format, Output, Printer};
use crate::kernel::{self, Kernel};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["litmus"],
    ..Format::new("litmus", "litmus text")
};

/// A litmus test: `fmt --to`.
pub(crate) const KERNEL: Output<Printer<Kernel>> = Output {
    name: "kernel",
    noun: "a litmus test",
    writers: &[
        ("litmus", write),
        ("json", |it, _, out| {
            out.write_all(kernel::json::to_json(it).as_bytes())
        }),
    ],
    schema: Some(kernel::json::SCHEMA),
};

fn write(kernel: &Kernel, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(kernel::print(kernel).as_bytes())
}
