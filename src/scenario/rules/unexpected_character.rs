crate::finding::rule! {
    /// **What it finds.** Characters that cannot start a word, number, string or sign of the language.
    ///
    /// **Why it matters.** The text around them cannot be understood, so nothing can be said about the program. Such
    /// characters often come from other languages or from typesetting: a `#` before a comment, an arrow written as one
    /// character.
    ///
    /// **Source.** The scenario language, "Words and marks".
    pub static RULE = "SC001", "unexpected-character", Error,
        "characters that cannot start a word, number, string or sign";
}
