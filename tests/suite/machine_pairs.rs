//! Every way to write, followed by every way to read: what a read sees follows from only the profile's paths.
//!
//! The prediction below knows no simulator. It says where a write stays (the first write-back cache on its path, memory
//! otherwise), which caches it brings up to date on the way, and what the reader's nearest cache held before. The machine
//! must show exactly those stale reads, no fewer and no more; so a machine that sees nothing fails, and so does one that
//! sees too much.

use syncscope::api::{BarrierAccess, Leaf, LeafSet, QueueType};
use syncscope::finding::Source;
use syncscope::hardware::{Client, NEVER, Profile, WritePolicy};
use syncscope::id::{CacheId, NodeId};
use syncscope::lower::Lowering;
use syncscope::lower::PRECISE;
use syncscope::order::Timeline;
use syncscope::time::Ps;
use syncscope::trace::ObservationKind;
use syncscope::{catalog, scenario, sim};

/// A way to use a resource: the command's text around the resource's name, and its access and stage.
struct Way {
    text: &'static str,
    access: BarrierAccess,
    stage: &'static str,
    texture: bool,
}

const fn way(text: &'static str, access: BarrierAccess, stage: &'static str) -> Way {
    Way {
        text,
        access,
        stage,
        texture: false,
    }
}

const fn texture(text: &'static str, access: BarrierAccess, stage: &'static str) -> Way {
    Way {
        texture: true,
        ..way(text, access, stage)
    }
}

type A = BarrierAccess;

/// Each takes at least 100 us on 64 MiB: declared, or because of its vertices or bytes.
const WRITES: [Way; 9] = [
    way(
        "dispatch 1x1x1 takes 100us { UNORDERED_ACCESS $ writes }",
        A::UNORDERED_ACCESS,
        "COMPUTE_SHADING",
    ),
    way(
        "draw takes 100us { UNORDERED_ACCESS $ @ PIXEL_SHADING writes }",
        A::UNORDERED_ACCESS,
        "PIXEL_SHADING",
    ),
    way(
        "draw vertices 4000000000 pixels 3 { STREAM_OUTPUT $ }",
        A::STREAM_OUTPUT,
        "VERTEX_SHADING",
    ),
    way("copy other -> $", A::COPY_DEST, "COPY"),
    way(
        "clear-uav $",
        A::UNORDERED_ACCESS,
        "CLEAR_UNORDERED_ACCESS_VIEW",
    ),
    texture(
        "draw takes 100us { RENDER_TARGET $ }",
        A::RENDER_TARGET,
        "RENDER_TARGET",
    ),
    texture(
        "dispatch 1x1x1 takes 100us { UNORDERED_ACCESS $ writes }",
        A::UNORDERED_ACCESS,
        "COMPUTE_SHADING",
    ),
    texture("copy image -> $", A::COPY_DEST, "COPY"),
    texture("clear-rtv $", A::RENDER_TARGET, "RENDER_TARGET"),
];

const READS: [Way; 12] = [
    way(
        "dispatch 1x1x1 { SHADER_RESOURCE $ }",
        A::SHADER_RESOURCE,
        "COMPUTE_SHADING",
    ),
    way(
        "dispatch 1x1x1 { CONSTANT_BUFFER $ }",
        A::CONSTANT_BUFFER,
        "COMPUTE_SHADING",
    ),
    way(
        "dispatch 1x1x1 { UNORDERED_ACCESS $ reads }",
        A::UNORDERED_ACCESS,
        "COMPUTE_SHADING",
    ),
    way(
        "draw { SHADER_RESOURCE $ @ PIXEL_SHADING }",
        A::SHADER_RESOURCE,
        "PIXEL_SHADING",
    ),
    way(
        "draw { CONSTANT_BUFFER $ @ VERTEX_SHADING }",
        A::CONSTANT_BUFFER,
        "VERTEX_SHADING",
    ),
    way(
        "draw { VERTEX_BUFFER $ }",
        A::VERTEX_BUFFER,
        "VERTEX_SHADING",
    ),
    way(
        "draw-indexed { INDEX_BUFFER $ }",
        A::INDEX_BUFFER,
        "INDEX_INPUT",
    ),
    way(
        "execute-indirect draw { INDIRECT_ARGUMENT $ }",
        A::INDIRECT_ARGUMENT,
        "EXECUTE_INDIRECT",
    ),
    way("copy $ -> sink", A::COPY_SOURCE, "COPY"),
    texture(
        "dispatch 1x1x1 { SHADER_RESOURCE $ }",
        A::SHADER_RESOURCE,
        "COMPUTE_SHADING",
    ),
    texture(
        "draw { SHADER_RESOURCE $ @ PIXEL_SHADING }",
        A::SHADER_RESOURCE,
        "PIXEL_SHADING",
    ),
    texture("copy $ -> canvas", A::COPY_SOURCE, "COPY"),
];

impl Way {
    fn command(&self) -> String {
        self.text.replace('$', self.name())
    }

    /// The stage at which the command ends: it says which engine runs it.
    fn leaf(&self) -> Leaf {
        match self.text.split([' ', '-']).next() {
            Some("dispatch") => Leaf::ComputeShading,
            Some("copy") => Leaf::Copy,
            Some("clear") if self.text.starts_with("clear-uav") => Leaf::ClearUav,
            _ => Leaf::RenderTarget,
        }
    }

    fn name(&self) -> &'static str {
        if self.texture { "t" } else { "b" }
    }
}

/// Texels along a side of the scenes that are about caches.
const SMALL: u64 = 32;

/// The engine that runs a command on textures of such a side, or buffers as large. Where a profile tells moves by shaders
/// from moves by the copy engine, shaders move buffers from a size on.
fn engine(profile: &Profile, way: &Way, side: u64) -> Option<usize> {
    let (leaf, costs) = (way.leaf(), &profile.costs);
    let from = match leaf {
        Leaf::Copy => costs.kernel_copy_min,
        Leaf::ClearUav => costs.kernel_fill_min,
        other => return profile.engine_of(other),
    };
    if costs.kernel_copy_min == NEVER {
        profile.engine_of(leaf)
    } else if way.texture || side * side * 4 < from {
        profile.engine_of(Leaf::Copy)
    } else {
        profile.engine_of(Leaf::ComputeShading)
    }
}

/// Declarations. Nothing is compressed: this is about caches. Copies keep no promise beyond their barriers.
fn scene(side: u64, commands: &[String]) -> String {
    format!(
        "device {{ copies asynchronous }}
buffer b : {bytes} {{ flags UNORDERED_ACCESS }}
buffer other : {bytes}
buffer sink : {bytes}
texture t : R8G8B8A8_UNORM {side}x{side} {{ flags RENDER_TARGET|UNORDERED_ACCESS; uncompressed }}
texture image : R8G8B8A8_UNORM {side}x{side} {{ flags UNORDERED_ACCESS; uncompressed }}
texture canvas : R8G8B8A8_UNORM {side}x{side} {{ flags UNORDERED_ACCESS; uncompressed }}
queue q : direct
timeline {{ q execute {{
{}
}} }}",
        commands.join("\n"),
        bytes = side * side * 4,
    )
}

/// A barrier that orders everything and makes nothing visible.
const ORDER: &str = "barrier { global { sync ALL -> ALL; access NO_ACCESS -> NO_ACCESS } }";

/// What the commands' reads see wrong, by command.
fn observed(profile: &Profile, text: &str) -> Vec<(NodeId, ObservationKind)> {
    let (scenario, findings) = scenario::parse(&Source::new("pair.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let program = PRECISE.lower(&Timeline::new(&scenario), profile);
    let trace = sim::simulate(&program, profile, &sim::SimOptions::default());
    let observations = trace.observations.iter();
    observations.map(|o| (o.node, o.kind)).collect()
}

/// Where a write stays (`None`: memory), and the caches in which a reader finds it.
fn written(profile: &Profile, access: BarrierAccess) -> (Option<CacheId>, Vec<CacheId>) {
    let client = Client::of(access, QueueType::Direct);
    let path = profile.write_paths(client).next().expect("it can write");
    let mut fresh = Vec::new();
    for id in profile.path(path) {
        let cache = profile.cache(*id);
        // What lies in one instance of a private cache is not in the reader's.
        if !cache.private && cache.policy != WritePolicy::ReadOnly {
            fresh.push(*id);
        }
        if cache.policy == WritePolicy::WriteBack {
            return (Some(*id), fresh);
        }
    }
    (None, fresh)
}

/// The path that the machine's reads take at a stage.
fn read_path<'p>(profile: &'p Profile, read: &Way) -> &'p [CacheId] {
    let client = Client::of(read.access, QueueType::Direct);
    let stage = Leaf::ALL.iter().find(|leaf| leaf.name() == read.stage);
    let stage = LeafSet::from(*stage.expect("a stage"));
    profile.path(profile.texel_routes().read_path(client, stage))
}

/// The reader has read the old contents before: its nearest cache answers.
fn stale_when_warm(profile: &Profile, write: &Way, read: &Way) -> bool {
    let (stays, fresh) = written(profile, write.access);
    let engines = [write, read].map(|way| engine(profile, way, SMALL));
    let shades = |engine: Option<usize>| {
        let stages = [Leaf::PixelShading, Leaf::ComputeShading];
        engine.is_some_and(|e| stages.iter().any(|leaf| profile.engines[e].has(*leaf)))
    };
    // Going from one engine that runs shaders to another may drop caches.
    let switched = engines[0] != engines[1] && engines.iter().all(|e| shades(*e));
    let lasting = |id: &&CacheId| {
        let dropped = switched && profile.switch_drops.contains(id);
        !profile.cache(**id).refreshed && !dropped
    };
    match read_path(profile, read).iter().find(lasting) {
        Some(nearest) => !fresh.contains(nearest),
        None => stays.is_some(),
    }
}

/// The reader's caches are empty: it looks outwards until it meets the write, or memory.
fn stale_when_cold(profile: &Profile, write: &Way, read: &Way) -> bool {
    let (stays, fresh) = written(profile, write.access);
    let met = |id: CacheId| fresh.contains(&id) && read_path(profile, read).contains(&id);
    stays.is_some_and(|id| !met(id))
}

fn pairs() -> impl Iterator<Item = (&'static Way, &'static Way)> {
    static WAYS: ([Way; 9], [Way; 12]) = (WRITES, READS);
    let all = WAYS
        .0
        .iter()
        .flat_map(|w| WAYS.1.iter().map(move |r| (w, r)));
    all.filter(|(write, read)| write.texture == read.texture)
}

fn profiles() -> Vec<Profile> {
    let registry = catalog::registry();
    let names = registry.profiles.iter().map(|entry| entry.name);
    names
        .map(|name| registry.profile(name).expect("a sound profile"))
        .collect()
}

/// Ordered, and nothing made visible: stale exactly where the paths say so.
#[test]
fn what_is_ordered_and_not_visible_is_stale_where_the_paths_say_so() {
    let mut counts = [0; 4];
    for profile in profiles() {
        for (write, read) in pairs() {
            let cold = [write.command(), ORDER.into(), read.command()];
            let warm = [vec![read.command(), ORDER.into()], cold.to_vec()].concat();
            for (commands, stale) in [
                (cold.to_vec(), stale_when_cold(&profile, write, read)),
                (warm, stale_when_warm(&profile, write, read)),
            ] {
                let text = scene(SMALL, &commands);
                let last = NodeId(commands.len() as u32 - 1);
                let expected = if stale {
                    vec![(last, ObservationKind::Stale)]
                } else {
                    Vec::new()
                };
                let name = &profile.name;
                assert_eq!(observed(&profile, &text), expected, "{name}:\n{text}");
                counts[usize::from(stale) + 2 * usize::from(commands.len() > 3)] += 1;
            }
        }
    }
    // Both outcomes occur, with warm caches and with cold ones: the prediction is no constant.
    assert!(counts.iter().all(|count| *count > 0), "{counts:?}");
}

/// The same pairs after the barrier that names both sides are right, with warm caches and with cold ones.
#[test]
fn what_is_made_visible_is_never_stale() {
    for profile in profiles() {
        for (write, read) in pairs() {
            let name = write.name();
            let kind = if write.texture { "texture" } else { "buffer" };
            let layout = if write.texture {
                "; layout UNDEFINED -> UNDEFINED"
            } else {
                ""
            };
            let accesses =
                |a: BarrierAccess| a.iter_names().next().map_or("", |(n, _)| n).to_owned();
            let barrier = format!(
                "barrier {{ {kind} {name} {{ sync {} -> {}; access {} -> {}{layout} }} }}",
                write.stage,
                read.stage,
                accesses(write.access),
                accesses(read.access)
            );
            let cold = vec![write.command(), barrier, read.command()];
            let warm = [vec![read.command(), ORDER.into()], cold.clone()].concat();
            for commands in [cold, warm] {
                let text = scene(32, &commands);
                assert_eq!(observed(&profile, &text), [], "{}:\n{text}", profile.name);
            }
        }
    }
}

/// Not ordered: the write takes 100 us, and the read begins when the front end and the latencies before its stage have
/// passed. Where these are shorter, it cannot have waited.
#[test]
fn what_is_not_ordered_is_read_too_early() {
    for profile in profiles() {
        let costs = &profile.costs;
        let launches = [
            costs.launch_draw,
            costs.launch_dispatch,
            costs.launch_copy,
            costs.launch_other,
        ];
        let before_read = launches.iter().fold(Ps::ZERO, |sum, l| sum + *l)
            + costs.fetch
            + costs.fetch
            + Ps(costs.stage.0 * 5);
        let side: u64 = 4096;
        let moved = Ps::for_amount(side * side * 4, costs.copy_bytes.max(costs.dram_bytes))
            .min(Ps::for_amount(4_000_000_000, costs.vertices));
        assert!(
            before_read < Ps::from_ns(100_000).min(moved),
            "{}",
            profile.name
        );
        for (write, read) in pairs() {
            let text = scene(side, &[write.command(), read.command()]);
            // Engines of a queue never overlap: then the write has ended, and is found or not.
            let engines = [write, read].map(|way| engine(&profile, way, side));
            let switched = engines[0].is_some() && engines[1].is_some() && engines[0] != engines[1];
            // The copy engine moves one thing after the other.
            let copies = profile.engine_of(Leaf::Copy);
            let in_turn = copies.is_some() && engines == [copies; 2]
                || profile.in_order.has(Leaf::Copy)
                    && [write, read].iter().all(|way| way.leaf() == Leaf::Copy);
            let kind = match (switched || in_turn, stale_when_cold(&profile, write, read)) {
                (true, false) => None,
                (true, true) => Some(ObservationKind::Stale),
                (false, _) => Some(ObservationKind::Early),
            };
            let expected: Vec<_> = kind.map(|kind| (NodeId(1), kind)).into_iter().collect();
            assert_eq!(
                observed(&profile, &text),
                expected,
                "{}:\n{text}",
                profile.name
            );
        }
    }
}
