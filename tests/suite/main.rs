//! The one integration binary.

mod samples;
