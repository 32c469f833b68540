//! How wide a page is: what `--width` says, or `COLUMNS`, or the terminal, or 100 columns.

use crate::report::text::{COLUMNS, COLUMNS_LEAST, COLUMNS_MOST};
use std::env;
use std::io;
use terminal_size::{Width, terminal_size_of};

/// Widths of the two outputs.
#[derive(Copy, Clone, Debug)]
pub(super) struct Widths {
    /// Columns of a page on standard output.
    pub(super) page: usize,
    /// Columns of a page in a file: as wide on every terminal.
    pub(super) file: usize,
    /// Columns of a line on standard error; `None` leaves lines whole, for programs that read them.
    pub(super) messages: Option<usize>,
}

impl Widths {
    /// `asked` is what `--width` says. `COLUMNS` counts before the terminal, because it was set on purpose.
    pub(super) fn of(asked: Option<u16>) -> Self {
        let set = || {
            env::var("COLUMNS")
                .ok()?
                .trim()
                .parse()
                .ok()
                .filter(|n| *n > 0)
        };
        let said = asked.map(usize::from).or_else(set);
        let terminal =
            |size: Option<(Width, _)>| size.map(|(Width(n), _)| usize::from(n)).filter(|n| *n > 0);
        let page = said.or_else(|| terminal(terminal_size_of(io::stdout())));
        let messages = said.or_else(|| terminal(terminal_size_of(io::stderr())));
        let within = |n: usize| n.clamp(COLUMNS_LEAST, COLUMNS_MOST);
        Self {
            page: page.map_or(COLUMNS, within),
            file: asked.map_or(COLUMNS, |n| within(n.into())),
            messages: messages.map(within),
        }
    }
}
