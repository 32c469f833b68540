//! Rule files: what they mean, what is wrong with them, and that nothing in one stops the program.

use crate::{machine_random, sizes, tour};
use rand::prelude::*;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;
use syncscope::ensure;
use syncscope::finding::{Finding, Rule, Source};
use syncscope::hardware::Profile;
use syncscope::lower::rules::{self, RuleLowering, export, json, mistakes};
use syncscope::lower::{Lowering, setting};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, Program, Reach, StepKind};
use syncscope::run::{self, Options};
use syncscope::scenario::Scenario;
use syncscope::{catalog, legacy, order, scenario};

/// Every built-in profile.
static PROFILES: LazyLock<Vec<Profile>> = LazyLock::new(|| {
    let registry = catalog::registry();
    let names = registry.profiles.iter();
    names
        .map(|p| registry.profile(p.name).expect("built in"))
        .collect()
});

fn profile(name: &str) -> &'static Profile {
    let found = PROFILES.iter().find(|p| p.name == name);
    found.unwrap_or_else(|| panic!("{name} is built in"))
}

/// The lowering of a rule file without mistakes.
fn rules(text: &str) -> RuleLowering {
    match RuleLowering::read(&Source::new("mine.lower", text)) {
        Ok((lowering, _)) => lowering,
        Err(findings) => panic!("{text}\n{:?}", findings[0]),
    }
}

/// Findings of a rule file, compared with a profile.
fn found(text: &str, profile: &Profile) -> Vec<Finding> {
    run::read_lowering(&Source::new("mine.lower", text), Some(profile)).findings
}

/// A scenario as every command has it before it is ordered.
fn prepared(text: &str) -> Option<Scenario> {
    let (scenario, findings) = scenario::parse(&Source::new("scene.scn", text));
    if findings.iter().any(|f| f.severity.fails()) || scenario.timeline.is_none() {
        return None;
    }
    let paired = order::pair_fence_barriers(scenario);
    Some(legacy::translate(&paired).into_owned())
}

/// The barrier packets of a program: what each waits for, does and holds, without the reasons. Write-backs next to each
/// other run together, and so do drops: their order is none.
fn packets(program: &Program) -> Vec<String> {
    let mut packets = Vec::new();
    for (block, op) in program.ops() {
        let HwOpKind::Barrier(barrier) = &op.kind else {
            continue;
        };
        let mut steps: Vec<(u8, usize, String)> = Vec::new();
        let mut run = (0, 0);
        for step in barrier.steps.of(&block.steps) {
            let reach = |reach: &Reach| match block.reach(*reach) {
                None => "whole".to_owned(),
                Some(extents) => format!("{extents:?}"),
            };
            let (kind, text) = match &step.kind {
                StepKind::Clean { cache, reach: r } => (1, format!("clean {cache:?} {}", reach(r))),
                StepKind::Invalidate { cache, reach: r } => {
                    (2, format!("invalidate {cache:?} {}", reach(r)))
                }
                StepKind::Layout {
                    op,
                    resource,
                    act,
                    initialise,
                    extents,
                } => {
                    let extents = extents.of(&block.extents);
                    (
                        0,
                        format!("layout {op:?} {resource:?} {act:?} {initialise} {extents:?}"),
                    )
                }
                other => (0, format!("{other:?}")),
            };
            if kind == 0 || kind != run.0 {
                run = (kind, run.1 + 1);
            }
            steps.push((kind, run.1, text));
        }
        steps.sort_by(|a, b| (a.1, &a.2).cmp(&(b.1, &b.2)));
        let steps: Vec<String> = steps.into_iter().map(|(_, _, text)| text).collect();
        packets.push(format!(
            "{:?} {:?} wait {} hold {} all {}: {}",
            op.origin,
            barrier.role,
            barrier.wait,
            barrier.hold,
            barrier.after_all,
            steps.join("; ")
        ));
    }
    packets
}

/// Compares two lowerings on a scenario. Says how many barrier packets there are.
fn same(
    mine: &dyn Lowering,
    other: &dyn Lowering,
    text: &str,
    name: &str,
    profile: &Profile,
) -> usize {
    let Some(scenario) = prepared(text) else {
        return 0;
    };
    let timeline = Timeline::new(&scenario);
    let (a, b) = (
        mine.lower(&timeline, profile),
        other.lower(&timeline, profile),
    );
    let (a, b) = (packets(&a), packets(&b));
    let differ = a.iter().zip(&b).find(|(a, b)| a != b);
    if let Some((a, b)) = differ {
        panic!(
            "{name} on {}: {} has\n  {a}\n{} has\n  {b}\n{text}",
            profile.name,
            mine.name(),
            other.name()
        );
    }
    assert_eq!(a.len(), b.len(), "{name}");
    a.len()
}

/// Every scenario of the repository, and some random ones.
fn scenes() -> Vec<(String, String)> {
    let files = tour::files("scenarios");
    let files = files.iter().map(|path| {
        let text = tour::source(path).text.clone();
        (path.display().to_string(), text)
    });
    let random = sizes::RUNS
        .seeds()
        .map(|seed| (format!("random {seed}"), machine_random::write(seed)));
    files.chain(random).collect()
}

fn built_in(name: &str) -> &'static dyn Lowering {
    catalog::registry().lowering(name).expect("built in")
}

const COLOUR: &str = "queue q : direct\ntexture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }\n\
    list l : direct {\n  draw pixels 65536 { RENDER_TARGET t }\n  \
    barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; \
    layout RENDER_TARGET -> SHADER_RESOURCE } }\n  draw pixels 65536 { SHADER_RESOURCE t @ PIXEL_SHADING }\n}\n\
    timeline { q execute l }\n";

const MINE: &str = "// What I try.\nlowering my_driver {\n  summary \"colour by hand\"\n  match first\n}\n\n\
    rule \"colour to texture\" {\n  before access RENDER_TARGET\n  after access SHADER_RESOURCE|COPY_SOURCE\n  \
    clean CB CBM  // both\n  layout\n  invalidate L0V K GL1 GLM\n}\n\ndefault {\n  wait ALL\n  hold ALL\n  clean * whole\n  \
    invalidate * whole\n  layout\n}\n";

#[test]
fn a_rule_file_lowers_a_barrier_as_it_says() {
    let scenario = prepared(COLOUR).expect("a scenario");
    let timeline = Timeline::new(&scenario);
    let rdna = profile("rdna");
    let mine = rules(MINE);
    let program = mine.lower(&timeline, rdna);
    assert!(ensure::check(&timeline, rdna, &program).missing.is_empty());
    let account = mine.account(&timeline, rdna);
    assert_eq!(account.entries.len(), 1);
    assert_eq!(
        account.entries[0].1[0].rule, 0,
        "the first rule, not the default"
    );
    // Without its write-back it is wrong, and that is found.
    let wrong = rules(&MINE.replace("clean CB CBM  // both", ""));
    let program = wrong.lower(&timeline, rdna);
    assert!(!ensure::check(&timeline, rdna, &program).missing.is_empty());
}

#[test]
fn each_operation_names_its_rule_and_line() {
    let source = Source::new("scene.scn", COLOUR);
    let options = Options {
        lowering: Some("mine.lower".into()),
        lowering_files: vec![Source::new("mine.lower", MINE)],
        profile: Some("rdna".into()),
        ..Options::default()
    };
    let report = run::run(&source, &catalog::registry(), &options).expect("a run");
    assert_eq!(report.lowering, "my_driver");
    let operations = &report.barriers[0].operations;
    let of = |op: &str| {
        operations
            .iter()
            .find(|o| o.op == op)
            .expect("an operation")
    };
    assert_eq!(of("clean").why, "rule \"colour to texture\", mine.lower:10");
    assert_eq!(
        of("invalidate").why,
        "rule \"colour to texture\", mine.lower:12"
    );
}

#[test]
fn text_and_json_say_the_same() {
    for text in [MINE, ALL_OF_IT] {
        let (file, findings) = rules::parse(&Source::new("mine.lower", text));
        assert!(findings.is_empty(), "{findings:?}");
        let printed = rules::print(&file);
        let (again, _) = rules::parse(&Source::new("mine.lower", printed.clone()));
        assert_eq!(
            rules::print(&again),
            printed,
            "printing twice changes nothing"
        );
        let json = json::to_json(&file);
        let back = json::to_text(&Source::new("mine.lower.json", json)).expect("a rule file");
        let (back, findings) = rules::parse(&Source::new("mine.lower.json", back));
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(rules::print(&back), printed);
    }
    assert_eq!(rules::print(&rules::parse(&Source::new("m", MINE)).0), MINE);
}

/// Every statement of the grammar.
const ALL_OF_IT: &str = "lowering \"all of it\" { summary \"every \\\"word\\\"\"; match accumulate; based-on precise; passes break }
rule \"conditions\" { before sync DRAW|COPY any; after sync * ; before access *_READ|RENDER_TARGET but COPY_*|VIDEO_* only
  after access COMMON exactly; given-up WRITES; flags RENDER_TARGET all; before layout *QUEUE*|COMMON
  after layout SHADER_RESOURCE; before class fast-clear|compressed; after class plain; layout changes
  operation decompress|\"fast clear eliminate\"; resource texture; queue direct|compute; split none
  metadata before|both; surface ordinary|\"metadata of small mips\" + \"metadata of multisampled images\"
  leftovers none; since-wait work; profile rdna|rdna12; nothing }
rule \"emissions\" { in order; wait as-asked; hold PIXEL_SHADING|COPY; clean CB DB whole; invalidate \"whole\" K
  layout \"decompress\"; front-end; driver \"wait\" 1.5us; after-all }
rule \"places\" { clean CB late; clean DB again; clean CBM early; invalidate K whole early; drop clean L2; drop invalidate *
  drop layout; drop front-end }
default { wait none; hold none }
";

/// Each mistake: the text, its rule, and a part of the message and of the help.
#[test]
fn mistakes_are_named_with_their_place() {
    let head = "lowering m { match first }\n";
    let cases: &[(&str, &Rule, &str, &str)] = &[
        (
            "rule \"a\" { before access COPY_DEST but COPY_* }",
            &mistakes::UNEXPECTED,
            "leaves nothing over",
            "`but`",
        ),
        (
            "rule \"a\" { claen CB }",
            &mistakes::UNEXPECTED,
            "found `claen`",
            "did you mean `clean`?",
        ),
        (
            "rule \"a\" { before acess COPY_DEST }",
            &mistakes::UNEXPECTED,
            "found `acess`",
            "did you mean `access`?",
        ),
        (
            "rule \"a\" { before access RENDER_TARGTE }",
            &mistakes::UNKNOWN_NAME,
            "no access `RENDER_TARGTE`",
            "did you mean `RENDER_TARGET`?",
        ),
        (
            "rule \"a\" { before access PIXEL_SHADING }",
            &mistakes::UNEXPECTED,
            "`PIXEL_SHADING` is a stage, not a access",
            "after `before access`",
        ),
        (
            "rule \"a\" { before access COMMON }",
            &mistakes::UNEXPECTED,
            "`COMMON` is no single access",
            "COMMON exactly",
        ),
        (
            "rule \"a\" { after sync SPLIT }",
            &mistakes::UNEXPECTED,
            "`SPLIT` is no single stage",
            "split first",
        ),
        (
            "rule \"a\" { queue graphics }",
            &mistakes::UNKNOWN_NAME,
            "no `queue` `graphics`",
            "known: direct",
        ),
        (
            "rule \"a\" { after layout SHADER_RESSOURCE }",
            &mistakes::UNKNOWN_NAME,
            "`SHADER_RESSOURCE`",
            "did you mean `SHADER_RESOURCE`?",
        ),
        (
            "rule \"a\" { clean CBX }",
            &mistakes::UNKNOWN_NAME,
            "`rdna` has no cache `CBX`",
            "known: L0V, K, I",
        ),
        (
            "rule \"a\" { layout \"decompres\" }",
            &mistakes::UNKNOWN_NAME,
            "no layout operation `decompres`",
            "did you mean `decompress`?",
        ),
        (
            "rule \"a\" { surface \"small mips\" }",
            &mistakes::UNKNOWN_NAME,
            "no exception `small mips`",
            "ordinary",
        ),
        (
            "rule \"a\" { clean K }",
            &mistakes::POINTLESS_CLEAN,
            "`K` of `rdna` is read-only",
            "invalidate K",
        ),
        (
            "rule \"a\" { clean L0V }",
            &mistakes::POINTLESS_CLEAN,
            "passes every write on",
            "invalidate L0V",
        ),
        (
            "rule \"a\" { driver \"x\" 3 }",
            &mistakes::UNEXPECTED,
            "`3` is not a time",
            "300ns",
        ),
        (
            "rule \"a\" { driver \"x\" 99999999999999999999ns }",
            &mistakes::UNEXPECTED,
            "is not a time",
            "300ns",
        ),
        (
            "rule \"a\" { wait ALL; wait none }",
            &mistakes::UNEXPECTED,
            "said twice",
            "once",
        ),
        (
            "rule \"a\" { in order; clean CB late }",
            &mistakes::UNEXPECTED,
            "in order",
            "wanted order",
        ),
        (
            "rule \"a\" { clean CB\nrule \"b\" { clean DB }",
            &mistakes::UNEXPECTED,
            "found",
            "",
        ),
        (
            "rule \"a\" { nothing }\nrule \"a\" { nothing }",
            &mistakes::UNEXPECTED,
            "there twice",
            "name of its own",
        ),
        (
            "default { queue direct; nothing }",
            &mistakes::UNEXPECTED,
            "no conditions",
            "a rule with a name",
        ),
        (
            "default { nothing }\ndefault { nothing }",
            &mistakes::UNEXPECTED,
            "there twice",
            "",
        ),
        (
            "ruel \"a\" { nothing }",
            &mistakes::UNEXPECTED,
            "found `ruel`",
            "did you mean `rule`?",
        ),
        (
            "rule a { nothing }",
            &mistakes::UNEXPECTED,
            "in quotes, found `a`",
            "\"text\"",
        ),
        (
            "rule \"a { nothing }",
            &mistakes::UNEXPECTED,
            "closing quote",
            "",
        ),
        (
            "",
            &mistakes::UNEXPECTED,
            "no rule and no default",
            "based-on precise",
        ),
        (
            "lowering n { }\nrule \"a\" { nothing }",
            &mistakes::UNEXPECTED,
            "twice",
            "one lowering",
        ),
    ];
    for (text, rule, message, help) in cases {
        let found = found(&format!("{head}{text}"), profile("rdna"));
        let first = found
            .first()
            .unwrap_or_else(|| panic!("{text}: nothing was found"));
        assert_eq!(first.rule.id, rule.id, "{text}: {}", first.message);
        assert!(first.message.contains(message), "{text}: {}", first.message);
        let said = first.help.as_deref().unwrap_or_default();
        assert!(said.contains(help), "{text}: {said}");
        assert!(
            first.span.start as usize >= head.find('m').unwrap_or(0),
            "{text}: a place"
        );
    }
    let none = found("rule \"a\" { nothing }", profile("rdna"));
    assert!(none[0].message.contains("does not name its lowering"));
    // A rule for another profile may name what this one does not have.
    let other = "rule \"a\" { profile intel; clean RT }";
    assert!(found(&format!("{head}{other}"), profile("rdna")).is_empty());
    assert!(found(&format!("{head}{other}"), profile("intel")).is_empty());
    assert!(
        !found(
            &format!("{head}{}", other.replace("intel", "rdna")),
            profile("rdna")
        )
        .is_empty()
    );
}

#[test]
fn rules_that_never_match_are_found() {
    let never = |body: &str, matching: &str| {
        let text = format!("lowering m {{ match {matching} }}\n{body}");
        let found = found(&text, profile("rdna"));
        let of = |f: &&Finding| f.rule.id == mistakes::NEVER_MATCHES.id;
        found
            .iter()
            .filter(of)
            .map(|f| f.message.to_string())
            .collect::<Vec<_>>()
    };
    let contradictions = [
        "before access RENDER_TARGET only; before access COPY_DEST",
        "before access COPY_DEST all; before access none",
        "queue direct; queue copy",
        "resource buffer; after layout COMMON",
        "resource global; layout changes",
        "resource global; flags RENDER_TARGET",
        "split first; after sync COPY",
        "after access COMMON exactly; after access COPY_DEST exactly",
    ];
    for conditions in contradictions {
        let found = never(
            &format!("rule \"a\" {{ {conditions}; nothing }}"),
            "accumulate",
        );
        assert_eq!(found.len(), 1, "{conditions}: {found:?}");
    }
    let possible = [
        "before access RENDER_TARGET any; before access COPY_DEST any",
        "before access RENDER_TARGET|COPY_DEST only; before access COPY_DEST all",
        "resource buffer; after layout none",
        "resource buffer; layout stays",
        "split first; after sync none",
    ];
    for conditions in possible {
        let found = never(&format!("rule \"a\" {{ {conditions}; nothing }}"), "first");
        assert!(found.is_empty(), "{conditions}: {found:?}");
    }
    // Of the first, everything that the second matches.
    let shadowed = [
        ("", "queue direct", true),
        ("queue direct|compute", "queue direct", true),
        ("queue direct", "queue direct|compute", false),
        ("before access WRITES", "before access RENDER_TARGET", true),
        (
            "before access WRITES",
            "before access RENDER_TARGET all; queue direct",
            true,
        ),
        ("before access RENDER_TARGET", "before access WRITES", false),
        (
            "before access WRITES only",
            "before access RENDER_TARGET",
            false,
        ),
        (
            "before access WRITES only",
            "before access RENDER_TARGET only",
            true,
        ),
        ("profile rdna", "queue direct", false),
        ("profile rdna", "profile rdna; queue direct", true),
    ];
    for (first, second, as_it_should) in shadowed {
        let body = format!("rule \"a\" {{ {first}; nothing }}\nrule \"b\" {{ {second}; nothing }}");
        let found = never(&body, "first");
        assert_eq!(
            !found.is_empty(),
            as_it_should,
            "{first} / {second}: {found:?}"
        );
        assert!(never(&body, "accumulate").is_empty(), "all count: {body}");
    }
    let default = never("rule \"a\" { nothing }\ndefault { nothing }", "first");
    assert!(
        default[0].contains("the default never counts"),
        "{default:?}"
    );
}

/// `based-on precise` without rules is `precise`; four lines are `full_flush`.
#[test]
fn small_files_are_built_in_lowerings() {
    let precise = rules("lowering p { based-on precise }");
    let full = rules(
        "lowering f { match accumulate; passes break }\n\
         rule \"everything\" { split none|first|second; wait ALL; hold ALL; after-all; clean * whole; invalidate * whole; front-end }\n\
         rule \"the operation reads too\" { layout changes; invalidate * whole early; layout }\n",
    );
    let mut compared = 0;
    for (name, text) in scenes() {
        for profile in PROFILES.iter() {
            compared += same(&precise, built_in("precise"), &text, &name, profile);
            compared += same(&full, built_in("full_flush"), &text, &name, profile);
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Exported rules are the lowering, packet by packet: on every scenario of the repository, and on random ones.
#[test]
fn exported_rules_are_their_lowering() {
    let mut compared = 0;
    let scenes = scenes();
    let mut exported = 0;
    for profile in PROFILES.iter() {
        for name in ["precise", "full_flush", "forgets_invalidate", "nvidia_like"] {
            let lowering = built_in(name);
            let file = match run::export(lowering, profile) {
                Ok(file) => file,
                // It does what was measured there, beyond what a barrier says.
                Err(_) if name == "nvidia_like" && profile.name == "hopper" => continue,
                Err(why) => panic!("{name} on {}: {why}", profile.name),
            };
            exported += 1;
            let text = rules::print(&file);
            assert!(
                file.rules.len() < 100,
                "{name} on {}: {} rules",
                profile.name,
                file.rules.len()
            );
            let found = found(&text, profile);
            assert!(
                found.is_empty(),
                "{name} on {}: {:?}",
                profile.name,
                found[0]
            );
            let mine = rules(&text);
            for (place, text) in &scenes {
                compared += same(&mine, lowering, text, place, profile);
            }
        }
    }
    assert_eq!(exported, 4 * PROFILES.len() - 1);
    assert!(compared > 50_000, "{compared}");
}

/// The same for `precise` on random scenarios with every kind of barrier, each on two machines.
#[test]
fn exported_precise_is_precise_on_random_scenarios() {
    let exported: Vec<RuleLowering> = PROFILES
        .iter()
        .map(|profile| {
            let file = export::export(built_in("precise"), profile);
            rules(&rules::print(
                &file.unwrap_or_else(|refused| panic!("{}", refused.message)),
            ))
        })
        .collect();
    let mut compared = 0;
    for seed in sizes::RUNS.seeds_times(8) {
        let text = machine_random::write(seed);
        for at in [seed as usize, seed as usize + 3] {
            let at = at % PROFILES.len();
            let place = format!("random {seed}");
            compared += same(
                &exported[at],
                built_in("precise"),
                &text,
                &place,
                &PROFILES[at],
            );
        }
    }
    assert!(compared > 10_000, "{compared}");
}

/// Every lowering of the registry, each on two profiles: its rules are it, on random scenarios that the export has not seen, or
/// it is refused with a reason.
#[test]
fn what_rules_cannot_say_is_refused() {
    let refused =
        |name: &str, on: &str| run::export(built_in(name), profile(on)).expect_err("no rules");
    assert!(refused("lazy", "rdna").contains("keeps barriers for later"));
    assert!(refused("nvidia_like", "hopper").contains("steps of its own"));
    assert!(refused("tracked", "rdna").contains("it looks at more than single barriers: in "));
    let scenes: Vec<String> = (0..150).map(machine_random::write).collect();
    let (mut exported, mut compared) = (0, 0);
    for (at, lowering) in catalog::registry().lowerings.into_iter().enumerate() {
        for profile in [at, at + 3].map(|at| &PROFILES[at % PROFILES.len()]) {
            match run::export(lowering, profile) {
                Ok(file) => {
                    exported += 1;
                    let mine = rules(&rules::print(&file));
                    for text in &scenes {
                        compared += same(&mine, lowering, text, "random", profile);
                    }
                }
                Err(why) => assert!(!why.is_empty() && !why.contains("CacheId"), "{why}"),
            }
        }
    }
    assert!(
        exported > 8 && compared > 2_000,
        "{exported} exported, {compared} compared"
    );
}

/// `verify` says of exported rules what it says of their lowering, and of a wrong rule file what is wrong.
#[test]
fn verify_takes_rule_files() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("verified");
    fs::create_dir_all(&folder).expect("a folder");
    let verified = |name: &str, text: &str| {
        let path = folder.join(name);
        fs::write(&path, text).expect("a file");
        let path = path.display().to_string();
        let (code, out, err) = syncscope(&["verify", "--lowering", &path, "--profile", "rdna"]);
        (code, out + &err)
    };
    let precise = run::export(built_in("precise"), profile("rdna")).expect("rules");
    let (code, said) = verified("precise.lower", &rules::print(&precise));
    assert_eq!(code, Some(0), "{said}");
    let mut wrong = precise.clone();
    wrong
        .rules
        .retain(|rule| !rule.title().contains("invalidate GLM"));
    assert!(wrong.rules.len() < precise.rules.len());
    let (code, said) = verified("wrong.lower", &rules::print(&wrong));
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("GLM"), "the operation is named: {said}");
}

/// An exported file with one operation less is noticed.
#[test]
fn a_changed_export_is_not_its_lowering() {
    let rdna = profile("rdna");
    let file = run::export(built_in("precise"), rdna).expect("rules");
    let scenario = prepared(COLOUR).expect("a scenario");
    let timeline = Timeline::new(&scenario);
    let all = rules(&rules::print(&file)).account(&timeline, rdna);
    let (_, matched) = &all.entries[0];
    assert!(matched.len() > 2, "several rules add up");
    let changed = matched.iter().filter(|hit| {
        let mut less = file.clone();
        less.rules.remove(hit.rule);
        let less = rules(&rules::print(&less));
        let a = less.lower(&timeline, rdna);
        packets(&a) != packets(&built_in("precise").lower(&timeline, rdna))
    });
    // Two rules may say the same of one barrier.
    assert!(changed.count() > 0, "rules add something");
}

/// What one quantity decides: each condition holds for one of two barriers that differ in it.
#[test]
fn conditions_tell_barriers_apart() {
    let barrier = |entry: &str| {
        format!(
            "queue q : direct\ntexture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET|UNORDERED_ACCESS; initial RENDER_TARGET }}\n\
             texture d : D32_FLOAT 64x64 {{ flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }}\n\
             buffer b : 4KiB {{ flags UNORDERED_ACCESS }}\ntimeline {{ q execute {{ barrier {{ {entry} }} }} }}\n"
        )
    };
    let to_texture = "texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }";
    let to_common = "texture t { sync RENDER_TARGET -> ALL; access RENDER_TARGET -> COMMON; layout RENDER_TARGET -> COMMON }";
    let buffer = "buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }";
    let global = "global { sync ALL -> ALL; access COMMON -> COMMON }";
    let depth = "texture d { sync DEPTH_STENCIL -> PIXEL_SHADING; access DEPTH_STENCIL_WRITE -> SHADER_RESOURCE; layout DEPTH_STENCIL_WRITE -> SHADER_RESOURCE }";
    let discard = "texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard }";
    let rows = [
        ("before sync RENDER_TARGET", to_texture, buffer),
        ("before sync RENDER_TARGET only", to_texture, global),
        ("after sync ALL all", global, buffer),
        ("before sync none", discard, buffer),
        ("after access SHADER_RESOURCE only", buffer, global),
        ("after access COMMON exactly", to_common, to_texture),
        (
            "before access RENDER_TARGET|UNORDERED_ACCESS all",
            global,
            to_texture,
        ),
        ("before access none", discard, to_texture),
        ("before layout RENDER_TARGET", to_texture, discard),
        ("before layout none", buffer, to_texture),
        ("after layout SHADER*", to_texture, to_common),
        ("before class fast-clear", to_texture, discard),
        ("after class plain", to_common, to_texture),
        ("layout changes", to_common, buffer),
        ("layout discards", discard, to_common),
        ("layout stays", buffer, discard),
        ("operation decompress", to_common, to_texture),
        ("resource global", global, buffer),
        ("resource buffer", buffer, global),
        ("resource colour", to_texture, depth),
        ("resource depth", depth, to_texture),
        ("resource texture", depth, buffer),
        ("flags RENDER_TARGET", to_texture, buffer),
        ("flags none", global, buffer),
        ("metadata both", to_texture, to_common),
        ("metadata before", to_common, to_texture),
        ("metadata none", buffer, to_texture),
    ];
    let rdna = profile("rdna");
    let matches = |condition: &str, entry: &str| {
        let text = barrier(entry);
        let scenario = prepared(&text).unwrap_or_else(|| panic!("{text}"));
        let timeline = Timeline::new(&scenario);
        let mine = rules(&format!(
            "lowering m {{ match first }}\nrule \"a\" {{ {condition}; nothing }}"
        ));
        let account = mine.account(&timeline, rdna);
        assert_eq!(account.entries.len(), 1, "{entry}");
        account.unmatched().count() == 0
    };
    for (condition, yes, no) in rows {
        assert!(matches(condition, yes), "`{condition}` holds for {yes}");
        assert!(
            !matches(condition, no),
            "`{condition}` does not hold for {no}"
        );
    }
}

/// The scenes of each rule, and the examples of its page: the first fires, the second does not.
#[test]
fn each_rule_has_scenes_and_examples() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/rules");
    for rule in mistakes::RULES {
        let page = rule.page();
        let is_run = rule.id == mistakes::NO_RULE_MATCHES.id;
        for (name, head, as_it_should) in [
            ("fires", "**Firing example**\n", true),
            ("quiet", "**Fixed example**\n", false),
        ] {
            let path: PathBuf = folder.join(rule.id).join(format!("{name}.lower"));
            let text = fs::read_to_string(&path).expect("a scene");
            let example = page
                .split(head)
                .nth(1)
                .and_then(|rest| rest.split("```").nth(1));
            let example = example.expect("an example").trim_start_matches("text\n");
            for text in [text.as_str(), example] {
                let ids: BTreeSet<&str> = if is_run {
                    fires_in_run(&folder.join(rule.id).join("scene.scn"), text)
                } else {
                    found(text, profile("rdna"))
                        .iter()
                        .map(|f| f.rule.id)
                        .collect()
                };
                assert_eq!(
                    ids.contains(rule.id),
                    as_it_should,
                    "{}: {name}\n{text}",
                    rule.id
                );
            }
            if !is_run && !as_it_should {
                assert!(
                    found(&text, profile("rdna")).is_empty(),
                    "{}: {name}",
                    rule.id
                );
            }
        }
    }
}

/// Rules that fire when a scene runs with a rule file.
fn fires_in_run(scene: &Path, rules: &str) -> BTreeSet<&'static str> {
    let source = Source::new("scene.scn", fs::read_to_string(scene).expect("a scene"));
    let options = Options {
        device_lowering: Some(Ok(Source::new("x.lower", rules))),
        ..Options::default()
    };
    let report = run::run(&source, &catalog::registry(), &options).expect("a run");
    report.findings.iter().map(|f| f.rule.id).collect()
}

#[test]
fn a_file_whose_rules_match_nothing_is_told() {
    let text = "lowering m { match first }\nrule \"never here\" { before access VIDEO_DECODE_WRITE; nothing }\n\
        default { wait ALL; hold ALL; clean * whole; invalidate * whole; layout }\n";
    let source = Source::new("scene.scn", COLOUR);
    let options = Options {
        lowering: Some("m.lower".into()),
        lowering_files: vec![Source::new("m.lower", text)],
        ..Options::default()
    };
    let report = run::run(&source, &catalog::registry(), &options).expect("a run");
    let told = report
        .findings
        .iter()
        .find(|f| f.rule.id == "RF005")
        .expect("told");
    assert!(
        told.message
            .contains("none of the 1 rules of `m` matches any of the 1 barriers"),
        "{}",
        told.message
    );
}

/// A file with mistakes stops the run with every one of them, each with its place.
#[test]
fn a_file_with_mistakes_is_unusable() {
    let text = "lowering m { match first }\nrule \"a\" { clean CBX; invalidate L1 }\n";
    let options = Options {
        lowering: Some("m.lower".into()),
        lowering_files: vec![Source::new("m.lower", text)],
        profile: Some("rdna".into()),
        ..Options::default()
    };
    let source = Source::new("scene.scn", COLOUR);
    let what = run::run(&source, &catalog::registry(), &options).expect_err("mistakes");
    assert!(
        what.message
            .contains("m.lower:2:18: the profile `rdna` has no cache `CBX`"),
        "{}",
        what.message
    );
    assert!(
        what.message
            .contains("m.lower:2:34: the profile `rdna` has no cache `L1`"),
        "{}",
        what.message
    );
}

/// Damaged files: none stops the program, whatever profile and scene it meets; every place is inside the text.
#[test]
fn damaged_files_never_stop_the_program() {
    let cases = sizes::CASES.count();
    let texts = [MINE, ALL_OF_IT];
    let scenario = prepared(COLOUR).expect("a scenario");
    let timeline = Timeline::new(&scenario);
    let words: Vec<String> = rules::keywords();
    let mut lowered = 0;
    for seed in sizes::CASES.seeds_times(10) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut text: Vec<char> = texts[(seed % 2) as usize].chars().collect();
        for _ in 0..random.random_range(1..6) {
            let at = random.random_range(0..text.len().max(1)).min(text.len());
            match random.random_range(0..5) {
                0 if at < text.len() => {
                    text.remove(at);
                }
                1 => text.insert(
                    at,
                    *['{', '}', '"', '|', ';', '\n', '*', 'é', '\u{0}', '9']
                        .choose(&mut random)
                        .expect("one"),
                ),
                2 => {
                    let word = format!(" {} ", words.choose(&mut random).expect("one"));
                    text.splice(at..at, word.chars());
                }
                3 => text.truncate(at),
                _ => {
                    let end = (at + random.random_range(0..40)).min(text.len());
                    let part: Vec<char> = text[at..end].to_vec();
                    let to = random.random_range(0..=text.len());
                    text.splice(to..to, part);
                }
            }
        }
        let text: String = text.into_iter().collect();
        let source = Source::new("damaged.lower", text.clone());
        let chosen = PROFILES.choose(&mut random).expect("one");
        for finding in run::read_lowering(&source, Some(chosen)).findings {
            assert!(finding.span.end as usize <= text.len(), "{text}");
            assert!(finding.span.start <= finding.span.end, "{text}");
        }
        let _ = json::to_text(&source);
        if let Ok((lowering, _)) = RuleLowering::read(&source) {
            // Names of another profile are skipped.
            let program = lowering.lower(&timeline, chosen);
            let _ = ensure::check(&timeline, chosen, &program);
            let printed = rules::print(lowering.file());
            let (again, findings) = rules::parse(&Source::new("again.lower", printed.clone()));
            assert!(
                !findings.iter().any(|f| f.severity.fails()),
                "{text}\n{printed}\n{findings:?}"
            );
            assert_eq!(rules::print(&again), printed, "{text}");
            lowered += 1;
        }
    }
    assert!(
        lowered > cases / 10,
        "{lowered} of {cases} could still be lowered"
    );
    let _ = setting(&timeline, profile("rdna"));
}

/// The command line from the repository's root.
fn syncscope(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("NO_COLOR", "1")
        .env_remove("COLUMNS")
        .output()
        .expect("it starts");
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn commands_take_rule_files() {
    let scene = "scenarios/rules/RF005/scene.scn";
    let quiet = "scenarios/rules/RF005/quiet.lower";
    let fires = "scenarios/rules/RF005/fires.lower";
    let (code, out, err) = syncscope(&["run", scene, "--lowering", quiet]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(
        out.contains("on rdna with quiet (named by the command line)"),
        "{out}"
    );
    let (code, out, _) = syncscope(&["run", scene, "--lowering", fires]);
    assert_eq!(code, Some(1), "a read goes wrong: {out}");
    assert!(out.contains("RF005") && out.contains("LW101"), "{out}");
    let (code, out, _) = syncscope(&[
        "run",
        scene,
        "--lowering",
        quiet,
        "--profiles",
        "rdna,rdna12",
    ]);
    assert_eq!((code, out.as_str()), (Some(2), ""), "rdna12 has no GL1");
    let (code, _, err) = syncscope(&[
        "run",
        scene,
        "--lowering",
        "scenarios/rules/RF002/fires.lower",
    ]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("the profile `rdna` has no cache `RT`") && err.contains("known: L0V, K"),
        "{err}"
    );
    let (code, _, err) = syncscope(&[
        "run",
        scene,
        "--lowering",
        "scenarios/rules/RF005/queit.lower",
    ]);
    assert_eq!(code, Some(2));
    assert!(
        err.contains("did you mean `scenarios/rules/RF005/quiet.lower`?"),
        "{err}"
    );
    let (code, _, err) = syncscope(&[
        "run",
        scene,
        "--lowering",
        "scenarios/rules/RF004/fires.lower",
    ]);
    assert_eq!(code, Some(1));
    assert!(
        err.contains(
            "warning: scenarios/rules/RF004/fires.lower:11:6: rule \"colour\" never counts"
        ),
        "{err}"
    );
    let (code, out, _) = syncscope(&[
        "check",
        "scenarios/rules/RF003/fires.lower",
        "--profile",
        "rdna",
    ]);
    assert_eq!(code, Some(2));
    assert!(out.contains("RF003") && out.contains("clean K"), "{out}");
    let (code, out, _) = syncscope(&["fmt", "--check", quiet, fires]);
    assert_eq!((code, out.as_str()), (Some(0), ""));
}

/// A scenario names a rule file next to it.
#[test]
fn a_scenario_names_a_rule_file() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("rule_files");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("x.lower"), MINE).expect("a file");
    let scene = folder.join("x.scn");
    fs::write(
        &scene,
        format!("device {{ profile rdna; lowering \"x.lower\" }}\n{COLOUR}"),
    )
    .expect("a file");
    let scene = scene.display().to_string();
    let (code, out, err) = syncscope(&["run", &scene]);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(
        out.contains("with my_driver (named by the scenario)"),
        "{out}"
    );
    let (code, out, err) = syncscope(&["test", &scene]);
    assert_eq!(code, Some(0), "{out}{err}");
}

/// Every packet of every barrier, at 100 columns: no line is longer.
#[test]
fn packets_are_listed_with_reasons_ways_and_prices() {
    let scene = "scenarios/rules/RF005/scene.scn";
    let quiet = "scenarios/rules/RF005/quiet.lower";
    let (code, out, err) = syncscope(&["lower", scene, "--lowering", quiet]);
    assert_eq!(code, Some(0), "{err}");
    for said in [
        "rule \"compute\", line 12 of the rule file, matched by UNORDERED_ACCESS before",
        "waits for COMPUTE_SHADING: 300.0 ns beyond the work",
        "invalidate L0V (INV_VCACHE), 4.0 KiB: 200.0 ns",
        "why: rule \"compute\", scenarios/rules/RF005/quiet.lower:14",
        "way: SHADER_RESOURCE: L0V → GL1 → L2 → memory",
        "holds PIXEL_SHADING",
    ] {
        assert!(out.contains(said), "{said}\n{out}");
    }
    for lowering in ["precise", "full_flush", "nvidia_like", "lazy"] {
        for path in tour::files("scenarios/tour")
            .into_iter()
            .chain(tour::files("scenarios/machine"))
        {
            let path = path.display().to_string();
            let arguments = ["lower", &path, "--lowering", lowering, "--width", "100"];
            let (_, out, _) = syncscope(&arguments);
            let long = out.lines().find(|line| line.chars().count() > 100);
            assert!(long.is_none(), "{path}: {long:?}");
        }
    }
    let (_, out, _) = syncscope(&["lower", scene, "--lowering", "precise", "--format", "json"]);
    let value: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let operation = &value["barriers"][0]["operations"][0];
    assert_eq!(operation["op"], "invalidate");
    assert_eq!(
        operation["why"],
        "UNORDERED_ACCESS written before, SHADER_RESOURCE follows"
    );
    assert_eq!(operation["price_least_ps"], 200_000);
    assert_eq!(operation["ways"][0]["path"], "L0V → GL1 → L2 → memory");
}

/// The story of the book's page: the first try lacks operations, and a read shows it; the second lacks none.
#[test]
fn the_story_of_the_page_is_true() {
    let folder = "scenarios/lowering/rule-files";
    let scene = format!("{folder}/colour-to-texture.scn");
    let run = |lowering: &str| {
        let lowering = format!("{folder}/{lowering}.lower");
        let (code, out, err) =
            syncscope(&["run", &scene, "--lowering", &lowering, "--format", "json"]);
        let value: serde_json::Value =
            serde_json::from_str(&out).unwrap_or_else(|_| panic!("{err}"));
        let of = |f: &&serde_json::Value| f["rule"] == "LW101";
        let findings = value["findings"].as_array().expect("findings");
        let missing: Vec<_> = findings.iter().filter(of).cloned().collect();
        (code, missing)
    };
    let (code, missing) = run("first-try");
    assert_eq!((code, missing.len()), (Some(1), 2));
    assert!(
        missing.iter().any(|f| f["visible"] == true),
        "a read shows it"
    );
    assert_eq!(run("second-try"), (Some(0), Vec::new()));
}

/// The grammar for editors colours every word that the parser knows, and no other.
#[test]
fn the_editor_grammar_has_every_keyword() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/lower.tmLanguage.json");
    let text = fs::read_to_string(path).expect("the grammar");
    let grammar: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let patterns = grammar["patterns"].as_array().expect("patterns");
    let mut coloured = BTreeSet::new();
    for pattern in patterns {
        let name = pattern["name"].as_str().unwrap_or_default();
        let is_words = name.starts_with("keyword.") || name.starts_with("constant.language.");
        let Some(list) = pattern["match"].as_str().filter(|_| is_words) else {
            continue;
        };
        let words = list
            .split_once("(?<![\\w-])(")
            .and_then(|(_, rest)| rest.split_once(")(?!"));
        let (words, _) = words.unwrap_or_else(|| panic!("{name}: a list of words"));
        for word in words.split('|') {
            assert!(coloured.insert(word.to_owned()), "{word} is there twice");
        }
    }
    let known: BTreeSet<String> = rules::keywords().into_iter().collect();
    assert_eq!(coloured, known);
}

/// What the JSON form may have is what the schema says.
#[test]
fn the_schema_names_what_the_json_form_has() {
    let (_, out, _) = syncscope(&["schema", "lowering"]);
    let schema: serde_json::Value = serde_json::from_str(&out).expect("JSON");
    let properties = schema["properties"].as_object().expect("properties");
    let (file, _) = rules::parse(&Source::new("all.lower", ALL_OF_IT));
    let value: serde_json::Value = serde_json::from_str(&json::to_json(&file)).expect("JSON");
    for key in value.as_object().expect("an object").keys() {
        assert!(properties.contains_key(key), "{key}");
    }
    let wrong = Source::new(
        "x.lower.json",
        "{ \"format\": \"syncscope-lowering-1\", \"lowering\": \"a\", \"ruels\": [] }",
    );
    let finding = json::to_text(&wrong).expect_err("a mistake");
    assert!(
        finding.message.contains("unknown field `ruels`"),
        "{}",
        finding.message
    );
}

/// Which of the barrier entries of a scene a condition holds for, in order of lowering.
fn holding(condition: &str, text: &str, profile: &Profile) -> Vec<bool> {
    let scenario = prepared(text).unwrap_or_else(|| panic!("{text}"));
    let timeline = Timeline::new(&scenario);
    let file = format!("lowering m {{ match first }}\nrule \"a\" {{ {condition}; nothing }}");
    let account = rules(&file).account(&timeline, profile);
    account
        .entries
        .iter()
        .map(|(_, rules)| !rules.is_empty())
        .collect()
}

/// Conditions on what is around a barrier: its queue, its half, what came before it, which bytes it is about.
#[test]
fn conditions_know_what_is_around_a_barrier() {
    let buffer = "buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }";
    let queues = format!(
        "queue d : direct\nqueue c : compute\nbuffer b : 4KiB {{ flags UNORDERED_ACCESS }}\n\
         timeline {{ d execute {{ barrier {{ {buffer} }} }}\n c execute {{ barrier {{ {buffer} }} }} }}\n"
    );
    let rdna = profile("rdna");
    assert_eq!(holding("queue direct", &queues, rdna), [true, false]);
    assert_eq!(holding("queue compute|copy", &queues, rdna), [false, true]);
    assert_eq!(holding("queue video_*", &queues, rdna), [false, false]);
    assert_eq!(
        holding("profile rdna10|nvidia", &queues, rdna),
        [true, true],
        "an alias"
    );
    assert_eq!(holding("profile nvidia", &queues, rdna), [false, false]);
    let split = "queue q : direct\nbuffer b : 4KiB { flags UNORDERED_ACCESS }\ntimeline { q execute {\n  \
         barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
         dispatch 1x1x1 { }\n  \
         barrier { buffer b { sync SPLIT -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n} }\n";
    assert_eq!(holding("split first", split, rdna), [true, false]);
    assert_eq!(holding("split second", split, rdna), [false, true]);
    assert_eq!(holding("split none", split, rdna), [false, false]);
    let global = "barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }";
    let since = format!(
        "queue q : direct\ntimeline {{ q execute {{\n  {global}\n  dispatch 1x1x1 {{ }}\n  {global}\n  \
         marker begin \"m\" {{ }}\n  marker end {{ }}\n}} }}\n"
    );
    let since = since.replace("  marker begin \"m\" { }\n  marker end { }\n", "");
    assert_eq!(
        holding("since-wait list-start", &since, rdna),
        [true, false]
    );
    assert_eq!(holding("since-wait work", &since, rdna), [false, true]);
    assert_eq!(holding("since-wait nothing", &since, rdna), [false, false]);
    let dropped = "queue q : direct\ntexture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }\n\
         timeline { q execute {\n  \
         barrier { texture t { sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> UNDEFINED } }\n  \
         barrier { texture t { sync RENDER_TARGET -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET; discard } }\n} }\n";
    assert_eq!(
        holding("given-up RENDER_TARGET", dropped, rdna),
        [false, true]
    );
    assert_eq!(holding("given-up none", dropped, rdna), [true, false]);
    assert_eq!(holding("after access none", dropped, rdna), [true, false]);
    let tiler = profile("tiler");
    assert_eq!(holding("leftovers CCUC", dropped, tiler), [false, true]);
    assert_eq!(holding("leftovers none", dropped, tiler), [true, false]);
    let samples = "queue q : direct\n\
         texture one : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }\n\
         texture many : R8G8B8A8_UNORM 64x64 { samples 4; flags RENDER_TARGET; initial RENDER_TARGET }\n\
         timeline { q execute { barrier {\n  \
         texture one { sync RENDER_TARGET -> RENDER_TARGET; access RENDER_TARGET -> RENDER_TARGET; layout RENDER_TARGET -> RENDER_TARGET }\n  \
         texture many { sync RENDER_TARGET -> RENDER_TARGET; access RENDER_TARGET -> RENDER_TARGET; layout RENDER_TARGET -> RENDER_TARGET }\n} } }\n";
    let surface = "surface \"metadata of multisampled images\"";
    assert_eq!(holding(surface, samples, rdna), [false, true]);
    assert_eq!(holding("surface ordinary", samples, rdna), [true, false]);
}

/// The packet of the one barrier of a scene, in words: wait, operations, hold.
fn packet_of(text: &str, rules: &str) -> String {
    let options = Options {
        lowering: Some("m.lower".into()),
        lowering_files: vec![Source::new("m.lower", rules)],
        profile: Some("rdna".into()),
        ..Options::default()
    };
    let source = Source::new("scene.scn", text);
    let packets = run::packets(&source, &catalog::registry(), &options)
        .unwrap_or_else(|what| panic!("{}\n{rules}", what.message));
    let row = &packets.barriers[0];
    let mut words = vec![format!("wait {}", row.wait)];
    words.extend(row.operations.iter().map(|step| {
        let target = if step.op == "layout" || step.op == "driver" {
            &step.machine_op
        } else {
            &step.target
        };
        let whole = step.bytes.is_none() && (step.op == "clean" || step.op == "invalidate");
        format!("{} {target}{}", step.op, if whole { " whole" } else { "" })
    }));
    words.push(format!("hold {}", row.hold));
    words.join("; ")
}

/// What each emission does to a packet, and in which order operations come.
#[test]
fn emissions_are_in_the_packet_in_a_sound_order() {
    let (wait, hold) = ("wait RENDER_TARGET", "hold PIXEL_SHADING");
    let layout = "layout fast clear eliminate";
    let rows: &[(&str, String)] = &[
        ("", format!("{wait}; {hold}")),
        ("nothing", format!("{wait}; {hold}")),
        ("wait ALL; hold none", "wait ALL; hold ".into()),
        (
            "wait COPY|DRAW; hold as-asked",
            format!("wait DRAW|COPY; {hold}"),
        ),
        // Whatever the order of the rule: write-backs, the operation, drops, the front end, what takes time.
        (
            "driver \"poll\" 2us; front-end; invalidate K L0V; layout; clean CBM CB",
            format!(
                "{wait}; clean CBM; clean CB; {layout}; invalidate K; invalidate L0V; front-end prefetch; driver poll; {hold}"
            ),
        ),
        (
            "in order; invalidate K; layout; clean CB; front-end; clean DB",
            format!(
                "{wait}; invalidate K; {layout}; clean CB; front-end prefetch; clean DB; {hold}"
            ),
        ),
        (
            "layout; clean CB; clean CB late; clean L2 late; clean DB; clean DB again; invalidate K early; invalidate L0V",
            format!(
                "{wait}; clean CB; clean DB; invalidate K; {layout}; clean L2; clean DB; invalidate L0V; {hold}"
            ),
        ),
        // Without an operation there is no side of it.
        (
            "clean CB late; invalidate K early; clean DB",
            format!("{wait}; clean DB; clean CB; invalidate K; {hold}"),
        ),
        (
            "clean CB; clean CB whole",
            format!("{wait}; clean CB whole; {hold}"),
        ),
        (
            "layout \"decompress\"",
            format!("{wait}; layout decompress; {hold}"),
        ),
        (
            "layout; drop layout; clean CB; invalidate K L0V; drop invalidate *",
            format!("{wait}; clean CB; {hold}"),
        ),
        (
            "clean CB DB; front-end; drop clean CB; drop front-end",
            format!("{wait}; clean DB; {hold}"),
        ),
        (
            "clean *",
            format!(
                "{wait}; clean GLM; clean CB; clean DB; clean CBM; clean DBM; clean L2; clean L2M; {hold}"
            ),
        ),
    ];
    for (body, packet) in rows {
        let rules = format!("lowering m {{ match first }}\nrule \"a\" {{ {body} }}\n");
        assert_eq!(packet_of(COLOUR, &rules), *packet, "{body}");
    }
    // Rules add up; each operation is there once. The second rule's wait is joined with the first's.
    let several = "lowering m { match accumulate }\nrule \"a\" { clean CB; wait COPY }\n\
         rule \"b\" { before access RENDER_TARGET; clean CB; invalidate K; wait RENDER_TARGET }\n\
         rule \"c\" { before access COPY_DEST; clean DB }\ndefault { clean L2 }\n";
    assert_eq!(
        packet_of(COLOUR, several),
        format!("wait RENDER_TARGET|COPY; clean CB; invalidate K; {hold}")
    );
    let first = several.replace("accumulate", "first");
    assert_eq!(
        packet_of(COLOUR, &first),
        format!("wait COPY; clean CB; {hold}")
    );
    // What `precise` has, but for something.
    let based = |body: &str| {
        packet_of(
            COLOUR,
            &format!("lowering m {{ based-on precise }}\nrule \"a\" {{ {body} }}\n"),
        )
    };
    let precise = based("nothing");
    assert!(
        precise.contains("; clean CB; clean CBM; layout "),
        "{precise}"
    );
    assert_eq!(based("drop clean CBM"), precise.replace(" clean CBM;", ""));
    assert_eq!(based("wait none"), precise.replace(wait, "wait "));
    assert_eq!(
        based("clean CB whole"),
        precise.replace("clean CB;", "clean CB whole;")
    );
}

/// Limits of a file are mistakes with a place, not a long wait.
#[test]
fn files_have_limits() {
    let message = |text: String| {
        let (_, findings) = rules::parse(&Source::new("m.lower", text));
        findings
            .first()
            .map(|f| f.message.to_string())
            .unwrap_or_default()
    };
    let head = "lowering m { match first }\n";
    let many: String = (0..=rules::RULES_MAX)
        .map(|n| format!("rule \"{n}\" {{ queue direct }}\n"))
        .collect();
    assert!(message(format!("{head}{many}")).contains("more than 4096 rules"));
    let long = "clean CB\n".repeat(rules::STATEMENTS_MAX + 1);
    let long = message(format!("{head}rule \"a\" {{ {long} }}"));
    assert!(
        long.contains("more than 256 statements") || long.contains("said twice"),
        "{long}"
    );
    assert!(message(" ".repeat(rules::SOURCE_BYTES_MAX + 1)).contains("the limit is"));
    let word = "X".repeat(10_000);
    assert!(
        message(format!("{head}rule \"a\" {{ before access {word} }}"))
            .contains("the limit is 256")
    );
    let wrong = "x\n".repeat(10_000);
    let (_, findings) = rules::parse(&Source::new(
        "m.lower",
        format!("{head}rule \"a\" {{ {wrong} }}"),
    ));
    assert_eq!(findings.len(), rules::FINDINGS_MAX);
    // The most rules that there may be are compared with each other in time.
    let most: String = (0..rules::RULES_MAX)
        .map(|n| {
            format!("rule \"{n}\" {{ before access WRITES but COPY_DEST all; queue direct }}\n")
        })
        .collect();
    let read = run::read_lowering(
        &Source::new("m.lower", format!("{head}{most}")),
        Some(profile("rdna")),
    );
    assert_eq!(
        read.findings.len(),
        rules::RULES_MAX - 1,
        "all but the first are shadowed"
    );
}
