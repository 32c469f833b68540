crate::finding::rule! {
    /// **What it finds.** A stage or an access that the command cannot have.
    ///
    /// **Why it matters.** A use at a stage where it does not happen would ask barriers for something that no command
    /// needs, and hide what it does need.
    ///
    /// **Source.** The scenario language, "Command lists"; Enhanced Barriers specification, "Access Bits Barrier Sync
    /// Compatibility".
    pub static RULE = "SC011", "wrong-stage", Error,
        "a stage or an access that the command cannot have";
}
