//! Writes the entry vectors: `cargo run -p fairshoe-house --example house_vectors -- spec/vectors`.
//! The test `vectors` fails while the file differs from what this would write.

mod again;
mod book;
#[path = "../../tests/common/mod.rs"]
mod common;
mod sets;

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: house_vectors FOLDER");
        return ExitCode::from(2);
    };
    for (file, text) in sets::files().into_iter().chain(again::files()) {
        let path = std::path::Path::new(&folder).join(file);
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
