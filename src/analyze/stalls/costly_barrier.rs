crate::finding::rule! {
    /// **What it finds.** The barrier that costs most on the critical path, if its own waiting, flushing, dropping and
    /// rewriting takes at least a tenth of the run and at least ten microseconds there. All executions of one entry
    /// count together. A barrier off the critical path costs nothing, however long it takes. Runs of more than 32768
    /// packets are not examined, nor are runs whose report has no rows (`--parts findings`). A barrier that brings a
    /// texture to `PRESENT` is left out: a present takes nothing else, and all of the frame's work is before it, so its
    /// operations can be neither avoided nor hidden.
    ///
    /// **Why it matters.** Of all barriers, this is the one whose operations are worth hiding or avoiding; the work
    /// that it waits for has to be done in any case. `run --what-if` says how long the run takes without the barrier,
    /// whether that is correct or not.
    ///
    /// **Source.** The simulation: the chain of causes back from the end of the run.
    pub(super) static RULE = "ST101", "costly-barrier", Advice,
        "the barrier whose operations cost most on the critical path";
}

use super::{Frame, of_barriers, permille};
use crate::analyze::names;
use crate::api::Layout;
use crate::finding::{Finding, Span};
use crate::hardware::Profile;
use crate::id::BarrierRef;
use crate::order::{Act, Of, Timeline};
use crate::program::Program;
use crate::scenario::{Barrier, StatementKind};
use crate::time::Ps;
use crate::trace::Reason;
use indexmap::IndexMap;
use std::ops::Bound;

/// What a barrier must cost for advice.
const LEAST: Ps = Ps::from_ns(10_000);
/// The share of the run that it must cost, in thousandths.
const LEAST_SHARE: u32 = 100;

/// What the executions of one entry cost.
#[derive(Default)]
struct Cost {
    first: Option<BarrierRef>,
    whole: Ps,
    parts: IndexMap<Reason, Ps>,
}

/// The finding, if a barrier costs enough.
pub(super) fn finding(
    timeline: &Timeline<'_>,
    profile: &Profile,
    program: &Program,
    frames: &[Frame],
) -> Option<Finding> {
    let mut costs: IndexMap<Span, Cost> = IndexMap::new();
    for (op, did, time) in of_barriers(program, frames) {
        let origin = program.op(op).origin;
        let barrier = BarrierRef {
            node: origin.node,
            entry: origin.entry?,
        };
        let Some(entry) = names::entry(timeline, barrier) else {
            continue;
        };
        if is_for_present(timeline, barrier, entry) {
            continue;
        }
        let cost = costs.entry(entry.span).or_default();
        cost.first.get_or_insert(barrier);
        cost.whole += time;
        *cost.parts.entry(did).or_default() += time;
    }
    let makespan = frames.last()?.end;
    // Of equal costs the earlier in time.
    let (span, cost) = costs.into_iter().rev().max_by_key(|(_, cost)| cost.whole)?;
    let share = permille(cost.whole, makespan);
    if cost.whole < LEAST || share < LEAST_SHARE {
        return None;
    }
    Some(say(timeline, profile, span, &cost, share))
}

/// Whether a barrier brings its texture to the layout of a present that comes next.
fn is_for_present(timeline: &Timeline<'_>, id: BarrierRef, entry: &Barrier) -> bool {
    let (Some(resource), Some((before, after))) = (entry.resource(), entry.transition()) else {
        return false;
    };
    if after != Layout::Common || before == after {
        return false;
    }
    let from = timeline.moment(id.node, Some(id.entry));
    let later = (Bound::Excluded(from), Bound::Unbounded);
    let next = |of| timeline.touches(of, later).next();
    let Some(used) = next(Of::Uses(resource)) else {
        return false;
    };
    let changed = next(Of::Entries(Some(resource)));
    matches!(used.act, Act::Outside(statement) if matches!(statement.kind, StatementKind::Present { .. }))
        && changed.is_none_or(|entry| used.moment < entry.moment)
}

fn say(timeline: &Timeline<'_>, profile: &Profile, span: Span, cost: &Cost, share: u32) -> Finding {
    let mut parts: Vec<(Reason, Ps)> = cost.parts.iter().map(|(did, time)| (*did, *time)).collect();
    parts.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    let words = |did| match did {
        Reason::Clean(cache) => format!("writing back {}", profile.cache(cache).name),
        Reason::Invalidate(cache) => format!("dropping {}", profile.cache(cache).name),
        Reason::Layout(id) => format!("rewriting `{}`", timeline.scenario.resource_name(id)),
        Reason::FrontEndSync => "synchronising the front end".to_owned(),
        Reason::EngineSwitch => "switching engines".to_owned(),
        Reason::Resume => "restarting the work that it held".to_owned(),
        _ => "the wait itself".to_owned(),
    };
    let named: Vec<String> = parts
        .iter()
        .map(|(did, t)| format!("{} {t}", words(*did)))
        .collect();
    let message = format!(
        "this barrier costs most on the critical path: {} on `{}`, {}.{} % of the run",
        cost.whole,
        profile.name,
        share / 10,
        share % 10
    );
    let help = match parts.first() {
        Some((Reason::Layout(_), _)) => {
            "use a layout that both sides allow, which needs no rewriting; or split the barrier around other work"
        }
        Some((Reason::Clean(_) | Reason::Invalidate(_), _)) => {
            "name only the accesses that are needed, or split the barrier around other work"
        }
        _ => {
            "put the barrier into one call with its neighbours, or move other work before the work that it holds"
        }
    };
    let finding = Finding::new(&RULE, span, message)
        .note(format!(
            "its time on the critical path: {}",
            named.join(", ")
        ))
        .help(help);
    let entry = cost.first.and_then(|b| names::entry(timeline, b));
    match entry.and_then(Barrier::resource) {
        Some(id) => finding.resource(timeline.scenario.resource_name(id).to_owned()),
        None => finding,
    }
}
