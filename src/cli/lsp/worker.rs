//! The thread that runs texts. Of several texts that wait the newest of each file is run, and what was found in a text that has
//! changed meanwhile is dropped by whoever asked.

use crate::assist::actions::{Action, savings};
use crate::assist::{Language, marks};
use crate::finding::Source;
use crate::run::{self, Options, Proposals, Registry, Report};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::mpsc::Receiver;

/// Lines from which on nothing is simulated and no change is looked for: what is wrong comes sooner.
pub(super) const LINES_RUN: usize = 20_000;

/// Bytes of a text of which each saving is kept as a text of its own until it is an edit.
const CHANGED_MAX: usize = 64 << 10;

/// A text to run.
pub(super) struct Job {
    pub(super) uri: String,
    pub(super) revision: u64,
    pub(super) source: Arc<Source>,
    pub(super) language: Language,
    pub(super) lines: usize,
    pub(super) options: Options,
}

/// What was found in it.
pub(super) struct Done {
    pub(super) uri: String,
    pub(super) revision: u64,
    pub(super) source: Arc<Source>,
    pub(super) report: Report,
    /// What would save something.
    pub(super) savings: Vec<Action>,
}

/// Runs what comes until nobody asks any more.
pub(super) fn work(jobs: &Receiver<Job>, registry: &Registry, tell: impl Fn(Done) -> bool) {
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
        let mut report = found(&job, registry);
        let savings = savings(&job.source, &report);
        report.changed = Vec::new();
        let done = Done {
            uri: job.uri,
            revision: job.revision,
            source: job.source,
            report,
            savings,
        };
        if !tell(done) {
            return;
        }
    }
}

fn found(job: &Job, registry: &Registry) -> Report {
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
        let options = Options {
            keep_changed: source.text.len() <= CHANGED_MAX,
            ..job.options.clone()
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
