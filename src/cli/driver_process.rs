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

use crate::interop::driver::{Driven, Driver, DriverFailure, FailureKind};
use crate::lower::Lowering;
use crate::run::Unusable;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time for an answer, and for each MiB of its question more.
const ANSWER: Duration = Duration::from_secs(5);
const ANSWER_MIB: Duration = Duration::from_secs(1);
/// A failure that took so long is a slow one, and so is each answer that did not come in time.
const SLOW: Duration = Duration::from_secs(1);
/// After so many slow failures, answers get less time. A driver that has given no answer by then is given up.
const SLOW_FIRST_MAX: u32 = 4;
/// A driver that has answered is given up after so many slow failures: a corpus has thousands of programs. It may hang on
/// programs of one kind, of which some are tried to find the smallest.
const SLOW_MAX: u32 = 256;
/// Time for an answer of a driver that was slow too often.
const ANSWER_OF_SLOW: Duration = Duration::from_millis(200);
/// Bytes of an answer.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Bytes of standard error that are kept.
const SAID_BYTES_MAX: usize = 2_000;
/// Lines of them that a message has.
const SAID_LINES_MAX: usize = 20;
/// Bytes that a pipe takes without a reader: more are written while something else waits.
const PIPE_BYTES: usize = 32 << 10;
/// Time in which a process ends by itself when its input has ended.
const END: Duration = Duration::from_millis(500);

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
            ANSWER
        } else {
            ANSWER_OF_SLOW
        })
    }

    /// Notes whether there was an answer, and a failure that took long.
    fn note<T>(&self, answer: &Result<T, DriverFailure>, began: Instant) {
        let Err(failure) = answer else {
            self.has_answered.store(true, Ordering::Relaxed);
            return;
        };
        let is_late = matches!(failure.kind, FailureKind::TimedOut(_));
        if is_late || began.elapsed() >= SLOW {
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

/// What a process wrote until a line end, the limit or its end.
type Line = io::Result<Vec<u8>>;

/// A process that waits for a question.
struct Process {
    child: Child,
    watcher: Watcher,
    /// Its standard input; none after its end.
    input: Option<ChildStdin>,
    /// Lines of its standard output.
    lines: Receiver<Line>,
    /// The end of its standard error.
    said: Receiver<String>,
    /// Lines about machines that it has, by the names that they give.
    profiles: Vec<Arc<str>>,
    /// The latest question, and its answer.
    latest: Option<(Arc<str>, String, Arc<str>)>,
    /// Programs that it was asked.
    asked: u32,
}

impl Process {
    fn start(of: &Processes) -> io::Result<Self> {
        let mut command = Command::new(&of.program);
        // Ctrl-C is for this program, which then says what it has found: a driver that it ended would be told as a crash.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command
            .args(&of.arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let watcher = Watcher::of(&child);
        let input = child.stdin.take();
        let (send, lines) = mpsc::channel();
        if let Some(output) = child.stdout.take() {
            thread::spawn(move || read_lines(output, &send));
        }
        let (send, said) = mpsc::channel();
        if let Some(errors) = child.stderr.take() {
            // Nobody may be there any more to hear it.
            thread::spawn(move || drop(send.send(end_of(errors))));
        }
        Ok(Self {
            child,
            watcher,
            input,
            lines,
            said,
            profiles: Vec::new(),
            latest: None,
            asked: 0,
        })
    }

    fn ask(
        &mut self,
        profile: &Arc<str>,
        program: &str,
        limit: Duration,
    ) -> Result<Arc<str>, FailureKind> {
        if let Some((on, of, answer)) = &self.latest
            && of == program
            && on == profile
        {
            return Ok(Arc::clone(answer));
        }
        let mut question = String::with_capacity(2 * program.len() + 2);
        if !self.profiles.contains(profile) {
            // One of the same name takes the other's place.
            self.profiles.retain(|known| name(known) != name(profile));
            question = format!("{profile}\n");
            self.profiles.push(Arc::clone(profile));
        }
        for _ in 0..2 {
            question.push_str(program);
            question.push('\n');
        }
        self.asked += 1;
        let limit = limit + more_time(&question);
        self.write(question, limit);
        let answer = self.answer(limit)?;
        if self.answer(limit)? != answer {
            return Err(FailureKind::TwoAnswers);
        }
        self.latest = Some((Arc::clone(profile), program.to_owned(), Arc::clone(&answer)));
        Ok(answer)
    }

    /// Asks one program and no other. How it ends after that says nothing: what it does not answer is told when it is asked
    /// the next time.
    fn ask_only(
        &mut self,
        profile: &Arc<str>,
        program: &str,
        limit: Duration,
    ) -> Result<(), FailureKind> {
        let question = format!("{profile}\n{program}\n");
        let limit = limit + more_time(&question);
        self.write(question, limit);
        self.input = None;
        self.answer(limit)?;
        match self.lines.recv_timeout(END) {
            Ok(Ok(_)) => Err(FailureKind::TwoLines),
            Ok(Err(_)) | Err(_) => Ok(()),
        }
    }

    /// Writes a question. That a process no longer reads shows in its answer.
    fn write(&mut self, question: String, limit: Duration) {
        let Some(mut input) = self.input.take() else {
            return;
        };
        if question.len() <= PIPE_BYTES {
            if input.write_all(question.as_bytes()).is_ok() {
                self.input = Some(input);
            }
            return;
        }
        // A process that reads nothing keeps a long write from ending, for as long as it lives.
        let (send, done) = mpsc::channel();
        thread::spawn(move || {
            let written = input.write_all(question.as_bytes());
            drop(send.send(written.map(|()| input)));
        });
        if let Ok(Ok(input)) = done.recv_timeout(limit) {
            self.input = Some(input);
        }
    }

    fn answer(&mut self, limit: Duration) -> Result<Arc<str>, FailureKind> {
        let line = match self.lines.recv_timeout(limit) {
            Ok(Ok(line)) => line,
            Ok(Err(error)) => return Err(FailureKind::Ended(error.to_string())),
            Err(RecvTimeoutError::Timeout) => {
                let limit = limit.as_millis().try_into().unwrap_or(u64::MAX);
                return Err(FailureKind::TimedOut(limit));
            }
            Err(RecvTimeoutError::Disconnected) => return Err(FailureKind::Ended(self.end())),
        };
        match line.strip_suffix(b"\n") {
            Some(line) => String::from_utf8(line.to_vec())
                .map(Arc::from)
                .map_err(|_| FailureKind::NotText),
            None if line.len() >= ANSWER_BYTES_MAX => Err(FailureKind::TooLong(ANSWER_BYTES_MAX)),
            None => Err(FailureKind::Cut(line.len())),
        }
    }

    /// How a process has ended whose output has ended.
    fn end(&mut self) -> String {
        self.input = None;
        for _ in 0..END.as_millis() {
            match self.child.try_wait() {
                Ok(Some(status)) => {
                    // Its number is free, and may soon be another's.
                    self.watcher.leave();
                    return status.to_string();
                }
                Ok(None) => thread::sleep(Duration::from_millis(1)),
                Err(error) => return error.to_string(),
            }
        }
        "it closed its standard output".to_owned()
    }

    fn failed(mut self, kind: FailureKind) -> DriverFailure {
        self.stop();
        // Of a process that left children behind, standard error does not end.
        let said = self.said.recv_timeout(END).unwrap_or_default();
        DriverFailure::new(kind, said).after(self.asked.saturating_sub(1))
    }

    fn stop(&mut self) {
        self.input = None;
        // Before it is waited for: until then nobody else has its number.
        self.watcher.end();
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.stop();
    }
}

/// A shell that ends a process, and all that it has started, as soon as its own input ends: when it is told to, or this program
/// ends without a word.
struct Watcher(Option<Child>);

impl Watcher {
    /// None where there is no shell: then a process ends when it reads that its input has ended.
    fn of(child: &Child) -> Self {
        let started = if cfg!(unix) {
            let mut shell = Command::new("sh");
            #[cfg(unix)]
            shell.process_group(0);
            // The whole group of the process, which is its own.
            shell
                .args(["-c", "read -r line; kill -s KILL -- \"-$1\"", "sh"])
                .arg(child.id().to_string())
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .ok()
        } else {
            None
        };
        Self(started)
    }

    /// Ends the process with all that it has started.
    fn end(&mut self) {
        if let Some(mut shell) = self.0.take() {
            drop(shell.stdin.take());
            let _ = shell.wait();
        }
    }

    /// Leaves the process alone.
    fn leave(&mut self) {
        if let Some(mut shell) = self.0.take() {
            let _ = shell.kill();
            let _ = shell.wait();
        }
    }
}

/// What a question takes longer by its size.
fn more_time(question: &str) -> Duration {
    ANSWER_MIB * (question.len() >> 20).try_into().unwrap_or(u32::MAX)
}

/// What a line about a machine says first: its name.
fn name(profile: &str) -> &str {
    profile.split("\"waits\"").next().unwrap_or(profile)
}

fn read_lines(output: ChildStdout, send: &mpsc::Sender<Line>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = Vec::new();
        let limit = ANSWER_BYTES_MAX as u64;
        match output.by_ref().take(limit).read_until(b'\n', &mut line) {
            Ok(0) => return,
            Ok(_) => {
                let is_whole = line.ends_with(b"\n");
                // What comes after too long a line is no answer.
                if send.send(Ok(line)).is_err() || !is_whole {
                    return;
                }
            }
            Err(error) => {
                let _ = send.send(Err(error));
                return;
            }
        }
    }
}

/// The end of what a process writes for people: in one line, for a message, with what was left out.
fn end_of(mut errors: ChildStderr) -> String {
    let mut end: Vec<u8> = Vec::new();
    let mut some = [0; 1024];
    // Line ends of what is not kept any more, and whether it ends within a line.
    let (mut lines_gone, mut is_within) = (0, false);
    while let Ok(count @ 1..) = errors.read(&mut some) {
        end.extend_from_slice(&some[..count]);
        let beyond = end.len().saturating_sub(SAID_BYTES_MAX);
        for byte in end.drain(..beyond) {
            is_within = byte != b'\n';
            lines_gone += usize::from(!is_within);
        }
    }
    let text = String::from_utf8_lossy(&end);
    // Of a line whose start is gone the rest says little.
    let cut = text.find('\n').filter(|_| is_within);
    let kept = cut.map_or(&*text, |at| &text[at + 1..]);
    let lines = kept.lines().map(str::trim).filter(|line| !line.is_empty());
    let lines: Vec<&str> = lines.collect();
    let more = lines.len().saturating_sub(SAID_LINES_MAX);
    let left_out = lines_gone + usize::from(cut.is_some()) + more;
    let said = lines[more..].join("; ");
    match left_out {
        0 => said,
        1 => format!("{said} (1 line before that is left out)"),
        several => format!("{said} ({several} lines before that are left out)"),
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
            assert_eq!(limit, if is_first { ANSWER } else { ANSWER_OF_SLOW });
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

    /// What fails at once may fail on each program of a corpus; what ends by itself after a long time is slow too.
    #[test]
    fn only_what_takes_long_counts() {
        let of = processes();
        let crash = || failure(FailureKind::Ended("signal: 11".to_owned()));
        for _ in 0..10 {
            of.note(&crash(), Instant::now());
        }
        assert!(of.limit().is_ok());
        let Some(long_ago) = Instant::now().checked_sub(SLOW) else {
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
