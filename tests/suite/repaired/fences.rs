//! Waits and signals with a wrong word in them: the name of the fence, or the value.

use super::recovers;

const DECLARED: &str = "queue q : direct
queue c : compute
fence f
fence g
buffer b : 4KiB { flags UNORDERED_ACCESS }
list w : direct { dispatch 1x1x1 { UNORDERED_ACCESS b writes } }
list r : compute { dispatch 1x1x1 { SHADER_RESOURCE b } }
";

fn text(timeline: &str) -> String {
    format!("{DECLARED}timeline {{\n{timeline}}}\n")
}

/// The write is over before the read, the read before the next write, and that before the next read.
fn there_and_back() -> String {
    text(
        "  q execute w
  q signal f 1
  c wait f 1
  c execute r
  c signal g 1
  q wait g 1
  q execute w
  q signal f 2
  c wait f 2
  c execute r
",
    )
}

/// Upload, work on it, work on that: a fence for each step.
fn chain() -> String {
    "queue k : copy
queue c : compute
queue q : direct
fence f
fence g
buffer u : 4KiB { type upload }
buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer d : 4KiB { flags UNORDERED_ACCESS }
list up : copy { copy u -> b }
list mid : compute { dispatch 1x1x1 { SHADER_RESOURCE b; UNORDERED_ACCESS d writes } }
list out : direct { dispatch 1x1x1 { SHADER_RESOURCE d } }
timeline {
  k execute up
  k signal f 1
  c wait f 1
  c execute mid
  c signal g 1
  q wait g 1
  q execute out
}
"
    .to_owned()
}

/// The name that the other side names comes back, whether the wait never ends, waits for itself or waits for nothing that is
/// needed.
#[test]
fn a_wrong_fence_is_named_right() {
    let once = text("  q execute w\n  q signal f 1\n  c wait f 1\n  c execute r\n");
    recovers(&once, "c wait f 1", "c wait g 1");
    let back = there_and_back();
    recovers(&back, "c wait f 2", "c wait g 2");
    recovers(&back, "q signal f 2", "q signal g 2");
    recovers(&back, "q wait g 1", "q wait f 1");
    recovers(&back, "c signal g 1", "c signal f 1");
    recovers(&back, "c wait f 1", "c wait g 1");
    let chain = chain();
    recovers(&chain, "q wait g 1", "q wait f 1");
    recovers(&chain, "c wait f 1", "c wait g 1");
    recovers(&chain, "c signal g 1", "c signal f 1");
    recovers(&chain, "k signal f 1", "k signal g 1");
    let rounds = text(
        "  repeat 3 {
    q execute w
    q signal f +1
    c wait f +0
    c execute r
    c signal g +1
    q wait g +0
  }
",
    );
    recovers(&rounds, "c wait f +0", "c wait g +0");
    recovers(&rounds, "c wait f +0", "c wait f +1");
}

/// The CPU waits as a queue does.
#[test]
fn a_wait_of_the_cpu_names_the_fence_that_is_signalled() {
    let read = "queue q : direct
fence f
fence g
buffer b : 4KiB
buffer r : 4KiB { type readback }
list l : direct { copy b -> r }
timeline {
  q execute l
  q signal f 1
  cpu wait f 1
  cpu read r
}
";
    recovers(read, "cpu wait f 1", "cpu wait g 1");
    recovers(read, "cpu wait f 1", "cpu wait f 2");
}

/// A wait for a value that nobody signals, or that is signalled too early; a signal of a value for which nobody waits.
#[test]
fn a_wrong_value_becomes_the_one_of_the_other_side() {
    let back = there_and_back();
    recovers(&back, "c wait f 2", "c wait f 3");
    recovers(&back, "c wait f 2", "c wait f 1");
    recovers(&back, "q signal f 2", "q signal f 1");
    recovers(&back, "q signal f 1", "q signal f 0");
    recovers(&back, "q signal f 1", "q signal f 2");
    recovers(&chain(), "c signal g 1", "c signal g 0");
    // Both sides are as likely: the wait is changed.
    recovers(&chain(), "q wait g 1", "q wait g 2");
}

/// Three queues use one buffer in turn: the wait that is wrong is changed, and no other one is added further on.
#[test]
fn the_first_wait_that_is_wrong_is_changed() {
    let text = "queue a : compute
queue b : compute
queue c : compute
fence f
fence g
buffer s : 4KiB { flags UNORDERED_ACCESS }
list of_a : compute { dispatch 1x1x1 { UNORDERED_ACCESS s } }
list of_b : compute { dispatch 1x1x1 { UNORDERED_ACCESS s } }
list of_c : compute { dispatch 1x1x1 { UNORDERED_ACCESS s } }
timeline {
  a execute of_a
  a signal f 1
  c wait f 1
  c execute of_c
  c signal g 1
  b wait g 1
  b execute of_b
}
";
    recovers(text, "c wait f 1", "c wait f 0");
    recovers(text, "b wait g 1", "b wait f 1");
    recovers(text, "a signal f 1", "a signal g 1");
}

/// Who waits for its own signal waits for nothing: the other queue is meant.
#[test]
fn the_wrong_queue_becomes_the_right_one() {
    let once = text("  q execute w\n  q signal f 1\n  c wait f 1\n  c execute r\n");
    recovers(&once, "c wait f 1", "q wait f 1");
    recovers(&once, "q signal f 1", "c signal f 1");
    let back = there_and_back();
    recovers(&back, "c wait f 2", "q wait f 2");
    recovers(&back, "q wait g 1", "c wait g 1");
    let chain = chain();
    recovers(&chain, "c wait f 1", "k wait f 1");
    recovers(&chain, "q wait g 1", "c wait g 1");
}

/// A signal in place of a wait, a wait in place of a signal, and both.
#[test]
fn signal_and_wait_are_exchanged() {
    let once = text("  q execute w\n  q signal f 1\n  c wait f 1\n  c execute r\n");
    recovers(&once, "q signal f 1", "q wait f 1");
    recovers(&once, "c wait f 1", "c signal f 1");
    recovers(
        &once,
        "q signal f 1\n  c wait f 1",
        "q wait f 1\n  c signal f 1",
    );
    let chain = chain();
    recovers(&chain, "k signal f 1", "k wait f 1");
    recovers(&chain, "q wait g 1", "q signal g 1");
}

/// In a `repeat` a signal of `+0` raises nothing.
#[test]
fn a_signal_in_a_repeat_counts() {
    let rounds = text(
        "  repeat 3 {
    q execute w
    q signal f +1
    c wait f +0
    c execute r
    c signal g +1
    q wait g +0
  }
",
    );
    recovers(&rounds, "q signal f +1", "q signal f +0");
    recovers(&rounds, "c signal g +1", "c signal g +0");
}

/// In a `repeat` a wait before its signal waits for the turn before: the two are put in order, without another fence.
#[test]
fn signal_and_wait_of_a_repeat_are_put_in_order() {
    let rounds = text(
        "  repeat 3 {
    q execute w
    q signal f +1
    c wait f +0
    c execute r
    c signal g +1
    q wait g +0
  }
",
    );
    let (signal, wait) = ("q signal f +1", "c wait f +0");
    recovers(
        &rounds,
        &format!("{signal}\n    {wait}"),
        &format!("{wait}\n    {signal}"),
    );
    recovers(
        &rounds,
        &format!("{signal}\n    {wait}"),
        "q wait f +0\n    c signal f +1",
    );
}

/// The same of fence barriers: the name or the value that the other side names.
#[test]
fn a_wrong_word_of_a_fence_barrier_is_named_right() {
    let right = "queue q : direct
queue c : compute
fence f
fence g
buffer b : 4KiB { flags UNORDERED_ACCESS }
list w : direct {
  dispatch 1x1x1 { UNORDERED_ACCESS b writes }
  signal-barrier f 1 { buffer b { sync COMPUTE_SHADING -> NONE; access UNORDERED_ACCESS -> NO_ACCESS } }
}
list r : compute {
  wait-barrier f 1 { buffer b { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> SHADER_RESOURCE } }
  dispatch 1x1x1 { SHADER_RESOURCE b }
}
timeline {
  q execute w
  c execute r
}
";
    recovers(right, "wait-barrier f 1", "wait-barrier g 1");
    recovers(right, "wait-barrier f 1", "wait-barrier f 2");
}
