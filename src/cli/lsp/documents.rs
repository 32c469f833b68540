//! Open texts, with the changes that an editor tells of, and other files as they are on disk.

use super::convert::{Text, path_of};
use super::found::Found;
use super::worker::Done;
use crate::assist::Language;
use crate::assist::names::Names;
use crate::assist::places::Lines;
use crate::finding::Source;
use crate::run::{FileKind, Files, Reader, Registry, Unusable};
use gen_lsp_types::TextDocumentContentChangeEvent as Change;
use indexmap::IndexMap;
use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Bytes of an open text. A parser says of fewer that they are too many.
const TEXT_MAX: usize = 256 << 20;

/// An open text.
pub(super) struct Document {
    pub(super) uri: String,
    pub(super) language: Language,
    /// The editor's number of the text.
    pub(super) version: i32,
    /// Counts up with every change of any text.
    pub(super) revision: u64,
    pub(super) source: Arc<Source>,
    pub(super) lines: Lines,
    /// When the text is looked at, if it has not been.
    pub(super) due: Option<Instant>,
    /// What was found in this text without looking for fixes, and when it is shown if these take longer.
    pub(super) early: Option<(Instant, Done)>,
    /// What was found in this text or an earlier one.
    pub(super) found: Option<Found>,
    /// What is shown is about the words of the text.
    pub(super) shows_text: bool,
    names: Option<(u64, Arc<Names>)>,
}

impl Document {
    pub(super) fn text(&self) -> Text<'_> {
        Text {
            text: &self.source.text,
            lines: &self.lines,
        }
    }

    /// What was found in exactly this text.
    pub(super) fn current(&self) -> Option<&Found> {
        let found = self.found.as_ref();
        found.filter(|found| found.revision == self.revision)
    }

    /// The names of the text, read when first asked for.
    pub(super) fn names(&mut self, registry: &Registry) -> Arc<Names> {
        if let Some((revision, names)) = &self.names
            && *revision == self.revision
        {
            return Arc::clone(names);
        }
        let names = Arc::new(Names::of(&self.source, self.language, registry));
        self.names = Some((self.revision, Arc::clone(&names)));
        names
    }

    fn set(&mut self, text: String, revision: u64) {
        self.early = None;
        self.lines = Lines::of(&text);
        self.source = Arc::new(Source::new(self.source.name.clone(), text));
        self.revision = revision;
    }
}

/// All open texts.
#[derive(Default)]
pub(super) struct Documents {
    pub(super) all: IndexMap<String, Document>,
    revision: u64,
}

impl Documents {
    /// Opens a text, or opens it anew.
    pub(super) fn open(&mut self, uri: &str, version: i32, text: String) -> Result<(), String> {
        if text.len() > TEXT_MAX {
            return Err(too_large(text.len()));
        }
        self.revision += 1;
        let name = path_of(uri);
        let document = Document {
            uri: uri.to_owned(),
            language: Language::of(&name),
            version,
            revision: self.revision,
            lines: Lines::of(&text),
            source: Arc::new(Source::new(name, text)),
            due: None,
            early: None,
            found: None,
            shows_text: false,
            names: None,
        };
        self.all.insert(uri.to_owned(), document);
        Ok(())
    }

    /// Makes changes, one after the other.
    pub(super) fn change(
        &mut self,
        uri: &str,
        version: i32,
        changes: Vec<Change>,
    ) -> Result<(), String> {
        let Some(document) = self.all.get_mut(uri) else {
            return Err(format!("`{uri}` is not open"));
        };
        for change in changes {
            let text = match change {
                Change::TextDocumentContentChangeWholeDocument(whole) => whole.text,
                Change::TextDocumentContentChangePartial(part) => {
                    let (start, end) = document.text().bytes(part.range);
                    let old = &document.source.text;
                    let size = old.len() - (end - start) + part.text.len();
                    let mut text = String::with_capacity(size);
                    text.push_str(&old[..start]);
                    text.push_str(&part.text);
                    text.push_str(&old[end..]);
                    text
                }
            };
            if text.len() > TEXT_MAX {
                return Err(too_large(text.len()));
            }
            self.revision += 1;
            document.set(text, self.revision);
        }
        document.version = version;
        Ok(())
    }

    /// The files that a text names: open ones as they are in the editor, others as they are on disk.
    pub(super) fn files(&self, disk: &Reader) -> Reader {
        let open = self
            .all
            .values()
            .filter(|it| it.language != Language::Scenario);
        let open = open.map(|it| (plain(&it.source.name), Arc::clone(&it.source)));
        Open {
            texts: open.collect(),
            disk: disk.clone(),
        }
        .into()
    }
}

fn too_large(bytes: usize) -> String {
    format!("a text has {bytes} bytes; the limit is {TEXT_MAX}")
}

/// Open texts by their paths, and the disk.
#[derive(Debug)]
struct Open {
    texts: BTreeMap<PathBuf, Arc<Source>>,
    disk: Reader,
}

impl Files for Open {
    fn read(&self, path: &str, kind: FileKind) -> Result<Source, Unusable> {
        match self.texts.get(&plain(path)) {
            Some(source) => Ok(Source::new(path, source.text.as_str())),
            None => self.disk.read(path, kind),
        }
    }
}

/// A path without `.` and `..`, as it is written.
fn plain(path: &str) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}
