crate::finding::rule! {
    /// **What it finds.** A write-back of a cache that is never dirty on the profile, and a layout operation where no barrier
    /// is. In a driver's stream: operations on a part of a cache, with how many there are.
    ///
    /// **Why it matters.** The first two do nothing on this machine. The operation is left out; the rest of the packet is kept.
    /// An operation on a part of a cache counts as one on the whole cache: packets that are enough may lack something outside of
    /// the part.
    ///
    /// **Source.** The write policies of the profile's caches.
    pub static RULE = "PT005", "packet-impossible-operation", Warning,
        "a recorded packet does what its machine cannot do";
}
