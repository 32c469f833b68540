//! `syncscope graph`: which command depends on which, what the application asked for, and what is missing.

use super::console::Console;
use super::{Status, input, kernels};
use crate::graph::Relation;
use crate::report::dependencies;
use crate::run::{self, Options, Registry, Unusable, View};
use clap::{Args, ValueEnum};
use std::io;
use std::path::PathBuf;

/// Print the dependency graph: what is needed, what was asked, what is missing
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Scenario file, `.scn` or `.json`; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Only the edges of these relations; without, what is needed and what was asked
    #[arg(long, value_enum, value_name = "RELATION,…", value_delimiter = ',')]
    relation: Vec<RelationWord>,
    /// Hardware profile for what is ensured and paid, instead of the scenario's own
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,
    /// Lowering for what is ensured and paid, instead of the scenario's own
    #[arg(long, value_name = "NAME")]
    lowering: Option<String>,
    /// Only this command, barrier or `end of …` and its neighbours (`gfx#4.0`)
    #[arg(long, value_name = "ID")]
    around: Option<String>,
    /// Leave out edges that follow from others
    #[arg(long)]
    reduced: bool,
    /// How to print it
    #[arg(long, value_enum, default_value = "dot")]
    format: Form,
}

#[derive(Copy, Clone, ValueEnum, Debug)]
enum RelationWord {
    /// Two uses of the same bytes, one of which writes
    Needed,
    /// What barriers, fences and calls order
    Asked,
    /// What the lowering's packets see to on the machine
    Ensured,
    /// Who waited for whom when the machine was simulated
    Paid,
}

#[derive(Copy, Clone, ValueEnum, Debug)]
enum Form {
    /// For Graphviz
    Dot,
    /// Nodes and edges
    Json,
}

pub(super) fn execute(
    arguments: &Arguments,
    registry: &Registry,
    console: &mut Console,
) -> io::Result<Status> {
    let source = match input::read(&arguments.file) {
        Ok(source) => source,
        Err(what) => return Ok(refuse(&what, console)),
    };
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
    };
    let options = Options {
        profile: arguments.profile.clone(),
        lowering: arguments.lowering.clone(),
        ..Options::default()
    };
    let options = kernels::with(&source, &options);
    let graph = match run::dependencies(&source, registry, &options, &view) {
        Ok(Ok(graph)) => graph,
        Ok(Err(findings)) => {
            let wrong = findings.iter().filter(|f| f.severity.fails());
            let places: Vec<String> = wrong
                .map(|f| {
                    format!(
                        "line {}: {} {}",
                        source.line(f.span.start),
                        f.rule.id,
                        f.message
                    )
                })
                .collect();
            let what = Unusable {
                message: format!("`{}` is not understood: {}", source.name, places.join("; ")),
                help: "`syncscope check` shows where".into(),
            };
            return Ok(refuse(&what, console));
        }
        Err(what) => return Ok(refuse(&what, console)),
    };
    match arguments.format {
        Form::Dot => dependencies::dot(&graph, &mut console.out)?,
        Form::Json => dependencies::json(&graph, &mut console.out)?,
    }
    for cycle in &graph.deadlocks {
        console.remark(&format!(
            "deadlock: what was asked goes round in a circle: {}",
            cycle.join(", ")
        ));
    }
    Ok(if graph.deadlocks.is_empty() {
        Status::Good
    } else {
        Status::Found
    })
}

fn refuse(what: &Unusable, console: &mut Console) -> Status {
    console.unusable(what);
    Status::Unusable
}
