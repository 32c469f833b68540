//! What could remove a race: a wait for a signal that is there, one of the two moved, a further value of a fence that is
//! there, or a fence of its own between the two.

mod verbs;
mod words;

pub(super) use words::value_text;

use super::{Candidate, Text};
use crate::finding::{Edit, Source, Span};
use crate::graph::Conflict;
use crate::id::FenceId;
use crate::order::{Actor, Timeline};
use crate::scenario::{FenceValue, Scenario, Statement, StatementKind};

/// A statement on the way from the timeline to one inside `repeat` blocks.
pub(super) struct FoundStatement<'s> {
    pub(super) statement: &'s Statement,
    /// How often the innermost `repeat` and those around it run, multiplied; 1 outside.
    runs: u64,
    /// The innermost `repeat`, by the place where it begins.
    pub(super) inside: Option<u32>,
    /// Every `repeat` around it, outermost first.
    path: Vec<u32>,
    /// Position among all statements in order of the text.
    pub(super) position: usize,
}

/// Candidates for a race, the smallest first: `first` is over before `second` begins. What is there is used before
/// anything is added: a signal, a wait, a fence. `taken` are fences and values that other changes of the text use.
pub(crate) fn candidates(
    source: &Source,
    written: &Scenario,
    timeline: &Timeline<'_>,
    conflict: &Conflict,
    taken: &[String],
) -> Vec<Candidate> {
    let submission = |node| timeline.submission(timeline.submission_of(node));
    let (first, second) = (
        submission(conflict.first.node),
        submission(conflict.second.node),
    );
    let statements = flat(written);
    let find = |span: Span| statements.iter().find(|s| s.statement.span == span);
    let (Some(one), Some(two)) = (find(first.statement.span), find(second.statement.span)) else {
        return Vec::new();
    };
    // One of them in a repeat inside the repeat of both: no one value of a fence says which round is meant.
    let nested = one.path.first() == two.path.first() && one.path != two.path;
    let backwards = one.path != two.path && one.position > two.position;
    if nested && !one.path.is_empty() && !two.path.is_empty() || backwards {
        return Vec::new();
    }
    let order = Order {
        text: Text { source },
        written,
        statements: &statements,
        one,
        two,
        actor: first.actor,
        are_strangers: are_strangers(written, first.actor, second.actor),
        from: timeline.actor_name(first.actor),
        to: timeline.actor_name(second.actor),
        taken,
    };
    let (mut candidates, added) = order.by_signals();
    candidates.extend(order.by_other_signals());
    candidates.extend(order.by_other_verbs());
    candidates.extend(added);
    candidates.extend(order.by_moved_signals());
    candidates.extend(order.by_fences());
    candidates.extend(order.by_new_fence());
    candidates
}

/// What is to be ordered: statement `one` of the actor `from` before statement `two` of the actor `to`.
struct Order<'a, 's> {
    text: Text<'a>,
    written: &'a Scenario,
    statements: &'a [FoundStatement<'s>],
    one: &'a FoundStatement<'s>,
    two: &'a FoundStatement<'s>,
    actor: Actor,
    /// They are of two processes.
    are_strangers: bool,
    from: &'a str,
    to: &'a str,
    taken: &'a [String],
}

impl<'s> Order<'_, 's> {
    /// Waits for signals that the first actor gives after the first submission anyway: those that are there with another
    /// fence or value; then those that are moved, or new.
    fn by_signals(&self) -> (Vec<Candidate>, Vec<Candidate>) {
        let (mut changed, mut candidates) = (Vec::new(), Vec::new());
        for found in self.signals(|at| at > self.one.position) {
            let StatementKind::Signal { fence, value, .. } = &found.statement.kind else {
                continue;
            };
            let name = self.written.fence_name(*fence);
            let value = match value {
                FenceValue::Absolute(value) => value.to_string(),
                // After the signal the running value is the signalled one.
                FenceValue::Relative(_) if found.position < self.two.position => "+0".to_string(),
                FenceValue::Relative(by) => format!("+{by}"),
            };
            let wait = format!("{} wait {name} {value}", self.to);
            let edit = self.text.before(self.two.statement.span.start, &wait);
            if let Some(early) = self.waits(*fence, |at| at < self.two.position).last() {
                let span = early.statement.span;
                let text = wait.clone();
                let says = format!("wait for {name} {value} instead");
                changed.push(Candidate::new(vec![Edit { span, text }], says));
                self.push_moved(&mut candidates, (span, &edit), &wait);
            }
            changed.extend(self.renamed_wait(found));
            for late in self.waits(*fence, |at| at > self.two.position).take(2) {
                self.push_moved(&mut candidates, (late.statement.span, &edit), &wait);
            }
            candidates.push(Candidate::new(
                vec![edit],
                format!("add before (2): `{wait}`"),
            ));
            if candidates.len() > 12 {
                break;
            }
        }
        (changed, candidates)
    }

    fn push_moved(&self, candidates: &mut Vec<Candidate>, (from, to): (Span, &Edit), wait: &str) {
        let edits = Text::in_order(vec![self.text.without(from), to.clone()]);
        candidates.extend(edits.map(|edits| {
            Candidate::new(
                edits,
                format!(
                    "move the wait of line {} before (2): `{wait}`",
                    self.text.source.line(from.start)
                ),
            )
        }));
    }

    /// A signal that comes too early, moved after the first submission: the second one waits for it already.
    fn by_moved_signals(&self) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let early: Vec<_> = self.signals(|at| at < self.one.position).collect();
        for found in early.into_iter().rev().take(3) {
            let StatementKind::Signal { fence, .. } = &found.statement.kind else {
                continue;
            };
            if self
                .waits(*fence, |at| at < self.two.position)
                .next()
                .is_none()
            {
                continue;
            }
            let span = found.statement.span;
            let written = self
                .text
                .source
                .text
                .get(span.start as usize..span.end as usize);
            let Some(signal) = written else { continue };
            let after = self.text.after(self.one.statement.span, signal);
            let says = format!(
                "move the signal of line {} after (1): `{signal}`",
                self.text.source.line(span.start)
            );
            let edits = Text::in_order(vec![self.text.without(span), after]);
            candidates.extend(edits.map(|edits| Candidate::new(edits, says)));
        }
        candidates
    }

    /// A further value of a fence that is there.
    fn by_fences(&self) -> Vec<Candidate> {
        let is_repeated = self.one.inside.is_some() || self.two.inside.is_some();
        let mut fences: Vec<(bool, FenceId)> = Vec::new();
        for (at, fence) in self.written.fences.values().enumerate() {
            let id = FenceId::new(at);
            // A fence of one process is none of another, unless it is shared: a proof shows whether both have it.
            let is_open = if self.are_strangers {
                fence.flags.iter().any(|(flag, _)| flag == "Shared")
            } else {
                fence.flags.is_empty()
            };
            let is_plain = fence.kind.is_none() && fence.native.is_none() && is_open;
            let mut uses = self
                .statements
                .iter()
                .filter_map(|s| value_of(s.statement, id));
            let counts = uses
                .clone()
                .any(|value| matches!(value, FenceValue::Relative(_)));
            let is_used = uses.next().is_some();
            if is_plain && !counts && !(is_repeated && is_used) {
                fences.push((is_used, id));
            }
        }
        // One that the first actor signals already, then one that nobody uses.
        fences.sort_by_key(|(is_used, _)| !is_used);
        fences.truncate(4);
        let mut candidates = Vec::new();
        for (_, id) in fences {
            let name = self.written.fence_name(id);
            let values = self
                .statements
                .iter()
                .filter_map(|s| value_of(s.statement, id));
            let highest = values.filter_map(|value| match value {
                FenceValue::Absolute(value) => Some(value),
                FenceValue::Relative(_) => None,
            });
            let initial = self.written.fences[id].initial;
            let highest = highest.chain([initial]).max().unwrap_or(0);
            let mut values = (highest.saturating_add(1)..=u64::MAX).take(self.taken.len() + 1);
            let free = values.find(|value| !self.taken.contains(&format!("{name} {value}")));
            let Some(value) = free else { continue };
            let (signal, wait) = self.round(name, value);
            let says = format!("order them by `{signal}` after (1) and `{wait}` before (2)");
            let edits = Text::in_order(vec![
                self.text.after(self.one.statement.span, &signal),
                self.text.before(self.two.statement.span.start, &wait),
            ]);
            candidates.extend(edits.map(|edits| Candidate {
                edits,
                says,
                declares: Some(format!("{name} {value}")),
                instead: None,
                removes: Vec::new(),
            }));
        }
        candidates
    }

    /// A fence of its own, of a name that nothing else has.
    fn by_new_fence(&self) -> Option<Candidate> {
        if self.are_strangers {
            return None;
        }
        let start = self.written.timeline.as_ref()?.span.start;
        let is_free =
            |name: &String| !self.written.fences.contains_key(name) && !self.taken.contains(name);
        let name = (1..=u32::MAX)
            .map(|n| format!("ordered{n}"))
            .find(is_free)?;
        let (signal, wait) = self.round(&name, 1);
        let says = format!(
            "order them by a new fence `{name}`: `{signal}` after (1), `{wait}` before (2)"
        );
        let edits = Text::in_order(vec![
            self.text.before(start, &format!("fence {name}\n")),
            self.text.after(self.one.statement.span, &signal),
            self.text.before(self.two.statement.span.start, &wait),
        ])?;
        Some(Candidate {
            edits,
            says,
            declares: Some(name),
            instead: None,
            removes: Vec::new(),
        })
    }

    /// A signal and a wait of a fence: with a value, or counting in a `repeat`.
    fn round(&self, name: &str, value: u64) -> (String, String) {
        let (one, two) = (self.one.inside, self.two.inside);
        let values = match (one, two) {
            (a, b) if a == b && a.is_some() => ("+1".to_string(), "+0".to_string()),
            (Some(_), _) => {
                let last = (value - 1).saturating_add(self.one.runs);
                ("+1".to_string(), last.to_string())
            }
            (None, _) => (value.to_string(), value.to_string()),
        };
        (
            format!("{} signal {name} {}", self.from, values.0),
            format!("{} wait {name} {}", self.to, values.1),
        )
    }

    /// Signals of the first actor at some positions that the second statement may wait for.
    fn signals(&self, wanted: impl Fn(usize) -> bool) -> impl Iterator<Item = &FoundStatement<'s>> {
        self.statements.iter().filter(move |s| {
            let by = match &s.statement.kind {
                StatementKind::Signal { queue, .. } => queue.map_or(Actor::Cpu, Actor::Queue),
                _ => return false,
            };
            wanted(s.position) && by == self.actor && s.inside == self.two.inside
        })
    }

    /// Waits of the second actor for a fence at some positions.
    fn waits(
        &self,
        wanted: FenceId,
        position: impl Fn(usize) -> bool,
    ) -> impl Iterator<Item = &FoundStatement<'s>> {
        self.statements
            .iter()
            .filter(move |s| position(s.position) && self.is_wait_of_second(s, wanted))
    }

    /// Whether a statement is a wait of the second actor for a fence.
    fn is_wait_of_second(&self, found: &FoundStatement<'s>, wanted: FenceId) -> bool {
        let StatementKind::Wait { queue, fence, .. } = &found.statement.kind else {
            return false;
        };
        let by = queue.map_or("cpu", |queue| self.written.queue_name(queue));
        found.inside == self.two.inside && by == self.to && *fence == wanted
    }
}

/// Whether two actors are of different processes.
fn are_strangers(written: &Scenario, one: Actor, two: Actor) -> bool {
    let process = |actor| match actor {
        Actor::Queue(queue) => written.process_of(queue),
        Actor::Cpu => None,
    };
    let (one, two) = (process(one), process(two));
    one.is_some() && two.is_some() && one != two
}

/// The value of a fence that a statement signals or waits for.
fn value_of(statement: &Statement, id: FenceId) -> Option<FenceValue> {
    match &statement.kind {
        StatementKind::Signal { fence, value, .. } | StatementKind::Wait { fence, value, .. }
            if *fence == id =>
        {
            Some(*value)
        }
        _ => None,
    }
}

/// Every statement in order of the text, those inside `repeat` blocks too.
pub(super) fn flat(written: &Scenario) -> Vec<FoundStatement<'_>> {
    fn walk<'s>(
        statements: &'s [Statement],
        runs: u64,
        path: &[u32],
        found: &mut Vec<FoundStatement<'s>>,
    ) {
        for statement in statements {
            found.push(FoundStatement {
                statement,
                runs,
                inside: path.last().copied(),
                path: path.to_vec(),
                position: found.len(),
            });
            if let StatementKind::Repeat { count, body } = &statement.kind {
                let mut path = path.to_vec();
                path.push(statement.span.start);
                walk(body, runs.saturating_mul(*count), &path, found);
            }
        }
    }
    let mut found = Vec::new();
    if let Some(timeline) = &written.timeline {
        walk(&timeline.statements, 1, &[], &mut found);
    }
    found
}
