//! Random streams of one list each: table V.

use super::compute::UNKNOWN;
use super::rows::Row;
use super::text::{COMPUTE, EXEC, Measure, Rebuilt, global, named_list, resources, wide};
use std::fmt::Write as _;

type Text = Result<String, &'static str>;

/// A stream.
pub(crate) fn rebuild(row: &Row) -> Rebuilt {
    let Ok(commands) = commands(row) else {
        return Rebuilt::LeftOut(commands(row).unwrap_err());
    };
    let mut text = resources();
    text += "texture t : R8G8B8A8_UNORM 1024x1024 { flags RENDER_TARGET; initial RENDER_TARGET }\n";
    let queue = row.queue();
    writeln!(text, "queue q : {queue}").expect("a string");
    text += &named_list("l", queue, &commands);
    text += "timeline { q execute l }\n";
    Rebuilt::Timed(text, Measure::Lists(0))
}

fn commands(row: &Row) -> Text {
    let class = row.text("class").ok_or(UNKNOWN)?;
    let words = row.text("ops").ok_or(UNKNOWN)?.split_whitespace();
    let mut text = String::new();
    for word in words {
        let command = match word.split_at(1) {
            ("B", barriers) => {
                let (kind, count) = barriers.split_once('*').ok_or(UNKNOWN)?;
                let count = count.parse().map_err(|_| UNKNOWN)?;
                barrier(kind, class)?.repeat(count)
            }
            ("D", size) => dispatch(size)?,
            ("C", bytes) => format!("copy a[0..{bytes}] -> b[0..{bytes}]\n"),
            ("F", bytes) => format!("clear-uav c[0..{bytes}]\n"),
            ("G", size) => {
                let size: u64 = size.parse().map_err(|_| UNKNOWN)?;
                let pixels = size * size;
                format!("draw vertices 3 pixels {pixels} {{ RENDER_TARGET t }}\n")
            }
            _ if word.starts_with("SET") => half("COMPUTE_SHADING -> SPLIT"),
            _ if word.starts_with("WAIT") => half("SPLIT -> COMPUTE_SHADING"),
            _ => return Err(UNKNOWN),
        };
        text += &command;
    }
    Ok(text)
}

/// Groups of 128 threads that each take so many microseconds: `1320x0.5`.
fn dispatch(size: &str) -> Text {
    let (groups, micros) = size.split_once('x').ok_or(UNKNOWN)?;
    Ok(format!(
        "dispatch {groups}x1x1 threads 128 group-takes {micros}us {{ }}\n"
    ))
}

/// A half of a split barrier.
fn half(sync: &str) -> String {
    let access = "UNORDERED_ACCESS -> UNORDERED_ACCESS|SHADER_RESOURCE";
    format!("barrier {{ buffer s {{ sync {sync}; access {access} }} }}\n")
}

/// A barrier of a stream of some class.
fn barrier(kind: &str, class: &str) -> Text {
    const TRANSFER: &str = "COMPUTE_SHADING|COPY|CLEAR_UNORDERED_ACCESS_VIEW";
    const GRAPHICS: &str = "COMPUTE_SHADING|PIXEL_SHADING|RENDER_TARGET";
    let transfer = (TRANSFER, TRANSFER);
    let graphics = (GRAPHICS, GRAPHICS);
    let computed = ("UNORDERED_ACCESS", "UNORDERED_ACCESS|SHADER_RESOURCE");
    let moved = (
        "UNORDERED_ACCESS|COPY_DEST",
        "UNORDERED_ACCESS|SHADER_RESOURCE|COPY_SOURCE|COPY_DEST",
    );
    let drawn = (
        "UNORDERED_ACCESS|RENDER_TARGET",
        "UNORDERED_ACCESS|SHADER_RESOURCE|RENDER_TARGET",
    );
    Ok(match (kind, class) {
        ("exec_cx", _) => global(transfer, EXEC),
        ("exec", "graphics+compute") => global(graphics, EXEC),
        ("exec", _) => global(COMPUTE, EXEC),
        // From TOP to BOTTOM: nothing comes before, and nothing after.
        ("topbottom", _) => global(("NONE", "NONE"), EXEC),
        ("mem", "compute+transfer") => global(transfer, moved),
        ("mem", "graphics+compute") => global(graphics, drawn),
        ("mem", _) => global(COMPUTE, computed),
        ("all", _) => wide(),
        ("indirect", _) => {
            let sync = ("COMPUTE_SHADING", "EXECUTE_INDIRECT");
            global(sync, ("UNORDERED_ACCESS", "INDIRECT_ARGUMENT"))
        }
        ("host", _) => return Err("host barrier"),
        _ => return Err(UNKNOWN),
    })
}
