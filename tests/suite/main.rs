//! The one integration binary.

mod machine;
mod api;
mod cli;
mod layers;
mod legacy;
mod validate;
