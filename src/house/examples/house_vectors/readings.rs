//! A log that tells two readings of a page apart, where the other logs pass under both: what a wish made in an open
//! window counts for, which bet begins a seat's count anew, who must bet on a shoe that was changed, which cause a pile
//! comes out with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::safe::{PLAYERS, play_on, shuffling};
use crate::common::shared::rules;
use crate::common::*;
use fairshoe_house::{Actor, Command, Reference};

pub const FILE: &str = "entries-readings.json";

fn void(w: &Writer, at: &str) -> Command {
    let round_no = w.house.table(at).live_round().map_or(w.house.table(at).next_round, |round| round.round_no);
    Command::VoidRound { table: table(at), round_no, reason: Reference::parse("camera").unwrap() }
}

/// These bet 100 on this spot, bets close, early or when the time is up, and the round is played.
fn round(w: &mut Writer, at: &str, players: &[&str], spot: &str) {
    for who in players {
        bet(w, at, who, spot);
    }
    play(w, at);
}

fn bet(w: &mut Writer, at: &str, who: &str, spot: &str) {
    w.tick().place_bets(at, who, &[(spot, 100)]).unwrap();
}

fn play(w: &mut Writer, at: &str) {
    w.house.run_due();
    if w.house.table(at).window().is_some() {
        let_pass(w, at);
    }
    w.tick().show_all(at);
    w.house.play_out(at);
    w.duties();
}

/// A window of this table runs out.
fn let_pass(w: &mut Writer, at: &str) {
    let closes = w.house.table(at).window().unwrap().closes_at.unwrap();
    w.house.now = closes;
    w.duties();
}

pub fn text() -> String {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in PLAYERS {
        w.house.add_player(who, 1_000_000);
    }
    wishes(&mut w);
    misses(&mut w);
    alone(&mut w);
    changed_shoes(&mut w);
    starts(&mut w);
    piles(&mut w);
    let accounts = [
        "cage",
        "house",
        "player:alice",
        "player:bob",
        "player:carol",
        "player:dave",
        "table:wish",
        "table:miss",
        "table:alone",
        "table:shoe",
        "table:again",
        "table:t1",
    ];
    w.text(
        "A whole log of what tells two readings apart; spec/games/shared-tables.md, Seats, Windows, Who may bet on a shoe, New piles. Fields as in entries-joy.json.",
        "",
        &accounts,
    )
}

/// A wish that comes while a window stands counts for this window and for the next.
fn wishes(w: &mut Writer) {
    let at = "wish";
    w.tick().open_rules(at, rules("roulette", &[("close_early", "off")]));
    w.tick().sit(at, "alice", 1).unwrap();
    w.duties();
    // Bob sits down in the window and lets it pass with alice: the next one opens for bob, and no third one.
    w.tick().sit(at, "bob", 2).unwrap();
    let_pass(w, at);
    let_pass(w, at);
    w.refuse(&Actor::House, Command::OpenBets { table: table(at) });
    w.tick().ask(at, "alice").unwrap();
    w.duties();
    // Bob asks in the window and bets in it: bob's wish is used up. Carol sits down in it and does not bet: hers is
    // not, and another window opens for her alone, when the others have gone.
    w.tick().ask(at, "bob").unwrap();
    w.tick().sit(at, "carol", 3).unwrap();
    for who in ["alice", "bob"] {
        bet(w, at, who, "red");
    }
    let_pass(w, at);
    for who in ["alice", "bob"] {
        w.tick().leave(at, who).unwrap();
    }
    w.tick().show_all(at);
    w.duties();
    let_pass(w, at);
    w.tick().leave(at, "carol").unwrap();
}

/// What a round waits for gets its full time again at the first start that it meets, and at the next what the house was
/// away.
fn starts(w: &mut Writer) {
    let at = "again";
    w.tick().open_rules(at, rules("live-blackjack", &[]));
    w.house.sit_all(at, &["alice", "bob"]);
    w.tick().place_all(at, &["alice", "bob"], 100);
    w.duties();
    let twice = |w: &mut Writer| {
        for _ in 0..2 {
            w.tick().credit("carol", 1).unwrap();
            w.tick().start().unwrap();
            w.house.run_due();
        }
    };
    twice(w);
    w.tick().show_all(at);
    twice(w);
    w.house.play_out(at);
    w.duties();
    for who in ["alice", "bob"] {
        w.tick().leave(at, who).unwrap();
    }
}

/// Three windows in a row without a bet cost the seat; not every bet begins the count anew, and not every window
/// counts.
fn misses(w: &mut Writer) {
    let at = "miss";
    w.tick().open_rules(at, rules("roulette", &[]));
    w.house.sit_all(at, &["alice", "bob"]);
    // Two missed; then a bet in a window that a malfunction ends, and one that is taken back before an announced close.
    round(w, at, &["alice"], "red");
    round(w, at, &["alice"], "red");
    bet(w, at, "bob", "black");
    let command = void(w, at);
    w.tick().give(&Actor::Operator, command).unwrap();
    w.duties();
    bet(w, at, "bob", "black");
    w.tick().cancel(at, "bob").unwrap();
    w.tick().close(at, &Actor::Operator).unwrap();
    w.duties();
    // The third one missed: the seat is lost.
    assert!(w.house.table(at).seat_of(&player("bob")).is_some());
    round(w, at, &["alice"], "red");
    assert!(w.house.table(at).seat_of(&player("bob")).is_none());
    // A bet that binds at an announced close begins the count anew, and such a close counts nobody up.
    w.tick().sit(at, "bob", 2).unwrap();
    round(w, at, &["alice"], "red");
    round(w, at, &["alice"], "red");
    bet(w, at, "bob", "black");
    w.tick().close(at, &Actor::Operator).unwrap();
    w.tick().show_all(at);
    w.duties();
    bet(w, at, "alice", "red");
    w.tick().close(at, &Actor::Operator).unwrap();
    w.tick().show_all(at);
    w.duties();
    round(w, at, &["alice"], "red");
    round(w, at, &["alice"], "red");
    assert!(w.house.table(at).seat_of(&player("bob")).is_some());
    round(w, at, &["alice"], "red");
    assert!(w.house.table(at).seat_of(&player("bob")).is_none());
    w.tick().leave(at, "alice").unwrap();
    let_pass(w, at);
}

/// A bet that is alone in a window that the operator announces closed makes no round, and begins no count anew; one
/// that is alone when the time is up makes none either, and does.
fn alone(w: &mut Writer) {
    let at = "alone";
    w.tick().open_rules(at, rules("safe", &[("close_early", "off")]));
    w.house.sit_all(at, &["alice", "bob"]);
    let misses = |w: &Writer, who: &str| {
        w.house.table(at).seats.values().find(|seat| seat.player == player(who)).unwrap().misses
    };
    bet(w, at, "alice", "1");
    let_pass(w, at);
    w.tick().ask(at, "alice").unwrap();
    w.duties();
    bet(w, at, "bob", "2");
    w.tick().close(at, &Actor::Operator).unwrap();
    assert_eq!(misses(w, "bob"), 1);
    w.duties();
    bet(w, at, "bob", "2");
    let_pass(w, at);
    assert_eq!(misses(w, "bob"), 0);
    for who in ["alice", "bob"] {
        w.tick().leave(at, who).unwrap();
    }
}

/// A player who asked when the shoe went by `newcomer` or `house_shuffle` must bet on the next one; by another cause
/// they need not.
fn changed_shoes(w: &mut Writer) {
    let at = "shoe";
    w.tick().open_rules(at, rules("baccarat", &[("house_shuffle", "on"), ("reshuffle", r#"{"cut_back":405}"#)]));
    w.house.sit_all(at, &["alice"]);
    // Dave sits down while a round is on; the operator asks for a shuffle; dave lets the next window pass.
    bet(w, at, "alice", "player");
    w.house.run_due();
    w.tick().sit(at, "dave", 4).unwrap();
    w.tick()
        .give(&Actor::Operator, Command::RetireShoe { table: table(at), reason: Reference::parse("worn cards") })
        .unwrap();
    w.tick().show_all(at);
    w.duties();
    let offences = |w: &Writer, who: &str| w.house.state.conduct().next(&player(who), w.house.now).0;
    round(w, at, &["alice"], "player");
    assert_eq!(offences(w, "dave"), 2, "he served the first step");
    w.tick().leave(at, "dave").unwrap();
    // Carol sits down while the round is on in which the cut card comes: nothing is held against her.
    loop {
        bet(w, at, "alice", "player");
        w.house.run_due();
        if w.house.table(at).shoe.as_ref().unwrap().undrawn.len() < 412 {
            break;
        }
        play_closed(w, at);
    }
    w.tick().sit(at, "carol", 3).unwrap();
    play_closed(w, at);
    round(w, at, &["alice"], "player");
    assert_eq!(offences(w, "carol"), 1);
    for who in ["alice", "carol"] {
        w.tick().leave(at, who).unwrap();
    }
    w.duties();
    if w.house.table(at).window().is_some() {
        let_pass(w, at);
    }
}

/// The round whose bets are closed.
fn play_closed(w: &mut Writer, at: &str) {
    w.tick().show_all(at);
    w.duties();
}

/// Games that end while a pile is awaited: one because nobody is left, one, which the operator may not void then, by a
/// crash.
fn piles(w: &mut Writer) {
    let at = "t1";
    w.tick().open_rules(at, rules("safe", &[]));
    w.house.sit_all(at, &PLAYERS);
    let mut rng = rng::Rng(7);
    let mut games = 0;
    while games < 2 {
        w.house.deal_all(at, &PLAYERS, 100);
        play_on(&mut w.house, &mut rng);
        let shuffling = shuffling(&w.house);
        // Nobody commits, again and again: one by one they are put out, and the last of them wins.
        while games == 0 && w.house.table(at).live_round().is_some() {
            w.house.now = w.house.table(at).next_deadline().unwrap();
            w.duties();
        }
        if shuffling && games == 1 {
            let command = void(w, at);
            w.refuse(&Actor::Operator, command);
            w.house.crash();
        }
        games += usize::from(shuffling);
        w.duties();
    }
}
