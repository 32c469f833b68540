//! Serial front ends (reading R77): what a wait keeps, and what it does not.

use crate::machine_random::profiles;
use crate::stalls::everywhere;
use std::collections::BTreeMap;
use syncscope::analyze::lowering::NeededPairs;
use syncscope::ensure::What;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::{NodeId, OpId};
use syncscope::lower::{Lowering, PRECISE};
use syncscope::order::Timeline;
use syncscope::program::HwOpKind;
use syncscope::scenario;
use syncscope::sim::{self, SimOptions};
use syncscope::time::Ps;
use syncscope::trace::{ObservationKind, Reason, Trace};

fn trace(text: &str, profile: &Profile) -> Trace {
    let (scenario, findings) = scenario::parse(&Source::new("front.scn", text));
    assert!(findings.is_empty(), "{findings:#?}\n{text}");
    let program = PRECISE.lower(&Timeline::new(&scenario), profile);
    sim::simulate(&program, profile, &SimOptions::default())
}

fn profile(name: &str) -> Profile {
    let found = profiles().into_iter().find(|p| p.name == name);
    found.expect("it is built in")
}

/// A dispatch, `between`, and a copy of 16 MiB that has nothing to do with either.
fn scene(between: &str) -> String {
    format!(
        "buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
texture t : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}
buffer from : 16MiB
buffer to : 16MiB
queue q : direct
timeline {{ q execute {{
  dispatch 1x1x1 takes 80us {{ UNORDERED_ACCESS b writes }}
  {between}
  copy from -> to
}} }}
"
    )
}

const WHOLE: &str = "barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }";

const FIRST_HALF: &str = "barrier { buffer b { sync COMPUTE_SHADING -> SPLIT; access UNORDERED_ACCESS -> UNORDERED_ACCESS } }";

/// `rdna`: the dispatch starts at 3.3 us (a launch of the scope of 3 us, 0.2 us of invalidating L0, 0.1 us of starting again)
/// and ends at 83.3; the partial flush ends at 83.6. The copy is taken up then, and starts a launch of 10 ns later. What
/// the copy takes is what it takes by itself: on an idle machine it starts at 3.3 as well.
#[test]
fn a_wait_keeps_a_serial_front_end_by_hand() {
    let rdna = profile("rdna");
    let text = scene(WHOLE);
    let run = trace(&text, &rdna);
    let [dispatch, copy] = work(&run);
    assert_eq!(
        (dispatch.0, dispatch.1),
        (Ps::from_ns(3_300), Ps::from_ns(83_300))
    );
    let launch = rdna.costs.launch_copy;
    assert_eq!(copy.0, Ps::from_ns(83_600) + launch, "{text}");
    // Without the barrier both run at once; with the first half of a split barrier too.
    for between in ["", FIRST_HALF] {
        let run = trace(&scene(between), &rdna);
        let [dispatch, copy] = work(&run);
        assert!(
            copy.0 < Ps::from_ns(5_000) && copy.0 < dispatch.1,
            "{between}: {copy:?}"
        );
    }
}

/// On every profile: a wait for compute keeps an independent copy where the front end is serial or the queue is drained, and
/// nowhere else.
#[test]
fn a_wait_for_compute_keeps_a_copy_where_the_front_end_waits() {
    let mut kept = Vec::new();
    for profile in profiles() {
        let run = trace(&scene(WHOLE), &profile);
        let [dispatch, copy] = work(&run);
        if copy.0 >= dispatch.1 {
            kept.push(profile.name);
        }
    }
    assert_eq!(
        kept,
        [
            "rdna", "rdna12", "vega", "intel", "intel9", "nvidia", "tiler", "hopper"
        ]
    );
}

/// When each command ran.
fn work(trace: &Trace) -> [(Ps, Ps); 2] {
    let ran: Vec<_> = trace.commands.iter().filter(|c| c.ran()).collect();
    let (first, last) = (ran[0], ran[ran.len() - 1]);
    [(first.start, first.end), (last.start, last.end)]
}

/// Random scenarios: until the waits of a packet that stops the front end are over, nothing later of its queue is launched.
#[test]
fn nothing_is_taken_up_while_a_wait_keeps_the_front_end() {
    let mut kept = 0;
    everywhere(25, |place, profile, program| {
        let trace = sim::simulate(program, profile, &SimOptions::default());
        let mut free: BTreeMap<_, (Ps, Ps, Option<NodeId>)> = BTreeMap::new();
        for block in &program.blocks {
            let Some(queue) = block.queue else { continue };
            let leaves = program.queues[queue.index()].leaves();
            for op in &block.ops {
                // Entries of one call wait together.
                let (free, later, call) = free.entry(queue).or_default();
                let launches = trace
                    .spans(op.id)
                    .filter(|(_, s)| s.reason == Reason::FrontEnd);
                let is_of_call =
                    |call: &NodeId| op.origin.node == *call && op.origin.entry.is_some();
                if !call.as_ref().is_some_and(is_of_call) {
                    *free = (*free).max(*later);
                    *call = None;
                }
                for (start, span) in launches {
                    assert!(start >= *free, "{place}\n{op:?} {span:?}");
                }
                let HwOpKind::Barrier(barrier) = &op.kind else {
                    continue;
                };
                let wait = barrier.wait.intersection(leaves);
                if barrier.waits_in_order() && profile.wait_stops_front_end(wait) {
                    let over = waits_over(&trace, op.id);
                    kept += u32::from(over > *free);
                    (*call, *later) = (Some(op.origin.node), (*later).max(over));
                }
            }
        }
    });
    assert!(kept > 500, "{kept}");
}

/// When the waits of a packet are over, what they cost as well.
fn waits_over(trace: &Trace, op: OpId) -> Ps {
    let waits = trace.spans(op).filter(|(_, span)| {
        matches!(
            span.reason,
            Reason::Drain | Reason::WaitEarlierBarrier | Reason::WaitCost
        )
    });
    waits.map(|(_, span)| span.end).last().unwrap_or_default()
}

/// Two entries of one call wait together: what comes after starts no later than after one entry with both waits, on `rdna`
/// one launch of a packet later.
#[test]
fn entries_of_one_call_wait_together() {
    let scene = |entries: &str| {
        format!(
            "buffer a : 4KiB {{ flags UNORDERED_ACCESS }}
buffer b : 4KiB {{ flags UNORDERED_ACCESS }}
queue q : direct
timeline {{ q execute {{
  dispatch 1x1x1 takes 80us {{ UNORDERED_ACCESS a writes; UNORDERED_ACCESS b writes }}
  barrier {{ {entries} }}
  dispatch 1x1x1 takes 1us {{ UNORDERED_ACCESS a writes; UNORDERED_ACCESS b writes }}
}} }}
"
        )
    };
    let entry = |name: &str| {
        format!(
            "buffer {name} {{ sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> UNORDERED_ACCESS }}"
        )
    };
    let one = scene(&entry("a"));
    let two = scene(&format!("{}\n  {}", entry("a"), entry("b")));
    for name in ["rdna", "rdna12", "intel"] {
        let profile = profile(name);
        let [_, after_one] = work(&trace(&one, &profile));
        let [_, after_two] = work(&trace(&two, &profile));
        assert!(
            after_two.0 >= after_one.0 && after_two.0 - after_one.0 <= Ps::from_ns(50),
            "{name}"
        );
    }
}

/// Arguments that a dispatch of 80 us writes: `precise` makes the parser wait, on every machine. Without that step the parser
/// has fetched when it came to the call, on every machine whose front end reads arguments, and all of them do. On `rdna12` the write-back
/// of L2, which arguments from memory need, makes it wait as well.
#[test]
fn the_parser_fetches_ahead_unless_it_is_made_to_wait() {
    use syncscope::lower::rules::RuleLowering;
    let text = "buffer a : 4KiB { flags UNORDERED_ACCESS }
queue q : direct
timeline { q execute {
  dispatch 1x1x1 takes 80us { UNORDERED_ACCESS a writes }
  barrier { buffer a { sync COMPUTE_SHADING -> EXECUTE_INDIRECT; access UNORDERED_ACCESS -> INDIRECT_ARGUMENT } }
  execute-indirect dispatch { INDIRECT_ARGUMENT a }
} }
";
    let rules = "lowering runs_on { based-on precise; match accumulate }
rule \"runs on\" { after access INDIRECT_ARGUMENT; drop front-end }
";
    let (runs_on, _) = RuleLowering::read(&Source::new("runs.lower", rules)).expect("it is right");
    let (scenario, findings) = scenario::parse(&Source::new("ahead.scn", text));
    assert!(findings.is_empty(), "{findings:#?}");
    let timeline = Timeline::new(&scenario);
    for profile in profiles() {
        let lowerings: [(&dyn Lowering, bool); 2] = [(&PRECISE, false), (&runs_on, true)];
        for (lowering, is_wrong) in lowerings {
            let program = lowering.lower(&timeline, &profile);
            let trace = sim::simulate(&program, &profile, &SimOptions::default());
            let kinds: Vec<_> = trace.observations.iter().map(|o| o.kind).collect();
            let is_wrong = is_wrong && profile.name != "rdna12";
            let expected = if is_wrong {
                vec![ObservationKind::Early]
            } else {
                Vec::new()
            };
            assert_eq!(kinds, expected, "{}, {}", profile.name, lowering.name());
            let judged = NeededPairs::new(&timeline).check(&profile, &program);
            let lacks: Vec<What> = judged.missing.iter().map(|it| it.shortfall.what).collect();
            let expected = if is_wrong {
                vec![What::FrontEnd]
            } else {
                Vec::new()
            };
            assert_eq!(lacks, expected, "{}, {}", profile.name, lowering.name());
        }
    }
}

/// Arguments of an earlier scope, of another queue and of the CPU need no step: the parser comes to a list when its scope has
/// started.
#[test]
fn the_parser_comes_to_a_list_when_its_scope_has_started() {
    let text = "buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer u : 4KiB { type upload }
queue q : direct
queue c : compute
fence f
timeline {
  cpu write u
  q execute { dispatch 1x1x1 takes 80us { UNORDERED_ACCESS a writes } }
  c execute { dispatch 1x1x1 takes 80us { UNORDERED_ACCESS b writes } }
  c signal f 1
  q wait f 1
  q execute {
    execute-indirect dispatch { INDIRECT_ARGUMENT a }
    execute-indirect dispatch { INDIRECT_ARGUMENT b }
    execute-indirect dispatch { INDIRECT_ARGUMENT u }
  }
}
";
    for profile in profiles() {
        let trace = trace(text, &profile);
        assert_eq!(trace.observations, [], "{}", profile.name);
    }
}
