//! How the work of the engines grows with a stream, counted and not timed.

use crate::crowded::SHAPES;
use std::fmt::Write as _;
use syncscope::analyze::hazards;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::{catalog, graph, run, scenario, sim};

/// What needed and asked cost for a text.
fn visits(name: &str, text: String) -> u64 {
    let (parsed, findings) = scenario::parse(&Source::new(name, text));
    assert!(findings.is_empty(), "{name}: {findings:?}");
    let evaluation = graph::evaluate(&Timeline::new(&parsed), graph::Request::default());
    evaluation.steps + evaluation.visits
}

/// What a run costs: events, and the ranges that reads look at.
fn run_visits(name: &str, text: String) -> u64 {
    let (parsed, findings) = scenario::parse(&Source::new(name, text));
    assert!(findings.is_empty(), "{name}: {findings:?}");
    let timeline = Timeline::new(&parsed);
    let registry = catalog::registry();
    let profile = registry.profile("rdna").expect("a built-in profile");
    let lowering = registry.lowering("precise").expect("a built-in lowering");
    let program = lowering.lower(&timeline, &profile);
    let trace = sim::simulate(&program, &profile, &sim::SimOptions::TOTALS);
    trace.totals.events + trace.visits
}

/// That a shape costs no more than its size times the logarithm, and half as much again.
fn grows_slowly(name: &str, cost: impl Fn(usize) -> u64) {
    let sizes = if crate::sizes::is_full() {
        [2_000, 4_000, 8_000]
    } else {
        [1_000, 2_000, 4_000]
    };
    let costs = sizes.map(cost);
    let expected = |size: usize| size as u64 * u64::from(size.ilog2());
    for (size, cost) in sizes.into_iter().zip(costs).skip(1) {
        assert!(
            cost * expected(sizes[0]) * 2 <= costs[0] * expected(size) * 3,
            "{name}: {costs:?} visits for {sizes:?} commands"
        );
    }
}

#[test]
fn no_shape_costs_more_than_its_size_times_the_logarithm() {
    for (name, shape) in SHAPES {
        grows_slowly(name, |size| visits(name, shape(size)));
    }
}

/// Reads of all of something whose parts were written or lost by themselves look at each.
const LOOKS_AT_EACH: [&str; 2] = ["layers", "lost-parts"];

#[test]
fn no_run_costs_more_than_its_size_times_the_logarithm() {
    let grows = |name: &str| !LOOKS_AT_EACH.contains(&name);
    for (name, shape) in SHAPES.into_iter().filter(|(name, _)| grows(name)) {
        grows_slowly(name, |size| run_visits(name, shape(size)));
    }
}

/// A read of everything that races with a write of one range keeps what it saw of that range, however many others there are.
#[test]
fn a_racing_read_keeps_what_races() {
    let shape = SHAPES.iter().find(|(name, _)| *name == "unordered-parts");
    let (name, shape) = shape.expect("a shape of races");
    let registry = catalog::registry();
    let profile = registry.profile("rdna").expect("a built-in profile");
    let lowering = registry.lowering("precise").expect("a built-in lowering");
    let samples = |commands| {
        let (parsed, _) = scenario::parse(&Source::new(*name, shape(commands)));
        let timeline = Timeline::new(&parsed);
        let evaluation = graph::evaluate(&timeline, graph::Request::default());
        let watch = hazards::watch(&timeline, &evaluation);
        let program = lowering.lower(&timeline, &profile);
        let options = sim::SimOptions::TOTALS;
        let trace = sim::simulate_watching(&program, &profile, &options, &watch);
        assert!(
            trace
                .samples
                .iter()
                .all(|sample| sample.extent.len() <= 2 * 256)
        );
        (trace.samples.len(), watch.nodes.len())
    };
    let (few, all) = samples(400);
    assert!(0 < few && few <= all, "{few} samples of {all} ranges");
    let (many, all) = samples(800);
    assert!(
        few < many && many <= all && many <= 2 * few + 2,
        "{few}, {many}, {all}"
    );
}

/// Lowering makes one packet of each wait for a shared fence, whoever signals it and whoever waits.
#[test]
fn waits_for_a_shared_fence_are_a_packet_each() {
    let registry = catalog::registry();
    let profile = registry.profile("rdna").expect("a built-in profile");
    let lowering = registry.lowering("precise").expect("a built-in lowering");
    let packets = |waits: usize| {
        let mut text = String::from("queue q : direct\nfence f { flags Shared }\ntimeline {\n");
        for value in 1..=waits {
            let _ = writeln!(text, "  q wait f {value}");
        }
        let (parsed, findings) = scenario::parse(&Source::new("waits", text + "}\n"));
        assert!(findings.is_empty(), "{findings:?}");
        let program = lowering.lower(&Timeline::new(&parsed), &profile);
        program.ops().count()
    };
    assert_eq!([1_000, 8_000].map(packets), [1_000, 8_000]);
}

/// Wrong transitions of one mip of every layer, each with a read.
fn wrong_mips(layers: usize) -> String {
    let mut text = format!(
        "queue gfx : direct\n\
         texture t : R8G8B8A8_UNORM 16x16 {{ layers {layers}; mips 5; flags UNORDERED_ACCESS; \
         initial UNORDERED_ACCESS }}\nlist main : direct {{\n"
    );
    for mip in (0..5).cycle().take(24) {
        let _ = write!(
            text,
            "  barrier {{ texture t[mip {mip}] {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; \
             access SHADER_RESOURCE -> UNORDERED_ACCESS; layout COMMON -> UNORDERED_ACCESS }} }}\n  \
             dispatch 4x1x1 {{ SHADER_RESOURCE t[mip {mip}] }}\n"
        );
    }
    text + "}\ntimeline { gfx execute main }\n"
}

/// A look at a text that changes thousands of ranges with each line costs more than its lines: proposals, which look at
/// it again and again, pay for ranges, and say where they end.
#[test]
fn proposals_pay_for_ranges() {
    let work = |layers| {
        let (parsed, _) = scenario::parse(&Source::new("mips", wrong_mips(layers)));
        let evaluation = graph::evaluate(&Timeline::new(&parsed), graph::Request::default());
        (evaluation.work(), evaluation.steps)
    };
    let (few, steps) = work(1);
    assert_eq!((few, steps), (48, 48), "24 barriers and 24 reads");
    let (many, steps) = work(2_048);
    assert_eq!(steps, 48);
    // Each line meets one range a layer; 64 of them are a step.
    assert!(many >= 48 * 2_048 / 64 / 2, "{many}");
    let untried = |layers| {
        let source = Source::new("mips", wrong_mips(layers));
        let report = run::check(&source, &run::Options::default());
        let is_untried = |note: &std::sync::Arc<str>| note.starts_with("no change was tried");
        let untried = |f: &&syncscope::finding::Finding| f.notes.iter().any(is_untried);
        let wrong = report.findings.iter().filter(|f| f.severity.fails());
        (
            report.findings.iter().filter(untried).count(),
            wrong.count(),
        )
    };
    let (few, all) = untried(1);
    assert!(few < all, "{few} of {all}");
    let (many, all) = untried(2_048);
    assert!(0 < many, "none of {all}");
}
