//! The one integration binary.

mod api;
mod book;
mod cli;
mod hazards;
mod layers;
mod legacy;
mod random;
mod reference;
mod robustness;
mod tour;
mod validate;
