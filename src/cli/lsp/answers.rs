//! The answer to each request about an open text.

use super::convert::{self, Text};
use super::documents::Document;
use super::found::diagnostic;
use super::hovered;
use super::server::{Editor, Server, params};
use crate::assist::names::{self, Name};
use crate::assist::{Language, actions, folding, hints, marks, printed, tokens, words};
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use gen_lsp_types as lsp;
use lsp_server::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

/// An answer, or why there is none.
pub(super) type Answer = Result<Value, (ErrorCode, String)>;

/// What the server can do.
pub(super) fn capabilities() -> Value {
    let kinds = tokens::Kind::ALL.map(tokens::Kind::word);
    json!({
        "capabilities": {
            "positionEncoding": "utf-16",
            "textDocumentSync": {"openClose": true, "change": 2, "save": true},
            "completionProvider": {"triggerCharacters": [" ", ":", "{", "@", "|", ">"]},
            "hoverProvider": true,
            "signatureHelpProvider": {"triggerCharacters": [" ", ":", "{", "@", ","]},
            "definitionProvider": true,
            "referencesProvider": true,
            "documentHighlightProvider": true,
            "documentSymbolProvider": true,
            "renameProvider": {"prepareProvider": true},
            "foldingRangeProvider": true,
            "documentFormattingProvider": true,
            "inlayHintProvider": true,
            "codeActionProvider": {
                "codeActionKinds": ["quickfix", "refactor.rewrite", "source.fixAll.syncscope"],
                "resolveProvider": true,
            },
            "executeCommandProvider": {"commands": [EXPLAIN]},
            "semanticTokensProvider": {
                "legend": {"tokenTypes": kinds, "tokenModifiers": ["declaration"]},
                "full": true,
            },
        },
        "serverInfo": {"name": "syncscope", "version": env!("CARGO_PKG_VERSION")},
    })
}

/// The command that shows a rule's page.
const EXPLAIN: &str = "syncscope.explain";

/// What the editor says that it can do.
pub(super) fn editor(params: &Value) -> Editor {
    let can = |path: &str| params["capabilities"].pointer(path) == Some(&Value::Bool(true));
    Editor {
        refreshes_hints: can("/workspace/inlayHint/refreshSupport"),
        shows_documents: can("/window/showDocument/support"),
    }
}

pub(super) fn answer(server: &mut Server<'_>, method: &str, it: Value) -> Answer {
    match method {
        "textDocument/completion" => completion(server, it),
        "textDocument/hover" => hovered::hover(server, it),
        "textDocument/signatureHelp" => signature(server, it),
        "textDocument/definition" => definition(server, it),
        "textDocument/references" => references(server, it),
        "textDocument/documentHighlight" => highlight(server, it),
        "textDocument/documentSymbol" => symbols(server, it),
        "textDocument/prepareRename" => prepare_rename(server, it),
        "textDocument/rename" => rename(server, it),
        "textDocument/foldingRange" => folds(server, it),
        "textDocument/formatting" => formatting(server, it),
        "textDocument/inlayHint" => inlay(server, it),
        "textDocument/codeAction" => code_actions(server, it),
        "codeAction/resolve" => resolve(server, it),
        "workspace/executeCommand" => execute(server, it),
        "textDocument/semanticTokens/full" => semantic(server, it),
        other => Err((
            ErrorCode::MethodNotFound,
            format!("there is no method `{other}`"),
        )),
    }
}

pub(super) fn read<P: DeserializeOwned>(it: Value) -> Result<P, (ErrorCode, String)> {
    params(it).map_err(|why| (ErrorCode::InvalidParams, why))
}

pub(super) fn open<'s>(
    server: &'s mut Server<'_>,
    uri: &str,
) -> Result<&'s mut Document, (ErrorCode, String)> {
    let document = server.documents.all.get_mut(uri);
    document.ok_or_else(|| (ErrorCode::InvalidParams, format!("`{uri}` is not open")))
}

/// The open text of a place, and the byte of the place.
pub(super) fn placed<'s>(
    server: &'s mut Server<'_>,
    it: &lsp::TextDocumentPositionParams,
) -> Result<(&'s mut Document, usize), (ErrorCode, String)> {
    let document = open(server, &it.text_document.uri.0)?;
    let at = document.text().byte(it.position);
    Ok((document, at))
}

fn completion(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::CompletionParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let found = words::at(&document.source, document.language, at);
    // What is after the cursor stays.
    let replaces = Span {
        end: narrow(at),
        ..found.replaces
    };
    let range = document.text().range(replaces);
    let names = document.names(registry);
    let items = found.words.iter().enumerate().map(|(index, word)| {
        let name = names.all.iter().find(|it| it.name == word.word);
        let is_bit = word.word.starts_with(|c: char| c.is_ascii_uppercase());
        let (kind, detail) = match name {
            Some(name) => (symbol_kind(name.kind).1, name.kind),
            None if is_bit => (20, word.means.as_str()),
            None => (14, word.means.as_str()),
        };
        json!({
            "label": word.word,
            "kind": kind,
            "detail": detail,
            "sortText": format!("{index:04}"),
            "textEdit": {"range": range, "newText": word.word},
        })
    });
    Ok(json!({"isIncomplete": false, "items": items.collect::<Vec<Value>>()}))
}

fn signature(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::SignatureHelpParams = read(it)?;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let found = words::at(&document.source, document.language, at);
    let Some(wanted) = found.wanted else {
        return Ok(Value::Null);
    };
    let some = found.words.iter().take(12).map(|it| it.word.as_str());
    let some = some.collect::<Vec<&str>>().join(", ");
    Ok(json!({
        "signatures": [{"label": format!("next: {}", wanted.replace('`', "")), "documentation": some}],
        "activeSignature": 0,
    }))
}

/// Places as locations.
fn locations(uri: &str, text: Text<'_>, spans: impl Iterator<Item = Span>) -> Value {
    let all = spans.map(|span| json!({"uri": uri, "range": text.range(span)}));
    Value::Array(all.collect())
}

/// The other places of the findings that are about a line.
fn sides(document: &Document, at: usize) -> Vec<Span> {
    let line = document.source.line(narrow(at));
    let holds = |span: Span| document.source.line(span.start) == line;
    let found = document.current().map_or(&[][..], |it| &it.report.findings);
    let mut all: Vec<Span> = Vec::new();
    for finding in found {
        let mut spans = vec![finding.span];
        spans.extend(finding.related.iter().map(|it| it.span));
        if let Some(hazard) = &finding.hazard {
            spans.extend([hazard.first.span, hazard.second.span]);
        }
        if spans.iter().any(|span| holds(*span)) {
            all.extend(spans.into_iter().filter(|span| !holds(*span)));
        }
    }
    all.sort_unstable();
    all.dedup();
    all
}

/// Where a name is declared; where there is none, the other side of a finding.
fn definition(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::DefinitionParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let names = document.names(registry);
    let spans = match names.at(at) {
        Some((name, _)) => vec![name.declared],
        None => sides(document, at),
    };
    Ok(locations(&document.uri, document.text(), spans.into_iter()))
}

fn references(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::ReferenceParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let names = document.names(registry);
    let spans = match names.at(at) {
        Some((name, _)) => places(name, it.context.include_declaration),
        None => sides(document, at),
    };
    Ok(locations(&document.uri, document.text(), spans.into_iter()))
}

fn places(name: &Name, with_declaration: bool) -> Vec<Span> {
    let all = name.places.iter().copied();
    all.filter(|it| with_declaration || *it != name.declared)
        .collect()
}

fn highlight(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::DocumentHighlightParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let names = document.names(registry);
    let Some((name, _)) = names.at(at) else {
        return Ok(Value::Null);
    };
    let text = document.text();
    let all = name
        .places
        .iter()
        .map(|span| json!({"range": text.range(*span)}));
    Ok(Value::Array(all.collect()))
}

/// Numbers of the protocol: of a symbol, and of a word that completes.
fn symbol_kind(kind: &str) -> (u8, u8) {
    match kind {
        "list" | "rule" => (12, 3),
        "heap" | "lowering" => (5, 7),
        "queue" => (3, 9),
        "fence" => (24, 23),
        "resource" | "variable" | "register" => (13, 6),
        _ => (15, 14),
    }
}

fn symbols(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::DocumentSymbolParams = read(it)?;
    let registry = server.registry;
    let document = open(server, &it.text_document.uri.0)?;
    let names = document.names(registry);
    let text = document.text();
    let all = names.symbols.iter().map(|it| {
        let detail = if it.name == it.word {
            ""
        } else {
            it.word.as_str()
        };
        json!({
            "name": it.name,
            "detail": detail,
            "kind": symbol_kind(it.kind).0,
            "range": text.range(it.whole),
            "selectionRange": text.range(it.at),
        })
    });
    Ok(Value::Array(all.collect()))
}

fn prepare_rename(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::PrepareRenameParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let names = document.names(registry);
    Ok(names.at(at).map_or(
        Value::Null,
        |(name, span)| json!({"range": document.text().range(span), "placeholder": name.name}),
    ))
}

fn rename(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::RenameParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let edits = names::renamed(
        &document.source,
        document.language,
        registry,
        at,
        &it.new_name,
    )
    .map_err(|why| (ErrorCode::RequestFailed, why))?;
    let text = document.text();
    let edits: Vec<Value> = edits.iter().map(|edit| text.edit(edit)).collect();
    Ok(convert::change(&document.uri, document.version, &edits))
}

fn folds(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::FoldingRangeParams = read(it)?;
    let document = open(server, &it.text_document.uri.0)?;
    let all = folding::of(&document.source.text, &document.lines, document.language);
    let all = all.iter().map(|it| {
        let kind = if it.is_comment { "comment" } else { "region" };
        json!({"startLine": it.first, "endLine": it.last, "kind": kind})
    });
    Ok(Value::Array(all.collect()))
}

fn formatting(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::DocumentFormattingParams = read(it)?;
    let document = open(server, &it.text_document.uri.0)?;
    match printed::of(&document.source, document.language) {
        Ok(Some(text)) => {
            let text = super::super::save::with_one_line_end(&document.source.text, text);
            Ok(Value::Array(document.text().difference(&text)))
        }
        Ok(None) => Ok(Value::Null),
        Err(findings) => {
            let first = findings.iter().find(|it| it.severity.fails());
            let why = first.map_or("", |it| &it.message);
            Err((
                ErrorCode::RequestFailed,
                format!("the text is not understood: {why}"),
            ))
        }
    }
}

fn inlay(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::InlayHintParams = read(it)?;
    let document = open(server, &it.text_document.uri.0)?;
    let Some(found) = document.current() else {
        return Ok(Value::Null);
    };
    let text = document.text();
    let line_of = |finding: &Finding| text.position(finding.span.start).line;
    let shown = it.range.start.line..=it.range.end.line;
    let all = hints::of(&found.report, line_of);
    let all = all.iter().filter(|it| shown.contains(&it.line)).map(|it| {
        let at = text.position(document.lines.end(&document.source.text, it.line));
        json!({"position": at, "label": it.says, "tooltip": it.more, "paddingLeft": true})
    });
    Ok(Value::Array(all.collect()))
}

/// Findings of the text as it is: those of a run, or as long as there was none, those of its words.
fn findings(document: &Document) -> Vec<Finding> {
    match document.current() {
        Some(found) => found.report.findings.clone(),
        None => marks::of_text(&document.source, document.language),
    }
}

fn code_actions(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::CodeActionParams = read(it)?;
    let uri = it.text_document.uri.0;
    let pages = &mut server.pages;
    let Some(document) = server.documents.all.get(&uri) else {
        return Err((ErrorCode::InvalidParams, format!("`{uri}` is not open")));
    };
    let text = document.text();
    let (start, end) = text.bytes(it.range);
    let range = Span::new(narrow(start), narrow(end));
    let found = findings(document);
    let source: &Source = &document.source;
    let mut all: Vec<Value> = Vec::new();
    let of_fixes = actions::of(source, document.language, &found, range);
    let savings = document.current().map_or(&[][..], |it| &it.savings);
    let near = savings
        .iter()
        .filter(|it| actions::touches(source, &found[it.finding], range));
    for action in of_fixes.into_iter().chain(near.cloned()) {
        let edits: Vec<Value> = action.edits.iter().map(|it| text.edit(it)).collect();
        let kind = if action.is_saving {
            "refactor.rewrite"
        } else {
            "quickfix"
        };
        all.push(json!({
            "title": action.title,
            "kind": kind,
            "isPreferred": !action.is_saving,
            "diagnostics": [diagnostic(&found[action.finding], &uri, text, pages)],
            "edit": convert::change(&uri, document.version, &edits),
        }));
    }
    let is_scenario = document.language == Language::Scenario;
    if is_scenario
        && found
            .iter()
            .any(|it| it.severity.fails() && it.fix.is_some())
    {
        all.push(json!({
            "title": "Repair everything that can be repaired",
            "kind": "source.fixAll.syncscope",
            "data": {"uri": uri, "version": document.version},
        }));
    }
    all.extend(explanations(source, &found, range));
    if let Some(only) = it.context.only {
        let only = serde_json::to_value(only).unwrap_or_default();
        all.retain(|action| is_wanted(action, &only));
    }
    Ok(Value::Array(all))
}

/// An action for the page of each rule that found something there.
fn explanations(source: &Source, found: &[Finding], range: Span) -> Vec<Value> {
    let near = found.iter();
    let near = near.filter(|it| actions::touches(source, it, range) && marks::has_page(it.rule));
    let mut explained: Vec<&str> = Vec::new();
    let mut all = Vec::new();
    for rule in near.map(|it| it.rule) {
        if !explained.contains(&rule.id) {
            explained.push(rule.id);
            all.push(json!({
                "title": format!("Explain {} {}", rule.id, rule.name),
                "kind": "quickfix",
                "command": {"title": "Explain", "command": EXPLAIN, "arguments": [rule.id]},
            }));
        }
    }
    all
}

/// Whether an action is of one of the kinds that an editor asks for, or of one below it.
fn is_wanted(action: &Value, only: &Value) -> bool {
    let kind = action["kind"].as_str().unwrap_or_default();
    let mut only = only.as_array().into_iter().flatten();
    only.any(|it| {
        let rest = it.as_str().and_then(|it| kind.strip_prefix(it));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The change of an action that takes long to find.
fn resolve(server: &mut Server<'_>, mut it: Value) -> Answer {
    // An action that is whole comes back as it is: some editors ask about each that changes no text.
    let Some(uri) = it["data"]["uri"].as_str().map(str::to_owned) else {
        return Ok(it);
    };
    let rules = server.options.rules;
    let document = open(server, &uri)?;
    if it["data"]["version"] != json!(document.version) {
        return Err((
            ErrorCode::ContentModified,
            "the text has changed".to_owned(),
        ));
    }
    let repaired = crate::run::repair(&document.source, rules, |it| it.severity.fails());
    let edits = document.text().difference(&repaired.source.text);
    it["edit"] = convert::change(&uri, document.version, &edits);
    Ok(it)
}

fn execute(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::ExecuteCommandParams = read(it)?;
    if it.command != EXPLAIN {
        let why = format!("there is no command `{}`", it.command);
        return Err((ErrorCode::InvalidParams, why));
    }
    let arguments = it.arguments.unwrap_or_default();
    let word = arguments
        .first()
        .map(|it| serde_json::to_value(it).unwrap_or_default());
    let word = word.as_ref().and_then(Value::as_str).unwrap_or_default();
    let Some(rule) = server.registry.rule(word) else {
        return Err((
            ErrorCode::InvalidParams,
            format!("there is no rule `{word}`"),
        ));
    };
    let link = server.pages.link(rule);
    let shown = match link {
        Some(link) if server.editor.shows_documents => server.show(&link),
        link => {
            let page = link.unwrap_or_else(|| format!("syncscope explain {}", rule.id));
            server.say(&format!(
                "{} {}: {} ({page})",
                rule.id, rule.name, rule.summary
            ))
        }
    };
    shown.map_err(|error| (ErrorCode::InternalError, error.to_string()))?;
    Ok(Value::String(crate::report::page::rule_markdown(rule)))
}

fn semantic(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::SemanticTokensParams = read(it)?;
    let registry = server.registry;
    let document = open(server, &it.text_document.uri.0)?;
    let names = document.names(registry);
    let text = document.text();
    let mut data: Vec<u32> = Vec::new();
    let (mut line, mut unit) = (0, 0);
    for token in tokens::of(&document.source.text, &names, document.language) {
        let range = text.range(token.span);
        let start = range.start;
        // A token of several lines is none in the protocol.
        if range.end.line != start.line {
            continue;
        }
        let gap = if start.line == line {
            start.character - unit
        } else {
            start.character
        };
        data.extend([
            start.line - line,
            gap,
            range.end.character - start.character,
            token.kind as u32,
            u32::from(token.declares),
        ]);
        (line, unit) = (start.line, start.character);
    }
    Ok(json!({"data": data}))
}
