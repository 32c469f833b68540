//! Every command reads a text in the same way: kernels cost, pairs of fence barriers are split barriers, and legacy
//! barriers mean the same, whichever command asks.

use crate::rules::Folder;
use crate::tour::{sample, source};
use rayon::prelude::*;
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::path::Path;
use syncscope::catalog;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::graph::{Effect, Reason, Relation};
use syncscope::run::fence_kinds::FenceKind;
use syncscope::run::{self, Options, Report, Texts, View};
use syncscope::scenario;
use syncscope::time::Ps;
use syncscope::validate::RuleSet;

/// Options with the kernels that a file of the repository names.
fn with_kernels(source: &Source) -> Options {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(&source.name);
    let folder = path.parent().expect("a file is in a folder").to_owned();
    Options {
        files: Folder(folder).into(),
        without_proofs: true,
        ..Options::default()
    }
}

/// What makes two errors or hazards the same: rule and line.
type Wrong = BTreeSet<(&'static str, u32)>;

/// Errors and hazards of barriers.
fn wrong(source: &Source, findings: &[Finding]) -> Wrong {
    findings
        .iter()
        .filter(|f| f.severity.fails() && matches!(f.rule.family(), "HZ" | "EB" | "LB"))
        .map(|f| (f.rule.id, source.line(f.span.start)))
        .collect()
}

/// What `fix` wants to remove.
fn to_fix(source: &Source) -> Wrong {
    let seen = RefCell::new(Vec::new());
    run::repair(source, RuleSet::default(), |finding| {
        seen.borrow_mut().push(finding.clone());
        false
    });
    wrong(source, &seen.into_inner())
}

fn fence_makespan(source: &Source, options: &Options) -> Ps {
    let registry = catalog::registry();
    run::fence_account(source, &registry, options, |_, account| account.makespan)
        .expect("the machine is known, and the text is understood")
}

/// Edges of the graph that say that a need is not covered.
fn missing(source: &Source, options: &Options) -> usize {
    let registry = catalog::registry();
    let graph = run::dependencies(source, &registry, options, &View::default())
        .expect("there is a timeline, and the text is understood");
    let edges = graph.edges.iter().map(|row| row.edge);
    edges
        .filter(|e| e.relation == Relation::Needed && e.reason == Reason::Missing)
        .count()
}

fn makespan(report: &Report) -> Ps {
    report.makespan.expect("it ran")
}

#[test]
fn a_pair_of_fence_barriers_inside_a_list_is_one_split_barrier_for_every_command() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("scenarios/fences/34-a-pair-inside-one-list.scn");
    let source = source(&path);
    let options = Options::default();
    let registry = catalog::registry();
    let checked = run::check(&source, &options);
    assert_eq!(wrong(&source, &checked.findings), Wrong::new());
    let ran = run::run(&source, &registry, &options).expect("it runs");
    assert_eq!(wrong(&source, &ran.findings), Wrong::new());
    assert_eq!(missing(&source, &options), 0, "`graph`");
    let handed = run::handover::hand_over(&source, RuleSet::default()).expect("it is understood");
    assert_eq!(
        wrong(&source, &handed.findings),
        Wrong::new(),
        "`--show ddi`"
    );
    assert_eq!(to_fix(&source), Wrong::new(), "`fix`");
    assert_eq!(fence_makespan(&source, &options), makespan(&ran), "`fence`");
    let what_if = run::what_if(&source, &registry, &options, &|_, _| ()).expect("it runs");
    let lines: Vec<_> = what_if.rows.iter().map(|r| (r.line, r.end_line)).collect();
    assert_eq!(lines, [(13, Some(17))], "`--what-if`");
    // What changed the layout for the second use is the end of the split barrier.
    let view = View {
        relations: vec![Relation::Asked],
        ..View::default()
    };
    let graph = run::dependencies(&source, &registry, &options, &view)
        .expect("there is a timeline, and the text is understood");
    let ends = |edge: &run::EdgeRow| {
        let id = |node: usize| graph.nodes[node].id.as_str();
        edge.edge.effect == Effect::Layout && (id(edge.from), id(edge.to)) == ("gfx#4.0", "gfx#5")
    };
    assert!(graph.edges.iter().any(ends), "{:?}", graph.edges);
}

/// A hazard that remains after a pair of fence barriers remains after the split barrier that the pair is: the halves have
/// the same verdicts, and the fence has a wait for its signal.
#[test]
fn the_halves_of_a_fence_pair_are_judged_like_those_of_a_split_barrier() {
    let text = |begin: &str, end: &str| {
        format!(
            "texture t : R8G8B8A8_UNORM 256x256 {{ flags RENDER_TARGET; initial SHADER_RESOURCE }}\nfence f\nqueue gfx : direct\n\
             timeline {{ gfx execute {{\n  draw \"first\" pixels 65536 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n  {begin}\n  {end}\n  \
             draw \"second\" pixels 65536 {{ RENDER_TARGET t }}\n}} }}\n"
        )
    };
    let access = "access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET";
    let half = |sync: &str| format!("texture t {{ sync {sync}; {access} }}");
    let fences = text(
        &format!(
            "signal-barrier f 1 {{ {} }}",
            half("VERTEX_SHADING -> NONE")
        ),
        &format!("wait-barrier f 1 {{ {} }}", half("NONE -> RENDER_TARGET")),
    );
    let split = text(
        &format!("barrier {{ {} }}", half("VERTEX_SHADING -> SPLIT")),
        &format!("barrier {{ {} }}", half("SPLIT -> RENDER_TARGET")),
    );
    let options = Options::default();
    let verdicts = |text: &str| {
        let source = Source::new("pair.scn", text);
        let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
        let hazards = report.findings.iter().filter(|f| f.hazard.is_some());
        let hazards: Vec<&str> = hazards.map(|f| f.rule.id).collect();
        assert_eq!(hazards, ["HZ102"], "{text}");
        let verdicts = report.barriers.iter().map(|b| b.verdict);
        verdicts.collect::<Vec<_>>()
    };
    assert_eq!(verdicts(&fences), verdicts(&split));
    assert!(verdicts(&split).contains(&run::Verdict::TooNarrow));
    // Nothing is between the halves: neither pair hides anything.
    for text in [&fences, &split] {
        let text = text.replace("VERTEX_SHADING -> ", "PIXEL_SHADING -> ");
        let source = Source::new("pair.scn", text);
        let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
        let found = report
            .findings
            .iter()
            .map(|f| f.rule.id)
            .collect::<Vec<_>>();
        assert!(found.contains(&"RD111"), "{found:?}:\n{}", source.text);
    }
    let source = Source::new("pair.scn", fences);
    let registry = catalog::registry();
    let account = run::fence_account(&source, &registry, &options, |_, account| account.clone());
    let account = account.expect("it is understood and runs");
    let fence = &account.fences[syncscope::id::FenceId(0)];
    assert_eq!((fence.queue_signals, fence.queue_waits), (1, 1));
}

/// What comes before a signal barrier is on its own queue: its `LayoutBefore` is compared with the layout there, also if no wait
/// barrier of the list takes it up. A wait barrier says what another queue left.
#[test]
fn a_signal_barrier_without_a_wait_is_compared_with_the_layout() {
    let found = |word: &str, initial: &str| {
        let sync = if word == "signal" {
            "RENDER_TARGET -> NONE"
        } else {
            "NONE -> PIXEL_SHADING"
        };
        let text = format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial {initial} }}\nfence f\nqueue gfx : direct\n\
             timeline {{ gfx execute {{\n  {word}-barrier f 1 {{ texture t {{ sync {sync}; \
             access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}\n}} }}\n"
        );
        let report = run::check(&Source::new("half.scn", text), &Options::default());
        let mut findings = report.findings.iter();
        findings.any(|f| f.rule.name == "layout-before-mismatch")
    };
    assert!(found("signal", "SHADER_RESOURCE"));
    assert!(!found("signal", "RENDER_TARGET"));
    assert!(!found("wait", "SHADER_RESOURCE"));
}

/// Of two barriers that imply each other, one may go: the headline counts one. A barrier that only deactivates its resource may
/// go too, and is what a later use is found by: advice.
#[test]
fn the_headline_counts_barriers_that_may_go() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/rules/RD105/fires.scn");
    let source = source(&path);
    let report = run::run(&source, &catalog::registry(), &Options::default()).expect("it runs");
    let goes = report
        .barriers
        .iter()
        .filter(|b| b.verdict == run::Verdict::Redundant);
    let goes: Vec<bool> = goes.map(|b| !b.stays).collect();
    assert_eq!(goes.iter().filter(|goes| **goes).count(), 1, "{goes:?}");
    assert_eq!(goes.len(), 2, "each of them alone may go (reading R48)");
    let text = "buffer b : 4KiB { flags UNORDERED_ACCESS }\nqueue q : direct\ntimeline { q execute {\n  \
                dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }\n  \
                barrier { buffer b { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }\n} }\n";
    let source = Source::new("last.scn", text);
    let report = run::run(&source, &catalog::registry(), &Options::default()).expect("it runs");
    let redundant = report.findings.iter().filter(|f| f.rule.id == "RD101");
    let severities: Vec<Severity> = redundant.map(|f| f.severity).collect();
    assert_eq!(severities, [Severity::Advice]);
}

/// A dispatch whose kernel has fences, and a fence of its queue.
const FENCED: &str = "uav x globallycoherent
thread group 0 cs { st x 1; sync_uglobal_t; st x 2 }
thread group 0 cs { add r0 x 1; sync_uglobal_t; sync_ugroup; sync_g; sync_ugroup_g }
";

#[test]
fn what_kernels_cost_counts_where_kinds_of_fences_are_compared() {
    let scene = |kernel: &str| {
        let text = format!(
            "fence f {{ native DEFAULT }}\nqueue q : direct\nlist l : direct {{\n  dispatch \"a\" 1x1x1 {kernel} {{ }}\n}}\n\
             timeline {{\n  q execute l\n  q signal f 1\n  cpu wait f 1\n}}\n"
        );
        Source::new("scene.scn", text)
    };
    let options = Options {
        files: [("k.litmus", FENCED)].into_iter().collect::<Texts>().into(),
        ..Options::default()
    };
    let registry = catalog::registry();
    let source = scene("kernel \"k.litmus\"");
    let kinds = run::fence_kinds(&source, &registry, &options)
        .expect("the machine is known, and the text is understood");
    let native = kinds.iter().find(|o| o.kind == FenceKind::Native);
    let native = native.expect("every kind is there").account.makespan;
    let ran = makespan(&run::run(&source, &registry, &options).expect("it runs"));
    assert_eq!(native, ran);
    assert_eq!(fence_makespan(&source, &options), ran);
    let bare = makespan(&run::run(&scene(""), &registry, &options).expect("it runs"));
    assert!(bare < ran, "its fences take time: {bare} and {ran}");
}

/// What one file shows if two commands read it differently.
fn drift(path: &Path) -> Vec<String> {
    let source = source(path);
    let (text, findings) = scenario::parse(&source);
    let options = with_kernels(&source);
    let checked = run::check(&source, &options);
    if findings.iter().any(|f| f.severity.fails()) {
        let handed = run::handover::hand_over(&source, RuleSet::default());
        let is_silent = handed.is_ok() || !to_fix(&source).is_empty();
        return is_silent
            .then(|| "a text that is not understood is read all the same".to_owned())
            .into_iter()
            .collect();
    }
    let mut drift = Vec::new();
    let mut same = |what: &str, one: &Wrong, other: &Wrong| {
        if one != other {
            drift.push(format!("{what}: {one:?} and {other:?}"));
        }
    };
    let by_check = wrong(&source, &checked.findings);
    // What the text allows is found all the same, and left out of reports.
    if text.allows.is_empty() {
        same("check and fix", &by_check, &to_fix(&source));
    }
    let handed = run::handover::hand_over(&source, RuleSet::default()).expect("understood");
    let legality = |set: &Wrong| -> Wrong {
        let of_rules = |(id, _): &&(&'static str, u32)| !id.starts_with("HZ");
        set.iter().filter(of_rules).copied().collect()
    };
    let by_ddi = wrong(&source, &handed.findings);
    if text.allows.is_empty() {
        same(
            "check and run --show ddi",
            &legality(&by_check),
            &legality(&by_ddi),
        );
    }
    let unusable = checked.findings.iter().any(|f| f.rule.id == "SC015");
    if text.timeline.is_none() || unusable {
        return drift;
    }
    let registry = catalog::registry();
    let Ok(ran) = run::run(&source, &registry, &options) else {
        return drift;
    };
    same("check and run", &by_check, &wrong(&source, &ran.findings));
    let has_hazard = |f: &Finding| f.rule.family() == "HZ" && f.severity >= Severity::Warning;
    if missing(&source, &options) > 0
        && !ran.findings.iter().any(has_hazard)
        && text.allows.is_empty()
    {
        drift.push("the graph misses what no finding tells of".to_owned());
    }
    let makespan = makespan(&ran);
    let mut took = vec![("fence", fence_makespan(&source, &options))];
    let what_if = run::what_if(&source, &registry, &options, &|_, _| ());
    took.extend(what_if.map(|it| ("run --what-if", it.makespan)));
    let profiles = [ran.profile.clone()];
    if let Ok(table) = run::on_profiles(&source, &registry, &profiles, &options) {
        took.push(("run --profiles", table.rows[0].makespan));
    }
    for (command, took) in took {
        if took != makespan {
            drift.push(format!("{command}: {took}, and run: {makespan}"));
        }
    }
    drift
}

#[test]
fn every_command_reads_every_scenario_of_the_repository_in_the_same_way() {
    let drifts: Vec<String> = sample("scenarios", 12, 1)
        .par_iter()
        .flat_map_iter(|path| {
            let name = path.display().to_string();
            drift(path).into_iter().map(move |d| format!("{name}: {d}"))
        })
        .collect();
    assert!(drifts.is_empty(), "{}", drifts.join("\n"));
}

/// What cannot be run goes through `?` as any error, and says what is wrong and what would be right.
#[test]
fn what_cannot_be_run_is_an_error_with_words() {
    fn graph(text: &str, lowering: &str) -> Result<usize, Box<dyn std::error::Error>> {
        let options = Options {
            lowering: Some(lowering.to_owned()),
            ..Options::default()
        };
        let source = Source::new("scene.scn", text);
        let registry = catalog::registry();
        run::run(&source, &registry, &options)?;
        Ok(
            run::dependencies(&source, &registry, &options, &View::default())?
                .nodes
                .len(),
        )
    }
    const SCENE: &str = "queue q : direct\ntimeline { q execute { dispatch 1x1x1 { } } }\n";
    let says = |text, lowering| graph(text, lowering).map_err(|error| error.to_string());
    assert!(says(SCENE, "precise").is_ok());
    let unknown = says(SCENE, "fastest").expect_err("no such lowering");
    let known = "there is no lowering `fastest`: the lowerings are precise, lazy";
    assert!(unknown.starts_with(known), "{unknown}");
    let misread = says("queue", "precise").expect_err("no text");
    assert!(
        misread.starts_with("the text is not understood: expected "),
        "{misread}"
    );
}
