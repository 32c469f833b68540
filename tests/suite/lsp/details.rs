//! What is easily forgotten: texts that are not printed the one way, line ends of two bytes, editors that can do little.

use super::client::{Editor, edited, edits, place};
use super::{SCENE, URI, labels};
use serde_json::{Value, json};

/// Comments, spaces and short lists as people write them, and a barrier that nothing needs.
const OWN: &str = "// head
texture t : R8G8B8A8_UNORM 64x64 { flags RENDER_TARGET;   mips 2 } // my texture
buffer    b : 4KiB   // odd   spacing
queue q : direct
list other : direct { dispatch 1x1x1 {   SHADER_RESOURCE b } }   // keep me
list l : direct {
    barrier {
        buffer b { sync COMPUTE_SHADING -> COMPUTE_SHADING; access SHADER_RESOURCE -> SHADER_RESOURCE }
    }
    dispatch 1x1x1 {   SHADER_RESOURCE b }
}
timeline {
  q execute other
  q execute l
}
";

/// The first action of a kind for the findings of one rule.
fn action(editor: &mut Editor, all: &[Value], rule: &str, kind: &str) -> Value {
    let found = all.iter().find(|it| it["code"] == rule);
    let range = &found.unwrap_or_else(|| panic!("{rule} in {all:?}"))["range"];
    let context = json!({"range": range, "context": {"diagnostics": [], "only": [kind]}});
    let actions = editor.about("codeAction", URI, &context);
    let of_rule = |it: &&Value| it["title"].as_str().is_some_and(|it| it.starts_with(rule));
    let mut actions = actions.as_array().expect("actions").iter();
    let found = actions.find(|it| of_rule(it) || kind == "quickfix");
    found
        .unwrap_or_else(|| panic!("no {kind} for {rule}"))
        .clone()
}

#[test]
fn a_saving_changes_the_lines_that_it_is_about() {
    let mut editor = Editor::start();
    editor.open(URI, 1, OWN);
    let all = editor.with_savings(URI, 1);
    let saving = action(&mut editor, &all, "RD101", "refactor");
    let lines = OWN.split_inclusive('\n').enumerate();
    let without = lines.filter(|(at, _)| !(6..9).contains(at));
    let without: String = without.map(|(_, line)| line).collect();
    assert_eq!(edited(OWN, edits(&saving["edit"])), without);
    // Where the line itself is not as it is printed, the change says that it formats.
    let own = OWN.replace("-> SHADER_RESOURCE }", "->   SHADER_RESOURCE }");
    editor.change(URI, 2, &json!([{"text": own}]));
    let all = editor.with_savings(URI, 2);
    let saving = action(&mut editor, &all, "RD101", "refactor");
    assert!(
        saving["title"]
            .as_str()
            .expect("a title")
            .ends_with("(formats the text)"),
        "{saving}"
    );
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn line_ends_of_two_bytes_stay() {
    let mut editor = Editor::start();
    let text = SCENE.replace('\n', "\r\n");
    editor.open(URI, 1, &text);
    let all = editor.with_savings(URI, 1);
    let fix = action(&mut editor, &all, "HZ101", "quickfix");
    let mended = edited(&text, edits(&fix["edit"]));
    assert_ne!(mended, text);
    assert_eq!(mended.matches('\n').count(), mended.matches("\r\n").count());
    // No token contains the line's end.
    let tokens = editor.about("semanticTokens/full", URI, &json!({}));
    let data = tokens["data"].as_array().expect("numbers");
    let comment = "// Two writers,".len();
    let comments = data.chunks(5).filter(|it| it[3] == 0);
    let lengths: Vec<&Value> = comments.map(|it| &it[2]).collect();
    assert_eq!(lengths[0], comment, "{lengths:?}");
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn an_action_without_a_change_is_resolved_as_it_is_and_says_where_the_page_is() {
    let mut editor = Editor::start();
    editor.open(URI, 1, SCENE);
    editor.with_savings(URI, 1);
    let mut actions = editor.actions(URI).into_iter();
    let explain = actions.find(|it| it.get("command").is_some());
    let explain = explain.expect("an explanation");
    let resolved = editor.ask("codeAction/resolve", &explain);
    assert_eq!(resolved["result"], explain);
    let command = &explain["command"];
    editor.ask(
        "workspace/executeCommand",
        &json!({"command": command["command"], "arguments": command["arguments"]}),
    );
    let said = editor.told.iter();
    let mut said = said.filter(|it| it["method"] == "window/showMessage");
    let said = said.next().expect("an editor that shows no page is told");
    let rule = command["arguments"][0].as_str().expect("a rule");
    let message = said["params"]["message"].as_str().expect("words");
    assert!(
        message.starts_with(rule) && message.contains("file://"),
        "{message}"
    );
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_profile_that_is_closed_is_the_one_on_disk_again() {
    let directory = tempfile::tempdir().expect("a directory");
    let uri = |name: &str| format!("file://{}", directory.path().join(name).display());
    let profile = "name = \"mine\"\nsummary = \"mine\"\nbase = \"rdna\"\n";
    std::fs::write(directory.path().join("mine.toml"), profile).expect("a file");
    let mut editor = Editor::start();
    editor.open(&uri("mine.toml"), 1, "broken =");
    let scene = format!("device {{ profile \"./mine.toml\" }}\n{SCENE}");
    editor.open(&uri("a.scn"), 1, &scene);
    let is_run = |all: &[Value]| all.iter().all(|it| it["code"] != "NR001");
    assert!(!is_run(&editor.diagnostics(&uri("a.scn"), 1)));
    editor.tell(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": uri("mine.toml")}}),
    );
    while !is_run(&editor.diagnostics(&uri("a.scn"), 1)) {}
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn what_the_next_check_refuses_is_not_offered() {
    let mut editor = Editor::start();
    let mut version = 0;
    let mut words = |text: &str| -> Vec<String> {
        version += 1;
        editor.open(URI, version, text);
        let at = json!({"position": place(text, text.len())});
        let items = editor.about("completion", URI, &at);
        labels(&items).into_iter().map(str::to_owned).collect()
    };
    let list = "texture t : R8G8B8A8_UNORM 4x4 { flags RENDER_TARGET }\nbuffer b : 4KiB\nqueue q : direct\nlist l : direct {\n  ";
    let mut after = |rest: &str| words(&format!("{list}{rest}"));
    // SC011: what a read does is not said by `writes` or `atomics`.
    assert_eq!(
        after("draw { SHADER_RESOURCE b "),
        ["reads", "independent", "may"]
    );
    // EB017: no view of a texture that was not created for it, and none of a buffer.
    assert_eq!(after("clear-rtv "), ["t"]);
    assert!(after("clear-dsv ").is_empty());
    assert!(after("draw { DEPTH_STENCIL_WRITE ").is_empty());
    // EB015: a direct list has no scopes of video, after a `|` neither.
    let scopes = after("barrier { buffer b { sync COPY|");
    assert!(scopes.contains(&"DRAW".to_owned()), "{scopes:?}");
    assert!(
        !scopes.iter().any(|it| it.starts_with("VIDEO")),
        "{scopes:?}"
    );
    // EB010: before SYNC_NONE there is no access.
    assert_eq!(
        after("barrier { buffer b { sync NONE -> COPY; access "),
        ["NO_ACCESS"]
    );
    assert!(after("barrier { texture t { access ").contains(&"NO_ACCESS".to_owned()));
    // A name that is not declared yet takes no other help away.
    assert!(after("barrier { texture later { sync ").contains(&"DRAW".to_owned()));
    assert_eq!(editor.leave(), Some(0));
}
