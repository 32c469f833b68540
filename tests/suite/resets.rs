//! GPU timeouts in the machine (reading R40): what is in flight ends at the reset, what waits never begins, what was not
//! written is never there, and the rest of the machine goes on with what has become free.
//!
//! Times are those of the `rdna` profile that are in `machine.rs`: a scope of shader work begins after 3.3 us, a call of
//! the CPU takes 1 us, so that a reset after `cpu work T` takes effect at T + 1 us.

use crate::laws::{broken, runs_forward};
use crate::sizes;
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::id::{NodeId, OpId};
use syncscope::order::Timeline;
use syncscope::scenario;
use syncscope::sim::{self, SimOptions};
use syncscope::time::Ps;
use syncscope::trace::{CommandTiming, ObservationKind, Trace};

const BUFFERS: &str = "
buffer a : 64KiB { flags UNORDERED_ACCESS }
buffer b : 64KiB { flags UNORDERED_ACCESS }
queue p : compute
queue q : compute
";
/// When work of the first scope starts.
const BEGIN: u64 = 3_300;

fn run_on(profile: &str, text: &str) -> Trace {
    let registry = catalog::registry();
    let (scenario, findings) = scenario::parse(&Source::new("reset.scn", text));
    assert!(findings.is_empty(), "{findings:#?}\n{text}");
    let profile = registry.profile(profile).expect("a profile");
    let lowering = registry.lowering("precise").expect("a lowering");
    let program = lowering.lower(&Timeline::new(&scenario), &profile);
    let options = SimOptions {
        causes: true,
        ..SimOptions::default()
    };
    let trace = sim::simulate(&program, &profile, &options);
    runs_forward(&trace, text);
    let causes = trace.causes.as_ref().expect("causes");
    assert_eq!(causes.check(), None, "{text}");
    assert_eq!(causes.at(causes.last()), trace.makespan, "{text}");
    let totals = SimOptions {
        spans: false,
        rows: false,
        causes: false,
        ..options
    };
    let short = sim::simulate(&program, &profile, &totals);
    assert_eq!(
        (short.makespan, short.totals, &short.observations),
        (trace.makespan, trace.totals, &trace.observations),
        "the same without rows\n{text}"
    );
    trace
}

fn run(text: &str) -> Trace {
    run_on("rdna", text)
}

fn between(start: u64, end: u64) -> CommandTiming {
    CommandTiming {
        start: Ps::from_ns(start),
        end: Ps::from_ns(end),
    }
}

/// Which node read what, whose write it should have seen, and how many bytes of it.
fn seen(trace: &Trace) -> Vec<(u32, ObservationKind, Option<NodeId>, u64)> {
    let all = trace.observations.iter();
    all.map(|o| (o.node.0, o.kind, o.expected, o.bytes))
        .collect()
}

/// The dispatch would run until 13.3 us. Behind the reset at 6 us nothing of it is there, and nothing of the scope's end.
#[test]
fn work_in_flight_ends_at_the_reset_and_writes_nothing() {
    let trace = run(&format!(
        "{BUFFERS} timeline {{
           q execute {{ dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a writes }} }}
           cpu work 5us
           reset device
           cpu read a
         }}"
    ));
    assert_eq!(trace.command(NodeId(0)), between(BEGIN, 6_000));
    assert_eq!(trace.makespan, Ps::from_ns(7_000));
    let undefined = ObservationKind::Undefined;
    assert_eq!(
        seen(&trace),
        [(3, undefined, Some(NodeId(0)), 64 << 10)],
        "the CPU reads nothing defined"
    );
    assert_eq!(trace.observations[0].saw, None);
    assert_eq!(trace.totals.work, 0);
}

/// Had it ended before, its write has landed; but nobody has written the caches back for the CPU.
#[test]
fn what_has_landed_stays_where_it_is() {
    let text = format!(
        "{BUFFERS} timeline {{
           q execute {{
             dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a writes }}
             dispatch 1x1x1 takes 100us {{ UNORDERED_ACCESS b writes }}
           }}
           cpu work 40us
           reset device
           cpu read a
           cpu read b
         }}"
    );
    // Both share the cores from 3.3 us on: the first ends at 23.3 us.
    let trace = run(&text);
    assert_eq!(trace.command(NodeId(0)), between(BEGIN, BEGIN + 20_000));
    assert_eq!(trace.command(NodeId(1)), between(BEGIN, 41_000));
    // The scope's end would have written L2 back.
    let (stale, undefined) = (ObservationKind::Stale, ObservationKind::Undefined);
    assert_eq!(
        seen(&trace),
        [
            (4, stale, Some(NodeId(0)), 64 << 10),
            (5, undefined, Some(NodeId(1)), 64 << 10)
        ]
    );
    // Without caches there is nothing to write back. There the second has run for 10 us alongside the first.
    let trace = run_on("reference", &text);
    assert_eq!(seen(&trace), [(5, undefined, Some(NodeId(1)), 64 << 10)]);
}

/// A barrier waits for a draw and holds the next one: none of the three goes on.
#[test]
fn later_stages_barriers_and_held_work_do_not_run() {
    let trace = run("
texture t : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
texture s : R8G8B8A8_UNORM 256x256 { flags RENDER_TARGET; initial RENDER_TARGET }
queue q : direct
timeline {
  q execute {
    draw takes 10us { RENDER_TARGET t }
    barrier { texture t { sync RENDER_TARGET -> PIXEL_SHADING; access RENDER_TARGET -> SHADER_RESOURCE; layout RENDER_TARGET -> SHADER_RESOURCE } }
    draw takes 10us { SHADER_RESOURCE t @ PIXEL_SHADING; RENDER_TARGET s }
  }
  cpu work 5us
  reset queue q
}");
    assert_eq!(trace.command(NodeId(0)), between(BEGIN, 6_000));
    // The second draw's vertices are held by nobody and run alongside the first draw; its pixels never begin.
    assert_eq!(trace.command(NodeId(2)).end, Ps::from_ns(6_000));
    let [barrier] = trace.barriers.as_slice() else {
        panic!("one barrier: {:?}", trace.barriers);
    };
    // It waits from the scope's begin to the reset, and nothing more.
    assert_eq!(barrier.drain, Ps::from_ns(6_000 - BEGIN));
    assert_eq!((barrier.operation, barrier.refill), (Ps::ZERO, Ps::ZERO));
    assert_eq!(barrier.completed, Ps::from_ns(6_000));
    assert_eq!(barrier.first_held_start, None);
    let totals = trace.totals;
    assert_eq!(
        (totals.work, totals.barriers, totals.layout_operations),
        (0, 0, 0)
    );
    assert_eq!(trace.makespan, Ps::from_ns(6_000));
}

/// The queue has not come to the dispatch: it waits for a fence. Its write is lost all the same.
#[test]
fn what_has_not_begun_is_lost_as_well() {
    let trace = run(&format!(
        "fence f {BUFFERS} timeline {{
           q wait f 1
           q execute {{ dispatch 1x1x1 {{ UNORDERED_ACCESS a writes }} }}
           cpu work 5us
           reset queue q
           cpu read a
           cpu signal f 1
         }}"
    ));
    assert!(!trace.command(NodeId(1)).ran());
    let undefined = ObservationKind::Undefined;
    assert_eq!(seen(&trace), [(4, undefined, Some(NodeId(1)), 64 << 10)]);
    assert_eq!(trace.stuck, []);
    // The wait ends at the reset.
    assert_eq!(trace.ops[OpId(0)].retired, Ps::from_ns(6_000));
    assert_eq!(trace.spans(OpId(0)).count(), 1);
}

/// Two dispatches of 10 us share the cores from 3.3 us on. At the reset, at 7.3 us, each has 8 us left; the one that goes on
/// has the cores for itself: until 15.3 us.
#[test]
fn who_goes_on_gets_what_is_free() {
    let trace = run(&format!(
        "{BUFFERS} timeline {{
           p execute {{ dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a writes }} }}
           q execute {{ dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS b writes }} }}
           cpu work 6300ns
           reset queue p
         }}"
    ));
    assert_eq!(trace.command(NodeId(0)), between(BEGIN, 7_300));
    assert_eq!(trace.command(NodeId(1)), between(BEGIN, 15_300));
}

/// Groups that keep their places give them back. As in scene `49-time-places`: of 2,112 groups of 10 us, 1,980 find places
/// at once and the other 132 after them; a group takes 10.483 us, and the last 132 are launched in 131 x 0.817 ns.
#[test]
fn places_of_dropped_groups_are_free_at_once() {
    let trace = run_on(
        "hopper",
        "queue long : compute
         queue short : compute
         timeline {
           long execute { dispatch 2112x1x1 threads 128 group-takes 100us { } }
           short execute { dispatch 2112x1x1 threads 128 group-takes 10us { } }
           cpu work 50us
           reset queue long
         }",
    );
    // The reset, after a call of the CPU.
    let reset = trace.command(NodeId(3)).end;
    assert_eq!(trace.command(NodeId(0)).end, reset);
    let remaining = Ps::from_ns(2 * 10_483) + Ps(131 * 817);
    assert_eq!(trace.command(NodeId(1)).end, reset + remaining);
}

/// Fences go to their greatest value but for those that the flag exempts, whoever signals them (reading R40).
#[test]
fn fences_jump_unless_they_are_left_alone() {
    for (flags, stuck) in [("", false), ("{ flags NoSignalMaxValueOnTdr }", true)] {
        let trace = run(&format!(
            "fence f {flags}\n{BUFFERS} timeline {{
               q execute {{ dispatch 1x1x1 takes 10us {{ UNORDERED_ACCESS a writes }} }}
               q signal f 1
               p wait f 7
               reset device
               cpu wait f 1
               cpu work 1us
             }}"
        ));
        assert_eq!(!trace.stuck.is_empty(), stuck, "{flags}: {:?}", trace.stuck);
        assert_eq!(trace.command(NodeId(5)).ran(), !stuck, "{flags}");
    }
    // A reset of the device reaches fences that no queue signals.
    let trace = run(&format!(
        "fence f\n{BUFFERS} timeline {{\n reset device\n cpu wait f 1\n cpu work 1us\n}}"
    ));
    assert_eq!(trace.stuck, []);
}

/// Wherever a reset falls, time runs forward, spans tile lives, and everything has a cause: [`run`] asserts it.
#[test]
fn a_reset_may_fall_anywhere() {
    for seed in sizes::MACHINE.seeds_times(12) {
        let text = broken(seed);
        let Some((before, timeline)) = text.split_once("timeline {") else {
            panic!("no timeline:\n{text}");
        };
        let timeline = timeline.trim_end().strip_suffix('}').expect("its end");
        for work in ["", "cpu work 4us", "cpu work 9us", "cpu work 30us"] {
            let text = format!("{before}timeline {{{timeline}\n  {work}\n  reset device\n}}\n");
            run(&text);
        }
    }
}

/// A read after a wait that goes on for ever never comes: only the wait is a finding. The flag keeps the reset from raising
/// the fence (reading R40).
#[test]
fn what_never_comes_reads_nothing_lost() {
    let text = |flags: &str| {
        format!(
            "buffer a : 4KiB {{ flags UNORDERED_ACCESS }}
fence f {{ {flags} }}
queue gfx : direct
timeline {{
  gfx execute {{ dispatch \"w\" 1x1x1 {{ UNORDERED_ACCESS a writes }} }}
  gfx signal f 1
  reset device
  cpu wait f 1
  cpu read a
}}"
        )
    };
    let rules = |flags| {
        let source = Source::new("reset.scn", text(flags));
        let report = syncscope::run::check(&source, &syncscope::run::Options::default());
        let rules = report.findings.iter().map(|f| f.rule.id);
        rules.filter(|id| id.starts_with("FN1")).collect::<Vec<_>>()
    };
    assert_eq!(rules(""), ["FN113"]);
    assert_eq!(rules("flags NoSignalMaxValueOnTdr"), ["FN106"]);
}
