//! The `syncscope` program. Everything is in the library, so that tests and programs of one's own can use it.

use std::process::ExitCode;

/// Many short runs, such as those of `verify`, spend much of their time on allocations: a sixth less with this one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    syncscope::cli::main()
}
