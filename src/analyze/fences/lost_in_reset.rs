crate::finding::rule! {
    /// **What it finds.** A wait for a value that only signals lost in a GPU reset would have reached: they were not
    /// known to be over before the `reset`, so they are dropped with the rest of their queue's work, or they were
    /// submitted after it and failed. The fence does not jump to its greatest value, because it has
    /// `NoSignalMaxValueOnTdr` or because this device may not signal it.
    ///
    /// **Why it matters.** After a reset nobody gives these signals any more. Without the flag the scheduler wakes
    /// every waiter by signalling the greatest value; with the flag, somebody who survives must wake the waiters, or
    /// they wait for ever.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "`NoSignalMaxValueOnTdr`"; readings R23, R40.
    pub(super) static RULE = "FN106", "lost-in-reset", Error,
        "a wait whose signals are lost in a GPU reset";
}
