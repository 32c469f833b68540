//! What fences do in a run: interrupts, hand-over times, logs, resets, adapters; and the page that prints it.

use super::parse;
use syncscope::analyze::account::{Account, FenceAccount, Interrupt, account};
use syncscope::analyze::log::ENTRIES;
use syncscope::finding::Source;
use syncscope::hardware::Profile;
use syncscope::id::{FenceId, QueueId};
use syncscope::order::Timeline;
use syncscope::run::fence_kinds::FenceKind;
use syncscope::run::{self, Options};
use syncscope::time::Ps;
use syncscope::trace::Trace;
use syncscope::{catalog, report, sim};

fn profile() -> Profile {
    let registry = catalog::registry();
    registry.profile("rdna").expect("a profile")
}

fn nanoseconds(key: &str) -> Ps {
    profile().nanoseconds(key).expect("a number of the profile")
}

/// A timeline on the machine.
pub(crate) fn simulated(timeline: &Timeline<'_>) -> (Profile, Trace) {
    run_on(timeline, profile())
}

fn run_on(timeline: &Timeline<'_>, profile: Profile) -> (Profile, Trace) {
    let registry = catalog::registry();
    let program = registry.lowerings[0].lower(timeline, &profile);
    let trace = sim::simulate(&program, &profile, &sim::SimOptions::default());
    (profile, trace)
}

pub(crate) fn accounted(text: &str) -> Account {
    let parsed = parse(text);
    let timeline = Timeline::new(&parsed);
    let (_, trace) = simulated(&timeline);
    account(&timeline, &trace)
}

/// Two signals of a queue and one waiter for the second value.
fn account_of(fence: &str, waiter: &str) -> FenceAccount {
    let text = format!(
        "fence f {{ {fence} }}\nqueue gfx : direct\nqueue async : compute\ntimeline {{\n  gfx signal f 1\n  \
         gfx signal f 2\n  {waiter}\n}}\n"
    );
    accounted(&text).fences[FenceId(0)].clone()
}

/// Native fences: interrupt if the new value is greater than `MonitoredValue`, which is the least value that the CPU
/// waits for, less one; `u64::MAX` without a waiter; 0 across adapters. Monitored fences: always.
#[test]
fn interrupts_are_raised_where_somebody_is_told() {
    let counts = |fence: &str, waiter: &str| {
        let account = account_of(fence, waiter);
        (account.interrupts, account.spurious, account.saved)
    };
    let (cpu, queue, nobody) = ("cpu wait f 2", "async wait f 2", "cpu work 1us");
    assert_eq!(counts("kind monitored", cpu), (2, 1, 0));
    assert_eq!(counts("kind monitored", queue), (2, 1, 0));
    assert_eq!(counts("kind monitored", nobody), (2, 2, 0));
    assert_eq!(counts("kind native", cpu), (1, 0, 1));
    assert_eq!(counts("kind native", queue), (0, 0, 2));
    assert_eq!(counts("kind native", nobody), (0, 0, 2));
    let crossing = "kind native; flags Shared|CrossAdapter";
    assert_eq!(counts(crossing, cpu), (2, 1, 0));
    let account = account_of("kind native", cpu);
    let used = (
        account.queue_signals,
        account.cpu_signals,
        account.queue_waits,
        account.cpu_waits,
    );
    assert_eq!(used, (2, 0, 0, 1));
    let values: Vec<u64> = account.values.iter().map(|v| v.value).collect();
    assert_eq!(values, [1, 2]);
    assert_eq!(account.values[0].monitored, Some(1));
    assert_eq!(account.values[0].interrupt, Interrupt::Saved);
    assert_eq!(account.values[1].wakes.len(), 1);
}

/// From the end of the signal to the end of the wait, where one queue waits for another.
fn hand_over(text: &str, profile: Profile) -> Ps {
    let parsed = parse(text);
    let timeline = Timeline::new(&parsed);
    let (_, trace) = run_on(&timeline, profile);
    let mut signal = None;
    let mut wait = None;
    for submission in timeline.submissions.iter() {
        let timing = trace.command(submission.first_node);
        match submission.kind {
            syncscope::order::SubmissionKind::Signal { .. } => signal = Some(timing.end),
            syncscope::order::SubmissionKind::Wait { .. } => wait = Some(timing.end),
            _ => {}
        }
    }
    wait.expect("a wait") - signal.expect("a signal")
}

fn handing(fence: &str, more: &str) -> String {
    format!(
        "{more}fence f {{ {fence} }}\nqueue gfx : direct {{ adapter 0 }}\nqueue other : compute {{ adapter 0 }}\n\
         timeline {{\n  gfx execute {{ dispatch 1x1x1 takes 50us {{ }} }}\n  gfx signal f 1\n  other wait f 1\n}}\n"
    )
}

/// A monitored hand-over is interrupt, scheduling and submission, each by itself; a native one none of them.
#[test]
fn a_monitored_hand_over_costs_what_its_parts_cost() {
    let set = |key: &str, value: &str| {
        let mut profile = profile();
        profile.set(key, value).expect("a number of the profile");
        profile
    };
    let parts = [
        "fence.interrupt_ns",
        "fence.scheduling_ns",
        "submit.wait_ns",
    ];
    let sum: Ps = parts.iter().map(|key| nanoseconds(key)).sum();
    let monitored = handing("kind monitored", "");
    assert_eq!(hand_over(&monitored, profile()), sum);
    for key in parts {
        let more = hand_over(&monitored, set(key, "100000"));
        assert_eq!(more, sum - nanoseconds(key) + Ps::from_ns(100_000), "{key}");
        for native in ["native DEFAULT", "native INTRA_GPU"] {
            let native = handing(native, "");
            let (own, changed) = (
                hand_over(&native, profile()),
                hand_over(&native, set(key, "100000")),
            );
            assert_eq!(own, changed, "{key}");
        }
    }
    let native = hand_over(&handing("native DEFAULT", ""), profile());
    assert_eq!(native, nanoseconds("fence.native_wait_ns"));
    let local = hand_over(&handing("native INTRA_GPU", ""), profile());
    assert_eq!(local, nanoseconds("fence.local_wait_ns"));
    assert!(local < native && native < sum);
}

/// Native fence storage: placement changes the cost. Synchronization-object flags, "NoGPUAccess": only packets, which the system handles.
#[test]
fn placement_decides_what_a_hand_over_costs() {
    let cost = |fence: &str, more: &str| hand_over(&handing(fence, more), profile());
    let system = nanoseconds("fence.native_wait_ns");
    let local = nanoseconds("fence.local_wait_ns");
    assert_eq!(
        cost("native INTRA_GPU", "adapter 0 { segments system }\n"),
        system
    );
    assert_eq!(
        cost("native INTRA_GPU", "adapter 0 { intra-gpu off }\n"),
        system
    );
    assert_eq!(cost("native INTRA_GPU; storage current 1", ""), system);
    assert_eq!(cost("native INTRA_GPU; storage current 3", ""), local);
    let monitored = cost("kind monitored", "");
    assert_eq!(
        cost("native DEFAULT", "adapter 0 { native-fences off }\n"),
        monitored
    );
    assert_eq!(cost("native DEFAULT; flags NoGPUAccess", ""), monitored);
    assert_eq!(cost("flags NoGPUAccess", ""), monitored);
}

/// Across adapters every signal interrupts and is carried over; a side without native fences pays the monitored way.
#[test]
fn a_value_is_carried_to_the_other_adapter() {
    let scene = |sides: &str| {
        handing("native DEFAULT; flags Shared|CrossAdapter", sides).replace(
            "queue other : compute { adapter 0 }",
            "queue other : compute { adapter 1 }",
        )
    };
    let both = scene("");
    let account = accounted(&both).fences[FenceId(0)].clone();
    assert_eq!(
        (account.interrupts, account.spurious, account.forwarded),
        (1, 0, 1)
    );
    assert_eq!(account.values[0].monitored, Some(0));
    let time = |key: &str| nanoseconds(key);
    let forward = time("fence.interrupt_ns") + time("fence.forward_ns");
    assert_eq!(
        hand_over(&both, profile()),
        forward + time("fence.native_wait_ns")
    );
    let monitored = time("fence.scheduling_ns") + time("submit.wait_ns");
    let one = scene("adapter 1 { native-fences off }\n");
    assert_eq!(hand_over(&one, profile()), forward + monitored);
}

/// The tables agree with the runs that they stand for, and a faster hand-over never makes a frame longer.
#[test]
fn kinds_side_by_side() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/fences");
    let read = |name: &str| std::fs::read_to_string(path.join(name)).expect("a scene");
    let source = Source::new("kinds.scn", read("01-async-compute-monitored.scn"));
    let registry = catalog::registry();
    let options = Options {
        profile: Some(profile().name),
        lowering: Some(registry.lowerings[0].name().into()),
        ..Options::default()
    };
    let outcomes = run::fence_kinds(&source, &registry, &options).expect("a scene that runs");

    let scenes = [
        "01-async-compute-monitored.scn",
        "02-async-compute-native.scn",
        "03-async-compute-intra-gpu.scn",
    ];
    for ((outcome, kind), scene) in outcomes.iter().zip(FenceKind::ALL).zip(scenes) {
        assert_eq!((outcome.kind, outcome.others), (kind, 0));
        assert_eq!(outcome.account, accounted(&read(scene)), "{scene}");
    }
    let makespans: Vec<Ps> = outcomes.iter().map(|o| o.account.makespan).collect();
    assert!(
        makespans[0] > makespans[1] && makespans[1] > makespans[2],
        "{makespans:?}"
    );
    // Two hand-overs lie on the critical path: at most twice the difference of what one costs. Work of the other queue
    // has the shader cores for itself meanwhile, so a part of it comes back.
    let time = |key: &str| nanoseconds(key);
    let monitored = time("submit.signal_ns")
        + time("fence.interrupt_ns")
        + time("fence.scheduling_ns")
        + time("submit.wait_ns");
    let native = time("fence.native_signal_ns") + time("fence.native_wait_ns");
    let saved = (monitored - native).0 * 2;
    let between = (makespans[0] - makespans[1]).0;
    assert!(between > 0 && between <= saved, "{between} of {saved}");
}

/// A queue whose signals interrupt nobody overruns its log; the operating system then looks at every fence.
#[test]
fn a_log_that_nobody_reads_wraps_around() {
    let text = format!(
        "fence f {{ kind native }}\nqueue gfx : direct\ntimeline {{\n  repeat {} {{ gfx signal f +1 }}\n}}\n",
        ENTRIES + 5
    );
    let account = accounted(&text);
    let log = &account.queues[QueueId(0)].signals;
    assert_eq!(
        (log.written(), log.wraparounds, log.first_free),
        (ENTRIES + 5, 1, 5)
    );
    assert_eq!((log.lost, log.rescans), (5, 1));
    let ends: Vec<Ps> = log.entries.iter().map(|e| e.end).collect();
    assert!(
        ends[5..].windows(2).all(|w| w[0] <= w[1]),
        "times never go backwards"
    );
    assert_eq!(
        (
            account.queues[QueueId(0)].progress,
            account.queues[QueueId(0)].submitted
        ),
        (ENTRIES + 5, ENTRIES + 5)
    );
}

/// Reading R40: who jumps, who wakes, what is lost.
#[test]
fn a_reset_says_who_wakes_and_what_is_lost() {
    let text = "fence a\nfence b { flags NoSignalMaxValueOnTdr }\nfence c { flags NoSignal }\n\
                buffer data : 4KiB { flags UNORDERED_ACCESS }\nqueue gfx : direct\ntimeline {\n  \
                gfx execute { dispatch 1x1x1 { UNORDERED_ACCESS data writes } }\n  gfx signal a 1\n  reset device\n  \
                cpu wait a 1\n  cpu wait a 7\n}\n";
    let parsed = parse(text);
    let timeline = Timeline::new(&parsed);
    let [effect] = timeline.resets.as_slice() else {
        panic!("one reset: {:?}", timeline.resets);
    };
    let named = |ids: &[FenceId]| -> Vec<String> {
        ids.iter()
            .map(|f| parsed.fence_name(*f).to_owned())
            .collect()
    };
    assert_eq!(named(&effect.jumps), ["a"]);
    assert_eq!(effect.dropped.len(), 2);
    assert_eq!(effect.woken.len(), 2);
    let (_, trace) = simulated(&timeline);
    let account = account(&timeline, &trace);
    let values: Vec<u64> = account.fences[FenceId(0)]
        .values
        .iter()
        .map(|v| v.value)
        .collect();
    assert_eq!(
        values,
        [u64::MAX],
        "the signal before the reset is not given"
    );
    assert_eq!(account.queues[QueueId(0)].progress, 0);
    let mut page = Vec::new();
    report::fences::write(&timeline, &account, &report::Style::default(), &mut page)
        .expect("writing to memory");
    let page = String::from_utf8(page).expect("text");
    assert!(
        page.contains("contents   data: nothing defined until it is written again"),
        "{page}"
    );
}

/// Native fence storage, "Remarks": packed values, system memory for what is shared, and who sets an `INTRA_GPU` fence's value.
#[test]
fn the_page_of_fences_says_where_values_lie() {
    let parsed = parse(
        "fence a { kind native }\nfence b { kind native; flags Shared }\nfence c = 5 { native INTRA_GPU }\n\
         fence d\nfence e { kind native }\nqueue gfx : direct\ntimeline {\n  gfx signal c 6\n}\n",
    );
    let timeline = Timeline::new(&parsed);
    let (_, trace) = simulated(&timeline);
    let account = account(&timeline, &trace);
    let mut page = Vec::new();
    report::fences::write(&timeline, &account, &report::Style::default(), &mut page)
        .expect("writing to memory");
    let page = String::from_utf8(page).expect("text");
    let part = |name: &str| {
        let rest = page
            .split(&format!("fence {name}: "))
            .nth(1)
            .expect("a part for each fence");
        rest.split("\nfence ").next().unwrap_or_default().to_owned()
    };
    for (name, line) in [
        ("a", "current    system memory, page 0 + 0 bytes"),
        (
            "a",
            "monitored  local memory (CPU-visible), page 0 + 0 bytes",
        ),
        ("b", "current    system memory, page 1 + 0 bytes"),
        ("c", "current    local memory, page 2 + 0 bytes"),
        ("c", "none: the CPU does not wait"),
        ("c", "undefined, then 5 by the driver's first packet"),
        ("c", "6 by gfx#1"),
        ("d", "system memory, kept by the operating system"),
        ("e", "current    system memory, page 0 + 64 bytes"),
    ] {
        assert!(part(name).contains(line), "{name}: {line}\n{page}");
    }
    assert!(
        page.lines().all(|line| line.chars().count() <= 100),
        "{page}"
    );
    let mut json = Vec::new();
    let write = report::fences::FENCES.writer(&report::json::FORMAT);
    let write = write.expect("the page has JSON");
    write(&timeline, &account, &report::Style::default(), &mut json).expect("writing to memory");
    let json: serde_json::Value = serde_json::from_slice(&json).expect("JSON");
    let current = &json["fences"][4]["current"];
    assert_eq!(
        (&current["page"], &current["offset_bytes"]),
        (&0.into(), &64.into())
    );
    assert_eq!(json["fences"][2]["values"][0]["value"], 6);
}
