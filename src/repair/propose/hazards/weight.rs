//! Which candidate comes first: the one that changes least. One scale, on which candidates of all kinds compare.

/// How much a candidate changes; the least comes first.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Weight(usize);

impl Weight {
    /// The name of another resource: after fields of an entry that has the right one.
    pub(super) const RENAMED: Self = Self(6);
    /// A half of a split barrier moved, or a legacy entry in a list that has only legacy barriers.
    pub(super) const MOVED: Self = Self(60);
    /// A new entry at the end of the list before.
    pub(super) const AT_LIST_END: Self = Self(99);
    /// A new entry.
    pub(super) const NEW_ENTRY: Self = Self(100);
    /// A new `discard` command: a barrier that discards comes before it.
    pub(super) const DISCARD_COMMAND: Self = Self(110);
    /// A new legacy entry in a list that has other barriers.
    pub(super) const OTHER_KIND: Self = Self(130);
    /// A new entry in a list of an earlier submission.
    pub(super) const IN_AN_EARLIER_LIST: Self = Self(150);
    /// Two new statements, or another declaration.
    pub(super) const TWO_STATEMENTS: Self = Self(200);
    /// A barrier from everything to everything: the last resort.
    pub(super) const WIDEST: Self = Self(1_000);

    /// Bits or fields of one entry changed.
    pub(super) const fn edited(count: usize) -> Self {
        Self(count)
    }

    /// The same with so many bits, edits or likelier alternatives more.
    pub(super) const fn plus(self, more: usize) -> Self {
        Self(self.0 + more)
    }

    /// A global barrier acts on more than the conflict is about.
    pub(super) const fn global(self) -> Self {
        self.plus(20)
    }

    /// `COMMON` is no bit, but every access, and discouraged.
    pub(super) const fn common(self, sides: usize) -> Self {
        self.plus(30 * sides)
    }

    /// The texture stays in a layout that does not allow the use.
    pub(super) const fn leaves_wrong_layout(self) -> Self {
        self.plus(500)
    }
}
