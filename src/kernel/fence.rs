//! Fences: how each is written, and what it does.

use crate::id::LocationId;
use std::fmt;

/// A fence as it is written. What it means is [`Fence::effect`].
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Fence {
    /// The SM5 instruction `sync_…`.
    Sync(SyncFlags),
    /// An HLSL intrinsic of SM5, which the compiler turns into a `sync_…`.
    Intrinsic(Intrinsic),
    /// SM6.8 `barrier(MEM;FLAGS)`.
    Barrier {
        /// The memory whose accesses are ordered.
        memory: BarrierMemory,
        /// Its scopes and whether the group meets.
        flags: BarrierFlags,
    },
}

/// Modifiers of `sync`, with the values that they have in DXIL's `dx.op.barrier`.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "the four parts of the instruction's name"
)]
pub struct SyncFlags {
    /// `_uglobal`: UAV memory, device scope. Value 2.
    pub uglobal: bool,
    /// `_ugroup`: UAV memory, group scope. Value 4.
    pub ugroup: bool,
    /// `_g`: thread group shared memory. Value 8.
    pub g: bool,
    /// `_t`: the threads of the group meet. Value 1.
    pub t: bool,
}

impl SyncFlags {
    /// The operand of `dx.op.barrier`.
    pub fn value(self) -> u32 {
        u32::from(self.t)
            | u32::from(self.uglobal) << 1
            | u32::from(self.ugroup) << 2
            | u32::from(self.g) << 3
    }
}

impl fmt::Display for SyncFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sync")?;
        for (set, word) in [
            (self.uglobal, "_uglobal"),
            (self.ugroup, "_ugroup"),
            (self.g, "_g"),
            (self.t, "_t"),
        ] {
            if set {
                f.write_str(word)?;
            }
        }
        Ok(())
    }
}

/// The HLSL intrinsics of SM5.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Intrinsic {
    /// `sync_g`.
    GroupMemoryBarrier,
    /// `sync_g_t`.
    GroupMemoryBarrierWithGroupSync,
    /// `sync_uglobal`.
    DeviceMemoryBarrier,
    /// `sync_uglobal_t`.
    DeviceMemoryBarrierWithGroupSync,
    /// `sync_uglobal_g`.
    AllMemoryBarrier,
    /// `sync_uglobal_g_t`.
    AllMemoryBarrierWithGroupSync,
}

impl Intrinsic {
    /// Every intrinsic.
    pub const ALL: [Self; 6] = [
        Self::GroupMemoryBarrier,
        Self::GroupMemoryBarrierWithGroupSync,
        Self::DeviceMemoryBarrier,
        Self::DeviceMemoryBarrierWithGroupSync,
        Self::AllMemoryBarrier,
        Self::AllMemoryBarrierWithGroupSync,
    ];

    /// The intrinsic's HLSL name.
    pub fn name(self) -> &'static str {
        match self {
            Self::GroupMemoryBarrier => "GroupMemoryBarrier",
            Self::GroupMemoryBarrierWithGroupSync => "GroupMemoryBarrierWithGroupSync",
            Self::DeviceMemoryBarrier => "DeviceMemoryBarrier",
            Self::DeviceMemoryBarrierWithGroupSync => "DeviceMemoryBarrierWithGroupSync",
            Self::AllMemoryBarrier => "AllMemoryBarrier",
            Self::AllMemoryBarrierWithGroupSync => "AllMemoryBarrierWithGroupSync",
        }
    }

    /// The instruction that it compiles to.
    pub fn sync(self) -> SyncFlags {
        let (uglobal, g, t) = match self {
            Self::GroupMemoryBarrier => (false, true, false),
            Self::GroupMemoryBarrierWithGroupSync => (false, true, true),
            Self::DeviceMemoryBarrier => (true, false, false),
            Self::DeviceMemoryBarrierWithGroupSync => (true, false, true),
            Self::AllMemoryBarrier => (true, true, false),
            Self::AllMemoryBarrierWithGroupSync => (true, true, true),
        };
        SyncFlags {
            uglobal,
            ugroup: false,
            g,
            t,
        }
    }

    /// The intrinsic that compiles to an instruction; `_ugroup` has none.
    pub fn of(sync: SyncFlags) -> Option<Self> {
        Self::ALL.into_iter().find(|i| i.sync() == sync)
    }
}

/// Memory that a `barrier` names.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum BarrierMemory {
    /// `ALL`: every type of memory that the stage has (reading R59).
    All,
    /// Types of memory, each of which the stage must have.
    Types {
        /// `UAV`.
        uav: bool,
        /// `TGSM`.
        groupshared: bool,
    },
    /// One variable, by name. Legal only for a UAV.
    Object(LocationId),
}

impl BarrierMemory {
    /// Whether it names UAV memory, and whether it names groupshared memory.
    pub fn classes(self) -> (bool, bool) {
        match self {
            Self::All => (true, true),
            Self::Types { uav, groupshared } => (uav, groupshared),
            Self::Object(_) => (true, false),
        }
    }
}

/// Flags of a `barrier`.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct BarrierFlags {
    /// `DEVICE`.
    pub device: bool,
    /// `GROUP`.
    pub group: bool,
    /// `SYNC`.
    pub sync: bool,
}

/// How far a fence makes accesses visible.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Scope {
    /// To the threads of the group.
    Group,
    /// To every thread of the GPU.
    Device,
}

/// Which memory a fence orders.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Classes {
    /// UAV memory, and the scope of the fence for it.
    pub uav: Option<Scope>,
    /// Thread group shared memory.
    pub groupshared: bool,
    /// Earlier accesses are those to this UAV only.
    pub object: Option<LocationId>,
}

impl Classes {
    /// Whether it orders nothing.
    pub fn is_empty(self) -> bool {
        self.uav.is_none() && !self.groupshared
    }
}

/// What a fence does.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug)]
pub struct Effect {
    /// The memory that it orders and makes visible.
    pub classes: Classes,
    /// Whether the threads of the group wait for each other.
    pub meets: bool,
}

impl Fence {
    /// What it does. A `barrier` without a scope orders nothing that another thread could see: it binds the compiler.
    pub fn effect(self) -> Effect {
        match self {
            Self::Sync(sync) => Effect {
                classes: Classes {
                    uav: match (sync.uglobal, sync.ugroup) {
                        (true, _) => Some(Scope::Device),
                        (false, true) => Some(Scope::Group),
                        (false, false) => None,
                    },
                    groupshared: sync.g,
                    object: None,
                },
                meets: sync.t,
            },
            Self::Intrinsic(intrinsic) => Self::Sync(intrinsic.sync()).effect(),
            Self::Barrier { memory, flags } => {
                let scope = match (flags.device, flags.group) {
                    (true, _) => Some(Scope::Device),
                    (false, true) => Some(Scope::Group),
                    (false, false) => None,
                };
                let (uav, groupshared) = memory.classes();
                let object = match memory {
                    BarrierMemory::Object(location) => Some(location),
                    BarrierMemory::All | BarrierMemory::Types { .. } => None,
                };
                Effect {
                    classes: Classes {
                        uav: scope.filter(|_| uav),
                        groupshared: groupshared && scope.is_some(),
                        object,
                    },
                    meets: flags.sync,
                }
            }
        }
    }
}
