crate::finding::rule! {
    /// **What it finds.** A list executed where its type cannot run: on a queue of another type, or as a bundle
    /// although it is not a bundle.
    ///
    /// **Why it matters.** `ExecuteCommandLists` takes lists of the queue's own type only. What a barrier may say
    /// depends on that type.
    ///
    /// **Source.** The scenario language, "The timeline": executing a list on a queue of another type is an `SC` error
    /// on the `execute` line.
    pub static RULE = "SC008", "queue-type-mismatch", Error,
        "a list executed where its type cannot run";
}
