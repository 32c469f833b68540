crate::finding::rule! {
    /// **What it finds.** A rule file whose lowering has the name of a built-in one.
    ///
    /// **Why it matters.** Reports, comparisons and shares of a search name the lowering by that name. Nobody who reads
    /// one can tell which of the two it is about.
    ///
    /// **Source.** The list of built-in lowerings: `syncscope list lowerings`.
    pub static RULE = "RF006", "rule-file-name-taken", Warning,
        "a rule file has the name of a built-in lowering";
}
