//! Words in, exit code out: the only place with input and output.
//!
//! One file per command; the enum here lists them. Output is buffered, so that nothing appears before an input is known
//! to be usable, and a reader who leaves early (`| head`) ends the program quietly.

mod check;
mod comparing;
mod console;
mod ddi;
mod demo;
mod explain;
mod fence;
mod fix;
mod fmt;
mod graph;
mod input;
mod judging;
mod kernels;
mod list;
mod litmus;
mod printing;
mod run;
mod schema;
mod switches;
mod test;
mod translate;

use crate::catalog;
use clap::{CommandFactory, Parser, Subcommand};
use console::Console;
use std::io;
use std::process::ExitCode;

/// Executes D3D12 barriers on a modelled multi-queue GPU; finds hazards, redundant barriers and stall costs
#[derive(Parser, Debug)]
#[command(name = "syncscope", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the \
command line was unusable.\nStart with `syncscope demo`.";

#[derive(Subcommand, Debug)]
enum Command {
    Run(run::Arguments),
    Check(check::Arguments),
    Fix(fix::Arguments),
    Graph(graph::Arguments),
    Fmt(fmt::Arguments),
    Test(test::Arguments),
    Schema(schema::Arguments),
    List(list::Arguments),
    Explain(explain::Arguments),
    Demo(demo::Arguments),
    Translate(translate::Arguments),
    Fence(fence::Arguments),
    Litmus(litmus::Arguments),
}

/// How the program ends. The worst of several files counts.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Status {
    /// Nothing worse than a warning.
    Good = 0,
    /// Errors or hazards.
    Found = 1,
    /// The input or the command line was unusable.
    Unusable = 2,
}

/// Runs the program with this process' arguments.
pub fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let registry = catalog::registry();
    let mut console = Console::new();
    let result = match &arguments.command {
        Command::Run(a) => run::execute(a, &registry, &mut console),
        Command::Check(a) => check::execute(a, &registry, &mut console),
        Command::Fix(a) => fix::execute(a, &registry, &mut console),
        Command::Graph(a) => graph::execute(a, &registry, &mut console),
        Command::Fmt(a) => fmt::execute(a, &mut console),
        Command::Test(a) => test::execute(a, &registry, &mut console),
        Command::Schema(a) => schema::execute(a, &mut console),
        Command::List(a) => list::execute(a, &registry, &mut console),
        Command::Explain(a) => explain::execute(a, &registry, &mut console),
        Command::Demo(a) => demo::execute(a, &registry, &mut console),
        Command::Translate(a) => translate::execute(a, &mut console),
        Command::Fence(a) => fence::execute(a, &registry, &mut console),
        Command::Litmus(a) => litmus::execute(a, &registry, &mut console),
    };
    let result = result.and_then(|status| console.flush().map(|()| status));
    let status = match result {
        Ok(status) => status,
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Good,
        Err(error) => {
            console.complain(
                &format!("the output cannot be written: {error}"),
                "look at where it goes",
            );
            Status::Unusable
        }
    };
    // Unwritten output has nowhere to go any more.
    console.forget();
    ExitCode::from(status as u8)
}

/// The command line's definition, for lists.
fn definition() -> clap::Command {
    Arguments::command()
}
