//! The machine: hand-computed times, reads that go wrong and reads that do not, and laws.

use syncscope::api::LeafSet;
use syncscope::finding::Source;
use syncscope::hardware::{Granularity, Profile};
use syncscope::id::{BarrierRef, NodeId, OpId};
use syncscope::lower::{FULL_FLUSH, Lowering, PRECISE};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, Program, Slice, StepKind};
use syncscope::scenario::{self, Scenario};
use syncscope::time::Ps;
use syncscope::trace::{ObservationKind, Reason, Trace};
use syncscope::{ensure, sim};

fn rdna() -> Profile {
    Profile::parse(include_str!("../../src/hardware/profiles/rdna.toml"))
        .expect("the profile is sound")
}

/// A machine whose layouts need work.
fn vega() -> Profile {
    Profile::parse(include_str!("../../src/hardware/profiles/vega.toml"))
        .expect("the profile is sound")
}

fn parse(text: &str) -> Scenario {
    let source = Source::new("test.scn", text);
    let (scenario, findings) = scenario::parse(&source);
    assert!(findings.is_empty(), "{findings:#?}\n{text}");
    scenario
}

fn lower(scenario: &Scenario, lowering: &dyn Lowering) -> Program {
    lowering.lower(&Timeline::new(scenario), &rdna())
}

fn run(text: &str) -> Trace {
    run_with(text, &PRECISE, &rdna())
}

fn run_with(text: &str, lowering: &dyn Lowering, profile: &Profile) -> Trace {
    let scenario = parse(text);
    let program = lowering.lower(&Timeline::new(&scenario), profile);
    sim::simulate(&program, profile, &sim::SimOptions::default())
}

fn ns(ns: u64) -> Ps {
    Ps::from_ns(ns)
}

/// What was wrong with reads, in order.
fn kinds(trace: &Trace) -> Vec<(u32, ObservationKind)> {
    trace
        .observations
        .iter()
        .map(|o| (o.node.0, o.kind))
        .collect()
}

/// Asserts that neither lowering lets a read go wrong.
fn quiet(text: &str) {
    for lowering in [&PRECISE as &dyn Lowering, &FULL_FLUSH] {
        let trace = run_with(text, lowering, &rdna());
        assert_eq!(
            kinds(&trace),
            [],
            "{}: {:#?}\n{text}",
            lowering.name(),
            trace.observations
        );
        assert_eq!(trace.stuck, [], "{text}");
    }
}

// Times of the profile that occur in the computations below, in nanoseconds.
/// `submit.scope_ns`: an `ExecuteCommandLists` call reaches the queue.
const SUBMIT: u64 = 3000;
/// `launch.dispatch_ns`.
const LAUNCH: u64 = 100;
/// `fixed.drain_shader_ns`.
const DRAIN: u64 = 300;
/// `fixed.eop_wait_ns`.
const EOP: u64 = 1000;
/// `*.invalidate_ns` of the caches before L2.
const INVALIDATE: u64 = 200;
/// `latency.resume_ns`.
const RESUME: u64 = 100;
/// A scope of shader work begins: its first packet is held until L0, GL1 and K have been invalidated (together), and
/// starts again.
const BEGIN: u64 = SUBMIT + INVALIDATE + RESUME;

const TWO_DISPATCHES: &str = "
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : compute
";

/// One dispatch of 10 us. The scope begins at 3.0 us and its caches are fresh at 3.2 us; the front end has launched the
/// dispatch at 3.1 us, so it is held, and starts at 3.3 us. At the end of the scope: wait for the compute shaders.
#[test]
fn one_dispatch_by_hand() {
    let trace = run(&format!(
        "{TWO_DISPATCHES} timeline {{ q execute {{ dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a }} }} }}"
    ));
    let timing = trace.command(NodeId(0));
    assert_eq!(timing.start, ns(BEGIN));
    assert_eq!(timing.end, ns(BEGIN + 10_000));
    // The end of the scope waits for every leaf that a compute queue has: the dearest is the front end's or the shaders'
    // wait, both 0.3 us. Nothing is dirty before L2 on this path.
    assert_eq!(trace.makespan, ns(BEGIN + 10_000 + DRAIN));
}

/// Two full dispatches of 10 us without a barrier share the shader cores: both run at half speed. The first starts at
/// 3.3 us with the caches fresh, the second was launched 0.1 us later and held as well. Together 20 us of work.
#[test]
fn two_dispatches_share_by_hand() {
    let trace = run(&format!(
        "{TWO_DISPATCHES} timeline {{ q execute {{
            dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a }}
            dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS b }}
        }} }}"
    ));
    // Issued at 3.1 and 3.2 us; the first is released at 3.2 us and starts at 3.3 us. The second does not overtake it.
    let (first, second) = (trace.command(NodeId(0)), trace.command(NodeId(1)));
    assert_eq!((first.start, second.start), (ns(BEGIN), ns(BEGIN)));
    assert_eq!(
        (first.end, second.end),
        (ns(BEGIN + 20_000), ns(BEGIN + 20_000))
    );
}

/// The same with a barrier: drain, wait, invalidate, then the second dispatch.
#[test]
fn a_barrier_by_hand() {
    let trace = run(&format!(
        "{TWO_DISPATCHES} timeline {{ q execute {{
            dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a }}
            barrier {{ buffer a {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
            dispatch 1x1x1 takes 5us {{ SHADER_RESOURCE a; UNORDERED_ACCESS b }}
        }} }}"
    ));
    let barrier = trace.barriers[0];
    let end = BEGIN + 10_000;
    assert_eq!(
        barrier.barrier,
        BarrierRef {
            node: NodeId(1),
            entry: 0
        }
    );
    // The front end comes to it when it has launched the dispatch, at 3.1 us; but the scope begins until 3.3 us, and that
    // is the cost of the scope's start. What the barrier waits for is the dispatch: 10 us.
    assert_eq!(barrier.arrival, ns(BEGIN));
    assert_eq!(barrier.drained, ns(end));
    assert_eq!(barrier.drain, ns(10_000));
    // A wait for shaders, then L0, GL1 and K together; a UAV write is in L2 already.
    assert_eq!(barrier.operation, ns(DRAIN + INVALIDATE));
    assert_eq!(barrier.completed, ns(end + DRAIN + INVALIDATE));
    let start = end + DRAIN + INVALIDATE + RESUME;
    assert_eq!(barrier.first_held_start, Some(ns(start)));
    assert_eq!(trace.command(NodeId(2)).start, ns(start));
    // The first dispatch read `a` through L0 and GL1 (a UAV reads too), and the barrier dropped those 64 KiB: the second
    // fetches them again. One fill latency of 66 ns and 65536 bytes at 4000 bytes a ns: 16.384 ns, rounded to ps.
    let misses = Ps(66_000 + 16_384);
    assert_eq!(barrier.refill, ns(RESUME) + misses);
    assert_eq!(trace.command(NodeId(2)).end, ns(start + 5_000) + misses);
    // Nothing ran from the end of the first dispatch to the start of the second. (Nor before the first; but that is what
    // the scope's begin costs.)
    assert_eq!(barrier.exposed, ns(start - end));
    assert_eq!(trace.exposed, barrier.exposed);
}

/// A draw of declared 10 us: vertices for one latency (0.2 us), pixels from 0.4 us on, colour output until 10 us.
#[test]
fn a_draw_by_hand() {
    let text = "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline { q execute { draw takes 10us { RENDER_TARGET t } } }";
    let trace = run(text);
    let timing = trace.command(NodeId(0));
    // The only cache that the scope's work reads through is CB: the same 0.2 us as the shaders'.
    assert_eq!((timing.start, timing.end), (ns(BEGIN), ns(BEGIN + 10_000)));
    // The scope ends with an end-of-pipe wait and 64 · 64 · 4 bytes at 1000 bytes a ns from CB to L2, whose fixed part is
    // 0.2 us: 16.384 ns.
    assert_eq!(trace.makespan, ns(BEGIN + 10_000 + EOP + 200) + Ps(16_384));
    let spans: Vec<_> = trace
        .spans(OpId(1))
        .map(|(start, span)| (start, span.end, span.reason))
        .collect();
    assert_eq!(
        spans[0],
        (ns(SUBMIT), ns(SUBMIT + LAUNCH), Reason::FrontEnd)
    );
    assert_eq!(
        spans[1],
        (ns(SUBMIT + LAUNCH), ns(BEGIN), Reason::WaitBarrier(OpId(0)))
    );
}

/// A fence: the second queue's wait is over when the first has signalled, and its scope begins then.
#[test]
fn a_fence_by_hand() {
    let text = "
buffer a : 64KiB { flags UNORDERED_ACCESS }
fence f
queue p : compute
queue q : compute
timeline {
  p execute { dispatch 1x1x1 takes 10us { UNORDERED_ACCESS a } }
  p signal f 1
  q wait f 1
  q execute { dispatch 1x1x1 takes 5us { SHADER_RESOURCE a } }
}";
    let trace = run(text);
    // `p`: the scope ends at BEGIN + 10 us + DRAIN; the signal takes 0.5 us. `q`: going on takes 5 us.
    let signalled = BEGIN + 10_000 + DRAIN + 500;
    assert_eq!(trace.command(NodeId(1)).end, ns(signalled));
    assert_eq!(trace.command(NodeId(2)).end, ns(signalled + 5_000));
    assert_eq!(
        trace.command(NodeId(3)).start,
        ns(signalled + 5_000 + BEGIN)
    );
    quiet(text);
}

/// Five barriers that touch nothing in common and wait for nothing do not wait for each other, and hold nothing.
#[test]
fn unrelated_barriers_by_hand() {
    let text = format!(
        "{TWO_DISPATCHES} timeline {{ q execute {{
            dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a }}
            barrier {{ buffer b {{ sync COPY -> COPY; access COPY_SOURCE -> COPY_DEST }} }}
            dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS b }}
        }} }}"
    );
    let trace = run(&text);
    // It follows the start of its scope, as every barrier does, and then only waits for copies (0.3 us); the dispatches
    // overlap as if it were not there. There are no copies: nothing to drain.
    assert_eq!(trace.barriers[0].arrival, ns(SUBMIT + INVALIDATE));
    assert_eq!(trace.barriers[0].drained, ns(SUBMIT + INVALIDATE));
    assert_eq!(trace.barriers[0].drain, Ps::ZERO);
    assert_eq!(trace.barriers[0].operation, ns(DRAIN));
    assert_eq!(trace.barriers[0].first_held_start, None);
    assert!(trace.command(NodeId(2)).start < trace.command(NodeId(0)).end);
}

const TARGET: &str = "
texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET|UNORDERED_ACCESS; initial RENDER_TARGET }
texture s : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : direct
";

fn target(commands: &str) -> String {
    format!("{TARGET} timeline {{ q execute {{ {commands} }} }}")
}

/// The write waits in CB; the barrier orders but does not name it, so nothing cleans CB and L2 answers.
#[test]
fn a_missing_access_leaves_a_stale_read() {
    let text = target(
        "draw { RENDER_TARGET t }
         barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout UNDEFINED -> UNDEFINED } }
         draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET s }",
    );
    let trace = run(&text);
    assert_eq!(kinds(&trace), [(2, ObservationKind::Stale)]);
    let observation = trace.observations[0];
    assert_eq!(
        (observation.saw, observation.expected),
        (None, Some(NodeId(0)))
    );
    assert_eq!(observation.bytes, 256 * 256 * 4);
    // Flushing everything delivers the bytes. The target was never cleared, so no block is only a clear value, and a shader
    // decodes the rest.
    assert_eq!(kinds(&run_with(&text, &FULL_FLUSH, &rdna())), []);
    // After a fast clear some blocks are, and nothing asked for them in a form that a shader of vega decodes.
    let cleared = text.replacen("draw {", "clear-rtv t\n draw {", 1);
    assert_eq!(
        kinds(&run_with(&cleared, &FULL_FLUSH, &vega())),
        [(3, ObservationKind::Undecoded)]
    );
}

#[test]
fn the_right_barrier_lets_the_read_see_the_write() {
    quiet(&target(
        "draw { RENDER_TARGET t }
         barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
         draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET s }",
    ));
}

#[test]
fn without_a_barrier_the_read_is_early() {
    let trace = run(&target(
        "dispatch 64x1x1 { UNORDERED_ACCESS a writes }\n dispatch 1x1x1 { SHADER_RESOURCE a }",
    ));
    assert_eq!(kinds(&trace), [(1, ObservationKind::Early)]);
}

/// A compressed texture that nobody has decompressed, read by a client that ignores metadata.
#[test]
fn a_missing_layout_operation_leaves_compressed_bytes() {
    let text = target(
        "clear-rtv t
         barrier { texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE; layout UNDEFINED -> UNDEFINED } }
         barrier { texture t { sync COPY -> COPY; access COPY_SOURCE -> COPY_SOURCE; layout COPY_SOURCE -> COPY_SOURCE } }
         copy t -> s",
    );
    let trace = run_with(&text, &PRECISE, &vega());
    assert_eq!(kinds(&trace), [(3, ObservationKind::Undecoded)]);
}

#[test]
fn an_old_line_in_l0_is_stale_until_it_is_invalidated() {
    // The first dispatch fetches `a` into L0. The second writes it; the barrier that should make the third see that names
    // another access.
    let scene = |access: &str| {
        target(&format!(
            "dispatch 1x1x1 {{ SHADER_RESOURCE a; UNORDERED_ACCESS b writes }}
             barrier {{ buffer a {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS }} }}
             dispatch 1x1x1 {{ UNORDERED_ACCESS a writes }}
             barrier {{ buffer a {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> {access} }} }}
             dispatch 1x1x1 {{ SHADER_RESOURCE a; UNORDERED_ACCESS b writes }}"
        ))
    };
    let trace = run(&scene("COPY_DEST"));
    assert_eq!(kinds(&trace), [(4, ObservationKind::Stale)]);
    assert!(trace.observations[0].from.is_some(), "a cache answered");
    quiet(&scene("SHADER_RESOURCE"));
}

/// Write after read: the pixel work of the second draw is held until the long vertex work is over, the dispatch after it
/// is not, on a machine whose front end goes on; so the draw reads what the later dispatch has written.
#[test]
fn a_later_write_that_overtakes_is_seen_too_early() {
    let mut profile = rdna();
    profile.granularity = Granularity::Stage;
    let scene = target(
        "draw vertices 40000000 pixels 3 { RENDER_TARGET s; CONSTANT_BUFFER b @ PIXEL_SHADING }
         barrier { buffer b { sync VERTEX_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> CONSTANT_BUFFER } }
         draw { RENDER_TARGET t; CONSTANT_BUFFER a @ PIXEL_SHADING }
         dispatch 1x1x1 { UNORDERED_ACCESS a writes }",
    );
    let trace = run_with(&scene, &PRECISE, &profile);
    assert_eq!(kinds(&trace), [(2, ObservationKind::Early)]);
    assert_eq!(trace.observations[0].saw, Some(NodeId(3)));
    // Where the front end waits, both start after the barrier, and the write lands in the read.
    let trace = run(&scene);
    assert_eq!(kinds(&trace), [(2, ObservationKind::Late)]);
}

#[test]
fn queues_race_without_a_fence() {
    let text = |wait: &str| {
        format!(
            "buffer a : 64KiB {{ flags UNORDERED_ACCESS }}
fence f
queue p : compute
queue q : compute
timeline {{
  p execute {{ dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a writes }} }}
  p signal f 1
  {wait}
  q execute {{ dispatch 1x1x1 takes 10us {{ SHADER_RESOURCE a }} }}
}}"
        )
    };
    assert_eq!(kinds(&run(&text(""))), [(2, ObservationKind::Early)]);
    quiet(&text("q wait f 1"));
}

#[test]
fn a_wait_that_nothing_satisfies_ends_the_simulation() {
    let trace = run("buffer a : 64KiB { flags UNORDERED_ACCESS }
fence f
queue q : compute
timeline {
  q wait f 1
  q execute { dispatch 1x1x1 { UNORDERED_ACCESS a } }
}");
    assert_eq!(trace.stuck.len(), 1);
    assert_eq!(
        (
            trace.stuck[0].node,
            trace.stuck[0].value,
            trace.stuck[0].reached
        ),
        (NodeId(0), 1, 0)
    );
    assert!(!trace.command(NodeId(1)).ran());
}

#[test]
fn the_cpu_sees_what_a_scope_has_flushed() {
    quiet(
        "buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer r : 64KiB { type readback }
buffer u : 64KiB { type upload }
fence f
queue q : direct
timeline {
  cpu write u
  q execute { copy u -> a }
  q execute { copy a -> r }
  q signal f 1
  cpu wait f 1
  cpu read r
  cpu write u
  q execute { copy u -> a
    copy a -> r }
  q signal f 2
  cpu wait f 2
  cpu read r
}",
    );
}

#[test]
fn a_split_pair_acts_once() {
    quiet(&target(
        "draw { RENDER_TARGET t }
         barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
         dispatch 64x1x1 { UNORDERED_ACCESS a }
         barrier { texture t { sync SPLIT -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
         draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET s }",
    ));
}

/// Every scenario of the tour runs; spans tile; the union of exposed times is within the makespan; twice the same.
#[test]
fn the_tour_runs_and_is_deterministic() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scenarios/tour");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the tour")
        .map(|e| e.expect("a file").path())
        .collect();
    paths.sort();
    for path in paths
        .iter()
        .filter(|p| p.extension().is_some_and(|e| e == "scn"))
    {
        let text = std::fs::read_to_string(path).expect("a scenario");
        let (scenario, findings) = scenario::parse(&Source::new("tour", text));
        assert!(findings.is_empty(), "{path:?}: {findings:#?}");
        for lowering in [&PRECISE as &dyn Lowering, &FULL_FLUSH] {
            let program = lower(&scenario, lowering);
            let trace = sim::simulate(&program, &rdna(), &sim::SimOptions::default());
            assert_tiled(&trace);
            assert!(trace.exposed <= trace.makespan);
            assert_eq!(
                trace,
                sim::simulate(&program, &rdna(), &sim::SimOptions::default()),
                "{path:?}"
            );
            let check = ensure::check(&Timeline::new(&scenario), &rdna(), &program);
            assert_eq!(check.missing, [], "{path:?} {}", lowering.name());
            if lowering.name() == "precise" {
                assert_eq!(check.extra, [], "{path:?}");
            }
            println!(
                "{path:?} {} {}: {:?}",
                lowering.name(),
                trace.makespan,
                kinds(&trace)
            );
        }
    }
}

fn assert_tiled(trace: &Trace) {
    for (index, life) in trace.ops.iter().enumerate() {
        let end = trace
            .spans(OpId::new(index))
            .last()
            .map_or(life.queued, |(_, span)| span.end);
        assert_eq!(end, life.retired);
    }
    for lane in &trace.lanes {
        assert!(lane.windows(2).all(|w| w[0].end <= w[1].start), "{lane:?}");
    }
}

/// `precise`, but one thing is forgotten.
struct Broken(fn(&mut HwOpKind, &mut Vec<syncscope::program::Step>));

impl Broken {
    fn lower(&self, timeline: &Timeline<'_>, profile: &Profile) -> Program {
        let mut program = PRECISE.lower(timeline, profile);
        for block in &mut program.blocks {
            for op in block.ops.iter_mut().filter(|op| op.origin.entry.is_some()) {
                let HwOpKind::Barrier(barrier) = op.kind else {
                    continue;
                };
                let mut steps = barrier.steps.of(&block.steps).to_vec();
                (self.0)(&mut op.kind, &mut steps);
                let slice = Slice::push(&mut block.steps, steps);
                if let HwOpKind::Barrier(barrier) = &mut op.kind {
                    barrier.steps = slice;
                }
            }
        }
        program
    }
}

/// What is forgotten is named, and the machine sees it.
#[test]
fn broken_lowerings_are_caught() {
    let text = target(
        "draw { RENDER_TARGET t }
         barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
         draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET s }
         barrier { texture t { sync PIXEL_SHADING -> COPY; access SHADER_RESOURCE -> COPY_SOURCE; layout SHADER_RESOURCE -> COMMON } }
         barrier { texture s { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_DEST; layout RENDER_TARGET -> COPY_DEST } }
         copy t -> s",
    );
    let scenario = parse(&text);
    let timeline = Timeline::new(&scenario);
    let profile = vega();
    let lowerings: [(&str, Broken); 5] = [
        (
            "Clean",
            Broken(|_, steps| steps.retain(|s| !matches!(s.kind, StepKind::Clean { .. }))),
        ),
        (
            "Invalidate",
            Broken(|_, steps| steps.retain(|s| !matches!(s.kind, StepKind::Invalidate { .. }))),
        ),
        (
            "Layout",
            Broken(|_, steps| steps.retain(|s| !matches!(s.kind, StepKind::Layout { .. }))),
        ),
        (
            "Wait",
            Broken(|kind, _| {
                if let HwOpKind::Barrier(b) = kind {
                    b.wait = LeafSet::EMPTY;
                }
            }),
        ),
        (
            "Hold",
            Broken(|kind, _| {
                if let HwOpKind::Barrier(b) = kind {
                    b.hold = LeafSet::EMPTY;
                }
            }),
        ),
    ];
    for (what, lowering) in &lowerings {
        let program = lowering.lower(&timeline, &profile);
        let check = ensure::check(&timeline, &profile, &program);
        let named: Vec<_> = check
            .missing
            .iter()
            .map(|m| format!("{:?}", m.what))
            .collect();
        assert!(
            named.iter().any(|n| n.starts_with(what)),
            "without {what}: {named:?}"
        );
        assert_eq!(check.missing[0].barrier.node, NodeId(1));
        let trace = sim::simulate(&program, &profile, &sim::SimOptions::default());
        assert!(
            !trace.observations.is_empty(),
            "without {what} no read goes wrong"
        );
    }
    let sound = ensure::check(&timeline, &profile, &PRECISE.lower(&timeline, &profile));
    assert_eq!(
        (sound.missing, sound.extra, sound.checked),
        (Vec::new(), Vec::new(), 3)
    );
}
