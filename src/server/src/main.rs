//! The service's binary: `fairshoe serve`. All of it is in the library, which the simulator runs too.

use std::process::ExitCode;

/// Replies are built of many short strings, on every worker at once.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    fairshoe::run()
}
