crate::finding::rule! {
    /// **What it finds.** An option that is given twice, or along with one that excludes it.
    ///
    /// **Why it matters.** One of the two values would be silently ignored.
    ///
    /// **Source.** The scenario language, "Words and marks": an option given twice is an error.
    pub static RULE = "SC005", "duplicate-option", Error,
        "an option that is given twice, or along with one that excludes it";
}
