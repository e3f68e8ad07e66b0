//! What a report tells of commands in players' names (spec/audit.md, "The report of a book"), in both verifiers.

use crate::audit_common::audit;
use crate::common::shared::rules;
use crate::common::*;
use crate::poker_second::{judged, texts, write_log};
use fairshoe_house::{Actor, Command};
use fairshoe_tournament::Structure;
use serde_json::json;

/// A round against a six, in which the player shows their seed and stands.
fn round(house: &mut House, who: &str, stake: u64) {
    let seed = house.wish("t1", who, |v| v[..3] == [10, 6, 6]);
    house.bet("t1", who, stake, &seed).unwrap();
    let reveal = house.reveal_command("t1", who, &seed);
    house.give(&by(who), reveal).unwrap();
    house.finish("t1", who);
    house.run_due();
}

/// Alice signs from her key on; bob has none; a guest plays; the operator does something in their names.
fn log() -> House {
    let mut house = House::new();
    house.add_player("alice", 100_000);
    house.add_player("bob", 100_000);
    house.open("t1", &[]);
    house.open_rules("play.wheel", rules("roulette", &[]));
    // Alice before she has a key, and the key itself.
    round(&mut house, "alice", 7);
    let key = house.pen("alice", 0xa1);
    house.give(&by("alice"), Command::SetKey { player: player("alice"), key: Some(key), reason: None }).unwrap();
    for (who, stake) in [("alice", 10), ("alice", 20), ("bob", 5)] {
        round(&mut house, who, stake);
    }
    // Out by their own word, and by the operator's.
    let withdraw =
        |who: &str, amount| Command::Withdraw { player: player(who), amount: chips(amount), reference: None };
    house.give(&by("alice"), withdraw("alice", 100)).unwrap();
    house.give(&Actor::Operator, withdraw("bob", 30)).unwrap();
    let to_wallet = Command::WalletWithdraw { player: player("bob"), amount: chips(10) };
    house.give(&Actor::Operator, to_wallet).unwrap();
    // Dora's key is the operator's from the beginning.
    let key = house.pen("dora", 0xd0);
    house.give(&Actor::Operator, Command::CreatePlayer { player: player("dora"), key: Some(key) }).unwrap();
    house.credit("dora", 100).unwrap();
    house.give(&by("dora"), withdraw("dora", 40)).unwrap();
    house.announce("sunday", &Structure::shipped("heads-up").unwrap()).unwrap();
    house.register("sunday", "bob").unwrap();
    house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    house.sit("play.wheel", "guest.0", 1).unwrap();
    house
}

#[test]
fn both_verifiers_count_what_was_done_in_players_names_signed_and_not() {
    let house = log();
    let terms = Structure::shipped("heads-up").unwrap().entry;
    let told = json!({
        "signed": { "commands": { "act": 2, "bet": 2, "withdraw": 1 }, "taken": 130 },
        "unsigned": {
            "commands": { "act": 2, "bet": 2, "register": 1, "set_key": 1 },
            "taken": 7 + 5 + terms.buy_in + terms.fee,
        },
        "operators_keys": { "commands": { "withdraw": 1 }, "taken": 40 },
    });
    let report = serde_json::to_value(audit(&house.log)).unwrap();
    assert_eq!(report["by_players"], told);
    let folder = tempfile::tempdir().unwrap();
    let Some(reports) = judged("log", &[write_log(folder.path(), "log", &texts(&house))]) else {
        println!("skipped: no node here, version 18 or newer");
        return;
    };
    assert_eq!(reports[0]["by_players"], told);
    // All doors by which money leaves, and what the operator did, are told alike.
    for (part, second) in [("out", "out"), ("wallet_waits_listed", "waits"), ("by_operator", "by_operator")] {
        assert_eq!(reports[0][second], report[part], "{part}");
        assert_ne!(report[part], json!(null), "{part}");
    }
    for (name, told) in reports[0]["events"].as_object().unwrap() {
        assert_eq!(*told, report["events"][name], "events, {name}");
    }
}
