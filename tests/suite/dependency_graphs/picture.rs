//! Pictures against JSON: every box and every link of a drawing is there in the JSON of the same graph, nothing of the JSON is
//! neither drawn nor counted, and a frame fits a slide.

use super::{corpus, scenes};
use crate::cli::command;
use crate::sizes;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

const FRAME: &str = "scenarios/tour/deferred_frame.scn";

/// Boxes above which a drawing has columns that say in words what they need of others.
const SPLIT: usize = 32;

/// A graph as it is written: as JSON and as two drawings.
struct Written {
    json: Value,
    dot: String,
    svg: String,
}

/// Writes the graph of a scene; nothing if it has none.
fn written(text: &str, whole: bool) -> Option<Written> {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("graph-pictures");
    fs::create_dir_all(&directory).expect("the target directory can be written");
    let path = |name: &str| directory.join(name).display().to_string();
    fs::write(path("scene.scn"), text).expect("the target directory can be written");
    let (scene, files) = (path("scene.scn"), ["g.json", "g.dot", "g.svg"].map(path));
    let mut arguments = vec!["graph", &scene, "--relation", "needed,asked,ensured"];
    arguments.extend(["--nodes", "all"]);
    arguments.extend(files.iter().flat_map(|file| ["--out", file.as_str()]));
    if whole {
        arguments.push("--whole");
    }
    let output = command(&arguments).output().expect("the program starts");
    assert!(output.stdout.is_empty(), "files are all that was asked for");
    if output.status.code() == Some(2) {
        return None;
    }
    let [json, dot, svg] = files.map(|file| fs::read_to_string(file).expect("it was written"));
    let json = serde_json::from_str(&json).expect("JSON");
    Some(Written { json, dot, svg })
}

/// The number before some words in the title of a drawing; 0 if it does not have them.
fn said(dot: &str, words: [&str; 2]) -> usize {
    let number = |words: &str| {
        let before = dot.split_once(words)?.0;
        let digits = before
            .rsplit(|c: char| !c.is_ascii_digit() && c != ',')
            .next()?;
        digits.replace(',', "").parse().ok()
    };
    words.into_iter().find_map(number).unwrap_or(0)
}

/// The strings in quotes of a line of DOT.
fn strings(line: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut letters = line.chars();
    while letters.by_ref().any(|c| c == '"') {
        let mut word = String::new();
        while let Some(c) = letters.next().filter(|c| *c != '"') {
            match c {
                '\\' => word.push(letters.next().filter(|c| *c != 'n').unwrap_or('\n')),
                _ => word.push(c),
            }
        }
        found.push(word);
    }
    found
}

/// A drawing as it is written: its boxes with what they say, and its lines.
struct Drawn {
    boxes: BTreeMap<String, String>,
    lines: BTreeSet<(String, String, bool)>,
}

fn drawn(text: &str) -> Drawn {
    let (mut boxes, mut lines) = (BTreeMap::new(), BTreeSet::new());
    let own = text
        .lines()
        .filter(|l| !l.contains("\"legend") && !l.contains("\"stretches\""));
    for line in own {
        let words = strings(line);
        if line.contains("\" -> \"") {
            let is_missing = line.contains("color=red");
            lines.insert((words[0].clone(), words[1].clone(), is_missing));
        } else if line.trim_start().starts_with('"') {
            let known = boxes.insert(words[0].clone(), words[1].clone());
            assert_eq!(known, None, "{line}");
        }
    }
    Drawn { boxes, lines }
}

fn words<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().expect("a word")
}

/// Checks a graph. Returns its nodes and boxes, and the edges that are told in words or covered by what is drawn.
fn check(name: &str, Written { json, dot, svg }: &Written, whole: bool) -> (usize, usize, usize) {
    let shown = drawn(dot);
    let nodes = json["nodes"].as_array().expect("nodes");
    let home = nodes.iter().map(|n| (words(n, "id"), words(n, "drawn_in")));
    let home: BTreeMap<&str, &str> = home.collect();
    let boxes: BTreeSet<&str> = home.values().copied().collect();
    let named: BTreeSet<&str> = shown.boxes.keys().map(String::as_str).collect();
    assert_eq!(named, boxes, "{name}\n{dot}");
    let mut expected = BTreeSet::new();
    let (mut implied, mut inside, mut told) = (0, 0, 0);
    for edge in json["edges"].as_array().expect("edges") {
        let (from, to) = (home[words(edge, "from")], home[words(edge, "to")]);
        let is_missing = edge["reason"] == "missing";
        let key = (from.to_owned(), to.to_owned(), is_missing);
        if edge["implied"] == true && !whole {
            implied += 1;
        } else if from == to {
            inside += 1;
            assert!(
                !is_missing,
                "{name}: what is missing is never hidden in a box"
            );
        } else if shown.lines.contains(&key) {
            expected.insert(key);
        } else {
            // Of another column, or covered by a barrier that is drawn.
            assert!(
                boxes.len() > SPLIT && !is_missing,
                "{name}: {edge} is drawn\n{dot}"
            );
            told += 1;
        }
    }
    assert_eq!(
        expected, shown.lines,
        "{name}: no line says what JSON does not\n{dot}"
    );
    let says = |words| said(dot, words);
    let order = [
        " edges of order that others imply",
        " edge of order that others imply",
    ];
    assert_eq!(implied, says(order), "{name}\n{dot}");
    assert_eq!(
        inside,
        says([" edges inside boxes", " edge inside boxes"]),
        "{name}\n{dot}"
    );
    let classes = ["node", "barrier", "submission"];
    let count = classes.map(|class| svg.matches(&format!("class=\"{class}\"><title>")).count());
    assert_eq!(
        count.iter().sum::<usize>(),
        boxes.len(),
        "{name}: boxes of the other drawing"
    );
    (nodes.len(), boxes.len(), told)
}

#[test]
fn drawings_of_graphs_show_what_json_says() {
    // The quick tier takes every fourth scene.
    let step = sizes::step(4, 1);
    let (mut all, mut drawn) = (0, 0);
    for (name, text) in scenes(12).chain(corpus()).step_by(step) {
        for whole in [false, true] {
            let Some(graph) = written(&text, whole) else {
                continue;
            };
            let (nodes, boxes, told) = check(&name, &graph, whole);
            assert!(!whole || boxes == nodes, "{name}");
            assert!(boxes > SPLIT || told == 0, "{name}");
            (all, drawn) = (all + nodes, drawn + boxes);
        }
    }
    assert!(
        drawn > 1_000 / step && drawn < all,
        "{drawn} boxes for {all} nodes"
    );
}

/// A frame of 70 commands and as many barriers is a picture for a slide, with letters as large as they are without that limit.
#[test]
fn a_frame_fits_a_slide() {
    let frame = Path::new(env!("CARGO_MANIFEST_DIR")).join(FRAME);
    let output = command(&["graph", &frame.display().to_string()]).output();
    let dot = String::from_utf8(output.expect("the program starts").stdout).expect("text");
    for queue in ["gfx", "async", "dma", "cpu"] {
        assert!(dot.contains(&format!("label=\"{queue}\";")), "{dot}");
    }
    assert!(
        dot.contains("144 nodes") && dot.contains("that others imply"),
        "{dot}"
    );
    let Some((width, height)) = size(&dot, &[]) else {
        return;
    };
    assert!(width <= 4_000 && height <= 2_500, "{width} x {height}");
    let (whole, _) = size(&dot, &["-Gsize="]).expect("a picture");
    assert!(width * 20 >= whole * 19, "{width} of {whole}");
}

/// The size of a picture in pixels, if Graphviz is there.
fn size(dot: &str, arguments: &[&str]) -> Option<(u32, u32)> {
    let mut child = Command::new("dot")
        .arg("-Tpng")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().expect("a pipe");
    let text = dot.to_owned();
    let writes = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let png = child.wait_with_output().expect("it ends").stdout;
    writes.join().expect("it ends").expect("it reads all");
    let number = |at: usize| u32::from_be_bytes(png[at..at + 4].try_into().expect("four bytes"));
    Some((number(16), number(20)))
}
