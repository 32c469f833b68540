//! tmp
use crate::api::Layout;
use crate::order::LayoutTracker;
use crate::scenario::Resource;
/// tmp
pub fn initial_layout(r: &Resource) -> Layout { LayoutTracker::declared(r) }
use crate::scenario::Scenario;
/// tmp
pub fn translate(s: &Scenario) -> Scenario { s.clone() }
