//! Comma-separated values, for spreadsheets and scripts.

use super::difference;
use super::format::Format;

/// The format.
pub const FORMAT: Format = Format {
    difference: Some(difference::csv),
    ..Format::new("csv", "comma-separated values, for spreadsheets")
};
