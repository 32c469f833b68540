//! Ranges that are cut, widened, moved or narrowed.

use super::{BUFFER, MIPS, expect, on_one_queue, recovers, sampled};

/// Only one mip is in the wrong state: the other one stays where it is.
#[test]
fn a_legacy_transition_names_what_is_in_the_wrong_state() {
    let mips =
        "texture t : R8G8B8A8_UNORM 64x64 { mips 3; flags RENDER_TARGET; state RENDER_TARGET }";
    let commands = "
  draw vertices 3 { RENDER_TARGET t[mip 0] }
  legacy { transition t[mip 0] RENDER_TARGET -> PIXEL_SHADER_RESOURCE }
  draw vertices 3 { SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING; RENDER_TARGET t[mip 1] }
  draw vertices 3 { SHADER_RESOURCE t[mip 0..2] @ PIXEL_SHADING; RENDER_TARGET t[mip 2] }";
    let added = "legacy { transition t[mip 1] RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    expect(mips, commands, &[], &[added]);
}

/// A range that goes one too far ends where the texture ends.
#[test]
fn a_range_is_cut() {
    let mips =
        "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; initial RENDER_TARGET }";
    let commands = format!(
        "  clear-rtv t[mip 2]\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 2..4] @ PIXEL_SHADING }}",
        sampled("[mip 2..5]")
    );
    expect(
        mips,
        &commands,
        &[&sampled("[mip 2..5]")],
        &[&sampled("[mip 2..4]")],
    );
}

/// A range on too few slices, or on the wrong mip, is widened or moved, and no further entry comes.
#[test]
fn a_range_is_widened_or_moved() {
    let layers =
        "texture t : R8G8B8A8_UNORM 64x64 { layers 6; flags RENDER_TARGET; initial RENDER_TARGET }";
    let commands = |range: &str| {
        format!(
            "  clear-rtv t\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}",
            sampled(range)
        )
    };
    let two = "[layer 0..2]";
    expect(layers, &commands(two), &[&sampled(two)], &[&sampled("")]);
    // The header's structure: 0 mips make the first field an index, so that this is one subresource of six.
    let raw = |commands: String| {
        commands.replace(
            "-> SHADER_RESOURCE }",
            "-> SHADER_RESOURCE; range 0 0 0 0 0 0 }",
        )
    };
    expect(
        layers,
        &raw(commands("")),
        &[&raw(sampled(""))],
        &[&sampled("")],
    );
}

/// After transitions of single mips, what is left in the old layout is what a later barrier can be about.
#[test]
fn a_range_is_narrowed_to_what_is_in_its_layout() {
    let mips =
        "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; initial RENDER_TARGET }";
    let commands = format!(
        "  clear-rtv t\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 0..3] @ PIXEL_SHADING; RENDER_TARGET t[mip 3] }}\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}",
        sampled("[mip 0..3]"),
        sampled("")
    );
    expect(mips, &commands, &[&sampled("")], &[&sampled("[mip 3]")]);
}

/// Only what is not initialised is discarded: the rest keeps its contents.
#[test]
fn a_discard_names_what_is_not_initialised() {
    let heap = "heap pool : 64MiB\n";
    let discard = |what: &str, sync: &str, access: &str| {
        format!(
            "barrier {{ texture {what} {{ sync NONE -> {sync}; access NO_ACCESS -> {access}; layout UNDEFINED -> {access}; discard }} }}"
        )
    };
    let depth = "texture z : D24_UNORM_S8_UINT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE; heap pool at 0 }";
    expect(
        &format!("{heap}{depth}"),
        "  clear-dsv z[plane 0]\n  draw vertices 3 { DEPTH_STENCIL_WRITE z }",
        &[],
        &[&discard(
            "z[plane 1]",
            "DEPTH_STENCIL",
            "DEPTH_STENCIL_WRITE",
        )],
    );
    let mips = "texture t : R8G8B8A8_UNORM 64x64 { mips 3; flags RENDER_TARGET; initial RENDER_TARGET; heap pool at 0 }";
    expect(
        &format!("{heap}{mips}"),
        "  clear-rtv t[mip 0]\n  clear-rtv t[mip 1]\n  draw vertices 3 { RENDER_TARGET t }",
        &[],
        &[&discard("t[mip 2]", "RENDER_TARGET", "RENDER_TARGET")],
    );
}

/// A barrier names the whole buffer (reading R29).
#[test]
fn a_part_of_a_buffer_becomes_the_whole() {
    let entry = |part: &str| {
        format!(
            "barrier {{ buffer b {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE{part} }} }}"
        )
    };
    for part in ["; offset 0; size 256", "; offset 256; size all"] {
        for read in ["\n  dispatch 1x1x1 { SHADER_RESOURCE b[256..512] }", ""] {
            let commands = format!(
                "  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  {}{read}",
                entry(part)
            );
            expect(BUFFER, &commands, &[&entry(part)], &[&entry("")]);
        }
    }
}

/// An entry of several lines keeps them where its range changes.
#[test]
fn a_range_changes_in_an_entry_of_several_lines() {
    let commands = |range: &str| {
        format!(
            "  clear-rtv t\n  barrier {{\n    texture t{range} {{\n      sync RENDER_TARGET -> PIXEL_SHADING // the light reads it\n      access RENDER_TARGET -> SHADER_RESOURCE\n      layout RENDER_TARGET -> SHADER_RESOURCE\n    }}\n  }}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}"
        )
    };
    expect(
        MIPS,
        &commands("[mip 0..2]"),
        &["texture t[mip 0..2] {"],
        &["texture t {"],
    );
}

/// A transition of too much: what needs the old layout is left out, wherever it is used or named next (reading R73).
#[test]
fn a_range_is_narrowed_to_what_needs_the_new_layout() {
    let (first, second) = (sampled("[mip 0]"), sampled("[mip 1]"));
    let commands = format!(
        "  clear-rtv t[mip 0]\n  {first}\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING; RENDER_TARGET t[mip 1] }}\n  {second}\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 1] @ PIXEL_SHADING; RENDER_TARGET t[mip 2] }}"
    );
    let text = on_one_queue(MIPS, "direct", &commands);
    for wide in ["", "[mip 0..2]"] {
        recovers(&text, &first, &sampled(wide));
    }
    for wide in ["", "[mip 1..3]", "[mip 0..2]"] {
        recovers(&text, &second, &sampled(wide));
    }
    // Each mip from the one above it, by compute.
    let down = |text: &str| {
        let text = text.replace("RENDER_TARGET", "UNORDERED_ACCESS");
        let text = text.replace("draw vertices 3", "dispatch 1x1x1");
        let text = text.replace(
            "clear-rtv t[mip 0]",
            "dispatch 1x1x1 { UNORDERED_ACCESS t[mip 0] }",
        );
        let text = text.replace(" @ PIXEL_SHADING", "");
        text.replace(
            "sync UNORDERED_ACCESS -> PIXEL_SHADING",
            "sync COMPUTE_SHADING -> COMPUTE_SHADING",
        )
    };
    let text = down(&text);
    recovers(&text, &down(&first), &down(&sampled("")));
    recovers(&text, &down(&second), &down(&sampled("")));
    recovers(&text, &down(&second), &down(&sampled("[mip 0..2]")));
    // The use is in another list, and in another scope.
    let other = format!(
        "queue q : direct\n{MIPS}\nlist l : direct {{\n  clear-rtv t\n  {first}\n}}\nlist m : direct {{\n  draw vertices 3 {{ SHADER_RESOURCE t[mip 0] @ PIXEL_SHADING; RENDER_TARGET t[mip 1] }}\n}}\ntimeline {{\n  q execute l\n  q execute m\n}}\n"
    );
    recovers(&other, &first, &sampled(""));
}

/// One layer there and back.
#[test]
fn a_range_of_layers_is_narrowed() {
    let layers =
        "texture t : R8G8B8A8_UNORM 64x64 { layers 6; flags RENDER_TARGET; initial RENDER_TARGET }";
    let there = |range: &str| sampled(range);
    let back = |range: &str| {
        format!(
            "barrier {{ texture t{range} {{ sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET }} }}"
        )
    };
    let one = "[layer 0]";
    let commands = format!(
        "  clear-rtv t\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t{one} @ PIXEL_SHADING; RENDER_TARGET t[layer 1] }}\n  {}\n  clear-rtv t",
        there(one),
        back(one)
    );
    let text = on_one_queue(layers, "direct", &commands);
    recovers(&text, &there(one), &there(""));
    recovers(&text, &back(one), &back(""));
}
