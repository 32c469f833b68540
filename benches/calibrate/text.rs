//! Scenario text of what rows are made of.

use std::fmt::Write as _;

/// A row as a scenario, or why not.
pub(crate) enum Rebuilt {
    /// A time to compare with the measured one.
    Timed(String, Measure),
    /// Whether the last read is stale, to compare with the measured share.
    Staleness(String),
    /// Why it is left out.
    LeftOut(&'static str),
}

/// What is timed. Queues by their place in the text.
#[derive(Copy, Clone)]
pub(crate) enum Measure {
    /// From the start of a queue's first list to the end of its last, between two timestamps.
    Lists(usize),
    /// From the end of queue 0's first list to the start of its second, while another queue ran a list with timestamps.
    Gap,
    /// From the end of queue 0's first list to the start of queue 1's first.
    HandOff,
    /// The first command.
    Command,
}

pub(crate) const NO_SPELLING: &str = "no such stage or access in D3D12";

/// One list on one queue.
pub(crate) fn one_list(queue: &str, commands: &str) -> Rebuilt {
    Rebuilt::Timed(
        whole(queue, &[commands.to_owned()], false),
        Measure::Lists(0),
    )
}

/// Buffers, a queue `q`, and lists on it: in one call, or in a call each.
pub(crate) fn whole(queue: &str, lists: &[String], one_call: bool) -> String {
    let mut text = resources();
    writeln!(text, "queue q : {queue}").expect("a string");
    for (i, list) in lists.iter().enumerate() {
        text += &named_list(&format!("l{i}"), queue, list);
    }
    text.push_str("timeline {\n");
    if one_call {
        let names: Vec<_> = (0..lists.len()).map(|i| format!("l{i}")).collect();
        writeln!(text, "  q execute {}", names.join(", ")).expect("a string");
    } else {
        for i in 0..lists.len() {
            writeln!(text, "  q execute l{i}").expect("a string");
        }
    }
    text.push_str("}\n");
    text
}

pub(crate) fn resources() -> String {
    let mut text = String::new();
    for name in ["a", "b", "c"] {
        writeln!(text, "buffer {name} : 256MiB {{ flags UNORDERED_ACCESS }}").expect("a string");
    }
    text + "buffer s : 4KiB { flags UNORDERED_ACCESS }\n"
}

pub(crate) fn named_list(name: &str, queue: &str, commands: &str) -> String {
    format!("list {name} : {queue} extended-async {{\n{commands}}}\n")
}

pub(crate) fn dispatch(groups: u64, threads: u64, micros: u64) -> String {
    dispatch_with(groups, threads, 0, micros)
}

/// Groups with groupshared memory.
pub(crate) fn dispatch_with(groups: u64, threads: u64, shared: u64, micros: u64) -> String {
    let shared = match shared {
        0 => String::new(),
        bytes => format!("shared {bytes} "),
    };
    format!("dispatch {groups}x1x1 threads {threads} {shared}group-takes {micros}us {{ }}\n")
}

/// `n` steps with something between.
pub(crate) fn chain(step: &str, between: &str, n: u64) -> String {
    let mut text = String::new();
    for i in 0..n {
        text += step;
        if i + 1 < n {
            text += between;
        }
    }
    text
}

pub(crate) fn global(sync: (&str, &str), access: (&str, &str)) -> String {
    format!(
        "barrier {{ global {{ sync {} -> {}; access {} -> {} }} }}\n",
        sync.0, sync.1, access.0, access.1
    )
}

pub(crate) fn wide() -> String {
    global(("ALL", "ALL"), ("COMMON", "COMMON"))
}

pub(crate) const COMPUTE: (&str, &str) = ("COMPUTE_SHADING", "COMPUTE_SHADING");
pub(crate) const EXEC: (&str, &str) = ("NO_ACCESS", "NO_ACCESS");
const VISIBLE: (&str, &str) = ("UNORDERED_ACCESS", "UNORDERED_ACCESS|SHADER_RESOURCE");

/// The two halves of a split barrier.
pub(crate) fn split(access: &str) -> (String, String) {
    let half = |sync: &str| format!("barrier {{ buffer s {{ sync {sync}; access {access} }} }}\n");
    (
        half("COMPUTE_SHADING -> SPLIT"),
        half("SPLIT -> COMPUTE_SHADING"),
    )
}

/// The barrier variants of the chains.
pub(crate) fn barrier(variant: &str) -> Result<String, &'static str> {
    let buffer = |sync: &str, access: &str| {
        format!("barrier {{ buffer s {{ sync {sync}; access {access} }} }}\n")
    };
    let seen = "UNORDERED_ACCESS -> UNORDERED_ACCESS|SHADER_RESOURCE";
    let buf = buffer("COMPUTE_SHADING -> COMPUTE_SHADING", seen);
    Ok(match variant {
        "none" => String::new(),
        "none_none" => global(("NONE", "NONE"), EXEC),
        "exec" => global(COMPUTE, EXEC),
        "mem" | "mem16_one_call" => global(COMPUTE, VISIBLE),
        "mem16_calls" => global(COMPUTE, VISIBLE).repeat(16),
        "all" => wide(),
        "buf" | "buf16_one_call" => buf,
        "buf16_calls" => buf.repeat(16),
        "buf_all" => buffer("ALL -> ALL", "COMMON -> COMMON"),
        "event" | "event_devonly" => {
            let (begin, end) = split(seen);
            begin + &end
        }
        "bottom_top" => return Err(TOP_BOTTOM),
        _ => return Err("a barrier that is not described"),
    })
}

const TOP_BOTTOM: &str = "TOP or BOTTOM stage";
const HOST: &str = "host barrier";
const WRITES_ALONE: &str = "every write and no read: COMMON is both";

/// A barrier by its Vulkan masks in shorthand, where both sides have a D3D12 form.
pub(crate) fn masks(mask: &str) -> Result<String, &'static str> {
    let (before, after) = mask.split_once("->").ok_or(NO_SPELLING)?;
    let before = side(before.trim(), false)?;
    let after = side(after.trim().trim_end_matches("(WAR)"), true)?;
    Ok(global((before.0, after.0), (before.1, after.1)))
}

/// Stage and access of one side: `C.sw`, `ALL0`, `C0`, `X.r`, `INDIRECT`; a bare `0` is the compute stage without access.
#[allow(
    clippy::match_same_arms,
    reason = "one row a mask, in the order of the stages that it names"
)]
fn side(text: &str, after: bool) -> Result<(&'static str, &'static str), &'static str> {
    const C: &str = "COMPUTE_SHADING";
    Ok(match text {
        "0" | "C0" | "C" => (C, "NO_ACCESS"),
        "NONE" => ("NONE", "NO_ACCESS"),
        "C.sw" | "C.SHADER_W" => (C, "UNORDERED_ACCESS"),
        "C.sr" | "C.SHADER_R" | "C.sampled" => (C, "SHADER_RESOURCE"),
        "C.sr|sw" => (C, "UNORDERED_ACCESS|SHADER_RESOURCE"),
        "C.uniform" => (C, "CONSTANT_BUFFER"),
        "C.uniform|sr|sampled" => (C, "CONSTANT_BUFFER|SHADER_RESOURCE"),
        "C.mr" => (C, "COMMON"),
        "X.r" => ("COPY", "COPY_SOURCE"),
        "X.w" => ("COPY", "COPY_DEST"),
        "C|X.w" => ("COMPUTE_SHADING|COPY", "UNORDERED_ACCESS|COPY_DEST"),
        "C|X.r" => ("COMPUTE_SHADING|COPY", "SHADER_RESOURCE|COPY_SOURCE"),
        "INDIRECT" => ("EXECUTE_INDIRECT", "INDIRECT_ARGUMENT"),
        "INDIRECT|C.sr" => (
            "EXECUTE_INDIRECT|COMPUTE_SHADING",
            "INDIRECT_ARGUMENT|SHADER_RESOURCE",
        ),
        "INDIRECT0" => ("EXECUTE_INDIRECT", "NO_ACCESS"),
        "ALL0" => ("ALL", "NO_ACCESS"),
        "ALL.mr" | "ALL.mrw" => ("ALL", "COMMON"),
        "ALL.sw" => ("ALL", "UNORDERED_ACCESS"),
        "ALL.sr" => ("ALL", "SHADER_RESOURCE"),
        "VI.attr|index" => ("VERTEX_SHADING|INDEX_INPUT", "VERTEX_BUFFER|INDEX_BUFFER"),
        "FRAG.sampled" => ("PIXEL_SHADING", "SHADER_RESOURCE"),
        "FRAG" if !after => ("PIXEL_SHADING", "UNORDERED_ACCESS"),
        "FRAG" => ("PIXEL_SHADING", "SHADER_RESOURCE"),
        "VERT" if !after => ("VERTEX_SHADING", "UNORDERED_ACCESS"),
        "VERT" | "VERT.r" => ("VERTEX_SHADING", "SHADER_RESOURCE"),
        "VERT.sw" => ("VERTEX_SHADING", "UNORDERED_ACCESS"),
        "FRAG|C.sw" => ("PIXEL_SHADING|COMPUTE_SHADING", "UNORDERED_ACCESS"),
        "FRAG|C.sr" => ("PIXEL_SHADING|COMPUTE_SHADING", "SHADER_RESOURCE"),
        "CO.w" => ("RENDER_TARGET", "RENDER_TARGET"),
        "DS.w" => ("DEPTH_STENCIL", "DEPTH_STENCIL_WRITE"),
        "GFX0" => ("DRAW", "NO_ACCESS"),
        "GFX.mw" | "GFX.mr" => ("DRAW", "COMMON"),
        "ALL.mw" if !after => ("ALL", "COMMON"),
        "C.mw" if !after => (C, "COMMON"),
        "ALL.mw" | "C.mw" => return Err(WRITES_ALONE),
        "TOP" | "BOTTOM" => return Err(TOP_BOTTOM),
        text if text.contains("HOST") => return Err(HOST),
        _ => return Err(NO_SPELLING),
    })
}
