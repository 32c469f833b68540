//! Kernels: the litmus files that dispatches name. What their threads do to each other is said on the dispatch's line,
//! and what their fences cost is put into the scenario for the lowering.
//!
//! Each kernel is read once, and explored once.

use super::expect::{unknown, unknown_allowed};
use super::files::{FileKind, Files, named_in};
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use crate::kernel::{self, Kernel, OpKind, Scope, Stage};
use crate::litmus::explore::Limits;
use crate::litmus::{examine, study};
use crate::scenario::{CommandKind, Expectation, FenceCounts, Scenario, rules};
use indexmap::IndexMap;

/// Different kernels of one scenario: each is explored whole.
pub const KERNELS_MAX: usize = 64;

/// States of a kernel's exploration, and of its weaker versions together: about a second each. `syncscope litmus` goes
/// further.
const STATES_MAX: usize = 1 << 20;

/// A kernel that was understood, with what is wrong among its threads.
struct Studied {
    source: Source,
    fences: Vec<FenceCounts>,
    /// Thread groups, and threads of the largest.
    groups: u64,
    threads: u64,
    findings: Vec<Finding>,
}

/// Studies the kernels that a scenario names, notes what their fences cost, and tells how many there are and what was found.
/// `place`: the name of the scenario's text.
pub(crate) fn link(scenario: &mut Scenario, files: &dyn Files, place: &str) -> (u64, Vec<Finding>) {
    let mut known: IndexMap<String, Result<Studied, (String, String)>> = IndexMap::new();
    let mut findings = Vec::new();
    for list in &mut scenario.lists {
        for command in &mut list.commands {
            let span = command.span;
            let CommandKind::Dispatch {
                groups,
                options: Some(options),
                ..
            } = &mut command.kind
            else {
                continue;
            };
            let threads = options.threads;
            let Some(it) = &mut options.kernel else {
                continue;
            };
            if !known.contains_key(&it.path) {
                let studied = if known.len() < KERNELS_MAX {
                    studied(&it.path, &named_in(place, &it.path), files)
                } else {
                    Err((
                        format!("a scenario names at most {KERNELS_MAX} different kernels"),
                        "split the scenario".to_owned(),
                    ))
                };
                known.insert(it.path.clone(), studied);
            }
            let fits = known[&it.path]
                .as_ref()
                .map_err(Clone::clone)
                .and_then(|studied| fits(studied, &it.path, groups, threads).map(|()| studied));
            match fits {
                Ok(studied) => {
                    it.fences.clone_from(&studied.fences);
                    findings.extend(told(studied, &it.path, span));
                }
                Err((message, help)) => {
                    findings.push(Finding::new(&rules::KERNEL_UNUSABLE, span, message).help(help));
                }
            }
        }
    }
    (known.len() as u64, findings)
}

/// The first kernel that cannot be used, among what was found.
pub(crate) fn unusable(findings: &[Finding]) -> Option<&Finding> {
    let is_unusable = |f: &&Finding| f.rule.id == rules::KERNEL_UNUSABLE.id;
    findings.iter().find(is_unusable)
}

/// Reads and explores a kernel; otherwise what is wrong with it, and what would be right. `file` is where its path leads.
fn studied(path: &str, file: &str, files: &dyn Files) -> Result<Studied, (String, String)> {
    let source = files.read(file, FileKind::Kernel).map_err(|what| {
        let message = format!("the kernel cannot be read: {}", what.message);
        (message, what.help)
    })?;
    let (kernel, mistakes) = read_litmus(&source);
    if let Some(first) = mistakes.first() {
        let more = match mistakes.len() {
            1 => String::new(),
            n => format!(", and {} more", n - 1),
        };
        let message = format!(
            "the kernel has mistakes: {}: {}{more}",
            place(&source, path, first.span),
            first.message
        );
        let help = first.help.as_deref().unwrap_or_default().to_owned();
        return Err((message, help));
    }
    if let Some(thread) = kernel.threads.iter().find(|t| t.stage != Stage::Compute) {
        let message = format!(
            "the kernel `{path}` has a thread of a {}, and a dispatch runs compute shaders",
            thread.stage.name()
        );
        return Err((message, "write its threads as `cs`".to_owned()));
    }
    let explored = examine::ExamineOptions {
        specification_only: true,
        limits: Limits {
            states_max: STATES_MAX,
            progress: None,
        },
        ..examine::ExamineOptions::default()
    };
    let found = study::findings(&kernel, &explored, STATES_MAX);
    let in_group = |group: &u32| kernel.threads.iter().filter(|t| t.group == *group).count();
    Ok(Studied {
        fences: kernel.threads.iter().map(|t| fences(&t.ops)).collect(),
        groups: kernel.groups().len() as u64,
        threads: kernel.groups().iter().map(in_group).max().unwrap_or(0) as u64,
        findings: found,
        source,
    })
}

/// Whether a dispatch runs at least the threads of its kernel.
fn fits(
    kernel: &Studied,
    path: &str,
    groups: &[u32; 3],
    threads: Option<u64>,
) -> Result<(), (String, String)> {
    let run = groups
        .iter()
        .fold(1, |all: u64, n| all.saturating_mul(u64::from(*n)));
    if kernel.groups > run {
        return Err((
            format!(
                "the kernel `{path}` has threads of {} groups, and the dispatch runs {run}",
                kernel.groups
            ),
            "dispatch as many groups, or take the others out of the kernel".to_owned(),
        ));
    }
    match threads {
        Some(threads) if kernel.threads > threads => Err((
            format!(
                "the kernel `{path}` has {} threads in a group, and the dispatch has {threads}",
                kernel.threads
            ),
            "raise `threads`, or take the others out of the kernel".to_owned(),
        )),
        _ => Ok(()),
    }
}

/// What a thread's fences cost, counted. A fence under a branch counts as executed: the longest way is meant.
fn fences(ops: &[kernel::Op]) -> FenceCounts {
    let mut counts = FenceCounts::default();
    for op in ops {
        let OpKind::Fence(fence) = op.kind else {
            continue;
        };
        let effect = fence.effect();
        // One instruction is one fence, as wide as the widest class that it names.
        if effect.classes.uav == Some(Scope::Device) {
            counts.device += 1;
        } else if !effect.classes.is_empty() {
            counts.group += 1;
        }
        counts.meetings += u64::from(effect.meets);
    }
    counts
}

/// A kernel's findings on the line of a dispatch that runs it: one for each rule, its further places as notes.
fn told(kernel: &Studied, path: &str, at: Span) -> Vec<Finding> {
    let mut told: IndexMap<&'static str, Finding> = IndexMap::new();
    for found in &kernel.findings {
        let message = format!(
            "{}: {}",
            place(&kernel.source, path, found.span),
            found.message
        );
        if let Some(first) = told.get_mut(found.rule.id) {
            first.severity = first.severity.max(found.severity);
            first.notes.push(message.into());
            continue;
        }
        let mut finding = Finding::new(found.rule, at, message).severity(found.severity);
        finding.help.clone_from(&found.help);
        for related in &found.related {
            let there = place(&kernel.source, path, related.span);
            finding
                .notes
                .push(format!("{there}: {}", related.label).into());
        }
        finding.notes.extend(found.notes.iter().cloned());
        told.insert(found.rule.id, finding);
    }
    told.into_values().collect()
}

/// A place in a kernel, in words.
fn place(source: &Source, path: &str, span: Span) -> String {
    format!("`{path}` line {}", source.line(span.start))
}

/// Reads a litmus test; it is complete if there are no findings. Beside what the parser says, words of its comments that
/// name no rule are mistakes.
pub fn read_litmus(source: &Source) -> (Kernel, Vec<Finding>) {
    let (kernel, mut findings) = kernel::parse(source);
    if !kernel.allows.is_empty() || !kernel.marks.is_empty() {
        let rules: Vec<_> = super::rules().collect();
        let allowed = kernel.allows.iter().map(|a| (&*a.ids, a.covers));
        findings.extend(unknown_allowed(allowed, source, &rules));
        findings.extend(unknown(&marks(&kernel, source), &rules));
    }
    (kernel, findings)
}

/// The comments `//~ ID` of a test.
pub(crate) fn marks(kernel: &Kernel, source: &Source) -> Vec<Expectation> {
    let expectation = |mark: &kernel::Mark| {
        let mut lines = source.text.split_inclusive('\n');
        let before = lines.by_ref().take(mark.line as usize - 1);
        let before: usize = before.map(str::len).sum();
        let line = lines.next().unwrap_or_default().trim_end();
        let at = line.rfind("//~").unwrap_or_default();
        Expectation {
            line: mark.line,
            ids: mark.ids.clone(),
            span: Span::new(narrow(before + at), narrow(before + line.len())),
        }
    };
    kernel.marks.iter().map(expectation).collect()
}
