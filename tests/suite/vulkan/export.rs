//! `export --to vulkan` and `roundtrip` from outside: C text that compiles, JSON that its schema describes, exit statuses.

use crate::schema::complaints;
use crate::tools::skipped;
use crate::{sizes, tour};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn syncscope(words: &[&str]) -> (i32, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(words)
        .output()
        .expect("the program runs");
    (
        output.status.code().expect("it ends by itself"),
        String::from_utf8(output.stdout).expect("text"),
        String::from_utf8(output.stderr).expect("text"),
    )
}

fn own(name: &str, text: &str) -> String {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("vulkan");
    fs::create_dir_all(&folder).expect("the target directory can be written");
    let path = folder.join(name);
    fs::write(&path, text).expect("the target directory can be written");
    path.display().to_string()
}

/// One scene of many: names that are no words of C, aliases, splits, ranges, planes, video, fences, legacy barriers.
const SCENE: &str = "heap h : 8MiB
texture a.b : D24_UNORM_S8_UINT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }
texture a-b : R8G8B8A8_UNORM 64x64 { mips 4; layers 3; flags RENDER_TARGET; initial COMMON }
texture a_b : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial COMMON }
texture pic : NV12 64x64 { flags VIDEO; initial COMMON }
buffer int : 4KiB { flags UNORDERED_ACCESS }
texture back : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial COMMON }
fence f
queue gfx : direct
queue enc : video_encode
list for : direct {
  barrier { texture a-b[mip 1..3, layer 2] { sync NONE -> ALL; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET } }
  barrier { texture a.b[plane 1] { sync DEPTH_STENCIL -> PIXEL_SHADING; access DEPTH_STENCIL_WRITE -> SHADER_RESOURCE; layout DEPTH_STENCIL_WRITE -> SHADER_RESOURCE } }
  barrier { buffer int { sync ALL_SHADING -> SPLIT; access UNORDERED_ACCESS -> INDIRECT_ARGUMENT } }
  barrier { global { sync ALL -> ALL; access COMMON -> COMMON }; texture a_b { sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout UNDEFINED -> COMMON; discard } }
  barrier { buffer int { sync SPLIT -> EXECUTE_INDIRECT; access UNORDERED_ACCESS -> INDIRECT_ARGUMENT } }
  signal-barrier f 1 { buffer int { sync ALL -> NONE; access COMMON -> NO_ACCESS } }
  legacy { transition back COMMON -> RENDER_TARGET; uav int }
  barrier { texture back { sync ALL -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> PRESENT } }
}
list encode : video_encode {
  barrier { texture pic { sync NONE -> VIDEO_ENCODE; access NO_ACCESS -> VIDEO_ENCODE_READ; layout COMMON -> VIDEO_ENCODE_READ } }
}
timeline {
  gfx execute for
  gfx present back
  enc execute encode
}
";

/// Debian's `libvulkan-dev` has the header; without it, or without a compiler, this says so and passes.
#[test]
fn c_text_compiles() {
    let has = Path::new("/usr/include/vulkan/vulkan.h").exists();
    if !has || Command::new("cc").arg("--version").output().is_err() {
        return skipped("vulkan/vulkan.h or cc is not installed");
    }
    let header = std::fs::read_to_string("/usr/include/vulkan/vulkan_core.h").unwrap_or_default();
    // An older header does not know the newest stages.
    let is_known = |text: &str| {
        let mut words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        words.all(|word| !word.starts_with("VK_PIPELINE_STAGE_2_") || header.contains(word))
    };
    let step = sizes::step(90, 60);
    let mut paths = vec![PathBuf::from(own("scene.scn", SCENE))];
    paths.extend(tour::files("scenarios").into_iter().step_by(step));
    let mut written = Vec::new();
    for (number, path) in paths.iter().enumerate() {
        for table in ["minimal", "vkd3d-proton"] {
            let words = [
                "export",
                "--to",
                "vulkan",
                "--table",
                table,
                &path.display().to_string(),
            ];
            let (status, text, said) = syncscope(&words);
            if number > 0 && status == 2 {
                continue;
            }
            assert_eq!(status, 0, "{}: {said}", path.display());
            if number > 0 && !is_known(&text) {
                continue;
            }
            written.push(own(&format!("scene{number}{table}.c"), &text));
        }
    }
    assert!(written.len() > 1_200 / step, "{} files", written.len());
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only"])
        .args(&written)
        .output()
        .expect("the compiler runs");
    assert!(
        compiled.status.success(),
        "{}",
        String::from_utf8_lossy(&compiled.stderr)
    );
}

#[test]
fn c_text_says_what_vulkan_has_no_word_for() {
    let path = own("words.scn", SCENE);
    let (status, text, _) = syncscope(&["export", "--to", "vulkan", &path]);
    assert_eq!(status, 0);
    for part in [
        "vkCmdSetEvent2(commands, event_list_for_split_0, &dependency);",
        "vkCmdWaitEvents2(commands, 1, &event_list_for_split_0, &dependency);",
        "vkCmdSetEvent2(commands, event_f_1, &dependency);",
        ".newLayout = VK_IMAGE_LAYOUT_PRESENT_SRC_KHR,",
        ".oldLayout = VK_IMAGE_LAYOUT_UNDEFINED,",
        ".aspectMask = VK_IMAGE_ASPECT_STENCIL_BIT,",
        "void between_submissions(VkCommandBuffer commands) {",
        "// NONE: an empty mask would chain with nothing",
        "// a fence barrier: an event does it on one queue",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let range = ".baseMipLevel = 1,\n                    .levelCount = 2,\n                    .baseArrayLayer = 2,\n                    \
                 .layerCount = 1,";
    assert!(text.contains(range), "{text}");
    assert!(
        text.lines().all(|line| line.len() <= 100),
        "no line is wider than the page"
    );
}

#[test]
fn json_is_as_its_schema_says() {
    let path = own("json.scn", SCENE);
    for (words, name) in [
        (vec!["export", "--to", "vulkan"], "vulkan"),
        (vec!["roundtrip"], "roundtrip"),
    ] {
        let (_, schema, _) = syncscope(&["schema", name]);
        let schema: Value = serde_json::from_str(&schema).expect("a schema");
        let (_, text, said) = syncscope(&[&words[..], &["--format", "json", &path]].concat());
        let value: Value =
            serde_json::from_str(&text).unwrap_or_else(|e| panic!("{e}: {text} {said}"));
        assert_eq!(complaints(&schema, &value), Vec::<String>::new());
        assert_eq!(value["schema"], 1);
    }
}

#[test]
fn a_lost_pair_is_exit_status_one() {
    let path = own("status.scn", SPLIT);
    let (status, page, _) = syncscope(&["roundtrip", &path]);
    assert_eq!(status, 0, "{page}");
    let (status, page, _) = syncscope(&["roundtrip", "--table", "vkd3d-proton", &path]);
    assert_eq!(status, 1, "{page}");
    assert!(page.contains("2 entries: 2 vanished\n"), "{page}");
    assert!(page.contains("lost on b: order from dispatch"), "{page}");
    let (status, _, said) = syncscope(&["roundtrip", &own("bad.scn", "queue")]);
    assert_eq!(status, 2, "{said}");
    let (status, _, said) = syncscope(&["export", "--to", "metal", &path]);
    assert_eq!(status, 2, "{said}");
    let (status, _, said) = syncscope(&["export", "--to", "vulkan", "--table", "dzn", &path]);
    assert_eq!(status, 2, "{said}");
    assert!(said.contains("vkd3d-proton"), "{said}");
}

const SPLIT: &str = "queue q : direct
buffer b : 4KiB { flags UNORDERED_ACCESS }
list l : direct {
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  barrier { buffer b { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE b }
}
timeline { q execute l }
";
