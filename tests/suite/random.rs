//! Laws over random small scenarios, made from a seed: a failing case prints its text.

use crate::sizes;
use rand::prelude::*;
use std::fmt::Write as _;
use syncscope::finding::Source;
use syncscope::graph::{self, DependencyGraph};
use syncscope::order::Timeline;
use syncscope::{catalog, report, run, scenario};

/// One queue, three buffers, a dozen commands and barriers, some of them right.
pub(crate) fn scene(seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut text = String::from("queue gfx : direct\n");
    for name in ["a", "b", "c"] {
        writeln!(text, "buffer {name} : 4KiB {{ flags UNORDERED_ACCESS }}").expect("a string");
    }
    text.push_str("list main : direct {\n");
    for _ in 0..random.random_range(3..14) {
        let one = *["a", "b", "c"].choose(&mut random).expect("a name");
        let two = *["a", "b", "c"].choose(&mut random).expect("a name");
        let line = match random.random_range(0..9) {
            0 => format!("dispatch 4x1x1 {{ UNORDERED_ACCESS {one} writes }}"),
            1 => format!("dispatch 4x1x1 {{ SHADER_RESOURCE {one} }}"),
            2 => format!("draw pixels 64 {{ VERTEX_BUFFER {one} }}"),
            3 if one != two => format!("copy {one} -> {two}"),
            4 => "barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }".to_string(),
            5 => format!(
                "barrier {{ buffer {one} {{ sync COMPUTE_SHADING -> VERTEX_SHADING; \
                 access UNORDERED_ACCESS -> VERTEX_BUFFER }} }}"
            ),
            6 => format!(
                "barrier {{ buffer {one} {{ sync COPY -> COMPUTE_SHADING; access COPY_DEST -> SHADER_RESOURCE }} }}"
            ),
            _ => {
                format!("barrier {{ buffer {one} {{ sync ALL -> ALL; access COMMON -> COMMON }} }}")
            }
        };
        writeln!(text, "  {line}").expect("a string");
    }
    text.push_str("}\ntimeline { gfx execute main; gfx execute main }\n");
    text
}

#[test]
fn what_is_free_of_hazards_reads_nothing_wrong() {
    let registry = catalog::registry();
    let (mut clean, mut seen) = (0, 0);
    for seed in sizes::RUNS.seeds_times(2) {
        let text = scene(seed);
        let source = Source::new("random.scn", text.clone());
        for lowering in registry
            .lowerings
            .iter()
            .filter(|l| !l.is_wrong_on_purpose())
        {
            let options = run::Options {
                lowering: Some(lowering.name().into()),
                without_barriers: true,
                without_proofs: true,
                ..run::Options::default()
            };
            let report = run::run(&source, &registry, &options).expect("it runs");
            let hazards = report.findings.iter().any(|f| f.hazard.is_some());
            if hazards {
                seen += 1;
            } else {
                clean += 1;
                assert_eq!(
                    report.totals.bad_reads,
                    0,
                    "with {}, seed {seed}:\n{text}",
                    lowering.name()
                );
            }
            assert!(
                report.findings.iter().all(|f| f.rule.id != "LW101"),
                "a built-in lowering ensures what is asked, seed {seed}:\n{text}"
            );
        }
    }
    assert!(
        clean > 50 && seen > 50,
        "{clean} clean and {seen} hazardous runs"
    );
}

#[test]
fn the_same_text_gives_the_same_bytes() {
    let registry = catalog::registry();
    for seed in 0..50 {
        let source = Source::new("random.scn", scene(seed));
        let print = || {
            let report = run::run(&source, &registry, &run::Options::default()).expect("it runs");
            let mut bytes = Vec::new();
            report::json::write(&report, &source, &report::Style::default(), &mut bytes)
                .expect("writing to memory");
            bytes
        };
        assert_eq!(print(), print(), "seed {seed}");
    }
}

#[test]
fn the_dependency_graph_has_no_cycle_where_no_wait_deadlocks() {
    for seed in 0..200 {
        let (parsed, _) = scenario::parse(&Source::new("random.scn", scene(seed)));
        let timeline = Timeline::new(&parsed);
        let evaluation = graph::evaluate(
            &timeline,
            graph::Request {
                pairs: graph::Collected::Uses,
                ..graph::Request::default()
            },
        );
        let graph = DependencyGraph::new(&timeline, &evaluation);
        assert!(graph.asked_is_acyclic(), "seed {seed}");
        let asked = evaluation.pairs.iter().filter(|pair| !pair.asked).count();
        assert!(
            evaluation.conflicts.is_empty() || asked > 0,
            "a conflict is a pair that was not asked, seed {seed}"
        );
    }
}

/// Whether anything is wrong can be asked for without hearing all of it.
#[test]
fn an_evaluation_up_to_the_first_conflict_finds_one_exactly_where_a_whole_one_does() {
    let (mut wrong, mut right) = (0, 0);
    for seed in 0..300 {
        let (parsed, _) = scenario::parse(&Source::new("random.scn", scene(seed)));
        let timeline = Timeline::new(&parsed);
        let is_wrong = |until_conflict| {
            let options = graph::Request {
                until_conflict,
                ..graph::Request::default()
            };
            let evaluation = graph::evaluate(&timeline, options);
            evaluation.conflicts.iter().any(|c| c.kind.is_wrong())
        };
        let whole = is_wrong(false);
        assert_eq!(is_wrong(true), whole, "seed {seed}");
        (wrong, right) = (wrong + u32::from(whole), right + u32::from(!whole));
    }
    assert!(wrong > 0 && right > 0, "{wrong} wrong, {right} right");
}
