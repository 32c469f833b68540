crate::finding::rule! {
    /// **What it finds.** A signal with a value that the fence has already reached when the signal runs.
    ///
    /// **Why it matters.** Waits are satisfied by values at least as great as theirs: the earlier signal ends every
    /// wait for this one, before the work that this signal announces is over.
    ///
    /// **Source.** `ID3D12CommandQueue::Signal`, `ID3D12Fence::Signal`; reading R23. A warning.
    pub(super) static RULE = "FN104", "signal-does-not-raise", Warning,
        "a signal that does not raise the fence's value";
}
