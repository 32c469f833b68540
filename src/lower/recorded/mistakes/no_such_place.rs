crate::finding::rule! {
    /// **What it finds.** A packet for a barrier call, a command or a list that is not there, and one for a call after the last.
    /// Packets about scenarios that were not given, which are told once, as a warning.
    ///
    /// **Why it matters.** The packet belongs to another program, or the recording and the program went apart somewhere
    /// before. The packet is left out. What is about other scenarios is left out too; it is no mistake where some scenarios
    /// were given on purpose.
    ///
    /// **Source.** The format: `syncscope schema driver-packets`; `syncscope lower` prints the ids of a scenario's barriers.
    pub static RULE = "PT003", "packet-of-nothing", Error,
        "a recorded packet is about a barrier or command that is not there";
}
