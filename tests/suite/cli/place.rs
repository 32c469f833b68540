//! `syncscope place`: its styles, and what it says.

use super::{directory, file, status, stderr, stdout, syncscope};

const SCENE: &str = "fence f
texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : direct
queue c : compute
list l : direct {
  clear-rtv t
  barrier { texture t { sync ALL -> ALL; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }
  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }
}
timeline {
  q execute l
  q signal f 1
  c wait f 1
  c execute { dispatch 8x8x1 { UNORDERED_ACCESS b } }
}
";

#[test]
fn vulkan_is_what_export_prints_of_the_placed_text() {
    let d = directory("place-vulkan");
    // Names of one length, so that lines break alike.
    let scene = file(&d, "before.scn", SCENE);
    let placed = syncscope(&["place", &scene]);
    let placed = file(&d, "placed.scn", stdout(&placed));
    let exported = syncscope(&["export", "--to", "vulkan", &placed]);
    let styled = syncscope(&["place", "--style", "vulkan", &scene]);
    assert_eq!(status(&styled), Some(0));
    let expected = stdout(&exported).replace("placed.scn", "before.scn");
    assert_eq!(stdout(&styled), expected);
}

#[test]
fn what_is_not_needed_is_said() {
    let d = directory("place-says");
    let scene = file(&d, "scene.scn", SCENE);
    let output = syncscope(&["place", "--fences", &scene]);
    let said = stderr(&output);
    assert!(
        said.contains("1 barrier in 1 call placed; 2 barriers in 2 calls written"),
        "{said}"
    );
    assert!(said.contains("1 of 2 written barriers"), "{said}");
    assert!(said.contains(" at least"), "{said}");
    assert!(said.contains("fences: 1 wait dropped"), "{said}");
    // A policy is not told what others wrote too much.
    let output = syncscope(&["place", "--policy", "just-in-time", &scene]);
    let said = stderr(&output);
    assert!(!said.contains("written barriers"), "{said}");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let d = directory("place-refused");
    let scene = file(&d, "scene.scn", SCENE);
    for words in [
        &["place", "--style", "vulkan", "--diff"][..],
        &["place", "--style", "vulkan", "--write"],
        &["place", "--style", "legacy", "--keep"],
        &["place", "--worst"],
    ] {
        let words: Vec<&str> = words.iter().copied().chain([scene.as_str()]).collect();
        let output = syncscope(&words);
        assert_eq!(status(&output), Some(2), "{words:?}");
        assert!(stdout(&output).is_empty(), "{words:?}");
    }
}
