//! Semaphores, fences, presents, several queues.

use super::capture::{
    ALL, COLOR_OUTPUT, COLOR_READ, COLOR_WRITE, Capture, LIST, QUEUE, TOP, TRANSFER,
    TRANSFER_WRITE, image_entry,
};
use super::{findings, import, import_with, text_of};
use serde_json::{Value, json};
use syncscope::interop::import::{Options, Window};

const CLEAR: &str = "VK_ATTACHMENT_LOAD_OP_CLEAR";
const SECOND_QUEUE: u64 = 6;
const SECOND_LIST: u64 = 7;

/// Two queues of two families, a command buffer for each, and a semaphore.
fn two_queues(flags: &[u32], timeline: bool) -> Capture {
    let mut c = Capture::new();
    c.families(flags);
    c.call(
        "vkGetDeviceQueue",
        json!({ "queueFamilyIndex": 1, "queueIndex": 0, "pQueue": SECOND_QUEUE }),
    );
    c.call("vkAllocateCommandBuffers", json!({ "pAllocateInfo": { "commandPool": 8, "level": 0 }, "pCommandBuffers": [SECOND_LIST] }));
    let next = if timeline {
        json!({ "sType": "VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO", "pNext": null, "semaphoreType": "VK_SEMAPHORE_TYPE_TIMELINE", "initialValue": 0 })
    } else {
        Value::Null
    };
    c.call(
        "vkCreateSemaphore",
        json!({ "pCreateInfo": { "pNext": next }, "pSemaphore": 9 }),
    );
    c.buffer(10, 4096, 0x3);
    c.buffer(11, 4096, 0x3);
    c.begin();
    c.fill(10);
    c.end();
    c.command(
        "vkBeginCommandBuffer",
        json!({ "commandBuffer": SECOND_LIST }),
    );
    c.command("vkCmdCopyBuffer", json!({ "commandBuffer": SECOND_LIST, "srcBuffer": 10, "dstBuffer": 11, "pRegions": [{ "srcOffset": 0, "dstOffset": 0, "size": 4096 }] }));
    c.command(
        "vkEndCommandBuffer",
        json!({ "commandBuffer": SECOND_LIST }),
    );
    c
}

#[test]
fn a_binary_semaphore_orders_two_queues() {
    for waits in [true, false] {
        let mut c = two_queues(&[7, 2], false);
        c.submit_with(
            json!({ "pCommandBuffers": [LIST], "pSignalSemaphores": [9] }),
            0,
        );
        let mut batch = json!({ "pCommandBuffers": [SECOND_LIST] });
        if waits {
            batch["pWaitSemaphores"] = json!([9]);
            batch["pWaitDstStageMask"] = json!([ALL]);
        }
        c.call(
            "vkQueueSubmit",
            json!({ "queue": SECOND_QUEUE, "pSubmits": [batch], "fence": 0 }),
        );
        let text = text_of(&import(&c.text()));
        let found = findings(&text);
        assert_eq!(found.is_empty(), waits, "{found:?}\n{text}");
        assert_eq!(text.contains("compute wait semaphore_9 1"), waits, "{text}");
        assert!(
            waits || found.iter().all(|(rule, _)| rule == "HZ201"),
            "{found:?}"
        );
    }
}

#[test]
fn a_timeline_semaphore_may_be_waited_for_before_it_is_signalled() {
    let mut c = two_queues(&[7, 2], true);
    let infos = |semaphore: &str, value: u64| json!([{ "semaphore": 9, "value": value, "stageMask": ALL, "role": semaphore }]);
    c.call("vkQueueSubmit2", json!({ "queue": SECOND_QUEUE, "pSubmits": [{
        "pWaitSemaphoreInfos": infos("wait", 5), "pCommandBufferInfos": [{ "commandBuffer": SECOND_LIST }]
    }], "fence": 0 }));
    c.call("vkQueueSubmit2", json!({ "queue": QUEUE, "pSubmits": [{
        "pCommandBufferInfos": [{ "commandBuffer": LIST }], "pSignalSemaphoreInfos": infos("signal", 5)
    }], "fence": 0 }));
    let text = text_of(&import(&c.text()));
    assert_eq!(findings(&text), [], "{text}");
    assert!(
        text.contains("compute wait semaphore_9 5")
            && text.contains("graphics signal semaphore_9 5"),
        "{text}"
    );
}

#[test]
fn ownership_is_released_and_acquired() {
    let mut c = Capture::new();
    c.families(&[7, 2]);
    c.call(
        "vkGetDeviceQueue",
        json!({ "queueFamilyIndex": 1, "queueIndex": 0, "pQueue": SECOND_QUEUE }),
    );
    c.call("vkAllocateCommandBuffers", json!({ "pAllocateInfo": { "commandPool": 8, "level": 0 }, "pCommandBuffers": [SECOND_LIST] }));
    c.semaphore(9);
    c.image(20, 21, 0x7);
    c.buffer(11, 16384, 0x3);
    c.begin();
    c.for_transfers(20);
    c.clear(20);
    let change = ("TRANSFER_DST_OPTIMAL", "TRANSFER_SRC_OPTIMAL");
    c.barrier(
        (TRANSFER, TOP << 13),
        "pImageMemoryBarriers",
        image_entry(20, (TRANSFER_WRITE, 0), change, (0, 1)),
    );
    c.end();
    c.command(
        "vkBeginCommandBuffer",
        json!({ "commandBuffer": SECOND_LIST }),
    );
    let acquire = image_entry(20, (0, 0x800), change, (0, 1));
    c.command("vkCmdPipelineBarrier", json!({ "commandBuffer": SECOND_LIST, "srcStageMask": TOP, "dstStageMask": TRANSFER, "pImageMemoryBarriers": [acquire] }));
    c.command("vkCmdCopyImageToBuffer", json!({ "commandBuffer": SECOND_LIST, "srcImage": 20, "dstBuffer": 11, "pRegions": [{
        "bufferOffset": 0, "imageSubresource": { "aspectMask": 1, "mipLevel": 0, "baseArrayLayer": 0, "layerCount": 1 },
        "imageOffset": { "x": 0, "y": 0, "z": 0 }, "imageExtent": { "width": 64, "height": 64, "depth": 1 }
    }] }));
    c.command(
        "vkEndCommandBuffer",
        json!({ "commandBuffer": SECOND_LIST }),
    );
    c.submit_with(
        json!({ "pCommandBuffers": [LIST], "pSignalSemaphores": [9] }),
        0,
    );
    let batch = json!({ "pCommandBuffers": [SECOND_LIST], "pWaitSemaphores": [9], "pWaitDstStageMask": [ALL] });
    c.call(
        "vkQueueSubmit",
        json!({ "queue": SECOND_QUEUE, "pSubmits": [batch], "fence": 0 }),
    );
    let imported = import(&c.text());
    let text = text_of(&imported);
    assert_eq!(findings(&text), [], "{text}");
    // The layout changes once.
    assert_eq!(
        text.matches("layout COPY_DEST -> COPY_SOURCE").count(),
        1,
        "{text}"
    );
    let listed = imported
        .report
        .entries
        .iter()
        .find(|entry| entry.what.contains("ownership"));
    assert_eq!(listed.map(|entry| entry.count), Some(2));
}

/// Frames of a program that draws to a swapchain of one image.
fn frames(count: u64, covers: bool, source: u64) -> Capture {
    let mut c = Capture::new();
    c.swapchain(40, 41, 42);
    c.buffer(10, 4096, 0x80);
    c.pipeline(30);
    for semaphore in [50, 51] {
        c.semaphore(semaphore);
    }
    c.fence(52);
    c.begin();
    c.image_barrier(
        41,
        (source, COLOR_OUTPUT),
        (0, COLOR_WRITE | COLOR_READ),
        ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
    );
    c.draw(30, 42, CLEAR, 10);
    c.image_barrier(
        41,
        (COLOR_OUTPUT, 0x2000),
        (COLOR_WRITE, 0),
        ("COLOR_ATTACHMENT_OPTIMAL", "PRESENT_SRC_KHR"),
    );
    c.end();
    for _ in 0..count {
        c.call("vkAcquireNextImageKHR", json!({ "swapchain": 40, "semaphore": 50, "fence": "VK_NULL_HANDLE", "pImageIndex": 0 }));
        let mut batch = json!({ "pCommandBuffers": [LIST], "pWaitSemaphores": [50], "pWaitDstStageMask": [COLOR_OUTPUT] });
        if covers {
            batch["pSignalSemaphores"] = json!([51]);
        }
        c.submit_with(batch, 52);
        let waits = if covers { json!([51]) } else { json!([]) };
        c.call("vkQueuePresentKHR", json!({ "queue": QUEUE, "pPresentInfo": { "pWaitSemaphores": waits, "pSwapchains": [40], "pImageIndices": [0] } }));
        c.call("vkWaitForFences", json!({ "pFences": [52], "waitAll": 1 }));
        c.call("vkResetFences", json!({ "pFences": [52] }));
    }
    c
}

#[test]
fn equal_frames_are_folded() {
    let imported = import(&frames(12, true, COLOR_OUTPUT).text());
    let text = text_of(&imported);
    assert_eq!(findings(&text), [], "{text}");
    let turns: u64 = text
        .lines()
        .filter_map(|line| {
            line.trim()
                .strip_prefix("repeat ")?
                .split(' ')
                .next()?
                .parse::<u64>()
                .ok()
        })
        .sum();
    assert!(turns >= 11, "{text}");
    assert!(text.lines().count() < 80, "{text}");
    assert_eq!(
        (imported.report.frames, imported.report.frames_kept),
        (12, 12)
    );
}

#[test]
fn a_present_that_waits_for_nothing_races() {
    let text = text_of(&import(&frames(2, false, COLOR_OUTPUT).text()));
    assert!(
        findings(&text).iter().any(|(rule, _)| rule == "HZ203"),
        "{text}"
    );
}

#[test]
fn a_layout_change_that_does_not_wait_for_the_acquired_image_is_found() {
    let text = text_of(&import(&frames(2, true, TOP).text()));
    let found = findings(&text);
    assert!(
        found.iter().any(|(rule, _)| rule == "HZ103"),
        "{found:?}\n{text}"
    );
}

#[test]
fn a_window_of_frames_begins_in_the_layouts_before_it() {
    let capture = frames(6, true, COLOR_OUTPUT).text();
    let options = |from, to| Options {
        window: Window { from, to },
        ..Options::default()
    };
    let imported = import_with(&capture, options(2, Some(4)));
    assert_eq!(imported.report.frames_kept, 2);
    let text = text_of(&imported);
    assert!(text.contains("initial COMMON"), "presented before: {text}");
    assert_eq!(findings(&text), [], "{text}");
    let all = import_with(&capture, options(0, None));
    assert_eq!(all.report.frames_kept, 6);
}

/// A signal comes after what was submitted before it, and not after what is submitted later: whoever waits for it races with
/// that. Spec: "Semaphore Signaling": the first scope is every command that is earlier in submission order.
#[test]
fn a_signal_does_not_come_after_later_work() {
    for timeline in [false, true] {
        let signals = |batch: &mut Value| {
            batch["pSignalSemaphores"] = json!([9]);
            if timeline {
                batch["pNext"] = json!({ "sType": "VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO", "pNext": null,
                    "waitSemaphoreValueCount": 0, "pWaitSemaphoreValues": [], "signalSemaphoreValueCount": 1, "pSignalSemaphoreValues": [1] });
            }
        };
        for first in [true, false] {
            let mut c = two_queues(&[7, 2], timeline);
            let mut work = json!({ "pCommandBuffers": [LIST] });
            let mut nothing = json!({ "pCommandBuffers": [] });
            if first {
                signals(&mut nothing);
                c.submit_with(nothing, 0);
                c.submit_with(work, 0);
            } else {
                signals(&mut work);
                c.submit_with(work, 0);
            }
            let mut batch = json!({ "pCommandBuffers": [SECOND_LIST], "pWaitSemaphores": [9], "pWaitDstStageMask": [ALL] });
            if timeline {
                batch["pNext"] = json!({ "sType": "VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO", "pNext": null,
                    "waitSemaphoreValueCount": 1, "pWaitSemaphoreValues": [1], "signalSemaphoreValueCount": 0, "pSignalSemaphoreValues": [] });
            }
            c.call(
                "vkQueueSubmit",
                json!({ "queue": SECOND_QUEUE, "pSubmits": [batch], "fence": 0 }),
            );
            let text = text_of(&import(&c.text()));
            let found: Vec<String> = findings(&text).into_iter().map(|(rule, _)| rule).collect();
            let wanted: &[&str] = if first { &["HZ201"] } else { &[] };
            assert_eq!(found, wanted, "{timeline}\n{text}");
        }
    }
}

/// A fence that nobody waits for orders nothing, and barriers go on to order across submissions.
#[test]
fn what_nobody_waits_for_does_not_end_a_scope() {
    let mut c = two_queues(&[7, 2], false);
    c.call("vkCreateFence", json!({ "pCreateInfo": {}, "pFence": 30 }));
    c.call(
        "vkAllocateCommandBuffers",
        json!({ "pAllocateInfo": { "commandPool": 8, "level": 0 }, "pCommandBuffers": [31] }),
    );
    c.command("vkBeginCommandBuffer", json!({ "commandBuffer": 31 }));
    let read = c.command(
        "vkCmdCopyBuffer",
        json!({ "commandBuffer": 31, "srcBuffer": 10, "dstBuffer": 11,
        "pRegions": [{ "srcOffset": 0, "dstOffset": 0, "size": 4096 }] }),
    );
    c.command("vkEndCommandBuffer", json!({ "commandBuffer": 31 }));
    c.submit_with(json!({ "pCommandBuffers": [LIST] }), 30);
    c.submit_with(json!({ "pCommandBuffers": [31] }), 0);
    let text = text_of(&import(&c.text()));
    assert_eq!(findings(&text), [("HZ101".to_owned(), read)], "{text}");
}
