//! With and without: the run without a barrier is the run of the text without it, what it takes is what `--what-if` says, and what is
//! listed as new is what its report has and the report of the text as written has not.

mod cli;
mod page;

use crate::rules::Folder;
use crate::tour::{sample, source};
use rayon::prelude::*;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::OnceLock;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::run::without::{COMMANDS_MAX, CopyRun};
use syncscope::run::{self, CommandRow, Options, Report, WithoutBarrier, without_each};
use syncscope::scenario::{self, Scenario, edit};

/// A scene of the repository, run as written and without each of its barriers.
struct Scene {
    source: Source,
    options: Options,
    report: Report,
    all: Vec<WithoutBarrier>,
}

impl Scene {
    /// Nothing of a text that cannot run, or of one that pages have no copies of.
    fn new(path: &Path) -> Option<Self> {
        let folder = path.parent().expect("a file is in a folder");
        let options = Options {
            files: Folder(folder.to_owned()).into(),
            without_proofs: true,
            ..Options::default()
        };
        let source = source(path);
        let registry = catalog::registry();
        let report = run::run(&source, &registry, &options).ok()?;
        report.makespan?;
        if report.totals.commands > COMMANDS_MAX {
            return None;
        }
        // A kernel may be unreadable.
        let (report, all) = without_each(&source, &registry, &options).ok()?;
        Some(Self {
            source,
            options,
            report,
            all,
        })
    }

    fn place(&self, barrier: &WithoutBarrier) -> String {
        format!("{} without {}", self.source.name, barrier.name())
    }
}

/// Holds a law on every scene; what it returns is how often it was tried. To run a scene takes longer than to look at its runs:
/// all laws look at the same.
fn on_every_scene(law: impl Fn(&Scene) -> usize + Sync) -> usize {
    static SCENES: OnceLock<Vec<Scene>> = OnceLock::new();
    let scenes = SCENES.get_or_init(|| {
        let files = sample("scenarios", 12, 2);
        files
            .par_iter()
            .filter_map(|path| Scene::new(path))
            .collect()
    });
    scenes.par_iter().map(&law).sum()
}

#[test]
fn it_takes_what_what_if_says() {
    let registry = catalog::registry();
    let tried = on_every_scene(|scene| {
        let what_if = run::what_if(&scene.source, &registry, &scene.options, &|_, _| ());
        let mut rows = what_if.expect("it runs").rows;
        for barrier in &scene.all {
            // Several entries may be in one line: each has a row.
            let at = rows.iter().position(|row| {
                let is_here = (row.line, row.end_line, row.resource.as_str())
                    == (barrier.line, barrier.end_line, barrier.resource.as_str());
                is_here
                    && match &barrier.copy {
                        Ok(copy) => {
                            row.without.makespan() == Some(copy.makespan())
                                && row.without.more_bad_reads() == Some(copy.more_bad_reads)
                        }
                        Err(broken) => row.without.breaks() == broken,
                    }
            });
            let at = at.unwrap_or_else(|| panic!("{}: {rows:#?}", scene.place(barrier)));
            rows.remove(at);
        }
        scene.all.len()
    });
    assert!(tried > 100, "{tried} barriers");
}

/// The barriers of a text, by their lines and resources, each with the texts that it may be deleted to.
fn by_hand(scene: &Scene) -> Vec<((u32, Option<u32>, String), Vec<String>)> {
    let (parsed, _) = scenario::parse(&scene.source);
    let of = |whole: &edit::Whole| {
        let starts = whole
            .iter()
            .map(|e| e.span(&parsed).expect("an entry").start);
        let mut lines = starts.map(|start| scene.source.line(start));
        let resource = whole[0].resource(&parsed);
        let resource = resource.map_or_else(String::new, |id| parsed.resource_name(id).to_owned());
        let texts = edit::ways(&parsed, whole).map(|next| {
            let copy = edit::without(&parsed, whole, next);
            scenario::print(&edit::pruned(copy, &parsed))
        });
        let line = lines.next().expect("an entry");
        ((line, lines.next(), resource), texts.collect())
    };
    edit::wholes(&parsed).iter().map(of).collect()
}

/// What a command did and saw, whatever it is called: commands are named by where they come on their queues.
type Told = (
    String,
    String,
    u64,
    u64,
    Vec<(String, String, u64, String, String, String)>,
);

fn told(report: &Report) -> Vec<Told> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let mut names: BTreeMap<&str, String> = BTreeMap::new();
    for row in &report.commands {
        let count = counts.entry(&row.queue).or_default();
        *count += 1;
        names.insert(&row.id, format!("{} {count}", row.queue));
    }
    // What barriers write is named by a call, whose number is another one in a text of which calls are gone.
    let name = |id: &str| names.get(id).cloned().unwrap_or_else(|| "other".to_owned());
    let row = |row: &CommandRow| {
        let seen = row.observations.iter().map(|o| {
            (
                o.kind.clone(),
                o.resource.clone(),
                o.bytes,
                name(&o.saw),
                name(&o.expected),
                o.from.clone(),
            )
        });
        (
            row.label.clone(),
            row.queue.clone(),
            row.start.0,
            row.end.0,
            seen.collect(),
        )
    };
    report.commands.iter().map(row).collect()
}

#[test]
fn a_copy_is_the_run_of_the_text_without_the_barrier() {
    let registry = catalog::registry();
    let tried = on_every_scene(|scene| {
        let texts = by_hand(scene);
        let mut tried = 0;
        for barrier in &scene.all {
            let Ok(copy) = &barrier.copy else { continue };
            let key = (barrier.line, barrier.end_line, barrier.resource.clone());
            let of = texts.iter().filter(|(known, _)| *known == key);
            let runs: Vec<Report> = of
                .flat_map(|(_, texts)| texts)
                .filter_map(|text| {
                    let source = Source::new(scene.source.name.clone(), text.clone());
                    run::run(&source, &registry, &scene.options).ok()
                })
                .collect();
            // A pair of fence barriers in a list is one split barrier only to the run.
            if runs.is_empty() && has_fence_barriers(&scene.source) {
                continue;
            }
            let is_same = |run: &Report| {
                run.makespan == Some(copy.makespan())
                    && run.exposed == copy.report.exposed
                    && run.totals == copy.report.totals
                    && told(run) == told(&copy.report)
            };
            assert!(
                runs.iter().any(is_same),
                "{}: {} against {:?}",
                scene.place(barrier),
                copy.makespan(),
                runs.iter().map(|run| run.makespan).collect::<Vec<_>>()
            );
            tried += 1;
        }
        tried
    });
    assert!(tried > 80, "{tried} copies");
}

fn has_fence_barriers(source: &Source) -> bool {
    source.text.contains("-barrier ")
}

/// One command has one id in both runs: its label, its line and its queue are the same.
#[test]
fn a_command_is_called_the_same_in_both_runs() {
    let tried = on_every_scene(|scene| {
        let ids = |report: &Report| -> BTreeMap<String, (String, u32, String)> {
            let rows = report.commands.iter();
            let mut all: BTreeMap<_, _> = rows
                .map(|r| (r.id.clone(), (r.label.clone(), r.line, r.queue.clone())))
                .collect();
            let barriers = report.barriers.iter();
            all.extend(barriers.map(|b| (b.id.clone(), (String::new(), b.line, b.queue.clone()))));
            all
        };
        let known = ids(&scene.report);
        let mut tried = 0;
        for barrier in &scene.all {
            let Ok(copy) = &barrier.copy else { continue };
            let own = ids(&copy.report);
            let left: Vec<_> = copy.report.commands.iter().map(|row| &row.id).collect();
            let all: Vec<_> = scene.report.commands.iter().map(|row| &row.id).collect();
            assert_eq!(left, all, "{}", scene.place(barrier));
            for (id, what) in &own {
                assert_eq!(known.get(id), Some(what), "{id}: {}", scene.place(barrier));
            }
            for id in &barrier.barriers {
                assert!(!own.contains_key(id), "{id}: {}", scene.place(barrier));
            }
            tried += 1;
        }
        tried
    });
    assert!(tried > 80, "{tried} copies");
}

/// Wrong reads by command, resource and access, with how often each is.
fn wrong(report: &Report) -> BTreeMap<(String, String, String), i64> {
    let mut all = BTreeMap::new();
    for row in &report.commands {
        for o in &row.observations {
            let key = (row.id.clone(), o.resource.clone(), o.access.clone());
            *all.entry(key).or_default() += 1;
        }
    }
    all
}

#[test]
fn wrong_reads_are_the_observations_that_only_the_copy_has() {
    let tried = on_every_scene(|scene| {
        let before = wrong(&scene.report);
        let mut tried = 0;
        for barrier in &scene.all {
            let Ok(copy) = &barrier.copy else { continue };
            let CopyRun {
                wrong_reads,
                mended_reads,
                report,
                ..
            } = &**copy;
            let mut left = wrong(report);
            for (key, count) in &before {
                *left.entry(key.clone()).or_default() -= count;
            }
            let mut listed = BTreeMap::new();
            for (reads, sign) in [(wrong_reads, 1), (mended_reads, -1)] {
                for read in reads {
                    let own = &read.read;
                    let key = (
                        read.command.clone(),
                        own.resource.clone(),
                        own.access.clone(),
                    );
                    *listed.entry(key).or_default() += sign;
                    assert!(read.says.contains(&own.resource), "{}", read.says);
                    tried += 1;
                }
            }
            left.retain(|_, count| *count != 0);
            listed.retain(|_, count: &mut i64| *count != 0);
            assert_eq!(left, listed, "{}", scene.place(barrier));
            let [without, with] = [report, &scene.report].map(|r| r.totals.bad_reads.cast_signed());
            let more = without - with;
            let listed: i64 = listed.values().sum();
            // A use that several stages read is so many reads, and listed once.
            if mended_reads.is_empty() {
                assert!(more >= listed, "{}", scene.place(barrier));
                assert_eq!(more == 0, listed == 0, "{}", scene.place(barrier));
            }
            for read in wrong_reads {
                let row = report.commands.iter().find(|row| row.id == read.command);
                let row = row.expect("a command of the copy");
                assert!(row.observations.contains(&read.read));
                let says = format!("{} ({})", read.label, read.command);
                assert!(read.says.contains(&says), "{}: {says}", read.says);
            }
        }
        tried
    });
    assert!(tried > 30, "{tried} wrong reads");
}

/// What is said to be new is found in the copy, what is said to be gone is not found as often; and the sentence says the time.
#[test]
fn findings_that_are_new_are_in_the_copy_only() {
    let tried = on_every_scene(|scene| {
        let count = |report: &Report, finding: &syncscope::finding::Finding| -> u32 {
            let side = |f: &syncscope::finding::Finding| {
                let hazard = f.hazard.as_deref();
                (
                    f.rule.id,
                    hazard.map(|h| (h.first.span, h.second.span)),
                    f.resource.clone(),
                    hazard.is_none().then_some(f.span),
                )
            };
            let same = report.findings.iter().filter(|f| side(f) == side(finding));
            same.map(|f| f.repeats).sum()
        };
        let mut tried = 0;
        for barrier in &scene.all {
            let Ok(copy) = &barrier.copy else { continue };
            for change in &copy.new {
                let (own, before) = (
                    count(&copy.report, &change.finding),
                    count(&scene.report, &change.finding),
                );
                let shows = change.times == 0 && change.finding.visible == Some(true);
                assert!(
                    own > before || shows && own == before,
                    "{}: {:?}",
                    scene.place(barrier),
                    change.finding
                );
                tried += 1;
            }
            for change in &copy.gone {
                let (own, before) = (
                    count(&copy.report, &change.finding),
                    count(&scene.report, &change.finding),
                );
                let showed = change.times == 0 && change.finding.visible == Some(true);
                assert!(
                    own < before || showed && own == before,
                    "{}: {:?}",
                    scene.place(barrier),
                    change.finding
                );
            }
            let reads = copy.wrong_reads.len();
            let says = &barrier.says;
            let told = match (reads, copy.more_bad_reads.max(reads as u64)) {
                (0, _) => !says.contains("wrong here:"),
                (_, 1) => says.contains("1 read goes wrong here: "),
                (1, n) => says.contains(&format!("{n} reads of one use go wrong here: ")),
                (uses, n) if uses as u64 == n => {
                    says.contains(&format!("{n} reads go wrong here, the first: "))
                }
                (uses, n) => says.contains(&format!("{n} reads of {uses} uses go wrong here")),
            };
            assert!(told, "{}: {says}", scene.place(barrier));
            let changes = if copy.makespan() < copy.with {
                format!("{} less", copy.with - copy.makespan())
            } else {
                format!("{}", copy.makespan() - copy.with)
            };
            assert!(
                copy.makespan() == copy.with || says.contains(&changes),
                "{says}: {changes}"
            );
        }
        tried
    });
    assert!(tried > 30, "{tried} findings");
}

/// A scene of which a barrier is not executed: it has no id, and its line names it.
#[test]
fn a_barrier_that_is_not_executed_is_named_by_its_line() {
    let text = "buffer b : 4KiB { flags UNORDERED_ACCESS }\nqueue gfx : direct\nlist unused : direct {\n\
        barrier { buffer b { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }\n}\n\
        timeline { gfx execute { dispatch \"d\" 1x1x1 { UNORDERED_ACCESS b } } }\n";
    let source = Source::new("unused.scn", text);
    let registry = catalog::registry();
    let both =
        run::without(source.clone(), &registry, &Options::default(), "4").expect("a barrier");
    assert!(both.barrier.barriers.is_empty());
    assert_eq!(
        both.barrier.says,
        "nothing changes: 0 ns, no finding is new"
    );
    let what = run::without(source, &registry, &Options::default(), "gfx#1.0");
    let said = what.expect_err("a command is no barrier").to_string();
    assert!(said.contains("no barrier `gfx#1.0`"), "{said}");
}

/// Two executions of one list, a call of two entries, and a call that is gone: numbers after it are those of the text as written.
#[test]
fn ids_do_not_shift_where_a_call_is_gone() {
    let text = "buffer a : 4KiB { flags UNORDERED_ACCESS }\nbuffer b : 4KiB { flags UNORDERED_ACCESS }\nqueue gfx : direct\n\
list l : direct {\n  dispatch \"one\" 1x1x1 { UNORDERED_ACCESS a; UNORDERED_ACCESS b }\n  barrier {\n\
    buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }\n  }\n  barrier {\n\
    buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }\n\
    global { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE }\n  }\n\
  dispatch \"two\" 1x1x1 { UNORDERED_ACCESS a; UNORDERED_ACCESS b }\n}\ntimeline { gfx execute l, l }\n";
    let source = Source::new("twice.scn", text);
    let registry = catalog::registry();
    let of = |word: &str| {
        let both = run::without(source.clone(), &registry, &Options::default(), word);
        both.expect("a barrier").barrier
    };
    let first = of("gfx#2.0");
    assert_eq!(first.barriers, ["gfx#2.0", "gfx#6.0"]);
    let ids = |barrier: &WithoutBarrier| -> (Vec<String>, Vec<String>) {
        let copy = barrier.copy.as_ref().expect("a run");
        let commands = copy.report.commands.iter().map(|row| row.id.clone());
        let barriers = copy.report.barriers.iter().map(|row| row.id.clone());
        (commands.collect(), barriers.collect())
    };
    let work = ["gfx#1", "gfx#4", "gfx#5", "gfx#8"].map(str::to_owned);
    let (commands, barriers) = ids(&first);
    assert_eq!(commands, work);
    assert_eq!(barriers, ["gfx#3.0", "gfx#3.1", "gfx#7.0", "gfx#7.1"]);
    let (commands, barriers) = ids(&of("gfx#7.0"));
    assert_eq!(commands, work);
    assert_eq!(barriers, ["gfx#2.0", "gfx#3.1", "gfx#6.0", "gfx#7.1"]);
}

/// How many commands a scenario has does not matter to who asks for one barrier.
#[test]
fn a_page_of_many_commands_has_the_copy_that_was_asked_for() {
    let draws: Vec<String> = (0..210)
        .map(|at| format!("  draw \"d{at}\" {{ RENDER_TARGET t }}\n"))
        .collect();
    let draws = draws.concat();
    let text = format!(
        "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}\nqueue gfx : direct\n\
         timeline {{ gfx execute {{\n{draws}  barrier {{ texture t {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; \
         layout RENDER_TARGET -> SHADER_RESOURCE }} }}\n  draw \"last\" {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n}} }}\n"
    );
    let source = Source::new("many.scn", text);
    let options = Options {
        drawn: run::Drawn::Page,
        ..Options::default()
    };
    let registry = catalog::registry();
    let report = run::run(&source, &registry, &options).expect("it runs");
    let detail = report.detail.expect("a page");
    assert!(detail.without.rows.is_empty());
    assert_eq!(detail.without.command, "syncscope run many.scn --without ");
    assert!(detail.left_out.iter().any(|w| w.contains("--without ID")));
    let both = run::without(source, &registry, &options, "gfx#211.0").expect("a barrier");
    let detail = both.report.detail.expect("a page");
    assert_eq!(detail.without.opened, "gfx#211.0");
    assert_eq!(detail.without.rows.len(), 1);
}

/// What is compared is parsed once: a scenario whose text is not understood has no run to compare.
#[test]
fn a_text_that_is_not_understood_is_refused() {
    let source = Source::new("broken.scn", "queue gfx : nothing\n");
    let what = run::without(source, &catalog::registry(), &Options::default(), "gfx#1.0");
    assert!(what.is_err());
    let empty = scenario::print(&Scenario::default());
    let what = run::without(
        Source::new("empty.scn", empty),
        &catalog::registry(),
        &Options::default(),
        "gfx#1.0",
    );
    assert!(what.is_err());
}
