//! The one integration binary.

mod api;
mod samples;
mod validate;
