crate::finding::rule! {
    /// **What it finds.** A resource or a range of a kind that its place does not take: bytes of a texture, mips of a
    /// buffer, a buffer that is presented.
    ///
    /// **Why it matters.** D3D12 has no such call, so there is nothing to run.
    ///
    /// **Source.** The scenario language, "Command lists", "The timeline".
    pub static RULE = "SC012", "wrong-resource", Error,
        "a resource or range of a kind that its place does not take";
}
