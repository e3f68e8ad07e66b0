//! Writes the entry vectors: `cargo run -p fairshoe-house --example house_vectors -- spec/vectors`.
//! The test `vectors` fails while the file differs from what this would write.

mod again;
mod book;
#[path = "../../tests/common/mod.rs"]
mod common;
mod ended;
mod events;
mod guests;
mod hands;
mod keys;
mod limits;
mod more;
mod poker;
mod readings;
mod seats;
mod sets;
mod shared;
mod tournament;
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
    let scripted = [
        (book::FILE, book::text()),
        (ended::FILE, ended::text()),
        (events::FILE, events::text()),
        (guests::FILE, guests::text()),
        (hands::FILE, hands::text()),
        (keys::FILE, keys::text()),
        (limits::FILE, limits::text()),
        (more::FILE, more::text()),
        (poker::FILE, poker::text()),
        (readings::FILE, readings::text()),
        (seats::FILE, seats::text()),
        (tournament::FILE, tournament::text()),
    ];
    for (file, text) in scripted.into_iter().chain(shared::files()).chain(sets::files()).chain(again::files()) {
        let path = std::path::Path::new(&folder).join(file);
        if let Err(error) = std::fs::write(&path, text) {
            eprintln!("{}: {error}", path.display());
            return ExitCode::FAILURE;
        }
        println!("{}", path.display());
    }
    ExitCode::SUCCESS
}
