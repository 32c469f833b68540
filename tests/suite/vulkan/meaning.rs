//! From Vulkan's words to D3D12's: the image of every single bit contains what the bit means.
//!
//! The tables here are written from the specifications' side, an access with the stages that support it and a D3D12 stage
//! with what Vulkan calls its work; the program has them by Vulkan's stages.

use syncscope::api::{
    BarrierAccess as A, BarrierSync, HeapType, Layout, Leaf, LeafSet, QueueType, ResourceFlags,
    ResourceTraits,
};
use syncscope::interop::vulkan::{
    AccessFlags as V, Aspects, ChangeKind, Context, D3d12Side, DependencySide, ImageLayout as I,
    StageFlags as S, to_d3d12,
};

/// D3D12's leaves with every stage of Vulkan whose work a D3D12 program does there.
const LEAVES: &[(Leaf, &[&str])] = &[
    (
        Leaf::ExecuteIndirect,
        &[
            "DRAW_INDIRECT",
            "CONDITIONAL_RENDERING_EXT",
            "COMMAND_PREPROCESS_EXT",
            "COPY_INDIRECT_KHR",
        ],
    ),
    (Leaf::IndexInput, &["INDEX_INPUT", "VERTEX_INPUT"]),
    (
        Leaf::VertexShading,
        &[
            "VERTEX_INPUT",
            "VERTEX_ATTRIBUTE_INPUT",
            "VERTEX_SHADER",
            "TESSELLATION_CONTROL_SHADER",
            "TESSELLATION_EVALUATION_SHADER",
            "GEOMETRY_SHADER",
            "TASK_SHADER_EXT",
            "MESH_SHADER_EXT",
            "PRE_RASTERIZATION_SHADERS",
            "TRANSFORM_FEEDBACK_EXT",
            "CLUSTER_CULLING_SHADER_HUAWEI",
        ],
    ),
    (
        Leaf::PixelShading,
        &[
            "FRAGMENT_SHADER",
            "FRAGMENT_SHADING_RATE_ATTACHMENT_KHR",
            "FRAGMENT_DENSITY_PROCESS_EXT",
            "INVOCATION_MASK_HUAWEI",
        ],
    ),
    (
        Leaf::DepthStencil,
        &["EARLY_FRAGMENT_TESTS", "LATE_FRAGMENT_TESTS"],
    ),
    (Leaf::RenderTarget, &["COLOR_ATTACHMENT_OUTPUT"]),
    (
        Leaf::ComputeShading,
        &["COMPUTE_SHADER", "SUBPASS_SHADER_HUAWEI", "DATA_GRAPH_ARM"],
    ),
    (Leaf::Raytracing, &["RAY_TRACING_SHADER_KHR"]),
    (
        Leaf::Copy,
        &[
            "COPY",
            "BLIT",
            "RESOLVE",
            "CLEAR",
            "ALL_TRANSFER",
            "CONVERT_COOPERATIVE_VECTOR_MATRIX_NV",
            "MEMORY_DECOMPRESSION_EXT",
        ],
    ),
    (Leaf::Resolve, &["RESOLVE", "ALL_TRANSFER"]),
    (Leaf::ClearUav, &["CLEAR", "ALL_TRANSFER"]),
    (
        Leaf::BuildAs,
        &["ACCELERATION_STRUCTURE_BUILD_KHR", "MICROMAP_BUILD_EXT"],
    ),
    (
        Leaf::CopyAs,
        &["ACCELERATION_STRUCTURE_COPY_KHR", "ALL_TRANSFER"],
    ),
    (
        Leaf::EmitAs,
        &["ACCELERATION_STRUCTURE_COPY_KHR", "ALL_TRANSFER"],
    ),
    (Leaf::VideoDecode, &["VIDEO_DECODE_KHR"]),
    (Leaf::VideoEncode, &["VIDEO_ENCODE_KHR"]),
    (Leaf::VideoProcess, &["OPTICAL_FLOW_NV"]),
];

/// Leaves that `ALL_GRAPHICS` means: those of a draw, and the arguments of an indirect one.
const GRAPHICS: LeafSet = LeafSet::DRAW.union(LeafSet::one(Leaf::ExecuteIndirect));

/// The leaves that a stage must become, by the table above.
fn expected_leaves(stage: S, side: DependencySide) -> LeafSet {
    match (stage, side) {
        (S::HOST, _)
        | (S::TOP_OF_PIPE, DependencySide::Source)
        | (S::BOTTOM_OF_PIPE, DependencySide::Destination) => LeafSet::EMPTY,
        (S::ALL_COMMANDS | S::TOP_OF_PIPE | S::BOTTOM_OF_PIPE, _) => LeafSet::ALL,
        // Vulkan has two vendors' stages in the graphics pipeline that D3D12 does in compute.
        (S::ALL_GRAPHICS, _) => GRAPHICS,
        _ => LEAVES
            .iter()
            .filter(|(_, stages)| stages.iter().any(|name| S::parse(name).value == stage))
            .fold(LeafSet::EMPTY, |set, (leaf, _)| {
                set.union(LeafSet::one(*leaf))
            }),
    }
}

/// The queue type that has the leaf.
fn queue_of(leaves: LeafSet) -> QueueType {
    [
        QueueType::Direct,
        QueueType::VideoDecode,
        QueueType::VideoProcess,
        QueueType::VideoEncode,
    ]
    .into_iter()
    .find(|queue| queue.leaves().meets(leaves))
    .unwrap_or(QueueType::Direct)
}

#[test]
fn every_stage_becomes_every_leaf_that_it_means() {
    assert!(S::NAMED.len() > 40);
    for (name, stage) in S::NAMED {
        for side in [DependencySide::Source, DependencySide::Destination] {
            let expected = expected_leaves(*stage, side);
            assert!(
                !expected.is_empty() || matches!(*name, "HOST" | "TOP_OF_PIPE" | "BOTTOM_OF_PIPE"),
                "{name}"
            );
            let queue = queue_of(expected);
            let got = to_d3d12(
                *stage,
                V::MEMORY_READ | V::MEMORY_WRITE,
                None,
                &Context::global(side, queue),
            );
            let missing = expected
                .intersection(queue.leaves())
                .minus(got.sync.leaves());
            assert!(
                missing.is_empty(),
                "{name} becomes {}, without {missing}",
                got.sync
            );
            if *stage == S::ALL_COMMANDS {
                assert_eq!(
                    (got.sync, got.verdict()),
                    (BarrierSync::ALL, ChangeKind::Exact)
                );
            }
            if *name == "HOST" {
                assert_eq!(
                    (got.sync, got.verdict()),
                    (BarrierSync::NONE, ChangeKind::Dropped)
                );
            }
            // Not wider than it must be, either: only leaves that the stage means.
            let extra = got.sync.leaves().minus(expected);
            let vendor = *stage == S::ALL_GRAPHICS && extra == LeafSet::one(Leaf::ComputeShading);
            assert!(
                extra.is_empty() || vendor,
                "{name} becomes {}, with {extra}",
                got.sync
            );
        }
    }
}

/// Vulkan specification, "Supported access types": an access, the stages that can do it, and the D3D12 access.
const ACCESSES: &[(&str, &str, A)] = &[
    (
        "INDIRECT_COMMAND_READ",
        "DRAW_INDIRECT",
        A::INDIRECT_ARGUMENT,
    ),
    ("INDEX_READ", "INDEX_INPUT|VERTEX_INPUT", A::INDEX_BUFFER),
    (
        "VERTEX_ATTRIBUTE_READ",
        "VERTEX_ATTRIBUTE_INPUT|VERTEX_INPUT",
        A::VERTEX_BUFFER,
    ),
    ("UNIFORM_READ", SHADERS, A::CONSTANT_BUFFER),
    ("SHADER_SAMPLED_READ", SHADERS, A::SHADER_RESOURCE),
    ("SHADER_STORAGE_READ", SHADERS, A::UNORDERED_ACCESS),
    ("SHADER_STORAGE_WRITE", SHADERS, A::UNORDERED_ACCESS),
    (
        "SHADER_READ",
        SHADERS,
        A::SHADER_RESOURCE.union(A::UNORDERED_ACCESS),
    ),
    ("SHADER_WRITE", SHADERS, A::UNORDERED_ACCESS),
    (
        "INPUT_ATTACHMENT_READ",
        "FRAGMENT_SHADER",
        A::SHADER_RESOURCE,
    ),
    (
        "COLOR_ATTACHMENT_READ",
        "COLOR_ATTACHMENT_OUTPUT",
        A::RENDER_TARGET,
    ),
    (
        "COLOR_ATTACHMENT_WRITE",
        "COLOR_ATTACHMENT_OUTPUT",
        A::RENDER_TARGET,
    ),
    (
        "DEPTH_STENCIL_ATTACHMENT_READ",
        "EARLY_FRAGMENT_TESTS|LATE_FRAGMENT_TESTS",
        A::DEPTH_STENCIL_READ,
    ),
    (
        "DEPTH_STENCIL_ATTACHMENT_WRITE",
        "EARLY_FRAGMENT_TESTS|LATE_FRAGMENT_TESTS",
        A::DEPTH_STENCIL_WRITE,
    ),
    ("TRANSFER_READ", "COPY|BLIT|ALL_TRANSFER", A::COPY_SOURCE),
    (
        "TRANSFER_WRITE",
        "COPY|BLIT|CLEAR|ALL_TRANSFER",
        A::COPY_DEST,
    ),
    (
        "TRANSFER_READ",
        "RESOLVE|ALL_TRANSFER",
        A::COPY_SOURCE.union(A::RESOLVE_SOURCE),
    ),
    (
        "TRANSFER_WRITE",
        "RESOLVE|ALL_TRANSFER",
        A::COPY_DEST.union(A::RESOLVE_DEST),
    ),
    ("TRANSFER_WRITE", "CLEAR", A::UNORDERED_ACCESS),
    (
        "TRANSFORM_FEEDBACK_WRITE_EXT",
        "TRANSFORM_FEEDBACK_EXT",
        A::STREAM_OUTPUT,
    ),
    (
        "TRANSFORM_FEEDBACK_COUNTER_READ_EXT",
        "TRANSFORM_FEEDBACK_EXT",
        A::STREAM_OUTPUT,
    ),
    (
        "TRANSFORM_FEEDBACK_COUNTER_WRITE_EXT",
        "TRANSFORM_FEEDBACK_EXT",
        A::STREAM_OUTPUT,
    ),
    (
        "CONDITIONAL_RENDERING_READ_EXT",
        "CONDITIONAL_RENDERING_EXT",
        A::INDIRECT_ARGUMENT,
    ),
    (
        "FRAGMENT_SHADING_RATE_ATTACHMENT_READ_KHR",
        "FRAGMENT_SHADING_RATE_ATTACHMENT_KHR",
        A::SHADING_RATE_SOURCE,
    ),
    (
        "ACCELERATION_STRUCTURE_READ_KHR",
        "COMPUTE_SHADER|RAY_TRACING_SHADER_KHR|ACCELERATION_STRUCTURE_BUILD_KHR|ACCELERATION_STRUCTURE_COPY_KHR",
        A::RAYTRACING_ACCELERATION_STRUCTURE_READ,
    ),
    (
        "ACCELERATION_STRUCTURE_WRITE_KHR",
        "ACCELERATION_STRUCTURE_BUILD_KHR|ACCELERATION_STRUCTURE_COPY_KHR",
        A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE,
    ),
    (
        "SHADER_BINDING_TABLE_READ_KHR",
        "RAY_TRACING_SHADER_KHR",
        A::SHADER_RESOURCE,
    ),
    (
        "SHADER_READ",
        "ACCELERATION_STRUCTURE_BUILD_KHR",
        A::SHADER_RESOURCE,
    ),
    (
        "VIDEO_DECODE_READ_KHR",
        "VIDEO_DECODE_KHR",
        A::VIDEO_DECODE_READ,
    ),
    (
        "VIDEO_DECODE_WRITE_KHR",
        "VIDEO_DECODE_KHR",
        A::VIDEO_DECODE_WRITE,
    ),
    (
        "VIDEO_ENCODE_READ_KHR",
        "VIDEO_ENCODE_KHR",
        A::VIDEO_ENCODE_READ,
    ),
    (
        "VIDEO_ENCODE_WRITE_KHR",
        "VIDEO_ENCODE_KHR",
        A::VIDEO_ENCODE_WRITE,
    ),
];

const SHADERS: &str = "VERTEX_SHADER|TESSELLATION_CONTROL_SHADER|TESSELLATION_EVALUATION_SHADER|GEOMETRY_SHADER|\
    FRAGMENT_SHADER|COMPUTE_SHADER|TASK_SHADER_EXT|MESH_SHADER_EXT|PRE_RASTERIZATION_SHADERS|RAY_TRACING_SHADER_KHR|\
    ALL_GRAPHICS|ALL_COMMANDS";

#[test]
fn every_access_becomes_every_access_that_it_means_at_each_stage() {
    let mut tried = 0;
    for (access, stages, meant) in ACCESSES {
        let bit = V::parse(access).value;
        for stage in S::parse(stages).value.each() {
            let queue = queue_of(expected_leaves(stage, DependencySide::Source));
            for side in [DependencySide::Source, DependencySide::Destination] {
                let context = Context::global(side, queue);
                let got = to_d3d12(stage, bit, None, &context);
                assert!(
                    got.access.contains(*meant),
                    "{access} at {stage} becomes {}",
                    got.access
                );
                // The reads and writes of every kind contain it too.
                let all = if bit.writes() {
                    V::MEMORY_WRITE
                } else {
                    V::MEMORY_READ
                };
                let got = to_d3d12(stage, all, None, &context);
                assert!(
                    got.access.contains(*meant),
                    "{all} at {stage} becomes {}",
                    got.access
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 150, "{tried} pairs");
}

fn side(stages: &str, access: &str, layout: Option<I>, context: &Context) -> D3d12Side {
    to_d3d12(
        S::parse(stages).value,
        V::parse(access).value,
        layout,
        context,
    )
}

fn image(side: DependencySide, flags: ResourceFlags, aspects: Aspects) -> Context {
    let resource = ResourceTraits {
        is_buffer: false,
        flags,
        heap: HeapType::Default,
    };
    Context {
        side,
        queue: QueueType::Direct,
        resource: Some(resource),
        aspects,
    }
}

/// What an everyday barrier of a program becomes, by hand.
#[test]
fn everyday_barriers_read_as_a_person_would() {
    let target = image(
        DependencySide::Source,
        ResourceFlags::RENDER_TARGET,
        Aspects::Color,
    );
    let got = side(
        "COLOR_ATTACHMENT_OUTPUT",
        "COLOR_ATTACHMENT_WRITE",
        Some(I::COLOR_ATTACHMENT_OPTIMAL),
        &target,
    );
    assert_eq!(
        (got.sync, got.access),
        (BarrierSync::RENDER_TARGET, A::RENDER_TARGET)
    );
    assert_eq!(
        (got.layout, got.verdict()),
        (Some(Layout::RenderTarget), ChangeKind::Exact)
    );
    assert_eq!(
        got.sync_in_order(),
        BarrierSync::DRAW | BarrierSync::EXECUTE_INDIRECT,
        "a source waits for earlier stages"
    );

    let read = Context {
        side: DependencySide::Destination,
        ..target
    };
    let got = side(
        "FRAGMENT_SHADER",
        "SHADER_READ",
        Some(I::SHADER_READ_ONLY_OPTIMAL),
        &read,
    );
    assert_eq!(
        (got.sync, got.access),
        (BarrierSync::PIXEL_SHADING, A::SHADER_RESOURCE)
    );
    assert_eq!(
        (got.layout, got.verdict()),
        (Some(Layout::ShaderResource), ChangeKind::Exact)
    );
    assert_eq!(
        got.sync_in_order(),
        got.sync,
        "holding a stage holds what comes later"
    );

    // A swapchain image: acquired with a semaphore, contents dropped.
    let got = side("COLOR_ATTACHMENT_OUTPUT", "0", Some(I::UNDEFINED), &target);
    assert_eq!(
        (got.access, got.layout),
        (A::NO_ACCESS, Some(Layout::Undefined))
    );
    let got = side("BOTTOM_OF_PIPE", "0", Some(I::PRESENT_SRC_KHR), &read);
    assert_eq!(
        (got.sync, got.access, got.layout),
        (BarrierSync::NONE, A::NO_ACCESS, Some(Layout::Common))
    );
    assert_eq!(got.verdict(), ChangeKind::Exact);

    // A reader that only must be waited for: nothing is made visible.
    let got = side(
        "FRAGMENT_SHADER",
        "0",
        Some(I::SHADER_READ_ONLY_OPTIMAL),
        &target,
    );
    assert_eq!(
        (got.access, got.verdict()),
        (A::SHADER_RESOURCE, ChangeKind::Exact)
    );
    // A writer likewise: D3D12 cannot say that without its access.
    let got = side(
        "COLOR_ATTACHMENT_OUTPUT",
        "0",
        Some(I::COLOR_ATTACHMENT_OPTIMAL),
        &target,
    );
    assert_eq!(
        (got.access, got.verdict()),
        (A::RENDER_TARGET, ChangeKind::Widened)
    );
}

#[test]
fn depth_transfers_and_general_read_as_a_person_would() {
    let read = image(
        DependencySide::Destination,
        ResourceFlags::RENDER_TARGET,
        Aspects::Color,
    );
    let depth = image(
        DependencySide::Destination,
        ResourceFlags::DEPTH_STENCIL,
        Aspects::DepthStencil,
    );
    let tests = "EARLY_FRAGMENT_TESTS|LATE_FRAGMENT_TESTS";
    let both = "DEPTH_STENCIL_ATTACHMENT_READ|DEPTH_STENCIL_ATTACHMENT_WRITE";
    let got = side(
        tests,
        both,
        Some(I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL),
        &depth,
    );
    assert_eq!(
        (got.sync, got.layout),
        (BarrierSync::DEPTH_STENCIL, Some(Layout::DepthStencilWrite))
    );
    assert_eq!(
        (got.access, got.verdict()),
        (
            A::DEPTH_STENCIL_READ | A::DEPTH_STENCIL_WRITE,
            ChangeKind::Exact
        )
    );
    let got = side(
        "LATE_FRAGMENT_TESTS",
        both,
        Some(I::DEPTH_STENCIL_ATTACHMENT_OPTIMAL),
        &depth,
    );
    assert_eq!(got.verdict(), ChangeKind::Widened, "early tests are added");
    let got = side(
        tests,
        both,
        Some(I::DEPTH_STENCIL_READ_ONLY_OPTIMAL),
        &depth,
    );
    assert_eq!(
        got.layout,
        Some(Layout::DirectQueueGenericRead),
        "read by tests and shaders alike"
    );
    assert_eq!(
        got.access,
        A::DEPTH_STENCIL_READ,
        "no writes in a layout that only reads"
    );

    // Masks that join what never belongs together are kept to what can be.
    let got = side(
        "ALL_TRANSFER",
        "TRANSFER_WRITE",
        Some(I::TRANSFER_DST_OPTIMAL),
        &read,
    );
    assert_eq!(
        (got.access, got.layout),
        (A::COPY_DEST, Some(Layout::CopyDest))
    );
    let got = side(
        "ALL_COMMANDS",
        "MEMORY_READ|MEMORY_WRITE",
        Some(I::GENERAL),
        &read,
    );
    assert_eq!(got.layout, Some(Layout::Common));
    assert_eq!(
        got.verdict(),
        ChangeKind::Narrowed,
        "a render target in GENERAL"
    );
    let shared = image(
        DependencySide::Destination,
        ResourceFlags::RENDER_TARGET | ResourceFlags::SIMULTANEOUS_ACCESS,
        Aspects::Color,
    );
    let got = side(
        "ALL_COMMANDS",
        "MEMORY_READ|MEMORY_WRITE",
        Some(I::GENERAL),
        &shared,
    );
    assert_eq!(
        (got.layout, got.verdict()),
        (Some(Layout::Common), ChangeKind::Exact)
    );
    assert_eq!(got.access, A::COMMON, "every read and write of the layout");
}

#[test]
fn what_cannot_be_said_is_listed() {
    let before = Context::global(DependencySide::Source, QueueType::Direct);
    let got = side("HOST", "HOST_WRITE", None, &before);
    assert_eq!((got.sync, got.access), (BarrierSync::NONE, A::NO_ACCESS));
    let said: Vec<String> = got.changes.iter().map(ToString::to_string).collect();
    assert!(said[0].starts_with("HOST dropped: "), "{said:?}");

    let got = side(
        "0x8000000000000000|COMPUTE_SHADER",
        "0x4000000000000000|SHADER_WRITE",
        None,
        &before,
    );
    let dropped: Vec<&str> = got
        .changes
        .iter()
        .filter(|c| c.kind == ChangeKind::Dropped)
        .map(|c| c.from.as_str())
        .collect();
    assert_eq!(dropped, ["0x8000000000000000", "0x4000000000000000"]);
    assert_eq!(got.sync, BarrierSync::COMPUTE_SHADING);

    // D3D12 joins stages with accesses: a vertex shader's writes are named too.
    let got = side(
        "VERTEX_SHADER|COLOR_ATTACHMENT_OUTPUT|FRAGMENT_SHADER",
        "COLOR_ATTACHMENT_WRITE|SHADER_WRITE",
        None,
        &before,
    );
    assert_eq!(got.access, A::RENDER_TARGET | A::UNORDERED_ACCESS);
    assert!(
        got.changes
            .iter()
            .all(|c| c.kind == ChangeKind::Widened && c.from == "VERTEX_SHADER"),
        "{:?}",
        got.changes
    );
    let got = side("CLEAR|COMPUTE_SHADER", "TRANSFER_WRITE", None, &before);
    assert!(
        got.changes
            .iter()
            .any(|c| c.from.starts_with("UNORDERED_ACCESS at ")),
        "{:?}",
        got.changes
    );

    let compute = Context::global(DependencySide::Source, QueueType::Compute);
    let got = side(
        "FRAGMENT_SHADER|COMPUTE_SHADER",
        "SHADER_WRITE",
        None,
        &compute,
    );
    assert_eq!(got.sync, BarrierSync::COMPUTE_SHADING);
    assert!(
        got.changes
            .iter()
            .any(|c| c.from == "FRAGMENT_SHADER" && c.kind == ChangeKind::Dropped)
    );
    let got = side("COPY", "SHADER_WRITE", None, &before);
    assert!(
        got.changes
            .iter()
            .any(|c| c.from == "SHADER_WRITE" && c.kind == ChangeKind::Dropped)
    );
}

/// A layout means one thing whatever the masks next to it, so that chains agree; and what it allows is never more than
/// said.
#[test]
fn every_layout_has_one_image_and_says_what_it_loses() {
    let kinds = [
        (
            ResourceFlags::RENDER_TARGET | ResourceFlags::UNORDERED_ACCESS,
            Aspects::Color,
        ),
        (ResourceFlags::DEPTH_STENCIL, Aspects::Depth),
        (ResourceFlags::DEPTH_STENCIL, Aspects::Stencil),
        (ResourceFlags::DEPTH_STENCIL, Aspects::DepthStencil),
        (
            ResourceFlags::SIMULTANEOUS_ACCESS | ResourceFlags::RENDER_TARGET,
            Aspects::Color,
        ),
    ];
    let masks = [
        ("ALL_COMMANDS", "MEMORY_READ|MEMORY_WRITE"),
        ("COPY", "TRANSFER_READ"),
        ("NONE", "NONE"),
        ("FRAGMENT_SHADER", "0"),
    ];
    for (name, layout) in I::NAMED {
        for (flags, aspects) in kinds {
            for queue in [QueueType::Direct, QueueType::Compute, QueueType::Copy] {
                let context = Context {
                    queue,
                    ..image(DependencySide::Destination, flags, aspects)
                };
                let images: Vec<_> = masks
                    .iter()
                    .map(|(s, a)| side(s, a, Some(*layout), &context).layout)
                    .collect();
                assert!(images.iter().all(|l| *l == images[0]), "{name}: {images:?}");
                let got = images[0].expect("an image has a layout");
                let change = side("NONE", "NONE", Some(*layout), &context).changes;
                // Without a word, D3D12's layout allows what Vulkan's does, as far as the image and the queue can.
                let possible =
                    syncscope::api::compat::resource_accesses(context.resource.expect("an image"))
                        & syncscope::api::compat::queue_accesses(queue);
                // No creation flag says that an image is a shading rate source.
                let general = layout.allows(aspects).contains(A::EVERY);
                let possible = if general {
                    possible - A::SHADING_RATE_SOURCE
                } else {
                    possible
                };
                let given = syncscope::api::compat::texture_accesses(got, flags);
                if change.is_empty() {
                    let lost = (layout.allows(aspects) & possible) - given;
                    assert!(lost.is_empty(), "{name} as {got} on {queue} loses {lost}");
                }
            }
        }
    }
}
