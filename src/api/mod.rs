//! The words of D3D12 synchronisation: every value of the specifications, its names and numbers, and what the bits mean.
//!
//! Raw bits ([`BarrierSync`], [`BarrierAccess`], [`Layout`]) are exactly those of the header. What they *mean* is a
//! [`Scope`]: leaf stages and accesses. Set algebra on raw bits stays inside this module, because raw bits lie: `ALL`
//! does not contain `DRAW`, `ACCESS_COMMON` is zero and yet wide, `NO_ACCESS` is a bit and yet nothing.

pub(crate) mod access;
pub mod compat;
pub mod ddi;
pub(crate) mod fence;
pub mod format;
pub(crate) mod layout;
pub(crate) mod leaf;
pub(crate) mod names;
pub(crate) mod queue;
pub(crate) mod resource;
pub(crate) mod scope;
pub(crate) mod side;
pub(crate) mod state;
pub(crate) mod sync;

pub use access::BarrierAccess;
pub use fence::{NativeFence, NtStatus, SyncObject, SyncObjectFlags};
pub use layout::Layout;
pub use leaf::{Leaf, LeafSet};
pub use queue::QueueType;
pub use resource::{BarrierFlags, BarrierType, HeapType, ResourceFlags, ResourceTraits};
pub use scope::Scope;
pub use side::BarrierSide;
pub use state::ResourceState;
pub use sync::BarrierSync;
