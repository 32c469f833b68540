//! The one integration binary.

mod api;
mod book;
mod cli;
mod hostile;
mod layers;
mod legacy;
mod legality_reference;
mod random;
mod robustness;
mod tour;
mod validate;
