//! The format `markdown`: pages about words, as the book has them.

use super::Style;
use super::format::Format;
use super::page::{PAGE, Topic, markdown};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["md"],
    writers: &[PAGE.by(&(write as _))],
    ..Format::new("markdown", "a page as the book has it")
};

fn write(topic: &Topic, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    out.write_all(markdown(topic).as_bytes())
}
