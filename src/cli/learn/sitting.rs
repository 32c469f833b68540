//! One sitting at a lesson: its file, what it asks, every change judged, hints on demand.

use super::super::console::Console;
use super::super::watch::{LOOK, QUIET, watcher};
use super::super::{Ended, Status, input, progress, save};
use super::ChosenLesson;
use super::record::Record;
use crate::finding::Source;
use crate::report::format::Printer;
use crate::report::lesson::{Attempted, card};
use crate::run::lesson::{Judge, Lesson};
use crate::run::{Options, Registry, Unusable};
use similar::TextDiff;
use std::cell::OnceCell;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{self, Receiver};
use std::thread;

/// What a sitting is about.
pub(super) struct Sitting<'a> {
    pub(super) chosen: &'a ChosenLesson,
    pub(super) registry: &'a Registry,
    pub(super) options: &'a Options,
    pub(super) writer: Printer<Attempted>,
    /// Who judges every save, once there is one.
    pub(super) judge: OnceCell<Judge<'a>>,
}

/// What may be typed while a file is watched.
const KEYS: &str = "type h and Enter for a hint, s for the solution, q to end";

impl<'a> Sitting<'a> {
    fn lesson(&self) -> &'a Lesson {
        &self.chosen.lesson
    }

    /// Prints the next hint.
    pub(super) fn hint(
        &self,
        record: &mut Record,
        console: &mut Console,
    ) -> Result<Status, Unusable> {
        let hints = self.lesson().hints(self.registry, self.options);
        let known = record.of_mut(&self.chosen.key);
        // After the last hint that one is said again.
        let at = known.hints.min(hints.len().saturating_sub(1));
        let Some(hint) = hints.get(at) else {
            console.say("this lesson has no hint");
            return Ok(Status::Good);
        };
        known.hints = known.hints.max(at + 1);
        console.say(&format!("hint {} of {}: {hint}", at + 1, hints.len()));
        if at + 1 == hints.len() {
            console.say("that was the last one; s shows what the solution changes");
        }
        record.write()?;
        Ok(Status::Good)
    }

    /// Sits at the lesson until an attempt passes; `once` judges one attempt.
    pub(super) fn sit(
        &self,
        directory: &Path,
        once: bool,
        record: &mut Record,
        console: &mut Console,
    ) -> Ended {
        let file = self.file(directory, console)?;
        if once {
            return self.judge(&file, record, console);
        }
        let style = console.style();
        card(self.lesson(), &style, &mut console.out)?;
        let predict = match self.lesson().question {
            Some(_) => "; the number of a choice is your prediction",
            None => "",
        };
        console.say(&format!(
            "\nedit {}: it is checked whenever it is saved\n{KEYS}{predict}\n",
            file.display()
        ));
        self.watch(&file, record, console)
    }

    /// The student's file. Nothing that is there is written over.
    fn file(&self, directory: &Path, console: &mut Console) -> Result<PathBuf, Unusable> {
        let lesson = self.lesson();
        let directory = if directory == Path::new(".") {
            Path::new("")
        } else {
            directory
        };
        let mut file = directory.join(lesson.file_name());
        let is_own = |own: &PathBuf| {
            let (own, file) = (fs::canonicalize(own), fs::canonicalize(&file));
            own.is_ok_and(|own| file.is_ok_and(|file| own == file))
        };
        if self.chosen.file.as_ref().is_some_and(is_own) {
            // The lesson itself stays as it is.
            file = directory.join(format!("my-{}", lesson.file_name()));
        }
        if fs::symlink_metadata(&file).is_ok() {
            console.say(&format!("{} is there already and stays", file.display()));
            return Ok(file);
        }
        put(&file, &lesson.sheet())?;
        console.say(&format!("{} is written", file.display()));
        for scene in &lesson.scenes {
            let name = Path::new(&scene.name).file_name().unwrap_or_default();
            let path = directory.join(name);
            if fs::symlink_metadata(&path).is_err() {
                put(&path, &scene.text)?;
                console.say(&format!(
                    "{} is written: the lesson runs it",
                    path.display()
                ));
            }
        }
        Ok(file)
    }

    fn watch(&self, file: &Path, record: &mut Record, console: &mut Console) -> Ended {
        let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
        let (_watcher, events) = watcher(directory.unwrap_or(Path::new(".")))?;
        progress::listen();
        let lines = lines();
        // What nobody has changed yet is not judged: its findings would answer the question.
        let mut before: Option<Vec<u8>> = Some(self.lesson().sheet().into_bytes());
        let mut status = Status::Found;
        while !progress::is_stopped() {
            let bytes = fs::read(file).ok();
            // A file that is being written is often empty for a moment.
            let bytes = bytes.filter(|it| !it.trim_ascii().is_empty());
            if bytes.is_some() && bytes != before {
                before = bytes;
                status = self.judge(file, record, console)?;
                console.flush()?;
                if status == Status::Good {
                    break;
                }
            }
            if !self.waits(&events, &lines, record, console)? {
                break;
            }
        }
        Ok(status)
    }

    /// Waits for a change of the file, or for a line that is typed; `false` ends the sitting.
    fn waits(
        &self,
        events: &Receiver<()>,
        lines: &Receiver<String>,
        record: &mut Record,
        console: &mut Console,
    ) -> Result<bool, Unusable> {
        while !progress::is_stopped() {
            for line in lines.try_iter() {
                if !self.typed(line.trim(), record, console)? {
                    return Ok(false);
                }
            }
            if events.recv_timeout(LOOK).is_ok() {
                while !progress::is_stopped() && events.recv_timeout(QUIET).is_ok() {}
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Does what is asked for; `false` ends the sitting.
    fn typed(
        &self,
        word: &str,
        record: &mut Record,
        console: &mut Console,
    ) -> Result<bool, Unusable> {
        match word {
            "" => {}
            "q" | "quit" => return Ok(false),
            "h" | "hint" => drop(self.hint(record, console)?),
            "s" | "solution" => self.solution(record, console),
            word => match word.parse() {
                Ok(choice) => self.predicted(choice, console),
                Err(_) => console.say(KEYS),
            },
        }
        Ok(true)
    }

    fn predicted(&self, choice: usize, console: &mut Console) {
        let Some(question) = &self.lesson().question else {
            console.say("this lesson asks nothing");
            return;
        };
        if choice == 0 || choice > question.choices.len() {
            let most = question.choices.len();
            console.say(&format!("the choices are numbered from 1 to {most}"));
            return;
        }
        let is_right = choice - 1 == question.right;
        let word = if is_right { "right" } else { "no" };
        console.say(&format!("{word}: {}", question.because));
    }

    /// What the solution changes, once all hints were asked for.
    fn solution(&self, record: &Record, console: &mut Console) {
        let Some(solution) = &self.lesson().solution else {
            console.say("this lesson has no solution");
            return;
        };
        let hints = self.lesson().hints(self.registry, self.options).len();
        let left = hints.saturating_sub(record.of(&self.chosen.key).hints);
        if left > 0 {
            console.say(&format!("the hints come first: {left} are left"));
            return;
        }
        let start = self.lesson().start_without_header();
        let diff = TextDiff::from_lines(&start, &solution.text);
        console.remark(&diff.unified_diff().header("start", "solution").to_string());
    }

    /// Judges the file, and keeps that it passes.
    fn judge(&self, file: &Path, record: &mut Record, console: &mut Console) -> Ended {
        let attempt = input::read_raw(file)?;
        let attempted = self.attempted(&attempt);
        let style = console.style();
        (self.writer)(&attempted, &style, &mut console.out)?;
        if !attempted.checked.passed() {
            let path = file;
            let file = path.display();
            let scene = self.lesson().scenes.first();
            let more = match (file.to_string().ends_with(".litmus"), scene) {
                (true, _) => format!("litmus {file}"),
                (false, Some(scene)) => {
                    let scene = Path::new(&scene.name).file_name().unwrap_or_default();
                    let scene = path.with_file_name(scene);
                    format!("run {} --lowering {file}", scene.display())
                }
                (false, None) => format!("run {file}"),
            };
            console.say(&format!("not yet; `syncscope {more}` shows more"));
            return Ok(Status::Found);
        }
        let known = record.of_mut(&self.chosen.key);
        let is_new = !std::mem::replace(&mut known.passed, true);
        record.write()?;
        if is_new {
            console.say(&format!("\n*** {}: passed ***", self.lesson().title));
        } else {
            console.say("passed, as before");
        }
        if let Some(next) = self.chosen.next {
            console.say(&format!("next: syncscope learn {next}"));
        }
        Ok(Status::Good)
    }

    fn attempted(&self, attempt: &Source) -> Attempted {
        let checked = progress::during(&attempt.name, || {
            let judge = || self.lesson().judge(self.registry, self.options);
            self.judge.get_or_init(judge).check(attempt)
        });
        Attempted {
            lesson: self.lesson().clone(),
            checked,
        }
    }
}

/// Writes a file, and the directory that it is in.
pub(super) fn put(file: &Path, text: &str) -> Result<(), Unusable> {
    let directory = file.parent().filter(|it| !it.as_os_str().is_empty());
    let made = directory.map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| save::put(file, text))
        .map_err(|error| Unusable {
            message: format!("`{}` cannot be written: {error}", file.display()),
            help: format!(
                "{}, or name another directory with `--dir`",
                save::remedy(&error)
            ),
        })
}

/// What is typed, line by line. Where nobody types, nothing ever comes.
fn lines() -> Receiver<String> {
    let (send, lines) = mpsc::channel();
    thread::spawn(move || {
        for line in io::stdin().lines() {
            let Ok(line) = line else { return };
            if send.send(line).is_err() {
                return;
            }
        }
    });
    lines
}
