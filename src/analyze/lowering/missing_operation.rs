crate::finding::rule! {
    /// **What it finds.** A barrier whose packets do not ensure what its masks ask for on this profile: a wait, a
    /// write-back, an invalidate or a hold is missing.
    ///
    /// **Why it matters.** It is the driver's bug: the application asked correctly and still reads old data. The check
    /// is exact and static; it does not depend on what one run finds in a cache. The lowering of the firing example is
    /// wrong on purpose.
    ///
    /// **Source.** The definition of *ensured*: the cache paths of the profile; Enhanced Barriers specification,
    /// "Synchronization", "Access Transitions".
    pub(super) static RULE = "LW101", "missing-operation", Error,
        "a lowered barrier that does not wait, flush, drop or hold what it was asked to";
}
