//! A file of `--out` while it is written: next to its target, renamed over it when it is whole.
//!
//! Until then the target is what it was, also when writing fails or Ctrl-C ends the program: what was begun is removed. A
//! target that is no plain file, such as a pipe, is written as it comes.

use super::{progress, save};
use crate::run::Unusable;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// A file that is written.
pub(super) struct Pending {
    /// As the user named it.
    name: PathBuf,
    /// Where it is: where links lead.
    target: PathBuf,
    out: BufWriter<File>,
    /// The file that is renamed; `None` if the target itself is written.
    beside: Option<TempPath>,
}

impl Pending {
    /// Begins a file: whether its directory takes one is known from here on.
    pub(super) fn begin(name: &Path) -> Result<Self, Unusable> {
        // A link stays: what it leads to is replaced.
        let target = fs::canonicalize(name).unwrap_or_else(|_| name.to_owned());
        let failed = |e: io::Error| unwritten(name, &e);
        let old = fs::metadata(&target).ok();
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(Unusable {
                message: format!("`{}` is a directory", name.display()),
                help: "name a file in it".to_owned(),
            });
        }
        let is_special = old.as_ref().is_some_and(|old| !old.is_file());
        let (file, beside) = if is_special {
            let file = OpenOptions::new().write(true).open(&target);
            (file.map_err(failed)?, None)
        } else {
            let readonly = old.as_ref().is_some_and(|o| o.permissions().readonly());
            if readonly {
                return Err(failed(io::Error::other("it is read-only")));
            }
            let directory = target.parent().filter(|p| !p.as_os_str().is_empty());
            let new = save::new_beside(&target, directory.unwrap_or(Path::new(".")));
            let (file, path) = new.map_err(failed)?.into_parts();
            if let Some(old) = old {
                file.set_permissions(old.permissions()).map_err(failed)?;
            }
            progress::begun(&path);
            (file, Some(path))
        };
        Ok(Self {
            name: name.to_owned(),
            target,
            out: BufWriter::new(file),
            beside,
        })
    }

    /// Ends the file: from here on its name leads to it.
    pub(super) fn end(mut self) -> Result<(), Unusable> {
        let failed = |e: io::Error| unwritten(&self.name, &e);
        self.out.flush().map_err(failed)?;
        if let Some(beside) = self.beside.take() {
            let path = beside.to_path_buf();
            let renamed = beside.persist(&self.target);
            progress::ended(&path);
            renamed.map_err(|e| failed(e.error))?;
        }
        Ok(())
    }

    /// What is said of it if it cannot be written.
    pub(super) fn failed(&self, error: &io::Error) -> Unusable {
        unwritten(&self.name, error)
    }
}

impl Write for Pending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if let Some(beside) = self.beside.take() {
            let path = beside.to_path_buf();
            drop(beside);
            progress::ended(&path);
        }
    }
}

fn unwritten(name: &Path, error: &io::Error) -> Unusable {
    Unusable {
        message: format!("`{}` cannot be written: {error}", name.display()),
        help: match error.kind() {
            io::ErrorKind::NotFound => "create its directory first".to_owned(),
            _ => save::remedy(error).to_owned(),
        },
    }
}
