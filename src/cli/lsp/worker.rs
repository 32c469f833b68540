//! The two threads that run texts. The first one finds what is wrong. The second one looks for changes that would help, which can take
//! many runs: a text that has changed meanwhile does not wait for them. Of several texts that wait the newest of each file is run,
//! and what was found in a text that has changed meanwhile is dropped by whoever asked.

use crate::assist::actions::{Action, savings};
use crate::assist::{Language, marks};
use crate::finding::Source;
use crate::run::{self, Options, Proposals, Registry, Report};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::{io, thread};

/// Lines from which on nothing is simulated and no change is looked for: what is wrong comes sooner.
pub(super) const LINES_RUN: usize = 20_000;

/// Bytes of a text of which each saving is kept as a text of its own until it is an edit.
const CHANGED_MAX: usize = 64 << 10;

/// A repair tries a text within the run of another one.
const STACK_BYTES: usize = 16 << 20;

/// A text to run.
pub(super) struct Job {
    pub(super) uri: String,
    pub(super) revision: u64,
    pub(super) source: Arc<Source>,
    pub(super) language: Language,
    pub(super) lines: usize,
    pub(super) options: Options,
}

/// How much of a text's run is wanted.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Step {
    /// What is wrong.
    Findings,
    /// That, and what would help.
    All,
}

/// What was found in it.
pub(super) struct Done {
    pub(super) uri: String,
    pub(super) revision: u64,
    pub(super) source: Arc<Source>,
    pub(super) report: Report,
    /// What would save something.
    pub(super) savings: Vec<Action>,
    /// Whether nothing more comes about this text.
    pub(super) is_all: bool,
}

/// Starts both threads. They end when nobody asks any more.
pub(super) fn start(
    jobs: Receiver<Job>,
    registry: &Registry,
    tell: impl Fn(Done) -> bool + Clone + Send + 'static,
) -> io::Result<()> {
    let (more, thorough) = mpsc::channel();
    let told = tell.clone();
    let thread = || thread::Builder::new().stack_size(STACK_BYTES);
    // The registry of a program of one's own is not 'static: each thread has a copy.
    let (first, second) = (registry.clone(), registry.clone());
    thread().spawn(move || work(&jobs, &first, Some(&more), told))?;
    thread().spawn(move || work(&thorough, &second, None, tell))?;
    Ok(())
}

/// Runs what comes until nobody asks any more. What may help is left to whoever gets `more`.
fn work(
    jobs: &Receiver<Job>,
    registry: &Registry,
    more: Option<&Sender<Job>>,
    tell: impl Fn(Done) -> bool,
) {
    let mut waiting: Vec<Job> = Vec::new();
    loop {
        if waiting.is_empty() {
            match jobs.recv() {
                Ok(job) => waiting.push(job),
                Err(_) => return,
            }
        }
        while let Ok(job) = jobs.try_recv() {
            waiting.retain(|it| it.uri != job.uri);
            waiting.push(job);
        }
        let job = waiting.remove(0);
        let more = more.filter(|_| job.has_more());
        let step = if more.is_some() {
            Step::Findings
        } else {
            Step::All
        };
        if !tell(done(&job, registry, step)) {
            return;
        }
        if let Some(more) = more {
            // The other thread ends after this one.
            let _ = more.send(job);
        }
    }
}

fn done(job: &Job, registry: &Registry, step: Step) -> Done {
    let mut report = found(job, registry, step);
    let savings = savings(&job.source, &report);
    report.changed = Vec::new();
    Done {
        uri: job.uri.clone(),
        revision: job.revision,
        source: Arc::clone(&job.source),
        report,
        savings,
        is_all: step == Step::All,
    }
}

impl Job {
    /// Whether changes that would help are looked for at all.
    fn has_more(&self) -> bool {
        self.language == Language::Scenario && self.lines <= LINES_RUN
    }
}
fn found(job: &Job, registry: &Registry, step: Step) -> Report {
    let source = &*job.source;
    let run = || {
        if job.language == Language::Scenario && job.lines > LINES_RUN {
            let options = Options {
                without_proofs: true,
                proposals: Proposals::None,
                ..job.options.clone()
            };
            return Ok(run::check(source, &options));
        }
        let options = match step {
            Step::Findings => Options {
                without_proofs: true,
                proposals: Proposals::None,
                ..job.options.clone()
            },
            Step::All => Options {
                keep_changed: source.text.len() <= CHANGED_MAX,
                ..job.options.clone()
            },
        };
        let found = marks::of_run(source, job.language, registry, &options);
        match found {
            // What needs no machine is found all the same.
            Err(what) if job.language == Language::Scenario => {
                let mut checked = run::check(source, &options);
                checked.findings.push(marks::unusable(source, &what));
                Ok(checked)
            }
            found => found,
        }
    };
    let told = |what| Report {
        findings: vec![marks::unusable(source, &what)],
        ..Report::default()
    };
    // A mistake of this program in one text must not end what it does for the others.
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(report)) => report,
        Ok(Err(what)) => told(what),
        Err(_) => told(run::Unusable::new(
            "this program failed on this text",
            "run it with `syncscope run`, and report what that prints",
        )),
    }
}
