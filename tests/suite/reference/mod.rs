//! The engine against a second opinion: a slow, obvious reference that writes every pair of uses out and decides order,
//! visibility, layout, activity and races by definition, only from the numbered readings.
//!
//! Both must name the same pairs before anything is folded or masked (reading R42), on many small random scenarios. What
//! the engine folds must be among them, must not come after something that is right, and must miss no pair that nothing
//! comes before. A scenario that fails is shrunk by deleting lines; its text goes to `scenarios/hazards/`.
//!
//! `sizes.rs` says how many are tried.
//!
//! Left out: video, ray tracing and fence barriers are not generated.

pub(crate) mod crowds;
mod generate;
mod lasting;
mod laws;
mod model;
mod pairs;
mod parts;
mod races;
mod savings;

use crate::sizes;
use lasting::Lasting;
use model::{Cell, Model};
use pairs::{Decided, Pair, Touch, is_exempt, is_loose};
use std::collections::{BTreeMap, BTreeSet};
use syncscope::finding::Source;
use syncscope::graph::{self, Conflict, ConflictKind, Evaluation};
use syncscope::id::{NodeId, ResourceId};
use syncscope::order::Timeline;
use syncscope::scenario;

/// The small random scenario of a seed.
pub(crate) fn random_scenario(seed: u64) -> String {
    generate::scenario(seed)
}

/// What the engine and the reference say differently about a text; `None` if the text is no scenario.
pub(crate) fn differences(text: &str) -> Option<Vec<String>> {
    let (parsed, findings) = scenario::parse(&Source::new("random.scn", text.to_string()));
    if findings.iter().any(|f| f.severity.fails()) || parsed.timeline.is_none() {
        return None;
    }
    let timeline = Timeline::new(&parsed);
    if !timeline.fence_problems.is_empty() {
        return None;
    }
    let options = graph::Request {
        unfolded: true,
        ..graph::Request::default()
    };
    let unfolded = graph::evaluate(&timeline, options);
    let folded = graph::evaluate(&timeline, graph::Request::default());
    let model = Model::new(&timeline);
    let (lone, decided) = Lasting::walk(&model);
    let pairs: BTreeSet<Pair> = decided.iter().flat_map(Decided::pairs).collect();

    let mut wrong = Vec::new();
    wrong.extend(differs_if_lazy(&timeline));
    let mut differ = |what: &str, engine: BTreeSet<String>, reference: BTreeSet<String>| {
        wrong.extend(
            engine
                .difference(&reference)
                .map(|x| format!("{what}, engine only: {x}")),
        );
        wrong.extend(
            reference
                .difference(&engine)
                .map(|x| format!("{what}, reference only: {x}")),
        );
    };
    // What was given up in an earlier scope (R53), or a pair begun there (R27), makes no pair of one scope.
    let is_lasting = |c: &&Conflict| {
        let submission = |node| timeline.submission_of(node);
        let is_earlier = submission(c.first.node) != submission(c.second.node);
        is_earlier && c.kind.is_data() && !is_across(&timeline, c)
    };
    let data = unfolded.conflicts.iter().filter(|c| c.kind.is_data());
    let data = data.filter(|c| !is_lasting(c));
    differ(
        "pair",
        data.map(|c| format!("{:?}", pair_of(c))).collect(),
        pairs.iter().map(|p| format!("{p:?}")).collect(),
    );
    let is_lone = |c: &&Conflict| {
        is_lasting(c) || !c.kind.is_data() && !c.kind.is_race() && !is_across(&timeline, c)
    };
    differ(
        "use",
        unfolded
            .conflicts
            .iter()
            .filter(is_lone)
            .map(|c| format!("{:?}", (c.second.node, c.second.part, c.kind)))
            .collect(),
        lone.iter().map(|l| format!("{l:?}")).collect(),
    );
    let mut scoped = folded.clone();
    scoped.conflicts.retain(|c| !is_lasting(&c));
    compare_folded(&scoped, &pairs, &decided, &mut wrong);
    let race = |c: &Conflict| c.kind.is_race();
    compare_races(&folded, &races::races(&model), &race, &mut wrong);
    let across = |c: &Conflict| is_across(&timeline, c);
    let granules = races::granules(&model, &decided);
    compare_across(&folded, &granules, &across, &mut wrong);
    Some(wrong)
}

/// What the engine finds if it acts lazily from so many ranges on.
fn evaluate(timeline: &Timeline<'_>, lazy_from: Option<u32>) -> Evaluation {
    let request = graph::Request {
        lazy_from,
        ..graph::Request::default()
    };
    graph::evaluate(timeline, request)
}

/// What the engine says differently if it acts range by range, or on as few as two ranges at once.
fn differs_if_lazy(timeline: &Timeline<'_>) -> Option<String> {
    let found = |lazy_from| {
        let mut evaluation = evaluate(timeline, lazy_from);
        // Of which bytes a folded conflict tells, and how far a read's first undefined bytes reach, is left open.
        let conflicts = evaluation.conflicts.iter_mut();
        conflicts.for_each(|conflict| conflict.bytes = None);
        let reads = evaluation.undefined_reads.iter_mut();
        reads.for_each(|read| read.first.end = read.first.start);
        (evaluation.conflicts, evaluation.undefined_reads)
    };
    let eager = found(Some(u32::MAX));
    let mut differing = [None, Some(2)].into_iter();
    let from = differing.find(|from| found(*from) != eager)?;
    Some(format!(
        "acting lazily from {from:?} ranges on, it says something else"
    ))
}

fn is_cheaper_if_lazy(text: &str) -> bool {
    let (parsed, _) = scenario::parse(&Source::new("crowd.scn", text.to_string()));
    let timeline = Timeline::new(&parsed);
    evaluate(&timeline, None).visits < evaluate(&timeline, Some(u32::MAX)).visits
}

/// Writers of one granule on two queues: every second use is told, and a warning gives way to anything worse.
fn compare_across(
    folded: &Evaluation,
    reference: &BTreeMap<(NodeId, ResourceId), BTreeSet<races::Race>>,
    across: &dyn Fn(&Conflict) -> bool,
    wrong: &mut Vec<String>,
) {
    let key = |c: &Conflict| (c.second.node, c.second.resource);
    for conflict in folded.conflicts.iter().filter(|c| across(c)) {
        let known = reference.get(&key(conflict)).is_some_and(|all| {
            all.iter()
                .any(|r| r.first == conflict.first.node && r.kind == conflict.kind)
        });
        if !known {
            wrong.push(format!("across, engine only: {:?}", pair_of(conflict)));
        }
    }
    for (at, all) in reference {
        let shares = all.iter().any(|r| r.kind == ConflictKind::FalseSharing);
        let told = |c: &Conflict| {
            let says = if shares {
                across(c) && c.kind.is_hazard()
            } else {
                across(c) || c.kind.is_hazard()
            };
            // R42, R47: what the fence for a reported race orders is not reported again.
            let after = !shares && c.kind.is_race() && key(c).0 < at.0;
            key(c) == *at && says || after
        };
        if !folded.conflicts.iter().any(told) {
            wrong.push(format!("across, reference only: {all:?}"));
        }
    }
}

/// Whether a conflict is one of two writers on different queues that share no byte (R61).
fn is_across(timeline: &Timeline<'_>, conflict: &Conflict) -> bool {
    let actor = |node| timeline.submission(timeline.submission_of(node)).actor;
    matches!(
        conflict.kind,
        ConflictKind::FalseSharing | ConflictKind::ConcurrentWriters
    ) && actor(conflict.first.node) != actor(conflict.second.node)
}

fn pair_of(c: &Conflict) -> Pair {
    (
        c.first.node,
        c.first.part,
        c.second.node,
        c.second.part,
        c.kind,
    )
}

/// What is folded is a choice among the pairs: none that is not one, none after what is right, and none missing that
/// nothing comes before.
fn compare_folded(
    folded: &Evaluation,
    pairs: &BTreeSet<Pair>,
    decided: &[Decided<'_>],
    wrong: &mut Vec<String>,
) {
    for conflict in folded.conflicts.iter().filter(|c| c.kind.is_data()) {
        if !pairs.contains(&pair_of(conflict)) {
            wrong.push(format!("folded, but no pair: {:?}", pair_of(conflict)));
        } else if !decided.iter().any(|d| is_bare(d, conflict)) {
            wrong.push(format!(
                "folded, but after what is right: {:?}",
                pair_of(conflict)
            ));
        }
    }
    for d in decided {
        let touches = d.touches();
        for (j, second) in &touches {
            // R42: what comes after a pair that was reported is not reported again.
            let behind = |i: usize, first: &Touch<'_>, cell: &Cell| {
                touches.iter().any(|(k, other)| {
                    let reported = |c: &Conflict| {
                        (c.first.node, c.second.node) == (first.name().0, other.name().0)
                    };
                    i < *k
                        && k < j
                        && other.cells().contains(cell)
                        && folded.conflicts.iter().any(reported)
                })
            };
            let first_hand = touches.iter().any(|(i, first)| {
                i < j
                    && first.cells().intersection(second.cells()).any(|cell| {
                        d.uncovered(*cell, (*i, *first), (*j, *second)).is_some()
                            && !behind(*i, first, cell)
                            && !touches.iter().any(|(k, other)| {
                                i <= k
                                    && k <= j
                                    && other.name() != first.name()
                                    && other.name() != second.name()
                                    && other.cells().contains(cell)
                                    && (first.writes() || other.writes())
                                    && (i == k || !loose(*first, *other))
                            })
                    })
            });
            let (node, _) = second.name();
            let told = |c: &Conflict| {
                c.second.node == node
                    && c.second.resource == second.resource()
                    && !c.kind.is_race()
                    && (c.kind.is_data() || replaces(c.kind))
            };
            // A first half is judged at the second one: a barrier between them may have told of the same write.
            let half = matches!(second, Touch::Entry(entry) if entry.begins);
            let told_later = |c: &Conflict| {
                half && c.second.resource == second.resource() && c.second.node > node
            };
            let is_told = |c: &Conflict| told(c) || told_later(c);
            if first_hand && !folded.conflicts.iter().any(is_told) {
                wrong.push(format!("not folded: anything about {:?}", second.name()));
            }
        }
    }
}

fn replaces(kind: ConflictKind) -> bool {
    matches!(
        kind,
        ConflictKind::UseWhileSplit | ConflictKind::UseInactive | ConflictKind::UseOverwritten
    )
}

fn exempt(first: Touch<'_>, second: Touch<'_>) -> bool {
    matches!((first, second), (Touch::Use(a, _), Touch::Use(b, _)) if is_exempt(a, b))
}

fn loose(first: Touch<'_>, second: Touch<'_>) -> bool {
    matches!((first, second), (Touch::Use(a, _), Touch::Use(b, _)) if is_loose(a, b))
}

/// Whether a folded pair has a cell with no write in between that is right on both sides.
fn is_bare(decided: &Decided<'_>, conflict: &Conflict) -> bool {
    let touches = decided.touches();
    let find = |node, part| {
        touches
            .iter()
            .find(|(_, t)| t.name() == (node, part))
            .copied()
    };
    let second = find(conflict.second.node, conflict.second.part);
    let first = find(conflict.first.node, conflict.first.part);
    let (Some((i, first)), Some((j, second))) = (first, second) else {
        // The first half of a split barrier, next to which an alias is used, is not a touch of its own.
        return second.is_some_and(|_| conflict.first.barrier().is_some());
    };
    if matches!(first, Touch::Entry(e) if e.begins) {
        return true;
    }
    first.cells().intersection(second.cells()).any(|cell| {
        decided.uncovered(*cell, (i, first), (j, second)).is_some()
            && !touches.iter().any(|(k, between)| {
                i < *k
                    && *k < j
                    && matches!(between, Touch::Use(u, _) if u.writes && !u.atomics)
                    && between.cells().contains(cell)
                    && !exempt(first, *between)
                    && !exempt(*between, second)
                    && decided
                        .uncovered(*cell, (i, first), (*k, *between))
                        .is_none()
                    && decided
                        .uncovered(*cell, (*k, *between), (j, second))
                        .is_none()
            })
    })
}

/// Races are reported once per direction between two actors until a fence would have mended them: the first must be
/// there, and whatever is there must be one.
fn compare_races(
    folded: &Evaluation,
    reference: &BTreeMap<(NodeId, ResourceId), BTreeSet<races::Race>>,
    concerns: &dyn Fn(&Conflict) -> bool,
    wrong: &mut Vec<String>,
) {
    for conflict in folded.conflicts.iter().filter(|c| concerns(c)) {
        let key = (conflict.second.node, conflict.second.resource);
        let known = reference.get(&key).is_some_and(|all| {
            all.iter()
                .any(|r| r.first == conflict.first.node && r.kind == conflict.kind)
        });
        if !known {
            wrong.push(format!("race, engine only: {:?}", pair_of(conflict)));
        }
    }
    let mut seen: BTreeSet<(usize, usize)> = BTreeSet::new();
    let reported = |node: NodeId, resource: ResourceId| {
        folded
            .conflicts
            .iter()
            .any(|c| concerns(c) && c.second.node == node && c.second.resource == resource)
    };
    for same in reference
        .iter()
        .collect::<Vec<_>>()
        .chunk_by(|a, b| a.0.0 == b.0.0)
    {
        for ((node, resource), all) in same {
            let fresh = all.iter().any(|r| !seen.contains(&r.actors));
            if fresh && !reported(*node, *resource) {
                wrong.push(format!("race, reference only: {all:?}"));
            }
        }
        seen.extend(
            same.iter()
                .flat_map(|(_, all)| all.iter().map(|r| r.actors)),
        );
    }
}

/// The smallest text that still fails, by deleting lines.
fn shrunk(text: &str, fails: &dyn Fn(&str) -> bool) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    loop {
        let before = lines.len();
        let mut at = 0;
        while at < lines.len() {
            let mut fewer = lines.clone();
            fewer.remove(at);
            if fails(&(fewer.join("\n") + "\n")) {
                lines = fewer;
            } else {
                at += 1;
            }
        }
        if lines.len() == before {
            return lines.join("\n") + "\n";
        }
    }
}

#[test]
fn the_engine_equals_the_reference_on_random_scenarios() {
    let seeds = sizes::REFERENCE.seeds();
    let count = seeds.end - seeds.start;
    let (mut compared, mut failures) = (0, Vec::new());
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    for seed in seeds {
        let text = generate::scenario(seed);
        let Some(wrong) = differences(&text) else {
            continue;
        };
        compared += 1;
        if seed % 16 == 0 {
            kinds.extend(found_kinds(&text));
        }
        if !wrong.is_empty() && failures.len() < 5 {
            let fails = |text: &str| differences(text).is_some_and(|w| !w.is_empty());
            let small = shrunk(&text, &fails);
            let wrong = differences(&small).unwrap_or_default().join("\n");
            failures.push(format!("seed {seed}:\n{small}{wrong}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(
        compared * 10 >= count * 9,
        "{compared} of {count} texts are scenarios"
    );
    // The generator reaches everything that a hazard rule reports.
    assert_eq!(kinds.len(), 18, "{kinds:?}");
}

/// A write after reads of its queue, and a use that comes before the write by a signal that is later in the text: it races
/// with the reads all the same. Texts on which the engine and the reference once differed.
#[test]
fn who_comes_before_a_write_races_with_the_reads_before_it() {
    let texts = [
        "queue gfx : direct
queue async : compute
fence f0
texture t : R8G8B8A8_UNORM 8x8 { layers 24; mips 1; flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
timeline {
  async execute { dispatch 4x1x1 { SHADER_RESOURCE t } }
  async wait f0 5
  async execute {
    barrier { texture t[layer 23..24] { sync COMPUTE_SHADING|COPY -> SPLIT; access COMMON -> UNORDERED_ACCESS; layout COMMON -> UNORDERED_ACCESS } }
  }
  gfx execute { discard t[layer 12..13] }
  gfx signal f0 5
}
",
        "queue gfx : direct
queue async : compute
queue third : compute
fence f0
fence f1
heap pool : 1MiB
buffer b : 6144B { flags UNORDERED_ACCESS; heap pool at 0 }
timeline {
  third wait f0 1
  async execute { dispatch 4x1x1 { SHADER_RESOURCE b[1792..2560] } }
  third wait f1 2
  third execute { dispatch 4x1x1 { UNORDERED_ACCESS b writes } }
  gfx execute { dispatch 4x1x1 { UNORDERED_ACCESS b writes } }
  async signal f1 2
  gfx signal f0 1
}
",
    ];
    for text in texts {
        assert_eq!(differences(text), Some(Vec::new()), "{text}");
        let races = found_kinds(text);
        assert!(
            races.iter().any(|kind| kind.starts_with("Race")),
            "{races:?}"
        );
    }
}

/// The scenarios of `crowds.rs`: against the reference where they are small, lazy against eager where they are large.
#[test]
fn the_engine_equals_the_reference_on_crowds() {
    let mut kinds: BTreeSet<String> = BTreeSet::new();
    let (mut saves, mut failures) = (0, Vec::new());
    let seeds = sizes::CROWDS.seeds();
    let count = seeds.end - seeds.start;
    for seed in seeds {
        let is_large = seed % 4 != 0;
        let (ranges, commands) = if is_large { (60, 120) } else { (24, 20) };
        let text = crowds::scenario(
            seed,
            crowds::Crowd {
                ranges,
                commands,
                rows: true,
            },
        );
        kinds.extend(found_kinds(&text));
        saves += u64::from(is_cheaper_if_lazy(&text));
        let differs = |text: &str| {
            if is_large {
                let (parsed, _) = scenario::parse(&Source::new("crowd.scn", text.to_string()));
                differs_if_lazy(&Timeline::new(&parsed))
                    .into_iter()
                    .collect()
            } else {
                differences(text).unwrap_or_default()
            }
        };
        if !differs(&text).is_empty() && failures.len() < 3 {
            let small = shrunk(&text, &|text| !differs(text).is_empty());
            failures.push(format!(
                "seed {seed}:\n{small}{}",
                differs(&small).join("\n")
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
    assert!(kinds.len() > 10, "{kinds:?}");
    assert!(saves * 4 > count, "{saves} of {count} are cheaper if lazy");
}

fn found_kinds(text: &str) -> BTreeSet<String> {
    let (parsed, _) = scenario::parse(&Source::new("random.scn", text.to_string()));
    let evaluation = graph::evaluate(&Timeline::new(&parsed), graph::Request::default());
    let kinds = evaluation.conflicts.iter();
    kinds.map(|c| format!("{:?}", c.kind)).collect()
}
