//! The attempts of a class, as one table.

use super::super::{input, test};
use crate::report::lesson::ClassRow;
use crate::run::lesson::{Check, Judge, Lesson};
use crate::run::{Options, Registry, Unusable};
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Every file below a directory that has the name of a lesson, judged; in order of path.
pub(super) fn rows(
    directory: &Path,
    lessons: &[Lesson],
    registry: &Registry,
    options: &Options,
) -> Result<Vec<ClassRow>, Unusable> {
    if !directory.is_dir() {
        return Err(Unusable {
            message: format!("there is no directory `{}`", directory.display()),
            help: "name the directory that has one directory for each student".to_owned(),
        });
    }
    let below = [directory.to_owned()];
    let files = test::files(&below, &["scn", "litmus", "lower"]).unwrap_or_default();
    let lesson_of = |file: &Path| {
        let name = file.file_name()?.to_str()?;
        lessons.iter().position(|it| it.file_name() == name)
    };
    let attempts = files.into_iter();
    let attempts = attempts.filter_map(|file| lesson_of(&file).map(|lesson| (file, lesson)));
    let attempts: Vec<(PathBuf, usize)> = attempts.collect();
    if attempts.is_empty() {
        return Err(Unusable {
            message: format!(
                "no file below `{}` has the name of a lesson",
                directory.display()
            ),
            help: "students keep the names that `learn` gives the files".to_owned(),
        });
    }
    // Nobody judges a lesson that no file is about.
    let judges: Vec<OnceLock<Judge<'_>>> = lessons.iter().map(|_| OnceLock::new()).collect();
    let rows = attempts.par_iter().map(|(file, at)| {
        let lesson = &lessons[*at];
        let student = file.parent().unwrap_or(file);
        let student = student.strip_prefix(directory).unwrap_or(student);
        let student = student.display().to_string();
        let failed = match input::read_raw(file) {
            Ok(attempt) => {
                let judge = judges[*at].get_or_init(|| lesson.judge(registry, options));
                let rows = judge.check(&attempt).rows;
                let failed = rows.iter().filter(|it| !it.passed);
                failed.map(|it| Check::word(&it.check).to_owned()).collect()
            }
            Err(what) => vec![what.message],
        };
        ClassRow {
            student: if student.is_empty() {
                ".".to_owned()
            } else {
                student
            },
            lesson: lesson.file_name().to_owned(),
            title: lesson.title.clone(),
            passed: failed.is_empty(),
            failed,
        }
    });
    Ok(rows.collect())
}
