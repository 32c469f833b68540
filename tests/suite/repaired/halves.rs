//! Halves of split barriers that miss each other.

use super::{BUFFER, MIPS, TARGET, expect, expect_text, transition};

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
