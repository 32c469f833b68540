//! Replacing a file's text without ever losing it: written next to the file, synced, then renamed over it.
//!
//! Whatever fails, the file holds either its old text or its new text. Kept: permissions, the owner where the system
//! allows it, the byte order mark, line ends, and symbolic links (the file they lead to is replaced). Not kept: a second
//! hard link, which goes on naming the old text, and extended attributes.

use super::input::{Text, is_json};
use crate::finding::Source;
use crate::run::Unusable;
use crate::scenario;
use similar::{ChangeTag, TextDiff};
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Replaces the text of the file at `path`, which held `before`. `instead` is what the user may do without writing it.
pub(super) fn replace(
    path: &Path,
    before: &Text,
    after: &str,
    instead: &str,
) -> Result<(), Unusable> {
    let failed = |what: Failed| what.tell(path, instead);
    // The link stays: its target is what is replaced.
    let target = fs::canonicalize(path).map_err(|e| failed(Failed::Reading(e)))?;
    let metadata = fs::metadata(&target).map_err(|e| failed(Failed::Reading(e)))?;
    if !metadata.is_file() {
        return Err(failed(Failed::NotPlain));
    }
    if metadata.permissions().readonly() {
        return Err(failed(Failed::ReadOnly));
    }
    let directory = target.parent().unwrap_or(Path::new("."));
    let mut new = beside(&target, directory).map_err(|e| failed(Failed::Beside(e)))?;
    fill(&mut new, &metadata, &before.bytes(after)).map_err(|e| failed(Failed::Writing(e)))?;
    // Somebody may have saved the file while it was worked on.
    let now = fs::read(&target).map_err(|e| failed(Failed::Reading(e)))?;
    if now != before.bytes(&before.source.text) {
        return Err(failed(Failed::Changed));
    }
    new.persist(&target)
        .map_err(|e| failed(Failed::Renaming(e.error)))?;
    // The new name survives a crash only when the directory is on the disk too. The text is safe either way, and some
    // systems cannot sync a directory.
    let _ = File::open(directory).and_then(|d| d.sync_all());
    Ok(())
}

/// Puts a text into a file of which only this program knows: all of it, or nothing.
pub(super) fn put(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().filter(|p| !p.as_os_str().is_empty());
    let mut new = new_beside(path, directory.unwrap_or(Path::new(".")))?;
    new.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(path) {
        new.as_file().set_permissions(old.permissions())?;
    }
    new.persist(path).map_err(|e| e.error)?;
    Ok(())
}

/// A new file in the same directory, so that renaming it never copies it. It is removed if it is not renamed.
fn beside(target: &Path, directory: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    tempfile::Builder::new()
        .prefix(&format!(".{name}."))
        .suffix(".tmp")
        .tempfile_in(directory)
}

/// The same, with the permissions of any new file.
pub(super) fn new_beside(target: &Path, directory: &Path) -> io::Result<NamedTempFile> {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // Less what the user's mask takes away.
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

/// Gives the new file its text, owner and permissions, and waits until the disk has them.
fn fill(new: &mut NamedTempFile, old: &Metadata, bytes: &[u8]) -> io::Result<()> {
    new.write_all(bytes)?;
    keep_owner(new.as_file(), old);
    // After the owner: a change of owner clears bits of the mode.
    new.as_file().set_permissions(old.permissions())?;
    match new.as_file().sync_all() {
        // Some file systems have nothing to sync.
        Err(e) if matches!(e.kind(), ErrorKind::Unsupported | ErrorKind::InvalidInput) => Ok(()),
        synced => synced,
    }
}

/// Only root may give a file away; everybody else keeps at least the group, if it is one of theirs.
#[cfg(unix)]
fn keep_owner(new: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let same = new
        .metadata()
        .is_ok_and(|m| (m.uid(), m.gid()) == (old.uid(), old.gid()));
    if !same && fchown(new, Some(old.uid()), Some(old.gid())).is_err() {
        let _ = fchown(new, None, Some(old.gid()));
    }
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

/// Why a file was not written. In every case it is as it was.
enum Failed {
    /// It cannot be looked at any more.
    Reading(io::Error),
    /// It is a pipe or a device.
    NotPlain,
    /// Nobody may write it.
    ReadOnly,
    /// Its directory takes no new file.
    Beside(io::Error),
    /// The new text did not get to the disk.
    Writing(io::Error),
    /// The new file could not take its name.
    Renaming(io::Error),
    /// It holds another text than the one that was read.
    Changed,
}

impl Failed {
    fn tell(self, path: &Path, instead: &str) -> Unusable {
        let name = path.display();
        let why = match &self {
            Self::Reading(e) | Self::Writing(e) => e.to_string(),
            Self::Beside(e) => format!("its directory takes no new file: {e}"),
            Self::Renaming(e) => format!("the new file cannot take its name: {e}"),
            Self::NotPlain => "it is no plain file".to_owned(),
            Self::ReadOnly => "it is read-only".to_owned(),
            Self::Changed => "it changed while it was worked on".to_owned(),
        };
        let remedy = match &self {
            Self::NotPlain => String::new(),
            Self::ReadOnly => "make it writable, or ".to_owned(),
            Self::Changed => "run the command again, or ".to_owned(),
            Self::Beside(e) if e.kind() == ErrorKind::PermissionDenied => {
                "the new text is written next to the file and renamed: check the permissions of its directory, or "
                    .to_owned()
            }
            Self::Reading(e) | Self::Beside(e) | Self::Writing(e) | Self::Renaming(e) => {
                format!("{}, or ", remedy(e))
            }
        };
        Unusable {
            message: format!("`{name}` cannot be written: {why}; the file is unchanged"),
            help: format!("{remedy}{instead}"),
        }
    }
}

/// What helps against an error of the system when something is written.
pub(super) fn remedy(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull => "free space on that disk",
        ErrorKind::QuotaExceeded => "free space: your quota on that disk is used up",
        ErrorKind::FileTooLarge => "raise the limit on the size of files (`ulimit -f`)",
        ErrorKind::ReadOnlyFilesystem => "use a file system that is not read-only",
        ErrorKind::PermissionDenied => "check its permissions",
        ErrorKind::ResourceBusy => "close what uses it",
        _ => "check where it goes",
    }
}

/// How a text ends its lines: as most of its lines do.
fn ends_in_crlf(text: &str) -> bool {
    let pairs = text.matches("\r\n").count();
    pairs > text.matches('\n').count() - pairs
}

/// `after` with the line ends of `before`: lines that stay keep theirs, new ones end as most do.
pub(super) fn with_line_ends(before: &str, after: String) -> String {
    if !before.contains('\r') {
        return after;
    }
    let end = if ends_in_crlf(before) { "\r\n" } else { "\n" };
    let mut out = String::with_capacity(after.len() + 16);
    for change in TextDiff::from_lines(before, &after).iter_all_changes() {
        let line = change.value();
        match (change.tag(), line.strip_suffix('\n')) {
            (ChangeTag::Delete, _) => {}
            (ChangeTag::Equal, _) | (ChangeTag::Insert, None) => out.push_str(line),
            (ChangeTag::Insert, Some(bare)) => {
                out.push_str(bare.strip_suffix('\r').unwrap_or(bare));
                out.push_str(end);
            }
        }
    }
    out
}

/// A scenario's text in the form that its file has: scenario text, or JSON with the line ends of the file.
pub(super) fn in_form_of(file: &Path, own: &Text, changed: &Source) -> String {
    if !is_json(file) {
        return changed.text.clone();
    }
    let (scenario, _) = scenario::parse(changed);
    with_one_line_end(&own.source.text, scenario::json::to_json(&scenario))
}

/// A text that was written anew, with the line ends that most lines of `before` have.
pub(super) fn with_one_line_end(before: &str, after: String) -> String {
    if ends_in_crlf(before) {
        after.replace("\r\n", "\n").replace('\n', "\r\n")
    } else {
        after
    }
}

#[cfg(test)]
mod tests {
    use super::super::input;
    use super::*;

    #[test]
    fn a_file_that_changed_meanwhile_is_left_alone() {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("a.scn");
        fs::write(&path, "queue gfx : direct\n").expect("it can be written");
        let before = input::read_text(&path).unwrap_or_else(|what| panic!("{}", what.message));
        fs::write(&path, "queue other : direct\n").expect("it can be written");
        let refused = replace(&path, &before, "queue new : direct\n", "print it")
            .expect_err("somebody else's text is in the file");
        assert!(refused.message.contains("it changed while"), "{refused:?}");
        assert_eq!(refused.help, "run the command again, or print it");
        let now = fs::read_to_string(&path).expect("it is there");
        assert_eq!(now, "queue other : direct\n");
        let names = fs::read_dir(directory.path()).expect("a directory");
        assert_eq!(names.count(), 1, "the new file is removed");
    }

    #[test]
    fn most_lines_decide_how_new_ones_end() {
        assert_eq!(
            with_line_ends("a\r\nb\r\n", "a\r\nx\nb\r\n".into()),
            "a\r\nx\r\nb\r\n"
        );
        assert_eq!(
            with_line_ends("a\nb\nc\r\n", "a\nx\nb\nc\r\n".into()),
            "a\nx\nb\nc\r\n"
        );
        assert_eq!(with_one_line_end("a\r\nb\n", "a\nb\n".into()), "a\nb\n");
        assert_eq!(with_one_line_end("a\r\n", "a\nb\n".into()), "a\r\nb\r\n");
    }
}
