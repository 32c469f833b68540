//! `syncscope lsp` over the wire: every answer, random edits, and what no editor says.

mod client;
mod details;
mod edits;
mod grammar;
mod hostile;
mod neovim;

use client::{Editor, edited, edits, place};
use serde_json::{Value, json};
use std::fs;
use std::process::Command;

const URI: &str = "file:///scenes/a.scn";

/// A hazard, and a barrier that is too wide for what it does.
const SCENE: &str = "buffer b : 4KiB { flags UNORDERED_ACCESS }
buffer c : 4KiB { flags UNORDERED_ACCESS }
queue gfx : direct

// Two writers,
// one of them without a barrier.
list main : direct {
  dispatch \"write\" 1x1x1 { UNORDERED_ACCESS b writes }
  dispatch \"read\" 1x1x1 { SHADER_RESOURCE b }
  dispatch \"other\" 1x1x1 { UNORDERED_ACCESS c writes }
  barrier { global { sync ALL -> ALL; access COMMON -> COMMON } }
  dispatch \"last\" 1x1x1 { SHADER_RESOURCE c }
}

timeline {
  gfx execute main
}
";

fn at(text: &str, what: &str) -> Value {
    place(text, text.find(what).expect("it is there"))
}

fn labels(items: &Value) -> Vec<&str> {
    let items = items["items"].as_array().expect("items").iter();
    items
        .map(|it| it["label"].as_str().expect("a label"))
        .collect()
}

#[test]
fn a_hazard_has_both_sides_a_page_and_a_repair() {
    let mut editor = Editor::start();
    editor.open(URI, 1, SCENE);
    let all = editor.with_savings(URI, 1);
    let hazard = all
        .iter()
        .find(|it| it["code"] == "HZ101")
        .expect("a hazard");
    assert_eq!(hazard["range"]["start"]["line"], 8, "{hazard}");
    assert_eq!(hazard["severity"], 1);
    let related = hazard["relatedInformation"].as_array().expect("sides");
    let lines: Vec<&Value> = related
        .iter()
        .map(|it| &it["location"]["range"]["start"]["line"])
        .collect();
    assert!(
        lines.contains(&&json!(7)) && lines.contains(&&json!(8)),
        "{related:?}"
    );
    let page = hazard["codeDescription"]["href"].as_str().expect("a page");
    let path = page.strip_prefix("file://").expect("a file");
    assert!(
        fs::read_to_string(path)
            .expect("a page")
            .starts_with("# HZ101")
    );
    // The quick fix removes it.
    let range = hazard["range"].clone();
    let context = json!({"range": range, "context": {"diagnostics": [hazard]}});
    let actions = editor.about("codeAction", URI, &context);
    let actions = actions.as_array().expect("actions");
    let fix = actions
        .iter()
        .find(|it| it["kind"] == "quickfix" && it.get("edit").is_some());
    let mended = edited(SCENE, edits(&fix.expect("a fix")["edit"]));
    editor.change(URI, 2, &json!([{"text": mended}]));
    let left = editor.with_savings(URI, 2);
    assert!(left.iter().all(|it| it["code"] != "HZ101"), "{left:?}");
    // What is too wide is narrowed by another one.
    let wide = left
        .iter()
        .find(|it| it["code"].as_str().is_some_and(|id| id.starts_with("RD")));
    let wide = wide.unwrap_or_else(|| panic!("something to save: {left:?}"));
    let context =
        json!({"range": wide["range"], "context": {"diagnostics": [], "only": ["refactor"]}});
    let actions = editor.about("codeAction", URI, &context);
    let saving = actions
        .as_array()
        .expect("actions")
        .iter()
        .find(|it| it["kind"] == "refactor.rewrite");
    let narrower = edited(
        &mended,
        edits(&saving.unwrap_or_else(|| panic!("{wide} {actions}"))["edit"]),
    );
    assert_ne!(narrower, mended);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn everything_is_repaired_at_once_and_a_rule_is_explained() {
    let mut editor = Editor::start();
    editor.open(URI, 1, SCENE);
    editor.with_savings(URI, 1);
    let actions = editor.actions(URI);
    let all = actions
        .iter()
        .find(|it| it["kind"] == "source.fixAll.syncscope")
        .expect("all");
    let resolved = editor.ask("codeAction/resolve", all);
    let mended = edited(SCENE, edits(&resolved["result"]["edit"]));
    assert!(
        mended.contains("SyncBefore") || mended.len() > SCENE.len(),
        "{mended}"
    );
    let explain = actions.iter().find(|it| {
        it["title"]
            .as_str()
            .is_some_and(|it| it.starts_with("Explain HZ101"))
    });
    let command = &explain.expect("a page")["command"];
    let page = editor.ask(
        "workspace/executeCommand",
        &json!({"command": command["command"], "arguments": command["arguments"]}),
    );
    assert!(
        page["result"]
            .as_str()
            .expect("a page")
            .starts_with("# HZ101")
    );
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn completion_knows_the_place() {
    let mut editor = Editor::start();
    let mut version = 0;
    let mut words = |text: &str| -> Vec<String> {
        version += 1;
        editor.open(URI, version, text);
        let items = editor.about(
            "completion",
            URI,
            &json!({"position": place(text, text.len())}),
        );
        labels(&items).into_iter().map(str::to_owned).collect()
    };
    let start = "texture t : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET }\nbuffer b : 4KiB\nfence f\nqueue q : compute\n";
    let list = format!("{start}list l : compute {{ ");
    assert!(words("").contains(&"texture".to_owned()));
    // Accesses of this use: a dispatch has no render target.
    let accesses = words(&format!("{list}dispatch 1x1x1 {{ "));
    assert!(
        accesses.contains(&"SHADER_RESOURCE".to_owned()),
        "{accesses:?}"
    );
    assert!(
        !accesses.contains(&"RENDER_TARGET".to_owned()),
        "{accesses:?}"
    );
    // Stages of this access.
    let stages = words(&format!("{list}dispatch 1x1x1 {{ SHADER_RESOURCE b @ "));
    assert!(
        stages.contains(&"COMPUTE_SHADING".to_owned())
            && !stages.contains(&"PIXEL_SHADING".to_owned())
    );
    // Resources of the right kind.
    assert_eq!(words(&format!("{list}barrier {{ texture ")), ["t"]);
    assert_eq!(words(&format!("{list}barrier {{ buffer ")), ["b"]);
    // Layouts that a compute list may name.
    let layouts = words(&format!("{list}barrier {{ texture t {{ layout "));
    assert!(
        layouts.contains(&"UNORDERED_ACCESS".to_owned()),
        "{layouts:?}"
    );
    assert!(
        !layouts.contains(&"RENDER_TARGET".to_owned()),
        "{layouts:?}"
    );
    // Scopes that have the access that is there.
    let scopes = words(&format!(
        "{list}barrier {{ buffer b {{ access SHADER_RESOURCE -> SHADER_RESOURCE; sync "
    ));
    assert!(
        scopes.contains(&"COMPUTE_SHADING".to_owned()) && !scopes.contains(&"COPY".to_owned()),
        "{scopes:?}"
    );
    assert!(words(&format!("{start}timeline {{ q signal ")).contains(&"f".to_owned()));
    // Nothing is offered in a comment.
    assert!(words("// tex").is_empty());
    let mut of = |name: &str, text: &str| -> Vec<String> {
        let uri = format!("file:///scenes/{name}");
        editor.open(&uri, 1, text);
        let items = editor.about(
            "completion",
            &uri,
            &json!({"position": place(text, text.len())}),
        );
        labels(&items).into_iter().map(str::to_owned).collect()
    };
    assert!(of("a.litmus", "").contains(&"uav".to_owned()));
    assert!(of("b.litmus", "uav x\nthread group 0 cs { st ").contains(&"x".to_owned()));
    assert!(of("c.litmus", "uav x\nthread group 0 cs { ").contains(&"ld".to_owned()));
    assert!(of("a.lower", "").contains(&"lowering".to_owned()));
    assert!(
        of("b.lower", "lowering a { match first }\nrule \"r\" { ")
            .contains(&"invalidate".to_owned())
    );
    assert!(of("a.toml", "name = \"x\"\n").contains(&"summary".to_owned()));
    assert!(of("b.toml", "[[cache]]\n").contains(&"parent".to_owned()));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn words_names_and_prices_are_told() {
    let mut editor = Editor::start();
    editor.open(URI, 1, SCENE);
    editor.with_savings(URI, 1);
    let mut hover = |what: &str| {
        let answer = editor.about("hover", URI, &json!({"position": at(SCENE, what)}));
        answer["contents"]["value"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    let access = hover("UNORDERED_ACCESS b writes");
    assert!(
        access.contains("0x10") && access.contains("on rdna: writes through"),
        "{access}"
    );
    assert!(hover("b writes").contains("resource **b**, line 1, 2 uses"));
    assert!(hover("barrier {").contains("exposed"));
    assert!(hover("dispatch \"read\"").contains("HZ101"));
    let signature = editor.about(
        "signatureHelp",
        URI,
        &json!({"position": at(SCENE, "execute main")}),
    );
    assert!(
        signature["signatures"][0]["label"]
            .as_str()
            .is_some_and(|it| it.contains("execute")),
        "{signature}"
    );
    let all = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = editor.about("inlayHint", URI, &json!({"range": all}));
    let hint = hints
        .as_array()
        .expect("hints")
        .iter()
        .find(|it| it["position"]["line"] == 10);
    assert!(
        hint.expect("a price")["label"]
            .as_str()
            .expect("words")
            .contains("exposed"),
        "{hints}"
    );
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_name_leads_to_its_declaration_and_its_uses() {
    let mut editor = Editor::start();
    editor.open(URI, 1, SCENE);
    editor.with_savings(URI, 1);
    let there = |answer: &Value| -> Vec<u64> {
        let all = answer.as_array().expect("places").iter();
        all.map(|it| it["range"]["start"]["line"].as_u64().expect("a line"))
            .collect()
    };
    let position = json!({"position": at(SCENE, "b writes")});
    assert_eq!(there(&editor.about("definition", URI, &position)), [0]);
    let with = json!({"position": position["position"], "context": {"includeDeclaration": true}});
    assert_eq!(there(&editor.about("references", URI, &with)), [0, 7, 8]);
    // The other side of a finding, from a word that is no name.
    let side = json!({"position": at(SCENE, "dispatch \"read\"")});
    assert!(there(&editor.about("definition", URI, &side)).contains(&7));
    let symbols = editor.about("documentSymbol", URI, &json!({}));
    let names: Vec<&str> = symbols
        .as_array()
        .expect("symbols")
        .iter()
        .map(|it| it["name"].as_str().expect("a name"))
        .collect();
    assert_eq!(names, ["b", "c", "gfx", "main", "timeline"]);
    // Renaming changes every place, and only to what nothing else is called.
    let position = position["position"].clone();
    let renamed = editor.about(
        "rename",
        URI,
        &json!({"position": position, "newName": "bytes"}),
    );
    let text = edited(SCENE, edits(&renamed));
    assert_eq!(text.matches("bytes").count(), 3, "{text}");
    for (new, why) in [
        ("c", "already the name"),
        ("a b", "no name"),
        ("", "no name"),
    ] {
        let params = json!({"textDocument": {"uri": URI}, "position": position, "newName": new});
        let refused = editor.ask("textDocument/rename", &params);
        assert!(
            refused["error"]["message"]
                .as_str()
                .is_some_and(|it| it.contains(why)),
            "{new}: {refused}"
        );
    }
    let folds = editor.about("foldingRange", URI, &json!({}));
    let folds: Vec<(u64, u64)> = folds
        .as_array()
        .expect("folds")
        .iter()
        .map(|it| {
            (
                it["startLine"].as_u64().expect("a line"),
                it["endLine"].as_u64().expect("a line"),
            )
        })
        .collect();
    assert_eq!(folds, [(4, 5), (6, 11), (14, 15)]);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_text_is_formatted_as_fmt_does() {
    let directory = tempfile::tempdir().expect("a directory");
    let mut editor = Editor::start();
    for (name, text) in [
        ("a.scn", SCENE.replace("  ", "     ")),
        ("b.scn", SCENE.replace("  ", " ").replace('\n', "\r\n")),
        (
            "a.litmus",
            "litmus \"t\"\nuav x\nthread group 0 cs {\nst x 1\n}\nexpect allowed x == 1\n"
                .to_owned(),
        ),
        (
            "a.lower",
            "lowering l { match first }\nrule \"r\" {\nwait ALL\n}\n".to_owned(),
        ),
    ] {
        let path = directory.path().join(name);
        fs::write(&path, &text).expect("a file");
        let uri = format!("file://{}", path.display());
        editor.open(&uri, 1, &text);
        let options = json!({"options": {"tabSize": 2, "insertSpaces": true}});
        let answer = editor.ask(
            "textDocument/formatting",
            &json!({"textDocument": {"uri": uri}, "options": options["options"]}),
        );
        let ran = Command::new(env!("CARGO_BIN_EXE_syncscope"))
            .arg("fmt")
            .arg(&path)
            .status();
        if ran.expect("it runs").success() {
            let edits = answer["result"]
                .as_array()
                .unwrap_or_else(|| panic!("{answer}"));
            assert_eq!(
                edited(&text, edits),
                fs::read_to_string(&path).expect("a file"),
                "{name}"
            );
        } else {
            assert!(
                answer["error"]["message"]
                    .as_str()
                    .is_some_and(|it| it.contains("not understood"))
            );
        }
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn each_word_has_a_colour_and_none_overlaps() {
    let mut editor = Editor::start();
    let text = SCENE.replace("one of them", "𝄞 é one of them");
    editor.open(URI, 1, &text);
    let tokens = editor.about("semanticTokens/full", URI, &json!({}));
    let data: Vec<u64> = tokens["data"]
        .as_array()
        .expect("data")
        .iter()
        .map(|it| it.as_u64().expect("a number"))
        .collect();
    assert_eq!(data.len() % 5, 0);
    let units: Vec<Vec<u16>> = text
        .lines()
        .map(|line| line.encode_utf16().collect())
        .collect();
    let (mut line, mut unit, mut end) = (0, 0, 0);
    for token in data.chunks(5) {
        let [lines, gap, length, kind, _] = token else {
            unreachable!("five numbers")
        };
        if *lines > 0 {
            (line, unit, end) = (line + lines, 0, 0);
        }
        unit += gap;
        assert!(unit >= end, "tokens overlap in line {line}");
        end = unit + length;
        let word = &units[line as usize][unit as usize..end as usize];
        let word = String::from_utf16(word).expect("whole characters");
        assert!(!word.trim().is_empty(), "line {line}");
        if word == "dispatch" {
            assert_eq!(*kind, 3, "a keyword");
        }
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_word_that_is_nearly_right_is_mended() {
    let mut editor = Editor::start();
    let text = SCENE.replace("dispatch \"read\"", "dispach \"read\"");
    editor.open(URI, 1, &text);
    let wrong = editor.diagnostics(URI, 1);
    let range = wrong[0]["range"].clone();
    let context = json!({"range": range, "context": {"diagnostics": wrong}});
    let actions = editor.about("codeAction", URI, &context);
    let fix = actions
        .as_array()
        .expect("actions")
        .iter()
        .find(|it| it["title"] == "Write `dispatch`");
    let fix = fix.unwrap_or_else(|| panic!("{wrong:?} {actions}"));
    assert_eq!(edited(&text, edits(&fix["edit"])), SCENE);
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn an_open_profile_counts_before_the_one_on_disk() {
    let directory = tempfile::tempdir().expect("a directory");
    let uri = |name: &str| format!("file://{}", directory.path().join(name).display());
    let scene = format!("device {{ profile \"./mine.toml\" }}\n{SCENE}");
    let mut editor = Editor::start();
    editor.open(&uri("a.scn"), 1, &scene);
    let missing = editor.diagnostics(&uri("a.scn"), 1);
    assert!(
        missing.iter().any(|it| it["message"]
            .as_str()
            .is_some_and(|it| it.contains("there is no file"))),
        "{missing:?}"
    );
    // Only the editor has it: the scene is judged again.
    let profile = "name = \"mine\"\nsummary = \"mine\"\nbase = \"rdna\"\n";
    editor.open(&uri("mine.toml"), 1, profile);
    loop {
        let again = editor.diagnostics(&uri("a.scn"), 1);
        if again.iter().any(|it| it["code"] == "HZ101") {
            break;
        }
    }
    // A profile that is wrong says where.
    editor.change(
        &uri("mine.toml"),
        2,
        &json!([{"text": format!("{profile}colour = 1\n")}]),
    );
    let wrong = editor.diagnostics(&uri("mine.toml"), 2);
    assert_eq!(wrong[0]["range"]["start"]["line"], 3, "{wrong:?}");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn caches_of_a_profile_are_names() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("src/hardware/profiles/rdna.toml")).expect("a profile");
    let uri = "file:///profiles/rdna.toml";
    let mut editor = Editor::start();
    editor.open(uri, 1, &text);
    assert!(editor.diagnostics(uri, 1).is_empty());
    let declared = text.find("id = \"L2\"").expect("a cache") + 7;
    let with = json!({"position": place(&text, declared), "context": {"includeDeclaration": true}});
    let places = editor.about("references", uri, &with);
    let many = places.as_array().map_or(0, Vec::len);
    assert!(many > 5, "{places}");
    let renamed = editor.about(
        "rename",
        uri,
        &json!({"position": place(&text, declared), "newName": "Last"}),
    );
    let changed = edited(&text, edits(&renamed));
    editor.change(uri, 2, &json!([{"text": changed}]));
    let left = editor.diagnostics(uri, 2);
    assert!(left.is_empty(), "{left:?}");
    assert_eq!(editor.leave(), Some(0));
}
