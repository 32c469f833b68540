//! The JSON twin of a rule file: the same rules as data. Statements are text in it, so there is one grammar of them;
//! conditions and emissions are in lists of their own.

use super::mistakes;
use super::model::{Base, Block, Line, Match, Passes, RuleFile, Setting, Statement};
use super::printer;
use crate::finding::{Finding, Source, Span};
use crate::id::narrow;
use crate::schema::{Schema, schema};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

/// The form's name.
pub const FORMAT: &str = "syncscope-lowering-1";

/// A rule file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
#[cfg_attr(test, schemars(rename = "RuleFile"))]
struct File {
    /// `syncscope-lowering-1`.
    format: String,
    /// Name of the lowering.
    lowering: String,
    /// What it does, in a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    summary: Option<String>,
    /// Which of several rules that match an entry count; the first by default.
    #[serde(default, rename = "match", skip_serializing_if = "Option::is_none")]
    matching: Option<MatchWord>,
    /// What a packet has before any rule; nothing by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    based_on: Option<BaseWord>,
    /// Whether render passes stay in tile memory; they do by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    passes: Option<PassesWord>,
    /// Comment lines before everything else, with their `//`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// Rules in order.
    rules: Vec<Rule>,
    /// Comment lines after everything else.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments_at_end: Vec<String>,
}

#[derive(Copy, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum MatchWord {
    First,
    Accumulate,
}

#[derive(Copy, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum BaseWord {
    Nothing,
    Precise,
}

#[derive(Copy, Clone, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
enum PassesWord {
    Keep,
    Break,
}

/// A rule.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct Rule {
    /// Its name; the default has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    /// Comment lines before it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    comments: Vec<String>,
    /// Conditions, as in the text form: `before access RENDER_TARGET`. Lines that begin with `//` are comments.
    #[serde(default, rename = "if", skip_serializing_if = "Vec::is_empty")]
    conditions: Vec<String>,
    /// What the packet gets, as in the text form: `clean CB`.
    #[serde(default, rename = "do", skip_serializing_if = "Vec::is_empty")]
    emits: Vec<String>,
}

/// What describes the form.
pub const SCHEMA: Schema = schema!(read File, "lowering", "The JSON form of a rule file");

/// A rule file as JSON, with a line end.
///
/// # Panics
/// Never: every value has a JSON form.
pub fn to_json(file: &RuleFile) -> String {
    let header = file.header.lines.iter();
    let comments = header.flat_map(|line| line.before.iter().chain(&line.after));
    let comments = file.header.before.iter().chain(comments);
    let said = |pick: fn(&Setting) -> bool| file.header.lines.iter().any(|l| pick(&l.item));
    let form = File {
        format: FORMAT.to_owned(),
        lowering: file.name.clone(),
        summary: said(|s| matches!(s, Setting::Summary(_))).then(|| file.summary().to_owned()),
        matching: said(|s| matches!(s, Setting::Match(_))).then(|| match file.matching() {
            Match::First => MatchWord::First,
            Match::Accumulate => MatchWord::Accumulate,
        }),
        based_on: said(|s| matches!(s, Setting::Base(_))).then(|| match file.base() {
            Base::Nothing => BaseWord::Nothing,
            Base::Precise => BaseWord::Precise,
        }),
        passes: said(|s| matches!(s, Setting::Passes(_))).then(|| match file.passes() {
            Passes::Keep => PassesWord::Keep,
            Passes::Break => PassesWord::Break,
        }),
        comments: comments.chain(&file.header.at_end).cloned().collect(),
        rules: file
            .rules
            .iter()
            .map(|rule| Rule {
                name: rule.name.clone(),
                comments: rule.block.before.clone(),
                conditions: lines(&rule.block, |it| matches!(it, Statement::If(_))),
                emits: lines(&rule.block, |it| matches!(it, Statement::Do(_)))
                    .into_iter()
                    .chain(rule.block.at_end.iter().cloned())
                    .collect(),
            })
            .collect(),
        comments_at_end: file.at_end.clone(),
    };
    let mut json = serde_json::to_string_pretty(&form).expect("names have a JSON form");
    json.push('\n');
    json
}

/// The lines of one kind, with their comments.
fn lines(block: &Block<Statement>, pick: fn(&Statement) -> bool) -> Vec<String> {
    let picked = block.lines.iter().filter(|line| pick(&line.item));
    let text = |line: &Line<Statement>| {
        let mut texts = line.before.clone();
        let statement = printer::statement(&line.item);
        texts.push(match &line.after {
            Some(comment) => format!("{statement}  {comment}"),
            None => statement,
        });
        texts
    };
    picked.flat_map(text).collect()
}

/// A JSON rule file as rule text.
///
/// # Errors
/// What the JSON says that no rule file does.
pub fn to_text(source: &Source) -> Result<String, Box<Finding>> {
    let wrong = |span: Span, message: String, help: &str| {
        Box::new(Finding::new(&mistakes::UNEXPECTED, span, message).help(help))
    };
    let form: File = serde_json::from_str(&source.text).map_err(|error| {
        let line = u32::try_from(error.line()).unwrap_or(u32::MAX).max(1);
        let start = source.line_start(line) + narrow(error.column().saturating_sub(1));
        let start = start.min(narrow(source.text.len()));
        let span = Span { start, end: start };
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        wrong(
            span,
            format!("this is no rule file: {text}"),
            "`syncscope schema lowering` describes the form",
        )
    })?;
    if form.format != FORMAT {
        let message = format!("the format is `{}`", super::suggest::cut(&form.format));
        return Err(wrong(
            Span::default(),
            message,
            "it must be `syncscope-lowering-1`",
        ));
    }
    let rules = form.rules.iter();
    let said = rules.flat_map(|r| r.comments.iter().chain(&r.conditions).chain(&r.emits));
    let names = form.rules.iter().filter_map(|rule| rule.name.as_ref());
    let all = said
        .chain(names)
        .chain(&form.comments)
        .chain(&form.comments_at_end)
        .chain([&form.lowering])
        .chain(&form.summary);
    for text in all {
        if text.contains(char::is_control) {
            let message = "a text has more than one line or control characters".to_owned();
            return Err(wrong(
                Span::default(),
                message,
                "each statement is a text of its own",
            ));
        }
    }
    Ok(text_of(&form))
}

fn text_of(form: &File) -> String {
    let mut out = String::new();
    let mut line = |depth: usize, text: &str| {
        let _ = writeln!(out, "{}{text}", "  ".repeat(depth));
    };
    form.comments.iter().for_each(|it| line(0, it));
    line(
        0,
        &format!("lowering {} {{", printer::quoted(&form.lowering)),
    );
    let settings = [
        form.summary.clone().map(Setting::Summary),
        form.matching.map(|it| {
            Setting::Match(match it {
                MatchWord::First => Match::First,
                MatchWord::Accumulate => Match::Accumulate,
            })
        }),
        form.based_on.map(|it| {
            Setting::Base(match it {
                BaseWord::Nothing => Base::Nothing,
                BaseWord::Precise => Base::Precise,
            })
        }),
        form.passes.map(|it| {
            Setting::Passes(match it {
                PassesWord::Keep => Passes::Keep,
                PassesWord::Break => Passes::Break,
            })
        }),
    ];
    for setting in settings.iter().flatten() {
        line(1, &printer::setting(setting));
    }
    line(0, "}");
    for rule in &form.rules {
        line(0, "");
        rule.comments.iter().for_each(|it| line(0, it));
        match &rule.name {
            Some(name) => line(0, &format!("rule {} {{", printer::quoted(name))),
            None => line(0, "default {"),
        }
        rule.conditions.iter().for_each(|it| line(1, it));
        rule.emits.iter().for_each(|it| line(1, it));
        line(0, "}");
    }
    form.comments_at_end.iter().for_each(|it| line(0, it));
    out
}
