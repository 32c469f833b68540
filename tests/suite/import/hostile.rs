//! Text that is no capture, or no more: a message, no panic, and what can be kept is kept.

use super::capture::{ALL, Capture, TRANSFER, TRANSFER_READ, TRANSFER_WRITE};
use super::{import, text_of};
use crate::sizes;
use rand::prelude::*;
use serde_json::json;

fn capture() -> Capture {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x82);
    c.image(20, 21, 0x11);
    c.pipeline(30);
    c.begin();
    c.fill(10);
    c.memory_barrier((TRANSFER, ALL), (TRANSFER_WRITE, TRANSFER_READ));
    c.image_barrier(
        20,
        (ALL, ALL),
        (0, 0x180),
        ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
    );
    c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_CLEAR", 10);
    c.end();
    c.submit();
    c.call("vkDeviceWaitIdle", json!({}));
    c
}

#[test]
fn a_changed_byte_never_panics() {
    let text = capture().text();
    for seed in sizes::CASES.seeds() {
        let mut random = StdRng::seed_from_u64(seed);
        let mut bytes = text.clone().into_bytes();
        for _ in 0..random.random_range(1..4) {
            let at = random.random_range(0..bytes.len());
            match random.random_range(0..3) {
                0 => bytes[at] = random.random_range(b' '..b'~'),
                1 => drop(bytes.remove(at)),
                _ => bytes.truncate(at.max(1)),
            }
        }
        let changed = String::from_utf8(bytes).expect("ASCII");
        // Whatever is kept is a scenario that can be read again.
        text_of(&import(&changed));
    }
}

#[test]
fn large_numbers_never_panic() {
    let text = capture().text();
    let numbers = [
        "0",
        "-1",
        "1e300",
        "4294967295",
        "18446744073709551615",
        "99999999999999999999",
        "\"VK_NULL_HANDLE\"",
        "null",
        "[]",
        "{}",
        "true",
    ];
    let mut random = StdRng::seed_from_u64(1);
    for _ in sizes::CASES.seeds() {
        let places: Vec<usize> = text.match_indices(':').map(|(at, _)| at).collect();
        let at = *places.choose(&mut random).expect("a capture has members");
        let rest = &text[at + 1..];
        let length = rest.find([',', '}', ']']).expect("a member ends");
        let number = numbers.choose(&mut random).expect("not empty");
        let changed = format!("{}{number}{}", &text[..=at], &rest[length..]);
        text_of(&import(&changed));
    }
}

#[test]
fn a_cut_line_is_named_and_the_rest_kept() {
    let text = capture().text();
    let lines = text.lines().count();
    let cut = format!("{text}{{\"index\":99,\"vkFunc\":{{\"name\":\"vkQue");
    let imported = import(&cut);
    assert_eq!(imported.report.bad_line_count, 1);
    assert_eq!(imported.report.bad_lines[0].line as usize, lines + 1);
    assert_eq!(imported.scenario, {
        let mut whole = import(&text).scenario;
        whole.title = None;
        whole
    });
}

#[test]
fn a_handle_may_be_used_again() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.begin();
    c.fill(10);
    c.end();
    c.submit();
    c.call("vkQueueWaitIdle", json!({ "queue": super::capture::QUEUE }));
    c.call("vkDestroyBuffer", json!({ "buffer": 10 }));
    c.buffer(10, 8192, 0x3);
    c.begin();
    c.fill(10);
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    assert!(
        text.contains("buffer buffer_10 : 4KiB") && text.contains("buffer buffer_10_2 : 8KiB"),
        "{text}"
    );
}
