//! A report as one page, which a script draws from data.
//!
//! The script is `page(root, data, options)`: it shows a run in an element of any document. `document` writes a document of one run;
//! whoever shows runs in a document of their own writes the data with [`write_data`].

mod data;
#[cfg(feature = "cli")]
mod document;
#[cfg(feature = "cli")]
mod poster;

pub use data::write as write_data;
#[cfg(feature = "cli")]
pub use document::{FORMAT, write};
