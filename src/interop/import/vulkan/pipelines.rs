//! Pipelines: which stages run, what their shaders declare, which attachments and vertex bindings a draw touches.

use super::Vulkan;
use super::screen::{self, Bounds};
use crate::interop::capture::Fields;
use crate::interop::shader::{Elements, EntryPoint, Module, Stage};
use crate::lookup::LookupMap;
use std::rc::Rc;

/// Bits of `VkShaderStageFlagBits`.
pub(super) mod stage {
    pub(in super::super) const FRAGMENT: u32 = 0x10;
    pub(in super::super) const COMPUTE: u32 = 0x20;
    /// Every stage before rasterisation, mesh shading included.
    pub(in super::super) const BEFORE_RASTER: u32 = 0x0f | 0xc0;
    pub(in super::super) const RAYS: u32 = 0x3f00;
}

/// What a shader does with one binding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ShaderUse {
    pub(super) set: u32,
    pub(super) binding: u32,
    pub(super) stages: u32,
    pub(super) reads: bool,
    pub(super) writes: bool,
    /// Which element of the array is used follows from data.
    pub(super) any_element: bool,
}

/// One vertex binding.
#[derive(Copy, Clone, Debug)]
pub(super) struct VertexBinding {
    pub(super) binding: u32,
    pub(super) stride: u64,
    pub(super) per_instance: bool,
}

/// A pipeline.
#[derive(Clone, Debug, Default)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "facts of one pipeline that do not exclude each other"
)]
pub(super) struct Pipeline {
    pub(super) name: Option<Rc<str>>,
    /// Shader stages that it has.
    pub(super) stages: u32,
    /// What its shaders use; `None` if that is not known.
    pub(super) uses: Option<Rc<[ShaderUse]>>,
    pub(super) vertices: Vec<VertexBinding>,
    /// Whether the vertex bindings are dynamic state.
    pub(super) dynamic_vertices: bool,
    /// Depth test, depth write, stencil test.
    pub(super) depth: [bool; 3],
    /// Which of these three are dynamic state.
    pub(super) dynamic: [bool; 3],
    /// Whether the stencil test may write.
    pub(super) stencil_writes: bool,
    /// Colour attachments whose write mask is empty.
    pub(super) masked: Vec<bool>,
    /// Its shaders access memory at addresses.
    pub(super) by_address: bool,
    /// Scissor and viewport, where commands do not set them.
    pub(super) bounds: Bounds,
    /// The pipeline rasterises nothing.
    pub(super) discards: bool,
}

/// Live pipelines and shaders.
#[derive(Default)]
pub(super) struct Pipelines {
    pub(super) all: LookupMap<u64, Rc<Pipeline>>,
    /// Shaders that could be read, by the handle of their module.
    shaders: LookupMap<u64, Module>,
    given: bool,
}

impl Pipelines {
    pub(super) fn new(shaders: Vec<(u64, Vec<u8>)>) -> Self {
        let given = !shaders.is_empty();
        let known = shaders
            .into_iter()
            .filter_map(|(handle, bytes)| Some((handle, Module::read(&bytes).ok()?)));
        Self {
            all: LookupMap::default(),
            shaders: known.collect(),
            given,
        }
    }
}

pub(super) fn handler(name: &str) -> Option<fn(&mut Vulkan, Fields<'_>)> {
    Some(match name {
        "vkCreateGraphicsPipelines"
        | "vkCreateComputePipelines"
        | "vkCreateRayTracingPipelines" => create,
        "vkDestroyPipeline" => |v, a| drop(v.pipelines.all.remove(&a.u64("pipeline"))),
        "vkCreateShaderModule" => |v, a| {
            if v.pipelines.given && !v.pipelines.shaders.contains_key(&a.u64("pShaderModule")) {
                v.notes
                    .widened("a shader module without a readable file: what it uses is `may`");
            }
        },
        "vkDestroyShaderModule" => |_, _| {},
        _ => return None,
    })
}

/// What is said of memory that has no descriptor.
pub(super) const AT_ADDRESSES: &str = "memory at device addresses that shaders access";

fn create(v: &mut Vulkan, a: Fields<'_>) {
    let handles: Vec<u64> = a.numbers("pPipelines").collect();
    for (info, handle) in a.list("pCreateInfos").zip(handles) {
        if handle != 0 {
            let pipeline = read(v, info);
            v.pipelines.all.insert(handle, Rc::new(pipeline));
        }
    }
}

/// The bit of `VK_SHADER_STAGE_FRAGMENT_BIT`.
pub(super) fn stage_bits(field: Fields<'_>) -> u32 {
    const NAMES: [(&str, u32); 12] = [
        ("STAGE_VERTEX_BIT", 1),
        ("STAGE_TESSELLATION_CONTROL_BIT", 2),
        ("STAGE_TESSELLATION_EVALUATION_BIT", 4),
        ("STAGE_GEOMETRY_BIT", 8),
        ("STAGE_FRAGMENT_BIT", 0x10),
        ("STAGE_COMPUTE_BIT", 0x20),
        ("STAGE_TASK_BIT", 0x40),
        ("STAGE_MESH_BIT", 0x80),
        ("STAGE_ALL_GRAPHICS", 0x1f),
        ("STAGE_ALL", 0x7fff_ffff),
        ("STAGE_RAYGEN_BIT", 0x100),
        ("_HIT_BIT", 0x200),
    ];
    let text = field.text();
    if text.is_empty() || text.starts_with("0x") {
        return field.bits();
    }
    text.split('|').map(str::trim).fold(0, |set, word| {
        let named = NAMES.iter().find(|(name, _)| match *name {
            "STAGE_ALL" => word.ends_with("STAGE_ALL"),
            name => word.contains(name),
        });
        set | named.map_or(stage::RAYS, |(_, bits)| *bits)
    })
}

fn read(v: &mut Vulkan, info: Fields<'_>) -> Pipeline {
    let mut pipeline = Pipeline::default();
    let single = info.get("stage");
    let stages: Vec<Fields<'_>> = if single.is_some() {
        vec![single]
    } else {
        info.list("pStages").collect()
    };
    let mut uses = Some(Vec::new());
    for each in stages {
        let bits = stage_bits(each.get("stage"));
        pipeline.stages |= bits;
        match (uses.as_mut(), v.pipelines.shaders.get(&each.u64("module"))) {
            (Some(uses), Some(module)) => {
                let entries = entries(module, each.str("pName"), bits);
                if entries
                    .iter()
                    .any(|e| e.reads_addresses || e.writes_addresses)
                {
                    v.notes.dropped(AT_ADDRESSES);
                    pipeline.by_address = true;
                }
                uses.extend(entries.into_iter().flat_map(|entry| used(entry, bits)));
            }
            _ => uses = None,
        }
    }
    pipeline.uses = uses.filter(|_| v.pipelines.given).map(Rc::from);
    let input = info.get("pVertexInputState");
    pipeline.vertices = bindings(input.list("pVertexBindingDescriptions"));
    read_state(&mut pipeline, info);
    pipeline
}

/// The entry points that a stage runs: the one that is named, or all where the name is not known.
fn entries<'m>(module: &'m Module, name: &str, bits: u32) -> Vec<&'m EntryPoint> {
    let fits = |entry: &&EntryPoint| stage_bit(entry.stage) & bits != 0;
    let named = module
        .entries
        .iter()
        .filter(|e| e.name == name)
        .filter(fits);
    let named: Vec<_> = named.collect();
    if named.is_empty() {
        return module.entries.iter().filter(fits).collect();
    }
    named
}

fn stage_bit(stage: Stage) -> u32 {
    match stage {
        Stage::Vertex => 1,
        Stage::TessellationControl => 2,
        Stage::TessellationEvaluation => 4,
        Stage::Geometry => 8,
        Stage::Fragment => stage::FRAGMENT,
        Stage::Compute => stage::COMPUTE,
        Stage::Task => 0x40,
        Stage::Mesh => 0x80,
        Stage::Rays => stage::RAYS,
    }
}

/// What an entry point does with memory through its bindings.
fn used(entry: &EntryPoint, bits: u32) -> impl Iterator<Item = ShaderUse> {
    let touched = entry.bindings.iter().filter(|b| b.reads || b.writes);
    touched.map(move |binding| ShaderUse {
        set: binding.set,
        binding: binding.binding,
        stages: bits,
        reads: binding.reads,
        writes: binding.writes,
        any_element: binding.elements == Elements::Any,
    })
}

pub(super) fn bindings<'a>(all: impl Iterator<Item = Fields<'a>>) -> Vec<VertexBinding> {
    all.map(|each| VertexBinding {
        binding: each.u32("binding"),
        stride: each.u64("stride"),
        per_instance: matches!(each.get("inputRate").0.as_u64(), Some(1))
            || each.str("inputRate").ends_with("INSTANCE"),
    })
    .collect()
}

fn read_state(pipeline: &mut Pipeline, info: Fields<'_>) {
    let depth = info.get("pDepthStencilState");
    let on = |key| depth.u64(key) != 0;
    pipeline.depth = [
        on("depthTestEnable"),
        on("depthWriteEnable"),
        on("stencilTestEnable"),
    ];
    pipeline.stencil_writes = true;
    let raster = info.get("pRasterizationState");
    pipeline.discards = raster.u64("rasterizerDiscardEnable") != 0;
    let blend = info.get("pColorBlendState");
    pipeline.masked = blend
        .list("pAttachments")
        .map(|each| each.get("colorWriteMask").0.as_u64() == Some(0))
        .collect();
    let view = info.get("pViewportState");
    pipeline.bounds.scissor = screen::scissor(view);
    pipeline.bounds.viewport = screen::viewport(view);
    let dynamic = info.get("pDynamicState");
    for state in dynamic.list("pDynamicStates") {
        let text = state.text();
        let place = if text.contains("DEPTH_TEST_ENABLE") {
            0
        } else if text.contains("DEPTH_WRITE_ENABLE") {
            1
        } else if text.contains("STENCIL_TEST_ENABLE") {
            2
        } else {
            if text.contains("VERTEX_INPUT") && !text.contains("STRIDE") {
                pipeline.dynamic_vertices = true;
            }
            if text.contains("COLOR_WRITE_MASK") {
                pipeline.masked.clear();
            }
            if text.contains("RASTERIZER_DISCARD") {
                pipeline.discards = false;
            }
            if text.contains("STATE_SCISSOR") {
                pipeline.bounds.scissor = None;
            }
            if text.contains("STATE_VIEWPORT") && !text.contains("SHADING_RATE") {
                pipeline.bounds.viewport = None;
            }
            continue;
        };
        pipeline.dynamic[place] = true;
    }
}

impl Vulkan {
    pub(super) fn name_pipeline(&mut self, handle: u64, name: &str) {
        if let Some(pipeline) = self.pipelines.all.get_mut(&handle) {
            let mut named = Pipeline::clone(pipeline);
            named.name = Some(name.into());
            *pipeline = Rc::new(named);
        }
    }
}
