//! What the text says of the device, its capabilities and its adapters.

use super::{Trivia, is_false};
use crate::finding::Span;
use serde::{Deserialize, Serialize};

/// `device { … }`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Device {
    /// Default hardware profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Default lowering.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lowering: Option<String>,
    /// Whether copies, resolves and discards are asynchronous everywhere (reading R20).
    #[serde(default, skip_serializing_if = "is_false")]
    pub asynchronous_copies: bool,
    /// Capabilities that the text switches, by name, with their place.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub capabilities: Vec<(Capability, bool, Span)>,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

impl Device {
    /// Whether the device has the capability; all are on unless switched off.
    pub fn has(&self, capability: Capability) -> bool {
        self.capabilities
            .iter()
            .rev()
            .find(|(c, ..)| *c == capability)
            .is_none_or(|(_, on, _)| *on)
    }
}

/// What a device may lack.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Capability {
    EnhancedBarriers,
    Raytracing,
    VariableRateShading,
    SamplerFeedback,
    MeshShading,
    NativeFences,
    FenceBarriersTier2,
    Video,
}

impl Capability {
    /// Every capability.
    pub const ALL: [Self; 8] = [
        Self::EnhancedBarriers,
        Self::Raytracing,
        Self::VariableRateShading,
        Self::SamplerFeedback,
        Self::MeshShading,
        Self::NativeFences,
        Self::FenceBarriersTier2,
        Self::Video,
    ];

    /// The language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::EnhancedBarriers => "enhanced-barriers",
            Self::Raytracing => "raytracing",
            Self::VariableRateShading => "variable-rate-shading",
            Self::SamplerFeedback => "sampler-feedback",
            Self::MeshShading => "mesh-shading",
            Self::NativeFences => "native-fences",
            Self::FenceBarriersTier2 => "fence-barriers-tier-2",
            Self::Video => "video",
        }
    }
}

/// `adapter N { … }`: what the operating system and the driver make of fences on one adapter.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct Adapter {
    /// Number of the adapter.
    pub number: u32,
    /// `native-fences on|off`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native_fences: Option<bool>,
    /// `optimised-default on|off`: monitored values of `DEFAULT` fences may lie in local memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optimised_default: Option<bool>,
    /// `intra-gpu on|off`: the type `INTRA_GPU` is supported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intra_gpu: Option<bool>,
    /// `segments system|local-visible|local`: the memory segments in order; the first is number 1.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<MemorySegment>,
    /// `stride BYTES`: from one packed value to the next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stride_bytes: Option<u32>,
    /// Place in the source.
    #[serde(skip)]
    pub span: Span,
    /// Comments.
    #[serde(default, skip_serializing_if = "Trivia::is_empty")]
    pub trivia: Trivia,
}

/// What kind of memory a segment is.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum MemorySegment {
    /// System memory, seen by every adapter and by the CPU.
    System,
    /// The GPU's own memory, which the CPU sees.
    LocalVisible,
    /// The GPU's own memory, which the CPU does not see.
    Local,
}

impl MemorySegment {
    /// The language's words.
    pub const WORDS: [&'static str; 3] = ["system", "local-visible", "local"];

    /// The language's word.
    pub fn word(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::LocalVisible => "local-visible",
            Self::Local => "local",
        }
    }

    /// The segment of a word.
    pub fn parse(word: &str) -> Option<Self> {
        [Self::System, Self::LocalVisible, Self::Local]
            .into_iter()
            .find(|kind| kind.word() == word)
    }

    /// What a page calls it.
    pub fn noun(self) -> &'static str {
        match self {
            Self::System => "system memory",
            Self::LocalVisible => "local memory (CPU-visible)",
            Self::Local => "local memory",
        }
    }

    /// Whether CPU pointers reach it.
    pub fn is_cpu_visible(self) -> bool {
        self != Self::Local
    }
}
