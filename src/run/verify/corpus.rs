//! The standard corpus: every scene of the repository, in the program itself, and situations that no scene tells.

use super::situations::situations;
use crate::finding::Source;
use include_dir::{Dir, DirEntry, include_dir};

static SCENES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// Every scene, by path, then every situation.
pub fn corpus() -> Vec<Source> {
    let mut programs = Vec::new();
    add(&SCENES, &mut programs);
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs.extend(situations());
    programs
}

fn add(directory: &'static Dir<'static>, programs: &mut Vec<Source>) {
    for entry in directory.entries() {
        match entry {
            DirEntry::Dir(inner) => add(inner, programs),
            DirEntry::File(file) => {
                let is_scene = file.path().extension().is_some_and(|e| e == "scn");
                if let (true, Some(text)) = (is_scene, file.contents_utf8()) {
                    programs.push(Source::new(file.path().display().to_string(), text));
                }
            }
        }
    }
}
