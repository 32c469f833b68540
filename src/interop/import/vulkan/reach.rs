//! What a draw or dispatch touches by its descriptors.

use super::super::story::{ItemId, Part, Touch};
use super::Vulkan;
use super::descriptors::{Binding, Descriptor, Type};
use super::lost::Lost;
use super::pipelines::AT_ADDRESSES;
use super::pipelines::{Pipeline, ShaderUse, stage};
use super::record::Bound;
use crate::api::{BarrierAccess, Leaf, LeafSet};
use crate::scenario::UseMode;

/// Leaves at which the stages of a mask run.
fn leaves(stages: u32) -> LeafSet {
    let mut set = LeafSet::EMPTY;
    for (bits, leaf) in [
        (stage::BEFORE_RASTER, Leaf::VertexShading),
        (stage::FRAGMENT, Leaf::PixelShading),
        (stage::COMPUTE, Leaf::ComputeShading),
        (stage::RAYS, Leaf::Raytracing),
    ] {
        if stages & bits != 0 {
            set = set.union(LeafSet::one(leaf));
        }
    }
    set
}

impl Vulkan {
    /// What a draw or dispatch touches by its descriptors.
    pub(super) fn descriptor_touches(
        &mut self,
        queue: usize,
        bound: &Bound,
        touches: &mut Vec<Touch>,
    ) {
        if bound.pipeline.by_address {
            self.submits.lost = Some(AT_ADDRESSES);
        }
        let from = touches.len();
        for (number, set) in (0u32..).zip(&bound.sets.0) {
            let Some(set) = set else {
                continue;
            };
            let Some(contents) = self.contents(&set.set) else {
                continue;
            };
            let mut offsets = set.offsets.iter().copied();
            for binding in set.layout.iter() {
                let moved: Vec<u64> = if binding.kind.is_dynamic() {
                    offsets.by_ref().take(binding.count as usize).collect()
                } else {
                    Vec::new()
                };
                let Some(used) = usage(&bound.pipeline, number, binding) else {
                    continue;
                };
                let elements = contents.range((binding.number, 0)..=(binding.number, u32::MAX));
                let many = binding.count > 1;
                for ((_, element), descriptor) in elements {
                    if descriptor.item == ItemId::MAX {
                        self.possible(queue, &used, descriptor, from, touches);
                        continue;
                    }
                    let by = moved.get(*element as usize).copied().unwrap_or(0);
                    let item = &self.story.items[descriptor.item as usize];
                    let part = if by == 0 {
                        Some(descriptor.part.clone())
                    } else {
                        item.byte_part(descriptor.bytes.0.saturating_add(by), descriptor.bytes.1)
                    };
                    if let (Some(part), Some(access)) = (part, descriptor.kind.access()) {
                        let touch = used.touch(descriptor, part, access, many);
                        if !touches[from..].contains(&touch) {
                            touches.push(touch);
                        }
                    }
                }
            }
        }
    }
}

impl Vulkan {
    /// What a descriptor that the capture lost may touch.
    fn possible(
        &mut self,
        queue: usize,
        used: &Usage,
        lost: &Descriptor,
        from: usize,
        touches: &mut Vec<Touch>,
    ) {
        let Some(access) = lost.kind.access() else {
            return;
        };
        self.submits.lost = Some("images and buffers of descriptors that the capture lost");
        let known = Lost {
            kind: lost.kind,
            layout: lost.layout,
            stages: used.stages,
        };
        for item in self.likely(queue, known).iter() {
            let layouts = &self.story.items[*item as usize].layouts;
            let named = Descriptor {
                item: *item,
                layout: lost.layout.or(layouts.first().copied()),
                ..lost.clone()
            };
            let touch = used.touch(&named, Part::All, access, true);
            if !touches[from..].contains(&touch) {
                touches.push(touch);
            }
        }
    }
}

/// How a pipeline uses a binding.
struct Usage {
    stages: LeafSet,
    mode: UseMode,
    certain: bool,
    any_element: bool,
}

impl Usage {
    fn touch(
        &self,
        descriptor: &Descriptor,
        part: Part,
        access: BarrierAccess,
        many: bool,
    ) -> Touch {
        let unordered = access == BarrierAccess::UNORDERED_ACCESS;
        Touch {
            item: descriptor.item,
            part,
            access,
            stages: self.stages,
            mode: if unordered {
                self.mode
            } else {
                UseMode::Default
            },
            may: !self.certain || descriptor.may || (many && self.any_element),
            loads: false,
            begins: false,
            is_input: descriptor.kind == Type::Input,
            stores: false,
            layout: descriptor.layout,
        }
    }
}

/// `None` if the pipeline does not use it.
fn usage(pipeline: &Pipeline, set: u32, binding: &Binding) -> Option<Usage> {
    let Some(uses) = &pipeline.uses else {
        let stages = leaves(binding.stages & pipeline.stages);
        return (!stages.is_empty()).then_some(Usage {
            stages,
            mode: UseMode::Default,
            certain: false,
            any_element: true,
        });
    };
    let mine = |one: &&ShaderUse| one.set == set && one.binding == binding.number;
    let mut found = uses.iter().filter(mine).peekable();
    found.peek()?;
    let (mut bits, mut reads, mut writes, mut any_element) = (0, false, false, false);
    for one in found {
        bits |= one.stages;
        reads |= one.reads;
        writes |= one.writes;
        any_element |= one.any_element;
    }
    let mode = match (reads, writes) {
        (true, false) => UseMode::Reads,
        (false, true) => UseMode::Writes,
        _ => UseMode::Default,
    };
    Some(Usage {
        stages: leaves(bits),
        mode,
        certain: true,
        any_element,
    })
}
