//! `syncscope list`: what there is to choose from.

use super::console::Console;
use super::disk;
use super::machine::is_profile;
use super::printing::unknown;
use super::{Ended, Status, definition, formats};
use crate::catalog::{FORMATS, OUTPUTS};
use crate::report::Format;
use crate::report::format::AnyOutput;
use crate::report::list::{Item, ItemValue, LIST};
use crate::run::{Registry, Unusable};
use clap::{Args, ValueEnum};
use std::io::Write;

/// List profiles, lowerings, rules, formats or commands
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// What to list
    #[arg(value_enum)]
    what: Option<What>,
    /// With `profiles`: only this one, by name or file (`*.toml`)
    #[arg(value_name = "NAME")]
    name: Option<String>,
    /// With a built-in profile's name: its file, as a template for `--profile FILE`
    #[arg(long, requires = "name", conflicts_with_all = ["numbers", "format"])]
    toml: bool,
    /// With `profiles`: every number with its value, tag and source, as `--set` takes it
    #[arg(long)]
    numbers: bool,
    #[arg(long, value_name = "FORMAT", help = formats::help(&LIST))]
    format: Option<String>,
}

#[derive(Copy, Clone, PartialEq, Eq, ValueEnum, Debug)]
pub(super) enum What {
    /// Hardware profiles
    #[value(alias = "profile")]
    Profiles,
    /// Lowerings
    #[value(alias = "lowering")]
    Lowerings,
    /// Rules of findings
    #[value(alias = "rule")]
    Rules,
    /// Formats of output, and which outputs each has
    #[value(alias = "format")]
    Formats,
    /// Commands of this program
    #[value(alias = "command")]
    Commands,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&LIST];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 2 the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    if arguments.toml {
        return template(arguments, registry, console);
    }
    let writer = formats::writer(arguments.format.as_deref(), &LIST)?;
    let items = items(arguments, registry)?;
    writer(&items, &console.style(), &mut console.out)?;
    Ok(Status::Good)
}

/// `--toml`: the text of a built-in profile.
fn template(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let name = arguments.name.as_deref().unwrap_or_default();
    Err(match registry.entry(name) {
        _ if arguments.what != Some(What::Profiles) => only_profiles(),
        Some(entry) => {
            console.out.write_all(entry.text.as_bytes())?;
            return Ok(Status::Good);
        }
        None => {
            let names: Vec<&str> = registry.profiles.iter().map(|p| p.name).collect();
            unknown("built-in profile", name, &names)
        }
    }
    .into())
}

fn nothing_named() -> Unusable {
    let values = What::value_variants().iter();
    let words = values.filter_map(|what| Some(what.to_possible_value()?.get_name().to_owned()));
    let words: Vec<String> = words.collect();
    Unusable {
        message: "`list` does not say what to list".to_owned(),
        help: format!("write one of: {}", words.join(", ")),
    }
}

fn only_profiles() -> Unusable {
    Unusable {
        message: "only `list profile` takes a name".to_owned(),
        help: "`syncscope explain WORD` is about one thing".to_owned(),
    }
}

fn items(arguments: &Arguments, registry: &Registry) -> Result<Vec<Item>, Unusable> {
    let Some(what) = arguments.what else {
        return Err(nothing_named());
    };
    if arguments.name.is_some() && what != What::Profiles {
        return Err(only_profiles());
    }
    Ok(match what {
        What::Profiles => return profiles(registry, arguments),
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
fn format(format: &'static Format) -> Item {
    let outputs = OUTPUTS.iter().filter(|output| output.has(format));
    let outputs: Vec<&str> = outputs.map(|output| output.name()).collect();
    let mut names = vec![format.name];
    names.extend(format.aliases);
    let ends: Vec<String> = format.extensions.iter().map(|e| format!(".{e}")).collect();
    Item {
        head: names.join(", "),
        summary: match ends.as_slice() {
            [] => format!("{}: {}", format.summary, outputs.join(", ")),
            _ => format!(
                "{} ({}): {}",
                format.summary,
                ends.join(", "),
                outputs.join(", ")
            ),
        },
        value: ItemValue::Format {
            name: format.name,
            aliases: format.aliases,
            summary: format.summary,
            extensions: format.extensions,
            outputs,
        },
    }
}

/// Names and summaries, with `--numbers` followed by every number.
fn profiles(registry: &Registry, arguments: &Arguments) -> Result<Vec<Item>, Unusable> {
    let options = disk::options();
    let names = match &arguments.name {
        Some(name) => {
            is_profile(registry, name, &options)?;
            vec![name.as_str()]
        }
        None => registry.profiles.iter().map(|entry| entry.name).collect(),
    };
    let mut items = Vec::new();
    for name in names {
        let profile = registry.profile_or_file(name, &*options.files)?;
        let aliases = registry.entry(name).map_or(&[][..], |entry| entry.aliases);
        let mut names = vec![profile.name.as_str()];
        names.extend(aliases);
        items.push(Item {
            head: names.join(", "),
            summary: match &profile.lowering {
                Some(lowering) => format!("{}; its lowering is {lowering}", profile.summary),
                None => profile.summary.clone(),
            },
            value: ItemValue::Profile {
                name: profile.name.clone(),
                aliases,
                summary: profile.summary.clone(),
                lowering: profile.lowering.clone(),
            },
        });
        if arguments.numbers {
            items.extend(profile.origins().map(|(table, origin)| Item {
                head: format!("  [{table}]"),
                summary: format!("{}: {}", origin.tag, origin.source),
                value: ItemValue::Origin {
                    profile: profile.name.clone(),
                    table,
                    tag: origin.tag,
                    source: origin.source,
                },
            }));
            items.extend(profile.numbers().map(|(key, number)| Item {
                head: format!("  {key} = {}", number.value),
                summary: format!("{}: {}", number.tag, number.source),
                value: ItemValue::Number {
                    profile: profile.name.clone(),
                    key: key.to_string(),
                    value: number.value,
                    tag: number.tag.clone(),
                    source: number.source.clone(),
                },
            }));
        }
    }
    Ok(items)
}
