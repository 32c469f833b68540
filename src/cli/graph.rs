//! `syncscope graph`: which command depends on which, what the application asked for, and what is missing.

use super::console::Console;
use super::disk;
use super::machine::Machine;
use super::outputs::Outs;
use super::{Ended, Status, formats, input};
use crate::graph::Relation;
use crate::report::Style;
use crate::report::dependencies::GRAPH;
use crate::report::format::AnyOutput;
use crate::report::format::Printer;
use crate::run::{self, Dependencies, Registry, View};
use clap::{Args, ValueEnum};
use std::io;
use std::path::PathBuf;

/// Print the dependency graph: what is needed, what was asked, what is missing
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print only the edges of these relations; `needed` and `asked` by default
    #[arg(long, value_enum, value_name = "RELATION,…", value_delimiter = ',')]
    relation: Vec<RelationWord>,
    #[command(flatten)]
    machine: Machine,
    /// Print only this node and its neighbours: a command or barrier, such as `gfx#4.0`, or `end of gfx#4`
    #[arg(long, value_name = "ID")]
    around: Option<String>,
    /// Leave out edges of order that follow from others, also from JSON; drawings never have them
    #[arg(long)]
    reduced: bool,
    /// Draw every node and edge by itself: nothing is left out, no equal links are joined
    #[arg(long, conflicts_with = "reduced")]
    whole: bool,
    /// Draw this many boxes at most, the first in order of execution, or `all`; `svg` draws 250 and `dot` 500 by default,
    /// and a drawing says what it leaves out
    #[arg(long, value_name = "COUNT", value_parser = nodes)]
    nodes: Option<usize>,
    #[arg(long, value_name = "FORMAT", help = formats::help(&GRAPH))]
    format: Option<String>,
    #[command(flatten)]
    outs: Outs,
}

/// A number of nodes: `all` is any number.
fn nodes(word: &str) -> Result<usize, String> {
    match word.parse() {
        _ if word == "all" => Ok(usize::MAX),
        Ok(0) | Err(_) => Err("expected a number from 1, or `all`".to_owned()),
        Ok(count) => Ok(count),
    }
}

#[derive(Copy, Clone, ValueEnum, Debug)]
enum RelationWord {
    /// Two uses of the same bytes, one of which writes
    Needed,
    /// What barriers, fences and calls order
    Asked,
    /// What the lowered packets guarantee on the machine
    Ensured,
    /// Who waited for whom in the simulation
    Paid,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[&GRAPH];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 printed, 1 queues wait for each other, 2 the input or the command line was unusable";

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    let format = arguments.format.as_deref();
    let files = [arguments.file.clone()];
    let mut outputs = arguments.outs.choose(format, &GRAPH, &files)?;
    let options = arguments.machine.choose(registry, disk::options())?;
    let source = input::read(&arguments.file)?;
    let view = View {
        relations: arguments
            .relation
            .iter()
            .map(|word| match word {
                RelationWord::Needed => Relation::Needed,
                RelationWord::Asked => Relation::Asked,
                RelationWord::Ensured => Relation::Ensured,
                RelationWord::Paid => Relation::Paid,
            })
            .collect(),
        around: arguments.around.clone(),
        reduced: arguments.reduced,
        whole: arguments.whole,
    };
    let graph = run::dependencies(&source, registry, &options, &view)
        .map_err(|failure| input::failed(&source, failure, console))?;
    let style = Style {
        nodes: arguments.nodes,
        ..console.style()
    };
    let mut put = |writer: &Printer<Dependencies>, style: &Style, out: &mut dyn io::Write| {
        writer(&graph, style, out)
    };
    if arguments.outs.has_page(format) {
        outputs.write(&source.name, &style, console, &mut put)?;
    } else {
        // A drawing in a file is all that was asked for: its text on the screen says nothing.
        outputs.write_own(&source.name, &style, console, &mut put);
        outputs.write_shared(&style, console, &mut put);
    }
    let written = outputs.finish(console);
    for cycle in &graph.deadlocks {
        console.say(&format!(
            "deadlock: each of these waits for the next: {}",
            cycle.join(", ")
        ));
    }
    Ok(written.max(if graph.deadlocks.is_empty() {
        Status::Good
    } else {
        Status::Found
    }))
}
