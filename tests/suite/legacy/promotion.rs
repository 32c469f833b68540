//! Promotion and decay, enumerated: what a first scope does to a resource against every `StateBefore` after it.
//!
//! The expectation is the specification's list in "Resource State Promotion and Decay", read here a second time.

use super::{errors, parse};

/// What happens to the resource before the transition that is checked.
#[derive(Copy, Clone, Debug)]
enum Act {
    Nothing,
    Use(&'static str),
    Transition(&'static str),
}

/// A resource: its declaration, and whether it is a buffer or a simultaneous-access texture.
const RESOURCES: [(&str, bool, bool); 3] = [
    (
        "texture r : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS; state COMMON }",
        false,
        false,
    ),
    (
        "texture r : R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state COMMON }",
        true,
        false,
    ),
    ("buffer r : 16KiB { flags UNORDERED_ACCESS }", true, true),
];

const STATES: [&str; 8] = [
    "COMMON",
    "COPY_DEST",
    "COPY_SOURCE",
    "NON_PIXEL_SHADER_RESOURCE",
    "PIXEL_SHADER_RESOURCE",
    "NON_PIXEL_SHADER_RESOURCE|PIXEL_SHADER_RESOURCE",
    "UNORDERED_ACCESS",
    "NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE",
];

/// The command that uses the resource so.
fn command(state: &str, is_buffer: bool) -> String {
    match state {
        "COPY_DEST" => "copy other -> r".to_owned(),
        "COPY_SOURCE" => "copy r -> other".to_owned(),
        "PIXEL_SHADER_RESOURCE" => {
            "draw vertices 3 pixels 4 { SHADER_RESOURCE r @ PIXEL_SHADING }".to_owned()
        }
        "NON_PIXEL_SHADER_RESOURCE" => "dispatch 1x1x1 { SHADER_RESOURCE r }".to_owned(),
        "UNORDERED_ACCESS" => "dispatch 1x1x1 { UNORDERED_ACCESS r }".to_owned(),
        other => panic!("no command for {other}, buffer: {is_buffer}"),
    }
}

/// Whether `COMMON` is promoted to the state. The list's first and second bullet.
fn promotable(state: &str, free: bool) -> bool {
    // None of the states here is a depth-stencil state.
    free || state != "UNORDERED_ACCESS"
}

fn is_write(state: &str) -> bool {
    state == "COPY_DEST" || state == "UNORDERED_ACCESS"
}

/// The state in which the second transition finds the resource, and whether reads promoted it.
fn state_then(act: Act, free: bool, queue: &str, same_scope: bool) -> (&'static str, bool) {
    let (state, by_use) = match act {
        Act::Nothing => return ("COMMON", false),
        Act::Use(state) if !promotable(state, free) => return ("COMMON", false),
        Act::Use(state) => (state, true),
        Act::Transition(state) => (state, false),
    };
    if same_scope {
        return (state, by_use && !is_write(state));
    }
    // "All resources used in Copy queues … always decay"; buffers and simultaneous-access textures do everywhere.
    let decays = free || queue == "copy" || by_use && !is_write(state);
    if decays {
        ("COMMON", false)
    } else {
        (state, false)
    }
}

fn bits(state: &str) -> Vec<&str> {
    state.split('|').collect()
}

fn is_right(found: (&str, bool), before: &str, free: bool) -> bool {
    let (state, by_reads) = found;
    if state == "COMMON" {
        return before == "COMMON" || promotable(before, free);
    }
    if by_reads {
        // "Resources can be cumulatively promoted to multiple read-states": StateBefore may add reads.
        let reads = bits(before);
        return before != "COMMON"
            && reads.iter().all(|bit| !is_write(bit))
            && bits(state).iter().all(|bit| reads.contains(bit));
    }
    before == state
}

#[test]
fn every_state_before_is_judged_by_what_came_before() {
    let acts = [
        Act::Nothing,
        Act::Use("COPY_DEST"),
        Act::Use("COPY_SOURCE"),
        Act::Use("NON_PIXEL_SHADER_RESOURCE"),
        Act::Use("PIXEL_SHADER_RESOURCE"),
        Act::Use("UNORDERED_ACCESS"),
        Act::Transition("COPY_DEST"),
        Act::Transition("COPY_SOURCE"),
        Act::Transition("NON_PIXEL_SHADER_RESOURCE"),
        Act::Transition("UNORDERED_ACCESS"),
    ];
    let (mut right, mut wrong) = (0, 0);
    for (declaration, free, is_buffer) in RESOURCES {
        for act in acts {
            for queue in ["direct", "compute", "copy"] {
                let state = match act {
                    Act::Nothing => "COPY_SOURCE",
                    Act::Use(state) | Act::Transition(state) => state,
                };
                let available = match queue {
                    "direct" => true,
                    "compute" => state != "PIXEL_SHADER_RESOURCE",
                    _ => state.starts_with("COPY"),
                };
                if !available {
                    continue;
                }
                for same_scope in [true, false] {
                    for before in STATES {
                        // The second transition runs where every state can be named, unless it is the same scope.
                        if same_scope && queue != "direct" {
                            continue;
                        }
                        let first = match act {
                            Act::Nothing => String::new(),
                            Act::Use(state) => command(state, is_buffer),
                            Act::Transition(to) => {
                                format!("legacy {{ transition r COMMON -> {to} }}")
                            }
                        };
                        let after = if before == "RENDER_TARGET" || is_buffer {
                            "INDIRECT_ARGUMENT"
                        } else {
                            "RENDER_TARGET"
                        };
                        let second = format!("legacy {{ transition r {before} -> {after} }}");
                        let lists = if same_scope {
                            format!(
                                "list a : direct {{\n  {first}\n  {second}\n}}\ntimeline {{ q execute a }}\n"
                            )
                        } else {
                            format!(
                                "queue p : {queue}\nfence f\nlist a : {queue} {{\n  {first}\n}}\nlist b : direct {{\n  {second}\n}}\n\
                                 timeline {{\n  p execute a\n  p signal f 1\n  q wait f 1\n  q execute b\n}}\n"
                            )
                        };
                        let text = format!(
                            "{declaration}\nbuffer other : 16KiB\nqueue q : direct\n{lists}"
                        );
                        let found: Vec<_> = errors(&parse(&text))
                            .into_iter()
                            .filter(|(id, _)| *id == "LB004")
                            .collect();
                        let expected =
                            is_right(state_then(act, free, queue, same_scope), before, free);
                        assert_eq!(
                            found.is_empty(),
                            expected,
                            "{act:?} on {queue}, same scope: {same_scope}, StateBefore {before}\n{text}\n{found:?}"
                        );
                        if expected {
                            right += 1;
                        } else {
                            wrong += 1;
                        }
                    }
                }
            }
        }
    }
    assert!(right > 100 && wrong > 100, "{right} right, {wrong} wrong");
}

fn ids(text: &str) -> Vec<&'static str> {
    errors(&parse(text)).into_iter().map(|(id, _)| id).collect()
}

const TEXTURE: &str =
    "texture t : R8G8B8A8_UNORM 8x8 { mips 4; flags RENDER_TARGET; state RENDER_TARGET }\n";

#[test]
fn a_race_is_silent_until_something_comes_after_both() {
    // Reading R23. Two queues transition the texture without a fence: which state it is in afterwards nobody knows.
    let lists = "list a : direct { legacy { transition t RENDER_TARGET -> COPY_SOURCE } }
        list b : compute { legacy { transition t COPY_SOURCE -> NON_PIXEL_SHADER_RESOURCE } }
        list c : direct { legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE } }
        list d : direct { legacy { transition t RENDER_TARGET -> COPY_SOURCE } }
        queue q : direct
        queue p : compute
        fence f\n";
    let racing = format!("{TEXTURE}{lists}timeline {{ q execute a; p execute b; q execute c }}\n");
    assert_eq!(ids(&racing), [""; 0]);
    // Behind a fence the same entries are compared; the last is wrong again, and the first that follows both.
    let ordered = format!(
        "{TEXTURE}{lists}timeline {{ q execute a; q signal f 1; p wait f 1; p execute b; p signal f 2; q wait f 2; q execute c }}\n"
    );
    assert_eq!(ids(&ordered), ["LB004"]);
    let after = format!(
        "{TEXTURE}{lists}timeline {{ q execute a; p execute b; p signal f 1; q wait f 1; q execute c; q execute d }}\n"
    );
    assert_eq!(
        ids(&after),
        ["LB004"],
        "c is ordered after both and sets the state that d misses"
    );
}

#[test]
fn subresources_are_told_apart() {
    let list = |body: &str| {
        format!(
            "{TEXTURE}queue q : direct\nlist l : direct {{ {body} }}\ntimeline {{ q execute l }}\n"
        )
    };
    let one = "legacy { transition t[mip 1] RENDER_TARGET -> COPY_SOURCE }";
    assert_eq!(
        ids(&list(&format!(
            "{one}\n legacy {{ transition t RENDER_TARGET -> COPY_DEST }}"
        ))),
        ["LB004"]
    );
    assert_eq!(
        ids(&list(&format!(
            "{one}\n legacy {{ transition t[mip 2..4] RENDER_TARGET -> COPY_DEST; transition t[mip 1] COPY_SOURCE -> COPY_DEST }}"
        ))),
        [""; 0]
    );
    // Halves that name different subresources.
    assert_eq!(
        ids(&list(
            "legacy { transition t RENDER_TARGET -> COPY_SOURCE begin }\n legacy { transition t[mip 0] RENDER_TARGET -> COPY_SOURCE end }"
        )),
        ["LB013"]
    );
}

#[test]
fn unmatched_halves_of_buffers_are_warnings() {
    let text = "buffer b : 4KiB { flags UNORDERED_ACCESS }\nqueue q : direct
        list one : direct { legacy { transition b UNORDERED_ACCESS -> INDIRECT_ARGUMENT begin } }
        list two : direct { legacy { transition b UNORDERED_ACCESS -> INDIRECT_ARGUMENT end } }
        timeline { q execute one; q execute two }\n";
    assert_eq!(ids(text), [""; 0]);
    let warned = super::legality(&parse(text));
    let mut warned: Vec<_> = warned.iter().map(|f| f.rule.id).collect();
    warned.sort_unstable();
    assert_eq!(warned, ["LB011", "LB012"]);
}

#[test]
fn a_list_that_never_executes_is_held_to_itself() {
    let list = |body: &str| format!("{TEXTURE}list l : direct {{ {body} }}\n");
    // The first StateBefore is assumed, whatever the creation says.
    assert_eq!(
        ids(&list(
            "legacy { transition t COPY_DEST -> COPY_SOURCE }\n legacy { transition t COPY_SOURCE -> RENDER_TARGET }"
        )),
        [""; 0]
    );
    let found = errors(&parse(&list(
        "legacy { transition t COPY_DEST -> COPY_SOURCE }\n legacy { transition t COPY_DEST -> RENDER_TARGET }",
    )));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].0, "LB004");
    assert!(found[0].1.contains("is recorded"), "{}", found[0].1);
    // What one such list leaves is nothing that another one finds.
    let leaves = list("legacy { transition t COPY_DEST -> RENDER_TARGET }");
    let finds = "list other : direct { legacy { transition t COPY_SOURCE -> COPY_DEST } }\n";
    assert_eq!(ids(&format!("{leaves}{finds}")), [""; 0]);
}

#[test]
fn every_execution_is_checked_and_folded() {
    // Right the first time, wrong from the second on.
    let text = format!(
        "{TEXTURE}queue q : direct\nlist l : direct {{ legacy {{ transition t RENDER_TARGET -> COPY_SOURCE }} }}\n\
         timeline {{ repeat 5 {{ q execute l }} }}\n"
    );
    let found: Vec<_> = super::legality(&parse(&text));
    let wrong: Vec<_> = found.iter().filter(|f| f.severity.fails()).collect();
    assert_eq!(wrong.len(), 1);
    assert_eq!(wrong[0].repeats, 4);
    assert!(
        wrong[0]
            .notes
            .iter()
            .any(|n| n.contains("executes: it depends on what ran before"))
    );
}
