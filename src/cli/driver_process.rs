//! Drivers in other processes: `--lowering exec:./mydriver`. Each thread that asks has a process of its own, which is started
//! when the thread first asks, and anew after a failure. A process gets lines on its standard input and answers on its standard
//! output; the end of its standard error is kept for the message if it fails.

use crate::interop::driver::{Driven, Driver, DriverFailure, FailureKind};
use crate::lower::Lowering;
use crate::run::Unusable;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

/// Time for an answer, and for each MiB of its question more.
const ANSWER: Duration = Duration::from_secs(5);
const ANSWER_MIB: Duration = Duration::from_secs(1);
/// After so many answers that did not come in time, the others get less.
const LATE_MAX: u32 = 4;
/// Time for an answer of a driver that was late too often: a corpus has thousands of programs.
const ANSWER_OF_LATE: Duration = Duration::from_millis(200);
/// Bytes of an answer.
const ANSWER_BYTES_MAX: usize = 16 << 20;
/// Bytes of standard error that are kept.
const SAID_BYTES_MAX: usize = 2_000;
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
        late: AtomicU32::new(0),
    };
    let first = Process::start(&processes).map_err(|error| Unusable {
        message: format!(
            "the driver `{}` cannot be started: {error}",
            processes.program
        ),
        help: "name a program, with `./` if it is in this directory, that reads and writes lines"
            .to_owned(),
    })?;
    PROCESSES.with_borrow_mut(|all| all.insert(processes.id, first));
    let name: &'static str = Box::leak(name.into_boxed_str());
    let driven: &'static Driven = Box::leak(Box::new(Driven::new(name, Box::new(processes))));
    kept.push(driven);
    Ok(driven)
}

thread_local! {
    /// The processes of this thread, by driver.
    static PROCESSES: RefCell<BTreeMap<usize, Process>> = const { RefCell::new(BTreeMap::new()) };
}

/// Processes of one driver, one for each thread.
struct Processes {
    id: usize,
    program: String,
    arguments: Vec<String>,
    /// Answers that did not come in time.
    late: AtomicU32,
}

impl Driver for Processes {
    fn ask(&self, profile: &Arc<str>, program: &str) -> Result<Arc<str>, DriverFailure> {
        PROCESSES.with_borrow_mut(|all| {
            let mut process = match all.remove(&self.id) {
                Some(process) => process,
                None => Process::start(self).map_err(|error| {
                    DriverFailure::new(FailureKind::NotStarted(error.to_string()), String::new())
                })?,
            };
            let limit = if self.late.load(Ordering::Relaxed) < LATE_MAX {
                ANSWER
            } else {
                ANSWER_OF_LATE
            };
            let answer = process.ask(profile, program, limit);
            match answer {
                // What has failed is not asked again.
                Err(kind) => {
                    if matches!(kind, FailureKind::TimedOut(_)) {
                        self.late.fetch_add(1, Ordering::Relaxed);
                    }
                    Err(process.failed(kind))
                }
                Ok(answer) => {
                    all.insert(self.id, process);
                    Ok(answer)
                }
            }
        })
    }
}

/// What a process wrote until a line end, the limit or its end, and whether it wrote more at once.
type Line = io::Result<(Vec<u8>, bool)>;

/// A process that waits for a question.
struct Process {
    child: Child,
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
            input,
            lines,
            said,
            profiles: Vec::new(),
            latest: None,
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
        if self.lines.try_recv().is_ok() {
            return Err(FailureKind::TwoLines);
        }
        let mut question = String::with_capacity(program.len() + 1);
        if !self.profiles.contains(profile) {
            // One of the same name takes the other's place.
            self.profiles.retain(|known| name(known) != name(profile));
            question = format!("{profile}\n");
            self.profiles.push(Arc::clone(profile));
        }
        question.push_str(program);
        question.push('\n');
        let limit = limit + ANSWER_MIB * (question.len() >> 20).try_into().unwrap_or(u32::MAX);
        self.write(question, limit);
        let answer = self.answer(limit)?;
        self.latest = Some((Arc::clone(profile), program.to_owned(), Arc::clone(&answer)));
        Ok(answer)
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
            Ok(Ok((_, true))) => return Err(FailureKind::TwoLines),
            Ok(Ok((line, false))) => line,
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
                Ok(Some(status)) => return status.to_string(),
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
        DriverFailure::new(kind, said)
    }

    fn stop(&mut self) {
        self.input = None;
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
                let has_more = is_whole && !output.buffer().is_empty();
                if send.send(Ok((line, has_more))).is_err() || !is_whole {
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

/// The end of what a process writes for people: in one line, for a message.
fn end_of(mut errors: ChildStderr) -> String {
    let mut end: Vec<u8> = Vec::new();
    let mut some = [0; 1024];
    while let Ok(count @ 1..) = errors.read(&mut some) {
        end.extend_from_slice(&some[..count]);
        let beyond = end.len().saturating_sub(SAID_BYTES_MAX);
        end.drain(..beyond);
    }
    let text = String::from_utf8_lossy(&end);
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("; ")
}
