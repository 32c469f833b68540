//! Rule files that a reader of the documents on hardware wrote: wrong ones, each of which the corpus must notice, and right
//! ones that are shaped like no built-in lowering.

use super::*;
use crate::verify::sample;
use rayon::prelude::*;
use std::collections::BTreeMap;
use syncscope::verify::{self, Machine};

/// `profile | program | statements`, one a line.
const WRONG: &str = include_str!("../fixtures/rule_files/wrong.txt");

fn is_right(rules: &RuleLowering, profile: &Profile, programs: &[Source]) -> bool {
    let machine = Machine {
        profile,
        lowering: rules,
    };
    let found = verify::verify(&[machine], programs, &|_, _| true);
    assert!(found.programs > 0, "nothing was tried");
    found.is_right()
}

/// Each is wrong on the program that is named with it. The full tier tries all of them, the quick one every fifth.
#[test]
fn the_corpus_notices_wrong_rule_files() {
    let programs = verify::corpus();
    let by_name: BTreeMap<&str, &Source> =
        programs.iter().map(|it| (it.name.as_str(), it)).collect();
    let lines = WRONG
        .lines()
        .filter(|line| !line.is_empty() && !line.starts_with('#'));
    let lines: Vec<&str> = lines.collect();
    let profiles: BTreeSet<&str> = lines.iter().filter_map(|it| it.split(' ').next()).collect();
    assert!(lines.len() >= 300 && profiles.len() >= 5, "{profiles:?}");
    let step = sizes::step(32, 4);
    let tried: Vec<&&str> = lines.iter().step_by(step).collect();
    let unnoticed = tried.par_iter().filter(|line| {
        let parts: Vec<&str> = line.splitn(3, " | ").collect();
        let [on, program, statements] = parts[..] else {
            panic!("`{line}` has three parts");
        };
        let program = by_name
            .get(program)
            .unwrap_or_else(|| panic!("the corpus has no `{program}`"));
        let text = format!(
            "lowering wrong {{ based-on precise; match accumulate }}\nrule \"wrong\" {{ {statements} }}\n"
        );
        is_right(&rules(&text), profile(on), &[(*program).clone()])
    });
    let unnoticed: Vec<&&&str> = unnoticed.collect();
    assert!(unnoticed.is_empty(), "{unnoticed:#?}");
}

/// They do more than they must, each in its own way, and are right.
#[test]
fn rule_files_of_other_shapes_are_right() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/suite/fixtures/rule_files");
    let files = fs::read_dir(folder).expect("the fixtures");
    let files = files.map(|file| file.expect("a file").path());
    let mut count = 0;
    for path in files.filter(|path| path.extension().is_some_and(|it| it == "lower")) {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let on = stem.and_then(|stem| stem.rsplit('.').next());
        let on = profile(on.expect("NAME.PROFILE.lower"));
        let text = fs::read_to_string(&path).expect("a text");
        assert!(found(&text, on).is_empty(), "{}", path.display());
        assert!(is_right(&rules(&text), on, &sample()), "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 3);
}

/// A driver that does all of a split barrier at its second half is right, and wrong if that waits for nothing.
#[test]
fn all_of_a_split_barrier_may_happen_at_its_second_half() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lowering/rule-files");
    let text = fs::read_to_string(path.join("second-half.lower")).expect("a text");
    let mine = rules(&text);
    for on in ["rdna", "intel", "reference"] {
        let on = profile(on);
        assert!(found(&text, on).is_empty(), "{}", on.name);
        assert!(is_right(&mine, on, &sample()), "{}", on.name);
    }
    let split = "split none|second\n  wait as-asked";
    assert!(text.contains(split));
    let idle = rules(&text.replace(split, "split none|second\n  wait none"));
    let scene = fs::read_to_string(path.join("second-half.scn")).expect("a text");
    let scene = scene.replace("lowering \"second-half.lower\"", "");
    let scene = [Source::new("scene.scn", scene)];
    assert!(is_right(&mine, profile("rdna"), &scene));
    assert!(!is_right(&idle, profile("rdna"), &scene));
}

/// The same of halves in two calls, of which the second may do it all; it is wrong if neither changes the layout.
#[test]
fn a_half_in_another_call_may_change_the_layout() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/lowering/rule-files");
    let text = fs::read_to_string(path.join("second-half.lower")).expect("a text");
    let changes = "layout converts|discards\n  split none|second";
    assert!(text.contains(changes));
    let never = text.replace(changes, "layout converts|discards\n  split none");
    let scene = path.join("second-half-in-another-call.scn");
    let scene = fs::read_to_string(scene).expect("a text");
    let scene = scene.replace("lowering \"second-half.lower\"", "");
    let scene = [Source::new("scene.scn", scene)];
    assert!(is_right(&rules(&text), profile("vega"), &scene));
    assert!(!is_right(&rules(&never), profile("vega"), &scene));
}

/// Where a file changes `precise`, barriers that no rule is about are those of `precise`, and a file that changes nothing is told.
#[test]
fn a_based_file_that_changes_nothing_is_told() {
    let text = "lowering m { based-on precise }\nrule \"never here\" { before access VIDEO_DECODE_WRITE; wait ALL }\n";
    let file = Source::new("m.lower", text);
    let options = Options {
        lowering: Some("m.lower".into()),
        files: run::Texts::from_iter([(&*file.name, &*file.text)]).into(),
        ..Options::default()
    };
    let source = Source::new("scene.scn", COLOUR);
    let report = run::run(&source, &catalog::registry(), &options).expect("a run");
    let told = report.findings.iter().find(|f| f.rule.id == "RF005");
    let told = &told.expect("told").message;
    let says = "none of the 1 rules of `m` matches any of the 1 barriers of this run: each packet is that of `precise`";
    assert_eq!(&**told, says);
    let mine = rules(text);
    let machine = Machine {
        profile: profile("rdna"),
        lowering: &mine,
    };
    let said = |programs: &[Source]| {
        let found = verify::verify(&[machine], programs, &|_, _| true);
        assert!(found.is_based && found.is_right());
        let mut out = Vec::new();
        let style = syncscope::report::Style::default();
        syncscope::report::verification::terminal(&found, &style, &mut out).expect("text");
        String::from_utf8(out).expect("text")
    };
    let says = "No rule of `m` matches any barrier on rdna: it is `precise` there.";
    assert!(said(std::slice::from_ref(&source)).ends_with(&format!("{says}\n")));
    let video = "texture a : NV12 64x64 { initial VIDEO_DECODE_WRITE }\nqueue q : video_decode\ntimeline {\n  q execute {\n    \
                 video-decode { VIDEO_DECODE_WRITE a }\n    barrier { texture a { sync VIDEO_DECODE -> VIDEO_DECODE; access \
                 VIDEO_DECODE_WRITE -> VIDEO_DECODE_READ; layout VIDEO_DECODE_WRITE -> VIDEO_DECODE_READ } }\n    video-decode { \
                 VIDEO_DECODE_READ a }\n  }\n}\n";
    let both = [source, Source::new("video.scn", video)];
    assert!(!said(&both).contains("No rule"), "{}", said(&both));
}

/// Where only a program with a mistake of its own shows that a lowering is wrong, the mistake is named.
#[test]
fn mistakes_of_a_counterexample_are_named() {
    let text = "lowering m { based-on precise }\nrule \"31\" { after layout DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE; drop layout }\n";
    let mine = rules(text);
    let machine = Machine {
        profile: profile("vega"),
        lowering: &mine,
    };
    let scene = |layout: &str| {
        format!(
            "texture a : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}\nqueue q : direct\ntimeline {{\n  \
             q execute {{\n    draw {{ RENDER_TARGET a }}\n    barrier {{ texture a {{ sync RENDER_TARGET -> PIXEL_SHADING; access \
             RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> {layout} }} }}\n    draw {{ SHADER_RESOURCE a @ PIXEL_SHADING \
             }}\n  }}\n}}\n"
        )
    };
    let found = |layout: &str, rules: &RuleLowering| {
        let source = Source::new("scene.scn", scene(layout));
        let machine = Machine {
            lowering: rules,
            ..machine
        };
        let mut found = verify::verify(&[machine], &[source], &|_, _| true);
        found.counterexamples.remove(0).mistakes
    };
    // No header has the value 31.
    let illegal = found("DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE", &mine);
    assert_eq!(illegal, ["EB014 queue-layout"]);
    let other = rules(&text.replace(
        "DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE",
        "SHADER_RESOURCE",
    ));
    assert!(found("SHADER_RESOURCE", &other).is_empty());
}
