//! `--format` and `--out`: where an output goes, and in which format.
//!
//! Files of `--out` have the format that their names end in. `--format` is for those whose names end in none, and where
//! there is no such file, for standard output.

use super::console::Console;
use super::pending::Pending;
use super::{Status, formats, input};
use crate::finding::Source;
use crate::report::Style;
use crate::report::format::{Output, Printer};
use crate::run::Unusable;
use clap::Args;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a name of `--out` has where the name of a scenario file belongs.
pub(super) const PLACE: &str = "{}";

/// Writes an output with the writer of a format.
type Put<'p, W> = &'p mut dyn FnMut(&W, &Style, &mut dyn Write) -> io::Result<()>;

/// The option `--out`.
#[derive(Args, Default, Debug)]
pub(super) struct Outs {
    /// Write a file too, in the format that its name ends in (`.json`, `.svg`, …), or else that `--format` names; may be
    /// given several times; `{}` is the name of the scenario file
    #[arg(long, value_name = "FILE")]
    out: Vec<PathBuf>,
}

/// An output of one kind: the writer for standard output, and the files.
pub(super) struct Outputs<W> {
    pub(super) page: W,
    pub(super) files: Vec<Target<W>>,
    /// What went wrong with files.
    problems: Vec<Unusable>,
    /// Files that are there, for scenarios of one name.
    named: Vec<PathBuf>,
}

/// A file of `--out`.
pub(super) struct Target<W> {
    name: PathBuf,
    pub(super) writer: W,
    /// The file; none if it has a place for scenarios, or if it failed.
    pending: Option<Pending>,
    has_text: bool,
}

impl Outs {
    /// Names of the output files.
    pub(super) fn names(&self) -> &[PathBuf] {
        &self.out
    }

    /// Whether there are files.
    pub(super) fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// Whether standard output gets what files get too: it was asked for by a format that no file needs, or there is no file.
    pub(super) fn has_page(&self, format: Option<&str>) -> bool {
        self.out.is_empty() || self.of_page(format).is_some()
    }

    /// The format of standard output, if one is asked for: `--format` is for files whose names end in none, where there are such.
    fn of_page<'f>(&self, format: Option<&'f str>) -> Option<&'f str> {
        format.filter(|_| self.out.iter().all(|name| formats::is_named(name)))
    }

    /// Whether every file has a format that can be written.
    pub(super) fn check<W: Copy>(
        &self,
        format: Option<&str>,
        output: &Output<W>,
    ) -> Result<(), Unusable> {
        if format.is_some() {
            formats::writer(format, output)?;
        }
        for (index, name) in self.out.iter().enumerate() {
            if self.out[..index].contains(name) {
                return Err(Unusable {
                    message: format!("`--out {}` is given twice", name.display()),
                    help: "name each file once".to_owned(),
                });
            }
            if name == Path::new("-") {
                return Err(Unusable {
                    message: "`--out -` names no file".to_owned(),
                    help: "`--format` chooses what standard output gets".to_owned(),
                });
            }
            if format.is_none() || formats::is_named(name) {
                formats::writer_of(name, output)?;
            }
        }
        Ok(())
    }

    /// The writers for an output of one scenario, and the scenario.
    pub(super) fn open<W: Copy>(
        &self,
        format: Option<&str>,
        output: &Output<W>,
        file: &Path,
    ) -> Result<(Outputs<W>, Source), Unusable> {
        let outputs = self.choose(format, output, &[file.to_owned()])?;
        Ok((outputs, input::read(file)?))
    }

    /// The writers for an output of scenarios in `inputs`. Files that cannot be written are found here.
    pub(super) fn choose<W: Copy>(
        &self,
        format: Option<&str>,
        output: &Output<W>,
        inputs: &[PathBuf],
    ) -> Result<Outputs<W>, Unusable> {
        self.check(format, output)?;
        let mut outputs = Outputs::only(formats::writer(self.of_page(format), output)?);
        for name in &self.out {
            let writer = match format {
                Some(_) if !formats::is_named(name) => formats::writer(format, output)?,
                _ => formats::writer_of(name, output)?,
            };
            let pending = if has_place(name) {
                None
            } else {
                Some(begin(name, inputs)?)
            };
            outputs.files.push(Target {
                name: name.clone(),
                writer,
                pending,
                has_text: false,
            });
        }
        Ok(outputs)
    }
}

fn has_place(name: &Path) -> bool {
    name.to_string_lossy().contains(PLACE)
}

/// Begins a file that is none of the inputs.
fn begin(name: &Path, inputs: &[PathBuf]) -> Result<Pending, Unusable> {
    let same = |input: &&PathBuf| match (fs::canonicalize(input), fs::canonicalize(name)) {
        (Ok(input), Ok(out)) => input == out && out.is_file(),
        _ => false,
    };
    if inputs.iter().any(|input| same(&input)) {
        return Err(Unusable {
            message: format!("`{}` is what is read", name.display()),
            help: "name another file after `--out`".to_owned(),
        });
    }
    Pending::begin(name)
}

impl<T: ?Sized> Outputs<Printer<T>> {
    /// Writes a value everywhere. `of` is the scenario's file.
    pub(super) fn print(
        &mut self,
        value: &T,
        of: &str,
        style: &Style,
        console: &mut Console,
    ) -> io::Result<()> {
        self.write(of, style, console, &mut |writer, style, out| {
            writer(value, style, out)
        })
    }
}

impl<W> Outputs<W> {
    /// Only standard output.
    pub(super) fn only(page: W) -> Self {
        Self {
            page,
            files: Vec::new(),
            problems: Vec::new(),
            named: Vec::new(),
        }
    }

    /// Writes one output everywhere, `write` given a writer, a style and where it goes. `of` is the scenario's file. Files
    /// come first: a reader of standard output who leaves early has them too.
    pub(super) fn write(
        &mut self,
        of: &str,
        style: &Style,
        console: &mut Console,
        write: Put<'_, W>,
    ) -> io::Result<()> {
        self.write_own(of, style, console, write);
        self.write_shared(style, console, write);
        self.write_page(style, console, write)
    }

    /// Writes to the files that each scenario has of its own.
    pub(super) fn write_own(
        &mut self,
        of: &str,
        style: &Style,
        console: &Console,
        write: Put<'_, W>,
    ) {
        let style = console.style_of_files(style);
        for file in self.files.iter().filter(|file| file.is_of_each()) {
            match file.write(of, &self.named, &style, write) {
                Ok(name) => self.named.push(name),
                Err(what) => self.problems.push(what),
            }
        }
    }

    /// Writes to the files of all scenarios, after what they have.
    pub(super) fn write_shared(&mut self, style: &Style, console: &Console, write: Put<'_, W>) {
        let style = console.style_of_files(style);
        for file in &mut self.files {
            if let Err(what) = file.fill(&style, write) {
                self.problems.push(what);
            }
        }
    }

    /// Writes to standard output.
    pub(super) fn write_page(
        &self,
        style: &Style,
        console: &mut Console,
        write: Put<'_, W>,
    ) -> io::Result<()> {
        if console.is_quiet() {
            return Ok(());
        }
        write(&self.page, style, &mut console.out)
    }

    /// Ends the files, and says which could not be written.
    pub(super) fn finish(mut self, console: &mut Console) -> Status {
        for file in self.files {
            if let Some(pending) = file.pending.filter(|_| file.has_text)
                && let Err(what) = pending.end()
            {
                self.problems.push(what);
            }
        }
        for what in &self.problems {
            console.unusable(what);
        }
        if self.problems.is_empty() {
            Status::Good
        } else {
            Status::Unusable
        }
    }
}

impl<W> Target<W> {
    /// Whether each scenario has a file of its own.
    pub(super) fn is_of_each(&self) -> bool {
        has_place(&self.name)
    }

    /// Its name, for messages.
    pub(super) fn name(&self) -> String {
        self.name.display().to_string()
    }

    /// Writes a scenario's own file, whose name comes back.
    fn write(
        &self,
        of: &str,
        named: &[PathBuf],
        style: &Style,
        write: Put<'_, W>,
    ) -> Result<PathBuf, Unusable> {
        let stem = Path::new(of).file_stem().unwrap_or_default();
        let name = self.name.to_string_lossy();
        let name = PathBuf::from(name.replace(PLACE, &stem.to_string_lossy()));
        if named.contains(&name) {
            return Err(Unusable {
                message: format!("`{}` is of two scenarios with one name", name.display()),
                help: "run them one by one, each with a file of its own".to_owned(),
            });
        }
        let mut pending = begin(&name, &[PathBuf::from(of)])?;
        let written = write(&self.writer, style, &mut pending);
        written.map_err(|e| pending.failed(&e))?;
        pending.end()?;
        Ok(name)
    }

    /// Writes after what the file has. Nothing happens if it has a place for scenarios, or if it failed before.
    fn fill(&mut self, style: &Style, write: Put<'_, W>) -> Result<(), Unusable> {
        let Some(pending) = &mut self.pending else {
            return Ok(());
        };
        self.has_text = true;
        if let Err(error) = write(&self.writer, style, pending) {
            let what = pending.failed(&error);
            self.pending = None;
            return Err(what);
        }
        Ok(())
    }
}
