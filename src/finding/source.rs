//! A source text and places in it.

use crate::id::narrow;

/// Bytes `start..end` of a source text. A scenario that was built by a program has empty spans at zero.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The span from the start of `self` to the end of `other`.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self {
            start: self.start,
            end: other.end,
        }
    }
}

/// A text with its name and the places where its lines start.
#[derive(Clone, Debug)]
pub struct Source {
    /// Name for messages: the path as the user gave it.
    pub name: String,
    /// The text.
    pub text: String,
    line_starts: Vec<u32>,
}

impl Source {
    /// Indexes a text's lines.
    ///
    /// # Panics
    /// If a line starts after 4 GiB: every reader of a text limits it far below that.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let text = text.into();
        let mut line_starts = vec![0];
        line_starts.extend(text.match_indices('\n').map(|(at, _)| narrow(at) + 1));
        Self {
            name: name.into(),
            text,
            line_starts,
        }
    }

    /// Line of a byte, counted from 1.
    pub fn line(&self, byte: u32) -> u32 {
        narrow(self.line_starts.partition_point(|start| *start <= byte))
    }

    /// Column of a byte in characters, counted from 1.
    pub fn column(&self, byte: u32) -> u32 {
        let start = self.line_starts[self.line(byte) as usize - 1] as usize;
        let end = (byte as usize).min(self.text.len());
        self.text
            .get(start..end)
            .map_or(1, |prefix| narrow(prefix.chars().count()) + 1)
    }

    /// Text of a line, counted from 1, without its end.
    pub fn line_text(&self, line: u32) -> &str {
        let Some(start) = self.line_starts.get(line as usize - 1) else {
            return "";
        };
        self.text[*start as usize..].lines().next().unwrap_or("")
    }
}
