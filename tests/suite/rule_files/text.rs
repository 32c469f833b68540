//! The text of rule files: mistakes, forms, limits, and damaged files.

use super::*;
use std::fmt::Write as _;
use syncscope::sim;
use syncscope::time::Ps;

#[test]
fn text_and_json_say_the_same() {
    for text in [MINE, ALL_OF_IT] {
        let (file, findings) = rules::parse(&Source::new("mine.lower", text));
        assert!(findings.is_empty(), "{findings:?}");
        let printed = rules::print(&file);
        let (again, _) = rules::parse(&Source::new("mine.lower", printed.clone()));
        assert_eq!(
            rules::print(&again),
            printed,
            "printing twice changes nothing"
        );
        let json = json::to_json(&file);
        let back = json::to_text(&Source::new("mine.lower.json", json)).expect("a rule file");
        let (back, findings) = rules::parse(&Source::new("mine.lower.json", back));
        assert!(findings.is_empty(), "{findings:?}");
        assert_eq!(rules::print(&back), printed);
    }
    assert_eq!(rules::print(&rules::parse(&Source::new("m", MINE)).0), MINE);
}

/// Each mistake: the text, its rule, and a part of the message and of the help.
#[allow(clippy::too_many_lines, reason = "one table, read where it is written")]
#[test]
fn mistakes_are_named_with_their_place() {
    let head = "lowering m { match first }\n";
    let cases: &[(&str, &Rule, &str, &str)] = &[
        (
            "rule \"a\" { before access COPY_DEST but COPY_* }",
            &mistakes::UNEXPECTED,
            "leaves nothing over",
            "`but`",
        ),
        (
            "rule \"a\" { claen CB }",
            &mistakes::UNEXPECTED,
            "found `claen`",
            "did you mean `clean`?",
        ),
        (
            "rule \"a\" { before acess COPY_DEST }",
            &mistakes::UNEXPECTED,
            "found `acess`",
            "did you mean `access`?",
        ),
        (
            "rule \"a\" { before access RENDER_TARGTE }",
            &mistakes::UNKNOWN_NAME,
            "no access `RENDER_TARGTE`",
            "did you mean `RENDER_TARGET`?",
        ),
        (
            "rule \"a\" { before access PIXEL_SHADING }",
            &mistakes::UNEXPECTED,
            "`PIXEL_SHADING` is a stage, not a access",
            "after `before access`",
        ),
        (
            "rule \"a\" { before access COMMON }",
            &mistakes::UNEXPECTED,
            "`COMMON` is no single access",
            "COMMON exactly",
        ),
        (
            "rule \"a\" { after sync SPLIT }",
            &mistakes::UNEXPECTED,
            "`SPLIT` is no single stage",
            "split first",
        ),
        (
            "rule \"a\" { queue graphics }",
            &mistakes::UNKNOWN_NAME,
            "no `queue` `graphics`",
            "known: direct",
        ),
        (
            "rule \"a\" { after layout SHADER_RESSOURCE }",
            &mistakes::UNKNOWN_NAME,
            "`SHADER_RESSOURCE`",
            "did you mean `SHADER_RESOURCE`?",
        ),
        (
            "rule \"a\" { clean CBX }",
            &mistakes::UNKNOWN_NAME,
            "`rdna` has no cache `CBX`",
            "known: L0V, K, I",
        ),
        (
            "rule \"a\" { layout \"decompres\" }",
            &mistakes::UNKNOWN_NAME,
            "no layout operation `decompres`",
            "did you mean `decompress`?",
        ),
        (
            "rule \"a\" { surface \"small mips\" }",
            &mistakes::UNKNOWN_NAME,
            "no exception `small mips`",
            "ordinary",
        ),
        (
            "rule \"a\" { clean K }",
            &mistakes::POINTLESS_CLEAN,
            "`K` of `rdna` is read-only",
            "invalidate K",
        ),
        (
            "rule \"a\" { clean L0V }",
            &mistakes::POINTLESS_CLEAN,
            "passes every write on",
            "invalidate L0V",
        ),
        (
            "rule \"a\" { driver \"x\" 3 }",
            &mistakes::UNEXPECTED,
            "`3` is not a time",
            "300ns",
        ),
        (
            "rule \"a\" { driver \"x\" 99999999999999999999ns }",
            &mistakes::UNEXPECTED,
            "is not a time",
            "300ns",
        ),
        (
            "rule \"a\" { wait ALL; wait none }",
            &mistakes::UNEXPECTED,
            "said twice",
            "once",
        ),
        (
            "rule \"a\" { in order; clean CB late }",
            &mistakes::UNEXPECTED,
            "in order",
            "wanted order",
        ),
        (
            "rule \"a\" { clean CB\nrule \"b\" { clean DB }",
            &mistakes::UNEXPECTED,
            "found",
            "",
        ),
        (
            "rule \"a\" { nothing }\nrule \"a\" { nothing }",
            &mistakes::UNEXPECTED,
            "there twice",
            "name of its own",
        ),
        (
            "default { queue direct; nothing }",
            &mistakes::UNEXPECTED,
            "no conditions",
            "a rule with a name",
        ),
        (
            "default { nothing }\ndefault { nothing }",
            &mistakes::UNEXPECTED,
            "there twice",
            "",
        ),
        (
            "ruel \"a\" { nothing }",
            &mistakes::UNEXPECTED,
            "found `ruel`",
            "did you mean `rule`?",
        ),
        (
            "rule a { nothing }",
            &mistakes::UNEXPECTED,
            "in quotes, found `a`",
            "\"text\"",
        ),
        (
            "rule \"a { nothing }",
            &mistakes::UNEXPECTED,
            "no closing",
            "",
        ),
        (
            "",
            &mistakes::UNEXPECTED,
            "no rule and no default",
            "based-on precise",
        ),
        (
            "lowering n { }\nrule \"a\" { nothing }",
            &mistakes::UNEXPECTED,
            "twice",
            "one lowering",
        ),
    ];
    for (text, rule, message, help) in cases {
        let found = found(&format!("{head}{text}"), profile("rdna"));
        let first = found
            .first()
            .unwrap_or_else(|| panic!("{text}: nothing was found"));
        assert_eq!(first.rule.id, rule.id, "{text}: {}", first.message);
        assert!(first.message.contains(message), "{text}: {}", first.message);
        let said = first.help.as_deref().unwrap_or_default();
        assert!(said.contains(help), "{text}: {said}");
        assert!(
            first.span.start as usize >= head.find('m').unwrap_or(0),
            "{text}: a place"
        );
    }
    let none = found("rule \"a\" { nothing }", profile("rdna"));
    assert!(none[0].message.contains("does not name its lowering"));
    // A rule for another profile may name what this one does not have.
    let other = "rule \"a\" { profile intel; clean RT }";
    assert!(found(&format!("{head}{other}"), profile("rdna")).is_empty());
    assert!(found(&format!("{head}{other}"), profile("intel")).is_empty());
    assert!(
        !found(
            &format!("{head}{}", other.replace("intel", "rdna")),
            profile("rdna")
        )
        .is_empty()
    );
}

#[test]
fn rules_that_never_match_are_found() {
    let never = |body: &str, matching: &str| {
        let text = format!("lowering m {{ match {matching} }}\n{body}");
        let found = found(&text, profile("rdna"));
        let of = |f: &&Finding| f.rule.id == mistakes::NEVER_MATCHES.id;
        found
            .iter()
            .filter(of)
            .map(|f| f.message.to_string())
            .collect::<Vec<_>>()
    };
    let contradictions = [
        "before access RENDER_TARGET only; before access COPY_DEST",
        "before access COPY_DEST all; before access none",
        "queue direct; queue copy",
        "resource buffer; after layout COMMON",
        "resource global; layout changes",
        "resource global; flags RENDER_TARGET",
        "split first; after sync COPY",
        "after access COMMON exactly; after access COPY_DEST exactly",
    ];
    for conditions in contradictions {
        let found = never(
            &format!("rule \"a\" {{ {conditions}; nothing }}"),
            "accumulate",
        );
        assert_eq!(found.len(), 1, "{conditions}: {found:?}");
    }
    let possible = [
        "before access RENDER_TARGET any; before access COPY_DEST any",
        "before access RENDER_TARGET|COPY_DEST only; before access COPY_DEST all",
        "resource buffer; after layout none",
        "resource buffer; layout stays",
        "split first; after sync none",
    ];
    for conditions in possible {
        let found = never(&format!("rule \"a\" {{ {conditions}; nothing }}"), "first");
        assert!(found.is_empty(), "{conditions}: {found:?}");
    }
    // Of the first, everything that the second matches.
    let shadowed = [
        ("", "queue direct", true),
        ("queue direct|compute", "queue direct", true),
        ("queue direct", "queue direct|compute", false),
        ("before access WRITES", "before access RENDER_TARGET", true),
        (
            "before access WRITES",
            "before access RENDER_TARGET all; queue direct",
            true,
        ),
        ("before access RENDER_TARGET", "before access WRITES", false),
        (
            "before access WRITES only",
            "before access RENDER_TARGET",
            false,
        ),
        (
            "before access WRITES only",
            "before access RENDER_TARGET only",
            true,
        ),
        ("profile rdna", "queue direct", false),
        ("profile rdna", "profile rdna; queue direct", true),
    ];
    for (first, second, as_it_should) in shadowed {
        let body = format!("rule \"a\" {{ {first}; nothing }}\nrule \"b\" {{ {second}; nothing }}");
        let found = never(&body, "first");
        assert_eq!(
            !found.is_empty(),
            as_it_should,
            "{first} / {second}: {found:?}"
        );
        assert!(never(&body, "accumulate").is_empty(), "all count: {body}");
    }
    let default = never("rule \"a\" { nothing }\ndefault { nothing }", "first");
    assert!(
        default[0].contains("the default never counts"),
        "{default:?}"
    );
}

/// The scenes of each rule: the first fires, the second does not.
#[test]
fn each_rule_has_its_scenes() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/rules");
    for rule in mistakes::RULES {
        let is_run = rule.id == mistakes::NO_RULE_MATCHES.id;
        for (name, as_it_should) in [("fires", true), ("quiet", false)] {
            let path: PathBuf = folder.join(rule.id).join(format!("{name}.lower"));
            let text = fs::read_to_string(&path).expect("a scene");
            let ids: BTreeSet<&str> = if is_run {
                fires_in_run(&folder.join(rule.id).join("scene.scn"), &text)
            } else {
                let found = found(&text, profile("rdna"));
                found.iter().map(|f| f.rule.id).collect()
            };
            assert_eq!(ids.contains(rule.id), as_it_should, "{}: {name}", rule.id);
            assert!(
                is_run || as_it_should || ids.is_empty(),
                "{}: {name}",
                rule.id
            );
        }
    }
}

/// Rules that fire when a scene runs with a rule file.
fn fires_in_run(scene: &Path, rules: &str) -> BTreeSet<&'static str> {
    let source = Source::new("scene.scn", fs::read_to_string(scene).expect("a scene"));
    let options = Options {
        lowering: Some("x.lower".into()),
        files: run::Texts::from_iter([("x.lower", rules)]).into(),
        ..Options::default()
    };
    let report = run::run(&source, &catalog::registry(), &options).expect("a run");
    report.findings.iter().map(|f| f.rule.id).collect()
}

#[test]
fn a_file_whose_rules_match_nothing_is_told() {
    let text = "lowering m { match first }\nrule \"never here\" { before access VIDEO_DECODE_WRITE; nothing }\n\
        default { wait ALL; hold ALL; clean * whole; invalidate * whole; layout }\n";
    let source = Source::new("scene.scn", COLOUR);
    let options = Options {
        lowering: Some("m.lower".into()),
        files: run::Texts::from_iter([("m.lower", text)]).into(),
        ..Options::default()
    };
    let report = run::run(&source, &catalog::registry(), &options).expect("a run");
    let told = report
        .findings
        .iter()
        .find(|f| f.rule.id == "RF005")
        .expect("told");
    assert!(
        told.message
            .contains("none of the 1 rules of `m` matches any of the 1 barriers"),
        "{}",
        told.message
    );
}

/// A file with mistakes stops the run with every one of them, each with its place.
#[test]
fn a_file_with_mistakes_is_unusable() {
    let text = "lowering m { match first }\nrule \"a\" { clean CBX; invalidate L1 }\n";
    let options = Options {
        lowering: Some("m.lower".into()),
        files: run::Texts::from_iter([("m.lower", text)]).into(),
        profile: Some("rdna".into()),
        ..Options::default()
    };
    let source = Source::new("scene.scn", COLOUR);
    let what = run::run(&source, &catalog::registry(), &options).expect_err("mistakes");
    assert!(
        what.message
            .contains("m.lower:2:18: the profile `rdna` has no cache `CBX`"),
        "{}",
        what.message
    );
    assert!(
        what.message
            .contains("m.lower:2:34: the profile `rdna` has no cache `L1`"),
        "{}",
        what.message
    );
}

/// Damaged files: none stops the program, whatever profile and scene it meets; every place is inside the text.
#[test]
fn damaged_files_never_stop_the_program() {
    let cases = sizes::CASES.count();
    let texts = [MINE, ALL_OF_IT];
    let scenario = prepared(COLOUR).expect("a scenario");
    let timeline = Timeline::new(&scenario);
    let words: Vec<String> = rules::keywords();
    let mut lowered = 0;
    for seed in sizes::CASES.seeds_times(10) {
        let mut random = StdRng::seed_from_u64(seed);
        let mut text: Vec<char> = texts[(seed % 2) as usize].chars().collect();
        for _ in 0..random.random_range(1..6) {
            let at = random.random_range(0..text.len().max(1)).min(text.len());
            match random.random_range(0..5) {
                0 if at < text.len() => {
                    text.remove(at);
                }
                1 => text.insert(
                    at,
                    *['{', '}', '"', '|', ';', '\n', '*', 'é', '\u{0}', '9']
                        .choose(&mut random)
                        .expect("one"),
                ),
                2 => {
                    let word = format!(" {} ", words.choose(&mut random).expect("one"));
                    text.splice(at..at, word.chars());
                }
                3 => text.truncate(at),
                _ => {
                    let end = (at + random.random_range(0..40)).min(text.len());
                    let part: Vec<char> = text[at..end].to_vec();
                    let to = random.random_range(0..=text.len());
                    text.splice(to..to, part);
                }
            }
        }
        let text: String = text.into_iter().collect();
        let source = Source::new("damaged.lower", text.clone());
        let chosen = PROFILES.choose(&mut random).expect("one");
        for finding in run::read_lowering(&source, Some(chosen)).findings {
            assert!(finding.span.end as usize <= text.len(), "{text}");
            assert!(finding.span.start <= finding.span.end, "{text}");
        }
        let _ = json::to_text(&source);
        if let Ok((lowering, _)) = RuleLowering::read(&source) {
            // Names of another profile are skipped.
            let program = lowering.lower(&timeline, chosen);
            let _ = ensure::check(&timeline, chosen, &program);
            let trace = sim::simulate(&program, chosen, &sim::SimOptions::TOTALS);
            assert!(trace.makespan > Ps::ZERO, "{text}");
            if lowered % 4 == 0 {
                let scene = Source::new("scene.scn", machine_random::write(seed % 100));
                let options = Options {
                    lowering: Some(source.name.clone()),
                    files: run::Texts::from_iter([(&*source.name, &*source.text)]).into(),
                    profile: Some(chosen.name.clone()),
                    ..Options::default()
                };
                // Names that the profile lacks are told; everything else runs.
                let _ = run::run(&scene, &catalog::registry(), &options);
            }
            let printed = rules::print(lowering.file());
            let (again, findings) = rules::parse(&Source::new("again.lower", printed.clone()));
            assert!(
                !findings.iter().any(|f| f.severity.fails()),
                "{text}\n{printed}\n{findings:?}"
            );
            assert_eq!(rules::print(&again), printed, "{text}");
            lowered += 1;
        }
    }
    assert!(
        lowered > cases / 10,
        "{lowered} of {cases} could still be lowered"
    );
    let _ = setting(&timeline, profile("rdna"));
}

/// Limits of a file are mistakes with a place, not a long wait.
#[test]
fn files_have_limits() {
    let message = |text: String| {
        let (_, findings) = rules::parse(&Source::new("m.lower", text));
        findings
            .first()
            .map(|f| f.message.to_string())
            .unwrap_or_default()
    };
    let head = "lowering m { match first }\n";
    let rules_of = |count: usize, body: &str| {
        let mut text = head.to_owned();
        for n in 0..count {
            writeln!(text, "rule \"{n}\" {{ {body} }}").expect("a string");
        }
        text
    };
    let many = rules_of(rules::RULES_MAX + 1, "queue direct");
    assert!(message(many).contains("more than 4096 rules"));
    let long = "clean CB\n".repeat(rules::STATEMENTS_MAX + 1);
    let long = message(format!("{head}rule \"a\" {{ {long} }}"));
    assert!(
        long.contains("more than 256 statements") || long.contains("said twice"),
        "{long}"
    );
    assert!(message(" ".repeat(rules::SOURCE_BYTES_MAX + 1)).contains("the limit is"));
    let word = "X".repeat(10_000);
    assert!(
        message(format!("{head}rule \"a\" {{ before access {word} }}"))
            .contains("the limit is 256")
    );
    let wrong = "x\n".repeat(10_000);
    let (_, findings) = rules::parse(&Source::new(
        "m.lower",
        format!("{head}rule \"a\" {{ {wrong} }}"),
    ));
    assert_eq!(findings.len(), rules::FINDINGS_MAX + 1);
    let last = findings.last().expect("a finding");
    assert!(last.message.contains("was not read"), "{}", last.message);
    // The most rules that there may be are compared with each other in time.
    let most = rules_of(
        rules::RULES_MAX,
        "before access WRITES but COPY_DEST all; queue direct",
    );
    let read = run::read_lowering(&Source::new("m.lower", most), Some(profile("rdna")));
    assert_eq!(
        read.findings.len(),
        rules::RULES_MAX - 1,
        "all but the first are shadowed"
    );
}

/// A layout without a word of the public header is a layout that a rule can be about; a profile that nobody knows is told.
#[test]
fn warnings_are_about_what_cannot_be() {
    let layout = "lowering l {\n  match accumulate\n}\n\nrule \"x\" {\n  before layout DIRECT_QUEUE_GENERIC_READ_COMPUTE_QUEUE_ACCESSIBLE\n  nothing\n}\n";
    let read = run::read_lowering(&Source::new("m.lower", layout), Some(profile("rdna")));
    assert!(read.findings.is_empty(), "{:?}", read.findings);

    let rule = |name: &str| {
        let text = format!(
            "lowering l {{\n  match accumulate\n}}\n\nrule \"x\" {{\n  profile {name}\n  nothing\n}}\n"
        );
        let read = run::read_lowering(&Source::new("m.lower", text), None);
        run::unknown_profiles(&read.file, &catalog::registry())
    };
    let [unknown] = &rule("rdnaa")[..] else {
        panic!("one finding");
    };
    assert_eq!(
        &*unknown.message,
        "no built-in profile is called `rdnaa`: this never holds on one"
    );
    assert!(
        unknown
            .help
            .as_deref()
            .is_some_and(|help| help.contains("did you mean `rdna`?"))
    );
    assert!(!unknown.severity.fails());
    assert!(rule("rdna").is_empty());
}
