//! A correct capture is clean; without one of its barriers it is not, and the hazard names the call that needed it.

use super::capture::{
    ALL, COLOR_OUTPUT, COLOR_READ, COLOR_WRITE, Capture, TOP, TRANSFER, TRANSFER_READ,
    TRANSFER_WRITE, VERTEX_INPUT, VERTEX_READ,
};
use super::{findings, import, text_of};
use serde_json::json;

const CLEAR: &str = "VK_ATTACHMENT_LOAD_OP_CLEAR";

/// A capture with its barriers, and for each the rule and the call that miss it.
fn correct() -> (Capture, Vec<(u64, &'static str, u64)>) {
    let mut c = Capture::new();
    for (handle, usage) in [(10, 0x82), (11, 0x3), (12, 0x3)] {
        c.buffer(handle, 16384, usage);
    }
    c.image(20, 21, 0x11);
    c.pipeline(30);
    c.begin();
    c.fill(10);
    let vertices = c.buffer_barrier(10, (TRANSFER, VERTEX_INPUT), (TRANSFER_WRITE, VERTEX_READ));
    let target = c.image_barrier(
        20,
        (TOP, COLOR_OUTPUT),
        (0, COLOR_WRITE | COLOR_READ),
        ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
    );
    let (pass, draw) = c.draw(30, 21, CLEAR, 10);
    let source = c.image_barrier(
        20,
        (COLOR_OUTPUT, TRANSFER),
        (COLOR_WRITE, TRANSFER_READ),
        ("COLOR_ATTACHMENT_OPTIMAL", "TRANSFER_SRC_OPTIMAL"),
    );
    let read = c.copy_image(20, "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL", 11);
    let copied = c.memory_barrier((TRANSFER, TRANSFER), (TRANSFER_WRITE, TRANSFER_READ));
    let copy = c.copy(11, 12, 16384);
    let order = c.barrier(
        (TRANSFER, TRANSFER),
        "pMemoryBarriers",
        json!({ "srcAccessMask": 0, "dstAccessMask": 0 }),
    );
    let fill = c.fill(11);
    c.end();
    c.submit();
    let needs = vec![
        (vertices, "HZ101", draw),
        (target, "HZ104", pass),
        (source, "HZ104", read),
        (copied, "HZ101", copy),
        (order, "HZ102", fill),
    ];
    (c, needs)
}

#[test]
fn a_correct_capture_is_clean() {
    let (capture, _) = correct();
    let text = text_of(&import(&capture.text()));
    assert_eq!(findings(&text), [], "{text}");
}

#[test]
fn each_deleted_barrier_is_found_at_its_call() {
    let (capture, needs) = correct();
    for (barrier, rule, call) in needs {
        let text = text_of(&import(&capture.without(barrier)));
        let found = findings(&text);
        assert!(
            found.contains(&(rule.to_owned(), call)),
            "without call {barrier}: {rule} at call {call} is not in {found:?}\n{text}"
        );
    }
}

#[test]
fn a_barrier_of_too_few_stages_is_found() {
    let (capture, _) = correct();
    // The vertex buffer is made visible to the fragment shader only.
    let narrowed = capture
        .text()
        .replace("\"dstStageMask\":4,", "\"dstStageMask\":128,");
    assert_ne!(narrowed, capture.text());
    let text = text_of(&import(&narrowed));
    assert!(
        findings(&text).iter().any(|(rule, _)| rule == "HZ101"),
        "{text}"
    );
}

#[test]
fn a_load_that_was_not_made_readable_is_found() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x80);
    c.image(20, 21, 0x11);
    c.pipeline(30);
    c.begin();
    c.image_barrier(
        20,
        (TOP, COLOR_OUTPUT),
        (0, COLOR_WRITE),
        ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
    );
    let (pass, _) = c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_LOAD", 10);
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    let found = findings(&text);
    assert!(
        found
            .iter()
            .any(|(rule, call)| rule == "HZ103" && *call == pass),
        "{found:?}\n{text}"
    );
    let readable = c
        .text()
        .replace("\"dstAccessMask\":256", "\"dstAccessMask\":384");
    let text = text_of(&import(&readable));
    assert_eq!(findings(&text), [], "{text}");
}

#[test]
fn work_of_consecutive_submissions_is_one_scope() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.buffer(11, 4096, 0x3);
    c.begin();
    let copy = c.copy(10, 11, 4096);
    c.end();
    c.submit();
    c.submit();
    let text = text_of(&import(&c.text()));
    // Vulkan's submissions flush nothing between them: the second copy overwrites what the first writes.
    assert_eq!(findings(&text), [("HZ103".to_owned(), copy)], "{text}");
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.buffer(11, 4096, 0x3);
    c.begin();
    c.copy(10, 11, 4096);
    c.end();
    c.submit();
    c.call("vkQueueWaitIdle", json!({ "queue": super::capture::QUEUE }));
    c.submit();
    let text = text_of(&import(&c.text()));
    assert_eq!(findings(&text), [], "{text}");
    let _ = ALL;
}
