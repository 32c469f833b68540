//! The lessons of the book, in the program itself.

use super::header::is_solution;
use super::{Lesson, Mistake};
use crate::finding::Source;
use include_dir::{Dir, include_dir};

static SHELF: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/book/lessons");

fn named(name: &str) -> Option<Source> {
    let file = SHELF.get_file(name)?;
    Some(Source::new(name, file.contents_utf8()?))
}

/// The lessons in their order, which is that of their names.
///
/// # Errors
/// What is wrong with a header, with the file's name.
pub fn lessons() -> Result<Vec<Lesson>, (String, Vec<Mistake>)> {
    let files = SHELF.files().filter_map(|file| file.path().to_str());
    let mut names: Vec<&str> = files.filter(|name| !is_solution(name)).collect();
    names.sort_unstable();
    let texts = names.into_iter().filter_map(named);
    let meant = texts.filter(|text| Lesson::is_meant(&text.text));
    let read = meant.map(|text| Lesson::read(&text, &named).map_err(|it| (text.name.clone(), it)));
    read.collect()
}
