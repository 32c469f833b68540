//! `syncscope learn`: lessons at the terminal.
//!
//! What a lesson asks and whether an attempt is right is `run::lesson`'s; here are the files, the student's progress, and one
//! sitting at a lesson.

mod class;
mod draft;
mod record;
mod sitting;

use super::console::Console;
use super::{Ended, Status, disk, formats, input};
use crate::report::format::AnyOutput;
use crate::report::lesson::{CLASS, LESSON, LESSONS, ShelfRow};
use crate::report::text::near;
use crate::run::lesson::{Lesson, Mistake, lessons};
use crate::run::{Registry, Unusable};
use clap::Args;
use record::Record;
use std::cell::OnceCell;
use std::fs;
use std::path::{Path, PathBuf};

/// Learn synchronisation by mending small scenes: lists the lessons, or begins one
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// A lesson by its number, its name or its file; `new` makes a lesson of FILE
    #[arg(value_name = "LESSON")]
    lesson: Option<String>,
    /// With `new`: a scenario with an error, a hazard or a redundant barrier
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Where the lesson's file is written, or is already
    #[arg(long, value_name = "DIR", default_value = ".")]
    dir: PathBuf,
    /// Check the file once and end, instead of waiting for changes
    #[arg(long)]
    once: bool,
    /// Print the next hint and end
    #[arg(long, conflicts_with = "once")]
    hint: bool,
    /// Forget the progress, of one lesson or of all; files stay
    #[arg(long, conflicts_with_all = ["once", "hint"])]
    reset: bool,
    /// Judge the attempts of a class: every file below DIR that has the name of a lesson
    #[arg(long, value_name = "DIR", conflicts_with_all = ["once", "hint", "reset"])]
    report: Option<PathBuf>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&LESSON))]
    format: Option<String>,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&LESSON, &LESSONS, &CLASS];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the lesson is passed, or what was asked for is done; 1 it is not passed yet; 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let options = disk::options();
    if let Some(file) = arguments.new_file()? {
        return draft::write(file, &arguments.dir, registry, &options, console);
    }
    let format = arguments.format.as_deref();
    let shelf = shelf()?;
    let chosen = arguments.lesson.as_deref();
    let chosen = chosen.map(|word| choose(word, &shelf)).transpose()?;
    if let Some(directory) = &arguments.report {
        let writer = formats::writer(Some(format.unwrap_or("csv")), &CLASS)?;
        let lessons = chosen.map_or(shelf, |it| vec![it.lesson]);
        let rows = class::rows(directory, &lessons, registry, &options)?;
        let style = console.style();
        writer(&rows, &style, &mut console.out)?;
        return Ok(Status::Good);
    }
    let mut record = Record::read()?;
    if arguments.reset {
        record.forget(chosen.as_ref().map(|it| it.key.as_str()));
        record.write()?;
        console.say("the progress is forgotten; files stay as they are");
        return Ok(Status::Good);
    }
    let Some(chosen) = chosen else {
        let writer = formats::writer(format, &LESSONS)?;
        let rows = rows(&shelf, &record);
        let style = console.style();
        writer(&rows, &style, &mut console.out)?;
        return Ok(Status::Good);
    };
    let sitting = sitting::Sitting {
        chosen: &chosen,
        registry,
        options: &options,
        writer: formats::writer(format, &LESSON)?,
        judge: OnceCell::new(),
    };
    if arguments.hint {
        return Ok(sitting.hint(&mut record, console)?);
    }
    sitting.sit(&arguments.dir, arguments.once, &mut record, console)
}

impl Arguments {
    /// The file of `learn new FILE`.
    fn new_file(&self) -> Result<Option<&Path>, Unusable> {
        match (self.lesson.as_deref(), &self.file) {
            (Some("new"), Some(file)) => Ok(Some(file)),
            (Some("new"), None) => Err(Unusable {
                message: "`learn new` makes a lesson of a scenario, and none is named".to_owned(),
                help: "name one with a finding: `syncscope learn new bug.scn`".to_owned(),
            }),
            (_, Some(file)) => Err(Unusable {
                message: format!("`{}` is one word too many", file.display()),
                help: "one lesson at a time; `learn new FILE` makes a lesson".to_owned(),
            }),
            (_, None) => Ok(None),
        }
    }
}

/// A lesson that was chosen.
struct ChosenLesson {
    lesson: Lesson,
    /// The number of the lesson after it, if it is one of the program's.
    next: Option<usize>,
    /// Where its own file is, if it is none of the program's.
    file: Option<PathBuf>,
    /// What the progress is kept under: its name, or the path of its file.
    key: String,
}

/// The program's lessons.
fn shelf() -> Result<Vec<Lesson>, Unusable> {
    lessons().map_err(|(file, mistakes)| unread(&file, &mistakes))
}

fn unread(file: &str, mistakes: &[Mistake]) -> Unusable {
    let told = mistakes.iter();
    let told: Vec<String> = told
        .map(|it| format!("line {}: {}", it.line, it.message))
        .collect();
    Unusable {
        message: format!("the header of `{file}` is no lesson's: {}", told.join("; ")),
        help: "write it as the book's page \"Lessons\" says".to_owned(),
    }
}

/// A lesson by its number, its name, or its file.
fn choose(word: &str, shelf: &[Lesson]) -> Result<ChosenLesson, Unusable> {
    let of_shelf = |at: usize| ChosenLesson {
        lesson: shelf[at].clone(),
        next: Some(at + 2).filter(|next| *next <= shelf.len()),
        file: None,
        key: shelf[at].name().to_owned(),
    };
    if let Ok(number) = word.parse::<usize>() {
        return match number.checked_sub(1).filter(|at| *at < shelf.len()) {
            Some(at) => Ok(of_shelf(at)),
            None => Err(Unusable {
                message: format!("there is no lesson {number}"),
                help: format!("they are numbered from 1 to {}", shelf.len()),
            }),
        };
    }
    let names: Vec<&str> = shelf.iter().map(Lesson::name).collect();
    // Without its number a name is as good.
    let is_named =
        |name: &&str| *name == word || name.split_once('-').is_some_and(|it| it.1 == word);
    if let Some(at) = names.iter().position(is_named) {
        return Ok(of_shelf(at));
    }
    let path = Path::new(word);
    if !path.is_file() {
        let near = near(word, names);
        return Err(Unusable {
            message: format!("`{word}` is no lesson and no file"),
            help: match near.first() {
                Some(name) => format!("did you mean `{name}`?"),
                None => "`syncscope learn` lists the lessons".to_owned(),
            },
        });
    }
    let source = input::read_raw(path)?;
    if !Lesson::is_meant(&source.text) {
        return Err(Unusable {
            message: format!("`{word}` has no header of a lesson"),
            help: format!("`syncscope learn new {word}` makes a lesson of it"),
        });
    }
    let lesson = input::lesson(&source).map_err(|mistakes| unread(word, &mistakes))?;
    let whole = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    Ok(ChosenLesson {
        lesson,
        next: None,
        file: Some(path.to_owned()),
        key: whole.display().to_string(),
    })
}

/// The lessons with how far the student is.
fn rows(shelf: &[Lesson], record: &Record) -> Vec<ShelfRow> {
    let row = |(number, lesson): (usize, &Lesson)| {
        let known = record.of(lesson.name());
        ShelfRow {
            number,
            name: lesson.name().to_owned(),
            title: lesson.title.clone(),
            passed: known.passed,
            hints: known.hints,
        }
    };
    (1..).zip(shelf).map(row).collect()
}
