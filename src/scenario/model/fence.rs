//! Fences and other synchronization objects.

use super::{Trivia, is_false};
use crate::api::{NativeFence, SyncObject, SyncObjectFlags};
use crate::finding::Span;
use crate::id::QueueId;
use serde::{Deserialize, Serialize};

/// `fence NAME = INITIAL { … }`.
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Fence {
    /// Value at the start.
    pub initial: u64,
    /// `kind …`, one of the types of `D3DDDI_SYNCHRONIZATIONOBJECT_TYPE`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// `native …`: `DEFAULT` or `INTRA_GPU`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<String>,
    /// Flags of `D3DDDI_SYNCHRONIZATIONOBJECT_FLAGS`, by name, with their places.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<(String, Span)>,
    /// `adapter N`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub adapter: Option<u32>,
    /// `process P`: who has created it before the timeline starts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub process: Option<QueueId>,
    /// `storage …`: what a driver answered to the request for fence storage.
    #[serde(default, skip_serializing_if = "FenceStorage::is_empty")]
    pub storage: FenceStorage,
    /// `uninitialised`: the packet that writes an `INTRA_GPU` fence's first value did not run before the timeline.
    #[serde(default, skip_serializing_if = "is_false")]
    pub uninitialised: bool,
    /// `scope list`: made for fence barriers inside one command list.
    #[serde(default, skip_serializing_if = "is_false")]
    pub list_scoped: bool,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// A driver's own answer to the request for fence storage; the modelled driver answers what is absent.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct FenceStorage {
    /// `storage current N`: the preferred segment of the current value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub current: Option<u32>,
    /// `storage monitored N`: the preferred segment of the monitored value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub monitored: Option<u32>,
    /// `storage private BYTES`: the size that the driver gave the private data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub private_data_bytes: Option<u32>,
}

impl FenceStorage {
    /// Whether nothing was answered.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Fence {
    /// The object's type. A native type makes a monitored fence a native one.
    pub fn object(&self) -> SyncObject {
        let kind = self.kind.as_deref().and_then(SyncObject::parse);
        match kind.unwrap_or_default() {
            SyncObject::Monitored if self.native.is_some() => SyncObject::Native,
            kind => kind,
        }
    }

    /// The type of a native fence; `None` for every other object.
    pub fn native_type(&self) -> Option<NativeFence> {
        let word = self.native.as_deref().and_then(NativeFence::parse);
        (self.object() == SyncObject::Native).then(|| word.unwrap_or_default())
    }

    /// The flags as bits.
    pub fn bits(&self) -> SyncObjectFlags {
        self.flags
            .iter()
            .filter_map(|(word, _)| SyncObjectFlags::parse(word))
            .fold(SyncObjectFlags::empty(), SyncObjectFlags::union)
    }

    /// Whether all of these flags are set.
    pub fn has(&self, flags: SyncObjectFlags) -> bool {
        self.bits().contains(flags)
    }

    /// Whether it is signalled before the work that precedes the signal is done. On an object that is not a monitored
    /// fence the flag is an error and has no effect.
    pub fn is_top_of_pipeline(&self) -> bool {
        self.object() == SyncObject::Monitored && self.has(SyncObjectFlags::TOP_OF_PIPELINE)
    }

    /// Whether other processes may open it.
    pub fn is_shared(&self) -> bool {
        self.has(SyncObjectFlags::SHARED)
    }

    /// Whether something outside the scenario may signal it: another process, the kernel-mode driver, the display.
    pub fn is_signalled_elsewhere(&self) -> bool {
        self.is_shared()
            || self.has(SyncObjectFlags::SIGNAL_BY_KMD)
            || self.object() == SyncObject::PeriodicMonitored
    }
}
