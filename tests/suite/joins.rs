//! Many ranges under one name: a run that joins them sees what a run sees that looks at each.

use crate::reference::crowds::{self, Crowd};
use crate::{crowded, sizes};
use syncscope::analyze::hazards;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::sim::{Eviction, SimOptions};
use syncscope::trace::Trace;
use syncscope::{catalog, graph, scenario, sim};

/// The trace of a text, but for what it cost; and what it cost.
fn traced(
    timeline: &Timeline<'_>,
    by: (&Profile, &dyn Lowering),
    options: SimOptions,
) -> (Trace, u64) {
    let evaluation = graph::evaluate(timeline, graph::Request::default());
    let watch = hazards::watch(timeline, &evaluation);
    let program = by.1.lower(timeline, by.0);
    let mut trace = sim::simulate_watching(&program, by.0, &options, &watch);
    let visits = std::mem::take(&mut trace.visits);
    (trace, visits)
}

/// Compares both ways; whether the one that joins looked at less.
fn compare(text: &str, place: &str, profiles: &[&str], lowerings: &[&str]) -> bool {
    let (parsed, findings) = scenario::parse(&Source::new("joins.scn", text.to_string()));
    assert!(findings.is_empty(), "{place}: {findings:?}");
    let timeline = Timeline::new(&parsed);
    let registry = catalog::registry();
    let mut saves = false;
    for (profile, lowering) in profiles
        .iter()
        .flat_map(|p| lowerings.iter().map(move |l| (*p, *l)))
    {
        let machine = registry.profile(profile).expect("a built-in profile");
        let driver = registry.lowering(lowering).expect("a built-in lowering");
        for eviction in [Eviction::Oldest, Eviction::Never, Eviction::Eager] {
            let lazy = SimOptions {
                eviction,
                ..SimOptions::default()
            };
            let eager = SimOptions {
                eager: true,
                ..lazy
            };
            let (joined, few) = traced(&timeline, (&machine, driver), lazy);
            let (apart, all) = traced(&timeline, (&machine, driver), eager);
            assert!(
                joined == apart,
                "{place}, {profile}, {lowering}, {eviction:?}:\n{text}"
            );
            saves |= few < all;
        }
    }
    saves
}

#[test]
fn crowds_run_alike_whether_ranges_are_joined_or_not() {
    let seeds = sizes::CROWDS.seeds();
    let (mut saves, mut count) = (0_u64, 0);
    for seed in seeds.step_by(10) {
        let crowd = Crowd {
            ranges: 100,
            commands: 250,
            rows: false,
        };
        let text = crowds::scenario(seed, crowd);
        let (profiles, lowerings) = match seed / 10 % 3 {
            0 => (["rdna", "reference"], ["precise"]),
            1 => (["tiler", "intel"], ["forgets_invalidate"]),
            _ => (["nvidia", "rdna"], ["forgets_invalidate"]),
        };
        saves += u64::from(compare(
            &text,
            &format!("seed {seed}"),
            &profiles,
            &lowerings,
        ));
        count += 1;
    }
    assert!(saves * 10 > count, "{saves} of {count} looked at less");
}

/// Aliases in a row, whose ranges are seldom joined.
#[test]
fn rows_of_aliases_run_alike_whether_ranges_are_joined_or_not() {
    let rows = sizes::CROWDS.seeds().step_by(20).map(|seed| {
        let crowd = Crowd {
            ranges: 40,
            commands: 120,
            rows: true,
        };
        (seed, crowds::scenario(seed, crowd))
    });
    let mut count = 0;
    for (seed, text) in rows.filter(|(_, text)| text.contains("heap row")) {
        let place = format!("seed {seed}");
        compare(
            &text,
            &place,
            &["rdna", "tiler"],
            &["precise", "forgets_invalidate"],
        );
        count += 1;
    }
    assert!(count > 0, "a row of aliases");
}

#[test]
fn streams_of_many_ranges_run_alike_whether_these_are_joined_or_not() {
    for (name, shape) in crowded::SHAPES {
        compare(
            &shape(600),
            name,
            sizes::first(1, &["rdna", "intel"]),
            &["precise", "forgets_invalidate"],
        );
    }
}
