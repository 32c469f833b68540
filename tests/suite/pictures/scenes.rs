//! Random scenes with much to draw.

use rand::prelude::*;
use std::fmt::Write as _;

/// Two queues with commands from a hundred nanoseconds to five milliseconds, barriers of every width, and a fence now and then.
pub(super) fn scene(seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut text = String::from("fence f\nqueue gfx : direct\nqueue async : compute\n");
    for name in ["a", "b", "c"] {
        let flags = "flags RENDER_TARGET; initial RENDER_TARGET";
        writeln!(text, "buffer {name} : 64KiB {{ flags UNORDERED_ACCESS }}").expect("a string");
        writeln!(
            text,
            "texture t{name} : R8G8B8A8_UNORM 256x256 {{ {flags} }}"
        )
        .expect("a string");
    }
    text.push_str("timeline {\n");
    let mut value = 0;
    for _ in 0..random.random_range(1..5) {
        let on_gfx = random.random_range(0..3) > 0;
        let queue = if on_gfx { "gfx" } else { "async" };
        writeln!(text, "  {queue} execute {{").expect("a string");
        for _ in 0..random.random_range(1..14) {
            let line = command(&mut random, on_gfx);
            writeln!(text, "    {line}").expect("a string");
        }
        text.push_str("  }\n");
        if random.random_range(0..3) == 0 {
            value += 1;
            let other = if on_gfx { "async" } else { "gfx" };
            writeln!(text, "  {queue} signal f {value}\n  {other} wait f {value}")
                .expect("a string");
        }
    }
    text.push_str("}\n");
    text
}

fn command(random: &mut StdRng, on_gfx: bool) -> String {
    let one = *["a", "b", "c"].choose(random).expect("a name");
    // From 100 ns to 5 ms, as many short ones as long ones.
    let takes = 100.0 * 50_000_f64.powf(random.random_range(0.0..1.0));
    let takes = format!("takes {takes:.0}ns");
    let shading = if on_gfx {
        "PIXEL_SHADING"
    } else {
        "COMPUTE_SHADING"
    };
    match random.random_range(0..8) {
        0 | 1 => format!("dispatch \"d {one}\" 4x1x1 {takes} {{ UNORDERED_ACCESS {one} }}"),
        2 | 3 if on_gfx => format!(
            "draw \"w {one}\" {takes} {{ SHADER_RESOURCE {one} @ PIXEL_SHADING; RENDER_TARGET t{one} }}"
        ),
        2 | 3 => format!("dispatch \"r {one}\" 4x1x1 {takes} {{ SHADER_RESOURCE {one} }}"),
        4 => "barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }".to_owned(),
        5 => format!(
            "barrier {{ buffer {one} {{ sync COMPUTE_SHADING -> {shading}; access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}"
        ),
        _ => format!(
            "barrier {{ buffer {one} {{ sync {shading} -> COMPUTE_SHADING; access SHADER_RESOURCE -> UNORDERED_ACCESS }} }}"
        ),
    }
}
