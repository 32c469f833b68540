crate::finding::rule! {
    /// **What it finds.** A wait that several signals could satisfy, none of which is ordered before the others.
    ///
    /// **Why it matters.** The signal that comes first ends the wait, so the work after the wait may run before the
    /// work that precedes the other signal. The wait comes after neither for certain, and races that the author thought
    /// excluded are reported.
    ///
    /// **Source.** `ID3D12CommandQueue::Wait`; reading R23: a wait is ordered after the unique happens-before-minimal
    /// signal that reaches its value. A warning.
    pub(super) static RULE = "FN103", "ambiguous-wait", Warning,
        "a wait that several unordered signals could satisfy: none of them orders it";
}
