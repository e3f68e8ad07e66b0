//! Prints the entries of a table from its opening to the end of one round, as the log holds them:
//! `cargo run -p fairshoe-house --example show_round`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::House;
use fairshoe_games::Action;

fn main() {
    let mut house = House::with_table(&[], 1000);
    house.deal("t1", "alice", 7, |v| v[..4] == [8, 1, 8, 9]);
    house.act("t1", "alice", Action::Insurance { take: true }).unwrap();
    house.act("t1", "alice", Action::Split).unwrap();
    house.act("t1", "alice", Action::Double { amount: None }).unwrap();
    house.finish("t1", "alice");
    for (index, bytes) in house.log.iter().enumerate() {
        println!("{index}: {}", String::from_utf8_lossy(bytes));
    }
}
