//! Runs a command line of the book as a reader would: in a shell, from the repository's root, with real values for the
//! words that stand for something (`FILE`).

use crate::once::Once;
use crate::sizes;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use syncscope::catalog::FAMILIES;

/// A scene without errors and hazards.
const SCENE: &str = "scenarios/tour/01-render-target-to-texture.scn";
/// A litmus test whose expectations hold.
const LITMUS: &str = "scenarios/litmus/message-passing/MP.gc.diff.none.litmus";

/// Words of command lines that stand for something: the command that they follow (any if empty), the word, its value.
pub(super) const PLACEHOLDERS: &[(&str, &str, &str)] = &[
    ("litmus", "FILE", LITMUS),
    ("", "FILE", SCENE),
    ("", "PATH", "scenarios/tour"),
    ("", "ID", "HZ101"),
];

/// What a command line printed on standard output, and how it ended.
pub(super) struct Outcome {
    pub(super) output: String,
    pub(super) status: Option<i32>,
    /// For messages.
    pub(super) complaint: String,
}

/// Whether a word of a command line stands for something: in capitals, and no family of rules.
pub(super) fn is_placeholder(word: &str) -> bool {
    let is_family = FAMILIES.iter().any(|family| family.id == word);
    word.len() > 1 && word.bytes().all(|b| b.is_ascii_uppercase()) && !is_family
}

/// A copy of a file of the repository: what a command writes, it writes there.
fn copy_of(file: &Path) -> PathBuf {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("book-{number}"));
    fs::create_dir_all(&folder).expect("a folder for copies");
    let copy = folder.join(file.file_name().expect("a file"));
    fs::copy(file, &copy).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    copy
}

/// A command line with values for its placeholders.
///
/// # Panics
/// If a word has no value, or a command that writes names a file of the repository.
fn with_values(line: &str) -> String {
    let mut words = line.split(' ').skip_while(|w| *w != "syncscope").skip(1);
    let command = words.next().unwrap_or_default();
    let all: Vec<&str> = words.take_while(|w| *w != "|" && *w != "#").collect();
    let writes = all.contains(&"--write")
        || (command == "fmt" && !all.contains(&"--check") && !all.contains(&"--to"));
    assert!(
        !writes || !all.iter().any(|w| w.contains('/')),
        "`{line}` writes a file of the repository: say FILE"
    );
    let mut comment = false;
    let value = |word: &str| {
        comment |= word == "#";
        let bare = word.trim_end_matches('…');
        if comment || !is_placeholder(bare) {
            return word.to_owned();
        }
        let (_, _, value) = PLACEHOLDERS
            .iter()
            .find(|(after, name, _)| *name == bare && (after.is_empty() || *after == command))
            .unwrap_or_else(|| panic!("`{line}`: nothing says what `{bare}` stands for"));
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join(value);
        if file.is_file() {
            format!("'{}'", copy_of(&file).display())
        } else {
            (*value).to_owned()
        }
    };
    line.split(' ').map(value).collect::<Vec<_>>().join(" ")
}

/// Whether this run leaves a command line out: it tries a corpus for seconds. The quick size takes every sixteenth of these.
pub(super) fn is_left_out(line: &str) -> bool {
    let tries = ["verify", "mutate", "--corpus", "--emit-rules"];
    let sum: usize = line.bytes().map(usize::from).sum();
    let takes = |step| sum.is_multiple_of(step);
    line.split(' ').any(|word| tries.contains(&word))
        && !takes(sizes::step(16, 1))
        && !super::updating()
}

/// Runs a command line. Several tests ask for one: it is run once.
pub(super) fn run(line: &str) -> Arc<Outcome> {
    static KNOWN: Once<String, Arc<Outcome>> = Once::new();
    KNOWN.of(line.to_owned(), || Arc::new(ran(line)))
}

fn ran(line: &str) -> Outcome {
    let program = Path::new(env!("CARGO_BIN_EXE_syncscope"));
    let folder = program.parent().expect("a folder of programs");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut path: Vec<PathBuf> = std::env::split_paths(&path).collect();
    path.insert(0, folder.to_owned());
    let run = Command::new("sh")
        .args(["-c", &with_values(line)])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env("PATH", std::env::join_paths(path).expect("folders"))
        .env("NO_COLOR", "1")
        .output()
        .expect("a shell runs");
    Outcome {
        output: String::from_utf8(run.stdout).expect("the program prints text"),
        status: run.status.code(),
        complaint: String::from_utf8_lossy(&run.stderr).into_owned(),
    }
}

#[test]
fn placeholders_are_whole_words_in_capitals() {
    assert!(is_placeholder("FILE"));
    for word in ["EB026", "HZ101", "HZ", "File", "", "A"] {
        assert!(!is_placeholder(word), "{word}");
    }
    assert_eq!(
        with_values("syncscope explain ID # an ID"),
        "syncscope explain HZ101 # an ID"
    );
}
