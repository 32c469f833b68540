//! Repairs of long texts: changes are searched in excerpts and proved in the whole text.

use crate::reference::random_scenario;
use crate::sizes;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicUsize, Ordering};
use syncscope::finding::{Finding, Source};
use syncscope::run::{self, Effort, Options, Repair};
use syncscope::scenario;
use syncscope::validate::RuleSet;

/// A repair that searches in excerpts, however short the text is.
fn repaired(source: &Source) -> Repair {
    let effort = Effort {
        excerpts_above: 0,
        ..Effort::default()
    };
    run::repair_within(source, RuleSet::Specification, |_| true, effort)
}

fn wrong(source: &Source) -> Vec<Finding> {
    let mut findings = run::check(source, &Options::default()).findings;
    findings.retain(|finding| finding.severity.fails());
    findings
}

/// Textures that are cleared and then read many times without a barrier.
fn readers(textures: usize, reads: usize) -> Source {
    let mut text = String::from("queue gfx : direct\n");
    for at in 0..textures {
        writeln!(
            text,
            "texture t{at} : R8G8B8A8_UNORM 64x64 {{ flags RENDER_TARGET; initial RENDER_TARGET }}"
        )
        .expect("a string");
    }
    text += "list main : direct {\n";
    for at in 0..textures {
        writeln!(text, "  clear-rtv t{at}").expect("a string");
        for _ in 0..reads {
            writeln!(text, "  dispatch 8x8x1 {{ SHADER_RESOURCE t{at} }}").expect("a string");
        }
    }
    text += "}\ntimeline { gfx execute main }\n";
    Source::new("readers", text)
}

/// One transition before the first read of each texture is enough for all of its reads.
#[test]
fn one_change_for_each_cause_removes_all_of_its_findings() {
    let source = readers(20, 30);
    let before = wrong(&source).len();
    // Reading R42: the first read waits for nothing, and those after it are folded into it.
    assert_eq!(before, 20 * (30 + 1), "each read is in the wrong layout");
    let repair = repaired(&source);
    assert!(repair.left.is_empty() && !repair.is_ended);
    assert!(wrong(&repair.source).is_empty());
    assert_eq!(repair.changes.len(), 20);
    for (at, change) in repair.changes.iter().enumerate() {
        // A line for the queue, one for each texture, the list's, then for each texture 31.
        let first_read = 1 + 20 + 1 + at * 31 + 2;
        assert_eq!(change.line as usize, first_read, "{}", change.says);
        let read = format!("texture t{at} {{");
        assert!(change.says.contains(&read), "{}", change.says);
    }
}

/// An entry in the middle of a long text is named as the text numbers it, and a line as the text counts it.
#[test]
fn a_change_is_told_in_the_names_and_lines_of_the_text() {
    let mut text =
        String::from("queue gfx : direct\nbuffer other : 4KiB { flags UNORDERED_ACCESS }\n");
    text += "buffer data : 4KiB { flags UNORDERED_ACCESS }\nlist main : direct {\n";
    for _ in 0..400 {
        text += "  dispatch 1x1x1 { UNORDERED_ACCESS other reads }\n";
    }
    text += "  dispatch 1x1x1 { UNORDERED_ACCESS data }\n\
             \x20 barrier { buffer data { sync COMPUTE_SHADING -> PIXEL_SHADING; access UNORDERED_ACCESS -> \
             SHADER_RESOURCE } }\n\
             \x20 dispatch 1x1x1 { SHADER_RESOURCE data }\n}\ntimeline { gfx execute main }\n";
    let source = Source::new("named", text);
    let repair = repaired(&source);
    assert!(repair.left.is_empty(), "{:?}", repair.left);
    let [change] = &repair.changes[..] else {
        panic!("{:?}", repair.changes);
    };
    assert_eq!(change.line, 407);
    // 400 dispatches and the one that writes come before it on the queue.
    assert!(change.says.contains("gfx#402.0"), "{}", change.says);
    assert!(wrong(&repair.source).is_empty());
}

/// What is proved when the repair is told to end holds, and what is left is said.
#[test]
fn a_repair_that_is_ended_keeps_what_is_proved() {
    let source = readers(20, 30);
    let short = Effort {
        changes_max: 3,
        excerpts_above: 0,
        ..Effort::default()
    };
    let repair = run::repair_within(&source, RuleSet::Specification, |_| true, short);
    assert_eq!((repair.changes.len(), repair.is_ended), (3, true));
    assert_eq!(repair.left.len(), 17 * 31);
    assert_eq!(wrong(&repair.source).len(), 17 * 31);
    for calls in [0, 5, 12, 21, 22] {
        let count = AtomicUsize::new(0);
        let effort = Effort {
            watch: &|_| count.fetch_add(1, Ordering::Relaxed) < calls,
            excerpts_above: 0,
            ..Effort::default()
        };
        let repair = run::repair_within(&source, RuleSet::Specification, |_| true, effort);
        assert!(repair.is_ended, "after {calls} calls");
        assert_eq!(wrong(&repair.source).len(), repair.left.len());
        let removed = 31 * repair.changes.len();
        assert_eq!(repair.left.len(), 20 * 31 - removed);
    }
}

/// Nothing new is wrong after a repair by excerpts, and each change removes something.
#[test]
fn repairs_of_random_texts_by_excerpts_hold() {
    let mut changes = 0;
    let step = if sizes::is_full() { 3 } else { 10 };
    for seed in sizes::REPAIRS.seeds().step_by(step) {
        let source = Source::new(format!("random {seed}"), long(&random_scenario(seed)));
        let (_, findings) = scenario::parse(&source);
        if findings.iter().any(|finding| finding.severity.fails()) {
            continue;
        }
        let repair = repaired(&source);
        let key = |finding: &Finding| (finding.rule.id, finding.resource.clone());
        let before = wrong(&source);
        let mut rest: Vec<_> = before.iter().map(key).collect();
        for finding in wrong(&repair.source) {
            match rest.iter().position(|known| *known == key(&finding)) {
                Some(at) => drop(rest.remove(at)),
                None => panic!(
                    "{} is new:\n{}\n---\n{}",
                    finding.message, source.text, repair.source.text
                ),
            }
        }
        let mended = repair.changes.iter().filter(|c| c.finding.severity.fails());
        assert!(mended.count() <= rest.len(), "{}", source.text);
        changes += repair.changes.len();
    }
    assert!(changes > 0, "some text has a hazard that can be removed");
}

/// A text with the commands of each list twice.
fn long(text: &str) -> String {
    let mut long = String::new();
    let mut body: Option<String> = None;
    for line in text.lines() {
        match &mut body {
            Some(lines) if line.starts_with('}') => {
                long += &lines.repeat(2);
                body = None;
            }
            Some(lines) => {
                *lines += line;
                lines.push('\n');
                continue;
            }
            None if line.starts_with("list ") && line.ends_with('{') => body = Some(String::new()),
            None => {}
        }
        long += line;
        long.push('\n');
    }
    long
}
