//! What an import writes, word by word.

use super::capture::{Capture, LIST, TOP};
use super::{import, text_of, warnings};
use serde_json::json;

#[test]
fn names_labels_and_calls_lead_back() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.buffer(11, 4096, 0x3);
    c.call("vkSetDebugUtilsObjectNameEXT", json!({ "pNameInfo": { "objectType": "VK_OBJECT_TYPE_BUFFER", "objectHandle": 10, "pObjectName": "staging ring" } }));
    c.begin();
    c.command(
        "vkCmdBeginDebugUtilsLabelEXT",
        json!({ "pLabelInfo": { "pLabelName": "upload \"mesh\"" } }),
    );
    let copy = c.command("vkCmdCopyBuffer", json!({ "srcBuffer": 10, "dstBuffer": 11, "pRegions": [{ "srcOffset": 256, "dstOffset": 0, "size": 512 }] }));
    c.command("vkCmdEndDebugUtilsLabelEXT", json!({}));
    c.end();
    let submit = c.submit();
    let text = text_of(&import(&c.text()));
    assert!(text.contains("marker \"upload \\\"mesh\\\"\""), "{text}");
    assert!(
        text.contains(&format!(
            "copy staging_ring[256..768] -> buffer_11[0..512] // call {copy}"
        )),
        "{text}"
    );
    assert!(
        text.contains(&format!(
            "graphics execute commands_{LIST} // call {submit}"
        )),
        "{text}"
    );
}

#[test]
fn unknown_calls_are_listed_with_counts() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.begin();
    c.fill(10);
    for _ in 0..3 {
        c.command("vkCmdLaunchMissilesACME", json!({}));
    }
    c.end();
    c.submit();
    let report = import(&c.text()).report;
    assert_eq!(report.unknown.len(), 1);
    assert_eq!(
        (report.unknown[0].name.as_str(), report.unknown[0].count),
        ("vkCmdLaunchMissilesACME", 3)
    );
}

#[test]
fn a_subpass_dependency_is_a_barrier_and_layouts_change_by_the_pass() {
    let mut c = Capture::new();
    c.image(20, 21, 0x11);
    c.buffer(10, 4096, 0x80);
    c.pipeline(30);
    c.call("vkCreateRenderPass", json!({ "pCreateInfo": {
        "pAttachments": [{ "format": "VK_FORMAT_R8G8B8A8_UNORM", "loadOp": "VK_ATTACHMENT_LOAD_OP_CLEAR", "storeOp": "VK_ATTACHMENT_STORE_OP_STORE",
            "initialLayout": "VK_IMAGE_LAYOUT_UNDEFINED", "finalLayout": "VK_IMAGE_LAYOUT_TRANSFER_SRC_OPTIMAL" }],
        "pSubpasses": [{ "pColorAttachments": [{ "attachment": 0, "layout": "VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL" }] }],
        "pDependencies": [{ "srcSubpass": u32::MAX, "dstSubpass": 0, "srcStageMask": 0x400, "dstStageMask": 0x400, "srcAccessMask": 0, "dstAccessMask": 0x180 }]
    }, "pRenderPass": 31 }));
    c.call(
        "vkCreateFramebuffer",
        json!({ "pCreateInfo": { "pAttachments": [21] }, "pFramebuffer": 32 }),
    );
    c.begin();
    c.command(
        "vkCmdBeginRenderPass",
        json!({ "pRenderPassBegin": { "renderPass": 31, "framebuffer": 32 } }),
    );
    c.command(
        "vkCmdBindPipeline",
        json!({ "pipelineBindPoint": "VK_PIPELINE_BIND_POINT_GRAPHICS", "pipeline": 30 }),
    );
    c.command("vkCmdDraw", json!({ "vertexCount": 3, "instanceCount": 1 }));
    c.command("vkCmdEndRenderPass", json!({}));
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    assert!(text.contains("layout UNDEFINED -> RENDER_TARGET"), "{text}");
    assert!(text.contains("clear-rtv image_20"), "{text}");
    // The implicit dependency at the end: all commands before, nothing after.
    let last = text
        .find("layout RENDER_TARGET -> COPY_SOURCE")
        .expect("the final layout");
    assert!(
        text[..last].ends_with("sync ALL -> NONE\n      access RENDER_TARGET -> NO_ACCESS\n      "),
        "{text}"
    );
}

#[test]
fn descriptors_of_unknown_shaders_are_possible_uses() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x22);
    c.call("vkCreateDescriptorSetLayout", json!({ "pCreateInfo": { "pBindings": [{ "binding": 0, "descriptorType": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER", "descriptorCount": 1, "stageFlags": 0x20 }] }, "pSetLayout": 60 }));
    c.call(
        "vkCreatePipelineLayout",
        json!({ "pCreateInfo": { "pSetLayouts": [60] }, "pPipelineLayout": 61 }),
    );
    c.call("vkCreateComputePipelines", json!({ "pCreateInfos": [{ "stage": { "stage": "VK_SHADER_STAGE_COMPUTE_BIT", "module": 1 }, "layout": 61 }], "pPipelines": [62] }));
    c.call("vkAllocateDescriptorSets", json!({ "pAllocateInfo": { "descriptorPool": 63, "pSetLayouts": [60] }, "pDescriptorSets": [64] }));
    c.call("vkUpdateDescriptorSets", json!({ "pDescriptorWrites": [{ "dstSet": 64, "dstBinding": 0, "dstArrayElement": 0, "descriptorCount": 1, "descriptorType": "VK_DESCRIPTOR_TYPE_STORAGE_BUFFER", "pBufferInfo": [{ "buffer": 10, "offset": 0, "range": 1024 }] }] }));
    c.begin();
    c.fill(10);
    c.command(
        "vkCmdBindPipeline",
        json!({ "pipelineBindPoint": "VK_PIPELINE_BIND_POINT_COMPUTE", "pipeline": 62 }),
    );
    c.command("vkCmdBindDescriptorSets", json!({ "pipelineBindPoint": "VK_PIPELINE_BIND_POINT_COMPUTE", "layout": 61, "firstSet": 0, "pDescriptorSets": [64] }));
    c.command(
        "vkCmdDispatch",
        json!({ "groupCountX": 4, "groupCountY": 1, "groupCountZ": 1 }),
    );
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    assert!(
        text.contains("UNORDERED_ACCESS buffer_10[0..1024] may"),
        "{text}"
    );
    assert!(
        warnings(&text).iter().any(|rule| rule.starts_with("HZ")),
        "{text}"
    );
    assert_eq!(
        super::findings(&text),
        [],
        "a hazard of a possible use is a warning: {text}"
    );
}

#[test]
fn memory_that_is_shared_becomes_a_heap() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x3);
    c.buffer(11, 4096, 0x3);
    c.buffer(12, 4096, 0x3);
    for (buffer, offset) in [(10, 0), (11, 2048), (12, 8192)] {
        c.call(
            "vkBindBufferMemory",
            json!({ "buffer": buffer, "memory": 70, "memoryOffset": offset }),
        );
    }
    c.begin();
    for buffer in [10, 11, 12] {
        c.fill(buffer);
    }
    c.end();
    c.submit();
    let text = text_of(&import(&c.text()));
    let placed = |name: &str| {
        text.lines().any(|line| {
            line.contains(&format!("buffer {name} ")) && line.contains("heap memory_70")
        })
    };
    assert!(
        placed("buffer_10") && placed("buffer_11") && !placed("buffer_12"),
        "{text}"
    );
    assert!(
        super::findings(&text)
            .iter()
            .any(|(rule, _)| rule == "HZ103"),
        "aliases collide: {text}"
    );
    let _ = TOP;
}

#[test]
fn what_is_left_out_is_counted() {
    let mut c = Capture::new();
    c.buffer(10, 4096, 0x22);
    c.call(
        "vkMapMemory",
        json!({ "memory": 9, "offset": 0, "size": 4096 }),
    );
    c.call(
        "vkFlushMappedMemoryRanges",
        json!({ "pMemoryRanges": [{ "memory": 9 }] }),
    );
    c.call("vkUnmapMemory", json!({ "memory": 9 }));
    c.call("vkSetEvent", json!({ "event": 8 }));
    c.returns("vkGetEventStatus", "VK_EVENT_SET", json!({ "event": 8 }));
    c.call(
        "vkGetBufferDeviceAddress",
        json!({ "pInfo": { "buffer": 10 } }),
    );
    c.call("vkGetQueryPoolResults", json!({ "queryPool": 7 }));
    c.call(
        "vkQueueBindSparse",
        json!({ "queue": super::capture::QUEUE, "pBindInfo": [{}] }),
    );
    c.call(
        "vkCreateAccelerationStructureKHR",
        json!({ "pAccelerationStructure": 6 }),
    );
    c.begin();
    c.command("vkCmdWriteTimestamp", json!({ "queryPool": 7, "query": 0 }));
    c.command(
        "vkCmdBuildAccelerationStructuresKHR",
        json!({ "pInfos": [] }),
    );
    c.fill(10);
    c.end();
    c.submit();
    let meta = r#"{"index":99,"meta":{"name":"FillMemoryCommand","args":{"memory_id":9,"offset":0,"size":4096}}}"#;
    let report = import(&format!("{}{meta}\n", c.text())).report;
    let count = |start: &str| {
        let entries = report.entries.iter();
        let entry = entries.filter(|entry| entry.what.starts_with(start));
        entry.map(|entry| entry.count).collect::<Vec<_>>()
    };
    assert_eq!(count("memory that the CPU may have written"), [2]);
    assert_eq!(count("memory that the CPU wrote"), [1]);
    assert_eq!(count("events that the host sets"), [1]);
    assert_eq!(count("questions of the host about events"), [1]);
    assert_eq!(count("addresses of buffers"), [1]);
    assert_eq!(count("queries"), [2]);
    assert_eq!(count("sparse binding"), [1]);
    let unknown: Vec<&str> = report.unknown.iter().map(|calls| &*calls.name).collect();
    assert_eq!(
        unknown,
        [
            "vkCreateAccelerationStructureKHR",
            "vkCmdBuildAccelerationStructuresKHR"
        ]
    );
}
