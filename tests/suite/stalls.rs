//! Where the time went: causes explain every moment, critical paths tile the run, slack is what re-simulation says.

use crate::machine_random::{lowerings, profiles, write};
use crate::sizes;
use syncscope::analyze::stalls;
use syncscope::api::Leaf;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::{MomentId, NodeId, OpId, SubmissionId, Table};
use syncscope::lower::{Lowering, PRECISE};
use syncscope::order::Timeline;
use syncscope::program::{HwOpKind, Pool, Program, Slice};
use syncscope::sim::{self, Eviction, SimOptions};
use syncscope::time::Ps;
use syncscope::trace::{Causes, Reason, Span, Trace, Why};
use syncscope::{catalog, scenario};

pub(crate) const WITH_CAUSES: SimOptions = SimOptions {
    eviction: Eviction::Oldest,
    spans: true,
    rows: true,
    causes: true,
    eager: false,
};

/// Calls `each` with every random scenario, lowered by every right lowering for every built-in profile.
pub(crate) fn everywhere(count: u64, mut each: impl FnMut(&str, &Profile, &Program)) {
    let (profiles, lowerings) = (profiles(), lowerings());
    for seed in sizes::MACHINE.seeds_times(count) {
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
        Reason::WaitBarrier(_) => &[Why::Hold, Why::Stop],
        // Its work may have ended while earlier barriers held the queue.
        Reason::WaitEarlierBarrier => &[Why::EarlierBarrier, Why::Drain],
        Reason::Drain => &[Why::Drain],
        _ => &[],
    }
}

/// The end of every wait of a packet is a moment that a link of the right kind leads to, from another packet.
fn waits_are_named(place: &str, trace: &Trace, causes: &Causes) {
    let mut moments: Table<OpId, Vec<MomentId>> = Table::filled(trace.ops.len(), Vec::new());
    for (id, moment) in causes.moments.pairs() {
        if let Some(op) = moment.op {
            moments[op].push(id);
        }
    }
    for (index, own) in moments.iter().enumerate() {
        let spans: Vec<Span> = trace.spans(OpId::new(index)).map(|(_, s)| s).collect();
        for (at, span) in spans.iter().enumerate() {
            let next = spans.get(at + 1).map(|next| next.reason);
            // Who is waited for next does not end the wait: another barrier holds on, or it is the barrier's turn.
            match (span.reason, next) {
                (Reason::WaitBarrier(by), Some(Reason::WaitBarrier(_)))
                    if span.end == trace.ops[by].retired =>
                {
                    continue;
                }
                (Reason::WaitEarlierBarrier, Some(Reason::Drain)) => continue,
                _ => {}
            }
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
        let plain = sim::simulate(program, profile, &SimOptions::default());
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
        // Work on the path of a run without presents has no slack.
        let slack = stalls::slack(&causes);
        let frames = stalls::frames(program, &causes);
        for segment in frames.iter().flat_map(|frame| &frame.path) {
            if matches!(segment.did, Reason::Work(_)) {
                assert_eq!(slack.of_op(segment.op), Ps::ZERO, "{place}\n{segment:?}");
            }
        }
    });
}

/// A machine on which times depend on nothing but the program: no pool and no place of a thread group is shared, and bytes
/// cost nothing to move.
fn alone(profile: &Profile, program: &mut Program) -> Profile {
    let mut profile = profile.clone();
    profile.groups_stay = false;
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
    let block = &mut program.blocks[SubmissionId::new(after - 1)];
    let at = (op.0 - block.first_op.0) as usize;
    let HwOpKind::Work(work) = &mut block.ops[at].kind else {
        panic!("a packet of work");
    };
    // Packets share stages that are alike: this one gets its own.
    let mut tasks = work.tasks.of(&block.tasks).to_vec();
    tasks[stage].cost += by;
    work.tasks = Slice::push(&mut block.tasks, tasks);
    sim::simulate(
        &program,
        profile,
        &SimOptions {
            spans: false,
            ..SimOptions::default()
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

fn rdna() -> Profile {
    catalog::registry()
        .profile("rdna")
        .expect("a built-in profile")
}

/// A run on `rdna` with the precise lowering.
fn run(text: &str) -> (Program, Trace) {
    let (scenario, findings) = scenario::parse(&Source::new("hand.scn", text));
    assert!(findings.is_empty(), "{findings:?}\n{text}");
    let program = PRECISE.lower(&Timeline::new(&scenario), &rdna());
    let trace = sim::simulate(&program, &rdna(), &WITH_CAUSES);
    (program, trace)
}

/// The only frame of a run: what it did, from when, and after which node.
fn path(program: &Program, trace: &Trace) -> Vec<(u64, Reason, Option<(Why, u32)>)> {
    let causes = trace.causes.as_deref().expect("they were asked for");
    let frames = stalls::frames(program, causes);
    assert_eq!(frames.len(), 1);
    let segment = |s: &stalls::Segment| {
        let after = s.after.map(|(why, op)| (why, stalls::node(program, op).0));
        (s.start.0, s.did, after)
    };
    frames[0].path.iter().map(segment).collect()
}

/// The times are those of `machine::a_barrier_by_hand`: the scope is submitted in 3 us and its caches are fresh 0.2 us
/// later, held work starts again after 0.1 us and works 10 us; the barrier waits 0.3 us and drops caches for 0.2 us; the
/// second dispatch starts again after 0.1 us, works 5 us and fetches what was dropped, and the end of the scope waits
/// 0.3 us. Nothing else runs, so all of it is the path.
#[test]
fn the_path_of_a_barrier_by_hand() {
    let (program, trace) = run("
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : compute
timeline { q execute {
    dispatch 1x1x1 takes 10us { UNORDERED_ACCESS a }
    barrier { buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> SHADER_RESOURCE } }
    dispatch 1x1x1 takes 5us { SHADER_RESOURCE a; UNORDERED_ACCESS b }
} }");
    let refill = 66_000 + 16_384;
    let kinds: Vec<(u64, &str)> = path(&program, &trace)
        .iter()
        .map(|(start, did, _)| {
            let word = match did {
                Reason::FrontEnd => "launch",
                Reason::Invalidate(_) => "invalidate",
                Reason::Resume => "resume",
                Reason::Work(Leaf::ComputeShading) => "work",
                Reason::WaitCost => "wait",
                _ => "other",
            };
            (*start, word)
        })
        .collect();
    let second_end = 13_900_000 + 5_000_000 + refill;
    let expected = [
        (0, "launch"),
        (3_000_000, "invalidate"),
        (3_200_000, "resume"),
        (3_300_000, "work"),
        (13_300_000, "wait"),
        (13_600_000, "invalidate"),
        (13_800_000, "resume"),
        (13_900_000, "work"),
        (second_end, "wait"),
    ];
    assert_eq!(kinds, expected);
    assert_eq!(trace.makespan, Ps(second_end + 300_000));
    let after: Vec<_> = path(&program, &trace)
        .iter()
        .filter_map(|(.., after)| *after)
        .collect();
    // The first dispatch was held by the start of its scope, the barrier drained the first dispatch, the second was held
    // by the barrier, and the end of the scope drained the second.
    assert_eq!(
        after,
        [
            (Why::Hold, 0),
            (Why::Drain, 0),
            (Why::Hold, 1),
            (Why::Drain, 2)
        ]
    );
    let causes = trace.causes.as_deref().expect("they were asked for");
    let frame = &stalls::frames(&program, causes)[0];
    assert_eq!(frame.path[7].refill, Ps(refill));
    let costs = stalls::of_barriers(&program, [frame]);
    let total: Ps = costs.iter().map(|(.., time)| *time).sum();
    assert_eq!(total, Ps(300_000 + 200_000 + 100_000));
}

/// `machine::two_dispatches_share_by_hand`: two full dispatches of 10 us share the shader cores for 20 us. Half of that
/// is what sharing costs the one on the path, and the other is named.
#[test]
fn sharing_by_hand() {
    let (program, trace) = run("
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue q : compute
timeline { q execute {
    dispatch 1x1x1 takes 10us { UNORDERED_ACCESS a }
    dispatch 1x1x1 takes 10us { UNORDERED_ACCESS b }
} }");
    let causes = trace.causes.as_deref().expect("they were asked for");
    let frame = &stalls::frames(&program, causes)[0];
    let is_work = |s: &&stalls::Segment| matches!(s.did, Reason::Work(_));
    let work: Vec<_> = frame.path.iter().filter(is_work).collect();
    let [work] = work[..] else {
        panic!("{frame:?}")
    };
    assert_eq!(
        (work.end - work.start, work.shared),
        (Ps(20_000_000), Ps(10_000_000))
    );
    let other = 1 - stalls::node(&program, work.op).0;
    assert_eq!(work.shared_with, [NodeId(other)]);
    let pool = trace.pools[Pool::Shader.index()];
    assert_eq!((pool.busy, pool.crowded), (Ps(20_000_000), Ps(20_000_000)));
    assert_eq!(
        trace.stages[0][Leaf::ComputeShading.index()],
        Ps(20_000_000)
    );
    // The lane shows 20 us of work out of 3 + 0.2 + 0.1 + 20 + 0.3.
    let used = &stalls::queues(&trace)[0];
    assert_eq!(
        (used.work, trace.makespan),
        (Ps(20_000_000), Ps(23_600_000))
    );
    assert_eq!(stalls::permille(used.work, trace.makespan), 847);
}

/// A copy next to a long dispatch shares nothing with it: it may take longer by what the run without the dispatch is
/// shorter. The dispatch has none.
#[test]
fn slack_of_a_copy_by_two_runs() {
    let scene = |dispatch: &str| {
        format!(
            "
buffer a : 64KiB {{ flags UNORDERED_ACCESS }}
buffer b : 64KiB
buffer c : 64KiB
queue p : compute
queue v : copy
timeline {{
    v execute {{ copy b -> c }}
    {dispatch}
}}"
        )
    };
    let (_, alone) = run(&scene(""));
    let (program, both) = run(&scene(
        "p execute { dispatch 1x1x1 takes 50us { UNORDERED_ACCESS a } }",
    ));
    let found = stalls::stalls(&program, &both).expect("causes were asked for");
    let gap = both.makespan - alone.makespan;
    assert!(gap > Ps::ZERO);
    assert_eq!(found.slack[..2], [Some(gap), Some(Ps::ZERO)]);
}

/// A frame ends at each present, and what follows the last one is a frame too.
#[test]
fn a_frame_ends_at_each_present() {
    let (program, trace) = run("
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET; initial COMMON }
buffer a : 64KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline {
    q execute { dispatch 1x1x1 takes 10us { UNORDERED_ACCESS a } }
    q present t
    q execute { dispatch 1x1x1 takes 20us { UNORDERED_ACCESS a } }
    q present t
    q execute { dispatch 1x1x1 takes 5us { UNORDERED_ACCESS a } }
}");
    let causes = trace.causes.as_deref().expect("they were asked for");
    let frames = stalls::frames(&program, causes);
    let presents: Vec<_> = frames.iter().map(|frame| frame.present).collect();
    assert_eq!(presents, [Some(NodeId(1)), Some(NodeId(3)), None]);
    let ends: Vec<_> = frames.iter().map(|frame| frame.end).collect();
    assert_eq!(
        ends,
        [
            trace.command(NodeId(1)).end,
            trace.command(NodeId(3)).end,
            trace.makespan
        ]
    );
    for frame in &frames {
        let total: Ps = frame.path.iter().map(|s| s.end - s.start).sum();
        assert_eq!(total, frame.end - frame.start);
    }
}

/// A submission without commands has packets and no node: it is on the path by the name of its queue.
#[test]
fn an_empty_submission_is_on_the_path() {
    let text = "
buffer a : 64KiB { flags UNORDERED_ACCESS }
queue q : compute
timeline {
    q execute { }
    q execute { dispatch 1x1x1 takes 5us { UNORDERED_ACCESS a } }
    q execute { }
}";
    let source = Source::new("empty.scn", text);
    let report = syncscope::run::run(
        &source,
        &catalog::registry(),
        &syncscope::run::Options::default(),
    );
    let report = report.expect("it runs");
    let lines: Vec<_> = report.frames[0]
        .path
        .iter()
        .map(|s| (s.command.as_str(), s.line))
        .collect();
    assert_eq!(lines.first(), Some(&("q", 5)));
    assert_eq!(lines.last(), Some(&("q", 7)));
    assert!(lines.contains(&("q#1", 6)), "{lines:?}");
    assert_eq!(report.commands.len(), 1);
    assert_eq!(report.commands[0].slack, Some(Ps::ZERO));
}
