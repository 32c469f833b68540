//! The one integration binary.

mod machine;
mod samples;
mod validate;
