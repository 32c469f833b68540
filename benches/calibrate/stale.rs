//! Rows about stale reads: tables S and SX.

use super::rows::Row;
use super::text::{COMPUTE, EXEC, Rebuilt, global, masks, split, whole, wide};

type Text = Result<String, &'static str>;

const UNKNOWN: &str = super::compute::UNKNOWN;

/// Tables S and SX.
pub(crate) fn rebuild(row: &Row) -> Rebuilt {
    let text = match row.table.as_str() {
        "S" => warm(row),
        _ => writers(row),
    };
    text.map_or_else(Rebuilt::LeftOut, Rebuilt::Staleness)
}

/// A read with a warm cache after a compute write and a barrier.
fn warm(row: &Row) -> Text {
    let queue = row.queue();
    let (resource, access) = match row.text("read_path").ok_or(UNKNOWN)? {
        "ssbo" => ("s", "UNORDERED_ACCESS"),
        "ssbo_readonly_restrict" | "texel_buffer" => ("s", "SHADER_RESOURCE"),
        "ubo" => ("s", "CONSTANT_BUFFER"),
        "sampled_image" => ("t", "SHADER_RESOURCE"),
        "storage_image" => ("t", "UNORDERED_ACCESS"),
        _ => return Err(UNKNOWN),
    };
    let read = match access {
        "UNORDERED_ACCESS" => format!("{access} {resource} reads"),
        _ => format!("{access} {resource}"),
    };
    let exec = global(COMPUTE, EXEC);
    let mut new_submit = false;
    let between = match row.text("barrier").ok_or(UNKNOWN)? {
        "exec" => exec.clone(),
        "exec+new submit" => {
            new_submit = true;
            exec.clone()
        }
        // Of every read access that this names, the reader's own.
        "0->C.read" => global(COMPUTE, ("NO_ACCESS", access)),
        "C.sw->0" => global(COMPUTE, ("UNORDERED_ACCESS", "NO_ACCESS")),
        "C.sw->X.r then X->C exec" => {
            masks("C.sw->X.r")? + &global(("COPY", "COMPUTE_SHADING"), EXEC)
        }
        "C.sw->X.r" => {
            let sync = ("COMPUTE_SHADING", "COPY|COMPUTE_SHADING");
            global(sync, ("UNORDERED_ACCESS", "COPY_SOURCE"))
        }
        "C.sw->INDIRECT|C" => {
            let sync = ("COMPUTE_SHADING", "EXECUTE_INDIRECT|COMPUTE_SHADING");
            global(sync, ("UNORDERED_ACCESS", "INDIRECT_ARGUMENT"))
        }
        "event exec" => {
            let (begin, end) = split("NO_ACCESS -> NO_ACCESS");
            begin + &end
        }
        // `UNORDERED_ACCESS` after a barrier reads as well as it writes.
        "C.sw->C.sw" => return Err("a write without a read: UNORDERED_ACCESS is both"),
        mask => masks(mask)?,
    };
    let warm = format!("dispatch 1x1x1 {{ {read} }}\n{exec}");
    let write = format!("dispatch 1x1x1 {{ UNORDERED_ACCESS {resource} writes }}\n");
    let last = format!("dispatch 1x1x1 {{ {read} }}\n");
    let lists = if new_submit {
        vec![format!("{warm}{write}{between}"), last]
    } else {
        vec![format!("{warm}{write}{between}{last}")]
    };
    Ok(with_texture(queue, &lists))
}

fn with_texture(queue: &str, lists: &[String]) -> String {
    let flags = "flags RENDER_TARGET|UNORDERED_ACCESS; uncompressed";
    format!(
        "texture t : R8G8B8A8_UNORM 32x32 {{ {flags} }}\ntexture u : R8G8B8A8_UNORM 32x32 {{ {flags} }}\n{}",
        whole(queue, lists, false)
    )
}

/// Other writers than compute shaders, and pixel shaders as readers.
fn writers(row: &Row) -> Text {
    let (write, before) = match row.text("writer").ok_or(UNKNOWN)? {
        "compute ssbo" => (
            "dispatch 1x1x1 { UNORDERED_ACCESS s writes }",
            ("COMPUTE_SHADING", "UNORDERED_ACCESS"),
        ),
        "fill buffer" => (
            "clear-uav s",
            ("CLEAR_UNORDERED_ACCESS_VIEW", "UNORDERED_ACCESS"),
        ),
        "copy buffer" => ("copy a[0..4KiB] -> s", ("COPY", "COPY_DEST")),
        "compute image store" => (
            "dispatch 1x1x1 { UNORDERED_ACCESS t writes }",
            ("COMPUTE_SHADING", "UNORDERED_ACCESS"),
        ),
        "draw color" => (
            "draw { RENDER_TARGET t }",
            ("RENDER_TARGET", "RENDER_TARGET"),
        ),
        "clear image" | "loadOp clear" => ("clear-rtv t", ("RENDER_TARGET", "RENDER_TARGET")),
        "update buffer" => return Err("data in the command stream itself"),
        _ => return Err(UNKNOWN),
    };
    let (read, after) = match row.text("reader").ok_or(UNKNOWN)? {
        "compute ssbo" => (
            "dispatch 1x1x1 { UNORDERED_ACCESS s reads }",
            ("COMPUTE_SHADING", "UNORDERED_ACCESS"),
        ),
        "compute ubo" => (
            "dispatch 1x1x1 { CONSTANT_BUFFER s }",
            ("COMPUTE_SHADING", "CONSTANT_BUFFER"),
        ),
        "compute texel buffer" => (
            "dispatch 1x1x1 { SHADER_RESOURCE s }",
            ("COMPUTE_SHADING", "SHADER_RESOURCE"),
        ),
        "compute sampled image" => (
            "dispatch 1x1x1 { SHADER_RESOURCE t }",
            ("COMPUTE_SHADING", "SHADER_RESOURCE"),
        ),
        "fragment sampled image" => (
            "draw { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET u }",
            ("PIXEL_SHADING", "SHADER_RESOURCE"),
        ),
        _ => return Err(UNKNOWN),
    };
    let sync = (before.0, after.0);
    let between = match row.text("barrier").ok_or(UNKNOWN)? {
        "none" => String::new(),
        "exec" | "exec+layout (opt)" => global(sync, EXEC),
        "src only" => global(sync, (before.1, "NO_ACCESS")),
        "dst only" => global(sync, ("NO_ACCESS", after.1)),
        "right" | "right+layout (opt)" => global(sync, (before.1, after.1)),
        "all" => wide(),
        _ => return Err(UNKNOWN),
    };
    let exec = global(("ALL", "ALL"), EXEC);
    let list = format!("{read}\n{exec}{write}\n{between}{read}\n");
    Ok(with_texture("direct", &[list]))
}
