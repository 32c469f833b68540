//! The standard corpus: every scene of the repository, in the program itself, and situations that no scene tells.

use super::situations::situations;
use super::{Machine, verify};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
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

/// Panics with the smallest program on which a lowering is wrong: for the tests of a driver.
///
/// ```
/// use syncscope::lower::PRECISE;
/// use syncscope::{catalog, run::verify};
///
/// let registry = catalog::registry();
/// verify::assert_lowering(&PRECISE, &[registry.profile("rdna").expect("it is built in")]);
/// ```
///
/// # Panics
/// If the lowering is wrong on a program of the standard corpus: with what is wrong, and the program as scenario text.
pub fn assert_lowering(lowering: &dyn Lowering, profiles: &[Profile]) {
    let found = verify(&Machine::each(lowering, profiles), &corpus(), &|_, _| true);
    let Some(first) = found.counterexamples.first() else {
        assert!(found.is_right(), "`{}` is wrong", found.lowering);
        return;
    };
    panic!(
        "the lowering `{}` is wrong on {}\n{}\n\n{}",
        found.lowering,
        first.profiles.join(", "),
        first.says.join("\n"),
        first.text
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::verify::{is_clean, with_case};
    use rayon::prelude::*;
    use std::collections::BTreeMap;

    /// A situation with a mistake of its own, or without a barrier, would be tried and say nothing.
    #[test]
    fn situations_have_barriers_and_no_mistakes() {
        let all = situations();
        let wrong: Vec<&Source> = all.par_iter().filter(|one| !is_clean(one)).collect();
        let is_tried = |one: &&Source| with_case(one, |_| Some(())).is_some();
        let listed: Vec<String> = wrong
            .iter()
            .take(20)
            .map(|one| format!("{} (tried: {})", one.name, is_tried(one)))
            .collect();
        let text = wrong.first().map_or("", |one| &one.text);
        assert!(wrong.is_empty(), "{}: {listed:#?}\n{text}", wrong.len());
        let mut texts = BTreeMap::new();
        for one in &all {
            if let Some(other) = texts.insert(&one.name, &one.text) {
                panic!("two of {}:\n{other}\n{}", one.name, one.text);
            }
        }
    }
}
