//! tmp
use crate::api::Layout;
use crate::order::LayoutTracker;
use crate::scenario::Resource;
/// tmp
pub fn initial_layout(r: &Resource) -> Layout { LayoutTracker::declared(r) }
