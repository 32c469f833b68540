//! The book and the README: every relative link leads to a file of the repository, and the pages of rules are those of
//! the registry.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use syncscope::catalog::{self, FAMILIES};
use syncscope::finding::Rule;
use syncscope::report::page;

fn pages(root: &Path) -> Vec<PathBuf> {
    let mut found = vec![root.join("README.md")];
    for folder in ["book/src", "book/src/rules"] {
        for entry in fs::read_dir(root.join(folder)).expect("the book") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|e| e == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// Rules of the registry by family, in order of family and id; families without rules are left out.
fn families() -> Vec<(&'static syncscope::finding::Family, Vec<&'static Rule>)> {
    let registry = catalog::registry();
    FAMILIES
        .iter()
        .map(|family| {
            let mut rules = registry.named(family.id);
            rules.sort_by_key(|rule| rule.id);
            (family, rules)
        })
        .filter(|(_, rules)| !rules.is_empty())
        .collect()
}

/// The generated pages by their place below `book/src/rules`.
fn rule_pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for (family, rules) in families() {
        pages.insert(
            format!("{}.md", family.id),
            page::family_markdown(family, &rules),
        );
        for rule in rules {
            pages.insert(format!("{}.md", rule.id), page::markdown(rule));
        }
    }
    pages
}

/// The summary with its part about rules as the registry has it: from that headline to the next.
fn summary_with_rules(summary: &str) -> String {
    const HEAD: &str = "# Rules\n";
    let (before, rest) = summary
        .split_once(HEAD)
        .expect("the summary has a part `# Rules`");
    let after = rest.find("\n# ").map_or("", |at| &rest[at..]);
    let mut part = String::from("\n");
    for (family, rules) in families() {
        part.push_str(&format!(
            "- [{}: {}](rules/{}.md)\n",
            family.id, family.about, family.id
        ));
        for rule in rules {
            part.push_str(&format!(
                "  - [{0} {1}](rules/{0}.md)\n",
                rule.id, rule.name
            ));
        }
    }
    format!("{before}{HEAD}{part}{after}")
}

/// What differs from the generated book; with `UPDATE_BOOK=1` it is written instead.
#[test]
fn the_pages_of_rules_are_those_of_the_registry() {
    let book = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src");
    let update = std::env::var_os("UPDATE_BOOK").is_some_and(|v| v == "1");
    let mut wanted: BTreeMap<PathBuf, String> = rule_pages()
        .into_iter()
        .map(|(name, text)| (book.join("rules").join(name), text))
        .collect();
    let summary = fs::read_to_string(book.join("SUMMARY.md")).expect("the summary");
    wanted.insert(book.join("SUMMARY.md"), summary_with_rules(&summary));
    if update {
        fs::create_dir_all(book.join("rules")).expect("the book can be written");
    }
    let mut stale = Vec::new();
    for (path, text) in &wanted {
        if fs::read_to_string(path).is_ok_and(|found| found == *text) {
            continue;
        }
        if update {
            fs::write(path, text).expect("the book can be written");
        } else {
            stale.push(format!("{} is stale or missing", path.display()));
        }
    }
    for entry in fs::read_dir(book.join("rules")).expect("the pages of rules") {
        let path = entry.expect("an entry").path();
        if wanted.contains_key(&path) {
            continue;
        }
        if update {
            fs::remove_file(&path).expect("the book can be written");
        } else {
            stale.push(format!("{} belongs to no rule", path.display()));
        }
    }
    assert!(
        stale.is_empty(),
        "{}\nrun: UPDATE_BOOK=1 cargo test --test suite book",
        stale.join("\n")
    );
}

#[test]
fn every_relative_link_leads_somewhere() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut links = 0;
    for page in pages(root) {
        let text = fs::read_to_string(&page).expect("a readable page");
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
    let summary = fs::read_to_string(root.join("book/src/SUMMARY.md")).expect("the summary");
    for page in pages(root).iter().skip(1) {
        let name = page
            .strip_prefix(root.join("book/src"))
            .expect("a page of the book");
        let name = name.to_string_lossy().replace('\\', "/");
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name} is not in the summary"
        );
    }
}

/// The README shows what the program prints.
#[test]
fn the_readme_shows_the_demo_as_it_is() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let readme = fs::read_to_string(root.join("README.md")).expect("the README");
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
