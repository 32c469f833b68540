crate::finding::rule! {
    /// **What it finds.** A stage that D3D12 does not have, and a cache or a layout operation that the profile of the packet
    /// does not have. In a driver's stream: a command that its reader does not know, with how often it is there.
    ///
    /// **Why it matters.** An operation on a cache that is not there is none. The name is left out; the rest of the packet is
    /// kept. The message lists what the profile has; another profile may be meant.
    ///
    /// **Source.** The header's names, and the caches and layout operations of the profile.
    pub static RULE = "PT002", "packet-unknown-name", Error,
        "a recorded packet names what D3D12 or the profile does not have";
}
