//! Standard output, buffered, and standard error, which never stops the program.

use super::width::Widths;
use crate::report::{Style, text};
use crate::run::Unusable;
use std::io::{self, BufWriter, StdoutLock, Write};

const BUFFER: usize = 1 << 16;

/// Where the program writes.
pub(super) struct Console {
    /// Standard output.
    pub(super) out: BufWriter<StdoutLock<'static>>,
    widths: Widths,
}

impl Console {
    pub(super) fn new(widths: Widths) -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER, io::stdout().lock()),
            widths,
        }
    }

    /// A style of this width, with nothing else chosen.
    pub(super) fn style(&self) -> Style {
        Style {
            columns: self.widths.page,
            ..Style::default()
        }
    }

    /// Writes what is buffered.
    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// Drops the buffer without writing it: after an error there is nobody to read it.
    pub(super) fn forget(self) {
        let _ = self.out.into_parts();
    }

    /// A line on standard error, after what is already on standard output.
    pub(super) fn remark(&mut self, line: &str) {
        let _ = self.out.flush();
        // Nobody may be listening, which is no reason to stop.
        let _ = writeln!(io::stderr().lock(), "{}", text::straight(line));
    }

    /// A sentence on standard error, wrapped where somebody reads it in columns.
    pub(super) fn say(&mut self, sentence: &str) {
        let Some(columns) = self.widths.messages else {
            return self.remark(sentence);
        };
        let lines: Vec<String> = sentence
            .lines()
            .flat_map(|line| text::hung(line, columns))
            .collect();
        self.remark(&lines.join("\n"));
    }

    /// One message: what is wrong, and what would have been right.
    pub(super) fn complain(&mut self, message: &str, help: &str) {
        self.say(&format!("error: {message}\nhelp: {help}"));
    }

    /// The same for something that could not be run.
    pub(super) fn unusable(&mut self, what: &Unusable) {
        self.complain(&what.message, &what.help);
    }
}
