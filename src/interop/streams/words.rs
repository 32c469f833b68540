//! Words of a command buffer: the lines of a step that begin with `@x`, each a piece that ends where a packet ends.

use super::Commands;
use super::recording::Line;
use crate::finding::Span;
use crate::id::narrow;
use crate::lower::rules::suggest::cut;

/// How a line with words begins.
pub(super) const START: &str = "@x";

/// Words of one line, and how far they were read.
pub(super) struct Words {
    all: Vec<u32>,
    at: usize,
    /// A word after the last one cannot be read, which was told.
    is_cut: bool,
    /// The line.
    pub(super) span: Span,
}

/// The words of each line of a step, up to something that is no word.
pub(super) fn lines(step: &[Line<'_>], commands: &mut Commands<'_>) -> Vec<Words> {
    let mut all = Vec::new();
    for line in step {
        let Some(text) = line.text.strip_prefix(START) else {
            continue;
        };
        let mut words = Vec::with_capacity(text.len() / 9);
        let mut is_cut = false;
        for word in text.split_ascii_whitespace() {
            let digits = word.len() == 8 && word.bytes().all(|it| it.is_ascii_hexdigit());
            match u32::from_str_radix(word, 16) {
                Ok(value) if digits => words.push(value),
                _ => {
                    commands.broken(
                        line.part(word),
                        format!("`{}` is no word of eight hexadecimal digits", cut(word)),
                    );
                    is_cut = true;
                    break;
                }
            }
        }
        all.push(Words {
            all: words,
            at: 0,
            is_cut,
            span: line.span,
        });
    }
    all
}

impl Words {
    /// The next word.
    pub(super) fn next(&mut self) -> Option<u32> {
        let word = self.all.get(self.at).copied();
        self.at += usize::from(word.is_some());
        word
    }

    /// The body of a packet, if all of it is there. What is too long is a mistake, and nothing is left then.
    pub(super) fn body(&mut self, count: usize, commands: &mut Commands<'_>) -> Option<&[u32]> {
        let (from, left) = (self.at, self.all.len() - self.at);
        if count <= left {
            self.at += count;
            return Some(&self.all[from..from + count]);
        }
        self.at = self.all.len();
        if self.is_cut {
            return None;
        }
        let head = self.all[from - 1];
        commands.broken(
            self.span,
            format!(
                "the packet `{head:08x}` is cut: it has {count} words, and the line {left} more"
            ),
        );
        None
    }

    /// That the last word begins no packet: what comes after it has no meaning.
    pub(super) fn no_packet(&mut self, commands: &mut Commands<'_>) {
        let head = self.all[self.at - 1];
        commands.broken(
            self.span,
            format!(
                "`{head:08x}`, word {} of this line, begins no packet",
                self.at
            ),
        );
        self.at = self.all.len();
    }

    /// That a packet has fewer words than its command needs.
    pub(super) fn too_short(&self, name: &str, commands: &mut Commands<'_>) {
        commands.broken(
            self.span,
            format!("a packet {name} is too short for its fields"),
        );
    }
}

impl Line<'_> {
    /// The place of a part of its text.
    pub(super) fn part(&self, part: &str) -> Span {
        let offset = part.as_ptr() as usize - self.text.as_ptr() as usize;
        let start = self.span.start + narrow(offset);
        Span::new(start, start + narrow(part.len()))
    }
}

/// Whether a line has words.
pub(super) fn is_own(line: &str) -> bool {
    line.starts_with(START)
}
