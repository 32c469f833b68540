//! `syncscope list`: what there is to choose from.

use super::console::Console;
use super::{Status, definition};
use crate::report::text;
use crate::run::Registry;
use clap::{Args, ValueEnum};
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

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let rows: Vec<[String; 2]> = match arguments.what {
        What::Profiles => match profiles(registry, arguments.numbers) {
            Ok(rows) => rows,
            Err(what) => {
                console.unusable(&what);
                return Ok(Status::Unusable);
            }
        },
        What::Lowerings => registry
            .lowerings
            .iter()
            .map(|l| [l.name().to_owned(), l.summary().to_owned()])
            .collect(),
        What::Rules => registry
            .rules
            .iter()
            .map(|r| {
                let head = format!("{} {:7}  {}", r.id, r.severity.word(), r.name);
                [head, r.summary.to_owned()]
            })
            .collect(),
        What::Commands => definition()
            .get_subcommands()
            .map(|c| {
                let about = c.get_about().map(ToString::to_string).unwrap_or_default();
                [c.get_name().to_owned(), about]
            })
            .collect(),
    };
    let first = rows
        .iter()
        .map(|[a, _]| text::width(a))
        .max()
        .unwrap_or(0)
        .min(60);
    for [name, summary] in rows {
        for (index, line) in text::wrap(&summary, text::COLUMNS - first - 2)
            .iter()
            .enumerate()
        {
            let name = if index == 0 { name.as_str() } else { "" };
            writeln!(
                console.out,
                "{}",
                format!("{}  {line}", text::left(name, first)).trim_end()
            )?;
        }
    }
    Ok(Status::Good)
}

/// Names and summaries, with `numbers` followed by every number.
fn profiles(registry: &Registry, numbers: bool) -> Result<Vec<[String; 2]>, crate::run::Unusable> {
    let mut rows = Vec::new();
    for entry in &registry.profiles {
        let profile = registry.profile(entry.name)?;
        let mut names = vec![entry.name];
        names.extend(entry.aliases);
        rows.push([names.join(", "), profile.summary.clone()]);
        if numbers {
            rows.extend(profile.numbers().map(|(key, number)| {
                let head = format!("  {key} = {}", number.value);
                [head, format!("{}: {}", number.tag, number.source)]
            }));
        }
    }
    Ok(rows)
}
