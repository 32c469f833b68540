//! Declarations that are wrong, and the words of barriers that they ask for.

use super::{STATE, TARGET, expect, expect_text, recovers, sampled};

/// Reading R71: a placed resource is aligned, and its heap holds it. Of the nearest places the one that is on no other
/// resource comes first.
#[test]
fn a_placed_resource_is_moved_or_its_heap_made_longer() {
    let target = |name: &str, at: &str| {
        format!(
            "texture {name} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET; heap pool at {at} }}"
        )
    };
    let heap = "heap pool : 64MiB";
    let clears = "  discard a\n  clear-rtv a";
    let unaligned = format!("{heap}\n{}", target("a", "4KiB"));
    expect(
        &unaligned,
        clears,
        &[&target("a", "4KiB")],
        &[&target("a", "0")],
    );
    let next = format!("{heap}\n{}\n{}", target("z", "0"), target("a", "60KiB"));
    expect(
        &next,
        clears,
        &[&target("a", "60KiB")],
        &[&target("a", "64KiB")],
    );
    let outside = "heap pool : 64KiB\nbuffer a : 128KiB { heap pool at 0 }\nbuffer c : 128KiB";
    expect(
        outside,
        "  copy c -> a",
        &["heap pool : 64KiB"],
        &["heap pool : 128KiB"],
    );
}

/// What a declaration says wrong is changed there.
#[test]
fn a_declaration_is_mended_where_it_is_wrong() {
    let simultaneous = |initial: &str| {
        format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET|SIMULTANEOUS_ACCESS; initial {initial} }}"
        )
    };
    let (wrong, right) = (simultaneous("RENDER_TARGET"), simultaneous("COMMON"));
    expect(&wrong, "  clear-rtv t", &[&wrong], &[&right]);
    let (layouts, common) = (
        sampled(""),
        sampled("").replace(
            "layout RENDER_TARGET -> SHADER_RESOURCE",
            "layout COMMON -> COMMON",
        ),
    );
    let commands = format!(
        "  clear-rtv t\n  {layouts}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}"
    );
    expect(&wrong, &commands, &[&wrong, &layouts], &[&right, &common]);
    // Spec: "Upload Heap Resources", "Readback Heap Resources".
    let heap = |kind: &str| format!("buffer u : 64KiB {{ type {kind} }}");
    for (wrong, right, copy) in [
        ("readback", "upload", "  copy u -> b"),
        ("upload", "readback", "  copy b -> u"),
    ] {
        let declared = format!("{}\nbuffer b : 64KiB", heap(wrong));
        expect(&declared, copy, &[&heap(wrong)], &[&heap(right)]);
    }
    // Written by the CPU: the copy goes the other way.
    let text = format!(
        "queue q : direct\n{}\nbuffer b : 64KiB\nlist l : direct {{\n  copy b -> u\n}}\ntimeline {{\n  cpu write u\n  q execute l\n}}\n",
        heap("upload")
    );
    expect_text(&text, &["copy b -> u"], &["copy u -> b"]);
}

/// Reading R37: the two kinds of barriers meet in `COMMON` only. A texture is created in the words of its barriers; one entry
/// among others of the other kind is written as they are.
#[test]
fn one_kind_of_barrier_stays_with_a_texture() {
    let read = "draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }";
    let enhanced = sampled("");
    let legacy = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    let commands = |barrier: &str| format!("  clear-rtv t\n  {barrier}\n  {read}");
    expect(STATE, &commands(&enhanced), &[STATE], &[TARGET]);
    expect(TARGET, &commands(legacy), &[TARGET], &[STATE]);
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    let mixed = format!("{}\n  {back}\n  clear-rtv t", commands(&enhanced));
    expect(STATE, &mixed, &[&enhanced], &[legacy]);
    let back = "barrier { texture t { sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }";
    let mixed = format!("{}\n  {back}\n  clear-rtv t", commands(legacy));
    expect(TARGET, &mixed, &[legacy], &[&enhanced]);
}

/// Reading R70: the CPU maps the heap that is made for it, or the buffer that is copied from or to what it cannot map.
#[test]
fn the_cpu_gets_memory_that_it_can_map() {
    let read = |heap: &str, buffer: &str| {
        format!(
            "queue q : direct
fence f
heap back : 64KiB{heap}
buffer b : 4KiB
buffer r : 4KiB{buffer}
list l : direct {{ copy b -> r }}
timeline {{
  q execute l
  q signal f 1
  cpu wait f 1
  cpu read r
}}
"
        )
    };
    let committed = read("", " { type readback }");
    recovers(&committed, " { type readback }", "");
    recovers(&committed, "type readback", "type default");
    recovers(&committed, "cpu read r", "cpu read b");
    let placed = read(" { type readback }", " { heap back at 0 }");
    recovers(&placed, " { type readback }", "");
    recovers(&placed, "type readback", "type default");
    let write = "queue q : direct
buffer u : 4KiB { type upload }
buffer b : 4KiB
list l : direct { copy u -> b }
timeline {
  cpu write u
  q execute l
}
";
    recovers(write, " { type upload }", "");
    recovers(write, "type upload", "type default");
    recovers(write, "cpu write u", "cpu write b");
}
