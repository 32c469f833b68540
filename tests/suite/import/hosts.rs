//! What the host waits for and asks: submissions keep their order in time, and a question orders what it found.

use super::capture::{
    COLOR_OUTPUT, Capture, LIST, QUEUE, TOP, TRANSFER, TRANSFER_READ, TRANSFER_WRITE, aspect_entry,
};
use super::{findings, import, text_of, waste};
use serde_json::json;

const SECOND_QUEUE: u64 = 6;

/// A capture with a second queue, fences 60 and 61, and buffers 10 to 12.
fn with_queues() -> Capture {
    let mut c = Capture::new();
    c.call(
        "vkGetDeviceQueue",
        json!({ "queueFamilyIndex": 0, "queueIndex": 1, "pQueue": SECOND_QUEUE }),
    );
    for fence in [60, 61] {
        c.fence(fence);
    }
    for buffer in [10, 11, 12] {
        c.buffer(buffer, 4096, 0x3);
    }
    c
}

/// Submits one fill or copy in a command buffer of its own.
fn submit(c: &mut Capture, list: u64, queue: u64, fence: u64, record: impl Fn(&mut Capture)) {
    c.call(
        "vkAllocateCommandBuffers",
        json!({ "pAllocateInfo": { "commandPool": 8, "level": 0 }, "pCommandBuffers": [list] }),
    );
    c.command("vkBeginCommandBuffer", json!({ "commandBuffer": list }));
    record(c);
    c.command("vkEndCommandBuffer", json!({ "commandBuffer": list }));
    c.call(
        "vkQueueSubmit",
        json!({ "queue": queue, "pSubmits": [{ "pCommandBuffers": [list] }], "fence": fence }),
    );
}

fn fill(c: &mut Capture, list: u64, buffer: u64) {
    c.command("vkCmdFillBuffer", json!({ "commandBuffer": list, "dstBuffer": buffer, "dstOffset": 0, "size": u64::MAX, "data": 0 }));
}

fn copy(c: &mut Capture, list: u64, (from, to): (u64, u64)) {
    c.command(
        "vkCmdCopyBuffer",
        json!({ "commandBuffer": list, "srcBuffer": from, "dstBuffer": to,
        "pRegions": [{ "srcOffset": 0, "dstOffset": 0, "size": 4096 }] }),
    );
}

/// Two queues race; the host waits for one of them between. Only a wait for the first one orders them.
#[test]
fn a_host_wait_orders_what_it_waits_for() {
    let found = |waited: Option<u64>, before: bool| {
        let mut c = with_queues();
        submit(&mut c, 70, SECOND_QUEUE, 60, |c| fill(c, 70, 10));
        submit(&mut c, 71, QUEUE, 61, |c| fill(c, 71, 12));
        let wait = |c: &mut Capture| {
            if let Some(fence) = waited {
                c.call(
                    "vkWaitForFences",
                    json!({ "pFences": [fence], "waitAll": 1 }),
                );
            }
        };
        if before {
            wait(&mut c);
        }
        submit(&mut c, 72, QUEUE, 0, |c| copy(c, 72, (10, 11)));
        if !before {
            wait(&mut c);
        }
        let text = text_of(&import(&c.text()));
        let found: Vec<String> = findings(&text).into_iter().map(|(rule, _)| rule).collect();
        (found, text)
    };
    for (waited, before, races) in [
        (None, true, true),
        (Some(61), true, true),
        (Some(60), true, false),
        (Some(60), false, true),
        (Some(61), false, true),
    ] {
        let (found, text) = found(waited, before);
        let wanted: &[&str] = if races { &["HZ201"] } else { &[] };
        assert_eq!(found, wanted, "{waited:?} {before}\n{text}");
    }
}

/// `vkGetFenceStatus` that happens to succeed orders the work that it proves finished, and nothing that was submitted after.
#[test]
fn a_question_orders_what_it_found_and_no_more() {
    let found = |asked: &str, later: bool| {
        let mut c = with_queues();
        submit(&mut c, 70, SECOND_QUEUE, 60, |c| fill(c, 70, 10));
        if later {
            submit(&mut c, 73, SECOND_QUEUE, 61, |c| fill(c, 73, 12));
        }
        c.returns("vkGetFenceStatus", asked, json!({ "fence": 60 }));
        let from = if later { 12 } else { 10 };
        submit(&mut c, 72, QUEUE, 0, |c| copy(c, 72, (from, 11)));
        let text = text_of(&import(&c.text()));
        findings(&text).len()
    };
    assert_eq!(found("VK_SUCCESS", false), 0);
    assert_eq!(found("VK_NOT_READY", false), 1);
    assert_eq!(found("VK_SUCCESS", true), 1);
}

/// A barrier across two submissions is needed whatever a question between them found; one that a wait of the host covers is not.
#[test]
fn a_barrier_is_not_redundant_because_a_question_succeeded() {
    let warned = |asks: bool| {
        let mut c = with_queues();
        submit(&mut c, 70, QUEUE, 60, |c| fill(c, 70, 10));
        if asks {
            c.returns("vkGetFenceStatus", "VK_SUCCESS", json!({ "fence": 60 }));
        } else {
            c.call("vkWaitForFences", json!({ "pFences": [60], "waitAll": 1 }));
        }
        submit(&mut c, 71, QUEUE, 0, |c| {
            c.command("vkCmdPipelineBarrier", json!({ "commandBuffer": 71, "srcStageMask": TRANSFER, "dstStageMask": TRANSFER, "dependencyFlags": 0,
                "pMemoryBarriers": [{ "srcAccessMask": TRANSFER_WRITE, "dstAccessMask": TRANSFER_READ }] }));
            copy(c, 71, (10, 11));
        });
        let text = text_of(&import(&c.text()));
        assert_eq!(findings(&text), [], "{text}");
        (waste(&text), text)
    };
    let (found, text) = warned(true);
    assert_eq!(found, [""; 0], "{text}");
    let (found, text) = warned(false);
    assert_eq!(found, ["RD101"], "{text}");
}

/// Frames of a program whose depth buffer is one for all frames; the dependency of its pass orders the frames, or not.
fn frames(source: u64, count: u64, waits: bool) -> String {
    let depth_stages = 0x300;
    let (write, both) = (0x400, 0x600);
    let mut c = Capture::new();
    c.swapchain(40, 41, 42);
    c.depth_image(20, 21, ("VK_FORMAT_D16_UNORM", 2));
    for semaphore in [50, 51] {
        c.semaphore(semaphore);
    }
    for fence in 60..60 + count {
        c.fence(fence);
    }
    c.begin();
    c.image_barrier(
        41,
        (COLOR_OUTPUT, COLOR_OUTPUT),
        (0, 0x180),
        ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
    );
    let layouts = ("UNDEFINED", "DEPTH_STENCIL_ATTACHMENT_OPTIMAL");
    let depth = aspect_entry((20, 2), (write, both), layouts);
    c.barrier((source, depth_stages), "pImageMemoryBarriers", depth);
    let attachment = |view: u64, layout: &str| {
        json!({ "imageView": view, "imageLayout": layout, "resolveMode": "VK_RESOLVE_MODE_NONE",
        "loadOp": "VK_ATTACHMENT_LOAD_OP_CLEAR", "storeOp": "VK_ATTACHMENT_STORE_OP_STORE" })
    };
    c.command(
        "vkCmdBeginRendering",
        json!({ "pRenderingInfo": { "flags": 0, "layerCount": 1,
        "pColorAttachments": [attachment(42, "VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL")],
        "pDepthAttachment": attachment(21, "VK_IMAGE_LAYOUT_DEPTH_STENCIL_ATTACHMENT_OPTIMAL") } }),
    );
    c.command("vkCmdEndRendering", json!({}));
    c.image_barrier(
        41,
        (COLOR_OUTPUT, 0x2000),
        (0x100, 0),
        ("COLOR_ATTACHMENT_OPTIMAL", "PRESENT_SRC_KHR"),
    );
    c.end();
    for frame in 0..count {
        if waits && frame > 1 {
            c.call(
                "vkWaitForFences",
                json!({ "pFences": [58 + frame], "waitAll": 1 }),
            );
        }
        c.call("vkAcquireNextImageKHR", json!({ "swapchain": 40, "semaphore": 50, "fence": "VK_NULL_HANDLE", "pImageIndex": 0 }));
        c.submit_with(json!({ "pCommandBuffers": [LIST], "pWaitSemaphores": [50], "pWaitDstStageMask": [COLOR_OUTPUT], "pSignalSemaphores": [51] }), 60 + frame);
        c.call("vkQueuePresentKHR", json!({ "queue": QUEUE, "pPresentInfo": { "pWaitSemaphores": [51], "pSwapchains": [40], "pImageIndices": [0] } }));
    }
    c.text()
}

/// Two frames in flight share a depth buffer: a dependency that does not wait for the tests of the frame before is found, with one
/// image of the swapchain too, which each frame acquires again.
#[test]
fn frames_in_flight_race_for_what_they_share() {
    let tests = 0x300;
    for (count, waits) in [(2, false), (4, true), (8, true)] {
        let text = text_of(&import(&frames(tests, count, waits)));
        assert_eq!(findings(&text), [], "{count}\n{text}");
        let text = text_of(&import(&frames(TOP, count, waits)));
        let found = findings(&text);
        assert!(
            !found.is_empty() && found.iter().all(|(rule, _)| rule.starts_with("HZ")),
            "{count}: {found:?}\n{text}"
        );
    }
}

/// A frame that begins with the acquisition of an image is after a boundary like any other.
#[test]
fn frames_that_begin_with_an_acquisition_are_boundaries() {
    let imported = import(&frames(0x300, 8, true));
    let counted = imported
        .report
        .entries
        .iter()
        .find(|entry| entry.what.contains("boundaries between submissions"));
    // Frames 2, 4 and 6 begin a scope after another one.
    assert_eq!(counted.map(|entry| entry.count), Some(3));
}

/// Lists that do the same are one, and what is allowed of one of them is allowed of it.
#[test]
fn what_is_allowed_of_one_list_is_allowed_of_those_like_it() {
    let mut c = Capture::new();
    c.buffer(10, 16384, 0x3);
    c.image(20, 21, 0x7);
    c.begin();
    c.for_transfers(20);
    c.clear(20);
    c.end();
    c.submit();
    c.submit();
    let text = text_of(&import(&c.text()));
    let found = findings(&text);
    assert!(
        found.iter().all(|(rule, _)| rule.starts_with("HZ")) && found.len() == 1,
        "{found:?}\n{text}"
    );
}
