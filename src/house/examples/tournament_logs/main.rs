//! Logs of small tournaments played by chance, for two judges. `tournament_logs play FOLDER FIRST COUNT`
//! writes a file a seed, an entry a line; `tournament_logs judge LOG` reads changes of that log from standard input, a
//! line of JSON each, and says of each at which entry the house's own rules no longer hold; `tournament_logs states LOG`
//! writes the root of the state after each entry, and after every 64th its lines, too; `tournament_logs read LOG` reads
//! states of that log from standard input, `[SIZE,[LINE,…]]` a line, and says of each why it is refused, or null.
//! `tests/second_verifier/tournaments.js` gives the same to the JavaScript verifier and compares.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a generator of tests fails by panicking")]

mod chance;
#[path = "../../tests/common/mod.rs"]
mod common;
mod judge;
mod off;
#[allow(dead_code, reason = "tests use more of it")]
#[path = "../../tests/tournament_play.rs"]
mod tournament_play;

use std::process::ExitCode;

fn main() -> ExitCode {
    let given: Vec<String> = std::env::args().skip(1).collect();
    let given: Vec<&str> = given.iter().map(String::as_str).collect();
    let done = match given.as_slice() {
        ["play", folder, first, count] => match (first.parse(), count.parse()) {
            (Ok(first), Ok(count)) => chance::write(folder, first, count),
            _ => return usage(),
        },
        ["judge", log] => judge::judge(log),
        ["states", log] => judge::states(log),
        ["read", log] => judge::read(log),
        _ => return usage(),
    };
    if let Err(error) = done {
        eprintln!("{error}");
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "usage: tournament_logs play FOLDER FIRST COUNT | tournament_logs judge LOG | tournament_logs states LOG | tournament_logs read LOG"
    );
    ExitCode::from(2)
}
