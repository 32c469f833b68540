//! Laws of the translation over random legal legacy programs, made from a seed; a failing case prints its text.

use super::parse;
use crate::sizes;
use rand::prelude::*;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use syncscope::finding::{Finding, Source};
use syncscope::{legacy, run, scenario};

/// A resource of the generator, which keeps its state to stay legal.
struct Resource {
    name: &'static str,
    declaration: &'static str,
    states: &'static [&'static str],
    /// A buffer or a simultaneous-access texture.
    free: bool,
    /// Current state; several reads joined by `|`.
    state: String,
    /// The state came by promotion.
    promoted: bool,
    /// Unordered access in this scope that no barrier followed.
    unordered: bool,
    mips: u32,
}

fn resources() -> Vec<Resource> {
    let resource = |name, declaration, states, free, mips| Resource {
        name,
        declaration,
        states,
        free,
        state: "COMMON".into(),
        promoted: false,
        unordered: false,
        mips,
    };
    let color: &[&str] = &[
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "PIXEL_SHADER_RESOURCE",
        "NON_PIXEL_SHADER_RESOURCE",
        "NON_PIXEL_SHADER_RESOURCE|PIXEL_SHADER_RESOURCE",
        "NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE",
        "COPY_SOURCE",
        "COPY_DEST",
        "COMMON",
    ];
    let buffer: &[&str] = &[
        "UNORDERED_ACCESS",
        "NON_PIXEL_SHADER_RESOURCE",
        "PIXEL_SHADER_RESOURCE",
        "VERTEX_AND_CONSTANT_BUFFER",
        "INDIRECT_ARGUMENT",
        "COPY_SOURCE",
        "COPY_DEST",
        "COMMON",
    ];
    let color_declaration =
        "R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS; state COMMON; mips 2 }";
    vec![
        resource("t", color_declaration, color, false, 2),
        resource("u", color_declaration, color, false, 2),
        resource(
            "s",
            "R8G8B8A8_UNORM 8x8 { flags RENDER_TARGET|UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state COMMON }",
            color,
            true,
            1,
        ),
        resource(
            "d",
            "D32_FLOAT 8x8 { flags DEPTH_STENCIL; state DEPTH_WRITE }",
            &[
                "DEPTH_WRITE",
                "DEPTH_READ",
                "PIXEL_SHADER_RESOURCE",
                "DEPTH_READ|PIXEL_SHADER_RESOURCE",
            ],
            false,
            1,
        ),
        resource("b", "16KiB { flags UNORDERED_ACCESS }", buffer, true, 1),
        resource("c", "16KiB { flags UNORDERED_ACCESS }", buffer, true, 1),
    ]
}

fn is_write(state: &str) -> bool {
    [
        "RENDER_TARGET",
        "UNORDERED_ACCESS",
        "DEPTH_WRITE",
        "COPY_DEST",
    ]
    .contains(&state)
}

/// Whether two states name the same bits.
fn same(one: &str, other: &str) -> bool {
    let bits = |state: &str| state.split('|').map(str::to_owned).collect::<BTreeSet<_>>();
    bits(one) == bits(other)
}

/// States that `COMMON` is promoted to by one use.
fn promotes(state: &str, free: bool) -> bool {
    let plain = [
        "COPY_SOURCE",
        "COPY_DEST",
        "PIXEL_SHADER_RESOURCE",
        "NON_PIXEL_SHADER_RESOURCE",
    ];
    !state.contains('|') && state != "COMMON" && (free || plain.contains(&state))
}

/// A command that uses the resource in one of the states' ways.
fn command(random: &mut StdRng, resource: &Resource, state: &str) -> Option<String> {
    let name = resource.name;
    let one = *state.split('|').collect::<Vec<_>>().choose(random)?;
    Some(match one {
        "RENDER_TARGET" => format!("draw vertices 3 pixels 64 {{ RENDER_TARGET {name} }}"),
        "DEPTH_WRITE" => format!("draw vertices 3 pixels 64 {{ DEPTH_STENCIL_WRITE {name} }}"),
        "DEPTH_READ" => format!("draw vertices 3 pixels 64 {{ DEPTH_STENCIL_READ {name} }}"),
        "UNORDERED_ACCESS" => format!("dispatch 1x1x1 {{ UNORDERED_ACCESS {name} }}"),
        "PIXEL_SHADER_RESOURCE" => {
            format!("draw vertices 3 pixels 64 {{ SHADER_RESOURCE {name} @ PIXEL_SHADING }}")
        }
        "NON_PIXEL_SHADER_RESOURCE" => format!("dispatch 1x1x1 {{ SHADER_RESOURCE {name} }}"),
        "VERTEX_AND_CONSTANT_BUFFER" => {
            format!("draw vertices 3 pixels 4 {{ VERTEX_BUFFER {name} }}")
        }
        "INDIRECT_ARGUMENT" => format!("execute-indirect dispatch {{ INDIRECT_ARGUMENT {name} }}"),
        "COPY_SOURCE" => format!("copy {name} -> sink"),
        "COPY_DEST" => format!("copy source -> {name}"),
        _ => return None,
    })
}

/// One step: a resource is brought into a state, by a transition or by the use itself, and used in it.
fn step(random: &mut StdRng, resource: &mut Resource, text: &mut String) {
    let back = resource.states.contains(&"COMMON") && random.random_bool(0.15);
    let wanted = if back {
        "COMMON"
    } else {
        resource.states.choose(random).expect("a state")
    };
    let wanted = wanted.to_owned();
    let by_use = promotes(&wanted, resource.free) && random.random_bool(0.6);
    if resource.state == "COMMON" && by_use {
        resource.state.clone_from(&wanted);
        resource.promoted = true;
    } else if resource.promoted && by_use && !is_write(&wanted) && !is_write(&resource.state) {
        // Reads are promoted cumulatively.
        if !resource.state.split('|').any(|bit| bit == wanted) {
            write!(resource.state, "|{wanted}").expect("a string");
        }
    } else if !same(&resource.state, &wanted) {
        let (name, before) = (resource.name, resource.state.clone());
        match random.random_range(0..6) {
            0 => {
                writeln!(text, "  legacy {{ transition {name} {before} -> {wanted} begin }}").expect("a string");
                writeln!(text, "  dispatch \"between\" 1x1x1 {{ SHADER_RESOURCE source }}").expect("a string");
                writeln!(text, "  legacy {{ transition {name} {before} -> {wanted} end }}").expect("a string");
            }
            1 if resource.mips > 1 => writeln!(
                text,
                "  legacy {{ transition {name}[mip 1] {before} -> {wanted}; transition {name}[mip 0] {before} -> {wanted} }}"
            )
            .expect("a string"),
            _ => writeln!(text, "  legacy {{ transition {name} {before} -> {wanted} }}").expect("a string"),
        }
        resource.state.clone_from(&wanted);
        resource.promoted = false;
        resource.unordered = false;
    } else if wanted == "UNORDERED_ACCESS" && resource.unordered {
        let barrier = if random.random_bool(0.5) {
            resource.name
        } else {
            "*"
        };
        writeln!(text, "  legacy {{ uav {barrier} }}").expect("a string");
    }
    if let Some(line) = command(random, resource, &wanted) {
        resource.unordered = wanted == "UNORDERED_ACCESS";
        writeln!(text, "  {line}").expect("a string");
    }
}

/// What the end of a call does to the states.
fn decay(resources: &mut [Resource]) {
    for resource in resources {
        let reads = resource.promoted && !is_write(&resource.state);
        if resource.free || reads {
            resource.state = "COMMON".into();
        }
        resource.promoted = false;
        resource.unordered = false;
    }
}

/// A legal program of several calls on one queue.
pub(crate) fn program(seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut resources = resources();
    resources[3].state = "DEPTH_WRITE".into();
    let mut text = String::from("buffer source : 16KiB\nbuffer sink : 16KiB\nqueue q : direct\n");
    for resource in &resources {
        let kind = if resource.declaration.starts_with("16KiB") {
            "buffer"
        } else {
            "texture"
        };
        writeln!(text, "{kind} {} : {}", resource.name, resource.declaration).expect("a string");
    }
    let calls = random.random_range(1..4);
    for call in 0..calls {
        writeln!(text, "list l{call} : direct {{").expect("a string");
        for _ in 0..random.random_range(2..9) {
            let at = random.random_range(0..resources.len());
            step(&mut random, &mut resources[at], &mut text);
        }
        text.push_str("}\n");
        decay(&mut resources);
    }
    text.push_str("timeline {\n");
    for call in 0..calls {
        writeln!(text, "  q execute l{call}").expect("a string");
    }
    text.push_str("}\n");
    text
}

/// What is found in a text; nobody asks how to mend it.
fn found(text: &str) -> Vec<Finding> {
    let options = run::Options {
        proposals: run::Proposals::None,
        ..run::Options::default()
    };
    run::check(&Source::new("random.scn", text), &options).findings
}

fn failures(text: &str) -> Vec<String> {
    found(text)
        .into_iter()
        .filter(|f| f.severity.fails())
        .map(|f| format!("{} {}", f.rule.id, f.message))
        .collect()
}

/// Hazards as rule, resource and the two sides' commands; entries of one call are not told apart, because one legacy
/// entry may become several.
fn hazards(text: &str) -> BTreeSet<(String, Option<String>, String, String)> {
    let call = |id: &str| id.split('.').next().unwrap_or_default().to_owned();
    found(text)
        .into_iter()
        .filter_map(|f| {
            let hazard = f.hazard?;
            Some((
                f.rule.id.to_owned(),
                f.resource.map(|name| name.to_string()),
                call(&hazard.first.command),
                call(&hazard.second.command),
            ))
        })
        .collect()
}

#[test]
fn legal_programs_stay_legal_when_printed() {
    let mut widened = 0;
    for seed in 0..1_500 {
        let text = program(seed);
        assert_eq!(failures(&text), [""; 0], "seed {seed}:\n{text}");
        let printed = scenario::print(&legacy::explain(&parse(&text)));
        assert!(!printed.contains("legacy {"), "seed {seed}:\n{printed}");
        assert_eq!(
            failures(&printed),
            [""; 0],
            "seed {seed}:\n{text}\n{printed}"
        );
        assert_eq!(
            scenario::print(&parse(&printed)),
            printed,
            "seed {seed}: formats as itself"
        );
        widened += usize::from(printed.contains("widened"));
    }
    assert!(widened > 0, "{widened} programs needed a wider SyncBefore");
}

fn has_wrong_state(text: &str) -> bool {
    found(text).iter().any(|f| f.rule.id == "LB004")
}

#[test]
fn broken_programs_have_the_same_hazards_when_printed() {
    let (mut hazardous, mut equal, mut mended) = (0, 0, 0);
    for seed in sizes::LAWS.seeds().step_by(2) {
        let text = program(seed);
        let barriers: Vec<usize> = text
            .lines()
            .enumerate()
            .filter(|(_, line)| line.contains("legacy {"))
            .map(|(at, _)| at)
            .collect();
        let Some(drop) = barriers.get(seed as usize % barriers.len().max(1)) else {
            continue;
        };
        let kept: Vec<&str> = text
            .lines()
            .enumerate()
            .filter(|(at, _)| at != drop)
            .map(|(_, line)| line)
            .collect();
        let broken = kept.join("\n") + "\n";
        let printed = scenario::print(&legacy::explain(&parse(&broken)));
        let (before, after) = (hazards(&broken), hazards(&printed));
        hazardous += usize::from(!before.is_empty());
        if has_wrong_state(&broken) {
            // It acts from the known state (reading R72), and is printed as it says.
            mended += 1;
        } else if printed.contains("widened") {
            // A wider SyncBefore orders more: the hazards may be others, but none comes where there was none.
            assert!(
                after.is_empty() || !before.is_empty(),
                "seed {seed}:\n{broken}\n{printed}\n{after:?}"
            );
        } else {
            assert_eq!(before, after, "seed {seed}:\n{broken}\n{printed}");
            equal += 1;
        }
    }
    println!("{hazardous} {equal} {mended}");
    assert!(hazardous > 40 && equal > 40, "{hazardous} {equal} {mended}");
}

/// The lists of a program with UAV barriers wherever they fall. Not judged so: halves that are written twice, left out or of the
/// wrong kind, behind which the hazards of a repeated list may be others than those of its copies.
fn with_uavs(random: &mut StdRng, lists: &str) -> String {
    let uavs = [0.0, 0.02, 0.15][random.random_range(0..3)];
    let mut text = String::new();
    for line in lists.lines() {
        let mut add = |line: &str| writeln!(text, "{line}").expect("a string");
        add(line);
        let is_in_list = line.starts_with("  ") || line.starts_with("list ");
        if is_in_list && random.random_bool(uavs) {
            add(["  legacy { uav t }", "  legacy { uav u }"][random.random_range(0..2)]);
        }
    }
    text
}

/// A random program whose lists execute several times in random order, some of them in one call or in a loop.
fn repeated(seed: u64) -> String {
    let text = program(seed);
    let mut random = StdRng::seed_from_u64(seed);
    let (lists, timeline) = text.split_once("timeline {").expect("a timeline");
    let count = timeline.matches("execute").count();
    let lists = with_uavs(&mut random, lists);
    let mut text = format!("{lists}timeline {{\n");
    for _ in 0..random.random_range(2..5) {
        let some = random.random_range(1..4);
        let some: Vec<String> = (0..some)
            .map(|_| format!("l{}", random.random_range(0..count)))
            .collect();
        writeln!(text, "  q execute {}", some.join(", ")).expect("a string");
    }
    text.push_str("}\n");
    text
}

/// The same where each execution has a list of its own, and the line of the first text for each line.
fn apart(text: &str) -> (String, Vec<usize>) {
    let lines: Vec<&str> = text.lines().collect();
    let (mut out, mut from) = (String::new(), Vec::new());
    let mut add = |line: &str, at: usize| {
        writeln!(out, "{line}").expect("a string");
        from.push(at + 1);
    };
    let is_list = |line: &str| line.starts_with("list ");
    let first_list = lines.iter().position(|line| is_list(line)).expect("a list");
    for (at, line) in lines[..first_list].iter().enumerate() {
        add(line, at);
    }
    let mut calls = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(executed) = line.trim().strip_prefix("q execute ") else {
            continue;
        };
        let mut own = Vec::new();
        for list in executed.split(", ") {
            let name = format!("{list}_{}_{}", calls.len(), own.len());
            let head = format!("list {list} : direct {{");
            let begin = lines
                .iter()
                .position(|line| *line == head)
                .expect("the list");
            add(&format!("list {name} : direct {{"), begin);
            let body = lines[begin + 1..].iter().enumerate();
            for (line, text) in body.take_while(|(_, text)| **text != "}") {
                add(text, begin + 1 + line);
            }
            add("}", at);
            own.push(name);
        }
        calls.push((own.join(", "), at));
    }
    // What never executes is judged as it is recorded.
    let is_executed = |list: &str| {
        let mut executed = lines
            .iter()
            .filter_map(|line| line.trim().strip_prefix("q execute "));
        executed.any(|lists| {
            lists
                .split(", ")
                .any(|name| format!("list {name} : direct {{") == list)
        })
    };
    let mut is_left_out = true;
    for (at, line) in lines.iter().enumerate().skip(first_list) {
        is_left_out = if is_list(line) {
            is_executed(line)
        } else {
            is_left_out
        };
        if *line == "timeline {" {
            break;
        }
        if !is_left_out {
            add(line, at);
        }
    }
    add("timeline {", 0);
    for (own, at) in calls {
        add(&format!("  q execute {own}"), at);
    }
    add("}", 0);
    (out, from)
}

/// What is wrong: the rule, the resource, the line.
type Wrong = (&'static str, Option<String>, usize);

fn wrong(text: &str) -> BTreeSet<Wrong> {
    let source = Source::new("random.scn", text);
    let failing = found(text).into_iter().filter(|f| f.severity.fails());
    let each = failing.map(|f| {
        let line = source.line(f.span.start) as usize;
        (f.rule.id, f.resource.map(|name| name.to_string()), line)
    });
    each.collect()
}

/// A list is one text, but each execution is judged by itself: no state that one of them finds hides what is wrong at another, or
/// brings anything.
#[test]
fn executions_of_one_list_are_judged_as_lists_of_their_own() {
    let (mut wrong_once, mut hazardous, mut elsewhere) = (0, 0, 0);
    for seed in sizes::LAWS.seeds() {
        let text = repeated(seed);
        let (copy, lines) = apart(&text);
        let found = wrong(&text);
        let each = wrong(&copy).into_iter();
        let each = each.map(|(rule, resource, line)| (rule, resource, lines[line - 1]));
        let each: BTreeSet<_> = each.collect();
        assert_eq!(found, each, "seed {seed}:\n{text}\n{copy}");
        wrong_once += usize::from(found.iter().any(|(rule, ..)| *rule == "LB004"));
        hazardous += usize::from(found.iter().any(|(rule, ..)| rule.starts_with("HZ")));
        let is_layout = |(rule, ..): &Wrong| *rule == "HZ104";
        elsewhere += usize::from(text.contains("uav t") && found.iter().any(is_layout));
    }
    assert!(
        wrong_once > 50 && hazardous > 25 && elsewhere > 12,
        "{wrong_once} {hazardous} {elsewhere}"
    );
}
