//! Random litmus tests as text, small enough for every path to be walked.

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;

const FENCES: &[&str] = &[
    "sync_uglobal",
    "sync_uglobal",
    "sync_ugroup",
    "sync_g",
    "sync_uglobal_g",
    "sync_ugroup_g",
    "barrier(UAV;DEVICE)",
    "barrier(a;DEVICE)",
    "barrier(UAV;)",
    "barrier(ALL;GROUP)",
];
const MEETINGS: &[&str] = &[
    "sync_g_t",
    "sync_uglobal_t",
    "sync_uglobal_g_t",
    "sync_ugroup_t",
];

/// A test. `size` is the number of instructions; about a third of them are fences.
pub(crate) fn test(seed: u64, size: usize) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut pick = |n: usize| random.random_range(0..n);
    let mut text = String::from(match pick(4) {
        0 => "uav a globallycoherent\nuav b globallycoherent\n",
        1 => "uav a\nuav b globallycoherent\n",
        2 => ["uav a\nuav b\n", "uav a\nuav b beside a\n"][pick(2)],
        _ => "uav a globallycoherent\ngroupshared b\n",
    });
    let pixel = pick(8) == 0 && !text.contains("groupshared");
    let threads = 2 + pick(2);
    let mut groups: Vec<usize> = (0..threads)
        .map(|t| if t == 0 { 0 } else { pick(2) })
        .collect();
    groups.sort_unstable();
    let meets = !pixel && pick(4) == 0;
    let meeting = MEETINGS[pick(MEETINGS.len())];
    for (thread, group) in groups.iter().enumerate() {
        let own = size / threads + usize::from(thread < size % threads);
        let mut ops: Vec<String> = Vec::new();
        let mut registers = 0;
        for _ in 0..own {
            let name = ["a", "b"][pick(2)];
            let guard = if registers > 0 && pick(6) == 0 {
                format!(
                    "[r{}{}{}] ",
                    pick(registers),
                    ["==", "!="][pick(2)],
                    pick(2)
                )
            } else {
                String::new()
            };
            let value = if registers > 0 && pick(5) == 0 {
                format!("r{}", pick(registers))
            } else {
                (1 + pick(2)).to_string()
            };
            let op = match pick(12) {
                0..=3 => format!("st {name} {value}"),
                4..=6 => {
                    registers += 1;
                    let dep = if registers > 1 && pick(5) == 0 {
                        format!(" dep=r{}", pick(registers - 1))
                    } else {
                        String::new()
                    };
                    format!("ld r{} {name}{dep}", registers - 1)
                }
                7 => {
                    registers += 1;
                    let atomic = ["add", "xchg", "or", "max"][pick(4)];
                    format!("{atomic} r{} {name} {value}", registers - 1)
                }
                8 => {
                    registers += 1;
                    format!("cas r{} {name} {} {value}", registers - 1, pick(2))
                }
                _ if pixel => {
                    ["sync_uglobal", "sync_uglobal", "discard 0", "discard 1"][pick(4)].to_owned()
                }
                _ => FENCES[pick(FENCES.len())].to_owned(),
            };
            ops.push(format!("{guard}{op}"));
        }
        if meets {
            let at = pick(ops.len() + 1);
            ops.insert(at, meeting.to_owned());
        }
        let stage = if pixel { "ps" } else { "cs" };
        let group = if pixel { thread } else { *group };
        let helper = if pixel && pick(5) == 0 { " helper" } else { "" };
        let _ = writeln!(
            text,
            "thread group {group} {stage}{helper} {{ {} }}",
            ops.join("; ")
        );
    }
    text
}

/// A test in which threads of two groups exchange different values on mostly incoherent UAVs, and branch on what they
/// got: most accesses are atomics, and most loads happen or not.
pub(crate) fn branches(seed: u64, size: usize) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut pick = |n: usize| random.random_range(0..n);
    let mut text = String::from(
        [
            "uav a\nuav b globallycoherent\n",
            "uav a\nuav b\n",
            "uav a\ngroupshared b\n",
        ][pick(3)],
    );
    if pick(3) == 0 {
        text.push_str("init a 3\n");
    }
    let threads = 2 + pick(2);
    let stage = ["cs", "cs", "cs", "ps"][if text.contains("groupshared") {
        0
    } else {
        pick(4)
    }];
    for thread in 0..threads {
        let own = size / threads + usize::from(thread < size % threads);
        let mut ops: Vec<String> = Vec::new();
        let mut registers = 0;
        for _ in 0..own {
            let name = ["a", "a", "b"][pick(3)];
            let guards: Vec<String> = (0..if registers > 0 { pick(3) } else { 0 })
                .map(|_| {
                    format!(
                        "[r{}{}{}] ",
                        pick(registers),
                        ["==", "!="][pick(2)],
                        pick(4)
                    )
                })
                .collect();
            let guards = guards.concat();
            // Each thread has a value of its own, so that a register tells whose write it read.
            let value = 1 + thread % 3;
            let op = match pick(12) {
                0..=3 => format!("ld r{registers} {name}"),
                4..=5 => format!("xchg r{registers} {name} {value}"),
                6 => format!("cas r{registers} {name} {} {value}", pick(4)),
                7 => {
                    let atomic = ["add", "and", "or", "xor", "max", "min"][pick(6)];
                    format!("{atomic} r{registers} {name} {value}")
                }
                8..=9 => format!("st {name} {value}"),
                _ if stage == "ps" => {
                    ["sync_uglobal", "discard 0", "discard 1"][pick(3)].to_owned()
                }
                _ => FENCES[pick(FENCES.len())].to_owned(),
            };
            registers += usize::from(op.split(' ').nth(1).is_some_and(|w| w.starts_with('r')));
            ops.push(format!("{guards}{op}"));
        }
        let group = if stage == "ps" { thread } else { pick(2) };
        let helper = if stage == "ps" && pick(5) == 0 {
            " helper"
        } else {
            ""
        };
        let _ = writeln!(
            text,
            "thread group {group} {stage}{helper} {{ {} }}",
            ops.join("; ")
        );
    }
    text
}

/// A test with two identical threads, in one group or in two, and sometimes a third thread.
pub(crate) fn twins(seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut pick = |n: usize| random.random_range(0..n);
    let mut text = String::from(
        [
            "uav a globallycoherent\nuav b\n",
            "uav a\nuav b globallycoherent\n",
            "uav a\ngroupshared b\n",
        ][pick(3)],
    );
    let ops: Vec<String> = (0..2 + pick(2))
        .map(|i| {
            let name = ["a", "b"][pick(2)];
            match pick(6) {
                0 => format!("st {name} {}", 1 + pick(2)),
                1 => format!("ld r{i} {name}"),
                2 => format!("add r{i} {name} 1"),
                3 if i > 0 => format!("[r0==1] xchg r{i} {name} 2"),
                4 => ["sync_g_t", "sync_uglobal_t"][pick(2)].to_owned(),
                _ => FENCES[pick(FENCES.len())].to_owned(),
            }
        })
        .collect();
    let apart = pick(2);
    for thread in 0..2 {
        let _ = writeln!(
            text,
            "thread group {} cs {{ {} }}",
            thread * apart,
            ops.join("; ")
        );
    }
    if pick(2) == 0 {
        let _ = writeln!(text, "thread group 7 cs {{ add r0 a 1; ld r1 a }}");
    }
    text
}
