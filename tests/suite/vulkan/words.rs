//! Numbers and names of Vulkan's words: by hand, and against the header where it is installed.

use crate::tools::skipped;
use std::fs;
use syncscope::api::{QueueType, ResourceFlags};
use syncscope::interop::vulkan::{
    AccessFlags, BufferUsage, DependencySide, FormatFit, ImageLayout, ImageUsage, QueueFlags,
    StageFlags, VkFormat,
};

/// The header that Debian's `libvulkan-dev` installs. Without it the comparisons say so and pass.
const HEADER: &str = "/usr/include/vulkan/vulkan_core.h";

fn header() -> Option<String> {
    let text = fs::read_to_string(HEADER).ok();
    if text.is_none() {
        skipped(&format!("{HEADER} is not installed"));
    }
    text
}

/// The constants of the header whose type or enumeration is `kind`, with their values.
fn constants(header: &str, kind: &str) -> Vec<(String, u64)> {
    let number = |text: &str| {
        let text = text
            .trim()
            .trim_end_matches([';', ','])
            .trim_end_matches("ULL");
        match text.strip_prefix("0x") {
            Some(digits) => u64::from_str_radix(digits, 16).ok(),
            None => text.parse().ok(),
        }
    };
    let constant = format!("static const {kind} ");
    let mut found = Vec::new();
    let mut inside = false;
    for line in header.lines().map(str::trim) {
        if line == format!("typedef enum {kind} {{") {
            inside = true;
        } else if line.starts_with('}') {
            inside = false;
        }
        let row = line.strip_prefix(&constant).or(inside.then_some(line));
        if let Some((name, value)) = row.and_then(|row| row.split_once(" = "))
            && !name.ends_with("_MAX_ENUM")
            && let Some(value) = number(value)
        {
            found.push((name.to_owned(), value));
        }
    }
    found
}

#[test]
fn every_mask_of_the_header_reads_as_its_number() {
    let Some(header) = header() else { return };
    let mut compared = 0;
    macro_rules! compare {
        ($type:ident, $kind:literal, $prefix:literal) => {
            let list = constants(&header, $kind);
            assert!(list.len() > 5, "{} has constants", $kind);
            for (name, value) in &list {
                let parsed = $type::parse(name);
                assert_eq!(u64::from(parsed.value.bits()), *value, "{name}");
                assert_eq!(parsed.unknown, Vec::<String>::new(), "{name}");
                assert!(parsed.value.unknown().is_empty(), "{name} has a name here");
                compared += 1;
            }
            // What C text says is a name of the header again, if this header has the bit at all.
            for (_, bit) in $type::NAMED {
                let value = u64::from(bit.bits());
                if list
                    .iter()
                    .any(|(name, known)| *known == value && name.starts_with($prefix))
                {
                    let text = bit.c_text();
                    assert!(
                        list.iter()
                            .any(|(name, known)| *name == text && *known == value)
                            || text.contains("COMMAND_PREPROCESS")
                            || text.contains("SUBPASS_SHAD"),
                        "{text} is the header's name of {value:#x}"
                    );
                }
            }
        };
    }
    compare!(
        StageFlags,
        "VkPipelineStageFlagBits2",
        "VK_PIPELINE_STAGE_2_"
    );
    compare!(AccessFlags, "VkAccessFlagBits2", "VK_ACCESS_2_");
    compare!(
        StageFlags,
        "VkPipelineStageFlagBits",
        "VK_PIPELINE_STAGE_2_"
    );
    compare!(AccessFlags, "VkAccessFlagBits", "VK_ACCESS_2_");
    compare!(QueueFlags, "VkQueueFlagBits", "VK_QUEUE_");
    compare!(ImageUsage, "VkImageUsageFlagBits", "VK_IMAGE_USAGE_");
    compare!(BufferUsage, "VkBufferUsageFlagBits", "VK_BUFFER_USAGE_");
    assert!(compared > 220, "{compared} constants were compared");
}

#[test]
fn every_layout_and_format_of_the_header_reads_as_its_number() {
    let Some(header) = header() else { return };
    for (name, value) in constants(&header, "VkImageLayout") {
        let layout = ImageLayout::parse(&name).expect("a layout");
        assert_eq!(u64::from(layout.0), value, "{name}");
        assert_eq!(layout.c_text(), name);
    }
    for (name, value) in constants(&header, "VkFormat") {
        if value == 0 {
            continue;
        }
        let format = VkFormat::parse(&name).expect("a format");
        assert_eq!(u64::from(format.value()), value, "{name}");
        assert_eq!(format!("VK_FORMAT_{}", format.name()), name);
    }
}

/// `vulkan_format_traits.hpp` has the blocks of every format: an account that is not ours.
#[test]
fn blocks_are_those_of_the_headers_traits() {
    let Ok(text) = fs::read_to_string("/usr/include/vulkan/vulkan_format_traits.hpp") else {
        return skipped("vulkan_format_traits.hpp is not installed");
    };
    let body = |function: &str| {
        let from = text.find(function).expect("a function of the traits");
        let rest = &text[from..];
        rest[..rest.find("default").expect("its last case")].to_owned()
    };
    // `case VULKAN_HPP_NAMESPACE::Format::eR4G4UnormPack8: return 1;`, one case a format.
    let key = |name: &str| name.to_lowercase().replace('_', "");
    let cases = |body: &str| -> Vec<(String, String)> {
        body.split("Format::e")
            .skip(1)
            .filter_map(|case| {
                let (name, rest) = case.split_once(':')?;
                let value = rest.split_once("return")?.1.split(';').next()?;
                Some((name.to_lowercase(), value.trim().to_owned()))
            })
            .collect()
    };
    let sizes = cases(&body("uint8_t blockSize("));
    let extents = cases(&body("blockExtent("));
    let mut compared = 0;
    for format in VkFormat::all() {
        let several_colours = format.planes() > 1 && !format.name().contains("S8_UINT");
        let name = key(format.name());
        if let Some((_, size)) = sizes.iter().find(|(known, _)| *known == name)
            && !several_colours
        {
            assert_eq!(format.block_bytes().to_string(), *size, "{format}");
            compared += 1;
        }
        if let Some((_, extent)) = extents.iter().find(|(known, _)| *known == name) {
            let (w, h) = format.block_extent();
            assert_eq!(
                extent.replace(['{', '}', ' '], ""),
                format!("{w},{h},1"),
                "{format}"
            );
        }
    }
    assert!(compared > 150, "{compared} formats were compared");
}

#[test]
fn a_twin_of_the_same_size_has_the_same_blocks() {
    for format in VkFormat::all() {
        let twin = format.twin();
        let plane = twin.plane(0);
        let (w, h) = format.block_extent();
        assert_eq!(format.planes(), twin.planes(), "{format} as {twin}");
        assert!(twin.is_dxgi() || twin.name() == format.name());
        if format.fit() == FormatFit::OtherSize || format.name().contains("S8_UINT") {
            continue;
        }
        // A pair of texels of a packed format with shared colours is two texels here.
        let bytes = if format.planes() == 1 && (w, h) == (2, 1) {
            2 * plane.block_bytes
        } else {
            assert_eq!((plane.block, plane.block), (w, h), "{format} as {twin}");
            plane.block_bytes
        };
        assert_eq!(bytes, format.block_bytes(), "{format} as {twin}");
    }
    let fit = |name| {
        VkFormat::parse(name)
            .map(|f| (f.twin().name(), f.fit()))
            .expect("a format")
    };
    assert_eq!(
        fit("VK_FORMAT_B8G8R8A8_UNORM"),
        ("B8G8R8A8_UNORM", FormatFit::Exact)
    );
    assert_eq!(
        fit("A8B8G8R8_SRGB_PACK32"),
        ("R8G8B8A8_UNORM_SRGB", FormatFit::Exact)
    );
    assert_eq!(fit("126"), ("D32_FLOAT", FormatFit::Exact));
    assert_eq!(
        fit("ETC2_R8G8B8_UNORM_BLOCK"),
        ("BC1_UNORM", FormatFit::SameSize)
    );
    assert_eq!(
        fit("R8G8B8_UNORM"),
        ("R8G8B8A8_UNORM", FormatFit::OtherSize)
    );
    assert_eq!(VkFormat::from_value(0), None);
}

#[test]
fn masks_read_numbers_names_and_lists() {
    let stages = |text: &str| {
        let parsed = StageFlags::parse(text);
        (parsed.value, parsed.unknown)
    };
    let both = StageFlags::COPY | StageFlags::COMPUTE_SHADER;
    for text in [
        "VK_PIPELINE_STAGE_2_COPY_BIT | VK_PIPELINE_STAGE_2_COMPUTE_SHADER_BIT",
        "COPY|COMPUTE_SHADER",
        "0x100000800",
        "4294969344",
        "0x100000000|VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT",
        "VK_PIPELINE_STAGE_2_COPY_BIT_KHR | COMPUTE_SHADER_BIT",
    ] {
        assert_eq!(stages(text), (both, vec![]), "{text}");
    }
    assert_eq!(stages("0").0, StageFlags::NONE);
    assert_eq!(stages("VK_PIPELINE_STAGE_2_NONE").0, StageFlags::NONE);
    assert_eq!(
        stages("COPY | TELEPORT_BIT_ACME"),
        (StageFlags::COPY, vec!["TELEPORT_BIT_ACME".to_owned()])
    );
    let odd = stages("0x8000000000000001").0;
    assert_eq!(odd.unknown().bits(), 1 << 63, "kept, and reported");
    assert_eq!(odd.to_string(), "TOP_OF_PIPE|0x8000000000000000");
    assert_eq!(
        odd.c_text(),
        "VK_PIPELINE_STAGE_2_TOP_OF_PIPE_BIT | 0x8000000000000000"
    );
    assert_eq!(
        AccessFlags::TRANSFORM_FEEDBACK_WRITE_EXT.c_text(),
        "VK_ACCESS_2_TRANSFORM_FEEDBACK_WRITE_BIT_EXT"
    );
    assert_eq!(
        AccessFlags::parse("VK_ACCESS_SHADER_READ_BIT").value,
        AccessFlags::SHADER_READ
    );
    let wide = QueueFlags::parse("0x100000000");
    assert_eq!(wide.unknown, ["0x100000000"], "wider than the mask");
    assert_eq!(
        ImageLayout::parse("1000001002"),
        Some(ImageLayout::PRESENT_SRC_KHR)
    );
    assert_eq!(ImageLayout::parse("VK_IMAGE_LAYOUT_NOWHERE"), None);
    assert_eq!(ImageLayout(77).c_text(), "(VkImageLayout)77");
}

/// Vulkan specification, "Pipeline Stages": what the ends of the pipe mean depends on the side.
#[test]
fn the_ends_of_the_pipe_mean_nothing_or_everything() {
    let top = StageFlags::TOP_OF_PIPE;
    let bottom = StageFlags::BOTTOM_OF_PIPE;
    assert_eq!(top.resolved(DependencySide::Source), StageFlags::NONE);
    assert_eq!(
        top.resolved(DependencySide::Destination),
        StageFlags::ALL_COMMANDS
    );
    assert_eq!(
        bottom.resolved(DependencySide::Source),
        StageFlags::ALL_COMMANDS
    );
    assert_eq!(
        bottom.resolved(DependencySide::Destination),
        StageFlags::NONE
    );
    let mixed = top | StageFlags::HOST;
    assert_eq!(mixed.resolved(DependencySide::Source), StageFlags::HOST);
    assert_eq!(
        StageFlags::VERTEX_INPUT.expanded(),
        StageFlags::INDEX_INPUT | StageFlags::VERTEX_ATTRIBUTE_INPUT
    );
}

#[test]
fn families_and_usages_say_what_d3d12_calls_them() {
    let family = |flags: QueueFlags| flags.queue_type();
    let all = QueueFlags::GRAPHICS | QueueFlags::COMPUTE | QueueFlags::TRANSFER;
    assert_eq!(family(all), Some(QueueType::Direct));
    assert_eq!(
        family(QueueFlags::COMPUTE | QueueFlags::TRANSFER),
        Some(QueueType::Compute)
    );
    assert_eq!(
        family(QueueFlags::TRANSFER | QueueFlags::SPARSE_BINDING),
        Some(QueueType::Copy)
    );
    assert_eq!(
        family(QueueFlags::VIDEO_DECODE_KHR | QueueFlags::TRANSFER),
        Some(QueueType::VideoDecode)
    );
    assert_eq!(family(QueueFlags::SPARSE_BINDING), None);
    let image =
        ImageUsage::parse("VK_IMAGE_USAGE_STORAGE_BIT|VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT").value;
    assert_eq!(
        image.resource_flags(),
        ResourceFlags::UNORDERED_ACCESS | ResourceFlags::RENDER_TARGET
    );
    let buffer = BufferUsage::ACCELERATION_STRUCTURE_STORAGE_KHR | BufferUsage::STORAGE_BUFFER;
    assert_eq!(
        buffer.resource_flags(),
        ResourceFlags::UNORDERED_ACCESS | ResourceFlags::RAYTRACING_ACCELERATION_STRUCTURE
    );
}
