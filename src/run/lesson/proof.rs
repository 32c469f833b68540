//! Whether a lesson keeps its word.
//!
//! The start fails what it says and passes the rest; the solution passes; the solution with the widest barriers fails, and so does
//! the start or the solution with one thing less. So neither a hammer nor a deletion is an answer.

use super::checks::{Judge, bare};
use super::{Kind, Lesson};
use crate::api::{BarrierAccess, BarrierSync};
use crate::finding::Source;
use crate::kernel::{self, Fence, Kernel, OpKind, Stage, SyncFlags};
use crate::lower::rules;
use crate::run::{Options, Registry, read_litmus};
use crate::scenario::{self, CommandKind, Scenario, StatementKind, edit};

/// The lowering that does everything at every barrier.
const HAMMER: &str = "full_flush";

pub(super) fn prove(lesson: &Lesson, registry: &Registry, options: &Options) -> Vec<String> {
    let Some(solution) = &lesson.solution else {
        return Vec::new();
    };
    let judge = Judge::new(lesson, registry, options);
    let mut told = Vec::new();
    let failed = judge.check(&lesson.start).failed();
    let meant: Vec<&str> = lesson.fails.iter().map(String::as_str).collect();
    for word in failed.iter().filter(|it| !meant.contains(it)) {
        told.push(format!(
            "the start fails `{word}`, and `fails` does not say so"
        ));
    }
    for word in meant.iter().filter(|it| !failed.contains(it)) {
        told.push(format!("`fails` says `{word}`, and the start passes it"));
    }
    for row in judge.check(solution).rows {
        if !row.passed {
            let found = row.found.join("; ");
            told.push(format!(
                "the solution fails `{}`: {found}",
                row.check.word()
            ));
        }
    }
    let passes = |text: String| judge.check(&lesson.attempt(text)).passed();
    let start = deletions(&bare(&lesson.start), lesson.kind(), true);
    told.extend(solved("the start", start, passes));
    let ends = deletions(&bare(solution), lesson.kind(), false);
    told.extend(solved("the solution", ends, passes));
    if let Some(hammer) = hammer(&bare(solution), lesson.kind()) {
        if passes(hammer) {
            told.push("the solution with the widest of all barriers passes too".to_owned());
        }
    } else if lesson.kind() == Kind::Rules && judge.check_lowering(HAMMER).passed() {
        told.push(format!("the lowering `{HAMMER}` passes too"));
    }
    told
}

/// What passes and should not: texts with something left out.
fn solved(
    of: &str,
    texts: Vec<(String, String)>,
    passes: impl Fn(String) -> bool,
) -> impl Iterator<Item = String> {
    let passing = texts
        .into_iter()
        .filter(move |(_, text)| passes(text.clone()));
    passing.map(move |(what, _)| format!("{of} without {what} passes"))
}

/// A text without one of its parts, each with what is left out. Of a start also statements and commands.
fn deletions(text: &Source, kind: Kind, is_start: bool) -> Vec<(String, String)> {
    match kind {
        Kind::Scenario => {
            let (scenario, _) = scenario::parse(text);
            let mut texts = entries(&scenario, text);
            texts.extend(statements(&scenario, text, is_start));
            if is_start {
                texts.extend(commands(&scenario, text));
            }
            texts
        }
        Kind::Litmus => fences(&read_litmus(text).0, text),
        Kind::Rules => rule_lines(text),
    }
}

fn at(text: &Source, what: &str, start: u32) -> String {
    format!("the {what} on line {}", text.line(start))
}

fn entries(scenario: &Scenario, text: &Source) -> Vec<(String, String)> {
    let without = edit::entries(scenario).map(|entry| {
        let mut copy = scenario.clone();
        edit::take(&mut copy, entry);
        let span = entry.span(scenario).unwrap_or_default();
        (at(text, "barrier", span.start), scenario::print(&copy))
    });
    without.collect()
}

/// Without a statement of the timeline; of a solution only signals and waits.
fn statements(scenario: &Scenario, text: &Source, all: bool) -> Vec<(String, String)> {
    let Some(timeline) = &scenario.timeline else {
        return Vec::new();
    };
    let mut without = Vec::new();
    for (index, statement) in timeline.statements.iter().enumerate() {
        let orders = matches!(
            statement.kind,
            StatementKind::Signal { .. } | StatementKind::Wait { .. }
        );
        if all || orders {
            let mut copy = scenario.clone();
            copy.timeline.as_mut().map(|it| it.statements.remove(index));
            let what = at(text, "statement", statement.span.start);
            without.push((what, scenario::print(&copy)));
        }
    }
    without
}

fn commands(scenario: &Scenario, text: &Source) -> Vec<(String, String)> {
    let mut without = Vec::new();
    for (list, recorded) in scenario.lists.pairs() {
        for (index, command) in recorded.commands.iter().enumerate() {
            let mut copy = scenario.clone();
            copy.lists[list].commands.remove(index);
            let what = at(text, "command", command.span.start);
            without.push((what, scenario::print(&copy)));
        }
    }
    without
}

fn fences(kernel: &Kernel, text: &Source) -> Vec<(String, String)> {
    let mut without = Vec::new();
    for (thread, written) in kernel.threads.iter().enumerate() {
        for (index, op) in written.ops.iter().enumerate() {
            if matches!(op.kind, OpKind::Fence(_)) {
                let mut copy = kernel.clone();
                copy.threads[thread].ops.remove(index);
                without.push((at(text, "fence", op.span.start), kernel::print(&copy)));
            }
        }
    }
    without
}

/// A rule file without one of its rules, and without one operation of a rule.
fn rule_lines(text: &Source) -> Vec<(String, String)> {
    let (file, _) = rules::parse(text);
    let mut without = Vec::new();
    for (index, rule) in file.rules.iter().enumerate() {
        let mut copy = file.clone();
        copy.rules.remove(index);
        without.push((at(text, "rule", rule.span.start), rules::print(&copy)));
        for (line, statement) in rule.block.lines.iter().enumerate() {
            if matches!(statement.item, rules::Statement::Do(_)) {
                let mut copy = file.clone();
                copy.rules[index].block.lines.remove(line);
                let what = at(text, "operation", statement.span.start);
                without.push((what, rules::print(&copy)));
            }
        }
    }
    without
}

/// A text with the widest of all barriers; `None` of a rule file, and of a text whose barriers are all legacy.
fn hammer(text: &Source, kind: Kind) -> Option<String> {
    match kind {
        Kind::Scenario => {
            let (mut scenario, _) = scenario::parse(text);
            let mut any = false;
            for list in &mut scenario.lists {
                for command in &mut list.commands {
                    any |= widen(&mut command.kind);
                }
            }
            any.then(|| scenario::print(&scenario))
        }
        Kind::Litmus => {
            let (mut kernel, _) = read_litmus(text);
            for thread in &mut kernel.threads {
                let widest = widest(thread.stage);
                for op in &mut thread.ops {
                    if let OpKind::Fence(fence) = &mut op.kind {
                        *fence = Fence::Sync(widest);
                    }
                }
            }
            Some(kernel::print(&kernel))
        }
        Kind::Rules => None,
    }
}

/// `ALL` and `COMMON`, but where nothing is waited for, held or used, and at a split barrier's own halves.
fn widen(kind: &mut CommandKind) -> bool {
    let Some(barriers) = kind.barriers_mut() else {
        return false;
    };
    let wide = |sync: BarrierSync| {
        let stays = sync.is_empty() || sync.is_split();
        if stays { sync } else { BarrierSync::ALL }
    };
    let open = |access: BarrierAccess| {
        let stays = access.is_no_access();
        if stays { access } else { BarrierAccess::COMMON }
    };
    for barrier in barriers.iter_mut() {
        barrier.sync_before = wide(barrier.sync_before);
        barrier.sync_after = wide(barrier.sync_after);
        barrier.access_before = open(barrier.access_before);
        barrier.access_after = open(barrier.access_after);
    }
    !barriers.is_empty()
}

/// The widest `sync` of a stage. In a compute shader the threads meet too.
fn widest(stage: Stage) -> SyncFlags {
    let is_compute = stage == Stage::Compute;
    SyncFlags {
        uglobal: true,
        ugroup: false,
        g: is_compute,
        t: is_compute,
    }
}
