//! Stages without accesses: `TOP_OF_PIPE` in a second scope and `BOTTOM_OF_PIPE` in a first one are all commands and no access
//! (Vulkan: "Access Scopes"). What such a barrier writes for memory is not there, whatever its access masks say.

use super::capture::{ALL, Capture, LIST, TOP, TRANSFER, TRANSFER_READ, TRANSFER_WRITE};
use super::{findings, import, text_of};
use serde_json::json;

const BOTTOM: u64 = 0x2000;

/// A fill of a buffer, a barrier, and a copy from the buffer. The barrier's entry is for the buffer or for all memory. What is
/// found is at the copy.
fn filled_and_copied(global: bool, stages: (u64, u64), access: (u64, u64)) -> Vec<String> {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.buffer(11, 4096, 0x3);
    c.begin();
    c.fill(10);
    if global {
        c.memory_barrier(stages, access);
    } else {
        c.buffer_barrier(10, stages, access);
    }
    let copy = c.copy(10, 11, 4096);
    c.end();
    c.submit();
    let found = findings(&text_of(&import(&c.text())));
    assert!(found.iter().all(|(_, call)| *call == copy), "{found:?}");
    found.into_iter().map(|(rule, _)| rule).collect()
}

const BOTH: (u64, u64) = (TRANSFER_WRITE, TRANSFER_READ);

#[test]
fn a_stage_without_accesses_makes_nothing_available_or_visible() {
    for global in [false, true] {
        for stages in [(BOTTOM, TRANSFER), (TRANSFER, TOP), (BOTTOM, TOP)] {
            let found = filled_and_copied(global, stages, BOTH);
            assert_eq!(found, ["HZ101"], "{global} {stages:?}");
        }
        for stages in [
            (TRANSFER, TRANSFER),
            (ALL, ALL),
            (BOTTOM | TRANSFER, TRANSFER),
            (TRANSFER, TOP | TRANSFER),
        ] {
            let found = filled_and_copied(global, stages, BOTH);
            assert_eq!(found, [""; 0], "{global} {stages:?}");
        }
    }
}

/// The same of a layout change: after it the copy is not in its second scope, before it the copy's write is not in its first.
#[test]
fn a_layout_change_with_a_stage_without_accesses_is_found() {
    let found = |first: (u64, u64), second: (u64, u64)| {
        let mut c = Capture::new();
        c.buffer(11, 16384, 0x3);
        c.image(20, 21, 0x7);
        c.begin();
        c.image_barrier(
            20,
            first,
            (0, TRANSFER_WRITE),
            ("UNDEFINED", "TRANSFER_DST_OPTIMAL"),
        );
        c.clear(20);
        c.image_barrier(
            20,
            second,
            (TRANSFER_WRITE, TRANSFER_READ),
            ("TRANSFER_DST_OPTIMAL", "TRANSFER_SRC_OPTIMAL"),
        );
        c.copy_image(20, "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL", 11);
        c.end();
        c.submit();
        let text = text_of(&import(&c.text()));
        findings(&text).len()
    };
    let right = (TRANSFER, TRANSFER);
    assert_eq!(found((TOP, TRANSFER), right), 0);
    assert_eq!(found((TOP, TOP), right), 1);
    assert_eq!(found((TOP, TRANSFER), (BOTTOM, TRANSFER)), 1);
    assert_eq!(found((TOP, TRANSFER), (TRANSFER, TOP)), 1);
}

/// A queue that waits for its own semaphore waits for all its work and sees all of it, at whatever stage the wait is; a layout
/// change whose first scope is `TOP_OF_PIPE` does not come after the wait.
#[test]
fn waits_of_a_queue_for_itself_are_alike() {
    let found = |stages: u64, source: u64| {
        let mut c = Capture::new();
        c.image(20, 21, 0x7);
        c.buffer(11, 16384, 0x3);
        c.timeline(9);
        c.begin();
        c.for_transfers(20);
        c.clear(20);
        c.end();
        let infos = |stages: u64| json!([{ "semaphore": 9, "value": 1, "stageMask": stages }]);
        c.call(
            "vkQueueSubmit2",
            json!({ "queue": super::capture::QUEUE, "pSubmits": [{
            "pCommandBufferInfos": [{ "commandBuffer": LIST }], "pSignalSemaphoreInfos": infos(ALL)
        }], "fence": 0 }),
        );
        c.begin();
        c.image_barrier(
            20,
            (source, TRANSFER),
            (0, TRANSFER_READ),
            ("TRANSFER_DST_OPTIMAL", "TRANSFER_SRC_OPTIMAL"),
        );
        c.copy_image(20, "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL", 11);
        c.end();
        c.call(
            "vkQueueSubmit2",
            json!({ "queue": super::capture::QUEUE, "pSubmits": [{
            "pWaitSemaphoreInfos": infos(stages), "pCommandBufferInfos": [{ "commandBuffer": LIST }]
        }], "fence": 0 }),
        );
        let text = text_of(&import(&c.text()));
        findings(&text).len()
    };
    for stages in [TOP, ALL] {
        assert_eq!(found(stages, TOP), 1, "{stages}");
        assert_eq!(found(stages, TRANSFER), 0, "{stages}");
    }
    assert_eq!(found(TRANSFER, TRANSFER), 0);
}

/// An image that the present engine gives back, and a first barrier on it that waits for none of the stages that wait for the
/// semaphore.
#[test]
fn an_acquired_image_that_nothing_waits_for_is_held_by_the_present_engine() {
    let found = |wait: u64, source: u64| {
        let mut c = Capture::new();
        c.swapchain(40, 41, 42);
        c.buffer(11, 16384, 0x3);
        c.semaphore(50);
        c.begin();
        c.image_barrier(
            41,
            (source, TRANSFER),
            (0, TRANSFER_WRITE),
            ("UNDEFINED", "TRANSFER_DST_OPTIMAL"),
        );
        c.clear(41);
        c.end();
        c.call("vkAcquireNextImageKHR", json!({ "swapchain": 40, "semaphore": 50, "fence": "VK_NULL_HANDLE", "pImageIndex": 0 }));
        c.submit_with(json!({ "pCommandBuffers": [LIST], "pWaitSemaphores": [50], "pWaitDstStageMask": [wait] }), 0);
        let text = text_of(&import(&c.text()));
        (findings(&text).len(), text)
    };
    for (wait, source) in [
        (BOTTOM, TRANSFER),
        (BOTTOM, TOP),
        (ALL, TOP),
        (0x400, TRANSFER),
        (TOP, TOP),
    ] {
        let (count, text) = found(wait, source);
        assert_eq!(count, 1, "{wait:#x} {source:#x}\n{text}");
        assert!(text.contains("\"present engine\""), "{text}");
    }
    for (wait, source) in [
        (TRANSFER, TRANSFER),
        (ALL, TRANSFER),
        (TRANSFER, ALL),
        (TOP, TRANSFER),
    ] {
        let (count, text) = found(wait, source);
        assert_eq!(count, 0, "{wait:#x} {source:#x}\n{text}");
        assert!(!text.contains("present engine"), "{text}");
    }
}

/// A barrier for the host, and one from the host, order nothing between two commands and take nothing out of use.
#[test]
fn barriers_for_the_host_change_nothing_for_commands() {
    const HOST: u64 = 0x4000;
    let found = |barriers: [((u64, u64), (u64, u64)); 2]| {
        let mut c = Capture::new();
        c.buffer(10, 4096, 0x3);
        c.buffer(11, 4096, 0x3);
        c.begin();
        c.fill(10);
        for (stages, access) in barriers {
            c.buffer_barrier(10, stages, access);
        }
        c.copy(10, 11, 4096);
        c.end();
        c.submit();
        let text = text_of(&import(&c.text()));
        (findings(&text), text)
    };
    let needed = ((TRANSFER, TRANSFER), (TRANSFER_WRITE, TRANSFER_READ));
    let to_host = ((TRANSFER, HOST), (TRANSFER_WRITE, 0x2000));
    let from_host = ((HOST, TRANSFER), (0x4000, TRANSFER_READ));
    for other in [to_host, from_host] {
        for both in [[needed, other], [other, needed]] {
            let (found, text) = found(both);
            assert_eq!(found, [], "{text}");
        }
        let (found, text) = found([other, other]);
        assert_eq!(found.len(), 1, "{text}");
    }
}

/// A barrier without a second access is visible to nothing, at whatever stage.
#[test]
fn a_barrier_without_a_second_access_is_visible_to_nothing() {
    for global in [false, true] {
        for stage in [TRANSFER, ALL] {
            let found = filled_and_copied(global, (TRANSFER, stage), (TRANSFER_WRITE, 0));
            assert_eq!(found, ["HZ101"], "{global} {stage}");
        }
    }
}
