//! `syncscope explain`: the page of a rule, or the rules of a family.

use super::Status;
use super::console::Console;
use super::list::{rule_rows, table};
use super::printing::When;
use super::switches::unknown_rule;
use crate::catalog::FAMILIES;
use crate::finding::{Family, Rule};
use crate::report::{Style, page};
use crate::run::{Registry, Unusable};
use clap::{Args, ValueEnum};
use std::io::{self, Write};

/// Explain rules: what they find, why it matters, an example and its correction
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Ids or names of rules, or families
    #[arg(required = true, value_name = "RULE")]
    words: Vec<String>,
    /// Form of the page
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    format: Form,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t)]
    color: When,
    /// ASCII characters only
    #[arg(long)]
    ascii: bool,
}

#[derive(Copy, Clone, PartialEq, Eq, Default, ValueEnum, Debug)]
enum Form {
    /// Laid out for a terminal
    #[default]
    Terminal,
    /// As it stands in the book
    Markdown,
}

/// What a word names.
enum Topic {
    Rule(&'static Rule),
    Family(&'static Family, Vec<&'static Rule>),
}

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
    let topics = match topics {
        Ok(topics) => topics,
        Err(what) => {
            console.unusable(&what);
            return Ok(Status::Unusable);
        }
    };
    let style = Style {
        color: arguments.color.is_on(),
        ascii: arguments.ascii,
        ..Style::default()
    };
    for (index, topic) in topics.iter().enumerate() {
        if index > 0 {
            writeln!(console.out)?;
        }
        match (topic, arguments.format) {
            (Topic::Rule(rule), Form::Terminal) => {
                write!(console.out, "{}", page::terminal(rule, &style))?;
            }
            (Topic::Rule(rule), Form::Markdown) => {
                write!(console.out, "{}", page::markdown(rule))?;
            }
            (Topic::Family(family, rules), Form::Terminal) => {
                writeln!(console.out, "{}: {}\n", family.id, family.about)?;
                table(console, rule_rows(rules))?;
            }
            (Topic::Family(family, rules), Form::Markdown) => {
                write!(console.out, "{}", page::family_markdown(family, rules))?;
            }
        }
    }
    Ok(Status::Good)
}

fn topic(registry: &Registry, word: &str) -> Result<Topic, Unusable> {
    let rules = registry.named(word);
    let family = FAMILIES.iter().find(|f| f.id == word);
    match (rules.first(), family) {
        (None, _) => Err(unknown_rule(registry, word)),
        (Some(_), Some(family)) => Ok(Topic::Family(family, rules)),
        (Some(rule), None) => Ok(Topic::Rule(rule)),
    }
}
