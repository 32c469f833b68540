//! What barriers cost adds up: at every moment a queue waits for one barrier (reading R75).

use crate::machine_random::{lowerings, profiles};
use crate::sizes;
use crate::stalls::{WITH_CAUSES, everywhere};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::fmt::Write;
use syncscope::analyze::stalls;
use syncscope::api::Leaf;
use syncscope::finding::Source;
use syncscope::hardware::{Granularity, Profile};
use syncscope::id::{NodeId, OpId, QueueId, Table};
use syncscope::lower::{Lowering, PRECISE};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, Program};
use syncscope::sim::{self, SimOptions};
use syncscope::time::Ps;
use syncscope::trace::{BarrierTiming, LaneKind, Reason, Trace};
use syncscope::{catalog, scenario};

/// The queue of each packet.
fn queues(program: &Program) -> Table<OpId, Option<QueueId>> {
    let mut queues = Table::filled(program.ops as usize, None);
    for block in &program.blocks {
        for op in &block.ops {
            queues[op.id] = block.queue;
        }
    }
    queues
}

/// Of several queues, the prices of each add up to no more than the total, and together to no less.
#[test]
fn exposed_times_of_queues_add_up() {
    everywhere(25, |place, profile, program| {
        let trace = sim::simulate(program, profile, &WITH_CAUSES);
        let queue_of = queues(program);
        let mut sums: BTreeMap<Option<QueueId>, Ps> = BTreeMap::new();
        for barrier in &trace.barriers {
            *sums.entry(queue_of[barrier.op]).or_default() += barrier.exposed;
        }
        let all: Ps = sums.values().copied().sum();
        assert!(all >= trace.exposed, "{place}\n{sums:?}");
        for sum in sums.values() {
            assert!(*sum <= trace.exposed, "{place}\n{sums:?}");
        }
    });
}

/// A few commands on one queue, with barriers of any stages between, split ones too; right or wrong does not matter.
fn one_queue(seed: u64) -> String {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut text = String::from(
        "texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }\n",
    );
    for name in ["a", "b", "c"] {
        let _ = writeln!(text, "buffer {name} : 64KiB {{ flags UNORDERED_ACCESS }}");
    }
    text += "queue q : direct\ntimeline { q execute {\n";
    for _ in 0..rng.random_range(3..12) {
        let buffer = ["a", "b", "c"][rng.random_range(0..3)];
        let takes = rng.random_range(1..30);
        let line = match rng.random_range(0..8) {
            0 => format!("dispatch 1x1x1 takes {takes}us {{ UNORDERED_ACCESS {buffer} }}\n"),
            1 => format!(
                "draw takes {takes}us {{ RENDER_TARGET t; SHADER_RESOURCE {buffer} @ PIXEL_SHADING }}\n"
            ),
            2 => "copy a -> c\n".to_owned(),
            3 => "clear-rtv t\n".to_owned(),
            _ => {
                let count = rng.random_range(1..3);
                let mut entry = || {
                    let stages = [
                        "COMPUTE_SHADING",
                        "COPY",
                        "PIXEL_SHADING",
                        "VERTEX_SHADING",
                        "DRAW",
                        "ALL",
                        "NONE",
                    ];
                    let [before, after] =
                        [(); 2].map(|()| stages[rng.random_range(0..stages.len())]);
                    let after = if after == "NONE" && rng.random() {
                        "SPLIT"
                    } else {
                        after
                    };
                    let access = |stage| {
                        if matches!(stage, "NONE" | "SPLIT") {
                            "NO_ACCESS"
                        } else {
                            "COMMON"
                        }
                    };
                    format!(
                        "global {{ sync {before} -> {after}; access {} -> {} }}",
                        access(before),
                        access(after)
                    )
                };
                let entries: Vec<String> = (0..count).map(|_| entry()).collect();
                format!("barrier {{ {} }}\n", entries.join("\n"))
            }
        };
        text += &line;
    }
    text + "} }\n"
}

/// Of one queue the prices add up to the total, and when that was, nothing ran.
#[test]
fn exposed_times_of_one_queue_add_up() {
    let (profiles, lowerings) = (profiles(), lowerings());
    let mut exposed = 0;
    for seed in sizes::MACHINE.seeds_times(40) {
        let text = one_queue(seed);
        let (scenario, findings) = scenario::parse(&Source::new("random.scn", &text));
        assert!(findings.is_empty(), "{findings:?}\n{text}");
        let timeline = Timeline::new(&scenario);
        for profile in &profiles {
            for lowering in &lowerings {
                let program = lowering.lower(&timeline, profile);
                let trace = sim::simulate(&program, profile, &WITH_CAUSES);
                let place = format!("{}, {}\n{text}", profile.name, lowering.name());
                let sum: Ps = trace.barriers.iter().map(|b| b.exposed).sum();
                assert_eq!(sum, trace.exposed, "{place}");
                let times = trace.exposed_at.iter().map(|(from, to)| *to - *from);
                assert_eq!(times.sum::<Ps>(), trace.exposed, "{place}");
                let works = trace.lanes[0].iter().filter(|s| s.kind == LaneKind::Work);
                for work in works {
                    let meets = |(from, to): &(Ps, Ps)| *from < work.end && work.start < *to;
                    assert!(!trace.exposed_at.iter().any(meets), "{place}\n{work:?}");
                }
                let totals = sim::simulate(&program, profile, &SimOptions::TOTALS);
                assert_eq!(totals.exposed, trace.exposed, "{place}");
                exposed += u32::from(sum > Ps::ZERO);
            }
        }
    }
    assert!(exposed > 500, "{exposed}");
}

/// Work waits for a barrier that has not ended, or is starting again because one has just ended; where another barrier
/// holds it on, that is another wait.
#[test]
fn nothing_waits_for_a_barrier_that_has_ended() {
    let mut handed_over = 0;
    everywhere(25, |place, profile, program| {
        let trace = sim::simulate(program, profile, &WITH_CAUSES);
        let ends: Vec<Ps> = program
            .ops()
            .filter(|(_, op)| matches!(op.kind, HwOpKind::Barrier(_)))
            .map(|(_, op)| trace.ops[op.id].retired)
            .collect();
        for (_, op) in program.ops() {
            let spans: Vec<(Ps, _)> = trace.spans(op.id).collect();
            for (at, (start, span)) in spans.iter().enumerate() {
                let Reason::WaitBarrier(by) = span.reason else {
                    continue;
                };
                let ended = trace.ops[by].retired;
                assert!(*start <= ended, "{place}\n{op:?} {span:?} {ended:?}");
                let next = spans.get(at + 1).map(|(_, next)| next.reason);
                if let Some(Reason::WaitBarrier(_)) = next
                    && span.end == ended
                {
                    handed_over += 1;
                    continue;
                }
                // It was the front end that waited, for the barrier's waits only (reading R77).
                let stops = match &program.op(by).kind {
                    HwOpKind::Barrier(barrier) => {
                        barrier.waits_in_order() && profile.granularity == Granularity::FrontEnd
                    }
                    _ => false,
                };
                if stops && span.end < ended {
                    continue;
                }
                let resume = profile.costs.resume;
                let is_due = |end: &Ps| *end <= span.end && span.end - *end <= resume;
                assert!(ends.iter().any(is_due), "{place}\n{op:?} {span:?}");
            }
        }
    });
    assert!(handed_over > 50, "{handed_over}");
}

/// Equal dispatches of 10 us, each behind a barrier on its own buffer.
fn chain(names: &[String]) -> String {
    let mut text = String::new();
    for name in names {
        let _ = writeln!(text, "buffer {name} : 64KiB {{ flags UNORDERED_ACCESS }}");
    }
    text += "queue q : compute\ntimeline { q execute {\n";
    for (index, name) in names.iter().enumerate() {
        if let Some(before) = index.checked_sub(1).map(|i| &names[i]) {
            let _ = writeln!(
                text,
                "barrier {{ buffer {before} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}"
            );
        }
        let _ = writeln!(
            text,
            "dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS {name} }}"
        );
    }
    text + "} }\n"
}

fn run(text: &str, profile: &Profile) -> (Program, Trace) {
    let (scenario, findings) = scenario::parse(&Source::new("chain.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let program = PRECISE.lower(&Timeline::new(&scenario), profile);
    let trace = sim::simulate(&program, profile, &WITH_CAUSES);
    (program, trace)
}

/// What a barrier takes on the critical path.
fn critical(program: &Program, trace: &Trace, barrier: &BarrierTiming) -> Ps {
    let causes = trace.causes.as_deref().expect("they were asked for");
    let frames = stalls::frames(program, causes);
    let own = stalls::of_barriers(program, &frames).into_iter();
    own.filter(|(op, ..)| *op == barrier.op)
        .map(|(_, _, time)| time)
        .sum()
}

/// On `rdna`, as in `machine::a_barrier_by_hand`: the barrier waits 0.3 us, drops caches for 0.2 us, and held work starts
/// again after 0.1 us; nothing else runs, so each costs 0.6 us. A barrier's turn comes when the work that the one before held
/// has started, so it drains for one dispatch, 10 us. Before, the n-th was charged for the n that the queue had waited for.
#[test]
fn equal_barriers_of_a_chain_by_hand() {
    let rdna = catalog::registry().profile("rdna").expect("it is built in");
    let names: Vec<String> = (0..5).map(|i| format!("b{i}")).collect();
    let (program, trace) = run(&chain(&names), &rdna);
    let cost = Ps(300_000 + 200_000 + 100_000);
    assert_eq!(trace.barriers.len(), 4);
    for barrier in &trace.barriers {
        assert_eq!(barrier.drain, Ps(10_000_000), "{barrier:?}");
        assert_eq!(barrier.operation, Ps(500_000), "{barrier:?}");
        assert_eq!(barrier.exposed, cost, "{barrier:?}");
        assert_eq!(critical(&program, &trace, barrier), cost, "{barrier:?}");
    }
    assert_eq!(trace.exposed, Ps(4 * cost.0));
    // The last dispatch waits for the last barrier only: the front end comes to it after that one.
    let (_, last) = program
        .ops()
        .filter(|(_, op)| matches!(op.kind, HwOpKind::Work(_)))
        .last()
        .expect("there is work");
    let waits: Vec<(OpId, Ps)> = trace
        .spans(last.id)
        .filter_map(|(start, span)| match span.reason {
            Reason::WaitBarrier(by) => Some((by, span.end - start)),
            _ => None,
        })
        .collect();
    let last = trace.barriers[3].op;
    // Launching a dispatch takes 0.1 us, a barrier 0.02. A dispatch is launched while the 0.2 us of dropping caches run, so it
    // starts when these and the restart are over. From the launch of the last barrier on: the fourth dispatch is held 0.1 us
    // for the rest of that, starts again after 0.1 and takes 10; the wait for it costs 0.3.
    let kept = Ps(100_000 + 100_000 + 10_000_000 + 300_000 - 20_000);
    // Then it is launched, in 0.1 us: the drop of 0.2 and the restart of 0.1 go on.
    let held = Ps(200_000 - 100_000 + 100_000);
    assert_eq!(waits, [(last, kept), (last, held)]);
}

/// Names do not count: a chain whose resources are declared and used in another order has the same prices, on every machine;
/// and but for the first, whose dispatch came when the machine was idle, all barriers cost the same.
#[test]
fn a_relabelled_chain_has_the_same_prices() {
    for profile in &profiles() {
        let names: Vec<String> = (0..6).map(|i| format!("b{i}")).collect();
        let other: Vec<String> = [3, 0, 5, 1, 4, 2].map(|i| format!("z{i}")).to_vec();
        let prices = |names: &[String]| -> Vec<[Ps; 4]> {
            let (program, trace) = run(&chain(names), profile);
            let row = |b: &BarrierTiming| {
                [
                    b.drain,
                    b.operation,
                    b.exposed,
                    critical(&program, &trace, b),
                ]
            };
            let sum: Ps = trace.barriers.iter().map(|b| b.exposed).sum();
            assert_eq!(sum, trace.exposed, "{}", profile.name);
            trace.barriers.iter().map(row).collect()
        };
        let rows = prices(&names);
        assert_eq!(rows, prices(&other), "{}", profile.name);
        for row in &rows[1..] {
            assert_eq!(row, &rows[1], "{}: {rows:?}", profile.name);
        }
    }
}

/// What a stage of each work packet did, by stage, in picoseconds from its start to its end.
fn stages(trace: &Trace, packet: OpId) -> Vec<(Leaf, Ps)> {
    let causes = trace.causes.as_deref().expect("they were asked for");
    let own = causes.stages().filter(|(op, ..)| *op == packet);
    own.map(|(_, leaf, start, end)| (leaf, end - start))
        .collect()
}

/// A dispatch fills the shader cores for 200 us; the vertices of a draw share them, and its pixels are held until the dispatch
/// is over. It has no depth view and no render target, so nothing of it works at these stages: once its vertices are through
/// it is held by the barrier, and a barrier on depth has nothing to wait for.
#[test]
fn a_stage_without_a_use_takes_no_time() {
    let mut rdna = catalog::registry().profile("rdna").expect("it is built in");
    // The draw is launched while the dispatch runs.
    rdna.granularity = Granularity::Stage;
    let scene = |depth: &str, after: &str| {
        format!(
            "
buffer a : 64KiB {{ flags UNORDERED_ACCESS }}
texture d : D32_FLOAT 256x256 {{ flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }}
queue q : direct
timeline {{ q execute {{
    dispatch 1x1x1 takes 200us {{ UNORDERED_ACCESS a }}
    barrier {{ buffer a {{ sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}
    draw takes 10us {{ SHADER_RESOURCE a @ PIXEL_SHADING{depth} }}
    {after}
}} }}"
        )
    };
    let draw_of = |program: &Program| {
        let work = program
            .ops()
            .filter(|(_, op)| matches!(op.kind, HwOpKind::Work(_)));
        work.map(|(_, op)| op.id).nth(1).expect("a draw")
    };
    let (program, trace) = run(&scene("", ""), &rdna);
    let draw = draw_of(&program);
    let at: Vec<Leaf> = stages(&trace, draw)
        .into_iter()
        .map(|(leaf, _)| leaf)
        .collect();
    assert_eq!(at, [Leaf::VertexShading, Leaf::PixelShading]);
    let unused = [Leaf::DepthStencil, Leaf::RenderTarget];
    for leaf in unused {
        assert_eq!(trace.stages[0][leaf.index()], Ps::ZERO);
    }
    let held: Ps = trace
        .spans(draw)
        .filter(|(_, span)| matches!(span.reason, Reason::WaitBarrier(_)))
        .map(|(start, span)| span.end - start)
        .sum();
    assert!(held > Ps(199_000_000), "{held}");
    let (program, with_depth) = run(&scene("; DEPTH_STENCIL_WRITE d", ""), &rdna);
    let depth = stages(&with_depth, draw_of(&program));
    assert!(depth.iter().any(|(leaf, _)| *leaf == Leaf::DepthStencil));
    // Neither lasts longer than the other.
    assert_eq!(
        trace.command(NodeId(2)).end,
        with_depth.command(NodeId(2)).end
    );
    // The draw starts when it is issued, at 3.22 us, and comes to depth a latency later, at 3.42 us. Its vertices take 0.2 us, of
    // which 0.08 pass before the dispatch starts at 3.3 us and the other 0.12 at half speed: until 3.54 us. With work at depth
    // it leaves depth a latency after that.
    let after = "barrier { texture d { sync DEPTH_STENCIL -> COPY; access DEPTH_STENCIL_WRITE -> NO_ACCESS; layout DEPTH_STENCIL_WRITE -> DEPTH_STENCIL_WRITE } }";
    let (_, without) = run(&scene("", after), &rdna);
    let (_, with) = run(&scene("; DEPTH_STENCIL_WRITE d", after), &rdna);
    let last = |trace: &Trace| trace.barriers.last().map(|b| b.drained).expect("a barrier");
    assert_eq!(
        (last(&without), last(&with)),
        (Ps(3_420_000), Ps(3_740_000))
    );
}
