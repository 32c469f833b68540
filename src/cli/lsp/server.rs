//! The loop: messages in, in their order; answers, and what is found when it is found.
//!
//! A text is looked at when nothing has changed it for a while. Its words are read here at once; what a run finds comes from
//! the worker. What is shown is always about the text as it is: what was found in an older one is dropped.

use super::super::Status;
use super::super::console::Console;
use super::answers;
use super::convert::Text;
use super::documents::{Document, Documents};
use super::found::{Found, diagnostics};
use super::pages::Pages;
use super::wire::{self, Incoming, Writer};
use super::worker::{self, Done, Job};
use crate::assist::{Language, marks};
use crate::run::{Drawn, Options, Registry};
use gen_lsp_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
};
use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{self, BufReader, StdoutLock};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// How long a text must be left alone before it is looked at.
const QUIET: Duration = Duration::from_millis(100);
/// How long findings without their fixes wait for those with them: shown one after the other, those that go with fixes would flicker.
const PATIENCE: Duration = Duration::from_millis(150);
/// How long the loop waits when there is nothing to do.
const REST: Duration = Duration::from_secs(3600);

/// What the loop is told.
enum Event {
    Read(Incoming),
    Done(Box<Done>),
}

/// What the editor can do.
#[derive(Copy, Clone, Default)]
pub(super) struct Editor {
    pub(super) refreshes_hints: bool,
    pub(super) shows_documents: bool,
}

/// Where the conversation is.
#[derive(Copy, Clone, PartialEq, Eq)]
enum Phase {
    Before,
    Open,
    Closed,
}

/// The state of the server.
pub(super) struct Server<'a> {
    pub(super) registry: &'a Registry,
    pub(super) options: &'a Options,
    pub(super) pages: Pages,
    pub(super) documents: Documents,
    pub(super) editor: Editor,
    writer: Writer<StdoutLock<'static>>,
    jobs: Sender<Job>,
    phase: Phase,
    /// Messages that were read and are not yet answered.
    waiting: VecDeque<Incoming>,
    /// Requests that need no answer any more.
    cancelled: Vec<RequestId>,
}

/// Answers an editor until it leaves.
pub(super) fn serve(
    registry: &Registry,
    options: &Options,
    pages: Pages,
    console: &mut Console,
) -> io::Result<Status> {
    let (send, events) = mpsc::channel();
    let (jobs, wanted) = mpsc::channel();
    let of_worker = send.clone();
    let of_worker = move |done| of_worker.send(Event::Done(Box::new(done))).is_ok();
    thread::spawn(move || {
        let mut from = BufReader::new(io::stdin().lock());
        loop {
            let read = wire::read(&mut from);
            let is_last = matches!(read, Incoming::Lost(_) | Incoming::End);
            if send.send(Event::Read(read)).is_err() || is_last {
                return;
            }
        }
    });
    worker::start(wanted, registry, of_worker)?;
    let mut server = Server {
        registry,
        options,
        pages,
        documents: Documents::default(),
        editor: Editor::default(),
        writer: Writer::new(io::stdout().lock()),
        jobs,
        phase: Phase::Before,
        waiting: VecDeque::new(),
        cancelled: Vec::new(),
    };
    let (status, why) = server.run(&events)?;
    if let Some(why) = why {
        console.complain(
            &why,
            "an editor starts this program and speaks its language server protocol",
        );
    }
    Ok(status)
}

type Ended = (Status, Option<String>);

impl Server<'_> {
    fn run(&mut self, events: &Receiver<Event>) -> io::Result<Ended> {
        loop {
            let rest = self
                .next_due()
                .map_or(REST, |due| due.saturating_duration_since(Instant::now()));
            match events.recv_timeout(rest) {
                Ok(event) => self.told(event)?,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Ok((Status::Found, None)),
            }
            // Whatever came meanwhile: a request may be cancelled before it is answered.
            while let Ok(event) = events.try_recv() {
                self.told(event)?;
            }
            while let Some(read) = self.waiting.pop_front() {
                if let Some(ended) = self.read(read)? {
                    return Ok(ended);
                }
                while let Ok(event) = events.try_recv() {
                    self.told(event)?;
                }
            }
            self.look()?;
            self.show_early()?;
        }
    }

    /// When the next text is looked at.
    fn next_due(&self) -> Option<Instant> {
        let all = self.documents.all.values();
        all.flat_map(|it| [it.due, it.early.as_ref().map(|(due, _)| *due)])
            .flatten()
            .min()
    }

    fn told(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Done(done) => self.done(*done),
            Event::Read(Incoming::Message(Message::Notification(it)))
                if it.method == "$/cancelRequest" =>
            {
                if let Ok(id) = serde_json::from_value::<RequestId>(it.params["id"].clone()) {
                    let waits = self.waiting.iter().any(|read| {
                        matches!(read, Incoming::Message(Message::Request(request)) if request.id == id)
                    });
                    if waits {
                        self.cancelled.push(id);
                    }
                }
                Ok(())
            }
            Event::Read(read) => {
                self.waiting.push_back(read);
                Ok(())
            }
        }
    }

    fn read(&mut self, read: Incoming) -> io::Result<Option<Ended>> {
        match read {
            Incoming::Message(Message::Request(request)) => self.request(request)?,
            Incoming::Message(Message::Notification(it)) if it.method == "exit" => {
                let is_good = self.phase == Phase::Closed;
                return Ok(Some((
                    if is_good { Status::Good } else { Status::Found },
                    None,
                )));
            }
            Incoming::Message(Message::Notification(it)) => self.notified(it)?,
            // An answer to a question that nobody waits for.
            Incoming::Message(Message::Response(_)) => {}
            Incoming::Bad(id, code, why) => self.writer.refuse(id, code, &why)?,
            Incoming::Lost(why) => {
                self.writer.refuse(None, ErrorCode::ParseError, &why)?;
                return Ok(Some((Status::Unusable, Some(why))));
            }
            Incoming::End => {
                let is_good = self.phase == Phase::Closed;
                return Ok(Some((
                    if is_good { Status::Good } else { Status::Found },
                    None,
                )));
            }
        }
        Ok(None)
    }

    fn request(&mut self, request: Request) -> io::Result<()> {
        let id = request.id.clone();
        let refuse =
            |code: ErrorCode, why: &str| Response::new_err(id.clone(), code as i32, why.to_owned());
        if let Some(at) = self.cancelled.iter().position(|it| *it == id) {
            self.cancelled.swap_remove(at);
            return self
                .writer
                .answer(refuse(ErrorCode::RequestCanceled, "cancelled"));
        }
        let response = match (self.phase, request.method.as_str()) {
            (Phase::Before, "initialize") => {
                self.phase = Phase::Open;
                self.editor = answers::editor(&request.params);
                Response::new_ok(id, answers::capabilities())
            }
            (Phase::Before, _) => refuse(
                ErrorCode::ServerNotInitialized,
                "the first request is `initialize`",
            ),
            (Phase::Closed, _) => {
                refuse(ErrorCode::InvalidRequest, "after `shutdown` comes `exit`")
            }
            (Phase::Open, "initialize") => {
                refuse(ErrorCode::InvalidRequest, "`initialize` comes once")
            }
            (Phase::Open, "shutdown") => {
                self.phase = Phase::Closed;
                Response::new_ok(id, Value::Null)
            }
            (Phase::Open, method) => {
                let method = method.to_owned();
                let params = request.params;
                // A mistake of this program in one answer must not end the others.
                let answer =
                    catch_unwind(AssertUnwindSafe(|| answers::answer(self, &method, params)));
                match answer {
                    Ok(Ok(value)) => Response::new_ok(id, value),
                    Ok(Err((code, why))) => refuse(code, &why),
                    Err(_) => refuse(
                        ErrorCode::InternalError,
                        "this program failed on this request",
                    ),
                }
            }
        };
        self.writer.answer(response)
    }

    fn notified(&mut self, it: Notification) -> io::Result<()> {
        if self.phase != Phase::Open {
            return Ok(());
        }
        let done = match it.method.as_str() {
            "textDocument/didOpen" => {
                params::<DidOpenTextDocumentParams>(it.params).and_then(|it| {
                    let it = it.text_document;
                    self.documents.open(&it.uri.0, it.version, it.text)?;
                    self.changed(&it.uri.0);
                    Ok(())
                })
            }
            "textDocument/didChange" => {
                params::<DidChangeTextDocumentParams>(it.params).and_then(|it| {
                    let uri = it.text_document.text_document_identifier.uri.0;
                    let version = it.text_document.version;
                    self.documents.change(&uri, version, it.content_changes)?;
                    self.changed(&uri);
                    Ok(())
                })
            }
            "textDocument/didClose" => match params::<DidCloseTextDocumentParams>(it.params) {
                Ok(it) => {
                    let uri = it.text_document.uri.0;
                    self.documents.all.shift_remove(&uri);
                    // Whoever names it gets it from disk again.
                    self.changed(&uri);
                    let nothing: [Value; 0] = [];
                    let params = json!({"uri": uri, "diagnostics": nothing});
                    return self
                        .writer
                        .notify("textDocument/publishDiagnostics", params);
                }
                Err(why) => Err(why),
            },
            // A file that a text names may be another one now.
            "textDocument/didSave" | "workspace/didChangeWatchedFiles" => {
                self.all_due();
                Ok(())
            }
            _ => Ok(()),
        };
        match done {
            Ok(()) => Ok(()),
            Err(why) => self
                .writer
                .notify("window/logMessage", json!({"type": 1, "message": why})),
        }
    }

    /// A text is another one: it is looked at soon, and so is every scenario, which may name it.
    fn changed(&mut self, uri: &str) {
        let due = Some(Instant::now() + QUIET);
        let is_scenario = Language::of(uri) == Language::Scenario;
        for document in self.documents.all.values_mut() {
            if document.uri == uri || !is_scenario && document.language == Language::Scenario {
                document.due = due;
            }
        }
    }

    fn all_due(&mut self) {
        let due = Some(Instant::now() + QUIET);
        for document in self.documents.all.values_mut() {
            document.due = due;
        }
    }

    /// Looks at the texts that are due: their words at once, the rest in the worker.
    fn look(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let is_due = |it: &&Document| it.due.is_some_and(|due| due <= now);
        let due: Vec<String> = self
            .documents
            .all
            .values()
            .filter(is_due)
            .map(|it| it.uri.clone())
            .collect();
        for uri in due {
            let files = self.documents.files(&self.options.files);
            let Some(document) = self.documents.all.get_mut(&uri) else {
                continue;
            };
            document.due = None;
            let findings = marks::of_text(&document.source, document.language);
            let is_wrong = findings.iter().any(|it| it.severity.fails());
            if is_wrong || document.shows_text {
                document.shows_text = is_wrong;
                publish(&mut self.writer, document, &findings, &mut self.pages)?;
            }
            let options = Options {
                files,
                drawn: Drawn::Rows,
                without_commands: true,
                without_path: true,
                ..self.options.clone()
            };
            let job = Job {
                uri,
                revision: document.revision,
                source: document.source.clone(),
                language: document.language,
                lines: document.lines.count(),
                options,
            };
            // The worker ends after this thread.
            let _ = self.jobs.send(job);
        }
        Ok(())
    }

    /// Takes what a run found, if the text is still the one that ran.
    fn done(&mut self, done: Done) -> io::Result<()> {
        let Some(document) = self.documents.all.get_mut(&done.uri) else {
            return Ok(());
        };
        if document.revision != done.revision {
            return Ok(());
        }
        if done.is_all {
            return self.show_found(done);
        }
        document.early = Some((Instant::now() + PATIENCE, done));
        Ok(())
    }

    /// Shows what was found without fixes, where these take long.
    fn show_early(&mut self) -> io::Result<()> {
        let now = Instant::now();
        let is_due = |it: &&mut Document| it.early.as_ref().is_some_and(|(due, _)| *due <= now);
        let due = self.documents.all.values_mut().filter(is_due);
        let due: Vec<Done> = due
            .filter_map(|it| it.early.take())
            .map(|(_, it)| it)
            .collect();
        due.into_iter().try_for_each(|done| self.show_found(done))
    }

    fn show_found(&mut self, done: Done) -> io::Result<()> {
        let Some(document) = self.documents.all.get_mut(&done.uri) else {
            return Ok(());
        };
        document.early = None;
        publish(
            &mut self.writer,
            document,
            &done.report.findings,
            &mut self.pages,
        )?;
        document.found = Some(Found {
            revision: done.revision,
            source: done.source,
            report: done.report,
            savings: done.savings,
        });
        if self.editor.refreshes_hints {
            self.writer
                .ask("workspace/inlayHint/refresh", Value::Null)?;
        }
        Ok(())
    }

    /// Says something in an editor that shows no page.
    pub(super) fn say(&mut self, message: &str) -> io::Result<()> {
        let params = json!({"type": 3, "message": message});
        self.writer.notify("window/showMessage", params)
    }

    /// Shows the page of a rule, if the editor can.
    pub(super) fn show(&mut self, link: &str) -> io::Result<()> {
        let is_web = link.starts_with("http");
        let params = json!({"uri": link, "external": is_web, "takeFocus": true});
        self.writer.ask("window/showDocument", params)
    }
}

/// Parameters of a message.
pub(super) fn params<P: DeserializeOwned>(params: Value) -> Result<P, String> {
    serde_json::from_value(params)
        .map_err(|error| format!("the parameters are not understood: {error}"))
}

fn publish(
    writer: &mut Writer<StdoutLock<'static>>,
    document: &Document,
    findings: &[crate::finding::Finding],
    pages: &mut Pages,
) -> io::Result<()> {
    let text: Text<'_> = document.text();
    let all = diagnostics(findings, &document.uri, text, pages);
    let params = json!({"uri": document.uri, "version": document.version, "diagnostics": all});
    writer.notify("textDocument/publishDiagnostics", params)
}
