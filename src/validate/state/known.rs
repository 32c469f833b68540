//! What is known of a subresource at one point of a list or of the timeline.

use crate::api::{BarrierAccess, Layout, LeafSet};
use crate::finding::Span;

/// Where something known comes from: the place, and the execution of a list that made it so.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Origin {
    /// The statement.
    pub span: Span,
    /// Number of the list's execution. The finding of a later statement of the same execution could have been made
    /// while the list was recorded.
    pub execution: u32,
}

/// What the latest texture or buffer barrier of the scope left.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Left {
    /// Where the barrier is.
    pub origin: Origin,
    /// Leaves of its `SyncAfter`.
    pub leaves: LeafSet,
    /// `AccessAfter` of the barrier.
    pub access: BarrierAccess,
    /// Whether its `SyncAfter` is `NONE`: no barrier and no access may follow in the scope.
    pub ends: bool,
    /// Whether it is a legacy barrier, which says nothing of accesses: these are what its states stand for.
    pub is_legacy: bool,
    /// Number of barriers before it, to tell which global barriers came later.
    pub stamp: u32,
}

/// Knowledge of a subresource. What belongs to a scope is void once the scope is over: see [`Known::scope`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct Known {
    /// The layout; `None` while nothing is known: a list that never executes has not said what it assumes.
    pub layout: Option<Layout>,
    /// The barrier that made the layout; `None`: as created.
    pub layout_from: Option<Origin>,
    /// The submissions that may have set the layout last: an index of the walk's table. 0: as created.
    pub writers: u32,
    /// A split barrier that has begun and not ended: an index of the walk's table. 0: none.
    pub split: u32,
    /// Whether a barrier has named a layout since that split began.
    pub intervened: bool,
    /// Whether that split is known to be over.
    pub is_over: bool,
    /// The scope for which the rest holds.
    pub scope: u32,
    /// The latest texture or buffer barrier of the scope.
    pub left: Option<Left>,
    /// The first barrier or use of the scope.
    pub touched: Option<Origin>,
    /// Accesses made in a list while its layout is unknown.
    pub blended: BarrierAccess,
}

impl Known {
    /// Of a subresource that is as it was created.
    pub fn created(layout: Layout) -> Self {
        Self {
            layout: Some(layout),
            ..Self::nothing()
        }
    }

    /// Of a subresource at the start of a list that may execute anywhere.
    pub fn nothing() -> Self {
        Self {
            layout: None,
            layout_from: None,
            writers: 0,
            split: 0,
            intervened: false,
            is_over: false,
            scope: 0,
            left: None,
            touched: None,
            blended: BarrierAccess::empty(),
        }
    }

    /// Forgets what belongs to an earlier scope.
    pub fn enter(&mut self, scope: u32) {
        if self.scope != scope {
            self.scope = scope;
            self.left = None;
            self.touched = None;
            self.blended = BarrierAccess::empty();
        }
    }

    /// What the latest barrier left, if it is of this scope.
    pub fn left_in(&self, scope: u32) -> Option<&Left> {
        self.left.as_ref().filter(|_| self.scope == scope)
    }

    /// The first barrier or use, if it is of this scope.
    pub fn touched_in(&self, scope: u32) -> Option<Origin> {
        self.touched.filter(|_| self.scope == scope)
    }
}

#[cfg(test)]
mod tests {
    use super::Known;

    #[test]
    fn a_subresource_costs_less_than_100_bytes() {
        assert!(size_of::<(u32, Known)>() <= 96);
    }
}
