//! Drivers in other processes: `--lowering exec:./mydriver`. Each thread that asks has a process of its own, which is started
//! when the thread first asks, and anew after a failure. A process gets lines on its standard input and answers on its standard
//! output; the end of its standard error is kept for the message if it fails.
//!
//! What is found does not depend on when a line arrives. Each program is asked twice in a row, so that a line that nobody asked
//! for, or an answer that depends on what was asked before, shows as a second answer that differs. The first program is asked
//! of a process whose input then ends: it must have written one line by its end.
//!
//! Next to each process is a watcher, a shell whose standard input ends with this program, however that ends: it then ends the
//! process with all that it has started.

mod process;

use crate::interop::driver::{Driven, Driver, DriverFailure, FailureKind};
use crate::lower::Lowering;
use crate::run::Unusable;
use process::Process;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::env;
use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time for an answer, unless [`TIMEOUT`] says another; a long question gets more.
const ANSWER: Duration = Duration::from_secs(5);
/// The variable with the milliseconds for an answer: a driver may be slow because a debugger or a sanitizer watches it.
const TIMEOUT: &str = "SYNCSCOPE_DRIVER_TIMEOUT_MS";
/// A failure is slow if no answer came in time, or if it took one of so many parts of that time.
const SLOW_PART: u32 = 5;
/// After so many slow failures, answers get less time. A driver that has given no answer by then is given up.
const SLOW_FIRST_MAX: u32 = 4;
/// A driver that has answered is given up after so many slow failures: a corpus has thousands of programs. It may hang on
/// programs of one kind, of which some are tried to find the smallest.
const SLOW_MAX: u32 = 256;
/// A driver that was slow too often has one of so many parts of the time.
const HURRIED_PART: u32 = 25;

/// The driver of a command line: a program and its arguments, between blanks. It is started once, so that one that cannot be
/// is told at once. Each command line is kept for as long as this program runs.
pub(super) fn driver(command: &str) -> Result<&'static dyn Lowering, Unusable> {
    static KEPT: Mutex<Vec<&'static Driven>> = Mutex::new(Vec::new());
    let name = format!("exec:{command}");
    // The list is whole whoever held the lock.
    let mut kept = KEPT.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = kept.iter().find(|it| it.name() == name) {
        return Ok(*known);
    }
    let mut words = command.split_whitespace().map(str::to_owned);
    let Some(program) = words.next() else {
        return Err(Unusable {
            message: "`exec:` names no program".to_owned(),
            help: "write `--lowering exec:./mydriver`".to_owned(),
        });
    };
    let processes = Processes {
        id: kept.len(),
        program,
        arguments: words.collect(),
        answer: answer_time(env::var_os(TIMEOUT))?,
        tried: Mutex::new(Tried::Waits(None)),
        slow: AtomicU32::new(0),
        latest_slow: Mutex::default(),
        has_answered: AtomicBool::new(false),
    };
    let first = Process::start(&processes).map_err(|error| Unusable {
        message: format!(
            "the driver `{}` cannot be started: {error}",
            processes.program
        ),
        help: "name a program, with `./` if it is in this directory, that reads and writes lines"
            .to_owned(),
    })?;
    *processes.tried() = Tried::Waits(Some(first));
    let name: &'static str = Box::leak(name.into_boxed_str());
    let driven: &'static Driven = Box::leak(Box::new(Driven::new(name, Box::new(processes))));
    kept.push(driven);
    Ok(driven)
}

/// The time for an answer that a variable says.
fn answer_time(said: Option<OsString>) -> Result<Duration, Unusable> {
    let Some(said) = said else { return Ok(ANSWER) };
    let said = said.to_string_lossy();
    let milliseconds = said.trim().parse().ok().filter(|it: &u64| *it > 0);
    milliseconds
        .map(Duration::from_millis)
        .ok_or_else(|| Unusable {
            message: format!("`{TIMEOUT}` is `{said}`, which is no number of milliseconds"),
            help: format!(
                "write a whole number above 0; without `{TIMEOUT}` an answer has {} ms",
                ANSWER.as_millis()
            ),
        })
}

thread_local! {
    /// The processes of this thread, by driver.
    static PROCESSES: RefCell<BTreeMap<usize, Process>> = const { RefCell::new(BTreeMap::new()) };
    /// The latest question of this thread that has failed, or that was asked of a process of its own.
    static LATEST: RefCell<Option<Asked>> = const { RefCell::new(None) };
}

/// A question, and what came of it.
struct Asked {
    driver: usize,
    /// It was asked of a process of its own.
    alone: bool,
    profile: Arc<str>,
    program: String,
    answer: Result<Arc<str>, DriverFailure>,
}

/// Processes of one driver, one for each thread.
struct Processes {
    id: usize,
    program: String,
    arguments: Vec<String>,
    /// The time for an answer.
    answer: Duration,
    /// How many lines it writes for one program.
    tried: Mutex<Tried>,
    /// Slow failures.
    slow: AtomicU32,
    /// What the latest of them was.
    latest_slow: Mutex<String>,
    has_answered: AtomicBool,
}

/// What is known of how many lines a driver writes for one program.
enum Tried {
    /// Nothing; the process that is to be asked.
    Waits(Option<Process>),
    /// One.
    Fine,
    /// More.
    More(DriverFailure),
}

impl Processes {
    fn tried(&self) -> MutexGuard<'_, Tried> {
        // It is whole whoever held the lock.
        self.tried.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The time for an answer; none for a driver that is given up.
    fn limit(&self) -> Result<Duration, DriverFailure> {
        let slow = self.slow.load(Ordering::Relaxed);
        let most = if self.has_answered.load(Ordering::Relaxed) {
            SLOW_MAX
        } else {
            SLOW_FIRST_MAX
        };
        if slow >= most {
            // It is whole whoever held the lock.
            let latest = self.latest_slow.lock();
            let latest = latest.unwrap_or_else(PoisonError::into_inner).clone();
            let kind = FailureKind::GivenUp(most, latest);
            return Err(DriverFailure::new(kind, String::new()));
        }
        Ok(if slow < SLOW_FIRST_MAX {
            self.answer
        } else {
            self.answer / HURRIED_PART
        })
    }

    /// Notes whether there was an answer, and a failure that took long.
    fn note<T>(&self, answer: &Result<T, DriverFailure>, began: Instant) {
        let Err(failure) = answer else {
            self.has_answered.store(true, Ordering::Relaxed);
            return;
        };
        let is_late = matches!(failure.kind, FailureKind::TimedOut(_));
        if is_late || began.elapsed() >= self.answer / SLOW_PART {
            let latest = self.latest_slow.lock();
            *latest.unwrap_or_else(PoisonError::into_inner) = failure.to_string();
            self.slow.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Asks one program of a process whose input then ends, once for each driver: what it writes more than one line is seen
    /// whenever it comes.
    fn try_first(&self, profile: &Arc<str>, program: &str) -> Result<(), DriverFailure> {
        let mut tried = self.tried();
        let process = match &mut *tried {
            Tried::Fine => return Ok(()),
            Tried::More(failure) => return Err(failure.clone()),
            Tried::Waits(process) => process.take(),
        };
        *tried = Tried::Fine;
        let Some(mut process) = process else {
            return Ok(());
        };
        let (limit, began) = (self.limit()?, Instant::now());
        let only = process.ask_only(profile, program, limit);
        let only = only.map_err(|kind| process.failed(kind));
        self.note(&only, began);
        if let Err(failure) = &only
            && matches!(failure.kind, FailureKind::TwoLines)
        {
            *tried = Tried::More(failure.clone());
        }
        only
    }
}

impl Driver for Processes {
    fn ask(&self, profile: &Arc<str>, program: &str) -> Result<Arc<str>, DriverFailure> {
        self.ask_once(false, profile, program)
    }

    fn ask_alone(&self, profile: &Arc<str>, program: &str) -> Result<Arc<str>, DriverFailure> {
        self.ask_once(true, profile, program)
    }

    fn given_up(&self) -> Option<DriverFailure> {
        self.limit().err()
    }
}

impl Processes {
    /// Asks, unless the next step of the same command asks again what has failed, or what has a process of its own. What a
    /// process that goes on has answered, it knows.
    fn ask_once(
        &self,
        alone: bool,
        profile: &Arc<str>,
        program: &str,
    ) -> Result<Arc<str>, DriverFailure> {
        let known = LATEST.with_borrow(|latest| {
            let latest = latest.as_ref()?;
            let is_same = (latest.driver, latest.alone) == (self.id, alone)
                && latest.profile == *profile
                && latest.program == program;
            is_same.then(|| latest.answer.clone())
        });
        if let Some(answer) = known {
            return answer;
        }
        let answer = self.ask_anew(alone, profile, program);
        if alone || answer.is_err() {
            LATEST.set(Some(Asked {
                driver: self.id,
                alone,
                profile: Arc::clone(profile),
                program: program.to_owned(),
                answer: answer.clone(),
            }));
        }
        answer
    }

    fn ask_anew(
        &self,
        alone: bool,
        profile: &Arc<str>,
        program: &str,
    ) -> Result<Arc<str>, DriverFailure> {
        self.limit()?;
        self.try_first(profile, program)?;
        let known = PROCESSES.with_borrow_mut(|all| (!alone).then(|| all.remove(&self.id)));
        let mut process = match known.flatten() {
            Some(process) => process,
            None => Process::start(self).map_err(|error| {
                DriverFailure::new(FailureKind::NotStarted(error.to_string()), String::new())
            })?,
        };
        let (limit, began) = (self.limit()?, Instant::now());
        let answer = match process.ask(profile, program, limit) {
            Ok(answer) => {
                if !alone {
                    PROCESSES.with_borrow_mut(|all| all.insert(self.id, process));
                }
                Ok(answer)
            }
            // It is not asked any more.
            Err(kind) => Err(process.failed(kind)),
        };
        self.note(&answer, began);
        answer
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn processes() -> Processes {
        Processes {
            id: 0,
            program: String::new(),
            arguments: Vec::new(),
            answer: ANSWER,
            tried: Mutex::new(Tried::Fine),
            slow: AtomicU32::new(0),
            latest_slow: Mutex::default(),
            has_answered: AtomicBool::new(false),
        }
    }

    fn failure(kind: FailureKind) -> Result<(), DriverFailure> {
        Err(DriverFailure::new(kind, String::new()))
    }

    /// Answers in between do not help: each failure costs its time.
    #[test]
    fn a_driver_that_fails_slowly_is_given_up() {
        let of = processes();
        for nth in 0..SLOW_MAX {
            let limit = of.limit().expect("it is asked");
            let is_first = nth < SLOW_FIRST_MAX;
            let expected = if is_first { 5000 } else { 200 };
            assert_eq!(limit, Duration::from_millis(expected));
            of.note(&failure(FailureKind::TimedOut(5)), Instant::now());
            of.note(&Ok(()), Instant::now());
        }
        let given_up = of
            .limit()
            .expect_err("it is not asked any more")
            .to_string();
        assert!(given_up.contains("failed slowly 256 times"), "{given_up}");
        assert!(given_up.contains("no answer within 5 ms"), "{given_up}");
    }

    #[test]
    fn the_time_for_an_answer_is_a_number_of_milliseconds() {
        assert_eq!(answer_time(None).expect("five seconds"), ANSWER);
        let minute = answer_time(Some("60000".into())).expect("a minute");
        assert_eq!(minute, Duration::from_secs(60));
        for wrong in ["", "0", "1.5", "5s", "-1"] {
            let told = answer_time(Some(wrong.into())).expect_err(wrong);
            assert!(told.message.contains(&format!("is `{wrong}`")), "{told}");
        }
    }

    /// What fails at once may fail on each program of a corpus; what ends by itself after a long time is slow too.
    #[test]
    fn only_what_takes_long_counts() {
        let of = processes();
        let crash = || failure(FailureKind::Ended("signal: 11".to_owned()));
        for _ in 0..10 {
            of.note(&crash(), Instant::now());
        }
        assert!(of.limit().is_ok());
        let Some(long_ago) = Instant::now().checked_sub(ANSWER / SLOW_PART) else {
            return;
        };
        for _ in 0..SLOW_FIRST_MAX {
            of.note(&crash(), long_ago);
        }
        assert!(of.limit().is_err(), "it has given no answer");
        of.note(&Ok(()), Instant::now());
        assert!(of.limit().is_ok());
    }
}
