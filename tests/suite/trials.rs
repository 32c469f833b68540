//! Edited copies mean one thing everywhere (reading R74): a price is a run of the edited text with the same options, and a
//! change that is proposed leaves nothing new to find in any family.

use crate::rules::Folder;
use crate::sizes;
use crate::tour::{files, source};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use syncscope::catalog;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::run::{self, Changed, Options, Registry, Report, Without};
use syncscope::scenario::{self, edit};
use syncscope::sim::Eviction;
use syncscope::time::Ps;

const PROFILES: [&str; 3] = ["rdna", "intel", "tiler"];
const EVICTIONS: [Eviction; 3] = [Eviction::Oldest, Eviction::Never, Eviction::Eager];

/// Every way to run a scene: each profile with each eviction.
fn ways(path: &Path) -> Vec<Options> {
    let folder = path.parent().expect("a file is in a folder");
    let every = PROFILES.iter().flat_map(|profile| {
        EVICTIONS.map(|eviction| Options {
            profile: Some((*profile).into()),
            eviction,
            files: Folder(folder.to_owned()).into(),
            keep_changed: true,
            ..Options::default()
        })
    });
    every.collect()
}

/// What is said against a text: rule, place in no line, and how often.
fn against(findings: &[Finding]) -> BTreeMap<(&'static str, String), u32> {
    let mut counts = BTreeMap::new();
    let said = findings.iter().filter(|f| f.severity > Severity::Advice);
    for finding in said.filter(|f| f.rule.family() != "SC") {
        let resource = finding.resource.as_deref().unwrap_or_default().to_owned();
        *counts.entry((finding.rule.id, resource)).or_default() += finding.repeats;
    }
    counts
}

/// What a text has that another has not.
fn added(before: &Source, after: &Source, options: &Options) -> Vec<String> {
    let (before, after) = (run::check(before, options), run::check(after, options));
    let known = against(&before.findings);
    let new = against(&after.findings).into_iter();
    new.filter(|(key, times)| known.get(key).is_none_or(|known| times > known))
        .map(|((rule, resource), times)| format!("{times} x {rule} `{resource}`"))
        .collect()
}

fn makespan(source: &Source, registry: &Registry, options: &Options) -> Option<Ps> {
    let options = Options {
        without_proofs: true,
        ..options.clone()
    };
    run::run(source, registry, &options).ok()?.makespan
}

/// The time that a finding says its change leads to on a profile: "…, 3.23 us with this change".
fn told(finding: &Finding, profile: &str) -> Option<String> {
    let here = format!(" on `{profile}`: the run takes ");
    let notes = finding.notes.iter().map(ToString::to_string);
    notes.filter(|note| note.contains(&here)).find_map(|note| {
        let rest = note.split_once(&here)?.1;
        let Some((_, with)) = rest.split_once(" as written, ") else {
            return Some(rest.split_once(" either way")?.0.to_owned());
        };
        Some(with.split_once(" with this change")?.0.to_owned())
    })
}

fn finding_of<'r>(report: &'r Report, changed: &Changed) -> Option<&'r Finding> {
    let mut findings = report.findings.iter();
    findings.find(|f| f.rule.id == changed.rule && f.span == changed.span)
}

/// What a law found in some scenes.
#[derive(Default)]
struct Tried {
    wrong: Vec<String>,
    runs: usize,
    /// Proofs that were checked, or texts that cannot be run.
    others: usize,
}

/// Holds a law on every scene, each in some of the ways in which it can run.
fn on_every_scene(law: impl Fn(&Source, &Options, &mut Tried) + Sync, thin: usize) -> Tried {
    let files = files("scenarios");
    let each = files.par_iter().enumerate().map(|(number, path)| {
        let source = source(path);
        let ways = ways(path);
        let mut tried = Tried::default();
        for (way, options) in ways.iter().enumerate() {
            let chosen = number.is_multiple_of(thin) && way == number / thin % ways.len();
            if sizes::is_full() || chosen {
                law(&source, options, &mut tried);
            }
        }
        tried
    });
    each.reduce(Tried::default, |mut all, one| {
        all.wrong.extend(one.wrong);
        all.runs += one.runs;
        all.others += one.others;
        all
    })
}

#[test]
fn a_saving_is_a_run_of_the_changed_text_and_adds_nothing() {
    let registry = catalog::registry();
    let law = |source: &Source, options: &Options, tried: &mut Tried| {
        let Ok(report) = run::run(source, &registry, options) else {
            return;
        };
        let profile = options.profile.as_deref().expect("each way has one");
        for changed in &report.changed {
            let Some(finding) = finding_of(&report, changed) else {
                continue;
            };
            let line = source.line(changed.span.start);
            let place = format!(
                "{}:{line} {} on {profile}, {:?}",
                source.name, changed.rule, options.eviction
            );
            let edited = Source::new(source.name.clone(), changed.text.clone());
            if let Some(told) = told(finding, profile) {
                tried.runs += 1;
                let run = makespan(&edited, &registry, options).map(|t| t.to_string());
                if run.as_deref() != Some(&*told) {
                    tried
                        .wrong
                        .push(format!("{place}: says {told}, and takes {run:?}"));
                }
            }
            tried.others += 1;
            let added = added(source, &edited, options);
            if !added.is_empty() {
                tried
                    .wrong
                    .push(format!("{place}: adds {}", added.join(", ")));
            }
        }
    };
    let thin = sizes::step(8, 1);
    let tried = on_every_scene(law, thin);
    let (wrong, prices, proofs) = (tried.wrong, tried.runs, tried.others);
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong of {prices} prices and {proofs} proofs",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(
        prices >= 200 / thin && proofs >= 200 / thin,
        "{prices} prices, {proofs} proofs"
    );
}

#[test]
fn what_if_is_a_run_of_the_text_without_the_barrier() {
    let registry = catalog::registry();
    let law = |source: &Source, options: &Options, tried: &mut Tried| {
        let Ok(what_if) = run::what_if(source, &registry, options, &|_, _| ()) else {
            return;
        };
        let (parsed, _) = scenario::parse(source);
        let mut copies: BTreeMap<u32, Vec<Option<Ps>>> = BTreeMap::new();
        for whole in edit::wholes(&parsed) {
            let start = whole[0].span(&parsed).expect("an entry of the text").start;
            let takes = edit::ways(&parsed, &whole).map(|next| {
                let copy = edit::without(&parsed, &whole, next);
                let text = scenario::print(&edit::pruned(copy, &parsed));
                makespan(&Source::new(source.name.clone(), text), &registry, options)
            });
            let line = source.line(start);
            copies.entry(line).or_default().extend(takes);
        }
        for row in what_if.rows.iter().filter(|row| row.end_line.is_none()) {
            match &row.without {
                Without::Run { makespan, .. } => {
                    tried.runs += 1;
                    // Several entries may be in one line.
                    let takes = copies.get(&row.line).cloned().unwrap_or_default();
                    if !takes.contains(&Some(*makespan)) {
                        let place = format!("{}:{}", source.name, row.line);
                        tried
                            .wrong
                            .push(format!("{place}: {makespan} and {takes:?}"));
                    }
                }
                Without::Impossible { broken, .. } => {
                    tried.others += 1;
                    assert!(!broken.is_empty(), "{}:{}", source.name, row.line);
                }
            }
        }
    };
    let thin = sizes::step(20, 3);
    let tried = on_every_scene(law, thin);
    let (wrong, runs, impossible) = (tried.wrong, tried.runs, tried.others);
    assert!(
        wrong.is_empty(),
        "{}\n{} wrong of {runs}",
        wrong.join("\n"),
        wrong.len()
    );
    assert!(
        runs >= 600 / thin && impossible >= 1,
        "{runs} runs, {impossible} impossible"
    );
}

const COPY_OUT: &str = "texture t : R8G8B8A8_UNORM 2048x2048 { flags RENDER_TARGET; initial RENDER_TARGET }
texture out : R8G8B8A8_UNORM 2048x2048 { initial COPY_DEST }
queue gfx : direct
list l : direct { draw \"paint\" { RENDER_TARGET t }
 barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
 barrier { texture t { sync ALL -> COPY; access COMMON -> COPY_SOURCE; layout SHADER_RESOURCE -> COPY_SOURCE } }
 copy t -> out }
timeline { gfx execute l }
";

/// A copy is run with the eviction of the run: with another one the same change costs 19.75 us instead of 3.23 us.
#[test]
fn a_copy_is_run_with_the_eviction_of_the_run() {
    let registry = catalog::registry();
    let source = Source::new("copy out.scn", COPY_OUT);
    let options = Options {
        eviction: Eviction::Never,
        keep_changed: true,
        ..Options::default()
    };
    let report = run::run(&source, &registry, &options).expect("it runs");
    let [changed] = &report.changed[..] else {
        panic!("one finding: {:#?}", report.changed);
    };
    assert_eq!(
        (changed.rule, source.line(changed.span.start)),
        ("RD106", 5)
    );
    let by_hand = COPY_OUT
        .lines()
        .filter(|line| !line.contains("PIXEL_SHADING"));
    let by_hand = by_hand.collect::<Vec<_>>().join("\n");
    let by_hand = by_hand.replace(
        "SHADER_RESOURCE -> COPY_SOURCE",
        "RENDER_TARGET -> COPY_SOURCE",
    );
    let takes = makespan(&Source::new("by hand.scn", by_hand), &registry, &options);
    let finding = finding_of(&report, changed).expect("it is said");
    assert_eq!(told(finding, "rdna"), takes.map(|t| t.to_string()));
}

/// `--what-if` relinks the next barrier as the report does: what is redundant there lets no read go wrong here.
#[test]
fn what_if_relinks_the_next_barrier() {
    let registry = catalog::registry();
    let source = Source::new("copy out.scn", COPY_OUT);
    let rows = run::what_if(&source, &registry, &Options::default(), &|_, _| ()).expect("it runs");
    let row = rows
        .rows
        .iter()
        .find(|row| row.line == 5)
        .expect("a row of the barrier");
    assert_eq!(row.without.more_bad_reads(), Some(0));
}

/// A legacy transition whose deletion is an error of the rules about uses (`LB023` to `LB026`) is not redundant.
#[test]
fn legacy_rules_about_uses_are_asked_of_a_copy() {
    let registry = catalog::registry();
    let text = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
queue gfx : direct
queue async : compute
fence f
list l : direct { draw \"paint\" { RENDER_TARGET t }
 legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
 draw \"show\" { SHADER_RESOURCE t @ PIXEL_SHADING }
 legacy { transition t PIXEL_SHADER_RESOURCE -> NON_PIXEL_SHADER_RESOURCE }
}
list c : compute { dispatch \"use\" 1x1x1 { SHADER_RESOURCE t } }
timeline { gfx execute l; gfx signal f 1; async wait f 1; async execute c }
";
    let quiet = std::fs::read_to_string("scenarios/rules/LB025/quiet.scn").expect("a scene");
    for (text, line) in [(text, 8), (&*quiet, 22)] {
        let source = Source::new("legacy.scn", text);
        let report = run::run(&source, &registry, &Options::default()).expect("it runs");
        let mut here = report
            .findings
            .iter()
            .filter(|f| source.line(f.span.start) == line);
        assert!(
            here.all(|f| f.rule.family() != "RD"),
            "{:#?}",
            report.findings
        );
        let rows: Vec<_> = report
            .barriers
            .iter()
            .filter(|row| row.line == line)
            .collect();
        assert!(
            rows.iter()
                .all(|row| row.verdict != run::Verdict::Redundant),
            "{rows:#?}"
        );
        let lines: Vec<&str> = text.lines().collect();
        let edited: Vec<&str> = lines
            .iter()
            .enumerate()
            .filter(|(at, _)| at + 1 != line as usize)
            .map(|(_, text)| *text)
            .collect();
        let edited = Source::new("legacy.scn", edited.join("\n"));
        assert!(!added(&source, &edited, &Options::default()).is_empty());
    }
}

/// What a what-if says of one line of a text, and of the text itself.
fn without_line(text: &str, line: u32, options: &Options) -> Without {
    let source = Source::new("relinked.scn", text);
    let registry = catalog::registry();
    let found = run::what_if(&source, &registry, options, &|_, _| ()).expect("it runs");
    let mut rows = found.rows.into_iter();
    rows.find(|row| row.line == line).expect("a row").without
}

/// Every barrier that comes first on a part of what the deleted one transitioned begins where that one began, however the
/// part is written; of a split barrier both halves do.
#[test]
fn every_first_barrier_on_a_part_is_relinked() {
    let texture = |mips: u32, flag: &str, first: &str| {
        format!(
            "texture t : R8G8B8A8_UNORM 256x256 {{ mips {mips}; flags RENDER_TARGET|UNORDERED_ACCESS; {flag} {first} }}
queue q : direct
list l : direct {{
  draw \"p\" vertices 3 pixels 9000 {{ RENDER_TARGET t[mip 0] }}
"
        )
    };
    let look = "  draw \"look\" vertices 3 pixels 9 { SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING }\n}\ntimeline { q execute l }\n";
    let write = "  dispatch \"w\" 16x16x1 { UNORDERED_ACCESS t }\n}\ntimeline { q execute l }\n";
    let entry = |part: &str, layout: &str| {
        format!(
            "  barrier {{ texture t{part} {{ sync ALL -> PIXEL_SHADING; access COMMON -> SHADER_RESOURCE; layout {layout} -> SHADER_RESOURCE }} }}\n"
        )
    };
    let whole = "  barrier { texture t { sync RENDER_TARGET -> ALL; access RENDER_TARGET -> COMMON; layout RENDER_TARGET -> COMMON } }\n";
    let split = |state: &str| {
        format!(
            "  legacy {{ transition t {state} -> UNORDERED_ACCESS begin }}\n  legacy {{ transition t {state} -> UNORDERED_ACCESS end }}\n"
        )
    };
    let to_shader = "  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }\n";
    let enhanced = |mips: u32, parts: &[&str]| {
        let after = |layout| {
            parts
                .iter()
                .map(|part| entry(part, layout))
                .collect::<String>()
        };
        let head = texture(mips, "initial", "RENDER_TARGET");
        let (before, edited) = (after("COMMON"), after("RENDER_TARGET"));
        (
            format!("{head}{whole}{before}{look}"),
            format!("{head}{edited}{look}"),
        )
    };
    let head = texture(1, "state", "RENDER_TARGET");
    let scenes = [
        enhanced(1, &["[mip 0]"]),
        enhanced(2, &["[mip 0]", "[mip 1]"]),
        enhanced(3, &["[mip 1..3]", "[mip 0]"]),
        (
            format!("{head}{to_shader}{}{write}", split("PIXEL_SHADER_RESOURCE")),
            format!("{head}{}{write}", split("RENDER_TARGET")),
        ),
    ];
    let registry = catalog::registry();
    for (text, edited) in scenes {
        let options = Options::default();
        let without = without_line(&text, 5, &options);
        let edited = makespan(&Source::new("edited.scn", &*edited), &registry, &options);
        assert_eq!(without.makespan(), edited, "{text}");
    }
}

/// A texture goes to `COPY_SOURCE` in line 4, and in line 5 on to `SHADER_RESOURCE`, with this `AccessBefore`.
fn two_barriers(access_before: &str) -> String {
    format!(
        "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
queue q : direct
list l : direct {{ draw \"p\" {{ RENDER_TARGET t }}
 barrier {{ texture t {{ sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE; layout RENDER_TARGET -> COPY_SOURCE }} }}
 barrier {{ texture t {{ sync COPY -> PIXEL_SHADING; access {access_before} -> SHADER_RESOURCE; layout COPY_SOURCE -> SHADER_RESOURCE }} }}
 draw \"look\" {{ SHADER_RESOURCE t @ PIXEL_SHADING }} }}
timeline {{ q execute l }}
"
    )
}

/// A text whose next barrier is wrong anyway can be run without one: `UNORDERED_ACCESS` is no access of `COPY_SOURCE`, and without the
/// first barrier none of `RENDER_TARGET`. The rule is the same, its words are not.
#[test]
fn what_is_wrong_anyway_refuses_no_copy() {
    let text = &two_barriers("UNORDERED_ACCESS");
    let tried = without_line(text, 4, &Options::default());
    assert_eq!(tried.breaks(), []);
    assert!(tried.makespan().is_some());
}

/// `layout_before` of another barrier no longer fits, which this run allows: then there is a run without the barrier.
#[test]
fn what_a_run_allows_makes_no_text_impossible() {
    let text = &two_barriers("COPY_SOURCE");
    let strict = without_line(text, 4, &Options::default());
    let broken: Vec<(&str, u32)> = strict.breaks().iter().map(|b| (b.rule, b.line)).collect();
    assert_eq!(
        broken,
        [("EB019", 5)],
        "COPY_SOURCE is no access of RENDER_TARGET"
    );
    let rules = run::rules().filter(|rule| rule.id == "EB019").collect();
    let options = Options {
        switches: vec![run::Switch {
            level: run::Level::Allow,
            rules,
        }],
        ..Options::default()
    };
    assert!(without_line(text, 4, &options).makespan().is_some());
    let allowed = text.replace(
        " barrier { texture t { sync COPY",
        " // syncscope: allow EB019\n barrier { texture t { sync COPY",
    );
    assert!(
        without_line(&allowed, 4, &Options::default())
            .makespan()
            .is_some()
    );
}

/// `AccessBefore` of the second barrier could be narrowed if the first were gone, and only then.
#[test]
fn a_narrowing_holds_in_the_text_as_it_is() {
    let text = "texture t : R8G8B8A8_UNORM 256x256 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
queue q : direct
list l : direct {
  dispatch \"w\" 16x16x1 { UNORDERED_ACCESS t }
  barrier { texture t { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE } }
  barrier { texture t { sync PIXEL_SHADING -> COMPUTE_SHADING; access COMMON -> UNORDERED_ACCESS; layout SHADER_RESOURCE -> UNORDERED_ACCESS } }
}
timeline { q execute l }
";
    let source = Source::new("narrow.scn", text);
    let report = run::run(&source, &catalog::registry(), &Options::default()).expect("it runs");
    let narrowed = report.findings.iter().any(|f| f.rule.id == "RD104");
    assert!(
        !narrowed,
        "UNORDERED_ACCESS is no access of SHADER_RESOURCE: {:#?}",
        report.findings
    );
}
