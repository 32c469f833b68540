crate::finding::rule! {
    /// **What it finds.** A variable that is declared twice, a variable with two initial values, or a file with two
    /// titles.
    ///
    /// **Why it matters.** It is not clear which of the two is meant.
    ///
    /// **Source.** The text form of litmus tests, in the book.
    pub static RULE = "LM003", "litmus-duplicate-name", Error,
        "a variable, an initial value or a title that is given twice";
}
