//! `syncscope explain`: the page of a rule, or the rules of a family.

use super::console::Console;
use super::switches::unknown_rule;
use super::{Status, formats};
use crate::report::Style;
use crate::report::page::{PAGE, Topic};
use crate::run::{Registry, Unusable};
use clap::Args;
use std::io::{self, Write};

/// Explain rules: what they find, why it matters, an example that fires and one that does not
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Ids or names of rules, or families
    #[arg(required = true, value_name = "RULE")]
    words: Vec<String>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&PAGE))]
    format: Option<String>,
    /// Print ASCII characters only
    #[arg(long)]
    ascii: bool,
}

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 2 the command line was unusable";

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let topics: Result<Vec<Topic>, Unusable> = arguments
        .words
        .iter()
        .map(|word| topic(registry, word))
        .collect();
    let checked = topics
        .and_then(|topics| Ok((topics, formats::writer(arguments.format.as_deref(), &PAGE)?)));
    let (topics, writer) = match checked {
        Ok(checked) => checked,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let style = Style {
        ascii: arguments.ascii,
        ..console.style()
    };
    for (index, topic) in topics.iter().enumerate() {
        if index > 0 {
            writeln!(console.out)?;
        }
        writer(topic, &style, &mut console.out)?;
    }
    Ok(Status::Good)
}

fn topic(registry: &Registry, word: &str) -> Result<Topic, Unusable> {
    let rules = registry.named(word);
    let family = registry.families.iter().find(|f| f.id == word).copied();
    match (rules.first(), family) {
        (None, _) => Err(unknown_rule(registry, word)),
        (Some(_), Some(family)) => Ok(Topic::Family(family, rules)),
        (Some(rule), None) => Ok(Topic::Rule(rule)),
    }
}
