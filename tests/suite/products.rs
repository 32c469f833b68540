//! Every word with every other: layouts, accesses, scopes and queue types, each combination entered as a scenario of
//! one barrier and compared with a model of the rules that is written here from the specification's text.
//!
//! The tables come from `fixtures/specification-tables.txt`, typed from the specification; what the readings R01 to R10,
//! R27, R28, R30, R31, R35 and R36 add is written out below. Nothing here asks the program's own tables.
//!
//! Lists are not executed: a first barrier is then judged for itself, since every layout and access before is assumed.

use crate::api::table;
use std::collections::{BTreeSet, HashMap, HashSet};
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::validate::{self, RuleSet};
use syncscope::{legacy, scenario};

const RULE_SETS: [RuleSet; 3] = [RuleSet::Specification, RuleSet::Tables, RuleSet::DebugLayer];

const QUEUES: [&str; 6] = [
    "direct",
    "compute",
    "copy",
    "video_decode",
    "video_process",
    "video_encode",
];

/// Every bit of `D3D12_BARRIER_SYNC`, and `NONE`.
const SYNCS: [&str; 23] = [
    "NONE",
    "ALL",
    "DRAW",
    "INDEX_INPUT",
    "VERTEX_SHADING",
    "PIXEL_SHADING",
    "DEPTH_STENCIL",
    "RENDER_TARGET",
    "COMPUTE_SHADING",
    "RAYTRACING",
    "COPY",
    "RESOLVE",
    "EXECUTE_INDIRECT",
    "ALL_SHADING",
    "NON_PIXEL_SHADING",
    "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO",
    "CLEAR_UNORDERED_ACCESS_VIEW",
    "VIDEO_DECODE",
    "VIDEO_PROCESS",
    "VIDEO_ENCODE",
    "BUILD_RAYTRACING_ACCELERATION_STRUCTURE",
    "COPY_RAYTRACING_ACCELERATION_STRUCTURE",
    "SPLIT",
];

/// Every bit of `D3D12_BARRIER_ACCESS`, and `COMMON`. `PREDICATION` is another name of `INDIRECT_ARGUMENT`.
const ACCESSES: [&str; 25] = [
    "COMMON",
    "VERTEX_BUFFER",
    "CONSTANT_BUFFER",
    "INDEX_BUFFER",
    "RENDER_TARGET",
    "UNORDERED_ACCESS",
    "DEPTH_STENCIL_WRITE",
    "DEPTH_STENCIL_READ",
    "SHADER_RESOURCE",
    "STREAM_OUTPUT",
    "INDIRECT_ARGUMENT",
    "COPY_DEST",
    "COPY_SOURCE",
    "RESOLVE_DEST",
    "RESOLVE_SOURCE",
    "RAYTRACING_ACCELERATION_STRUCTURE_READ",
    "RAYTRACING_ACCELERATION_STRUCTURE_WRITE",
    "SHADING_RATE_SOURCE",
    "VIDEO_DECODE_READ",
    "VIDEO_DECODE_WRITE",
    "VIDEO_PROCESS_READ",
    "VIDEO_PROCESS_WRITE",
    "VIDEO_ENCODE_READ",
    "VIDEO_ENCODE_WRITE",
    "NO_ACCESS",
];

/// The newer header's 31, the driver interface's layouts, and a number that no header knows (reading R10).
const PRIVATE_LAYOUTS: [&str; 6] = [
    "31",
    "0x80000000",
    "0x80000001",
    "0x80000002",
    "0x80000003",
    "99",
];

/// The specification's tables as sets.
struct Tables {
    rows: HashMap<(&'static str, &'static str), HashSet<&'static str>>,
    layouts: Vec<&'static str>,
}

impl Tables {
    fn new() -> Self {
        let mut rows = HashMap::new();
        let mut layouts = Vec::new();
        for name in [
            "queue-layout",
            "queue-access",
            "queue-sync",
            "layout-access",
            "access-sync",
        ] {
            for (key, values) in table(name) {
                if name == "layout-access" {
                    layouts.push(key);
                }
                rows.insert((name, key), values.into_iter().collect());
            }
        }
        assert_eq!(layouts.len(), 32, "every layout has a row");
        layouts.extend(PRIVATE_LAYOUTS);
        Self { rows, layouts }
    }

    fn has(&self, table: &'static str, key: &str, value: &str) -> bool {
        // Only the queues' rows are written in capitals in one place and small in the other.
        let key = if table.starts_with("queue") {
            key.to_uppercase()
        } else {
            key.to_owned()
        };
        self.rows
            .iter()
            .any(|((t, k), values)| *t == table && *k == key && values.contains(value))
    }

    /// Whether a barrier on the queue may name the layout.
    fn queue_layout(&self, rules: RuleSet, queue: &str, layout: &str) -> bool {
        let listed = self.has("queue-layout", queue, layout);
        // Reading R08: UNDEFINED, and each queue's own layouts, which their own sections allow.
        let own = match queue {
            "direct" => layout == "DIRECT_QUEUE_COMMON",
            "compute" => layout.starts_with("COMPUTE_QUEUE_"),
            "video_decode" | "video_process" | "video_encode" => layout == "VIDEO_QUEUE_COMMON",
            _ => false,
        };
        match rules {
            RuleSet::Tables => listed,
            RuleSet::Specification => listed || own || layout == "UNDEFINED",
            // Reading R10.
            RuleSet::DebugLayer => {
                let newest = layout == "31" && (queue == "direct" || queue == "compute");
                listed || own || layout == "UNDEFINED" || newest
            }
        }
    }

    fn queue_access(&self, queue: &str, access: &str) -> bool {
        // Reading R08.
        access == "COMMON" || access == "NO_ACCESS" || self.has("queue-access", queue, access)
    }

    fn queue_sync(&self, queue: &str, sync: &str) -> bool {
        // Reading R08.
        sync == "NONE" || self.has("queue-sync", queue, sync)
    }

    fn layout_access(&self, layout: &str, access: &str) -> bool {
        match access {
            "COMMON" | "NO_ACCESS" => true,
            _ => self.has("layout-access", layout, access),
        }
    }

    /// Whether one sync bit serves one access bit.
    fn access_sync(&self, rules: RuleSet, access: &str, sync: &str) -> bool {
        let listed =
            self.has("access-sync", access, "ANY") || self.has("access-sync", access, sync);
        let read = listed || by_reading(access, sync);
        match rules {
            RuleSet::Tables => listed,
            RuleSet::Specification => read,
            // Reading R31.
            RuleSet::DebugLayer => {
                read && !matches!(
                    (access, sync),
                    ("RENDER_TARGET", "DRAW") | ("COMMON", "CLEAR_UNORDERED_ACCESS_VIEW")
                )
            }
        }
    }
}

/// Readings R04, R06 and R36: pairs that the table leaves out.
fn by_reading(access: &str, sync: &str) -> bool {
    match sync {
        // R06: the six accesses of the scope's own section.
        "NON_PIXEL_SHADING" => matches!(
            access,
            "VERTEX_BUFFER"
                | "CONSTANT_BUFFER"
                | "UNORDERED_ACCESS"
                | "SHADER_RESOURCE"
                | "STREAM_OUTPUT"
                | "RAYTRACING_ACCELERATION_STRUCTURE_READ"
        ),
        // R04.
        "RAYTRACING" => matches!(
            access,
            "SHADER_RESOURCE" | "UNORDERED_ACCESS" | "CONSTANT_BUFFER"
        ),
        "BUILD_RAYTRACING_ACCELERATION_STRUCTURE" => {
            matches!(access, "SHADER_RESOURCE" | "UNORDERED_ACCESS")
        }
        "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO" => access == "UNORDERED_ACCESS",
        // R36: pixel shading is a leaf of a draw.
        "DRAW" => access == "SHADING_RATE_SOURCE",
        _ => false,
    }
}

/// Reading R35: the creation flag that an access or a layout needs.
fn flag_of(word: &str) -> Option<&'static str> {
    match word {
        "RENDER_TARGET" => Some("RENDER_TARGET"),
        "DEPTH_STENCIL_WRITE" | "DEPTH_STENCIL_READ" => Some("DEPTH_STENCIL"),
        "UNORDERED_ACCESS" | "DIRECT_QUEUE_UNORDERED_ACCESS" | "COMPUTE_QUEUE_UNORDERED_ACCESS" => {
            Some("UNORDERED_ACCESS")
        }
        "RAYTRACING_ACCELERATION_STRUCTURE_READ" | "RAYTRACING_ACCELERATION_STRUCTURE_WRITE" => {
            Some("RAYTRACING_ACCELERATION_STRUCTURE")
        }
        _ => None,
    }
}

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
        case.compare(rules, &broken);
    }
}

#[test]
fn every_layout_on_every_queue_type() {
    let tables = Tables::new();
    for queue in QUEUES {
        for layout in &tables.layouts {
            for before in [true, false] {
                let flags = flag_of(layout).map_or(String::new(), |flag| format!("flags {flag}"));
                let case = Case::new(
                    &format!("texture t : R8G8B8A8_UNORM 64x64 {{ {flags} }}"),
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

/// Global entries have neither layouts nor creation flags: scopes, accesses and queues alone decide.
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
                        if sync == "NONE" && access != "NO_ACCESS" {
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
                    let legal = tables.queue_sync(queue, sync);
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
                    let legal = tables.queue_access(queue, access);
                    assert_eq!(errors.is_empty(), legal, "{rules:?}\n{}", case.text);
                }
            }
        }
    }
}

/// Spec: "Layout Access Compatibility", first table; the creation flag is still needed (reading R35).
#[test]
fn a_barrier_of_memory_alone_takes_any_access() {
    let tables = Tables::new();
    for queue in QUEUES {
        for access in ACCESSES {
            for before in [true, false] {
                let flags = flag_of(access).map_or(String::new(), |flag| format!("flags {flag}"));
                if flags.contains("RAYTRACING") {
                    // No texture is an acceleration structure.
                    continue;
                }
                let case = Case::new(
                    &format!("texture t : R8G8B8A8_UNORM 64x64 {{ {flags} }}"),
                    queue,
                    &format!(
                        "texture t {{ sync {}; access {}; layout UNDEFINED -> UNDEFINED }}",
                        sided(before, "ALL", "NONE"),
                        sided(before, access, "NO_ACCESS"),
                    ),
                );
                for rules in RULE_SETS {
                    let (errors, _) = case.found(rules);
                    let legal = tables.queue_access(queue, access);
                    assert_eq!(errors.is_empty(), legal, "{rules:?}\n{}", case.text);
                }
            }
        }
    }
}

/// Spec: "`COMMON` Layout", second list.
#[test]
fn every_access_of_a_simultaneous_texture_in_common() {
    const ALLOWED: [&str; 9] = [
        "COMMON",
        "NO_ACCESS",
        "SHADER_RESOURCE",
        "COPY_DEST",
        "COPY_SOURCE",
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "RESOLVE_DEST",
        "RESOLVE_SOURCE",
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

/// Spec: "Upload Heap Resources", "Readback Heap Resources".
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

/// Spec: "D3D12_BARRIER_SUBRESOURCE_RANGE"; reading R28. Three mips, two slices, two planes: twelve subresources.
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
