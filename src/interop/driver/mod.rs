//! A lowering in any language: a driver outside this program says which packets it writes.
//!
//! ```text
//! Profile ─describe_profile→ line ┐
//! Timeline ─describe→ line ───────┴→ Driver ─→ line of packets ─place, resolve→ Recorded: a lowering like any other
//! ```
//! * `profile.rs` and `program.rs` write what a driver is told, `survey.rs` finds out what barriers mean on the machine.
//! * `answer.rs` reads what it answers.
//!
//! How a driver is asked is left to whoever has it: nothing here starts a process. A driver answers each program by itself,
//! so that the same program gets the same packets whoever asks, and however often. Whatever it answers is a program: what is
//! wrong with an answer is a finding. Cost: linear in the program and in the answer.

mod answer;
mod profile;
mod program;
mod survey;

pub use profile::describe_profile;
pub use program::describe;

use crate::finding::Finding;
use crate::hardware::Profile;
use crate::lower::{Lowered, Lowering, Policy, Recorded};
use crate::order::Timeline;
use crate::program::Program;
use crate::schema::Schema;
use serde::Serialize;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// The version of the lines.
const VERSION: u32 = 1;

/// Machines whose line is kept: more than are built in.
const PROFILES_KEPT: usize = 32;

/// What describes the lines that a driver reads and writes.
pub const SCHEMAS: [Schema; 3] = [profile::SCHEMA, program::SCHEMA, answer::SCHEMA];

/// The header for drivers in C and C++.
pub const HEADER: &str = include_str!("syncscope_driver.h");

/// A line, without its end.
fn json(line: &impl Serialize) -> String {
    serde_json::to_string(line).expect("writing to memory does not fail")
}

/// Whoever asks a driver.
pub trait Driver: Send + Sync {
    /// The answer to a program on a machine, a line without its end. Lines have no line end within.
    ///
    /// # Errors
    /// Why there is none.
    fn ask(&self, profile: &Arc<str>, program: &str) -> Result<Arc<str>, DriverFailure>;

    /// The same of a driver that was asked nothing before.
    ///
    /// # Errors
    /// Why there is none.
    fn ask_alone(&self, profile: &Arc<str>, program: &str) -> Result<Arc<str>, DriverFailure> {
        self.ask(profile, program)
    }

    /// Why it is not asked any more, if it is not.
    fn given_up(&self) -> Option<DriverFailure> {
        None
    }
}

/// Why a driver gave no answer.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct DriverFailure {
    /// What happened.
    pub kind: FailureKind,
    /// The end of what it wrote for people.
    pub said: String,
    /// Programs that it had been asked before.
    pub before: u32,
}

/// What happened to a driver.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum FailureKind {
    /// It could not be started.
    NotStarted(String),
    /// It ended before its answer: how.
    Ended(String),
    /// It ended within its answer, after so many bytes.
    Cut(usize),
    /// It took longer than this, in milliseconds.
    TimedOut(u64),
    /// Its line has more bytes than this.
    TooLong(usize),
    /// It wrote another line that nobody asked for.
    TwoLines,
    /// Its line is not UTF-8.
    NotText,
    /// Asked the same program twice in a row, it wrote two lines that differ.
    TwoAnswers,
    /// It failed so many times, each after a long time, and is not asked any more; the latest of these failures.
    GivenUp(u32, String),
}

impl DriverFailure {
    /// A failure.
    pub fn new(kind: FailureKind, said: String) -> Self {
        Self {
            kind,
            said,
            before: 0,
        }
    }

    /// The same of a driver that had been asked so many programs before.
    #[must_use]
    pub fn after(self, before: u32) -> Self {
        Self { before, ..self }
    }

    /// What would have been right.
    fn help(&self) -> &'static str {
        match self.kind {
            FailureKind::NotStarted(_) => "`exec:` is followed by a program that can be started",
            FailureKind::Ended(_) | FailureKind::Cut(_) => {
                "a driver reads lines until its input ends, and answers each program with one line"
            }
            FailureKind::TimedOut(_) | FailureKind::GivenUp(..) => {
                "a driver answers each program at once, and flushes what it writes after each line"
            }
            FailureKind::TwoLines => {
                "a driver answers a line about a program with one line, and a line about a machine with none"
            }
            FailureKind::TooLong(_) => "an answer has a line end after the packets of one program",
            FailureKind::NotText => "an answer is JSON, in UTF-8",
            FailureKind::TwoAnswers => {
                "a driver answers a program with one line, and with the same one whenever it is asked: it remembers nothing of other programs"
            }
        }
    }
}

impl fmt::Display for DriverFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            FailureKind::NotStarted(why) => write!(f, "the driver cannot be started: {why}"),
            FailureKind::Ended(how) => write!(f, "the driver ended without an answer: {how}"),
            FailureKind::Cut(bytes) => write!(
                f,
                "the driver ended in the middle of its answer, after {bytes} bytes"
            ),
            FailureKind::TimedOut(ms) => write!(f, "the driver gave no answer within {ms} ms"),
            FailureKind::TooLong(bytes) => {
                write!(f, "the driver's answer has more than {bytes} bytes")
            }
            FailureKind::TwoLines => write!(f, "the driver wrote a line that nobody asked for"),
            FailureKind::NotText => write!(f, "the driver's answer is not UTF-8"),
            FailureKind::TwoAnswers => write!(
                f,
                "asked this program twice in a row, the driver wrote two lines that differ"
            ),
            FailureKind::GivenUp(times, latest) => write!(
                f,
                "the driver failed slowly {times} times, and is not asked any more; the latest failure: {latest}"
            ),
        }
    }
}

/// A driver as a lowering.
pub struct Driven {
    name: &'static str,
    driver: Arc<dyn Driver>,
    /// The same driver, asked each program by itself; none of one that is asked so.
    alone: Option<Box<Self>>,
    /// Machines with their lines.
    profiles: Mutex<Vec<(Profile, Arc<str>)>>,
    /// What answers to nobody.
    nothing: Recorded,
}

impl fmt::Debug for Driven {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Driven").field(&self.name).finish()
    }
}

impl Driven {
    /// A driver by the name that reports give it.
    pub fn new(name: &'static str, driver: Box<dyn Driver>) -> Self {
        let driver: Arc<dyn Driver> = Arc::from(driver);
        let alone = Self::asked(name, Arc::clone(&driver), None);
        Self::asked(name, driver, Some(Box::new(alone)))
    }

    fn asked(name: &'static str, driver: Arc<dyn Driver>, alone: Option<Box<Self>>) -> Self {
        Self {
            name,
            driver,
            alone,
            profiles: Mutex::default(),
            nothing: Recorded::default(),
        }
    }

    /// What the driver writes for a timeline, and what is wrong with it.
    pub fn packets(&self, timeline: &Timeline<'_>, profile: &Profile) -> (Recorded, Vec<Finding>) {
        let machine = self.machine(profile);
        let program = describe(timeline, profile);
        let answer = match self.alone {
            Some(_) => self.driver.ask(&machine, &program),
            None => self.driver.ask_alone(&machine, &program),
        };
        answer::understood(answer.as_deref(), timeline, profile)
    }

    /// The line about a machine.
    fn machine(&self, profile: &Profile) -> Arc<str> {
        // The list is whole whoever held the lock.
        let mut kept = self.profiles.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, line)) = kept.iter().find(|(known, _)| known == profile) {
            return Arc::clone(line);
        }
        let line: Arc<str> = describe_profile(profile).into();
        if kept.len() == PROFILES_KEPT {
            kept.remove(0);
        }
        kept.push((profile.clone(), Arc::clone(&line)));
        line
    }
}

impl Lowering for Driven {
    fn name(&self) -> &'static str {
        self.name
    }

    fn summary(&self) -> &'static str {
        "what a driver in another process answers"
    }

    /// Packets come with a timeline: without one there are none.
    fn policy(&self) -> &dyn Policy {
        &self.nothing
    }

    fn lower(&self, timeline: &Timeline<'_>, profile: &Profile) -> Program {
        let (packets, _) = self.packets(timeline, profile);
        packets.lower(timeline, profile)
    }

    fn lower_telling(&self, timeline: &Timeline<'_>, profile: &Profile) -> (Program, Vec<Finding>) {
        let (packets, findings) = self.packets(timeline, profile);
        (packets.lower(timeline, profile), findings)
    }

    fn is_driven(&self) -> bool {
        true
    }

    fn given_up(&self) -> Option<String> {
        let failure = self.driver.given_up()?;
        Some(failure.to_string())
    }

    fn alone(&self) -> Option<&dyn Lowering> {
        let alone = self.alone.as_deref()?;
        Some(alone)
    }

    fn stream<'t, 's>(
        &'t self,
        timeline: &'t Timeline<'s>,
        profile: &'t Profile,
    ) -> Lowered<'t, 's> {
        let (packets, _) = self.packets(timeline, profile);
        Lowered::owning(Box::new(packets), timeline, profile)
    }
}
