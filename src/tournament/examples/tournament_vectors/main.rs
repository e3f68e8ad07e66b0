//! Writes the vectors of tournaments: `cargo run -p fairshoe-tournament --example tournament_vectors -- spec/vectors`.
//! The test `vectors` fails while the file differs from this program's output.
#![allow(clippy::unwrap_used, clippy::panic, reason = "a generator of test data fails by panicking")]

mod cases;

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: tournament_vectors FOLDER");
        return ExitCode::from(2);
    };
    let path = std::path::Path::new(&folder).join(cases::FILE);
    if let Err(error) = std::fs::write(&path, cases::text()) {
        eprintln!("{}: {error}", path.display());
        return ExitCode::FAILURE;
    }
    println!("{}", path.display());
    ExitCode::SUCCESS
}
