//! The `syncscope` program. Everything stands in the library, so that tests can reach it.

use std::process::ExitCode;

fn main() -> ExitCode {
    syncscope::cli::main()
}
