//! Descriptors that update templates set. Converters of 0.9.18 lose their images and buffers: what such a set touches is
//! `may`, guessed from types, layouts and what the command buffer does.

use super::capture::{Capture, TOP, TRANSFER, TRANSFER_WRITE, VERTEX_INPUT, VERTEX_READ};
use super::{doubts, findings, import, text_of};
use serde_json::{Value, json};

const COMPUTE: u64 = 0x800;
const SHADER_READ: u64 = 0x20;
const SHADER_WRITE: u64 = 0x40;
const UNIFORM_READ: u64 = 0x8;
const GENERAL: &str = "VK_IMAGE_LAYOUT_GENERAL";

// Usages: sampled, storage, and both with transfer.
const SAMPLED: u32 = 0x4;
const STORED: u32 = 0x8;

/// A compute pipeline with one set, whose descriptors a template sets: a type each, one descriptor a binding.
fn with_template(types: &[&str]) -> Capture {
    let mut c = Capture::new();
    let each = |(at, kind): (usize, &&str)| json!({ "binding": at, "descriptorType": format!("VK_DESCRIPTOR_TYPE_{kind}"), "descriptorCount": 1, "stageFlags": 0x20 });
    let bindings: Vec<Value> = types.iter().enumerate().map(each).collect();
    let entry = |(at, kind): (usize, &&str)| json!({ "dstBinding": at, "dstArrayElement": 0, "descriptorCount": 1, "descriptorType": format!("VK_DESCRIPTOR_TYPE_{kind}"), "offset": 0, "stride": 24 });
    let entries: Vec<Value> = types.iter().enumerate().map(entry).collect();
    c.call(
        "vkCreateDescriptorSetLayout",
        json!({ "pCreateInfo": { "pBindings": bindings }, "pSetLayout": 60 }),
    );
    c.call(
        "vkCreatePipelineLayout",
        json!({ "pCreateInfo": { "pSetLayouts": [60] }, "pPipelineLayout": 61 }),
    );
    c.call("vkCreateComputePipelines", json!({ "pCreateInfos": [{ "stage": { "stage": "VK_SHADER_STAGE_COMPUTE_BIT", "module": 1 }, "layout": 61 }], "pPipelines": [62] }));
    c.call("vkAllocateDescriptorSets", json!({ "pAllocateInfo": { "descriptorPool": 63, "pSetLayouts": [60] }, "pDescriptorSets": [64] }));
    c.call("vkCreateDescriptorUpdateTemplate", json!({ "pCreateInfo": { "pDescriptorUpdateEntries": entries }, "pDescriptorUpdateTemplate": 65 }));
    c
}

fn update(c: &mut Capture, images: Value, buffers: Value) {
    c.call(
        "vkUpdateDescriptorSetWithTemplate",
        json!({ "descriptorSet": 64, "descriptorUpdateTemplate": 65, "pData": {
            "dstSet": "VK_NULL_HANDLE", "pImageInfo": images, "pBufferInfo": buffers, "pTexelBufferView": null
        } }),
    );
}

fn image_info(view: Value, layout: &str) -> Value {
    json!({ "sampler": "VK_NULL_HANDLE", "imageView": view, "imageLayout": layout })
}

fn lost(layout: &str) -> Value {
    image_info(json!("VK_NULL_HANDLE"), layout)
}

fn dispatch(c: &mut Capture) -> u64 {
    let point = "VK_PIPELINE_BIND_POINT_COMPUTE";
    c.command(
        "vkCmdBindPipeline",
        json!({ "pipelineBindPoint": point, "pipeline": 62 }),
    );
    c.command(
        "vkCmdBindDescriptorSets",
        json!({ "pipelineBindPoint": point, "layout": 61, "firstSet": 0, "pDescriptorSets": [64] }),
    );
    c.command(
        "vkCmdDispatch",
        json!({ "groupCountX": 4, "groupCountY": 1, "groupCountZ": 1 }),
    )
}

/// Two dispatches by one lost storage image, with or without a barrier between them. The second image is in another
/// layout, the third is no storage image, the fourth has no view.
fn two_passes(ordered: bool) -> (String, u64) {
    let mut c = with_template(&["STORAGE_IMAGE"]);
    c.image(20, 30, STORED);
    c.image(21, 31, STORED | SAMPLED);
    c.image(22, 32, SAMPLED | 0x1);
    c.image(23, 33, STORED);
    c.call("vkDestroyImageView", json!({ "imageView": 33 }));
    update(&mut c, json!([lost(GENERAL)]), Value::Null);
    c.begin();
    let both = SHADER_READ | SHADER_WRITE;
    for (image, layout) in [
        (20, "GENERAL"),
        (21, "SHADER_READ_ONLY_OPTIMAL"),
        (22, "GENERAL"),
        (23, "GENERAL"),
    ] {
        c.image_barrier(image, (TOP, COMPUTE), (0, both), ("UNDEFINED", layout));
    }
    dispatch(&mut c);
    if ordered {
        c.memory_barrier((COMPUTE, COMPUTE), (SHADER_WRITE, both));
    }
    let second = dispatch(&mut c);
    c.end();
    c.submit();
    (text_of(&import(&c.text())), second)
}

#[test]
fn a_lost_image_may_be_one_that_its_layout_and_usage_fit() {
    let (text, second) = two_passes(false);
    assert_eq!(findings(&text), [], "{text}");
    assert_eq!(text.matches("UNORDERED_ACCESS image_20 may").count(), 2);
    for other in ["image_21 may", "image_22 may", "image_23 may"] {
        assert!(!text.contains(other), "{other}\n{text}");
    }
    let doubts = doubts(&text);
    assert!(
        !doubts.is_empty() && doubts.iter().all(|(_, call)| *call == second),
        "{doubts:?}\n{text}"
    );
    let (text, _) = two_passes(true);
    assert_eq!(findings(&text), [], "{text}");
    assert_eq!(super::doubts(&text), [], "{text}");
}

/// A buffer that a fill writes and a barrier makes visible, if there is one, before a dispatch by a lost descriptor.
fn filled(usage: u32, kind: &str, barrier: Option<(u64, u64)>) -> (String, u64) {
    let mut c = with_template(&[kind]);
    c.buffer(10, 4096, usage);
    update(&mut c, Value::Null, Value::Null);
    c.begin();
    c.fill(10);
    if let Some((stage, access)) = barrier {
        c.buffer_barrier(10, (TRANSFER, stage), (TRANSFER_WRITE, access));
    }
    let dispatch = dispatch(&mut c);
    c.end();
    c.submit();
    (text_of(&import(&c.text())), dispatch)
}

#[test]
fn a_lost_buffer_may_be_one_that_the_command_buffer_writes() {
    for (usage, kind, access, word) in [
        (0x10, "UNIFORM_BUFFER", UNIFORM_READ, "CONSTANT_BUFFER"),
        (0x20, "STORAGE_BUFFER", SHADER_READ, "UNORDERED_ACCESS"),
        (0x4, "UNIFORM_TEXEL_BUFFER", SHADER_READ, "SHADER_RESOURCE"),
    ] {
        let (text, call) = filled(usage | 0x2, kind, None);
        assert!(
            text.contains(&format!("{word} buffer_10")),
            "{kind}\n{text}"
        );
        assert_eq!(findings(&text), [], "{kind}\n{text}");
        assert!(
            doubts(&text).contains(&("HZ101".to_owned(), call)),
            "{kind}\n{text}"
        );
        let (text, _) = filled(usage | 0x2, kind, Some((COMPUTE, access | SHADER_WRITE)));
        assert!(
            text.contains(&format!("{word} buffer_10")),
            "{kind}\n{text}"
        );
        assert_eq!(doubts(&text), [], "{kind}\n{text}");
        // Of another usage, or for others to read: another buffer.
        for (usage, barrier) in [
            (0x80, None),
            (usage | 0x80, Some((VERTEX_INPUT, VERTEX_READ))),
        ] {
            let (text, _) = filled(usage | 0x2, kind, barrier);
            assert!(!text.contains(" may"), "{kind}\n{text}");
            assert_eq!(doubts(&text), [], "{kind}\n{text}");
        }
    }
}

#[test]
fn what_was_lost_is_counted_once_a_descriptor() {
    let mut c = with_template(&[
        "STORAGE_IMAGE",
        "SAMPLER",
        "UNIFORM_BUFFER",
        "STORAGE_IMAGE",
    ]);
    c.buffer(10, 4096, 0x2);
    let infos = json!([lost(GENERAL), lost(GENERAL), lost(GENERAL)]);
    update(&mut c, infos, Value::Null);
    c.begin();
    c.fill(10);
    dispatch(&mut c);
    c.end();
    c.submit();
    let report = import(&c.text()).report;
    let count = |start: &str| {
        let entries = report
            .entries
            .iter()
            .filter(|entry| entry.what.starts_with(start));
        entries.map(|entry| entry.count).sum::<u64>()
    };
    assert_eq!(count("image descriptors set by templates"), 2);
    assert_eq!(count("buffer descriptors set by templates"), 1);
    assert_eq!(count("uses by a descriptor that the capture lost"), 3);
}

#[test]
fn a_template_whose_handles_are_there_names_what_it_names() {
    let mut c = with_template(&["SAMPLER", "STORAGE_IMAGE", "STORAGE_BUFFER"]);
    c.buffer(10, 4096, 0x22);
    c.buffer(11, 4096, 0x22);
    c.image(20, 30, STORED);
    c.image(21, 31, STORED);
    let sampler = json!({ "sampler": 70, "imageView": "VK_NULL_HANDLE", "imageLayout": "VK_IMAGE_LAYOUT_UNDEFINED" });
    // A sampler takes an entry of the list of images.
    let images = json!([sampler, image_info(json!(31), GENERAL)]);
    let buffers = json!([{ "buffer": 11, "offset": 0, "range": u64::MAX }]);
    update(&mut c, images, buffers);
    c.begin();
    for image in [20, 21] {
        let access = (0, SHADER_READ | SHADER_WRITE);
        c.image_barrier(image, (TOP, COMPUTE), access, ("UNDEFINED", "GENERAL"));
    }
    c.fill(10);
    dispatch(&mut c);
    c.end();
    c.submit();
    let imported = import(&c.text());
    let text = text_of(&imported);
    assert!(text.contains("UNORDERED_ACCESS image_21 may"), "{text}");
    assert!(text.contains("UNORDERED_ACCESS buffer_11 may"), "{text}");
    assert!(!text.contains("UNORDERED_ACCESS image_20"), "{text}");
    assert!(!text.contains("UNORDERED_ACCESS buffer_10"), "{text}");
    let lost =
        |entry: &syncscope::interop::import::ReportEntry| entry.what.contains("capture lost");
    assert!(!imported.report.entries.iter().any(lost));
}
