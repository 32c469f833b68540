//! `--rules tables`: the four places where the tables count to the letter (reading R58), each over all of its space, with
//! expectations written here from the texts; and scenes of what stays as it is read everywhere.

use super::{Case, RULE_SETS, SYNCS};
use std::collections::BTreeSet;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::validate::{self, RuleSet};
use syncscope::{legacy, scenario};

/// Enhanced Barriers specification, "Umbrella Synchronization Scopes": what each umbrella's row lists, umbrellas left out.
fn row(umbrella: &str) -> Option<&'static str> {
    match umbrella {
        "ALL" => Some(
            "INDEX_INPUT VERTEX_SHADING PIXEL_SHADING DEPTH_STENCIL RENDER_TARGET COMPUTE_SHADING RAYTRACING COPY RESOLVE \
             EXECUTE_INDIRECT VIDEO_DECODE VIDEO_PROCESS VIDEO_ENCODE CLEAR_UNORDERED_ACCESS_VIEW",
        ),
        "DRAW" => Some("INDEX_INPUT VERTEX_SHADING PIXEL_SHADING DEPTH_STENCIL RENDER_TARGET"),
        "ALL_SHADING" => Some("VERTEX_SHADING PIXEL_SHADING COMPUTE_SHADING"),
        "NON_PIXEL_SHADING" => Some("VERTEX_SHADING COMPUTE_SHADING"),
        _ => None,
    }
}

/// What the prose adds to a row: ALL means all, and the shading umbrellas contain ray tracing (reading R07).
fn prose(umbrella: &str) -> &'static str {
    match umbrella {
        "ALL" => {
            "BUILD_RAYTRACING_ACCELERATION_STRUCTURE COPY_RAYTRACING_ACCELERATION_STRUCTURE \
             EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO"
        }
        "ALL_SHADING" | "NON_PIXEL_SHADING" => "RAYTRACING",
        _ => "",
    }
}

fn leaves(rules: RuleSet, sync: &str) -> BTreeSet<&str> {
    let Some(listed) = row(sync) else {
        return BTreeSet::from([sync]);
    };
    let added = if rules == RuleSet::Tables {
        ""
    } else {
        prose(sync)
    };
    listed
        .split_whitespace()
        .chain(added.split_whitespace())
        .collect()
}

/// Scopes of a direct queue whose every leaf that queue has.
fn scopes() -> impl Iterator<Item = &'static str> {
    SYNCS
        .into_iter()
        .filter(|sync| !sync.starts_with("VIDEO") && !matches!(*sync, "NONE" | "SPLIT"))
}

/// Enhanced Barriers specification, "Sequential Barriers", first sentence (reading R13): every scope after every scope.
#[test]
fn every_scope_follows_every_scope_under_every_rule_set() {
    let write = "RAYTRACING_ACCELERATION_STRUCTURE_WRITE";
    let mut differ = 0;
    for first in scopes() {
        for second in scopes() {
            let access = |sync: &str| {
                if sync.starts_with("BUILD") || sync.starts_with("COPY_RAY") {
                    write
                } else if sync.starts_with("CLEAR") {
                    // Reading R31: not COMMON.
                    "UNORDERED_ACCESS"
                } else {
                    "COMMON"
                }
            };
            let case = Case::new(
                "buffer b : 4KiB { flags RAYTRACING_ACCELERATION_STRUCTURE|UNORDERED_ACCESS }",
                "direct",
                &format!(
                    "buffer b {{ sync ALL -> {first}; access COMMON -> {} }} buffer b {{ sync {second} -> ALL; access {} -> COMMON }}",
                    access(first),
                    access(second),
                )
                .replace("} buffer", "}\n buffer"),
            );
            let mut verdicts = Vec::new();
            for rules in RULE_SETS {
                let has_queue = |leaf: &&&str| !leaf.starts_with("VIDEO");
                let must = leaves(rules, first);
                let covered = leaves(rules, second);
                let contained = must.iter().filter(has_queue).all(|l| covered.contains(*l));
                let (errors, _) = case.found(rules);
                assert_eq!(
                    errors.contains("EB028"),
                    !contained,
                    "{rules:?}\n{}",
                    case.text
                );
                verdicts.push(contained);
            }
            differ += usize::from(verdicts[0] != verdicts[1]);
        }
    }
    assert!(differ >= 5, "{differ}: the rows and the prose differ");
}

/// Readings R04 and R58, with every access next to the scope, on a buffer whose `COMMON` holds the write and on one whose
/// does not, on both sides.
#[test]
fn building_and_copying_structures_demands_the_write() {
    let write = "RAYTRACING_ACCELERATION_STRUCTURE_WRITE";
    let read = "RAYTRACING_ACCELERATION_STRUCTURE_READ";
    for (flags, structure) in [
        ("RAYTRACING_ACCELERATION_STRUCTURE", true),
        ("UNORDERED_ACCESS", false),
    ] {
        for scope in ["BUILD", "COPY", "EMIT"] {
            let scope = match scope {
                "EMIT" => "EMIT_RAYTRACING_ACCELERATION_STRUCTURE_POSTBUILD_INFO".to_owned(),
                _ => format!("{scope}_RAYTRACING_ACCELERATION_STRUCTURE"),
            };
            let accesses: &[&str] = if structure {
                &[write, read, "COMMON", "NO_ACCESS"]
            } else {
                &["COMMON", "NO_ACCESS", "UNORDERED_ACCESS"]
            };
            for access in accesses {
                for before in [true, false] {
                    let entry = if before {
                        format!("sync {scope} -> ALL; access {access} -> COMMON")
                    } else {
                        format!("sync ALL -> {scope}; access COMMON -> {access}")
                    };
                    let case = Case::new(
                        &format!("buffer b : 4KiB {{ flags {flags} }}"),
                        "direct",
                        &format!("buffer b {{ {entry} }}"),
                    );
                    // R04: copies have no unordered access, and what is emitted only reads structures.
                    let read_so = !(scope.starts_with("COPY") && *access == "UNORDERED_ACCESS"
                        || scope.starts_with("EMIT") && *access == write);
                    let named = *access == write || *access == "COMMON" && structure;
                    let demanded = !scope.starts_with("EMIT");
                    for rules in RULE_SETS {
                        let legal = read_so && (rules != RuleSet::Tables || named || !demanded);
                        let (errors, _) = case.found(rules);
                        let expected: BTreeSet<_> =
                            (!legal).then_some("EB020").into_iter().collect();
                        assert_eq!(errors, expected, "{rules:?}\n{}", case.text);
                    }
                }
            }
        }
    }
}

/// `D3D12DDI_BARRIER_SYNC` reference, NONE: "in both cases" it is `AccessAfter` that is `NO_ACCESS` (readings R03, R58); the
/// specification's own pairing holds in every set.
#[test]
fn none_on_either_side_is_about_the_access_after() {
    for (before, after) in [
        ("NONE", "COPY"),
        ("COPY", "NONE"),
        ("NONE", "NONE"),
        ("COPY", "COPY"),
        ("NONE", "SPLIT"),
        ("SPLIT", "NONE"),
    ] {
        for access_before in ["NO_ACCESS", "COPY_DEST", "COMMON"] {
            for access_after in ["NO_ACCESS", "COPY_SOURCE", "COMMON"] {
                let case = Case::new(
                    "buffer b : 4KiB",
                    "direct",
                    &format!(
                        "buffer b {{ sync {before} -> {after}; access {access_before} -> {access_after} }}"
                    ),
                );
                let paired = (before != "NONE" || access_before == "NO_ACCESS")
                    && (after != "NONE" || access_after == "NO_ACCESS");
                // Reading R27: the side that is SPLIT is exempt.
                let literal = before != "NONE" || after == "SPLIT" || access_after == "NO_ACCESS";
                for rules in RULE_SETS {
                    let (errors, _) = case.found(rules);
                    let legal = paired && (literal || rules != RuleSet::Tables);
                    assert_eq!(!errors.contains("EB010"), legal, "{rules:?}\n{}", case.text);
                }
            }
        }
    }
}

/// Lines of the findings of some rules under a rule set, where lists execute.
fn lines(text: &str, rules: RuleSet, ids: &[&str]) -> Vec<u32> {
    let source = Source::new("letter", text);
    let (parsed, findings) = scenario::parse(&source);
    assert!(findings.is_empty(), "{findings:?}");
    let plain = legacy::translate(&parsed);
    let findings = validate::validate(&parsed, &Timeline::new(&plain), rules);
    let mut lines: Vec<u32> = findings
        .iter()
        .filter(|f| ids.contains(&f.rule.id))
        .map(|f| source.line(f.span.start))
        .collect();
    lines.sort_unstable();
    lines
}

/// Reading R39 against "`ID3D12DebugCommandList3` `AssertTextureLayout`": "at the moment the command list recording begins
/// execution". Two lists of one call, a bundle, and a second execution.
#[test]
fn assertions_of_a_list_are_about_its_start() {
    let text = "\
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
list inner : bundle {
  assert layout t SHADER_RESOURCE
  assert layout t RENDER_TARGET
}
list one : direct {
  assert access t RENDER_TARGET
  barrier { texture t { sync ALL -> ALL; access COMMON -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
  assert layout t SHADER_RESOURCE
  assert layout t RENDER_TARGET
  assert access t RENDER_TARGET
  assert access t SHADER_RESOURCE
  execute-bundle inner
}
list two : direct {
  assert layout t SHADER_RESOURCE
  barrier { texture t { sync ALL -> ALL; access COMMON -> RENDER_TARGET; layout SHADER_RESOURCE -> RENDER_TARGET } }
  assert layout t SHADER_RESOURCE
  assert layout t RENDER_TARGET
}
timeline {
  q execute one, two
  q execute one, two
}
";
    let ids = ["EB040", "EB041"];
    let here = vec![5, 11, 12, 19];
    assert_eq!(lines(text, RuleSet::Specification, &ids), here);
    assert_eq!(lines(text, RuleSet::DebugLayer, &ids), here);
    // `one` begins in RENDER_TARGET, the bundle and `two` in SHADER_RESOURCE.
    assert_eq!(lines(text, RuleSet::Tables, &ids), vec![5, 10, 13, 20]);
}

/// What no list names anywhere stays allowed (readings R08, R58): a frame without a finding in any set.
#[test]
fn what_no_list_names_is_legal_in_every_set() {
    for queue in ["direct", "compute"] {
        let case = Case::new(
            "texture t : R8G8B8A8_UNORM 64x64 { flags UNORDERED_ACCESS }",
            queue,
            &format!(
                "texture t {{ sync NONE -> NONE; access NO_ACCESS -> NO_ACCESS; layout UNDEFINED -> {}_QUEUE_COMMON }}",
                queue.to_uppercase()
            ),
        );
        for rules in RULE_SETS {
            assert!(case.found(rules).0.is_empty(), "{rules:?}\n{}", case.text);
        }
    }
}
