//! A tiny editor: it starts the program and speaks over pipes.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

/// No test takes as long. A server that never answers is ended, so that its test fails and the others go on.
const PATIENCE: Duration = Duration::from_secs(300);

/// An editor with the program.
pub(crate) struct Editor {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    next: i64,
    /// What was told and not yet looked at.
    pub(crate) told: VecDeque<Value>,
    /// Where the server writes its pages.
    _pages: tempfile::TempDir,
    _alive: Arc<()>,
}

impl Editor {
    /// Starts the program and says nothing.
    pub(crate) fn silent() -> Self {
        let pages = tempfile::tempdir().expect("a directory");
        let mut child = Command::new(env!("CARGO_BIN_EXE_syncscope"))
            .arg("lsp")
            .arg("--pages")
            .arg(pages.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let to = child.stdin.take().expect("a pipe");
        let from = BufReader::new(child.stdout.take().expect("a pipe"));
        let (alive, id) = (Arc::new(()), child.id());
        let watched = Arc::downgrade(&alive);
        thread::spawn(move || {
            thread::sleep(PATIENCE);
            if watched.upgrade().is_some() {
                let _ = Command::new("kill").arg(id.to_string()).status();
            }
        });
        Self {
            child,
            to,
            from,
            next: 1,
            told: VecDeque::new(),
            _pages: pages,
            _alive: alive,
        }
    }

    /// Starts the program and says hello.
    pub(crate) fn start() -> Self {
        let mut editor = Self::silent();
        let roots =
            json!([{"uri": "file:///one", "name": "one"}, {"uri": "file:///two", "name": "two"}]);
        let answer = editor.ask(
            "initialize",
            &json!({"processId": null, "rootUri": null, "capabilities": {}, "workspaceFolders": roots}),
        );
        assert!(
            answer["result"]["capabilities"]["hoverProvider"] == true,
            "{answer}"
        );
        editor.tell("initialized", &json!({}));
        editor
    }

    /// The most memory that the server had so far, in MiB, where the system says it.
    pub(crate) fn memory_mib(&self) -> Option<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).ok()?;
        let peak = status.lines().find_map(|it| it.strip_prefix("VmHWM:"))?;
        let kib: u64 = peak.trim().strip_suffix(" kB")?.parse().ok()?;
        Some(kib / 1024)
    }

    /// Sends bytes.
    pub(crate) fn raw(&mut self, bytes: &[u8]) {
        self.to.write_all(bytes).expect("the program reads");
        self.to.flush().expect("the program reads");
    }

    /// Sends bytes to a program that may have left.
    pub(crate) fn raw_or_closed(&mut self, bytes: &[u8]) {
        let _ = self.to.write_all(bytes).and_then(|()| self.to.flush());
    }

    pub(crate) fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.raw(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and returns its number.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> i64 {
        let id = self.next;
        self.next += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        id
    }

    /// The next message.
    pub(crate) fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            let read = self.from.read_line(&mut line).expect("the program writes");
            assert!(read > 0, "the program ended");
            let line = line.trim();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("Content-Length: ") {
                length = value.parse().expect("a length");
            }
        }
        let mut body = vec![0; length];
        self.from.read_exact(&mut body).expect("a body");
        serde_json::from_slice(&body).expect("JSON")
    }

    /// Waits for the answer to a request; what is told meanwhile is kept.
    pub(crate) fn answer(&mut self, id: i64) -> Value {
        loop {
            let message = self.read();
            if message["id"] == id {
                return message;
            }
            self.told.push_back(message);
        }
    }

    pub(crate) fn ask(&mut self, method: &str, params: &Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// The result of a request about an open text.
    pub(crate) fn about(&mut self, method: &str, uri: &str, more: &Value) -> Value {
        let mut params = json!({"textDocument": {"uri": uri}});
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        let answer = self.ask(&format!("textDocument/{method}"), &params);
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].clone()
    }

    /// Every action that is offered for a text.
    pub(crate) fn actions(&mut self, uri: &str) -> Vec<Value> {
        let whole =
            json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
        let context = json!({"range": whole, "context": {"diagnostics": []}});
        let actions = self.about("codeAction", uri, &context);
        actions.as_array().expect("actions").clone()
    }

    pub(crate) fn open(&mut self, uri: &str, version: i64, text: &str) {
        let item = json!({"uri": uri, "languageId": "syncscope", "version": version, "text": text});
        self.tell("textDocument/didOpen", &json!({"textDocument": item}));
    }

    pub(crate) fn change(&mut self, uri: &str, version: i64, changes: &Value) {
        let document = json!({"uri": uri, "version": version});
        self.tell(
            "textDocument/didChange",
            &json!({"textDocument": document, "contentChanges": changes}),
        );
    }

    /// Waits until something is shown of a version of a text, and returns that.
    pub(crate) fn diagnostics(&mut self, uri: &str, version: i64) -> Vec<Value> {
        loop {
            let message = match self.told.pop_front() {
                Some(told) => told,
                None => self.read(),
            };
            let params = &message["params"];
            if message["method"] == "textDocument/publishDiagnostics"
                && params["uri"] == uri
                && params["version"] == version
            {
                return params["diagnostics"].as_array().expect("a list").clone();
            }
        }
    }

    /// What is shown of a version of a text once changes that would save something are found, too: the text has one.
    pub(crate) fn with_savings(&mut self, uri: &str, version: i64) -> Vec<Value> {
        let is_saving = |it: &Value| it["code"].as_str().is_some_and(|id| id.starts_with("RD"));
        loop {
            let all = self.diagnostics(uri, version);
            if all.iter().any(is_saving) {
                return all;
            }
        }
    }

    /// Says goodbye, and returns the exit status.
    pub(crate) fn leave(mut self) -> Option<i32> {
        let id = self.request("shutdown", &Value::Null);
        self.answer(id);
        self.tell("exit", &Value::Null);
        self.end()
    }

    /// Closes the pipe, and returns the exit status.
    pub(crate) fn end(self) -> Option<i32> {
        let Self { mut child, to, .. } = self;
        drop(to);
        child.wait().expect("it ends").code()
    }
}

/// The place of a byte of an ASCII text.
pub(crate) fn place(text: &str, at: usize) -> Value {
    let before = &text[..at];
    let line = before.matches('\n').count();
    let start = before.rfind('\n').map_or(0, |end| end + 1);
    json!({"line": line, "character": before[start..].encode_utf16().count()})
}

/// The byte of a place.
pub(crate) fn byte(text: &str, place: &Value) -> usize {
    let line = place["line"].as_u64().expect("a line") as usize;
    let unit = place["character"].as_u64().expect("a unit") as usize;
    let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
    let mut units = 0;
    for (at, character) in text[start..].char_indices() {
        if units >= unit || character == '\n' {
            return start + at;
        }
        units += character.len_utf16();
    }
    text.len()
}

/// A text with the edits of an answer made, the last first.
pub(crate) fn edited(text: &str, edits: &[Value]) -> String {
    let mut places: Vec<(usize, usize, &str)> = edits
        .iter()
        .map(|edit| {
            let at = |end: &str| byte(text, &edit["range"][end]);
            (
                at("start"),
                at("end"),
                edit["newText"].as_str().expect("a text"),
            )
        })
        .collect();
    places.sort_unstable();
    let mut out = text.to_owned();
    for (start, end, new) in places.into_iter().rev() {
        out.replace_range(start..end, new);
    }
    out
}

/// The edits of a change of the workspace.
pub(crate) fn edits(change: &Value) -> &[Value] {
    let edits = change["documentChanges"][0]["edits"].as_array();
    edits.expect("edits of one text")
}
