//! What two queues need of each other.

use super::{STATE, TARGET, expect_text};
use syncscope::finding::Source;
use syncscope::run;
use syncscope::validate::RuleSet;

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
