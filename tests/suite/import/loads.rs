//! Loads of attachments: one that was made visible to writes only is found at the call that begins its pass, and nothing
//! else is. The layer's words for the same are `READ_AFTER_WRITE … during load with loadOp VK_ATTACHMENT_LOAD_OP_LOAD`.

use super::capture::{COLOR_OUTPUT, COLOR_READ, COLOR_WRITE, Capture, TOP};
use super::{findings, import, text_of};
use serde_json::json;

const COLOR: &str = "VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL";
const EXTERNAL: u32 = u32::MAX;
const BOTH: u64 = COLOR_READ | COLOR_WRITE;

/// How a pass begins.
#[derive(Debug)]
struct Case {
    load: &'static str,
    /// The layout in which the pass finds its attachment.
    initial: &'static str,
    /// Second access of the barrier before the pass, if there is one.
    barrier: Option<u64>,
    /// First and second access of the dependency into the pass, if it names one.
    dependency: Option<(u64, u64)>,
}

/// A display over an image: a render pass that begins as said, after a pass that clears the image. A second image is drawn
/// to before and again after, in passes of dynamic rendering. Returns the capture and the call that begins the pass.
fn display(case: &Case) -> (Capture, u64) {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x80);
    c.image(20, 21, 0x11);
    c.image(22, 23, 0x11);
    c.pipeline(30);
    let dependencies: Vec<_> = case
        .dependency
        .iter()
        .map(|(before, after)| {
            json!({ "srcSubpass": EXTERNAL, "dstSubpass": 0, "srcStageMask": COLOR_OUTPUT, "dstStageMask": COLOR_OUTPUT,
                "srcAccessMask": before, "dstAccessMask": after, "dependencyFlags": 0 })
        })
        .collect();
    c.call("vkCreateRenderPass", json!({ "pCreateInfo": {
        "pAttachments": [{ "format": "VK_FORMAT_R8G8B8A8_UNORM", "loadOp": format!("VK_ATTACHMENT_LOAD_OP_{}", case.load),
            "storeOp": "VK_ATTACHMENT_STORE_OP_STORE", "stencilLoadOp": "VK_ATTACHMENT_LOAD_OP_DONT_CARE",
            "stencilStoreOp": "VK_ATTACHMENT_STORE_OP_DONT_CARE", "initialLayout": case.initial, "finalLayout": COLOR }],
        "pSubpasses": [{ "pColorAttachments": [{ "attachment": 0, "layout": COLOR }] }],
        "pDependencies": dependencies
    }, "pRenderPass": 40 }));
    c.call(
        "vkCreateFramebuffer",
        json!({ "pCreateInfo": { "renderPass": 40, "pAttachments": [21] }, "pFramebuffer": 41 }),
    );
    c.begin();
    for image in [20, 22] {
        let layouts = ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL");
        c.image_barrier(image, (TOP, COLOR_OUTPUT), (0, BOTH), layouts);
    }
    c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_CLEAR", 10);
    c.draw(30, 23, "VK_ATTACHMENT_LOAD_OP_CLEAR", 10);
    let stages = (COLOR_OUTPUT, COLOR_OUTPUT);
    let layouts = ("COLOR_ATTACHMENT_OPTIMAL", "PRESENT_SRC_KHR");
    c.image_barrier(20, stages, (COLOR_WRITE, 0), layouts);
    if let Some(access) = case.barrier {
        let layouts = ("PRESENT_SRC_KHR", "COLOR_ATTACHMENT_OPTIMAL");
        c.image_barrier(20, stages, (COLOR_WRITE, access), layouts);
    }
    let begin = c.command(
        "vkCmdBeginRenderPass",
        json!({ "pRenderPassBegin": { "renderPass": 40, "framebuffer": 41 } }),
    );
    c.bind(30);
    c.draw_three();
    c.command("vkCmdEndRenderPass", json!({}));
    c.draw(30, 23, "VK_ATTACHMENT_LOAD_OP_LOAD", 10);
    c.end();
    c.submit();
    (c, begin)
}

/// A pass that loads: the initial layout, the barrier, the dependency.
fn loading(
    (initial, barrier, dependency): (&'static str, Option<u64>, Option<(u64, u64)>),
) -> Case {
    Case {
        load: "LOAD",
        initial,
        barrier,
        dependency,
    }
}

/// What is found in a display, and the call that begins its pass.
fn found(case: &Case) -> (Vec<(String, u64)>, u64, String) {
    let (capture, begin) = display(case);
    let text = text_of(&import(&capture.text()));
    (findings(&text), begin, text)
}

const PRESENTED: &str = "VK_IMAGE_LAYOUT_PRESENT_SRC_KHR";

#[test]
fn a_load_after_an_access_that_only_writes_is_found_at_its_pass() {
    // With the dependency of MangoHud, which passes on what it can to writes only; with none; and where the pass itself
    // changes the layout.
    let cases = [
        (COLOR, Some(COLOR_WRITE), Some((0, COLOR_WRITE))),
        (COLOR, Some(COLOR_WRITE), Some((COLOR_WRITE, COLOR_WRITE))),
        (COLOR, Some(COLOR_WRITE), None),
        (PRESENTED, None, Some((COLOR_WRITE, COLOR_WRITE))),
    ];
    for case in cases.map(loading) {
        let (found, begin, text) = found(&case);
        assert_eq!(found, [("HZ103".to_owned(), begin)], "{case:?}\n{text}");
    }
}

#[test]
fn a_load_after_an_access_that_reads_is_not_found() {
    let cases = [
        (COLOR, Some(BOTH), Some((0, COLOR_WRITE))),
        (COLOR, Some(BOTH), None),
        // What the barrier makes visible to writes, the dependency passes on to reads.
        (COLOR, Some(COLOR_WRITE), Some((0, BOTH))),
        (COLOR, Some(COLOR_WRITE), Some((COLOR_WRITE, BOTH))),
        (PRESENTED, None, Some((COLOR_WRITE, BOTH))),
    ];
    for case in cases.map(loading) {
        let (found, _, text) = found(&case);
        assert_eq!(found, [], "{case:?}\n{text}");
    }
}

#[test]
fn an_attachment_that_is_not_loaded_needs_no_read() {
    for load in ["CLEAR", "DONT_CARE"] {
        for dependency in [Some((0, COLOR_WRITE)), None] {
            let case = Case {
                load,
                initial: COLOR,
                barrier: Some(COLOR_WRITE),
                dependency,
            };
            let (found, _, text) = found(&case);
            assert_eq!(found, [], "{load} {dependency:?}\n{text}");
        }
    }
}
