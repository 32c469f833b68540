//! The rules of family `PT`: mistakes in a driver's packets, recorded or answered, each with what was kept.

mod barrier_without_packet;
mod impossible_operation;
mod no_such_place;
mod out_of_order;
mod unknown_name;
mod unreadable_line;
mod without_answer;

use crate::finding::Rule;

pub use barrier_without_packet::RULE as WITHOUT_PACKET;
pub use impossible_operation::RULE as IMPOSSIBLE;
pub use no_such_place::RULE as NO_PLACE;
pub use out_of_order::RULE as OUT_OF_ORDER;
pub use unknown_name::RULE as UNKNOWN_NAME;
pub use unreadable_line::RULE as UNREADABLE;
pub use without_answer::RULE as WITHOUT_ANSWER;

/// Every rule of the family, in order of id.
pub static RULES: &[&Rule] = &[
    &UNREADABLE,
    &UNKNOWN_NAME,
    &NO_PLACE,
    &OUT_OF_ORDER,
    &IMPOSSIBLE,
    &WITHOUT_PACKET,
    &WITHOUT_ANSWER,
];
