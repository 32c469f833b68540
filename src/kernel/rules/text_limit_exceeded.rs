crate::finding::rule! {
    /// **What it finds.** A test with more threads, instructions, variables, registers or text than the explorer
    /// accepts. The message names the limit.
    ///
    /// **Why it matters.** The explorer is complete: it visits every state. A test within the limits gets a
    /// complete result, never a partial one.
    ///
    /// **Source.** The text form of litmus tests, in the book: registers are `r0` to `r63`.
    pub static RULE = "LM004", "litmus-limit-exceeded", Error,
        "more threads, instructions, variables or registers than the explorer accepts";
}
