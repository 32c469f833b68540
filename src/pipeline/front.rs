//! The front of the pipeline, once for every command: from a text to its timeline, and what is said without a machine.
//!
//! ```text
//! text ─read→ Parsed ─prepare→ Prepared ─timeline→ Timeline ─┬─legality→ findings
//!              kernels, fence pairs, legacy barriers         └─needed_and_asked→ Evaluation
//! ```
//! Every command begins here, so that no two of them mean different things by one text. Edited copies of a prepared
//! scenario begin at [`Prepared::edited`]. Lowering and the machine come after (`back.rs`).

use super::clock::Clock;
use super::files::Files;
use super::kernels;
use super::{Options, Unusable, expect};
use crate::finding::{Finding, Source};
use crate::graph::{self, Evaluation};
use crate::legacy;
use crate::order::{Timeline, pair_fence_barriers};
use crate::scenario::{self, Scenario};
use crate::validate::{self, RuleSet};
use std::borrow::Cow;

/// A text as it was read.
pub(crate) struct Parsed {
    /// What it says; of a text that is not understood, what could be made of it.
    pub(crate) scenario: Scenario,
    /// What was found while reading.
    pub(crate) findings: Vec<Finding>,
}

/// Reads a text.
///
/// # Errors
/// If the text is not understood: the same value, with the errors among its findings.
pub(crate) fn read(source: &Source, clock: &mut Clock) -> Result<Parsed, Box<Parsed>> {
    let (scenario, mut findings) = scenario::parse(source);
    if !scenario.allows.is_empty() || scenario.expectations.iter().any(|e| !e.ids.is_empty()) {
        let rules: Vec<_> = super::rules().collect();
        let allowed = scenario.allows.iter().map(|a| (&*a.ids, a.covers));
        findings.extend(expect::unknown_allowed(allowed, source, &rules));
        findings.extend(expect::unknown(&scenario.expectations, &rules));
    }
    clock.lap("parse", source.text.len() as u64);
    let parsed = Parsed { scenario, findings };
    if parsed.findings.iter().any(|f| f.severity.fails()) {
        return Err(Box::new(parsed));
    }
    Ok(parsed)
}

/// What becomes of the kernels that dispatches name.
#[derive(Copy, Clone)]
pub(crate) enum Kernels<'a> {
    /// They are explored: what their threads do to each other is found, and what their fences cost is noted.
    Explored {
        /// Who reads them.
        files: &'a dyn Files,
        /// Name of the text that names them.
        named_in: &'a str,
    },
    /// They are left out, because no machine runs and findings inside a kernel are not asked for.
    LeftOut,
}

impl<'a> Kernels<'a> {
    /// They are explored.
    pub(crate) fn of(source: &'a Source, options: &'a Options) -> Self {
        Self::Explored {
            files: &*options.files,
            named_in: &source.name,
        }
    }
}

impl Parsed {
    /// Settles what the text means: kernels' costs are in the scenario, pairs of fence barriers inside a list are split
    /// barriers, and a copy without legacy barriers is made where there are any.
    pub(crate) fn prepare(mut self, kernels: Kernels<'_>, clock: &mut Clock) -> Prepared<'static> {
        if let Kernels::Explored { files, named_in } = kernels {
            let (count, found) = kernels::link(&mut self.scenario, files, named_in);
            self.findings.extend(found);
            if count > 0 {
                clock.lap("kernels", count);
            }
        }
        let paired = pair_fence_barriers(self.scenario);
        let prepared = Prepared::new(Cow::Owned(paired), self.findings);
        clock.lap("legacy", prepared.written.lists.len() as u64);
        prepared
    }
}

/// A scenario of which everything is settled that does not need its timeline.
pub(crate) struct Prepared<'a> {
    written: Cow<'a, Scenario>,
    /// Without legacy barriers; `None` if none are written.
    translated: Option<Scenario>,
    /// What was found while reading the text and its kernels.
    pub(crate) findings: Vec<Finding>,
}

impl<'a> Prepared<'a> {
    /// A copy of a prepared scenario with changes made: kernels and fence pairs were settled before.
    pub(crate) fn edited(copy: &'a Scenario) -> Self {
        Self::new(Cow::Borrowed(copy), Vec::new())
    }

    fn new(written: Cow<'a, Scenario>, findings: Vec<Finding>) -> Self {
        let translated = translated(&written);
        Self {
            written,
            translated,
            findings,
        }
    }

    /// The scenario with its legacy barriers.
    pub(crate) fn written(&self) -> &Scenario {
        &self.written
    }

    /// The scenario without them: the same value if it has none.
    pub(crate) fn plain(&self) -> &Scenario {
        self.translated.as_ref().unwrap_or(&self.written)
    }

    /// What the CPU submits, in order.
    pub(crate) fn timeline(&self) -> Timeline<'_> {
        Timeline::new(self.plain())
    }

    /// What the rules of legality find. They read both forms.
    pub(crate) fn legality(&self, timeline: &Timeline<'_>, rules: RuleSet) -> Vec<Finding> {
        validate::validate(self.written(), timeline, rules)
    }

    /// The scenario with its legacy barriers, for whoever keeps it.
    pub(crate) fn into_written(self) -> Scenario {
        self.written.into_owned()
    }
}

/// The scenario without legacy barriers, as they act: a wrong `StateBefore` acts as the known state (reading R72).
/// `None` if none are written.
fn translated(written: &Scenario) -> Option<Scenario> {
    let Cow::Owned(literal) = legacy::translate(written) else {
        return None;
    };
    Some(if legacy::doubt::is_in_doubt(written) {
        validate::mended(written, literal)
    } else {
        literal
    })
}

/// A scenario as it runs: pairs of fence barriers are split barriers, and legacy barriers are what they act as.
pub fn as_run(scenario: Scenario) -> Scenario {
    let written = pair_fence_barriers(scenario);
    translated(&written).unwrap_or(written)
}

/// What is needed, compared with what was asked.
pub(crate) fn needed_and_asked(timeline: &Timeline<'_>) -> Evaluation {
    graph::evaluate(timeline, graph::Request::default())
}

/// A text prepared for a command that shows no findings.
///
/// # Errors
/// The findings of a text that is not understood, or of a kernel that cannot be used.
pub(crate) fn understood(
    source: &Source,
    options: &Options,
) -> Result<Prepared<'static>, Vec<Finding>> {
    let clock = &mut Clock::untold();
    let parsed = read(source, clock).map_err(|misread| misread.findings)?;
    let prepared = parsed.prepare(Kernels::of(source, options), clock);
    match kernels::unusable(&prepared.findings) {
        Some(finding) => Err(vec![finding.clone()]),
        None => Ok(prepared),
    }
}

/// A text prepared for a command that runs it and shows no findings.
///
/// # Errors
/// The first finding of a text that is not understood, in words; or that there is no timeline.
pub(crate) fn runnable(source: &Source, options: &Options) -> Result<Prepared<'static>, Unusable> {
    let prepared = understood(source, options).map_err(|findings| misread(source, &findings))?;
    with_timeline(source, &prepared.written, "there is nothing to run")?;
    Ok(prepared)
}

/// A text that can run, for a command that shows no findings and leaves kernels out. `so` is what follows if it has no
/// timeline.
///
/// # Errors
/// The first finding of a text that is not understood, in words; or that there is no timeline.
pub fn to_run(source: &Source, so: &str) -> Result<Scenario, Unusable> {
    let (scenario, findings) = scenario::parse(source);
    if findings.iter().any(|f| f.severity.fails()) {
        return Err(misread(source, &findings));
    }
    with_timeline(source, &scenario, so)?;
    Ok(scenario)
}

/// The first finding of a text that is not understood.
fn misread(source: &Source, findings: &[Finding]) -> Unusable {
    let first = findings.iter().find(|f| f.severity.fails());
    Unusable {
        message: format!("`{}`: {}", source.name, first.map_or("", |f| &f.message)),
        help: "`syncscope check` shows it in its place".into(),
    }
}

fn with_timeline(source: &Source, scenario: &Scenario, so: &str) -> Result<(), Unusable> {
    let help = "add `timeline { QUEUE execute LIST }`";
    let timeline = scenario.timeline.as_ref().map(|_| ());
    timeline.ok_or_else(|| without_timeline(source, so, help))
}

/// That a text has no timeline, and what follows from that.
pub(crate) fn without_timeline(source: &Source, so: &str, help: &str) -> Unusable {
    Unusable {
        message: format!("`{}` has no timeline: {so}", source.name),
        help: help.into(),
    }
}
