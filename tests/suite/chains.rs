//! What a hazard says: where the layout was set, which subresource is meant, and the one link of a chain that breaks.

use crate::reference::random_scenario;
use crate::tour::{files, source};
use syncscope::finding::{Finding, Source};
use syncscope::report::{Style, terminal};
use syncscope::run::{self, Options};

/// Hazards of a direct list, in order of place.
fn hazards(commands: &str) -> (Source, Vec<Finding>) {
    let text = format!(
        "heap pool : 16MiB
texture t : R8G8B8A8_UNORM 64x64 {{ mips 2; flags RENDER_TARGET; initial SHADER_RESOURCE }}
texture placed : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial UNDEFINED; heap pool at 0 }}
texture raw : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET; heap pool at 1MiB }}
texture common : R8G8B8A8_UNORM 64x64 {{ mips 2; initial COMMON }}
buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
buffer other : 4KiB {{ flags UNORDERED_ACCESS }}
queue q : direct
list l : direct {{
{commands}
}}
timeline {{ q execute l }}
"
    );
    let source = Source::new("chain", text);
    let mut findings = run::check(&source, &Options::default()).findings;
    findings.retain(|f| f.hazard.is_some());
    findings.sort_by_key(|f| (f.span, f.rule.id));
    (source, findings)
}

/// What the only finding of an id says of its links.
fn links(commands: &str, id: &str) -> Vec<String> {
    let (_, findings) = hazards(commands);
    let own: Vec<&Finding> = findings.iter().filter(|f| f.rule.id == id).collect();
    let [finding] = own.as_slice() else {
        panic!("{findings:#?}");
    };
    let links = finding.related.iter().map(|r| &r.label);
    links
        .chain(&finding.notes)
        .map(ToString::to_string)
        .collect()
}

#[test]
fn a_wrong_layout_is_shown_where_it_was_set() {
    let (source, findings) = hazards(
        "  barrier { texture t[mip 1] { sync NONE -> COPY; access NO_ACCESS -> COPY_DEST; layout SHADER_RESOURCE -> COPY_DEST } }
  copy b -> t[mip 1]
  barrier { texture t[mip 1] { sync COPY -> PIXEL_SHADING; access COPY_DEST -> SHADER_RESOURCE } }
  draw \"lit\" { SHADER_RESOURCE t @ PIXEL_SHADING }",
    );
    let mismatch: Vec<&Finding> = findings.iter().filter(|f| f.rule.id == "HZ104").collect();
    let [finding] = mismatch.as_slice() else {
        panic!("{findings:#?}");
    };
    assert_eq!(
        &*finding.message,
        "draw \"lit\" (q#4) uses `t[mip 1]` in the layout COPY_DEST, which does not allow SHADER_RESOURCE"
    );
    assert_eq!(
        &*finding.related[0].label,
        "(1) q#1.0 leaves `t` in COPY_DEST"
    );
    assert_eq!(source.line(finding.related[0].span.start), 10);
    let report = run::check(&source, &Options::default());
    let mut page = Vec::new();
    terminal::write(&report, &source, &Style::default(), &mut page).expect("memory");
    let page = String::from_utf8(page).expect("text");
    let own = page.split("HZ104").nth(1).expect("it is shown");
    let own = own.split("\n\n").next().unwrap_or_default();
    assert_eq!(own.matches("(1)").count(), 1, "{own}");
    assert_eq!(own.matches("= note: (").count(), 1, "{own}");
}

#[test]
fn without_a_barrier_the_declaration_is_shown() {
    let (source, findings) = hazards("  clear-rtv t[mip 1]\n  draw { RENDER_TARGET raw }");
    let said: Vec<_> = findings
        .iter()
        .filter_map(|f| {
            let first = f.related.first()?;
            Some((f.rule.id, source.line(first.span.start), &*first.label))
        })
        .collect();
    let created = "(1) `t` is created in SHADER_RESOURCE";
    let placed = "(1) `raw` is in placed memory, which creation does not initialise";
    assert!(said.contains(&("HZ104", 2, created)), "{said:#?}");
    assert!(said.contains(&("HZ105", 4, placed)), "{said:#?}");
}

/// The barrier that leaves `UNDEFINED` without `discard` is the one to look at, and `discard` in it is the change.
#[test]
fn metadata_is_missed_at_the_barrier_that_leaves_undefined() {
    let (_, findings) = hazards(
        "  barrier { texture placed { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout UNDEFINED -> RENDER_TARGET } }
  barrier { texture placed { sync RENDER_TARGET -> RENDER_TARGET; access RENDER_TARGET -> RENDER_TARGET } }
  draw { RENDER_TARGET placed }",
    );
    let finding = findings
        .iter()
        .find(|f| f.rule.id == "HZ105")
        .expect("no metadata");
    let first = "(1) q#1.0 takes `placed` out of UNDEFINED without `discard`";
    assert_eq!(&*finding.related[0].label, first);
    let says = finding.fix.as_ref().map_or("", |fix| &fix.says);
    assert!(
        says.starts_with("in q#1.0, add `discard`, which initialises the metadata"),
        "{says}"
    );
}

/// Two entries of one call: the first orders, the second, on the memory, carries. Only the access is missing.
#[test]
fn order_of_another_entry_is_not_missing() {
    let said = links(
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier {
    global { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> CONSTANT_BUFFER }
    buffer b { sync COPY -> COPY; access COPY_DEST -> COPY_SOURCE }
  }
  draw { SHADER_RESOURCE b @ PIXEL_SHADING }",
        "HZ101",
    );
    assert!(said.iter().all(|s| !s.contains("✗ order")), "{said:#?}");
    let broken: Vec<_> = said.iter().filter(|s| s.contains("✗ access")).collect();
    assert_eq!(broken.len(), 1, "{said:#?}");
    assert!(
        broken[0].contains("visible to CONSTANT_BUFFER only"),
        "{said:#?}"
    );
}

/// The first link is right, and the second loses what it carries.
#[test]
fn the_link_that_breaks_is_the_one_marked() {
    let said = links(
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE b }
  barrier { buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access SHADER_RESOURCE -> SHADER_RESOURCE } }
  draw { CONSTANT_BUFFER b @ PIXEL_SHADING }",
        "HZ101",
    );
    assert_eq!(said[0], "q#2.0: ✓ order, ✓ access");
    assert_eq!(
        said[1],
        "q#4.0: ✓ order, ✗ access: visible to SHADER_RESOURCE only; this read is CONSTANT_BUFFER"
    );
}

/// Of three links the first does not wait for the write: the last one is right by itself, and nothing arrives there.
#[test]
fn after_the_broken_link_nothing_arrives() {
    let said = links(
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }
  draw { SHADER_RESOURCE other @ PIXEL_SHADING }
  barrier { buffer b { sync PIXEL_SHADING -> RESOLVE; access COPY_SOURCE -> COPY_SOURCE } }
  draw { SHADER_RESOURCE other @ PIXEL_SHADING }
  barrier { buffer b { sync PIXEL_SHADING -> VERTEX_SHADING; access COPY_SOURCE -> VERTEX_BUFFER } }
  draw { VERTEX_BUFFER b }",
        "HZ101",
    );
    let last = said.iter().find(|s| s.starts_with("q#6.0")).expect("drawn");
    assert!(!last.contains('✓'), "{said:#?}");
    for effect in ["✗ order", "✗ access"] {
        assert_eq!(
            said.iter().filter(|s| s.contains(effect)).count(),
            1,
            "{said:#?}"
        );
    }
}

/// A transition is a write: what it holds and shows is part of the chain.
#[test]
fn a_barrier_that_is_the_first_use_is_judged_itself() {
    let said = links(
        "  barrier { texture t { sync NONE -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout SHADER_RESOURCE -> GENERIC_READ } }
  draw { SHADER_RESOURCE t @ VERTEX_SHADING }",
        "HZ101",
    );
    assert!(
        said.iter().all(|s| !s.contains("no barrier between")),
        "{said:#?}"
    );
    let own =
        "(1) itself: q#1.0: ✗ order: SyncAfter PIXEL_SHADING does not hold VERTEX_SHADING of (2)";
    assert!(said.iter().any(|s| s.starts_with(own)), "{said:#?}");
}

/// Reading R32: without a stage every stage of the draw is meant; with one, a barrier that covers it is enough.
#[test]
fn a_draw_without_a_stage_is_helped_both_ways() {
    let (_, findings) = hazards(
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  draw { SHADER_RESOURCE b }",
    );
    let says: Vec<&str> = findings
        .iter()
        .filter_map(|f| f.fix.as_ref().map(|fix| fix.says.as_str()))
        .collect();
    assert_eq!(
        says,
        [
            "in q#2.0, add VERTEX_SHADING to SyncAfter; or, if (2) reads it at PIXEL_SHADING only, say so in the use: \
          `@ PIXEL_SHADING`"
        ]
    );
}

/// One mip is written and all are read: the barrier is on that mip.
#[test]
fn a_new_barrier_is_on_what_both_touch() {
    let (_, findings) =
        hazards("  copy b -> common[mip 1]\n  draw { SHADER_RESOURCE common @ PIXEL_SHADING }");
    let own = findings.iter().filter(|f| f.rule.id == "HZ101");
    let says: Vec<_> = own
        .filter_map(|f| Some(f.fix.as_ref()?.says.as_str()))
        .collect();
    assert!(
        says.iter().any(|s| s.contains("texture common[mip 1] {")),
        "{says:#?} {findings:#?}"
    );
}

/// However long a chain is, each effect breaks at one link, and no later link is right.
#[test]
fn a_chain_breaks_once() {
    let scenes = files("scenarios/hazards").into_iter().map(|p| source(&p));
    let random =
        (1000..1100).map(|seed| Source::new(format!("random {seed}"), random_scenario(seed)));
    let mut judged = 0;
    for scene in scenes.chain(random) {
        let options = Options {
            proposals: run::Proposals::None,
            ..Options::default()
        };
        for finding in run::check(&scene, &options).findings {
            if !["HZ101", "HZ102", "HZ103", "HZ106"].contains(&finding.rule.id) {
                continue;
            }
            let links = finding.related.iter().map(|r| &r.label);
            let ends = finding.notes.iter().filter(|n| n.contains("itself:"));
            let said: Vec<_> = links.chain(ends).collect();
            let has = |what: &str| said.iter().filter(|s| s.contains(what)).count();
            // Barriers on other memory are listed one by one.
            let elsewhere = finding
                .notes
                .iter()
                .any(|n| n.starts_with("no barrier between"));
            if elsewhere || said.is_empty() {
                continue;
            }
            judged += 1;
            assert!(
                has("✗ order") <= 1 && has("✗ access") <= 1,
                "{}: {said:#?}",
                scene.name
            );
        }
    }
    assert!(judged > 40, "only {judged} chains judged");
}

/// Reading R52: entries of a run wait and hold together, and a global entry between them does not end their run.
#[test]
fn a_global_barrier_does_not_end_a_run() {
    let said = links(
        "  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  barrier { global { sync RESOLVE -> RESOLVE; access RESOLVE_DEST -> RESOLVE_SOURCE } }
  barrier { buffer b { sync PIXEL_SHADING -> PIXEL_SHADING; access SHADER_RESOURCE -> SHADER_RESOURCE } }
  draw { CONSTANT_BUFFER b @ PIXEL_SHADING }",
        "HZ101",
    );
    assert_eq!(said[0], "q#2.0: ✓ order, ✓ access");
    assert_eq!(
        said[2],
        "q#4.0: ✓ order, ✗ access: visible to SHADER_RESOURCE only; this read is CONSTANT_BUFFER"
    );
}
