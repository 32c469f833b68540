//! The law of judging by pairs (reading R78): a lowering is wrong by pairs if and only if some adversarial run of its
//! packets shows a wrong read on the machine.
//!
//! Packets are those of `precise` with one random mistake. The adversary chooses how long each command takes, which of its
//! client's paths each access goes, and which lines leave caches by themselves. What the judge says rests on packets alone,
//! what the machine shows on moved lines alone.

use crate::machine_random::profiles;
use crate::sizes;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;
use syncscope::analyze::lowering::{Judged, Lack, NeededPairs};
use syncscope::api::{BarrierAccess, LeafSet};
use syncscope::ensure::What;
use syncscope::finding::Source;
use syncscope::graph;
use syncscope::hardware::{Client, Profile, Surface};
use syncscope::id::{NodeId, SubmissionId};
use syncscope::lower::{Lowering, PRECISE};
use syncscope::order::Timeline;
use syncscope::program::{
    AccessMode, BarrierOp, BarrierRole, Block, Encoding, HwOp, HwOpKind, Pool, Program, Slice,
    StepKind,
};
use syncscope::scenario;
use syncscope::sim::{self, Eviction};
use syncscope::time::Ps;
use syncscope::trace::{Observation, ObservationKind, Trace};

/// A way to use a resource: the command around the resource's name, its stage, access and layout.
struct Way {
    command: &'static str,
    sync: &'static str,
    access: &'static str,
    writes: bool,
}

const fn way(command: &'static str, sync: &'static str, access: &'static str, writes: bool) -> Way {
    Way {
        command,
        sync,
        access,
        writes,
    }
}

const BUFFERS: [Way; 9] = [
    way(
        "dispatch 1x1x1 { UNORDERED_ACCESS # writes }",
        "COMPUTE_SHADING",
        "UNORDERED_ACCESS",
        true,
    ),
    way(
        "draw { UNORDERED_ACCESS # writes @ PIXEL_SHADING }",
        "PIXEL_SHADING",
        "UNORDERED_ACCESS",
        true,
    ),
    way("copy source -> #", "COPY", "COPY_DEST", true),
    way("copy # -> sink", "COPY", "COPY_SOURCE", false),
    way(
        "dispatch 1x1x1 { SHADER_RESOURCE # }",
        "COMPUTE_SHADING",
        "SHADER_RESOURCE",
        false,
    ),
    way(
        "draw { SHADER_RESOURCE # @ PIXEL_SHADING }",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        false,
    ),
    way(
        "draw { VERTEX_BUFFER # }",
        "VERTEX_SHADING",
        "VERTEX_BUFFER",
        false,
    ),
    way(
        "draw { CONSTANT_BUFFER # @ VERTEX_SHADING }",
        "VERTEX_SHADING",
        "CONSTANT_BUFFER",
        false,
    ),
    way(
        "execute-indirect dispatch { INDIRECT_ARGUMENT # }",
        "EXECUTE_INDIRECT",
        "INDIRECT_ARGUMENT",
        false,
    ),
];

/// The access is the name of the layout too.
const TEXTURES: [Way; 6] = [
    way(
        "draw { RENDER_TARGET # }",
        "RENDER_TARGET",
        "RENDER_TARGET",
        true,
    ),
    way(
        "dispatch 1x1x1 { UNORDERED_ACCESS # writes }",
        "COMPUTE_SHADING",
        "UNORDERED_ACCESS",
        true,
    ),
    way("copy picture -> #", "COPY", "COPY_DEST", true),
    way(
        "draw { SHADER_RESOURCE # @ PIXEL_SHADING }",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        false,
    ),
    way(
        "dispatch 1x1x1 { SHADER_RESOURCE # }",
        "COMPUTE_SHADING",
        "SHADER_RESOURCE",
        false,
    ),
    way("copy # -> canvas", "COPY", "COPY_SOURCE", false),
];

const DEPTHS: [Way; 3] = [
    way(
        "draw { DEPTH_STENCIL_WRITE # }",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        true,
    ),
    way(
        "draw { DEPTH_STENCIL_READ # }",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_READ",
        false,
    ),
    way(
        "draw { SHADER_RESOURCE # @ PIXEL_SHADING }",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        false,
    ),
];

/// A program with right barriers: chains of uses of a few resources, a barrier between any two that differ. A later scope
/// reads everything.
fn scene(seed: u64) -> String {
    let mut rng = StdRng::seed_from_u64(seed);
    let kinds: Vec<(&str, &[Way], &str)> = vec![
        ("a", &BUFFERS, ""),
        ("b", &BUFFERS, ""),
        ("t", &TEXTURES, "COPY_SOURCE"),
        ("d", &DEPTHS, "SHADER_RESOURCE"),
    ];
    let mut text = String::from(
        "buffer source : 4KiB
buffer sink : 4KiB
texture picture : R8G8B8A8_UNORM 64x64 { initial COPY_SOURCE }
texture canvas : R8G8B8A8_UNORM 64x64 { initial COPY_DEST }
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; initial COPY_SOURCE }
texture d : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial SHADER_RESOURCE }
queue q : direct
list work : direct {
",
    );
    let mut last: Vec<Option<&Way>> = vec![None; kinds.len()];
    let used: Vec<usize> = (0..kinds.len())
        .filter(|_| rng.random_range(0..2) == 0)
        .collect();
    let used = if used.is_empty() {
        vec![seed as usize % 4]
    } else {
        used
    };
    for _ in 0..rng.random_range(0..6) + 3 {
        let at = used[rng.random_range(0..used.len())];
        let (name, ways, initial) = kinds[at];
        let next = &ways[rng.random_range(0..ways.len())];
        let (sync, access) = last[at].map_or(("NONE", "NO_ACCESS"), |it| (it.sync, it.access));
        let from = last[at].map_or(initial, |it| it.access);
        let is_same = last[at].is_some_and(|it| std::ptr::eq(it, next)) && !next.writes;
        if initial.is_empty() {
            if last[at].is_some() && !is_same {
                let _ = writeln!(
                    text,
                    "  barrier {{ buffer {name} {{ sync {sync} -> {}; access {access} -> {} }} }}",
                    next.sync, next.access
                );
            }
        } else if !is_same && (last[at].is_some() || from != next.access) {
            let _ = writeln!(
                text,
                "  barrier {{ texture {name} {{ sync {sync} -> {}; access {access} -> {}; layout {from} -> {} }} }}",
                next.sync, next.access, next.access
            );
        }
        let _ = writeln!(text, "  {}", next.command.replace('#', name));
        last[at] = Some(next);
    }
    text.push_str("}\nlist after : direct {\n");
    for (at, (name, _, initial)) in kinds.iter().enumerate() {
        let from = last[at].map_or(*initial, |it| it.access);
        if initial.is_empty() {
            let _ = writeln!(text, "  copy {name} -> sink");
            continue;
        }
        let (to, read) = if *name == "d" {
            (
                "SHADER_RESOURCE",
                "draw { SHADER_RESOURCE d @ PIXEL_SHADING }",
            )
        } else {
            ("COPY_SOURCE", "copy t -> canvas")
        };
        let stage = if *name == "d" {
            "PIXEL_SHADING"
        } else {
            "COPY"
        };
        if from != to {
            let _ = writeln!(
                text,
                "  barrier {{ texture {name} {{ sync NONE -> {stage}; access NO_ACCESS -> {to}; layout {from} -> {to} }} }}"
            );
        }
        let _ = writeln!(text, "  {read}");
        let _ = writeln!(
            text,
            "  barrier {{ global {{ sync COPY -> COPY; access COPY_DEST -> COPY_DEST }} }}"
        );
    }
    text.push_str("}\ntimeline { q execute work; q execute after }\n");
    text
}

/// Packets of entries with something to lose.
fn packets(program: &Program) -> Vec<(usize, usize)> {
    let blocks = program.blocks.iter().enumerate();
    let ops = blocks.flat_map(|(block, it)| {
        let ops = it.ops.iter().enumerate();
        ops.filter(|(_, op)| op.origin.entry.is_some() && is_whole(it, op))
            .map(move |(at, _)| (block, at))
    });
    ops.collect()
}

/// Whether a packet is all the lowering's: what a pass loads and stores is not.
fn is_whole(block: &Block, op: &HwOp) -> bool {
    let HwOpKind::Barrier(barrier) = &op.kind else {
        return false;
    };
    let mut steps = barrier.steps.of(&block.steps).iter();
    !steps.any(|step| {
        matches!(
            step.kind,
            StepKind::TileStore { .. } | StepKind::TileLoad { .. }
        )
    })
}

/// Makes one random mistake in a packet, and says which.
fn mistake(program: &mut Program, rng: &mut StdRng) -> Option<String> {
    let all = packets(program);
    if all.is_empty() {
        return None;
    }
    let (block, at) = all[rng.random_range(0..all.len())];
    let block = &mut program.blocks[SubmissionId::new(block)];
    let id = block.ops[at].id;
    let HwOpKind::Barrier(barrier) = &mut block.ops[at].kind else {
        return None;
    };
    let steps = barrier.steps.of(&block.steps).to_vec();
    let says = match rng.random_range(0..5) {
        0 => {
            barrier.wait = LeafSet::EMPTY;
            "no wait".to_owned()
        }
        1 => {
            barrier.hold = LeafSet::EMPTY;
            "no hold".to_owned()
        }
        2 => {
            barrier.wait = LeafSet::EMPTY;
            barrier.hold = LeafSet::EMPTY;
            barrier.steps = Slice::EMPTY;
            "nothing".to_owned()
        }
        kind => {
            if steps.is_empty() {
                return None;
            }
            let gone = rng.random_range(0..steps.len());
            let mut kept = steps.clone();
            let step = kept.remove(gone);
            if kind == 4 {
                // At the wrong time.
                kept.insert(if gone == 0 { kept.len() } else { 0 }, step);
            }
            barrier.steps = Slice::push(&mut block.steps, kept);
            let does = if kind == 4 { "misplaced" } else { "without" };
            format!("{does} {:?}", step.kind)
        }
    };
    Some(format!("{id:?}: {says}"))
}

/// The program as an adversary has it: how long each command takes, and which path each access goes.
fn adversary(
    program: &Program,
    profile: &Profile,
    choose: &mut dyn FnMut(NodeId) -> Ps,
    rng: Option<&mut StdRng>,
) -> Program {
    let program_resources = &program.resources;
    let mut program = program.clone();
    let mut rng = rng;
    for block in &mut program.blocks {
        for op in &mut block.ops {
            op.launch = Ps::ZERO;
            op.tail = Ps::ZERO;
            let HwOpKind::Work(work) = &mut op.kind else {
                continue;
            };
            let cost = choose(op.origin.node);
            let tasks: Vec<_> = work.tasks.of(&block.tasks).to_vec();
            let tasks = tasks.into_iter().map(|mut task| {
                if task.passes {
                    return task;
                }
                task.cost = cost;
                task.latency = Ps::ZERO;
                task.pool = Pool::Fixed;
                task.has_groups = false;
                task.streams = false;
                task
            });
            work.tasks = Slice::push(&mut block.tasks, tasks);
            work.groups = Slice::EMPTY;
            let Some(rng) = rng.as_deref_mut() else {
                continue;
            };
            let accesses: Vec<_> = work.accesses.of(&block.accesses).to_vec();
            let queue = syncscope::api::QueueType::Direct;
            let accesses = accesses.into_iter().map(|mut access| {
                // A copy goes one way, and so does what is written.
                let engines = BarrierAccess::COPY_SOURCE | BarrierAccess::RESOLVE_SOURCE;
                let is_fixed = access.mode == AccessMode::Write
                    || access.access.is_empty()
                    || access.access.intersects(engines);
                if is_fixed || access.metadata.is_some() {
                    return access;
                }
                // Every texture of these scenes has one sample and one mip.
                let is_buffer = program_resources[access.resource].is_buffer;
                let plain = Surface {
                    samples: 1,
                    ..Surface::default()
                };
                let variant = (!is_buffer).then(|| profile.variant(plain));
                let routes = profile.texel_routes_of(variant.unwrap_or_default());
                let paths = routes.read_paths(Client::of(access.access, queue));
                if paths.first() == Some(&access.path) {
                    access.path = paths[rng.random_range(0..paths.len())];
                }
                access
            });
            work.accesses = Slice::push(&mut block.accesses, accesses);
        }
    }
    program
}

/// The same where each scope begins with a read of everything that it reads later, through the same caches, so that these
/// hold old lines.
fn warm(program: &Program) -> Program {
    let mut program = program.clone();
    let mut shift = 0;
    for block in &mut program.blocks {
        block.first_op.0 += shift;
        for op in &mut block.ops {
            op.id.0 += shift;
        }
        for after in &mut block.after {
            after.0 += shift;
        }
        let readers = block.ops.iter().enumerate().filter_map(|(at, op)| {
            let HwOpKind::Work(work) = &op.kind else {
                return None;
            };
            let reads = work.accesses.of(&block.accesses).iter();
            let reads: Vec<_> = reads
                .filter(|access| access.mode == AccessMode::Read && !access.of_root)
                .copied()
                .collect();
            (!reads.is_empty()).then_some((at, reads))
        });
        let readers: Vec<_> = readers.collect();
        if readers.is_empty() || block.queue.is_none() {
            continue;
        }
        let begin = &block.ops[0];
        let origin = begin.origin;
        let first = begin.id.0 + 1;
        let mut early = Vec::new();
        for (at, reads) in &readers {
            let mut op = block.ops[*at];
            let HwOpKind::Work(work) = &mut op.kind else {
                continue;
            };
            work.accesses = Slice::push(&mut block.accesses, reads.iter().copied());
            op.origin = origin;
            op.id.0 = first + early.len() as u32;
            early.push(op);
        }
        let mut wait = block.ops[0];
        wait.origin = origin;
        wait.id.0 = first + early.len() as u32;
        wait.kind = HwOpKind::Barrier(BarrierOp {
            role: BarrierRole::Whole,
            wait: LeafSet::ALL,
            after: Slice::EMPTY,
            after_all: true,
            steps: Slice::EMPTY,
            hold: LeafSet::ALL,
            holds_fetches: true,
        });
        early.push(wait);
        let added = early.len() as u32;
        let old = block.ops[0].id;
        for op in &mut block.ops[1..] {
            op.id.0 += added;
        }
        for after in &mut block.after {
            if *after > old {
                after.0 += added;
            }
        }
        block.ops.splice(1..1, early);
        shift += added;
    }
    program.ops += shift;
    program
}

/// The same where every write that can be a clear value is one.
fn cleared(program: &Program) -> Program {
    let mut program = program.clone();
    for block in &mut program.blocks {
        for access in &mut block.accesses {
            let is_target = access
                .access
                .intersects(BarrierAccess::RENDER_TARGET | BarrierAccess::DEPTH_STENCIL_WRITE);
            let takes_clears = access.encoding == Encoding::FastCleared;
            access.clears |= is_target && access.mode == AccessMode::Write && takes_clears;
        }
    }
    program
}

/// The second of two uses that need order, if it ends before the first has ended.
fn overtaken(lack: &Lack, trace: &Trace) -> Option<NodeId> {
    let is_order = matches!(
        lack.shortfall.what,
        What::Wait(_) | What::Hold(_) | What::FirstHalf
    );
    let end = |side: &graph::Side| match side.barrier() {
        Some(barrier) => {
            let mut barriers = trace.barriers.iter();
            barriers
                .find(|it| it.barrier == barrier)
                .map(|it| it.completed)
        }
        None => Some(trace.commands[side.node].end),
    };
    let (first, second) = (end(&lack.uses.0)?, end(&lack.uses.1)?);
    (is_order && second < first).then_some(lack.uses.1.node)
}

/// What goes wrong in some adversarial run: a read, or an order.
fn shown(
    program: &Program,
    profile: &Profile,
    judged: &Judged,
    rng: &mut StdRng,
    runs: u64,
) -> Option<String> {
    let brief = Ps(1_000);
    let long = Ps(1_000_000_000);
    let mut tried: Vec<Program> = Vec::new();
    for lack in &judged.missing {
        for slow in [lack.uses.0.node, lack.uses.1.node] {
            tried.push(adversary(
                program,
                profile,
                &mut |node| if node == slow { long } else { brief },
                None,
            ));
            tried.push(adversary(
                program,
                profile,
                &mut |node| if node == slow { long } else { brief },
                Some(rng),
            ));
            tried.push(adversary(
                program,
                profile,
                &mut |node| if node <= slow { long } else { brief },
                None,
            ));
        }
    }
    for run in 0..runs {
        let mut own = StdRng::seed_from_u64(rng.random());
        let durations = [Ps(1_000), Ps(1_000_000), Ps(1_000_000_000)];
        let mut choose = |_| durations[own.random_range(0..3_usize)];
        let paths = (run % 2 == 1).then_some(&mut *rng);
        tried.push(adversary(program, profile, &mut choose, paths));
    }
    let warmed: Vec<Program> = tried.iter().map(warm).collect();
    tried.extend(warmed);
    let clears: Vec<Program> = tried.iter().map(cleared).collect();
    tried.extend(clears);
    let mut slow = profile.clone();
    for cache in &mut slow.caches {
        (cache.clean, cache.invalidate) = (long, long);
    }
    slow.costs.layout_launch = long;
    for (at, program) in tried.iter().enumerate() {
        let evictions = [
            Eviction::Never,
            Eviction::Eager,
            Eviction::Prefetch,
            Eviction::Random(at as u64),
        ];
        for (machine, eviction) in [profile, &slow]
            .into_iter()
            .flat_map(|m| evictions.map(|e| (m, e)))
        {
            let options = sim::SimOptions {
                eviction,
                ..sim::SimOptions::default()
            };
            let trace = sim::simulate(program, machine, &options);
            if let Some(second) = judged
                .missing
                .iter()
                .find_map(|lack| overtaken(lack, &trace))
            {
                return Some(format!("{second:?} overtakes"));
            }
            let mut reads = trace.observations.into_iter();
            let starts: Vec<NodeId> = program
                .blocks
                .iter()
                .filter_map(|b| b.ops.first().map(|op| op.origin.node))
                .collect();
            let is_early = |read: &Observation| starts.contains(&read.node);
            let wrong =
                reads.find(|read| read.kind != ObservationKind::Undefined && !is_early(read));
            if let Some(wrong) = wrong {
                return Some(format!("{wrong:?}"));
            }
        }
    }
    None
}

/// What came of the mistakes on a machine.
#[derive(Default)]
struct Counts {
    right: u64,
    /// Right although some packet does less than its masks ask.
    less: u64,
    wrong: u64,
    shown: u64,
}

/// What is called right never goes wrong, whatever the adversary does. What is called wrong goes wrong in some run of this
/// adversary, as a rule: it does not choose how metadata begins, and a lost write is seen only if somebody reads there.
#[test]
fn wrong_by_pairs_is_what_an_adversarial_run_shows() {
    let profiles = profiles();
    let seeds: Vec<u64> = sizes::PAIRS.seeds().collect();
    let counts: Mutex<BTreeMap<String, Counts>> = Mutex::default();
    seeds.par_iter().for_each(|seed| {
        let text = scene(*seed);
        let (scenario, findings) = scenario::parse(&Source::new("random.scn", &text));
        assert!(findings.is_empty(), "{findings:?}\n{text}");
        let timeline = Timeline::new(&scenario);
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        let wrong = evaluation.conflicts.iter().find(|c| c.kind.is_hazard());
        assert_eq!(wrong, None, "the barriers are right:\n{text}");
        let needed = NeededPairs::new(&timeline);
        let profile = &profiles[(seed % profiles.len() as u64) as usize];
        let mut rng = StdRng::seed_from_u64(*seed ^ 0x9e37);
        let program = PRECISE.lower(&timeline, profile);
        for _ in 0..6 {
            let mut edited = program.clone();
            let Some(says) = mistake(&mut edited, &mut rng) else {
                continue;
            };
            let judged = needed.check(profile, &edited);
            let is_wrong = !judged.missing.is_empty();
            let shown = shown(&edited, profile, &judged, &mut rng, 4);
            assert!(
                is_wrong || shown.is_none(),
                "seed {seed}, {}, {says} is called right and shows {shown:?}\n{text}",
                profile.name
            );
            let mut counts = counts.lock().expect("nobody panics with it");
            let counts = counts.entry(profile.name.clone()).or_default();
            counts.right += u64::from(!is_wrong);
            counts.less += u64::from(!is_wrong && !judged.less.is_empty());
            counts.wrong += u64::from(is_wrong);
            counts.shown += u64::from(is_wrong && shown.is_some());
        }
    });
    let counts = counts.into_inner().expect("nobody panics with it");
    let sum = |of: fn(&Counts) -> u64| counts.values().map(of).sum::<u64>();
    let (right, less, wrong, shown) = (
        sum(|it| it.right),
        sum(|it| it.less),
        sum(|it| it.wrong),
        sum(|it| it.shown),
    );
    assert!(less > 0 && right > less, "{less} of {right}");
    assert!(3 * shown >= 2 * wrong, "{shown} of {wrong} are shown");
}
