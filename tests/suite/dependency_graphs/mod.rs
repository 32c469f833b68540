//! The dependency graph: it has every producer, what it leaves out follows from the rest, and its pictures show what its
//! JSON says.

mod picture;
mod reduction;
mod whole;

use crate::{laws, machine_random, pictures, random};
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::graph::{self, DependencyGraph};
use syncscope::order::Timeline;
use syncscope::scenario::{self, Scenario};

/// Random scenes of one queue and of several, right ones and broken ones, with their names.
fn scenes(count: u64) -> impl Iterator<Item = (String, String)> {
    (0..count).flat_map(|seed| {
        [
            (format!("random {seed}"), random::scene(seed)),
            (format!("broken {seed}"), laws::broken(seed)),
            (format!("right {seed}"), machine_random::write(seed)),
            (format!("two queues {seed}"), pictures::two_queues(seed)),
        ]
    })
}

/// The scenarios of the repository below some folders, with their names.
fn corpus() -> impl Iterator<Item = (String, String)> {
    let folders = ["tour", "hazards", "redundancy", "fences", "machine"];
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let files = folders.into_iter().flat_map(move |folder| {
        let mut files: Vec<PathBuf> = fs::read_dir(root.join(folder))
            .expect("a folder of scenarios")
            .map(|entry| entry.expect("an entry").path())
            .filter(|path| path.extension().is_some_and(|e| e == "scn"))
            .collect();
        files.sort();
        files
    });
    files.map(|path| {
        let text = fs::read_to_string(&path).expect("a scenario");
        (path.display().to_string(), text)
    })
}

/// What a text says, if it has no mistake that keeps it from being read.
fn parsed(text: &str) -> Scenario {
    scenario::parse(&Source::new("scene.scn", text)).0
}

fn graph_of(timeline: &Timeline<'_>) -> DependencyGraph {
    let request = graph::Request {
        pairs: graph::Collected::Named,
        ..graph::Request::default()
    };
    DependencyGraph::new(timeline, &graph::evaluate(timeline, request))
}
