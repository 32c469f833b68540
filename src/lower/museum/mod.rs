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

/// What every piece says of itself; its policy is its own.
macro_rules! piece {
    ($name:ident, $word:literal, $summary:literal) => {
        /// The piece.
        #[derive(Debug)]
        pub(super) struct $name;

        impl crate::lower::Lowering for $name {
            fn name(&self) -> &'static str {
                $word
            }

            fn summary(&self) -> &'static str {
                $summary
            }

            fn is_wrong_on_purpose(&self) -> bool {
                true
            }

            fn file(&self) -> &'static str {
                include_str!(concat!($word, ".rs"))
            }

            fn policy(&self) -> &dyn crate::lower::Policy {
                self
            }
        }
    };
}

use piece;
