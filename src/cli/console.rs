//! Standard output, buffered, and standard error, which never stops the program.

use super::width::Widths;
use crate::report::{Style, text};
use crate::run::Unusable;
use anstream::{AutoStream, ColorChoice};
use clap::ValueEnum;
use std::io::{self, BufWriter, StdoutLock, Write};

const BUFFER: usize = 1 << 16;

/// When to use colour.
#[derive(Copy, Clone, Default, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum When {
    /// On a terminal, unless `NO_COLOR` is set; everywhere if `CLICOLOR_FORCE` is
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl When {
    /// Whether what goes to a stream of this choice gets colour.
    fn is_on(self, choice: ColorChoice) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => choice != ColorChoice::Never,
        }
    }
}

/// What every command may be asked of how it prints.
#[derive(Copy, Clone, Debug)]
pub(super) struct Look {
    /// Columns of the output.
    pub(super) widths: Widths,
    /// When the output is coloured.
    pub(super) color: When,
    /// Nothing on standard output, and no bars.
    pub(super) quiet: bool,
}

/// Standard output, or nothing at all.
pub(super) enum Stdout {
    Stream(StdoutLock<'static>),
    Nothing,
}

impl Write for Stdout {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Stream(stream) => stream.write(bytes),
            Self::Nothing => Ok(bytes.len()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Stream(stream) => stream.flush(),
            Self::Nothing => Ok(()),
        }
    }
}

/// Where the program writes.
pub(super) struct Console {
    /// Standard output.
    pub(super) out: BufWriter<Stdout>,
    look: Look,
}

impl Console {
    pub(super) fn new(look: Look) -> Self {
        let stdout = if look.quiet {
            Stdout::Nothing
        } else {
            Stdout::Stream(io::stdout().lock())
        };
        Self {
            out: BufWriter::with_capacity(BUFFER, stdout),
            look,
        }
    }

    /// Whether nobody reads standard output.
    pub(super) fn is_quiet(&self) -> bool {
        self.look.quiet
    }

    /// A style of this width, with nothing else chosen.
    pub(super) fn style(&self) -> Style {
        Style {
            columns: self.look.widths.page,
            color: self.look.color.is_on(AutoStream::choice(&io::stdout())),
            ..Style::default()
        }
    }

    /// The same for a page on standard error.
    pub(super) fn style_of_errors(&self) -> Style {
        Style {
            color: self.look.color.is_on(AutoStream::choice(&io::stderr())),
            ..self.style()
        }
    }

    /// A style for a file: no terminal decides how it looks.
    pub(super) fn style_of_files(&self, style: &Style) -> Style {
        Style {
            columns: self.look.widths.file,
            color: self.look.color == When::Always,
            ..*style
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
        let Some(columns) = self.look.widths.messages else {
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
