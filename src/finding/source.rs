//! A source text and places in it.

use crate::id::narrow;
use memchr::{memchr_iter, memrchr};
use std::sync::OnceLock;

/// Bytes `start..end` of a source text. A scenario that was built by a program has empty spans at zero.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// Bytes `start..end`.
    #[inline]
    pub fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    /// The span from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self::new(self.start, other.end)
    }
}

/// A text with its name, in which lines and columns are found quickly.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name for messages: the path as the user gave it.
    pub name: String,
    /// The text.
    pub text: String,
    /// One for each [`BLOCK`] bytes that begin before the text ends, and one for the end. Nobody asks for a place in a
    /// text in which nothing is wrong.
    marks: OnceLock<Vec<Mark>>,
}

/// Bytes of a text that are counted again to find a place in them.
const BLOCK: usize = 4096;

/// What comes before a block.
#[derive(Copy, Clone, Debug, Default)]
struct Mark {
    /// Line ends.
    lines: u32,
    /// Characters.
    characters: u32,
    /// First byte of the line that goes on.
    line_start: u32,
}

impl Mark {
    /// After some more bytes, which begin at `at`.
    fn after(self, at: usize, bytes: &[u8]) -> Self {
        // Nearly all texts are ASCII, which is quicker to see than characters are to count.
        let characters = if bytes.is_ascii() {
            bytes.len()
        } else {
            bytes.iter().filter(|b| is_first(**b)).count()
        };
        Self {
            lines: self.lines + narrow(memchr_iter(b'\n', bytes).count()),
            characters: self.characters + narrow(characters),
            line_start: memrchr(b'\n', bytes).map_or(self.line_start, |end| narrow(at + end + 1)),
        }
    }
}

/// Whether a character begins with this byte.
fn is_first(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

impl Source {
    /// A text, whose lines are indexed when the first place is asked for.
    ///
    /// # Panics
    /// If the text has more than 4 GiB: every reader of a text limits it far below that.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        assert!(
            u32::try_from(text.len()).is_ok(),
            "a text has at most 4 GiB"
        );
        Self {
            name: name.into(),
            text,
            marks: OnceLock::new(),
        }
    }

    fn marks(&self) -> &[Mark] {
        self.marks.get_or_init(|| {
            let mut mark = Mark::default();
            let mut marks = Vec::with_capacity(self.text.len().div_ceil(BLOCK) + 1);
            marks.push(mark);
            let blocks = self.text.as_bytes().chunks(BLOCK);
            for (block, at) in blocks.zip((0..).step_by(BLOCK)) {
                mark = mark.after(at, block);
                marks.push(mark);
            }
            marks
        })
    }

    /// What comes before a byte; before the end, if there is none.
    fn before(&self, byte: usize) -> Mark {
        let text = self.text.as_bytes();
        let byte = byte.min(text.len());
        let block = byte / BLOCK;
        let at = block * BLOCK;
        self.marks()[block].after(at, &text[at..byte])
    }

    /// Line of a byte, counted from 1.
    pub fn line(&self, byte: u32) -> u32 {
        self.before(byte as usize).lines + 1
    }

    /// Column of a byte in characters, counted from 1.
    pub fn column(&self, byte: u32) -> u32 {
        let at = (byte as usize).min(self.text.len());
        if !self.text.is_char_boundary(at) {
            return 1;
        }
        let here = self.before(at);
        here.characters - self.before(here.line_start as usize).characters + 1
    }

    /// Text of a line, counted from 1, without its end.
    pub fn line_text(&self, line: u32) -> &str {
        let rest = &self.text[self.line_start(line) as usize..];
        rest.lines().next().unwrap_or("")
    }

    /// First byte of a line, counted from 1; the end of the text for a line after the last.
    pub fn line_start(&self, line: u32) -> u32 {
        // Line n starts after n - 1 line ends. The last of those line ends is in the last block before which there are
        // fewer.
        let ends = line - 1;
        if ends == 0 {
            return 0;
        }
        let block = self.marks().partition_point(|mark| mark.lines < ends) - 1;
        let at = block * BLOCK;
        let bytes = self.text.as_bytes().get(at..).unwrap_or_default();
        let missing = (ends - self.marks()[block].lines) as usize;
        let end = memchr_iter(b'\n', bytes).nth(missing - 1);
        narrow(end.map_or(self.text.len(), |end| at + end + 1))
    }
}

/// The start of a text: at most so many bytes, whole characters.
pub fn head(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let is_end = |end: &usize| text.is_char_boundary(*end);
    &text[..(0..=bytes).rev().find(is_end).unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte of texts with short, long and empty lines and characters of several bytes, against counting from the
    /// start.
    #[test]
    fn places_are_those_that_counting_finds() {
        let long = "é".repeat(BLOCK + 3);
        for text in [
            String::new(),
            "a".to_owned(),
            "\n\na\r\nbc\n".to_owned(),
            format!("x{long}\n{}y{long}", "é\n\n".repeat(1500)),
            "\n".repeat(BLOCK),
            format!("{}\n", "a".repeat(BLOCK - 1)),
        ] {
            let source = Source::new("places.scn", text.clone());
            for byte in (0..text.len() + 3).filter(|byte| byte % 7 < 3 || byte + 9 > text.len()) {
                let at = byte.min(text.len());
                let before = &text.as_bytes()[..at];
                let line = 1 + memchr::memchr_iter(b'\n', before).count();
                let start = before
                    .iter()
                    .rposition(|b| *b == b'\n')
                    .map_or(0, |end| end + 1);
                let column = text.get(start..at).map_or(1, |it| it.chars().count() + 1);
                let byte = narrow(byte);
                assert_eq!(source.line(byte) as usize, line, "line of byte {byte}");
                assert_eq!(
                    source.column(byte) as usize,
                    column,
                    "column of byte {byte}"
                );
            }
            let lines = text.split('\n').count();
            for (line, wanted) in text.split('\n').zip(1_u32..).step_by(lines.div_ceil(400)) {
                let line = line.strip_suffix('\r').unwrap_or(line);
                assert_eq!(source.line_text(wanted), line, "line {wanted}");
            }
            assert_eq!(source.line_text(narrow(lines) + 1), "");
        }
    }
}
