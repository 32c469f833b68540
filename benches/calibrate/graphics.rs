//! Draws, passes, transitions: table D.

use super::compute::UNKNOWN;
use super::rows::Row;
use super::text::{Measure, Rebuilt, chain, dispatch, named_list, resources, wide};
use std::fmt::Write as _;

type Text = Result<String, &'static str>;

/// Table D: one list on a direct queue with two colour textures and a depth buffer.
pub(crate) fn rebuild(row: &Row) -> Rebuilt {
    let Ok(commands) = commands(row) else {
        return Rebuilt::LeftOut(commands(row).unwrap_err());
    };
    let size = row.number("size").unwrap_or(64);
    let mut text = resources();
    for (name, initial) in [
        ("t", "RENDER_TARGET"),
        ("u", "RENDER_TARGET"),
        ("x", "COMMON"),
    ] {
        writeln!(
            text,
            "texture {name} : R8G8B8A8_UNORM {size}x{size} {{ flags RENDER_TARGET|UNORDERED_ACCESS; initial {initial} }}"
        )
        .expect("a string");
    }
    writeln!(
        text,
        "texture d : D32_FLOAT {size}x{size} {{ flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }}"
    )
    .expect("a string");
    text += "queue q : direct\n";
    text += &named_list("l", "direct", &commands);
    text += "timeline { q execute l }\n";
    Rebuilt::Timed(text, Measure::Lists(0))
}

fn commands(row: &Row) -> Text {
    let size = row.number("size").unwrap_or(0);
    let n = row.number("N").unwrap_or(1);
    let variant = row.text("variant").unwrap_or_default();
    if let Some([(one, first), (other, second)]) = two_uses(&row.name, size) {
        let (there, back) = (one.to(other, variant), other.to(one, variant));
        return Ok(chain(&format!("{first}{there}{second}"), &back, n));
    }
    let draw = draw("RENDER_TARGET t", size);
    let sample = draw_sampling(size);
    Ok(match row.name.as_str() {
        "empty" => String::new(),
        "draw_only" => draw,
        "sample_only" => sample,
        "clear_only_pass" => "clear-rtv t\n".to_owned(),
        "draw_clear_load" => format!("clear-rtv t\n{draw}"),
        "depth_draw_only" => depth_pass(size),
        "compute_imgwrite_only" => image_write(size),
        "small_pass_chain" => {
            let same = Use::TARGET;
            let between = match row.text("barrier").ok_or(UNKNOWN)? {
                "none" => String::new(),
                "all" => wide(),
                "co->co" => same.to(same, "right"),
                other => shader_stages(other)?,
            };
            chain(&draw, &between, n)
        }
        "draw_dispatch_alternate" => {
            let between = match variant {
                "none" => String::new(),
                "all" => wide(),
                _ => "barrier { global { sync ALL -> ALL; access NO_ACCESS -> NO_ACCESS } }\n"
                    .to_owned(),
            };
            let pair = format!(
                "draw vertices 3 pixels 64 {{ }}\n{between}{}",
                dispatch(1, 128, 0)
            );
            chain(&pair, &between, n / 2)
        }
        "draw_dispatch_overlap_nobarrier" => {
            let draw = "draw takes 50us { }\n";
            match row.text("order").ok_or(UNKNOWN)? {
                "draw50,dispatch50" => draw.to_owned() + &dispatch(1, 128, 50),
                _ => dispatch(1, 128, 50) + draw,
            }
        }
        "transition_only" => return transitions(row),
        "vs_fs_overlap" | "vs_fs_single" => return Err("no duration of one stage of a draw"),
        _ => return Err(UNKNOWN),
    })
}

/// The two uses of a texture between which the steps of a chain go there and back, and the commands of each.
fn two_uses(name: &str, size: u64) -> Option<[(Use, String); 2]> {
    let target = || (Use::TARGET, draw("RENDER_TARGET t", size));
    let sampled = || (Use::SAMPLED, draw_sampling(size));
    Some(match name {
        "draw_sample_chain" => [target(), sampled()],
        "depth_sample_chain" => {
            let sample = draw("SHADER_RESOURCE d @ PIXEL_SHADING; RENDER_TARGET u", size);
            [(Use::DEPTH, depth_pass(size)), (Use::DEPTH_SAMPLED, sample)]
        }
        "compute_write_frag_sample" => [(Use::WRITTEN, image_write(size)), sampled()],
        "draw_then_compute_sample" => {
            let read = format!(
                "dispatch {0}x{0}x1 threads 256 {{ SHADER_RESOURCE t }}\n",
                size.div_ceil(16)
            );
            [target(), (Use::READ, read)]
        }
        "draw_then_copy_image" => [target(), (Use::COPIED, "copy t -> x\n".to_owned())],
        _ => return None,
    })
}

fn draw(uses: &str, size: u64) -> String {
    format!("draw vertices 3 pixels {} {{ {uses} }}\n", size * size)
}

fn draw_sampling(size: u64) -> String {
    draw("SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u", size)
}

/// A pass that clears and draws: it takes twice what a pass takes that draws.
fn depth_pass(size: u64) -> String {
    format!("clear-dsv d\n{}", draw("DEPTH_STENCIL_WRITE d", size))
}

/// The time of these rows is that of launching groups of 16 x 16 threads.
fn image_write(size: u64) -> String {
    format!(
        "dispatch {0}x{0}x1 threads 256 {{ UNORDERED_ACCESS t writes }}\n",
        size.div_ceil(16)
    )
}

/// Execution barriers between shader stages.
fn shader_stages(text: &str) -> Text {
    let stage = |word: &str| match word {
        "frag" => Ok("PIXEL_SHADING"),
        "vert" => Ok("VERTEX_SHADING"),
        _ => Err(UNKNOWN),
    };
    let (before, after) = text
        .trim_start_matches("exec ")
        .split_once("->")
        .ok_or(UNKNOWN)?;
    Ok(format!(
        "barrier {{ global {{ sync {} -> {}; access NO_ACCESS -> NO_ACCESS }} }}\n",
        stage(before)?,
        stage(after)?
    ))
}

/// A use of a texture: its name, stage, access and layout.
#[derive(Copy, Clone)]
struct Use(&'static str, &'static str, &'static str, &'static str);

impl Use {
    const TARGET: Self = Self("t", "RENDER_TARGET", "RENDER_TARGET", "RENDER_TARGET");
    const SAMPLED: Self = Self("t", "PIXEL_SHADING", "SHADER_RESOURCE", "SHADER_RESOURCE");
    const READ: Self = Self("t", "COMPUTE_SHADING", "SHADER_RESOURCE", "SHADER_RESOURCE");
    const WRITTEN: Self = Self(
        "t",
        "COMPUTE_SHADING",
        "UNORDERED_ACCESS",
        "UNORDERED_ACCESS",
    );
    const COPIED: Self = Self("t", "COPY", "COPY_SOURCE", "COPY_SOURCE");
    const DEPTH: Self = Self(
        "d",
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL_WRITE",
    );
    const DEPTH_SAMPLED: Self = Self("d", "PIXEL_SHADING", "SHADER_RESOURCE", "SHADER_RESOURCE");

    /// The barrier to another use of the same texture. What Vulkan calls `GENERAL` has no form: layouts change here too.
    fn to(self, next: Self, variant: &str) -> String {
        let kind = variant.rsplit('_').next().unwrap_or(variant);
        let (sync, access) = match variant {
            _ if kind == "none" => return String::new(),
            _ if kind == "exec" => ((self.1, next.1), ("NO_ACCESS", "NO_ACCESS")),
            _ if variant.contains("wide") => (("ALL", "ALL"), ("COMMON", "COMMON")),
            _ if kind == "allgraphics" => (("DRAW", "DRAW"), ("COMMON", "COMMON")),
            "opt_dst_vert|frag" if next.1 == "PIXEL_SHADING" => {
                ((self.1, "VERTEX_SHADING|PIXEL_SHADING"), (self.2, next.2))
            }
            _ => ((self.1, next.1), (self.2, next.2)),
        };
        let layouts = if variant.contains("undef") && next.2 == "RENDER_TARGET" {
            ("UNDEFINED", next.3)
        } else {
            (self.3, next.3)
        };
        transition(self.0, sync, access, layouts)
    }
}

fn transition(
    texture: &str,
    sync: (&str, &str),
    access: (&str, &str),
    layouts: (&str, &str),
) -> String {
    let discard = if layouts.0 == "UNDEFINED" {
        "; discard"
    } else {
        ""
    };
    format!(
        "barrier {{ texture {texture} {{ sync {} -> {}; access {} -> {}; layout {} -> {}{discard} }} }}\n",
        sync.0, sync.1, access.0, access.1, layouts.0, layouts.1
    )
}

/// Transitions and nothing else. `A<->B` goes there and back.
fn transitions(row: &Row) -> Text {
    let name = row.text("transition").ok_or(UNKNOWN)?;
    let depth = name.starts_with("depth ");
    let name = name.trim_start_matches("depth ").trim_start_matches("st ");
    let layout = |word: &str| match word {
        "COLOR" => Ok("RENDER_TARGET"),
        "GENERAL" => Ok("COMMON"),
        "SHADER_READ" => Ok("SHADER_RESOURCE"),
        "TRANSFER_DST" => Ok("COPY_DEST"),
        "TRANSFER_SRC" => Ok("COPY_SOURCE"),
        "DEPTH" => Ok("DEPTH_STENCIL_WRITE"),
        "DEPTH_READ" => Ok("DEPTH_STENCIL_READ"),
        "UNDEFINED" => Ok("UNDEFINED"),
        _ => Err(UNKNOWN),
    };
    let (from, to, back) = if let Some((a, b)) = name.split_once("<->") {
        (layout(a)?, layout(b)?, true)
    } else {
        let (a, b) = name.split_once("->").ok_or(UNKNOWN)?;
        (layout(a)?, layout(b)?, false)
    };
    // Nothing has used the texture. Only what waits for nothing but colour output takes as little as these rows do.
    let (texture, own) = if depth {
        ("d", ("DEPTH_STENCIL", "DEPTH_STENCIL_WRITE"))
    } else {
        ("t", ("RENDER_TARGET", "RENDER_TARGET"))
    };
    let (sync, access) = match row.text("masks").ok_or(UNKNOWN)? {
        "ALL" => (("ALL", "ALL"), ("COMMON", "COMMON")),
        _ => ((own.0, own.0), (own.1, own.1)),
    };
    let k = row.number("K").ok_or(UNKNOWN)?;
    let mut text = String::new();
    for i in 0..k {
        let layouts = if back && i % 2 == 1 {
            (to, from)
        } else {
            (from, to)
        };
        text += &transition(texture, sync, access, layouts);
    }
    Ok(text)
}
