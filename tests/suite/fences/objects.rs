//! Processes and threads: handles, flags of each process, and which waits end when an object goes away.

use super::parse;
use syncscope::finding::Source;
use syncscope::order::{Actor, SubmissionKind, Timeline};
use syncscope::run;
use syncscope::scenario::{self, json};

fn ids(text: &str) -> Vec<(u32, &'static str)> {
    let source = Source::new("objects.scn", text);
    let report = run::check(&source, &run::Options::default());
    let wrong = report.findings.iter().filter(|f| f.severity.fails());
    wrong
        .map(|f| (source.line(f.span.start), f.rule.id))
        .collect()
}

fn two(flags: &str, timeline: &[&str]) -> String {
    let mut text = format!(
        "process app\nprocess viewer\nthread watcher : viewer\nthread helper : app\n\
         fence f {{ flags {flags}; process app }}\nqueue gfx : direct {{ process app }}\n\
         queue show : direct {{ process viewer }}\ntimeline {{\n"
    );
    for line in timeline {
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("}\n");
    text
}

/// Line of the timeline's first statement.
const FIRST: u32 = 9;

/// Synchronization-object flags, "UnwaitCpuWaitersOnlyOnDestroy": by default the end of the local object ends waits through it; with the
/// flag, the end of the shared one.
#[test]
fn waits_end_with_the_local_or_with_the_shared_object() {
    let last = "Shared|UnwaitCpuWaitersOnlyOnDestroy";
    let local = ["viewer open f", "watcher wait f 1", "viewer destroy f"];
    assert_eq!(ids(&two("Shared", &local)), []);
    assert_eq!(ids(&two(last, &local)), [(FIRST + 1, "FN101")]);
    let both = [&local[..], &["app destroy f"]].concat();
    assert_eq!(ids(&two(last, &both)), []);
    // The other process's object is not that of this thread.
    let other = ["viewer open f", "watcher wait f 1", "app destroy f"];
    assert_eq!(ids(&two("Shared", &other)), [(FIRST + 1, "FN101")]);
    // A queue is not woken so.
    let queue = ["viewer open f", "show wait f 1", "viewer destroy f"];
    assert_eq!(ids(&two("Shared", &queue)), [(FIRST + 1, "FN101")]);
    // A thread cannot destroy what it waits for while it waits.
    let own = ["app wait f 1", "app destroy f"];
    assert_eq!(ids(&two("Shared", &own)), [(FIRST, "FN101")]);
    let helped = ["app wait f 1", "helper destroy f"];
    assert_eq!(ids(&two("Shared", &helped)), []);
}

/// The machine wakes the same threads, and holds the work of a process's queues after its waits.
#[test]
fn the_machine_wakes_whom_the_destroyed_object_wakes() {
    let text = two(
        "Shared",
        &[
            "viewer open f",
            "watcher wait f 1",
            "viewer destroy f",
            "viewer open f",
            "gfx execute { dispatch 1x1x1 takes 80us { } }",
            "gfx signal f 1",
            "viewer wait f 1",
            "show execute { dispatch 1x1x1 { } }",
        ],
    );
    let parsed = parse(&text);
    let timeline = Timeline::new(&parsed);
    assert_eq!(
        timeline.fence_problems.len(),
        1,
        "{:?}",
        timeline.fence_problems
    );
    let (_, trace) = super::account::simulated(&timeline);
    assert_eq!(trace.stuck, []);
    let shown = timeline
        .submissions
        .iter()
        .find(|s| s.kind == SubmissionKind::Execute && timeline.actor_name(s.actor) == "show")
        .expect("the viewer's work");
    let start = trace.command(shown.first_node).start;
    assert!(start > syncscope::time::Ps::from_ns(80_000), "{start}");
}

/// Work that a process submits comes after what it waited for; that of another process does not.
#[test]
fn a_process_orders_its_own_queues_alone() {
    let lines = [
        "viewer open f",
        "gfx signal f 1",
        "viewer wait f 1",
        "show signal f 2",
        "gfx signal f 3",
    ];
    let text = two("Shared", &lines);
    let parsed = parse(&text);
    let timeline = Timeline::new(&parsed);
    let find = |value: u64| {
        let is = |s: syncscope::order::Submission<'_>| matches!(s.kind, SubmissionKind::Signal { value: v, .. } if v == value);
        let at = timeline.submissions.iter().position(is).expect("a signal");
        syncscope::id::SubmissionId::new(at)
    };
    assert!(timeline.happens_before(find(1), find(2)));
    assert!(!timeline.happens_before(find(2), find(3)));
    assert!(matches!(
        timeline.submission(find(2)).actor,
        Actor::Queue(_)
    ));
}

/// Flags bind the process that opened the object with them.
#[test]
fn flags_of_an_open_bind_its_process() {
    let lines = [
        "viewer open f flags NoSignal",
        "show signal f 1",
        "gfx signal f 2",
    ];
    assert_eq!(ids(&two("Shared", &lines)), [(FIRST + 1, "FN008")]);
    let lines = [
        "viewer open f flags NoWait",
        "gfx signal f 1",
        "viewer wait f 1",
    ];
    assert_eq!(ids(&two("Shared", &lines)), [(FIRST + 2, "FN009")]);
    for (flags, rule) in [
        ("NoSignal|NoWait", "FN003"),
        ("0x800", "FN005"),
        ("Unused", "FN005"),
    ] {
        let line = format!("viewer open f flags {flags}");
        assert_eq!(ids(&two("Shared", &[&line])), [(FIRST, rule)]);
    }
    let native =
        two("Shared", &["viewer open f flags NoWait"]).replace("{ flags", "{ kind native; flags");
    assert_eq!(ids(&native), [(FIRST, "FN002")]);
    let lines = ["viewer open f", "show signal f 1", "gfx signal f 2"];
    assert_eq!(ids(&two("Shared|NoSignal", &lines)), [(FIRST + 2, "FN008")]);
}

/// A reset stops the GPU, not processes.
#[test]
fn processes_survive_a_reset() {
    let lines = [
        "viewer open f",
        "reset device",
        "app signal f 1",
        "viewer wait f 1",
    ];
    assert_eq!(ids(&two("Shared|NoSignalMaxValueOnTdr", &lines)), []);
}

/// Every new form is printed as it is read, and its JSON form says the same.
#[test]
fn actors_and_adapters_are_printed_as_they_are_read() {
    let text = "adapter 1 {\n  native-fences off\n  optimised-default on\n  intra-gpu off\n  \
                segments system|local\n  stride 128\n}\nprocess app\nthread helper : app\nfence f = 1 {\n  \
                native INTRA_GPU\n  adapter 1\n  process app\n  storage current 2\n  storage private 0\n  \
                uninitialised\n}\nfence g { scope list }\nqueue gfx : direct { process app; adapter 1 }\n\n\
                timeline {\n  gfx initialise f\n  helper open g flags NoSignal|NoWait\n  app create g\n  \
                app share g\n  app destroy g\n}\n";
    let parsed = parse(text);
    let printed = scenario::print(&parsed);
    assert_eq!(printed, text);
    let value = json::to_json(&parsed);
    let again = json::to_text(&Source::new("again.json", value)).expect("text");
    assert_eq!(again, printed);
}

/// With processes, `cpu` would be nobody.
#[test]
fn a_file_with_processes_has_no_cpu() {
    for line in [
        "cpu wait f 1",
        "reset queue app",
        "app execute l",
        "app initialise f",
    ] {
        let text = two("Shared", &[line]);
        let (_, findings) = scenario::parse(&Source::new("wrong.scn", text));
        assert_eq!(findings.len(), 1, "{line}: {findings:#?}");
    }
}
