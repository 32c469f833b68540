//! Options with each other, over the tour: profiles, evictions, rule sets, and every choice of parts. What is said without a
//! machine is the same on all of them, and a part that is left out changes no other.

use crate::sizes;
use crate::tour::{files, source};
use rayon::prelude::*;
use std::collections::BTreeSet;
use syncscope::catalog;
use syncscope::finding::{Finding, Source};
use syncscope::run::{self, Options, Registry, Report, Totals};
use syncscope::sim::Eviction;
use syncscope::time::Ps;
use syncscope::validate::RuleSet;

const EVICTIONS: [Eviction; 4] = [
    Eviction::Oldest,
    Eviction::Never,
    Eviction::Eager,
    Eviction::Random(7),
];

/// Choices of parts: commands, path, barriers, proofs.
const PARTS: u32 = 1 << 4;

fn with_parts(options: &Options, parts: u32) -> Options {
    let lacks = |part: u32| parts & (1 << part) != 0;
    Options {
        without_commands: lacks(0),
        without_path: lacks(1),
        without_barriers: lacks(2),
        without_proofs: lacks(3),
        ..options.clone()
    }
}

/// Findings of some families: rule, place, resource.
fn said(findings: &[Finding], families: &[&str]) -> BTreeSet<(&'static str, u32, String)> {
    let of = |f: &&Finding| families.contains(&f.rule.family());
    let key = |f: &Finding| {
        let resource = f.resource.as_deref().unwrap_or_default();
        (f.rule.id, f.span.start, resource.to_owned())
    };
    findings.iter().filter(of).map(key).collect()
}

/// What a run says whatever parts are asked for. What a stall costs is found on the path, and waste by proofs.
fn core(report: &Report) -> (Option<Ps>, Ps, Totals, Vec<String>) {
    let is_part = |f: &Finding| matches!(f.rule.family(), "ST" | "RD");
    let findings = report.findings.iter().filter(|f| !is_part(f));
    let says = findings.map(|f| format!("{f:?}"));
    (
        report.makespan,
        report.exposed,
        report.totals,
        says.collect(),
    )
}

fn run_with(source: &Source, registry: &Registry, options: &Options) -> Report {
    run::run(source, registry, options).unwrap_or_else(|what| panic!("{}: {what}", source.name))
}

#[test]
fn options_change_what_they_are_about_and_nothing_else() {
    let registry = catalog::registry();
    let scenes = files("scenarios/tour");
    let mut products: Vec<(usize, Options)> = Vec::new();
    for scene in 0..scenes.len() {
        for entry in &registry.profiles {
            for eviction in EVICTIONS {
                products.extend(RuleSet::ALL.map(|rules| {
                    let options = Options {
                        profile: Some(entry.name.into()),
                        eviction,
                        rules,
                        ..Options::default()
                    };
                    (scene, options)
                }));
            }
        }
    }
    let step = sizes::step(17, 11);
    let tried = products.par_iter().step_by(step).enumerate();
    let tried = tried.map(|(number, (scene, options))| {
        let source = source(&scenes[*scene]);
        let place = format!(
            "{} on {:?}, {:?}, {:?}",
            source.name, options.profile, options.eviction, options.rules
        );
        let whole = run_with(&source, &registry, options);
        let usual = run_with(&source, &registry, &Options::default());
        let hazards = |report: &Report| said(&report.findings, &["HZ"]);
        assert_eq!(hazards(&whole), hazards(&usual), "{place}");
        let families = ["SC", "EB", "LB", "FN", "HZ"];
        let check = run::check(&source, options);
        let portable = |report: &Report| said(&report.findings, &families);
        assert_eq!(portable(&whole), portable(&check), "{place}");
        let all = 1..PARTS;
        let some = if sizes::is_full() {
            all.collect()
        } else {
            vec![1 + u32::try_from(number).expect("few") % (PARTS - 1)]
        };
        for parts in &some {
            let options = with_parts(options, *parts);
            let part = run_with(&source, &registry, &options);
            let place = format!("{place}, parts {parts:04b}");
            assert_eq!(core(&part), core(&whole), "{place}");
            assert_eq!(
                part.commands.is_empty(),
                options.without_commands,
                "{place}"
            );
            assert_eq!(part.frames.is_empty(), options.without_path, "{place}");
            let barriers = if options.without_barriers {
                0
            } else {
                whole.barriers.len()
            };
            assert_eq!(part.barriers.len(), barriers, "{place}");
            let waste = |report: &Report| said(&report.findings, &["RD"]);
            let kept = if options.without_proofs {
                BTreeSet::new()
            } else {
                waste(&whole)
            };
            assert_eq!(waste(&part), kept, "{place}");
        }
        some.len()
    });
    let tried: usize = tried.sum();
    assert!(tried >= 60, "{tried} products");
}
