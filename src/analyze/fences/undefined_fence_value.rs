crate::finding::rule! {
    /// **What it finds.** A signal or a wait of a native fence of type `INTRA_GPU` that is not ordered after the packet
    /// which writes the fence's first value. Where the text has no such packet and the fence is not `uninitialised`, it
    /// ran before the timeline.
    ///
    /// **Why it matters.** Current values of this type may lie in memory that the CPU does not see, so the operating
    /// system cannot write the first one. Until the user-mode driver's packet has run the value is undefined: a wait
    /// may be let through by chance.
    ///
    /// **Source.** `D3DKMDT_FENCESTORAGESURFACEDATA`, "Remarks": `D3DDDI_NATIVEFENCE_TYPE_INTRA_GPU`.
    pub(super) static RULE = "FN111", "undefined-fence-value", Error,
        "an `INTRA_GPU` fence used before the packet that writes its first value";
}
