//! Barriers on the wrong resource: the name changes, and no entry is added.

use super::{on_one_queue, recovers, sampled};

const BUFFERS: &str =
    "buffer a : 4KiB { flags UNORDERED_ACCESS }\nbuffer b : 4KiB { flags UNORDERED_ACCESS }";

fn targets(created: &str) -> String {
    let one = |name: &str| {
        format!(
            "texture {name} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; {created} RENDER_TARGET }}"
        )
    };
    format!("{}\n{}", one("t"), one("u"))
}

fn buffer(name: &str) -> String {
    format!(
        "buffer {name} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }}"
    )
}

/// What is useless at one buffer is what the other one lacks; also where an entry of its own says that it is wrong there.
#[test]
fn a_barrier_names_the_buffer_that_needs_it() {
    let (a, b) = (buffer("a"), buffer("b"));
    let text = |commands: String| on_one_queue(BUFFERS, "direct", &commands);
    let alone = text(format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS a writes }}\n  barrier {{ {a} }}\n  dispatch 1x1x1 {{ SHADER_RESOURCE a }}"
    ));
    recovers(&alone, &a, &b);
    let both = text(format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS a writes; UNORDERED_ACCESS b writes }}\n  barrier {{\n    {a}\n    {b}\n  }}\n  dispatch 1x1x1 {{ SHADER_RESOURCE a; SHADER_RESOURCE b }}"
    ));
    recovers(&both, &b, &a);
    let chain = text(format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS a writes }}\n  barrier {{ {a} }}\n  dispatch 1x1x1 {{ SHADER_RESOURCE a; UNORDERED_ACCESS b writes }}\n  barrier {{ {b} }}\n  dispatch 1x1x1 {{ SHADER_RESOURCE b }}"
    ));
    recovers(&chain, &a, &b);
    recovers(&chain, &b, &a);
}

/// A texture that goes to another layout by mistake is missed there.
#[test]
fn a_barrier_names_the_texture_that_needs_it() {
    let there = sampled("");
    let back = "barrier { texture t { sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }";
    let read = "draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u }";
    let text = on_one_queue(
        &targets("initial"),
        "direct",
        &format!("  clear-rtv t\n  clear-rtv u\n  {there}\n  {read}\n  {back}\n  clear-rtv t"),
    );
    let on_other = |barrier: &str| barrier.replace("texture t", "texture u");
    recovers(&text, &there, &on_other(&there));
    recovers(&text, back, &on_other(back));
}

/// The same in legacy words.
#[test]
fn a_legacy_barrier_names_the_texture_that_needs_it() {
    let there = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    for read in [
        "draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }",
        "draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u }",
    ] {
        let commands = format!("  clear-rtv t\n  clear-rtv u\n  {there}\n  {read}");
        let text = on_one_queue(&targets("state"), "direct", &commands);
        recovers(&text, "transition t", "transition u");
    }
    let begin = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE begin }";
    let end = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE end }";
    let halves = on_one_queue(
        &targets("state"),
        "direct",
        &format!(
            "  clear-rtv t\n  {begin}\n  dispatch 1x1x1 {{ }}\n  {end}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}"
        ),
    );
    for half in [begin, end] {
        recovers(&halves, half, &half.replace("transition t", "transition u"));
    }
    let views = targets("state").replace("RENDER_TARGET", "UNORDERED_ACCESS");
    let commands = "  dispatch 1x1x1 { UNORDERED_ACCESS t }\n  legacy { uav t }\n  dispatch 1x1x1 { UNORDERED_ACCESS t }";
    recovers(&on_one_queue(&views, "direct", commands), "uav t", "uav u");
}
