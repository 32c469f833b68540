crate::finding::rule! {
    /// **What it finds.** A barrier with `_t` (or `SYNC`) under a branch on a register, or under `[varying]`.
    ///
    /// **Why it matters.** The barrier would wait forever for threads of the group that do not reach it, so the
    /// compiler refuses the shader. The value of a register comes from memory or from an atomic, so the value may
    /// differ between the threads of a group, whatever this test does with it. `[uniform]` says that all threads take
    /// the same path.
    ///
    /// **Source.** `sync` (sm5 - asm): "`_t` cannot be placed in dynamic flow control (branches that could vary within
    /// a thread group), but can be in uniform flow control".
    pub static RULE = "LM007", "divergent-group-sync", Error,
        "a group barrier in flow control that may vary within the group";
}
