//! How much a repair may do, and who watches it.

/// What a repair is doing.
#[derive(Copy, Clone, Default, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Progress {
    /// Mistakes of this round that were looked at.
    pub done: usize,
    /// Mistakes of this round; 0 if they are not counted.
    pub all: usize,
}

/// How much a repair may do, and who watches it.
#[derive(Copy, Clone)]
pub struct Effort<'a> {
    /// Changes at most.
    pub changes_max: usize,
    /// Causes times commands of a text above which changes are searched in excerpts of it.
    pub excerpts_above: usize,
    /// Is told now and then how far it is, from any thread. Once it answers `false`, the repair ends with what is proved.
    pub watch: &'a (dyn Fn(Progress) -> bool + Sync),
}

impl Default for Effort<'_> {
    /// As much as there is to do.
    fn default() -> Self {
        Self {
            changes_max: usize::MAX,
            excerpts_above: 4_000,
            watch: &|_| true,
        }
    }
}
