//! Barriers of resource states, placed: right, legal, and of nothing else but states.

use super::{options, rest};
use crate::sizes;
use crate::tour::{files, source};
use rayon::prelude::*;
use serde_json::Value;
use std::path::PathBuf;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::place::{self, Placed, Placing, Style};
use syncscope::run::{self, Options, Unusable};
use syncscope::scenario::{self, CommandKind, Initial};

fn placed(source: &Source, options: &Options) -> Result<Placed, Unusable> {
    let mut placing = Placing::default();
    placing.style = Style::Legacy;
    place::place(source, &[], &catalog::registry(), options, &placing)
}

fn text(text: &str) -> String {
    let source = Source::new("states.scn", text);
    let placed = placed(&source, &Options::default());
    let placed = placed.unwrap_or_else(|it| panic!("{it:?}\n{text}"));
    assert!(placed.left.is_empty(), "{:?}", placed.left);
    placed.source.text
}

/// A target that is read by a pixel shader, then by compute; a buffer that two readers share after its writer; unordered
/// accesses that need each other, and two that do not.
#[test]
fn states_are_what_the_uses_need() {
    let before =
        "texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial UNDEFINED } // target
buffer b : 64KiB { flags UNORDERED_ACCESS }
buffer c : 64KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  clear-rtv t
  dispatch \"make\" 8x8x1 { UNORDERED_ACCESS b writes }
  dispatch \"more\" 8x8x1 { UNORDERED_ACCESS b; UNORDERED_ACCESS c[0..4KiB] writes }
  dispatch \"apart\" 8x8x1 { UNORDERED_ACCESS c[4KiB..8KiB] writes }
  draw \"draw\" { SHADER_RESOURCE t @ PIXEL_SHADING; VERTEX_BUFFER b }
  dispatch \"read\" 8x8x1 { SHADER_RESOURCE t; SHADER_RESOURCE b }
}
timeline { q execute l }
";
    let after = text(before);
    let line =
        "texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; state RENDER_TARGET } // target";
    assert!(after.contains(line), "{after}");
    let entries = |word: &str| {
        let own = after.lines().filter(|it| it.contains(word));
        own.count()
    };
    let readers = "PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE";
    let (one, other) = (
        format!("transition t RENDER_TARGET -> {readers}"),
        "transition b UNORDERED_ACCESS -> VERTEX_AND_CONSTANT_BUFFER|NON_PIXEL_SHADER_RESOURCE",
    );
    let alike = |text: &str| {
        // The words of a state may be in either order.
        let sorted = |word: &str| {
            let mut words: Vec<&str> = word.split('|').collect();
            words.sort_unstable();
            words.join("|")
        };
        text.split(' ').map(sorted).collect::<Vec<_>>().join(" ")
    };
    for wanted in [one.as_str(), other] {
        let is_there = after.lines().any(|it| alike(it).contains(&alike(wanted)));
        assert!(is_there, "`{wanted}`\n{after}");
    }
    assert_eq!(
        (entries("transition "), entries("uav b"), entries("uav c")),
        (2, 1, 0),
        "{after}"
    );
}

/// A compute queue cannot name the state of pixel shaders, so the direct queue that does leaves the texture for both.
#[test]
fn each_queue_names_its_states() {
    let after = text(
        "fence f
texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
queue c : compute
timeline {
  q execute { clear-rtv t }
  q signal f 1
  c wait f 1
  c execute { dispatch 8x8x1 { SHADER_RESOURCE t } }
}
",
    );
    let entry = "transition t RENDER_TARGET -> NON_PIXEL_SHADER_RESOURCE";
    assert!(after.contains(entry), "{after}");
}

/// What no state can do.
#[test]
fn what_states_cannot_do_is_refused() {
    let source = Source::new(
        "halves.scn",
        "buffer c : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute { dispatch 8x1x1 { SHADER_RESOURCE c[0..2KiB]; UNORDERED_ACCESS c[2KiB..4KiB] writes } } }
",
    );
    let what = placed(&source, &Options::default()).expect_err("a buffer has one state");
    assert!(what.message.contains("LB0"), "{what:?}");
    let mut placing = Placing::default();
    (placing.style, placing.keep) = (Style::Legacy, true);
    let registry = catalog::registry();
    let what = place::place(&source, &[], &registry, &Options::default(), &placing);
    assert!(what.is_err());
}

/// Scenes of which states cannot say what they do, or that are about enhanced barriers.
fn refusals(scenes: &[&PathBuf]) -> Vec<String> {
    let refused = scenes.par_iter().filter_map(|path| {
        let (source, options) = (source(path), options(path));
        let before = run::check(&source, &options);
        let (before_text, _) = scenario::parse(&source);
        let is_clean = !before.findings.iter().any(|it| it.severity.fails());
        if !is_clean || before_text.timeline.is_none() {
            return None;
        }
        let name = path.display();
        let placed = match placed(&source, &options) {
            Ok(placed) => placed,
            Err(what) => return Some(format!("{name}: {}", what.message)),
        };
        // Whatever is placed is right, and of states only.
        assert!(placed.left.is_empty(), "{name}: {:?}", placed.left);
        let (after, _) = scenario::parse(&placed.source);
        let mut commands = after.lists.iter().flat_map(|it| &it.commands);
        let executed = placed.source.text.contains("execute");
        let enhanced = commands.any(|it| matches!(it.kind, CommandKind::Barrier(_)));
        assert!(!enhanced || !executed || has_unused_lists(&after), "{name}");
        let created = |text: &Source| {
            let mut value = rest(text);
            // The states in which textures are created are no barriers.
            without_initial(&mut value["resources"]);
            value
        };
        assert_eq!(created(&source), created(&placed.source), "{name}");
        None
    });
    refused.collect()
}

fn without_initial(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            fields.remove("initial");
            fields.values_mut().for_each(without_initial);
        }
        Value::Array(values) => values.iter_mut().for_each(without_initial),
        _ => {}
    }
}

/// Lists that nothing executes keep their barriers.
fn has_unused_lists(scenario: &scenario::Scenario) -> bool {
    let mut executed = 0;
    for statement in scenario.timeline.iter().flat_map(|it| &it.statements) {
        statement.for_each(&mut |it| {
            if let scenario::StatementKind::Execute { lists, .. } = &it.kind {
                executed += lists.len();
            }
        });
    }
    executed < scenario.lists.len()
}

#[test]
fn clean_scenes_are_right_with_states() {
    let scenes = files("scenarios");
    let step = sizes::step(16, 4);
    let scenes: Vec<&PathBuf> = scenes.iter().step_by(step).collect();
    let refused = refusals(&scenes);
    // Most can be placed.
    assert!(refused.len() * 20 < scenes.len(), "{refused:#?}");
}

#[test]
fn a_device_without_enhanced_barriers_gets_states() {
    let mut devices = 0;
    for path in files("scenarios/legacy") {
        let source = source(&path);
        let off = format!(
            "device {{ capability enhanced-barriers off }}\n{}",
            source.text
        );
        let (scene, findings) = scenario::parse(&Source::new("off.scn", off.as_str()));
        let has_states = scene
            .resources
            .values()
            .all(|it| it.is_buffer() || matches!(it.initial, Initial::State(_) | Initial::Default));
        if !has_states || findings.iter().any(|it| it.severity.fails()) {
            continue;
        }
        let source = Source::new(path.display().to_string(), off);
        let options = options(&path);
        if run::check(&source, &options)
            .findings
            .iter()
            .any(|it| it.severity.fails())
        {
            continue;
        }
        if let Ok(placed) = placed(&source, &options) {
            assert!(
                placed.left.is_empty(),
                "{}: {:?}",
                path.display(),
                placed.left
            );
            devices += 1;
        }
    }
    assert!(devices > 3, "{devices}");
}
