crate::finding::rule! {
    /// **What it finds.** Waits that wait for each other, or a wait that only a later signal could satisfy. A cycle is
    /// reported once, on its first wait.
    ///
    /// **Why it matters.** None of the waits ever ends. Each queue works in order, so a signal after a wait is not
    /// given before that wait has ended.
    ///
    /// **Source.** `ID3D12CommandQueue::Wait`, `ID3D12CommandQueue::Signal`; reading R23.
    pub(super) static RULE = "FN102", "fence-deadlock", Error,
        "waits that wait for each other, or for what comes after them";
}
