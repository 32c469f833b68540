//! One line about many files: how many are good, and which are not.

use super::Status;
use super::console::Console;
use crate::report::text::{clean, count};
use std::fmt::Write;
use std::path::Path;

/// Files that are named.
const NAMED_MAX: usize = 8;

/// How each file ended.
#[derive(Default)]
pub(super) struct Summary {
    files: u64,
    found: Vec<String>,
    unusable: Vec<String>,
}

impl Summary {
    /// Counts a file.
    pub(super) fn add(&mut self, file: &Path, status: Status) {
        self.files += 1;
        let name = clean(&file.display().to_string());
        match status {
            Status::Good => {}
            Status::Found => self.found.push(name),
            Status::Unusable => self.unusable.push(name),
        }
    }

    /// Says it on standard error, unless there is only one file.
    pub(super) fn say(&self, console: &mut Console) {
        if self.files < 2 || console.is_quiet() {
            return;
        }
        let good = self.files - (self.found.len() + self.unusable.len()) as u64;
        let mut says = format!(
            "{}: {good} without errors or hazards",
            count(self.files, "file", "files")
        );
        for (names, what) in [
            (&self.found, "with errors or hazards"),
            (&self.unusable, "not usable"),
        ] {
            if names.is_empty() {
                continue;
            }
            let more = names.len().saturating_sub(NAMED_MAX);
            let named = names.iter().take(NAMED_MAX).cloned().collect::<Vec<_>>();
            let _ = write!(says, ", {} {what} ({}", names.len(), named.join(", "));
            if more > 0 {
                let _ = write!(says, ", and {more} more");
            }
            says.push(')');
        }
        console.say(&says);
    }
}
