crate::finding::rule! {
    /// **What it finds.** A variable that no line declares, a thread or group that does not exist, or a UAV where a
    /// groupshared variable is required, and the reverse.
    ///
    /// **Why it matters.** A condition about a thread that does not exist is never true, and would be reported as
    /// forbidden.
    ///
    /// **Source.** The text form of litmus tests, in the book.
    pub static RULE = "LM002", "litmus-unknown-name", Error,
        "a variable, thread or group that is not declared, or of the wrong kind";
}
