crate::finding::rule! {
    /// **What it finds.** An expectation that names nothing: no rule by its id or name, and no family; or `none` next
    /// to other expectations.
    ///
    /// **Why it matters.** An expectation that cannot be met or broken tests nothing. Names of rules are words joined
    /// by hyphens, letters of either case are the same; `none` forbids every error and hazard of the file, so no other
    /// expectation can be met along with it.
    ///
    /// **Source.** The scenario language, "Expectations".
    pub static RULE = "SC013", "bad-expectation", Error,
        "an expectation that names nothing, or `none` next to others";
}
