//! Compares the sources with the table of layers in the book's page on architecture: imports go strictly downward, and
//! input and output stay on top.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// What only the top layer may name, as path segments after `std::`.
const OUTSIDE: [&str; 7] = [
    "fs",
    "env",
    "process",
    "net",
    "io::stdin",
    "io::stdout",
    "io::stderr",
];

/// The only file that names a hash map: what it makes of one cannot be iterated, whose order would differ between runs.
const HASHED: &str = "lookup.rs";

/// Modules of each layer, lowest first, as the book's page on architecture has them: rows of a table that begin with a
/// number, and in the second cell the modules.
struct Layers(Vec<Vec<String>>);

impl Layers {
    fn of_the_book() -> Self {
        let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("book/src/architecture.md");
        Self::read(&fs::read_to_string(page).expect("the page on architecture"))
    }

    fn read(page: &str) -> Self {
        let mut rows: Vec<(usize, Vec<String>)> = page
            .lines()
            .filter_map(|line| {
                let mut cells = line.strip_prefix('|')?.split('|').map(str::trim);
                let number = cells.next()?.parse().ok()?;
                let modules = cells.next()?.split('`').skip(1).step_by(2);
                Some((number, modules.map(str::to_owned).collect()))
            })
            .collect();
        rows.sort();
        for (layer, (number, modules)) in rows.iter().enumerate() {
            assert_eq!(layer, *number, "each layer has one row");
            assert!(!modules.is_empty(), "layer {number} has modules");
        }
        Self(rows.into_iter().map(|(_, modules)| modules).collect())
    }

    /// The module that a path below `src/` is in: its first part, or where that is a room of several modules, as the table
    /// has them, its first two.
    fn module(&self, parts: &[String]) -> String {
        let name = |part: &String| part.trim_end_matches(".rs").to_owned();
        let inside = parts
            .get(1)
            .map(|second| format!("{}::{}", parts[0], name(second)));
        inside
            .filter(|inside| self.of(inside).is_some())
            .unwrap_or_else(|| name(&parts[0]))
    }

    /// Rooms of which the table has the modules.
    fn rooms(&self) -> BTreeSet<&str> {
        let modules = self.0.iter().flatten();
        modules
            .filter_map(|m| Some(m.split_once("::")?.0))
            .collect()
    }

    fn of(&self, module: &str) -> Option<usize> {
        let has = |modules: &Vec<String>| modules.iter().any(|m| m == module);
        self.0.iter().position(has)
    }

    fn top(&self) -> usize {
        self.0.len() - 1
    }
}

/// A source file: its path below `src/`, its top module, and its text without comments and strings.
struct File {
    path: String,
    module: String,
    depth: usize,
    raw: String,
    code: String,
}

fn files() -> Vec<File> {
    let layers = Layers::of_the_book();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut paths = Vec::new();
    walk(&root, &mut paths);
    paths.sort();
    // These only say which modules there are.
    let rooms = layers.rooms().into_iter();
    let lists: BTreeSet<PathBuf> = rooms
        .map(|room| root.join(room).join("mod.rs"))
        .chain([root.join("lib.rs")])
        .collect();
    paths
        .iter()
        .filter(|path| !lists.contains(*path))
        .map(|path| {
            let relative = path.strip_prefix(&root).expect("a file below the root");
            let parts: Vec<String> = relative
                .iter()
                .map(|p| p.to_string_lossy().into_owned())
                .collect();
            let raw = fs::read_to_string(path).expect("sources can be read");
            // `a.rs` and `a/mod.rs` are modules of depth 1, `a/b.rs` of depth 2.
            let is_mod = parts.last().is_some_and(|p| p == "mod.rs");
            File {
                path: parts.join("/"),
                module: layers.module(&parts),
                depth: parts.len() - usize::from(is_mod),
                code: code_of(&raw),
                raw,
            }
        })
        .collect()
}

fn walk(directory: &Path, out: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("the directory can be read") {
        let path = entry.expect("its entries too").path();
        if path.is_dir() {
            walk(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
}

/// The text without line comments and string contents: names in prose are not imports.
fn code_of(text: &str) -> String {
    let mut out = String::new();
    for line in text.lines() {
        let mut in_string = false;
        let mut escaped = false;
        let mut chars = line.chars().peekable();
        while let Some(c) = chars.next() {
            match c {
                '"' if !escaped => in_string = !in_string,
                '/' if !in_string && chars.peek() == Some(&'/') => break,
                _ if !in_string => out.push(c),
                _ => {}
            }
            escaped = c == '\\' && !escaped;
        }
        out.push('\n');
    }
    out
}

/// First segments of every path that begins with `head`, groups opened: `crate::{a::b, c}` names `a` and `c`.
fn heads(code: &str, head: &str) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for (at, _) in code.match_indices(head) {
        let before = code[..at].chars().next_back();
        // `super::super::x` and `mycrate::x` are other paths.
        if before.is_some_and(|c| c == ':' || c == '$' || c == '_' || c.is_alphanumeric()) {
            continue;
        }
        let rest = code[at + head.len()..].trim_start();
        if let Some(group) = rest.strip_prefix('{') {
            let mut depth = 0;
            let mut word = String::new();
            for c in group.chars() {
                match c {
                    '{' => depth += 1,
                    '}' if depth == 0 => break,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    word.push(c);
                }
            }
            found.extend(word.split(',').map(first_segment));
        } else {
            found.insert(first_segment(rest));
        }
    }
    found.remove("");
    found
}

fn first_segment(path: &str) -> String {
    path.trim_start()
        .chars()
        .take_while(|c| *c == '_' || c.is_alphanumeric())
        .collect()
}

/// Top modules that a file names, other than its own.
fn imports(file: &File, layers: &Layers) -> BTreeSet<String> {
    let mut found = heads(&file.code, "crate::");
    for room in layers.rooms() {
        if found.remove(room) {
            let inside = heads(&file.code, &format!("crate::{room}::"));
            found.extend(inside.into_iter().map(|module| format!("{room}::{module}")));
        }
    }
    if file.module == "main" {
        // The program sees the library from outside.
        found.extend(heads(&file.code, "syncscope::"));
    }
    if file.depth == 1 {
        // `super` of a top module is the crate itself; inside its own `mod tests` it is the module.
        let outside_tests = file.code.split("#[cfg(test)]").next().unwrap_or("");
        let inside = |module: &String| file.code.contains(&format!("mod {module} {{"));
        let outside = heads(outside_tests, "super::").into_iter();
        found.extend(outside.filter(|it| !inside(it)));
    }
    // A path may leave a module of depth n by n `super`s.
    let leaving = "super::".repeat(file.depth);
    if file.depth > 1 {
        found.extend(
            heads(&file.code, &leaving)
                .into_iter()
                .filter(|m| layers.of(m).is_some()),
        );
    }
    if let Some((room, _)) = file.module.split_once("::") {
        let siblings = heads(&file.code, &"super::".repeat(file.depth - 1));
        let siblings = siblings.into_iter().map(|m| format!("{room}::{m}"));
        found.extend(siblings.filter(|m| layers.of(m).is_some()));
    }
    found.remove(&file.module);
    found
}

#[test]
fn imports_go_strictly_downward() {
    let layers = Layers::of_the_book();
    let mut wrong = Vec::new();
    for file in files() {
        let Some(own) = layers.of(&file.module) else {
            wrong.push(format!(
                "src/{}: the module `{}` has no layer",
                file.path, file.module
            ));
            continue;
        };
        for import in imports(&file, &layers) {
            // The top layer is one: the program calls its commands.
            let inside_top = own == layers.top();
            match layers.of(&import) {
                Some(other) if other < own || (inside_top && other == own) => {}
                Some(other) => wrong.push(format!(
                    "src/{}: layer {own} imports `{import}` of layer {other}",
                    file.path
                )),
                // A lower-case word that is no module is an item or macro of the crate's root.
                None => wrong.push(format!(
                    "src/{}: imports `{import}`, which has no layer",
                    file.path
                )),
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_table_of_layers_has_every_module_once() {
    let listed: Vec<String> = Layers::of_the_book().0.concat();
    let mut sorted = listed.clone();
    sorted.sort();
    let present: BTreeSet<String> = files().into_iter().map(|file| file.module).collect();
    let present: Vec<String> = present.into_iter().collect();
    assert_eq!(
        sorted, present,
        "the table of layers in book/src/architecture.md, and the modules of src/"
    );
}

#[test]
fn only_the_top_layer_meets_the_outside() {
    let layers = Layers::of_the_book();
    let mut wrong = Vec::new();
    for file in files()
        .iter()
        .filter(|f| layers.of(&f.module) != Some(layers.top()))
    {
        // A unit test may do what it likes.
        let code = file.code.split("#[cfg(test)]").next().unwrap_or("");
        for name in heads(code, "std::") {
            if OUTSIDE.contains(&name.as_str()) {
                wrong.push(format!("src/{}: std::{name}", file.path));
            }
        }
        for name in heads(code, "io::").iter().chain(&heads(code, "std::io::")) {
            if OUTSIDE.contains(&format!("io::{name}").as_str()) {
                wrong.push(format!("src/{}: io::{name}", file.path));
            }
        }
        // `write!` to a given writer is how reports are made; these write to the process' own.
        // Clocks are read on top only.
        for word in ["Instant", "SystemTime"] {
            if code.contains(word) {
                wrong.push(format!("src/{}: {word}", file.path));
            }
        }
        for word in ["println!", "eprintln!", "print!(", "eprint!(", "dbg!("] {
            if (file.module != "report" || !file.path.ends_with("tests.rs")) && code.contains(word)
            {
                wrong.push(format!("src/{}: {word}", file.path));
            }
        }
        if heads(code, "std::").contains("io") && file.module != "report" {
            wrong.push(format!("src/{}: std::io", file.path));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Files that lower or simulate: every other one above the machine asks them, so that no two runs have different options.
const RUNNERS: [&str; 2] = ["pipeline/back.rs", "pipeline/streamed.rs"];

#[test]
fn one_place_lowers_and_simulates() {
    let layers = Layers::of_the_book();
    let mut wrong = Vec::new();
    for file in files() {
        let is_above = layers.of(&file.module) > layers.of("sim");
        if !is_above || RUNNERS.contains(&&*file.path) {
            continue;
        }
        for word in [
            "sim::simulate",
            "lowering.lower(",
            "PRECISE.lower(",
            ".stream(timeline",
        ] {
            if file.code.contains(word) {
                wrong.push(format!("{}: `{word}` belongs to {RUNNERS:?}", file.path));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_order_comes_from_a_hash() {
    const WORDS: [&str; 5] = [
        "HashMap",
        "HashSet",
        "hash_map",
        "hash_set",
        "FxBuildHasher",
    ];
    let names_one = |file: &&File| WORDS.iter().any(|word| file.code.contains(word));
    let found: Vec<String> = files()
        .into_iter()
        .filter(|f| names_one(&f))
        .map(|f| f.path)
        .collect();
    assert_eq!(
        found,
        [HASHED],
        "elsewhere: a LookupMap, an IndexMap or a Table"
    );
}

#[test]
fn every_file_says_what_it_knows() {
    // A rule, and a lowering, begins with the prose of its page.
    const BEGINS: [&str; 4] = [
        "//!",
        "crate::finding::rule! {\n    ///",
        "crate::lower::lowering! {\n    ///",
        "super::lowering! {\n    ///",
    ];
    let wrong: Vec<String> = files()
        .iter()
        .filter(|f| !BEGINS.iter().any(|begin| f.raw.starts_with(begin)))
        .map(|f| format!("src/{}: begins without `//!`", f.path))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_reader_of_paths_sees_groups_and_nothing_in_comments() {
    let code = code_of(
        "use crate::{a::{x, y}, b, c::d}; // crate::no\nlet s = \"crate::no\"; crate::e::f();\n",
    );
    let found: Vec<String> = heads(&code, "crate::").into_iter().collect();
    assert_eq!(found, ["a", "b", "c", "e"]);
}
