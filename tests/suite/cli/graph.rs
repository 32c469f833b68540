//! `graph`: its nodes and edges, and what needs a machine.

use super::*;

#[test]
fn the_dependency_graph_is_printed() {
    let d = directory("graph");
    let text = "queue gfx : direct\nbuffer a : 4KiB { flags UNORDERED_ACCESS }\nlist main : direct {\n  \
                dispatch \"fill\" 1x1x1 { UNORDERED_ACCESS a writes }\n  \
                barrier { buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
                dispatch \"sum\" 1x1x1 { SHADER_RESOURCE a }\n  \
                draw \"late\" { SHADER_RESOURCE a @ PIXEL_SHADING }\n}\ntimeline { gfx execute main }\n";
    let path = file(&d, "x.scn", text);
    let (graph, output) = json(&["graph", &path, "--format", "json"]);
    assert_eq!(status(&output), Some(0));
    let edge = |from: &str, to: &str, relation: &str, reason: &str| {
        graph["edges"].as_array().expect("edges").iter().any(|e| {
            (e["from"] == from && e["to"] == to)
                && (e["relation"] == relation && e["reason"] == reason)
        })
    };
    // The fill is needed by both reads; the barrier leads only to the first.
    assert!(edge("gfx#1", "gfx#3", "needed", "covered"), "{graph:#}");
    assert!(edge("gfx#1", "gfx#4", "needed", "missing"), "{graph:#}");
    assert!(edge("gfx#1", "gfx#2.0", "asked", "barrier"), "{graph:#}");
    assert!(edge("gfx#2.0", "gfx#3", "asked", "barrier"), "{graph:#}");
    assert!(!edge("gfx#2.0", "gfx#4", "asked", "barrier"), "{graph:#}");

    let (needed, _) = json(&["graph", &path, "--format", "json", "--relation", "needed"]);
    let edges = needed["edges"].as_array().expect("edges");
    assert!(edges.len() == 2 && edges.iter().all(|e| e["relation"] == "needed"));
    let (near, _) = json(&["graph", &path, "--format", "json", "--around", "gfx#2.0"]);
    let ids: Vec<&Value> = near["nodes"]
        .as_array()
        .expect("nodes")
        .iter()
        .map(|n| &n["id"])
        .collect();
    assert!(!ids.contains(&&Value::from("gfx#4")), "{ids:?}");
    let (reduced, _) = json(&[
        "graph",
        &path,
        "--format",
        "json",
        "--relation",
        "asked",
        "--reduced",
    ]);
    let fewer = reduced["edges"].as_array().expect("edges").len();
    let (asked, _) = json(&["graph", &path, "--format", "json", "--relation", "asked"]);
    assert!(fewer < asked["edges"].as_array().expect("edges").len());
    let output = syncscope(&["graph", &path]);
    let dot = stdout(&output);
    assert!(
        dot.starts_with("digraph") && dot.contains("color=red"),
        "{dot}"
    );
    let unknown = syncscope(&["graph", &path, "--around", "gfx#9"]);
    assert_eq!(status(&unknown), Some(2));
    assert!(stderr(&unknown).contains("gfx#9"));
}

#[test]
fn the_graph_says_what_a_machine_ensures_and_what_was_paid() {
    let directory = directory("graph-machine");
    let path = file(&directory, "clean.scn", CLEAN);
    let (value, output) = json(&[
        "graph",
        &path,
        "--format",
        "json",
        "--relation",
        "asked,ensured,paid",
    ]);
    assert_eq!(status(&output), Some(0));
    let edges = value["edges"].as_array().expect("edges");
    let of = |relation: &str| {
        let edges = edges.iter().filter(|e| e["relation"] == relation);
        edges
            .map(|e| {
                (
                    e["from"].to_string(),
                    e["to"].to_string(),
                    e["reason"].to_string(),
                )
            })
            .collect::<Vec<_>>()
    };
    // The precise lowering sees to everything that was asked.
    assert_eq!(of("asked"), of("ensured"));
    // The barrier drained the writer and held the reader.
    let paid = of("paid");
    let quoted = |from: &str, to: &str, why: &str| {
        (
            format!("\"{from}\""),
            format!("\"{to}\""),
            format!("\"{why}\""),
        )
    };
    assert!(
        paid.contains(&quoted("gfx#1", "gfx#2.0", "drain")),
        "{paid:?}"
    );
    assert!(
        edges
            .iter()
            .all(|e| (e["relation"] == "paid") == e["paid_ps"].is_u64()),
        "{edges:?}"
    );

    // A lowering that forgets to invalidate leaves visibility unensured.
    let (value, _) = json(&[
        "graph",
        &path,
        "--format",
        "json",
        "--relation",
        "ensured",
        "--lowering",
        "forgets_invalidate",
    ]);
    let edges = value["edges"].as_array().expect("edges");
    assert!(edges.iter().any(|e| e["reason"] == "missing"), "{edges:?}");

    // Two queues that wait for each other: the cycle is named, and the status says so.
    let circle = "queue a : direct
queue b : compute
fence f
fence g
timeline {
  a wait g 1
  a signal f 1
  b wait f 1
  b signal g 1
}
";
    let path = file(&directory, "circle.scn", circle);
    let output = syncscope(&["graph", &path]);
    assert_eq!(status(&output), Some(1));
    assert!(
        stderr(&output).contains("deadlock: each of these waits for the next: end of a#1, end of b#2, end of b#1, end of a#2"),
        "{}",
        stderr(&output)
    );
    unusable(
        &["graph", &path, "--reduced"],
        "deadlock",
        "break the cycle",
    );
}

#[test]
fn the_graph_holds_what_is_needed_across_calls_and_fences() {
    let directory = directory("graph-across");
    let text = "queue q : direct
queue p : compute
fence f
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct { dispatch \"w\" 1x1x1 { UNORDERED_ACCESS b writes } }
list m : compute { dispatch \"r\" 1x1x1 { SHADER_RESOURCE b } }
timeline {
  q execute l
  q signal f 1
  p wait f 1
  p execute m
}
";
    let path = file(&directory, "across.scn", text);
    let (value, output) = json(&["graph", &path, "--format", "json"]);
    assert_eq!(status(&output), Some(0));
    let edges = value["edges"].as_array().expect("edges");
    // The call ends with everything finished and flushed, and the fence orders the queues: needed, and covered.
    let needed: Vec<_> = edges.iter().filter(|e| e["relation"] == "needed").collect();
    assert_eq!(needed.len(), 1, "{needed:?}");
    assert_eq!(
        (&needed[0]["from"], &needed[0]["to"], &needed[0]["reason"]),
        (&"q#1".into(), &"p#2".into(), &"covered".into())
    );
    let output = syncscope(&["graph", &path, "--around", "q#1"]);
    assert_eq!(status(&output), Some(0), "{}", stderr(&output));
}

/// The end of a scope waits for its work: that is drawn to the end of the submission, not to the command that happens to
/// be its last. What a barrier waited for is the work that ended last of the stages that it waits for, not whatever ended
/// before it.
#[test]
fn what_was_paid_is_a_wait_that_was() {
    let d = directory("graph-paid");
    let text = "queue gfx : direct\nbuffer a : 4KiB { flags UNORDERED_ACCESS }\nbuffer b : 4KiB { flags UNORDERED_ACCESS }\n\
                buffer c : 4KiB { flags UNORDERED_ACCESS }\n\
                timeline { gfx execute {\n  \
                dispatch \"a\" 1x1x1 takes 20us { UNORDERED_ACCESS a writes }\n  \
                draw \"b\" takes 10us { UNORDERED_ACCESS b @ PIXEL_SHADING writes }\n  \
                barrier { buffer b { sync PIXEL_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }\n  \
                draw \"c\" takes 60us { SHADER_RESOURCE b @ PIXEL_SHADING }\n  \
                dispatch \"d\" 1x1x1 takes 1us { UNORDERED_ACCESS c writes }\n} }\n";
    let path = file(&d, "x.scn", text);
    let (graph, output) = json(&["graph", &path, "--format", "json", "--relation", "paid"]);
    assert_eq!(status(&output), Some(0));
    let edges = graph["edges"].as_array().expect("edges");
    let edges = edges.iter().map(|e| {
        let word = |key: &str| e[key].as_str().expect("a word").to_owned();
        (word("from"), word("to"), word("reason"))
    });
    let edges: Vec<_> = edges.collect();
    let edge =
        |from: &str, to: &str, reason: &str| (from.to_owned(), to.to_owned(), reason.to_owned());
    assert_eq!(
        edges,
        [
            edge("gfx#2", "gfx#3.0", "drain"),
            edge("gfx#3.0", "gfx#4", "hold"),
            edge("gfx#4", "end of gfx#5", "scope"),
        ]
    );
    let output = syncscope(&["graph", &path, "--format", "dot", "--relation", "paid"]);
    let dot = stdout(&output);
    assert!(dot.contains(" us\""), "times as `run` prints them: {dot}");
}

/// A write after a read needs order and nothing else, also where the reader's access is one that can write.
#[test]
fn a_write_after_a_read_needs_order_whatever_the_access() {
    let d = directory("graph-order");
    for access in ["UNORDERED_ACCESS b reads", "SHADER_RESOURCE b"] {
        let text = format!(
            "buffer b : 4KiB {{ flags UNORDERED_ACCESS }}\nqueue gfx : direct\ntimeline {{ gfx execute {{\n  \
             dispatch 1x1x1 {{ {access} }}\n  \
             barrier {{ buffer b {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }} }}\n  \
             dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n}} }}\n"
        );
        let path = file(&d, "x.scn", &text);
        let (graph, _) = json(&["graph", &path, "--format", "json", "--relation", "needed"]);
        let edges = graph["edges"].as_array().expect("edges");
        let effects: Vec<&str> = edges.iter().filter_map(|e| e["effect"].as_str()).collect();
        assert_eq!(effects, ["order"], "{access}");
    }
}

/// A run beyond the clock has no end to tell of.
#[test]
fn every_command_that_simulates_refuses_a_run_beyond_the_clock() {
    let d = directory("cut");
    let text = "queue gfx : direct\nbuffer a : 4KiB { flags UNORDERED_ACCESS }\nfence f\nlist l : direct {\n  \
                dispatch \"long\" 1x1x1 takes 3600000ms { UNORDERED_ACCESS a writes }\n  \
                barrier { buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }\n}\n\
                timeline { repeat 2600 { gfx execute l; gfx signal f +1 } }\n";
    let path = file(&d, "x.scn", text);
    let message = "is longer than the machine's clock counts";
    for arguments in [
        &["run"][..],
        &["run", "--profiles", "all"],
        &["run", "--what-if"],
        &["fence"],
        &["fence", "--kinds"],
        &["graph", "--relation", "paid"],
    ] {
        let mut all = arguments.to_vec();
        all.insert(1, &path);
        unusable(&all, message, "shorten what");
    }
}
