//! The one integration binary.

mod api;
mod cli;
mod layers;
mod legacy;
mod validate;
