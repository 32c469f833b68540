//! What a shader can touch: the descriptors of a SPIR-V module that its entry points use, and how.
//!
//! Only what is statically used counts: a variable that no instruction below the entry point reaches is not listed. Two
//! questions are answered apart from that: whether an element of an array of descriptors is chosen by data, and whether
//! every invocation makes the access or only those that take a branch. Memory at addresses has no descriptor, and is
//! flagged. Vulkan's pipelines and sets are not known here.
//!
//! * `words.rs` splits the bytes into instructions; `declarations.rs` keeps names, decorations, types and variables.
//! * `flow.rs` finds the blocks of a function through which every invocation goes.
//! * `access.rs` follows pointers and loaded descriptors from the accesses back to the variables.

mod access;
mod declarations;
mod flow;
mod words;

use declarations::Declarations;
use words::Words;

/// What the entry points of a module use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Module {
    /// Its entry points, in the order of the module.
    pub entries: Vec<EntryPoint>,
}

/// What one entry point uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntryPoint {
    /// Name of the entry point.
    pub name: String,
    /// The stage that runs it.
    pub stage: Stage,
    /// Descriptors that it uses, by set and binding.
    pub bindings: Vec<Binding>,
    /// It reads memory through an address.
    pub reads_addresses: bool,
    /// It writes memory through an address.
    pub writes_addresses: bool,
}

/// A stage that runs shaders.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// Vertex.
    Vertex,
    /// Tessellation control.
    TessellationControl,
    /// Tessellation evaluation.
    TessellationEvaluation,
    /// Geometry.
    Geometry,
    /// Fragment.
    Fragment,
    /// Compute.
    Compute,
    /// Task.
    Task,
    /// Mesh.
    Mesh,
    /// Any stage of ray tracing.
    Rays,
}

/// A descriptor, or an array of them, and what is done with it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct Binding {
    /// Descriptor set.
    pub set: u32,
    /// Binding in the set.
    pub binding: u32,
    /// Name of the variable, or of its block; empty if the module has none.
    pub name: String,
    /// How many descriptors are declared.
    pub count: Count,
    /// What kind of descriptor the shader expects.
    pub kind: DescriptorKind,
    /// Which of them are used.
    pub elements: Elements,
    /// Memory is read through it.
    pub reads: bool,
    /// Memory is written through it.
    pub writes: bool,
    /// Atomic operations only.
    pub atomics: bool,
    /// Every invocation that ends makes the access.
    pub always: bool,
    /// The input attachment that is meant, for [`DescriptorKind::InputAttachment`].
    pub input_attachment: Option<u32>,
}

/// How many descriptors a binding declares.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Count {
    /// One, or an array of so many.
    Known(u32),
    /// An array without a size.
    Unbounded,
}

/// Elements of an array of descriptors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Elements {
    /// These, ascending; element 0 of what is no array.
    These(Vec<u32>),
    /// Data says which.
    Any,
}

/// What a descriptor refers to.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Hash)]
pub enum DescriptorKind {
    /// A sampler; it has no memory.
    Sampler,
    /// An image with a sampler.
    CombinedImageSampler,
    /// An image that is sampled or fetched from.
    SampledImage,
    /// An image that is loaded from and stored to.
    StorageImage,
    /// A buffer with a format that is fetched from.
    UniformTexelBuffer,
    /// A buffer with a format that is loaded from and stored to.
    StorageTexelBuffer,
    /// A block of constants.
    UniformBuffer,
    /// A block that is read and written.
    StorageBuffer,
    /// An attachment of the render pass that is read in place.
    InputAttachment,
    /// An acceleration structure.
    AccelerationStructure,
}

impl Module {
    /// Reads a module.
    ///
    /// # Errors
    /// A sentence that says what is wrong with the bytes, and where.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let words = Words::read(bytes)?;
        let declarations = Declarations::read(&words)?;
        Ok(Self {
            entries: access::entries(&words, &declarations),
        })
    }

    /// The entry point of a name and a stage.
    pub fn entry(&self, name: &str, stage: Stage) -> Option<&EntryPoint> {
        let mut entries = self.entries.iter();
        entries.find(|entry| entry.name == name && entry.stage == stage)
    }
}
