//! The one integration binary.

mod cli;
mod layers;
mod samples;
