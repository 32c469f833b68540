//! The one integration binary.

mod api;
mod legacy;
mod samples;
mod validate;
