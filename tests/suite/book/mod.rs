//! The book and the README are what the program says: pages about words, tables, quoted output and quoted numbers are made
//! here, every command line runs, and every relative link leads to a file of the repository.
//!
//! `UPDATE_BOOK=1 cargo test --test suite book` writes in one go what is stale; without it a test compares.

mod facts;
mod lessons;
mod links;
mod markdown;
mod quotes;
mod shell;
mod topics;

use markdown::Mark;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use syncscope::catalog::{self, FAMILIES};
use syncscope::finding::Rule;
use syncscope::report::page;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Whether this run writes what is stale.
fn updating() -> bool {
    std::env::var_os("UPDATE_BOOK").is_some_and(|v| v == "1")
}

/// The Markdown files of a folder of the repository, in order.
fn markdown_files(folder: &str) -> Vec<PathBuf> {
    // A folder may not be there yet.
    let mut found: Vec<PathBuf> = fs::read_dir(root().join(folder))
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|e| e == "md"))
        .collect();
    found.sort();
    found
}

/// A path as the repository knows it.
fn name(path: &Path) -> String {
    let name = path.strip_prefix(root()).expect("a file of the repository");
    name.to_string_lossy().replace('\\', "/")
}

/// Every page with its text as it is on disk; an update has come to its end before.
fn pages() -> Vec<(PathBuf, String)> {
    if updating() {
        LazyLock::force(&BOOK);
    }
    let mut paths = vec![root().join("README.md"), root().join("CHANGELOG.md")];
    paths.extend(markdown_files("book/src"));
    for folder in topics::FOLDERS {
        paths.extend(markdown_files(&format!("book/src/{folder}")));
    }
    paths
        .into_iter()
        .map(|path| {
            let text = fs::read_to_string(&path).expect("a readable page");
            (path, text)
        })
        .collect()
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

/// The pages of rules by their name below `book/src/rules`.
fn rule_pages() -> BTreeMap<String, String> {
    let mut pages = BTreeMap::new();
    for (family, rules) in families() {
        pages.insert(
            format!("{}.md", family.id),
            page::family_markdown(family, &rules),
        );
        for rule in rules {
            pages.insert(format!("{}.md", rule.id), page::rule_markdown(rule));
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
        let _ = writeln!(
            part,
            "- [{}: {}](rules/{}.md)",
            family.id, family.about, family.id
        );
        for rule in rules {
            let _ = writeln!(part, "  - [{0} {1}](rules/{0}.md)", rule.id, rule.name);
        }
    }
    format!("{before}{HEAD}{part}{after}")
}

/// Pictures, each with the run that it draws. The first is the README's, the next are for slides, the last for the page on placed barriers.
const PICTURES: [(&str, &str); 7] = [
    ("demo.svg", "src/cli/demo.scn"),
    ("slides/overlap.svg", "book/lessons/01-overlap.scn"),
    ("slides/barrier.svg", "book/lessons/01-overlap.solution.scn"),
    ("slides/split.svg", "book/lessons/10-split.solution.scn"),
    ("slides/queues.svg", "book/lessons/11-fences.solution.scn"),
    ("place/before.svg", "scenarios/place/before-each-pass.scn"),
    ("place/after.svg", "scenarios/place/placed.scn"),
];

fn picture(scene: &str, wrong: &mut Vec<String>) -> String {
    let outcome = shell::run(&format!("syncscope run {scene} --format svg"));
    if outcome.status.is_none_or(|status| status > 1) {
        wrong.push(format!("{scene} is not drawn: {}", outcome.complaint));
    }
    outcome.output.clone()
}

/// Every page that the program has a say in, as it should be. What cannot be made (a command that fails, a sentence that is
/// not there) goes to `wrong`.
fn wanted(wrong: &mut Vec<String>) -> BTreeMap<PathBuf, String> {
    let book = root().join("book/src");
    let mut wanted: BTreeMap<PathBuf, String> = rule_pages()
        .into_iter()
        .map(|(name, text)| (book.join("rules").join(name), text))
        .collect();
    wanted.insert(
        book.join("conformance.md"),
        crate::conformance::page_of_the_book(),
    );
    wanted.append(&mut topics::wanted(wrong));
    for (name, text) in lessons::pages() {
        wanted.insert(book.join("lessons").join(name), text);
    }
    for (name, scene) in PICTURES {
        wanted.insert(book.join(name), picture(scene, wrong));
    }
    let mut written_by_hand = markdown_files("book/src");
    written_by_hand.push(root().join("README.md"));
    written_by_hand.push(root().join("CHANGELOG.md"));
    for path in written_by_hand {
        if wanted.contains_key(&path) {
            continue;
        }
        let text = fs::read_to_string(&path).expect("a readable page");
        let page = name(&path);
        let fresh = if page.ends_with("SUMMARY.md") {
            topics::in_summary(&summary_with_rules(&text))
        } else {
            facts::restated(&page, quotes::renewed(&page, &text, wrong), wrong)
        };
        wanted.insert(path, fresh);
    }
    wanted
}

/// What differs between a page and what it should be: the first such line.
fn difference(found: &str, wanted: &str) -> String {
    let mut lines = wanted.lines();
    for (index, line) in found.lines().enumerate() {
        let other = lines.next();
        if other != Some(line) {
            let other = other.unwrap_or("(nothing)");
            return format!("line {}: `{line}` should be `{other}`", index + 1);
        }
    }
    format!(
        "at its end `{}` is missing",
        lines.next().unwrap_or_default()
    )
}

/// What is the matter with the book.
struct Book {
    /// What was stale when the tests began. An update has written it since.
    stale: Vec<String>,
    /// What no update can write.
    wrong: Vec<String>,
}

static BOOK: LazyLock<Book> = LazyLock::new(|| {
    let mut wrong = Vec::new();
    let wanted = wanted(&mut wrong);
    let folders = topics::FOLDERS.map(|folder| format!("book/src/{folder}"));
    for folder in folders.iter().filter(|_| updating()) {
        fs::create_dir_all(root().join(folder)).expect("the book can be written");
    }
    let mut stale = Vec::new();
    for (path, text) in &wanted {
        let found = fs::read_to_string(path).unwrap_or_default();
        if found == *text {
            continue;
        }
        stale.push(format!("{}: {}", name(path), difference(&found, text)));
        if updating() {
            fs::write(path, text).expect("the book can be written");
        }
    }
    for path in folders.iter().flat_map(|folder| markdown_files(folder)) {
        if wanted.contains_key(&path) {
            continue;
        }
        stale.push(format!("{} is about nothing that there is", name(&path)));
        if updating() {
            fs::remove_file(&path).expect("the book can be written");
        }
    }
    Book { stale, wrong }
});

#[test]
fn the_book_says_what_the_program_says() {
    let Book { stale, wrong } = LazyLock::force(&BOOK);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(
        updating() || stale.is_empty(),
        "{}\nrun: UPDATE_BOOK=1 cargo test --test suite book",
        stale.join("\n")
    );
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = fs::read_to_string(root().join("book/src/SUMMARY.md")).expect("the summary");
    for (page, _) in pages() {
        let Ok(name) = page.strip_prefix(root().join("book/src")) else {
            continue;
        };
        let name = name.to_string_lossy().replace('\\', "/");
        assert!(
            name == "SUMMARY.md" || summary.contains(&format!("({name})")),
            "{name} is not in the summary"
        );
    }
}

/// Whether a page is about a word: its prose is broken as it is where it is written.
fn is_generated(page: &Path) -> bool {
    let folder = page.parent().and_then(Path::file_name);
    folder.is_some_and(|it| topics::FOLDERS.iter().any(|folder| it == *folder))
}

/// A command line of a page.
struct CommandLine {
    place: String,
    line: String,
    exit: i32,
}

/// Command lines of shell blocks and of code in the text, once each.
fn command_lines() -> Vec<CommandLine> {
    let mut found = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |place: String, line: &str, mark: Mark<'_>| {
        let line = line.trim().replace("cargo run --release --", "syncscope");
        if let Mark::Exit(exit) = mark
            && line.starts_with("syncscope ")
            && known.insert((line.clone(), exit))
        {
            found.push(CommandLine { place, line, exit });
        }
    };
    for (path, text) in &pages() {
        let page = name(path);
        for block in markdown::blocks(text) {
            if block.info == "sh" {
                for line in text[block.body.clone()].lines() {
                    add(page.clone(), line, block.mark);
                }
            }
        }
        for inline in markdown::inline(text) {
            assert!(
                !inline.is_open || is_generated(path),
                "{page}:{}: code goes on in the next line",
                inline.line
            );
            add(format!("{page}:{}", inline.line), inline.code, inline.mark);
        }
    }
    found
}

#[test]
fn every_command_line_of_the_book_ends_as_it_says() {
    let lines = command_lines();
    assert!(
        lines.len() >= 20,
        "the book has {} command lines",
        lines.len()
    );
    let mut wrong = Vec::new();
    for CommandLine { place, line, exit } in &lines {
        if shell::is_left_out(line) {
            continue;
        }
        // A command without anything else is only named.
        let named = line.split(' ').count() == 2;
        let outcome = shell::run(&format!("{line}{}", if named { " --help" } else { "" }));
        if outcome.status != Some(*exit) {
            wrong.push(format!(
                "{place}: `{line}` ends with {:?}, not {exit}\n{}",
                outcome.status, outcome.complaint
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (_, word, _) in shell::PLACEHOLDERS {
        let used = |line: &str| line.split([' ', '…']).any(|w| w == *word);
        assert!(
            lines.iter().any(|l| used(&l.line)),
            "no command line says {word}"
        );
    }
}

/// Whole scenarios and litmus tests of the book do what they expect.
#[test]
fn every_whole_example_of_the_book_holds() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    fs::create_dir_all(&folder).expect("a folder for examples");
    let mut examples = 0;
    for (path, text) in &pages() {
        for block in markdown::blocks(text) {
            if !["scn", "litmus"].contains(&block.info) {
                continue;
            }
            let file = folder.join(format!("{examples}.{}", block.info));
            fs::write(&file, &text[block.body]).expect("an example is written");
            let outcome = shell::run(&format!("syncscope test '{}'", file.display()));
            let (page, found) = (name(path), &outcome.output);
            assert_eq!(outcome.status, Some(0), "{page}: {found}");
            examples += 1;
        }
    }
    assert!(examples >= 3, "the book has {examples} whole examples");
}

/// `--word`s of a text.
fn options(text: &str) -> impl Iterator<Item = &str> {
    text.match_indices("--").filter_map(|(at, _)| {
        let rest = &text[at..];
        let length = rest[2..]
            .find(|c: char| !c.is_ascii_lowercase() && c != '-')
            .map_or(rest.len(), |end| end + 2);
        let alone = !text[..at].ends_with(|c: char| c == '-' || c.is_alphanumeric());
        (alone && rest[2..].starts_with(|c: char| c.is_ascii_lowercase())).then(|| &rest[..length])
    })
}

#[test]
fn every_option_that_the_book_names_exists() {
    let commands = &shell::run("syncscope list commands --format json").output;
    let commands: Vec<serde_json::Value> = serde_json::from_str(commands).expect("JSON");
    let mut known = BTreeSet::new();
    for command in &commands {
        let name = command["name"].as_str().expect("a command's name");
        let help = &shell::run(&format!("syncscope {name} --help")).output;
        known.extend(options(help).map(str::to_owned));
    }
    assert!(known.contains("--format"));
    for (path, text) in &pages() {
        for inline in markdown::inline(text) {
            let foreign = ["cargo ", "<!--"].iter().any(|p| inline.code.contains(p));
            for option in options(inline.code).filter(|_| !foreign) {
                assert!(
                    known.contains(option),
                    "{}:{}: no command has the option `{option}`",
                    name(path),
                    inline.line
                );
            }
        }
    }
}

/// A page on GitHub shows the picture about 900 pixels wide, light or dark: letters must still be read there, and the
/// picture has a ground of its own. Whoever reads the crate has it, too.
#[test]
fn the_picture_of_the_readme_can_be_read() {
    if updating() {
        LazyLock::force(&BOOK);
    }
    let readme = fs::read_to_string(root().join("README.md")).expect("the README");
    let (_, rest) = readme
        .split_once("](book/src/demo.svg)")
        .expect("the README shows it");
    assert!(rest.contains("$ syncscope demo"), "its report follows it");
    let package = fs::read_to_string(root().join("Cargo.toml")).expect("the manifest");
    assert!(
        package.contains("\"/book/src/demo.svg\""),
        "it is in the package"
    );
    let drawing = fs::read_to_string(root().join("book/src/demo.svg")).expect("the picture");
    let document = roxmltree::Document::parse(&drawing).expect("XML");
    let svg = document.root_element();
    let number = |name| -> f64 {
        svg.attribute(name)
            .expect("a size")
            .parse()
            .expect("a number")
    };
    let (width, height) = (number("width"), number("height"));
    assert!(
        height < width / 2.0,
        "it fits on a screen: {width} by {height}"
    );
    let ground = svg
        .children()
        .find(|c| c.has_tag_name(("http://www.w3.org/2000/svg", "rect")));
    let ground = ground.expect("a ground");
    assert_eq!(ground.attribute("fill"), Some("#ffffff"));
    assert_eq!(
        (ground.attribute("width"), ground.attribute("height")),
        (Some("100%"), Some("100%"))
    );
    let style = svg
        .descendants()
        .find(|n| n.tag_name().name() == "style")
        .expect("a style");
    let style = style.text().expect("text");
    let sizes = style
        .split("font-size:")
        .skip(1)
        .filter_map(|s| s.split("px").next());
    for size in sizes {
        let size: f64 = size.parse().expect("pixels");
        assert!(size * 900.0 / width >= 9.0, "{size}");
    }
    let words: Vec<&str> = svg.descendants().filter_map(|n| n.text()).collect();
    assert!(
        words.iter().any(|w| w.contains("HZ101")),
        "the hazard is in it"
    );
}
