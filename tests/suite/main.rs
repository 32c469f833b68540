//! The one integration binary.

mod api;
mod book;
mod cli;
mod layers;
mod legacy;
mod machine;
mod machine_random;
mod random;
mod robustness;
mod tour;
mod validate;
