crate::finding::rule! {
    /// **What it finds.** A name that is declared twice in one namespace, or a part of the file that may occur only
    /// once and occurs twice.
    ///
    /// **Why it matters.** It is not clear which of the two a use means. Resources and heaps share one namespace;
    /// lists, queues and fences have one each.
    ///
    /// **Source.** The scenario language, "Words and marks".
    pub static RULE = "SC004", "duplicate-name", Error,
        "a name or a part of the file that is declared twice";
}
