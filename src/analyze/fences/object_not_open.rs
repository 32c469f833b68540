crate::finding::rule! {
    /// **What it finds.** A process, or a queue of it, that uses, opens again or destroys an object that it does not
    /// have open: the process has not created or opened the object yet, or has destroyed it.
    ///
    /// **Why it matters.** A handle belongs to one process and ends with the local object. The call fails; work that
    /// was to wait does not.
    ///
    /// **Source.** `D3DKMTCreateSynchronizationObject2`, `D3DKMTOpenSyncObjectFromNtHandle2`,
    /// `D3DKMTDestroySynchronizationObject`; `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, "Shared". Objects are created,
    /// opened and destroyed in the order of the text.
    pub(super) static RULE = "FN108", "object-not-open", Error,
        "a process that uses a synchronization object which it has not open";
}
