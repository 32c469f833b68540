//! What a scenario names next to it: litmus files of kernels, its device's profile and rule file. Read here because only this
//! layer reads files.

use super::{input, litmus, machine};
use crate::finding::Source;
use crate::kernel::SOURCE_BYTES_MAX;
use crate::run::{
    KernelFile, Options, Unusable, device_lowering_file, device_profile_file, kernels_named,
};
use std::fs;
use std::path::{Path, PathBuf};

/// The options with the kernels of a scenario, and with its own profile unless another is chosen. Their paths are relative to the scenario's file; those of standard input
/// to the current directory.
pub(super) fn with(source: &Source, options: &Options) -> Options {
    let kernels = kernels_named(source)
        .into_iter()
        .map(|path| KernelFile {
            text: read(&next_to(source, &path)),
            path,
        })
        .collect();
    let own = options
        .profile
        .is_none()
        .then(|| device_profile_file(source));
    let device_profile = own.flatten().map(|path| {
        let path = next_to(source, &path).display().to_string();
        machine::profile_with_bases(&path)
    });
    let own_rules = options
        .lowering
        .is_none()
        .then(|| device_lowering_file(source));
    let device_lowering = own_rules
        .flatten()
        .map(|path| input::lowering(&next_to(source, &path)));
    Options {
        device_profile,
        device_lowering,
        kernels,
        ..options.clone()
    }
}

/// Where a file is that a scenario names.
fn next_to(source: &Source, path: &str) -> PathBuf {
    let directory = Path::new(&source.name).parent();
    let directory = directory.filter(|d| !d.as_os_str().is_empty());
    // A lone `-` would be standard input.
    directory.unwrap_or(Path::new(".")).join(path)
}

/// A kernel's text. Only plain files: a pipe might never end.
fn read(path: &Path) -> Result<Source, Unusable> {
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
