crate::finding::rule! {
    /// **What it finds.** A word or sign that the grammar does not allow at its place.
    ///
    /// **Why it matters.** A half-understood statement would run as something that the author did not write. The
    /// message names what is expected instead.
    ///
    /// **Source.** The scenario language, "Words and marks", "Declarations", "Command lists", "The timeline".
    pub static RULE = "SC002", "unexpected-token", Error,
        "a word or sign that the grammar does not allow at its place";
}
