//! `syncscope explain`: the pages of what has a name: rules, families, profiles, lowerings, formats and commands.

use super::console::Console;
use super::list::What;
use super::{Ended, PRINTED, Status, definition, formats, help};
use crate::catalog::{FORMATS, OUTPUTS};
use crate::report::format::AnyOutput;
use crate::report::page::{
    CommandTopic, FormatTopic, LoweringTopic, OutputTopic, PAGE, ProfileTopic, Topic,
};
use crate::report::{Format, Style, text};
use crate::run::{self, Registry, Unusable};
use clap::{Args, ValueEnum};
use std::io::Write;

/// Explain rules, families of rules, profiles, lowerings, formats and commands: a page for each word
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Ids or names of rules, families, or names of profiles, lowerings, formats and commands
    #[arg(required = true, value_name = "WORD")]
    words: Vec<String>,
    /// Only what is of this kind, where a word names two things
    #[arg(long, value_enum, value_name = "KIND")]
    kind: Option<What>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&PAGE))]
    format: Option<String>,
    /// Print ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&PAGE];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 2 the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let kinds = match &arguments.kind {
        Some(kind) => std::slice::from_ref(kind),
        None => What::value_variants(),
    };
    let words = arguments.words.iter();
    let topics: Result<Vec<Vec<Topic>>, Unusable> =
        words.map(|word| topics(registry, word, kinds)).collect();
    let topics = topics?;
    let writer = formats::writer(arguments.format.as_deref(), &PAGE)?;
    let style = Style {
        ascii: arguments.ascii,
        ..console.style()
    };
    for (index, topic) in topics.iter().flatten().enumerate() {
        if index > 0 {
            writeln!(console.out)?;
        }
        writer(topic, &style, &mut console.out)?;
    }
    Ok(Status::Good)
}

/// Everything that a word names; more than one thing if it has several meanings.
fn topics(registry: &Registry, word: &str, kinds: &[What]) -> Result<Vec<Topic>, Unusable> {
    let mut topics = Vec::new();
    for kind in kinds {
        topics.extend(match kind {
            What::Rules => rules(registry, word),
            What::Profiles => profile(registry, word)?,
            What::Lowerings => lowering(registry, word)?,
            What::Formats => format(word),
            What::Commands => command(word),
        });
    }
    if topics.is_empty() {
        return Err(unknown(registry, word, kinds));
    }
    Ok(topics)
}

fn rules(registry: &Registry, word: &str) -> Option<Topic> {
    let rules = registry.named(word);
    let family = registry.families.iter().find(|f| f.id == word).copied();
    match (rules.first(), family) {
        (None, _) => None,
        (Some(_), Some(family)) => Some(Topic::Family(family, rules)),
        (Some(rule), None) => Some(Topic::Rule(rule)),
    }
}

fn profile(registry: &Registry, word: &str) -> Result<Option<Topic>, Unusable> {
    let Some(entry) = registry.entry(word) else {
        return Ok(None);
    };
    let profile = registry.profile(entry.name)?;
    let (lowering, _) = registry.own_lowering(&profile)?;
    Ok(Some(Topic::Profile(Box::new(ProfileTopic {
        profile,
        text: entry.text,
        lowering: lowering.name(),
    }))))
}

fn lowering(registry: &Registry, word: &str) -> Result<Option<Topic>, Unusable> {
    let mut lowerings = registry.lowerings.iter();
    let Some(lowering) = lowerings.find(|it| it.name() == word) else {
        return Ok(None);
    };
    let names_it = registry.all_profiles().into_iter().filter(|it| {
        let own = it.lowering.as_deref();
        own == Some(word)
    });
    Ok(Some(Topic::Lowering(Box::new(LoweringTopic {
        lowering: *lowering,
        shown: run::shown(*lowering, registry)?,
        profiles: names_it.map(|it| it.name).collect(),
    }))))
}

fn format(word: &str) -> Option<Topic> {
    let is_it = |it: &&&'static Format| it.name == word || it.aliases.contains(&word);
    let format = *FORMATS.iter().find(is_it)?;
    let outputs = OUTPUTS.iter().filter(|output| output.has(format));
    Some(Topic::Format(FormatTopic {
        format,
        outputs: outputs.map(|it| output(*it)).collect(),
    }))
}

fn command(word: &str) -> Option<Topic> {
    let definition = definition();
    let command = definition.find_subcommand(word)?;
    let name = command.get_name().to_owned();
    let prints = PRINTED.iter().find(|(command, _)| *command == name);
    let prints = prints.map_or(&[][..], |(_, outputs)| outputs);
    let about = command.get_about().map(ToString::to_string);
    Some(Topic::Command(CommandTopic {
        about: about.unwrap_or_default(),
        outputs: prints.iter().map(|it| output(*it)).collect(),
        help: {
            let name = name.clone();
            Box::new(move |columns| help(&name, columns))
        },
        name,
    }))
}

/// An output with who prints it as what.
fn output(output: &dyn AnyOutput) -> OutputTopic {
    let prints = |outputs: &[&dyn AnyOutput]| outputs.iter().any(|it| it.name() == output.name());
    let commands = PRINTED.iter().filter(|(_, outputs)| prints(outputs));
    OutputTopic {
        name: output.name(),
        noun: output.noun(),
        commands: commands.map(|(command, _)| *command).collect(),
        formats: FORMATS
            .iter()
            .copied()
            .filter(|it| output.has(it))
            .collect(),
        schema: output.schema().map(|schema| schema.name),
    }
}

/// A word that names nothing, with those that are near.
fn unknown(registry: &Registry, word: &str, kinds: &[What]) -> Unusable {
    let mut known: Vec<(&str, String)> = Vec::new();
    for kind in kinds {
        known.extend(match kind {
            What::Rules => named(
                "a rule",
                registry.rules.iter().flat_map(|it| [it.id, it.name]),
            ),
            What::Profiles => named(
                "a profile",
                registry
                    .profiles
                    .iter()
                    .flat_map(|it| [&[it.name], it.aliases].concat()),
            ),
            What::Lowerings => named("a lowering", registry.lowerings.iter().map(|it| it.name())),
            What::Formats => named(
                "a format",
                FORMATS
                    .iter()
                    .flat_map(|it| [&[it.name], it.aliases].concat()),
            ),
            What::Commands => named("a command", PRINTED.iter().map(|(name, _)| *name)),
        });
        if *kind == What::Rules {
            known.extend(named("a family", registry.families.iter().map(|it| it.id)));
        }
    }
    let near = text::near(word, known.iter().map(|(_, name)| name.as_str()));
    let kind_of = |name: &str| {
        let of = known
            .iter()
            .filter(|(_, it)| it == name)
            .map(|(kind, _)| *kind);
        of.collect::<Vec<_>>().join(" and ")
    };
    let mut said: Vec<String> = near
        .iter()
        .map(|it| format!("`{it}` ({})", kind_of(it)))
        .collect();
    said.dedup();
    let lists = kinds.iter().filter_map(What::to_possible_value);
    let lists: Vec<String> = lists
        .map(|it| format!("`syncscope list {}`", it.get_name()))
        .collect();
    Unusable {
        message: format!(
            "nothing is called `{word}` that has a page: {}",
            kinds_in_words(kinds)
        ),
        help: if said.is_empty() {
            format!("what there is: {}", lists.join(", "))
        } else {
            format!("did you mean {}?", said.join(" or "))
        },
    }
}

fn named<'n>(
    kind: &'static str,
    names: impl IntoIterator<Item = &'n str>,
) -> Vec<(&'static str, String)> {
    names
        .into_iter()
        .map(|name| (kind, name.to_owned()))
        .collect()
}

/// What there might have been of each kind.
fn kinds_in_words(kinds: &[What]) -> String {
    let words: Vec<&str> = kinds
        .iter()
        .map(|kind| match kind {
            What::Rules => "no rule or family",
            What::Profiles => "no profile",
            What::Lowerings => "no lowering",
            What::Formats => "no format",
            What::Commands => "no command",
        })
        .collect();
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// What a command's page says of formats is what its `--format` takes.
    #[test]
    fn a_command_prints_what_its_option_says() {
        let definition = definition();
        let mut compared = 0;
        for (name, prints) in PRINTED {
            let command = definition.find_subcommand(name).expect("a command");
            let mut options = command.get_arguments();
            let option = options.find(|it| it.get_id() == "format");
            let said = option.and_then(|it| it.get_help()).map(ToString::to_string);
            // That of `import` is the format of what it reports, and says so in words of its own.
            let said = said.unwrap_or_default();
            let Some(said) = said.strip_prefix("Output format: ") else {
                continue;
            };
            compared += 1;
            let first = prints
                .first()
                .unwrap_or_else(|| panic!("{name} prints nothing"));
            let names = FORMATS.iter().filter(|it| first.has(it)).map(|it| it.name);
            let names: BTreeSet<&str> = names.collect();
            let words = said.replace(" (the default)", "");
            let words: BTreeSet<&str> = words.split(", ").collect();
            assert_eq!(words, names, "{name}");
        }
        assert!(compared >= 15, "{compared} commands say their formats");
    }

    #[test]
    fn every_output_is_printed_by_a_command() {
        for it in OUTPUTS {
            assert!(!output(*it).commands.is_empty(), "{}", it.name());
        }
    }
}
