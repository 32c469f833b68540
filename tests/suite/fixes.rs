//! Proposed changes: each by itself, made in the text, removes its finding and leaves nothing new above advice; `fix`
//! makes what `check` shows.

use crate::tour::{sample, source};
use std::collections::BTreeMap;
use syncscope::catalog;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::run::{self, Options, Registry};
use syncscope::validate::RuleSet;

fn findings(text: &str) -> (Source, Vec<Finding>) {
    let source = Source::new("fixes", text);
    let report = run::check(&source, &Options::default());
    (source, report.findings)
}

fn apply(text: &str, finding: &Finding) -> Option<String> {
    let fix = finding.fix.as_ref()?;
    let mut text = text.to_owned();
    for edit in fix.edits.iter().rev() {
        text.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    Some(text)
}

/// `(line, id)` of errors and hazards.
fn bad(source: &Source, findings: &[Finding]) -> Vec<(u32, &'static str)> {
    findings
        .iter()
        .filter(|f| f.severity >= Severity::Hazard)
        .map(|f| (source.line(f.span.start), f.rule.id))
        .collect()
}

/// How often each rule says something above advice of each resource. What a run takes in time is no mistake.
fn said(source: &Source, registry: &Registry) -> (Vec<Finding>, BTreeMap<(String, String), u32>) {
    let options = Options {
        without_commands: true,
        without_barriers: true,
        without_path: true,
        ..Options::default()
    };
    let findings = match run::run(source, registry, &options) {
        Ok(report) => report.findings,
        // Nothing to run.
        Err(_) => run::check(source, &options).findings,
    };
    let mut counts = BTreeMap::new();
    for finding in &findings {
        if finding.severity > Severity::Advice && finding.rule.family() != "ST" {
            let resource = finding.resource.as_deref().unwrap_or_default().to_owned();
            let key = (finding.rule.id.to_owned(), resource);
            *counts.entry(key).or_default() += 1;
        }
    }
    (findings, counts)
}

#[test]
fn every_proposal_of_every_scene_holds_by_itself_and_leaves_nothing_new() {
    let registry = catalog::registry();
    let (mut tried, mut wrong) = (0, Vec::new());
    for path in sample("scenarios", 8, 1) {
        let scene = source(&path);
        let (before, was) = said(&scene, &registry);
        for finding in &before {
            let Some(edited) = apply(&scene.text, finding) else {
                continue;
            };
            tried += 1;
            let (_, now) = said(&Source::new("edited", edited.as_str()), &registry);
            let own = (
                finding.rule.id.to_owned(),
                finding.resource.as_deref().unwrap_or_default().to_owned(),
            );
            let count = |of: &BTreeMap<_, u32>, key| of.get(key).copied().unwrap_or(0);
            let is_gone = count(&now, &own) < count(&was, &own);
            // Where nothing in the text needs the entry, its repair leaves it without need, and says so (reading R73).
            let says = finding.fix.as_ref().map_or("", |fix| &fix.says);
            let may_go = says.contains("(or delete this barrier: nothing in this text needs it)");
            let new: Vec<_> = now
                .iter()
                .filter(|(key, n)| count(&was, key) < **n)
                .filter(|((rule, resource), _)| {
                    !(may_go && rule.starts_with("RD") && *resource == own.1)
                })
                .collect();
            if !is_gone || !new.is_empty() {
                let line = scene.line(finding.span.start);
                wrong.push(format!("{}:{line} {own:?}: {says}: {new:?}", scene.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(tried >= 50, "only {tried} proposals");
}

#[test]
fn fix_makes_what_check_shows() {
    let mut compared = 0;
    for path in sample("scenarios", 2, 1) {
        let scene = source(&path);
        let shown = run::check(&scene, &Options::default()).findings;
        let shown: Vec<&str> = shown
            .iter()
            .filter_map(|f| f.fix.as_ref().map(|fix| fix.says.as_str()))
            .collect();
        let repairable = |f: &Finding| {
            let is_wait = matches!(f.rule.id, "FN101" | "FN102");
            is_wait || matches!(f.rule.family(), "HZ" | "EB" | "LB")
        };
        let repair = run::repair(&scene, RuleSet::Specification, repairable);
        let made: Vec<&str> = repair.changes.iter().map(|c| c.says.as_str()).collect();
        compared += shown.len();
        let all = shown.iter().all(|says| made.contains(says));
        assert!(all, "{}: {shown:#?} {made:#?}", scene.name);
    }
    assert!(compared >= 100, "only {compared} changes compared");
}

#[test]
fn two_fences_of_one_report_have_two_names() {
    let (_, findings) = findings(
        "buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
queue c : compute
list wa : direct { dispatch 1x1x1 { UNORDERED_ACCESS a writes } }
list wb : direct { dispatch 1x1x1 { UNORDERED_ACCESS b writes } }
list ra : compute { dispatch 1x1x1 { SHADER_RESOURCE a } }
list rb : compute { dispatch 1x1x1 { SHADER_RESOURCE b } }
timeline {
  c execute ra
  q execute wa
  c execute rb
  q execute wb
}
",
    );
    let said: Vec<&str> = findings
        .iter()
        .filter_map(|f| f.fix.as_ref().map(|fix| fix.says.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            "order them by a new fence `ordered1`: `c signal ordered1 1` after (1), `q wait ordered1 1` before (2)",
            "order them by a new fence `ordered2`: `c signal ordered2 1` after (1), `q wait ordered2 1` before (2)",
        ]
    );
}

/// The missing flag is the cause; that the barrier needs it, and what follows, are symptoms.
#[test]
fn a_missing_flag_is_one_change_of_the_declaration() {
    let text = "texture t : R8G8B8A8_UNORM 64x64 { initial RENDER_TARGET }
queue q : direct
list l : direct {
  draw { RENDER_TARGET t }
  barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  draw { SHADER_RESOURCE t @ PIXEL_SHADING }
}
timeline { q execute l }
";
    let repair = run::repair(&Source::new("flag", text), RuleSet::Specification, |_| true);
    let said: Vec<&str> = repair.changes.iter().map(|c| c.says.as_str()).collect();
    assert_eq!(said, ["create `t` with `flags RENDER_TARGET`"]);
    assert!(repair.left.is_empty(), "{:#?}", repair.left);
    let (_, findings) = findings(text);
    let helped: Vec<_> = findings.iter().filter(|f| f.severity.fails()).collect();
    assert!(helped.len() >= 2, "{findings:#?}");
    let others = helped.iter().filter(|f| f.fix.is_none());
    for finding in others {
        let help = finding.help.as_deref().unwrap_or_default();
        assert!(help.ends_with("removes this too"), "{help}");
    }
}

/// Reading R62: `NO_ACCESS` before would say that what the copy reads is no longer needed.
#[test]
fn contents_that_are_read_later_are_not_given_up() {
    let text = "buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer to : 4KiB
queue q : direct
list l : direct {
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> ALL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE b }
  barrier { buffer b { sync COMPUTE_SHADING -> COPY; access UNORDERED_ACCESS -> COPY_SOURCE } }
  copy b -> to
}
timeline { q execute l }
";
    let (source, found) = findings(text);
    let ids = bad(&source, &found);
    assert_eq!(ids, [(8, "EB027"), (8, "EB028")]);
    let fixes: Vec<_> = found.iter().filter_map(|f| f.fix.as_ref()).collect();
    assert_eq!(fixes.len(), 1, "one cause, one change: {fixes:#?}");
    assert!(!fixes[0].says.contains("NO_ACCESS"), "{}", fixes[0].says);
    let helps: Vec<_> = found.iter().filter_map(|f| f.help.as_deref()).collect();
    assert_eq!(
        helps,
        ["what is proposed for EB027 on this line removes this too"]
    );
}

/// What one wrong entry becomes. `entry` is between `before` and `after` in a direct list.
fn proposal(before: &str, entry: &str, after: &str) -> String {
    let text = format!(
        "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
queue q : direct
list l : direct {{
  {before}
  barrier {{
    {entry}
  }}
  {after}
}}
timeline {{ q execute l }}
"
    );
    let (source, findings) = findings(&text);
    let entries = findings.iter().filter(|f| f.rule.family() == "EB");
    let fixes: Vec<_> = entries.filter_map(|f| f.fix.as_ref()).collect();
    match fixes.as_slice() {
        [fix] => fix.edits[0].text.clone(),
        other => panic!("{other:?} for {:?}", bad(&source, &findings)),
    }
}

#[test]
fn the_proposal_is_the_narrowest_that_the_neighbours_need() {
    // The scope of the use that follows.
    assert_eq!(
        proposal(
            "clear-rtv t",
            "texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }",
            "draw \"lit\" { SHADER_RESOURCE t @ PIXEL_SHADING }",
        ),
        "texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }"
    );
    // The layout that allows it.
    assert_eq!(
        proposal(
            "clear-rtv t",
            "texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }",
            "copy t -> b",
        ),
        "texture t { sync RENDER_TARGET -> COPY; access RENDER_TARGET -> COPY_SOURCE; layout RENDER_TARGET -> COPY_SOURCE }"
    );
    // The layout that the texture is in.
    assert_eq!(
        proposal(
            "clear-rtv t",
            "texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout GENERIC_READ -> SHADER_RESOURCE }",
            "draw \"lit\" { SHADER_RESOURCE t @ PIXEL_SHADING }",
        ),
        "texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }"
    );
    // Sequential barriers: the scopes that the first one left.
    assert_eq!(
        proposal(
            "dispatch \"a\" 1x1x1 { UNORDERED_ACCESS b }
             barrier { buffer b { sync COMPUTE_SHADING -> ALL_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
             dispatch \"b\" 1x1x1 { SHADER_RESOURCE b }",
            "buffer b { sync COMPUTE_SHADING -> COPY; access SHADER_RESOURCE -> COPY_DEST }",
            "copy t -> b",
        )
        .split("->")
        .next(),
        Some("buffer b { sync ALL_SHADING ")
    );
    // Nothing came before.
    assert_eq!(
        proposal(
            "",
            "texture t { sync NONE -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }",
            "draw \"lit\" { SHADER_RESOURCE t @ PIXEL_SHADING }",
        ),
        "texture t { sync NONE -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE }"
    );
    // Nothing came before, and nothing in the text needs the barrier: its intent stays as written (reading R73).
    assert_eq!(
        proposal(
            "",
            "buffer b { sync NONE -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }",
            "dispatch \"a\" 1x1x1 { SHADER_RESOURCE b }",
        ),
        "buffer b { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE }"
    );
}

/// What is proposed for the only finding of a rule; made, it leaves nothing above advice.
fn only_proposal(text: &str, rule: &str) -> String {
    let (_, found) = findings(text);
    let own: Vec<&Finding> = found.iter().filter(|f| f.rule.id == rule).collect();
    let [finding] = own.as_slice() else {
        panic!("{rule}: {found:#?}");
    };
    let edited = apply(text, finding).unwrap_or_else(|| panic!("no change: {finding:#?}"));
    let (_, mut left) = findings(&edited);
    left.retain(|f| f.severity > Severity::Advice);
    assert!(left.is_empty(), "{edited}\n{left:#?}");
    finding
        .fix
        .as_ref()
        .map_or_else(String::new, |fix| fix.says.clone())
}

/// Reading R53: whichever queue reads them, contents that were given up are kept where they were given up.
#[test]
fn given_up_contents_are_kept_where_another_queue_reads_them() {
    let says = only_proposal(
        "queue gfx : direct
queue async : compute
fence done
texture image : R8G8B8A8_UNORM 256x256 { flags UNORDERED_ACCESS; initial UNORDERED_ACCESS }
list write : direct {
  dispatch \"fill\" 32x32x1 { UNORDERED_ACCESS image writes }
  barrier { texture image { sync COMPUTE_SHADING -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout UNORDERED_ACCESS -> SHADER_RESOURCE } }
}
list read : compute {
  dispatch \"show\" 32x32x1 { SHADER_RESOURCE image }
}
timeline {
  gfx execute write
  gfx signal done 1
  async wait done 1
  async execute read
}
",
        "HZ101",
    );
    assert_eq!(says, "in gfx#2.0, make AccessBefore UNORDERED_ACCESS");
}

/// Readings R57 and R62: what dropped the contents keeps them, where the text says how.
#[test]
fn undefined_contents_are_kept_by_what_dropped_them() {
    let scene = |drop: &str, timeline: &str| {
        format!(
            "queue gfx : direct
texture color : R8G8B8A8_UNORM 256x256 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
buffer data : 4KiB {{ flags UNORDERED_ACCESS }}
list main : direct {{
  clear-rtv color
  {drop}
}}
list show : direct {{
  draw \"show\" {{ SHADER_RESOURCE color @ PIXEL_SHADING }}
}}
timeline {{
  {timeline}
}}
"
        )
    };
    let to_read = "sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE";
    let discarded = format!("discard color\n  barrier {{ texture color {{ {to_read} }} }}");
    // In the same scope, and in a later one.
    for timeline in [
        "gfx execute main, show",
        "gfx execute main\n  gfx execute show",
    ] {
        assert_eq!(
            only_proposal(&scene(&discarded, timeline), "HZ109"),
            "delete the discard of line 6: its contents are read"
        );
    }
    // In one scope that is HZ101: the layout change gives up what its scope wrote.
    let nothing_before = "barrier { texture color { sync RENDER_TARGET -> PIXEL_SHADING; access NO_ACCESS -> SHADER_RESOURCE; layout UNDEFINED -> SHADER_RESOURCE } }";
    assert_eq!(
        only_proposal(
            &scene(nothing_before, "gfx execute main\n  gfx execute show"),
            "HZ109"
        ),
        "in gfx#2.0, make LayoutBefore RENDER_TARGET and make AccessBefore RENDER_TARGET, which keeps the contents"
    );
    let no_longer_needed = "queue gfx : direct
buffer kept : 256KiB
texture image : R8G8B8A8_UNORM 256x256 { initial SHADER_RESOURCE }
list main : direct {
  draw \"show\" { SHADER_RESOURCE image @ PIXEL_SHADING }
  barrier { texture image { sync PIXEL_SHADING -> COPY; access NO_ACCESS -> COPY_SOURCE; layout SHADER_RESOURCE -> COPY_SOURCE } }
  copy image -> kept
}
timeline {
  gfx execute main
}
";
    assert_eq!(
        only_proposal(no_longer_needed, "HZ109"),
        "in gfx#2.0, make AccessBefore SHADER_RESOURCE, which keeps the contents"
    );
}

/// Reading R61: a barrier orders no other queue. The help says so, and the change is a fence.
#[test]
fn writers_of_one_granule_on_two_queues_need_a_fence() {
    let text = std::fs::read_to_string("scenarios/readings/R61-two-queues-in-one-granule.scn")
        .expect("a scene");
    let (_, found) = findings(&text);
    let shared: Vec<&Finding> = found.iter().filter(|f| f.rule.id == "HZ106").collect();
    assert_eq!(shared.len(), 2, "{found:#?}");
    let says = shared[0].fix.as_ref().map_or("", |fix| &fix.says);
    assert_eq!(
        says,
        "order them by a new fence `ordered1`: `gfx signal ordered1 1` after (1), `async wait ordered1 1` before (2)"
    );
    assert_eq!(
        shared[1].help.as_deref(),
        Some(
            "signal a fence on `gfx` after the first and wait for it on `async` before the second"
        )
    );
    let said = |finding: &&Finding| {
        finding
            .notes
            .iter()
            .any(|n| n.contains("waits for no fence"))
    };
    assert!(shared.iter().all(said), "{shared:#?}");
}

/// What `fix` makes of a text, and what it says of each change; nothing above advice is left.
fn fixed(text: &str) -> (String, Vec<String>) {
    let repair = run::repair(&Source::new("fixed", text), RuleSet::Specification, |_| {
        true
    });
    assert!(repair.left.is_empty(), "{:#?}", repair.left);
    let (_, counts) = said(&repair.source, &catalog::registry());
    assert!(counts.is_empty(), "{counts:?}\n{}", repair.source.text);
    let says = repair.changes.into_iter().map(|c| c.says).collect();
    (repair.source.text, says)
}

/// Reading R42 folds what the read has against each layer: without the barrier it would be wrong on three layers instead
/// of one, and nothing of that would be shown.
#[test]
fn a_hazard_is_not_traded_for_one_that_is_folded_into_another() {
    for wrong in [
        "sync DEPTH_STENCIL -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE",
        "sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE|COPY_SOURCE",
        "sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET|NO_ACCESS -> SHADER_RESOURCE",
    ] {
        let text = format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ layers 3; flags RENDER_TARGET; initial RENDER_TARGET }}
queue q : direct
list l : direct {{
  draw \"write\" {{ RENDER_TARGET t }}
  barrier {{ texture t[layer 0..2] {{ {wrong}; layout RENDER_TARGET -> SHADER_RESOURCE }} }}
  draw \"read\" {{ SHADER_RESOURCE t @ PIXEL_SHADING }}
}}
timeline {{ q execute l }}
"
        );
        let (_, found) = findings(&text);
        let entry = found.iter().find(|f| f.rule.family() == "EB");
        let entry = entry.expect("the entry is wrong");
        let says = entry.fix.as_ref().map_or("", |fix| &fix.says);
        assert!(says.starts_with("write `texture t[layer 0..2] {"), "{says}");
        fixed(&text);
    }
}

/// Two queues use the texture without order: that is the cause. The fence comes first, or with the barrier, which is on the
/// queue that knows the layout.
#[test]
fn a_race_is_mended_before_the_layout() {
    let scene = |initial: &str, before: &str, between: &str| {
        format!(
            "texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial {initial} }}
queue q : direct
queue c : compute
fence f
list l : direct {{
  {before}draw \"d\" {{ RENDER_TARGET t }}
}}
list k : compute {{ dispatch \"r\" 8x8x1 {{ SHADER_RESOURCE t }} }}
timeline {{
  q execute l
  {between}c execute k
}}
"
        )
    };
    let fence = "order them by `q signal f 1` after (1) and `c wait f 1` before (2)";
    let barrier = "`texture t { sync RENDER_TARGET -> NONE; access RENDER_TARGET -> NO_ACCESS; layout RENDER_TARGET -> SHADER_RESOURCE }`";
    let after = |line: u32| {
        format!(
            "go from RENDER_TARGET to SHADER_RESOURCE after the last use of line {line}: {barrier}"
        )
    };
    let racing = scene("RENDER_TARGET", "", "");
    let (repaired, says) = fixed(&racing);
    assert_eq!(says, [fence.to_owned(), after(6)]);
    assert!(repaired.contains("initial RENDER_TARGET"), "{repaired}");
    let (_, found) = findings(&racing);
    let shown: Vec<_> = found.iter().map(|f| f.rule.id).collect();
    assert_eq!(shown, ["HZ201", "HZ104"], "the cause comes first");
    assert_eq!(
        found[1].help.as_deref(),
        Some(
            "first make the change proposed for HZ201 on this line: what this one needs depends on it"
        )
    );

    let ordered = scene("RENDER_TARGET", "", "q signal f 1\n  c wait f 1\n  ");
    assert_eq!(fixed(&ordered).1, [after(6)]);

    let to_target = "barrier { texture t { sync NONE -> RENDER_TARGET; access NO_ACCESS -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }\n  ";
    let changed = scene("SHADER_RESOURCE", to_target, "");
    assert_eq!(
        fixed(&changed).1,
        [format!("first {fence}, then {}", after(7))]
    );
}
