//! Proposed changes: applied to the text itself, they remove the finding and add nothing.

use std::fs;
use std::path::Path;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::run::{self, Options};

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

/// Where a place of the text is after a finding's proposal.
fn shifted(at: u32, finding: &Finding) -> u32 {
    let fix = finding.fix.as_ref().expect("a proposal");
    let earlier = fix.edits.iter().filter(|edit| edit.span.end <= at);
    earlier.fold(at, |at, edit| {
        let length = u32::try_from(edit.text.len()).expect("a short text");
        at + length - (edit.span.end - edit.span.start)
    })
}

/// `(line, id)` of errors and hazards.
fn bad(source: &Source, findings: &[Finding]) -> Vec<(u32, &'static str)> {
    findings
        .iter()
        .filter(|f| f.severity >= Severity::Hazard)
        .map(|f| (source.line(f.span.start), f.rule.id))
        .collect()
}

#[test]
fn every_proposal_holds_in_the_text() {
    let mut tried = 0;
    let rules = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/rules");
    let mut folders: Vec<_> = fs::read_dir(rules)
        .expect("scenarios/rules exists")
        .map(|e| e.expect("a folder").path().join("fires.scn"))
        .filter(|p| p.exists())
        .collect();
    folders.sort();
    for path in folders {
        let text = fs::read_to_string(&path).expect("a scenario");
        let (_, before) = findings(&text);
        for finding in &before {
            let Some(edited) = apply(&text, finding) else {
                continue;
            };
            tried += 1;
            let (source, after) = findings(&edited);
            let now = bad(&source, &after);
            // Where what was found before is now.
            let moved = |f: &Finding| (source.line(shifted(f.span.start, finding)), f.rule.id);
            let was: Vec<_> = before
                .iter()
                .filter(|f| f.severity >= Severity::Hazard)
                .map(moved)
                .collect();
            let place = moved(finding);
            assert!(
                !now.contains(&place),
                "{}: {now:?}\n{edited}",
                path.display()
            );
            assert!(
                now.iter().all(|f| was.contains(f)),
                "{}: {now:?} after {was:?}\n{edited}",
                path.display()
            );
        }
    }
    assert!(tried >= 15, "only {tried} proposals");
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
            "buffer b { sync NONE -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE }",
            "dispatch \"a\" 1x1x1 { SHADER_RESOURCE b }",
        ),
        "buffer b { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE }"
    );
}
