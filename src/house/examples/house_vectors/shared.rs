//! Logs of shared tables: live blackjack with everything that can happen around a round, a wheel, a game of Safe with
//! new piles.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::*;
use common_safe::{alive, commit, finish, play_on};
use common_shared::*;
use fairshoe_games::{Action, RuleSet};
use fairshoe_house::{Actor, Command, Reference};

use crate::common::safe as common_safe;
use crate::common::shared as common_shared;

/// Each file's name and text.
pub fn files() -> Vec<(&'static str, String)> {
    vec![("entries-shared.json", live()), ("entries-wheel.json", wheel()), ("entries-safe.json", safe())]
}

fn start(players: &[&str]) -> Writer {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in players {
        w.house.add_player(who, 1_000_000);
    }
    w
}

fn label(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

fn live() -> String {
    let mut w = start(&["alice", "bob", "carol", "dave"]);
    let at = || table("live");
    w.tick()
        .open_rules("live", rules("live-blackjack", &[("reshuffle", r#"{"cut_back":380}"#), ("house_shuffle", "on")]));
    w.refuse(&by("alice"), Command::AskToPlay { table: at() });
    w.tick().sit("live", "alice", 1).unwrap();
    w.refuse(&by("bob"), Command::TakeSeat { table: at(), seat: 1 });
    w.refuse(&by("bob"), Command::TakeSeat { table: at(), seat: 8 });
    let early = w.house.place_command("live", "alice", &[("1", 100)]);
    w.refuse(&by("alice"), early);
    w.duties();
    w.tick().sit("live", "bob", 2).unwrap();

    // Round 0: a bet replaced, one cancelled and placed again; bets close early; a time-out, then stands.
    w.tick().place_bets("live", "alice", &[("1", 300)]).unwrap();
    w.tick().place_bets("live", "bob", &[("2", 200)]).unwrap();
    w.house.now += 1;
    w.house.cancel("live", "bob").unwrap();
    let (taken, low, poor) = (
        w.house.place_command("live", "bob", &[("1", 100)]),
        w.house.place_command("live", "bob", &[("2", 98)]),
        w.house.place_command("live", "carol", &[("3", 100)]),
    );
    for (who, command) in [("bob", taken), ("bob", low), ("carol", poor)] {
        w.refuse(&by(who), command);
    }
    w.refuse(&Actor::House, Command::CloseBets { table: at(), round_no: 0 });
    w.house.wish_for("live", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 6 && (0..2).all(|l| d.value(l, 0) == 5 && d.value(l, 1) < 9)
    });
    w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
    w.tick().place_bets("live", "bob", &[("2", 200)]).unwrap();
    w.duties();
    w.tick().show("live", "bob").unwrap();
    w.tick().show("live", "alice").unwrap();
    w.refuse(&Actor::House, Command::Lapse { table: at(), round_no: 0, lapsed: fairshoe_house::Lapsed::Turn });
    w.refuse(&by("bob"), Command::Act { table: at(), round_no: 0, decision: 0, action: Action::Stand });
    w.house.choose("live", "alice", Action::Double { amount: Some(chips(60)) }).unwrap();
    w.house.now += 20_000;
    w.house.run_due();
    w.house.play_out("live");
    w.duties();

    // Round 1: carol sits down and waits; the shoe is changed for her, and she bets.
    w.tick().sit("live", "carol", 3).unwrap();
    let newcomer = w.house.place_command("live", "carol", &[("3", 100)]);
    w.refuse(&by("carol"), newcomer);
    w.tick().whole_round("live", &["alice", "bob"], 100);
    w.refuse(&Actor::Operator, Command::RetireShoe { table: at(), reason: None });
    // Round 2: insurance for all three at once.
    w.house.wish_for("live", &["alice", "bob", "carol"], 4, |d| {
        d.value(3, 0) == 1
            && d.value(3, 1) < 10
            && (0..3).all(|l| (2..=6).contains(&d.value(l, 0)) && (2..=6).contains(&d.value(l, 1)))
    });
    w.tick().deal_all("live", &["alice", "bob", "carol"], 100);
    w.house.choose("live", "carol", Action::Insurance { take: true }).unwrap();
    w.house.now += 20_000;
    w.house.run_due();
    w.house.play_out("live");
    w.duties();
    // Rounds 3 and 4: bob's seed stays away, twice; bob climbs the ladder. The first one comes late.
    let late = |house: &House, who: &str| {
        let seed = house.seed_of("live", "bob", 3);
        Command::LateSeed { table: table("live"), round_no: 3, player: player(who), seed }
    };
    for round in 3..5 {
        if round == 4 {
            w.tick().sit("live", "bob", 2).unwrap();
            w.duties();
        }
        w.tick().place_bets("live", "bob", &[("2", 100)]).unwrap();
        w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
        w.house.now += 16_000;
        w.house.run_due();
        w.tick().show("live", "alice").unwrap();
        w.house.now += 10_000;
        w.refuse(&Actor::Anyone, w.reveal("live", "bob"));
        w.house.run_due();
        if round == 3 {
            w.refuse(&Actor::Anyone, late(&w.house, "alice"));
            let command = late(&w.house, "bob");
            w.tick().give(&by("bob"), command).unwrap();
        }
    }
    w.refuse(&by("bob"), Command::TakeSeat { table: at(), seat: 2 });
    // Dave asks for a shoe and does not bet on it; carol, who sits on, loses her seat in the end.
    w.tick().sit("live", "dave", 4).unwrap();
    for _ in 0..5 {
        w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
        w.house.now += 16_000;
        w.house.run_due();
        w.house.show_all("live");
        w.house.play_out("live");
        w.house.run_due();
    }
    // The operator announces, asks for a shuffle, corrects the book, declares a malfunction while bets are open.
    w.tick().give(&Actor::Operator, Command::RetireShoe { table: at(), reason: Some(label("worn cards")) }).unwrap();
    w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
    w.tick().close("live", &Actor::Operator).unwrap();
    w.house.show_all("live");
    w.house.play_out("live");
    w.duties();
    w.tick()
        .give(
            &Actor::Operator,
            Command::Correct { player: player("carol"), amount: chips(40), reason: label("case 17") },
        )
        .unwrap();
    w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
    let round_no = w.house.table("live").next_round;
    w.tick().give(&Actor::Operator, Command::VoidRound { table: at(), round_no, reason: label("camera") }).unwrap();
    w.duties();
    // An orderly stop with bets open; a start that was refused; a crash while seeds are awaited, and one in play.
    w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
    w.tick().give(&Actor::House, Command::StopDealer {}).unwrap();
    let at_time = w.house.now;
    w.house.now += HOUR;
    w.house.crash();
    w.tick().give(&Actor::House, Command::NoteRefusedStart { at: at_time, reason: label("disk full") }).unwrap();
    w.duties();
    w.house.wish_for("live", &["alice"], 2, |d| d.value(1, 0) == 6 && d.value(0, 0) == 5 && d.value(0, 1) < 9);
    w.tick().place_bets("live", "alice", &[("1", 100)]).unwrap();
    w.house.close("live", &Actor::Operator).unwrap();
    w.tick().crash();
    w.duties();
    w.tick().show_all("live");
    w.tick().crash();
    w.duties();
    w.house.play_out("live");
    w.duties();
    // Nobody bets any more: the window ends empty, the shoe comes out half an hour after its last round. The table is
    // closed.
    w.tick().leave("live", "alice").unwrap();
    w.house.now += 60_000;
    w.duties();
    w.refuse(&Actor::House, Command::RetireShoe { table: at(), reason: None });
    w.house.now += 30 * MINUTE;
    w.duties();
    w.tick().give(&Actor::Operator, Command::CloseTable { table: at() }).unwrap();
    // A baccarat table whose cut card comes soon.
    w.tick().open_rules("bac", rules("baccarat", &[("reshuffle", r#"{"cut_back":407}"#)]));
    w.house.sit_all("bac", &["alice", "dave"]);
    for _ in 0..3 {
        w.tick().place_bets("bac", "alice", &[("banker", 101), ("tie", 100)]).unwrap();
        w.tick().place_bets("bac", "dave", &[("player", 100), ("banker", 100)]).unwrap();
        w.duties();
        w.tick().show_all("bac");
        w.duties();
    }
    // An orderly stop while the table waits to be put in order.
    w.tick().crash();
    w.tick().give(&Actor::House, Command::StopDealer {}).unwrap();
    w.tick().crash();
    w.duties();
    let about = "A whole log of a live blackjack and a baccarat table; spec/games/shared-tables.md, spec/entries.md. Fields as in entries-joy.json.";
    w.text(
        "entries-shared.json",
        about,
        "",
        &["cage", "house", "player:alice", "player:bob", "player:carol", "player:dave", "table:bac"],
    )
}

fn wheel() -> String {
    let mut w = start(&["alice", "bob"]);
    w.tick().open_rules("wheel", rules("roulette", &[("spins", "3")]));
    w.tick().sit("wheel", "alice", 1).unwrap();
    w.duties();
    let bets: [(&str, u64); 5] =
        [("straight:0", 100), ("corner:0-1-2-3", 200), ("red", 1000), ("column:1", 500), ("split:17-20", 100)];
    w.tick().place_bets("wheel", "alice", &bets).unwrap();
    w.duties();
    w.tick().show_all("wheel");
    w.duties();
    // Bob comes in on the wheel that is in use: its slots are independent.
    w.tick().sit("wheel", "bob", 2).unwrap();
    w.tick().place_bets("wheel", "bob", &[("line:13-18", 100), ("low", 300), ("street:0-1-2", 100)]).unwrap();
    w.tick().place_bets("wheel", "alice", &[("dozen:2", 100), ("even", 100)]).unwrap();
    w.refuse(&by("alice"), Command::TakeSeat { table: table("wheel"), seat: 3 });
    w.duties();
    // This spin is none: bob's seed stays away. Its slot is burnt, the bets come back, and the seed comes late.
    w.refuse(&Actor::Operator, Command::VoidRound { table: table("wheel"), round_no: 1, reason: label("no spin") });
    w.tick().show("wheel", "alice").unwrap();
    w.house.now += 10_000;
    w.duties();
    let seed = w.house.seed_of("wheel", "bob", 1);
    let late = Command::LateSeed { table: table("wheel"), round_no: 1, player: player("bob"), seed };
    w.tick().give(&Actor::Anyone, late).unwrap();
    w.tick().sit("wheel", "bob", 2).unwrap();
    w.duties();
    // The third spin is the wheel's last; the fourth is another's.
    for _ in 0..2 {
        w.tick().place_bets("wheel", "bob", &[("black", 100), ("high", 100), ("odd", 100)]).unwrap();
        w.tick().place_bets("wheel", "alice", &[("corner:32-33-35-36", 100)]).unwrap();
        w.duties();
        w.tick().show_all("wheel");
        w.duties();
    }
    w.text(
        "entries-wheel.json",
        "A whole log of a roulette table; spec/games/roulette.md. Fields as in entries-joy.json.",
        "",
        &["cage", "house", "player:alice", "player:bob", "table:wheel"],
    )
}

/// A game that comes to a second pile, one player missing from its first shuffle; then a crash that rolls the next game
/// back.
fn safe() -> String {
    let seed = (0u64..).find(|seed| reaches_a_pile(*seed)).unwrap();
    let (mut w, mut rng) = begin(seed);
    let missing = alive(&w.house)[0].clone();
    let others: Vec<String> = alive(&w.house).into_iter().filter(|who| *who != missing).collect();
    for who in &others {
        w.house.now += 500;
        commit(&mut w.house, who).unwrap();
    }
    w.refuse(&by(&others[0]), common_safe::commit_command(&w.house, &others[0]));
    w.refuse(&Actor::Anyone, w.reveal("t1", &others[0]));
    w.house.now += 15_000;
    w.refuse(&by(&missing), common_safe::commit_command(&w.house, &missing));
    w.house.run_due();
    finish(&mut w.house, &mut rng);
    // The pause of the rule set as it ships.
    w.house.now += 5_000;
    w.duties();
    for who in ["alice", "bob", "carol", "dave"] {
        let seat = w.house.table("t1").seat_of(&player(who)).unwrap().to_string();
        w.tick().place_bets("t1", who, &[(&seat, 100)]).unwrap();
    }
    w.duties();
    w.house.show_all("t1");
    w.tick().crash();
    w.duties();
    let accounts = ["cage", "house", "player:alice", "player:bob", "player:carol", "player:dave", "table:t1"];
    w.text("entries-safe.json", "A whole log of a Safe table whose game takes several piles; spec/games/safe.md. Fields as in entries-joy.json.", "", &accounts)
}

fn begin(seed: u64) -> (Writer, rng::Rng) {
    let mut rng = rng::Rng(seed);
    let mut w = start(&common_safe::PLAYERS);
    for who in common_safe::PLAYERS {
        let mut secret = [0x31; 32];
        secret[..8].copy_from_slice(&seed.to_be_bytes());
        secret[8..8 + who.len()].copy_from_slice(who.as_bytes());
        w.house.secrets.insert(who.into(), secret);
    }
    w.house.open_rules("t1", RuleSet::shipped("safe").unwrap());
    w.house.sit_all("t1", &common_safe::PLAYERS);
    w.house.deal_all("t1", &common_safe::PLAYERS, 100);
    play_on(&mut w.house, &mut rng);
    (w, rng)
}

/// Whether this game comes to a pile with three players in, a face-down hand on the table, and goes on from it to an
/// end.
fn reaches_a_pile(seed: u64) -> bool {
    let (w, _) = begin(seed);
    let view = w.house.table("t1").round.as_ref().unwrap().game.view();
    let holds = |one: &serde_json::Value| one["face_down"].as_array().is_some_and(|hands| !hands.is_empty());
    w.house.table("t1").live_round().is_some()
        && alive(&w.house).len() >= 3
        && view["players"].as_array().unwrap().iter().any(holds)
}
