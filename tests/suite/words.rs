//! What findings and commands say where what they said was wrong.

use std::path::Path;
use syncscope::finding::{Finding, Source};
use syncscope::{catalog, run, workbench};

fn found(text: &str) -> Vec<Finding> {
    let source = Source::new("words.scn", text);
    let report = run::run(&source, &catalog::registry(), &run::Options::default());
    report.expect("a scene runs").findings
}

/// All that is said of the finding of a rule.
fn said(text: &str, rule: &str) -> String {
    let found = found(text);
    let it = found.iter().find(|f| f.rule.id == rule);
    let it = it.unwrap_or_else(|| panic!("no {rule} in {found:?}"));
    let labels = it.related.iter().map(|r| r.label.to_string());
    let notes = it.notes.iter().map(ToString::to_string);
    let parts = [it.message.to_string()].into_iter().chain(notes);
    let help = it.help.iter().map(ToString::to_string);
    parts
        .chain(labels)
        .chain(help)
        .collect::<Vec<_>>()
        .join("\n")
}

/// ST101 names operations that are worth hiding or avoiding: of the barrier before a present they can be neither.
#[test]
fn a_transition_to_present_is_no_costly_barrier() {
    let scene = |after: &str, end: &str| {
        format!(
            "device {{ profile vega }}
texture t : R8G8B8A8_UNORM 4096x4096 {{ flags RENDER_TARGET; initial RENDER_TARGET; keep }}
queue q : direct
list l : direct {{
  draw takes 100us {{ RENDER_TARGET t }}
  barrier {{ texture t {{ sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> {after} }} }}
}}
timeline {{
  q execute l
  {end}
}}
"
        )
    };
    let is_costly = |text: &str| found(text).iter().any(|f| f.rule.id == "ST101");
    assert!(!is_costly(&scene("PRESENT", "q present t")));
    assert!(is_costly(&scene("COMMON", "")));
}

/// Readings R12, R20: a copy is over before later work; that a barrier on other memory does not order it is no fault.
#[test]
fn what_is_ordered_anyway_lacks_no_order() {
    let text = "
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB
buffer c : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  copy b -> a
  barrier { buffer c { sync COPY -> PIXEL_SHADING; access COPY_DEST -> UNORDERED_ACCESS } }
  dispatch 1x1x1 { SHADER_RESOURCE a }
}
timeline { q execute l }
";
    let ordered = said(text, "HZ101");
    assert!(!ordered.contains("✗ order"), "{ordered}");
    // The same of a dispatch, which nothing orders.
    let work = "dispatch 1x1x1 { UNORDERED_ACCESS a writes }";
    let text = text
        .replace("copy b -> a", work)
        .replace("sync COPY ->", "sync COMPUTE_SHADING ->")
        .replace("access COPY_DEST", "access UNORDERED_ACCESS");
    let unordered = said(&text, "HZ101");
    assert!(unordered.contains("✗ order"), "{unordered}");
}

/// A range that is all ones says where it would mean all.
#[test]
fn a_range_of_ones_is_told_what_it_is() {
    let scene = |range: &str| {
        format!(
            "
texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; mips 4; initial RENDER_TARGET }}
queue q : direct
timeline {{
  q execute {{ barrier {{ texture t {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE; range {range} }} }} }}
}}
"
        )
    };
    let all = "0xffffffff 0xffffffff 0xffffffff 0xffffffff 0xffffffff 0xffffffff";
    let all = said(&scene(all), "EB006");
    assert!(
        all.contains("means all subresources only if `NumMipLevels` is 0"),
        "{all}"
    );
    let count = said(&scene("0 0xffffffff 0 1 0 1"), "EB006");
    assert!(
        count.contains("`NumMipLevels` is 0xffffffff") && count.contains("only 4 mips"),
        "{count}"
    );
    let slices = said(&scene("0 9 0 0xffffffff 0 1"), "EB006");
    assert!(slices.contains("names mip 8"), "{slices}");
}

/// Legacy text hears of aliasing barriers, enhanced text of `AccessAfter`.
#[test]
fn an_inactive_alias_is_told_in_the_words_of_its_text() {
    let scene = |name: &str| {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("scenarios")
            .join(name);
        std::fs::read_to_string(path).expect("a scene")
    };
    let legacy = said(&scene("readings/R69-from-a-to-any.scn"), "HZ108");
    assert!(
        legacy.contains("an aliasing barrier took out of use") && !legacy.contains("Access"),
        "{legacy}"
    );
    let enhanced = said(&scene("rules/HZ108/fires.scn"), "HZ108");
    assert!(
        enhanced.contains("with AccessAfter NO_ACCESS"),
        "{enhanced}"
    );
}

/// Work after a wait that never ends does not run.
#[test]
fn what_never_runs_would_use_a_resource() {
    let text = "
buffer a : 4KiB { flags UNORDERED_ACCESS }
queue g : direct
queue c : compute
fence f
timeline {
  g wait f 5
  g execute { draw \"never\" { SHADER_RESOURCE a } }
  c execute { dispatch \"w\" 1x1x1 { UNORDERED_ACCESS a } }
}
";
    let never = said(text, "HZ201");
    assert!(never.contains("would use it if its wait ended"), "{never}");
    let runs = said(&text.replace("  g wait f 5\n", ""), "HZ201");
    assert!(runs.contains("on `g` uses it"), "{runs}");
}

/// A list without a name is not quoted.
#[test]
fn a_list_without_a_name_is_no_name() {
    let text = "
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
queue q : direct
timeline {
  q execute { legacy { transition t COPY_DEST -> COPY_SOURCE } }
}
";
    let unnamed = said(text, "LB004");
    assert!(
        unnamed.contains("when the unnamed list executes"),
        "{unnamed}"
    );
}

/// A scene without a title is called by its file, wherever that lies.
#[test]
fn a_scene_without_a_title_has_the_name_of_its_file() {
    let text = "queue q : direct\ntimeline { q execute { draw } }\n";
    let title = |name: &str, text: &str| {
        let source = Source::new(name, text);
        let report = run::run(&source, &catalog::registry(), &run::Options::default());
        report.expect("a scene runs").scenario
    };
    assert_eq!(title("/far/away/frame.scn", text), "frame.scn");
    let titled = format!("scenario \"A frame\"\n{text}");
    assert_eq!(title("/far/away/frame.scn", &titled), "A frame");
}

/// A scene whose runs go right is not called right where it has mistakes.
#[test]
fn mistakes_of_a_scene_whose_runs_go_right_are_named() {
    let path = "scenarios/readings/R63-read-of-what-an-alias-wrote.scn";
    let program = std::process::Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["bisect", path])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("the program runs");
    let said = String::from_utf8_lossy(&program.stderr);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        said.contains("mistakes of its own: HZ108 alias-inactive") && !said.contains("every read"),
        "{said}"
    );
    let clean = Source::new(
        "clean.scn",
        "queue q : direct\ntimeline { q execute { draw } }\n",
    );
    assert!(workbench::mistakes(&clean).is_empty());
}
