//! How the work of the engines grows with a stream, counted and not timed.

use crate::crowded::SHAPES;
use syncscope::finding::Source;
use syncscope::graph;
use syncscope::order::Timeline;
use syncscope::scenario;

/// What needed and asked cost for a text.
fn visits(name: &str, text: String) -> u64 {
    let (parsed, findings) = scenario::parse(&Source::new(name, text));
    assert!(findings.is_empty(), "{name}: {findings:?}");
    let evaluation = graph::evaluate(&Timeline::new(&parsed), graph::Request::default());
    evaluation.steps + evaluation.visits
}

#[test]
fn no_shape_costs_more_than_its_size_times_the_logarithm() {
    for (name, shape) in SHAPES {
        let sizes = [2_000, 4_000, 8_000];
        let costs = sizes.map(|size| visits(name, shape(size)));
        let expected = |size: usize| size as u64 * u64::from(size.ilog2());
        for (size, cost) in sizes.into_iter().zip(costs).skip(1) {
            assert!(
                cost * expected(sizes[0]) * 2 <= costs[0] * expected(size) * 3,
                "{name}: {costs:?} visits for {sizes:?} commands"
            );
        }
    }
}
