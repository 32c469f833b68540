//! The driver's side of the interface: the DDI's values and structures, and what the runtime makes of an API barrier.
//!
//! The DDI knows what the API hides: `INPUT_ASSEMBLER` as the name of `INDEX_INPUT`, the legacy layouts, ranged
//! barriers. Handles are a type parameter, because resources belong to a higher layer.

use super::{BarrierAccess, BarrierFlags, BarrierSync, Layout};
use bitflags::bitflags;

bitflags! {
    /// `D3D12DDI_RANGE_BARRIER_FLAGS_0094`.
    #[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
    pub struct RangedFlags: u32 {
        /// Used by atomic copies; the only flag of the older revision 0088.
        const ATOMIC_COPY = 0x1;
        #[allow(missing_docs)] const ACQUIRE = 0x2;
        #[allow(missing_docs)] const RELEASE = 0x4;
    }
}

impl RangedFlags {
    /// Flags of the older structure, `D3D12DDI_RANGED_BARRIER_0088`.
    pub const REVISION_0088: Self = Self::ATOMIC_COPY;

    /// A flag by the scenario language's word or by the DDI's name without prefix.
    pub fn parse_one(name: &str) -> Option<Self> {
        Some(match name {
            "atomic-copy" | "ATOMIC_COPY" => Self::ATOMIC_COPY,
            "acquire" | "ACQUIRE" => Self::ACQUIRE,
            "release" | "RELEASE" => Self::RELEASE,
            "NONE" => Self::empty(),
            _ => return None,
        })
    }

    /// The scenario language's words.
    pub fn names() -> &'static [&'static str] {
        &["atomic-copy", "acquire", "release"]
    }

    /// The DDI's names, joined by `|`; bits that it does not know as a number.
    pub fn ddi_names(self) -> String {
        let rows = [
            (Self::ATOMIC_COPY, "ATOMIC_COPY"),
            (Self::ACQUIRE, "ACQUIRE"),
            (Self::RELEASE, "RELEASE"),
        ];
        let unknown = self.difference(Self::all());
        joined(
            rows.iter()
                .filter(|(flag, _)| self.contains(*flag))
                .map(|(_, name)| (*name).to_owned())
                .chain((!unknown.is_empty()).then(|| format!("{:#x}", unknown.bits()))),
        )
    }
}

/// Names joined by `|`; `NONE` if there are none.
fn joined(names: impl Iterator<Item = String>) -> String {
    let names: Vec<_> = names.collect();
    if names.is_empty() {
        "NONE".to_owned()
    } else {
        names.join("|")
    }
}

/// `D3D12DDI_BARRIER_TYPE`: the API's three and ranged barriers.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum DdiType {
    Global,
    Texture,
    Buffer,
    Ranged,
}

impl DdiType {
    /// Every type, in the order of the values.
    pub const ALL: [Self; 4] = [Self::Global, Self::Texture, Self::Buffer, Self::Ranged];

    /// The DDI's value.
    pub fn value(self) -> u32 {
        self as u32
    }

    /// The DDI's name without prefix.
    pub fn name(self) -> &'static str {
        match self {
            Self::Global => "GLOBAL",
            Self::Texture => "TEXTURE",
            Self::Buffer => "BUFFER",
            Self::Ranged => "RANGED",
        }
    }
}

/// `D3D12DDI_BARRIER_SUBRESOURCE_RANGE_0088`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct SubresourceRange {
    pub index_or_first_mip_level: u32,
    pub num_mip_levels: u32,
    pub first_array_slice: u32,
    pub num_array_slices: u32,
    pub first_plane: u32,
    pub num_planes: u32,
}

impl SubresourceRange {
    /// Every subresource: the index `0xffffffff` with no mip count.
    pub const ALL: Self = Self {
        index_or_first_mip_level: u32::MAX,
        num_mip_levels: 0,
        first_array_slice: 0,
        num_array_slices: 0,
        first_plane: 0,
        num_planes: 0,
    };
}

/// `D3D12DDI_GLOBAL_BARRIER_0088`: also what every other kind begins with.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct GlobalBarrier {
    pub sync_before: u32,
    pub sync_after: u32,
    pub access_before: u32,
    pub access_after: u32,
}

/// `D3D12DDI_TEXTURE_BARRIER_0088`.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct TextureBarrier<H> {
    pub scopes: GlobalBarrier,
    pub layout_before: u32,
    pub layout_after: u32,
    pub resource: H,
    pub subresources: SubresourceRange,
    pub flags: BarrierFlags,
}

/// `D3D12DDI_BUFFER_BARRIER_0088`: the API's offset and size are checked by the runtime and dropped.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct BufferBarrier<H> {
    pub scopes: GlobalBarrier,
    pub resource: H,
}

/// `D3D12DDI_RANGED_BARRIER_0094`: `bytes` is the DDI's `Range`, begin and end.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub struct RangedBarrier<H> {
    pub flags: RangedFlags,
    pub resource: H,
    pub subresources: SubresourceRange,
    pub bytes: (u64, u64),
}

/// `D3D12DDIARG_BARRIER_0094`: one barrier of the flat array that the driver is given.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum DdiBarrier<H> {
    Global(GlobalBarrier),
    Texture(TextureBarrier<H>),
    Buffer(BufferBarrier<H>),
    Ranged(RangedBarrier<H>),
}

impl<H> DdiBarrier<H> {
    /// `Type`.
    pub fn kind(&self) -> DdiType {
        match self {
            Self::Global(_) => DdiType::Global,
            Self::Texture(_) => DdiType::Texture,
            Self::Buffer(_) => DdiType::Buffer,
            Self::Ranged(_) => DdiType::Ranged,
        }
    }

    /// The four values that every kind but the ranged one begins with.
    pub fn scopes(&self) -> Option<GlobalBarrier> {
        match self {
            Self::Global(scopes) => Some(*scopes),
            Self::Texture(barrier) => Some(barrier.scopes),
            Self::Buffer(barrier) => Some(barrier.scopes),
            Self::Ranged(_) => None,
        }
    }

    /// `hResource`; a global barrier has none.
    pub fn resource(&self) -> Option<&H> {
        match self {
            Self::Global(_) => None,
            Self::Texture(barrier) => Some(&barrier.resource),
            Self::Buffer(barrier) => Some(&barrier.resource),
            Self::Ranged(barrier) => Some(&barrier.resource),
        }
    }
}

/// What `D3D12DDIARG_CREATERESOURCE_0088` adds over older revisions: the layout that a resource starts in.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct CreateResource {
    /// `InitialBarrierLayout`.
    pub initial_barrier_layout: u32,
}

/// What `D3D12DDI_D3D12_OPTIONS_DATA_0089` adds: whether the driver takes enhanced barriers at all.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub struct OptionsData {
    /// `EnhancedBarriersSupported`.
    pub enhanced_barriers_supported: bool,
}

/// The DDI's sync value: the same bits.
pub fn sync(sync: BarrierSync) -> u32 {
    sync.bits()
}

/// The DDI's access value: the same bits.
pub fn access(access: BarrierAccess) -> u32 {
    access.bits()
}

/// The DDI's layout value: the API's numbers, of which the DDI knows more.
pub fn layout(layout: Layout) -> u32 {
    layout.value()
}

/// The DDI's name of one sync bit. Spec: `D3D12DDI_BARRIER_SYNC`.
pub fn sync_name(bit: BarrierSync) -> String {
    if bit == BarrierSync::INDEX_INPUT {
        "INPUT_ASSEMBLER".to_owned()
    } else {
        bit.to_string()
    }
}

/// The DDI's names of a sync value, joined by `|`.
pub fn sync_names(value: u32) -> String {
    joined(BarrierSync::from_bits_retain(value).iter().map(sync_name))
}

/// The DDI's names of an access value, joined by `|`: those of the API.
pub fn access_names(value: u32) -> String {
    BarrierAccess::from_bits_retain(value).to_string()
}

/// The DDI's name of a layout value. It calls 31 a legacy layout, which a newer API header does not (reading R10).
pub fn layout_name(value: u32) -> String {
    match Layout::from_value(value) {
        Layout::DirectQueueGenericReadComputeQueueAccessible => {
            "LEGACY_DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE".to_owned()
        }
        layout => layout.name().into_owned(),
    }
}

/// The four values that every kind of barrier has.
pub fn scopes(
    sync_before: BarrierSync,
    sync_after: BarrierSync,
    access_before: BarrierAccess,
    access_after: BarrierAccess,
) -> GlobalBarrier {
    GlobalBarrier {
        sync_before: sync(sync_before),
        sync_after: sync(sync_after),
        access_before: access(access_before),
        access_after: access(access_after),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_pass_through_and_one_name_differs() {
        assert_eq!(sync(BarrierSync::SPLIT), 0x8000_0000);
        assert_eq!(access(BarrierAccess::NO_ACCESS), 0x8000_0000);
        assert_eq!(layout(Layout::LegacyShaderResource), 0x8000_0002);
        assert_eq!(layout(Layout::Undefined), 0xffff_ffff);
        assert_eq!(sync_name(BarrierSync::INDEX_INPUT), "INPUT_ASSEMBLER");
        assert_eq!(sync_name(BarrierSync::COPY), "COPY");
        for name in RangedFlags::names() {
            assert!(RangedFlags::parse_one(name).is_some());
        }
        assert_eq!(RangedFlags::all().bits(), 7);
    }
}
