crate::finding::rule! {
    /// **What it finds.** A barrier of the scenario that no rule of the run's rule file matches, where the file has
    /// neither a default nor a base. It also says when no rule matches any barrier, so that each gets only the default,
    /// or what `precise` does if the file is based on it.
    ///
    /// **Why it matters.** The barrier becomes a packet that waits for what was asked and holds it, without cache or
    /// layout operations. If it needs any, the lowering is wrong; the rule file says nothing about it.
    ///
    /// **Source.** The rules of the file and the barriers of the run.
    pub static RULE = "RF005", "no-rule-matches", Warning,
        "a barrier that no rule of the rule file is about";
}
