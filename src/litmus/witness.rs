//! How an outcome comes about: a shortest way through a model, as rows of a space-time diagram.

use super::examine::{Examination, ExamineOptions, ModelName, examine, satisfies};
use super::explore::{Exploration, Model, StepKind, Transition};
use super::machine::{L1Policy, Machine};
use super::program::{Action, Program, members};
use super::sequential::Sequential;
use super::specification::Specification;
use crate::kernel::{Condition, Kernel, Op, print_op};
use serde::Serialize;
use std::fmt::Write as _;

/// A step on a way to an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WitnessStep"))]
pub struct Row {
    /// For each thread: its instruction, with the value that it read; null for a thread that does nothing.
    pub threads: Vec<Option<String>>,
    /// What happens in memory and caches.
    pub events: Vec<String>,
}

/// A way to an outcome.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WitnessRow"))]
pub struct Witness {
    /// The model that takes it.
    #[cfg_attr(test, schemars(with = "String"))]
    pub model: ModelName,
    /// The outcome, a number for each of `subjects`.
    pub outcome: Vec<u32>,
    /// Its steps.
    #[serde(rename = "steps")]
    pub rows: Vec<Row>,
}

/// A way to an outcome that satisfies a condition, in the model with the fewest outcomes that has one.
pub fn find(
    kernel: &Kernel,
    examination: &Examination,
    condition: &Condition,
    options: &ExamineOptions,
) -> Option<Witness> {
    let program = examination.program.as_ref()?;
    for answer in &examination.answers {
        let found = answer
            .exploration
            .outcomes
            .iter()
            .filter(|(outcome, _)| satisfies(condition, &examination.subjects, outcome))
            .min_by_key(|(_, shown)| (shown.changed, shown.state));
        if let Some((outcome, shown)) = found {
            if shown.changed {
                // The way was explored with identical threads in other places: look for it as the text has them.
                let plain = ExamineOptions {
                    without_symmetry: true,
                    ..options.clone()
                };
                return find(kernel, &examine(kernel, &plain), condition, &plain);
            }
            let rows = with_model(program, answer.model, options, |model| {
                rows(kernel, program, model, &answer.exploration, shown.state)
            });
            return Some(Witness {
                model: answer.model,
                rows,
                outcome: outcome.clone(),
            });
        }
    }
    None
}

/// Calls `then` with a model.
fn with_model<T>(
    program: &Program,
    model: ModelName,
    options: &ExamineOptions,
    then: impl FnOnce(&dyn Model) -> T,
) -> T {
    let machine = |policy| Machine::new(program, policy, &options.machine);
    match model {
        ModelName::Sequential => then(&Sequential::new(program)),
        ModelName::WriteThrough => then(&machine(L1Policy::WriteThrough)),
        ModelName::WriteBack => then(&machine(L1Policy::WriteBack)),
        ModelName::Specification => then(&Specification::new(program, &options.knobs)),
    }
}

fn rows(
    kernel: &Kernel,
    program: &Program,
    model: &dyn Model,
    exploration: &Exploration,
    state: u32,
) -> Vec<Row> {
    let mut rows = Vec::new();
    let path = exploration.path(state);
    let mut before = path[0].0;
    for (at, step) in path {
        rows.extend(row(kernel, program, model, exploration, before, at, step));
        rows.extend(silent(
            kernel,
            program,
            model,
            exploration,
            before,
            at,
            step,
        ));
        before = at;
    }
    rows
}

fn text<'k>(kernel: &'k Kernel, program: &Program, op: usize) -> (usize, &'k Op) {
    let it = &program.ops[op];
    (it.thread, &kernel.threads[it.thread].ops[it.line])
}

/// The step itself.
fn row(
    kernel: &Kernel,
    program: &Program,
    model: &dyn Model,
    exploration: &Exploration,
    before: u32,
    at: u32,
    step: Transition,
) -> Option<Row> {
    if step.kind == StepKind::Start {
        return None;
    }
    let told = model.explain(exploration.state(before), step, exploration.state(at));
    let mut threads = vec![None; program.threads.len()];
    let ops: Vec<usize> = match step.kind {
        StepKind::Meet => program.meetings[step.subject as usize].ops.clone(),
        StepKind::Arrive | StepKind::WriteBack => Vec::new(),
        _ => vec![step.subject as usize],
    };
    for op in ops {
        let (thread, it) = text(kernel, program, op);
        let mut line = print_op(kernel, it);
        if let Some(value) = told.read {
            write!(line, " → {value}").expect("a string grows");
        }
        threads[thread] = Some(line);
    }
    Some(Row {
        threads,
        events: told.events,
    })
}

/// Fences that the model does without a step of their own, as soon as they can be.
fn silent(
    kernel: &Kernel,
    program: &Program,
    model: &dyn Model,
    exploration: &Exploration,
    before: u32,
    at: u32,
    step: Transition,
) -> Vec<Row> {
    let state = exploration.state(at);
    let earlier = match step.kind {
        StepKind::Start => 0,
        _ => exploration.state(before)[0],
    };
    let mut rows: Vec<Row> = Vec::new();
    for op in members(state[0] & !earlier) {
        let counted = match step.kind {
            StepKind::Start | StepKind::Arrive | StepKind::WriteBack => false,
            StepKind::Meet => program.meetings[step.subject as usize].ops.contains(&op),
            _ => step.subject as usize == op,
        };
        let fence = matches!(program.ops[op].action, Action::Fence(_));
        if counted || !fence || !model.took(state, op) {
            continue;
        }
        let (thread, it) = text(kernel, program, op);
        // Fences of different threads may share a row.
        if rows.last().is_none_or(|row| row.threads[thread].is_some()) {
            rows.push(Row {
                threads: vec![None; program.threads.len()],
                events: Vec::new(),
            });
        }
        let row = rows.last_mut().expect("there is a row");
        row.threads[thread] = Some(print_op(kernel, it));
    }
    rows
}
