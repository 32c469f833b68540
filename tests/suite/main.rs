//! The one integration binary.

mod machine;
mod machine_random;
mod api;
mod book;
mod cli;
mod layers;
mod legacy;
mod robustness;
mod tour;
mod validate;
