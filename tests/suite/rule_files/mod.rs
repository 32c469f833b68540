//! Rule files: what they mean, what is wrong with them, and that nothing in one stops the program.

mod commands;
pub(crate) mod export;
mod judged;
mod text;

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
use syncscope::lower::rules::{self, RuleLowering, json, mistakes};
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
    let read = run::read_lowering(&Source::new("mine.lower", text), Some(profile));
    let taken = run::name_taken(&read.file, &catalog::registry());
    read.findings.into_iter().chain(taken).collect()
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
        files: run::Texts::from_iter([("mine.lower", MINE)]).into(),
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

/// `based-on precise` without rules is `precise`; a few lines are `full_flush`.
#[test]
fn small_files_are_built_in_lowerings() {
    let precise = rules("lowering p { based-on precise }");
    let full = rules(
        "lowering f { match accumulate; passes break }\n\
         rule \"everything\" { split none|first|second; wait ALL; hold ALL; after-all; clean * whole; invalidate * whole; front-end }\n\
         rule \"the operation reads too\" { layout changes; clean * whole again; invalidate * whole early; layout }\n",
    );
    let mut compared = 0;
    // The quick tier takes every third profile for each scene, the next ones for the next.
    let step = sizes::step(3, 1);
    for (number, (name, text)) in scenes().into_iter().enumerate() {
        for profile in PROFILES.iter().skip(number % step).step_by(step) {
            compared += same(&precise, built_in("precise"), &text, &name, profile);
            compared += same(&full, built_in("full_flush"), &text, &name, profile);
        }
    }
    assert!(compared > 10_000 / step, "{compared}");
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
    let vega = profile("vega");
    let matches = |condition: &str, entry: &str| {
        let text = barrier(entry);
        let scenario = prepared(&text).unwrap_or_else(|| panic!("{text}"));
        let timeline = Timeline::new(&scenario);
        let mine = rules(&format!(
            "lowering m {{ match first }}\nrule \"a\" {{ {condition}; nothing }}"
        ));
        let account = mine.account(&timeline, vega);
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
    let vega = profile("vega");
    assert_eq!(holding(surface, samples, vega), [false, true]);
    assert_eq!(holding("surface ordinary", samples, vega), [true, false]);
}

/// The packet of the one barrier of a scene, in words: wait, operations, hold.
fn packet_of(text: &str, rules: &str) -> String {
    let options = Options {
        lowering: Some("m.lower".into()),
        files: run::Texts::from_iter([("m.lower", rules)]).into(),
        profile: Some("vega".into()),
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
                "{wait}; clean CB; clean DB; invalidate K; {layout}; clean DB; clean L2; invalidate L0V; {hold}"
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
        // A rule drops what others add, and nothing of its own.
        (
            "layout; drop layout; clean CB; invalidate K L0V; drop invalidate *",
            format!("{wait}; clean CB; {layout}; invalidate K; invalidate L0V; {hold}"),
        ),
        (
            "clean CB DB; front-end; drop clean CB; drop front-end",
            format!("{wait}; clean CB; clean DB; front-end prefetch; {hold}"),
        ),
        (
            "clean *",
            format!(
                "{wait}; clean CB; clean DB; clean CBM; clean DBM; clean L2; clean L2M; {hold}"
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

/// `drop` is about what the base and other rules add, in whatever place; what the same rule adds stays.
#[test]
fn a_drop_leaves_out_what_others_add() {
    let (wait, hold) = ("wait RENDER_TARGET", "hold PIXEL_SHADING");
    let packet = |setting: &str, rules: &str| {
        packet_of(
            COLOUR,
            &format!("lowering m {{ match accumulate; {setting} }}\n{rules}"),
        )
    };
    // All that `precise` has in an order of its own: drops before write-backs.
    let own = "rule \"own\" { in order; drop clean *; drop invalidate *; drop layout; invalidate L0V; layout; clean CB }\n";
    let of_own = "invalidate L0V; layout fast clear eliminate; clean CB";
    assert_eq!(
        packet("based-on precise", own),
        format!("{wait}; {of_own}; {hold}")
    );
    // Another rule, before or after it, is dropped where it does the same.
    let other = "rule \"other\" { clean CB DB whole; invalidate K; front-end }\n";
    for rules in [format!("{own}{other}"), format!("{other}{own}")] {
        let found = packet("", &rules);
        assert_eq!(
            found,
            format!("{wait}; {of_own}; front-end prefetch; {hold}")
        );
    }
    // Two rules that drop each other's leave nothing.
    let two =
        "rule \"a\" { clean CB; drop clean CB }\nrule \"b\" { clean CB late; drop clean CB }\n";
    assert_eq!(packet("", two), format!("{wait}; {hold}"));
}

/// One buffer, written and read, with a split barrier between.
const SPLIT: &str = "queue q : direct\nbuffer b : 4KiB { flags UNORDERED_ACCESS }\ntimeline { q execute {\n  \
    dispatch 1x1x1 { UNORDERED_ACCESS b }\n  \
    barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
    dispatch 1x1x1 { }\n  \
    barrier { buffer b { sync SPLIT -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
    draw { SHADER_RESOURCE b @ PIXEL_SHADING }\n} }\n";

/// On its second half a split barrier waits for what its first half names, as far as conditions and `as-asked` go.
#[test]
fn a_second_half_knows_what_its_first_half_waits_for() {
    let rdna = profile("rdna");
    let first_then_second = |condition: &str| holding(condition, SPLIT, rdna);
    assert_eq!(
        first_then_second("before sync COMPUTE_SHADING only"),
        [true, true]
    );
    assert_eq!(first_then_second("before sync none"), [false, false]);
    // `exactly` is about the half's own text, which has `SPLIT`.
    assert_eq!(
        first_then_second("before sync COMPUTE_SHADING exactly"),
        [true, false]
    );
    // What the second half is going to hold nobody knows at the first.
    assert_eq!(first_then_second("after sync PIXEL_SHADING"), [false, true]);
    // The first half of another scope is gone.
    let two_scopes = SPLIT.replace("  dispatch 1x1x1 { }\n", "}\nq execute {\n");
    assert_eq!(
        holding("before sync COMPUTE_SHADING", &two_scopes, rdna),
        [true, false]
    );
    let given_up = SPLIT.replace("access UNORDERED_ACCESS ->", "access NO_ACCESS ->");
    assert_eq!(
        holding("given-up UNORDERED_ACCESS", &given_up, rdna),
        [true, true]
    );
}

/// Waits, holds and operations of the packets of both halves.
fn halves(body: &str) -> [String; 2] {
    let options = Options {
        lowering: Some("m.lower".into()),
        files: run::Texts::from_iter([("m.lower", body)]).into(),
        profile: Some("rdna".into()),
        ..Options::default()
    };
    let source = Source::new("scene.scn", SPLIT);
    let packets = run::packets(&source, &catalog::registry(), &options).expect("packets");
    [0, 1].map(|half| {
        let row = &packets.barriers[half];
        let ops = row.operations.iter().map(|step| &*step.op);
        let ops = ops.collect::<Vec<_>>().join(" ");
        format!("wait {}; {ops}; hold {}", row.wait, row.hold)
    })
}

/// A driver that ignores first halves does all of it at the second: `as-asked` says so.
#[test]
fn a_split_barrier_may_act_at_its_second_half() {
    let acts_first =
        "lowering m { match first }\nrule \"all\" { wait as-asked; hold as-asked; invalidate * }\n";
    let drops = halves(acts_first)[0]
        .split("; ")
        .nth(1)
        .map(str::to_owned)
        .expect("operations");
    assert!(drops.starts_with("invalidate invalidate"), "{drops}");
    assert_eq!(
        halves(acts_first),
        [
            format!("wait COMPUTE_SHADING; {drops}; hold "),
            "wait ; ; hold PIXEL_SHADING".to_owned()
        ],
        "without a condition on halves the pair acts once"
    );
    let acts_second = "lowering m { match accumulate }\n\
        rule \"first\" { split first; wait none; hold none }\n\
        rule \"second\" { split second; wait as-asked; hold as-asked; invalidate * }\n\
        default { clean *; invalidate * }\n";
    assert_eq!(
        halves(acts_second),
        [
            "wait ; ; hold ".to_owned(),
            format!("wait COMPUTE_SHADING; {drops}; hold PIXEL_SHADING")
        ]
    );
    let judge = |text: &str| {
        let scenario = prepared(SPLIT).expect("a scenario");
        let timeline = Timeline::new(&scenario);
        let rdna = profile("rdna");
        let program = rules(text).lower(&timeline, rdna);
        ensure::check(&timeline, rdna, &program).missing.len()
    };
    assert_eq!(judge(acts_second), 0, "it waits for the dispatch");
    let waits_for_nothing = acts_second.replace("second; wait as-asked", "second; wait none");
    assert_ne!(judge(&waits_for_nothing), 0);
}
