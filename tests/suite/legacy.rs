//! Correct legacy programs stay free of hazards once their barriers are translated.

use std::fs;
use std::path::Path;
use syncscope::finding::Source;
use syncscope::order::Timeline;
use syncscope::scenario::CommandKind;
use syncscope::{graph, legacy, scenario};

#[test]
fn correct_legacy_scenarios_have_no_conflict() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/legacy");
    let mut files: Vec<_> = fs::read_dir(folder)
        .expect("the folder exists")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    files.sort();
    assert!(!files.is_empty());
    for file in files {
        let text = fs::read_to_string(&file).expect("the scenario can be read");
        let (scenario, findings) = scenario::parse(&Source::new("legacy", text));
        assert!(findings.is_empty(), "{}: {findings:?}", file.display());
        let plain = legacy::translate(&scenario);
        let left = plain
            .lists
            .iter()
            .flat_map(|list| &list.commands)
            .any(|command| matches!(command.kind, CommandKind::Legacy(_)));
        assert!(!left, "{}: a legacy call is left", file.display());
        let timeline = Timeline::new(&plain);
        let evaluation = graph::evaluate(&timeline, graph::Options::default());
        assert!(
            evaluation.conflicts.is_empty(),
            "{}: {:?}",
            file.display(),
            evaluation.conflicts
        );
    }
}
