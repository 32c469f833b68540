//! The text form: printing, JSON, recovery, whatever is typed.

use super::{files, generate, read};
use proptest::prelude::*;
use syncscope::finding::Source;
use syncscope::kernel::{self, json};

#[test]
fn every_file_prints_to_itself_and_survives_json() {
    let kernels = files("scenarios/litmus/link");
    for path in files("scenarios/litmus").into_iter().chain(kernels) {
        let (source, kernel) = read(&path);
        assert_eq!(kernel::print(&kernel), source.text, "{}", source.name);
        let texts = json::to_texts(&Source::new("x.json", json::to_json(&kernel)))
            .expect("what is written is read");
        let [text] = &texts[..] else {
            panic!("one test stays one test");
        };
        let (again, findings) = kernel::parse(&Source::new("x.litmus", text.as_str()));
        assert!(findings.is_empty(), "{}: {findings:#?}", source.name);
        assert_eq!(
            kernel::print(&again),
            source.text,
            "{}: through JSON",
            source.name
        );
    }
}

#[test]
fn random_tests_print_to_the_same_value() {
    for seed in 0..500 {
        let text = generate::test(seed, 8);
        let (first, findings) = kernel::parse(&Source::new("a", text.as_str()));
        assert!(findings.is_empty(), "{findings:#?}\n{text}");
        let printed = kernel::print(&first);
        let (second, findings) = kernel::parse(&Source::new("b", printed.as_str()));
        assert!(findings.is_empty(), "{findings:#?}\n{printed}");
        assert_eq!(kernel::print(&second), printed);
    }
}

/// Every form of the contract is read, along with the HLSL names.
#[test]
fn every_form_of_the_contract_is_read() {
    let text = "\
litmus \"all \\\"forms\\\"\"
uav x globallycoherent
uav y
groupshared s
init x 7
init s 0x10
thread group 0 cs {
  st x 1
  ld r0 x; ld r1 x dep=r0 // a comment
  add r2 x 1; or r2 x r1; xchg r2 x 0; max r2 x 3; cas r2 x 0 1
  [r0==1] st y r0; [uniform] sync_g_t; [varying] sync_g; [r0!=1] [r1==0] ld r3 y
  // comment of its own
  sync_uglobal; sync_ugroup; sync_g; sync_uglobal_t; sync_ugroup_t
  sync_ugroup_g; sync_uglobal_g; sync_ugroup_g_t; sync_uglobal_g_t
  GroupMemoryBarrierWithGroupSync; AllMemoryBarrier(); DeviceMemoryBarrier()
  barrier(UAV;DEVICE|SYNC); barrier(TGSM;GROUP); barrier(ALL;); barrier(x;DEVICE)
  Barrier(UAV_MEMORY, DEVICE_SCOPE|GROUP_SYNC)
}
thread group 1 ps helper { discard 1; discard 0 }
thread group 2 vs { }
expect allowed 0:r0 == 1 & x == 2 | !(s@0 != 16) & (y == 0 | y == -1)
expect forbidden 0:r0==1&x==2
// the end
";
    let (kernel, findings) = kernel::parse(&Source::new("a", text));
    assert!(findings.is_empty(), "{findings:#?}");
    assert_eq!(kernel.threads.len(), 3);
    assert_eq!(kernel.threads[0].ops.len(), 29);
    assert_eq!(kernel.expectations.len(), 2);
    let printed = kernel::print(&kernel);
    for kept in [
        "// a comment",
        "// comment of its own",
        "// the end",
        "\\\"forms\\\"",
    ] {
        assert!(printed.contains(kept), "{kept} is kept:\n{printed}");
    }
    let (again, findings) = kernel::parse(&Source::new("b", printed.as_str()));
    assert!(findings.is_empty(), "{findings:#?}\n{printed}");
    assert_eq!(kernel::print(&again), printed);
}

#[test]
fn one_mistake_costs_one_instruction() {
    let text = "\
uav x
thread group 0 cs { st x; ld r0 z; sync_foo; st x 1; ld r99 x }
thread group 0 zs { st x 1 }
expect maybe x == 1
expect allowed 7:r0 == 1
expect allowed x == 99999999999
nonsense
";
    let (kernel, findings) = kernel::parse(&Source::new("a", text));
    let lines: Vec<(&str, &str)> = findings
        .iter()
        .map(|f| {
            let place = &text[f.span.start as usize..f.span.end as usize];
            (f.rule.id, place)
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("LM001", ";"),
            ("LM002", "z"),
            ("LM001", "sync_foo"),
            ("LM004", "r99"),
            ("LM001", "zs"),
            ("LM001", "maybe"),
            ("LM002", "7"),
            ("LM001", "99999999999"),
            ("LM001", "nonsense"),
        ]
    );
    assert_eq!(kernel.threads.len(), 1, "the first thread is kept");
    assert_eq!(
        kernel.threads[0].ops.len(),
        1,
        "with its one good instruction"
    );
}

#[test]
fn bounds_are_said() {
    let mut text = String::from("uav x\n");
    for _ in 0..9 {
        text.push_str("thread group 0 cs { st x 1 }\n");
    }
    let (_, findings) = kernel::parse(&Source::new("a", text.as_str()));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].rule.id, "LM004");
    assert!(findings[0].message.contains('8'), "{}", findings[0].message);
    let many = format!("uav x\nthread group 0 cs {{ {} }}\n", "st x 1; ".repeat(65));
    let (_, findings) = kernel::parse(&Source::new("a", many.as_str()));
    assert_eq!(findings.len(), 1, "{findings:#?}");
    assert_eq!(findings[0].rule.id, "LM004");
    let deep = format!(
        "uav x\nthread group 0 cs {{ }}\nexpect allowed {}x == 1\n",
        "(".repeat(10_000)
    );
    let (_, findings) = kernel::parse(&Source::new("a", deep.as_str()));
    assert!(
        findings.iter().any(|f| f.rule.id == "LM004"),
        "{findings:#?}"
    );
}

const WORDS: &[&str] = &[
    "litmus",
    "\"x\"",
    "uav",
    "groupshared",
    "init",
    "thread",
    "group",
    "expect",
    "allowed",
    "illegal",
    "x",
    "y",
    "s",
    "r0",
    "r1",
    "0",
    "1",
    "0x7",
    "-3",
    "cs",
    "ps",
    "helper",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    ";",
    "\n",
    "&",
    "|",
    "==",
    "!=",
    "!",
    "@",
    ":",
    ",",
    "=",
    "st",
    "ld",
    "add",
    "cas",
    "dep",
    "sync_g",
    "sync_uglobal_t",
    "sync",
    "barrier",
    "UAV",
    "DEVICE",
    "SYNC",
    "discard",
    "beside",
    "globallycoherent",
    "uniform",
    "varying",
    "// c",
    "//~ LM001",
    "//~",
    "\"",
    "é",
    "AllMemoryBarrier",
];

/// Parses, checks and prints; all that matters is that each returns, and that what is printed is read.
fn survive(text: &str) {
    let source = Source::new("random.litmus", text);
    let (kernel, findings) = kernel::parse(&source);
    for finding in &findings {
        assert!(
            finding.span.end as usize <= text.len(),
            "a place in the text"
        );
        assert!(text.is_char_boundary(finding.span.start as usize));
    }
    let _ = kernel::legality::check(&kernel);
    if findings.is_empty() {
        let printed = kernel::print(&kernel);
        let (again, findings) = kernel::parse(&Source::new("printed", printed.as_str()));
        assert!(findings.is_empty(), "{findings:#?}\n{printed}");
        assert_eq!(kernel::print(&again), printed);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_text_is_survived(text in "\\PC{0,200}") {
        survive(&text);
    }

    #[test]
    fn random_words_are_survived(words in prop::collection::vec(prop::sample::select(WORDS), 0..60)) {
        survive(&words.join(" "));
    }

    #[test]
    fn a_broken_test_is_survived(seed in 0u64..200, at in 0usize..400, word in prop::sample::select(WORDS)) {
        let mut text = generate::test(seed, 8);
        let at = at.min(text.len());
        text.insert_str(at, &format!(" {word} "));
        survive(&text);
    }

    #[test]
    fn random_json_is_survived(text in "[\\[\\]{}\":, a-z0-9]{0,80}") {
        let _ = json::to_texts(&Source::new("x.json", text));
    }
}
