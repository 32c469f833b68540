//! What help says where nothing is tried.

use super::{STATE, TARGET, on_one_queue};
use syncscope::finding::Source;
use syncscope::run::{self, Options, Proposals};

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

/// What the report proposes for a rule.
fn proposed(text: &str, rule: &str) -> String {
    let source = Source::new("help.scn", text);
    let findings = run::check(&source, &Options::default()).findings;
    let mut found = findings.iter().filter(|f| f.rule.id == rule);
    let fix = found.find_map(|f| f.fix.as_ref());
    let fix = fix.unwrap_or_else(|| panic!("nothing is proposed for {rule} in {findings:#?}"));
    fix.says.clone()
}

/// A change of a barrier on another line than the finding names that line.
#[test]
fn a_barrier_of_another_line_is_named() {
    let declared = "texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }\nbuffer b : 64KiB";
    let commands = "  clear-rtv t\n  legacy { transition t RENDER_TARGET -> PIXEL_SHADER_RESOURCE }\n  copy t -> b";
    assert_eq!(
        proposed(&on_one_queue(declared, "direct", commands), "HZ101"),
        "write `transition t RENDER_TARGET -> COPY_SOURCE` in place of the barrier of line 6"
    );
}

/// What is said of a change is what it does: also where a barrier that it adds takes the place of one that it takes away.
#[test]
fn what_is_said_is_what_changes() {
    let text = "queue q : direct
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; state RENDER_TARGET }
buffer b : 64KiB
list l : direct {
  clear-rtv t
  legacy { transition t RENDER_TARGET -> COPY_SOURCE }
  copy t -> b
  legacy { transition t COPY_SOURCE -> PIXEL_SHADER_RESOURCE }
}
timeline { q execute l, l }
";
    assert_eq!(
        proposed(text, "LB004"),
        "write `legacy { transition t COPY_SOURCE -> RENDER_TARGET }` in place of the text of line 8"
    );
}
