//! The law of reading R73 over random scenes: of a scene without mistakes one field of one barrier is made wrong. What `fix`
//! makes of it changes no declaration and no command. How often something is left, another field changes or an entry is added
//! is counted and bounded.

use crate::sizes;
use rand::prelude::*;
use std::collections::BTreeMap;
use syncscope::finding::{Finding, Source};
use syncscope::run::{self, Options};
use syncscope::scenario::{self, Barrier, BarrierTarget, Scenario};
use syncscope::validate::RuleSet;

/// One way to use a resource: its command, its stage, its access, its layout.
struct Way {
    command: &'static str,
    sync: &'static str,
    access: &'static str,
    layout: &'static str,
    writes: bool,
}

const fn way(
    command: &'static str,
    sync: &'static str,
    access: &'static str,
    layout: &'static str,
    writes: bool,
) -> Way {
    Way {
        command,
        sync,
        access,
        layout,
        writes,
    }
}

/// `#` stands for the resource and what of it is used.
const OF_TEXTURES: [Way; 8] = [
    way(
        "clear-rtv #",
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        true,
    ),
    way(
        "draw vertices 3 { RENDER_TARGET # }",
        "RENDER_TARGET",
        "RENDER_TARGET",
        "RENDER_TARGET",
        true,
    ),
    way(
        "draw vertices 3 { SHADER_RESOURCE # @ PIXEL_SHADING }",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        "SHADER_RESOURCE",
        false,
    ),
    way(
        "draw vertices 3 { SHADER_RESOURCE # @ VERTEX_SHADING }",
        "VERTEX_SHADING",
        "SHADER_RESOURCE",
        "SHADER_RESOURCE",
        false,
    ),
    way(
        "dispatch 1x1x1 { SHADER_RESOURCE # }",
        "COMPUTE_SHADING",
        "SHADER_RESOURCE",
        "SHADER_RESOURCE",
        false,
    ),
    way(
        "dispatch 1x1x1 { UNORDERED_ACCESS # }",
        "COMPUTE_SHADING",
        "UNORDERED_ACCESS",
        "UNORDERED_ACCESS",
        true,
    ),
    way(
        "copy # -> sink",
        "COPY",
        "COPY_SOURCE",
        "COPY_SOURCE",
        false,
    ),
    way("copy source -> #", "COPY", "COPY_DEST", "COPY_DEST", true),
];
const OF_BUFFERS: [Way; 6] = [
    way(
        "dispatch 1x1x1 { UNORDERED_ACCESS # }",
        "COMPUTE_SHADING",
        "UNORDERED_ACCESS",
        "",
        true,
    ),
    way(
        "dispatch 1x1x1 { SHADER_RESOURCE # }",
        "COMPUTE_SHADING",
        "SHADER_RESOURCE",
        "",
        false,
    ),
    way(
        "draw vertices 3 { SHADER_RESOURCE # @ PIXEL_SHADING }",
        "PIXEL_SHADING",
        "SHADER_RESOURCE",
        "",
        false,
    ),
    way(
        "draw vertices 3 { VERTEX_BUFFER # }",
        "VERTEX_SHADING",
        "VERTEX_BUFFER",
        "",
        false,
    ),
    way("copy # -> sink", "COPY", "COPY_SOURCE", "", false),
    way("copy source -> #", "COPY", "COPY_DEST", "", true),
];

/// A barrier of the scene, by its fields.
#[derive(Clone, PartialEq, Debug)]
struct Entry {
    kind: &'static str,
    name: &'static str,
    range: &'static str,
    sync: [&'static str; 2],
    access: [&'static str; 2],
    layout: [&'static str; 2],
}

#[derive(Clone)]
enum Line {
    Command(String),
    Entry(Entry),
}

struct Scene {
    declarations: Vec<String>,
    lines: Vec<Line>,
}

impl Scene {
    fn text(&self) -> String {
        let mut text = format!(
            "queue q : direct\n{}\nlist l : direct {{\n",
            self.declarations.join("\n")
        );
        for line in &self.lines {
            let line = match line {
                Line::Command(command) => command.clone(),
                Line::Entry(entry) => entry.text(),
            };
            text.extend(["  ", &line, "\n"]);
        }
        text + "}\ntimeline { q execute l }\n"
    }
}

impl Entry {
    fn text(&self) -> String {
        let pair = |[before, after]: [&str; 2]| format!("{before} -> {after}");
        let (sync, access) = (pair(self.sync), pair(self.access));
        let layout = if self.kind == "texture" {
            format!("; layout {}", pair(self.layout))
        } else {
            String::new()
        };
        let (kind, name, range) = (self.kind, self.name, self.range);
        format!("barrier {{ {kind} {name}{range} {{ sync {sync}; access {access}{layout} }} }}")
    }
}

/// A scene in which each barrier is needed as it is.
fn clean(random: &mut StdRng) -> Scene {
    let mut declarations = vec![
        "buffer source : 64KiB".to_owned(),
        "buffer sink : 64KiB".to_owned(),
    ];
    let resources = ["t", "u", "b", "c"];
    let mut ways: Vec<Option<&Way>> = vec![None; resources.len()];
    let mut first: Vec<Option<&Way>> = vec![None; resources.len()];
    let mut lines = Vec::new();
    for _ in 0..random.random_range(4..10) {
        let at = random.random_range(0..resources.len());
        let is_texture = at < 2;
        let all: &[Way] = if is_texture {
            &OF_TEXTURES
        } else {
            &OF_BUFFERS
        };
        let next = all.choose(random).expect("there are ways");
        let name = resources[at];
        if let Some(old) = ways[at] {
            // Two reads in one layout need no barrier; attachment writes and copies are in order without one.
            let is_in_order = |sync: &str| old.sync == sync && next.sync == sync;
            if !(old.writes || next.writes) && old.layout == next.layout
                || is_in_order("RENDER_TARGET")
                || is_in_order("COPY")
            {
                continue;
            }
            lines.extend(barriers(random, name, is_texture, old, next));
        } else {
            first[at] = Some(next);
        }
        ways[at] = Some(next);
        lines.push(Line::Command(next.command.replace('#', name)));
    }
    for (at, name) in resources.into_iter().enumerate() {
        let Some(way) = first[at] else { continue };
        declarations.push(if at < 2 {
            let mips = if at == 1 { "mips 3; " } else { "" };
            format!(
                "texture {name} : R8G8B8A8_UNORM 64x64 {{ {mips}flags RENDER_TARGET|UNORDERED_ACCESS; initial {} }}",
                way.layout
            )
        } else {
            format!("buffer {name} : 64KiB {{ flags UNORDERED_ACCESS }}")
        });
    }
    Scene {
        declarations,
        lines,
    }
}

/// The barrier between two uses: whole, or as two halves around other work.
fn barriers(
    random: &mut StdRng,
    name: &'static str,
    is_texture: bool,
    old: &Way,
    next: &Way,
) -> Vec<Line> {
    let entry = Entry {
        kind: if is_texture { "texture" } else { "buffer" },
        name,
        range: "",
        sync: [old.sync, next.sync],
        access: [old.access, next.access],
        layout: [old.layout, next.layout],
    };
    if random.random_range(0..5) > 0 {
        return vec![Line::Entry(entry)];
    }
    let half = |sync| {
        Line::Entry(Entry {
            sync,
            ..entry.clone()
        })
    };
    vec![
        half([old.sync, "SPLIT"]),
        Line::Command("dispatch 1x1x1 { }".to_owned()),
        half(["SPLIT", next.sync]),
    ]
}

/// Which field is wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Field {
    Kind,
    Range,
    SyncBefore,
    SyncAfter,
    AccessBefore,
    AccessAfter,
    LayoutBefore,
    LayoutAfter,
}

/// Makes one field of one barrier wrong; `None` if the scene has no barrier.
fn break_one(random: &mut StdRng, scene: &mut Scene) -> Option<Field> {
    const FIELDS: [Field; 8] = [
        Field::Kind,
        Field::Range,
        Field::SyncBefore,
        Field::SyncAfter,
        Field::AccessBefore,
        Field::AccessAfter,
        Field::LayoutBefore,
        Field::LayoutAfter,
    ];
    const SYNCS: [&str; 8] = [
        "NONE",
        "SPLIT",
        "COPY",
        "PIXEL_SHADING",
        "COMPUTE_SHADING",
        "RENDER_TARGET",
        "DEPTH_STENCIL",
        "VERTEX_SHADING",
    ];
    const ACCESSES: [&str; 7] = [
        "NO_ACCESS",
        "SHADER_RESOURCE",
        "UNORDERED_ACCESS",
        "COPY_SOURCE",
        "COPY_DEST",
        "RENDER_TARGET",
        "VERTEX_BUFFER",
    ];
    const LAYOUTS: [&str; 7] = [
        "UNDEFINED",
        "COMMON",
        "SHADER_RESOURCE",
        "UNORDERED_ACCESS",
        "COPY_SOURCE",
        "COPY_DEST",
        "RENDER_TARGET",
    ];
    const RANGES: [&str; 4] = ["[mip 0]", "[mip 1..3]", "[mip 0..4]", "[mip 2..5]"];
    let entries = scene.lines.iter_mut().filter_map(|line| match line {
        Line::Entry(entry) => Some(entry),
        Line::Command(_) => None,
    });
    let entry = entries.choose(random)?;
    let field = *FIELDS.choose(random)?;
    let mut pick = |from: &[&'static str]| *from.choose(random).expect("there are values");
    match field {
        Field::Kind => {
            entry.kind = if entry.kind == "buffer" {
                "texture"
            } else {
                "buffer"
            }
        }
        Field::Range if entry.name == "u" => entry.range = pick(&RANGES),
        Field::SyncBefore => entry.sync[0] = pick(&SYNCS),
        Field::SyncAfter => entry.sync[1] = pick(&SYNCS),
        Field::AccessBefore => entry.access[0] = pick(&ACCESSES),
        Field::AccessAfter => entry.access[1] = pick(&ACCESSES),
        Field::LayoutBefore if entry.kind == "texture" => entry.layout[0] = pick(&LAYOUTS),
        Field::LayoutAfter if entry.kind == "texture" => entry.layout[1] = pick(&LAYOUTS),
        Field::Range | Field::LayoutBefore | Field::LayoutAfter => return None,
    }
    if entry.kind == "texture" && entry.layout[0].is_empty() {
        entry.layout = ["UNDEFINED", "UNDEFINED"];
    }
    Some(field)
}

fn wrong(text: &str) -> Vec<Finding> {
    let source = Source::new("scene.scn", text);
    let mut findings = run::check(&source, &Options::default()).findings;
    findings.retain(|f| f.severity.fails());
    findings
}

fn parsed(text: &str) -> Scenario {
    let (parsed, findings) = scenario::parse(&Source::new("scene.scn", text));
    assert!(findings.iter().all(|f| !f.severity.fails()), "{text}");
    parsed
}

fn entries(scenario: &Scenario) -> Vec<&Barrier> {
    let commands = scenario.lists.iter().flat_map(|list| &list.commands);
    commands
        .flat_map(|command| command.kind.barriers())
        .collect()
}

/// The fields in which two entries differ.
fn differing(a: &Barrier, b: &Barrier) -> Vec<Field> {
    let parts = |barrier: &Barrier| match &barrier.target {
        BarrierTarget::Texture(it) => (
            true,
            Some((it.range.clone(), it.layout_before, it.layout_after)),
        ),
        _ => (false, None),
    };
    let ((is_texture, a_parts), (other, b_parts)) = (parts(a), parts(b));
    let mut fields = Vec::new();
    let mut push = |differs: bool, field| {
        if differs {
            fields.push(field);
        }
    };
    push(is_texture != other, Field::Kind);
    push(a.sync_before != b.sync_before, Field::SyncBefore);
    push(a.sync_after != b.sync_after, Field::SyncAfter);
    push(a.access_before != b.access_before, Field::AccessBefore);
    push(a.access_after != b.access_after, Field::AccessAfter);
    if let (Some(a), Some(b)) = (a_parts, b_parts) {
        push(a.0 != b.0, Field::Range);
        push(a.1 != b.1, Field::LayoutBefore);
        push(a.2 != b.2, Field::LayoutAfter);
    }
    fields
}

/// What a repair did to a scene besides removing what was wrong.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Outcome {
    /// The wrong field and nothing else.
    OneField,
    /// Other fields as well.
    OtherFields,
    /// A barrier more, or one less.
    Entries,
    /// Something else than barriers.
    Elsewhere,
    /// Something is left.
    Left,
}

fn outcome(wrong_text: &str, field: Field) -> (Outcome, String) {
    let source = Source::new("wrong.scn", wrong_text);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    let text = repair.source.text;
    if !repair.left.is_empty() || !wrong(&text).is_empty() {
        return (Outcome::Left, text);
    }
    let (before, after) = (parsed(wrong_text), parsed(&text));
    let (was, is) = (entries(&before), entries(&after));
    if was.len() != is.len() {
        return (Outcome::Entries, text);
    }
    let rest = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("barrier"));
        lines.map(str::to_owned).collect()
    };
    if rest(wrong_text) != rest(&text) {
        return (Outcome::Elsewhere, text);
    }
    let changed: Vec<Field> = was
        .iter()
        .zip(&is)
        .flat_map(|(a, b)| differing(a, b))
        .collect();
    if changed == [field] {
        (Outcome::OneField, text)
    } else {
        (Outcome::OtherFields, text)
    }
}

#[test]
fn one_wrong_field_is_repaired() {
    let mut counts: BTreeMap<(Field, Outcome), u64> = BTreeMap::new();
    for seed in sizes::WRONG.seeds() {
        let mut random = StdRng::seed_from_u64(seed);
        let mut scene = clean(&mut random);
        let text = scene.text();
        let clean = wrong(&text);
        assert!(clean.is_empty(), "{clean:#?}\n{text}");
        let Some(field) = break_one(&mut random, &mut scene) else {
            continue;
        };
        let text = scene.text();
        if wrong(&text).is_empty() {
            continue;
        }
        let (outcome, repaired) = outcome(&text, field);
        if outcome != Outcome::OneField {
            println!("== {seed} {field:?} {outcome:?}\n{text}--\n{repaired}");
        }
        *counts.entry((field, outcome)).or_default() += 1;
    }
    let of = |wanted: Outcome| -> u64 {
        let own = counts.iter().filter(|((_, outcome), _)| *outcome == wanted);
        own.map(|(_, count)| count).sum()
    };
    let all: u64 = counts.values().sum();
    assert!(all > 0, "some scene is wrong");
    println!("{all}: {counts:?}");
    // Declarations and commands are right, and stay.
    assert_eq!(of(Outcome::Elsewhere), 0, "{counts:?}");
    // What is not law yet is bounded. A whole barrier that says SyncAfter SPLIT is a first half whose second half comes before
    // the use: a further entry, and as good a reading of the text.
    let bounded = |outcome, percent: u64| {
        let count = of(outcome);
        assert!(
            count * 100 <= all * percent,
            "{outcome:?}: {count} of {all}: {counts:?}"
        );
    };
    bounded(Outcome::Left, 1);
    bounded(Outcome::OtherFields, 3);
    bounded(Outcome::Entries, 4);
}
