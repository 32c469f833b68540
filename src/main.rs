//! The `syncscope` program. Everything is in the library, so that tests and programs of one's own can use it.

use std::process::ExitCode;

fn main() -> ExitCode {
    syncscope::cli::main()
}
