//! Litmus tests: every file's verdicts, and the laws that hold between models.

use std::path::{Path, PathBuf};
use syncscope::finding::Source;
use syncscope::kernel::{self, Kernel};
use syncscope::litmus::examine::{Options, examine};

/// Litmus files below a folder of the repository, in order.
pub(crate) fn files(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)];
    while let Some(directory) = open.pop() {
        for entry in std::fs::read_dir(&directory).expect("a folder of the repository") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "litmus") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

pub(crate) fn read(path: &Path) -> (Source, Kernel) {
    let text = std::fs::read_to_string(path).expect("a readable file");
    let source = Source::new(path.display().to_string(), text);
    let (kernel, findings) = kernel::parse(&source);
    assert!(findings.is_empty(), "{}: {findings:#?}", source.name);
    (source, kernel)
}

#[test]
fn every_litmus_file_holds_its_expectations() {
    let files = files("scenarios/litmus");
    assert_eq!(files.len(), 103, "the set is whole");
    let mut wrong = Vec::new();
    for path in &files {
        let (source, kernel) = read(path);
        let answer = examine(&kernel, &Options::default());
        for judged in &answer.judged {
            let expected = kernel.expectations[judged.expectation].verdict;
            if judged.verdict != Some(expected) {
                wrong.push(format!(
                    "{}: expected {expected:?}, found {:?}",
                    source.name, judged.verdict
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
