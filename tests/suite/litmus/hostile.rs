//! Hostile litmus files: one clear message, no panic, no hang.

use super::parsed;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;
use std::time::{Duration, Instant};
use syncscope::finding::Source;
use syncscope::kernel::{self, SOURCE_BYTES_MAX, json};
use syncscope::litmus::examine::ExamineOptions;
use syncscope::litmus::explore::Limits;
use syncscope::litmus::study::{self, study};

/// Texts with one mistake each, and a word of the message.
#[allow(clippy::too_many_lines, reason = "a table of texts")]
#[test]
fn one_mistake_is_one_short_message() {
    let long = "a".repeat(100_000);
    let digits = "9".repeat(100_000);
    let thread = |ops: &str| format!("uav x\nthread group 0 cs {{ {ops} }}\n");
    let deep = |open: &str, close: &str| {
        format!(
            "uav x\nthread group 0 cs {{ }}\nexpect allowed {}x == 1{}\n",
            open.repeat(5_000),
            close.repeat(5_000)
        )
    };
    let many = |count: usize, line: &str| line.repeat(count);
    let texts: Vec<(String, &str)> = vec![
        (long.clone(), "100000 bytes"),
        (format!("uav {long}\n"), "100000 bytes"),
        (format!("litmus \"{long}\"\n"), "bytes"),
        (thread(&format!("st x {digits}")), "100000 bytes"),
        (thread("st x 4294967296"), "not a 32-bit number"),
        (thread("st x -2147483649"), "not a 32-bit number"),
        (thread("st x 0x1ffffffff"), "not a 32-bit number"),
        (thread("st x 0x"), "not a 32-bit number"),
        (thread("st x 1x"), "not a 32-bit number"),
        (thread("ld r64 x"), "exceeds the registers"),
        (
            thread("ld r99999999999999999999 x"),
            "exceeds the registers",
        ),
        (thread("st r0 1"), "no variable `r0`"),
        (thread("discard -1"), "found `-1`"),
        (thread("discard 2"), "takes 0 or 1"),
        (thread("frobnicate x"), "unknown instruction"),
        (thread("sync_uglobal_uglobal"), "twice"),
        (thread("sync_x"), "`_x`"),
        (thread("sync__g"), "`_`"),
        (thread("barrier(UAV;EVERYWHERE)"), "unknown barrier flag"),
        (thread("barrier(NOTHING;GROUP)"), "neither a kind of memory"),
        (thread("barrier(UAV)"), "expected `;`"),
        (thread("[r0==1"), "expected `]`"),
        (thread("cas r0 x 1"), "a value or a register"),
        (thread(&many(9, "[uniform] ")), "at most 8"),
        (thread(&many(65, "st x 1; ")), "more than 64"),
        (thread(&many(120_000, "st x 1; ")), "more than 64"),
        (
            "uav x\nthread group -1 cs { st x 1 }\n".to_owned(),
            "found `-1`",
        ),
        (
            "uav x\nthread group 99999999999 cs { }\n".to_owned(),
            "not a 32-bit",
        ),
        (
            "uav x\nthread group 0 xs { }\n".to_owned(),
            "unknown shader stage",
        ),
        (
            "uav x\nthread group 0 cs { st x 1\n".to_owned(),
            "inside a block",
        ),
        ("uav x\nuav x\n".to_owned(), "declared twice"),
        ("uav r1\n".to_owned(), "name of a register"),
        ("uav x beside y\n".to_owned(), "no variable `y`"),
        (many(33, "uav x\n"), "declared twice"),
        (deep("(", ")"), "too long or nested too deeply"),
        (deep("!", ""), "too long or nested too deeply"),
        (deep("x == 1 & ", ""), "too long or nested too deeply"),
        (deep("x == 1 | ", ""), "too long or nested too deeply"),
        (deep("x == 1 & (", ")"), "too long or nested too deeply"),
        ("expect allowed -1:r0 == 1\n".to_owned(), "found `-1`"),
        (
            "expect allowed 4000000000:r0 == 1\n".to_owned(),
            "no thread",
        ),
        ("expect perhaps x == 1\n".to_owned(), "unknown verdict"),
        (
            "uav x\nexpect allowed x@0 == 1\n".to_owned(),
            "all groups share it",
        ),
        ("\u{0}\n".to_owned(), "starts no word"),
        ("uav é\n".to_owned(), "starts no word"),
        ("litmus \"open\n".to_owned(), "no closing"),
        ("// ~\n//~\n".to_owned(), "must name a finding"),
        ("x".repeat(SOURCE_BYTES_MAX + 1), "the limit is"),
    ];
    for (text, says) in &texts {
        let start = Instant::now();
        let (_, findings) = kernel::parse(&Source::new("hostile.litmus", text.as_str()));
        let shown: String = text.chars().take(80).collect();
        let first = findings
            .first()
            .unwrap_or_else(|| panic!("{shown}: nothing"));
        assert!(first.message.contains(says), "{shown}: {}", first.message);
        for finding in &findings {
            assert!(
                finding.message.len() < 400,
                "{shown}: {}",
                finding.message.len()
            );
            assert!(finding.help.is_some(), "{shown}");
        }
        let again = ["uav x\nuav x\nuav x"]
            .iter()
            .any(|many| text.starts_with(many));
        assert!(again || findings.len() == 1, "{shown}: {findings:#?}");
        assert!(start.elapsed() < Duration::from_secs(5), "{shown}");
    }
}

#[test]
fn there_is_an_end_to_findings_and_to_nesting() {
    let (_, findings) = kernel::parse(&Source::new("a", "nonsense\n".repeat(50_000)));
    assert_eq!(findings.len(), kernel::FINDINGS_MAX + 1);
    let last = findings.last().expect("a finding");
    assert!(last.message.contains("was not read"), "{}", last.message);
    let nested = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    for text in [
        nested.clone(),
        format!("{{\"threads\": {nested}}}"),
        "{\"threads\": 5}".to_owned(),
        "{\"tests\": [{\"threads\": [{\"group\": 4294967296, \"stage\": \"CS\", \"ops\": []}]}]}"
            .to_owned(),
        "{\"threads\": [{\"group\": -1, \"stage\": \"CS\", \"ops\": []}]}".to_owned(),
    ] {
        assert!(json::to_texts(&Source::new("a.json", text)).is_err());
    }
}

/// Eight threads and up to 64 instructions: more states than anybody waits for. The exploration is given up, and what
/// follows from it as well.
#[test]
fn an_exploration_without_end_is_given_up() {
    let mut given_up = 0;
    for seed in 0..60 {
        let mut random = StdRng::seed_from_u64(seed);
        let mut text = String::from(
            "uav x globallycoherent\nuav y globallycoherent\nuav z beside y\ngroupshared s\n",
        );
        for thread in 0..8 {
            let ops: Vec<String> = (0..8)
                .map(|register| {
                    let name = ["x", "y", "z", "s"][random.random_range(0..4)];
                    match random.random_range(0..6) {
                        0 => format!("st {name} {}", random.random::<u32>()),
                        1 => format!("add r{register} {name} r0"),
                        2 => format!("[r1==0] ld r{register} {name}"),
                        3 => "sync_uglobal_g".to_owned(),
                        4 => "sync_ugroup".to_owned(),
                        _ => format!("cas r{register} {name} r2 {}", random.random::<u32>()),
                    }
                })
                .collect();
            let _ = writeln!(
                text,
                "thread group {} cs {{ {} }}",
                thread % 3,
                ops.join("; ")
            );
        }
        text.push_str("expect forbidden x == 7\nexpect allowed 0:r0 == 1\n");
        let kernel = parsed(&text);
        let options = ExamineOptions {
            limits: Limits {
                states_max: 3_000,
                progress: None,
            },
            ..ExamineOptions::default()
        };
        let start = Instant::now();
        let told = study(&kernel, &options, None);
        let found = study::findings(&kernel, &options, 3_000);
        assert!(start.elapsed() < Duration::from_secs(20), "{text}");
        let limit = |f: &&syncscope::finding::Finding| f.rule.id == "LM019";
        given_up += usize::from(told.findings.iter().any(|f| limit(&f)));
        assert_eq!(
            told.findings.iter().any(|f| limit(&f)),
            found.iter().any(|f| limit(&f))
        );
        for judged in &told.examination.judged {
            assert!(
                judged.verdict.is_none()
                    || !told.findings.iter().any(|f| limit(&f))
                    || !told.examination.undefined.is_empty()
            );
        }
    }
    assert!(given_up > 30, "{given_up} were given up");
}
