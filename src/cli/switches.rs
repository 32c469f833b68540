//! `--deny`, `--warn` and `--allow`, shared by the commands that check scenarios.

use crate::report::text;
use crate::run::{Level, Registry, Switch, Unusable, is_fixed};
use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};

/// The options, the level that each sets, and its help.
const OPTIONS: [(&str, Level, &str); 3] = [
    ("deny", Level::Deny, "Make findings of these rules errors"),
    ("warn", Level::Warn, "Make findings of these rules warnings"),
    ("allow", Level::Allow, "Leave out findings of these rules"),
];

/// Levels and what they are for, in the order of the command line: the last one that names a rule counts. Written by
/// hand because an order across options is not what the derive keeps.
#[derive(Default, Debug)]
pub(super) struct Switches {
    words: Vec<(Level, String)>,
}

impl Args for Switches {
    fn augment_args(command: Command) -> Command {
        command.args(OPTIONS.map(|(name, _, help)| {
            Arg::new(name)
                .long(name)
                .value_name("RULE,…")
                .value_delimiter(',')
                .action(ArgAction::Append)
                .help(help)
                .long_help(format!(
                    "{help}: ids, names or families. Of --deny, --warn and --allow the last one that names a rule counts"
                ))
        }))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Switches {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut words: Vec<(usize, Level, String)> = Vec::new();
        for (name, level, _) in OPTIONS {
            let places = matches.indices_of(name).into_iter().flatten();
            let values = matches.get_many::<String>(name).into_iter().flatten();
            words.extend(
                places
                    .zip(values)
                    .map(|(at, word)| (at, level, word.clone())),
            );
        }
        words.sort_by_key(|(at, ..)| *at);
        let words = words.into_iter().map(|(_, level, word)| (level, word));
        Ok(Self {
            words: words.collect(),
        })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

impl Switches {
    /// Checks the words, before any file is read.
    pub(super) fn checked(&self, registry: &Registry) -> Result<Vec<Switch>, Unusable> {
        let one = |(level, word): &(Level, String)| {
            let rules = registry.named(word);
            if rules.is_empty() {
                return Err(unknown_rule(registry, word));
            }
            if *level != Level::Deny && rules.iter().all(|r| is_fixed(r, r.severity)) {
                return Err(Unusable {
                    message: format!("`{word}` can be neither allowed nor made a warning"),
                    help: "a text with syntax errors cannot be checked: correct the text"
                        .to_owned(),
                });
            }
            Ok(Switch {
                level: *level,
                rules,
            })
        };
        self.words.iter().map(one).collect()
    }
}

/// A word that names no rule and no family, with those that are near.
pub(super) fn unknown_rule(registry: &Registry, word: &str) -> Unusable {
    let mut words: Vec<&str> = Vec::new();
    for rule in &registry.rules {
        words.extend([rule.id, rule.name]);
        if !words.contains(&rule.family()) {
            words.push(rule.family());
        }
    }
    let near: Vec<String> = text::near(word, words)
        .iter()
        .map(|w| format!("`{w}`"))
        .collect();
    Unusable {
        message: format!("there is no rule or family `{word}`"),
        help: if near.is_empty() {
            "`syncscope list rules` lists them".to_owned()
        } else {
            format!("did you mean {}?", near.join(" or "))
        },
    }
}
