//! The standard corpus: every scene of the repository, in the program itself, and situations that no scene tells.

use super::situations::situations;
use super::{Machine, verify};
use crate::finding::Source;
use crate::hardware::Profile;
use crate::lower::Lowering;
use crate::workbench::scenes::{self, Scene};
use std::sync::OnceLock;

/// Every scene but whole frames, by path, then every situation.
pub fn corpus() -> Vec<Source> {
    // Thousands of texts: one who verifies several lowerings asks each time.
    static CORPUS: OnceLock<Vec<Source>> = OnceLock::new();
    CORPUS.get_or_init(written).clone()
}

fn written() -> Vec<Source> {
    let is_program = |scene: &Scene| scene.path.extension().is_some_and(|e| e == "scn");
    // Whole frames, for `place`, hide in passing what a short scene shows.
    let is_frame = |scene: &Scene| {
        let mut folders = scene.path.components();
        folders.any(|it| it.as_os_str() == "frame-graphs")
    };
    let scenes = scenes::all()
        .into_iter()
        .filter(|it| is_program(it) && !is_frame(it));
    let programs = scenes.map(|it| Source::new(it.path.display().to_string(), it.text));
    programs.chain(situations()).collect()
}

/// Panics with the smallest program on which a lowering is wrong: for the tests of a driver.
///
/// ```
/// use syncscope::lower::PRECISE;
/// use syncscope::{catalog, verify};
///
/// let registry = catalog::registry();
/// verify::assert_lowering(&PRECISE, &[registry.profile("rdna").expect("it is built in")]);
/// ```
///
/// # Panics
/// If the lowering is wrong on a legal program of the standard corpus: with what is wrong, and the program as scenario text.
pub fn assert_lowering(lowering: &dyn Lowering, profiles: &[Profile]) {
    let found = verify(&Machine::each(lowering, profiles), &corpus(), &|_, _| true);
    if found.is_right() {
        return;
    }
    let Some(first) = found.counterexamples.first() else {
        panic!("`{}` is wrong", found.lowering);
    };
    panic!(
        "the lowering `{}` is wrong on {}\n{}\n\n{}",
        found.lowering,
        first.profiles.join(", "),
        first.says.join("\n"),
        first.text
    );
}
