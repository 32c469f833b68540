//! How well the profile `hopper` predicts what was measured on one NVIDIA H100.
//!
//! `cargo bench --bench calibrate [-- PROFILE.toml]` rebuilds each measured row as a scenario, runs it on the profile under
//! the lowering `nvidia_like`, and prints for each table the median, the 90th percentile and the worst relative error, and
//! for the rows about stale reads whether both agree. Rows without a D3D12 form are left out and counted.
//!
//! What is compared: the time from the begin of the list to its end, without what submitting it costs, and with what two
//! timestamps of the measurement take.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::trace::ObservationKind;
use syncscope::{catalog, scenario, sim};

/// Two timestamps around a list, in nanoseconds: what a chain of one empty dispatch takes beyond a step of a long one.
const TIMESTAMPS_NS: f64 = 450.0;

/// A row as a scenario.
enum Rebuilt {
    /// Its time stands beside the measured one.
    Timed(String),
    /// Whether the last read is stale stands beside the measured share.
    Staleness(String),
}

fn main() {
    let measures = std::env::args().any(|arg| arg == "--bench");
    let is_profile = |arg: &String| Path::new(arg).extension().is_some_and(|e| e == "toml");
    let own = std::env::args().find(is_profile);
    let registry = catalog::registry();
    let profile = match own {
        Some(path) => {
            let text = std::fs::read_to_string(&path).expect("the profile can be read");
            Profile::parse(&text).expect("a sound profile")
        }
        None => registry.profile("hopper").expect("a built-in profile"),
    };
    let lowering = registry
        .lowering("nvidia_like")
        .expect("a built-in lowering");
    let data: Value =
        serde_json::from_str(include_str!("data/h100.json")).expect("the data is JSON");
    let rows = data["rows"].as_array().expect("rows");
    let step = if measures { 1 } else { 97 };
    let mut table: BTreeMap<String, Vec<(f64, String)>> = BTreeMap::new();
    let mut left_out: BTreeMap<String, usize> = BTreeMap::new();
    let mut stale = Vec::new();
    for row in rows.iter().step_by(step) {
        let name = row["table"].as_str().expect("a table").to_owned();
        match rebuild(row) {
            Some(Rebuilt::Timed(text)) => {
                let measured = row["median_ns"].as_f64().expect("a time");
                let error = (time_ns(&text, &profile, lowering) - measured) / measured;
                let place = format!("{} {} {measured}", row["name"], row["params"]);
                table.entry(name).or_default().push((error, place));
            }
            Some(Rebuilt::Staleness(text)) => {
                let share = row["stale_fraction"].as_f64().expect("a share");
                let ours = is_stale(&text, &profile, lowering);
                stale.push((share >= 0.01, ours, row["params"].to_string()));
            }
            None => *left_out.entry(name).or_default() += 1,
        }
    }
    print(&table, &left_out, &stale);
}

fn print(
    table: &BTreeMap<String, Vec<(f64, String)>>,
    left_out: &BTreeMap<String, usize>,
    stale: &[(bool, bool, String)],
) {
    println!("table  rows  left out   median      p90    worst  the worst row");
    for (name, errors) in table {
        let mut sizes: Vec<f64> = errors.iter().map(|(e, _)| e.abs() * 100.0).collect();
        sizes.sort_by(f64::total_cmp);
        let at = |share: f64| sizes[((sizes.len() - 1) as f64 * share).round() as usize];
        let worst = errors
            .iter()
            .max_by(|a, b| a.0.abs().total_cmp(&b.0.abs()))
            .expect("a row");
        println!(
            "{name:5} {:5} {:9} {:7.1} % {:6.1} % {:6.1} %  {}",
            errors.len(),
            left_out.get(name).copied().unwrap_or(0),
            at(0.5),
            at(0.9),
            at(1.0),
            worst.1
        );
    }
    for (name, count) in left_out
        .iter()
        .filter(|(name, _)| !table.contains_key(*name))
    {
        println!("{name:5}     - {count:9}");
    }
    if std::env::var_os("CALIBRATE_ROWS").is_some() {
        for (error, place) in table.values().flatten() {
            println!("{:8.1} %  {place}", error * 100.0);
        }
    }
    let wrong: Vec<_> = stale
        .iter()
        .filter(|(silicon, ours, _)| silicon != ours)
        .collect();
    println!(
        "stale reads: {} of {} rows agree",
        stale.len() - wrong.len(),
        stale.len()
    );
    for (silicon, _, params) in wrong {
        let word = if *silicon { "stale" } else { "fresh" };
        println!("  {word} on silicon alone: {params}");
    }
}

/// Runs a scenario; the time of its lists without their submission.
fn time_ns(text: &str, profile: &Profile, lowering: &dyn Lowering) -> f64 {
    let trace = simulate(text, profile, lowering);
    let queue = if text.contains("queue q : direct") {
        profile.costs.submit
    } else if text.contains("queue q : compute") {
        profile.costs.submit_compute
    } else {
        profile.costs.submit_copy
    };
    (trace.makespan - queue).0 as f64 / 1000.0 + TIMESTAMPS_NS
}

fn is_stale(text: &str, profile: &Profile, lowering: &dyn Lowering) -> bool {
    let trace = simulate(text, profile, lowering);
    let kinds = [ObservationKind::Stale, ObservationKind::Early];
    trace.observations.iter().any(|o| kinds.contains(&o.kind))
}

fn simulate(text: &str, profile: &Profile, lowering: &dyn Lowering) -> syncscope::trace::Trace {
    let (scenario, findings) = scenario::parse(&Source::new("row.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let program = lowering.lower(&Timeline::new(&scenario), profile);
    let options = sim::Options {
        spans: false,
        ..sim::Options::default()
    };
    sim::simulate(&program, profile, &options)
}

/// A row as a scenario; `None` if D3D12 has no form of it, or its kernel is not described.
fn rebuild(row: &Value) -> Option<Rebuilt> {
    let params = &row["params"];
    let text = |key: &str| params[key].as_str();
    let number = |key: &str| params[key].as_u64();
    let queue = match text("queue") {
        Some("comp0") => "compute",
        Some("xfer0") => "copy",
        _ => "direct",
    };
    let commands = match (row["table"].as_str()?, row["name"].as_str()?) {
        ("A", "chain") => {
            let micros = u64::from(text("kernel")? == "spin10us") * 10;
            let dispatch = dispatch(number("groups")?, 128, micros);
            chain(&dispatch, &barrier(text("variant")?)?, number("N")?)
        }
        ("A", "chain_sweep") => {
            let dispatch = dispatch(number("groups")?, 128, number("spin_us")?);
            chain(&dispatch, &barrier(text("variant")?)?, number("N")?)
        }
        ("A" | "A3", "mask_chain") => {
            let dispatch = dispatch(number("groups")?, 128, number("spin_us")?);
            chain(&dispatch, &masks(text("mask")?, queue)?, number("N")?)
        }
        ("A", "redundant_barriers") => {
            let dispatch = dispatch(number("groups")?, 128, number("spin_us")?);
            let between = barrier("mem")?.repeat(number("K")? as usize);
            chain(&dispatch, &between, number("N")?)
        }
        ("B", "A4_with_long_B") => {
            let short = dispatch(number("groups")?, 128, number("a_us")?);
            let long = dispatch(number("groups")?, 128, number("b_us")?);
            let between = barrier(text("variant")?)?;
            let mut steps = chain(&short, &between, number("K")?);
            match text("pos")? {
                "B first" => steps.insert_str(0, &long),
                _ => steps.insert_str(short.len(), &long),
            }
            steps
        }
        ("W", _) => {
            if number("shared_bytes")? != 0 {
                return None;
            }
            let one = dispatch(number("groups")?, number("local_size")?, number("spin_us")?);
            chain(&one, &barrier(text("variant")?)?, number("N")?)
        }
        ("C", _) => {
            let bytes = number("bytes")?;
            let n = number("N").unwrap_or(1);
            let (first, second) = match text("op") {
                Some(op) => (op, op),
                None => text("pattern")?.split_once("->")?,
            };
            if queue == "copy" && (first == "fill" || second == "fill") {
                return None;
            }
            let (a, b) = (moved(first, bytes, 0)?, moved(second, bytes, 1)?);
            let between = copy_barriers(first, second, text("variant").unwrap_or("none"));
            let mut steps = String::new();
            for i in 0..n {
                steps += if i % 2 == 0 { &a } else { &b };
                if i + 1 < n {
                    steps += &between[(i % 2) as usize];
                }
            }
            steps
        }
        ("E", "batch_boundary") => return batch(params, queue),
        ("D", "transition_only") => return None,
        ("S", _) => return staleness(params, queue),
        ("SX", _) => return staleness_of_writers(params),
        _ => return None,
    };
    Some(Rebuilt::Timed(whole(queue, &[commands], "")))
}

fn whole(queue: &str, lists: &[String], between: &str) -> String {
    let mut text = format!(
        "buffer a : 64MiB {{ flags UNORDERED_ACCESS }}\nbuffer b : 64MiB {{ flags UNORDERED_ACCESS }}\n\
         buffer c : 64MiB {{ flags UNORDERED_ACCESS }}\nbuffer s : 4KiB {{ flags UNORDERED_ACCESS }}\n\
         queue q : {queue}\n"
    );
    for (i, list) in lists.iter().enumerate() {
        writeln!(text, "list l{i} : {queue} extended-async {{\n{list}}}").expect("a string");
    }
    text.push_str("timeline {\n");
    if between == "one call" {
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

fn dispatch(groups: u64, threads: u64, micros: u64) -> String {
    format!("dispatch {groups}x1x1 threads {threads} group-takes {micros}us {{ }}\n")
}

fn chain(step: &str, between: &str, n: u64) -> String {
    let mut text = String::new();
    for i in 0..n {
        text += step;
        if i + 1 < n {
            text += between;
        }
    }
    text
}

fn global(sync: (&str, &str), access: (&str, &str)) -> String {
    format!(
        "barrier {{ global {{ sync {} -> {}; access {} -> {} }} }}\n",
        sync.0, sync.1, access.0, access.1
    )
}

const COMPUTE: (&str, &str) = ("COMPUTE_SHADING", "COMPUTE_SHADING");
const VISIBLE: (&str, &str) = ("UNORDERED_ACCESS", "UNORDERED_ACCESS|SHADER_RESOURCE");

/// The barrier variants of the chains.
fn barrier(variant: &str) -> Option<String> {
    let buffer = |sync: &str, access: &str| {
        format!("barrier {{ buffer s {{ sync {sync}; access {access} }} }}\n")
    };
    Some(match variant {
        "none" => String::new(),
        "exec" => global(COMPUTE, ("NO_ACCESS", "NO_ACCESS")),
        "mem" | "mem16_one_call" => global(COMPUTE, VISIBLE),
        "mem16_calls" => global(COMPUTE, VISIBLE).repeat(16),
        "all" => global(("ALL", "ALL"), ("COMMON", "COMMON")),
        "buf" | "buf16_one_call" => buffer(
            "COMPUTE_SHADING -> COMPUTE_SHADING",
            "UNORDERED_ACCESS -> UNORDERED_ACCESS|SHADER_RESOURCE",
        ),
        "buf_all" => buffer("ALL -> ALL", "COMMON -> COMMON"),
        _ => return None,
    })
}

/// A barrier by its Vulkan masks in shorthand, where both sides have a D3D12 form.
fn masks(mask: &str, queue: &str) -> Option<String> {
    let (before, after) = mask.split_once("->")?;
    let before = side(before.trim(), false, queue)?;
    let after = side(after.trim(), true, queue)?;
    Some(global((&before.0, &after.0), (&before.1, &after.1)))
}

/// Stage and access of one side: `C.sw`, `ALL0`, `C0`, `X.r`, `INDIRECT`.
fn side(text: &str, after: bool, queue: &str) -> Option<(String, String)> {
    let (sync, access) = match text {
        "C0" => ("COMPUTE_SHADING", "NO_ACCESS"),
        "C.sw" | "C.SHADER_W" => ("COMPUTE_SHADING", "UNORDERED_ACCESS"),
        "C.sr" | "C.SHADER_R" if after => ("COMPUTE_SHADING", "SHADER_RESOURCE"),
        "C.sr" => ("COMPUTE_SHADING", "SHADER_RESOURCE"),
        "C.sr|sw" => ("COMPUTE_SHADING", "UNORDERED_ACCESS|SHADER_RESOURCE"),
        "C.uniform" => ("COMPUTE_SHADING", "CONSTANT_BUFFER"),
        "C.sampled" => ("COMPUTE_SHADING", "SHADER_RESOURCE"),
        "C.uniform|sr|sampled" => ("COMPUTE_SHADING", "CONSTANT_BUFFER|SHADER_RESOURCE"),
        "X.r" => ("COPY", "COPY_SOURCE"),
        "X.w" => ("COPY", "COPY_DEST"),
        "INDIRECT" => ("EXECUTE_INDIRECT", "INDIRECT_ARGUMENT"),
        "INDIRECT|C.sr" => (
            "EXECUTE_INDIRECT|COMPUTE_SHADING",
            "INDIRECT_ARGUMENT|SHADER_RESOURCE",
        ),
        "INDIRECT0" => ("EXECUTE_INDIRECT", "NO_ACCESS"),
        "ALL0" => ("ALL", "NO_ACCESS"),
        "ALL.mw" if !after => ("ALL", "COMMON"),
        "ALL.mr" | "ALL.mrw" if after => ("ALL", "COMMON"),
        "ALL.mr" => ("ALL", "COMMON"),
        "VI.attr|index" if queue == "direct" => {
            ("VERTEX_SHADING|INDEX_INPUT", "VERTEX_BUFFER|INDEX_BUFFER")
        }
        "FRAG.sampled" if queue == "direct" => ("PIXEL_SHADING", "SHADER_RESOURCE"),
        "VERT.r" if queue == "direct" => ("VERTEX_SHADING", "SHADER_RESOURCE"),
        "CO.w" if queue == "direct" => ("RENDER_TARGET", "RENDER_TARGET"),
        _ => return None,
    };
    Some((sync.to_owned(), access.to_owned()))
}

/// One operation of table C; the kernel `compute` is not described, so it has no form.
fn moved(op: &str, bytes: u64, place: u64) -> Option<String> {
    let (from, to) = if place == 0 { ("a", "b") } else { ("b", "c") };
    Some(match op {
        "copy" => format!("copy {from}[0..{bytes}] -> {to}[0..{bytes}]\n"),
        "fill" => format!("clear-uav {to}[0..{bytes}]\n"),
        _ => return None,
    })
}

fn copy_barriers(first: &str, second: &str, variant: &str) -> [String; 2] {
    let stage = |op: &str| match op {
        "fill" => (
            "CLEAR_UNORDERED_ACCESS_VIEW",
            "UNORDERED_ACCESS",
            "UNORDERED_ACCESS",
        ),
        _ => ("COPY", "COPY_DEST", "COPY_SOURCE|COPY_DEST"),
    };
    let between = |one: &str, two: &str| {
        let ((sync1, write, _), (sync2, _, next)) = (stage(one), stage(two));
        let right = global((sync1, sync2), (write, next));
        match variant {
            "none" => String::new(),
            "exec" => global((sync1, sync2), ("NO_ACCESS", "NO_ACCESS")),
            "right_x2" => right.repeat(2),
            "wide" => global(("ALL", "ALL"), ("COMMON", "COMMON")),
            _ => right,
        }
    };
    [between(first, second), between(second, first)]
}

/// Command buffers and submits.
fn batch(params: &Value, queue: &str) -> Option<Rebuilt> {
    let micros = params["spin_us"].as_u64()?;
    let k = params["K"].as_u64()? as usize;
    if queue == "copy" {
        return None;
    }
    let one = dispatch(132, 128, micros);
    // The barriers of this table cost what one to every access costs.
    let mem = barrier("all")?;
    let text = match params["mode"].as_str()? {
        "one CB, barriers" => whole(queue, &[chain(&one, &mem, k as u64)], ""),
        "K CBs one submit" => whole(queue, &vec![format!("{one}{mem}"); k], "one call"),
        "K CBs one submit, no barriers" => whole(queue, &vec![one; k], "one call"),
        "K calls" => whole(queue, &vec![format!("{one}{mem}"); k], ""),
        "K calls, no barriers" => whole(queue, &vec![one; k], ""),
        _ => return None,
    };
    Some(Rebuilt::Timed(text))
}

/// A read with a warm cache after a compute write and a barrier.
fn staleness(params: &Value, queue: &str) -> Option<Rebuilt> {
    let (resource, read) = match params["read_path"].as_str()? {
        "ssbo" => ("s", "UNORDERED_ACCESS s reads"),
        "ssbo_readonly_restrict" | "texel_buffer" => ("s", "SHADER_RESOURCE s"),
        "ubo" => ("s", "CONSTANT_BUFFER s"),
        "sampled_image" => ("t", "SHADER_RESOURCE t"),
        "storage_image" => ("t", "UNORDERED_ACCESS t reads"),
        _ => return None,
    };
    let exec = global(COMPUTE, ("NO_ACCESS", "NO_ACCESS"));
    let mut split = false;
    let between = match params["barrier"].as_str()? {
        "exec" => exec.clone(),
        "exec+new submit" => {
            split = true;
            exec.clone()
        }
        "0->C.read" => global(
            COMPUTE,
            (
                "NO_ACCESS",
                "CONSTANT_BUFFER|SHADER_RESOURCE|UNORDERED_ACCESS",
            ),
        ),
        "C.sw->0" => global(COMPUTE, ("UNORDERED_ACCESS", "NO_ACCESS")),
        "C.sw->X.r then X->C exec" => {
            masks("C.sw->X.r", queue)?
                + &global(("COPY", "COMPUTE_SHADING"), ("NO_ACCESS", "NO_ACCESS"))
        }
        "C.sw->X.r" => {
            let sync = ("COMPUTE_SHADING", "COPY|COMPUTE_SHADING");
            global(sync, ("UNORDERED_ACCESS", "COPY_SOURCE"))
        }
        "C.sw->INDIRECT|C" => {
            let sync = ("COMPUTE_SHADING", "EXECUTE_INDIRECT|COMPUTE_SHADING");
            global(sync, ("UNORDERED_ACCESS", "INDIRECT_ARGUMENT"))
        }
        // `UNORDERED_ACCESS` after a barrier reads as well as it writes: the write alone has no form.
        "C.sw->C.sw" | "ALL.mw->ALL.mw" => return None,
        mask => masks(mask, queue)?,
    };
    let warm = format!("dispatch 1x1x1 {{ {read} }}\n{exec}");
    let write = format!("dispatch 1x1x1 {{ UNORDERED_ACCESS {resource} writes }}\n");
    let last = format!("dispatch 1x1x1 {{ {read} }}\n");
    let lists = if split {
        vec![format!("{warm}{write}{between}"), last]
    } else {
        vec![format!("{warm}{write}{between}{last}")]
    };
    Some(Rebuilt::Staleness(with_texture(queue, &lists)))
}

fn with_texture(queue: &str, lists: &[String]) -> String {
    let flags = "flags RENDER_TARGET|UNORDERED_ACCESS; uncompressed";
    format!(
        "texture t : R8G8B8A8_UNORM 32x32 {{ {flags} }}\ntexture u : R8G8B8A8_UNORM 32x32 {{ {flags} }}\n{}",
        whole(queue, lists, "")
    )
}

/// Other writers than compute shaders, and pixel shaders as readers.
fn staleness_of_writers(params: &Value) -> Option<Rebuilt> {
    let (write, before) = match params["writer"].as_str()? {
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
        // Data in the command stream itself.
        _ => return None,
    };
    let (read, after) = match params["reader"].as_str()? {
        "compute ssbo" => (
            "dispatch 1x1x1 { UNORDERED_ACCESS s reads }",
            ("COMPUTE_SHADING", "SHADER_RESOURCE"),
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
        _ => return None,
    };
    let sync = (before.0, after.0);
    let between = match params["barrier"].as_str()? {
        "none" => String::new(),
        "exec" | "exec+layout (opt)" => global(sync, ("NO_ACCESS", "NO_ACCESS")),
        "src only" => global(sync, (before.1, "NO_ACCESS")),
        "dst only" => global(sync, ("NO_ACCESS", after.1)),
        "right" | "right+layout (opt)" => global(sync, (before.1, after.1)),
        "all" => global(("ALL", "ALL"), ("COMMON", "COMMON")),
        _ => return None,
    };
    let exec = global(("ALL", "ALL"), ("NO_ACCESS", "NO_ACCESS"));
    let list = format!("{read}\n{exec}{write}\n{between}{read}\n");
    Some(Rebuilt::Staleness(with_texture("direct", &[list])))
}
