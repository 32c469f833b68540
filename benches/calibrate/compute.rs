//! Dispatches: tables A, A3, B and W, and what table P says about times.

use super::rows::Row;
use super::text::{
    Measure, Rebuilt, barrier, chain, dispatch, dispatch_with, masks, one_list, split,
};

type Text = Result<String, &'static str>;

pub(crate) const UNKNOWN: &str = "not described well enough";

/// Tables A, A3, B (one queue), P and W.
pub(crate) fn rebuild(row: &Row) -> Rebuilt {
    if row.name == "wave_trace" {
        let text = one(row).and_then(|text| match one_list(row.queue(), &text) {
            Rebuilt::Timed(text, _) => Ok(text),
            _ => Err(UNKNOWN),
        });
        return text.map_or_else(Rebuilt::LeftOut, |t| Rebuilt::Timed(t, Measure::Command));
    }
    match commands(row) {
        Ok(text) => one_list(row.queue(), &text),
        Err(why) => Rebuilt::LeftOut(why),
    }
}

fn commands(row: &Row) -> Text {
    let number = |key: &str| row.number(key).ok_or(UNKNOWN);
    let text = |key: &str| row.text(key).ok_or(UNKNOWN);
    match (row.table.as_str(), row.name.as_str()) {
        ("A", "chain" | "chain_sweep") => {
            Ok(chain(&one(row)?, &barrier(text("variant")?)?, number("N")?))
        }
        ("A" | "A3", "mask_chain") => Ok(chain(&one(row)?, &masks(text("mask")?)?, number("N")?)),
        ("A", "barriers_only") => Ok(chain(&masks(text("mask")?)?, "", number("K")?)),
        ("A", "redundant_barriers") => {
            let between = chain(&barrier("mem")?, "", number("K")?);
            Ok(chain(&one(row)?, &between, number("N")?))
        }
        ("A", "split") => split_orders(row),
        ("A", "split_many") => {
            let a = dispatch(66, 128, number("spin_us")?);
            let others = chain(&a, "", number("K_independent")?);
            let (begin, end) = match text("mode")? {
                "event" => split("UNORDERED_ACCESS -> SHADER_RESOURCE"),
                _ => (barrier("mem")?, String::new()),
            };
            Ok(format!("{a}{begin}{others}{end}{a}"))
        }
        ("A", "indirect_chain") => {
            let sync = match text("variant")? {
                "exec" => masks("C0->INDIRECT0")?,
                "mem" => masks("C.sw->INDIRECT|C.sr")?,
                other => barrier(other)?,
            };
            let step = "execute-indirect \"d\" dispatch { INDIRECT_ARGUMENT s }\n";
            Ok(chain(step, &sync, number("N")?))
        }
        // What changes between the dispatches costs nothing there, and has no form here.
        ("A", "state_change") => Ok(chain(&dispatch(132, 128, 0), "", number("N")?)),
        ("A", "cpu_record") => Err("the CPU's own time"),
        ("A3", "event_parts") => event_parts(row),
        ("B", "A4_with_long_B") => long_between(row),
        ("B", "two_chains_alternating") => {
            let step = dispatch(66, 128, 10) + &dispatch(66, 128, number("short_long_us")?);
            Ok(chain(&step, &barrier(text("variant")?)?, number("K")?))
        }
        ("W" | "W2", _) => Ok(chain(&one(row)?, &barrier(text("variant")?)?, number("N")?)),
        ("L", _) => Err("the kernel is bound by the latency of caches"),
        ("P", _) => Err("which multiprocessor runs which group is not modelled"),
        _ => Err(UNKNOWN),
    }
}

/// The row's dispatch.
fn one(row: &Row) -> Text {
    let groups = row.number("groups").ok_or(UNKNOWN)?;
    let threads = row.number("local_size").unwrap_or(128);
    let micros = match row.text("kernel") {
        Some(kernel) => u64::from(kernel == "spin10us") * 10,
        None => row.number("spin_us").ok_or(UNKNOWN)?,
    };
    let shared = row.number("shared_bytes").unwrap_or(0);
    Ok(dispatch_with(groups, threads, shared, micros))
}

/// Table A, `split`: A, something independent, and a barrier around it, 16 times, and A again.
fn split_orders(row: &Row) -> Text {
    let number = |key: &str| row.number(key).ok_or(UNKNOWN);
    let (begin, end) = split("UNORDERED_ACCESS -> SHADER_RESOURCE");
    let mem = barrier("mem")?;
    let a = dispatch(66, 128, number("a_us")?);
    // Without a duration there is no B.
    let b = match number("b_us")? {
        0 => String::new(),
        micros => dispatch(66, 128, micros),
    };
    let step = match row.text("order").ok_or(UNKNOWN)? {
        "A,bar(no B)" => a.clone() + &mem,
        "A,B,bar" => format!("{a}{b}{mem}"),
        "A,bar,B" => format!("{a}{mem}{b}"),
        "A,setH,B,waitH" | "A,setD,B,waitD" => format!("{a}{begin}{b}{end}"),
        _ => return Err(UNKNOWN),
    };
    Ok(chain(&step, "", number("N")?) + &a)
}

/// Table A3: halves of split barriers by themselves.
fn event_parts(row: &Row) -> Text {
    let n = row.number("N").ok_or(UNKNOWN)?;
    let (begin, _) = split("UNORDERED_ACCESS -> SHADER_RESOURCE");
    match row.text("mode").ok_or(UNKNOWN)? {
        "set after each, no wait" => Ok(chain(&one(row)?, &begin, n)),
        _ => Err("half of a split barrier without the other"),
    }
}

/// Table B: a short chain with a long kernel before it or in it.
fn long_between(row: &Row) -> Text {
    let number = |key: &str| row.number(key).ok_or(UNKNOWN);
    let short = dispatch(number("groups")?, 128, number("a_us")?);
    let long = dispatch(number("groups")?, 128, number("b_us")?);
    let between = barrier(row.text("variant").ok_or(UNKNOWN)?)?;
    let mut steps = chain(&short, &between, number("K")?);
    match row.text("pos").ok_or(UNKNOWN)? {
        "B first" => steps.insert_str(0, &long),
        // Both halves of a split barrier cost as much as B: B is between them.
        _ if row.text("variant").is_some_and(|v| v.starts_with("event")) => {
            let (begin, _) = split("UNORDERED_ACCESS -> UNORDERED_ACCESS|SHADER_RESOURCE");
            steps.insert_str(short.len() + begin.len(), &long);
        }
        _ => steps.insert_str(short.len(), &long),
    }
    Ok(steps)
}
