//! Entries on parts of a texture, in lists that run more than once, or whose bits serve another list: the wrong word is
//! changed, and what stands around it stays (reading R73).

use super::{on_one_queue, recovers};

const PARTS: &str = "texture t : R8G8B8A8_UNORM 64x64 { mips 3; layers 2; flags RENDER_TARGET; initial SHADER_RESOURCE }
texture u : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }";

/// One mip is drawn while another one is sampled, then all are sampled.
fn one_mip() -> (String, String, String) {
    let there = "barrier { texture t[mip 1, layer 0] { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }";
    let back = "barrier { texture t[mip 1, layer 0] { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }";
    let commands = format!(
        "  {there}\n  draw vertices 3 {{ RENDER_TARGET t[mip 1, layer 0]; SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING }}\n  {back}\n  draw vertices 3 {{ RENDER_TARGET u; SHADER_RESOURCE t @ PIXEL_SHADING }}"
    );
    let text = on_one_queue(PARTS, "direct", &commands);
    (text, there.to_owned(), back.to_owned())
}

/// What is used of other mips does not count as what the entry is for.
#[test]
fn uses_of_other_subresources_are_not_served() {
    let (text, there, back) = one_mip();
    for (entry, right, wrong) in [
        (&back, "sync RENDER_TARGET", "sync DEPTH_STENCIL"),
        (
            &there,
            "-> RENDER_TARGET; access",
            "-> DEPTH_STENCIL; access",
        ),
        (
            &there,
            "NO_ACCESS -> RENDER_TARGET",
            "NO_ACCESS -> SHADER_RESOURCE",
        ),
    ] {
        assert!(entry.contains(right));
        recovers(&text, entry, &entry.replacen(right, wrong, 1));
    }
}

/// A range too wide, or moved, in the entry before: it is narrowed or moved back, and nothing else is widened.
#[test]
fn the_range_of_the_entry_before_is_mended() {
    let (text, there, _) = one_mip();
    for wrong in [
        "[mip 1]",
        "[mip 1..3, layer 0]",
        "[mip 1, layer 1]",
        "[mip 2, layer 0]",
    ] {
        recovers(&text, &there, &there.replace("[mip 1, layer 0]", wrong));
    }
}

/// Another texture is named in an entry on one mip: the right name comes back with the mip.
#[test]
fn a_part_of_the_right_texture_is_named() {
    let (text, _, back) = one_mip();
    recovers(
        &text,
        &back,
        &back.replace("texture t[mip 1, layer 0]", "texture u"),
    );
}

/// The last transition before a `repeat` begins again leaves what the first one finds.
#[test]
fn the_end_of_a_frame_leaves_what_the_next_one_expects() {
    let last = "barrier { texture t { sync PIXEL_SHADING -> NONE; access SHADER_RESOURCE -> NO_ACCESS; layout SHADER_RESOURCE -> COMMON } }";
    let text = format!(
        "queue q : direct
texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial COMMON }}
list l : direct {{
  barrier {{ texture t {{ sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout COMMON -> RENDER_TARGET }} }}
  draw vertices 3 {{ RENDER_TARGET t }}
  barrier {{ texture t {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}
  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}
  {last}
}}
timeline {{ repeat 3 {{ q execute l }} }}
"
    );
    recovers(&text, last, &last.replace("-> COMMON", "-> RENDER_TARGET"));
    // Another texture is named there: the one that the next frame misses.
    let two = text.replace(
        "list l",
        "texture u : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }\nlist l",
    );
    recovers(&two, last, &last.replace("texture t", "texture u"));
}

/// A stage that no use of the buffer needs holds the work of a later list: it is kept where its loss would show.
#[test]
fn a_stage_that_serves_another_list_is_kept() {
    let text = |sync: &str| {
        format!(
            "queue gfx : direct
buffer b : 64KiB {{ flags UNORDERED_ACCESS }}
buffer x : 64KiB {{ flags UNORDERED_ACCESS }}
buffer y : 64KiB
texture u : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
list one : direct {{
  dispatch 8x1x1 {{ UNORDERED_ACCESS b writes; SHADER_RESOURCE x }}
  barrier {{ buffer b {{ sync COMPUTE_SHADING -> {sync}; access UNORDERED_ACCESS -> VERTEX_BUFFER }} }}
}}
list two : direct {{ draw vertices 3 {{ VERTEX_BUFFER b; RENDER_TARGET u }} }}
list three : direct {{ copy y -> x }}
timeline {{
  gfx execute one, two
  gfx execute one, three
}}
"
        )
    };
    recovers(&text("VERTEX_SHADING|COPY"), "VERTEX_SHADING|COPY", "COPY");
}

/// A second half that lost its `SPLIT`, in lists that run again: the first half is right, and stays.
#[test]
fn a_half_without_split_in_a_repeated_list_is_made_a_half() {
    let begin = "barrier { texture t { sync RENDER_TARGET -> SPLIT; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }";
    let end = begin.replace("RENDER_TARGET -> SPLIT", "SPLIT -> PIXEL_SHADING");
    let text = format!(
        "queue q : direct
texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
buffer k : 64KiB {{ flags UNORDERED_ACCESS }}
list l : direct {{
  clear-rtv t
  {begin}
  dispatch 4x1x1 {{ UNORDERED_ACCESS k }}
  {end}
  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}
  barrier {{ texture t {{ sync PIXEL_SHADING -> NONE; access SHADER_RESOURCE -> NO_ACCESS; layout SHADER_RESOURCE -> RENDER_TARGET }} }}
}}
timeline {{ q execute l; q execute l }}
"
    );
    recovers(
        &text,
        &end,
        &end.replace("sync SPLIT", "sync RENDER_TARGET"),
    );
    recovers(
        &text,
        begin,
        &begin.replace("RENDER_TARGET -> SPLIT", "SPLIT -> RENDER_TARGET"),
    );
}

/// A legacy state that no use needs is replaced, in the transition that has it.
#[test]
fn a_wrong_legacy_state_is_replaced() {
    let commands = "  dispatch 4x1x1 { UNORDERED_ACCESS b }
  legacy { transition b UNORDERED_ACCESS -> COPY_SOURCE }
  copy b -> d";
    let buffers = "buffer b : 64KiB { flags UNORDERED_ACCESS }\nbuffer d : 64KiB";
    let text = on_one_queue(buffers, "direct", commands);
    recovers(&text, "-> COPY_SOURCE", "-> COPY_DEST");
}

/// What does not change in an entry stays as it is written: the order of bits, and `PREDICATION`.
#[test]
fn words_that_are_right_stay_as_they_are_written() {
    let entry = "buffer p { sync COMPUTE_SHADING -> PREDICATION|VERTEX_SHADING; access UNORDERED_ACCESS -> PREDICATION|SHADER_RESOURCE }";
    let commands = format!(
        "  dispatch 8x1x1 {{ UNORDERED_ACCESS p writes }}
  barrier {{ {entry} }}
  predicate p[0..8]
  draw vertices 3 {{ SHADER_RESOURCE p @ VERTEX_SHADING }}
  predicate off"
    );
    let buffers = "buffer p : 64KiB { flags UNORDERED_ACCESS }";
    let text = on_one_queue(buffers, "direct", &commands);
    recovers(
        &text,
        entry,
        &entry.replace("-> PREDICATION|SHADER_RESOURCE", "-> PREDICATION"),
    );
    recovers(
        &text,
        entry,
        &entry.replace("PREDICATION|VERTEX_SHADING", "PREDICATION"),
    );
}
