//! Several lists, calls and queues: tables E and Q, and what table B says about other queues.

use super::compute::UNKNOWN;
use super::rows::{Row, queue_type};
use super::text::{Measure, Rebuilt, barrier, chain, dispatch, named_list, resources, whole, wide};
use std::fmt::Write as _;

type Text = Result<String, &'static str>;

/// Tables E and Q, and `A16_other_queue_B` of table B.
pub(crate) fn rebuild(row: &Row) -> Rebuilt {
    let timed = |text: Text, measure| {
        text.map_or_else(Rebuilt::LeftOut, |text| Rebuilt::Timed(text, measure))
    };
    match row.name.as_str() {
        "batch_boundary" => timed(batch(row), Measure::Lists(0)),
        "roundtrip_same_queue_gap" => timed(round_trip(row), Measure::Gap),
        "handoff_end_to_start(cross-queue clocks)" => timed(round_trip(row), Measure::HandOff),
        "ownership_hop" => Rebuilt::LeftOut("ownership by queue families"),
        "host_submit_fence_roundtrip" | "host_submit_call" => {
            Rebuilt::LeftOut("the CPU's own time")
        }
        "A16_other_queue_B" if row.number("b_groups") == Some(2112) => {
            // Table Q repeats these with the starts noted, and there B holds A up.
            Rebuilt::LeftOut("whether both ran at once is not recorded")
        }
        "A_duration" | "A16_other_queue_B" => timed(overlap(row), Measure::Lists(0)),
        _ => Rebuilt::LeftOut(UNKNOWN),
    }
}

/// K dispatches, in lists and calls.
fn batch(row: &Row) -> Text {
    let micros = row.number("spin_us").ok_or(UNKNOWN)?;
    let k = row.number("K").and_then(|k| usize::try_from(k).ok());
    let k = k.ok_or(UNKNOWN)?;
    let queue = row.queue();
    let one = match queue {
        // What a transfer queue does for nothing is not said; the smallest copy comes nearest.
        "copy" => "copy a[0..4096] -> b[0..4096]\n".to_owned(),
        _ => dispatch(132, 128, micros),
    };
    // A step of this table costs what one to every access costs in table A.
    let between = wide();
    Ok(match row.text("mode").ok_or(UNKNOWN)? {
        "one CB, barriers" => whole(queue, &[chain(&one, &between, k as u64)], false),
        // One call of several submissions costs what one of several lists costs.
        "K CBs one submit" | "K submits one call" => {
            whole(queue, &vec![format!("{one}{between}"); k], true)
        }
        "K CBs one submit, no barriers" => whole(queue, &vec![one; k], true),
        "K calls" => whole(queue, &vec![format!("{one}{between}"); k], false),
        "K calls, no barriers" => whole(queue, &vec![one; k], false),
        "K calls timeline chain" | "K calls binary chain" => {
            let mut text = resources() + "fence f\n";
            writeln!(text, "queue q : {queue}").expect("a string");
            text += &named_list("l", queue, &one);
            text += "timeline {\n";
            for i in 0..k {
                if i > 0 {
                    writeln!(text, "  q wait f {i}").expect("a string");
                }
                writeln!(text, "  q execute l\n  q signal f {}", i + 1).expect("a string");
            }
            text + "}\n"
        }
        _ => return Err(UNKNOWN),
    })
}

/// A list on one queue, a list on another after it, and one on the first after that.
fn round_trip(row: &Row) -> Text {
    let (a, b) = row
        .text("pair")
        .and_then(|p| p.split_once('-'))
        .ok_or(UNKNOWN)?;
    let micros = row.number("spin_us").ok_or(UNKNOWN)?;
    let work = |queue: &str| match queue_type(queue) {
        "copy" => "copy a[0..4096] -> b[0..4096]\n".to_owned(),
        _ => dispatch(132, 128, micros),
    };
    let mut text = resources() + "fence f\nfence g\n";
    for (name, queue) in [("p", a), ("q", b)] {
        let kind = queue_type(queue);
        writeln!(text, "queue {name} : {kind}").expect("a string");
        text += &named_list(&format!("l{name}"), kind, &work(queue));
    }
    Ok(text
        + "timeline {\n  p execute lp\n  p signal f 1\n  q wait f 1\n  q execute lq\n  q signal g 1\n  \
           p wait g 1\n  p execute lp\n}\n")
}

/// A chain A on one queue while B runs on another. B starts as long before A as it did in the measurement.
fn overlap(row: &Row) -> Text {
    let number = |key: &str| row.number(key).ok_or(UNKNOWN);
    let pair = row.text("pair").ok_or(UNKNOWN)?;
    let (a, b) = if let Some(pair) = pair.split_once("<-") {
        pair
    } else {
        let (a, b) = pair.split_once(", ").ok_or(UNKNOWN)?;
        (a.trim_start_matches("A "), b.trim_start_matches("B "))
    };
    let (a, b) = (queue_type(a), queue_type(b));
    let variant = row.text("variant").ok_or(UNKNOWN)?.trim_start_matches("A ");
    let (variant, chained) = match variant.split_once(", B chain") {
        Some((variant, _)) => (variant, true),
        None => (variant, false),
    };
    let step = dispatch(row.number("a_groups").unwrap_or(66), 128, number("a_us")?);
    let steps = chain(&step, &barrier(variant)?, number("K")?);
    let groups = number("b_groups")?;
    let long = if chained {
        chain(
            &dispatch(groups, 128, 10),
            &barrier("mem")?,
            number("b_us")? / 10,
        )
    } else {
        dispatch(groups.max(1), 128, number("b_us")?)
    };
    let mut text = resources();
    writeln!(text, "queue p : {a}\nqueue q : {b}").expect("a string");
    text += &named_list("la", a, &steps);
    text += &named_list("lb", b, &long);
    let ahead = row.values["A_start_minus_B_start"]
        .as_u64()
        .unwrap_or(300_000);
    writeln!(
        text,
        "timeline {{\n  q execute lb\n  cpu work {ahead}ns\n  p execute la\n}}"
    )
    .expect("a string");
    Ok(text)
}
