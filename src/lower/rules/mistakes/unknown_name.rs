crate::finding::rule! {
    /// **What it finds.** A stage, access, layout, flag or other word that does not exist, and a cache, layout
    /// operation or exception that the profile of the run does not have.
    ///
    /// **Why it matters.** A rule for a cache that is not there does nothing on that profile. The message lists what
    /// the profile has. `profile NAME` in a rule limits it to the profiles that have what it names.
    ///
    /// **Source.** The header's names, and the caches, layout operations and exceptions of the profile.
    pub static RULE = "RF002", "rule-file-unknown-name", Error,
        "a name in a rule file that the profile or the language does not have";
}
