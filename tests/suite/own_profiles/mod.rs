//! The law of machines of one's own: on every profile that the reader takes, `precise` is right. Its packets lack nothing that
//! two uses need, and programs without a mistake read right, whichever lines the caches drop by themselves.

mod machines;
mod passes;

use crate::ensured::STREAMS;
use crate::sizes;
use rayon::prelude::*;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::rules::RuleLowering;
use syncscope::lower::{Lowering, PRECISE};
use syncscope::verify::{self, Fault, Machine, Verification};

/// Programs that each machine of the full size runs.
const PROGRAMS: usize = 200;
/// Of the quick one.
const PROGRAMS_QUICK: usize = 20;

/// Random programs of every kind that the suite has, then scenes of the corpus.
fn programs() -> Vec<Source> {
    let random = |seed: u64| {
        if seed.is_multiple_of(3) {
            return ("several textures in one call", passes::scene(seed));
        }
        let (name, stream) = STREAMS[(seed / 3) as usize % STREAMS.len()];
        (name, stream(seed))
    };
    let random = (0..PROGRAMS as u64 / 2).map(|seed| {
        let (name, text) = random(seed);
        Source::new(format!("{name}, seed {seed}"), text)
    });
    let corpus = verify::corpus();
    // A step that is prime to how many rows a form of situations has meets each of them.
    let step = (corpus.len() / (PROGRAMS / 2) - 1) | 1;
    let corpus = corpus.into_iter().step_by(step).take(PROGRAMS / 2);
    random.chain(corpus).collect()
}

/// What comes of `precise` on a machine.
fn judged(profile: &Profile, programs: &[Source]) -> Verification {
    judged_with(&PRECISE, profile, programs)
}

/// What comes of a lowering on a machine.
fn judged_with(lowering: &dyn Lowering, profile: &Profile, programs: &[Source]) -> Verification {
    let machine = Machine { profile, lowering };
    verify::verify(&[machine], programs, &|_, _| true)
}

/// What is wrong, with the text of the machine and the smallest program.
fn says(found: &Verification, machine: &str) -> Option<String> {
    if found.is_right() {
        return None;
    }
    let first = found.counterexamples.first();
    let told = first.map(|it| format!("{:?}\n{:#?}\n{}", it.faults, it.says, it.text));
    Some(format!("{machine}\n{}", told.unwrap_or_default()))
}

/// Open: a machine on which metadata of small mips is written past L2, and read through it and an instruction cache. After a layout
/// operation and a clear, a run with evictions reads wrong metadata, and nothing is missing by the packets.
const OPEN: u64 = 756;

#[test]
fn precise_is_right_on_every_machine_that_a_file_may_describe() {
    let programs = programs();
    let seeds: Vec<u64> = sizes::PROFILES.seeds().collect();
    let each = if sizes::is_full() {
        PROGRAMS
    } else {
        PROGRAMS_QUICK
    };
    let judge = |seed: &u64| {
        if *seed == OPEN {
            return (0, None);
        }
        let (text, base) = machines::text(*seed);
        let profile = match Profile::parse_on(&[&text, machines::BASES[base].1]) {
            Ok(profile) => profile,
            Err(problems) => {
                eprintln!("REFUSED {:?}", problems[0].message);
                return (0, None);
            }
        };
        let start = *seed as usize * each % PROGRAMS;
        let found = judged(&profile, &programs[start..(start + each).min(PROGRAMS)]);
        (1, says(&found, &text))
    };
    let results: Vec<(u64, Option<String>)> = seeds.par_iter().map(judge).collect();
    let taken: u64 = results.iter().map(|(taken, _)| taken).sum();
    let wrong: Vec<&String> = results
        .iter()
        .filter_map(|(_, wrong)| wrong.as_ref())
        .collect();
    let first = wrong.first().map_or("", |first| first);
    assert!(
        wrong.is_empty(),
        "{} of {taken} machines: {first}",
        wrong.len()
    );
    assert!(
        3 * taken > seeds.len() as u64,
        "{taken} of {} are machines",
        seeds.len()
    );
}

/// What was wrong once: a base, what a profile changes in it, and a program.
struct Kept {
    base: &'static str,
    changes: &'static str,
    program: &'static str,
}

/// The first barrier after a pass carries its store, and a layout operation of another attachment follows it.
const STORE_FIRST: Kept = Kept {
    base: "tiler",
    changes: "
[[cache]]
id = \"CCUC\"
private = true
parent = \"UCHE\"
[path]
RENDER_TARGET = [[\"CCUC\", \"UCHE\"]]
COPY_DEST = [[\"CCUC\", \"UCHE\"]]
RESOLVE_DEST = [[\"CCUC\", \"UCHE\"]]
COPY_QUEUE_WRITE = [[\"CCUC\", \"UCHE\"]]
[layout]
RENDER_TARGET = [\"CF\", \"-\", \"-\"]
[[layout_op]]
name = \"decompress\"
from = [\"CF\"]
to = [\"S\"]
touches = \"metadata\"
queues = [\"direct\", \"compute\", \"copy\"]
[[layout_op]]
name = \"initialise\"
from = [\"X\"]
to = [\"CF\", \"S\"]
touches = \"metadata\"
queues = [\"direct\", \"compute\", \"copy\"]
",
    program: "queue q : direct
texture albedo : R8G8B8A8_UNORM 1024x1024 { flags RENDER_TARGET; initial RENDER_TARGET }
texture depth : D32_FLOAT 1024x1024 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }
timeline {
  q execute {
    draw { RENDER_TARGET albedo; DEPTH_STENCIL_WRITE depth }
    draw { RENDER_TARGET albedo; DEPTH_STENCIL_WRITE depth }
    barrier {
      texture depth {
        sync DEPTH_STENCIL -> PIXEL_SHADING
        access DEPTH_STENCIL_WRITE -> SHADER_RESOURCE
        layout DEPTH_STENCIL_WRITE -> SHADER_RESOURCE
      }
      texture albedo {
        sync RENDER_TARGET -> PIXEL_SHADING
        access RENDER_TARGET -> SHADER_RESOURCE
        layout RENDER_TARGET -> SHADER_RESOURCE
      }
    }
    draw { SHADER_RESOURCE albedo @ PIXEL_SHADING; SHADER_RESOURCE depth @ PIXEL_SHADING }
  }
}
",
};

/// Where a wait is not for everything, the store is a packet of its own.
const STORE_BY_ITSELF: &str = "[waiting]\ngranularity = \"stage\"\n";

/// A layout operation of the next scope goes past the last level, in which a clear is dirty.
const OPERATION_PAST_L2: Kept = Kept {
    base: "rdna12",
    changes: "[path]\nLAYOUT_OPERATION = [[]]\n",
    program: "queue q : direct
texture normal : R8G8B8A8_UNORM 200x200 { flags RENDER_TARGET; initial RENDER_TARGET }
timeline {
  q execute { clear-rtv normal }
  q execute {
    barrier {
      texture normal {
        sync NONE -> PIXEL_SHADING
        access NO_ACCESS -> SHADER_RESOURCE
        layout RENDER_TARGET -> SHADER_RESOURCE
      }
    }
    draw { SHADER_RESOURCE normal @ PIXEL_SHADING }
  }
}
",
};

/// Dirty lines go past a shared cache that passes writes on, and which has old ones.
const PASSED_ON: Kept = Kept {
    base: "intel",
    changes: "[[cache]]\nid = \"L3\"\npolicy = \"write-through\"\nclean = \"\"\n",
    program: "buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer down : 4KiB
queue q : direct
timeline {
  q execute {
    dispatch 1x1x1 { UNORDERED_ACCESS a }
    barrier { buffer a { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }
    copy a -> down
  }
}
",
};

/// The end of a scope writes a cache back whose lines go into one that was declared before it.
const CHILD_LAST: Kept = Kept {
    base: "rdna12",
    changes: "
[[cache]]
id = \"N\"
policy = \"write-back\"
private = true
parent = \"CB\"
clean = \"clean it\"
invalidate = \"drop it\"
byte_masks = true
instances = { v = 1, tag = \"assumed\", source = \"a test\" }
size_bytes = { v = 65536, tag = \"assumed\", source = \"a test\" }
line_bytes = { v = 128, tag = \"assumed\", source = \"a test\" }
clean_ns = { v = 500, tag = \"assumed\", source = \"a test\" }
invalidate_ns = { v = 200, tag = \"assumed\", source = \"a test\" }
fill_ns = { v = 100, tag = \"assumed\", source = \"a test\" }
bytes_per_s = { v = 100000000000, tag = \"assumed\", source = \"a test\" }
[path]
UNORDERED_ACCESS = [[\"N\", \"CB\", \"L2\"]]
",
    program: "buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline {
  q execute {
    dispatch 1x1x1 { UNORDERED_ACCESS a }
    barrier { buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  }
  q execute { draw { VERTEX_BUFFER a } }
}
",
};

#[test]
fn what_was_wrong_on_a_machine_of_ones_own_stays_right() {
    let kept = [
        (STORE_FIRST, ""),
        (STORE_FIRST, STORE_BY_ITSELF),
        (OPERATION_PAST_L2, ""),
        (PASSED_ON, ""),
        (CHILD_LAST, ""),
    ];
    for (kept, further) in kept {
        let Kept { base, changes, .. } = kept;
        let text = format!("base = \"{base}\"\nname = \"own\"\n{changes}{further}");
        let base = machines::BASES.iter().find(|(name, _)| *name == base);
        let (_, base) = base.expect("a built-in profile");
        let profile = Profile::parse_on(&[&text, base]).expect("it is a machine");
        let found = judged(&profile, &[Source::new("kept.scn", kept.program)]);
        assert_eq!(says(&found, &text), None);
        assert_eq!(found.profiles[0].ran, 1, "{}", kept.program);
    }
}

/// What a lowering lacks that drops the colour cache of a tiler without writing it back.
const LOST: &str = "does not write back: CCUC";

/// A colour target becomes a texture.
const TO_TEXTURE: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline {
  q execute {
    draw { RENDER_TARGET t }
    barrier {
      texture t {
        sync RENDER_TARGET -> PIXEL_SHADING
        access RENDER_TARGET -> SHADER_RESOURCE
        layout RENDER_TARGET -> SHADER_RESOURCE
      }
    }
    draw { SHADER_RESOURCE t @ PIXEL_SHADING }
  }
}
";

/// A lowering that does these operations.
fn rules(operations: &str) -> RuleLowering {
    let text = format!(
        "lowering mine {{\n  summary \"a test\"\n  match first\n}}\n\
         rule \"colour to texture\" {{\n  before access RENDER_TARGET\n  after access SHADER_RESOURCE\n  {operations}\n}}\n"
    );
    let read = RuleLowering::read(&Source::new("mine.lower", text));
    read.expect("a rule file").0
}

/// Where a drop loses dirty lines, only a write-back before it keeps them: the lowering that drops the colour cache is right on
/// a machine that writes them back first, and loses the draw on the other one.
#[test]
fn a_drop_that_loses_dirty_lines_needs_a_write_back_before_it() {
    let (_, tiler) = machines::BASES[4];
    let keeps = Profile::parse(tiler).expect("a built-in profile");
    let own = "base = \"tiler\"\nname = \"loses\"\n[[cache]]\nid = \"CCUC\"\ndrop = \"loses dirty lines\"\n";
    let loses = Profile::parse_on(&[own, tiler]).expect("it is a machine");
    let rows: [(&str, &[&str]); 4] = [
        ("clean CCUC\n  invalidate CCHE UCHE", &[]),
        ("invalidate CCUC CCHE UCHE", &[LOST]),
        ("clean CCUC\n  invalidate CCUC CCHE UCHE", &[]),
        // What is dropped first is never written back, and so nothing comes after that.
        (
            "in order\n  invalidate CCUC\n  clean CCUC\n  invalidate CCHE UCHE",
            &[LOST, "drops too early: CCHE", "drops too early: UCHE"],
        ),
    ];
    let program = [Source::new("to-texture.scn", TO_TEXTURE)];
    for (operations, on_losing) in rows {
        let lowering = rules(operations);
        for (profile, expected) in [(&keeps, &[][..]), (&loses, on_losing)] {
            let found = judged_with(&lowering, profile, &program);
            let first = found.counterexamples.first();
            let faults = first.iter().flat_map(|it| &it.faults);
            let faults: Vec<String> = faults.map(Fault::kind).collect();
            assert_eq!(faults, expected, "{operations} on {}", profile.name);
            // The run shows it.
            let shows = first.is_some_and(|it| it.shown.is_some());
            assert_eq!(
                shows,
                !expected.is_empty(),
                "{operations} on {}",
                profile.name
            );
            assert_eq!(says(&judged(profile, &program), own), None);
        }
    }
}
