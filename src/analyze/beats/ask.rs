//! What a class is asked before a beat is told. Every choice is true or not by what the run has, so that an answer answers.
//! The choices know what has happened before the beat, not what it is.

use super::{Beat, BeatKind, Beats, Read, Teller};
use crate::analyze::names;
use crate::id::{BarrierRef, NodeId, ResourceId};
use crate::time::Ps;
use crate::trace::ObservationKind;
use crate::trace::contents::Writer;
use serde::Serialize;

/// Choices of a question.
const CHOICES_MAX: usize = 5;
/// Writers of a resource that may be choices: the last ones.
const WRITERS_MAX: usize = 64;

/// A question with a known answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Ask {
    /// The question.
    pub question: String,
    /// What may be answered.
    pub choices: Vec<String>,
    /// Index of the true one.
    pub answer: usize,
    /// Why; empty if the beat says it.
    pub because: String,
}

impl Ask {
    /// What the answer is, in a sentence, and why.
    pub fn solution(&self) -> String {
        let answer = &self.choices[self.answer];
        let stop = if answer.ends_with('.') { "" } else { "." };
        if self.because.is_empty() {
            format!("{answer}{stop}")
        } else {
            format!("{answer}{stop} {}", self.because)
        }
    }
}

/// What becomes of a scenario without a barrier.
#[derive(Copy, Clone, PartialEq, Eq, Debug)]
pub enum Without {
    /// No new error or hazard.
    Nothing,
    /// A new error or hazard.
    Wrong,
}

/// What was found out about a barrier by leaving it out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Deleted {
    /// What becomes of the scenario.
    pub without: Without,
    /// Why, a sentence.
    pub why: String,
}

impl Teller<'_> {
    /// The question about each of the first `most` beats, if there is one whose answer is not plain. `deleted` says what was found
    /// out about a barrier.
    pub fn asks(
        &self,
        beats: &Beats,
        most: usize,
        deleted: &dyn Fn(BarrierRef) -> Option<Deleted>,
    ) -> Vec<Option<Ask>> {
        let mut busy: Vec<&str> = Vec::new();
        let mut started: Option<NodeId> = None;
        let mut all = Vec::with_capacity(most.min(beats.beats.len()));
        for (index, beat) in beats.beats.iter().enumerate().take(most) {
            all.push(match &beat.kind {
                BeatKind::Submitted(_) => {
                    let queue = self.queue(beat.node);
                    if !busy.contains(&queue) {
                        busy.push(queue);
                    }
                    None
                }
                BeatKind::Starts(_) => {
                    // The next stage of the same command is no news.
                    let is_new = started.replace(beat.node) != Some(beat.node);
                    let is_asked = is_new && !self.is_tied(&beats.beats[index..]);
                    is_asked.then(|| self.which_queue(beat, &busy)).flatten()
                }
                BeatKind::Reads(read) => self.which_version(beats, beat, read),
                BeatKind::Released { .. } => self.what_without(beat, deleted),
                _ => None,
            });
        }
        all
    }

    /// What goes wrong if this line is deleted?
    fn what_without(
        &self,
        beat: &Beat,
        deleted: &dyn Fn(BarrierRef) -> Option<Deleted>,
    ) -> Option<Ask> {
        let found = deleted(self.entry(beat.op)?)?;
        let line = self.line(beat);
        Some(Ask {
            question: format!("What goes wrong if the barrier at line {line} is deleted?"),
            choices: vec![
                "Nothing: there is no new error or hazard.".to_owned(),
                "There is a new error or hazard.".to_owned(),
            ],
            answer: usize::from(found.without == Without::Wrong),
            because: found.why,
        })
    }

    /// Which contents does it see?
    fn which_version(&self, beats: &Beats, beat: &Beat, read: &Read) -> Option<Ask> {
        let truth = read.found.first()?.writer;
        let kind = self.kind(read);
        if kind == Some(ObservationKind::Late) {
            // What it has read was asked when it began to.
            return None;
        }
        let is_undefined = kind == Some(ObservationKind::Undefined);
        if read.found.iter().any(|found| found.writer != truth) {
            return None;
        }
        let resource = read.resource;
        let also = read.wrong.as_ref().map(|wrong| wrong.expected);
        let handed = |node: NodeId| {
            let submission = self.given.timeline.submission_of(node);
            let at = self.given.trace.submitted.get(submission).copied();
            match at {
                // What the CPU does itself is handed to nobody.
                None | Some(Ps::MAX) => self.given.trace.command(node).start <= beat.at,
                Some(at) => at <= beat.at,
            }
        };
        let known = beats.versions.writers(resource).rev().take(WRITERS_MAX);
        let known = known.filter(|w| w.node != beat.node && handed(w.node));
        let mut all: Vec<Option<Writer>> = std::iter::once(None).chain(known.map(Some)).collect();
        all.extend([Some(truth), also].into_iter().flatten());
        // Initial contents first; versions of an alias last.
        all.sort_by_key(|w| (w.is_some_and(|w| w.resource != resource), *w));
        all.dedup();
        while all.len() > CHOICES_MAX {
            let spare = all.iter().position(|w| *w != truth && Some(*w) != also)?;
            all.remove(spare);
        }
        let answer = all.iter().position(|w| *w == truth)?;
        let mut choices: Vec<String> = all
            .iter()
            .map(|w| self.choice(beats, *w, resource))
            .collect();
        choices.push("No version: its contents are undefined.".to_owned());
        let answer = if is_undefined { all.len() } else { answer };
        (is_undefined || all.len() > 1).then(|| Ask {
            question: format!(
                "Which version of `{}` does {} read?",
                self.resource(resource),
                self.subject(beat)
            ),
            choices,
            answer,
            because: String::new(),
        })
    }

    fn choice(&self, beats: &Beats, writer: Option<Writer>, resource: ResourceId) -> String {
        let Some(writer) = writer else {
            return "Version 0: initial contents.".to_owned();
        };
        let number = beats.versions.number(Some(writer));
        let by = names::named(self.given.timeline, writer.node);
        if writer.resource == resource {
            format!("Version {number}: what {by} writes.")
        } else {
            let other = self.resource(writer.resource);
            format!("Version {number} of `{other}`: what {by} writes.")
        }
    }

    /// Whether another queue starts something at the time of the first of some beats: then more than one answer is true.
    fn is_tied(&self, rest: &[Beat]) -> bool {
        let own = self.queue(rest[0].node);
        let mut now = rest.iter().take_while(|beat| beat.at == rest[0].at);
        now.any(|beat| matches!(beat.kind, BeatKind::Starts(_)) && self.queue(beat.node) != own)
    }

    /// Which queue goes on next? `busy` are those that have been given something.
    fn which_queue(&self, beat: &Beat, busy: &[&str]) -> Option<Ask> {
        let own = self.queue(beat.node);
        let mut queues: Vec<&str> = self
            .given
            .timeline
            .scenario
            .queues
            .keys()
            .map(|q| &**q)
            .collect();
        queues.retain(|queue| busy.contains(queue));
        let answer = queues.iter().position(|queue| *queue == own)?;
        (queues.len() > 1).then(|| Ask {
            question: "Which queue starts something next?".to_owned(),
            choices: queues.iter().map(|queue| (*queue).to_owned()).collect(),
            answer,
            because: String::new(),
        })
    }
}
