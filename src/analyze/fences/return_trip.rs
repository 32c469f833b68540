crate::finding::rule! {
    /// **What it finds.** A wait barrier for a signal of another queue which itself waits for a signal barrier of the
    /// same `ExecuteCommandLists` call.
    ///
    /// **Why it matters.** The chain of waits leaves the call and comes back to it. A call is one piece of work for the
    /// scheduler: if the other queue can only run when the call has left the machine, neither of them goes on. The way
    /// back belongs in a later call, after a wait of the queue.
    ///
    /// **Source.** Enhanced Barriers specification (preview), "Fence Barriers"; language, "Command lists".
    pub(super) static RULE = "FN107", "return-trip", Error,
        "a wait barrier for another queue that waits for the same call";
}
