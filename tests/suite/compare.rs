//! One scenario on several machines, without each of its barriers, and under each way of eviction.

use syncscope::finding::Source;
use syncscope::graph::{self, ConflictKind};
use syncscope::order::Timeline;
use syncscope::run::{self, Options};
use syncscope::time::Ps;
use syncscope::{catalog, report, scenario, sim};

fn all() -> Vec<String> {
    let registry = catalog::registry();
    let names = registry.profiles.iter();
    names.map(|entry| entry.name.to_owned()).collect()
}

/// Ordered, but not visible: stale where some cache holds the old line, which a machine without caches cannot.
const HIDDEN: &str = "
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  dispatch 1x1x1 { SHADER_RESOURCE b }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS } }
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access NO_ACCESS -> NO_ACCESS } }
  dispatch 1x1x1 { SHADER_RESOURCE b }
} }";

#[test]
fn one_row_for_each_profile_in_order() {
    let registry = catalog::registry();
    let source = Source::new("hidden.scn", HIDDEN);
    let table = run::on_profiles(&source, &registry, &all(), &Options::default());
    let table = table.expect("profiles of the registry");
    let names: Vec<_> = table.rows.iter().map(|row| row.profile.clone()).collect();
    assert_eq!(names, all());
    let stale = |name: &str| {
        let mut rows = table.rows.iter();
        rows.find(|row| row.profile == name)
            .map(|row| row.stale_reads)
    };
    assert_eq!((stale("rdna"), stale("reference")), (Some(1), Some(0)));
    let mut json = Vec::new();
    let write = report::profiles::PROFILES.writer(&report::json::FORMAT);
    let write = write.expect("a table has JSON");
    write(&table, &report::Style::default(), &mut json).expect("a vector");
    let value: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    for (row, known) in value["profiles"]
        .as_array()
        .expect("rows")
        .iter()
        .zip(&table.rows)
    {
        assert_eq!(row["profile"], known.profile.as_str());
        assert_eq!(row["makespan_ps"], known.makespan.0);
        assert_eq!(row["stale_reads"], known.stale_reads);
    }
    let unknown = run::on_profiles(&source, &registry, &["rdnb".into()], &Options::default());
    assert!(
        unknown
            .expect_err("no such profile")
            .message
            .contains("rdnb")
    );
}

/// A hazard is said to be visible exactly where a run on that profile saw it, and where it is hidden something says why.
#[test]
fn each_hazard_is_visible_or_hidden_for_a_reason() {
    let registry = catalog::registry();
    let (scenario, _) = scenario::parse(&Source::new("hidden.scn", HIDDEN));
    let timeline = Timeline::new(&scenario);
    let evaluation = graph::evaluate(&timeline, graph::Request::default());
    assert_eq!(evaluation.conflicts.len(), 1);
    assert_eq!(evaluation.conflicts[0].kind, ConflictKind::ReadAfterWrite);
    let lowering = registry.lowering("precise").expect("a lowering");
    let shown = run::visibility(&timeline, &evaluation, &registry, lowering);
    assert_eq!(shown.len(), 1);
    for on in &shown[0] {
        let options = Options {
            profile: Some(on.profile.clone()),
            lowering: Some(lowering.name().to_owned()),
            ..Options::default()
        };
        let report = run::run(&Source::new("hidden.scn", HIDDEN), &registry, &options);
        let report = report.expect("a run");
        let hazard = report.findings.iter().find(|f| f.hazard.is_some());
        let visible = hazard.and_then(|f| f.visible);
        assert_eq!(visible, Some(on.visible), "{}", on.profile);
        assert!(!on.why.is_empty());
    }
    let on = |name: &str| shown[0].iter().find(|on| on.profile == name).expect(name);
    assert_eq!(on("rdna").why, "stale data");
    assert_eq!(on("reference").why, "the write was in memory");
}

/// Without the second barrier the two dispatches of 10 us share the shader cores and end together; the barrier costs its
/// wait, its invalidate and the restart. The arithmetic: with it 10 + 0.3 + 0.2 + 0.1 + 10, without it 20.
#[test]
fn what_a_barrier_costs_is_the_difference_of_two_runs() {
    let text = "
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : compute
timeline { q execute {
  dispatch 1x1x1 takes 10us { UNORDERED_ACCESS a writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 takes 10us { UNORDERED_ACCESS b writes }
} }";
    let registry = catalog::registry();
    let source = Source::new("cost.scn", text);
    let what = run::what_if(&source, &registry, &Options::default(), &|_, _| {});
    let what = what.expect("a scenario");
    assert_eq!(what.rows.len(), 1);
    let row = &what.rows[0];
    assert_eq!((row.line, row.resource.as_str()), (7, "b"));
    let without = run::Without::Run {
        makespan: what.makespan - Ps::from_ns(300 + 200 + 100),
        more_bad_reads: 0,
    };
    assert_eq!(row.without, without);
}

/// A machine that is named twice, or by its alias as well, has one row.
#[test]
fn a_machine_has_one_row() {
    let registry = catalog::registry();
    let source = Source::new("hidden.scn", HIDDEN);
    let names = ["rdna", "reference", "rdna10", "rdna"].map(str::to_owned);
    let table = run::on_profiles(&source, &registry, &names, &Options::default());
    let rows = table.expect("profiles of the registry").rows;
    let once = ["rdna", "reference"].map(str::to_owned);
    let apart = run::on_profiles(&source, &registry, &once, &Options::default());
    assert_eq!(rows, apart.expect("profiles of the registry").rows);
}

/// A barrier that changes a layout is about no single access, and no cache is where it met a read; the table says so of each
/// machine on which nothing shows.
#[test]
fn a_hidden_change_of_layout_is_told_without_a_client() {
    let text = "
heap pool : 64MiB { type default }
texture one : D24_UNORM_S8_UINT 256x64 { flags DEPTH_STENCIL; initial COMMON; heap pool at 0 }
texture other : R8_UNORM 32x77 { mips 3; flags RENDER_TARGET; heap pool at 0 }
queue gfx : direct
timeline { gfx execute {
  barrier {
    texture one {
      sync DEPTH_STENCIL -> COPY
      access DEPTH_STENCIL_WRITE -> COPY_DEST
      layout DEPTH_STENCIL_WRITE -> COMMON
    }
  }
  dispatch 8x8x1 takes 1us { SHADER_RESOURCE other[mip 2]; SHADER_RESOURCE one }
} }";
    let registry = catalog::registry();
    let source = Source::new("alias.scn", text);
    let table = run::on_profiles(&source, &registry, &all(), &Options::default());
    let table = table.expect("profiles of the registry");
    assert_eq!(table.rows.len(), registry.profiles.len());
}

const SPLITS: &str = "
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : compute
timeline { q execute {
  dispatch 1x1x1 takes 10us { UNORDERED_ACCESS a writes }
  barrier {
    buffer a { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE }
    buffer b { sync COPY -> COPY; access COPY_SOURCE -> COPY_DEST }
  }
  dispatch 1x1x1 takes 1us { UNORDERED_ACCESS b writes }
  barrier { buffer a { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 takes 10us { SHADER_RESOURCE a }
} }";

/// A split barrier goes as a whole: half of one is a mistake, not a question. Reading R27: the pair acts once.
#[test]
fn a_split_barrier_is_left_out_as_a_whole() {
    let registry = catalog::registry();
    let source = Source::new("splits.scn", SPLITS);
    let what = run::what_if(&source, &registry, &Options::default(), &|_, _| {});
    let what = what.expect("a scenario");
    let mut lines: Vec<_> = what.rows.iter().map(|r| (r.line, r.end_line)).collect();
    lines.sort_unstable();
    assert_eq!(lines, [(8, Some(12)), (9, None)]);
    let without = SPLITS
        .lines()
        .filter(|line| !line.contains("SPLIT"))
        .collect::<Vec<_>>()
        .join("\n");
    let report = run::run(
        &Source::new("whole.scn", without),
        &registry,
        &Options::default(),
    );
    let split = what.rows.iter().find(|r| r.end_line.is_some());
    assert_eq!(
        split.and_then(|row| row.without.makespan()),
        report.expect("a run").makespan,
        "as if neither half stood there"
    );
    // The one on `b` waits for copies next to running work, which costs nothing: zero has no sign.
    let mut table = Vec::new();
    report::what_if::table(&what, &report::Style::default(), &mut table).expect("a vector");
    let table = String::from_utf8(table).expect("text");
    assert!(!table.contains("-0 "), "{table}");
    assert!(
        table.contains("a, a split barrier that ends in line 12"),
        "{table}"
    );
}

/// What is stale with the caches as they are is right by luck where no cache keeps anything.
#[test]
fn eager_eviction_finds_what_is_right_by_luck() {
    let registry = catalog::registry();
    let bad = |eviction| {
        let options = Options {
            eviction,
            ..Options::default()
        };
        let report = run::run(&Source::new("hidden.scn", HIDDEN), &registry, &options);
        report.expect("a run").totals.bad_reads
    };
    assert_eq!(bad(sim::Eviction::Oldest), 1);
    assert_eq!(bad(sim::Eviction::Never), 1);
    assert_eq!(bad(sim::Eviction::Eager), 0);
}

/// Same seed, same run: a cache that is too small for what is read, under random eviction.
#[test]
fn random_eviction_is_a_function_of_its_seed() {
    let text = "
buffer b : 8MiB { flags UNORDERED_ACCESS }
buffer c : 8MiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  dispatch 1x1x1 { SHADER_RESOURCE b; UNORDERED_ACCESS c writes }
  barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE c; SHADER_RESOURCE b }
} }";
    let registry = catalog::registry();
    let (scenario, _) = scenario::parse(&Source::new("random.scn", text));
    let timeline = Timeline::new(&scenario);
    let profile = registry.profile("rdna").expect("a profile");
    let lowering = registry.lowering("precise").expect("a lowering");
    let program = lowering.lower(&timeline, &profile);
    let run = |seed| {
        let options = sim::SimOptions {
            eviction: sim::Eviction::Random(seed),
            ..sim::SimOptions::default()
        };
        sim::simulate(&program, &profile, &options)
    };
    for seed in 0..8 {
        let trace = run(seed);
        assert_eq!(trace, run(seed));
        assert_eq!(trace.observations, []);
    }
}
