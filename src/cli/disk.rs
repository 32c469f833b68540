//! Files on disk: what a command line or a scenario names. Read here because only this layer reads files.

use super::{driver_process, input, litmus};
use crate::finding::Source;
use crate::kernel::SOURCE_BYTES_MAX;
use crate::lower::Lowering;
use crate::run::{FileKind, Files, Options, Unusable};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

/// The files of the disk. What is no plain file is read once: a pipe cannot be read again.
#[derive(Default, Debug)]
struct Disk(Mutex<BTreeMap<(String, FileKind), Result<Source, Unusable>>>);

/// Options whose files are those of the disk.
pub(super) fn options() -> Options {
    Options {
        files: Disk::default().into(),
        ..Options::default()
    }
}

impl Files for Disk {
    fn read(&self, path: &str, kind: FileKind) -> Result<Source, Unusable> {
        let read = || read(Path::new(path), kind);
        if fs::metadata(path).is_ok_and(|it| it.is_file()) {
            return read();
        }
        // Nothing in here leaves half an entry, whoever panics.
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = known.entry((path.to_owned(), kind));
        entry.or_insert_with(read).clone()
    }

    fn driver(&self, command: &str) -> Result<&'static dyn Lowering, Unusable> {
        driver_process::driver(command)
    }
}

fn read(path: &Path, kind: FileKind) -> Result<Source, Unusable> {
    match kind {
        FileKind::Profile => input::profile(path),
        FileKind::Lowering => input::lowering(path),
        FileKind::Kernel => kernel(path),
    }
}

/// A kernel's text. Only plain files: a pipe might never end.
fn kernel(path: &Path) -> Result<Source, Unusable> {
    let name = path.display();
    if let Ok(metadata) = fs::metadata(path) {
        if !metadata.is_file() {
            return Err(Unusable {
                message: format!("`{name}` is no plain file"),
                help: "name a litmus file".to_owned(),
            });
        }
        if metadata.len() > SOURCE_BYTES_MAX as u64 {
            return Err(Unusable {
                message: format!("`{name}` is larger than {SOURCE_BYTES_MAX} bytes"),
                help: "a kernel is one litmus test".to_owned(),
            });
        }
    }
    litmus::only_test(input::read_raw(path)?, input::is_json(path))
}
