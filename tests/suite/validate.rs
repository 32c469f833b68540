//! Rules of legality against small texts. Each rule's own scenes are held by `rules.rs`.

use syncscope::finding::{Finding, Source};
use syncscope::order::Timeline;
use syncscope::validate::{self, RuleSet};
use syncscope::{legacy, run, scenario};

/// Findings of legality of a scenario.
fn legality(scenario: &scenario::Scenario) -> Vec<Finding> {
    let plain = legacy::translate(scenario);
    validate::validate(scenario, &Timeline::new(&plain), RuleSet::Specification)
}

#[test]
fn translated_barriers_are_legal() {
    // What the translation makes of correct legacy calls passes the rules that enhanced barriers are held to.
    let text = "
heap h : 64MiB
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; state COMMON; mips 2; heap h at 0 }
texture d : D32_FLOAT 64x64 { flags DEPTH_STENCIL; state DEPTH_WRITE; heap h at 0 }
texture s : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS|SIMULTANEOUS_ACCESS; state COMMON }
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct {
  legacy { transition t COMMON -> RENDER_TARGET; transition d DEPTH_WRITE -> DEPTH_READ }
  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE; uav b; uav * }
  legacy { transition t[mip 1] PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE -> UNORDERED_ACCESS begin }
  legacy { transition t[mip 1] PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE|COPY_SOURCE -> UNORDERED_ACCESS end }
  legacy { uav s; alias t -> d; alias * -> *; transition b UNORDERED_ACCESS -> INDIRECT_ARGUMENT }
}
list c : compute {
  legacy { uav b; transition b UNORDERED_ACCESS -> NON_PIXEL_SHADER_RESOURCE; transition s UNORDERED_ACCESS -> COPY_SOURCE }
}
";
    let (scenario, findings) = scenario::parse(&Source::new("legacy", text));
    assert!(findings.is_empty(), "{findings:?}");
    let legacy = legality(&scenario);
    assert!(legacy.is_empty(), "{legacy:#?}");
    let errors: Vec<_> = legality(&legacy::translate(&scenario))
        .into_iter()
        .filter(|f| f.severity.fails())
        // Legacy scopes follow from states, and need not contain each other (reading R13 is for enhanced barriers).
        .filter(|f| f.rule.id != "EB028")
        .collect();
    assert!(errors.is_empty(), "{errors:#?}");
}

fn messages(text: &str) -> Vec<(&'static str, String)> {
    let (scenario, findings) = scenario::parse(&Source::new("test", text));
    assert!(findings.is_empty(), "{findings:?}");
    legality(&scenario)
        .into_iter()
        .map(|f| (f.rule.id, f.message.to_string()))
        .collect()
}

fn ids(text: &str) -> Vec<&'static str> {
    messages(text).into_iter().map(|(id, _)| id).collect()
}

#[test]
fn one_mistake_is_one_finding() {
    let list = |decl: &str, queue: &str, body: &str| {
        ids(&format!(
            "{decl}\nlist l : {queue} {{ barrier {{ {body} }} }}\n"
        ))
    };
    let rt = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET }";
    // Both sides break the same rule: one finding. Two rules on two sides: two.
    assert_eq!(
        list(
            rt,
            "compute",
            "texture t { sync ALL -> ALL; access NO_ACCESS -> NO_ACCESS; layout RENDER_TARGET -> RENDER_TARGET }"
        ),
        ["EB014"]
    );
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync COPY -> COPY; access RENDER_TARGET -> COPY_DEST; layout RENDER_TARGET -> RENDER_TARGET }"
        ),
        ["EB020", "EB019"]
    );
    // Fields that are left out are NONE and COMMON.
    assert_eq!(
        list(rt, "direct", "texture t { layout COMMON -> RENDER_TARGET }"),
        ["EB010"]
    );
    // The split side names no stages and no access of its own.
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }"
        ),
        [""; 0]
    );
    // A memory-only barrier may name any access that the resource was created for.
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE }"
        ),
        [""; 0]
    );
    assert_eq!(
        list(
            rt,
            "direct",
            "texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> UNORDERED_ACCESS }"
        ),
        ["EB017"]
    );
    // Reading R24: a global entry may say that it promises nothing.
    assert_eq!(
        list(
            "",
            "direct",
            "global { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS }"
        ),
        ["EB044"]
    );
    // Layouts of the driver interface parse and are refused (reading R10).
    for layout in ["LEGACY_COPY_DEST", "31", "0x80000003", "77"] {
        let entry = format!(
            "texture t {{ sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout COMMON -> {layout} }}"
        );
        assert_eq!(list(rt, "direct", &entry), ["EB014"], "{layout}");
    }
}

#[test]
fn uses_and_declarations_obey_creation() {
    assert_eq!(
        ids("texture t : R8G8B8A8_UNORM 4x4\nlist l : direct { clear-rtv t }\n"),
        ["EB017"]
    );
    assert_eq!(
        ids("buffer u : 4KiB { type upload }\nbuffer b : 4KiB\nlist l : copy { copy b -> u }\n"),
        ["EB018"]
    );
    assert_eq!(
        ids("texture t : R8G8B8A8_UNORM 4x4 { initial RENDER_TARGET }\n"),
        ["EB017"]
    );
    assert_eq!(
        ids("heap h : 64MiB { type upload }\ntexture t : R8G8B8A8_UNORM 4x4 { heap h at 0 }\n"),
        ["EB024"]
    );
    assert_eq!(
        ids("buffer b : 4KiB\nlist l : direct { assert access b UNORDERED_ACCESS }\n"),
        ["EB017"]
    );
    assert_eq!(
        ids(
            "device { capability raytracing off }\nbuffer b : 4KiB { flags RAYTRACING_ACCELERATION_STRUCTURE }\n"
        ),
        ["EB025"]
    );
}

/// What LB004 says of a transition: its notes and its help.
fn told_of_a_state_before(resource: &str, list: &str, timeline: &str) -> (Vec<String>, String) {
    let text = format!(
        "texture t : R8G8B8A8_UNORM 64x64 {{ mips 2; flags RENDER_TARGET|UNORDERED_ACCESS; state {resource} }}\n\
         queue q : direct\nlist l : direct {{ {list} }}\ntimeline {{ {timeline} }}\n"
    );
    let (scenario, findings) = scenario::parse(&Source::new("scene.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    let mut found = legality(&scenario).into_iter();
    let told = found
        .find(|finding| finding.rule.id == "LB004")
        .expect("LB004");
    let notes = told.notes.iter().map(ToString::to_string).collect();
    let help = told.help.as_deref().expect("help").to_owned();
    (notes, help)
}

/// A list that is right at one of its executions does not contradict itself, and another word in it would be wrong there.
#[test]
fn a_state_before_that_is_wrong_at_one_execution_is_told_so() {
    let list = "legacy { transition t RENDER_TARGET -> UNORDERED_ACCESS }";
    let back = "other executions of the list find `t` in RENDER_TARGET: bring it back before this one, with \
                `transition t UNORDERED_ACCESS -> RENDER_TARGET`";
    for (state, timeline) in [
        ("RENDER_TARGET", "q execute l, l"),
        ("RENDER_TARGET", "repeat 2 { q execute l }"),
    ] {
        let (notes, help) = told_of_a_state_before(state, list, timeline);
        assert_eq!(
            notes,
            ["found when `l` executes: it depends on what ran before"]
        );
        assert_eq!(help, back);
    }
    // Within one execution it does.
    let twice = format!("{list}; {list}");
    let (notes, _) = told_of_a_state_before("RENDER_TARGET", &twice, "q execute l");
    assert_eq!(
        notes,
        ["found while `l` is recorded: the list contradicts itself wherever it executes"]
    );
}

/// No help proposes a transition whose states are the same: that would be LB001.
#[test]
fn no_help_proposes_equal_states() {
    let to = |states: &str| format!("legacy {{ transition t {states} }}");
    let help = |state: &str, list: &str| told_of_a_state_before(state, list, "q execute l").1;
    let unordered = to("RENDER_TARGET -> UNORDERED_ACCESS");
    assert_eq!(
        help("UNORDERED_ACCESS", &unordered),
        "write `uav t`: it orders unordered accesses in one state"
    );
    let target = to("UNORDERED_ACCESS -> RENDER_TARGET");
    assert_eq!(
        help("RENDER_TARGET", &target),
        "leave the transition out: `t` is in RENDER_TARGET"
    );
    let mixed = format!(
        "legacy {{ transition t[mip 1] RENDER_TARGET -> COPY_DEST }}; {}",
        to("RENDER_TARGET -> COPY_DEST")
    );
    assert_eq!(
        help("RENDER_TARGET", &mixed),
        "leave `t[mip 1]` out of the transition: it is in COPY_DEST"
    );
    let mixed = format!(
        "legacy {{ transition t[mip 1] RENDER_TARGET -> COPY_DEST }}; {}",
        to("RENDER_TARGET -> COPY_SOURCE")
    );
    assert_eq!(
        help("RENDER_TARGET", &mixed),
        "write `transition t[mip 1] COPY_DEST -> COPY_SOURCE`, and the rest in entries of its own"
    );
}

/// A state that uses promoted a texture to is a state like another one: a transition that goes there is left out.
#[test]
fn a_promoted_state_is_told_by_its_name() {
    let list = "draw { SHADER_RESOURCE t @ PIXEL_SHADING }; \
                legacy { transition t COPY_SOURCE -> PIXEL_SHADER_RESOURCE }";
    let (_, help) = told_of_a_state_before("COMMON", list, "q execute l");
    assert_eq!(
        help,
        "leave the transition out: `t` is in PIXEL_SHADER_RESOURCE"
    );
}

/// Where one rule has two reasons, a finding says the one that holds.
#[test]
fn a_finding_of_a_rule_with_two_reasons_says_which() {
    let said = |declared: &str, body: &str| {
        let text = format!("{declared}\nlist l : direct {{ {body} }}\n");
        messages(&text)
            .into_iter()
            .map(|(_, said)| said)
            .collect::<Vec<_>>()
    };
    // A flag that is missing, and one that refuses.
    let to = |texture: &str, layout: &str| {
        let states =
            format!("sync NONE -> ALL; access NO_ACCESS -> {layout}; layout UNDEFINED -> {layout}");
        said(
            texture,
            &format!("barrier {{ texture t {{ {states}; discard }} }}"),
        )
    };
    let refusing = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|DENY_SHADER_RESOURCE }";
    assert_eq!(
        to(refusing, "SHADER_RESOURCE"),
        ["`t` was created with DENY_SHADER_RESOURCE, which refuses the layout SHADER_RESOURCE"]
    );
    assert_eq!(
        to("texture t : R8G8B8A8_UNORM 64x64", "RENDER_TARGET"),
        ["`t` was created without RENDER_TARGET, which the layout RENDER_TARGET needs"]
    );
    // States that a heap does not allow, and one that would be left for another that it allows as well.
    let upload = "buffer b : 64KiB { type upload }";
    assert_eq!(
        said(upload, "legacy { transition b GENERIC_READ -> COPY_DEST }"),
        ["`b` is in the upload heap, which does not allow COPY_DEST"]
    );
    assert_eq!(
        said(
            upload,
            "legacy { transition b GENERIC_READ -> COPY_SOURCE }"
        ),
        ["`b` is in the upload heap, whose resources stay in one state"]
    );
    // Halves that name other subresources, and halves that name other states.
    let halves = |begin: &str, end: &str| {
        let target =
            "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET; mips 2 }";
        let half = |said: &str, word: &str| format!("legacy {{ transition {said} {word} }}");
        said(
            target,
            &format!("{}; {}", half(begin, "begin"), half(end, "end")),
        )
    };
    assert_eq!(
        halves(
            "t RENDER_TARGET -> COPY_SOURCE",
            "t[mip 0] RENDER_TARGET -> COPY_SOURCE"
        ),
        ["this half and the `begin` half name different subresources of `t`"]
    );
    assert_eq!(
        halves(
            "t RENDER_TARGET -> COPY_SOURCE",
            "t RENDER_TARGET -> COPY_DEST"
        ),
        [
            "this half goes RENDER_TARGET -> COPY_DEST, the `begin` half RENDER_TARGET -> COPY_SOURCE"
        ]
    );
}

/// Where a device has no enhanced barriers, a buffer is told to have no layout, and a texture to have a state.
#[test]
fn a_layout_without_enhanced_barriers_has_a_way_out() {
    let help = |resource: &str| {
        let text = format!("device {{ capability enhanced-barriers off }}\n{resource}\n");
        let (scenario, findings) = scenario::parse(&Source::new("test", text));
        assert!(findings.is_empty(), "{findings:?}");
        let found = legality(&scenario);
        let [only] = found.as_slice() else {
            panic!("{found:?}");
        };
        assert_eq!(only.rule.id, "EB001");
        only.help.as_deref().expect("help").to_owned()
    };
    assert_eq!(
        help("buffer b : 4KiB { initial UNDEFINED }"),
        "leave `initial` out: a buffer has no layout; or switch `capability enhanced-barriers on`"
    );
    let target = "{ flags RENDER_TARGET; initial RENDER_TARGET }";
    assert_eq!(
        help(&format!("texture t : R8G8B8A8_UNORM 64x64 {target}")),
        "write `state RENDER_TARGET`; or switch `capability enhanced-barriers on`"
    );
}

/// What is wrong with an entry is said of the first subresource; for a comparison with a copy, of each that is in another layout.
#[test]
fn an_unfolded_mistake_is_one_for_each_subresource() {
    let text = "texture t : R8G8B8A8_UNORM 64x64 { mips 2; flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
list l : direct {
  barrier { texture t[mip 1] { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_DEST; layout RENDER_TARGET -> COPY_DEST } }
  barrier { texture t { sync COPY -> PIXEL_SHADING; access COPY_SOURCE -> SHADER_RESOURCE; layout COPY_SOURCE -> SHADER_RESOURCE } }
}
timeline { q execute l }
";
    let (scenario, findings) = scenario::parse(&Source::new("mips.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    let timeline = Timeline::new(&scenario);
    let count = |found: Vec<Finding>| found.iter().filter(|f| f.rule.id == "EB026").count();
    let rules = RuleSet::Specification;
    let folded = count(validate::validate(&scenario, &timeline, rules));
    let unfolded = count(validate::validate_unfolded(&scenario, &timeline, rules));
    assert_eq!((folded, unfolded), (1, 2));
}

/// A discard writes as the texture is created to be written, by the first of the accesses that it has. (Rule LB026)
#[test]
fn a_discard_is_told_by_the_access_that_the_texture_has() {
    let said = |flags: &str| {
        messages(&format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ flags {flags}; state COPY_DEST }}\nqueue q : direct\n\
             timeline {{ q execute {{ discard t }} }}\n"
        ))
    };
    for (flags, access) in [
        ("RENDER_TARGET|UNORDERED_ACCESS", "RENDER_TARGET"),
        ("UNORDERED_ACCESS", "UNORDERED_ACCESS"),
    ] {
        let expected = format!("this uses `t` as {access}, but it is in COPY_DEST");
        assert_eq!(said(flags), [("LB026", expected)]);
    }
}

/// A copy queue has no unordered access, so a UAV barrier in its list has nothing to wait for. (Rule LB003)
#[test]
fn a_uav_barrier_needs_a_queue_with_unordered_accesses() {
    let on = |queue: &str| {
        ids(&format!(
            "buffer b : 64KiB {{ flags UNORDERED_ACCESS }}\nlist l : {queue} {{ legacy {{ uav b }} }}\n"
        ))
    };
    assert_eq!(on("copy"), ["LB003"]);
    assert_eq!(on("compute"), [""; 0]);
    assert_eq!(on("direct"), [""; 0]);
}

/// Warnings and advice that a scene cannot forbid stay away where nothing is to be said.
#[test]
fn what_needs_no_warning_has_none() {
    let found = |text: &str| -> Vec<&'static str> {
        let check = run::check(&Source::new("quiet.scn", text), &run::Options::default());
        check.findings.iter().map(|f| f.rule.id).collect()
    };
    // Two barriers of one call that only flush write over nothing (EB037).
    let flushes = "heap pool : 64MiB { type default }
buffer a : 64KiB { flags UNORDERED_ACCESS; heap pool at 0 }
buffer b : 64KiB { flags UNORDERED_ACCESS; heap pool at 0 }
queue q : direct
list l : direct {
  barrier {
    buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
    buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }
  }
}
timeline { q execute l }
";
    assert_eq!(found(flushes), [""; 0]);
    // Of a transition from a wrong state nothing is advised about where it goes (LB015).
    let wrong = "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b }
  legacy { transition b COPY_DEST -> NON_PIXEL_SHADER_RESOURCE }
}
timeline { q execute l }
";
    assert_eq!(found(wrong), ["LB004"]);
    // After a use in COMMON a transition is not the first thing in its call, and a texture with a layout is not promoted (LB016,
    // reading R67).
    let second = "texture t : R8G8B8A8_UNORM 64x64 { initial COMMON }
queue q : direct
list l : direct {
  draw \"first\" { SHADER_RESOURCE t @ PIXEL_SHADING }
  legacy { transition t COMMON -> PIXEL_SHADER_RESOURCE }
  draw \"second\" { SHADER_RESOURCE t @ PIXEL_SHADING }
}
timeline { q execute l }
";
    assert_eq!(found(second), [""; 0]);
}

/// What is wrong with a use that may not be made is no error, also where a warning is found in the same text.
#[test]
fn a_possible_use_next_to_a_warning_is_no_error() {
    let text = "buffer b : 4KiB
texture t : R8G8B8A8_UNORM 64x64
queue q : direct
list l : direct {
  barrier { buffer b { access NO_ACCESS -> NO_ACCESS } }
  dispatch \"perhaps\" 1x1x1 { UNORDERED_ACCESS t may }
}
";
    let check = run::check(&Source::new("may.scn", text), &run::Options::default());
    let found = check.findings.iter().map(|f| (f.rule.id, f.severity));
    let found: Vec<_> = found.collect();
    assert!(found.iter().any(|(id, _)| *id == "EB017"), "{found:?}");
    assert!(
        found.iter().all(|(_, severity)| !severity.fails()),
        "{found:?}"
    );
}
