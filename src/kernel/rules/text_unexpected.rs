crate::finding::rule! {
    /// **What it finds.** Text that is not a statement, instruction, operand or condition of a litmus test, or a
    /// missing part of one.
    ///
    /// **Why it matters.** A test that is not understood cannot be explored. The parser continues after the mistake, so
    /// one run shows several.
    ///
    /// **Source.** The text form of litmus tests, in the book.
    pub static RULE = "LM001", "litmus-text", Error,
        "a litmus test that cannot be understood at this place";
}
