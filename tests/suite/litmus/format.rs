//! Formatting: comments and expectations of findings stay where they are meant, in text and through JSON.

use super::generate;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::fmt::Write as _;
use syncscope::finding::Source;
use syncscope::kernel::{self, Kernel, json};

fn parse(text: &str) -> Kernel {
    let (kernel, findings) = kernel::parse(&Source::new("a.litmus", text));
    assert!(findings.is_empty(), "{findings:#?}\n{text}");
    kernel
}

/// A test's text through JSON and back.
fn through_json(kernel: &Kernel) -> String {
    let twin = Source::new("a.json", json::to_json(kernel));
    let texts = json::to_texts(&twin).expect("what is written is read");
    let [text] = &texts[..] else {
        panic!("one test stays one test");
    };
    kernel::print(&parse(text))
}

/// Comments of a text, in order of their words.
fn comments(text: &str) -> Vec<&str> {
    let mut found: Vec<&str> = text
        .lines()
        .filter_map(|line| Some(line[line.find("//")?..].trim_end()))
        .collect();
    found.sort_unstable();
    found
}

/// A comment wherever one may be: lines of their own, line ends, and instructions on lines of their own.
fn commented(text: &str, seed: u64) -> String {
    let mut random = StdRng::seed_from_u64(seed);
    let mut count = 0;
    let mut comment = |often: u32| {
        count += 1;
        if random.random_range(0..often) == 0 {
            format!("// c{count}")
        } else {
            String::new()
        }
    };
    let mut out = String::new();
    for line in text.lines() {
        let before = comment(2);
        if !before.is_empty() {
            out += &before;
            out.push('\n');
        }
        let apart = !comment(2).is_empty() && line.starts_with("thread");
        let line = if apart {
            line.replace("{ ", &format!("{{ {}\n", comment(2)))
                .replace("; ", &format!("; {}\n{}\n", comment(2), comment(2)))
                .replace(" }", &format!(" {}\n{}\n}}", comment(2), comment(2)))
        } else {
            line.to_owned()
        };
        writeln!(out, "{line} {}", comment(2)).expect("a string");
    }
    writeln!(out, "{}", comment(1)).expect("a string");
    out
}

#[test]
fn every_comment_is_kept_in_text_and_through_json() {
    for seed in 0..400 {
        let text = generate::test(seed, 6);
        let text =
            format!("litmus \"t\"\n{text}expect allowed a == 1\ninit a 3\nexpect allowed a != 1\n");
        let text = commented(&text, seed);
        let kernel = parse(&text);
        let printed = kernel::print(&kernel);
        assert_eq!(comments(&printed), comments(&text), "{text}\n{printed}");
        assert_eq!(kernel::print(&parse(&printed)), printed, "{text}");
        assert_eq!(through_json(&kernel), printed, "{text}");
    }
}

/// What is on the line of an expectation `//~ ID`: the instructions and heads of threads.
fn expected(text: &str) -> Vec<(Vec<String>, Vec<String>)> {
    let source = Source::new("a.litmus", text);
    let kernel = parse(text);
    let line = |at: u32| source.line(at);
    kernel
        .marks
        .iter()
        .map(|mark| {
            let mut here = Vec::new();
            for (index, thread) in kernel.threads.iter().enumerate() {
                if line(thread.span.start) == mark.line {
                    here.push(format!("thread {index}"));
                }
                for op in thread
                    .ops
                    .iter()
                    .filter(|o| line(o.span.start) == mark.line)
                {
                    here.push(format!("{index}: {}", kernel::print_op(&kernel, op)));
                }
            }
            (mark.ids.clone(), here)
        })
        .collect()
}

#[test]
fn an_expectation_of_a_finding_stays_with_what_is_on_its_line() {
    let texts = [
        "uav x\nthread group 0 cs { st x 1; sync_g; st x 2 } //~ LM014\n",
        "uav x\nthread group 0 cs {\n  st x 1; sync_g //~ LM014\n  st x 2\n}\n",
        "uav x\nthread group 0 cs { st x 1; sync_g //~ LM014\nst x 2 } // c\n",
        "uav x\nthread group 0 cs {\nst x 1\nsync_g; st x 2 } //~ LM014\n",
        "uav x\nthread group 0 cs { //~ LM006\nst x 1; sync_g; st x 2 }\n",
        "uav x\nthread group 0 cs { st x 1; st x 2; st x 3; st x 4; st x 5; st x 6; st x 7; st x 8; st x 9; \
         st x 10; st x 11; sync_g; st x 12 } //~ LM014\n",
        "uav x\nthread group 0 cs {\n  // before\n  st x 1; sync_g; st x 3 //~ LM014\n  // last\n}\n",
    ];
    for text in texts {
        let printed = kernel::print(&parse(text));
        let (was, is) = (expected(text), expected(&printed));
        // A head may join the line that stood below it; nothing that was there may leave it.
        for ((ids, here), (ids_after, after)) in was.iter().zip(&is) {
            assert_eq!(ids, ids_after, "{text}\n{printed}");
            assert!(here.iter().all(|h| after.contains(h)), "{text}\n{printed}");
        }
        assert_eq!(was.len(), is.len(), "{text}\n{printed}");
        assert_eq!(comments(&printed), comments(text), "{text}\n{printed}");
        assert_eq!(kernel::print(&parse(&printed)), printed, "{text}");
        let back = through_json(&parse(text));
        assert_eq!(back, printed, "{text}");
        assert_eq!(expected(&back), is, "{text}");
    }
}

#[test]
fn variables_keep_their_order_through_json() {
    let text =
        "groupshared s\nuav x\ngroupshared t\nuav y beside x\nthread group 0 cs { st s 1 }\n";
    assert_eq!(through_json(&parse(text)), text);
}

/// Whatever a comment says in JSON, it is a comment.
#[test]
fn a_comment_of_json_begins_no_statement() {
    let twin = r#"{"comments":["uav z"],"uavs":{"x":{}},"variable_comments":{"x":{"before":["uav y\nuav w"],"after":"uav v"}},
        "threads":[{"group":0,"stage":"CS","ops":["st x 1"],"comment_behind":"} uav u"}]}"#;
    let texts = json::to_texts(&Source::new("a.json", twin)).expect("it is read");
    let kernel = parse(&texts[0]);
    assert_eq!(kernel.locations.len(), 1, "{}", texts[0]);
}

#[test]
fn what_a_text_allows_is_known_by_its_place() {
    let text = "// syncscope: allow LM018, redundant-fence\nuav x\nthread group 0 cs {\n  st x 1\n  // syncscope: allow LM\n  sync_g; st x 2\n}\n";
    let kernel = parse(text);
    let covered: Vec<(&[String], &str)> = kernel
        .allows
        .iter()
        .map(|a| {
            let covers = &text[a.covers.start as usize..a.covers.end as usize];
            (a.ids.as_slice(), covers.trim())
        })
        .collect();
    let ids = ["LM018".to_owned(), "redundant-fence".to_owned()];
    assert_eq!(
        covered,
        [(&ids[..], "uav x"), (&["LM".to_owned()][..], "sync_g")]
    );
    assert!(kernel::print(&kernel).contains("  // syncscope: allow LM\n  sync_g\n"));
}
