//! The one integration binary.

mod samples;
mod validate;
