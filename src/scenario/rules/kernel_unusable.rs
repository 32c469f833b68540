crate::finding::rule! {
    /// **What it finds.** A dispatch whose kernel cannot be used: its file cannot be read or is not a litmus test, it
    /// has threads of a stage other than compute, or more thread groups, or more threads in a group, than the dispatch
    /// runs.
    ///
    /// **Why it matters.** If a shader cannot be understood, neither the interactions of its threads nor the cost of
    /// its fences are known. Threads that the dispatch does not run would show races that cannot happen.
    ///
    /// **Source.** The scenario language, "Kernels".
    pub static RULE = "SC015", "kernel-unusable", Error,
        "a kernel that cannot be read, or that its dispatch cannot run";
}
