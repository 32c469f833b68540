//! Rules of D3D12's legality that Vulkan's barriers may break: they are allowed on the statement, and counted.

/// Rules of legality that Vulkan's barriers may break.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Broken {
    /// `EB013`: an access next to `UNDEFINED`.
    UndefinedAccess,
    /// `EB027`: an `AccessBefore` that the barrier before did not name.
    AccessBefore,
    /// `EB028`: a `SyncBefore` that leaves out scopes of the barrier before.
    Sequence,
    /// `EB029`: `SyncBefore NONE` after a use.
    NoneBefore,
    /// `EB030`: a barrier after `SyncAfter NONE`.
    AfterNone,
    /// A layout that the queue does not have.
    QueueLayout,
    /// An attachment that may be written and not loaded: an access that neither the layout nor the stages allow.
    Unread,
    /// The same of a memory barrier, which has no layout.
    UnreadMemory,
    /// A barrier that makes nothing available: an access that names no write stands for none.
    OrderOnly,
    /// The same of an image, where the stages have no such access.
    NoneNamed,
    /// A barrier that is visible to nothing, of memory or a buffer.
    UnseenMemory,
    /// A write of depth in a read-only layout: the store of a pass.
    Stored,
    /// A layout change that is visible to none of the accesses of its layout: another one is named.
    Unseen,
}

impl Broken {
    /// Whether an access stands for another one.
    pub(super) fn stands_in(self) -> bool {
        matches!(
            self,
            Self::UndefinedAccess
                | Self::Unread
                | Self::UnreadMemory
                | Self::OrderOnly
                | Self::NoneNamed
                | Self::UnseenMemory
                | Self::Stored
                | Self::Unseen
        )
    }

    /// The names of the rules.
    pub(super) fn rules(self) -> &'static [&'static str] {
        match self {
            Self::UndefinedAccess => &["undefined-layout-with-access"],
            Self::AccessBefore => &["access-before-mismatch"],
            Self::Sequence => &["sequential-sync"],
            Self::NoneBefore => &["none-before-not-first"],
            Self::AfterNone => &["barrier-after-none"],
            Self::QueueLayout => &["queue-layout"],
            Self::Unread | Self::Unseen => &["layout-access", "access-sync"],
            Self::UnreadMemory | Self::UnseenMemory => &["access-sync"],
            Self::OrderOnly => &[],
            Self::NoneNamed => &["access-sync", "layout-access"],
            Self::Stored => &["layout-access"],
        }
    }

    /// What is said of it in the report.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::UndefinedAccess => {
                "a discard whose first scope does not make an earlier write available: kept with its access, which D3D12 refuses next to UNDEFINED"
            }
            Self::AccessBefore => {
                "a first access that the barrier before did not name: kept, which D3D12 refuses"
            }
            Self::Sequence => {
                "a first scope that leaves out stages that the barrier before let start: kept, which D3D12 refuses"
            }
            Self::NoneBefore => {
                "a layout change without a first scope after a use: kept, which D3D12 refuses"
            }
            Self::AfterNone => {
                "a barrier after one that lets nothing follow: kept, which D3D12 refuses"
            }
            Self::Unread | Self::UnreadMemory => {
                "a layout change that lets an attachment be written and not read, before a load of it: visible to RESOLVE_SOURCE only, so that the load is found"
            }
            Self::OrderOnly | Self::NoneNamed => {
                "barriers that make nothing available: AccessBefore stands for no access"
            }
            Self::UnseenMemory => {
                "barriers without a second access: visible to INDIRECT_ARGUMENT only, so that a use that counts on them is found"
            }
            Self::Stored => {
                "stores of attachments in read-only layouts: Vulkan counts them as writes, and D3D12 has none there; kept as writes"
            }
            Self::Unseen => {
                "a layout change whose second scope has no access of its layout: visible to an access that the layout does not have, so that a use that counts on it is found"
            }
            Self::QueueLayout => "a layout that D3D12 does not have on this type of queue: kept",
        }
    }
}

pub(super) fn note(broken: &mut Vec<Broken>, one: Broken) {
    if !broken.contains(&one) {
        broken.push(one);
    }
}
