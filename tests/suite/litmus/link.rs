//! Kernels of dispatches: what a litmus test finds is on the dispatch's line, and its fences cost time.

use super::files;
use std::path::Path;
use syncscope::catalog;
use syncscope::finding::{Finding, Severity, Source};
use syncscope::id::ListId;
use syncscope::run::{self, KERNELS_MAX, Level, Options, Switch, Texts};
use syncscope::scenario;
use syncscope::scenario::{CommandKind, DispatchOptions, json};

/// Options with these kernels, each a path and a text.
fn with(kernels: &[(&str, &str)]) -> Options {
    Options {
        files: kernels.iter().copied().collect::<Texts>().into(),
        ..Options::default()
    }
}

/// A scenario whose only command is this one.
fn scene(command: &str) -> Source {
    let text = format!(
        "queue q : direct\nlist l : direct {{\n  {command}\n}}\ntimeline {{\n  q execute l\n}}\n"
    );
    Source::new("scene.scn", text)
}

fn check(command: &str, options: &Options) -> Vec<(u32, &'static str, Severity)> {
    let source = scene(command);
    told(&source, &run::check(&source, options).findings)
}

fn told(source: &Source, findings: &[Finding]) -> Vec<(u32, &'static str, Severity)> {
    let one = |f: &Finding| (source.line(f.span.start), f.rule.id, f.severity);
    findings.iter().map(one).collect()
}

/// How long the only command takes, in picoseconds.
fn takes_ps(command: &str, options: &Options) -> u64 {
    let report = run::run(&scene(command), &catalog::registry(), options).expect("it runs");
    let [row] = &report.commands[..] else {
        panic!("one command: {:?}", report.commands);
    };
    row.end.0 - row.start.0
}

const DEVICE: &str = "uav x globallycoherent
thread group 0 cs { st x 1; sync_uglobal_t; st x 2 }
thread group 0 cs { add r0 x 1; sync_uglobal_t; sync_ugroup; sync_g; sync_ugroup_g }
";

#[test]
fn fences_of_the_longest_thread_are_added_to_each_group() {
    let options = Options {
        set: [
            ("shader.group_fence_ns", "12"),
            ("shader.device_fence_ns", "339"),
            ("shader.group_barrier_ns", "30"),
            ("latency.dispatch_ns", "1000"),
        ]
        .map(|(key, value)| (key.to_owned(), value.to_owned()))
        .to_vec(),
        ..with(&[("k.litmus", DEVICE)])
    };
    let ps = |command: &str| takes_ps(command, &options);
    let kernel = "kernel \"k.litmus\" { }";
    // Thread 0: one device fence and a meeting, 339 + 30 = 369 ns. Thread 1: the same and three fences of group scope,
    // 339 + 30 + 3 x 12 = 405 ns, which is the longer.
    let fences_ps = 405_000;
    // A small dispatch lives for its shortest time, 1000 ns, and the fences.
    assert_eq!(ps("dispatch \"a\" 1x1x1 { }"), 1_000_000);
    assert_eq!(
        ps(&format!("dispatch \"a\" 1x1x1 {kernel}")),
        1_000_000 + fences_ps
    );
    // 81,920 threads at once are 1,280 groups of 64: 2,560 groups run in two waves of 10 us each.
    assert_eq!(
        ps("dispatch \"a\" 2560x1x1 group-takes 10us { }"),
        20_000_000
    );
    assert_eq!(
        ps(&format!(
            "dispatch \"a\" 2560x1x1 group-takes 10us {kernel}"
        )),
        2 * (10_000_000 + fences_ps)
    );
    // Without a declared time: 2,560 x 64 threads at 50 G threads a second are 3.2768 us, and two waves of fences.
    assert_eq!(ps("dispatch \"a\" 2560x1x1 { }"), 3_276_800);
    assert_eq!(
        ps(&format!("dispatch \"a\" 2560x1x1 {kernel}")),
        3_276_800 + 2 * fences_ps
    );
    // The duration of a whole command is declared with everything in it.
    assert_eq!(
        ps(&format!("dispatch \"a\" 2560x1x1 takes 5us {kernel}")),
        5_000_000
    );
}

#[test]
fn a_barrier_without_a_scope_costs_nothing_and_a_branch_counts_as_taken() {
    let free = "uav x\nthread group 0 cs { st x 1; barrier(UAV;); st x 2 }\n";
    let branch = "uav x\nthread group 0 cs { add r0 x 1; [r0==1] sync_ugroup; st x 2 }\n";
    let options = with(&[("free.litmus", free), ("branch.litmus", branch)]);
    let ps = |path: &str| {
        takes_ps(
            &format!("dispatch 1x1x1 group-takes 1us kernel \"{path}\" {{ }}"),
            &options,
        )
    };
    assert_eq!(ps("free.litmus"), 1_000_000);
    // The profile's own number: 12 ns.
    assert_eq!(ps("branch.litmus"), 1_012_000);
}

/// Every profile has the three numbers, its own or assumed ones.
#[test]
fn every_profile_says_what_a_shader_fence_costs() {
    let registry = catalog::registry();
    for entry in &registry.profiles {
        let profile = registry.profile(entry.name).expect("it parses");
        for key in [
            "shader.group_fence_ns",
            "shader.device_fence_ns",
            "shader.group_barrier_ns",
        ] {
            let number = profile.numbers().find(|(k, _)| *k == key);
            let (_, number) = number.unwrap_or_else(|| panic!("{}: {key}", entry.name));
            // Nothing but work costs time on a machine without caches, which is there to compare with.
            let is_free = profile.caches.is_empty();
            assert!((number.value > 0) != is_free && !number.source.is_empty());
        }
    }
}

const STALE: &str = "uav x globallycoherent
uav y globallycoherent
thread group 0 cs { st x 1; add r0 y 1 }
thread group 1 cs { or r0 y 0; ld r1 x }
expect forbidden 1:r0 == 1 & 1:r1 == 0
";
/// Undefined twice, on lines 3 and 4 and 5.
const FOREIGN: &str = "uav x
uav y
thread group 0 cs { st x 1; st y 1 }
thread group 1 cs { ld r0 x }
thread group 1 cs { ld r0 y }
";

#[test]
fn what_threads_do_to_each_other_stands_on_the_dispatch() {
    let options = with(&[("stale.litmus", STALE), ("foreign.litmus", FOREIGN)]);
    let found = check("dispatch 2x1x1 kernel \"stale.litmus\" { }", &options);
    let worse = |found: &[(u32, &'static str, Severity)]| -> Vec<(u32, &'static str, Severity)> {
        let fails = |f: &&(u32, &'static str, Severity)| f.2.fails();
        found.iter().filter(fails).copied().collect()
    };
    assert_eq!(worse(&found), [(3, "LM020", Severity::Error)]);
    // One finding for a rule, however many places of the kernel break it; as bad as its rule says.
    let found = check("dispatch 2x1x1 kernel \"foreign.litmus\" { }", &options);
    assert_eq!(worse(&found), [(3, "LM008", Severity::Hazard)]);
    // Two dispatches are two lines.
    let both =
        "dispatch 2x1x1 kernel \"stale.litmus\" { }\n  dispatch 2x1x1 kernel \"stale.litmus\" { }";
    let found = check(both, &options);
    assert_eq!(
        worse(&found),
        [(3, "LM020", Severity::Error), (4, "LM020", Severity::Error)]
    );
    // The place in the kernel is in the message, and `run` finds the same.
    let source = scene("dispatch 2x1x1 kernel \"stale.litmus\" { }");
    let report = run::run(&source, &catalog::registry(), &options).expect("it runs");
    let finding = report.findings.iter().find(|f| f.rule.id == "LM020");
    let message = &finding.expect("the same finding").message;
    assert_eq!(
        &**message,
        "`stale.litmus` line 5: this is allowed, not forbidden"
    );
}

#[test]
fn findings_of_kernels_are_switched_and_allowed_like_others() {
    let registry = catalog::registry();
    let kernel = [("foreign.litmus", FOREIGN)];
    let dispatch = "dispatch 2x1x1 kernel \"foreign.litmus\" { }";
    let under = |level| Options {
        switches: vec![Switch {
            level,
            rules: registry.named("LM008"),
        }],
        ..with(&kernel)
    };
    let of = |options: &Options, command: &str| -> Vec<Severity> {
        let found = check(command, options);
        let mine = found.iter().filter(|f| f.1 == "LM008");
        mine.map(|f| f.2).collect()
    };
    assert_eq!(of(&under(Level::Deny), dispatch), [Severity::Error]);
    assert_eq!(of(&under(Level::Warn), dispatch), [Severity::Warning]);
    assert_eq!(of(&under(Level::Allow), dispatch), []);
    let allowed = format!("// syncscope: allow foreign-group-read\n  {dispatch}");
    assert_eq!(of(&with(&kernel), &allowed), []);
    // The kernel may allow it as well, at the instruction that is meant.
    let text = FOREIGN.replace("ld r0 x }", "\n// syncscope: allow LM008\nld r0 x }");
    let half = with(&[("foreign.litmus", text.as_str())]);
    assert_eq!(of(&half, dispatch), [Severity::Hazard], "there is another");
    let text = text.replace(
        "thread group 1 cs { ld r0 y",
        "// syncscope: allow LM\nthread group 1 cs { ld r0 y",
    );
    let all = with(&[("foreign.litmus", text.as_str())]);
    assert_eq!(of(&all, dispatch), []);
    // What a file expects is its own word.
    let options = Options {
        switches: vec![Switch {
            level: Level::Allow,
            rules: registry.named("LM"),
        }],
        ..with(&[("stale.litmus", STALE)])
    };
    let found = check("dispatch 2x1x1 kernel \"stale.litmus\" { }", &options);
    assert_eq!(found, [(3, "LM020", Severity::Error)]);
}

#[test]
fn a_kernel_that_cannot_be_used_is_one_error() {
    let pixel = "uav x\nthread group 0 ps { st x 1 }\n";
    let wrong = "uav x\nthread group 0 cs { st z 1; st y 1 }\n";
    let groups = "uav x\nthread group 0 cs { st x 1 }\nthread group 4 cs { st x 1 }\n";
    let threads = "uav x\nthread group 0 cs { st x 1 }\nthread group 0 cs { st x 1 }\n";
    let options = with(&[
        ("pixel", pixel),
        ("wrong", wrong),
        ("groups", groups),
        ("threads", threads),
    ]);
    for (command, says) in [
        (
            "1x1x1 kernel \"gone\"",
            "cannot be read: there is no file `gone`",
        ),
        ("1x1x1 kernel \"pixel\"", "a thread of a pixel shader"),
        (
            "1x1x1 kernel \"wrong\"",
            "`wrong` line 2: no variable `z` is declared, and 1 more",
        ),
        (
            "1x1x1 kernel \"groups\"",
            "threads of 2 groups, and the dispatch runs 1",
        ),
        (
            "1x1x1 threads 1 kernel \"threads\"",
            "2 threads in a group, and the dispatch has 1",
        ),
    ] {
        let source = scene(&format!("dispatch {command} {{ }}"));
        let found = run::check(&source, &options).findings;
        assert_eq!(
            told(&source, &found),
            [(3, "SC015", Severity::Error)],
            "{command}"
        );
        assert!(found[0].message.contains(says), "{}", found[0].message);
        assert!(found[0].help.is_some());
    }
    for good in ["2x1x1 kernel \"groups\"", "1x1x1 kernel \"threads\""] {
        let found = check(&format!("dispatch {good} {{ }}"), &options);
        assert!(found.iter().all(|f| !f.2.fails()), "{good}: {found:?}");
    }
}

#[test]
fn kernels_are_limited() {
    let text = "uav x\nthread group 0 cs { st x 1 }\n";
    let names: Vec<String> = (0..=KERNELS_MAX).map(|i| format!("k{i}")).collect();
    let kernels: Vec<(&str, &str)> = names.iter().map(|n| (n.as_str(), text)).collect();
    let commands: Vec<String> = names
        .iter()
        .map(|name| format!("dispatch 1x1x1 kernel \"{name}\" {{ }}"))
        .collect();
    let found = check(&commands.join("\n"), &with(&kernels));
    let last = 3 + KERNELS_MAX as u32;
    let failing: Vec<_> = found.iter().filter(|f| f.2.fails()).collect();
    assert_eq!(failing, [&(last, "SC015", Severity::Error)]);
}

#[test]
fn words_come_in_any_order_and_are_printed_in_one() {
    let printed =
        "dispatch \"a\" 2x1x1 threads 8 group-takes 1 us kernel \"dir/k \\\"1\\\".litmus\"";
    let mut seen = Vec::new();
    let words = [
        "threads 8",
        "group-takes 1us",
        "kernel \"dir/k \\\"1\\\".litmus\"",
    ];
    for order in [
        [0, 1, 2],
        [0, 2, 1],
        [1, 0, 2],
        [1, 2, 0],
        [2, 0, 1],
        [2, 1, 0],
    ] {
        let command = order.map(|i| words[i]).join(" ");
        let source = scene(&format!("dispatch \"a\" 2x1x1 {command} {{ }}"));
        let (value, findings) = scenario::parse(&source);
        assert!(findings.is_empty(), "{findings:#?}");
        let text = scenario::print(&value);
        let twin = Source::new("scene.json", json::to_json(&value));
        assert!(twin.text.contains("\"kernel\": \"dir/k \\\"1\\\".litmus\""));
        assert_eq!(json::to_text(&twin).expect("it is read again"), text);
        let CommandKind::Dispatch { options, .. } = &value.lists[ListId(0)].commands[0].kind else {
            panic!("a dispatch");
        };
        let options = DispatchOptions::of(options.as_deref());
        assert_eq!(
            options.kernel.as_ref().expect("a kernel").path,
            "dir/k \"1\".litmus"
        );
        seen.push(text);
    }
    seen.dedup();
    assert_eq!(seen.len(), 1);
    assert!(
        seen[0].replace("1us", "1 us").contains(printed),
        "{}",
        seen[0]
    );
    let schema = json::SCHEMA.text;
    assert!(schema.contains("\"kernel\""));
    for wrong in [
        "kernel",
        "kernel k",
        "kernel \"\"",
        "kernel \"a\" kernel \"b\"",
        "kernel \"a",
    ] {
        let (_, findings) = scenario::parse(&scene(&format!("dispatch 1x1x1 {wrong} {{ }}")));
        let ids: Vec<_> = findings.iter().map(|f| f.rule.id).collect();
        assert!(
            !ids.is_empty() && ids.iter().all(|id| id.starts_with("SC")),
            "{wrong}: {ids:?}"
        );
    }
}

/// The scenes next to the litmus tests: what each expects is found, and the fence costs what the profile says.
#[test]
fn scenes_with_kernels_hold_and_their_fences_cost_time() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/litmus/link");
    let registry = catalog::registry();
    let mut scenes = 0;
    for entry in std::fs::read_dir(&folder).expect("the folder") {
        let path = entry.expect("an entry").path();
        if path.extension().is_none_or(|e| e != "scn") {
            continue;
        }
        scenes += 1;
        let text = std::fs::read_to_string(&path).expect("a readable file");
        let source = Source::new(path.display().to_string(), text);
        assert!(
            source.text.matches(" kernel \"").count() > 1,
            "{}",
            source.name
        );
        let options = Options {
            files: crate::rules::Folder(folder.clone()).into(),
            ..Options::default()
        };
        let (parsed, _) = scenario::parse(&source);
        for findings in [
            run::check(&source, &options).findings,
            run::run(&source, &registry, &options)
                .expect("it runs")
                .findings,
        ] {
            let mismatches = syncscope::report::expect::compare(
                &parsed.expectations,
                &findings,
                &source,
                &registry.rules,
                &[],
            );
            assert!(mismatches.is_empty(), "{}: {mismatches:#?}", source.name);
        }
    }
    assert!(scenes >= 2 && files("scenarios/litmus/link").len() >= 4);
    let path = folder.join("reduction.scn");
    let text = std::fs::read_to_string(&path).expect("the scene");
    let source = Source::new("reduction.scn", text);
    let options = Options {
        files: crate::rules::Folder(folder.clone()).into(),
        ..Options::default()
    };
    let life = |label: &str, device_fence_ns: &str| {
        let options = Options {
            set: vec![("shader.device_fence_ns".into(), device_fence_ns.into())],
            ..options.clone()
        };
        let report = run::run(&source, &registry, &options).expect("it runs");
        let row = report.commands.iter().find(|c| c.label.contains(label));
        let row = row.expect("a dispatch");
        row.end.0 - row.start.0
    };
    // Both threads have one device fence at most, and 256 groups run at once: one fence's time, on the dispatch that
    // has a fence.
    assert_eq!(life("\"with\"", "339") - life("\"with\"", "0"), 339_000);
    assert_eq!(life("\"without\"", "339"), life("\"without\"", "0"));
}
