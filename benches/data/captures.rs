//! Long captures, line by line.

use serde_json::{Value, json};
use std::fs::File;
use std::io::Read as _;
use std::path::Path;

/// Frames of a real program that go on: `vkd3d-gears` of the fixtures, whose last two frames say how numbers rise.
pub(crate) struct Frames {
    /// Lines before the last frame.
    before: Vec<String>,
    /// The last frame, and by how much each number rises with each frame after it.
    frame: Vec<(Value, Value)>,
}

/// Lines of the fixture.
fn lines() -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures/captures/vkd3d-gears/capture.jsonl.zst");
    let mut text = String::new();
    let file = File::open(path).expect("a capture");
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(file).expect("zstd");
    decoder.read_to_string(&mut text).expect("text");
    text.lines().map(str::to_owned).collect()
}

/// The frames of the fixture, and what comes after.
pub(crate) fn frames() -> Frames {
    let mut lines = lines();
    let ends: Vec<usize> = (0..lines.len())
        .filter(|at| lines[*at].contains("\"vkQueuePresentKHR\""))
        .collect();
    let [.., a, b, c] = ends[..] else {
        panic!("three frames");
    };
    lines.truncate(c + 1);
    let parse = |line: &String| serde_json::from_str(line).expect("a line is JSON");
    let last: Vec<Value> = lines[b + 1..=c].iter().map(parse).collect();
    let before: Vec<Value> = lines[a + 1..=b].iter().map(parse).collect();
    assert_eq!(last.len(), before.len(), "two frames of the same calls");
    let frame = last.iter().zip(&before);
    Frames {
        frame: frame
            .map(|(last, before)| (last.clone(), rise(before, last)))
            .collect(),
        before: lines,
    }
}

/// By how much the numbers of two values of one form differ.
fn rise(from: &Value, to: &Value) -> Value {
    match (from, to) {
        (Value::Object(from), Value::Object(to)) => to
            .iter()
            .map(|(key, to)| (key.clone(), rise(&from[key], to)))
            .collect(),
        (Value::Array(from), Value::Array(to)) => {
            let pairs = from.iter().zip(to);
            Value::Array(pairs.map(|(from, to)| rise(from, to)).collect())
        }
        (Value::Number(from), Value::Number(to)) => match (from.as_u64(), to.as_u64()) {
            (Some(from), Some(to)) => json!(to.wrapping_sub(from)),
            _ => Value::Null,
        },
        _ => Value::Null,
    }
}

/// A value so many frames later.
fn later(value: &Value, rise: &Value, frames: u64) -> Value {
    match (value, rise) {
        (Value::Object(value), Value::Object(rise)) => value
            .iter()
            .map(|(key, value)| (key.clone(), later(value, &rise[key], frames)))
            .collect(),
        (Value::Array(value), Value::Array(rise)) => {
            let pairs = value.iter().zip(rise);
            Value::Array(
                pairs
                    .map(|(value, rise)| later(value, rise, frames))
                    .collect(),
            )
        }
        (Value::Number(value), Value::Number(rise)) => match (value.as_u64(), rise.as_u64()) {
            (Some(value), Some(rise)) => json!(value.wrapping_add(rise.wrapping_mul(frames))),
            _ => json!(value),
        },
        _ => value.clone(),
    }
}

impl Frames {
    /// The fixture and so many frames more.
    pub(crate) fn take_frames(self, count: u64) -> impl Iterator<Item = String> {
        let Self { before, frame } = self;
        let calls = frame.len() as u64;
        let more = (0..count.saturating_mul(calls)).map(move |at| {
            let place = usize::try_from(at % calls).expect("a place in a frame");
            let (value, rise) = &frame[place];
            later(value, rise, at / calls + 1).to_string()
        });
        before.into_iter().chain(more)
    }
}

/// Commands of one submission.
const SUBMITTED: u64 = 1000;

/// A program of one queue whose commands all differ: copies of regions that no other copy has, dispatches of sizes that no
/// other has, and barriers between them.
pub(crate) fn commands(count: u64) -> impl Iterator<Item = String> {
    let mut before = vec![call(
        "vkGetDeviceQueue",
        &json!({ "queueFamilyIndex": 0, "queueIndex": 0, "pQueue": 4 }),
    )];
    for buffer in 10..74u64 {
        before.push(call(
            "vkCreateBuffer",
            &json!({ "pCreateInfo": { "flags": 0, "size": 1u64 << 32, "usage": 3 }, "pBuffer": buffer }),
        ));
    }
    before.push(call(
        "vkAllocateCommandBuffers",
        &json!({ "pAllocateInfo": { "commandPool": 3, "level": "VK_COMMAND_BUFFER_LEVEL_PRIMARY" }, "pCommandBuffers": [5] }),
    ));
    let list = |at: u64, count: u64| {
        let mut calls = vec![call("vkBeginCommandBuffer", &json!({ "commandBuffer": 5 }))];
        for number in at..at + count {
            calls.push(one(number));
        }
        calls.push(call("vkEndCommandBuffer", &json!({ "commandBuffer": 5 })));
        calls.push(call(
            "vkQueueSubmit",
            &json!({ "queue": 4, "pSubmits": [{ "pCommandBuffers": [5] }], "fence": 0 }),
        ));
        calls.push(call("vkQueueWaitIdle", &json!({ "queue": 4 })));
        calls
    };
    let lists = count.div_ceil(SUBMITTED);
    let all = (0..lists).flat_map(move |number| {
        let at = number * SUBMITTED;
        list(at, SUBMITTED.min(count - at))
    });
    (1u64..)
        .zip(before.into_iter().chain(all))
        .map(|(index, mut line)| {
            line["index"] = json!(index);
            line.to_string()
        })
}

/// A call that succeeds.
fn call(name: &str, args: &Value) -> Value {
    json!({ "vkFunc": { "name": name, "return": "VK_SUCCESS", "args": args } })
}

/// One of the commands.
fn one(number: u64) -> Value {
    let (from, to) = (10 + number % 32, 42 + number % 31);
    let name_and_args = if number % 4 == 3 {
        let entry = json!({ "srcAccessMask": 0x1000, "dstAccessMask": 0x1800, "buffer": to, "offset": 0, "size": u64::MAX,
            "srcQueueFamilyIndex": u32::MAX, "dstQueueFamilyIndex": u32::MAX });
        (
            "vkCmdPipelineBarrier",
            json!({ "commandBuffer": 5, "srcStageMask": 0x1000, "dstStageMask": 0x1000, "pBufferMemoryBarriers": [entry] }),
        )
    } else {
        let region = json!({ "srcOffset": number * 64, "dstOffset": number * 64, "size": 64 });
        (
            "vkCmdCopyBuffer",
            json!({ "commandBuffer": 5, "srcBuffer": from, "dstBuffer": to, "pRegions": [region] }),
        )
    };
    call(name_and_args.0, &name_and_args.1)
}
