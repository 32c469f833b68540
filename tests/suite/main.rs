//! The one integration binary.

mod machine;
mod machine_random;
mod api;
mod cli;
mod layers;
mod legacy;
mod validate;
