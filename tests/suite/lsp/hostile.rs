//! What no editor says: bad JSON, huge headers, requests in the wrong order, texts that are not open, wrong places.

use super::client::Editor;
use super::{SCENE, URI};
use serde_json::{Value, json};

fn code(answer: &Value) -> i64 {
    answer["error"]["code"].as_i64().unwrap_or_default()
}

#[test]
fn bad_messages_are_told_and_the_next_is_answered() {
    let mut editor = Editor::start();
    for (body, wanted) in [
        ("{", -32700),
        ("[]", -32600),
        ("\"x\"", -32600),
        ("{}", -32600),
        ("\u{0}", -32700),
    ] {
        editor.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        let answer = editor.read();
        assert!(
            answer["id"].is_null() && code(&answer) == wanted,
            "{body}: {answer}"
        );
    }
    // Deep nesting is no reason to fall over.
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    editor.raw(format!("Content-Length: {}\r\n\r\n{deep}", deep.len()).as_bytes());
    assert_eq!(code(&editor.read()), -32700);
    let unknown = editor.ask("textDocument/teapot", &json!({}));
    assert_eq!(code(&unknown), -32601);
    for params in [
        json!({}),
        json!([]),
        json!(null),
        json!({"textDocument": 7, "position": {}}),
    ] {
        let answer = editor.ask("textDocument/hover", &params);
        assert_eq!(code(&answer), -32602, "{answer}");
    }
    editor.tell("textDocument/didChange", &json!({"textDocument": {}}));
    editor.tell("$/unknown", &json!(null));
    editor.send(&json!({"jsonrpc": "2.0", "id": 5000, "result": null}));
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn a_header_that_lies_ends_the_conversation_with_one_message() {
    for header in [
        "Content-Length: 99999999999999999999\r\n\r\n",
        "Content-Length: 999999999999\r\n\r\n",
        "Content-Length: -3\r\n\r\n",
        "X-Nothing: 1\r\n\r\n",
        &format!("{}\r\n", "x".repeat(1 << 20)),
    ] {
        let mut editor = Editor::silent();
        // The program may leave before it has read all of it.
        editor.raw_or_closed(header.as_bytes());
        let answer = editor.read();
        assert!(
            answer["id"].is_null() && code(&answer) == -32700,
            "{answer}"
        );
        assert_eq!(editor.end(), Some(2));
    }
    // The input ends inside a message.
    let mut editor = Editor::silent();
    editor.raw(b"Content-Length: 400000000\r\n\r\n{");
    assert_eq!(editor.end(), Some(2));
}

#[test]
fn the_order_of_a_conversation_is_kept() {
    let mut editor = Editor::silent();
    assert_eq!(code(&editor.ask("textDocument/hover", &json!({}))), -32002);
    assert_eq!(code(&editor.ask("shutdown", &Value::Null)), -32002);
    // What is told before hello is not heard.
    editor.open(URI, 1, SCENE);
    let hello = json!({"processId": null, "rootUri": null, "capabilities": {}});
    assert!(editor.ask("initialize", &hello)["result"].is_object());
    assert_eq!(code(&editor.ask("initialize", &hello)), -32600);
    let params = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}});
    assert_eq!(code(&editor.ask("textDocument/hover", &params)), -32602);
    assert!(editor.ask("shutdown", &Value::Null)["result"].is_null());
    assert_eq!(code(&editor.ask("textDocument/hover", &params)), -32600);
    editor.tell("exit", &Value::Null);
    assert_eq!(editor.end(), Some(0));
    // Whoever leaves without a word is told so by the status.
    assert_eq!(Editor::start().end(), Some(1));
}

#[test]
fn a_cancelled_request_is_answered_once() {
    let mut editor = Editor::start();
    let long = SCENE.replace(
        "  dispatch \"last\"",
        &"  dispatch 1x1x1 { SHADER_RESOURCE b }\n".repeat(5_000),
    );
    editor.open(URI, 1, &long);
    let params = json!({"textDocument": {"uri": URI}, "position": {"line": 5_000, "character": 3}});
    let ids: Vec<i64> = (0..20)
        .map(|_| editor.request("textDocument/completion", &params))
        .collect();
    for id in &ids[1..] {
        editor.tell("$/cancelRequest", &json!({"id": id}));
    }
    editor.tell("$/cancelRequest", &json!({"id": 987_654}));
    editor.tell("$/cancelRequest", &json!({}));
    for id in ids {
        let answer = editor.answer(id);
        let is_cancelled = code(&answer) == -32800;
        assert!(is_cancelled || answer["result"].is_object(), "{answer}");
    }
    assert_eq!(editor.leave(), Some(0));
}

#[test]
fn places_outside_of_a_text_are_its_nearest() {
    let mut editor = Editor::start();
    editor.open(URI, 1, SCENE);
    let far = [
        json!({"line": 4_000_000_000_u32, "character": 0}),
        json!({"line": 0, "character": 4_000_000_000_u32}),
    ];
    for position in &far {
        for method in [
            "completion",
            "hover",
            "definition",
            "signatureHelp",
            "prepareRename",
            "documentHighlight",
        ] {
            editor.about(method, URI, &json!({"position": position}));
        }
        let around = json!({"start": position, "end": {"line": 0, "character": 0}});
        editor.about(
            "codeAction",
            URI,
            &json!({"range": around, "context": {"diagnostics": []}}),
        );
        editor.about("inlayHint", URI, &json!({"range": around}));
    }
    let params = json!({"textDocument": {"uri": URI}, "position": {"line": -1, "character": 0}});
    assert_eq!(code(&editor.ask("textDocument/hover", &params)), -32602);
    // A range that ends before it begins inserts.
    let backwards =
        json!({"start": {"line": 3, "character": 0}, "end": {"line": 1, "character": 0}});
    editor.change(URI, 2, &json!([{"range": backwards, "text": "// x\n"}]));
    let symbols = editor.about("documentSymbol", URI, &json!({}));
    assert_eq!(symbols.as_array().map(Vec::len), Some(5));
    // A text that is closed is gone, and so is what was shown of it.
    editor.tell(
        "textDocument/didClose",
        &json!({"textDocument": {"uri": URI}}),
    );
    let params = json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}});
    assert_eq!(code(&editor.ask("textDocument/hover", &params)), -32602);
    assert_eq!(editor.leave(), Some(0));
}
