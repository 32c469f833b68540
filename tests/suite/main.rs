//! The one integration binary.

mod api;
mod book;
mod cli;
mod layers;
mod legacy;
mod litmus;
mod random;
mod robustness;
mod tour;
mod validate;
