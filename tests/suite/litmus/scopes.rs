//! Two threads, a fence of some scope in each: every combination, with verdicts derived by hand from the decisions of
//! the book's page on litmus tests.
//!
//! A grid has a row for the fence of thread 0 and a column for that of thread 1: none, `sync_ugroup`, `sync_uglobal`.
//! `A` is allowed, `F` forbidden. Both variables are globally coherent unless it says otherwise.

use super::parsed;
use syncscope::kernel::Verdict;
use syncscope::litmus::examine::{ExamineOptions, ModelName, examine};

/// Two threads with a hole for the fence, and what must not come out.
struct Shape {
    name: &'static str,
    threads: [[&'static str; 2]; 2],
    condition: &'static str,
    /// In one group.
    together: [&'static str; 3],
    /// In two groups.
    apart: [&'static str; 3],
    /// In two groups, if a group-scope fence takes in only what was published to its group.
    apart_by_scope: [&'static str; 3],
}

const FENCES: [&str; 3] = ["", "sync_ugroup; ", "sync_uglobal; "];

/// In one group any UAV fence is wide enough ("device scope includes the group"), and one is needed on both sides
/// (decision 2).
const TOGETHER: [&str; 3] = ["AAA", "AFF", "AFF"];

const SHAPES: [Shape; 6] = [
    // The writer's fence must publish x to the reader: to the device if the reader is elsewhere (decision 4). The reader's
    // fence orders its own two loads, whatever its scope (decision 2); the other reading asks for device scope there too.
    Shape {
        name: "message passing",
        threads: [["st x 1; ", "st y 1"], ["ld r0 y; ", "ld r1 x"]],
        condition: "1:r0 == 1 & 1:r1 == 0",
        together: TOGETHER,
        apart: ["AAA", "AAA", "AFF"],
        apart_by_scope: ["AAA", "AAA", "AAF"],
    },
    // Each thread's store must be published to the other before it loads: one of the two fences comes second and has to
    // take in what the first published. A group-scope one publishes nothing to the other group, and it may be the first.
    Shape {
        name: "store buffering",
        threads: [["st x 1; ", "ld r0 y"], ["st y 1; ", "ld r1 x"]],
        condition: "0:r0 == 0 & 1:r1 == 0",
        together: TOGETHER,
        apart: ["AAA", "AAA", "AAF"],
        apart_by_scope: ["AAA", "AAA", "AAF"],
    },
    // Nothing need be published: each thread only keeps its load before its store.
    Shape {
        name: "load buffering",
        threads: [["ld r0 x; ", "st y 1"], ["ld r1 y; ", "st x 1"]],
        condition: "0:r0 == 1 & 1:r1 == 1",
        together: TOGETHER,
        apart: TOGETHER,
        apart_by_scope: TOGETHER,
    },
    // As message passing: who has taken in x = 2 stores after it (decision 7).
    Shape {
        name: "S",
        threads: [["st x 2; ", "st y 1"], ["ld r0 y; ", "st x 1"]],
        condition: "1:r0 == 1 & x == 2",
        together: TOGETHER,
        apart: ["AAA", "AAA", "AFF"],
        apart_by_scope: ["AAA", "AAA", "AAF"],
    },
    // As store buffering: the later fence has to take in the earlier thread's store, whichever is the later.
    Shape {
        name: "R",
        threads: [["st x 1; ", "st y 1"], ["st y 2; ", "ld r0 x"]],
        condition: "y == 2 & 1:r0 == 0",
        together: TOGETHER,
        apart: ["AAA", "AAA", "AAF"],
        apart_by_scope: ["AAA", "AAA", "AAF"],
    },
    Shape {
        name: "2+2W",
        threads: [["st x 1; ", "st y 2"], ["st y 1; ", "st x 2"]],
        condition: "x == 1 & y == 1",
        together: TOGETHER,
        apart: ["AAA", "AAA", "AAF"],
        apart_by_scope: ["AAA", "AAA", "AAF"],
    },
];

/// What the specification says of a shape in every combination of fences.
fn grid(shape: &Shape, declared: &str, apart: bool, by_scope: bool) -> [String; 3] {
    let mut options = ExamineOptions::default();
    options.knobs.takes_by_scope = by_scope;
    FENCES.map(|first| {
        let cells = FENCES.map(|second| {
            let [[a, b], [c, d]] = shape.threads;
            let text = format!(
                "{declared}\nthread group 0 cs {{ {a}{first}{b} }}\n\
                 thread group {} cs {{ {c}{second}{d} }}\nexpect allowed {}\n",
                u8::from(apart),
                shape.condition
            );
            let answer = examine(&parsed(&text), &options);
            match answer.judged[0].verdict {
                Some(Verdict::Allowed) => 'A',
                Some(Verdict::Forbidden) => 'F',
                Some(Verdict::Undefined) => 'U',
                other => panic!("{}: {other:?}\n{text}", shape.name),
            }
        });
        cells.into_iter().collect()
    })
}

const COHERENT: &str = "uav x globallycoherent\nuav y globallycoherent";
const PLAIN: &str = "uav x\nuav y";

#[test]
fn every_pair_of_scopes_has_the_verdict_of_the_text() {
    for shape in &SHAPES {
        let name = shape.name;
        assert_eq!(
            grid(shape, COHERENT, false, false),
            shape.together,
            "{name}"
        );
        assert_eq!(grid(shape, COHERENT, true, false), shape.apart, "{name}");
    }
}

/// The disputed word moves nothing inside a group: what is published to the device is published to the group.
#[test]
fn taking_by_scope_matters_between_groups_only() {
    for shape in &SHAPES {
        let name = shape.name;
        assert_eq!(grid(shape, COHERENT, false, true), shape.together, "{name}");
        let apart = grid(shape, COHERENT, true, true);
        assert_eq!(apart, shape.apart_by_scope, "{name}");
    }
}

/// Decision 5: on a UAV that is not globally coherent `_uglobal` acts as `_ugroup`, which is enough in one group.
/// Decision 8: between groups a plain load that can find the other group's write makes the test undefined; where no load
/// can, only stores are ordered as by group scope, which publishes nothing to the other group.
#[test]
fn on_other_uavs_device_scope_acts_as_group_scope() {
    for shape in &SHAPES {
        let name = shape.name;
        assert_eq!(grid(shape, PLAIN, false, false), shape.together, "{name}");
        let apart = grid(shape, PLAIN, true, false);
        if shape.name == "2+2W" {
            assert_eq!(apart, ["AAA", "AAA", "AAA"], "{name}");
        } else {
            assert_eq!(apart, ["UUU", "UUU", "UUU"], "{name}");
        }
    }
}

/// Decision 3, and 6 for the meeting: x is groupshared, y a UAV. Only a fence that names both classes orders one after
/// the other. Rows and columns: `_g`, `_ugroup`, `_ugroup_g`, `_uglobal_g`.
#[test]
fn only_a_fence_of_both_classes_orders_one_after_the_other() {
    const NAMES: [&str; 4] = ["sync_g", "sync_ugroup", "sync_ugroup_g", "sync_uglobal_g"];
    for shape in SHAPES.iter().filter(|s| s.name != "2+2W" && s.name != "S") {
        for (i, first) in NAMES.iter().enumerate() {
            for (j, second) in NAMES.iter().enumerate() {
                let [[a, b], [c, d]] = shape.threads;
                let text = format!(
                    "groupshared x\nuav y\nthread group 0 cs {{ {a}{first}; {b} }}\n\
                     thread group 0 cs {{ {c}{second}; {d} }}\nexpect allowed {}\n",
                    shape.condition
                );
                let answer = examine(&parsed(&text), &ExamineOptions::default());
                let forbidden = i >= 2 && j >= 2;
                let expected = if forbidden {
                    Verdict::Forbidden
                } else {
                    Verdict::Allowed
                };
                assert_eq!(answer.judged[0].verdict, Some(expected), "{text}");
            }
        }
    }
}

/// Whatever the scopes: what a machine shows, the text allows.
#[test]
fn machines_stay_inside_for_every_pair_of_scopes() {
    for shape in &SHAPES {
        for first in FENCES {
            for second in FENCES {
                for group in [0, 1] {
                    let [[a, b], [c, d]] = shape.threads;
                    let text = format!(
                        "{COHERENT}\nthread group 0 cs {{ {a}{first}{b} }}\n\
                         thread group {group} cs {{ {c}{second}{d} }}\nexpect allowed {}\n",
                        shape.condition
                    );
                    let answer = examine(&parsed(&text), &ExamineOptions::default());
                    let reached = &answer.judged[0].reached;
                    let (_, allowed) = reached
                        .iter()
                        .find(|(m, _)| *m == ModelName::Specification)
                        .expect("the specification was explored");
                    assert!(
                        *allowed || reached.iter().all(|(_, seen)| !seen),
                        "{text}{reached:?}"
                    );
                }
            }
        }
    }
}
