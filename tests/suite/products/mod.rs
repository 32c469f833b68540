//! Every word with every other: layouts, accesses, scopes and queue types, each combination entered as a scenario of
//! one barrier and compared with a model of the rules that is written here from the specification's text.
//!
//! The tables come from `fixtures/specification-tables.txt`, typed from the specification; what the readings R01 to R10,
//! R27, R28, R30, R31, R35, R36, R58 and R60 add is written out below. Nothing here asks the program's own tables.
//!
//! Lists are not executed: a first barrier is then checked by itself, since every layout and access before is assumed.

mod model;
mod to_the_letter;

use model::{
    ACCESSES, ONLY_ON_BUFFERS, QUEUES, SYNCS, Tables, demands_no_access_after,
    demands_structure_write, flag_of,
};
use std::collections::BTreeSet;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::validate::{self, RuleSet};
use syncscope::{legacy, scenario};

const RULE_SETS: [RuleSet; 3] = [RuleSet::Specification, RuleSet::Tables, RuleSet::DebugLayer];

/// One barrier in a list that nobody executes.
struct Case {
    text: String,
    scenario: scenario::Scenario,
}

impl Case {
    fn new(declaration: &str, queue: &str, entry: &str) -> Self {
        let text = format!("{declaration}\nlist l : {queue} {{ barrier {{ {entry} }} }}\n");
        let (scenario, findings) = scenario::parse(&Source::new("product", text.as_str()));
        assert!(findings.is_empty(), "{text}{findings:?}");
        Self { text, scenario }
    }

    /// `(errors, warnings)` by id.
    fn found(&self, rules: RuleSet) -> (BTreeSet<&'static str>, BTreeSet<&'static str>) {
        let plain = legacy::translate(&self.scenario);
        let timeline = Timeline::new(&plain);
        let findings = validate::validate(&self.scenario, &timeline, rules);
        let (errors, others): (Vec<_>, Vec<_>) = findings.iter().partition(|f| f.severity.fails());
        let ids =
            |list: Vec<&syncscope::finding::Finding>| list.iter().map(|f| f.rule.id).collect();
        (ids(errors), ids(others))
    }

    /// An error is found exactly if a rule is broken, and only rules that are broken are named.
    fn compare(&self, rules: RuleSet, broken: &BTreeSet<&'static str>) {
        let (errors, _) = self.found(rules);
        assert!(
            errors.is_empty() == broken.is_empty() && errors.is_subset(broken),
            "{:?}\n{}found {errors:?}, but {broken:?} are broken",
            rules,
            self.text
        );
    }
}

/// A side with its twin: the words on the side that is looked at, and words that are legal everywhere on the other.
fn sided(before: bool, this: &str, other: &str) -> String {
    if before {
        format!("{this} -> {other}")
    } else {
        format!("{other} -> {this}")
    }
}

#[test]
fn every_layout_with_every_access_on_every_queue_type() {
    let tables = Tables::new();
    let mut cases = 0;
    for queue in QUEUES {
        for layout in &tables.layouts {
            for access in ACCESSES {
                for before in [true, false] {
                    cases += 1;
                    layout_access_case(&tables, queue, layout, access, before);
                }
            }
        }
    }
    assert_eq!(cases, 6 * 38 * 25 * 2);
}

fn layout_access_case(tables: &Tables, queue: &str, layout: &str, access: &str, before: bool) {
    let depth = [layout, access]
        .iter()
        .any(|word| flag_of(word) == Some("DEPTH_STENCIL"));
    let (format, flags) = if depth {
        ("D32_FLOAT", "DEPTH_STENCIL")
    } else {
        ("R8G8B8A8_UNORM", "RENDER_TARGET|UNORDERED_ACCESS")
    };
    let case = Case::new(
        &format!("texture t : {format} 64x64 {{ flags {flags} }}"),
        queue,
        &format!(
            "texture t {{ sync {}; access {}; layout {} }}",
            sided(before, "ALL", "NONE"),
            sided(before, access, "NO_ACCESS"),
            sided(before, layout, "COMMON"),
        ),
    );
    for rules in RULE_SETS {
        let mut broken = BTreeSet::new();
        // Reading R30.
        if queue == "copy" && layout != "COMMON" {
            broken.insert("EB022");
        }
        if !tables.queue_layout(rules, queue, layout) {
            broken.insert("EB014");
        } else if layout == "31" && access != "NO_ACCESS" {
            // No table says what the newest header's layout allows.
            continue;
        }
        if !tables.queue_access(queue, access) {
            broken.insert("EB016");
        }
        if ONLY_ON_BUFFERS.contains(&access) {
            broken.insert("EB051");
        }
        if layout == "UNDEFINED" && access != "NO_ACCESS" {
            broken.insert("EB013");
        }
        let lacks = |word| flag_of(word).is_some_and(|flag| !flags.split('|').any(|f| f == flag));
        if lacks(layout) || lacks(access) {
            broken.insert("EB017");
        }
        if layout != "UNDEFINED" && !tables.layout_access(layout, access) {
            broken.insert("EB019");
        }
        if demands_no_access_after(rules, access, before) {
            broken.insert("EB010");
        }
        case.compare(rules, &broken);
    }
}

/// A texture with the creation flag that a layout or an access needs, and a format that goes with the flag.
fn created_for(word: &str) -> String {
    match flag_of(word) {
        None => "texture t : R8G8B8A8_UNORM 64x64 { }".to_owned(),
        Some("DEPTH_STENCIL") => "texture t : D32_FLOAT 64x64 { flags DEPTH_STENCIL }".to_owned(),
        Some(flag) => format!("texture t : R8G8B8A8_UNORM 64x64 {{ flags {flag} }}"),
    }
}

#[test]
fn every_layout_on_every_queue_type() {
    let tables = Tables::new();
    for queue in QUEUES {
        for layout in &tables.layouts {
            for before in [true, false] {
                let case = Case::new(
                    &created_for(layout),
                    queue,
                    &format!(
                        "texture t {{ sync {}; access NO_ACCESS -> NO_ACCESS; layout {} }}",
                        sided(before, "ALL", "NONE"),
                        sided(before, layout, "COMMON"),
                    ),
                );
                for rules in RULE_SETS {
                    let (errors, _) = case.found(rules);
                    let legal = tables.queue_layout(rules, queue, layout)
                        && (queue != "copy" || *layout == "COMMON");
                    assert_eq!(errors.is_empty(), legal, "{rules:?}\n{}", case.text);
                }
            }
        }
    }
}

/// Global entries have neither layouts nor creation flags: only scopes, accesses and queues decide.
#[test]
fn every_scope_beside_every_access() {
    let tables = Tables::new();
    for queue in QUEUES {
        for sync in SYNCS {
            for access in ACCESSES {
                for before in [true, false] {
                    let case = global(queue, sync, access, before);
                    for rules in RULE_SETS {
                        let mut broken = BTreeSet::new();
                        if sync == "SPLIT" {
                            broken.insert("EB009");
                        }
                        let none = sync == "NONE" && access != "NO_ACCESS";
                        if none || demands_no_access_after(rules, access, before) {
                            broken.insert("EB010");
                        }
                        if !tables.queue_sync(queue, sync) {
                            broken.insert("EB015");
                        }
                        if !tables.queue_access(queue, access) {
                            broken.insert("EB016");
                        }
                        if !tables.access_sync(rules, access, sync) {
                            broken.insert("EB020");
                        }
                        case.compare(rules, &broken);
                    }
                }
            }
        }
    }
}

fn global(queue: &str, sync: &str, access: &str, before: bool) -> Case {
    Case::new(
        "",
        queue,
        &format!(
            "global {{ sync {}; access {} }}",
            sided(before, sync, "NONE"),
            sided(before, access, "NO_ACCESS"),
        ),
    )
}

#[test]
fn every_scope_on_every_queue_type() {
    let tables = Tables::new();
    for queue in QUEUES {
        for sync in SYNCS.iter().filter(|sync| **sync != "SPLIT") {
            for before in [true, false] {
                let case = global(queue, sync, "NO_ACCESS", before);
                for rules in RULE_SETS {
                    let (errors, _) = case.found(rules);
                    let legal = tables.queue_sync(queue, sync)
                        && !(rules == RuleSet::Tables
                            && demands_structure_write("NO_ACCESS", sync));
                    assert_eq!(errors.is_empty(), legal, "{rules:?}\n{}", case.text);
                }
            }
        }
    }
}

#[test]
fn every_access_on_every_queue_type() {
    let tables = Tables::new();
    for queue in QUEUES {
        for access in ACCESSES {
            for before in [true, false] {
                let case = global(queue, "ALL", access, before);
                for rules in RULE_SETS {
                    let (errors, _) = case.found(rules);
                    let legal = tables.queue_access(queue, access)
                        && !demands_no_access_after(rules, access, before);
                    assert_eq!(errors.is_empty(), legal, "{rules:?}\n{}", case.text);
                }
            }
        }
    }
}

/// Enhanced Barriers specification, "Layout Access Compatibility", first table; the creation flag is still needed (reading
/// R35), and an access of buffers stays wrong (reading R60).
#[test]
fn a_barrier_of_memory_alone_takes_any_access() {
    let tables = Tables::new();
    for queue in QUEUES {
        for access in ACCESSES {
            for before in [true, false] {
                let case = Case::new(
                    &created_for(access),
                    queue,
                    &format!(
                        "texture t {{ sync {}; access {}; layout UNDEFINED -> UNDEFINED }}",
                        sided(before, "ALL", "NONE"),
                        sided(before, access, "NO_ACCESS"),
                    ),
                );
                for rules in RULE_SETS {
                    let (errors, _) = case.found(rules);
                    let of_buffers = ONLY_ON_BUFFERS.contains(&access);
                    let legal = tables.queue_access(queue, access)
                        && !of_buffers
                        && !demands_no_access_after(rules, access, before);
                    assert_eq!(errors.is_empty(), legal, "{rules:?}\n{}", case.text);
                    assert_eq!(errors.contains("EB051"), of_buffers, "{}", case.text);
                }
            }
        }
    }
}

/// Enhanced Barriers specification, "`COMMON` Layout", second list; reading R66 adds what lists of the queue's type allow.
#[test]
fn every_access_of_a_simultaneous_texture_in_common() {
    const ALLOWED: [&str; 10] = [
        "COMMON",
        "NO_ACCESS",
        "SHADER_RESOURCE",
        "COPY_DEST",
        "COPY_SOURCE",
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "RESOLVE_DEST",
        "RESOLVE_SOURCE",
        "SHADING_RATE_SOURCE",
    ];
    for access in ACCESSES {
        for before in [true, false] {
            let case = Case::new(
                "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }",
                "direct",
                &format!(
                    "texture t {{ sync {}; access {}; layout COMMON -> COMMON }}",
                    sided(before, "ALL", "NONE"),
                    sided(before, access, "NO_ACCESS"),
                ),
            );
            let (errors, _) = case.found(RuleSet::Specification);
            assert_eq!(
                errors.is_empty(),
                ALLOWED.contains(&access),
                "{}",
                case.text
            );
        }
    }
}

/// Reading R64: decoders read upload memory, which the list leaves out.
#[test]
fn a_decoder_reads_upload_memory() {
    for (heap, rules, legal) in [
        ("upload", RuleSet::Specification, true),
        ("upload", RuleSet::DebugLayer, true),
        ("upload", RuleSet::Tables, false),
        ("readback", RuleSet::Specification, false),
    ] {
        let case = Case::new(
            &format!("buffer b : 4KiB {{ type {heap} }}"),
            "video_decode",
            "buffer b { sync VIDEO_DECODE -> VIDEO_DECODE; access VIDEO_DECODE_READ -> VIDEO_DECODE_READ }",
        );
        let (errors, _) = case.found(rules);
        assert_eq!(!errors.contains("EB018"), legal, "{rules:?}\n{}", case.text);
    }
}

/// Enhanced Barriers specification, "Upload Heap Resources", "Readback Heap Resources".
#[test]
fn every_access_in_every_heap() {
    const UPLOAD: [&str; 9] = [
        "COMMON",
        "NO_ACCESS",
        "VERTEX_BUFFER",
        "CONSTANT_BUFFER",
        "INDEX_BUFFER",
        "SHADER_RESOURCE",
        "INDIRECT_ARGUMENT",
        "COPY_SOURCE",
        "RESOLVE_SOURCE",
    ];
    const READBACK: [&str; 4] = ["COMMON", "NO_ACCESS", "COPY_DEST", "RESOLVE_DEST"];
    for (heap, allowed) in [("upload", &UPLOAD[..]), ("readback", &READBACK[..])] {
        for access in ACCESSES {
            for before in [true, false] {
                let entry = format!(
                    "buffer b {{ sync {}; access {} }}",
                    sided(before, "ALL", "NONE"),
                    sided(before, access, "NO_ACCESS"),
                );
                let declaration = format!("buffer b : 4KiB {{ type {heap} }}");
                let case = Case::new(&declaration, "direct", &entry);
                let (errors, _) = case.found(RuleSet::Specification);
                assert_eq!(
                    errors.is_empty(),
                    allowed.contains(&access),
                    "{}",
                    case.text
                );
                // Footnotes of both lists: resolves there need sampler feedback.
                let declaration =
                    format!("device {{ capability sampler-feedback off }}\n{declaration}");
                let case = Case::new(&declaration, "direct", &entry);
                let (errors, _) = case.found(RuleSet::Specification);
                let legal = allowed.contains(&access) && !access.starts_with("RESOLVE");
                assert_eq!(errors.is_empty(), legal, "{}", case.text);
            }
        }
    }
}

/// Reading R31: what the shipped debug layer is known to refuse although the tables allow it.
#[test]
fn what_the_debug_layer_refuses() {
    let texture = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }";
    let activation = |access: &str| {
        format!(
            "texture t {{ sync NONE -> RENDER_TARGET; access NO_ACCESS -> {access}; layout UNDEFINED -> RENDER_TARGET; discard }}"
        )
    };
    for (access, legal) in [("NO_ACCESS", false), ("RENDER_TARGET", true)] {
        let case = Case::new(texture, "direct", &activation(access));
        assert!(
            case.found(RuleSet::Specification).0.is_empty(),
            "{}",
            case.text
        );
        assert_eq!(
            case.found(RuleSet::DebugLayer).0.is_empty(),
            legal,
            "{}",
            case.text
        );
    }
}

/// "At least one of the listed sync bits", for every access bit: two scopes serve what either serves, and two accesses
/// need what both need.
#[test]
fn pairs_of_bits_follow_from_single_bits() {
    let tables = Tables::new();
    let syncs = &SYNCS[1..SYNCS.len() - 1];
    let accesses = &ACCESSES[1..ACCESSES.len() - 1];
    let legal = |access: &str, sync: &str| {
        tables.queue_access("direct", access)
            && tables.queue_sync("direct", sync)
            && tables.access_sync(RuleSet::Specification, access, sync)
    };
    let compare = |sync: &str, access: &str, legal: bool| {
        let case = global("direct", sync, access, true);
        let (errors, _) = case.found(RuleSet::Specification);
        assert_eq!(errors.is_empty(), legal, "{}", case.text);
    };
    for (i, one) in syncs.iter().enumerate() {
        for two in &syncs[i + 1..] {
            if !tables.queue_sync("direct", one) || !tables.queue_sync("direct", two) {
                continue;
            }
            for access in accesses {
                let expected = legal(access, one) || legal(access, two);
                compare(&format!("{one}|{two}"), access, expected);
            }
        }
    }
    for (i, one) in accesses.iter().enumerate() {
        for two in &accesses[i + 1..] {
            for sync in syncs {
                let expected = legal(one, sync) && legal(two, sync);
                compare(sync, &format!("{one}|{two}"), expected);
            }
        }
    }
}

/// Enhanced Barriers specification, "`D3D12_BARRIER_SUBRESOURCE_RANGE`"; reading R28. Three mips, two slices, two planes: twelve subresources.
#[test]
fn every_number_of_a_range() {
    const ALL: u32 = u32::MAX;
    let mut cases = 0;
    for first in [0, 1, 2, 3, 11, 12, ALL] {
        for mips in [0, 1, 2, 3, 4, ALL] {
            for slice in [0, 1, 2, ALL] {
                for slices in [0, 1, 2, 3, ALL] {
                    for plane in [0, 1, 2, ALL] {
                        for planes in [0, 1, 2, 3, ALL] {
                            cases += 1;
                            range_case([first, mips, slice, slices, plane, planes]);
                        }
                    }
                }
            }
        }
    }
    assert_eq!(cases, 7 * 6 * 4 * 5 * 4 * 5);
}

fn range_case(range: [u32; 6]) {
    let [first, mips, slice, slices, plane, planes] = range.map(u64::from);
    let numbers = range.map(|n| n.to_string()).join(" ");
    let case = Case::new(
        "texture t : D24_UNORM_S8_UINT 64x64 { mips 3; layers 2; flags DEPTH_STENCIL }",
        "direct",
        &format!(
            "texture t {{ sync ALL -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> COPY_SOURCE; range {numbers} }}"
        ),
    );
    let inside = if mips == 0 {
        first < 12 || first == u64::from(u32::MAX)
    } else {
        first + mips <= 3 && slice + slices.max(1) <= 2 && plane + planes.max(1) <= 2
    };
    let (errors, warnings) = case.found(RuleSet::Specification);
    let broken: &[&str] = if inside { &[] } else { &["EB006"] };
    assert_eq!(errors, broken.iter().copied().collect(), "{}", case.text);
    if inside {
        let zero = mips != 0 && (slices == 0 || planes == 0);
        assert_eq!(warnings.contains("EB007"), zero, "{}", case.text);
    }
}
