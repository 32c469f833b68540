//! Runs a row's scenario and times what the row times.

use super::text::Measure;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::QueueId;
use syncscope::lower::Lowering;
use syncscope::order::Timeline;
use syncscope::program::{BarrierRole, HwOpKind, Program};
use syncscope::scenario::Scenario;
use syncscope::time::Ps;
use syncscope::trace::Trace;
use syncscope::{scenario, sim};

/// Two timestamps with an empty list between them, in nanoseconds: row `empty` of table D.
pub(crate) const TIMESTAMPS_NS: f64 = 512.0;

/// A profile with the lowering that its runs take.
pub(crate) struct Machine<'a> {
    pub(crate) profile: &'a Profile,
    pub(crate) lowering: &'a dyn Lowering,
}

/// A text that is known to be right.
pub(crate) fn scenario(text: &str) -> Scenario {
    let (scenario, findings) = scenario::parse(&Source::new("row.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    scenario
}

impl Machine<'_> {
    /// Runs a scenario.
    pub(crate) fn run(&self, timeline: &Timeline<'_>) -> (Program, Trace) {
        let program = self.lowering.lower(timeline, self.profile);
        let options = sim::SimOptions {
            spans: false,
            ..sim::SimOptions::default()
        };
        let trace = sim::simulate(&program, self.profile, &options);
        (program, trace)
    }

    /// Runs a scenario and times what the row times, in nanoseconds.
    pub(crate) fn time_ns(&self, timeline: &Timeline<'_>, measure: Measure) -> f64 {
        let (program, trace) = self.run(timeline);
        let lists = |queue: usize| lists(&program, &trace, queue);
        #[allow(
            clippy::cast_precision_loss,
            reason = "2^52 picoseconds are more than an hour"
        )]
        let ns = |time: Ps| time.0 as f64 / 1000.0;
        match measure {
            Measure::Lists(queue) => {
                let lists = lists(queue);
                let (first, last) = (lists.first().expect("a list"), lists.last());
                ns(last.expect("a list").1 - first.0) + TIMESTAMPS_NS
            }
            Measure::Gap => {
                let lists = lists(0);
                ns(lists[1].0 - lists[0].1) + TIMESTAMPS_NS
            }
            Measure::HandOff => ns(lists(1)[0].0 - lists(0)[0].1),
            Measure::Command => {
                let ran = trace.commands.iter().find(|timing| timing.ran());
                let ran = ran.expect("a command");
                ns(ran.end - ran.start)
            }
        }
    }
}

/// Begin and end of each call of a queue.
fn lists(program: &Program, trace: &Trace, queue: usize) -> Vec<(Ps, Ps)> {
    let mut found = Vec::new();
    for block in &program.blocks {
        if block.queue != Some(QueueId::new(queue)) {
            continue;
        }
        let at = |role: BarrierRole| {
            let is = |kind: &HwOpKind| matches!(kind, HwOpKind::Barrier(b) if b.role == role);
            let op = block.ops.iter().find(|op| is(&op.kind));
            op.map(|op| trace.ops[op.id].retired)
        };
        if let (Some(begin), Some(end)) = (at(BarrierRole::ScopeBegin), at(BarrierRole::ScopeEnd)) {
            found.push((begin, end));
        }
    }
    found
}
