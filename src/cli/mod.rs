//! Words in, exit code out: the only place with input and output.
//!
//! One file per command, with its `Arguments` and `execute`; `commands!` here lists them. Output is buffered, so that
//! nothing appears before an input is known to be usable, and a reader who leaves early (`| head`) ends the program
//! quietly.

mod bisect;
mod check;
mod comparing;
mod completions;
mod console;
mod corpus;
mod ddi;
mod demo;
mod diff;
mod disk;
mod driver_process;
mod explain;
mod export;
mod fence;
mod fix;
mod fmt;
mod formats;
mod graph;
mod import;
mod init;
mod input;
mod judge;
mod judging;
mod learn;
mod list;
mod litmus;
mod lower;
mod lsp;
mod machine;
mod man;
mod mutate;
mod outputs;
mod pending;
mod place;
mod printing;
mod progress;
mod roundtrip;
mod run;
mod save;
mod schema;
mod searching;
mod situations;
mod step;
mod summary;
mod switches;
mod test;
mod translate;
mod verify;
mod watch;
mod width;

use crate::catalog;
use crate::report::format::AnyOutput;
use crate::run::{Registry, Unusable};
use clap::{CommandFactory, Parser, Subcommand, value_parser};
use console::{Console, Look, When};
use std::io;
use std::process::ExitCode;
use width::Widths;

/// Executes D3D12 barriers on a modelled multi-queue GPU; finds hazards, redundant barriers and stall costs
#[derive(Parser, Debug)]
#[command(name = "syncscope", version, max_term_width = 100, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Columns of what is printed, instead of the terminal's or those of `COLUMNS`
    #[arg(long, value_name = "COLUMNS", global = true, value_parser = value_parser!(u16).range(72..=1000))]
    width: Option<u16>,
    /// When to use colour
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, global = true)]
    color: When,
    /// Print nothing on standard output: the exit status tells, and files of `--out` are written
    #[arg(long, short, global = true)]
    quiet: bool,
}

const AFTER_HELP: &str = "Exit status: 0 nothing worse than a warning, 1 errors or hazards found, 2 the input or the \
command line was unusable; input that is not understood (`SC`) is unusable.\nStart with `syncscope demo`.";

/// Declares the commands: the name of each and its file, in the order of `--help`.
macro_rules! commands {
    ($($name:ident($file:ident),)*) => {
        #[derive(Subcommand, Debug)]
        enum Command {
            $(
                #[command(after_help = $file::STATUS)]
                $name($file::Arguments),
            )*
        }

        impl Command {
            fn execute(&self, registry: &Registry, console: &mut Console) -> Ended {
                match self {
                    $(Self::$name(arguments) => $file::execute(arguments, registry, console),)*
                }
            }
        }

        /// What each command prints, by its name.
        static PRINTED: &[(&str, &[&dyn AnyOutput])] = &[$((stringify!($file), $file::PRINTS),)*];
    };
}

commands! {
    Run(run),
    Step(step),
    Check(check),
    Watch(watch),
    Lsp(lsp),
    Learn(learn),
    Fix(fix),
    Place(place),
    Graph(graph),
    Lower(lower),
    Fmt(fmt),
    Test(test),
    Verify(verify),
    Judge(judge),
    Mutate(mutate),
    Bisect(bisect),
    Diff(diff),
    Schema(schema),
    List(list),
    Explain(explain),
    Demo(demo),
    Init(init),
    Translate(translate),
    Import(import),
    Export(export),
    Roundtrip(roundtrip),
    Fence(fence),
    Litmus(litmus),
    Completions(completions),
    Man(man),
}

/// How the program ends. The worst of several files counts.
#[derive(Copy, Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Status {
    /// Nothing worse than a warning.
    Good = 0,
    /// Errors or hazards.
    Found = 1,
    /// The input or the command line was unusable: a text that is not understood too.
    Unusable = 2,
}

/// How a command ends, or what ends it before its end.
type Ended = Result<Status, Stop>;

/// What ends a command before its end.
enum Stop {
    /// The input or the command line is unusable. Nobody was told yet.
    Unusable(Unusable),
    /// The output cannot be written.
    Output(io::Error),
    /// Something that was told.
    Told(Status),
}

impl From<Unusable> for Stop {
    fn from(what: Unusable) -> Self {
        Self::Unusable(what)
    }
}

impl From<io::Error> for Stop {
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

impl From<Status> for Stop {
    fn from(status: Status) -> Self {
        Self::Told(status)
    }
}

/// How a command ends, or its part for one of several files. What is unusable is told.
fn told(ended: Ended, console: &mut Console) -> io::Result<Status> {
    match ended {
        Ok(status) | Err(Stop::Told(status)) => Ok(status),
        Err(Stop::Unusable(what)) => {
            console.unusable(&what);
            Ok(Status::Unusable)
        }
        Err(Stop::Output(error)) => Err(error),
    }
}

/// Runs the program with this process' arguments and what is built in.
pub fn main() -> ExitCode {
    main_with(catalog::registry())
}

/// Runs the program with this process' arguments and with profiles and lowerings of one's own: the `main` of a private
/// `syncscope`. The registry's rules are what is listed and explained; what checks them is built in, and so are formats.
///
/// ```no_run
/// use std::process::ExitCode;
/// use syncscope::lower::{Lowering, PRECISE, Policy};
/// use syncscope::run::ProfileEntry;
///
/// const MINE: &str = "summary = …"; // include_str!("mine.toml")
///
/// struct Mine;
///
/// impl Lowering for Mine {
///     fn name(&self) -> &'static str {
///         "mine"
///     }
///     fn summary(&self) -> &'static str {
///         "precise, until there is something better"
///     }
///     fn policy(&self) -> &dyn Policy {
///         PRECISE.policy()
///     }
/// }
///
/// fn main() -> ExitCode {
///     let mut registry = syncscope::catalog::registry();
///     registry.lowerings.push(&Mine);
///     registry.profiles.push(ProfileEntry::new("mine", MINE));
///     syncscope::cli::main_with(registry)
/// }
/// ```
#[allow(
    clippy::needless_pass_by_value,
    reason = "the program ends here, and a `main` reads better without a `&`"
)]
pub fn main_with(registry: Registry) -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| meant(error).exit());
    let mut console = Console::new(Look {
        widths: Widths::of(arguments.width),
        color: arguments.color,
        quiet: arguments.quiet,
    });
    progress::draw(!arguments.quiet);
    let result = told(
        arguments.command.execute(&registry, &mut console),
        &mut console,
    );
    let result = result.and_then(|status| console.flush().map(|()| status));
    let status = match result {
        Ok(status) => status,
        // The reader has seen enough.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Status::Good,
        Err(error) => {
            console.complain(
                &format!("the output cannot be written: {error}"),
                save::remedy(&error),
            );
            Status::Unusable
        }
    };
    // Unwritten output has nowhere to go any more.
    console.forget();
    ExitCode::from(status as u8)
}

/// A mistyped command with the one that is nearest, where clap knows none: two letters that changed places, or a word that says
/// the same.
fn meant(mut error: clap::Error) -> clap::Error {
    use clap::error::{ContextKind, ContextValue, ErrorKind};
    /// Edits between what was typed and what was meant.
    const EDITS_MAX: usize = 2;
    const SAME: [(&str, &str); 3] = [
        ("lesson", "learn"),
        ("validate", "check"),
        ("simulate", "run"),
    ];
    let Some(ContextValue::String(word)) = error.get(ContextKind::InvalidSubcommand) else {
        return error;
    };
    if error.kind() != ErrorKind::InvalidSubcommand
        || error.get(ContextKind::SuggestedSubcommand).is_some()
    {
        return error;
    }
    let same = SAME
        .iter()
        .find(|(typed, _)| typed == word)
        .map(|(_, is)| (*is).to_owned());
    let definition = definition();
    let names = definition
        .get_subcommands()
        .map(|c| c.get_name().to_owned());
    let distance = |name: &str| strsim::osa_distance(word, name);
    let near = names
        .filter(|name| distance(name) <= EDITS_MAX.min(word.len() / 2))
        .min_by_key(|name| distance(name));
    if let Some(name) = same.or(near) {
        error.insert(
            ContextKind::SuggestedSubcommand,
            ContextValue::Strings(vec![name]),
        );
    }
    error
}

/// The help of a command in so many columns, as `--help` prints it.
fn help(command: &str, columns: usize) -> String {
    let words = ["syncscope", command, "--help"];
    let asked = definition().term_width(columns).try_get_matches_from(words);
    // Clap answers a question for help with an error that is the help.
    asked.map_or_else(|help| help.to_string(), |_| String::new())
}

/// The command line's definition, for lists.
fn definition() -> clap::Command {
    Arguments::command()
}
