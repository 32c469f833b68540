//! The two sides of a barrier.

/// A side of a barrier.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum BarrierSide {
    /// What comes before it: `SyncBefore`, `AccessBefore`, `LayoutBefore`.
    Before,
    /// What comes after it: `SyncAfter`, `AccessAfter`, `LayoutAfter`.
    After,
}

impl BarrierSide {
    /// The word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Before => "before",
            Self::After => "after",
        }
    }

    /// The end of the field's name: `SyncBefore`, `AccessAfter`.
    pub fn suffix(self) -> &'static str {
        match self {
            Self::Before => "Before",
            Self::After => "After",
        }
    }
}
