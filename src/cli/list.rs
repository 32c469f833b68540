//! `syncscope list`: what there is to choose from.

use super::console::Console;
use super::{Status, definition};
use crate::finding::Rule;
use crate::report::text;
use crate::run::Registry;
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::io::{self, Write};

/// List profiles, lowerings, rules or commands
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// With profiles: every number with its value, tag and source, as `--set` takes it
    #[arg(long)]
    numbers: bool,
    /// Form of the list
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Form,
}

#[derive(Copy, Clone, PartialEq, Eq, Default, ValueEnum, Debug)]
enum Form {
    /// A table
    #[default]
    Terminal,
    /// An array of objects
    Json,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum, Debug)]
enum What {
    /// Hardware profiles
    Profiles,
    /// Lowerings
    Lowerings,
    /// Rules of findings
    Rules,
    /// Commands of this program
    Commands,
}

/// A thing that can be chosen.
struct Item {
    /// Its name in the table, with what belongs to it.
    head: String,
    summary: String,
    /// The same as a value.
    json: Value,
}

impl Item {
    /// A thing with no more than a name and a line about it.
    fn plain(name: &str, summary: &str) -> Self {
        Self {
            head: name.to_owned(),
            summary: summary.to_owned(),
            json: json!({ "name": name, "summary": summary }),
        }
    }

    fn rule(rule: &Rule) -> Self {
        let severity = rule.severity.word();
        Self {
            head: format!("{} {severity:7}  {}", rule.id, rule.name),
            summary: rule.summary.to_owned(),
            json: json!({
                "id": rule.id,
                "name": rule.name,
                "family": rule.family(),
                "severity": severity,
                "summary": rule.summary,
            }),
        }
    }
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let items: Vec<Item> = match arguments.what {
        What::Profiles => match profiles(registry, arguments.numbers) {
            Ok(items) => items,
            Err(what) => {
                console.unusable(&what);
                return Ok(Status::Unusable);
            }
        },
        What::Lowerings => registry
            .lowerings
            .iter()
            .map(|l| Item::plain(l.name(), l.summary()))
            .collect(),
        What::Rules => registry.rules.iter().map(|r| Item::rule(r)).collect(),
        What::Commands => definition()
            .get_subcommands()
            .map(|c| {
                let about = c.get_about().map(ToString::to_string).unwrap_or_default();
                Item::plain(c.get_name(), &about)
            })
            .collect(),
    };
    match arguments.format {
        Form::Terminal => table(console, items.into_iter().map(|i| [i.head, i.summary]))?,
        Form::Json => {
            let values = items.into_iter().map(|i| i.json).collect();
            writeln!(console.out, "{:#}", Value::Array(values))?;
        }
    }
    Ok(Status::Good)
}

/// Rows of a table of rules.
pub(super) fn rule_rows(rules: &[&Rule]) -> Vec<[String; 2]> {
    let row = |rule: &&Rule| {
        let item = Item::rule(rule);
        [item.head, item.summary]
    };
    rules.iter().map(row).collect()
}

/// Prints two columns, the second wrapped.
pub(super) fn table(
    console: &mut Console,
    rows: impl IntoIterator<Item = [String; 2]>,
) -> io::Result<()> {
    let rows: Vec<[String; 2]> = rows.into_iter().collect();
    let widths = rows.iter().map(|[head, _]| text::width(head));
    let first = widths.max().unwrap_or(0).min(60);
    for [head, summary] in rows {
        let lines = text::wrap(&summary, text::COLUMNS - first - 2);
        for (index, line) in lines.iter().enumerate() {
            let head = if index == 0 { head.as_str() } else { "" };
            let row = format!("{}  {line}", text::left(head, first));
            writeln!(console.out, "{}", row.trim_end())?;
        }
    }
    Ok(())
}

/// Names and summaries, with `numbers` followed by every number.
fn profiles(registry: &Registry, numbers: bool) -> Result<Vec<Item>, crate::run::Unusable> {
    let mut items = Vec::new();
    for entry in &registry.profiles {
        let profile = registry.profile(entry.name)?;
        let mut names = vec![entry.name];
        names.extend(entry.aliases);
        items.push(Item {
            head: names.join(", "),
            summary: profile.summary.clone(),
            json: json!({ "name": entry.name, "aliases": entry.aliases, "summary": profile.summary }),
        });
        if numbers {
            items.extend(profile.numbers().map(|(key, number)| Item {
                head: format!("  {key} = {}", number.value),
                summary: format!("{}: {}", number.tag, number.source),
                json: json!({
                    "profile": entry.name,
                    "key": key,
                    "value": number.value,
                    "tag": number.tag,
                    "source": number.source,
                }),
            }));
        }
    }
    Ok(items)
}
