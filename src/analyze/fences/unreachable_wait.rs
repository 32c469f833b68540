crate::finding::rule! {
    /// **What it finds.** A wait for a value that no signal of the timeline reaches.
    ///
    /// **Why it matters.** The queue or the CPU stops there for ever: on a real system the work after the wait never
    /// runs, and a watchdog resets the GPU.
    ///
    /// **Source.** `ID3D12CommandQueue::Wait`, `ID3D12Fence::SetEventOnCompletion`; reading R23: a wait on *v* is
    /// satisfied while the fence's value is at least *v*.
    pub(super) static RULE = "FN101", "unreachable-wait", Error,
        "a wait that no signal of the timeline can satisfy";
}
