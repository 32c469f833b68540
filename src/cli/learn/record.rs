//! A student's progress: which lessons are passed, and with how many hints. A file in the user's directory of data.

use super::super::save;
use crate::run::Unusable;
use etcetera::{BaseStrategy, choose_base_strategy};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::PathBuf;

/// What is known of one lesson.
#[derive(Copy, Clone, PartialEq, Eq, Default, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Known {
    /// Whether an attempt has passed.
    pub(super) passed: bool,
    /// Hints that were asked for.
    pub(super) hints: usize,
}

/// The progress, and where it is kept.
#[derive(Debug)]
pub(super) struct Record {
    /// `None` where the system has no directory for it: then nothing is remembered.
    file: Option<PathBuf>,
    known: IndexMap<String, Known>,
}

impl Record {
    /// Reads the file; where there is none, nothing is known.
    ///
    /// # Errors
    /// If it is there and is not understood.
    pub(super) fn read() -> Result<Self, Unusable> {
        let strategy = choose_base_strategy().ok();
        let file = strategy.map(|it| it.data_dir().join("syncscope").join("lessons.json"));
        let Some(path) = &file else {
            return Ok(Self {
                file,
                known: IndexMap::new(),
            });
        };
        let wrong = |why: String| Unusable {
            message: format!("the progress in `{}` cannot be read: {why}", path.display()),
            help: "move that file away; lessons begin anew without it".to_owned(),
        };
        let known = match fs::read_to_string(path) {
            Ok(text) => serde_json::from_str(&text).map_err(|it| wrong(it.to_string()))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => IndexMap::new(),
            Err(error) => return Err(wrong(error.to_string())),
        };
        Ok(Self { file, known })
    }

    /// Writes the file: all of it, or nothing.
    pub(super) fn write(&self) -> Result<(), Unusable> {
        let Some(path) = &self.file else {
            return Ok(());
        };
        let text = serde_json::to_string_pretty(&self.known).expect("names and numbers are JSON");
        let directory = path.parent().expect("it is in a directory");
        let written = fs::create_dir_all(directory);
        let written = written.and_then(|()| save::put(path, &(text + "\n")));
        written.map_err(|error| Unusable {
            message: format!(
                "the progress cannot be kept in `{}`: {error}",
                path.display()
            ),
            help: save::remedy(&error).to_owned(),
        })
    }

    pub(super) fn of(&self, lesson: &str) -> Known {
        self.known.get(lesson).copied().unwrap_or_default()
    }

    pub(super) fn of_mut(&mut self, lesson: &str) -> &mut Known {
        self.known.entry(lesson.to_owned()).or_default()
    }

    /// Forgets a lesson, or all.
    pub(super) fn forget(&mut self, lesson: Option<&str>) {
        match lesson {
            Some(lesson) => drop(self.known.shift_remove(lesson)),
            None => self.known.clear(),
        }
    }
}
