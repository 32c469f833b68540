crate::finding::rule! {
    /// **What it finds.** A number, a count or a text that exceeds the limits of D3D12 or of this program.
    ///
    /// **Why it matters.** Limits keep every run finite. Some are those of D3D12: a dispatch has at most 65535 thread
    /// groups in each dimension.
    ///
    /// **Source.** The scenario language, "Command lists"; `D3D12_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION` and
    /// similar constants.
    pub static RULE = "SC007", "limit-exceeded", Error,
        "a number, a count or a text that exceeds a limit of D3D12 or of this program";
}
