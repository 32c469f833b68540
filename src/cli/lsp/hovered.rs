//! What is told of the thing under the cursor: a word, a name, a barrier, what was found there.

use super::answers::{Answer, placed, read};
use super::documents::Document;
use super::server::Server;
use crate::assist::meaning;
use crate::assist::places::word_at;
use crate::finding::Span;
use crate::run::Registry;
use gen_lsp_types as lsp;
use serde_json::{Value, json};

pub(super) fn hover(server: &mut Server<'_>, it: Value) -> Answer {
    let it: lsp::HoverParams = read(it)?;
    let registry = server.registry;
    let (document, at) = placed(server, &it.text_document_position_params)?;
    let span = word_at(&document.source.text, at);
    let word = document
        .source
        .text
        .get(span.start as usize..span.end as usize);
    let word = word.unwrap_or_default().to_owned();
    let mut says: Vec<String> = Vec::new();
    says.extend(of_name(document, registry, at));
    if says.is_empty() {
        says.extend(of_word(document, registry, &word));
    }
    says.extend(of_barrier(document, span));
    // A word that is nothing by itself stands for its line.
    let is_line = says.is_empty();
    says.extend(of_findings(document, span, is_line));
    if says.is_empty() {
        return Ok(Value::Null);
    }
    Ok(json!({
        "contents": {"kind": "markdown", "value": says.join("\n\n---\n\n")},
        "range": document.text().range(span),
    }))
}

/// Lines as Markdown lines.
fn lines(text: &str) -> String {
    text.replace('\n', "  \n")
}

fn of_word(document: &Document, registry: &Registry, word: &str) -> Option<String> {
    let says = meaning::of_word(word)?;
    let profile = document.found.as_ref().map(|it| it.report.profile.as_str());
    let profile = profile.filter(|name| !name.is_empty());
    let first = registry.profiles.first().map(|it| it.name);
    let machine = profile
        .or(first)
        .and_then(|name| registry.profile(name).ok());
    let on_machine = machine.and_then(|it| meaning::on_machine(word, &it));
    let says = lines(&says);
    Some(match on_machine {
        Some(more) => format!("**{word}**  \n{says}  \n{}", lines(&more)),
        None => format!("**{word}**  \n{says}"),
    })
}

fn of_name(document: &mut Document, registry: &Registry, at: usize) -> Option<String> {
    let names = document.names(registry);
    let (name, _) = names.at(at)?;
    let source = &document.source;
    let line = source.line(name.declared.start);
    let text = source.line_text(line).trim();
    let uses = name.places.len().saturating_sub(1);
    let s = if uses == 1 { "" } else { "s" };
    let (kind, name) = (name.kind, &name.name);
    Some(format!(
        "{kind} **{name}**, line {line}, {uses} use{s}\n\n```\n{text}\n```"
    ))
}

/// The price and the verdict of the barrier entries of a line.
fn of_barrier(document: &Document, span: Span) -> Option<String> {
    let found = document.current()?;
    let line = found.source.line(span.start);
    let rows = found.report.barriers.iter().filter(|it| it.line == line);
    let rows: Vec<String> = rows
        .take(4)
        .map(|row| {
            let operations = row.operations.iter();
            let operations = operations.map(|it| format!("\n* {} {}: {}", it.op, it.target, it.why));
            format!(
                "barrier {} on {} ({}): **{}**. {}  \ndrain {}, operation {}, refill {}, exposed {}\n{}",
                row.id,
                found.report.profile,
                found.report.lowering,
                row.verdict.word(),
                row.why,
                row.drain,
                row.operation,
                row.refill,
                row.exposed,
                operations.collect::<String>()
            )
        })
        .collect();
    (!rows.is_empty()).then(|| rows.join("\n\n"))
}

fn of_findings(document: &Document, span: Span, is_line: bool) -> Vec<String> {
    let Some(found) = document.current() else {
        return Vec::new();
    };
    let source = &found.source;
    let is_near = |it: Span| is_line && source.line(it.start) == source.line(span.start);
    let touches = |it: Span| is_near(it) || it.start <= span.end && span.start <= it.end;
    let near = found.report.findings.iter().filter(|it| touches(it.span));
    let says = near.take(4).map(|it| {
        let hidden = match (it.is_spec_invalid(), it.visible) {
            (true, Some(false)) => format!(
                "\n\nInvalid by specification; hidden on {}.",
                found.report.profile
            ),
            (true, Some(true)) => format!(
                "\n\nInvalid by specification; visible on {}.",
                found.report.profile
            ),
            _ => String::new(),
        };
        format!(
            "**{} {}** ({}): {}{hidden}\n\n*{}*",
            it.rule.id,
            it.rule.name,
            it.severity.word(),
            it.message,
            it.rule.summary
        )
    });
    says.collect()
}
