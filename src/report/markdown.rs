//! The format `markdown`: pages of rules and of families, as the book has them.

use super::Style;
use super::format::Format;
use super::page::{PAGE, Topic, family_markdown, markdown};
use std::io::{self, Write};

/// The format.
pub(crate) const FORMAT: Format = Format {
    extensions: &["md"],
    writers: &[PAGE.by(&(write as _))],
    ..Format::new("markdown", "a page as the book has it")
};

fn write(topic: &Topic, _: &Style, out: &mut dyn Write) -> io::Result<()> {
    let page = match topic {
        Topic::Rule(rule) => markdown(rule),
        Topic::Family(family, rules) => family_markdown(family, rules),
    };
    out.write_all(page.as_bytes())
}
