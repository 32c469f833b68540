//! Mistakes that real drivers and translators have made, as lowerings. Wrong on purpose: each is `precise` with one
//! mistake, and a page that names where it was made.

mod common_is_nothing;
mod constants_kept;
mod indirect_past_hub;
mod late_metadata;
mod live_alias;
mod lost_splits;
mod merged_flush;
mod unheld_split;

use super::Lowering;

/// Every piece, by name.
pub static MUSEUM: [&dyn Lowering; 8] = [
    &common_is_nothing::CommonIsNothing,
    &constants_kept::ConstantsKept,
    &indirect_past_hub::IndirectPastHub,
    &late_metadata::LateMetadata,
    &live_alias::LiveAlias,
    &lost_splits::LostSplits,
    &merged_flush::MergedFlush,
    &unheld_split::UnheldSplit,
];
