//! Reading scenario files: every way in which a file is unusable, each with a message that names it.

use super::console::Console;
use super::{Status, Stop};
use crate::finding::{Finding, Severity, Source};
use crate::lower::rules;
use crate::report::text::{count, near};
use crate::report::{Style, terminal};
use crate::run::lesson::{Lesson, Mistake};
use crate::run::{Failure, Report, Unusable};
use crate::scenario::{self, json};
use rayon::prelude::*;
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

/// Largest file in bytes.
const LIMIT: u64 = scenario::parser::SOURCE_BYTES_MAX as u64;
/// Bytes from which on a file is read by all threads.
const PARTS_FROM: u64 = 4 << 20;
/// The byte order mark. It says nothing in UTF-8; editors write it all the same.
pub(super) const MARK: &str = "\u{feff}";

/// Reads a file; `-` is standard input. A scenario in JSON comes back as scenario text.
pub(super) fn read(path: &Path) -> Result<Source, Unusable> {
    read_raw(path).and_then(|source| understand(path, source))
}

/// Reads a text as a lesson, with what is next to its file.
///
/// # Errors
/// What is wrong with its header.
pub(super) fn lesson(source: &Source) -> Result<Lesson, Vec<Mistake>> {
    let directory = Path::new(&source.name).parent().unwrap_or(Path::new(""));
    Lesson::read(source, &|name| read_raw(&directory.join(name)).ok())
}

/// A file's text, and how it is written down. The text itself has no byte order mark.
pub(super) struct Text {
    /// The text with its line ends.
    pub(super) source: Source,
    /// Whether the file begins with a byte order mark.
    mark: bool,
}

impl Text {
    /// The bytes of a file that holds `text` as this one holds its own.
    pub(super) fn bytes(&self, text: &str) -> Vec<u8> {
        let mark = if self.mark { MARK } else { "" };
        [mark.as_bytes(), text.as_bytes()].concat()
    }
}

/// Reads a scenario that some command then changes: the file, and what it holds as scenario text. What makes that
/// impossible goes to standard error, `undone` last: what was not done.
pub(super) fn scenario(
    path: &Path,
    undone: Option<&str>,
    console: &mut Console,
) -> Result<(Text, Source), Stop> {
    let text = read_text(path)?;
    let source = understand(path, text.source.clone())?;
    let (_, findings) = scenario::parse(&source);
    if findings.iter().any(|f| f.severity.fails()) {
        return Err(self::undone(&source, findings, undone, console).into());
    }
    Ok((text, source))
}

/// That a text is not understood, on standard error, and what was therefore not done.
pub(super) fn undone(
    source: &Source,
    findings: Vec<Finding>,
    undone: Option<&str>,
    console: &mut Console,
) -> Status {
    let style = console.style_of_errors();
    refuse(source, findings, &style, console);
    if let Some(undone) = undone {
        console.remark(&format!("error: `{}` was not {undone}", source.name));
    }
    Status::Unusable
}

/// That there is nothing to show of a text, on standard error.
pub(super) fn failed(source: &Source, failure: Failure, console: &mut Console) -> Stop {
    match failure {
        Failure::NotUnderstood(findings) => undone(source, findings, None, console).into(),
        Failure::Unusable(what) => what.into(),
    }
}

/// How a command ends that printed these findings: a text that cannot be read is an unusable input.
pub(super) fn status(findings: &[Finding]) -> Status {
    let mut fails = findings.iter().filter(|f| f.severity.fails()).peekable();
    if fails.peek().is_none() {
        Status::Good
    } else if fails.any(|f| matches!(f.rule.family(), "SC" | "RF")) {
        Status::Unusable
    } else {
        Status::Found
    }
}

/// How a command ends that printed this report: what is only counted counts too.
pub(super) fn status_of(report: &Report) -> Status {
    let fails = report.unlisted.iter().any(|u| u.severity.fails());
    let fails = fails || report.totals.unexplained_reads > 0;
    let counted = if fails { Status::Found } else { Status::Good };
    status(&report.findings).max(counted)
}

/// The status of a scenario of whose findings only those that are `shown` were printed: of the others it is said that
/// there are some, and which command shows them.
pub(super) fn judged(
    source: &Source,
    findings: &[Finding],
    shown: impl Fn(&Finding) -> bool,
    command: &str,
    console: &mut Console,
) -> Status {
    let of = |severity| {
        let unseen = findings.iter().filter(|f| !shown(f));
        unseen.filter(|f| f.severity == severity).count() as u64
    };
    let counts: Vec<String> = [
        (of(Severity::Error), "error", "errors"),
        (of(Severity::Hazard), "hazard", "hazards"),
    ]
    .into_iter()
    .filter(|(n, ..)| *n > 0)
    .map(|(n, one, many)| count(n, one, many))
    .collect();
    if !counts.is_empty() {
        let counts = counts.join(" and ");
        console.say(&format!(
            "{}: {counts}; `syncscope {command}` shows where",
            source.name
        ));
    }
    status(findings)
}

/// A text that is not understood: its findings, on standard error.
pub(super) fn refuse(
    source: &Source,
    findings: Vec<Finding>,
    style: &Style,
    console: &mut Console,
) {
    let report = Report {
        file: source.name.clone(),
        findings,
        ..Report::default()
    };
    let mut text = Vec::new();
    // Writing to memory does not fail.
    let _ = terminal::write(&report, source, style, &mut text);
    console.remark(String::from_utf8_lossy(&text).trim_end());
}

/// Scenario text as it is, JSON as scenario text.
pub(super) fn understand(path: &Path, source: Source) -> Result<Source, Unusable> {
    if is_json(path) {
        from_json(&source)
    } else {
        Ok(source)
    }
}

/// What a file should hold: it decides what would have been right.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Holds {
    Scenario,
    Profile,
    Lowering,
    Packets,
}

impl Holds {
    /// What to do instead of naming an empty file.
    fn contents(self) -> &'static str {
        match self {
            Self::Scenario => {
                "a scenario declares queues and lists and has a timeline; `syncscope demo` shows one"
            }
            Self::Profile => {
                "a profile describes a machine in TOML; `syncscope schema profile` prints what it has, `syncscope list \
                 profiles` those that are built in"
            }
            Self::Lowering => {
                "a rule file names a lowering and has rules; `syncscope lower --emit-rules precise` prints one"
            }
            Self::Packets => {
                "a recording has a line for each packet, as `syncscope schema driver-packets` has it, or is a driver's stream"
            }
        }
    }

    /// What to do instead of naming a file that is not there.
    fn instead(self) -> &'static str {
        match self {
            Self::Scenario => "name a scenario file; `syncscope demo` needs none",
            Self::Profile => {
                "name a profile file, or a built-in profile: `syncscope list profiles` prints them"
            }
            Self::Lowering => {
                "name a rule file, or a built-in lowering: `syncscope list lowerings` prints them"
            }
            Self::Packets => {
                "name a file with a line of JSON for each packet, or with a driver's stream"
            }
        }
    }

    fn noun(self) -> &'static str {
        match self {
            Self::Scenario => "scenarios are",
            Self::Profile => "profiles are",
            Self::Lowering => "rule files are",
            Self::Packets => "recordings are",
        }
    }
}

/// Reads a file as it is.
pub(super) fn read_raw(path: &Path) -> Result<Source, Unusable> {
    read_text(path).map(|text| text.source)
}

/// The same with what is needed to write it back.
pub(super) fn read_text(path: &Path) -> Result<Text, Unusable> {
    read_as(path, Holds::Scenario)
}

/// Reads a hardware profile's text.
pub(super) fn profile(path: &Path) -> Result<Source, Unusable> {
    read_as(path, Holds::Profile).map(|text| text.source)
}

/// Reads a recording of a driver's packets, or its stream: its name for messages, and its bytes. Lines that are no UTF-8 are
/// mistakes of it.
pub(super) fn packets(path: &Path) -> Result<(String, Vec<u8>), Unusable> {
    let (name, mut bytes) = bytes_of(path, Holds::Packets)?;
    if bytes.starts_with(MARK.as_bytes()) {
        bytes.drain(..MARK.len());
    }
    if bytes.trim_ascii().is_empty() {
        return Err(empty(&name, Holds::Packets));
    }
    Ok((name, bytes))
}

/// Reads a rule file; one in JSON comes back as rule text.
pub(super) fn lowering(path: &Path) -> Result<Source, Unusable> {
    let source = read_as(path, Holds::Lowering)?.source;
    understand_lowering(path, source)
}

/// Rule text as it is, JSON as rule text.
pub(super) fn understand_lowering(path: &Path, source: Source) -> Result<Source, Unusable> {
    if !is_json(path) {
        return Ok(source);
    }
    match rules::json::to_text(&source) {
        Ok(text) => Ok(Source::new(source.name, text)),
        Err(finding) => Err(at(&source, &finding)),
    }
}

/// A finding in words, with its place.
fn at(source: &Source, finding: &Finding) -> Unusable {
    let start = finding.span.start;
    let (line, column) = (source.line(start), source.column(start));
    let place = format!("{}:{line}:{column}", source.name);
    unusable(
        format!("{place}: {}", finding.message),
        finding.help.as_deref().unwrap_or_default().into(),
    )
}

/// That there is nothing in a file.
fn empty(name: &str, holds: Holds) -> Unusable {
    unusable(format!("`{name}` is empty"), holds.contents().to_owned())
}

/// What a file holds, with its name for messages.
fn bytes_of(path: &Path, holds: Holds) -> Result<(String, Vec<u8>), Unusable> {
    let name = path.display().to_string();
    let bytes = if name == "-" {
        bytes(io::stdin().lock(), 0, &name)?
    } else {
        let metadata = fs::metadata(path).ok();
        if metadata.as_ref().is_some_and(Metadata::is_dir) {
            let help = match holds {
                Holds::Scenario => {
                    format!("name its files, or run all below it with `syncscope test {name}`")
                }
                Holds::Profile | Holds::Lowering | Holds::Packets => holds.instead().to_owned(),
            };
            return Err(unusable(format!("`{name}` is a directory"), help));
        }
        let file = File::open(path).map_err(|e| missing(path, holds, &e))?;
        let said = metadata.filter(Metadata::is_file).map_or(0, |it| it.len());
        match in_parts(path, said) {
            Some(bytes) => bytes,
            None => bytes(file, said, &name)?,
        }
    };
    let name = if name == "-" {
        "<stdin>".to_owned()
    } else {
        name
    };
    Ok((name, bytes))
}

fn read_as(path: &Path, holds: Holds) -> Result<Text, Unusable> {
    let (name, bytes) = bytes_of(path, holds)?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let valid = e.utf8_error().valid_up_to();
        let before = String::from_utf8_lossy(&e.as_bytes()[..valid]);
        let line = 1 + before.matches('\n').count();
        unusable(
            format!(
                "`{name}` is not UTF-8 text: byte {valid}, in line {line}, is not the start of a character"
            ),
            format!(
                "{} UTF-8 text: save the file in that encoding",
                holds.noun()
            ),
        )
    })?;
    let bare = text.strip_prefix(MARK).map(str::to_owned);
    let mark = bare.is_some();
    let text = bare.unwrap_or(text);
    if text.trim().is_empty() {
        return Err(empty(&name, holds));
    }
    Ok(Text {
        source: Source::new(name, text),
        mark,
    })
}

/// Whether a file holds the JSON form.
pub(super) fn is_json(path: &Path) -> bool {
    path.extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// The text of a JSON scenario: from here on it is like any other, and places are those of this text.
fn from_json(source: &Source) -> Result<Source, Unusable> {
    match json::to_text(source) {
        Ok(text) => Ok(Source::new(source.name.clone(), text)),
        Err(finding) => Err(at(source, &finding)),
    }
}

/// All bytes of a large file, read by all threads: most of the time goes into memory that is touched first. `None`, if
/// it is small or too large, cannot be read so, or is not as long as was said.
fn in_parts(path: &Path, said: u64) -> Option<Vec<u8>> {
    if !(PARTS_FROM..=LIMIT).contains(&said) {
        return None;
    }
    let length = usize::try_from(said).ok()?;
    let mut bytes = vec![0; length];
    let part = length.div_ceil(rayon::current_num_threads());
    let read = |(at, bytes): (usize, &mut [u8])| {
        let mut file = File::open(path).ok()?;
        file.seek(SeekFrom::Start((at * part) as u64)).ok()?;
        file.read_exact(bytes).ok()?;
        let is_last = at * part + bytes.len() == length;
        (!is_last || file.read(&mut [0]).ok()? == 0).then_some(())
    };
    let all: Option<()> = bytes.par_chunks_mut(part).enumerate().map(read).collect();
    all.map(|()| bytes)
}

/// All that `from` has: `said` bytes, or what comes, where that is not known before.
fn bytes(from: impl Read, said: u64, name: &str) -> Result<Vec<u8>, Unusable> {
    if said > LIMIT {
        return Err(too_large(name));
    }
    // Room for one byte more, in which the end is found.
    let mut bytes = Vec::with_capacity(usize::try_from(said).map_or(0, |said| said + 1));
    from.take(LIMIT + 1).read_to_end(&mut bytes).map_err(|e| {
        unusable(
            format!("`{name}` cannot be read: {e}"),
            "check the file and its permissions".to_owned(),
        )
    })?;
    if bytes.len() as u64 > LIMIT {
        return Err(too_large(name));
    }
    Ok(bytes)
}

fn too_large(name: &str) -> Unusable {
    unusable(
        format!("`{name}` is larger than {} MiB", LIMIT >> 20),
        "use `repeat` for what happens many times, or split the scenario".to_owned(),
    )
}

/// A file that cannot be opened; names like it in its directory help against typing errors.
fn missing(path: &Path, holds: Holds, error: &io::Error) -> Unusable {
    let name = path.display();
    if error.kind() != io::ErrorKind::NotFound {
        return unusable(
            format!("`{name}` cannot be read: {error}"),
            "check the file and its permissions".to_owned(),
        );
    }
    let directory = path
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let help = match fs::read_dir(directory) {
        Err(_) => format!("there is no directory `{}`", directory.display()),
        Ok(entries) => {
            let mut names: Vec<String> = entries
                .flatten()
                .filter_map(|e| e.file_name().into_string().ok())
                .collect();
            names.sort();
            let wanted = path
                .file_name()
                .map(|n| n.to_string_lossy())
                .unwrap_or_default();
            match near(&wanted, names.iter().map(String::as_str)).first() {
                Some(like) => format!("did you mean `{}`?", path.with_file_name(like).display()),
                None => holds.instead().to_owned(),
            }
        }
    };
    unusable(format!("there is no file `{name}`"), help)
}

fn unusable(message: String, help: String) -> Unusable {
    Unusable { message, help }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analyze;
    use crate::run::{Totals, Unlisted};

    /// A report that lists nothing and counts hazards does not end as a clean one.
    #[test]
    fn what_is_only_counted_makes_the_status() {
        let of = |severity| {
            let rule = analyze::rules().find(|rule| rule.severity == severity);
            let rule = rule.expect("a rule of each severity");
            let count = 1;
            let unlisted = vec![Unlisted {
                rule,
                severity,
                count,
            }];
            status_of(&Report {
                unlisted,
                ..Report::default()
            })
        };
        assert_eq!(of(Severity::Hazard), Status::Found);
        assert_eq!(of(Severity::Warning), Status::Good);
        assert_eq!(status_of(&Report::default()), Status::Good);
    }

    /// No lowering that can be written does this: if a run reads wrong and nothing is found, something here is wrong.
    #[test]
    fn a_bad_read_that_nothing_explains_makes_the_status() {
        let totals = Totals {
            unexplained_reads: 1,
            ..Totals::default()
        };
        let report = Report {
            totals,
            ..Report::default()
        };
        assert_eq!(status_of(&report), Status::Found);
    }
}
