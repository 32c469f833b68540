//! What Vulkan says of parts, and D3D12 says otherwise or cannot say: writes that share no byte, slices of a volume, layout
//! changes that are visible to nothing, passes that nothing orders.

use super::capture::{
    COLOR_OUTPUT, COLOR_READ, COLOR_WRITE, Capture, TOP, TRANSFER, TRANSFER_READ, TRANSFER_WRITE,
};
use super::{doubts, findings, import, text_of};
use serde_json::json;

const CLEAR: &str = "VK_ATTACHMENT_LOAD_OP_CLEAR";
const ATTACHMENT: &str = "COLOR_ATTACHMENT_OPTIMAL";
const SOURCE: &str = "TRANSFER_SRC_OPTIMAL";

fn fill(c: &mut Capture, offset: u64, size: u64) -> u64 {
    c.command(
        "vkCmdFillBuffer",
        json!({ "dstBuffer": 10, "dstOffset": offset, "size": size, "data": 0 }),
    )
}

/// Spec: "Memory Dependency": of accesses to the same memory. There is no granule.
#[test]
fn writes_of_other_bytes_need_no_order() {
    for (second, overlaps) in [(64, false), (32, true)] {
        let mut c = Capture::new();
        c.buffer(10, 4096, 0x3);
        c.begin();
        fill(&mut c, 0, 64);
        let again = fill(&mut c, second, 64);
        c.end();
        c.submit();
        let text = text_of(&import(&c.text()));
        let wanted = if overlaps {
            vec![("HZ103".to_owned(), again)]
        } else {
            Vec::new()
        };
        assert_eq!(findings(&text), wanted, "{text}");
        assert_eq!(doubts(&text), [], "{text}");
    }
}

#[test]
fn copies_to_slices_of_a_volume_are_not_compared() {
    let mut c = Capture::new();
    c.buffer(10, 65_536, 0x3);
    c.call(
        "vkCreateImage",
        json!({ "pCreateInfo": {
            "flags": 0, "imageType": "VK_IMAGE_TYPE_3D", "format": "VK_FORMAT_R8G8B8A8_UNORM",
            "extent": { "width": 64, "height": 64, "depth": 2 }, "mipLevels": 1, "arrayLayers": 1,
            "samples": "VK_SAMPLE_COUNT_1_BIT", "usage": 0x2, "initialLayout": "VK_IMAGE_LAYOUT_UNDEFINED"
        }, "pImage": 20 }),
    );
    c.begin();
    let layouts = ("UNDEFINED", "TRANSFER_DST_OPTIMAL");
    c.image_barrier(20, (TOP, TRANSFER), (0, TRANSFER_WRITE), layouts);
    for z in 0..2 {
        c.command("vkCmdCopyBufferToImage", json!({ "srcBuffer": 10, "dstImage": 20, "dstImageLayout": "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL", "pRegions": [{
            "bufferOffset": 0, "bufferRowLength": 0, "bufferImageHeight": 0,
            "imageSubresource": { "aspectMask": 1, "mipLevel": 0, "baseArrayLayer": 0, "layerCount": 1 },
            "imageOffset": { "x": 0, "y": 0, "z": z }, "imageExtent": { "width": 64, "height": 64, "depth": 1 }
        }] }));
    }
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    assert_eq!(findings(&text), [], "{text}");
    let allowed = text.matches("allow read-after-write, write-after-read, write-after-write");
    assert_eq!(allowed.count(), 2, "{text}");
}

/// A command buffer that has drawn to an image, in a pass that clears it.
fn drawn() -> Capture {
    let mut c = Capture::new();
    c.buffer(10, 65_536, 0x82);
    c.buffer(11, 65_536, 0x2);
    c.image(20, 21, 0x11);
    c.pipeline(30);
    c.begin();
    let (stages, both) = ((TOP, COLOR_OUTPUT), COLOR_READ | COLOR_WRITE);
    c.image_barrier(20, stages, (0, both), ("UNDEFINED", ATTACHMENT));
    c.draw(30, 21, CLEAR, 10);
    c
}

/// Draws to an image and copies it away. The layout change between has this second access; another barrier may follow, with
/// accesses of its own. Returns the capture and the copy's call.
fn copied(access: u64, more: Option<(u64, u64)>) -> (Capture, u64) {
    let mut c = drawn();
    let stages = (COLOR_OUTPUT, TRANSFER);
    c.image_barrier(20, stages, (COLOR_WRITE, access), (ATTACHMENT, SOURCE));
    if let Some(access) = more {
        c.image_barrier(20, (TRANSFER, TRANSFER), access, (SOURCE, SOURCE));
    }
    let layout = format!("VK_IMAGE_LAYOUT_{SOURCE}");
    let copy = c.copy_image(20, &layout, 11);
    c.end();
    c.submit();
    (c, copy)
}

/// Spec: "Image Layout Transitions": the transition happens before, and is visible to, the second access scope.
#[test]
fn a_layout_change_is_visible_to_its_second_scope_only() {
    for (access, more, is_right) in [
        (TRANSFER_READ, None, true),
        (0, None, false),
        (TRANSFER_WRITE, None, false),
        // Available since the first barrier, visible by the second one.
        (0, Some((0, TRANSFER_READ)), true),
        (0, Some((0, 0)), false),
    ] {
        let (c, copy) = copied(access, more);
        let imported = import(&c.text());
        let text = text_of(&imported);
        let wanted = if is_right {
            Vec::new()
        } else {
            vec![("HZ101".to_owned(), copy)]
        };
        assert_eq!(findings(&text), wanted, "{access} {more:?}\n{text}");
        // Each such barrier is counted once, however many rules it breaks.
        let entries = imported.report.entries.iter();
        let said: u64 = entries
            .filter(|entry| entry.what.contains("whose second scope has no access"))
            .map(|entry| entry.count)
            .sum();
        let hidden = u64::from(access != TRANSFER_READ) + u64::from(more == Some((0, 0)));
        assert_eq!(said, hidden, "{access} {more:?}");
    }
}

/// D3D12 keeps the work on a render target in order, so the scenario has no hazard: the report says where Vulkan does not.
#[test]
fn passes_that_nothing_orders_are_reported() {
    for ordered in [true, false] {
        let mut c = drawn();
        if ordered {
            let stages = (COLOR_OUTPUT, COLOR_OUTPUT);
            c.memory_barrier(stages, (COLOR_WRITE, COLOR_READ | COLOR_WRITE));
        }
        let (begin, _) = c.draw(30, 21, CLEAR, 10);
        c.end();
        c.submit();
        let imported = import(&c.text());
        assert_eq!(findings(&text_of(&imported)), []);
        let said = imported.report.entries.iter();
        let said: Vec<u64> = said
            .filter(|entry| entry.what.contains("after another pass wrote them"))
            .map(|entry| entry.first_call)
            .collect();
        let wanted = if ordered { vec![] } else { vec![begin] };
        assert_eq!(said, wanted);
    }
}

#[test]
fn names_of_calls_and_deep_labels_do_no_harm() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.call("vkWeird\u{1b}[31m", json!({}));
    c.begin();
    for _ in 0..100 {
        c.command(
            "vkCmdBeginDebugUtilsLabelEXT",
            json!({ "pLabelInfo": { "pLabelName": "deep" } }),
        );
    }
    c.fill(10);
    for _ in 0..100 {
        c.command("vkCmdEndDebugUtilsLabelEXT", json!({}));
    }
    c.end();
    c.submit();
    let imported = import(&c.text());
    assert_eq!(findings(&text_of(&imported)), []);
    let names: Vec<&str> = imported
        .report
        .unknown
        .iter()
        .map(|one| &*one.name)
        .collect();
    assert_eq!(names, [r"vkWeird\u{1b}[31m"]);
}
