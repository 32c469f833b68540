//! The one integration binary.

mod api;
mod book;
mod cli;
mod compare;
mod conformance;
mod ddi;
mod fences;
mod fixes;
mod hazards;
mod hostile;
mod layers;
mod legacy;
mod legality_reference;
mod litmus;
mod machine;
mod machine_pairs;
mod machine_random;
mod products;
mod random;
mod readings;
mod reference;
mod robustness;
mod rules;
mod switches;
mod tour;
mod validate;
