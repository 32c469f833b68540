//! Files that a text or a command names: profiles, rule files, kernels. Reading them is left to whoever has them; here is
//! only what is asked of it, and where a name leads.

use super::Unusable;
use crate::finding::Source;
use crate::lower::Lowering;
use std::collections::BTreeMap;
use std::fmt::Debug;
use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

/// What a file is wanted for.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum FileKind {
    /// A hardware profile: TOML.
    Profile,
    /// A lowering: rule text. A file that holds JSON is handed over as rule text.
    Lowering,
    /// A kernel: one litmus test.
    Kernel,
}

/// Whoever reads files.
pub trait Files: Debug + Send + Sync {
    /// The text of a file. Its name is the path, so that messages name the file as the user does.
    ///
    /// # Errors
    /// Why there is no such text.
    fn read(&self, path: &str, kind: FileKind) -> Result<Source, Unusable>;

    /// The driver of a command line, as a lowering.
    ///
    /// # Errors
    /// Why there is none: whoever only has files starts no process.
    fn driver(&self, command: &str) -> Result<&'static dyn Lowering, Unusable> {
        Err(Unusable {
            message: format!("`{command}` was not started"),
            help: "only a command line starts a driver: `--lowering exec:./mydriver`".to_owned(),
        })
    }
}

/// A shared [`Files`]. The default has none.
#[derive(Clone, Debug)]
pub struct Reader(Arc<dyn Files>);

impl<F: Files + 'static> From<F> for Reader {
    fn from(files: F) -> Self {
        Self(Arc::new(files))
    }
}

impl Default for Reader {
    fn default() -> Self {
        NoFiles.into()
    }
}

impl Deref for Reader {
    type Target = dyn Files;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

/// No files at all.
#[derive(Copy, Clone, Debug)]
pub(crate) struct NoFiles;

impl Files for NoFiles {
    fn read(&self, path: &str, _: FileKind) -> Result<Source, Unusable> {
        Err(Unusable {
            message: format!("`{path}` was not read"),
            help: "hand it over with the scenario".to_owned(),
        })
    }
}

/// Texts by their paths: files that are only in memory.
#[derive(Clone, Default, Debug)]
pub struct Texts(BTreeMap<String, String>);

impl<P: Into<String>, T: Into<String>> FromIterator<(P, T)> for Texts {
    fn from_iter<I: IntoIterator<Item = (P, T)>>(texts: I) -> Self {
        let texts = texts.into_iter();
        Self(
            texts
                .map(|(path, text)| (path.into(), text.into()))
                .collect(),
        )
    }
}

impl Files for Texts {
    fn read(&self, path: &str, _: FileKind) -> Result<Source, Unusable> {
        let known = path.strip_prefix("./").unwrap_or(path);
        let text = self.0.get(known).ok_or_else(|| Unusable {
            message: format!("there is no file `{known}`"),
            help: "write it".to_owned(),
        })?;
        Ok(Source::new(known, text.as_str()))
    }
}

/// A path that a scenario names, relative to the scenario's file; of a text without one, to the current directory.
pub(crate) fn named_in(scenario: &str, path: &str) -> String {
    // A lone `-` would be standard input.
    let place = directory(scenario).unwrap_or(Path::new(".")).join(path);
    place.display().to_string()
}

/// Where a file is; `None` for the current directory.
pub(crate) fn directory(file: &str) -> Option<&Path> {
    let directory = Path::new(file).parent()?;
    (!directory.as_os_str().is_empty()).then_some(directory)
}
