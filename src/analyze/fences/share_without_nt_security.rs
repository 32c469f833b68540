crate::finding::rule! {
    /// **What it finds.** A `share`, which is `D3DKMTShareObjects`, of an object that was created without
    /// `NtSecuritySharing`.
    ///
    /// **Why it matters.** Only an object that is shared by an NT handle can be given one. An object with only `Shared`
    /// has a global handle instead, which needs no call.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Remarks": `D3DKMTShareObjects`.
    pub(super) static RULE = "FN109", "share-without-nt-security", Error,
        "`D3DKMTShareObjects` for an object that was not created with `NtSecuritySharing`";
}
