crate::finding::rule! {
    /// **What it finds.** `NONE` or `COMMON` joined with other names by `|`.
    ///
    /// **Why it matters.** Both are zero, so the joined name has no effect: `COMMON|SHADER_RESOURCE` is only
    /// `SHADER_RESOURCE`, although the text looks wider.
    ///
    /// **Source.** The scenario language, "Words and marks"; Enhanced Barriers specification, `D3D12_BARRIER_SYNC`,
    /// `D3D12_BARRIER_ACCESS`.
    pub static RULE = "SC009", "vanishing-bit", Error,
        "`NONE` or `COMMON` joined with other names; both are zero and have no effect";
}
