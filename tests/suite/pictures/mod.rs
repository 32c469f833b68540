//! A picture is a claim: what drawings, pages and terminals show of runs is compared with the JSON of the same runs.

mod page;
mod scenes;
mod svg;
mod terminal;

use crate::{html, sizes};
pub(crate) use page::{Look, assert_painted};
use scenes::scene;
use serde_json::{Value, json};
use std::sync::OnceLock;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::report::format::{Format, REPORT, WriteReport};
use syncscope::report::{self, Style};
use syncscope::run::{self, Drawn, Report};

/// Three queues, each of which waits for the next.
const THREE: &str = "fence f\nfence g\nfence h\nqueue a : direct\nqueue b : compute\nqueue c : copy\ntimeline {\n\
    a wait f 1\n  a signal h 1\n  b wait g 1\n  b signal f 1\n  c wait h 1\n  c signal g 1\n}\n";

/// Scenes in which a draw or dispatch, a barrier and a draw follow each other, with their ids; the last is of what holds the draw.
fn draw_barrier_draw() -> Vec<(String, [&'static str; 4])> {
    let file = |path: &str| {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::read_to_string(path).expect("a scene")
    };
    vec![
        (
            file("src/cli/init/first.scn"),
            ["gfx#1", "gfx#2.0", "gfx#3", "gfx#2.0"],
        ),
        (
            file("scenarios/tour/01-render-target-to-texture.scn"),
            ["gfx#1", "gfx#2.0", "gfx#3", "gfx#2.0"],
        ),
        (
            file("scenarios/tour/07-split-barrier.scn"),
            ["gfx#1", "gfx#2.0", "gfx#5", "gfx#4.0"],
        ),
    ]
}

/// A random scene of two queues.
pub(crate) fn two_queues(seed: u64) -> String {
    scene(seed)
}

/// A run as a drawing, as text and as JSON.
struct Drawing {
    name: String,
    svg: String,
    text: String,
    json: Value,
}

fn written(format: &Format, report: &Report, source: &Source) -> String {
    let mut out = Vec::new();
    let writer = REPORT.writer(format).expect("a format of reports");
    let (WriteReport::Each(write) | WriteReport::Single(write)) = writer else {
        panic!("a format of one report");
    };
    write(report, source, &Style::default(), &mut out).expect("writing to memory");
    String::from_utf8(out).expect("text")
}

fn drawing(text: &str) -> Drawing {
    let source = Source::new("scene.scn", text.to_owned());
    let options = run::Options {
        drawn: Drawn::Picture,
        without_proofs: true,
        ..run::Options::default()
    };
    let report = run::run(&source, &catalog::registry(), &options).expect("a scene runs");
    let json = written(&report::json::FORMAT, &report, &source);
    Drawing {
        name: report.scenario.clone(),
        svg: written(&report::svg::FORMAT, &report, &source),
        text: written(&report::terminal::FORMAT, &report, &source),
        json: serde_json::from_str(&json).expect("JSON"),
    }
}

/// A random run: the data of its page, without what a timeline does not need, its drawing and its JSON.
struct Run {
    text: String,
    data: Value,
    svg: String,
    json: Value,
}

/// Many random runs.
fn random() -> &'static [Run] {
    static RUNS: OnceLock<Vec<Run>> = OnceLock::new();
    RUNS.get_or_init(|| {
        let mut registry = catalog::registry();
        registry.profiles.truncate(1);
        let seeds = sizes::PICTURES.seeds();
        seeds.map(|seed| run_of(scene(seed), &registry)).collect()
    })
}

fn each_random(mut check: impl FnMut(&Run)) {
    for run in random() {
        check(run);
    }
}

fn run_of(text: String, registry: &run::Registry) -> Run {
    let source = Source::new("random.scn", text);
    let options = run::Options {
        drawn: Drawn::Page,
        without_proofs: true,
        ..run::Options::default()
    };
    let report = run::run(&source, registry, &options).expect("a scene runs");
    let mut data = html::data(&written(&report::html::FORMAT, &report, &source));
    for part in ["graph", "what_ifs", "others"] {
        data["detail"][part] = Value::Null;
    }
    data["detail"]["contents"]["moments"] = json!([]);
    data["detail"]["without"]["rows"] = json!([]);
    let json = written(&report::json::FORMAT, &report, &source);
    Run {
        svg: written(&report::svg::FORMAT, &report, &source),
        text: source.text,
        data,
        json: serde_json::from_str(&json).expect("JSON"),
    }
}

fn span(row: &Value) -> (u64, u64) {
    let time = |name: &str| row[name].as_u64().expect("a time");
    (time("start_ps"), time("end_ps"))
}

fn list<'v>(run: &'v Run, name: &str) -> &'v [Value] {
    run.json[name].as_array().expect("a list")
}
