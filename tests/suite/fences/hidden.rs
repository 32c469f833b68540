//! Fence barriers against split barriers: what they hide.

use super::parse;
use syncscope::finding::Source;
use syncscope::{catalog, run};

/// A change of layout with work between that does not need it, written in one of several ways.
fn frame(begin: &str, end: &str) -> String {
    format!(
        "texture t : R8G8B8A8_UNORM 1024x1024 {{ flags RENDER_TARGET; initial RENDER_TARGET }}\n\
         texture u : R8G8B8A8_UNORM 1024x1024 {{ flags RENDER_TARGET; initial RENDER_TARGET }}\nfence f\nqueue gfx : direct\n\
         list main : direct {{\n  draw \"first\" vertices 300 pixels 1048576 {{ RENDER_TARGET t }}\n  {begin}\n  \
         draw \"meanwhile\" vertices 300 pixels 1048576 {{ RENDER_TARGET u }}\n  {end}\n  \
         dispatch \"second\" 64x1x1 {{ SHADER_RESOURCE t }}\n}}\ntimeline {{\n  gfx execute main\n}}\n"
    )
}

/// How long the frame takes, and in how much of it nothing ran because of barriers.
fn ran(text: &str) -> (u64, u64) {
    parse(text);
    let source = Source::new("frame.scn", text);
    let options = run::Options::default();
    let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
    let wrong: Vec<_> = report
        .findings
        .iter()
        .filter(|f| f.severity.fails())
        .collect();
    assert!(wrong.is_empty(), "{text}{wrong:#?}");
    (report.makespan.expect("it ran").0, report.exposed.0)
}

/// A split barrier's replacement by a pair of fence barriers hides at least as much, and at least as much as a whole
/// barrier. (A signal that stopped the front end where nobody else waits for it would not.)
#[test]
fn a_pair_of_fence_barriers_hides_what_a_split_barrier_hides() {
    let layout = "layout RENDER_TARGET -> SHADER_RESOURCE";
    let access = "access RENDER_TARGET -> SHADER_RESOURCE";
    let whole = frame(
        "",
        &format!(
            "barrier {{ texture t {{ sync RENDER_TARGET -> COMPUTE_SHADING; {access}; {layout} }} }}"
        ),
    );
    let split = frame(
        &format!("barrier {{ texture t {{ sync RENDER_TARGET -> SPLIT; {access}; {layout} }} }}"),
        &format!("barrier {{ texture t {{ sync SPLIT -> COMPUTE_SHADING; {access}; {layout} }} }}"),
    );
    let fence = frame(
        &format!(
            "signal-barrier f 1 {{ texture t {{ sync RENDER_TARGET -> NONE; {access}; {layout} }} }}"
        ),
        &format!("wait-barrier f 1 {{ texture t {{ sync NONE -> COMPUTE_SHADING; {access} }} }}"),
    );
    let (whole, split, fence) = (ran(&whole), ran(&split), ran(&fence));
    assert!(fence.0 <= split.0, "{fence:?} against {split:?}");
    assert!(fence.1 <= split.1, "{fence:?} against {split:?}");
    assert!(fence.0 <= whole.0, "{fence:?} against {whole:?}");
}
