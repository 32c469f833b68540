//! tmp
use crate::finding::{Finding, Rule};
use crate::scenario::Scenario;
/// tmp
pub fn validate(_: &Scenario) -> Vec<Finding> { Vec::new() }
/// tmp
pub fn rules() -> impl Iterator<Item = &'static Rule> { std::iter::empty() }
