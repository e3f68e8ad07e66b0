//! A log that tells two readings of a page apart, where the other logs pass under both: what a wish made in an open
//! window counts for, which bet begins a seat's count anew, who must bet on a shoe that was changed, which cause a pile
//! comes out with.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::safe::{PLAYERS, play_on, shuffling};
use crate::common::shared::rules;
use crate::common::*;
use fairshoe_games::Action;
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
    for who in PLAYERS.into_iter().chain(["erin", "frank"]) {
        w.house.add_player(who, 1_000_000);
    }
    wishes(&mut w);
    misses(&mut w);
    alone(&mut w);
    changed_shoes(&mut w);
    starts(&mut w);
    turns(&mut w);
    piles(&mut w);
    closing_times(&mut w);
    boxes(&mut w);
    uses(&mut w);
    duties_of_newcomers(&mut w);
    ladder(&mut w);
    away(&mut w);
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
        FILE,
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

/// A turn is another one when the first of those who are asked has answered. At a cash table it gets its full time again
/// only once as well, and then lasts until the time bank would have begun to run.
fn turns(w: &mut Writer) {
    let start = |w: &mut Writer| {
        w.tick().credit("carol", 1).unwrap();
        w.tick().start().unwrap();
        w.house.run_due();
    };
    let (at, players) = ("turns", ["alice", "bob"]);
    w.tick().open_rules(at, rules("live-blackjack", &[]));
    w.house.sit_all(at, &players);
    w.house.wish_for(at, &players, 3, |deck| {
        deck.value(2, 0) == 1 && deck.value(2, 1) < 10 && (0..2).all(|lane| deck.value(lane, 0) == 5)
    });
    w.tick().place_all(at, &players, 100);
    w.duties();
    w.tick().show_all(at);
    assert_eq!(w.house.asked(at), players);
    start(w);
    w.tick().choose(at, "alice", Action::Insurance { take: false }).unwrap();
    start(w);
    w.house.play_out(at);
    w.duties();
    for who in players {
        w.tick().leave(at, who).unwrap();
    }
    let at = "bank";
    w.tick().open_rules(at, rules("holdem", &[("crash", "resume")]));
    w.house.buy_in_all(at, &players, 10_000);
    w.tick().deal_hand(at);
    start(w);
    start(w);
    let asked = w.house.asked(at).remove(0);
    w.tick().choose(at, &asked, Action::Fold).unwrap();
    w.duties();
    for who in players {
        w.tick().leave(at, who).unwrap();
        w.duties();
    }
}

/// What is due stays due since then, whatever happens at the table meanwhile. A start of the dealer is never late, and
/// what was due before it has a minute again when all tables are in order.
fn away(w: &mut Writer) {
    let command = Command::OpenTable { table: table("away"), rules: rules("roulette", &[]), replaces: None };
    w.tick().give(&Actor::Operator, command).unwrap();
    w.house.now += 30_000;
    w.house.sit("away", "dave", 1).unwrap();
    w.house.now += 70_000;
    w.house.start().unwrap();
    w.house.run_due();
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

/// What is asked for at a window's end comes too late; the operator's close at it is no announcement.
fn closing_times(w: &mut Writer) {
    let at = "edge";
    w.tick().open_rules(at, rules("roulette", &[("close_early", "off")]));
    w.house.sit_all(at, &["alice", "bob"]);
    bet(w, at, "bob", "red");
    w.house.now = w.house.table(at).window().unwrap().closes_at.unwrap();
    let round_no = w.house.table(at).next_round;
    let late = w.house.place_command(at, "alice", &[("red", 100)]);
    w.refuse(&by("alice"), late);
    w.refuse(&by("bob"), Command::CancelBet { table: table(at), round_no });
    w.refuse(&by("bob"), Command::LeaveSeat { table: table(at) });
    w.house.close(at, &Actor::Operator).unwrap();
    play_closed(w, at);
    for who in ["alice", "bob"] {
        w.tick().leave(at, who).unwrap();
    }
    let_pass(w, at);
}

/// A seat on whose box another player has bet cannot be taken.
fn boxes(w: &mut Writer) {
    let at = "box";
    w.tick().open_rules(at, rules("live-blackjack", &[("bets_per_player", "2")]));
    w.house.sit_all(at, &["alice"]);
    w.house.now += 1_500;
    w.house.place_bets(at, "alice", &[("1", 100), ("3", 100)]).unwrap();
    w.refuse(&by("bob"), Command::TakeSeat { table: table(at), seat: 3 });
    w.tick().leave(at, "alice").unwrap();
    let_pass(w, at);
}

/// A round that waits for its seeds for long: a wish that came and went meanwhile makes no seat idle, whoever has asked
/// to play keeps theirs; a wish does not stand at its end.
fn uses(w: &mut Writer) {
    let at = "use";
    let long = [("seats", "3"), ("reveal_time_ms", "7200000"), ("close_early", "off")];
    w.tick().open_rules(at, rules("roulette", &long));
    w.house.sit_all(at, &["alice", "bob", "carol"]);
    bet(w, at, "alice", "red");
    let_pass(w, at);
    w.house.now += 300_000;
    let wish = Command::WantSeat { table: table(at) };
    for who in ["dave", "erin", "frank"] {
        w.house.give(&by(who), wish.clone()).unwrap();
    }
    w.house.now += 599_999;
    w.refuse(&by("dave"), wish.clone());
    w.house.now += 1;
    w.house.give(&by("dave"), wish).unwrap();
    w.house.now += 601_000;
    w.tick().show_all(at);
    w.duties();
    assert!(w.house.table(at).window().is_some() && w.house.table(at).seat_of(&player("carol")).is_some());
    bet(w, at, "alice", "red");
    w.tick().leave(at, "carol").unwrap();
    let_pass(w, at);
    w.tick().sit(at, "dave", 3).unwrap();
    w.house.now += 1_860_000;
    w.tick().show_all(at);
    w.duties();
    assert!(w.house.table(at).window().is_some() && w.house.table(at).seat_of(&player("dave")).is_some());
    for who in ["alice", "dave"] {
        w.tick().leave(at, who).unwrap();
    }
    let_pass(w, at);
}

/// What ends the duty of a newcomer for whom the shoe was changed, and what does not.
fn duties_of_newcomers(w: &mut Writer) {
    let offences = |w: &Writer| w.house.state.conduct().next(&player("erin"), w.house.now).0;
    let tables = ["duty", "duty2"];
    for at in tables {
        w.tick().open_rules(at, rules("baccarat", &[("house_shuffle", "on"), ("reveal_time_ms", "120000")]));
    }
    let comes = |w: &mut Writer, at: &str| {
        if w.house.table(at).seat_of(&player("alice")).is_none() {
            w.house.sit_all(at, &["alice"]);
        } else if w.house.table(at).window().is_none() {
            w.tick().ask(at, "alice").unwrap();
            w.duties();
        }
        bet(w, at, "alice", "player");
        w.house.run_due();
        w.tick().sit(at, "erin", 5).unwrap();
    };
    let changed = |w: &mut Writer, at: &str| {
        w.tick()
            .give(&Actor::Operator, Command::RetireShoe { table: table(at), reason: Reference::parse("worn cards") })
            .unwrap();
        play_closed(w, at);
    };
    let [at, other] = tables;
    // The operator unseats erin: nothing is held against them.
    comes(w, at);
    changed(w, at);
    let reason = Reference::parse("asleep").unwrap();
    w.tick().give(&Actor::Operator, Command::Unseat { table: table(at), player: player("erin"), reason }).unwrap();
    round(w, at, &["alice"], "player");
    assert_eq!(offences(w), 1);
    // Erin leaves: they owe the bet still. A window that the operator announces closed leaves it.
    comes(w, at);
    changed(w, at);
    w.tick().leave(at, "erin").unwrap();
    w.tick().close(at, &Actor::Operator).unwrap();
    w.duties();
    assert_eq!(offences(w), 1);
    round(w, at, &["alice"], "player");
    assert_eq!(offences(w), 2);
    // Erin asked at both tables. The second offence bars them for five minutes: at the other table they owe nothing.
    comes(w, at);
    comes(w, other);
    changed(w, at);
    round(w, at, &["alice"], "player");
    assert_eq!(offences(w), 3);
    changed(w, other);
    round(w, other, &["alice"], "player");
    assert_eq!(offences(w), 3);
    for at in tables {
        for who in ["alice", "erin"] {
            if w.house.table(at).seat_of(&player(who)).is_some() {
                w.tick().leave(at, who).unwrap();
            }
        }
        if w.house.table(at).window().is_some() {
            let_pass(w, at);
        }
    }
}

impl Writer {
    fn pass_until(&mut self, time: u64) {
        self.house.wait(time - self.house.now);
    }
}

/// Offences of exactly twelve hours ago do not count; a cooldown ends at its end, and never before an earlier one's.
fn ladder(w: &mut Writer) {
    let tables = ["step1", "step2", "step3", "step4"];
    let reveal = [("bet_time_ms", "60000"), ("reveal_time_ms", "15000"), ("close_early", "off")];
    // Frank's bets bind at this time, and the seeds do not come.
    let bets = |w: &mut Writer, tables: &[&str], time: u64| {
        for at in tables {
            w.tick().sit(at, "frank", 1).unwrap();
            w.house.run_due();
            bet(w, at, "frank", "red");
        }
        w.pass_until(time);
        for at in tables {
            w.house.close(at, &Actor::Operator).unwrap();
        }
    };
    for at in tables {
        w.tick().open_rules(at, rules("roulette", &reveal));
    }
    let first = w.house.now + 25_000;
    bets(w, &tables, first);
    w.pass_until(first + 15_000);
    let until = first + 15_000 + 1_800_000;
    w.pass_until(until - 1);
    let sit = Command::TakeSeat { table: table("step1"), seat: 1 };
    w.refuse(&by("frank"), sit.clone());
    w.pass_until(until);
    w.house.give(&by("frank"), sit.clone()).unwrap();
    w.house.run_due();
    w.tick().leave("step1", "frank").unwrap();
    w.pass_until(first + 12 * HOUR - 60_000);
    bets(w, &["step1"], first + 12 * HOUR - 30_000);
    bets(w, &["step2"], first + 12 * HOUR);
    w.pass_until(first + 12 * HOUR + 15_000);
    let (offences, _) = w.house.state.conduct().next(&player("frank"), w.house.now);
    assert_eq!(offences, 3, "of two that count");
    w.pass_until(first + 13 * HOUR - 15_001);
    w.refuse(&by("frank"), sit.clone());
    w.pass_until(first + 13 * HOUR - 15_000);
    w.house.give(&by("frank"), sit).unwrap();
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
