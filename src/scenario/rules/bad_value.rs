crate::finding::rule! {
    /// **What it finds.** A value that does not have the form, or is not in the set, that its place requires.
    ///
    /// **Why it matters.** A guessed unit or range of a number would decide the times that are reported.
    ///
    /// **Source.** The scenario language, "Words and marks".
    pub static RULE = "SC010", "bad-value", Error,
        "a value that does not have the form, or is not in the set, that its place requires";
}
