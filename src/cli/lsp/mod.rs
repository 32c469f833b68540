//! `syncscope lsp`: a language server over standard input and output.
//!
//! One thread reads messages (`wire`), one answers them in their order (`server`), and one runs texts (`worker`). What is
//! answered comes from `assist`; here it only becomes JSON, and places become lines and UTF-16 units (`convert`).
//!
//! Messages are those of `lsp-server`, the crate of rust-analyzer; `wire` reads them itself, because the crate's own reader ends
//! at the first message that is no JSON, and takes as much memory as a header says. Parameters are those of `gen-lsp-types`, which is
//! generated from the protocol's own model; `lsp-types` has had no release for the protocol's present version.

mod answers;
mod convert;
mod documents;
mod found;
mod hovered;
mod pages;
mod server;
mod wire;
mod worker;

use super::console::Console;
use super::{Ended, disk};
use crate::report::format::AnyOutput;
use crate::run::{Options, Registry};
use clap::Args;
use std::path::PathBuf;

/// Answer an editor: a language server for scenarios, litmus tests, rule files and profiles
#[derive(Args, Debug)]
pub(super) struct Arguments {
    /// Judge every scenario on this profile, by name or file (`*.toml`), instead of the one that it names
    #[arg(long, value_name = "PROFILE")]
    profile: Option<String>,
    /// Lower every scenario with this, by name or file (`*.lower`), instead of the lowering that it names
    #[arg(long, value_name = "LOWERING")]
    lowering: Option<String>,
    /// Where the book is, as the start of a link to a rule's page, instead of the pages that the server writes
    #[arg(long, value_name = "URL")]
    book: Option<String>,
    /// Write the pages of rules here, instead of into the user's cache
    #[arg(long, value_name = "DIR")]
    pages: Option<PathBuf>,
}

/// What it prints, for its page.
pub(super) static PRINTS: &[&dyn AnyOutput] = &[];

/// How the command ends, for its help.
pub(super) const STATUS: &str = "Exit status: 0 the editor said goodbye, 1 it left without, 2 a message had no length or was too long";

/// Starts the program anew with an allocator that gives memory back at once: a server runs for days, next to other programs, and
/// what one long text needed is not needed later. The allocator reads this when the program starts, and never again.
#[cfg(unix)]
fn frugal() {
    use std::env;
    use std::os::unix::process::CommandExt;
    use std::process::Command;
    const OPTION: &str = "MIMALLOC_PURGE_DELAY";
    if env::var_os(OPTION).is_none()
        && let Ok(program) = env::current_exe()
    {
        let mut again = Command::new(program);
        // It only comes back if that is impossible; then more memory is used.
        let _ = again.args(env::args_os().skip(1)).env(OPTION, "0").exec();
    }
}

#[cfg(not(unix))]
fn frugal() {}

pub(super) fn execute(arguments: &Arguments, registry: &Registry, console: &mut Console) -> Ended {
    frugal();
    let options = Options {
        profile: arguments.profile.clone(),
        lowering: arguments.lowering.clone(),
        ..disk::options()
    };
    // Names that exist nowhere are told before any text is opened.
    let nothing = crate::scenario::Scenario::default();
    crate::run::choose(registry, &nothing, "", &options)?;
    let pages = pages::Pages::new(arguments.book.clone(), arguments.pages.clone());
    Ok(server::serve(registry, &options, pages, console)?)
}
