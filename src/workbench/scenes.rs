//! The scenes of the repository, in the program itself: every file below `scenarios`. Without the feature `corpus` there are
//! none.

#[cfg(feature = "corpus")]
use include_dir::{Dir, DirEntry, include_dir};
use std::path::Path;

#[cfg(feature = "corpus")]
static SCENES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/scenarios");

/// A file below `scenarios`.
pub struct Scene {
    /// Path from there.
    pub path: &'static Path,
    /// Contents.
    pub text: &'static str,
}

/// Every text, by path.
#[cfg(feature = "corpus")]
pub fn all() -> Vec<Scene> {
    below(&SCENES)
}

/// The texts in the folder of a rule, by path; none for a rule without a folder.
#[cfg(feature = "corpus")]
pub fn of_rule(id: &str) -> Vec<Scene> {
    let folder = SCENES.get_dir(format!("rules/{id}"));
    folder.map(below).unwrap_or_default()
}

/// The scene that the page of a lowering shows: of one that is wrong on purpose the one that exposes it, of another the
/// shortest of its folder.
#[cfg(feature = "corpus")]
pub fn of_lowering(name: &str) -> Option<Scene> {
    let of = |folder: &str| SCENES.get_dir(format!("{folder}/{name}"));
    let folder = of("lowering").or_else(|| of("lowering/museum"))?;
    let mut scenes = below(folder);
    scenes.retain(|scene| scene.path.extension().is_some_and(|it| it == "scn"));
    scenes.sort_by_key(|scene| {
        let exposes = scene.path.file_stem().is_some_and(|it| it == "exposes");
        (!exposes, scene.text.lines().count())
    });
    scenes.into_iter().next()
}

/// No scene: they are not in the library.
#[cfg(not(feature = "corpus"))]
pub fn of_lowering(_: &str) -> Option<Scene> {
    None
}

/// No texts: they are not in the library.
#[cfg(not(feature = "corpus"))]
pub fn of_rule(_: &str) -> Vec<Scene> {
    Vec::new()
}

#[cfg(feature = "corpus")]
fn below(folder: &'static Dir<'static>) -> Vec<Scene> {
    let mut scenes = Vec::new();
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => scenes.append(&mut below(inner)),
            DirEntry::File(file) => scenes.extend(file.contents_utf8().map(|text| Scene {
                path: file.path(),
                text,
            })),
        }
    }
    scenes.sort_by_key(|scene| scene.path);
    scenes
}
