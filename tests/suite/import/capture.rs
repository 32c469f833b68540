//! Writes captures as the converter does: one call a line, with its number.

use serde_json::{Value, json};
use std::fmt::Write as _;

/// A capture that is being written. Handles are chosen by the caller.
pub(super) struct Capture {
    text: String,
    next: u64,
}

pub(super) const QUEUE: u64 = 4;
pub(super) const LIST: u64 = 5;
pub(super) const IGNORED: u32 = u32::MAX;

// Bits of the header.
pub(super) const TOP: u64 = 0x1;
pub(super) const VERTEX_INPUT: u64 = 0x4;
pub(super) const COLOR_OUTPUT: u64 = 0x400;
pub(super) const TRANSFER: u64 = 0x1000;
pub(super) const ALL: u64 = 0x1_0000;
pub(super) const VERTEX_READ: u64 = 0x4;
pub(super) const COLOR_WRITE: u64 = 0x100;
pub(super) const COLOR_READ: u64 = 0x80;
pub(super) const TRANSFER_READ: u64 = 0x800;
pub(super) const TRANSFER_WRITE: u64 = 0x1000;

impl Capture {
    /// A capture of a program with one queue and one command buffer.
    pub(super) fn new() -> Self {
        let mut capture = Self {
            text: String::new(),
            next: 1,
        };
        capture
            .text
            .push_str("{\"header\":{\"source-path\":\"a.gfxr\"}}\n");
        capture.families(&[7]);
        capture.call(
            "vkGetDeviceQueue",
            json!({ "queueFamilyIndex": 0, "queueIndex": 0, "pQueue": QUEUE }),
        );
        capture.call("vkAllocateCommandBuffers", json!({ "pAllocateInfo": { "commandPool": 3, "level": "VK_COMMAND_BUFFER_LEVEL_PRIMARY" }, "pCommandBuffers": [LIST] }));
        capture
    }

    /// Queue families by their flags.
    pub(super) fn families(&mut self, flags: &[u32]) {
        let all: Vec<Value> = flags
            .iter()
            .map(|flags| json!({ "queueFlags": flags, "queueCount": 1 }))
            .collect();
        self.call(
            "vkGetPhysicalDeviceQueueFamilyProperties",
            json!({ "pQueueFamilyProperties": all }),
        );
    }

    /// Writes a call. Returns its number.
    pub(super) fn call(&mut self, name: &str, args: Value) -> u64 {
        self.returns(name, "VK_SUCCESS", args)
    }

    pub(super) fn returns(&mut self, name: &str, returned: &str, args: Value) -> u64 {
        let index = self.next;
        self.next += 1;
        let line =
            json!({ "index": index, "vkFunc": { "name": name, "return": returned, "args": args } });
        writeln!(self.text, "{line}").expect("a string grows");
        index
    }

    /// A command of the one command buffer.
    pub(super) fn command(&mut self, name: &str, mut args: Value) -> u64 {
        args["commandBuffer"] = json!(
            args.get("commandBuffer")
                .and_then(Value::as_u64)
                .unwrap_or(LIST)
        );
        self.call(name, args)
    }

    pub(super) fn begin(&mut self) {
        self.command("vkBeginCommandBuffer", json!({}));
    }

    pub(super) fn end(&mut self) {
        self.command("vkEndCommandBuffer", json!({}));
    }

    pub(super) fn buffer(&mut self, handle: u64, size: u64, usage: u32) {
        self.call("vkCreateBuffer", json!({ "pCreateInfo": { "flags": 0, "size": size, "usage": usage }, "pBuffer": handle }));
    }

    /// A colour image of one mip and layer with a view.
    pub(super) fn image(&mut self, handle: u64, view: u64, usage: u32) {
        self.call("vkCreateImage", json!({ "pCreateInfo": {
            "flags": 0, "imageType": "VK_IMAGE_TYPE_2D", "format": "VK_FORMAT_R8G8B8A8_UNORM",
            "extent": { "width": 64, "height": 64, "depth": 1 }, "mipLevels": 1, "arrayLayers": 1,
            "samples": "VK_SAMPLE_COUNT_1_BIT", "usage": usage, "initialLayout": "VK_IMAGE_LAYOUT_UNDEFINED"
        }, "pImage": handle }));
        self.view(view, handle);
    }

    /// A depth image of one mip and layer with a view of some aspects.
    pub(super) fn depth_image(&mut self, handle: u64, view: u64, (format, aspects): (&str, u64)) {
        self.call("vkCreateImage", json!({ "pCreateInfo": {
            "flags": 0, "imageType": "VK_IMAGE_TYPE_2D", "format": format,
            "extent": { "width": 64, "height": 64, "depth": 1 }, "mipLevels": 1, "arrayLayers": 1,
            "samples": "VK_SAMPLE_COUNT_1_BIT", "usage": 0x20, "initialLayout": "VK_IMAGE_LAYOUT_UNDEFINED"
        }, "pImage": handle }));
        self.call("vkCreateImageView", json!({ "pCreateInfo": { "image": handle, "subresourceRange": { "aspectMask": aspects, "baseMipLevel": 0, "levelCount": 1, "baseArrayLayer": 0, "layerCount": 1 } }, "pView": view }));
    }

    /// Takes an image out of `UNDEFINED`, for transfers to write.
    pub(super) fn for_transfers(&mut self, image: u64) -> u64 {
        let layouts = ("UNDEFINED", "TRANSFER_DST_OPTIMAL");
        self.image_barrier(image, (TOP, TRANSFER), (0, TRANSFER_WRITE), layouts)
    }

    /// A transfer that clears an image.
    pub(super) fn clear(&mut self, image: u64) -> u64 {
        self.command("vkCmdClearColorImage", json!({ "image": image, "imageLayout": "VK_IMAGE_LAYOUT_TRANSFER_DST_OPTIMAL", "pRanges": [range()] }))
    }

    pub(super) fn semaphore(&mut self, handle: u64) {
        self.call(
            "vkCreateSemaphore",
            json!({ "pCreateInfo": { "pNext": null }, "pSemaphore": handle }),
        );
    }

    /// A timeline semaphore at 0.
    pub(super) fn timeline(&mut self, handle: u64) {
        let kind = json!({ "sType": "VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO", "pNext": null, "semaphoreType": "VK_SEMAPHORE_TYPE_TIMELINE", "initialValue": 0 });
        self.call(
            "vkCreateSemaphore",
            json!({ "pCreateInfo": { "pNext": kind }, "pSemaphore": handle }),
        );
    }

    pub(super) fn fence(&mut self, handle: u64) {
        self.call(
            "vkCreateFence",
            json!({ "pCreateInfo": { "flags": 0 }, "pFence": handle }),
        );
    }

    pub(super) fn bind(&mut self, pipeline: u64) {
        self.command(
            "vkCmdBindPipeline",
            json!({ "pipelineBindPoint": "VK_PIPELINE_BIND_POINT_GRAPHICS", "pipeline": pipeline }),
        );
    }

    /// A draw of three vertices.
    pub(super) fn draw_three(&mut self) -> u64 {
        self.command(
            "vkCmdDraw",
            json!({ "vertexCount": 3, "instanceCount": 1, "firstVertex": 0, "firstInstance": 0 }),
        )
    }

    pub(super) fn view(&mut self, handle: u64, image: u64) {
        self.call("vkCreateImageView", json!({ "pCreateInfo": { "image": image, "subresourceRange": range() }, "pView": handle }));
    }

    /// A swapchain of one image with a view.
    pub(super) fn swapchain(&mut self, chain: u64, image: u64, view: u64) {
        self.call(
            "vkCreateSwapchainKHR",
            json!({ "pCreateInfo": {
            "imageFormat": "VK_FORMAT_B8G8R8A8_UNORM", "imageExtent": { "width": 64, "height": 64 },
            "imageArrayLayers": 1, "imageUsage": 16
        }, "pSwapchain": chain }),
        );
        self.call(
            "vkGetSwapchainImagesKHR",
            json!({ "swapchain": chain, "pSwapchainImageCount": 1, "pSwapchainImages": [image] }),
        );
        self.view(view, image);
    }

    /// A barrier of the old form with one memory barrier.
    pub(super) fn memory_barrier(&mut self, stages: (u64, u64), access: (u64, u64)) -> u64 {
        let entry = json!({ "srcAccessMask": access.0, "dstAccessMask": access.1 });
        self.barrier(stages, "pMemoryBarriers", entry)
    }

    pub(super) fn buffer_barrier(
        &mut self,
        buffer: u64,
        stages: (u64, u64),
        access: (u64, u64),
    ) -> u64 {
        let entry = json!({
            "srcAccessMask": access.0, "dstAccessMask": access.1, "buffer": buffer, "offset": 0, "size": u64::MAX,
            "srcQueueFamilyIndex": IGNORED, "dstQueueFamilyIndex": IGNORED
        });
        self.barrier(stages, "pBufferMemoryBarriers", entry)
    }

    pub(super) fn image_barrier(
        &mut self,
        image: u64,
        stages: (u64, u64),
        access: (u64, u64),
        layouts: (&str, &str),
    ) -> u64 {
        let entry = image_entry(image, access, layouts, (IGNORED, IGNORED));
        self.barrier(stages, "pImageMemoryBarriers", entry)
    }

    pub(super) fn barrier(&mut self, stages: (u64, u64), list: &str, entry: Value) -> u64 {
        let mut args =
            json!({ "srcStageMask": stages.0, "dstStageMask": stages.1, "dependencyFlags": 0 });
        args[list] = json!([entry]);
        self.command("vkCmdPipelineBarrier", args)
    }

    pub(super) fn fill(&mut self, buffer: u64) -> u64 {
        self.command(
            "vkCmdFillBuffer",
            json!({ "dstBuffer": buffer, "dstOffset": 0, "size": u64::MAX, "data": 0 }),
        )
    }

    pub(super) fn copy(&mut self, from: u64, to: u64, size: u64) -> u64 {
        self.command("vkCmdCopyBuffer", json!({ "srcBuffer": from, "dstBuffer": to, "pRegions": [{ "srcOffset": 0, "dstOffset": 0, "size": size }] }))
    }

    /// A graphics pipeline with one vertex binding of 16 bytes.
    pub(super) fn pipeline(&mut self, handle: u64) {
        self.call("vkCreateGraphicsPipelines", json!({ "pCreateInfos": [{
            "pStages": [{ "stage": "VK_SHADER_STAGE_VERTEX_BIT", "module": 1 }, { "stage": "VK_SHADER_STAGE_FRAGMENT_BIT", "module": 2 }],
            "pVertexInputState": { "pVertexBindingDescriptions": [{ "binding": 0, "stride": 16, "inputRate": "VK_VERTEX_INPUT_RATE_VERTEX" }] },
            "pColorBlendState": { "pAttachments": [{ "colorWriteMask": 15 }] }
        }], "pPipelines": [handle] }));
    }

    /// A pass of dynamic rendering with one colour attachment and a draw of three vertices. Returns the calls of the pass
    /// and of the draw.
    pub(super) fn draw(
        &mut self,
        pipeline: u64,
        view: u64,
        load: &str,
        vertices: u64,
    ) -> (u64, u64) {
        let begin = self.command("vkCmdBeginRendering", json!({ "pRenderingInfo": { "flags": 0, "layerCount": 1, "pColorAttachments": [{
            "imageView": view, "imageLayout": "VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL", "resolveMode": "VK_RESOLVE_MODE_NONE",
            "loadOp": load, "storeOp": "VK_ATTACHMENT_STORE_OP_STORE"
        }] } }));
        self.bind(pipeline);
        self.command(
            "vkCmdBindVertexBuffers",
            json!({ "firstBinding": 0, "pBuffers": [vertices], "pOffsets": [0] }),
        );
        let draw = self.draw_three();
        self.command("vkCmdEndRendering", json!({}));
        (begin, draw)
    }

    pub(super) fn copy_image(&mut self, image: u64, layout: &str, buffer: u64) -> u64 {
        self.command("vkCmdCopyImageToBuffer", json!({ "srcImage": image, "srcImageLayout": layout, "dstBuffer": buffer, "pRegions": [{
            "bufferOffset": 0, "bufferRowLength": 0, "bufferImageHeight": 0,
            "imageSubresource": { "aspectMask": 1, "mipLevel": 0, "baseArrayLayer": 0, "layerCount": 1 },
            "imageOffset": { "x": 0, "y": 0, "z": 0 }, "imageExtent": { "width": 64, "height": 64, "depth": 1 }
        }] }))
    }

    pub(super) fn submit(&mut self) -> u64 {
        self.submit_with(json!({ "pCommandBuffers": [LIST] }), 0)
    }

    pub(super) fn submit_with(&mut self, batch: Value, fence: u64) -> u64 {
        self.call(
            "vkQueueSubmit",
            json!({ "queue": QUEUE, "pSubmits": [batch], "fence": fence }),
        )
    }

    pub(super) fn text(&self) -> String {
        self.text.clone()
    }

    /// The text without one call.
    pub(super) fn without(&self, call: u64) -> String {
        let start = format!("{{\"index\":{call},");
        let kept: Vec<&str> = self
            .text
            .lines()
            .filter(|line| !line.starts_with(&start))
            .collect();
        assert_eq!(
            kept.len() + 1,
            self.text.lines().count(),
            "the call is there once"
        );
        kept.join("\n")
    }
}

pub(super) fn range() -> Value {
    json!({ "aspectMask": 1, "baseMipLevel": 0, "levelCount": u32::MAX, "baseArrayLayer": 0, "layerCount": u32::MAX })
}

/// An entry of an image barrier.
pub(super) fn image_entry(
    image: u64,
    access: (u64, u64),
    layouts: (&str, &str),
    families: (u32, u32),
) -> Value {
    json!({
        "srcAccessMask": access.0, "dstAccessMask": access.1,
        "oldLayout": format!("VK_IMAGE_LAYOUT_{}", layouts.0), "newLayout": format!("VK_IMAGE_LAYOUT_{}", layouts.1),
        "srcQueueFamilyIndex": families.0, "dstQueueFamilyIndex": families.1, "image": image, "subresourceRange": range()
    })
}

/// The same for some aspects.
pub(super) fn aspect_entry(
    (image, aspects): (u64, u64),
    access: (u64, u64),
    layouts: (&str, &str),
) -> Value {
    let mut entry = image_entry(image, access, layouts, (IGNORED, IGNORED));
    entry["subresourceRange"]["aspectMask"] = json!(aspects);
    entry
}
