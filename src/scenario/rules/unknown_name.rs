crate::finding::rule! {
    /// **What it finds.** A name or a word that is not declared or known, or that names another kind of thing.
    ///
    /// **Why it matters.** A use of a misspelt resource would touch nothing, and its hazards would be missed. The
    /// message names the nearest known word.
    ///
    /// **Source.** The scenario language, "Words and marks", "Declarations".
    pub static RULE = "SC003", "unknown-name", Error,
        "a name that is not declared before its use, or is of another kind";
}
