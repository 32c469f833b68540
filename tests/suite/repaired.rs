//! Wrong texts and the lines that their repair changes (reading R73): the wrong field and nothing else, a range rather than
//! further entries, legacy words in legacy text.

use syncscope::finding::Source;
use syncscope::run;
use syncscope::validate::RuleSet;

/// The lines that a repair takes away and adds, without blanks around them; nothing wrong may be left.
fn changed(declarations: &str, commands: &str) -> (Vec<String>, Vec<String>) {
    let commands = commands.trim_matches('\n');
    let text = format!(
        "queue q : direct\n{}\nlist l : direct {{\n{commands}\n}}\ntimeline {{ q execute l }}\n",
        declarations.trim()
    );
    let source = Source::new("wrong.scn", text.clone());
    let repair = run::repair(&source, RuleSet::Specification, |_| true);
    let repaired = &repair.source.text;
    assert!(!repair.changes.is_empty(), "nothing is wrong with\n{text}");
    assert!(repair.left.is_empty(), "{:#?}\n{repaired}", repair.left);
    let lines = |text: &str| -> Vec<String> { text.lines().map(|l| l.trim().to_owned()).collect() };
    let (was, is) = (lines(&text), lines(repaired));
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
