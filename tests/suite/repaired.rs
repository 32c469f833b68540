//! Wrong texts and the lines that their repair changes (reading R73): the wrong field and nothing else, a range rather than
//! further entries, legacy words in legacy text.

use syncscope::finding::Source;
use syncscope::run::{self, Options, Proposals};
use syncscope::validate::RuleSet;

/// The lines that a repair takes away and adds, without blanks around them; nothing wrong may be left.
fn changed(declarations: &str, commands: &str) -> (Vec<String>, Vec<String>) {
    changed_text(&on_one_queue(declarations, "direct", commands))
}

fn on_one_queue(declarations: &str, kind: &str, commands: &str) -> String {
    let (declarations, commands) = (declarations.trim(), commands.trim_matches('\n'));
    format!(
        "queue q : {kind}\n{declarations}\nlist l : {kind} {{\n{commands}\n}}\ntimeline {{ q execute l }}\n"
    )
}

/// The same of a whole text.
fn changed_text(text: &str) -> (Vec<String>, Vec<String>) {
    let source = Source::new("wrong.scn", text);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    let repaired = &repair.source.text;
    assert!(!repair.changes.is_empty(), "nothing is wrong with\n{text}");
    assert!(repair.left.is_empty(), "{:#?}\n{repaired}", repair.left);
    let lines = |text: &str| -> Vec<String> { text.lines().map(|l| l.trim().to_owned()).collect() };
    let (was, is) = (lines(text), lines(repaired));
    let only = |these: &[String], others: &[String]| -> Vec<String> {
        let mut others = others.to_vec();
        let mut only = Vec::new();
        for line in these {
            match others.iter().position(|other| other == line) {
                Some(at) => drop(others.remove(at)),
                None => only.push(line.clone()),
            }
        }
        only
    };
    (only(&was, &is), only(&is, &was))
}

#[track_caller]
fn expect(declarations: &str, commands: &str, gone: &[&str], added: &[&str]) {
    let (was, is) = changed(declarations, commands);
    assert_eq!(was, gone);
    assert_eq!(is, added);
}

#[track_caller]
fn expect_text(text: &str, gone: &[&str], added: &[&str]) {
    let (was, is) = changed_text(text);
    assert_eq!(was, gone);
    assert_eq!(is, added);
}

const BUFFER: &str = "buffer b : 4KiB { flags UNORDERED_ACCESS }";
const MIPS: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; initial RENDER_TARGET }";
const TARGET: &str =
    "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }";
const STATE: &str = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }";

/// The barrier that lets pixel shaders sample some subresources of the target.
fn sampled(range: &str) -> String {
    format!(
        "barrier {{ texture t{range} {{ sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
    )
}

/// The commonest report of all: a target is sampled and drawn to again.
#[test]
fn write_read_write_takes_two_transitions() {
    let commands = "
  draw \"a\" vertices 3 { RENDER_TARGET t }
  draw \"b\" vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }
  draw \"c\" vertices 3 { RENDER_TARGET t }";
    let there = "barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }";
    let back = "barrier { texture t { sync PIXEL_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }";
    expect(TARGET, commands, &[], &[there, back]);
    let there = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    let back = "legacy { transition t PIXEL_SHADER_RESOURCE -> RENDER_TARGET }";
    expect(STATE, commands, &[], &[there, back]);
}

#[test]
fn legacy_text_gets_legacy_words() {
    let view =
        "texture u : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; state UNORDERED_ACCESS }";
    let commands = "
  dispatch \"a\" 1x1x1 { UNORDERED_ACCESS u }
  dispatch \"b\" 1x1x1 { UNORDERED_ACCESS u }";
    expect(view, commands, &[], &["legacy { uav u }"]);
}

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

/// What nothing in the text uses later stays as it was meant: the wrong field is mended.
#[test]
fn an_intent_that_nothing_uses_stays() {
    let barrier = |sync: &str| {
        format!(
            "barrier {{ texture t {{ sync {sync}; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
        )
    };
    let wrong = barrier("RENDER_TARGET -> COPY");
    let (was, is) = changed(TARGET, &format!("  clear-rtv t\n  {wrong}"));
    assert_eq!(was, [wrong]);
    assert_eq!(is.len(), 1, "{is:?}");
    let rest = "access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE";
    assert!(is[0].contains(rest), "{is:?}");
    // A write that AccessBefore does not name (reading R79).
    let depth = "texture z : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }";
    let barrier = |before: &str| {
        format!(
            "barrier {{ texture z {{ sync DEPTH_STENCIL -> DEPTH_STENCIL; access {before} -> DEPTH_STENCIL_READ; layout DEPTH_STENCIL_WRITE -> DEPTH_STENCIL_READ }} }}"
        )
    };
    let reads = barrier("DEPTH_STENCIL_READ");
    let both = barrier("DEPTH_STENCIL_READ|DEPTH_STENCIL_WRITE");
    let commands = format!(
        "  draw vertices 3 {{ DEPTH_STENCIL_WRITE z }}\n  {reads}\n  draw vertices 3 {{ DEPTH_STENCIL_READ z }}"
    );
    let (was, is) = changed(depth, &commands);
    assert_eq!(was, [reads]);
    assert!(
        is == [both.clone()]
            || is == [both.replace("READ|DEPTH_STENCIL_WRITE", "WRITE|DEPTH_STENCIL_READ")],
        "{is:?}"
    );
}

/// A transition of the target for pixel shaders, with what a mistake changes in it.
fn transition(range: &str, sync: &str) -> String {
    format!(
        "barrier {{ texture t{range} {{ sync {sync}; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }} }}"
    )
}

/// `SyncAfter NONE` with a real `AccessAfter`: the stages were forgotten. What nothing reads is held from all stages that
/// have the access.
#[test]
fn a_forgotten_sync_after_is_named() {
    let wrong = transition("", "RENDER_TARGET -> NONE");
    let read = "\n  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }";
    for (use_after, stages) in [(read, "PIXEL_SHADING"), ("", "ALL_SHADING")] {
        expect(
            TARGET,
            &format!("  clear-rtv t\n  {wrong}{use_after}"),
            &[&wrong],
            &[&transition("", &format!("RENDER_TARGET -> {stages}"))],
        );
    }
}

/// A first half whose second half was forgotten: it ends before the first use, in whichever scope that is (reading R27).
#[test]
fn a_forgotten_second_half_comes_before_the_first_use() {
    let begin = transition("", "RENDER_TARGET -> SPLIT");
    let end = transition("", "SPLIT -> PIXEL_SHADING|COMPUTE_SHADING");
    let uses = "  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }\n  dispatch 1x1x1 { SHADER_RESOURCE t }";
    let commands = format!("  clear-rtv t\n  {begin}\n  dispatch 1x1x1 {{ }}\n{uses}");
    expect(TARGET, &commands, &[], &[&end]);
    let later = format!(
        "queue q : direct\n{TARGET}\nlist l : direct {{\n  clear-rtv t\n  {begin}\n}}\nlist m : direct {{\n{uses}\n}}\ntimeline {{\n  q execute l\n  q execute m\n}}\n"
    );
    expect_text(&later, &[], &[&end]);
    // Nothing uses the texture: the barrier stays, as one that is whole.
    let commands = format!("  clear-rtv t\n  {begin}");
    let whole = transition("", "RENDER_TARGET -> ALL_SHADING");
    expect(TARGET, &commands, &[&begin], &[&whole]);
    // A buffer has no layout that tells of it: the use is HZ107.
    let commands = "
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { }
  dispatch 1x1x1 { SHADER_RESOURCE b }";
    let end = "barrier { buffer b { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }";
    expect(BUFFER, commands, &[], &[end]);
}

/// A second half without a first one is a whole barrier that says `SPLIT` by mistake.
#[test]
fn a_second_half_alone_waits_by_itself() {
    let wrong = transition("", "SPLIT -> PIXEL_SHADING");
    let right = transition("", "RENDER_TARGET -> PIXEL_SHADING");
    for use_after in [
        "\n  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }",
        "",
    ] {
        let commands = format!("  clear-rtv t\n  {wrong}{use_after}");
        expect(TARGET, &commands, &[&wrong], &[&right]);
    }
    let commands = "
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync SPLIT -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE b }";
    let entry = |sync: &str| {
        format!(
            "barrier {{ buffer b {{ sync {sync}; access UNORDERED_ACCESS -> SHADER_RESOURCE }} }}"
        )
    };
    let (wrong, right) = (
        entry("SPLIT -> COMPUTE_SHADING"),
        entry("COMPUTE_SHADING -> COMPUTE_SHADING"),
    );
    expect(BUFFER, commands, &[&wrong], &[&right]);
}

/// Halves on different subresources: the one is changed that does not name what is used afterwards, else the second.
#[test]
fn halves_of_a_split_barrier_come_to_agree() {
    let begin = |range: &str| transition(range, "RENDER_TARGET -> SPLIT");
    let end = |range: &str| transition(range, "SPLIT -> PIXEL_SHADING");
    let commands = |first: &str, second: &str, used: &str| {
        format!(
            "  clear-rtv t\n  {}\n  dispatch 1x1x1 {{ }}\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t{used} @ PIXEL_SHADING }}",
            begin(first),
            end(second)
        )
    };
    let two = "[mip 0..2]";
    for (first, second, used, gone, added) in [
        ("", two, "", end(two), end("")),
        (two, "", two, end(""), end(two)),
        (two, "", "", begin(two), begin("")),
        (two, "[mip 1..3]", two, end("[mip 1..3]"), end(two)),
        (
            "[mip 0]",
            "[mip 1]",
            "[mip 1]",
            begin("[mip 0]"),
            begin("[mip 1]"),
        ),
    ] {
        expect(MIPS, &commands(first, second, used), &[&gone], &[&added]);
    }
}

/// Two second halves of one barrier: the first also holds what the second was for.
#[test]
fn a_second_half_takes_in_another_one() {
    let begin = transition("", "RENDER_TARGET -> SPLIT");
    let (pixel, compute) = (
        transition("", "SPLIT -> PIXEL_SHADING"),
        transition("", "SPLIT -> COMPUTE_SHADING"),
    );
    let commands = format!(
        "  clear-rtv t\n  {begin}\n  {pixel}\n  {compute}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}\n  dispatch 1x1x1 {{ SHADER_RESOURCE t }}"
    );
    let both = transition("", "SPLIT -> PIXEL_SHADING|COMPUTE_SHADING");
    expect(TARGET, &commands, &[&pixel, &compute], &[&both]);
}

/// `LayoutBefore UNDEFINED` before a depth test drops what it reads: the layout in which the texture is comes in its place.
#[test]
fn a_dropped_layout_before_is_named() {
    let depth = "texture z : D32_FLOAT 64x64 { flags DEPTH_STENCIL; initial DEPTH_STENCIL_WRITE }";
    let barrier = |sync: &str, access: &str, layout: &str| {
        format!(
            "barrier {{ texture z {{ sync {sync} -> DEPTH_STENCIL; access {access} -> DEPTH_STENCIL_READ; layout {layout} -> DEPTH_STENCIL_READ }} }}"
        )
    };
    let read = "draw vertices 3 { DEPTH_STENCIL_READ z }";
    let wrong = barrier("NONE", "NO_ACCESS", "UNDEFINED");
    // Nothing in the scope came before: the rest of the entry is right.
    let right = barrier("NONE", "NO_ACCESS", "DEPTH_STENCIL_WRITE");
    expect(depth, &format!("  {wrong}\n  {read}"), &[&wrong], &[&right]);
    // A draw of the scope wrote it.
    let write = "draw vertices 3 { DEPTH_STENCIL_WRITE z }";
    let right = barrier(
        "DEPTH_STENCIL",
        "DEPTH_STENCIL_WRITE",
        "DEPTH_STENCIL_WRITE",
    );
    let commands = format!("  {write}\n  {wrong}\n  {read}");
    expect(depth, &commands, &[&wrong], &[&right]);
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

/// A barrier of the wrong type is written as the right one, with the layouts that its accesses need.
#[test]
fn the_type_of_a_barrier_is_changed() {
    let wrong = "barrier { buffer t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE } }";
    let commands = format!(
        "  clear-rtv t\n  {wrong}\n  draw vertices 3 {{ SHADER_RESOURCE t @ PIXEL_SHADING }}"
    );
    expect(TARGET, &commands, &[wrong], &[&sampled("")]);
    let wrong = "barrier { texture b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE; layout UNDEFINED -> UNDEFINED } }";
    let right = "barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }";
    let commands = format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }}\n  {wrong}\n  dispatch 1x1x1 {{ SHADER_RESOURCE b }}"
    );
    expect(BUFFER, &commands, &[wrong], &[right]);
    // Between two uses of unordered access a legacy UAV barrier is what orders.
    let view =
        "texture u : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS; state UNORDERED_ACCESS }";
    let wrong = "legacy { transition u UNORDERED_ACCESS -> UNORDERED_ACCESS }";
    let commands = format!(
        "  dispatch 1x1x1 {{ UNORDERED_ACCESS u }}\n  {wrong}\n  dispatch 1x1x1 {{ UNORDERED_ACCESS u }}"
    );
    expect(view, &commands, &[wrong], &["legacy { uav u }"]);
}

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

/// An aliasing barrier the wrong way round is turned, and a legacy range is widened or cut.
#[test]
fn a_legacy_entry_is_changed_rather_than_another_added() {
    let placed = |name: &str| {
        format!(
            "texture {name} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; state RENDER_TARGET; heap pool at 0 }}"
        )
    };
    let declarations = format!("heap pool : 64MiB\n{}\n{}", placed("a"), placed("t"));
    let wrong = "legacy { alias t -> a }";
    let commands = format!("  discard a\n  clear-rtv a\n  {wrong}\n  discard t\n  clear-rtv t");
    expect(
        &declarations,
        &commands,
        &[wrong],
        &["legacy { alias a -> t }"],
    );
    let mips =
        "texture t : R8G8B8A8_UNORM 64x64 { mips 4; flags RENDER_TARGET; state RENDER_TARGET }";
    let transition = |range: &str| {
        format!("legacy {{ transition t{range} RENDER_TARGET -> PIXEL_SHADER_RESOURCE }}")
    };
    for (wrong, used, right) in [
        ("[mip 0]", "", ""),
        ("[mip 0..2]", "[mip 0..3]", "[mip 0..3]"),
        ("[mip 2..5]", "[mip 2..4]", "[mip 2..4]"),
    ] {
        let commands = format!(
            "  clear-rtv t\n  {}\n  draw vertices 3 {{ SHADER_RESOURCE t{used} @ PIXEL_SHADING }}",
            transition(wrong)
        );
        expect(
            mips,
            &commands,
            &[&transition(wrong)],
            &[&transition(right)],
        );
    }
}

/// A barrier that comes after the use that needs it is moved, be it on the resource, on all memory, or a legacy one.
#[test]
fn a_barrier_that_is_late_is_moved() {
    let read = "  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING }";
    let legacy = "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }";
    for (declared, barrier) in [(TARGET, sampled("")), (STATE, legacy.to_owned())] {
        let text = |first: &str, then: &str| {
            on_one_queue(
                declared,
                "direct",
                &format!("  clear-rtv t\n{first}\n{then}"),
            )
        };
        let wrong = text(read, &format!("  {barrier}"));
        let source = Source::new("late.scn", wrong);
        let repair = run::repair(&source, RuleSet::Specification, |_| true);
        assert_eq!(repair.source.text, text(&format!("  {barrier}"), read));
    }
    let global = "  barrier { global { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }";
    let (write, read) = (
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }",
        "  dispatch 1x1x1 { SHADER_RESOURCE b }",
    );
    let text = |commands: [&str; 3]| on_one_queue(BUFFER, "direct", &commands.join("\n"));
    let source = Source::new("late.scn", text([write, read, global]));
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    assert_eq!(repair.source.text, text([write, global, read]));
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

/// Spec: "Queue type specific layouts". A compute queue takes nothing out of `RENDER_TARGET`: the queue that wrote it does.
#[test]
fn a_transition_goes_to_the_queue_that_can_make_it() {
    let text = |first: &str, second: &str, declared: &str| {
        format!(
            "queue q : direct\nqueue c : compute\nfence f\n{declared}\nlist l : direct {{\n  clear-rtv t{first}\n}}\nlist m : compute {{{second}\n  dispatch 1x1x1 {{ SHADER_RESOURCE t }}\n}}\ntimeline {{\n  q execute l\n  q signal f 1\n  c wait f 1\n  c execute m\n}}\n"
        )
    };
    let wrong = "barrier { texture t { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }";
    let right = "barrier { texture t { sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> SHADER_RESOURCE } }";
    let scene = text("", &format!("\n  {wrong}"), TARGET);
    expect_text(&scene, &[wrong], &[right]);
    let moved = "legacy { transition t RENDER_TARGET -> NON_PIXEL_SHADER_RESOURCE }";
    let scene = text("", &format!("\n  {moved}"), STATE);
    let source = Source::new("moved.scn", scene);
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    let expected = text(&format!("\n  {moved}"), "", STATE);
    assert_eq!(repair.source.text, expected);
    // "Compute Queues and D3D12_RESOURCE_STATE_PIXEL_SHADER_RESOURCE": the state for pixel shaders is left out.
    let both =
        "legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE|NON_PIXEL_SHADER_RESOURCE }";
    let scene = text(&format!("\n  {both}"), "", STATE);
    expect_text(&scene, &[both], &[moved]);
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

/// Two processes have a fence in common only if it is shared: no other fence is proposed between them.
#[test]
fn a_fence_between_two_processes_is_a_shared_one() {
    let text = |fence: &str, opened: &str, signal: &str, wait: &str| {
        format!(
            "process app
process viewer
{fence}
queue gfx : direct {{ process app }}
queue show : direct {{ process viewer }}
buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
list l : direct {{ dispatch 1x1x1 {{ UNORDERED_ACCESS b writes }} }}
list m : direct {{ dispatch 1x1x1 {{ SHADER_RESOURCE b }} }}
timeline {{
{opened}  gfx execute l
{signal}{wait}  show execute m
}}
"
        )
    };
    let repaired = |text: String| {
        let source = Source::new("processes.scn", text);
        run::repair(&source, RuleSet::Specification, |_| true)
    };
    let alone = repaired(text("fence f { process app }", "", "", ""));
    assert!(alone.changes.is_empty(), "{:#?}", alone.changes);
    assert_eq!(alone.left.len(), 1, "{:#?}", alone.left);
    let shared = "fence f { flags Shared|NtSecuritySharing; process app }";
    let opened = "  app share f\n  viewer open f\n";
    let repair = repaired(text(shared, opened, "", ""));
    let expected = text(shared, opened, "  gfx signal f 1\n", "  show wait f 1\n");
    assert_eq!(repair.source.text, expected, "{:#?}", repair.left);
}

/// What a finding says where nothing is tried.
fn help(text: &str, rule: &str) -> String {
    let options = Options {
        proposals: Proposals::None,
        ..Options::default()
    };
    let findings = run::check(&Source::new("help.scn", text), &options).findings;
    let found = findings.iter().find(|f| f.rule.id == rule);
    let found = found.unwrap_or_else(|| panic!("no {rule} in {findings:#?}"));
    found.help.as_deref().unwrap_or_default().to_owned()
}

/// Help names what can be done: no transition that the queue cannot make (readings R30, R37), none that makes another use of
/// the command wrong.
#[test]
fn help_is_possible() {
    let copied = |declared: &str, kind: &str, commands: &str| {
        let declared = format!("{declared}\nbuffer b : 64KiB");
        on_one_queue(&declared, kind, commands)
    };
    let created = "a copy queue cannot take `t` out of RENDER_TARGET: create it in COMMON, or take it to COMMON";
    let scene = copied(TARGET, "copy", "  copy t -> b");
    assert!(help(&scene, "HZ104").starts_with(created));
    let scene = copied(STATE, "copy", "  copy t -> b");
    assert!(help(&scene, "LB026").starts_with(created));
    // Used before, it was right to create it so.
    let used = format!(
        "queue q : direct\nqueue c : copy\nfence f\n{TARGET}\nbuffer b : 64KiB\nlist l : direct {{ clear-rtv t }}\nlist m : copy {{ copy t -> b }}\ntimeline {{ q execute l; q signal f 1; c wait f 1; c execute m }}\n"
    );
    let later = "a copy queue cannot take `t` out of RENDER_TARGET: take it to COMMON with a barrier on another queue, before the signal";
    assert!(help(&used, "HZ104").starts_with(later));
    // Two uses that no layout allows together, and no state.
    let both = "  draw vertices 3 { RENDER_TARGET t; SHADER_RESOURCE t @ PIXEL_SHADING }";
    let views = "at once: bind a copy for one of them, or drop one of the two views";
    for (declared, rule) in [(TARGET, "HZ104"), (STATE, "LB026")] {
        let help = help(&copied(declared, "direct", both), rule);
        assert!(help.starts_with("no ") && help.ends_with(views), "{help}");
    }
    // Two reads: the state has both.
    let reads = "  draw vertices 3 { SHADER_RESOURCE t @ PIXEL_SHADING; SHADER_RESOURCE t @ VERTEX_SHADING }";
    assert_eq!(
        help(&copied(STATE, "direct", reads), "LB026"),
        "write `transition t RENDER_TARGET -> NON_PIXEL_SHADER_RESOURCE|PIXEL_SHADER_RESOURCE` before the use"
    );
    // Different subresources are no contradiction.
    let mips =
        "texture t : R8G8B8A8_UNORM 64x64 { mips 2; flags RENDER_TARGET; initial RENDER_TARGET }";
    let apart =
        "  draw vertices 3 { RENDER_TARGET t[mip 0]; SHADER_RESOURCE t[mip 1] @ PIXEL_SHADING }";
    assert_eq!(
        help(&copied(mips, "direct", apart), "HZ104"),
        "take the texture to a layout that allows SHADER_RESOURCE with a barrier before this use"
    );
}
