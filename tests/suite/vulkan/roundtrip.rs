//! There and back: nothing that is needed and asked for is lost by the minimal table; what the translators lose is what
//! their sources say.

use crate::sizes;
use crate::{machine_random, random, reference, tour};
use std::fs;
use syncscope::api::{
    BarrierAccess as A, BarrierSync as B, HeapType, Layout, Leaf, LeafSet, QueueType,
    ResourceFlags, ResourceTraits, compat,
};
use syncscope::finding::Source;
use syncscope::interop::exchange::{Roundtrip, Verdict, WayBack, roundtrip};
use syncscope::interop::vulkan::from_d3d12::dzn;
use syncscope::interop::vulkan::{AccessFlags as V, Ask, StageFlags as S};
use syncscope::interop::vulkan::{
    Aspects, Context, DependencySide, Features, Image, ImageLayout, Table, to_d3d12,
};
use syncscope::run::{Options, check};

fn sent(text: &str, table: Table, back: WayBack) -> Option<Roundtrip> {
    roundtrip(&Source::new("scene.scn", text.to_owned()), table, back).ok()
}

/// What is lost, as `resource missing first-line second-line`.
fn lost(text: &str, trip: &Roundtrip) -> Vec<String> {
    let source = Source::new("scene.scn", text.to_owned());
    let survival = trip.survival.as_ref().expect("a timeline");
    survival
        .lost
        .iter()
        .map(|lost| {
            let name = trip.scenario.resource_name(lost.resource);
            let (first, second) = (
                source.line(lost.lines.0.start),
                source.line(lost.lines.1.start),
            );
            format!("{name} {} {first} {second}", lost.missing)
        })
        .collect()
}

#[test]
fn nothing_is_lost_by_the_minimal_table_in_any_scene() {
    let (mut scenes, mut asked) = (0, 0);
    for path in tour::files("scenarios") {
        let text = fs::read_to_string(&path).expect("a scene");
        let Some(trip) = sent(&text, Table::Minimal, WayBack::Ours) else {
            continue;
        };
        let Some(survival) = &trip.survival else {
            continue;
        };
        // What breaks a rule of legality has no words of Vulkan that ask for the same: a list that executes in two states names
        // accesses that its layout does not allow.
        assert!(
            survival.lost.is_empty() || !is_legal(&text),
            "{}: {:?}",
            path.display(),
            lost(&text, &trip)
        );
        scenes += 1;
        asked += survival.asked;
    }
    assert!(
        scenes > 1000 && asked > 1400,
        "{scenes} scenes, {asked} pairs"
    );
}

fn is_legal(text: &str) -> bool {
    let source = Source::new("scene.scn", text.to_owned());
    let findings = check(&source, &Options::default()).findings;
    !findings
        .iter()
        .any(|f| f.severity.fails() && (f.rule.id.starts_with("EB") || f.rule.id.starts_with("LB")))
}

#[test]
fn nothing_is_lost_by_the_minimal_table_in_random_scenes() {
    let (mut asked, mut tried) = (0, 0);
    let seeds = sizes::MACHINE.seeds_times(20);
    let texts = seeds.flat_map(|seed| {
        [
            reference::random_scenario(seed),
            random::scene(seed),
            machine_random::write(seed),
            machine_random::scene(seed, true),
        ]
    });
    for text in texts {
        // What breaks a rule of legality has no words of Vulkan that ask for the same.
        if !is_legal(&text) {
            continue;
        }
        let Some(trip) = sent(&text, Table::Minimal, WayBack::Ours) else {
            continue;
        };
        let Some(survival) = &trip.survival else {
            continue;
        };
        assert!(survival.lost.is_empty(), "{:?}\n{text}", lost(&text, &trip));
        tried += 1;
        asked += survival.asked;
    }
    assert!(tried > 30 && asked > 30, "{tried} scenes, {asked} pairs");
}

const SPLIT: &str = "queue gfx : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
buffer other : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes; UNORDERED_ACCESS t writes }
  barrier {
    buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE }
    texture t { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE }
  }
  dispatch \"between\" 1x1x1 { UNORDERED_ACCESS other writes }
  barrier {
    buffer b { sync SPLIT -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
    texture t { sync SPLIT -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE }
  }
  draw \"read\" { SHADER_RESOURCE b @ PIXEL_SHADING; SHADER_RESOURCE t @ PIXEL_SHADING }
}
timeline { gfx execute main }
";

/// Lowering cases D06: the halves of a buffer both vanish, of a texture the first, and the second waits for everything.
#[test]
fn vkd3d_proton_loses_what_a_split_buffer_barrier_asks() {
    let trip = sent(SPLIT, Table::Vkd3dProton, WayBack::Ours).expect("a scene");
    // The texture's second half orders everything, whatever resource it is on; nothing makes the buffer visible.
    assert_eq!(lost(SPLIT, &trip), ["b visibility 6 16"]);
    let verdicts: Vec<Verdict> = trip.trips.iter().map(|one| one.verdict).collect();
    assert_eq!(
        verdicts[..3],
        [Verdict::Vanished, Verdict::Vanished, Verdict::Vanished]
    );
    assert_eq!(trip.trips[3].verdict, Verdict::Wider);
    let masks = trip.trips[3]
        .entry
        .form
        .masks()
        .expect("the second half of the texture");
    assert_eq!(masks.src_stages, S::ALL_COMMANDS);
    let ours = sent(SPLIT, Table::Minimal, WayBack::Ours).expect("a scene");
    assert_eq!(lost(SPLIT, &ours), Vec::<String>::new(), "events keep both");
}

const QUEUE_UAV: &str = "queue gfx : direct
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; initial RENDER_TARGET }
list main : direct {
  clear-rtv t
  barrier { texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> UNORDERED_ACCESS; layout RENDER_TARGET -> LAYOUT } }
  dispatch \"use\" 1x1x1 { UNORDERED_ACCESS t }
}
timeline { gfx execute main }
";

/// Lowering cases D35: the unordered access layout of a queue becomes the common layout, which allows no storage.
#[test]
fn vkd3d_proton_loses_the_unordered_access_layout_of_a_queue() {
    let of_queue = QUEUE_UAV.replace("LAYOUT }", "DIRECT_QUEUE_UNORDERED_ACCESS }");
    let trip = sent(&of_queue, Table::Vkd3dProton, WayBack::Ours).expect("a scene");
    assert_eq!(lost(&of_queue, &trip), ["t layout 6 6"]);
    assert_eq!(
        trip.trips[0].entry.form.layouts().expect("an image").1,
        ImageLayout::SHADER_READ_ONLY_OPTIMAL
    );
    let plain = QUEUE_UAV.replace("LAYOUT }", "UNORDERED_ACCESS }");
    let trip = sent(&plain, Table::Vkd3dProton, WayBack::Ours).expect("a scene");
    assert_eq!(lost(&plain, &trip), Vec::<String>::new());
    let ours = sent(&of_queue, Table::Minimal, WayBack::Ours).expect("a scene");
    assert_eq!(lost(&of_queue, &ours), Vec::<String>::new());
}

/// A scene of the repository loses a pair only where the translator's source says so: split barriers, layouts of a queue
/// that allow unordered access, video, memory handed over in one call, and a transition over a write that `NO_ACCESS`
/// gives up, which Vulkan takes for a write after a write.
#[test]
fn vkd3d_proton_loses_nothing_else_in_any_scene() {
    let causes = [
        "SPLIT",
        "begin",
        "signal-barrier",
        "QUEUE_UNORDERED_ACCESS",
        "QUEUE_COMMON",
        "VIDEO",
        "video",
        "alias",
        "access NO_ACCESS -> SHADER_RESOURCE",
        "access NO_ACCESS -> DEPTH_STENCIL_READ",
    ];
    let mut losing = 0;
    for path in tour::files("scenarios") {
        let text = fs::read_to_string(&path).expect("a scene");
        let Some(trip) = sent(&text, Table::Vkd3dProton, WayBack::Ours) else {
            continue;
        };
        if trip
            .survival
            .as_ref()
            .is_none_or(|survival| survival.lost.is_empty())
        {
            continue;
        }
        losing += 1;
        let has = causes.iter().any(|cause| text.contains(cause));
        assert!(has, "{}: {:?}", path.display(), lost(&text, &trip));
    }
    assert!(losing >= 10, "{losing} scenes lose pairs");
}

const DROPPED: &str = "queue gfx : direct
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
list main : direct {
  clear-rtv t
  barrier { texture t { sync RENDER_TARGET -> RENDER_TARGET; access RENDER_TARGET -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard } }
  clear-rtv t
}
timeline { gfx execute main }
";

/// dzn's rule: what comes before `UNDEFINED` is `NO_ACCESS`, and `NO_ACCESS` waits for nothing. The discard writes all the
/// same (reading R26), and the clear before it is not waited for.
#[test]
fn dzn_does_not_wait_before_undefined() {
    let trip = sent(DROPPED, Table::Minimal, WayBack::Dzn).expect("a scene");
    let back = trip.trips[0].back.as_ref().expect("a barrier");
    assert_eq!(
        (back.sync_before, back.access_before),
        (B::NONE, A::NO_ACCESS)
    );
    assert_eq!(lost(DROPPED, &trip), ["t order 4 5"]);
    let ours = sent(DROPPED, Table::Minimal, WayBack::Ours).expect("a scene");
    assert_eq!(lost(DROPPED, &ours), Vec::<String>::new());
}

/// dzn's notes: a vertex buffer ends as `ALL`, since its stage is `INDEX_INPUT` and its access is not; no access in
/// Vulkan is every access in D3D12.
#[test]
fn dzn_reads_as_its_notes_say() {
    let buffer = ResourceTraits {
        is_buffer: true,
        flags: ResourceFlags::UNORDERED_ACCESS,
        heap: HeapType::Default,
    };
    let context = Context {
        side: DependencySide::Destination,
        queue: QueueType::Direct,
        resource: Some(buffer),
        aspects: Aspects::Color,
    };
    let vertex = dzn::side(
        S::VERTEX_ATTRIBUTE_INPUT,
        V::VERTEX_ATTRIBUTE_READ,
        None,
        &context,
    );
    assert_eq!((vertex.sync, vertex.access), (B::ALL, A::VERTEX_BUFFER));
    let nothing = dzn::side(S::COMPUTE_SHADER, V::NONE, None, &context);
    assert_eq!(
        (nothing.sync, nothing.access),
        (B::COMPUTE_SHADING, A::COMMON)
    );
    let ends = dzn::side(S::TOP_OF_PIPE, V::NONE, None, &context);
    assert_eq!(ends.sync, B::ALL);
    let image = ResourceTraits {
        is_buffer: false,
        flags: ResourceFlags::RENDER_TARGET,
        heap: HeapType::Default,
    };
    let context = Context {
        resource: Some(image),
        ..context
    };
    assert_eq!(
        dzn::layout(ImageLayout::GENERAL, &context),
        Layout::DirectQueueCommon
    );
    let compute = Context {
        queue: QueueType::Compute,
        ..context
    };
    assert_eq!(
        dzn::layout(ImageLayout::SHADER_READ_ONLY_OPTIMAL, &compute),
        Layout::ComputeQueueGenericRead
    );
    let copy = Context {
        queue: QueueType::Copy,
        ..context
    };
    assert_eq!(
        dzn::layout(ImageLayout::TRANSFER_SRC_OPTIMAL, &copy),
        Layout::Common
    );
}

fn texture(flags: ResourceFlags) -> ResourceTraits {
    ResourceTraits {
        is_buffer: false,
        flags,
        heap: HeapType::Default,
    }
}

/// Every layout of D3D12 becomes one of Vulkan that allows all that it does, on every kind of texture.
#[test]
fn the_minimal_table_keeps_what_each_layout_allows() {
    let kinds = [
        (
            ResourceFlags::RENDER_TARGET | ResourceFlags::UNORDERED_ACCESS,
            Aspects::Color,
        ),
        (ResourceFlags::DEPTH_STENCIL, Aspects::DepthStencil),
        (ResourceFlags::DEPTH_STENCIL, Aspects::Depth),
        (
            ResourceFlags::SIMULTANEOUS_ACCESS | ResourceFlags::RENDER_TARGET,
            Aspects::Color,
        ),
    ];
    for layout in Layout::ALL {
        for (flags, aspects) in kinds {
            let image = Image {
                traits: texture(flags),
                aspects,
                presented: false,
            };
            let (to, _) = Table::Minimal.layout(layout, &image);
            let needed =
                compat::texture_accesses(layout, flags) & compat::resource_accesses(image.traits);
            let lost = needed - to.allows(aspects);
            assert!(lost.is_empty(), "{layout} as {to} loses {lost}");
        }
    }
    let shown = Image {
        traits: texture(ResourceFlags::RENDER_TARGET),
        aspects: Aspects::Color,
        presented: true,
    };
    assert_eq!(
        Table::Minimal.layout(Layout::Common, &shown).0,
        ImageLayout::PRESENT_SRC_KHR
    );
}

/// Every pair of a leaf and an access that D3D12 allows comes back, by itself and on either side.
#[test]
fn every_leaf_and_access_comes_back_from_the_minimal_table() {
    let features = Features {
        raytracing: true,
        stream_output: true,
        predication: true,
        shading_rate: true,
    };
    let mut tried = 0;
    for leaf in Leaf::ALL {
        let queue = [
            QueueType::Direct,
            QueueType::VideoDecode,
            QueueType::VideoProcess,
            QueueType::VideoEncode,
        ]
        .into_iter()
        .find(|queue| queue.leaves().has(leaf))
        .expect("every leaf has a queue");
        for access in compat::leaf_accesses(leaf).iter() {
            // Vulkan has no shader that writes an acceleration structure; in D3D12 only the tables have it.
            let shader = matches!(leaf, Leaf::ComputeShading | Leaf::Raytracing);
            if shader && access == A::RAYTRACING_ACCELERATION_STRUCTURE_WRITE {
                continue;
            }
            for side in [DependencySide::Source, DependencySide::Destination] {
                let sync = B::of_leaves(LeafSet::one(leaf));
                let ask = Ask {
                    side,
                    sync,
                    access,
                    queue,
                    resource: None,
                    features,
                };
                let there = Table::Minimal.side(&ask);
                let back = to_d3d12(
                    there.stages,
                    there.access,
                    None,
                    &Context::global(side, queue),
                );
                assert!(
                    back.sync.leaves().has(leaf),
                    "{sync} with {access} becomes {}",
                    back.sync
                );
                let kept = back.access == A::COMMON || back.access.contains(access);
                assert!(
                    kept,
                    "{access} at {sync} becomes {} at {}",
                    back.access, back.sync
                );
                tried += 1;
            }
        }
    }
    assert!(tried > 80, "{tried} pairs");
}

/// The table of vkd3d-proton as its source has it, for words that stand for others of their kind.
#[test]
fn vkd3d_proton_reads_as_its_source() {
    let side = |sync, access, resource| {
        Table::Vkd3dProton.side(&Ask {
            side: DependencySide::Source,
            sync,
            access,
            queue: QueueType::Direct,
            resource,
            features: Features::default(),
        })
    };
    let got = side(B::EXECUTE_INDIRECT, A::INDIRECT_ARGUMENT, None);
    assert_eq!(got.stages, S::DRAW_INDIRECT | S::COMPUTE_SHADER);
    assert_eq!(got.access, V::INDIRECT_COMMAND_READ | V::SHADER_READ);
    let got = side(B::VERTEX_SHADING, A::COMMON, None);
    let vertex = S::VERTEX_ATTRIBUTE_INPUT | S::PRE_RASTERIZATION_SHADERS;
    assert_eq!(
        got.stages,
        vertex | S::TRANSFORM_FEEDBACK_EXT | S::DRAW_INDIRECT
    );
    assert_eq!(got.access, V::MEMORY_READ | V::MEMORY_WRITE);
    assert_eq!(
        side(B::DRAW | B::ALL, A::RENDER_TARGET, None).stages,
        S::ALL_COMMANDS
    );
    assert_eq!(
        side(B::DEPTH_STENCIL, A::DEPTH_STENCIL_WRITE, None).access,
        V::DEPTH_STENCIL_ATTACHMENT_WRITE
    );
    // Sync bits too narrow for the access: every stage that can do it is added.
    let got = side(B::COPY, A::RENDER_TARGET, None);
    assert_eq!(got.stages, S::COPY | S::COLOR_ATTACHMENT_OUTPUT);
    // Image copies carry their own barriers; those of buffers do not.
    let image = texture(ResourceFlags::RENDER_TARGET);
    assert_eq!(side(B::COPY, A::COPY_DEST, Some(image)).access, V::NONE);
    let buffer = ResourceTraits {
        is_buffer: true,
        ..image
    };
    assert_eq!(
        side(B::COPY, A::COPY_DEST, Some(buffer)).access,
        V::TRANSFER_WRITE
    );
    let image = Image {
        traits: texture(ResourceFlags::DEPTH_STENCIL),
        aspects: Aspects::Depth,
        presented: false,
    };
    let common = Table::Vkd3dProton.layout(Layout::ShaderResource, &image).0;
    assert_eq!(common, ImageLayout::DEPTH_STENCIL_READ_ONLY_OPTIMAL);
}
