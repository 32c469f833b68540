//! From D3D12's words to Vulkan's: one side of a barrier at a time, by a table.
//!
//! * `minimal` is this program's own: the narrowest masks that contain what D3D12's words mean.
//! * `vkd3d_proton` is what a shipped translator does, with its own choices.
//! * `dzn` goes the other way, from Vulkan to D3D12: another shipped translator, for a way back that is not ours.

pub mod dzn;
mod minimal;
mod vkd3d_proton;

use super::{AccessFlags, Aspects, DependencySide, ImageLayout, STAGES, StageFlags};
use crate::api::{BarrierAccess, BarrierSync, Layout, QueueType, ResourceFlags, ResourceTraits};

/// A table of words.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum Table {
    /// The table of this program.
    #[default]
    Minimal,
    /// The translator vkd3d-proton.
    Vkd3dProton,
}

impl Table {
    /// Every table, the default first.
    pub const ALL: [Self; 2] = [Self::Minimal, Self::Vkd3dProton];

    /// Name of the table.
    pub fn name(self) -> &'static str {
        match self {
            Self::Minimal => "minimal",
            Self::Vkd3dProton => "vkd3d-proton",
        }
    }

    /// Where it is from.
    pub fn source(self) -> &'static str {
        match self {
            Self::Minimal => "the narrowest masks that contain what D3D12's words mean",
            Self::Vkd3dProton => vkd3d_proton::SOURCE,
        }
    }

    /// One side of a barrier in Vulkan's words.
    pub fn side(self, ask: &Ask) -> VulkanSide {
        match self {
            Self::Minimal => minimal::side(ask),
            Self::Vkd3dProton => vkd3d_proton::side(ask),
        }
    }

    /// A layout in Vulkan's words.
    pub fn layout(self, layout: Layout, image: &Image) -> (ImageLayout, Option<&'static str>) {
        if layout == Layout::Undefined {
            return (ImageLayout::UNDEFINED, None);
        }
        // What several queues use at once is stored in one way.
        let flags = image.traits.flags;
        if flags.contains(ResourceFlags::SIMULTANEOUS_ACCESS) {
            return (ImageLayout::GENERAL, None);
        }
        match self {
            Self::Minimal => minimal::layout(layout, image),
            Self::Vkd3dProton => vkd3d_proton::layout(layout, image),
        }
    }

    /// Accesses whose commands bring the image into a layout of their own and back, so that it may be in any.
    pub fn carries_its_own(self) -> BarrierAccess {
        match self {
            Self::Minimal => BarrierAccess::empty(),
            Self::Vkd3dProton => BarrierAccess::COPY_SOURCE.union(BarrierAccess::COPY_DEST),
        }
    }

    /// Stages at which the translator does work of D3D12 that Vulkan's meaning has elsewhere.
    pub fn done_elsewhere(self) -> &'static [(BarrierSync, StageFlags)] {
        match self {
            Self::Minimal => &[],
            Self::Vkd3dProton => vkd3d_proton::DONE_ELSEWHERE,
        }
    }
}

/// What a program has, as far as masks depend on it: a stage that nothing of the program uses is left out, because a
/// device may not have it.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a question of its own"
)]
pub struct Features {
    /// Ray tracing: rays, acceleration structures.
    pub raytracing: bool,
    /// Stream output.
    pub stream_output: bool,
    /// Predicates.
    pub predication: bool,
    /// Shading rate images.
    pub shading_rate: bool,
}

/// One side of a D3D12 barrier.
#[derive(Copy, Clone, Debug)]
pub struct Ask {
    /// Before or after.
    pub side: DependencySide,
    /// Synchronization scopes of the side.
    pub sync: BarrierSync,
    /// Accesses of the side.
    pub access: BarrierAccess,
    /// The type of the list.
    pub queue: QueueType,
    /// The buffer or texture; `None` for a global barrier.
    pub resource: Option<ResourceTraits>,
    /// What the program has.
    pub features: Features,
}

/// What a layout depends on.
#[derive(Copy, Clone, Debug)]
pub struct Image {
    /// The texture.
    pub traits: ResourceTraits,
    /// The aspects that are named.
    pub aspects: Aspects,
    /// Whether the program presents it.
    pub presented: bool,
}

/// One side in Vulkan's words.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct VulkanSide {
    /// The stages.
    pub stages: StageFlags,
    /// The accesses.
    pub access: AccessFlags,
    /// Where Vulkan has no word, or the table another.
    pub notes: Vec<&'static str>,
}

/// Adds to a mask every stage that can do an access which no stage of the mask can. Vulkan forbids such masks.
fn with_capable_stages(stages: StageFlags, access: AccessFlags) -> StageFlags {
    if stages.contains(StageFlags::ALL_COMMANDS) {
        return stages;
    }
    let any = AccessFlags::MEMORY_READ | AccessFlags::MEMORY_WRITE;
    if stages.is_empty() && access.intersects(any) {
        return StageFlags::ALL_COMMANDS;
    }
    let mut mask = stages;
    for bit in (access - any).each() {
        let able = |row: &&super::StageMeaning| row.supports().contains(bit);
        if !stages.meanings().any(|row| able(&row)) {
            mask |= STAGES
                .iter()
                .filter(able)
                .fold(StageFlags::NONE, |set, row| set | row.stage);
        }
    }
    mask
}
