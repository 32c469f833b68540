//! The fences of a text with its barriers placed: what lacks is added, and queues wait for no more and no earlier than they must.
//!
//! Uses on two queues that no fence orders are what a repair mends: a signal and a wait. A wait goes if the text is right without
//! it, which is so where another chain of signals and waits orders the same (transitive reduction); otherwise it moves after the
//! statements of its queue that follow, one after the other, as long as the text is right and no machine takes longer. Signals
//! go with the last wait for their fence. Waits of the CPU stay: nobody knows what an application does with them.
//!
//! Cost: a check and a simulation for each change that is tried; the last waits come first.

use super::text::{gone, own_lines};
use super::{Machines, Options, is_race, proof};
use crate::finding::{Edit, Finding, Severity, Source, Span};
use crate::id::{FenceId, QueueId};
use crate::repair;
use crate::scenario::{self, Fence, Scenario, Statement, StatementKind};
use serde::Serialize;

/// What became of fences.
#[derive(Copy, Clone, PartialEq, Eq, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FencesRow"))]
#[non_exhaustive]
pub struct Fences {
    /// Signals and waits that lacked.
    pub added: usize,
    /// Waits of queues that nothing needed.
    pub dropped: usize,
    /// Waits of queues that come later than they did.
    pub later: usize,
}

/// Commands of all runs that these changes cost, and changes that are tried at most.
const STEPS_MAX: usize = 200_000;
const TRIES_MAX: usize = 1_000;

/// A text with the signals and waits that it lacks, and how many these are; `None` if it lacks none that a repair knows.
pub(super) fn lacking(text: &Source, options: &Options) -> Option<(Source, usize)> {
    proof::left_in(text, options)
        .iter()
        .find(|it| is_race(it))?;
    let repaired = repair::repair(text, options.rules, is_race);
    let count = |text: &Source| {
        let (scenario, _) = scenario::parse(text);
        let mut count = 0;
        for_each(&scenario, &mut |it| {
            count += usize::from(matches!(
                it.kind,
                StatementKind::Signal { .. } | StatementKind::Wait { .. }
            ));
        });
        count
    };
    let added = count(&repaired.source).saturating_sub(count(text));
    (added > 0).then_some((repaired.source, added))
}

fn for_each(scenario: &Scenario, each: &mut impl FnMut(&Statement)) {
    for statement in scenario.timeline.iter().flat_map(|it| &it.statements) {
        statement.for_each(each);
    }
}

/// A wait of a queue, with the statements of its block that come after it.
struct Wait<'a> {
    span: Span,
    queue: QueueId,
    fence: FenceId,
    rest: &'a [Statement],
}

/// Waits of queues, in the order of the text.
fn waits(scenario: &Scenario) -> Vec<Wait<'_>> {
    fn of<'a>(block: &'a [Statement], waits: &mut Vec<Wait<'a>>) {
        for (at, statement) in block.iter().enumerate() {
            match &statement.kind {
                StatementKind::Wait {
                    queue: Some(queue),
                    fence,
                    ..
                } => waits.push(Wait {
                    span: statement.span,
                    queue: *queue,
                    fence: *fence,
                    rest: &block[at + 1..],
                }),
                StatementKind::Repeat { body, .. } => of(body, waits),
                _ => {}
            }
        }
    }
    let mut all = Vec::new();
    let statements = scenario.timeline.as_ref().map(|it| &it.statements);
    of(statements.map_or(&[], Vec::as_slice), &mut all);
    all
}

/// Whether nothing but the text's own queues is known to signal a fence, or to wait for it.
fn is_plain(fence: &Fence) -> bool {
    let is_shared = fence.process.is_some() || fence.adapter.is_some() || !fence.flags.is_empty();
    !is_shared && fence.kind.is_none() && fence.native.is_none()
}

/// The text with fewer and later waits. One whose fences are in doubt stays as it is: when a wait ends may depend on another one.
pub(super) fn thinned(text: &Source, machines: &Machines<'_>, fences: &mut Fences) -> Source {
    let (scenario, _) = scenario::parse(text);
    let commands = super::commands(&scenario).max(1);
    let mut thinning = Thinning {
        text: text.clone(),
        machines,
        judged: judged(text, machines.options),
        time: machines.makespan(&scenario),
        tries_left: (STEPS_MAX / commands).min(TRIES_MAX),
    };
    if thinning.judged.0 > 0 || thinning.judged.2 > 0 {
        return thinning.text;
    }
    for at in (0..waits(&scenario).len()).rev() {
        let (now, _) = scenario::parse(&thinning.text);
        let Some(fence) = waits(&now).get(at).map(|it| it.fence) else {
            continue;
        };
        if !is_plain(&now.fences[fence]) {
            continue;
        }
        if thinning.offer(without(&thinning.text, &now, at)) {
            fences.dropped += 1;
            thinning.drop_signals(fence);
            continue;
        }
        let mut moved = false;
        loop {
            let (now, _) = scenario::parse(&thinning.text);
            if !thinning.offer(later(&thinning.text, &now, at)) {
                break;
            }
            moved = true;
        }
        fences.later += usize::from(moved);
    }
    thinning.text
}

/// A text as it becomes less.
struct Thinning<'a> {
    text: Source,
    machines: &'a Machines<'a>,
    judged: (usize, usize, usize),
    time: Option<u64>,
    tries_left: usize,
}

impl Thinning<'_> {
    /// Takes another text if it is as right, and no machine takes longer.
    fn offer(&mut self, edits: Option<Vec<Edit>>) -> bool {
        let Some(edits) = edits.filter(|_| self.tries_left > 0) else {
            return false;
        };
        self.tries_left -= 1;
        let edits = repair::in_order(edits);
        let text = repair::apply(&self.text.text, &edits);
        let text = Source::new(self.text.name.clone(), text);
        let judged = judged(&text, self.machines.options);
        let (now, before) = (judged, self.judged);
        if now.0 > before.0 || now.1 > before.1 || now.2 > before.2 {
            return false;
        }
        let (scenario, _) = scenario::parse(&text);
        let time = self.machines.makespan(&scenario);
        let is_slower = match (time, self.time) {
            (Some(now), Some(before)) => now > before,
            (None, before) => before.is_some(),
            (Some(_), None) => false,
        };
        if is_slower {
            return false;
        }
        (self.text, self.judged, self.time) = (text, judged, time);
        true
    }

    /// Takes away the signals of a fence that nobody waits for any more, and its declaration.
    fn drop_signals(&mut self, fence: FenceId) {
        let (scenario, _) = scenario::parse(&self.text);
        let mut spans = vec![Some(scenario.fences[fence].span)];
        let mut is_waited_for = false;
        for_each(&scenario, &mut |it| match it.kind {
            StatementKind::Signal { fence: of, .. } if of == fence => spans.push(Some(it.span)),
            StatementKind::Wait { fence: of, .. } => is_waited_for |= of == fence,
            _ => {}
        });
        if !is_waited_for {
            let text = &self.text;
            let lines = spans.iter().map(|it| own_lines(text, (*it)?));
            let gone = lines.map(|it| it.map(|it| gone(text, it))).collect();
            self.offer(gone);
        }
    }
}

/// Findings that fail, warnings, and warnings about fences.
fn judged(text: &Source, options: &Options) -> (usize, usize, usize) {
    let findings = proof::checked(text, options);
    let failing = findings.iter().filter(|it| it.severity.fails()).count();
    let is_warning = |it: &&Finding| it.severity == Severity::Warning;
    let warnings = findings.iter().filter(is_warning);
    let of_fences = warnings.clone().filter(|it| it.rule.family() == "FN");
    (failing, warnings.clone().count(), of_fences.count())
}

/// Takes a wait away.
fn without(text: &Source, scenario: &Scenario, at: usize) -> Option<Vec<Edit>> {
    let waits = waits(scenario);
    let lines = own_lines(text, waits.get(at)?.span)?;
    Some(vec![gone(text, lines)])
}

/// Moves a wait after the next statement of its queue.
fn later(text: &Source, scenario: &Scenario, at: usize) -> Option<Vec<Edit>> {
    let waits = waits(scenario);
    let wait = waits.get(at)?;
    let is_own = |it: &&Statement| match &it.kind {
        StatementKind::Execute { queue, .. } | StatementKind::Present { queue, .. } => {
            *queue == wait.queue
        }
        StatementKind::Signal { queue, .. } | StatementKind::Wait { queue, .. } => {
            *queue == Some(wait.queue)
        }
        // What else a queue does is in an order of its own.
        StatementKind::Reset(_) | StatementKind::Repeat { .. } | StatementKind::Object { .. } => {
            true
        }
        _ => false,
    };
    let next = wait.rest.iter().find(is_own)?;
    let passes = matches!(
        next.kind,
        StatementKind::Execute { .. }
            | StatementKind::Present { .. }
            | StatementKind::Signal { .. }
    );
    let (own, after) = (own_lines(text, wait.span)?, own_lines(text, next.span)?);
    passes.then(|| {
        let end = Span::new(after.end, after.end);
        let line = text.text[own.start as usize..own.end as usize].to_owned();
        vec![gone(text, own), Edit::new(end, line)]
    })
}
