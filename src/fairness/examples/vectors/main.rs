//! Writes the fairness vectors: `cargo run -p fairshoe-fairness --example vectors -- spec/vectors`. The test
//! `vectors_current` fails while a file differs from this program's output.

mod files;

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: vectors FOLDER");
        return ExitCode::from(2);
    };
    for (name, text) in files::all() {
        let path = std::path::Path::new(&folder).join(name);
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
