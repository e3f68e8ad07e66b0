//! What a house can tell a player otherwise than it logged it, and log otherwise than they asked: each found by its own
//! check. What no entry may say is for the judge to find, whose tests have each such lie (src/judge/tests/lies.rs):
//! here one of a kind shows that a player hears of it.

use crate::desk;

use desk::{Desk, Eyes, Tamper, assert_flaw, play};
use fairshoe_fairness::Slot;
use fairshoe_games::{Chips, RoundEvent};
use fairshoe_house::{Command, Entry, Event};
use fairshoe_load::check::{Flaw, Todo};
use fairshoe_load::strategy::Strategy;
use serde_json::{Value, json};

/// Each cheat has so many rounds to find its opportunity.
const ROUNDS: u64 = 400;

/// Plays JOY with changed replies until a flaw is found.
fn flaw_of_reply(name: &str, twist: &Twist) -> Flaw {
    let mut desk = Desk::new();
    let mut eyes = [Eyes::on(&desk, 0, Strategy::Random)];
    let mut of_replies = |value: &mut Value, desk: &Desk| {
        // An entry of a page does not count.
        if value.get("receipts").is_some() {
            twist(value, desk);
        }
    };
    let Err(flaw) = play(&mut desk, &mut eyes, ROUNDS, &mut of_replies) else {
        panic!("{name}: no check failed in {ROUNDS} rounds")
    };
    flaw
}

/// The first player's flaw at a table of a house that logs, signs and returns another entry than it decided.
fn flaw_at_table(name: &str, game: &str, players: u8, tamper: &Cheat) -> Flaw {
    let mut desk = Desk::of(game, &["alice", "bob", "carol", "dave"][..usize::from(players)]);
    let mut all: Vec<Eyes> = (0..players).map(|number| Eyes::on(&desk, number, Strategy::Random)).collect();
    desk.tamper = Some(Box::new(*tamper) as Tamper);
    let Err(flaw) = play(&mut desk, &mut all, ROUNDS, &mut |_, _| {}) else {
        panic!("{name}: no check failed in {ROUNDS} rounds")
    };
    flaw
}

type Twist = fn(&mut Value, &Desk);
type Cheat = fn(&mut Entry, &Desk);

fn edit(value: &mut Value, from: &str, to: &str) {
    *value = json!(value.as_str().unwrap().replacen(from, to, 1));
}

/// The first opening of a reply that has some.
fn opening(reply: &mut Value) -> Option<&mut Value> {
    reply["openings"].as_array_mut()?.first_mut()
}

#[rustfmt::skip]
const REPLIES: &[(&str, &str, Twist)] = &[
    ("an opening with another face", "the path leads to root", |reply, _| {
        if let Some(first) = opening(reply) { first["value"] = json!((first["value"].as_u64().unwrap() + 1) % 52); }
    }),
    ("an opening with another salt", "the path leads to root", |reply, _| {
        if let Some(first) = opening(reply) { first["salt"] = json!("00112233445566778899aabbccddeeff"); }
    }),
    ("an opening with a short path", "a path of", |reply, _| {
        if let Some(first) = opening(reply) { first["path"].as_array_mut().unwrap().pop(); }
    }),
    ("a missing opening", "was turned up and not opened", |reply, _| {
        if opening(reply).is_some() { reply["openings"].as_array_mut().unwrap().remove(0); }
    }),
    ("the hole card opened early", "is opened and was not turned up", |reply, desk| {
        let hole = &reply["round"]["game"]["dealer"]["cards"][1];
        if let Some(slot) = hole.get("slot").and_then(Value::as_u64) && hole["card"].is_null() {
            let opening = desk.open(*desk.piles.last().unwrap(), Slot(slot as u16));
            reply["openings"].as_array_mut().unwrap().push(serde_json::to_value(opening).unwrap());
        }
    }),
    ("another balance", "the balance is not", |reply, _| reply["balance"] = json!(reply["balance"].as_u64().unwrap() - 1)),
    ("another total on view", "the round on view is not game", |reply, _| {
        let hand = &mut reply["round"]["game"]["boxes"][0]["hands"][0];
        (hand["total"], hand["soft"]) = (json!(21), json!(true));
    }),
    ("an option withheld", "the round on view is not decisions", |reply, _| {
        if let Some(one) = reply["round"]["decisions"].get_mut(0) { one["options"].as_array_mut().unwrap().pop(); }
    }),
    ("another phase", "the round on view is not phase", |reply, _| reply["round"]["phase"] = json!("settled")),
    ("another entropy on view", "the round on view is not entropy", |reply, _| {
        reply["round"]["entropy"] = json!("11".repeat(32));
    }),
    ("a receipt for another index", "the receipt is for entry", |reply, _| reply["receipts"][0]["index"] = json!(1)),
    ("an entry changed after it was logged", "is not under its checkpoint", |reply, _| {
        edit(&mut reply["receipts"][0]["entry"], "\"time\":17", "\"time\":18");
    }),
    ("a checkpoint signed by another key", "checkpoint", |reply, _| {
        let other = fairshoe_tlog::Signer::new(desk::ORIGIN, &[8; 32]).unwrap();
        let proof = reply["receipts"][0]["proof"].as_str().unwrap().to_owned();
        let (text, _) = proof.rsplit_once("\n\n").unwrap();
        let line = other.sign(&format!("{}\n", text.split_once("\n\n").unwrap().1)).unwrap();
        reply["receipts"][0]["proof"] = json!(format!("{text}\n\n{line}"));
    }),
    ("a checkpoint of another root", "checkpoint", |reply, _| {
        let proof = reply["receipts"][0]["proof"].as_str().unwrap().to_owned();
        let root = proof.split_once("\n\n").unwrap().1.lines().nth(2).unwrap();
        edit(&mut reply["receipts"][0]["proof"], root, "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=");
    }),
    ("no receipt of the shoe", "receipts", |reply, _| reply["receipts"].as_array_mut().unwrap().truncate(1)),
    ("another entry in the shoe's place", "the table of shoe_committed", |reply, desk| {
        if let Some(shoe) = reply["receipts"].get_mut(1) { *shoe = desk.receipt(1); }
    }),
    ("the shoe of a round before", "the shoe committed", |reply, desk| {
        let first = desk.entries.iter().position(|entry| entry.contains("\"shoe_committed\":{")).unwrap() as u64;
        if let Some(shoe) = reply["receipts"].get_mut(1) && shoe["index"].as_u64() > Some(first) {
            *shoe = desk.receipt(first);
        }
    }),
];

#[test]
fn replies_that_lie_are_caught() {
    for (name, words, twist) in REPLIES {
        assert_flaw(name, &flaw_of_reply(name, twist), words);
    }
}

/// The play events of an entry.
fn plays(entry: &mut Entry) -> impl Iterator<Item = &mut RoundEvent> {
    entry.events.iter_mut().filter_map(|event| if let Event::Play(play) = event { Some(play) } else { None })
}

/// Pays so little less where something was won.
fn pay_less(entry: &mut Entry, name: &str) {
    for play in plays(entry) {
        let RoundEvent::Paid { lines } = play else { continue };
        for line in lines.iter_mut().filter(|line| line.player.as_str() == name && line.returned != Chips::ZERO) {
            line.returned = line.returned.minus(Chips::new(1).unwrap()).unwrap();
        }
    }
}

/// By game and number of players, what a house logs otherwise than it decided it, and how each player finds it.
#[rustfmt::skip]
const HOUSES: &[(&str, &str, u8, &str, Cheat)] = &[
    ("shows another face than the committed one", "joy", 1, "the face that was turned up", |entry, _| {
        for play in plays(entry) {
            if let RoundEvent::Dealt { card: Some(card), .. } = play {
                *card = fairshoe_fairness::Card::from_code((card.code() + 13) % 52).unwrap();
            }
        }
    }),
    ("writes down another bet", "joy", 1, "in alice's name", |entry, _| {
        if let Command::Bet { bets, .. } = &mut entry.command { bets[0].stake = Chips::new(16).unwrap(); }
    }),
    ("writes down another choice", "joy", 1, "in alice's name", |entry, _| {
        if let Command::Act { decision, .. } = &mut entry.command { *decision += 1; }
    }),
    ("pays less than was won", "joy", 1, "[payout]", |entry, _| pay_less(entry, "alice")),
    ("pays another player less", "baccarat", 3, "[payout]", |entry, _| pay_less(entry, "bob")),
    ("keeps the seed", "joy", 1, "[event_missing]", |entry, _| {
        entry.events.retain(|event| !matches!(event, Event::ShoeRevealed { .. }));
    }),
    ("leaves a bettor out", "baccarat", 3, "[bets]", |entry, _| {
        for event in &mut entry.events {
            if let Event::BetsClosed { contributors, .. } = event { contributors.pop(); }
        }
    }),
    ("writes down another's other choice", "live-blackjack", 3, "[action]", |entry, _| {
        let is_bobs = entry.by.to_string() == "player:bob";
        if let Command::Act { action, .. } = &mut entry.command && is_bobs { *action = fairshoe_games::Action::Split; }
    }),
    ("leaves a player out of a pile's shuffle", "safe", 4, "[pile]", |entry, _| {
        for event in &mut entry.events {
            if let Event::PileOpened { players, .. } = event { players.pop(); }
        }
    }),
];

/// All players can check all players' commitments, seeds, bets and choices.
#[test]
fn houses_that_cheat_are_caught() {
    for (name, game, players, words, cheat) in HOUSES {
        assert_flaw(name, &flaw_at_table(name, game, *players, cheat), words);
    }
}

#[test]
fn bets_closed_while_a_seated_player_is_waited_for_are_caught() {
    let mut desk = Desk::of("baccarat", &["alice", "bob"]);
    let mut all: Vec<Eyes> = (0..2).map(|number| Eyes::on(&desk, number, Strategy::Basic)).collect();
    all[0].neglects = |todo| matches!(todo, Todo::Bet { round_no } if *round_no > 0);
    desk.tamper = Some(Box::new(|entry, _| {
        if matches!(entry.command, Command::CloseBets { round_no: 1, .. }) {
            entry.time -= 1_000;
            for event in &mut entry.events {
                if let Event::BetsClosed { reveal_by, .. } = event {
                    *reveal_by -= 1_000;
                }
            }
        }
    }));
    let flaw = play(&mut desk, &mut all, 3, &mut |_, _| {}).unwrap_err();
    assert_flaw("an early close", &flaw, "deadline_ahead");
}
