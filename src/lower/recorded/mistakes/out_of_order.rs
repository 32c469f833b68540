crate::finding::rule! {
    /// **What it finds.** A packet for a call or command that comes before that of the packet before it, and a second packet for
    /// one call. In a driver's stream: a recording without one of its marks, with one too late, or for the second time, in one
    /// stream or in two of the same device.
    ///
    /// **Why it matters.** A recording is in the order of the stream: one that is not was put together wrongly, or is of
    /// several runs. A packet with an id is kept at its place; of two packets for one call the first is kept.
    ///
    /// **Source.** The format: `syncscope schema driver-packets`.
    pub static RULE = "PT004", "packet-out-of-order", Warning,
        "a recorded packet comes too late, or twice";
}
