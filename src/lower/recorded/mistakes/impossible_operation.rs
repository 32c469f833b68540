crate::finding::rule! {
    /// **What it finds.** A write-back of a cache that is never dirty on the profile, and a layout operation where no barrier
    /// is.
    ///
    /// **Why it matters.** Neither does anything on this machine. The operation is left out; the rest of the packet is kept.
    ///
    /// **Source.** The write policies of the profile's caches.
    pub static RULE = "PT005", "packet-impossible-operation", Warning,
        "a recorded packet does what its machine cannot do";
}
