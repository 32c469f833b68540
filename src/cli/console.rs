//! Standard output, buffered, and standard error, which never stops the program.

use crate::report::text;
use crate::run::Unusable;
use std::io::{self, BufWriter, StdoutLock, Write};

const BUFFER: usize = 1 << 16;

/// Where the program writes.
pub(super) struct Console {
    /// Standard output.
    pub(super) out: BufWriter<StdoutLock<'static>>,
}

impl Console {
    pub(super) fn new() -> Self {
        Self {
            out: BufWriter::with_capacity(BUFFER, io::stdout().lock()),
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

    /// One message: what is wrong, and what would have been right.
    pub(super) fn complain(&mut self, message: &str, help: &str) {
        self.remark(&format!("error: {message}\nhelp: {help}"));
    }

    /// The same for something that could not be run.
    pub(super) fn unusable(&mut self, what: &Unusable) {
        self.complain(&what.message, &what.help);
    }
}
