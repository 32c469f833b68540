//! Pages of lowerings. A lowering owns its prose; its example is the scene of its page, with what it makes of it.

use super::{Page, code, table};
use crate::lower::Lowering;
use crate::run::{Shown, ShownFinding};
use std::fmt::Write as _;

/// Begins the section before which the example comes.
const LAST: [&str; 2] = ["**Limits.**", "**Source.**"];

/// A lowering, run.
pub struct LoweringTopic {
    /// The lowering.
    pub lowering: &'static dyn Lowering,
    /// The scene of its page and what it makes of it, if there is one.
    pub shown: Option<Shown>,
    /// Names of the profiles that take it unless another one is named.
    pub profiles: Vec<String>,
}

pub(super) fn page(topic: &LoweringTopic) -> Page {
    let lowering = topic.lowering;
    let lines = lowering.prose().lines();
    let plain = lines.map(|line| line.strip_prefix(' ').unwrap_or(line).to_owned() + "\n");
    let prose: String = plain.collect();
    let last = LAST.iter().filter_map(|head| prose.find(head)).min();
    let (before, after) = prose.split_at(last.unwrap_or(prose.len()));
    let mut paragraphs = vec![before.to_owned()];
    if !topic.profiles.is_empty() {
        let profiles = topic.profiles.iter();
        let profiles = profiles.map(|it| format!("[`{it}`](../profiles/{it}.md)"));
        let profiles = profiles.collect::<Vec<_>>().join(", ");
        paragraphs.push(format!("**Whose own it is.** Unless another lowering is named, these profiles take it: {profiles}."));
    }
    if let Some(shown) = &topic.shown {
        paragraphs.push(example(lowering.name(), shown));
        paragraphs.extend(shown.findings.iter().map(finding));
    }
    paragraphs.push(after.to_owned());
    Page {
        title: lowering.name().to_owned(),
        kind: if lowering.is_wrong_on_purpose() {
            "lowering, wrong on purpose"
        } else {
            "lowering"
        },
        summary: lowering.summary().to_owned(),
        paragraphs,
    }
}

/// The scene, and the packet of each barrier.
fn example(name: &str, shown: &Shown) -> String {
    let file = shown.file.trim_start_matches("scenarios/");
    let mut example = format!(
        "**Example**\n```scn,lowering={name},profile={}\n{}\n```\n\n",
        shown.profile,
        shown.text.trim_end()
    );
    let _ = writeln!(
        example,
        "**What it makes of it**, on [`{0}`](../profiles/{0}.md) (`scenarios/{file}`):\n",
        shown.profile
    );
    let rows = |reference: bool| {
        shown.packets.iter().map(move |it| {
            let mut row = vec![it.line.to_string(), packet(&it.packet)];
            if reference {
                let other = it.reference.as_deref();
                row.push(other.map_or_else(|| "the same".to_owned(), packet));
            }
            row
        })
    };
    let table = if name == shown.reference {
        table("line: | packet", rows(false))
    } else {
        let heads = format!(
            "line: | packet of `{name}` | packet of `{}`",
            shown.reference
        );
        table(&heads, rows(true))
    };
    example + &table
}

/// A packet in words; names of stages and caches are code.
fn packet(words: &str) -> String {
    let is_name = |word: &str| word.chars().any(char::is_uppercase);
    let word = |word: &str| {
        let bare = word.trim_end_matches([',', ';']);
        if is_name(bare) {
            format!("{}{}", code([bare]), &word[bare.len()..])
        } else {
            word.to_owned()
        }
    };
    words.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// A finding with its evidence.
fn finding(shown: &ShownFinding) -> String {
    let finding = &shown.finding;
    let rule = finding.rule;
    let mut text = format!(
        "**Finding**, line {}: [{1}](../rules/{1}.md) {2}: {3}.\n",
        shown.line, rule.id, rule.name, finding.message
    );
    for note in &finding.notes {
        let _ = write!(text, "\n- {note}");
    }
    text
}
