//! Placed barriers: right wherever the commands can be served, no slower than what people write, close to the best of all
//! plans, and each of them needed.

mod captures;
mod fences;
mod graphs;
mod random;
mod states;
mod texts;

pub(crate) use captures::table as captured;

use crate::sizes;
use crate::tour::{files, source};
use rayon::prelude::*;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::place::{self, Placed, Placing, Policy};
use syncscope::run::{self, Options, Registry, Unusable};
use syncscope::scenario::{self, CommandKind};
use syncscope::time::Ps;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn options(path: &Path) -> Options {
    let folder = path.parent().expect("a file is in a folder");
    Options {
        files: crate::rules::Folder(folder.to_owned()).into(),
        ..Options::default()
    }
}

fn on(
    source: &Source,
    profile: &str,
    policy: Policy,
    registry: &Registry,
    options: &Options,
) -> Result<Placed, Unusable> {
    let mut placing = Placing::default();
    placing.policy = policy;
    let profiles: Vec<String> = match profile {
        "" => Vec::new(),
        name => vec![name.to_owned()],
    };
    place::place(source, &profiles, registry, options, &placing)
}

fn times(placed: &Placed) -> (Ps, Ps) {
    let price = &placed.prices[0];
    let [written, now] = [price.written, price.placed].map(|it| it.expect("the run ends"));
    (written, now)
}

/// A chain of three dispatches takes a launch of 0.1 us and three times 1 us, the shortest life of a dispatch on `rdna`; where two
/// need the first one only, 0.1 us and twice 1 us. Dispatches that fill the machine follow each other whatever needs what.
#[test]
fn the_bound_is_the_longest_chain_or_the_fullest_pool() {
    let bound = |third: &str, takes: [&str; 3]| {
        let mut text = String::from("queue q : direct\n");
        for name in ["x", "y", "z"] {
            let _ = writeln!(text, "buffer {name} : 4KiB {{ flags UNORDERED_ACCESS }}");
        }
        let [a, b, c] = takes;
        let _ = write!(
            text,
            "list l : direct {{
  dispatch 1x1x1 {a} {{ UNORDERED_ACCESS x writes }}
  dispatch 1x1x1 {b} {{ SHADER_RESOURCE x; UNORDERED_ACCESS y writes }}
  dispatch 1x1x1 {c} {{ SHADER_RESOURCE {third}; UNORDERED_ACCESS z writes }}
}}
timeline {{ q execute l }}
"
        );
        let (source, registry) = (Source::new("chain.scn", text), catalog::registry());
        let options = Options::default();
        let placed = on(&source, "rdna", Policy::Search, &registry, &options);
        placed.expect("it can be placed").prices[0].bound
    };
    assert_eq!(bound("y", [""; 3]), Some(Ps(3_100_000)));
    assert_eq!(bound("x", [""; 3]), Some(Ps(2_100_000)));
    let takes = ["takes 100us", "takes 50us", "takes 100us"];
    assert_eq!(bound("x", takes), Some(Ps(250_000_000)));
}

/// Rules that a placed text never breaks: each barrier and each bit is needed.
const SPARE: [&str; 5] = ["RD101", "RD102", "RD103", "RD104", "RD105"];

/// The scene that its written barriers make faster: a use that may not be made is served.
const FASTER_BY_HAND: &str = "hazards/may-01-read";

/// Scenes that cannot be placed: a pair of fence barriers in one list, and a device without enhanced barriers.
const REFUSED: [&str; 3] = [
    "fences/34-a-pair-inside-one-list",
    "lowering/cases/C23-signal-and-wait-barrier",
    "rules/EB001/quiet",
];

/// The scene in which a barrier that nothing needs makes the machine faster.
const FASTER_WITH_MORE: &str = "lowering/splits/crossed-mips";

/// Everything in a text but its barriers, as JSON.
fn rest(text: &Source) -> serde_json::Value {
    fn bare(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(fields) => {
                for left_out in ["trivia", "title_trivia", "trailing", "expectations"] {
                    fields.remove(left_out);
                }
                fields.values_mut().for_each(bare);
            }
            serde_json::Value::Array(values) => values.iter_mut().for_each(bare),
            _ => {}
        }
    }
    let (mut scenario, _) = scenario::parse(text);
    for list in &mut scenario.lists {
        let is_barrier =
            |kind: &CommandKind| matches!(kind, CommandKind::Barrier(_) | CommandKind::Legacy(_));
        list.commands.retain(|command| !is_barrier(&command.kind));
    }
    let mut value = serde_json::to_value(&scenario).expect("a scenario is JSON");
    bare(&mut value);
    value
}

/// What is wrong with a placed text of a clean scene.
fn faults(path: &Path, source: &Source, registry: &Registry) -> Option<String> {
    let options = options(path);
    let before = run::check(source, &options);
    let is_clean = !before.findings.iter().any(|it| it.severity.fails());
    let (scenario, _) = scenario::parse(source);
    if !is_clean || scenario.timeline.is_none() {
        return None;
    }
    let placed = match on(source, "", Policy::Search, registry, &options) {
        Ok(placed) => placed,
        Err(_)
            if REFUSED
                .iter()
                .any(|it| path.display().to_string().contains(it)) =>
        {
            return None;
        }
        Err(what) => return Some(what.message),
    };
    let mut faults = String::new();
    for finding in &placed.left {
        let _ = write!(faults, "{}: {}; ", finding.rule.id, finding.message);
    }
    let (written, now) = times(&placed);
    let name = path.display().to_string();
    if now > written && !name.contains(FASTER_BY_HAND) {
        let _ = write!(faults, "{now} placed, {written} written; ");
    }
    let declares_state = scenario
        .resources
        .values()
        .any(|it| matches!(it.initial, scenario::Initial::State(_)));
    if !declares_state && rest(source) != rest(&placed.source) {
        faults += "not only barriers are changed; ";
    }
    let options = Options {
        without_commands: true,
        ..options
    };
    let after = run::run(&placed.source, registry, &options).expect("it ran before");
    // Of a lowering that does what is asked.
    let is_right = !after.findings.iter().any(|it| it.severity.fails());
    let bound = placed.prices[0].bound.unwrap_or_default();
    if is_right && (bound > now || bound > written) {
        let _ = write!(
            faults,
            "{bound} at least, {now} placed, {written} written; "
        );
    }
    for finding in after
        .findings
        .iter()
        .filter(|it| SPARE.contains(&it.rule.id) && !name.contains(FASTER_WITH_MORE))
    {
        let _ = write!(faults, "{}: {}; ", finding.rule.id, finding.message);
    }
    (!faults.is_empty()).then_some(faults)
}

#[test]
fn clean_scenes_without_their_barriers_are_placed_as_well() {
    let registry = catalog::registry();
    let mut scenes = files("scenarios");
    scenes.extend(files("book/lessons"));
    // Each sixteenth, and every one at full size.
    let step = sizes::step(16, 4);
    let scenes: Vec<&PathBuf> = scenes.iter().step_by(step).collect();
    let faults: Vec<String> = scenes
        .par_iter()
        .filter_map(|path| {
            let faults = faults(path, &source(path), &registry)?;
            Some(format!("{}: {faults}", path.display()))
        })
        .collect();
    assert!(faults.is_empty(), "{}\n{}", faults.len(), faults.join("\n"));
}

/// The law of quality: at most 5 % above the best plan on average, 25 % at worst, and two entries more.
#[test]
fn the_search_is_close_to_the_best_of_all_plans() {
    let registry = catalog::registry();
    let profiles = ["rdna", "intel", "nvidia", "tiler"];
    let seeds: Vec<u64> = sizes::PLACED.seeds().collect();
    let shares: Vec<f64> = seeds
        .par_iter()
        .filter_map(|seed| {
            let text = random::scene(*seed);
            let source = Source::new(format!("random {seed}"), text.clone());
            let profile = profiles[*seed as usize % profiles.len()];
            let place = |policy| on(&source, profile, policy, &registry, &Options::default());
            let found = place(Policy::Search).unwrap_or_else(|it| panic!("{it:?}\n{text}"));
            assert!(found.left.is_empty(), "{:?}\n{text}", found.left);
            let Ok(best) = place(Policy::Exact) else {
                return None;
            };
            let ((_, now), (_, least)) = (times(&found), times(&best));
            let bound = best.prices[0].bound.expect("nothing is reset");
            assert!(
                bound <= least,
                "{bound} at least, {least} on {profile}\n{text}"
            );
            let share = now.0 as f64 / least.0 as f64;
            assert!(share <= 1.25, "{now} for {least} on {profile}\n{text}");
            let [more, few] = [&found, &best].map(|it| it.placed.entries);
            assert!(
                more <= few + 2,
                "{more} entries for {few} on {profile}\n{text}"
            );
            Some(share)
        })
        .collect();
    let mean = shares.iter().sum::<f64>() / shares.len() as f64;
    assert!(
        shares.len() * 10 > seeds.len() * 9,
        "few scenes have a best plan"
    );
    assert!(mean <= 1.05, "{mean}");
}

/// Frames of the tour and of published frame graphs.
fn frames() -> Vec<PathBuf> {
    let mut frames = vec![root().join("scenarios/tour/deferred_frame.scn")];
    frames.extend(files("scenarios/frame-graphs"));
    frames
}

#[test]
fn each_barrier_of_a_frame_and_each_bit_is_needed() {
    let registry = catalog::registry();
    // The quick tier takes every third frame, here and below.
    let frames = frames();
    let frames: Vec<&PathBuf> = frames.iter().step_by(sizes::step(3, 1)).collect();
    frames.par_iter().for_each(|path| {
        let mut placing = Placing::default();
        placing.proves = true;
        let placed = place::place(&source(path), &[], &registry, &options(path), &placing)
            .expect("a frame that can be placed");
        assert!(!placed.needed.is_empty());
        for needed in &placed.needed {
            assert!(needed.without.is_some(), "{}: {needed:?}", path.display());
            assert!(needed.spare.is_empty(), "{}: {needed:?}", path.display());
        }
    });
}

#[test]
fn placed_frames_take_no_longer_than_written_ones_on_any_profile() {
    let registry = catalog::registry();
    let mut profiles: Vec<&str> = registry.profiles.iter().map(|it| it.name).collect();
    if !sizes::is_full() {
        profiles.truncate(2);
    }
    // Quick: other frames, each on one of them.
    let (step, share) = (sizes::step(2, 1), sizes::step(3, 1));
    let frames = frames();
    let frames: Vec<&PathBuf> = frames.iter().skip(share / 2).step_by(share).collect();
    frames.par_iter().enumerate().for_each(|(at, path)| {
        let source = source(path);
        for profile in profiles.iter().skip(at % step).step_by(step) {
            let placed = on(&source, profile, Policy::Search, &registry, &options(path))
                .expect("a frame that can be placed");
            let (written, now) = times(&placed);
            let name = path.display();
            assert!(
                now <= written,
                "{name}: {profile}: {now} placed, {written} written"
            );
            assert!(placed.left.is_empty(), "{name}: {:?}", placed.left);
            let asked = Options {
                profile: Some((*profile).to_owned()),
                without_commands: true,
                ..options(path)
            };
            let after = run::run(&placed.source, &registry, &asked).expect("it ran before");
            let failing = after.findings.iter().find(|it| it.severity.fails());
            assert!(failing.is_none(), "{name}: {profile}: {failing:?}");
        }
    });
}

/// For the longest of two times: no plan for the sum is better by that.
#[test]
fn the_worst_machine_counts_if_asked_for() {
    let registry = catalog::registry();
    let path = root().join("scenarios/frame-graphs/05-rps-mrt.scn");
    let worst = |worst: bool| {
        let mut placing = Placing::default();
        placing.worst = worst;
        let profiles = ["rdna".to_owned(), "tiler".to_owned()];
        let (source, options) = (source(&path), options(&path));
        let placed = place::place(&source, &profiles, &registry, &options, &placing);
        let placed = placed.expect("it can be placed");
        placed.prices.iter().filter_map(|it| it.placed).max()
    };
    assert!(worst(true) <= worst(false));
}

#[test]
fn what_is_placed_does_not_get_worse_when_it_is_placed_again() {
    let registry = catalog::registry();
    let step = sizes::step(5, 1);
    for path in frames().into_iter().skip(step - 1).step_by(step) {
        let place = |source: &Source| {
            on(source, "", Policy::Search, &registry, &options(&path)).expect("it can be placed")
        };
        let once = place(&source(&path));
        let twice = place(&once.source);
        assert!(times(&twice).1 <= times(&once).1, "{}", path.display());
    }
}

/// A barrier that the text has stays, and its call is not written a second time.
#[test]
fn kept_barriers_stay() {
    let text = "buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"a\" 8x8x1 { UNORDERED_ACCESS a writes }
  barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }
  dispatch \"b\" 8x8x1 { SHADER_RESOURCE a; UNORDERED_ACCESS b writes }
  dispatch \"c\" 8x8x1 { SHADER_RESOURCE b }
}
timeline { q execute l }
";
    let mut placing = Placing::default();
    placing.keep = true;
    placing.policy = Policy::JustInTime;
    let source = Source::new("kept.scn", text);
    let registry = catalog::registry();
    let placed = place::place(&source, &[], &registry, &Options::default(), &placing)
        .expect("a barrier is missing");
    assert!(
        placed.source.text.contains("sync ALL -> ALL"),
        "{}",
        placed.source.text
    );
    assert_eq!((placed.placed.entries, placed.left.len()), (2, 0));
}

/// The two scenes whose pictures the book shows.
#[test]
fn the_scene_after_is_what_is_made_of_the_scene_before() {
    let registry = catalog::registry();
    let read = |name: &str| source(&root().join("scenarios/place").join(name));
    let placed = on(
        &read("before-each-pass.scn"),
        "",
        Policy::Search,
        &registry,
        &Options::default(),
    );
    let text = placed.expect("it can be placed").source.text;
    let below = |text: &str| {
        let lines = text.lines().skip_while(|line| line.starts_with("//"));
        lines.collect::<Vec<_>>().join("\n")
    };
    assert_eq!(below(&text), below(&read("placed.scn").text));
}

fn refused(text: &str) -> String {
    let source = Source::new("refused.scn", text);
    let registry = catalog::registry();
    let placed = on(&source, "", Policy::Search, &registry, &Options::default());
    placed.expect_err("nothing can be placed").message
}

/// Both executions of a list in one call find and leave the texture alike, although only the second one has to wait for another.
#[test]
fn a_list_executed_twice_in_a_call_has_one_set_of_layouts() {
    let text = "texture t : R8G8B8A8_UNORM 256x256 { flags UNORDERED_ACCESS }
queue q : direct
list l : direct {
  draw vertices 3 { SHADER_RESOURCE t }
  clear-uav t
}
timeline { q execute l, l }
";
    let source = Source::new("twice.scn", text);
    let registry = catalog::registry();
    let placed = on(&source, "", Policy::Search, &registry, &Options::default());
    let placed = placed.expect("it can be placed");
    assert!(placed.left.is_empty(), "{:?}", placed.left);
}

/// What a list renders is not given up where another list is executed more than once (readings R25, R57).
#[test]
fn contents_survive_where_lists_are_repeated() {
    let texture = "texture c : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial UNDEFINED }\n";
    let rest = "queue q : direct
list a : direct { draw \"a\" { RENDER_TARGET c } }
list b : direct { dispatch \"b\" 1x1x1 { SHADER_RESOURCE c } }
";
    for timeline in [
        "timeline { q execute a; q execute b; q execute b }\n",
        "timeline { repeat 2 { q execute a; q execute b } }\n",
        "timeline { repeat 3 { q execute a, b } }\n",
    ] {
        let source = Source::new("repeated.scn", format!("{texture}{rest}{timeline}"));
        let registry = catalog::registry();
        let options = Options::default();
        let placed =
            on(&source, "", Policy::Search, &registry, &options).expect("it can be placed");
        let after = run::run(&placed.source, &registry, &options).expect("it runs");
        let worse: Vec<&str> = after.findings.iter().map(|it| it.rule.id).collect();
        let worse: Vec<&str> = worse
            .into_iter()
            .filter(|it| it.starts_with("HZ"))
            .collect();
        assert!(worse.is_empty(), "{worse:?}\n{}", placed.source.text);
    }
}

#[test]
fn what_cannot_be_placed_is_said_in_one_message() {
    let texture =
        "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }\n";
    let loops = format!(
        "{texture}queue q : direct
timeline {{ q execute {{ draw \"loop\" {{ RENDER_TARGET t; SHADER_RESOURCE t @ PIXEL_SHADING }} }} }}
"
    );
    let said = "no layout of `t` allows everything that draw \"loop\" (q#1) does with it";
    assert_eq!(refused(&loops), said);
    let foreign = format!(
        "{texture}queue q : compute
timeline {{ q execute {{ dispatch \"read\" 8x8x1 {{ SHADER_RESOURCE t }} }} }}
"
    );
    let said = "`t` cannot be changed before dispatch \"read\" (q#1) from the layout in which it is created";
    assert_eq!(refused(&foreign), said);
    let cycle = "fence f\nqueue q : direct\ntimeline {\n  q wait f 1\n  q signal f 1\n}\n";
    assert!(
        refused(cycle).starts_with("nothing is placed: line 4: "),
        "{}",
        refused(cycle)
    );
    let apart = "fence f
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET|UNORDERED_ACCESS; initial UNORDERED_ACCESS }
queue q : direct
queue c : compute
timeline {
  q execute { clear-rtv t }
  c execute { dispatch \"late\" 8x8x1 { UNORDERED_ACCESS t } }
}
";
    assert!(refused(apart).starts_with("`t` cannot be changed between clear-rtv (q#1) and "));
}

/// The book's table of frames.
pub(crate) fn table() -> String {
    let registry = catalog::registry();
    let mut table = String::from(
        "| scene | written | placed | just-in-time | rps-like | without any barrier | lower bound |\n|---|---|---|---|---|---|---|\n",
    );
    let rows: Vec<String> = frames()
        .par_iter()
        .map(|path| {
            let source = source(path);
            let place = |policy| {
                on(&source, "rdna", policy, &registry, &options(path)).expect("it can be placed")
            };
            let found = place(Policy::Search);
            let [late, few] = [Policy::JustInTime, Policy::RpsLike].map(|policy| {
                let placed = place(policy);
                assert!(placed.left.is_empty(), "{:?}", placed.left);
                placed
            });
            let cell = |time: Option<Ps>, count: place::Count| {
                let time = time.expect("the run ends");
                format!("{time}, {} in {}", count.entries, count.calls)
            };
            let price = &found.prices[0];
            let name = path.file_stem().unwrap_or_default().to_string_lossy();
            let (written, now) = (
                cell(price.written, found.written),
                cell(price.placed, found.placed),
            );
            let [late, few] = [late, few].map(|it| cell(it.prices[0].placed, it.placed));
            let [bare, least] = [price.unbarred, price.bound].map(|it| it.expect("the run ends"));
            format!("| `{name}` | {written} | {now} | {late} | {few} | {bare} | {least} |\n")
        })
        .collect();
    table.extend(rows);
    table
}

/// Par of a lesson is what is placed.
#[test]
fn no_lesson_asks_for_fewer_barriers_than_are_placed() {
    let registry = catalog::registry();
    let mut lessons = 0;
    for path in files("book/lessons") {
        let text = fs::read_to_string(&path).expect("a lesson");
        let par = text
            .lines()
            .find_map(|line| {
                line.strip_prefix("//! check: at most ")?
                    .strip_suffix(" barriers")
            })
            .and_then(|count| count.parse::<usize>().ok());
        let Some(par) = par else { continue };
        let source = source(&path);
        let Ok(placed) = on(&source, "", Policy::Search, &registry, &options(&path)) else {
            continue;
        };
        lessons += 1;
        let placed = placed.placed.entries;
        assert!(
            placed <= par,
            "{}: {placed} placed, par is {par}",
            path.display()
        );
    }
    assert!(lessons > 5, "{lessons}");
}
