crate::finding::rule! {
    /// **What it finds.** A process that opens an object of another one which lacks `Shared`, or which has
    /// `NtSecuritySharing` and has not been given an NT handle by `share`.
    ///
    /// **Why it matters.** Without `Shared` nobody else can see the object. With `NtSecuritySharing` the object has no
    /// global handle, so it cannot be opened until `share` gives it an NT handle.
    ///
    /// **Source.** `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Shared", "`NtSecuritySharing`", "Remarks".
    pub(super) static RULE = "FN110", "open-unshared", Error,
        "a process that opens an object that is not shared";
}
