//! One process of a driver: its pipes, what it is asked and answers, and how it ends.

use super::Processes;
use crate::interop::driver::{DriverFailure, FailureKind};
use std::io::{self, BufRead, BufReader, Read, Write};
#[cfg(unix)]
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

/// Time for each MiB of a question.
const ANSWER_MIB: Duration = Duration::from_secs(1);
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

/// What a process wrote until a line end, the limit or its end.
type Line = io::Result<Vec<u8>>;

/// A process that waits for a question.
pub(super) struct Process {
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
    pub(super) fn start(of: &Processes) -> io::Result<Self> {
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

    pub(super) fn ask(
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
    pub(super) fn ask_only(
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

    pub(super) fn failed(mut self, kind: FailureKind) -> DriverFailure {
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
