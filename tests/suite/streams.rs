//! A run whose report has no rows is lowered, checked and simulated submission by submission. It says the same as one
//! that has every packet at hand.

use crate::{random, sizes};
use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::lower::{self, Lowering};
use syncscope::order::Timeline;
use syncscope::run::Unusable;
use syncscope::{catalog, legacy, run, scenario, sim};

/// What a report says apart from its rows, or why there is none.
fn said(source: &Source, profile: &str, lowering: &str, rows: bool) -> Result<String, Unusable> {
    let options = run::Options {
        profile: Some(profile.into()),
        lowering: Some(lowering.into()),
        without_commands: !rows,
        without_barriers: !rows,
        without_path: !rows,
        without_proofs: true,
        ..run::Options::default()
    };
    let mut report = run::run(source, &catalog::registry(), &options)?;
    // Stalls are looked for where there are rows.
    report.findings.retain(|f| f.rule.family() != "ST");
    Ok(format!(
        "{:?} {} {:?}\n{:#?}",
        report.makespan, report.exposed, report.totals, report.findings
    ))
}

/// Compares both ways of running; whether there was a run to compare.
fn compare(source: &Source, profiles: &[&str], lowerings: &[&str]) -> bool {
    let mut ran = true;
    for profile in profiles {
        for lowering in lowerings {
            let streamed = said(source, profile, lowering, false);
            ran &= streamed.is_ok();
            assert_eq!(
                streamed,
                said(source, profile, lowering, true),
                "{profile}, {lowering}, {}:\n{}",
                source.name,
                source.text
            );
        }
    }
    ran
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios")
        .join(folder);
    let mut found: Vec<PathBuf> = walk(&folder);
    found.sort();
    assert!(!found.is_empty(), "{} has scenarios", folder.display());
    found
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("a folder");
    entries
        .map(|entry| entry.expect("an entry").path())
        .flat_map(|path| {
            if path.is_dir() {
                walk(&path)
            } else {
                vec![path]
            }
        })
        .filter(|path| path.extension().is_some_and(|e| e == "scn"))
        .collect()
}

#[test]
fn a_stream_says_of_a_scene_what_the_whole_says() {
    for folder in ["tour", "machine", "fences"] {
        let (mut ran, paths) = (0, files(folder));
        for path in &paths {
            let text = std::fs::read_to_string(path).expect("a scenario");
            let source = Source::new(path.display().to_string(), text);
            ran += usize::from(compare(
                &source,
                &["rdna", "hopper"],
                &["precise", "forgets_invalidate"],
            ));
        }
        assert!(
            ran * 10 >= paths.len() * 9,
            "{ran} of {} run in {folder}",
            paths.len()
        );
    }
}

#[test]
fn a_stream_says_of_random_scenes_what_the_whole_says() {
    for seed in sizes::STREAMS.seeds() {
        let source = Source::new("random.scn", random::scene(seed));
        let ran = compare(&source, &["rdna", "intel", "tiler"], &["precise", "lazy"]);
        assert!(ran, "{}", source.text);
    }
}

/// A list so long that the machine starts before it is known what there is to look at: without a hazard, with one that a run
/// shows, and with a race of two queues.
#[test]
fn a_long_list_says_what_the_whole_says() {
    let before = "queue gfx : direct\nqueue other : compute\nbuffer a : 64KiB { flags UNORDERED_ACCESS }\n\
        buffer b : 64KiB { flags UNORDERED_ACCESS }\nbuffer c : 64KiB\n";
    let step = "dispatch 8x1x1 { UNORDERED_ACCESS b }\nbarrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; \
        access UNORDERED_ACCESS -> UNORDERED_ACCESS } }\n";
    let texts = [
        ("", "gfx execute main", None),
        (
            "dispatch 64x1x1 { UNORDERED_ACCESS a writes }\ncopy a -> c\n",
            "gfx execute main",
            Some("HZ101"),
        ),
        (
            "dispatch 64x1x1 { UNORDERED_ACCESS a writes }\n",
            "gfx execute main; other execute reads",
            Some("HZ201"),
        ),
    ];
    for (first, submitted, rule) in texts {
        let text = format!(
            "{before}list reads : compute {{ dispatch 64x1x1 {{ SHADER_RESOURCE a }} }}\n\
             list main : direct {{\n{first}{} }}\ntimeline {{ {submitted} }}\n",
            step.repeat(3000)
        );
        let source = Source::new("long.scn", text);
        let report = run::check(&source, &run::Options::default());
        let found = report.findings.iter().find(|f| f.severity.fails());
        assert_eq!(found.map(|f| f.rule.id), rule);
        assert!(compare(&source, &["rdna"], &["precise"]));
    }
}

/// Long enough that versions are forgotten, barriers added up and queues apart: the totals are those of the whole.
#[test]
fn a_long_stream_adds_up_to_the_whole() {
    for seed in [3, 11, 29] {
        let once = "timeline { gfx execute main; gfx execute main }";
        let scene = random::scene(seed);
        let many = scene.replace(
            once,
            "queue other : direct\nfence f\ntimeline { repeat 2000 { gfx execute main; gfx signal f +1\n\
             other execute main; other wait f +0 } }",
        );
        assert_ne!(scene, many, "the timeline is written as expected");
        let (parsed, findings) = scenario::parse(&Source::new("long.scn", &many));
        assert!(findings.is_empty(), "{findings:?}");
        let plain = legacy::translate(&parsed);
        let timeline = Timeline::new(&plain);
        let profile = catalog::registry().profile("rdna").expect("a profile");
        for lowering in [&lower::PRECISE as &dyn Lowering, &lower::FORGETS_INVALIDATE] {
            let program = lowering.lower(&timeline, &profile);
            let whole = sim::simulate(&program, &profile, &sim::SimOptions::default());
            let setting = lower::setting(&timeline, &profile);
            let mut stream = lower::Stream::new(&timeline, lowering.stream(&timeline, &profile));
            let totals = sim::simulate_blocks(
                &setting,
                &mut stream,
                &profile,
                &sim::SimOptions::TOTALS,
                &sim::Watch::default(),
            );
            assert_eq!(totals.makespan, whole.makespan, "seed {seed}");
            assert_eq!(totals.exposed, whole.exposed, "seed {seed}");
            assert_eq!(totals.totals, whole.totals, "seed {seed}");
            let kept = totals.observations.len();
            assert_eq!(
                totals.observations,
                whole.observations[..kept],
                "seed {seed}"
            );
            let rows = totals.ops.len() + totals.commands.len() + totals.barriers.len();
            assert_eq!(rows + totals.spans.len(), 0, "no row is kept");
            assert!(totals.lanes.iter().all(Vec::is_empty), "no lane is kept");
        }
    }
}
