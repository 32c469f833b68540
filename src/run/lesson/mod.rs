//! Lessons: a text that is wrong or wasteful, what to change it into, and how to tell.
//!
//! A lesson is a file with a header of comments `//!`: the start that a student edits. The model solution is the
//! file next to it, `NAME.solution.scn`. What a lesson asks for is a list of [`Check`]s; `work.rs` says whether an attempt
//! still does the start's work, `proof.rs` whether a lesson keeps its own word: the start fails, the solution passes, and
//! neither a hammer nor a deletion does.
//!
//! An attempt is judged without its comments: `// syncscope: allow` hides nothing from a lesson.
//!
//! Cost: a run for each profile and scene that a check names, of the attempt and of the solution.

mod checks;
mod header;
mod hints;
mod proof;
mod sheet;
#[cfg(feature = "corpus")]
mod shelf;
mod work;

pub use checks::{Check, CheckRow, Checked, Judge};
pub use hints::hints_of;
pub use sheet::without_expectations;
#[cfg(feature = "corpus")]
pub use shelf::lessons;

use super::{Options, Registry, is_lowering_file};
use crate::finding::Source;
use serde::Serialize;

/// A lesson.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Lesson {
    /// What it is called.
    pub title: String,
    /// What the student is to do, in a sentence.
    pub goal: String,
    /// What it teaches: paragraphs.
    pub text: Vec<String>,
    /// What to predict before anything is changed.
    pub question: Option<Question>,
    /// Hints that it brings, ever plainer; [`Lesson::hints`] fills up what is left out.
    pub written_hints: Vec<String>,
    /// What an attempt must be, in order.
    pub checks: Vec<Check>,
    /// The checks that the start fails, by their words.
    pub fails: Vec<String>,
    /// What a rule file is tried on.
    pub scenes: Vec<Source>,
    /// The profile on which it runs, if the text does not say.
    pub profile: Option<String>,
    /// What the student starts with, with the header.
    pub start: Source,
    /// A solution, if there is one.
    pub solution: Option<Source>,
}

/// A question.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "QuestionDocument")
)]
#[non_exhaustive]
pub struct Question {
    /// The question.
    pub ask: String,
    /// What to choose from.
    pub choices: Vec<String>,
    /// Which choice is right, counted from 0.
    pub right: usize,
    /// Why.
    pub because: String,
}

/// What is wrong with a header.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Mistake {
    /// Line, counted from 1.
    pub line: u32,
    /// What is wrong, and what would be right.
    pub message: String,
}

/// What the text of a lesson is.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// A scenario.
    Scenario,
    /// A litmus test.
    Litmus,
    /// A rule file.
    Rules,
}

impl Kind {
    /// By the name of its file.
    pub(crate) fn of(file: &str) -> Self {
        if is_lowering_file(file) {
            Self::Rules
        } else if has_extension(file, "litmus") {
            Self::Litmus
        } else {
            Self::Scenario
        }
    }
}

fn has_extension(file: &str, extension: &str) -> bool {
    let found = std::path::Path::new(file).extension();
    found.is_some_and(|it| it.eq_ignore_ascii_case(extension))
}

impl Lesson {
    /// Whether a text is a lesson: its first line that is not empty is one of a header.
    pub fn is_meant(text: &str) -> bool {
        let first = text.lines().find(|line| !line.trim().is_empty());
        first.is_some_and(|line| line.trim_start().starts_with(header::MARK))
    }

    /// Reads a lesson. `next_to` gives the files next to it by name, and `None` where there is none.
    ///
    /// # Errors
    /// What is wrong with the header.
    pub fn read(
        start: &Source,
        next_to: &dyn Fn(&str) -> Option<Source>,
    ) -> Result<Self, Vec<Mistake>> {
        header::read(start, next_to)
    }

    /// Who judges attempts. What the solution costs is found once for all of them.
    pub fn judge<'a>(&'a self, registry: &'a Registry, options: &Options) -> Judge<'a> {
        Judge::new(self, registry, options)
    }

    /// Judges one attempt by every check.
    pub fn check(&self, attempt: &Source, registry: &Registry, options: &Options) -> Checked {
        self.judge(registry, options).check(attempt)
    }

    /// The three hints: those of the lesson, filled up with the rule, the evidence and the change of the start's first finding.
    pub fn hints(&self, registry: &Registry, options: &Options) -> Vec<String> {
        hints::hints(self, registry, options)
    }

    /// Whether the lesson keeps its word; what does not hold, a sentence each. A lesson without a solution is only read.
    pub fn prove(&self, registry: &Registry, options: &Options) -> Vec<String> {
        proof::prove(self, registry, options)
    }

    /// The name of its file.
    pub fn file_name(&self) -> &str {
        let name = &self.start.name;
        name.rsplit(['/', '\\']).next().unwrap_or(name)
    }

    /// The same without the extension: what it is called on the command line.
    pub fn name(&self) -> &str {
        let name = self.file_name();
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }

    /// The start below its header.
    pub fn start_without_header(&self) -> String {
        sheet::below_header(&self.start.text)
    }

    /// The start below its header, without the expectations that name its mistakes: what a student edits.
    pub fn start_for_students(&self) -> String {
        without_expectations(&self.start_without_header())
    }

    /// What a student gets: the start with what the lesson says and asks, without its answers, hints and expectations.
    pub fn sheet(&self) -> String {
        sheet::sheet(self)
    }

    fn kind(&self) -> Kind {
        Kind::of(&self.start.name)
    }

    /// Another text in the place of the start.
    fn attempt(&self, text: impl Into<String>) -> Source {
        Source::new(self.start.name.clone(), text.into())
    }
}
