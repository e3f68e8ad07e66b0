//! `fairshoe-load`: reads the command line, runs the library, and ends with its exit code.

use clap::Parser as _;
use fairshoe_load::args::Args;
use std::io::Write as _;
use std::process::ExitCode;

/// The client shares the cores with the service: its savings count as the service's in measurements.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The service shares the machine in most runs; two threads are enough to keep it busy.
const WORKERS: usize = 2;

fn main() -> ExitCode {
    let args = Args::parse();
    let as_json = args.json;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(WORKERS).enable_all().build();
    let outcome = match runtime {
        Ok(runtime) => runtime.block_on(fairshoe_load::run::run(args)),
        Err(error) => {
            eprintln!("fairshoe-load: no runtime: {error}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(report) => {
            let text = if as_json { serde_json::to_string(&report).unwrap_or_default() + "\n" } else { report.text() };
            // The verdict stands even if no reader is left.
            let _ = std::io::stdout().write_all(text.as_bytes());
            for error in &report.errors {
                eprintln!("fairshoe-load: {error}");
            }
            ExitCode::from(u8::from(!report.ok))
        }
        Err(failure) => {
            eprintln!("fairshoe-load: {failure}");
            ExitCode::from(if failure.is_usage() { 2 } else { 1 })
        }
    }
}
