//! Frame graphs of engines: what is wrong with one is said in its own words, and what is right is placed.

use serde_json::{Value, json};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::interop::frame_graph::FrameGraph;
use syncscope::place::{self, Placing};
use syncscope::run::Options;

/// A pass that renders on one queue, and one that reads it on another.
fn graph() -> Value {
    json!({
        "schema": 1,
        "queues": [
            { "name": "gfx", "type": "direct" },
            { "name": "async", "type": "compute" }
        ],
        "resources": [
            {
                "name": "gbuffer",
                "texture": { "format": "R8G8B8A8_UNORM", "width": 64, "height": 64 },
                "flags": ["RENDER_TARGET"],
                "initial": "RENDER_TARGET"
            },
            { "name": "sums", "bytes": 4096, "flags": ["UNORDERED_ACCESS"] }
        ],
        "passes": [
            {
                "name": "opaque", "queue": "gfx", "pixels": 4096,
                "uses": [{ "access": "RENDER_TARGET", "resource": "gbuffer" }]
            },
            {
                "name": "sum", "queue": "async", "groups": [8, 8, 1],
                "uses": [
                    { "access": "SHADER_RESOURCE", "resource": "gbuffer" },
                    { "access": "UNORDERED_ACCESS", "resource": "sums" }
                ]
            }
        ]
    })
}

fn text(graph: &Value) -> Result<String, String> {
    let graph = FrameGraph::read(&graph.to_string()).map_err(|it| it.to_string())?;
    graph.text().map_err(|it| it.to_string())
}

#[test]
fn two_queues_get_a_fence_and_a_change_of_the_layout() {
    let text = text(&graph()).expect("a frame graph");
    let source = Source::new("graph", text);
    let (registry, options) = (catalog::registry(), Options::default());
    let placed = place::place(&source, &[], &registry, &options, &Placing::default());
    let placed = placed.expect("it can be placed");
    assert!(placed.left.is_empty(), "{:?}", placed.left);
    assert_eq!(placed.placed.entries, 1, "{}", placed.source.text);
    assert!(placed.source.text.contains("async wait "));
    // A compute queue reads it: no layout of direct queues only.
    let to = "layout RENDER_TARGET -> SHADER_RESOURCE";
    assert!(placed.source.text.contains(to), "{}", placed.source.text);
}

/// Each with the name of its pass, resource or queue, and the wrong word.
#[test]
fn a_wrong_word_is_told_with_its_place() {
    let wrong: [(&str, Value, &[&str]); 7] = [
        (
            "/passes/0/uses/0/access",
            json!("RENDER_TARGE"),
            &[
                "unknown access `RENDER_TARGE`",
                "draw \"opaque\"",
                "RENDER_TARGET",
            ],
        ),
        (
            "/passes/0/uses/0/resource",
            json!("q"),
            &["pass `opaque` uses `q`"],
        ),
        ("/passes/1/queue", json!("x"), &["pass `sum`", "queue `x`"]),
        (
            "/resources/0/texture/format",
            json!("R8"),
            &["unknown format `R8`", "texture gbuffer"],
        ),
        (
            "/resources/0/flags/0",
            json!("RT"),
            &["unknown resource flag `RT`", "texture gbuffer"],
        ),
        (
            "/resources/0/initial",
            json!("RT"),
            &["unknown layout `RT`", "texture gbuffer"],
        ),
        (
            "/queues/1/type",
            json!("x"),
            &["unknown queue type `x`", "queue async"],
        ),
    ];
    for (at, value, words) in wrong {
        let mut graph = graph();
        *graph.pointer_mut(at).expect("it is there") = value;
        let said = text(&graph).expect_err(at);
        for word in words {
            assert!(said.contains(word), "`{word}` is not in: {said}");
        }
    }
}
