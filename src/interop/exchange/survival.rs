//! Which of the pairs that a scenario needs and asks for the returned one still asks for.

use crate::analyze::names;
use crate::finding::Span;
use crate::graph::{self, Conflict, Evaluation, Part};
use crate::id::ResourceId;
use crate::order::Timeline;
use crate::pipeline::front::Prepared;
use crate::pipeline::pairs::{self, Pairs};
use crate::scenario::Scenario;
use std::collections::BTreeSet;

/// A pair that was asked for and no longer is.
#[non_exhaustive]
pub struct Lost {
    /// The resource.
    pub resource: ResourceId,
    /// Places of the uses.
    pub lines: (Span, Span),
    /// The uses in words.
    pub uses: (String, String),
    /// What is missing: `order`, `visibility`, `layout`, or a `state` in which it may be used.
    pub missing: &'static str,
}

/// Needed pairs, and those that a round trip loses.
#[non_exhaustive]
pub struct Survival {
    /// Needed pairs of the original.
    pub needed: usize,
    /// Those of them that it asks for.
    pub asked: usize,
    /// Pairs that only the returned scenario misses.
    pub lost: Vec<Lost>,
}

/// What makes a conflict the same in the returned scenario, whose commands and entries keep their places.
type Key = (
    graph::ConflictKind,
    Option<(u32, Part)>,
    u32,
    Part,
    ResourceId,
);

/// Steps that writing out every pair may take.
const STEPS_MAX: u64 = 20_000_000;

/// Compares what both ask for.
pub(super) fn survival(plain: &Scenario, returned: &Scenario) -> Survival {
    let original = Prepared::edited(plain);
    let timeline = original.timeline();
    let needed = graph::needed_pairs(&timeline);
    let unfolded = pairs::most(&timeline) <= STEPS_MAX;
    let known = conflicts(&timeline, unfolded);
    let known_pairs = Pairs::new(
        known
            .conflicts
            .iter()
            .filter(|conflict| is_told(conflict))
            .map(keyed),
    );
    let back = Prepared::edited(returned);
    let back_timeline = back.timeline();
    let found = conflicts(&back_timeline, unfolded);
    let mut lost = Vec::new();
    let mut said = BTreeSet::new();
    // Of a use whose resource was in no defined state nothing was asked that could be lost.
    let undefined: BTreeSet<_> = known
        .conflicts
        .iter()
        .filter(|conflict| has_no_state(conflict.kind))
        .map(|conflict| (conflict.second.node, conflict.second.resource))
        .collect();
    for conflict in found.conflicts.iter().filter(|conflict| is_told(conflict)) {
        if undefined.contains(&(conflict.second.node, conflict.second.resource)) {
            continue;
        }
        let one = Pairs::new([keyed(conflict)]);
        if !one.is_subset(&known_pairs) && said.insert(keyed(conflict).0) {
            lost.push(told(&timeline, conflict));
        }
    }
    Survival {
        needed: needed.len(),
        asked: needed.iter().filter(|pair| pair.asked).count(),
        lost,
    }
}

fn conflicts(timeline: &Timeline<'_>, unfolded: bool) -> Evaluation {
    let request = graph::Request {
        unfolded,
        ..graph::Request::default()
    };
    graph::evaluate(timeline, request)
}

fn has_no_state(kind: graph::ConflictKind) -> bool {
    use graph::ConflictKind as Kind;
    matches!(
        kind,
        Kind::UseWhileSplit | Kind::UseInactive | Kind::UseOverwritten
    )
}

fn is_told(conflict: &Conflict) -> bool {
    conflict.kind.is_hazard()
}

fn keyed(conflict: &Conflict) -> (Key, Option<crate::id::Extent>) {
    let first = Some((conflict.first.node.0, conflict.first.part));
    let second = (conflict.second.node.0, conflict.second.part);
    let key = (
        conflict.kind,
        first,
        second.0,
        second.1,
        conflict.second.resource,
    );
    (key, conflict.bytes)
}

fn told(timeline: &Timeline<'_>, conflict: &Conflict) -> Lost {
    let missing = if conflict.layout.is_some() {
        "layout"
    } else if !conflict.ordered {
        "order"
    } else if !conflict.visible {
        "visibility"
    } else {
        "state"
    };
    let words = |side: &graph::Side| {
        let what = names::named(timeline, side.node);
        if side.access.is_empty() {
            what
        } else {
            format!("{what} ({})", side.access)
        }
    };
    Lost {
        resource: conflict.second.resource,
        lines: (
            names::side_span(timeline, &conflict.first),
            names::side_span(timeline, &conflict.second),
        ),
        uses: (words(&conflict.first), words(&conflict.second)),
        missing,
    }
}
