crate::finding::rule! {
    /// **What it finds.** A write-back of a cache that never holds a dirty line: a read-only cache is an error, one
    /// that passes every write on is a warning.
    ///
    /// **Why it matters.** The operation does not exist on the machine, or does nothing. What was meant is mostly to
    /// drop the cache's lines: `invalidate`.
    ///
    /// **Source.** The write policy of the cache in the profile.
    pub static RULE = "RF003", "rule-file-pointless-clean", Error,
        "a rule cleans a cache that never holds anything to write back";
}
