//! The one integration binary.

mod api;
mod book;
mod cli;
mod layers;
mod legacy;
mod random;
mod robustness;
mod rules;
mod switches;
mod tour;
mod validate;
