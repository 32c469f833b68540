crate::finding::rule! {
    /// **What it finds.** A range of a use that exceeds its resource.
    ///
    /// **Why it matters.** A command cannot touch memory that does not exist. In a barrier, D3D12 itself checks the
    /// numbers of the range, so the same mistake there is a finding of the family `EB`.
    ///
    /// **Source.** The scenario language, "Command lists": out of bounds in a use is `SC`, in a barrier `EB`.
    pub static RULE = "SC006", "out-of-bounds", Error,
        "a range of a use that exceeds its resource";
}
