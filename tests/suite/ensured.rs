//! The law of lowerings: every needed pair that the application asked for is ensured, by every lowering that is not wrong
//! on purpose, on every built-in machine. Static: packets are judged, nothing runs.
//!
//! The scenarios are those of the suite's generators, right and wrong ones: splits, aliases, several queues, legacy
//! barriers, discards, many live ranges.

use crate::legality_reference::scenes;
use crate::machine_random::{self, lowerings, profiles};
use crate::reference::{self, crowds};
use crate::{legacy::random as legacy_random, random, sizes};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use syncscope::analyze::lowering::{Lack, NeededPairs};
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::Lowering;
use syncscope::order::{Timeline, pair_fence_barriers};
use syncscope::{catalog, legacy, scenario};

/// A stream of random scenarios: what it is called, and the scenario of a seed.
pub(crate) type Stream = (&'static str, fn(u64) -> String);

pub(crate) const STREAMS: [Stream; 7] = [
    ("buffers of one queue", random::scene),
    (
        "two queues, aliases, parts, discards",
        reference::random_scenario,
    ),
    ("right barriers, queues in turns", machine_random::write),
    ("the same with discards", |seed| {
        machine_random::scene(seed, true)
    }),
    ("legal and illegal, three queues", |seed| {
        scenes::scene(seed).text()
    }),
    ("legacy barriers", legacy_random::program),
    ("many live ranges", |seed| {
        let crowd = crowds::Crowd {
            ranges: 6,
            commands: 14,
            rows: true,
        };
        crowds::scenario(seed, crowd)
    }),
];

/// What a lowering misses of a text on a machine that two uses need, and how many barriers were judged. `None`: the text is
/// no scenario.
fn missing(
    text: &str,
    machines: &[(&dyn Lowering, &Profile)],
    mut each: impl FnMut(&dyn Lowering, &Profile, &[Lack], u64),
) -> Option<()> {
    let (parsed, findings) = scenario::parse(&Source::new("random.scn", text));
    if findings.iter().any(|f| f.severity.fails()) || parsed.timeline.is_none() {
        return None;
    }
    let scenario = pair_fence_barriers(legacy::translate(&parsed).into_owned());
    let timeline = Timeline::new(&scenario);
    let needed = NeededPairs::new(&timeline);
    for (lowering, profile) in machines {
        let program = lowering.lower(&timeline, profile);
        let judged = needed.check(profile, &program);
        each(*lowering, profile, &judged.missing, judged.checked);
    }
    Some(())
}

#[test]
fn every_right_lowering_ensures_what_is_asked_in_random_scenarios() {
    let (lowerings, profiles) = (lowerings(), profiles());
    let machines: Vec<(&dyn Lowering, &Profile)> = lowerings
        .iter()
        .flat_map(|lowering| profiles.iter().map(move |profile| (*lowering, profile)))
        .collect();
    assert!(machines.len() >= 9 * 7);
    let seeds: Vec<u64> = sizes::ENSURED.seeds().collect();
    let tried: Vec<AtomicU64> = STREAMS.iter().map(|_| AtomicU64::new(0)).collect();
    let barriers: Vec<AtomicU64> = STREAMS.iter().map(|_| AtomicU64::new(0)).collect();
    seeds.par_iter().for_each(|seed| {
        let at = (seed % STREAMS.len() as u64) as usize;
        let (name, stream) = STREAMS[at];
        let text = stream(*seed);
        let read = missing(&text, &machines, |lowering, profile, missing, checked| {
            assert!(
                missing.is_empty(),
                "{name}, seed {seed}: {} on {} misses {missing:?}\n{text}",
                lowering.name(),
                profile.name
            );
            barriers[at].fetch_add(checked, Ordering::Relaxed);
        });
        tried[at].fetch_add(u64::from(read.is_some()), Ordering::Relaxed);
    });
    // Every stream is one of scenarios with barriers; a few texts of some are refused.
    for (at, (name, _)) in STREAMS.iter().enumerate() {
        let of = seeds
            .iter()
            .filter(|s| **s % STREAMS.len() as u64 == at as u64);
        let (of, tried) = (of.count() as u64, tried[at].load(Ordering::Relaxed));
        assert!(2 * tried > of, "{name}: {tried} of {of} are scenarios");
        let barriers = barriers[at].load(Ordering::Relaxed);
        assert!(
            barriers >= tried * machines.len() as u64,
            "{name}: {barriers}"
        );
    }
}

/// A packet that waits for nothing overlaps the one before it, whose wait may not have ended when it drops lines: a lowering
/// that remembers what was dropped cannot count on it.
#[test]
fn what_a_packet_does_that_follows_nothing_is_done_again() {
    let buffers = "queue gfx : direct
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer c : 4KiB { flags UNORDERED_ACCESS }
list main : direct {
  barrier { buffer c { sync ALL -> ALL; access COMMON -> COMMON } }
  barrier { buffer a { sync COMPUTE_SHADING -> VERTEX_SHADING; access UNORDERED_ACCESS -> VERTEX_BUFFER } }
  barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }
  copy c -> a
  barrier { buffer b { sync ALL -> ALL; access COMMON -> COMMON } }
  dispatch 4x1x1 { SHADER_RESOURCE c }
  draw pixels 64 { VERTEX_BUFFER a }
  barrier { buffer b { sync COMPUTE_SHADING -> VERTEX_SHADING; access UNORDERED_ACCESS -> VERTEX_BUFFER } }
  copy a -> c
  barrier { buffer c { sync ALL -> ALL; access COMMON -> COMMON } }
  barrier { buffer a { sync COMPUTE_SHADING -> VERTEX_SHADING; access UNORDERED_ACCESS -> VERTEX_BUFFER } }
}
timeline { gfx execute main; gfx execute main }
";
    let texture = "queue gfx : direct
buffer b : 1536B
buffer q : 896B
buffer c : 1536B
texture t : R8G8B8A8_UNORM 8x8 { initial UNORDERED_ACCESS }
list l0 : direct {
  dispatch 4x1x1 { }
  barrier { buffer q { sync COMPUTE_SHADING -> ALL; access COPY_DEST -> NO_ACCESS } }
  barrier {
    texture t {
      sync NONE -> ALL
      access UNORDERED_ACCESS -> UNORDERED_ACCESS
      layout UNORDERED_ACCESS -> COMMON
    }
  }
  copy b[0..256] -> c[0..256]
  barrier {
    texture t {
      sync COMPUTE_SHADING -> PIXEL_SHADING
      access COMMON -> UNORDERED_ACCESS
      layout SHADER_RESOURCE -> UNDEFINED
    }
    texture t {
      sync NONE -> ALL
      access UNORDERED_ACCESS -> UNORDERED_ACCESS
      layout UNORDERED_ACCESS -> COMMON
    }
  }
  dispatch 4x1x1 { SHADER_RESOURCE t }
}
timeline { gfx execute l0 }
";
    let (lowerings, profiles) = (lowerings(), profiles());
    let machines: Vec<(&dyn Lowering, &Profile)> = lowerings
        .iter()
        .flat_map(|lowering| profiles.iter().map(move |profile| (*lowering, profile)))
        .collect();
    for text in [buffers, texture] {
        let read = missing(text, &machines, |lowering, profile, missing, _| {
            assert!(
                missing.is_empty(),
                "{} on {}: {missing:?}",
                lowering.name(),
                profile.name
            );
        });
        assert_eq!(read, Some(()));
    }
}

/// A lowering may keep a barrier beyond the end of its list, where a machine has a packet that starts the next one: the split
/// barrier there follows its first half all the same.
#[test]
fn a_barrier_that_is_kept_into_the_next_list_hides_no_first_half() {
    let text = "buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer c : 4KiB
queue q : direct
list first : direct {
  dispatch 64x1x1 { UNORDERED_ACCESS a; UNORDERED_ACCESS b }
  barrier { buffer a { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> COPY_SOURCE } }
  barrier { buffer b { sync COMPUTE_SHADING -> DRAW; access UNORDERED_ACCESS -> VERTEX_BUFFER } }
}
list second : direct {
  barrier { buffer a { sync SPLIT -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }
  copy a -> c
}
timeline { q execute first, second }
";
    let (lowerings, profiles) = (lowerings(), profiles());
    let mut barriers = 0;
    for lowering in &lowerings {
        let machines: Vec<(&dyn Lowering, &Profile)> = profiles
            .iter()
            .map(|profile| (*lowering, profile))
            .collect();
        let read = missing(text, &machines, |lowering, profile, missing, checked| {
            assert!(
                missing.is_empty(),
                "{} on {}: {missing:?}",
                lowering.name(),
                profile.name
            );
            barriers += checked;
        });
        assert!(read.is_some(), "it is a scenario");
    }
    assert_eq!(barriers, 3 * (lowerings.len() * profiles.len()) as u64);
}

/// The streams have what is needed to see mistakes: lowerings with one are caught by a scenario in which two uses need what
/// is missing.
#[test]
fn wrong_lowerings_are_caught_in_random_scenarios() {
    let profiles = profiles();
    let registry = catalog::registry();
    for name in [
        "forgets_invalidate",
        "common_is_nothing",
        "lost_splits",
        "unheld_split",
        "merged_flush",
    ] {
        let lowering = registry.lowering(name).expect("it is built in");
        let machines: Vec<(&dyn Lowering, &Profile)> =
            profiles.iter().map(|profile| (lowering, profile)).collect();
        let is_caught = (0..7000).any(|seed: u64| {
            let (_, stream) = STREAMS[(seed % STREAMS.len() as u64) as usize];
            let mut caught = false;
            missing(&stream(seed), &machines, |_, _, needed, _| {
                caught |= !needed.is_empty();
            });
            caught
        });
        assert!(is_caught, "{name}");
    }
}
