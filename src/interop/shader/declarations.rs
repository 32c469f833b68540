//! What a module declares before its functions: entry points, names, decorations, types, constants, variables.

use super::words::Words;
use super::{Count, DescriptorKind, Stage};
use ::spirv::{Decoration, Dim, ExecutionModel, Op, StorageClass};
use std::collections::{BTreeMap, BTreeSet};

/// Types within types that are looked through; a module that is right has a few.
const DEPTH: usize = 16;

/// A type, as far as it matters.
#[derive(Clone, Debug)]
pub(super) enum Type {
    Pointer { class: u32, to: u32 },
    Struct,
    Array { of: u32, length: u32 },
    Endless { of: u32 },
    Image { dim: u32, sampled: u32 },
    Sampler,
    SampledImage { image: u32 },
    AccelerationStructure,
}

/// An entry point as it is declared.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) stage: Stage,
    pub(super) function: u32,
    pub(super) name: String,
}

/// A variable with a descriptor.
#[derive(Clone, Debug)]
pub(super) struct Descriptor {
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) name: String,
    pub(super) kind: DescriptorKind,
    pub(super) count: Count,
    /// It is an array, if only of one.
    pub(super) is_array: bool,
    pub(super) input_attachment: Option<u32>,
}

/// What a module declares.
#[derive(Default)]
pub(super) struct Declarations {
    pub(super) entries: Vec<Entry>,
    pub(super) descriptors: BTreeMap<u32, Descriptor>,
    /// Index of the first instruction of each function, and one past the last.
    pub(super) functions: BTreeMap<u32, (usize, usize)>,
    pub(super) types: BTreeMap<u32, Type>,
    constants: BTreeMap<u32, u32>,
    names: BTreeMap<u32, String>,
    decorations: BTreeMap<(u32, u32), u32>,
    blocks_of_old: BTreeSet<u32>,
    variables: Vec<(u32, u32)>,
}

impl Declarations {
    pub(super) fn read(words: &Words) -> Result<Self, String> {
        let mut known = Self::default();
        let mut function: Option<(u32, usize)> = None;
        for index in 0..words.len() {
            let it = words.at(index);
            match it.op {
                Some(Op::Function) => function = Some((it.operand(1), index)),
                Some(Op::FunctionEnd) => {
                    let (id, first) = function
                        .take()
                        .ok_or("a function of the SPIR-V module ends that has not begun")?;
                    known.functions.insert(id, (first, index + 1));
                }
                Some(op) if function.is_none() => known.declare(op, &it),
                _ => {}
            }
        }
        if function.is_some() {
            return Err("a function of the SPIR-V module does not end".to_owned());
        }
        for entry in &known.entries {
            if !known.functions.contains_key(&entry.function) {
                return Err(format!(
                    "the SPIR-V module has no function for its entry point `{}`",
                    entry.name
                ));
            }
        }
        let variables = std::mem::take(&mut known.variables);
        for (id, pointer) in variables {
            if let Some(descriptor) = known.descriptor(id, pointer) {
                known.descriptors.insert(id, descriptor);
            }
        }
        Ok(known)
    }

    fn declare(&mut self, op: Op, it: &super::words::Instruction<'_>) {
        let id = it.operand(0);
        match op {
            Op::EntryPoint => {
                if let Some(stage) = stage(id) {
                    self.entries.push(Entry {
                        stage,
                        function: it.operand(1),
                        name: it.text(2).0,
                    });
                }
            }
            Op::Name => {
                self.names.insert(id, it.text(1).0);
            }
            Op::Decorate => {
                self.decorations.insert((id, it.operand(1)), it.operand(2));
                if it.operand(1) == Decoration::BufferBlock as u32 {
                    self.blocks_of_old.insert(id);
                }
            }
            Op::TypePointer => {
                let (class, to) = (it.operand(1), it.operand(2));
                self.types.insert(id, Type::Pointer { class, to });
            }
            Op::TypeStruct => {
                self.types.insert(id, Type::Struct);
            }
            Op::TypeArray => {
                let (of, length) = (it.operand(1), it.operand(2));
                self.types.insert(id, Type::Array { of, length });
            }
            Op::TypeRuntimeArray => {
                self.types.insert(id, Type::Endless { of: it.operand(1) });
            }
            Op::TypeImage => {
                let (dim, sampled) = (it.operand(2), it.operand(6));
                self.types.insert(id, Type::Image { dim, sampled });
            }
            Op::TypeSampler => {
                self.types.insert(id, Type::Sampler);
            }
            Op::TypeSampledImage => {
                let image = it.operand(1);
                self.types.insert(id, Type::SampledImage { image });
            }
            Op::TypeAccelerationStructureKHR => {
                self.types.insert(id, Type::AccelerationStructure);
            }
            Op::Constant | Op::SpecConstant => {
                self.constants.insert(it.operand(1), it.operand(2));
            }
            Op::Variable => self.variables.push((it.operand(1), id)),
            _ => {}
        }
    }

    /// The value of a constant; of one that can be specialised, what it is unless somebody does.
    pub(super) fn constant(&self, id: u32) -> Option<u32> {
        self.constants.get(&id).copied()
    }

    /// The storage class of a type that is a pointer.
    pub(super) fn class(&self, pointer: u32) -> Option<u32> {
        match self.types.get(&pointer) {
            Some(Type::Pointer { class, .. }) => Some(*class),
            _ => None,
        }
    }

    /// Whether a value of a type is a descriptor.
    pub(super) fn is_descriptor(&self, id: u32) -> bool {
        let known = self.types.get(&id);
        known.is_some_and(|known| {
            matches!(
                known,
                Type::Image { .. }
                    | Type::Sampler
                    | Type::SampledImage { .. }
                    | Type::AccelerationStructure
            )
        })
    }

    fn decoration(&self, id: u32, which: Decoration) -> Option<u32> {
        self.decorations.get(&(id, which as u32)).copied()
    }

    /// What a variable is, if it is a descriptor.
    fn descriptor(&self, id: u32, pointer: u32) -> Option<Descriptor> {
        let Some(Type::Pointer { class, to }) = self.types.get(&pointer) else {
            return None;
        };
        let (mut of, mut count, mut is_array) = (*to, Count::Known(1), false);
        for _ in 0..DEPTH {
            match self.types.get(&of) {
                Some(Type::Array { of: inner, length }) => {
                    let length = self.constant(*length).unwrap_or(1);
                    count = match count {
                        Count::Known(so_far) => Count::Known(so_far.saturating_mul(length)),
                        Count::Unbounded => Count::Unbounded,
                    };
                    (of, is_array) = (*inner, true);
                }
                Some(Type::Endless { of: inner }) => {
                    (of, is_array, count) = (*inner, true, Count::Unbounded);
                }
                _ => break,
            }
        }
        let kind = self.kind(*class, of)?;
        let mut named = [id, of].into_iter().filter_map(|id| self.names.get(&id));
        let name = named.rfind(|name| !name.is_empty());
        let own = self.names.get(&id).filter(|name| !name.is_empty());
        Some(Descriptor {
            set: self.decoration(id, Decoration::DescriptorSet).unwrap_or(0),
            binding: self.decoration(id, Decoration::Binding)?,
            name: own.or(name).cloned().unwrap_or_default(),
            kind,
            count,
            is_array,
            input_attachment: self.decoration(id, Decoration::InputAttachmentIndex),
        })
    }

    fn kind(&self, class: u32, of: u32) -> Option<DescriptorKind> {
        const CONSTANT: u32 = StorageClass::UniformConstant as u32;
        const UNIFORM: u32 = StorageClass::Uniform as u32;
        const STORAGE: u32 = StorageClass::StorageBuffer as u32;
        let declared = self.types.get(&of)?;
        Some(match (class, declared) {
            (CONSTANT, Type::Sampler) => DescriptorKind::Sampler,
            (CONSTANT, Type::AccelerationStructure) => DescriptorKind::AccelerationStructure,
            (CONSTANT, Type::Image { dim, sampled }) => image(*dim, *sampled),
            (CONSTANT, Type::SampledImage { image: id }) => match self.types.get(id) {
                Some(Type::Image { dim, .. }) if *dim == Dim::DimBuffer as u32 => {
                    DescriptorKind::UniformTexelBuffer
                }
                _ => DescriptorKind::CombinedImageSampler,
            },
            (UNIFORM, Type::Struct) if self.blocks_of_old.contains(&of) => {
                DescriptorKind::StorageBuffer
            }
            (UNIFORM, Type::Struct) => DescriptorKind::UniformBuffer,
            (STORAGE, Type::Struct) => DescriptorKind::StorageBuffer,
            _ => return None,
        })
    }
}

fn image(dim: u32, sampled: u32) -> DescriptorKind {
    let is_storage = sampled == 2;
    if dim == Dim::DimSubpassData as u32 {
        DescriptorKind::InputAttachment
    } else if dim == Dim::DimBuffer as u32 {
        if is_storage {
            DescriptorKind::StorageTexelBuffer
        } else {
            DescriptorKind::UniformTexelBuffer
        }
    } else if is_storage {
        DescriptorKind::StorageImage
    } else {
        DescriptorKind::SampledImage
    }
}

fn stage(model: u32) -> Option<Stage> {
    Some(match ExecutionModel::from_u32(model)? {
        ExecutionModel::Vertex => Stage::Vertex,
        ExecutionModel::TessellationControl => Stage::TessellationControl,
        ExecutionModel::TessellationEvaluation => Stage::TessellationEvaluation,
        ExecutionModel::Geometry => Stage::Geometry,
        ExecutionModel::Fragment => Stage::Fragment,
        ExecutionModel::GLCompute => Stage::Compute,
        ExecutionModel::TaskNV | ExecutionModel::TaskEXT => Stage::Task,
        ExecutionModel::MeshNV | ExecutionModel::MeshEXT => Stage::Mesh,
        ExecutionModel::RayGenerationNV
        | ExecutionModel::IntersectionNV
        | ExecutionModel::AnyHitNV
        | ExecutionModel::ClosestHitNV
        | ExecutionModel::MissNV
        | ExecutionModel::CallableNV => Stage::Rays,
        _ => return None,
    })
}
