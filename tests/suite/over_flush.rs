//! Over-flushes: what a lowering does that nothing asked for, and what a run pays for it.

use crate::{laws, machine_random, random, sizes};
use syncscope::finding::{Finding, Severity, Source};
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::time::Ps;
use syncscope::{catalog, ensure, legacy, scenario};

fn found(text: &str, profile: &str, lowering: &str, rows: bool) -> Vec<Finding> {
    let options = Options {
        profile: Some(profile.to_owned()),
        lowering: Some(lowering.to_owned()),
        without_commands: !rows,
        without_barriers: !rows,
        without_path: !rows,
        without_proofs: true,
        ..Options::default()
    };
    let source = Source::new("scene.scn", text);
    let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
    let findings = report.findings.into_iter().filter(|f| f.rule.id == "LW102");
    findings.collect()
}

/// `full_flush` waits for every stage and flushes every cache; the barrier asks for one stage and what its accesses need. The
/// draw runs for 50 us after the dispatch has ended, so the wait costs what is left of it: nobody asked for that.
#[test]
fn what_nothing_asked_for_is_named_with_what_it_costs() {
    let text = "
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer c : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  draw \"long\" takes 60us { UNORDERED_ACCESS c @ PIXEL_SHADING writes }
  dispatch \"write\" 1x1x1 takes 1us { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
} }";
    let (mut caches, mut timed) = (0, 0);
    for entry in &catalog::registry().profiles {
        let whole = found(text, entry.name, "full_flush", true);
        assert_eq!(
            whole,
            found(text, entry.name, "full_flush", false),
            "{}",
            entry.name
        );
        let [finding] = whole.as_slice() else {
            panic!("{}: {whole:?}", entry.name)
        };
        assert_eq!((finding.severity, finding.repeats), (Severity::Warning, 1));
        let machine = catalog::registry().profile(entry.name).expect("a profile");
        let waits = finding
            .notes
            .iter()
            .find(|note| note.starts_with("waits for"));
        // A machine that can only wait for whole queues does no more than it must.
        assert_eq!(waits.is_some(), !machine.drains_queue(), "{}", entry.name);
        // Where the queue goes from one engine to another between the two, the draw is over before the dispatch.
        let apart = machine.costs.engine_switch == Ps::ZERO;
        if let Some(waits) = waits.filter(|_| apart) {
            timed += 1;
            assert!(
                waits.contains(" us more than was asked"),
                "{}: {waits}",
                entry.name
            );
        }
        caches += finding
            .notes
            .iter()
            .filter(|note| note.starts_with("drops "))
            .count();
        assert_eq!(
            found(text, entry.name, "precise", true),
            [],
            "{}",
            entry.name
        );
    }
    assert!(caches > 10 && timed >= 3, "{caches} {timed}");
}

/// Executions are added up; barriers that do the same too much are one finding if they are many.
#[test]
fn many_barriers_that_do_the_same_too_much_are_one_finding() {
    let barrier = "  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }\n";
    let scene = |barriers: usize| {
        format!(
            "buffer b : 4KiB {{ flags UNORDERED_ACCESS }}\nqueue q : direct\nlist l : direct {{\n  \
             dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n{}}}\ntimeline {{ repeat 3 {{ q execute l }} }}\n",
            barrier.repeat(barriers)
        )
    };
    let repeats = |barriers: usize, rows: bool| {
        let findings = found(&scene(barriers), "rdna", "full_flush", rows);
        findings.iter().map(|f| f.repeats).collect::<Vec<_>>()
    };
    for rows in [true, false] {
        assert_eq!(repeats(3, rows), [3, 3, 3]);
        assert_eq!(repeats(40, rows), [120]);
    }
}

/// `precise` does what is asked and nothing else, on every machine; so does `lazy`, whose packets carry what earlier barriers
/// asked for.
#[test]
fn a_lowering_that_derives_what_it_does_wastes_nothing() {
    let registry = catalog::registry();
    let seeds = sizes::MACHINE.seeds_times(20);
    let texts = seeds.flat_map(|s| [machine_random::write(s), laws::broken(s), random::scene(s)]);
    let mut checked = 0;
    for text in texts {
        let parsed = scenario::parse(&Source::new("scene.scn", &text)).0;
        let plain = legacy::translate(&parsed);
        let timeline = Timeline::new(&plain);
        for entry in &registry.profiles {
            let profile = registry.profile(entry.name).expect("a profile");
            for name in ["precise", "lazy", "forgets_invalidate"] {
                let lowering = registry.lowering(name).expect("a lowering");
                let program = lowering.lower(&timeline, &profile);
                let check = ensure::check(&timeline, &profile, &program);
                assert_eq!(check.extra, [], "{name} on {}:\n{text}", entry.name);
                checked += check.checked;
            }
        }
    }
    assert!(checked > 5_000, "{checked} entries");
}
