//! `syncscope list`: what there is to choose from.

use super::console::Console;
use super::{Status, definition, formats};
use crate::catalog::FORMATS;
use crate::report::Format;
use crate::report::format::LIST;
use crate::report::list::Item;
use crate::run::{Registry, Unusable};
use clap::{Args, ValueEnum};
use serde_json::json;
use std::io;

/// List profiles, lowerings, rules, formats or commands
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// What to list
    #[arg(value_enum)]
    what: What,
    /// With `profiles`: every number with its value, tag and source, as `--set` takes it
    #[arg(long)]
    numbers: bool,
    #[arg(long, value_name = "FORMAT", help = formats::help(&LIST))]
    format: Option<String>,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum, Debug)]
enum What {
    /// Hardware profiles
    Profiles,
    /// Lowerings
    Lowerings,
    /// Rules of findings
    Rules,
    /// Formats of output, and which outputs each has
    Formats,
    /// Commands of this program
    Commands,
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let listed = formats::writer(arguments.format.as_deref(), &LIST)
        .and_then(|writer| Ok((writer, items(arguments, registry)?)));
    let (writer, items) = match listed {
        Ok(listed) => listed,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    writer(&items, &console.style(), &mut console.out)?;
    Ok(Status::Good)
}

fn items(arguments: &Arguments, registry: &Registry) -> Result<Vec<Item>, Unusable> {
    Ok(match arguments.what {
        What::Profiles => return profiles(registry, arguments.numbers),
        What::Lowerings => registry
            .lowerings
            .iter()
            .map(|l| Item::plain(l.name(), l.summary()))
            .collect(),
        What::Rules => registry.rules.iter().map(|r| Item::rule(r)).collect(),
        What::Formats => FORMATS.iter().map(|f| format(f)).collect(),
        What::Commands => definition()
            .get_subcommands()
            .map(|c| {
                let about = c.get_about().map(ToString::to_string).unwrap_or_default();
                Item::plain(c.get_name(), &about)
            })
            .collect(),
    })
}

/// A format with the outputs that it has.
fn format(format: &Format) -> Item {
    let outputs = format.outputs();
    let mut names = vec![format.name];
    names.extend(format.aliases);
    Item {
        head: names.join(", "),
        summary: format!("{}: {}", format.summary, outputs.join(", ")),
        value: json!({
            "name": format.name,
            "aliases": format.aliases,
            "summary": format.summary,
            "outputs": outputs,
        }),
    }
}

/// Names and summaries, with `numbers` followed by every number.
fn profiles(registry: &Registry, numbers: bool) -> Result<Vec<Item>, Unusable> {
    let mut items = Vec::new();
    for entry in &registry.profiles {
        let profile = registry.profile(entry.name)?;
        let mut names = vec![entry.name];
        names.extend(entry.aliases);
        items.push(Item {
            head: names.join(", "),
            summary: profile.summary.clone(),
            value: json!({ "name": entry.name, "aliases": entry.aliases, "summary": profile.summary }),
        });
        if numbers {
            items.extend(profile.numbers().map(|(key, number)| Item {
                head: format!("  {key} = {}", number.value),
                summary: format!("{}: {}", number.tag, number.source),
                value: json!({
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
