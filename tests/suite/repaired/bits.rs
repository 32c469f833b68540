//! Stages and accesses of which nothing is used: others take their place, and do not come next to them.

use super::{BUFFER, TARGET, expect, on_one_queue, recovers, sampled, transition};

/// A write, a barrier, and a read of a buffer.
fn text(barrier: &str, read: &str) -> String {
    let commands = format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  barrier {{ {barrier} }}\n  {read}"
    );
    on_one_queue(BUFFER, "direct", &commands)
}

#[test]
fn bits_that_serve_nothing_are_replaced() {
    let read = "dispatch 1x1x1 { SHADER_RESOURCE b }";
    let fields =
        "sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE";
    for barrier in [
        format!("buffer b {{ {fields} }}"),
        format!("global {{ {fields} }}"),
    ] {
        let right = text(&barrier, read);
        for (piece, wrong) in [
            ("sync COMPUTE_SHADING", "sync DRAW"),
            ("sync COMPUTE_SHADING", "sync PIXEL_SHADING"),
            ("-> COMPUTE_SHADING", "-> VERTEX_SHADING"),
            ("-> SHADER_RESOURCE", "-> CONSTANT_BUFFER"),
        ] {
            recovers(&right, piece, wrong);
        }
        // Both fields of a side.
        let piece = "sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS";
        let wrong = "sync COPY -> COMPUTE_SHADING; access COPY_DEST";
        recovers(&right, piece, wrong);
    }
    let vertices = "buffer b { sync COMPUTE_SHADING -> VERTEX_SHADING; access UNORDERED_ACCESS -> VERTEX_BUFFER }";
    let right = text(vertices, "draw vertices 3 { VERTEX_BUFFER b }");
    recovers(&right, "-> VERTEX_BUFFER", "-> SHADER_RESOURCE");
    let indices = "-> INDEX_INPUT; access UNORDERED_ACCESS -> INDEX_BUFFER";
    recovers(
        &right,
        "-> VERTEX_SHADING; access UNORDERED_ACCESS -> VERTEX_BUFFER",
        indices,
    );
    let commands = format!(
        "  clear-rtv t\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}",
        sampled("")
    );
    let right = on_one_queue(TARGET, "direct", &commands);
    for wrong in ["-> COMPUTE_SHADING", "-> VERTEX_SHADING"] {
        recovers(&right, "-> PIXEL_SHADING", wrong);
    }
}

/// All later uses count, not only the one that is told of.
#[test]
fn stages_that_serve_nothing_are_replaced_by_all_that_are_used() {
    let reads = "draw vertices 3 { SHADER_RESOURCE b @ PIXEL_SHADING }\n  dispatch 1x1x1 { SHADER_RESOURCE b }";
    let barrier = "buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING|COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }";
    recovers(
        &text(barrier, reads),
        "-> PIXEL_SHADING|COMPUTE_SHADING",
        "-> VERTEX_SHADING",
    );
    // What is used stays next to what is added.
    recovers(
        &text(barrier, reads),
        "-> PIXEL_SHADING|COMPUTE_SHADING",
        "-> PIXEL_SHADING",
    );
}

/// `SyncAfter NONE` next to an access: what the next barrier waits for is what was let run, and that barrier is right.
#[test]
fn none_becomes_what_the_next_barrier_waits_for() {
    let wrong = transition("", "RENDER_TARGET -> NONE");
    let right = transition("", "RENDER_TARGET -> PIXEL_SHADING");
    let back = "barrier { texture t { sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }";
    let commands = format!("  clear-rtv t\n  {wrong}\n  {back}\n  clear-rtv t");
    expect(TARGET, &commands, &[&wrong], &[&right]);
    // A use says more than a barrier after it.
    let right = transition("", "RENDER_TARGET -> COMPUTE_SHADING");
    let back = back.replace("PIXEL_SHADING", "ALL_SHADING");
    let commands = format!(
        "  clear-rtv t\n  {wrong}\n  dispatch 1x1x1 {{ SHADER_RESOURCE t }}\n  {back}\n  clear-rtv t"
    );
    expect(TARGET, &commands, &[&wrong], &[&right]);
}
