//! Lessons: each keeps its word, attempts are judged by what they do, and a student can go through one.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use syncscope::catalog;
use syncscope::finding::Source;
use syncscope::run::Options;
use syncscope::run::lesson::{Check, Lesson, lessons};

/// A lesson of a buffer that is written by one dispatch and read by another.
const LESSON: &str = "//! lesson: A buffer
//! goal: Make it visible.
//!
//! Some text,
//! in one paragraph.
//!
//! Another one: with a colon.
//!
//! question: What happens?
//! - this
//! * that,
//! and more of it
//! because: It does.
//!
//! hint: One.
//!
//! check: clean
//! check: nothing redundant
//! check: at most 1 barrier
//! check: within 0 % of the solution on rdna, intel
//! check: same work
//! fails: clean
buffer a : 4KiB { flags UNORDERED_ACCESS }
buffer b : 4KiB { flags UNORDERED_ACCESS }
fence f
queue gfx : direct
queue async : compute
list main : direct {
  dispatch \"write\" 8x1x1 { UNORDERED_ACCESS a writes }
  barrier { buffer a { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> CONSTANT_BUFFER } }
  dispatch \"read\" 8x1x1 { SHADER_RESOURCE a } //~ HZ101
  dispatch \"other\" 8x1x1 { UNORDERED_ACCESS b writes }
}
timeline { gfx execute main }
";

fn solution() -> String {
    below(&LESSON.replace("-> CONSTANT_BUFFER", "-> SHADER_RESOURCE"))
}

/// A lesson's text below its header, without what it expects.
fn below(text: &str) -> String {
    let lines = text.lines().filter(|it| !it.starts_with("//!"));
    let lines = lines.map(|it| it.split(" //~").next().expect("a split has a first part"));
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

fn lesson(text: &str, solution: Option<&str>) -> Result<Lesson, Vec<String>> {
    let next_to = |name: &str| {
        assert_eq!(name, "buffer.solution.scn");
        solution.map(|it| Source::new(name, it))
    };
    let read = Lesson::read(&Source::new("buffer.scn", text), &next_to);
    let told = |it: &syncscope::run::lesson::Mistake| format!("{}: {}", it.line, it.message);
    read.map_err(|mistakes| mistakes.iter().map(told).collect())
}

/// The words of the checks that an attempt fails.
fn failed(lesson: &Lesson, attempt: &str) -> Vec<&'static str> {
    let attempt = Source::new("buffer.scn", attempt);
    let checked = lesson.check(&attempt, &catalog::registry(), &Options::default());
    let failed = checked.rows.iter().filter(|it| !it.passed);
    failed.map(|it| it.check.word()).collect()
}

#[test]
fn a_header_is_read_in_pieces() {
    let lesson = lesson(LESSON, None).expect("a lesson");
    assert_eq!(lesson.title, "A buffer");
    assert_eq!(lesson.goal, "Make it visible.");
    assert_eq!(
        lesson.text,
        ["Some text, in one paragraph.", "Another one: with a colon."]
    );
    let question = lesson.question.expect("a question");
    assert_eq!(question.ask, "What happens?");
    assert_eq!(question.choices, ["this", "that, and more of it"]);
    assert_eq!((question.right, question.because.as_str()), (1, "It does."));
    assert_eq!(lesson.written_hints, ["One."]);
    assert_eq!(lesson.checks.len(), 5);
    assert_eq!(lesson.fails, ["clean"]);
}

/// What is wrong with a header is told with its line, and with what would be right.
#[test]
fn mistakes_in_a_header_are_told() {
    let change = |from: &str, to: &str| {
        assert!(LESSON.contains(from), "{from}");
        lesson(&LESSON.replacen(from, to, 1), None).expect_err(from)
    };
    for (from, to, line, word) in [
        ("goal:", "gaol:", 2, "did you mean `goal`?"),
        ("* that", "- that", 9, "has 0"),
        ("- this", "* this", 9, "has 2"),
        ("clean\n", "clear\n", 17, "`clear` is no check"),
        ("at most 1 barrier", "at most one barrier", 19, "no check"),
        ("at most 1 barrier", "at most 1 fence", 19, "no check"),
        ("5 % of", "five % of", 20, "no check"),
        ("0 % of", "-1 % of", 20, "no check"),
        ("fails: clean", "fails: time, speed", 1, "`speed`"),
        ("lesson: A buffer", "lesson:", 1, "a title"),
        (
            "hint: One.",
            "hint: 1\n//! hint: 2\n//! hint: 3\n//! hint: 4",
            18,
            "three hints",
        ),
        ("lesson: A", "goal: another\n//! lesson: A", 3, "twice"),
    ] {
        if !LESSON.contains(from) {
            continue;
        }
        let told = change(from, to);
        let start = format!("{line}: ");
        assert!(
            told.iter()
                .any(|it| it.starts_with(&start) && it.contains(word)),
            "{from} -> {to}: {told:?}"
        );
    }
    let kept = LESSON.lines();
    let kept = kept.filter(|it| !it.starts_with("//! check") && !it.starts_with("//! fails"));
    let no_checks: Vec<&str> = kept.collect();
    let told = lesson(&no_checks.join("\n"), None).expect_err("no check");
    assert!(told[0].contains("a check"), "{told:?}");
}

/// A lesson that keeps its word, and one for each way in which it may not.
#[test]
fn a_lesson_is_proved() {
    let registry = catalog::registry();
    let prove = |text: &str, solution: &str| {
        let lesson = lesson(text, Some(solution)).expect("a lesson");
        lesson.prove(&registry, &Options::default())
    };
    let good = solution();
    assert_eq!(prove(LESSON, &good), Vec::<String>::new());
    let told = |text: &str, solution: &str, word: &str| {
        let told = prove(text, solution);
        assert!(told.iter().any(|it| it.contains(word)), "{word}: {told:?}");
    };
    told(
        &LESSON.replace("fails: clean", "fails:"),
        &good,
        "the start fails `clean`",
    );
    told(
        &LESSON.replace("fails: clean", "fails: clean, time"),
        &good,
        "the start passes it",
    );
    told(LESSON, &below(LESSON), "the solution fails `clean`");
    let wide = "//! check: nothing redundant\n//! check: at most 1 barrier\n//! check: within 0 % of the solution on rdna, intel\n";
    told(
        &LESSON.replace(wide, ""),
        &good,
        "the widest of all barriers",
    );
    // Without the check of the work, submitting nothing does.
    told(
        &LESSON.replace("//! check: same work\n", ""),
        &good,
        "the start without the statement on line",
    );
    // A solution that has a barrier too many.
    let both = good.replace(
        "  dispatch \"other\"",
        "  barrier { buffer b { sync NONE -> COMPUTE_SHADING; access NO_ACCESS -> UNORDERED_ACCESS } }\n  dispatch \"other\"",
    );
    let loose = LESSON
        .replace("nothing redundant", "same work")
        .replace("at most 1", "at most 2");
    told(&loose, &both, "the solution without the barrier on line");
}

/// What an attempt may change and what not: barriers, fences, lists and submissions are the student's.
#[test]
fn the_same_work_is_told_from_other_work() {
    let good = solution();
    let lesson = lesson(LESSON, Some(&good)).expect("a lesson");
    assert_eq!(failed(&lesson, &good), Vec::<&str>::new());
    for (what, from, to) in [
        (
            "comments and blank lines",
            "dispatch \"read\"",
            "// here\n\n  dispatch \"read\"",
        ),
        (
            "two submissions",
            "  dispatch \"other\" 8x1x1 { UNORDERED_ACCESS b writes }\n}\ntimeline { gfx execute main }",
            "}\nlist more : direct { dispatch \"other\" 8x1x1 { UNORDERED_ACCESS b writes } }\ntimeline { gfx execute main; gfx execute more }",
        ),
        (
            "two submissions of what needs each other",
            "  dispatch \"read\" 8x1x1 { SHADER_RESOURCE a }\n  dispatch \"other\"",
            "}\nlist more : direct {\n  dispatch \"read\" 8x1x1 { SHADER_RESOURCE a }\n  dispatch \"other\"",
        ),
        (
            "two lists of one call",
            "  dispatch \"other\" 8x1x1 { UNORDERED_ACCESS b writes }\n}\ntimeline { gfx execute main }",
            "}\nlist more : direct { dispatch \"other\" 8x1x1 { UNORDERED_ACCESS b writes } }\ntimeline { gfx execute main, more }",
        ),
        (
            "an order of what needs no order",
            "timeline { gfx execute main }",
            "timeline { gfx execute main; gfx signal f 1 }",
        ),
        ("a new fence", "fence f", "fence f\nfence g"),
    ] {
        assert!(good.contains(from), "{what}");
        let mut changed = good.replacen(from, to, 1);
        if what.ends_with("each other") {
            changed = changed.replace("gfx execute main", "gfx execute main; gfx execute more");
        }
        let failed = failed(&lesson, &changed);
        assert!(!failed.contains(&"same work"), "{what}: {failed:?}");
    }
    for (what, from, to) in [
        (
            "a command that is gone",
            "  dispatch \"read\" 8x1x1 { SHADER_RESOURCE a }\n",
            "",
        ),
        (
            "a command that does less",
            "\"read\" 8x1x1",
            "\"read\" 1x1x1",
        ),
        ("another label", "\"read\"", "\"read it\""),
        ("a use that is gone", "{ SHADER_RESOURCE a }", "{ }"),
        (
            "a use of something else",
            "{ SHADER_RESOURCE a }",
            "{ SHADER_RESOURCE b }",
        ),
        (
            "a command twice",
            "  dispatch \"other\"",
            "  dispatch \"other\" 8x1x1 { UNORDERED_ACCESS b writes }\n  dispatch \"other\"",
        ),
        ("a smaller resource", "buffer a : 4KiB", "buffer a : 2KiB"),
        ("a new resource", "buffer b", "buffer c : 4KiB\nbuffer b"),
        (
            "another profile",
            "fence f",
            "device { profile reference }\nfence f",
        ),
        ("another queue", "list main : direct", "list main : compute"),
        ("no execution", "gfx execute main", "gfx signal f 1"),
        (
            "two executions",
            "gfx execute main",
            "gfx execute main, main",
        ),
    ] {
        assert!(good.contains(from), "{what}");
        let mut changed = good.replacen(from, to, 1);
        if what == "another queue" {
            changed = changed.replace("gfx execute", "async execute");
        }
        let failed = failed(&lesson, &changed);
        assert!(failed.contains(&"same work"), "{what}: {failed:?}");
    }
    // The reader before the writer.
    let reader = "  dispatch \"read\" 8x1x1 { SHADER_RESOURCE a }\n";
    let swapped = good.replace(reader, "");
    let swapped = swapped.replace(
        "  dispatch \"write\"",
        &format!("{reader}  dispatch \"write\""),
    );
    assert!(failed(&lesson, &swapped).contains(&"same work"));
    // What is allowed in the text is not allowed in a lesson.
    let allowed = below(LESSON).replace(
        "  dispatch \"read\"",
        "  // syncscope: allow HZ101\n  dispatch \"read\"",
    );
    assert!(failed(&lesson, &allowed).contains(&"clean"));
    // A text that is no text.
    assert!(failed(&lesson, "queue gfx : direkt").contains(&"clean"));
    assert!(failed(&lesson, "").contains(&"clean"));
}

/// Commands on two queues need each other in whichever order a fence puts them; the first of them stays first on its own queue.
#[test]
fn fences_between_queues_are_the_students() {
    let start = "//! lesson: Queues
//! goal: Order them.
//! check: clean
//! check: same work
//! fails: clean
buffer a : 4KiB { flags UNORDERED_ACCESS }
fence f
queue gfx : direct
queue async : compute
list make : compute { dispatch \"write\" 8x1x1 { UNORDERED_ACCESS a writes } }
list take : direct { dispatch \"read\" 8x1x1 { SHADER_RESOURCE a } } //~ HZ201
timeline { async execute make; gfx execute take }
";
    let good = "async execute make; async signal f 1; gfx wait f 1; gfx execute take";
    let good = below(start).replace("async execute make; gfx execute take", good);
    let lesson = lesson(start, Some(&good)).expect("a lesson");
    assert_eq!(failed(&lesson, &below(start)), ["clean"]);
    assert_eq!(failed(&lesson, &good), Vec::<&str>::new());
    let early = "gfx wait f 1; gfx execute take; async execute make; async signal f 1";
    let early = below(start).replace("async execute make; gfx execute take", early);
    assert_eq!(
        failed(&lesson, &early),
        Vec::<&str>::new(),
        "a wait may be submitted first"
    );
}

/// The lessons of the book, as `syncscope test` proves them, and as the program brings them.
#[test]
fn every_lesson_of_the_book_keeps_its_word() {
    let shelf = lessons().expect("headers");
    assert!(shelf.len() >= 16, "{}", shelf.len());
    for lesson in &shelf {
        let name = lesson.name();
        assert!(lesson.solution.is_some(), "{name} has no solution");
        assert!(lesson.question.is_some(), "{name} asks nothing");
        assert!(!lesson.text.is_empty(), "{name} says nothing");
        let words = lesson.fails.len();
        assert!(words > 0, "the start of {name} is good already");
        let hints = lesson.hints(&catalog::registry(), &Options::default());
        assert_eq!(hints.len(), 3, "{name}: {hints:?}");
    }
    let output = Command::new(env!("CARGO_BIN_EXE_syncscope"))
        .args(["test", "book/lessons"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
}

/// The lessons, for the book.
pub(crate) fn table() -> String {
    let mut table = String::from("| | lesson | what you do | par |\n|---|---|---|---|\n");
    for (number, lesson) in (1..).zip(lessons().expect("headers")) {
        let goal = lesson.goal.replace('|', "\\|");
        let par = lesson.checks.iter().find_map(|check| match check {
            Check::AtMost { count, .. } => Some(count.to_string()),
            _ => None,
        });
        let par = par.unwrap_or_default();
        let (title, name) = (&lesson.title, lesson.name());
        let _ = writeln!(
            table,
            "| {number} | [{title}](lessons/{name}.md) | {goal} | {par} |"
        );
    }
    table
}

/// The header of the second lesson, for the book.
pub(crate) fn header() -> String {
    let lesson = second();
    let lines = lesson.start.text.lines();
    let lines = lines.take_while(|it| it.starts_with("//!"));
    let lines: Vec<&str> = lines.collect();
    format!("```text\n{}\n```\n", lines.join("\n"))
}

/// A directory of a student, with a directory for data of its own.
struct Desk(PathBuf);

impl Desk {
    fn new(test: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(path.join("work")).expect("the target directory can be written");
        Self(path)
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_syncscope"));
        command
            .args(arguments)
            .current_dir(self.0.join("work"))
            .env("XDG_DATA_HOME", self.0.join("data"))
            .env("HOME", &self.0)
            .stdin(Stdio::null());
        command
    }

    /// The exit status, and what was said on both outputs.
    fn learn(&self, arguments: &[&str]) -> (Option<i32>, String, String) {
        let Output {
            status,
            stdout,
            stderr,
        } = self
            .command(&[&["learn"], arguments].concat())
            .output()
            .expect("it runs");
        let text = |bytes| String::from_utf8(bytes).expect("text");
        (status.code(), text(stdout), text(stderr))
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join("work").join(name);
        fs::create_dir_all(path.parent().expect("a directory")).expect("it can be made");
        fs::write(path, text).expect("it can be written");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join("work").join(name)).expect("it is there")
    }
}

fn second() -> Lesson {
    lessons().expect("headers").swap_remove(1)
}

/// From the list to a passed lesson: the file is the start, an edit is never written over, progress is kept and forgotten.
#[test]
fn a_student_goes_through_a_lesson() {
    let desk = Desk::new("learn-a-lesson");
    let lesson = second();
    let name = lesson.file_name();
    let (status, list, _) = desk.learn(&[]);
    assert_eq!(status, Some(0));
    assert!(
        list.contains(&lesson.title) && list.contains("; next: syncscope learn 1"),
        "{list}"
    );
    let (status, checks, said) = desk.learn(&["2", "--once"]);
    assert_eq!(status, Some(1), "{said}");
    let sheet = desk.read(name);
    assert_eq!(sheet, lesson.sheet());
    assert!(
        !sheet.contains("//~") && !sheet.contains(&lesson.written_hints[2]),
        "{sheet}"
    );
    assert!(
        checks.contains("not yet  no errors, no hazards"),
        "{checks}"
    );
    let (_, _, said) = desk.learn(&["2", "--hint"]);
    assert!(said.starts_with("hint 1 of 3: "), "{said}");
    let (_, _, said) = desk.learn(&[lesson.name(), "--hint"]);
    assert!(said.starts_with("hint 2 of 3: "), "{said}");
    assert!(desk.learn(&[]).1.contains("2 hints"));
    let solution = lesson.solution.as_ref().expect("a solution");
    desk.write(name, &solution.text);
    let (status, checks, said) = desk.learn(&["2", "--once"]);
    assert_eq!(status, Some(0), "{checks}{said}");
    assert!(
        said.contains("*** ") && said.contains("next: syncscope learn 3"),
        "{said}"
    );
    assert_eq!(desk.read(name), solution.text);
    let (_, _, said) = desk.learn(&["2", "--once"]);
    assert!(
        !said.contains("***") && said.contains("passed, as before"),
        "{said}"
    );
    assert!(desk.learn(&[]).1.contains("passed    "));
    let (status, json, _) = desk.learn(&["2", "--once", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((status, &json["passed"]), (Some(0), &true.into()));
    assert_eq!(desk.learn(&["--reset"]).0, Some(0));
    assert!(desk.learn(&[]).1.contains("0 of "));
    assert_eq!(desk.read(name), solution.text, "files stay");
}

/// While a file is watched, a saved change is judged, a typed letter is answered, and passing ends the sitting.
#[test]
fn a_saved_change_is_judged_at_once() {
    let desk = Desk::new("learn-watch");
    let lesson = second();
    let mut child = desk
        .command(&["learn", "2"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    let file = desk.0.join("work").join(lesson.file_name());
    let until = Instant::now() + Duration::from_secs(60);
    while !file.exists() {
        assert!(Instant::now() < until, "the start is written");
        std::thread::sleep(Duration::from_millis(20));
    }
    let mut keys = child.stdin.take().expect("it is piped");
    keys.write_all(b"h\nwhat\n1\n").expect("it listens");
    // The file is looked at whenever it changes; another save follows if the first came before anybody looked.
    let solution = &lesson.solution.as_ref().expect("a solution").text;
    let mut saves = 0;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it runs") {
            break status;
        }
        assert!(Instant::now() < until, "it ends once the lesson is passed");
        std::thread::sleep(Duration::from_millis(500));
        saves += 1;
        fs::write(&file, format!("{solution}// save {saves}\n")).expect("it can be written");
    };
    let output = child.wait_with_output().expect("it has ended");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(status.code(), Some(0), "{said}");
    assert!(said.contains("hint 1 of 3"), "{said}");
    assert!(said.contains("type h and Enter"), "{said}");
    assert!(said.contains("***"), "{said}");
}

/// A class: a directory a student, and what cannot be judged has a line too.
#[test]
fn a_class_is_a_table() {
    let desk = Desk::new("learn-class");
    let lesson = second();
    let name = lesson.file_name();
    let solution = lesson.solution.as_ref().expect("a solution");
    desk.write(&format!("class/ada/{name}"), &solution.text);
    desk.write(&format!("class/bob/{name}"), &lesson.start.text);
    desk.write(&format!("class/eve/{name}"), "no scenario");
    desk.write("class/eve/notes.txt", "nothing");
    let (status, table, said) = desk.learn(&["--report", "class"]);
    assert_eq!(status, Some(0), "{said}");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines[0], "student,lesson,title,passed,failed");
    assert_eq!(lines[1], format!("ada,{name},{},yes,", lesson.title));
    assert_eq!(lines[2], format!("bob,{name},{},no,clean", lesson.title));
    assert!(
        lines[3].starts_with(&format!("eve,{name},{},no,", lesson.title)),
        "{table}"
    );
    let (status, _, said) = desk.learn(&["--report", "nowhere"]);
    assert_eq!(
        (status, said.contains("no directory `nowhere`")),
        (Some(2), true)
    );
}

/// A scene with a finding becomes a lesson that keeps its word.
#[test]
fn a_scene_becomes_a_lesson() {
    let desk = Desk::new("learn-new");
    let scene = include_str!("../../scenarios/tour/03-wrong-access.scn");
    desk.write("bug.scn", scene);
    let (status, _, said) = desk.learn(&["new", "bug.scn"]);
    assert_eq!(status, Some(0), "{said}");
    let output = desk
        .command(&["test", "bug-lesson.scn"])
        .output()
        .expect("it runs");
    assert_eq!(
        output.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
    let (status, checks, _) = desk.learn(&["bug-lesson.scn", "--once"]);
    assert_eq!(status, Some(1), "{checks}");
    let sheet = desk.read("my-bug-lesson.scn");
    assert!(
        sheet.starts_with("// Lesson: ") && !sheet.contains("//~"),
        "{sheet}"
    );
    let before = desk.read("bug-lesson.scn");
    let (status, _, said) = desk.learn(&["new", "bug.scn"]);
    assert_eq!(
        (status, said.contains("is there already")),
        (Some(2), true),
        "{said}"
    );
    assert_eq!(desk.read("bug-lesson.scn"), before);
}

#[test]
fn what_is_no_lesson_is_told() {
    let desk = Desk::new("learn-bad");
    desk.write("plain.scn", "queue gfx : direct\ntimeline { }\n");
    desk.write("broken.scn", "//! lesson: X\nqueue gfx : direct\n");
    for (arguments, word) in [
        (&["0", "--once"][..], "numbered from 1"),
        (&["99"], "there is no lesson 99"),
        (&["nonsense"], "no lesson and no file"),
        (
            &["02-order-is-not-visibilty"],
            "did you mean `02-order-is-not-visibility`",
        ),
        (&["plain.scn"], "has no header of a lesson"),
        (&["broken.scn"], "lacks a goal"),
        (&["new"], "none is named"),
        (&["new", "plain.scn"], "wrong or redundant"),
        (&["new", "nowhere.scn"], "nowhere.scn"),
        (&["2", "3"], "one word too many"),
    ] {
        let (status, _, said) = desk.learn(arguments);
        assert_eq!(status, Some(2), "{arguments:?}: {said}");
        assert!(said.contains(word), "{arguments:?}: {said}");
    }
    // Progress that is not understood is not written over.
    let file = desk.0.join("data/syncscope/lessons.json");
    fs::create_dir_all(file.parent().expect("a directory")).expect("it can be made");
    fs::write(&file, "{").expect("it can be written");
    let (status, _, said) = desk.learn(&["2", "--once"]);
    assert_eq!(
        (status, said.contains("move that file away")),
        (Some(2), true),
        "{said}"
    );
    assert_eq!(fs::read_to_string(&file).expect("it is there"), "{");
}
