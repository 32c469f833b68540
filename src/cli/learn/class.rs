//! The attempts of a class, as one table.

use super::super::{input, test};
use crate::report::lesson::ClassRow;
use crate::run::lesson::{Check, Lesson};
use crate::run::{Options, Registry, Unusable};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

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
    let named = |file: &PathBuf| {
        let name = file.file_name()?.to_str()?.to_owned();
        let lesson = lessons.iter().find(|it| it.file_name() == name)?;
        Some((file.clone(), lesson))
    };
    let attempts: Vec<(PathBuf, &Lesson)> = files.iter().filter_map(named).collect();
    if attempts.is_empty() {
        return Err(Unusable {
            message: format!(
                "no file below `{}` has the name of a lesson",
                directory.display()
            ),
            help: "students keep the names that `learn` gives the files".to_owned(),
        });
    }
    let rows = attempts.par_iter().map(|(file, lesson)| {
        let student = file.parent().unwrap_or(file);
        let student = student.strip_prefix(directory).unwrap_or(student);
        let student = student.display().to_string();
        let failed = match input::read_raw(file) {
            Ok(attempt) => {
                let rows = lesson.check(&attempt, registry, options).rows;
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
