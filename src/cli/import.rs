//! `syncscope import`: a capture of a running application becomes a scenario.

use super::console::Console;
use super::input::MARK;
use super::{Ended, Status, formats, save};
use crate::interop::import::{Imported, Importer, Options, Window};
use crate::report::format::AnyOutput;
use crate::report::imported::IMPORTED;
use crate::run::{Registry, Unusable};
use crate::scenario;
use clap::Args;
use flate2::bufread::MultiGzDecoder;
use ruzstd::decoding::{FrameDecoder, StreamingDecoder};
use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// Turn a capture of a running Vulkan or D3D12 application into a scenario
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Capture as JSON lines, as `gfxrecon-convert` writes it, also compressed (`.gz`, `.zst`); `-` is standard input
    #[arg(value_name = "CAPTURE")]
    capture: PathBuf,
    /// Keep these frames only, counted from 0: `A..B` without B, `A..`, `..B`
    #[arg(long, value_name = "A..B", value_parser = frames)]
    frames: Option<Window>,
    /// Write the scenario to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Directory of SPIR-V files, as `gfxrecon-extract` writes it: shaders then say which descriptors they use
    #[arg(long, value_name = "DIR")]
    shaders: Option<PathBuf>,
    /// Print what was widened, narrowed, dropped or not known, with counts, instead of the scenario
    #[arg(long)]
    report: bool,
    /// Format of the report: `terminal` or `json`
    #[arg(long, value_name = "FORMAT", requires = "report")]
    format: Option<String>,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&IMPORTED];

/// How the command ends, for its help.
pub(super) const STATUS: &str =
    "Exit status: 0 a scenario was made, 2 the input or the command line was unusable";

/// `A..B`, half-open.
fn frames(text: &str) -> Result<Window, String> {
    let wrong = || "write a half-open range of frames, as in `10..20`, `10..` or `..20`".to_owned();
    let (from, to) = text.split_once("..").ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<u64>().map_err(|_| wrong());
    let from = if from.trim().is_empty() {
        0
    } else {
        number(from)?
    };
    let to = if to.trim().is_empty() {
        None
    } else {
        Some(number(to)?)
    };
    if to.is_some_and(|to| to <= from) {
        return Err("the range of frames is empty".to_owned());
    }
    Ok(Window { from, to })
}

pub(super) fn execute(arguments: &Arguments, _: &Registry, console: &mut Console) -> Ended {
    let writer = formats::writer(arguments.format.as_deref(), &IMPORTED)?;
    let (imported, cut) = read(arguments)?;
    if let Some(cut) = cut {
        console.say(&format!("warning: {cut}"));
    }
    let bad = imported.report.bad_line_count;
    if let Some(first) = imported.report.bad_lines.first() {
        console.say(&format!(
            "warning: line {} of `{}` cannot be read: {}{}; what came before and after it is kept",
            first.line,
            arguments.capture.display(),
            first.message,
            if bad > 1 {
                format!(" ({} more such lines)", bad - 1)
            } else {
                String::new()
            }
        ));
    }
    let text = scenario::print(&imported.scenario);
    if let Some(path) = &arguments.output
        && let Err(error) = save::put(path, &text)
    {
        let message = format!("`{}` cannot be written: {error}", path.display());
        return Err(Unusable::new(message, save::remedy(&error)).into());
    }
    if arguments.report {
        writer(&imported.report, &console.style(), &mut console.out)?;
    } else if arguments.output.is_none() {
        console.out.write_all(text.as_bytes())?;
    }
    Ok(Status::Good)
}

/// The longest line that is read: a call's arguments are kilobytes, so one of this size is no capture.
const LINE_MAX: u64 = 256 << 20;

/// What came of a capture, and what is said if it ends where it should not.
fn read(arguments: &Arguments) -> Result<(Imported, Option<String>), Unusable> {
    let path = &arguments.capture;
    let shaders = match &arguments.shaders {
        Some(directory) => shaders(directory)?,
        None => Vec::new(),
    };
    let title = path.file_stem().filter(|_| path != Path::new("-"));
    let mut importer = Importer::new(Options {
        window: arguments.frames.unwrap_or_default(),
        shaders,
        title: title.map(|stem| stem.to_string_lossy().trim_end_matches(".jsonl").to_owned()),
    });
    let mut input = open(path)?;
    let mut line = Vec::new();
    let mut number = 0;
    let mut cut = None;
    loop {
        line.clear();
        match input.by_ref().take(LINE_MAX).read_until(b'\n', &mut line) {
            Ok(0) => break,
            Ok(_) => {}
            Err(error) => {
                cut = Some(error);
                break;
            }
        }
        number += 1;
        if importer.line(number, &line).is_break() {
            break;
        }
    }
    let read = importer.finish();
    let name = path.display();
    if let (Some(error), false) = (&cut, is_usable(&read)) {
        return Err(Unusable {
            message: format!("`{name}` cannot be read after line {number}: {error}"),
            help: "name an intact file of JSON lines, as `gfxrecon-convert` writes them".to_owned(),
        });
    }
    usable(path, &read)?;
    let cut = cut.map(|error| {
        let calls = read.report.calls;
        format!(
            "`{name}` cannot be read after line {number}: {error}; the {calls} calls before are kept"
        )
    });
    Ok((read, cut))
}

fn is_usable(imported: &Imported) -> bool {
    let report = &imported.report;
    report.calls > 0 && (report.submissions > 0 || report.frames_kept > 0)
}

/// Whether anything came of the capture.
fn usable(path: &Path, imported: &Imported) -> Result<(), Unusable> {
    if is_usable(imported) {
        return Ok(());
    }
    let report = &imported.report;
    let name = path.display();
    let first = report.bad_lines.first();
    let message = match first {
        Some(bad) if report.calls == 0 => {
            format!("`{name}` is no capture: line {}: {}", bad.line, bad.message)
        }
        _ if report.lines == 0 => format!("`{name}` is empty"),
        _ if report.calls == 0 => format!(
            "`{name}` has no call of an application in {} lines",
            report.lines
        ),
        _ if report.frames > 0 => format!(
            "nothing is submitted in the frames that are read; `{name}` presents {} frames",
            report.frames
        ),
        _ => format!(
            "`{name}` submits no command buffer or list in {} calls",
            report.calls
        ),
    };
    Err(Unusable {
        message,
        help: "make the JSON lines with `gfxrecon-convert --format jsonl FILE.gfxr`, of a capture from the application's start".to_owned(),
    })
}

fn open(path: &Path) -> Result<Box<dyn BufRead>, Unusable> {
    let reader: Box<dyn Read> = if path == Path::new("-") {
        Box::new(io::stdin().lock())
    } else {
        let file = File::open(path).and_then(|file| {
            if file.metadata()?.is_dir() {
                return Err(io::Error::other("it is a directory"));
            }
            Ok(file)
        });
        let file = file.map_err(|error| Unusable {
            message: format!("`{}` cannot be read: {error}", path.display()),
            help: "name a capture as JSON lines".to_owned(),
        })?;
        Box::new(file)
    };
    let mut buffered = BufReader::with_capacity(1 << 20, reader);
    let start = buffered.fill_buf().unwrap_or_default();
    if start.starts_with(MARK.as_bytes()) {
        buffered.consume(MARK.len());
    }
    let start = buffered.fill_buf().unwrap_or_default();
    match start {
        [0x1f, 0x8b, ..] => Ok(Box::new(BufReader::with_capacity(
            1 << 20,
            MultiGzDecoder::new(buffered),
        ))),
        [0x28, 0xb5, 0x2f, 0xfd, ..] => {
            let decoder = StreamingDecoder::new(buffered).map_err(|error| Unusable {
                message: format!("`{}` is no intact `.zst` file: {error}", path.display()),
                help: "compress the capture again".to_owned(),
            })?;
            let frames = Frames(Some(decoder));
            Ok(Box::new(BufReader::with_capacity(1 << 20, frames)))
        }
        _ => Ok(Box::new(buffered)),
    }
}

/// The frames of a `.zst` file one after another. Each is decoded by itself.
struct Frames<R: Read>(Option<StreamingDecoder<R, FrameDecoder>>);

impl<R: BufRead> Read for Frames<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        loop {
            let Some(decoder) = &mut self.0 else {
                return Ok(0);
            };
            let read = decoder.read(into)?;
            if read > 0 || into.is_empty() {
                return Ok(read);
            }
            let mut rest = self.0.take().expect("there is one").into_inner();
            if !rest.fill_buf()?.is_empty() {
                self.0 = Some(StreamingDecoder::new(rest).map_err(io::Error::other)?);
            }
        }
    }
}

/// Shaders of a directory: the handle of a module is the number in its file's name.
fn shaders(directory: &Path) -> Result<Vec<(u64, Vec<u8>)>, Unusable> {
    let failed = |error: io::Error| Unusable {
        message: format!("`{}` cannot be read: {error}", directory.display()),
        help: "name a directory that `gfxrecon-extract` wrote".to_owned(),
    };
    let mut all = Vec::new();
    for entry in fs::read_dir(directory).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let digits = name.trim_start_matches(|c: char| !c.is_ascii_digit());
        if let Ok(handle) = digits.parse::<u64>() {
            all.push((handle, fs::read(&path).map_err(failed)?));
        }
    }
    all.sort_by_key(|(handle, _)| *handle);
    Ok(all)
}
