//! The scenes that the page names: what is found in them, and whether they expect it.

use super::root;
use crate::rules::judge;
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use syncscope::catalog;
use syncscope::finding::{Finding, Source};
use syncscope::kernel;
use syncscope::litmus::examine::ExamineOptions;
use syncscope::litmus::study::study;
use syncscope::report::expect::compare;
use syncscope::run::Options;

/// The file of a scene.
pub(super) fn scene_file(scene: &str) -> Option<PathBuf> {
    ["scn", "litmus"]
        .map(|ending| root().join(format!("scenarios/{scene}.{ending}")))
        .into_iter()
        .find(|file| file.is_file())
}

/// `(line, id)` of what is found in a scene, and of what its lines expect.
pub(super) struct Fired {
    pub(super) found: BTreeSet<(u32, String)>,
    pub(super) expected: BTreeSet<(u32, String)>,
}

/// What a scene shows: judged with the machine, so that every family speaks.
pub(super) fn fired(scene: &str) -> Fired {
    let path = scene_file(scene).expect("every carrier exists");
    let text = fs::read_to_string(&path).expect("a readable scene");
    let source = Source::new(scene, text);
    if path.extension().is_some_and(|e| e == "scn") {
        let judged = judge(source, false, true, &Options::default());
        let line = |f: &Finding| judged.source.line(f.span.start);
        return Fired {
            found: judged
                .findings
                .iter()
                .map(|f| (line(f), f.rule.id.to_owned()))
                .collect(),
            expected: judged
                .expectations
                .iter()
                .flat_map(|e| e.ids.iter().map(|id| (e.line, id.clone())))
                .collect(),
        };
    }
    let (kernel, mut findings) = kernel::parse(&source);
    if findings.is_empty() {
        findings = study(&kernel, &ExamineOptions::default(), None).findings;
    }
    Fired {
        found: findings
            .iter()
            .map(|f| (source.line(f.span.start), f.rule.id.to_owned()))
            .collect(),
        expected: kernel
            .marks
            .iter()
            .flat_map(|m| m.ids.iter().map(|id| (m.line, id.clone())))
            .collect(),
    }
}

/// How a scene and what it expects differ; empty if they do not.
pub(super) fn unmet(scene: &str) -> String {
    let path = scene_file(scene).expect("every carrier exists");
    let source = Source::new(scene, fs::read_to_string(&path).expect("a readable scene"));
    if path.extension().is_some_and(|e| e == "scn") {
        let judged = judge(source, false, true, &Options::default());
        let rules = catalog::registry().rules;
        let wrong = compare(
            &judged.expectations,
            &judged.findings,
            &judged.source,
            &rules,
            &[],
        );
        return if wrong.is_empty() {
            String::new()
        } else {
            format!("{wrong:?}")
        };
    }
    let (kernel, findings) = kernel::parse(&source);
    let met = study(&kernel, &ExamineOptions::default(), None)
        .examination
        .holds(&kernel);
    if findings.is_empty() && met {
        String::new()
    } else {
        format!("an expectation is not met; {findings:?}")
    }
}
