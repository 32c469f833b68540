//! `--frames`: a drawing for each beat that memory or a hazard is in, in a directory of their own.

use crate::cli::pending::Pending;
use crate::cli::save;
use crate::report::svg;
use crate::run::Unusable;
use crate::run::steps::{FRAMES_MAX, Told};
use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

/// Looks whether the directory is new or empty: frames of two runs in one directory would be taken for one run's.
pub(super) fn check(directory: &Path) -> Result<(), Unusable> {
    let parent = directory.parent().filter(|p| !p.as_os_str().is_empty());
    match fs::read_dir(directory) {
        Ok(mut entries) => match entries.next() {
            None => Ok(()),
            Some(_) => Err(Unusable::new(
                format!("`{}` is not empty", directory.display()),
                "name a directory that is new or empty: frames of two runs would be mixed",
            )),
        },
        Err(error) if error.kind() == io::ErrorKind::NotFound => match parent.map(fs::metadata) {
            Some(Err(error)) => Err(failed(directory, &error)),
            _ => Ok(()),
        },
        Err(error) => Err(failed(directory, &error)),
    }
}

fn failed(directory: &Path, error: &io::Error) -> Unusable {
    Unusable {
        message: format!("`{}` cannot be written: {error}", directory.display()),
        help: match error.kind() {
            io::ErrorKind::NotFound => "create the directory that it is in first".to_owned(),
            io::ErrorKind::NotADirectory => "name a directory that is new or empty".to_owned(),
            _ => save::remedy(error).to_owned(),
        },
    }
}

/// Writes the frames; what there is to say of them, a line each.
pub(super) fn write(told: &Told, directory: &Path) -> Result<Vec<String>, Unusable> {
    let (beats, all) = told.frames();
    // Files sort as beats do.
    let digits = told.steps().beats.len().to_string().len().max(3);
    let name = |beat: usize| format!("step-{:0digits$}.svg", beat + 1);
    if !directory.is_dir() {
        fs::create_dir(directory).map_err(|e| failed(directory, &e))?;
    }
    for beat in &beats {
        put(&directory.join(name(*beat)), &svg::frame(told, Some(*beat)))?;
    }
    let place = directory.display();
    let mut says = vec![match (beats.first(), beats.last()) {
        (Some(first), Some(last)) if first < last => format!(
            "{} frames in {place}: {} to {}",
            beats.len(),
            name(*first),
            name(*last)
        ),
        (Some(only), _) => format!("1 frame in {place}: {}", name(*only)),
        _ => format!("no frames in {place}: no beat changes the diagram or is a hazard"),
    }];
    if all > beats.len() {
        says.push(format!(
            "these are the first {FRAMES_MAX} of {all}: `--until` chooses where they end"
        ));
    }
    Ok(says)
}

fn put(name: &Path, text: &str) -> Result<(), Unusable> {
    let mut pending = Pending::begin(name)?;
    let written = pending.write_all(text.as_bytes());
    written.map_err(|e| pending.failed(&e))?;
    pending.end()
}
