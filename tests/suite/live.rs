//! What a page in a browser asks: answers are JSON, and those of the WebAssembly module are the program's own.

use crate::tools::skipped;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use syncscope::live::answer;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn asked(question: &Value) -> Value {
    serde_json::from_str(&answer(&question.to_string())).expect("an answer is JSON")
}

/// Names of the lessons among their files: those that have a solution.
fn names(files: &BTreeMap<String, String>) -> impl Iterator<Item = &String> {
    let has_solution = |name: &str| {
        let solved = name
            .rsplit_once('.')
            .map(|(stem, end)| format!("{stem}.solution.{end}"));
        solved.is_some_and(|it| files.contains_key(&it))
    };
    files.keys().filter(move |name| has_solution(name))
}

/// The lessons' files by name.
fn lessons() -> BTreeMap<String, String> {
    let files = fs::read_dir(root().join("book/lessons")).expect("lessons");
    files
        .map(|entry| {
            let path = entry.expect("an entry").path();
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect()
}

const SCENE: &str = "buffer b : 4KiB { flags UNORDERED_ACCESS }
queue gfx : direct
list l : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  barrier { buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access UNORDERED_ACCESS -> CONSTANT_BUFFER } }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
}
timeline { gfx execute l }
";

#[test]
fn a_scene_has_marks_a_page_and_a_fix_that_mends_it() {
    let worth = asked(&json!({"ask": "run", "name": "a.scn", "text": SCENE}));
    let marks = worth["marks"].as_array().expect("marks");
    let hazard = marks
        .iter()
        .find(|it| it["rule"] == "HZ101")
        .expect("the hazard");
    let (from, to) = (
        hazard["from"].as_u64().expect("a place"),
        hazard["to"].as_u64().expect("a place"),
    );
    // The text is ASCII: a unit is a byte.
    let marked = &SCENE[usize::try_from(from).expect("small")..usize::try_from(to).expect("small")];
    assert!(
        marked.starts_with("dispatch \"read\"") || marked.starts_with("SHADER_RESOURCE b"),
        "{marked}"
    );
    assert_eq!(worth["page"]["findings"][0]["rule"], "HZ101");
    assert!(worth["page"]["makespan_ps"].as_u64().expect("a time") > 0);
    let mut text = SCENE.to_owned();
    for edit in hazard["fix"]["edits"]
        .as_array()
        .expect("a fix")
        .iter()
        .rev()
    {
        let place =
            |key: &str| usize::try_from(edit[key].as_u64().expect("a place")).expect("small");
        text.replace_range(
            place("from")..place("to"),
            edit["text"].as_str().expect("text"),
        );
    }
    let mended = asked(&json!({"ask": "run", "name": "a.scn", "text": text}));
    let fails = |it: &&Value| it["severity"] == "hazard" || it["severity"] == "error";
    assert_eq!(
        mended["marks"]
            .as_array()
            .expect("marks")
            .iter()
            .find(fails),
        None,
        "{text}"
    );
}

#[test]
fn files_profiles_and_lowerings_are_those_of_the_question() {
    let run = |more: &Value| {
        let mut question = json!({"ask": "run", "name": "a.scn", "text": SCENE});
        let more = more.as_object().expect("an object").clone();
        question.as_object_mut().expect("an object").extend(more);
        asked(&question)
    };
    assert_eq!(
        run(&json!({"profile": "tiler"}))["page"]["profile"],
        "tiler"
    );
    assert_eq!(
        run(&json!({"lowering": "full_flush"}))["page"]["lowering"],
        "full_flush"
    );
    let unknown = run(&json!({"profile": "teapot"}));
    let says = unknown["unusable"].as_str().expect("a reason");
    assert!(says.contains("teapot") && says.contains("rdna"), "{says}");
    let lists = asked(&json!({"ask": "lists"}));
    let named = |list: &str, name: &str| {
        let all = lists[list].as_array().expect("a list");
        all.iter()
            .any(|it| it["name"] == name && !it["summary"].as_str().expect("words").is_empty())
    };
    assert!(named("profiles", "rdna") && named("lowerings", "precise"));
    // A text without a timeline is checked.
    let no_timeline = SCENE.split("timeline").next().expect("a start");
    let checked = asked(&json!({"ask": "run", "name": "a.scn", "text": no_timeline}));
    assert!(
        checked["unusable"].is_string() || !checked["marks"].as_array().expect("marks").is_empty()
    );
}

/// Every lesson in the browser: the start fails, the solution passes, and nothing gives the answer away.
#[test]
fn lessons_are_judged_as_learn_judges_them() {
    let files = lessons();
    let mut seen = 0;
    for name in names(&files) {
        let card = asked(&json!({"ask": "card", "name": name, "files": files}));
        assert!(card["unusable"].is_null(), "{name}: {card}");
        assert_eq!(card["hints"].as_array().expect("hints").len(), 3, "{name}");
        let start = card["start"].as_str().expect("a start");
        assert!(!start.contains("//~") && !start.contains("//!"), "{name}");
        let attempt = |text: &str| {
            asked(&json!({"ask": "lesson", "name": name, "text": text, "files": files}))
        };
        let failed = attempt(start);
        assert_eq!(failed["passed"], false, "{name}");
        assert_eq!(
            failed["checks"].as_array().expect("checks").len(),
            card["checks"].as_array().expect("checks").len()
        );
        for mark in failed["marks"].as_array().expect("marks") {
            assert!(
                mark.get("fix").is_none() && mark.get("help").is_none(),
                "{name}: {mark}"
            );
        }
        let drawn = failed["page"]["findings"].as_array();
        for finding in drawn.into_iter().flatten() {
            assert!(
                finding["help"].is_null() && finding["diff"] == json!([]),
                "{name}: {finding}"
            );
        }
        let passed = attempt(card["solution"].as_str().expect("a solution"));
        assert_eq!(passed["passed"], true, "{name}: {}", passed["checks"]);
        seen += 1;
    }
    assert!(seen >= 20, "{seen} lessons");
}

#[test]
fn words_are_those_that_the_parser_would_take() {
    let words = |text: &str| -> Vec<String> {
        let at = text.encode_utf16().count();
        let answer = asked(&json!({"ask": "words", "name": "a.scn", "text": text, "at": at}));
        let words = answer["words"].as_array().expect("words");
        words
            .iter()
            .map(|it| it[0].as_str().expect("a word").to_owned())
            .collect()
    };
    let has = |text: &str, word: &str| {
        let words = words(text);
        assert!(
            words.iter().any(|it| it == word),
            "{text}: {words:?} has no {word}"
        );
    };
    let before = SCENE.split("  barrier").next().expect("a start");
    has("", "texture");
    has("tex", "texture");
    has("queue gfx : ", "compute");
    has("texture t : R8G8B8A8_UNORM 4x4 { flags ", "RENDER_TARGET");
    has(before, "dispatch");
    has(&format!("{before}  bar"), "barrier");
    has(&format!("{before}  barrier {{ "), "texture");
    has(&format!("{before}  barrier {{ buffer "), "b");
    has(&format!("{before}  barrier {{ buffer b {{ "), "access");
    has(
        &format!("{before}  barrier {{ buffer b {{ sync COMPUTE_SHADING -> PIX"),
        "PIXEL_SHADING",
    );
    has(
        &format!("{before}  barrier {{ buffer b {{ access "),
        "UNORDERED_ACCESS",
    );
    has(&format!("{before}  dispatch 1x1x1 {{ "), "SHADER_RESOURCE");
    has(
        &format!("{before}  dispatch 1x1x1 {{ SHADER_RESOURCE "),
        "b",
    );
    has(&format!("{before}}}\ntimeline {{ "), "gfx");
    has(&format!("{before}}}\ntimeline {{ gfx "), "execute");
    has(&format!("{before}}}\ntimeline {{ gfx execute "), "l");
    // Each stage that is offered happens in that command; text before it may be wide.
    let stages = words(&format!(
        "// 𝄞 é\n{before}  dispatch 1x1x1 {{ SHADER_RESOURCE b @ "
    ));
    assert!(
        stages.iter().any(|it| it == "COMPUTE_SHADING"),
        "{stages:?}"
    );
    assert!(!stages.iter().any(|it| it == "PIXEL_SHADING"), "{stages:?}");
    // Whatever is offered is understood: no mistake is at its place.
    for prefix in [
        format!("{before}  dispatch 1x1x1 {{ "),
        format!("{before}  barrier {{ buffer b {{ sync "),
        "queue gfx : ".to_owned(),
    ] {
        for word in words(&prefix) {
            let text = format!("{prefix}{word}");
            let worth = asked(&json!({"ask": "run", "name": "a.scn", "text": text}));
            let marks = worth["marks"].as_array().expect("marks");
            let unknown = format!("`{word}`");
            let refused = marks.iter().find(|it| {
                it["message"]
                    .as_str()
                    .expect("words")
                    .contains(&format!("unknown {unknown}"))
            });
            assert_eq!(refused, None, "{text}");
        }
    }
    let hover = asked(
        &json!({"ask": "hover", "name": "a.scn", "text": SCENE, "at": SCENE.find("UNORDERED_ACCESS b").expect("it is there")}),
    );
    let says = hover["says"].as_str().expect("a meaning");
    assert!(
        says.contains("0x10") && says.contains("reads and writes"),
        "{says}"
    );
}

#[test]
fn a_bad_question_is_told_what_a_good_one_is() {
    let says = |question: &str| {
        let answer: Value = serde_json::from_str(&answer(question)).expect("JSON");
        answer["unusable"].as_str().expect("a reason").to_owned()
    };
    assert!(says("{").contains("not understood"));
    assert!(says(r#"{"ask": "teapot"}"#).contains("ask for lists, run, marks, lesson"));
    assert!(says(r#"{"ask": "run", "colour": 1}"#).contains("colour"));
    assert!(says(r#"{"ask": "card", "name": "x.scn"}"#).contains("`x.scn` is not among the files"));
}

/// Files of a folder and below it, in order.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder)
        .expect("a folder")
        .map(|it| it.expect("an entry").path())
        .collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            texts(&path, found);
        } else {
            found.push(path);
        }
    }
}

/// A scene whose answer is larger than this is not compared: a page has no use for it.
const TEXT_MAX: usize = 64 << 10;

/// A question for each scene, litmus test and rule file of the repository, and for each lesson.
fn questions() -> Vec<Value> {
    let mut files = Vec::new();
    texts(&root().join("scenarios"), &mut files);
    let text_of = |path: &Path| {
        fs::read_to_string(path)
            .ok()
            .filter(|text| text.len() <= TEXT_MAX)
    };
    let mut questions = Vec::new();
    for path in &files {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        let (true, Some(text)) = (
            ["scn", "litmus", "lower"].contains(&&*extension),
            text_of(path),
        ) else {
            continue;
        };
        let name = path.file_name().expect("a name").to_string_lossy();
        // What a scene may name is next to it.
        let next_to = files
            .iter()
            .filter(|it| it.parent() == path.parent() && *it != path);
        let named =
            next_to.filter(|it| text.contains(&*it.file_name().expect("a name").to_string_lossy()));
        let files: BTreeMap<String, String> = named
            .filter_map(|it| Some((it.file_name()?.to_string_lossy().into_owned(), text_of(it)?)))
            .collect();
        questions.push(json!({"ask": "run", "name": name, "text": text, "files": files}));
    }
    let lessons = lessons();
    for name in names(&lessons) {
        let card = asked(&json!({"ask": "card", "name": name, "files": lessons}));
        questions.push(json!({"ask": "card", "name": name, "files": lessons}));
        questions
            .push(json!({"ask": "lesson", "name": name, "text": card["start"], "files": lessons}));
        questions.push(
            json!({"ask": "lesson", "name": name, "text": card["solution"], "files": lessons}),
        );
    }
    questions.push(json!({"ask": "lists"}));
    questions
}

/// `SYNCSCOPE_LIVE` is the module; `.ci/run` builds it. Without it nothing is compared.
#[test]
fn the_module_answers_as_the_program_does() {
    let Some(module) = std::env::var_os("SYNCSCOPE_LIVE") else {
        return;
    };
    if Command::new("node").arg("--version").output().is_err() {
        skipped("there is no Node.js");
        return;
    }
    let questions = questions();
    assert!(questions.len() >= 500, "{} questions", questions.len());
    let (mut asked, mut answers) = (String::new(), String::new());
    for question in &questions {
        let question = question.to_string();
        let _ = writeln!(answers, "{}", answer(&question));
        let _ = writeln!(asked, "{question}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let [asked_file, answers_file] = ["questions", "answers"].map(|name| folder.path().join(name));
    fs::write(&asked_file, asked).expect("written");
    fs::write(&answers_file, answers).expect("written");
    let compared = Command::new("node")
        .arg(root().join("book/live/same.mjs"))
        .arg(module)
        .args([asked_file, answers_file])
        .output()
        .expect("Node.js starts");
    let says = String::from_utf8_lossy(&compared.stdout);
    println!("{says}");
    assert!(
        compared.status.success(),
        "{says}{}",
        String::from_utf8_lossy(&compared.stderr)
    );
}
