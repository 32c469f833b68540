//! Every command and every access of a use, in a list of every type: readings R54 and R60.
//!
//! What each type has is written out below from the reading; accesses come from `fixtures/specification-tables.txt`,
//! typed from the specification. Nothing here asks the program's own table but the one test that says so.

use crate::api::table;
use std::collections::BTreeSet;
use syncscope::api::{BarrierAccess, QueueType, compat};
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::validate::{self, RuleSet};
use syncscope::{catalog, legacy, scenario};

const TYPES: [&str; 7] = [
    "direct",
    "bundle",
    "compute",
    "copy",
    "video_decode",
    "video_process",
    "video_encode",
];

/// Everything that a command can name, created for every access: no other rule has anything to say of a use.
const DECLARED: &str = "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS }
texture o : R8G8B8A8_UNORM 64x64 { flags SIMULTANEOUS_ACCESS }
texture d : D32_FLOAT 64x64 { flags DEPTH_STENCIL }
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer c : 4KiB { flags UNORDERED_ACCESS }
buffer r : 4KiB { flags RAYTRACING_ACCELERATION_STRUCTURE }
buffer s : 4KiB { flags RAYTRACING_ACCELERATION_STRUCTURE }
list inner : bundle { draw }
";

/// The command, and the types whose lists have it. Reading R54, line by line: direct lists have everything but video.
const COMMANDS: &[(&str, &[&str])] = &[
    ("draw", &["direct", "bundle"]),
    ("draw-indexed", &["direct", "bundle"]),
    ("dispatch 1x1x1", &["direct", "compute", "bundle"]),
    ("dispatch-rays 8x8", &["direct", "compute", "bundle"]),
    ("execute-indirect draw", &["direct", "bundle"]),
    (
        "execute-indirect dispatch",
        &["direct", "compute", "bundle"],
    ),
    ("execute-indirect rays", &["direct", "compute", "bundle"]),
    ("set-root graphics", &["direct", "bundle"]),
    ("set-root compute", &["direct", "compute", "bundle"]),
    ("predicate b", &["direct", "compute"]),
    ("predicate off", &["direct", "compute"]),
    ("copy b -> c", &["direct", "compute", "copy"]),
    ("copy t -> b", &["direct", "compute", "copy"]),
    ("copy b[0..16] -> c[16..32]", &["direct", "compute", "copy"]),
    ("resolve t -> o", &["direct"]),
    ("clear-rtv t", &["direct"]),
    ("clear-dsv d", &["direct"]),
    ("clear-uav t", &["direct", "compute"]),
    ("clear-uav b", &["direct", "compute"]),
    ("discard b", &["direct", "compute"]),
    // What is in an unordered-access layout: a simultaneous-access texture in COMMON allows that access.
    ("discard t", &["direct", "compute"]),
    ("build-as", &["direct", "compute"]),
    ("copy-as r -> s", &["direct", "compute"]),
    ("emit-as-postbuild r -> b", &["direct", "compute"]),
    ("video-decode", &["video_decode"]),
    ("video-process", &["video_process"]),
    ("video-encode", &["video_encode"]),
    ("execute-bundle inner", &["direct"]),
    ("marker \"m\" { }", &TYPES),
    ("assert layout t COMMON", &TYPES),
    ("assert access b COMMON", &TYPES),
];

/// Commands with the accesses that a block of theirs may hold, by resource.
const USES: &[(&str, &[(&str, &str)])] = &[
    (
        "draw",
        &[
            ("VERTEX_BUFFER", "b"),
            ("CONSTANT_BUFFER", "b"),
            ("INDEX_BUFFER", "b"),
            ("RENDER_TARGET", "t"),
            ("UNORDERED_ACCESS", "t"),
            ("DEPTH_STENCIL_WRITE", "d"),
            ("DEPTH_STENCIL_READ", "d"),
            ("SHADER_RESOURCE", "t"),
            ("STREAM_OUTPUT", "b"),
            ("RAYTRACING_ACCELERATION_STRUCTURE_READ", "r"),
            ("SHADING_RATE_SOURCE", "t"),
        ],
    ),
    (
        "dispatch 1x1x1",
        &[
            ("CONSTANT_BUFFER", "b"),
            ("UNORDERED_ACCESS", "b"),
            ("SHADER_RESOURCE", "t"),
            ("RAYTRACING_ACCELERATION_STRUCTURE_READ", "r"),
        ],
    ),
    (
        "dispatch-rays 8x8",
        &[
            ("CONSTANT_BUFFER", "b"),
            ("UNORDERED_ACCESS", "b"),
            ("SHADER_RESOURCE", "t"),
            ("RAYTRACING_ACCELERATION_STRUCTURE_READ", "r"),
        ],
    ),
    ("execute-indirect draw", &[("INDIRECT_ARGUMENT", "b")]),
    ("execute-indirect dispatch", &[("INDIRECT_ARGUMENT", "b")]),
    (
        "build-as",
        &[
            ("SHADER_RESOURCE", "b"),
            ("UNORDERED_ACCESS", "b"),
            ("RAYTRACING_ACCELERATION_STRUCTURE_READ", "r"),
            ("RAYTRACING_ACCELERATION_STRUCTURE_WRITE", "r"),
        ],
    ),
    (
        "set-root graphics",
        &[("CONSTANT_BUFFER", "b"), ("SHADER_RESOURCE", "t")],
    ),
    (
        "set-root compute",
        &[("CONSTANT_BUFFER", "b"), ("SHADER_RESOURCE", "t")],
    ),
    (
        "video-decode",
        &[("VIDEO_DECODE_READ", "b"), ("VIDEO_DECODE_WRITE", "t")],
    ),
    (
        "video-process",
        &[("VIDEO_PROCESS_READ", "t"), ("VIDEO_PROCESS_WRITE", "t")],
    ),
    (
        "video-encode",
        &[("VIDEO_ENCODE_READ", "t"), ("VIDEO_ENCODE_WRITE", "b")],
    ),
];

/// Accesses that exist only as what a command implies.
const IMPLIED: [&str; 4] = ["COPY_DEST", "COPY_SOURCE", "RESOLVE_DEST", "RESOLVE_SOURCE"];

fn parsed(text: &str) -> scenario::Scenario {
    let (scenario, findings) = scenario::parse(&Source::new("list-types", text));
    assert!(findings.is_empty(), "{text}{findings:?}");
    scenario
}

/// Errors of legality by id.
fn errors(text: &str) -> BTreeSet<&'static str> {
    let scenario = parsed(text);
    let plain = legacy::translate(&scenario);
    let timeline = Timeline::new(&plain);
    RuleSet::ALL
        .into_iter()
        .map(|rules| {
            let findings = validate::validate(&scenario, &timeline, rules);
            let failing = findings.iter().filter(|f| f.severity.fails());
            failing.map(|f| f.rule.id).collect::<BTreeSet<_>>()
        })
        .reduce(|all, other| {
            assert_eq!(all, other, "every set of rules has these\n{text}");
            all
        })
        .expect("there are sets of rules")
}

/// A list of a type with one command, executed where the type has a queue; a bundle runs in a direct list.
fn scene(kind: &str, command: &str) -> String {
    if kind == "bundle" {
        return format!(
            "{DECLARED}list l : bundle {{ {command} }}\nqueue q : direct\n\
             timeline {{ q execute {{ execute-bundle l }} }}\n"
        );
    }
    format!(
        "{DECLARED}list l : {kind} {{ {command} }}\nqueue q : {kind}\ntimeline {{ q execute l }}\n"
    )
}

/// Accesses of a command without uses of its own: those that follow from it.
fn accesses_of(command: &str) -> impl Iterator<Item = String> {
    let scenario = parsed(&format!("{DECLARED}list l : direct {{ {command} }}\n"));
    let list = scenario.lists.last().expect("a list").clone();
    let uses = list.commands.into_iter().flat_map(|c| c.uses);
    let accesses = uses.map(|used| used.access.difference(BarrierAccess::NO_ACCESS));
    accesses
        .filter(|access| !access.is_empty())
        .flat_map(|access| {
            let names = access.to_string();
            names.split('|').map(str::to_owned).collect::<Vec<_>>()
        })
}

/// What the table says that the queue of a list can access; a bundle runs on a direct queue.
fn listed(kind: &str) -> Vec<&'static str> {
    let queue = if kind == "bundle" {
        "DIRECT"
    } else {
        &kind.to_uppercase()
    };
    let (_, listed) = table("queue-access")
        .find(|(key, _)| *key == queue)
        .expect("a queue");
    listed
}

#[test]
fn every_command_in_every_list_type() {
    for (command, types) in COMMANDS {
        for kind in TYPES {
            let text = scene(kind, command);
            let mut expected = BTreeSet::new();
            if !types.contains(&kind) {
                expected.insert("EB049");
            }
            // A use that follows from the command is a use.
            if accesses_of(command).any(|access| !listed(kind).contains(&&*access)) {
                expected.insert("EB050");
            }
            assert_eq!(errors(&text), expected, "{text}");
        }
    }
    // Barriers belong to every type; what a bundle lacks of them is another rule's.
    for kind in TYPES {
        let text = scene(
            kind,
            "barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }",
        );
        let expected: &[&str] = if kind == "bundle" { &["EB002"] } else { &[] };
        assert_eq!(errors(&text), expected.iter().copied().collect(), "{text}");
    }
    // No command of the language is left out. `signal-barrier` and its like are barriers.
    let known: BTreeSet<_> = COMMANDS
        .iter()
        .filter_map(|(command, _)| command.split(' ').next())
        .chain(["barrier", "legacy", "signal-barrier", "wait-barrier"])
        .collect();
    assert_eq!(known, scenario::COMMANDS.iter().copied().collect());
}

#[test]
fn every_access_of_a_use_in_every_list_type() {
    let mut seen = BTreeSet::new();
    for (command, uses) in USES {
        let types = COMMANDS
            .iter()
            .find(|(c, _)| c == command)
            .expect("a command")
            .1;
        for (access, resource) in *uses {
            seen.insert(*access);
            for kind in TYPES {
                let mut expected = BTreeSet::new();
                if !types.contains(&kind) {
                    expected.insert("EB049");
                }
                if !listed(kind).contains(access) {
                    expected.insert("EB050");
                }
                let text = scene(kind, &format!("{command} {{ {access} {resource} }}"));
                assert_eq!(errors(&text), expected, "{text}");
            }
        }
    }
    let every = BarrierAccess::EVERY.iter().map(|access| access.to_string());
    let seen = seen.into_iter().chain(IMPLIED).map(str::to_owned).collect();
    assert_eq!(
        every.collect::<BTreeSet<_>>(),
        seen,
        "every access has a use"
    );
}

/// Both halves of the program's table agree: what a command of a list implies, the list's queue can do.
#[test]
fn what_a_command_implies_its_queue_can_do() {
    for (command, types) in COMMANDS {
        let scenario = parsed(&format!("{DECLARED}list l : direct {{ {command} }}\n"));
        let list = scenario.lists.last().expect("a list");
        for used in list.commands.iter().flat_map(|c| &c.uses) {
            for kind in *types {
                let queue = QueueType::parse(kind).expect("a type");
                let access = used.access.difference(BarrierAccess::NO_ACCESS);
                assert!(
                    compat::queue_accesses(queue).contains(access),
                    "{kind}: {command}"
                );
            }
        }
    }
}

/// The table "Commands by type of list" of the book's page on the language.
#[test]
fn the_page_of_the_language_lists_the_commands_of_each_type() {
    let page = include_str!("../../book/src/language.md");
    let (_, table) = page.split_once("| type | commands |\n").expect("the table");
    let rows = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    let rows: Vec<Vec<&str>> = rows
        .map(|row| row.split('`').skip(1).step_by(2).collect())
        .collect();
    let kinds: BTreeSet<_> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(kinds, TYPES.into_iter().collect());
    for row in &rows {
        let (kind, listed) = (row[0], &row[1..]);
        if kind == "direct" {
            // In words.
            continue;
        }
        let has = COMMANDS.iter().filter(|(_, types)| types.contains(&kind));
        let has: BTreeSet<String> = has
            .filter(|(_, types)| types.len() < TYPES.len())
            .map(|(command, _)| {
                let mut words = command.split(' ');
                let first = words.next().expect("a word");
                let second = words
                    .next()
                    .filter(|_| ["execute-indirect", "set-root"].contains(&first));
                second.map_or(first.to_owned(), |second| format!("{first} {second}"))
            })
            .collect();
        let listed = listed.iter().map(|word| (*word).to_owned()).collect();
        assert_eq!(has, listed, "{kind}");
    }
}

/// Reading R54: a compute list discards only what is in a layout for unordered access. A direct list is not asked.
#[test]
fn a_discard_in_every_layout_on_direct_and_compute() {
    for kind in ["direct", "compute"] {
        for (layout, listed) in table("layout-access") {
            let depth = layout.starts_with("DEPTH");
            let (format, flags) = if depth {
                ("D32_FLOAT", "DEPTH_STENCIL")
            } else {
                ("R8G8B8A8_UNORM", "RENDER_TARGET|UNORDERED_ACCESS")
            };
            let text = format!(
                "texture t : {format} 64x64 {{ flags {flags}; initial {layout}; mips 2 }}\nqueue q : {kind}\n\
                 timeline {{ q execute {{ discard t[mip 1] }} }}\n"
            );
            let legal = kind == "direct" || listed.contains(&"UNORDERED_ACCESS");
            let expected: &[&str] = if legal { &[] } else { &["EB049"] };
            assert_eq!(errors(&text), expected.iter().copied().collect(), "{text}");
        }
    }
    // The layout is that of the command's place in the list, executed or not.
    let uav = "texture t { sync ALL -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS; layout COMMON -> UNORDERED_ACCESS }";
    for (body, expected) in [
        (format!("discard t; barrier {{ {uav} }}"), &["EB049"][..]),
        (format!("barrier {{ {uav} }}; discard t"), &[]),
        (
            "barrier { texture t { sync ALL -> COPY; access NO_ACCESS -> COPY_DEST; layout COMMON -> COPY_DEST } }; discard t".to_owned(),
            &["EB049"],
        ),
    ] {
        for executed in [true, false] {
            let timeline = if executed { "timeline { q execute l }" } else { "" };
            let text = format!(
                "texture t : R8G8B8A8_UNORM 64x64 {{ flags UNORDERED_ACCESS }}\nqueue q : compute\n\
                 list l : compute {{ {body} }}\n{timeline}\n"
            );
            // A list that nobody executes has not said what it finds before its first barrier.
            let silent = !executed && body.starts_with("discard");
            let expected = if silent { &[] } else { expected };
            assert_eq!(errors(&text), expected.iter().copied().collect(), "{text}");
        }
    }
}

/// Reading R54: such a command takes part in everything else. Its uses are judged, it makes and meets hazards, it runs.
#[test]
fn a_command_out_of_place_takes_part_in_everything_else() {
    let text = "
texture t : R8G8B8A8_UNORM 64x64 { initial SHADER_RESOURCE }
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : copy
timeline { q execute {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b; UNORDERED_ACCESS t }
} }
";
    let source = Source::new("out-of-place", text);
    let report = run::run(&source, &catalog::registry(), &Options::default()).expect("it runs");
    let lines = |id: &str| -> Vec<u32> {
        let found = report.findings.iter().filter(|f| f.rule.id == id);
        found.map(|f| source.line(f.span.start)).collect()
    };
    assert_eq!(lines("EB049"), [6, 7]);
    assert_eq!(lines("EB050"), [6, 7, 7]);
    assert_eq!(lines("EB017"), [7], "the texture has no flag for it");
    assert_eq!(
        lines("HZ101"),
        [7],
        "the second reads what the first writes"
    );
    assert!(report.makespan.is_some_and(|time| time.0 > 0));
}

/// Reading R60: whatever the layout, and never as a layout that does not allow it.
#[test]
fn accesses_of_buffers_on_a_texture_in_every_layout() {
    let uses = [
        ("draw", "VERTEX_BUFFER"),
        ("draw", "INDEX_BUFFER"),
        ("draw", "CONSTANT_BUFFER"),
        ("draw", "STREAM_OUTPUT"),
        ("draw", "RAYTRACING_ACCELERATION_STRUCTURE_READ"),
        ("execute-indirect draw", "INDIRECT_ARGUMENT"),
        ("build-as", "RAYTRACING_ACCELERATION_STRUCTURE_WRITE"),
        ("set-root graphics", "CONSTANT_BUFFER"),
    ];
    let texts = uses.map(|(command, access)| format!("{command} {{ {access} t }}"));
    let commands = texts.iter().map(String::as_str);
    let commands: Vec<_> = commands
        .chain(["predicate t", "copy-as t -> r", "emit-as-postbuild t -> b"])
        .collect();
    for (layout, _) in table("layout-access") {
        for command in &commands {
            let text = format!(
                "texture t : R8G8B8A8_UNORM 64x64 {{ initial {layout} }}\n\
                 buffer r : 4KiB {{ flags RAYTRACING_ACCELERATION_STRUCTURE }}\n\
                 buffer b : 4KiB {{ flags UNORDERED_ACCESS }}\nqueue q : direct\n\
                 timeline {{ q execute {{\n{command}\n}} }}\n"
            );
            let source = Source::new("buffer-accesses", text.as_str());
            let report = run::check(&source, &Options::default());
            // The declaration may lack a flag for the layout: line 1.
            let found = report.findings.iter().filter(|f| f.severity.fails());
            let found: Vec<_> = found
                .filter(|f| source.line(f.span.start) > 1)
                .map(|f| f.rule.id)
                .collect();
            assert_eq!(found, ["EB051"], "{text}");
        }
    }
}
