//! The cache view: what its boxes hold against what memory and caches held, what moves against what the beats say, its edges
//! against the profile's paths; and its pictures, on slides and on the page, against all of that.

use crate::browser::{browser, seen};
use crate::cli::command;
use crate::html::{assert_sound, data, page};
use crate::machine_random::{self, profiles};
use crate::tour::{files, source};
use crate::{pictures, random, sizes};
use rayon::prelude::*;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;
use std::{fmt, fs};
use syncscope::finding::Source;
use syncscope::hardware::{Client, Profile, Variant, WritePolicy};
use syncscope::id::{CacheId, ResourceId};
use syncscope::order::Timeline;
use syncscope::report::svg;
use syncscope::run::steps::{ActRow, BeatRow, BoxRow, Diagram, HeldToken, Token, Told, told};
use syncscope::trace::Contents;
use syncscope::{catalog, run, scenario, sim};

const LOWERINGS: [&str; 2] = ["precise", "forgets_invalidate"];

/// Words that are made only if they are said: most of the time of a law went into those for when it does not hold.
struct Lazy<F>(F);

impl<F: Fn() -> String> fmt::Display for Lazy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0())
    }
}

fn tell(name: &str, text: &str, profile: &str, lowering: &str) -> Option<Told> {
    let options = run::Options {
        profile: Some(profile.to_owned()),
        lowering: Some(lowering.to_owned()),
        proposals: run::Proposals::None,
        ..run::Options::default()
    };
    told(
        Source::new(name, text),
        &catalog::registry(),
        &options,
        (None, false),
    )
    .ok()
}

/// The scenario as it is executed.
fn executed(told: &Told) -> scenario::Scenario {
    run::as_run(scenario::parse(&told.source).0)
}

/// Where a resource is: the block of its texels, their bytes, the block of their metadata.
type Home = (u32, (u64, u64), Option<u32>);

/// What memory and caches held, from a run of its own, and where each resource is.
fn contents(told: &Told, profile: &Profile) -> Option<(Contents, Vec<Home>)> {
    let scenario = executed(told);
    let timeline = Timeline::new(&scenario);
    let lowering = catalog::registry().lowering(&told.report.lowering).ok()?;
    let program = lowering.lower(&timeline, profile);
    let all = sim::contents(
        &program,
        profile,
        &sim::SimOptions::default(),
        run::steps::RUNS_MAX,
    );
    let extents = (0..program.resources.len()).map(ResourceId::new);
    let extents = extents.map(|id| {
        let own = program.resources[id].extent;
        own.map_or((0, (0, 0), None), |own| {
            let metadata = program.metadata_of(own).map(|metadata| metadata.memory.0);
            (own.memory.0, (own.start, own.end), metadata)
        })
    });
    Some((all, extents.collect()))
}

/// Each small scene of the repository and random scenes, on every profile in turn. To tell one takes longer than to look at it:
/// all laws look at the same.
fn each(mut check: impl FnMut(&Told, &Profile)) {
    static ALL: OnceLock<Vec<(Told, Profile)>> = OnceLock::new();
    for (told, profile) in ALL.get_or_init(all_told) {
        check(told, profile);
    }
}

fn all_told() -> Vec<(Told, Profile)> {
    let profiles = profiles();
    let mut texts: Vec<(String, String)> = Vec::new();
    for folder in [
        "tour",
        "hazards",
        "machine",
        "lowering",
        "redundancy",
        "readings",
        "rules",
    ] {
        for path in files(&format!("scenarios/{folder}")) {
            let text = fs::read_to_string(&path).expect("a scene");
            if text.len() < 12_000 {
                texts.push((path.display().to_string(), text));
            }
        }
    }
    for seed in sizes::RUNS.seeds() {
        texts.push((format!("random {seed}"), random::scene(seed)));
        texts.push((
            format!("machine {seed}"),
            machine_random::scene(seed, seed % 2 == 0),
        ));
        texts.push((format!("queues {seed}"), pictures::two_queues(seed)));
    }
    let told = texts
        .par_iter()
        .enumerate()
        .filter_map(|(index, (name, text))| {
            let profile = &profiles[index % profiles.len()];
            let lowering = LOWERINGS[index / profiles.len() % LOWERINGS.len()];
            let told = tell(name, text, &profile.name, lowering)?;
            Some((told, profile.clone()))
        });
    told.collect()
}

/// Versions by resource and command, as the beats number them.
fn numbers(told: &Told) -> BTreeMap<(&str, &str), u32> {
    let mut all = BTreeMap::new();
    for beat in told.steps().beats.iter().filter(|b| b.kind == "write-ends") {
        let (number, by) = beat.version.as_ref().expect("a version");
        all.insert((beat.resource.as_str(), by.as_str()), *number as u32);
    }
    all
}

/// Tokens of a place and a resource: number, dirty, part.
type Tokens = BTreeSet<(u32, bool, bool)>;

/// The same, from runs of bytes; numbers that no beat tells (what a barrier wrote) are left out, and so is a resource of which a
/// command may have written an alias.
struct Fold<'t> {
    told: &'t Told,
    numbers: BTreeMap<(&'t str, &'t str), u32>,
    names: Vec<String>,
    held: BTreeMap<(u32, u32), Vec<Bytes>>,
}

/// Bytes that are alike: from, to, whose, dirty, the state.
type Bytes = (u64, u64, Option<(String, usize)>, bool, &'static str);

impl Fold<'_> {
    fn tokens(
        &self,
        place: u32,
        (row, (memory, own, metadata)): (usize, Home),
        is_memory: bool,
    ) -> Tokens {
        let name = self.names[row].as_str();
        let mut bytes: BTreeMap<u32, (u64, bool)> = BTreeMap::new();
        let mut seen = 0;
        let held = |block| self.held.get(&(place, block)).into_iter().flatten();
        let texels = held(memory).map(|run| (run, true));
        // Metadata in the state of a fast clear is the only place of that version.
        let clears = metadata.into_iter().flat_map(held);
        let clears = clears
            .filter(|run| run.4 == "clear")
            .map(|run| (run, false));
        for ((start, end, writer, dirty, _), is_texel) in texels.chain(clears) {
            let length = end.min(&own.1).saturating_sub(*start.max(&own.0));
            if length == 0 {
                continue;
            }
            if !is_texel && writer.as_ref().is_some_and(|(_, of)| *of != row) {
                continue;
            }
            seen += if is_texel { length } else { 0 };
            let number = match writer {
                None => Some(0),
                Some((_, of)) if *of != row => None,
                Some((by, _)) => self.numbers.get(&(name, by.as_str())).copied(),
            };
            if let Some(number) = number {
                let known = bytes.entry(number).or_default();
                *known = (known.0 + length, known.1 | dirty);
            }
        }
        if is_memory && seen < own.1 - own.0 {
            bytes.entry(0).or_default().0 += own.1 - own.0 - seen;
        }
        let token = |(number, (length, dirty))| (number, dirty, length < own.1 - own.0);
        bytes.into_iter().map(token).collect()
    }
}

#[test]
fn boxes_hold_what_memory_and_caches_held() {
    let mut compared = 0;
    each(|told, profile| {
        let Some((contents, extents)) = contents(told, profile) else {
            return;
        };
        if contents.is_cut {
            return;
        }
        let scenario = executed(told);
        let timeline = Timeline::new(&scenario);
        let steps = told.steps();
        let diagram = &steps.diagram;
        let names: Vec<String> = (0..scenario.resources.len())
            .map(|at| scenario.resource_name(ResourceId::new(at)).to_owned())
            .collect();
        let mut fold = Fold {
            told,
            numbers: numbers(told),
            names,
            held: BTreeMap::new(),
        };
        let mut seen = 0;
        for (index, beat) in steps.beats.iter().enumerate() {
            for change in &contents.moments[seen..(beat.moments as usize).max(seen)] {
                for block in &change.blocks {
                    let runs = block.runs.iter().map(|run| {
                        let held = run.held;
                        let writer = held.writer.zip(held.resource);
                        let writer =
                            writer.map(|(node, of)| (timeline.node_name(node), of.index()));
                        (run.start, run.end, writer, held.dirty, held.state)
                    });
                    fold.held
                        .insert((block.place, block.memory.0), runs.collect());
                }
            }
            seen = seen.max(beat.moments as usize);
            compared += compare(&fold, (&contents, profile), (diagram, index), &extents);
        }
    });
    assert!(compared > 5_000, "{compared} tokens");
}

/// The beat that ends each write, by resource and number.
fn ends(told: &Told) -> BTreeMap<(&str, u64), usize> {
    let mut all = BTreeMap::new();
    for (index, beat) in told.steps().beats.iter().enumerate() {
        if beat.kind == "write-ends" {
            let (number, _) = beat.version.as_ref().expect("a version");
            all.entry((beat.resource.as_str(), *number as u64))
                .or_insert(index);
        }
    }
    all
}

#[test]
fn no_version_is_anywhere_before_its_write_is_told() {
    let mut seen = 0;
    each(|told, profile| {
        let (diagram, ends) = (&told.steps().diagram, ends(told));
        let is_cut = told
            .steps()
            .left_out
            .iter()
            .any(|words| words.contains("is told up to"));
        for beat in 0..told.steps().beats.len() {
            for (token, _) in diagram.held(Some(beat)).into_iter().flatten() {
                let name = diagram.resources[token.resource as usize].name.as_str();
                let end = ends.get(&(name, u64::from(token.number)));
                seen += usize::from(end.is_some());
                assert!(
                    is_cut || end.is_none_or(|end| *end <= beat),
                    "{}: {} is there at beat {beat} and told at {end:?} on {}\n{}",
                    told.source.name,
                    diagram.name(token),
                    profile.name,
                    told.source.text
                );
            }
        }
    });
    assert!(seen > 5_000, "{seen} tokens");
}

#[test]
fn writes_that_end_at_once_appear_one_by_one() {
    // Both targets and the depth buffer end with the draw's last stage, or with the stage that they share; `c` and `d` share a heap.
    let text = "queue gfx : direct
heap h : 16MiB
texture a : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
texture b : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
texture c : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET; heap h at 0 }
texture d : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET; heap h at 1MiB }
list frame : direct {
  draw \"all\" { RENDER_TARGET d; RENDER_TARGET a; RENDER_TARGET c; RENDER_TARGET b }
}
timeline { gfx execute frame }
";
    let told = tell("at-once.scn", text, "rdna", "precise").expect("it runs");
    let steps = told.steps();
    let own: Vec<usize> = (0..steps.beats.len())
        .filter(|beat| steps.beats[*beat].kind == "write-ends")
        .collect();
    assert_eq!(own.len(), 4);
    assert!(
        own.windows(2)
            .all(|p| steps.beats[p[0]].at == steps.beats[p[1]].at)
    );
    for (count, beat) in own.iter().enumerate() {
        let held = steps.diagram.held(Some(*beat)).into_iter().flatten();
        let written: BTreeSet<u32> = held
            .filter(|(token, _)| token.number == 1)
            .map(|(token, _)| token.resource)
            .collect();
        assert_eq!(
            written.len(),
            count + 1,
            "after {}",
            steps.beats[*beat].says
        );
    }
}

#[test]
fn a_fast_clear_is_told_and_is_where_its_metadata_is() {
    let text = "queue gfx : direct
texture t : R8G8B8A8_UNORM 1024x1024 { flags RENDER_TARGET; initial RENDER_TARGET }
list frame : direct { clear-rtv t }
timeline { gfx execute frame }
";
    let told = tell("clear.scn", text, "rdna", "precise").expect("it runs");
    let steps = told.steps();
    let end = steps
        .beats
        .iter()
        .position(|beat| beat.kind == "write-ends");
    let end = end.expect("a write that ends");
    let beat = &steps.beats[end];
    let words = "version 1 of `t` (a fast clear: metadata only) is in ";
    assert!(beat.says.contains(words), "{}", beat.says);
    let held = steps.diagram.held(Some(end));
    let boxes = steps.diagram.boxes.iter().zip(&held);
    let with: Vec<&str> = boxes
        .filter(|(_, held)| held.iter().any(|(token, _)| token.number == 1))
        .map(|(own, _)| own.name.as_str())
        .collect();
    assert_eq!(with, [beat.place.as_str()]);
    let way = &acts(&told, end)[0].way;
    assert_eq!(steps.diagram.boxes[way[0] as usize].name, "colour");
    assert_eq!(
        steps.diagram.boxes[*way.last().expect("a way") as usize].name,
        beat.place
    );
}

/// Compares every box that stands for a place at a beat; how many tokens there are.
fn compare(
    fold: &Fold<'_>,
    (contents, profile): (&Contents, &Profile),
    (diagram, beat): (&Diagram, usize),
    extents: &[Home],
) -> usize {
    let held = diagram.held(Some(beat));
    let mut count = 0;
    for (place, holder) in (0_u32..).zip(&contents.places) {
        let name = match holder.cache {
            None => "memory".to_owned(),
            Some(cache) if holder.of_writers => format!("{} (writers')", profile.cache(cache).name),
            Some(cache) => profile.cache(cache).name.clone(),
        };
        let own = diagram
            .boxes
            .iter()
            .position(|row| row.kind != "client" && row.name == name);
        let Some(own) = own else { continue };
        for (letter, row) in diagram.resources.iter().enumerate() {
            let at = fold
                .names
                .iter()
                .position(|name| *name == row.name)
                .expect("a resource");
            let expected = fold.tokens(place, (at, extents[at]), holder.cache.is_none());
            let told: Vec<u32> = fold
                .numbers
                .iter()
                .filter(|((of, _), _)| *of == row.name)
                .map(|(_, n)| *n)
                .collect();
            let is_known = |held: &HeldToken| held.number == 0 || told.contains(&held.number);
            let shown = held[own]
                .iter()
                .filter(|(token, held)| token.resource as usize == letter && is_known(held));
            let shown: Tokens = shown
                .map(|(_, held)| (held.number, held.dirty, held.part))
                .collect();
            count += shown.len();
            assert_eq!(
                shown, expected,
                "{}: {} in {name} after beat {beat} on {}\n{}",
                fold.told.source.name, row.name, profile.name, fold.told.source.text
            );
        }
    }
    count
}

/// What of a beat's acts a sentence tells.
fn acts(told: &Told, beat: usize) -> Vec<&ActRow> {
    let scene = &told.steps().diagram.scenes[beat];
    scene.acts.iter().filter(|act| !act.aside).collect()
}

/// The versions and places of a read, as its beat has them.
fn found(beat: &BeatRow) -> BTreeSet<(u32, String)> {
    if beat.found.is_empty() {
        let version = beat.version.iter();
        return version
            .map(|(number, _)| (*number as u32, beat.place.clone()))
            .collect();
    }
    let all = beat.found.iter();
    all.map(|(number, _, place)| (*number as u32, place.clone()))
        .collect()
}

#[test]
fn what_moves_is_what_the_beats_say() {
    let (mut reads, mut wrong, mut moves, mut asides) = (0, 0, 0, 0);
    each(|told, _| {
        let steps = told.steps();
        let diagram = &steps.diagram;
        let name = |at: u32| diagram.boxes[at as usize].name.as_str();
        let edges: BTreeSet<(u32, u32)> = diagram.edges.iter().map(|e| (e.from, e.to)).collect();
        for (index, beat) in steps.beats.iter().enumerate() {
            let place = Lazy(|| {
                format!(
                    "{} beat {index}: {beat:?}\n{}",
                    told.source.name, told.source.text
                )
            });
            let scene = &diagram.scenes[index];
            for act in &scene.acts {
                for pair in act.way.windows(2) {
                    let (a, b) = (pair[0], pair[1]);
                    assert!(
                        edges.contains(&(a, b)) || edges.contains(&(b, a)),
                        "{place}"
                    );
                }
                asides += usize::from(act.aside);
            }
            let own = acts(told, index);
            let is_shown = diagram
                .resources
                .iter()
                .any(|row| row.name == beat.resource);
            match beat.kind {
                "reads" => {
                    let shown = own
                        .iter()
                        .map(|act| (act.token.number, name(act.way[0]).to_owned()));
                    if beat.wrong == "late" {
                        // Where a read was from that a write overtook, nobody knows.
                        assert!(own.is_empty(), "{place}");
                    } else if is_shown || !own.is_empty() {
                        assert_eq!(shown.collect::<BTreeSet<_>>(), found(beat), "{place}");
                        reads += 1;
                    }
                    for act in &own {
                        assert_eq!(act.wrong, !beat.wrong.is_empty(), "{place}");
                        let last = *act.way.last().expect("a way") as usize;
                        assert_eq!(
                            (act.kind, diagram.boxes[last].kind),
                            ("read", "client"),
                            "{place}"
                        );
                    }
                    let expected = beat.expected.as_ref().map(|(number, _)| *number as u32);
                    if is_shown {
                        assert_eq!(
                            scene.expected.map(|token| token.number),
                            expected,
                            "{place}"
                        );
                    }
                    wrong += usize::from(expected.is_some());
                    right_is_there(told, index);
                }
                "write-ends" | "cleaned" | "dropped" if is_shown => {
                    let [act] = own[..] else {
                        panic!("{place}: {own:?}")
                    };
                    let number = beat.version.as_ref().map(|(number, _)| *number as u32);
                    assert_eq!(Some(act.token.number), number, "{place}");
                    let end = if beat.kind == "write-ends" {
                        act.way.last()
                    } else {
                        act.way.first()
                    };
                    let shown = name(*end.expect("a way"));
                    assert_eq!(
                        shown.trim_end_matches(" (writers')"),
                        beat.place.trim_end_matches(" (writers')"),
                        "{place}"
                    );
                    moves += 1;
                }
                _ => assert!(own.is_empty(), "{place}"),
            }
        }
    });
    assert!(
        reads > 500 && wrong > 50 && moves > 500 && asides > 50,
        "{reads} {wrong} {moves} {asides}"
    );
}

/// A sentence about a version is what its picture shows: what a write left is in the places that the sentence names, and what
/// is written back or dropped was there before. An event that moves several versions is several beats, and shows with the first.
#[test]
fn a_sentence_about_a_version_is_what_the_picture_shows() {
    let mut seen = BTreeMap::new();
    each(|told, profile| {
        let steps = told.steps();
        let diagram = &steps.diagram;
        let mut before = diagram.held(None);
        let mut last = before.clone();
        for (index, beat) in steps.beats.iter().enumerate() {
            let is_new = index == 0 || steps.beats[index - 1].at != beat.at;
            let after = diagram.held(Some(index));
            let earlier = std::mem::replace(&mut last, after.clone());
            if is_new {
                before = earlier;
            }
            let row = diagram
                .resources
                .iter()
                .position(|r| r.name == beat.resource);
            let number = beat.version.as_ref().map(|(number, _)| *number as u32);
            let Some((row, number)) = row.zip(number) else {
                continue;
            };
            let own = |held: &[(Token, HeldToken)]| {
                let mut own = held
                    .iter()
                    .filter(|(token, _)| (token.resource as usize, token.number) == (row, number));
                own.next().map(|(_, held)| *held)
            };
            let at = |name: &str| {
                let mut all = diagram.boxes.iter();
                all.position(|b| b.kind != "client" && b.name == name)
                    .expect(name)
            };
            let place = Lazy(|| {
                format!(
                    "{} on {} beat {index}: {beat:?}\n{}",
                    told.source.name, profile.name, told.source.text
                )
            });
            match beat.kind {
                "write-ends" => {
                    let (_, what) = beat.says.split_once(" ends its write: ").expect("a write");
                    let (named, how) = places_named(what);
                    for name in &named {
                        let held = own(&after[at(name)]);
                        assert!(held.is_some(), "{name}: {place}");
                        let held = held.expect("it is there");
                        assert!(held.dirty || *name == "memory", "{name}: {place}");
                        assert!(held.part || how == "whole", "{name}: {place}");
                    }
                    if named.is_empty() {
                        assert!(after.iter().all(|held| own(held).is_none()), "{place}");
                    }
                    *seen.entry(how).or_insert(0) += 1;
                }
                "cleaned" | "dropped" => {
                    let (old, new) = (own(&before[at(&beat.place)]), own(&after[at(&beat.place)]));
                    let is_dropped = beat.kind == "dropped";
                    // What came from another cache since the beat before is only shown as it leaves.
                    let is_on_its_way =
                        || before.iter().any(|held| own(held).is_some_and(|h| h.dirty));
                    let was = old.is_some_and(|old| old.dirty || is_dropped) || is_on_its_way();
                    assert!(was, "{old:?}, {new:?}: {place}");
                    let is_part = beat.says.contains("part of version");
                    let stays = new.is_some_and(|new| new.dirty || is_dropped);
                    assert!(is_part || !stays, "{old:?}, {new:?}: {place}");
                    *seen.entry(beat.kind).or_insert(0) += 1;
                }
                _ => {}
            }
        }
    });
    for kind in ["whole", "part", "gone", "cleaned", "dropped"] {
        assert!(seen.get(kind).is_some_and(|seen| *seen > 5), "{seen:?}");
    }
}

/// The places that the end of a write names, and whether the version is there as a whole, in part, or nowhere.
fn places_named(what: &str) -> (Vec<&str>, &'static str) {
    let Some((_, places)) = what.split_once(" is in ") else {
        assert!(what.ends_with("overwritten at once."), "{what}");
        return (Vec::new(), "gone");
    };
    let parts = [
        ", a part in each.",
        ", but for what is overwritten at once.",
    ];
    let whole = places
        .trim_end_matches(", not yet in memory.")
        .trim_end_matches('.');
    let (places, how) = match parts.iter().find_map(|end| places.strip_suffix(end)) {
        Some(places) => (places, "part"),
        None => (whole, "whole"),
    };
    let (places, last) = places
        .rsplit_once(" and ")
        .map_or((places, None), |(a, b)| (a, Some(b)));
    let all = places
        .split(", ")
        .chain(last)
        .filter(|name| !name.is_empty());
    (all.collect(), how)
}

/// What a wrong read should have found is in the boxes that say so.
fn right_is_there(told: &Told, beat: usize) {
    let diagram = &told.steps().diagram;
    let scene = &diagram.scenes[beat];
    let held = diagram.held(Some(beat));
    let expected = |(token, _): &(Token, HeldToken)| Some(*token) == scene.expected;
    for at in &scene.right {
        assert!(
            held[*at as usize].iter().any(expected),
            "{} beat {beat}",
            told.source.name
        );
    }
}

/// A hazard marks a box of each of its uses that has one.
#[test]
fn hazards_mark_both_uses() {
    let mut both = 0;
    each(|told, _| {
        let diagram = &told.steps().diagram;
        for (beat, scene) in told.steps().beats.iter().zip(&diagram.scenes) {
            let sides: BTreeSet<u32> = scene.sides.iter().map(|side| side.side).collect();
            assert!(sides.is_empty() || beat.kind == "hazard");
            both += usize::from(sides.len() == 2);
            for side in &scene.sides {
                assert_eq!(diagram.boxes[side.at as usize].kind, "client");
            }
        }
    });
    assert!(both > 50, "{both} hazards");
}

/// Every pair of caches that some path of a profile has next to each other, and where paths begin and end.
fn paths(profile: &Profile) -> (BTreeSet<(String, String)>, BTreeSet<String>) {
    let mut pairs = BTreeSet::new();
    let mut first = BTreeSet::from(["memory".to_owned()]);
    let name = |cache: &CacheId| profile.cache(*cache).name.clone();
    let mut add = |path: &[CacheId]| {
        let all: Vec<String> = path.iter().map(name).chain(["memory".to_owned()]).collect();
        first.insert(all[0].clone());
        pairs.extend(
            all.windows(2)
                .map(|pair| (pair[0].clone(), pair[1].clone())),
        );
    };
    for variant in Variant::all(profile.exceptions.len()) {
        for client in Client::all() {
            for path in profile.texel_routes_of(variant).read_paths(client) {
                add(profile.path(*path));
            }
            for path in profile.metadata_routes_of(variant).read_paths(client) {
                add(profile.path(*path));
            }
        }
    }
    if let Some(pass) = &profile.tile_pass {
        add(profile.path(pass.path));
    }
    // Where dirty lines go.
    for cache in profile
        .caches
        .iter()
        .filter(|cache| cache.policy == WritePolicy::WriteBack)
    {
        let parent = cache.parent.map_or("memory".to_owned(), |id| name(&id));
        pairs.insert((cache.name.clone(), parent));
    }
    (pairs, first)
}

#[test]
fn edges_are_those_of_the_profile() {
    let mut drawn = 0;
    each(|told, profile| {
        let diagram = &told.steps().diagram;
        let (pairs, first) = paths(profile);
        let name = |at: u32| {
            diagram.boxes[at as usize]
                .name
                .trim_end_matches(" (writers')")
                .to_owned()
        };
        for edge in &diagram.edges {
            drawn += 1;
            if diagram.boxes[edge.from as usize].kind == "client" {
                assert!(
                    first.contains(&name(edge.to)),
                    "{edge:?} on {}",
                    profile.name
                );
            } else {
                assert!(
                    pairs.contains(&(name(edge.from), name(edge.to))),
                    "{edge:?} on {}",
                    profile.name
                );
            }
        }
    });
    assert!(drawn > 500, "{drawn}");
}

/// Boxes are inside the diagram, none is over another, no edge crosses one, and a scene has at most some dozen.
#[test]
fn boxes_have_room() {
    each(|told, _| {
        let diagram = &told.steps().diagram;
        let place = Lazy(|| {
            format!(
                "{} on {}: {diagram:#?}",
                told.source.name, told.report.profile
            )
        });
        let rect = |at: usize| {
            let row = &diagram.boxes[at];
            (row.x, row.y, row.x + row.width, row.y + row.height)
        };
        for a in 0..diagram.boxes.len() {
            let (left, top, right, bottom) = rect(a);
            assert!(
                right <= diagram.width && bottom <= diagram.height,
                "{place}"
            );
            for b in 0..a {
                let other = rect(b);
                let is_apart =
                    right <= other.0 || other.2 <= left || bottom <= other.1 || other.3 <= top;
                assert!(is_apart, "{a} {b} {place}");
            }
            for edge in &diagram.edges {
                for pair in edge.points.windows(2) {
                    let (low, high) = (pair[0][1].min(pair[1][1]), pair[0][1].max(pair[1][1]));
                    let is_beyond =
                        pair[1][0] <= left || right <= pair[0][0] || high <= top || bottom <= low;
                    assert!(is_beyond, "{edge:?} crosses {a}: {place}");
                }
            }
        }
        // The caches of metadata that fast clears of colour and of depth are in are at most two more.
        assert!(diagram.boxes.len() <= 18, "{place}");
        // Clients that differ in what they do are told apart by what is drawn of their names.
        let clients = diagram.boxes.iter().filter(|row| row.kind == "client");
        let drawn = |row: &&BoxRow| {
            let letters = f64::from(row.width - 14) / 7.6;
            row.name
                .chars()
                .take(letters as usize - 1)
                .collect::<String>()
        };
        let names: BTreeSet<(String, &str)> = clients
            .clone()
            .map(|row| (drawn(&row), &*row.note))
            .collect();
        let shown: BTreeSet<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(shown.len(), names.len(), "{names:?}: {place}");
    });
}

/// The tokens of each box of a frame, as it is drawn: name and looks.
fn tokens_of_frame(text: &str) -> Vec<BTreeSet<(String, bool, bool)>> {
    let document = roxmltree::Document::parse(text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let groups = document
        .descendants()
        .filter(|n| n.attribute("class") == Some("box"));
    let has = |node: roxmltree::Node<'_, '_>, word: &str| {
        let class = node.attribute("class").unwrap_or_default();
        class.split(' ').any(|own| own == word)
    };
    let tokens = |group: roxmltree::Node<'_, '_>| {
        let all = group
            .children()
            .filter(|n| has(*n, "token") && !has(*n, "gone"));
        let token = |node: roxmltree::Node<'_, '_>| {
            let words = node.children().filter(|n| n.tag_name().name() == "text");
            let name = words
                .filter(|n| has(*n, "mid"))
                .find_map(|n| n.text().map(str::to_owned));
            (name.expect("a name"), has(node, "dirty"), has(node, "part"))
        };
        all.map(token).collect()
    };
    groups.map(tokens).collect()
}

/// What the places of a diagram hold after a beat, by the names that are drawn.
fn drawn(diagram: &Diagram, beat: usize) -> Vec<BTreeSet<(String, bool, bool)>> {
    let held = diagram.held(Some(beat));
    let one = |(token, held): &(Token, HeldToken)| (diagram.name(*token), held.dirty, held.part);
    held.iter()
        .map(|all| all.iter().map(one).collect())
        .collect()
}

#[test]
fn frames_have_the_tokens_of_the_diagram() {
    let mut frames = 0;
    each(|told, _| {
        let diagram = &told.steps().diagram;
        // A box of many tokens shows some.
        let is_small = diagram.resources.len() <= 3;
        for beat in told.frames().0.into_iter().take(12) {
            let text = svg::frame(told, Some(beat));
            let shown = tokens_of_frame(&text);
            assert_eq!(shown.len(), diagram.boxes.len());
            let all = drawn(diagram, beat);
            for (at, row) in diagram
                .boxes
                .iter()
                .enumerate()
                .filter(|(_, row)| row.kind != "client")
            {
                let is_whole = all[at] == shown[at];
                let is_part = !is_small && shown[at].is_subset(&all[at]);
                assert!(
                    is_whole || is_part || all[at].len() > 6,
                    "{} of {} beat {beat}",
                    row.name,
                    told.source.name
                );
            }
            frames += 1;
        }
    });
    assert!(frames > 500, "{frames} frames");
}

/// The tokens of each place, as the page's boxes have them.
fn tokens_of_page(shown: &Value) -> Vec<BTreeSet<(String, bool, bool)>> {
    let boxes = shown["tokens"].as_array().expect("the cache view is open");
    let token = |token: &Value| {
        let words: Vec<&str> = token
            .as_array()
            .expect("words")
            .iter()
            .filter_map(Value::as_str)
            .collect();
        (!words.contains(&"gone")).then(|| {
            (
                words[0].to_owned(),
                words.contains(&"dirty"),
                words.contains(&"part"),
            )
        })
    };
    let of = |tokens: &Value| {
        tokens
            .as_array()
            .expect("tokens")
            .iter()
            .filter_map(token)
            .collect()
    };
    boxes.iter().map(of).collect()
}

/// Forwards, backwards, and from one place to another, a page's boxes hold what `step` says; before a question is answered they
/// hold what they held before.
#[test]
fn the_page_shows_the_tokens_of_step() {
    let Some(browser) = browser() else { return };
    let mut questions = 0;
    let scenes = [
        "tour/03-wrong-access",
        "tour/01-render-target-to-texture",
        "tour/09-queue-race",
    ];
    for &scene in sizes::first(1, &scenes) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("scenarios/{scene}.scn"));
        let source = source(&path);
        let told = told(
            source.clone(),
            &catalog::registry(),
            &run::Options::default(),
            (None, false),
        )
        .expect("it is told");
        let (page, diagram) = (page(&source), &told.steps().diagram);
        let last = told.steps().beats.len() - 1;
        let forwards = "click:%23next;tokens:;".repeat(last);
        let backwards = "key:ArrowLeft;tokens:;".repeat(last);
        let hash = format!(
            "view=steps&do=key:c;tokens:;{forwards}{backwards}click:[title=\"Last step\"];tokens:;click:[title=\"First step\"];tokens:"
        );
        let shown = seen(&browser, &page, &hash);
        assert_sound(&shown, scene);
        let there = (0..=last).chain((0..last).rev()).chain([last, 0]);
        let log = shown["log"].as_array().expect("a list");
        assert_eq!(log.len(), 2 * last + 3, "{shown}");
        for (beat, seen) in there.zip(log) {
            same(&tokens_of_page(seen), diagram, beat);
        }
        // The step before it has no question of its own, which would be answered first.
        let mut beats = told.steps().beats.windows(2);
        let asked = beats.position(|pair| {
            pair[0].ask.is_none() && pair[1].ask.is_some() && pair[1].kind == "reads"
        });
        let Some(before) = asked else { continue };
        questions += 1;
        let asked = before + 1;
        let open = format!(
            "view=steps&caches=1&step={before}&do=click:%23predict;click:%23next;tokens:;click:%23reveal;tokens:"
        );
        let shown = seen(&browser, &page, &open);
        assert_sound(&shown, &open);
        same(&tokens_of_page(&shown["log"][0]), diagram, before);
        assert_eq!(shown["log"][0]["lit"], Value::Array(Vec::new()), "{shown}");
        same(&tokens_of_page(&shown["log"][1]), diagram, asked);
        assert!(
            data(&page)["detail"]["diagram"]["boxes"]
                .as_array()
                .is_some()
        );
    }
    let asked = if sizes::step(2, 1) == 1 { 2 } else { 1 };
    assert_eq!(questions, asked);
}

fn same(shown: &[BTreeSet<(String, bool, bool)>], diagram: &Diagram, beat: usize) {
    for ((row, shown), all) in diagram.boxes.iter().zip(shown).zip(drawn(diagram, beat)) {
        assert!(
            row.kind == "client" || *shown == all,
            "{} after {beat}: {shown:?}, and holds {all:?}",
            row.name
        );
    }
}

fn step(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut all = vec!["step"];
    all.extend_from_slice(arguments);
    let output = command(&all).output().expect("the program starts");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

const SCENE: &str = "scenarios/tour/02-missing-barrier.scn";

#[test]
fn frames_are_files_that_sort_as_the_beats_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let there = folder.path().join("frames");
    let shown_as = there.display().to_string();
    let (status, says, error) = step(&[SCENE, "--frames", &shown_as]);
    assert_eq!(
        (status, error.as_str()),
        (Some(1), ""),
        "the scene has a hazard"
    );
    let mut names: Vec<String> = fs::read_dir(&there)
        .expect("a directory")
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .into_string()
                .expect("text")
        })
        .collect();
    names.sort();
    assert_eq!(
        says,
        format!(
            "{} frames in {shown_as}: {} to {}\n",
            names.len(),
            names[0],
            names[names.len() - 1]
        )
    );
    let (_, json, _) = step(&[SCENE, "--format", "json"]);
    let value: Value = serde_json::from_str(&json).expect("JSON");
    let beats = value["beats"].as_array().expect("beats").iter().enumerate();
    let beats = beats.filter(|(_, beat)| !beat["scene"].is_null() || beat["kind"] == "hazard");
    let expected: Vec<String> = beats
        .map(|(at, _)| format!("step-{:03}.svg", at + 1))
        .collect();
    assert_eq!(names, expected);
    // One of them is what a single frame is.
    let (_, one, _) = step(&[SCENE, "--until", "hazard", "--format", "svg"]);
    let hazard = value["beats"]
        .as_array()
        .expect("beats")
        .iter()
        .position(|beat| beat["kind"] == "hazard");
    let file = there.join(format!("step-{:03}.svg", hazard.expect("a hazard") + 1));
    assert_eq!(fs::read_to_string(file).expect("a frame"), one);
}

#[test]
fn a_directory_that_is_not_for_frames_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    fs::write(&file, "text").expect("written");
    for (place, message, help) in [
        (folder.path().to_owned(), "is not empty", "new or empty"),
        (file.clone(), "cannot be written", "new or empty"),
        (
            folder.path().join("a/b"),
            "cannot be written",
            "create the directory that it is in first",
        ),
    ] {
        let (status, says, error) = step(&[SCENE, "--frames", &place.display().to_string()]);
        assert_eq!((status, says.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains(message) && error.contains(help), "{error}");
    }
    assert_eq!(fs::read_to_string(&file).expect("the file"), "text");
    let (status, _, error) = step(&[
        "scenarios/rules/SC002/fires.scn",
        "--frames",
        &folder.path().join("none").display().to_string(),
    ]);
    assert_eq!(status, Some(2), "{error}");
}

/// Names are no markup, and long ones are cut.
#[test]
fn strange_names_stay_inside_a_frame() {
    let long =
        "a_resource_whose_name_is_so_long_that_no_box_and_no_legend_has_room_for_all_of_it_at_once";
    let text = format!(
        "queue gfx : direct\nbuffer {long} : 4KiB {{ flags UNORDERED_ACCESS }}\ntimeline {{\n  gfx execute {{\n    \
         dispatch \"<script>&\\\"\" 1x1x1 {{ UNORDERED_ACCESS {long} writes }}\n    draw \"{0}\" {{ SHADER_RESOURCE {long} }}\n  }}\n}}\n",
        "x".repeat(300)
    );
    let told = tell("<&>.scn", &text, "rdna", "precise").unwrap_or_else(|| panic!("{text}"));
    for beat in 0..told.steps().beats.len() {
        let text = svg::frame(&told, Some(beat));
        let document = roxmltree::Document::parse(&text).unwrap_or_else(|e| panic!("{e}"));
        assert!(
            document
                .descendants()
                .all(|node| node.tag_name().name() != "script")
        );
        for words in document
            .descendants()
            .filter(|n| n.tag_name().name() == "text")
        {
            assert!(
                words.text().unwrap_or_default().chars().count() <= 150,
                "{words:?}"
            );
        }
    }
}
