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
