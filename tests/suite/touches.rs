//! Who touches which memory: the index of a timeline against a walk over all of it.

use crate::reference::random_scenario;
use syncscope::finding::Source;
use syncscope::order::{Act, Moment, Of, SubmissionKind, Timeline, Touch};
use syncscope::scenario::{self, Scenario};

fn parsed(text: &str) -> Scenario {
    let (scenario, findings) = scenario::parse(&Source::new("touches.scn", text));
    let is_wrong = findings.iter().any(|finding| finding.severity.fails());
    assert!(!is_wrong, "{findings:?}:\n{text}");
    scenario
}

/// A touch with its place in the text and what it is, as text.
fn said(touch: &Touch<'_>) -> (Moment, String) {
    let what = match touch.act {
        Act::Use(used) => format!("use {:?}", used.span),
        Act::Entry(barrier) => format!("entry {:?}", barrier.span),
        Act::Outside(statement) => format!("outside {:?}", statement.span),
    };
    (touch.moment, format!("{:?} {what}", touch.place))
}

/// The same of every touch, by a walk over the timeline.
fn walked(timeline: &Timeline<'_>, of: Of) -> Vec<(Moment, String)> {
    let mut all = Vec::new();
    for (rank, id) in timeline.evaluation.iter().enumerate() {
        let rank = rank as u32;
        let mut add = |node, entry, what: String| {
            let place = timeline.place(node).command;
            all.push((Moment { rank, node, entry }, format!("{place:?} {what}")));
        };
        let submission = timeline.submission(id);
        if let SubmissionKind::Present { resource }
        | SubmissionKind::CpuRead { resource }
        | SubmissionKind::CpuWrite { resource } = submission.kind
            && of == Of::Uses(resource)
        {
            let what = format!("outside {:?}", submission.statement.span);
            add(submission.first_node, None, what);
        }
        for (node, _, command) in timeline.commands(id) {
            for used in command.uses.iter().filter(|u| of == Of::Uses(u.resource)) {
                add(node, None, format!("use {:?}", used.span));
            }
            for (entry, barrier) in command.kind.barriers().iter().enumerate() {
                if of == Of::Entries(barrier.resource()) {
                    let what = format!("entry {:?}", barrier.span);
                    add(node, Some(entry as u32), what);
                }
            }
        }
    }
    all
}

/// Everything that can be asked for.
fn all_of(scenario: &Scenario) -> impl Iterator<Item = Of> {
    let ids = scenario.resources.ids();
    let of = ids.flat_map(|id| [Of::Uses(id), Of::Entries(Some(id))]);
    of.chain([Of::Entries(None)])
}

/// Compares every query about every moment of a timeline; the number of touches.
fn compare(text: &str) -> usize {
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let mut count = 0;
    for of in all_of(&scenario) {
        let all = walked(&timeline, of);
        let mut indexed: Vec<_> = timeline.touches(of, ..).map(|t| said(&t)).collect();
        assert_eq!(indexed, all, "{of:?}:\n{text}");
        indexed = timeline.touches(of, ..).rev().map(|t| said(&t)).collect();
        indexed.reverse();
        assert_eq!(indexed, all, "{of:?}, from the end:\n{text}");
        for id in timeline.evaluation.iter() {
            let nodes = timeline.commands(id).map(|(node, ..)| node);
            for node in nodes.chain([timeline.submission(id).first_node]) {
                for entry in [None, Some(0), Some(1)] {
                    let moment = timeline.moment(node, entry);
                    let at = all.partition_point(|(other, _)| *other < moment);
                    let before = timeline.touches(of, ..moment);
                    let before: Vec<_> = before.map(|t| said(&t)).collect();
                    let from = timeline.touches(of, moment..);
                    let from: Vec<_> = from.map(|t| said(&t)).collect();
                    assert_eq!(before, all[..at], "{of:?} before {moment:?}:\n{text}");
                    assert_eq!(from, all[at..], "{of:?} from {moment:?}:\n{text}");
                }
            }
        }
        count += all.len();
    }
    count
}

/// Two queues, a bundle, a list that is executed again, the CPU, and what is submitted first and evaluated last.
#[test]
fn touches_are_in_the_order_of_evaluation_with_bundles_in_place() {
    let text = "queue gfx : direct\nqueue async : compute\nfence f\n\
        buffer a : 4KiB { flags UNORDERED_ACCESS }\nbuffer b : 4KiB\n\
        list inner : bundle {\n  dispatch 1x1x1 { UNORDERED_ACCESS a }\n}\n\
        list outer : direct {\n  copy a -> b\n  execute-bundle inner\n  barrier {\n    \
        global { sync ALL -> ALL; access COMMON -> COMMON }\n    \
        buffer a { sync ALL -> ALL; access COMMON -> COMMON }\n  }\n}\n\
        list late : compute {\n  dispatch 1x1x1 { UNORDERED_ACCESS a }\n}\n\
        timeline {\n  async wait f 1\n  async execute late\n  cpu write b\n  \
        gfx execute outer, outer\n  gfx signal f 1\n}\n";
    let scenario = parsed(text);
    let timeline = Timeline::new(&scenario);
    let source = Source::new("touches.scn", text);
    let lines = |of: Of| -> Vec<String> {
        let touches = timeline.touches(of, ..).map(|touch| {
            let span = match touch.act {
                Act::Use(used) => used.span,
                Act::Entry(barrier) => barrier.span,
                Act::Outside(statement) => statement.span,
            };
            let name = match touch.entry() {
                Some((id, _)) => timeline.barrier_name(id),
                None => timeline.node_name(touch.moment.node),
            };
            format!("{name} line {}", source.line(span.start))
        });
        touches.collect()
    };
    let named = |name| {
        scenario
            .resources
            .ids()
            .find(|id| scenario.resource_name(*id) == name)
    };
    let (a, b) = (named("a").expect("a"), named("b").expect("b"));
    let copied_and_written = [
        "gfx#1 line 10",
        "gfx#2 line 7",
        "gfx#4 line 10",
        "gfx#5 line 7",
        "async#2 line 18",
    ];
    assert_eq!(lines(Of::Uses(a)), copied_and_written);
    let written_and_copied = ["cpu#1 line 23", "gfx#1 line 10", "gfx#4 line 10"];
    assert_eq!(lines(Of::Uses(b)), written_and_copied);
    assert_eq!(
        lines(Of::Entries(Some(a))),
        ["gfx#3.1 line 14", "gfx#6.1 line 14"]
    );
    assert_eq!(lines(Of::Entries(Some(b))), [""; 0]);
    assert_eq!(
        lines(Of::Entries(None)),
        ["gfx#3.0 line 13", "gfx#6.0 line 13"]
    );
    compare(text);
}

#[test]
fn the_index_holds_what_a_walk_finds() {
    let mut count = 0;
    for seed in 0..400 {
        let mut text = random_scenario(seed);
        if seed % 2 == 0 {
            // Often enough for the timeline to keep turns instead of submissions.
            let lines = text.lines().map(|line| {
                if line.contains(" execute ") {
                    format!("repeat 5 {{ {line} }}\n")
                } else {
                    format!("{line}\n")
                }
            });
            text = lines.collect();
        }
        count += compare(&text);
    }
    assert!(count > 2_000, "{count} touches");
}
