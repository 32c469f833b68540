//! Copies, fills and kernels that copy: tables A2 and C.

use super::compute::UNKNOWN;
use super::rows::Row;
use super::text::{EXEC, Rebuilt, barrier, chain, global, one_list, wide};

type Text = Result<String, &'static str>;

/// Table C: operations of one kind, or of two in turn.
pub(crate) fn rebuild(row: &Row) -> Rebuilt {
    match commands(row) {
        Ok(text) => one_list(row.queue(), &text),
        Err(why) => Rebuilt::LeftOut(why),
    }
}

fn commands(row: &Row) -> Text {
    let bytes = row.number("bytes").ok_or(UNKNOWN)?;
    let Some(pattern) = row.text("pattern") else {
        return operation(row, row.text("op").ok_or(UNKNOWN)?, bytes, 0);
    };
    let (first, second) = pattern.split_once("->").ok_or(UNKNOWN)?;
    let variant = row.text("variant").ok_or(UNKNOWN)?;
    let steps = [
        operation(row, first, bytes, 0)?,
        operation(row, second, bytes, 1)?,
    ];
    let mut between = [sync(first, second, variant)?, sync(second, first, variant)?];
    if pattern == "copy->fill" {
        // These rows are the same operations and barriers in turn as `fill->copy`, begun at the other one, so no machine can
        // tell them apart. But on every queue, at every size and for every barrier they cost half of what those cost beyond no
        // barrier: one of the two barriers was not recorded, that after the fill, whose bytes no copy of theirs uses.
        between[1].clear();
    }
    let mut text = String::new();
    let n = row.number("N").ok_or(UNKNOWN)?;
    for i in 0..n {
        let place = (i % 2) as usize;
        text += &steps[place];
        if i + 1 < n {
            text += &between[place];
        }
    }
    Ok(text)
}

/// A copy, a fill or a kernel that copies.
fn operation(row: &Row, op: &str, bytes: u64, place: u64) -> Text {
    let (from, to) = if place == 0 { ("a", "b") } else { ("b", "c") };
    Ok(match op {
        "copy" => format!("copy {from}[0..{bytes}] -> {to}[0..{bytes}]\n"),
        "fill" if row.queue() == "copy" => return Err("a fill on a copy queue"),
        "fill" => format!("clear-uav {to}[0..{bytes}]\n"),
        "compute" => kernel(from, to, bytes),
        _ => return Err(UNKNOWN),
    })
}

/// Each thread copies 16 bytes.
fn kernel(from: &str, to: &str, bytes: u64) -> String {
    format!(
        "dispatch {}x1x1 threads 512 {{ SHADER_RESOURCE {from}[0..{bytes}]; UNORDERED_ACCESS {to}[0..{bytes}] writes }}\n",
        bytes.div_ceil(16 * 512)
    )
}

/// What is between two operations.
fn sync(first: &str, second: &str, variant: &str) -> Text {
    let before = |op: &str| match op {
        "fill" => ("CLEAR_UNORDERED_ACCESS_VIEW", "UNORDERED_ACCESS"),
        "compute" => ("COMPUTE_SHADING", "UNORDERED_ACCESS"),
        _ => ("COPY", "COPY_DEST"),
    };
    let after = |op: &str| match op {
        "fill" => ("CLEAR_UNORDERED_ACCESS_VIEW", "UNORDERED_ACCESS"),
        "compute" => ("COMPUTE_SHADING", "SHADER_RESOURCE|UNORDERED_ACCESS"),
        _ => ("COPY", "COPY_SOURCE|COPY_DEST"),
    };
    let ((sync1, write), (sync2, next)) = (before(first), after(second));
    let right = global((sync1, sync2), (write, next));
    Ok(match variant {
        "none" => String::new(),
        "exec" => global((sync1, sync2), EXEC),
        "right" => right,
        "right_x2" => right.repeat(2),
        "wide" => wide(),
        _ => return Err(UNKNOWN),
    })
}

/// Table A2: kernels that copy, one after the other.
pub(crate) fn kernels(row: &Row) -> Rebuilt {
    let text = || -> Text {
        let bytes = row.number("bytes").ok_or(UNKNOWN)?;
        let (Some(pattern), Some(n)) = (row.text("pattern"), row.number("N")) else {
            return Ok(kernel("a", "b", bytes));
        };
        let second = match pattern {
            "RAW x->y,y->z" => kernel("b", "c", bytes),
            "WAR+RAW x->y,y->x" => kernel("b", "a", bytes),
            "independent x->y,x->z" => kernel("a", "c", bytes),
            _ => return Err(UNKNOWN),
        };
        let between = barrier(row.text("variant").ok_or(UNKNOWN)?)?;
        let pair = kernel("a", "b", bytes) + &between + &second;
        Ok(chain(&pair, &between, n / 2))
    };
    text().map_or_else(Rebuilt::LeftOut, |text| one_list(row.queue(), &text))
}
