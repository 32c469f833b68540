//! Which scenarios meet their expectations, for people.

use super::format::{Output, Printer};
use super::{Style, text};
use std::io::{self, Write};

/// A scenario or litmus file that was compared with its expectations.
pub struct TestedFile {
    /// As it was named or found.
    pub path: String,
    /// What differs, a sentence each; nothing if all expectations hold.
    pub differences: Vec<String>,
}

/// Which scenarios meet their expectations: `test`.
pub(crate) const TEST: Output<Printer<[TestedFile]>> = Output {
    name: "test",
    noun: "a test report",
    writers: &[("terminal", write)],
    schema: None,
};

/// The files that failed with what differs, and how many passed.
///
/// # Errors
/// Only what the writer returns.
fn write(files: &[TestedFile], style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let failed: Vec<&TestedFile> = files.iter().filter(|f| !f.differences.is_empty()).collect();
    for file in &failed {
        writeln!(out, "FAIL {}", style.plain(&file.path))?;
        for difference in &file.differences {
            // Continuations are aligned with the text, not with the line number.
            for (index, part) in text::wrap(difference, style.columns - 6).iter().enumerate() {
                let indent = if index == 0 { "  " } else { "      " };
                writeln!(out, "{indent}{}", style.plain(part))?;
            }
        }
    }
    let passed = files.len() - failed.len();
    writeln!(out, "{passed} passed, {} failed", failed.len())
}
