//! The book and the README: every relative link leads to a file of the repository.

use std::path::{Path, PathBuf};

fn pages(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.join("README.md")];
    for entry in std::fs::read_dir(root.join("book/src")).expect("the book") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|e| e == "md") {
            found.push(path);
        }
    }
    found
}

#[test]
fn every_relative_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut links = 0;
    for page in pages(root) {
        let text = std::fs::read_to_string(&page).expect("a readable page");
        for (at, _) in text.match_indices("](") {
            let target = &text[at + 2..];
            let Some(end) = target.find(')') else {
                continue;
            };
            let target = target[..end].split('#').next().unwrap_or_default();
            if target.is_empty() || target.contains("://") {
                continue;
            }
            links += 1;
            let path = page.parent().expect("a folder").join(target);
            assert!(
                path.exists(),
                "{}: `{target}` leads nowhere",
                page.display()
            );
        }
    }
    assert!(links >= 5, "the book's pages are linked");
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let summary = std::fs::read_to_string(root.join("book/src/SUMMARY.md")).expect("the summary");
    for page in pages(root).iter().skip(1) {
        let name = page.file_name().expect("a name").to_string_lossy();
        assert!(
            name == "SUMMARY.md" || summary.contains(&*name),
            "{name} is not in the summary"
        );
    }
}

/// The README shows what the program prints.
#[test]
fn the_readme_shows_the_demo_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = std::fs::read_to_string(root.join("README.md")).expect("the README");
    let run = std::process::Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .arg("demo")
        .env("NO_COLOR", "1")
        .output()
        .expect("the demo runs");
    let page = String::from_utf8(run.stdout).expect("text");
    assert!(
        readme.contains(page.trim_end()),
        "README.md between output:begin and output:end is stale: run `syncscope demo`"
    );
}
