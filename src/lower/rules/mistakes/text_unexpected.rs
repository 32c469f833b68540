crate::finding::rule! {
    /// **What it finds.** Text that is not a statement of a rule file, a missing part of one, or the same thing said
    /// twice.
    ///
    /// **Why it matters.** A rule that is not understood lowers nothing. The parser continues after the mistake, so one
    /// run shows several.
    ///
    /// **Source.** The grammar of rule files, in the book.
    pub static RULE = "RF001", "rule-file-text", Error,
        "a rule file that cannot be understood at this place";
}
