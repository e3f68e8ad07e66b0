//! Writes the entry vectors: `cargo run -p fairshoe-house --example house_vectors -- spec/vectors`.
//! The test `vectors` fails while the file differs from what this would write.

mod again;
mod book;
#[path = "../../tests/common/mod.rs"]
mod common;
mod keys;
mod more;
mod sets;
#[allow(
    dead_code,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "it is the tests', who use more of it"
)]
#[path = "../../tests/tournament_play.rs"]
mod tournament_play;

use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1) else {
        eprintln!("usage: house_vectors FOLDER");
        return ExitCode::from(2);
    };
    let scripted = [(book::FILE, book::text()), (keys::FILE, keys::text()), (more::FILE, more::text())];
    for (file, text) in scripted.into_iter().chain(sets::files()).chain(again::files()) {
        let path = std::path::Path::new(&folder).join(file);
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
