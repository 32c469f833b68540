crate::finding::rule! {
    /// **What it finds.** A rule whose conditions exclude each other, or which comes after a rule that matches
    /// everything that it matches, where only the first match counts.
    ///
    /// **Why it matters.** The rule never does anything, which is rarely meant. Conditions are compared one quantity at
    /// a time, and with one earlier rule at a time; a rule that only several earlier ones cover together is not
    /// reported.
    ///
    /// **Source.** The rules of the file themselves.
    pub static RULE = "RF004", "rule-never-matches", Warning,
        "a rule of a rule file that no barrier can reach";
}
