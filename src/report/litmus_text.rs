//! The format `litmus`: litmus text, as `fmt` writes it.

use super::Style;
use super::format::Format;
use crate::kernel::{self, Kernel};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["litmus"],
    kernel: Some(write),
    ..Format::new("litmus", "litmus text")
};

fn write(kernel: &Kernel, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(kernel::print(kernel).as_bytes())
}
