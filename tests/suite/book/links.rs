//! Links of every page: a relative one leads to a file of the repository, and its anchor to a heading there; one to the web is
//! only read.

use super::{name, pages};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The lines of a page outside of blocks.
fn prose(page: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    page.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        inside ^= is_fence;
        !is_fence && !inside
    })
}

/// Targets of a page's links and pictures, without those in code.
fn targets(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in prose(page) {
        let plain: Vec<&str> = line.split('`').step_by(2).collect();
        let plain = plain.join("code");
        for (at, _) in plain.match_indices("](") {
            let rest = &plain[at + 2..];
            let end = rest.find(')').unwrap_or(rest.len());
            found.push(rest[..end].to_owned());
        }
        // Definitions, as changelogs have them.
        if let Some((_, target)) = plain.split_once("]: ")
            && plain.starts_with('[')
        {
            found.push(target.trim().to_owned());
        }
    }
    found
}

/// The names by which links find the headings of a page, as mdBook makes them: of equal ones the second ends in `-1`.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut known: BTreeMap<String, usize> = BTreeMap::new();
    let mut found = BTreeSet::new();
    for line in prose(page) {
        let text = line.trim_start_matches('#');
        let is_heading = (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ');
        if !is_heading {
            continue;
        }
        let anchor = anchor(text);
        let times = known.entry(anchor.clone()).or_insert(0);
        found.insert(match *times {
            0 => anchor,
            times => format!("{anchor}-{times}"),
        });
        *times += 1;
    }
    found
}

/// The name of a heading. Of a link in it only the words count.
fn anchor(heading: &str) -> String {
    let mut words = heading.trim().to_owned();
    while let Some(at) = words.find("](") {
        let end = words[at..]
            .find(')')
            .map_or(words.len(), |end| at + end + 1);
        words.replace_range(at..end, "");
    }
    let letter = |c: char| match c {
        c if c.is_whitespace() => Some('-'),
        c if c.is_alphanumeric() || c == '-' || c == '_' => Some(c.to_ascii_lowercase()),
        _ => None,
    };
    words.chars().filter_map(letter).collect()
}

/// What is wrong with a link to the web, as far as its letters tell.
fn malformed(target: &str) -> Option<&'static str> {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|it| target.strip_prefix(it));
    let Some(rest) = rest else {
        return Some("has another scheme than http and https");
    };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let of_host = |c: char| c.is_ascii_alphanumeric() || "-.:".contains(c);
    if !host.contains('.') && !host.starts_with("localhost") || !host.chars().all(of_host) {
        return Some("has no host");
    }
    let is_letter = |c: char| c.is_ascii_graphic() && !"<>\"{}|\\^`".contains(c);
    if !rest.chars().all(is_letter) || rest.ends_with(['.', ',']) {
        return Some("has a sign that no address has");
    }
    None
}

/// What is wrong with the links of pages, and how many there are.
fn complaints(pages: &[(PathBuf, String)]) -> (Vec<String>, usize) {
    let texts: BTreeMap<&Path, &str> = pages
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    let (mut wrong, mut links) = (Vec::new(), 0);
    for (page, text) in pages {
        for target in targets(text) {
            links += 1;
            let mut complain =
                |what: &str| wrong.push(format!("{}: `{target}` {what}", name(page)));
            if target.contains("://") {
                if let Some(what) = malformed(&target) {
                    complain(what);
                }
                continue;
            }
            let (file, heading) = match target.split_once('#') {
                Some((file, heading)) => (file, Some(heading)),
                None => (target.as_str(), None),
            };
            let path = match file {
                "" => page.clone(),
                file => resolved(page, file),
            };
            if !texts.contains_key(&*path) && !path.exists() {
                complain("leads nowhere");
                continue;
            }
            let Some(heading) = heading else { continue };
            let there = match texts.get(&*path) {
                Some(text) => (*text).to_owned(),
                None => fs::read_to_string(&path).unwrap_or_default(),
            };
            if !anchors(&there).contains(heading) {
                complain("names no heading of its page");
            }
        }
    }
    (wrong, links)
}

/// A path next to a page, without `..`.
fn resolved(page: &Path, file: &str) -> PathBuf {
    let mut path = page.parent().expect("a folder").to_owned();
    for part in file.split('/') {
        match part {
            ".." => {
                path.pop();
            }
            "." => {}
            part => path.push(part),
        }
    }
    path
}

#[test]
fn every_link_leads_somewhere() {
    let (wrong, links) = complaints(&pages());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(links > 1000, "the book's pages are linked: {links}");
}

#[test]
fn a_link_that_leads_nowhere_is_found() {
    let page = super::root().join("book/src/made-up.md");
    let text = "# One\n\n## Two: `three`, [four](quick-start.md)?\n## One\n\n[a](#one) [b](#one-1) [c](#two-three-four) \
        [d](quick-start.md) ![e](demo.svg) [f](https://example.com/x) `[g](nowhere.md)`\n```text\n# Five\n[h](nowhere.md)\n```\n";
    let pages = [(page.clone(), text.to_owned())];
    assert_eq!(
        complaints(&pages),
        (Vec::new(), 7),
        "what is code is no link"
    );
    let wrong = "# One\n[a](nowhere.md) [b](#two) [c](quick-start.md#nothing-like-it) [d](htps://example.com) [e](https://a b) \
        [f](#one-1)\n";
    let (found, links) = complaints(&[(page, wrong.to_owned())]);
    assert_eq!((found.len(), links), (6, 6), "{found:?}");
}
