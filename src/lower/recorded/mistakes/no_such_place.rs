crate::finding::rule! {
    /// **What it finds.** A packet for a scenario, a barrier call, a command or a list that is not there, and one for a call
    /// after the last.
    ///
    /// **Why it matters.** The packet belongs to another program, or the recording and the program went apart somewhere
    /// before. The packet is left out.
    ///
    /// **Source.** The format: `syncscope schema driver-packets`; `syncscope lower` prints the ids of a scenario's barriers.
    pub static RULE = "PT003", "packet-of-nothing", Error,
        "a recorded packet is about a barrier or command that is not there";
}
