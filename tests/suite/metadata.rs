//! Metadata of compressed textures: caches of its own are written back and dropped where a profile has them, and missing
//! that shows.

use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::CacheId;
use syncscope::lower::{Lowering, PRECISE};
use syncscope::order::Timeline;
use syncscope::program::{Program, Slice, StepKind};
use syncscope::trace::ObservationKind;
use syncscope::{catalog, ensure, scenario, sim};

/// Sampled, drawn to, sampled again: metadata is in every cache that it can be in.
const SAMPLED_TWICE: &str = "
texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial SHADER_RESOURCE }
queue q : direct
timeline { q execute {
  dispatch 1x1x1 { SHADER_RESOURCE t }
  barrier { texture t { sync COMPUTE_SHADING -> RENDER_TARGET; access SHADER_RESOURCE -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }
  draw { RENDER_TARGET t }
  barrier { texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE t }
} }";

/// The same through a class without compression: the metadata was last written by a layout operation.
const THROUGH_PLAIN: &str = "
texture t : R8_UINT 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline { q execute {
  draw { RENDER_TARGET t }
  barrier { texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE t }
  barrier { texture t { sync COMPUTE_SHADING -> PIXEL_SHADING; access SHADER_RESOURCE -> SHADING_RATE_SOURCE; layout SHADER_RESOURCE -> SHADING_RATE_SOURCE } }
  draw { SHADING_RATE_SOURCE t }
  barrier { texture t { sync PIXEL_SHADING -> COMPUTE_SHADING; access SHADING_RATE_SOURCE -> SHADER_RESOURCE; layout SHADING_RATE_SOURCE -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE t }
} }";

/// A mip whose metadata takes another way on some machines, next to one whose metadata does not.
const SMALL_MIP: &str = "
texture t : R8G8B8A8_UNORM 256x256 { mips 6; flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline { q execute {
  draw { RENDER_TARGET t[mip 0] }
  draw { RENDER_TARGET t[mip 5] }
  barrier { texture t { sync RENDER_TARGET -> COMPUTE_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE t }
} }";

fn profile(name: &str) -> Profile {
    catalog::registry().profile(name).expect("a profile")
}

/// `precise`, without what its barriers do to one cache.
fn without(program: &Program, cache: CacheId) -> Program {
    let mut program = program.clone();
    for block in &mut program.blocks {
        let steps = block.steps.clone();
        let mut kept = Vec::new();
        for op in &mut block.ops {
            let syncscope::program::HwOpKind::Barrier(barrier) = &mut op.kind else {
                continue;
            };
            let own = barrier.steps.of(&steps).iter().copied();
            // Begin and end of a scope are not the barrier's.
            let is_entry = op.origin.entry.is_some();
            let own = own.filter(|step| match step.kind {
                StepKind::Clean { cache: c, .. } | StepKind::Invalidate { cache: c, .. } => {
                    !is_entry || c != cache
                }
                _ => true,
            });
            barrier.steps = Slice::push(&mut kept, own);
        }
        block.steps = kept;
    }
    program
}

/// What is missing without a cache's operations, as text, and what reads then see.
fn missing_without(
    text: &str,
    profile: &Profile,
    cache: &str,
) -> (Vec<String>, Vec<ObservationKind>) {
    let (scenario, findings) = scenario::parse(&Source::new("metadata.scn", text));
    assert!(findings.is_empty(), "{findings:?}");
    let timeline = Timeline::new(&scenario);
    let cache = profile.cache_named(cache).expect("a cache of the profile");
    let sound = PRECISE.lower(&timeline, profile);
    let check = ensure::check(&timeline, profile, &sound);
    assert_eq!((check.missing, check.extra), (Vec::new(), Vec::new()));
    let trace = sim::simulate(&sound, profile, &sim::SimOptions::default());
    assert_eq!(trace.observations, [], "the sound program");
    let program = without(&sound, cache);
    let check = ensure::check(&timeline, profile, &program);
    let missing = check.missing.iter().map(|m| match m.what {
        ensure::What::Clean(c) => format!("clean {}", profile.cache(c).name),
        ensure::What::Invalidate(c) => format!("invalidate {}", profile.cache(c).name),
        other => format!("{other:?}"),
    });
    let trace = sim::simulate(&program, profile, &sim::SimOptions::default());
    let kinds = trace.observations.iter().map(|o| o.kind).collect();
    (missing.collect(), kinds)
}

/// Render back-ends leave metadata in a cache of theirs, shaders keep old metadata in theirs: hardware notes 1.1, "CB/DB
/// (+meta) flush … (+L2-meta) inv".
#[test]
fn a_forgotten_metadata_cache_is_named_and_leaves_texels_undecoded() {
    let rdna = profile("rdna");
    for (text, cache, missing) in [
        (SAMPLED_TWICE, "CBM", "clean CBM"),
        (SAMPLED_TWICE, "GLM", "invalidate GLM"),
        (THROUGH_PLAIN, "GLM", "invalidate GLM"),
        (SMALL_MIP, "L2M", "clean L2M"),
    ] {
        let (named, seen) = missing_without(text, &rdna, cache);
        assert!(named.iter().any(|m| m == missing), "{cache}: {named:?}");
        assert!(
            seen.contains(&ObservationKind::Undecoded),
            "without {cache}: {seen:?}"
        );
    }
}

/// Where metadata goes the way of its texels there is no such cache, and barriers do to the texels' caches what they would
/// do anyway.
#[test]
fn metadata_that_goes_with_its_texels_needs_no_operation_of_its_own() {
    for name in ["rdna12", "intel9"] {
        let profile = profile(name);
        let steps = |text: &str| {
            let (scenario, _) = scenario::parse(&Source::new("metadata.scn", text));
            let program = PRECISE.lower(&Timeline::new(&scenario), &profile);
            let ops = program.ops().filter(|(_, op)| op.origin.entry.is_some());
            let steps = ops.flat_map(|(block, op)| match &op.kind {
                syncscope::program::HwOpKind::Barrier(b) => b.steps.of(&block.steps).to_vec(),
                _ => Vec::new(),
            });
            let caches = steps.filter_map(|step| match step.kind {
                StepKind::Clean { cache, .. } => Some((true, cache)),
                StepKind::Invalidate { cache, .. } => Some((false, cache)),
                _ => None,
            });
            caches.collect::<Vec<_>>()
        };
        let compressed = steps(SAMPLED_TWICE);
        let plain = steps(&SAMPLED_TWICE.replace("flags", "uncompressed; flags"));
        assert_eq!(compressed == plain, name == "rdna12", "{name}");
    }
}
