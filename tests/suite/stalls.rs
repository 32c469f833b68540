//! Where the time went: causes explain every moment, critical paths tile the run, slack is what re-simulation says.

use crate::machine_random::{lowerings, profiles, write};
use syncscope::analyze::stalls;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::{MomentId, OpId};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, Pool, Program};
use syncscope::sim::{self, Eviction, Options};
use syncscope::time::Ps;
use syncscope::trace::{Causes, Reason, Trace, Why};
use syncscope::{catalog, scenario};

/// How many random scenarios each law is tried on: `SYNCSCOPE_SEEDS`, or a number that takes seconds.
pub(crate) fn seeds(default: u64) -> std::ops::Range<u64> {
    let asked = std::env::var("SYNCSCOPE_SEEDS").ok();
    0..asked.and_then(|n| n.parse().ok()).unwrap_or(default)
}

const WITH_CAUSES: Options = Options {
    eviction: Eviction::Oldest,
    spans: true,
    causes: true,
};

/// Calls `each` with every random scenario, lowered by every right lowering for every built-in profile.
fn everywhere(count: u64, mut each: impl FnMut(&str, &Profile, &Program)) {
    let (profiles, lowerings) = (profiles(), lowerings());
    for seed in seeds(count) {
        let text = write(seed);
        let (scenario, findings) = scenario::parse(&Source::new("random.scn", &text));
        assert!(findings.is_empty(), "{findings:?}\n{text}");
        let timeline = Timeline::new(&scenario);
        for profile in &profiles {
            for lowering in &lowerings {
                let program = lowering.lower(&timeline, profile);
                let place = format!("seed {seed}, {}, {}", profile.name, lowering.name());
                each(&format!("{place}:\n{text}"), profile, &program);
            }
        }
    }
}

/// What a wait is over by: links of these kinds end it.
fn enders(reason: Reason) -> &'static [Why] {
    match reason {
        Reason::WaitSlot => &[Why::Slot],
        Reason::WaitIdle => &[Why::Idle],
        Reason::WaitFence(_) => &[Why::Fence],
        Reason::WaitBarrier(_) => &[Why::Hold],
        Reason::WaitEarlierBarrier => &[Why::EarlierBarrier],
        Reason::Drain => &[Why::Drain],
        _ => &[],
    }
}

/// The end of every wait of a packet is a moment that a link of the right kind leads to, from another packet.
fn waits_are_named(place: &str, trace: &Trace, causes: &Causes) {
    let mut moments: Vec<Vec<MomentId>> = vec![Vec::new(); trace.ops.len()];
    for (index, moment) in causes.moments.iter().enumerate() {
        if let Some(op) = moment.op {
            moments[op.index()].push(MomentId::new(index));
        }
    }
    for (index, own) in moments.iter().enumerate() {
        for (_, span) in trace.spans(OpId::new(index)) {
            let kinds = enders(span.reason);
            let ended = own.iter().flat_map(|m| causes.links(*m)).any(|link| {
                let ends = [causes.at(link.from), causes.end_of(link)];
                kinds.contains(&link.why) && ends.contains(&span.end)
            });
            assert!(
                kinds.is_empty() || ended,
                "{place}\npacket {index}: {span:?}"
            );
        }
    }
}

/// Every moment is as late as the last thing that it waited for, no later and no earlier; every wait names what ended
/// it; critical paths tile the run; keeping causes changes nothing else.
#[test]
fn causes_explain_every_moment_and_the_path_tiles_the_run() {
    everywhere(25, |place, profile, program| {
        let mut trace = sim::simulate(program, profile, &WITH_CAUSES);
        let causes = trace.causes.take().expect("they were asked for");
        let plain = sim::simulate(program, profile, &Options::default());
        assert_eq!(trace, plain, "{place}");
        let wrong = causes.check();
        assert_eq!(
            wrong,
            None,
            "{:?} {place}",
            wrong.map(|m| (causes.moment(m), causes.links(m).to_vec()))
        );
        assert_eq!(causes.at(causes.last()), trace.makespan, "{place}");
        waits_are_named(place, &trace, &causes);
        let mut at = Ps::ZERO;
        for frame in stalls::frames(program, &causes) {
            assert_eq!(frame.start, at, "{place}");
            for segment in &frame.path {
                assert!(
                    segment.start == at && segment.end > at,
                    "{place}\n{segment:?}"
                );
                assert!(
                    segment.shared + segment.refill <= segment.end - segment.start,
                    "{place}\n{segment:?}"
                );
                at = segment.end;
            }
            assert_eq!(frame.end, at, "{place}");
        }
        assert_eq!(at, trace.makespan, "{place}");
    });
}

/// A machine on which times depend on nothing but the program: no pool is shared, and bytes cost nothing to move.
fn alone(profile: &Profile, program: &mut Program) -> Profile {
    let mut profile = profile.clone();
    for cache in &mut profile.caches {
        (cache.bytes_per_s, cache.fill) = (0, Ps::ZERO);
    }
    for task in program.blocks.iter_mut().flat_map(|block| &mut block.tasks) {
        task.pool = Pool::Fixed;
    }
    profile
}

/// The makespan if one stage of one packet takes longer.
fn lengthened(program: &Program, profile: &Profile, op: OpId, stage: usize, by: Ps) -> Ps {
    let mut program = program.clone();
    let after = program.blocks.partition_point(|b| b.first_op <= op);
    let block = &mut program.blocks[after - 1];
    let HwOpKind::Work(work) = block.op(op).kind else {
        panic!("a packet of work");
    };
    block.tasks[work.tasks.start as usize + stage].cost += by;
    sim::simulate(
        &program,
        profile,
        &Options {
            spans: false,
            ..Options::default()
        },
    )
    .makespan
}

/// Packets of work with their numbers of stages.
fn work(program: &Program) -> Vec<(OpId, usize)> {
    let each = program.ops().filter_map(|(_, op)| match &op.kind {
        HwOpKind::Work(work) => Some((op.id, work.tasks.len as usize)),
        _ => None,
    });
    each.collect()
}

/// A packet may take longer by its slack, at every stage, and the run takes as long as before; where held work starts
/// again at once and slots are plenty, a picosecond more at the stage that has least makes the run longer.
#[test]
fn slack_is_what_re_simulation_says() {
    let (mut tight, mut slack_seen) = (0, 0);
    everywhere(6, |place, profile, program| {
        let mut program = program.clone();
        let mut profile = alone(profile, &mut program);
        for resume in [profile.costs.resume, Ps::ZERO] {
            profile.costs.resume = resume;
            let trace = sim::simulate(&program, &profile, &WITH_CAUSES);
            let causes = trace.causes.as_deref().expect("they were asked for");
            let slack = stalls::slack(causes);
            for (op, stages) in work(&program) {
                let spare = slack.of_op(op);
                let longer = |by| (0..stages).map(move |stage| (stage, by));
                let with = |(stage, by)| lengthened(&program, &profile, op, stage, by);
                for stage in longer(spare) {
                    assert_eq!(
                        with(stage),
                        trace.makespan,
                        "{place}\n{op:?} by {spare:?} at {stage:?}"
                    );
                }
                slack_seen += u32::from(spare > Ps::ZERO);
                if resume == Ps::ZERO && stages > 0 {
                    tight += 1;
                    let most = longer(spare + Ps(1)).map(with).max();
                    assert_eq!(
                        most,
                        Some(trace.makespan + Ps(1)),
                        "{place}\n{op:?} by {spare:?}"
                    );
                }
            }
        }
    });
    assert!(tight > 100 && slack_seen > 20, "{tight} {slack_seen}");
}
