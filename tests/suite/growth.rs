//! How the work of the engines grows with a stream, counted and not timed.

use crate::crowded::SHAPES;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::{catalog, graph, scenario, sim};

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
    let sizes = [2_000, 4_000, 8_000];
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
