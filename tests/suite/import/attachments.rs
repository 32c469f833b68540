//! Attachments: loads and stores of each plane, stores in read-only layouts, the pixels of a draw; planar images; images of which
//! parts are written.

use super::capture::{
    COLOR_OUTPUT, COLOR_READ, COLOR_WRITE, Capture, LIST, TOP, TRANSFER, TRANSFER_WRITE,
    aspect_entry,
};
use super::{findings, import, import_with, text_of, warnings, waste};
use crate::shaders::fixtures;
use serde_json::{Value, json};
use syncscope::interop::import::Options;

const EXTERNAL: u32 = u32::MAX;
const TESTS: u64 = 0x300;
const DEPTH_READ: u64 = 0x200;
const DEPTH_WRITE: u64 = 0x400;
const ATTACHMENT: &str = "DEPTH_STENCIL_ATTACHMENT_OPTIMAL";
const READ_ONLY: &str = "DEPTH_STENCIL_READ_ONLY_OPTIMAL";

fn depth_barrier(c: &mut Capture, aspects: u64, access: (u64, u64), layouts: (&str, &str)) -> u64 {
    let entry = aspect_entry((20, aspects), access, layouts);
    c.barrier((TESTS, TESTS), "pImageMemoryBarriers", entry)
}

/// A render pass over the depth image, of one subpass and no draw.
fn pass(c: &mut Capture, operations: [&str; 4], layout: &str) {
    let [load, store, stencil_load, stencil_store] = operations;
    let layout = format!("VK_IMAGE_LAYOUT_{layout}");
    c.call("vkCreateRenderPass", json!({ "pCreateInfo": {
        "pAttachments": [{ "format": "VK_FORMAT_D32_SFLOAT_S8_UINT",
            "loadOp": format!("VK_ATTACHMENT_LOAD_OP_{load}"), "storeOp": format!("VK_ATTACHMENT_STORE_OP_{store}"),
            "stencilLoadOp": format!("VK_ATTACHMENT_LOAD_OP_{stencil_load}"), "stencilStoreOp": format!("VK_ATTACHMENT_STORE_OP_{stencil_store}"),
            "initialLayout": layout, "finalLayout": layout }],
        "pSubpasses": [{ "pColorAttachments": [], "pDepthStencilAttachment": { "attachment": 0, "layout": layout } }],
        "pDependencies": [{ "srcSubpass": EXTERNAL, "dstSubpass": 0, "srcStageMask": TOP, "dstStageMask": TESTS, "srcAccessMask": 0, "dstAccessMask": 0, "dependencyFlags": 0 }]
    }, "pRenderPass": 40 }));
    c.call(
        "vkCreateFramebuffer",
        json!({ "pCreateInfo": { "renderPass": 40, "pAttachments": [21] }, "pFramebuffer": 41 }),
    );
    c.command(
        "vkCmdBeginRenderPass",
        json!({ "pRenderPassBegin": { "renderPass": 40, "framebuffer": 41 } }),
    );
    c.command("vkCmdEndRenderPass", json!({}));
}

/// What is found where a barrier before a pass lets depth and stencil be written and not read.
fn loaded(operations: [&str; 4], after: u64) -> Vec<String> {
    let mut c = Capture::new();
    c.depth_image(20, 21, ("VK_FORMAT_D32_SFLOAT_S8_UINT", 6));
    c.begin();
    depth_barrier(
        &mut c,
        6,
        (0, DEPTH_WRITE | DEPTH_READ),
        ("UNDEFINED", ATTACHMENT),
    );
    c.command(
        "vkCmdClearDepthStencilImage",
        json!({ "image": 20, "imageLayout": "VK_IMAGE_LAYOUT_GENERAL", "pRanges": [] }),
    );
    depth_barrier(
        &mut c,
        6,
        (DEPTH_WRITE, DEPTH_READ),
        (ATTACHMENT, READ_ONLY),
    );
    depth_barrier(&mut c, 6, (0, after), (READ_ONLY, ATTACHMENT));
    pass(&mut c, operations, ATTACHMENT);
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    findings(&text).into_iter().map(|(rule, _)| rule).collect()
}

#[test]
fn depth_and_stencil_are_loaded_each_by_its_own_operation() {
    for operations in [
        ["LOAD", "STORE", "CLEAR", "STORE"],
        ["CLEAR", "STORE", "LOAD", "STORE"],
        ["LOAD", "STORE", "LOAD", "STORE"],
    ] {
        assert_eq!(loaded(operations, DEPTH_WRITE), ["HZ101"], "{operations:?}");
        assert_eq!(
            loaded(operations, DEPTH_WRITE | DEPTH_READ),
            [""; 0],
            "{operations:?}"
        );
    }
    let cleared = ["CLEAR", "STORE", "CLEAR", "STORE"];
    assert_eq!(loaded(cleared, DEPTH_WRITE), [""; 0]);
}

/// A pass in a read-only layout that stores, with the accesses of the barriers around it that let depth be written and make
/// that write available, or not. Vulkan: a store is a write whatever the layout is; `STORE_OP_NONE` is none.
fn stored(store: &str, writable: bool, available: bool) -> Vec<String> {
    let mut c = Capture::new();
    c.depth_image(20, 21, ("VK_FORMAT_D32_SFLOAT", 2));
    c.begin();
    depth_barrier(
        &mut c,
        2,
        (0, DEPTH_WRITE | DEPTH_READ),
        ("UNDEFINED", ATTACHMENT),
    );
    let write = |yes| if yes { DEPTH_WRITE } else { 0 };
    depth_barrier(
        &mut c,
        2,
        (DEPTH_WRITE, DEPTH_READ | write(writable)),
        (ATTACHMENT, READ_ONLY),
    );
    pass(&mut c, ["LOAD", store, "DONT_CARE", "NONE"], READ_ONLY);
    depth_barrier(
        &mut c,
        2,
        (write(available), DEPTH_WRITE | DEPTH_READ),
        (READ_ONLY, ATTACHMENT),
    );
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    findings(&text).into_iter().map(|(rule, _)| rule).collect()
}

#[test]
fn a_store_in_a_read_only_layout_is_a_write() {
    assert_eq!(stored("STORE", true, true), [""; 0]);
    assert_eq!(stored("STORE", true, false), ["HZ103"]);
    assert_eq!(stored("STORE", false, true), ["HZ103"]);
    assert_eq!(stored("NONE", false, false), [""; 0]);
}

/// Scissor, viewport and render area bound the pixels of a draw.
#[test]
fn a_draw_has_the_pixels_that_its_scissor_leaves() {
    let pixels = |scissor: Value, fixed: bool| {
        let mut c = Capture::new();
        c.buffer(10, 4096, 0x80);
        c.image(20, 21, 0x11);
        let mut info = json!({ "pStages": [{ "stage": "VK_SHADER_STAGE_VERTEX_BIT", "module": 1 }], "pColorBlendState": { "pAttachments": [{ "colorWriteMask": 15 }] } });
        if fixed {
            info["pViewportState"] = json!({ "pScissors": [scissor] });
        }
        c.call(
            "vkCreateGraphicsPipelines",
            json!({ "pCreateInfos": [info], "pPipelines": [30] }),
        );
        c.begin();
        c.image_barrier(
            20,
            (TOP, COLOR_OUTPUT),
            (0, COLOR_READ | COLOR_WRITE),
            ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
        );
        if !fixed {
            c.command(
                "vkCmdSetScissor",
                json!({ "firstScissor": 0, "scissorCount": 1, "pScissors": [scissor] }),
            );
        }
        c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_CLEAR", 10);
        c.end();
        c.submit();
        let text = text_of(&import(&c.text()));
        let draw = text
            .lines()
            .find(|line| line.contains("draw"))
            .expect("a draw");
        let mut words = draw.split_whitespace().skip_while(|word| *word != "pixels");
        words
            .nth(1)
            .map(|count| count.parse::<u64>().expect("a number"))
    };
    let scissor = |x: i32, width: u32| json!({ "offset": { "x": x, "y": 0 }, "extent": { "width": width, "height": 10 } });
    for fixed in [true, false] {
        // 64 x 64: what is outside does not count, and all of it is not said.
        assert_eq!(pixels(scissor(0, 20), fixed), Some(200));
        assert_eq!(pixels(scissor(60, 20), fixed), Some(40));
        let all = json!({ "offset": { "x": 0, "y": 0 }, "extent": { "width": 64, "height": 64 } });
        assert_eq!(pixels(all, fixed), None);
    }
}

/// Each plane of a planar image has its own extent, and one is not another.
#[test]
fn three_planes_are_three() {
    let found = |planes: [(u64, u32, u32); 2]| {
        let mut c = Capture::new();
        c.buffer(10, 65536, 0x3);
        c.call("vkCreateImage", json!({ "pCreateInfo": {
            "flags": 0, "imageType": "VK_IMAGE_TYPE_2D", "format": "VK_FORMAT_G8_B8_R8_3PLANE_420_UNORM",
            "extent": { "width": 128, "height": 96, "depth": 1 }, "mipLevels": 1, "arrayLayers": 1,
            "samples": "VK_SAMPLE_COUNT_1_BIT", "usage": 3, "initialLayout": "VK_IMAGE_LAYOUT_UNDEFINED"
        }, "pImage": 20 }));
        c.begin();
        c.for_transfers(20);
        for (aspect, width, height) in planes {
            c.command("vkCmdCopyBufferToImage", json!({ "commandBuffer": LIST, "srcBuffer": 10, "dstImage": 20, "pRegions": [{
                "bufferOffset": 0, "imageSubresource": { "aspectMask": aspect, "mipLevel": 0, "baseArrayLayer": 0, "layerCount": 1 },
                "imageOffset": { "x": 0, "y": 0, "z": 0 }, "imageExtent": { "width": width, "height": height, "depth": 1 } }] }));
        }
        c.end();
        c.submit();
        let text = text_of(&import(&c.text()));
        assert!(text.contains("G8_B8_R8_3PLANE_420_UNORM 128x96"), "{text}");
        findings(&text).len()
    };
    assert_eq!(found([(0x20, 64, 48), (0x40, 64, 48)]), 0);
    assert_eq!(found([(0x10, 128, 96), (0x40, 64, 48)]), 0);
    // The same plane twice.
    assert_eq!(found([(0x40, 64, 48), (0x40, 64, 48)]), 1);
}

/// An atlas of which copies have written parts: which texels a shader reads is not known. One that nothing wrote is undefined.
#[test]
fn a_read_of_a_partly_written_image_is_not_certain() {
    let shader = |name: &str| {
        let path = fixtures().join(format!("captures/vkcube/shaders/{name}"));
        std::fs::read(path).expect("a shader")
    };
    let found = |parts: u32| {
        let mut c = Capture::new();
        c.buffer(10, 65536, 0x3);
        c.image(20, 21, 0x7);
        c.image(22, 23, 0x10);
        for module in [37, 38] {
            c.call(
                "vkCreateShaderModule",
                json!({ "pCreateInfo": {}, "pShaderModule": module }),
            );
        }
        c.call("vkCreateGraphicsPipelines", json!({ "pCreateInfos": [{
            "pStages": [{ "stage": "VK_SHADER_STAGE_VERTEX_BIT", "module": 37, "pName": "main" }, { "stage": "VK_SHADER_STAGE_FRAGMENT_BIT", "module": 38, "pName": "main" }],
            "pColorBlendState": { "pAttachments": [{ "colorWriteMask": 15 }] } }], "pPipelines": [30] }));
        // The fragment shader of the cube samples binding 1.
        c.call("vkCreateDescriptorSetLayout", json!({ "pCreateInfo": { "pBindings": [{ "binding": 1, "descriptorType": "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER", "descriptorCount": 1, "stageFlags": 0x10 }] }, "pSetLayout": 31 }));
        c.call(
            "vkCreatePipelineLayout",
            json!({ "pCreateInfo": { "pSetLayouts": [31] }, "pPipelineLayout": 33 }),
        );
        c.call("vkAllocateDescriptorSets", json!({ "pAllocateInfo": { "descriptorPool": 34, "pSetLayouts": [31] }, "pDescriptorSets": [32] }));
        c.call("vkUpdateDescriptorSets", json!({ "pDescriptorWrites": [{ "dstSet": 32, "dstBinding": 1, "dstArrayElement": 0, "descriptorCount": 1,
            "descriptorType": "VK_DESCRIPTOR_TYPE_COMBINED_IMAGE_SAMPLER", "pImageInfo": [{ "imageView": 21, "imageLayout": "VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL" }] }] }));
        c.begin();
        c.image_barrier(
            22,
            (TOP, COLOR_OUTPUT),
            (0, COLOR_READ | COLOR_WRITE),
            ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
        );
        c.for_transfers(20);
        for part in 0..parts {
            c.command("vkCmdCopyBufferToImage", json!({ "srcBuffer": 10, "dstImage": 20, "pRegions": [{
                "bufferOffset": 0, "imageSubresource": { "aspectMask": 1, "mipLevel": 0, "baseArrayLayer": 0, "layerCount": 1 },
                "imageOffset": { "x": 16 * part, "y": 0, "z": 0 }, "imageExtent": { "width": 16, "height": 16, "depth": 1 } }] }));
        }
        c.image_barrier(
            20,
            (TRANSFER, 0x80),
            (TRANSFER_WRITE, 0x20),
            ("TRANSFER_DST_OPTIMAL", "SHADER_READ_ONLY_OPTIMAL"),
        );
        c.command("vkCmdBindDescriptorSets", json!({ "pipelineBindPoint": "VK_PIPELINE_BIND_POINT_GRAPHICS", "layout": 33, "firstSet": 0, "pDescriptorSets": [32], "pDynamicOffsets": [] }));
        c.draw(30, 23, "VK_ATTACHMENT_LOAD_OP_CLEAR", 10);
        c.end();
        c.submit();
        let shaders = vec![(37, shader("sh37")), (38, shader("sh38"))];
        let text = text_of(&import_with(
            &c.text(),
            Options {
                shaders,
                ..Options::default()
            },
        ));
        assert!(
            text.contains("SHADER_RESOURCE image_20 @ PIXEL_SHADING"),
            "{text}"
        );
        warnings(&text)
            .iter()
            .filter(|rule| *rule == "HZ109")
            .count()
    };
    assert_eq!(found(3), 0);
    assert_eq!(found(0), 1);
}

/// A pass of dynamic rendering with depth only does not touch stencil.
#[test]
fn a_pass_with_depth_only_leaves_stencil_alone() {
    let mut c = Capture::new();
    c.depth_image(20, 21, ("VK_FORMAT_D24_UNORM_S8_UINT", 6));
    c.call(
        "vkCreateGraphicsPipelines",
        json!({ "pCreateInfos": [{ "pStages": [{ "stage": "VK_SHADER_STAGE_VERTEX_BIT", "module": 1 }],
            "pDepthStencilState": { "depthTestEnable": 1, "depthWriteEnable": 1, "stencilTestEnable": 1 } }], "pPipelines": [30] }),
    );
    c.begin();
    let both = DEPTH_WRITE | DEPTH_READ;
    depth_barrier(&mut c, 2, (0, both), ("UNDEFINED", ATTACHMENT));
    let layouts = ("UNDEFINED", "TRANSFER_SRC_OPTIMAL");
    let stencil = aspect_entry((20, 4), (0, 0x800), layouts);
    c.barrier((TOP, TRANSFER), "pImageMemoryBarriers", stencil);
    c.command("vkCmdBeginRendering", json!({ "pRenderingInfo": { "flags": 0, "layerCount": 1, "pColorAttachments": [],
        "pDepthAttachment": { "imageView": 21, "imageLayout": format!("VK_IMAGE_LAYOUT_{ATTACHMENT}"), "resolveMode": "VK_RESOLVE_MODE_NONE",
            "loadOp": "VK_ATTACHMENT_LOAD_OP_CLEAR", "storeOp": "VK_ATTACHMENT_STORE_OP_STORE" } } }));
    c.bind(30);
    c.draw_three();
    c.command("vkCmdEndRendering", json!({}));
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    assert_eq!(findings(&text), [], "{text}");
    assert!(
        text.contains("DEPTH_STENCIL_WRITE image_20[plane 0]"),
        "{text}"
    );
}

/// What no draw writes, the load and the store of a pass still touch: a colour attachment that is masked, depth that is only
/// tested.
#[test]
fn what_no_draw_writes_is_stored_all_the_same() {
    let masked = |mask: u32| {
        let mut c = Capture::new();
        c.buffer(10, 4096, 0x80);
        c.image(20, 21, 0x13);
        c.call("vkCreateGraphicsPipelines", json!({ "pCreateInfos": [{
            "pStages": [{ "stage": "VK_SHADER_STAGE_VERTEX_BIT", "module": 1 }],
            "pColorBlendState": { "pAttachments": [{ "colorWriteMask": mask }] } }], "pPipelines": [30] }));
        c.begin();
        c.for_transfers(20);
        c.clear(20);
        // The change is visible to fragment shaders only.
        c.image_barrier(
            20,
            (TRANSFER, 0x80),
            (TRANSFER_WRITE, 0x20),
            ("TRANSFER_DST_OPTIMAL", "COLOR_ATTACHMENT_OPTIMAL"),
        );
        c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_LOAD", 10);
        c.end();
        c.submit();
        let text = text_of(&import(&c.text()));
        (findings(&text).len(), text)
    };
    for mask in [15, 0] {
        let (count, text) = masked(mask);
        assert!(count > 0, "{mask}\n{text}");
    }
}

/// Between two passes Vulkan needs a barrier, and D3D12 keeps the work on a render target in order: no claim of waste.
#[test]
fn a_barrier_between_passes_is_not_called_redundant() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x80);
    c.image(20, 21, 0x11);
    c.pipeline(30);
    c.begin();
    let both = COLOR_READ | COLOR_WRITE;
    c.image_barrier(
        20,
        (TOP, COLOR_OUTPUT),
        (0, both),
        ("UNDEFINED", "COLOR_ATTACHMENT_OPTIMAL"),
    );
    c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_CLEAR", 10);
    let kept = ("COLOR_ATTACHMENT_OPTIMAL", "COLOR_ATTACHMENT_OPTIMAL");
    c.image_barrier(20, (COLOR_OUTPUT, COLOR_OUTPUT), (COLOR_WRITE, both), kept);
    c.draw(30, 21, "VK_ATTACHMENT_LOAD_OP_LOAD", 10);
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    assert_eq!(findings(&text), [], "{text}");
    assert_eq!(waste(&text), [""; 0], "{text}");
}
