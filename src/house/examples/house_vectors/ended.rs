//! A log that ends and names the one that goes on from it: when it may not, and that nothing comes after it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::*;
use fairshoe_fairness::Origin;
use fairshoe_games::Action;
use fairshoe_house::{Actor, Command, NextLog, PlayerKey};
use fairshoe_tlog::SecretKey;

pub const FILE: &str = "entries-ended-in-play.json";

/// The log that goes on: its secret key is this byte, 32 times.
const NEXT_KEY: u8 = 0xe1;

fn end(origin: &str, key: PlayerKey) -> Command {
    Command::EndLog { origin: Origin::parse(origin).unwrap(), key }
}

fn write() -> Writer {
    let mut w = Writer::new();
    let (house, operator) = (Actor::House, Actor::Operator);
    let key = PlayerKey::from_bytes(SecretKey::from_seed(&[NEXT_KEY; 32]).public_key());
    let ends = end("next.example/log", key);
    w.refuse(&house, ends.clone());
    w.house.start().unwrap();
    w.house.add_player("alice", 1_000);
    w.house.add_player("bob", 1_000);
    for at in ["t1", "t2"] {
        w.tick().give(&operator, Command::OpenTable { table: table(at), rules: joy(&[]), replaces: None }).unwrap();
        w.duties();
    }
    // A round waits for its decision, another for its seed: the log does not end.
    let seed = w.house.wish("t1", "alice", |v| v[..2] == [5, 9] && v[2] == 6);
    w.tick().bet("t1", "alice", 7, &seed).unwrap();
    w.tick().reveal("t1", "alice", &seed).unwrap();
    let other = w.house.any_seed("t2");
    w.tick().bet("t2", "bob", 9, &other).unwrap();
    w.refuse(&house, ends.clone());

    // Not by anybody else, not for this log itself, not for a key under which anyone can sign.
    w.refuse(&operator, ends.clone());
    w.refuse(&by("alice"), ends.clone());
    w.refuse(&Actor::Anyone, ends.clone());
    w.refuse(&house, end(ORIGIN, key));
    w.refuse(&house, end("next.example/log", PlayerKey::from_bytes([0; 32])));
    // A start puts off what is in play, and ends none of it.
    w.tick().start().unwrap();
    w.refuse(&house, ends.clone());
    w.duties();
    w.refuse(&house, ends.clone());
    w.tick().act("t1", "alice", Action::Stand).unwrap();
    w.house.now = w.house.state.table(&table("t2")).unwrap().next_deadline().unwrap();
    w.refuse(&house, ends.clone());
    w.house.run_due();
    // The seed that was missing may still come, for an hour.
    w.refuse(&house, ends.clone());
    let voided = w.house.state.table(&table("t2")).unwrap().late_seeds_at(w.house.now).unwrap();
    w.house.now = voided.1 - 1;
    w.refuse(&house, ends.clone());
    w.house.now = voided.1;
    w.house.run_due();
    w.house.give(&house, ends.clone()).unwrap();
    assert_eq!(w.house.state.ended().map(|NextLog { key, .. }| *key), Some(key));

    // Whatever it is, and however late: nothing is due, and nothing is taken.
    let round = 3_600_000;
    for wait in [0, round, 7 * DAY] {
        w.house.now += wait;
        assert_eq!(w.house.state.due(w.house.now), None);
        assert!(w.house.state.overdue(w.house.now).is_none());
        w.refuse(&house, ends.clone());
        w.refuse(&house, end("other.example/log", key));
        let reveal = w.house.reveal_command("t2", "bob", &other);
        w.refuse(&Actor::Anyone, reveal);
        let recover = Command::Recover { table: table("t1") };
        w.refuse(&house, recover);
    }
    let start = w.house.start_command(9);
    w.refuse(&house, start);
    w.refuse(&house, Command::StopDealer {});
    let (size, root) = (w.house.state.size(), w.house.state.root().unwrap());
    w.refuse(&house, Command::NoteState { size, root });
    w.refuse(&operator, Command::CreatePlayer { player: player("carol"), key: None });
    w.refuse(&operator, Command::Credit { player: player("alice"), amount: chips(1), reference: None });
    w.refuse(&by("alice"), Command::SetKey { player: player("alice"), key: Some(key), reason: None });
    w
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log that cannot end while rounds are in play and a seed may still come late, that ends then, and names the log and the key that go on from it; spec/recovery.md, \"The end of a log\". Fields as in entries-joy.json. The secret key named is e1, 32 times.";
    write().text(FILE, about, "", &["cage", "house", "player:alice", "player:bob", "table:t1", "table:t2"])
}
