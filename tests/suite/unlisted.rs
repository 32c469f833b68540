//! More findings than a report lists: further ones are counted, and nothing else of the report changes.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use syncscope::catalog;
use syncscope::finding::{Severity, Source};
use syncscope::report::{Style, json, terminal};
use syncscope::run::{self, Level, Options, Report, Switch};

/// Each command reads what the one before wrote, and writes what that read: two hazards a line but for the first, in each
/// of three executions. At some commands a comment allows the first of them.
fn storm(commands: usize, allowed: &[usize]) -> Source {
    let mut text = String::from(
        "queue gfx : direct\nbuffer a : 256B { flags UNORDERED_ACCESS }\n\
         buffer b : 256B { flags UNORDERED_ACCESS }\nlist main : direct {\n",
    );
    for at in 0..commands {
        let (from, to) = if at % 2 == 0 { ("a", "b") } else { ("b", "a") };
        if allowed.contains(&at) {
            text += "  // syncscope: allow HZ101\n";
        }
        writeln!(
            text,
            "  dispatch 4x1x1 {{ SHADER_RESOURCE {from}; UNORDERED_ACCESS {to} writes }}"
        )
        .expect("a string");
    }
    text += "}\ntimeline { repeat 3 { gfx execute main } }\n";
    Source::new("storm", text)
}

/// Findings of each rule and severity, listed or not.
fn counts(report: &Report) -> BTreeMap<(&'static str, Severity), u64> {
    let mut counts = BTreeMap::new();
    for finding in &report.findings {
        *counts
            .entry((finding.rule.id, finding.severity))
            .or_default() += 1;
    }
    for one in &report.unlisted {
        assert!(one.count > 0);
        *counts.entry((one.rule.id, one.severity)).or_default() += one.count;
    }
    counts
}

fn options(listed_max: Option<usize>, switches: &[Switch]) -> Options {
    Options {
        listed_max,
        switches: switches.to_vec(),
        proposals: run::Proposals::None,
        without_proofs: true,
        ..Options::default()
    }
}

fn reports(source: &Source, options: &Options) -> [Report; 2] {
    let run = run::run(source, &catalog::registry(), options).expect("it runs");
    [run::check(source, options), run]
}

#[test]
fn what_is_not_listed_is_counted_by_rule() {
    let source = storm(40, &[]);
    let full = reports(&source, &options(None, &[]));
    assert!(full[0].findings.len() >= 2 * 39, "two hazards a line");
    for most in [0, 1, 10, 77] {
        let limited = reports(&source, &options(Some(most), &[]));
        for (full, limited) in full.iter().zip(&limited) {
            assert!(full.unlisted.is_empty());
            assert_eq!(limited.findings.len(), most);
            assert_eq!(counts(limited), counts(full));
            // What is listed is what the full report says there, with its repeats.
            for finding in &limited.findings {
                let key = |f: &syncscope::finding::Finding| (f.rule.id, f.span, f.resource.clone());
                let whole = full.findings.iter().find(|f| key(f) == key(finding));
                let whole = whole.expect("the full report has it");
                assert_eq!(whole.repeats, finding.repeats);
                assert_eq!(whole.message, finding.message);
            }
        }
    }
}

/// Switches and comments are about what is counted as they are about what is listed.
#[test]
fn switches_and_comments_are_about_what_is_counted_too() {
    let source = storm(40, &[20, 21, 30]);
    let rule = |id: &str| catalog::registry().named(id);
    let switches = [
        vec![],
        vec![(Level::Allow, "HZ101")],
        vec![(Level::Warn, "HZ102"), (Level::Deny, "HZ101")],
    ];
    for switches in switches {
        let switches: Vec<Switch> = switches
            .into_iter()
            .map(|(level, id)| Switch {
                level,
                rules: rule(id),
            })
            .collect();
        let full = reports(&source, &options(None, &switches));
        // Those that are listed may be allowed, and others are not listed in their place.
        let limited = reports(&source, &options(Some(10), &switches));
        for (full, limited) in full.iter().zip(&limited) {
            assert_eq!(counts(limited), counts(full), "{switches:?}");
        }
    }
}

#[test]
fn both_formats_say_how_many_are_not_listed() {
    let source = storm(40, &[]);
    let report = run::check(&source, &options(Some(0), &[]));
    let mut page = Vec::new();
    terminal::write(&report, &source, &Style::default(), &mut page).expect("memory");
    let page = String::from_utf8(page).expect("text");
    let mut document = Vec::new();
    json::write(&report, &source, &Style::default(), &mut document).expect("memory");
    let document: serde_json::Value = serde_json::from_slice(&document).expect("JSON");
    assert!(!report.unlisted.is_empty());
    let mut all = 0;
    for (one, told) in report
        .unlisted
        .iter()
        .zip(document["unlisted"].as_array().expect("a list"))
    {
        let line = format!(
            "{} more of {} {} are counted but not listed",
            one.count, one.rule.id, one.rule.name
        );
        assert!(page.contains(&line), "{page}");
        assert_eq!(told["rule"], one.rule.id);
        assert_eq!(told["severity"], one.severity.word());
        assert_eq!(told["count"], one.count);
        all += one.count;
    }
    assert!(!page.contains("no errors, no hazards"), "{page}");
    assert!(page.contains(&format!("{all} hazards")), "{page}");
    assert_eq!(document["findings"], serde_json::json!([]));
}
