//! The text without one barrier, judged before it is run (reading R74): what `--what-if` and `--without` share.

use crate::finding::Source;
use crate::graph::Evaluation;
use crate::order::Timeline;
use crate::pipeline::back::Machine;
use crate::pipeline::front::{self, Prepared};
use crate::pipeline::trial::Bench;
use crate::pipeline::{Chosen, Options, Registry, Switch, Unusable, choose};
use crate::repair::prove::{self, Judge};
use crate::scenario::Scenario;
use crate::scenario::edit::{self, Whole};
use serde::Serialize;
use std::collections::BTreeSet;

/// A rule that another barrier breaks without one.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct Broken {
    /// Id of the rule.
    pub rule: &'static str,
    /// Line of the barrier.
    pub line: u32,
}

/// Rules that are named, at most.
const BROKEN_MAX: usize = 3;

/// Why a text without a barrier cannot be run.
pub(in crate::run) fn impossible(broken: &[Broken]) -> String {
    let one = |b: &Broken| format!("the barrier at line {} breaks {}", b.line, b.rule);
    let mut all: Vec<String> = broken.iter().take(BROKEN_MAX).map(one).collect();
    if broken.len() > BROKEN_MAX {
        all.push(format!("and {} more", broken.len() - BROKEN_MAX));
    }
    format!("not possible without it: {}", all.join(", "))
}

/// Each rule once.
pub(crate) fn rules(broken: &[Broken]) -> Vec<&'static str> {
    let all: BTreeSet<&str> = broken.iter().map(|b| b.rule).collect();
    all.into_iter().collect()
}

/// A text that can run, and the machine on which it does.
pub(in crate::run) struct Runnable {
    pub(in crate::run) prepared: Prepared<'static>,
    pub(in crate::run) chosen: Chosen,
}

impl Runnable {
    /// # Errors
    /// If a name or setting is unknown, the text is no scenario, or there is no timeline.
    pub(in crate::run) fn new(
        source: &Source,
        registry: &Registry,
        options: &Options,
    ) -> Result<Self, Unusable> {
        let prepared = front::runnable(source, options)?;
        let chosen = choose(registry, prepared.plain(), &source.name, options)?;
        Ok(Self { prepared, chosen })
    }

    pub(in crate::run) fn machine(&self) -> Machine<'_> {
        Machine {
            profile: &self.chosen.profile,
            lowering: self.chosen.lowering,
            named_by: self.chosen.named_by,
        }
    }

    /// What runs timelines as the text itself runs.
    pub(in crate::run) fn bench<'a>(&'a self, options: &Options) -> Bench<'a> {
        Bench::new(&self.chosen.profile, self.chosen.lowering, options)
    }
}

/// What texts without a barrier are judged by.
pub(in crate::run) struct Trials<'a> {
    source: &'a Source,
    written: &'a Scenario,
    judge: Judge,
    switches: &'a [Switch],
    /// Where barrier entries start in the text.
    starts: BTreeSet<u32>,
}

impl<'a> Trials<'a> {
    pub(in crate::run) fn new(
        source: &'a Source,
        runnable: &'a Runnable,
        timeline: &Timeline<'_>,
        asked: &Evaluation,
        options: &'a Options,
    ) -> Self {
        let written = runnable.prepared.written();
        let legality = runnable.prepared.legality(timeline, options.rules);
        let given = prove::Given {
            source: written,
            timeline,
            evaluation: asked,
            legality: &legality,
            rules: options.rules,
            ran: None,
        };
        Self {
            source,
            written,
            judge: Judge::new(&given),
            switches: &options.switches,
            starts: edit::entries(written)
                .filter_map(|entry| Some(entry.span(written)?.start))
                .collect(),
        }
    }

    /// Runs the text without a barrier, if that is possible.
    ///
    /// # Errors
    /// What it breaks at other barriers, in the last of the ways to delete the barrier: every way breaks some.
    pub(in crate::run) fn without<T>(
        &self,
        entries: &Whole,
        run: impl FnOnce(&Prepared<'_>, &Timeline<'_>) -> T,
    ) -> Result<T, Vec<Broken>> {
        let mut broken = BTreeSet::new();
        for next in edit::ways(self.written, entries) {
            let copy = edit::without(self.written, entries, next);
            let copy = edit::pruned(copy, self.written);
            let copy = Prepared::edited(&copy);
            let timeline = copy.timeline();
            let judge = &self.judge;
            broken = judge.broken_by(&copy, &timeline, &self.starts, self.switches);
            if broken.is_empty() {
                return Ok(run(&copy, &timeline));
            }
        }
        let row = |(start, rule)| Broken {
            rule,
            line: self.source.line(start),
        };
        Err(broken.into_iter().map(row).collect())
    }
}
