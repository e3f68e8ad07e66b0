//! A log of seats that nobody uses, of players who wait for one, of changes without end, and of tables that replace
//! others.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::*;
use common_shared::*;
use fairshoe_fairness::ClientSeed;
use fairshoe_house::{Actor, Command, Reference};

use crate::common::shared as common_shared;

pub const FILE: &str = "entries-seats.json";

fn want(at: &str) -> Command {
    Command::WantSeat { table: table(at) }
}

fn take(at: &str, seat: u8) -> Command {
    Command::TakeSeat { table: table(at), seat }
}

fn unseat(at: &str, who: &str) -> Command {
    Command::Unseat { table: table(at), player: player(who), reason: Reference::parse("asleep").unwrap() }
}

fn open(at: &str, name: &str, options: &[(&str, &str)], replaces: Option<&str>) -> Command {
    Command::OpenTable { table: table(at), rules: rules(name, options), replaces: replaces.map(table) }
}

fn tidy() -> Command {
    Command::TidySeats { table: table("bj") }
}

/// Time passes, and what is due is done at its own time.
fn wait(w: &mut Writer, until: u64) {
    while let Some(deadline) = w.house.state.next_deadline().filter(|deadline| *deadline <= until) {
        w.house.now = w.house.now.max(deadline);
        w.house.run_due();
    }
    w.house.now = until;
}

fn write() -> Writer {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in ["alice", "bob", "carol", "dave", "erin"] {
        w.house.add_player(who, 100_000);
    }
    w.house.add_player("poor", 99);
    let operator = Actor::Operator;
    // A solo table for everyone is not held for long.
    w.refuse(&operator, open("solo", "joy-own", &[], None));
    w.refuse(&operator, open("solo", "joy", &[("reveal_time_ms", "300001")], None));
    w.refuse(&operator, open("solo", "joy", &[("round_time_ms", "1800001")], None));
    w.tick()
        .give(&operator, open("solo", "joy", &[("reveal_time_ms", "300000"), ("round_time_ms", "1800000")], None))
        .unwrap();
    w.duties();
    let full = [("seats", "2"), ("boxes", "2")];
    w.tick().give(&operator, open("bj", "live-blackjack", &full, None)).unwrap();
    w.duties();
    w.refuse(&by("carol"), want("solo"));
    w.tick().sit("bj", "alice", 1).unwrap();
    w.refuse(&by("carol"), want("bj"));
    w.tick().sit("bj", "bob", 2).unwrap();
    let sat = w.house.now;
    w.duties();
    w.refuse(&Actor::House, tidy());

    // Nobody bets, the window lapses. Two wait, and the seats are freed five minutes after they were taken.
    wait(&mut w, sat + 60_000);
    w.refuse(&by("alice"), want("bj"));
    w.refuse(&by("poor"), want("bj"));
    w.tick().give(&by("carol"), want("bj")).unwrap();
    w.refuse(&by("carol"), want("bj"));
    w.tick().give(&by("dave"), want("bj")).unwrap();
    w.refuse(&by("erin"), want("bj"));
    w.house.now = sat + 298_499;
    w.refuse(&Actor::House, tidy());
    wait(&mut w, sat + 299_000);
    w.refuse(&by("erin"), want("bj"));
    wait(&mut w, sat + 310_000);

    // Those who waited sit, and wait no more: now half an hour frees a seat.
    w.tick().give(&by("carol"), take("bj", 1)).unwrap();
    w.duties();
    w.tick().sit("bj", "dave", 2).unwrap();
    w.tick().whole_round("bj", &["carol", "dave"], 100);
    let played = w.house.now;
    wait(&mut w, played + 700_000);
    let still = w.house.table("bj").seats.len();
    assert_eq!(still, 2, "nobody waits any more");
    wait(&mut w, played + 1_900_000);
    assert!(w.house.table("bj").seats.is_empty());

    // The operator unseats a player who has a bet, and one who has none; nothing is held against them.
    w.tick().sit("bj", "alice", 1).unwrap();
    w.duties();
    w.tick().sit("bj", "bob", 2).unwrap();
    w.duties();
    w.refuse(&by("alice"), unseat("bj", "bob"));
    w.refuse(&operator, unseat("bj", "carol"));
    w.tick().place_bets("bj", "bob", &[("2", 100)]).unwrap();
    w.tick().give(&operator, unseat("bj", "bob")).unwrap();
    w.tick().give(&operator, unseat("bj", "alice")).unwrap();
    wait_for_rest(&mut w);

    // Changes without a round: 64, then only those that take one back; a round, or an hour, ends the count.
    w.tick().sit("bj", "erin", 1).unwrap();
    w.duties();
    w.house.place_bets("bj", "erin", &[("1", 100)]).unwrap();
    for change in 0..61u64 {
        w.house.now += 10;
        match change % 2 {
            0 => drop(w.house.cancel("bj", "erin").unwrap()),
            _ => drop(w.house.place_bets("bj", "erin", &[("1", 100)]).unwrap()),
        }
    }
    // She sat down, and placed first: that makes 63.
    w.house.place_bets("bj", "erin", &[("1", 200)]).unwrap();
    w.refuse(&by("erin"), w.house.place_command("bj", "erin", &[("1", 300)]));
    // Her bet comes back without a round: two changes come off.
    w.tick().start().unwrap();
    w.duties();
    w.tick().place_bets("bj", "erin", &[("1", 100)]).unwrap();
    w.tick().place_bets("bj", "erin", &[("1", 200)]).unwrap();
    w.refuse(&by("erin"), w.house.place_command("bj", "erin", &[("1", 300)]));
    w.tick().cancel("bj", "erin").unwrap();
    let late = w.house.place_command("bj", "erin", &[("1", 300)]);
    w.refuse(&by("erin"), late);
    w.tick().leave("bj", "erin").unwrap();
    w.refuse(&by("erin"), take("bj", 1));
    wait_for_rest(&mut w);
    let hour = w.house.now + 3_600_000;
    wait(&mut w, hour);
    w.tick().sit("bj", "erin", 1).unwrap();
    w.duties();
    w.tick().whole_round("bj", &["erin"], 100);

    // Another table in the place of this one, once, and by its owner alone.
    w.refuse(&operator, open("bj-2", "live-blackjack", &[], Some("bj")));
    w.tick().give(&operator, Command::CloseTable { table: table("bj") }).unwrap();
    w.refuse(&operator, open("bj", "live-blackjack", &[], None));
    w.refuse(&operator, open("bj-2", "live-blackjack", &[], Some("none")));
    w.refuse(&by("alice"), open("own", "joy-own", &[], Some("bj")));
    w.tick().give(&operator, open("bj-2", "live-blackjack", &full, Some("bj"))).unwrap();
    w.duties();
    w.refuse(&operator, open("bj-3", "live-blackjack", &[], Some("bj")));
    w.refuse(&by("alice"), take("bj", 1));
    w.tick().give(&by("alice"), open("own", "joy-own", &[], None)).unwrap();
    w.duties();
    w.tick().give(&by("alice"), Command::CloseTable { table: table("own") }).unwrap();
    w.refuse(&by("bob"), open("own-2", "joy-own", &[], Some("own")));
    w.tick().give(&by("alice"), open("own-2", "joy-own", &[], Some("own"))).unwrap();
    w.duties();
    // Four tables of one's own, and no more.
    for at in ["own-3", "own-4", "own-5"] {
        w.tick().give(&by("alice"), open(at, "joy-own", &[], None)).unwrap();
        w.duties();
    }
    w.refuse(&by("alice"), open("own-6", "joy-own", &[], None));
    // Whom there is not hands in nothing in their own name.
    w.refuse(
        &by("ghost"),
        Command::LateSeed {
            table: table("own-3"),
            round_no: 0,
            player: player("alice"),
            seed: ClientSeed::from_bytes([7; 32]),
        },
    );
    pauses(&mut w);
    w
}

/// No bets open before the pause is over; the seat of a player who is away is free in the rule set's time while another
/// waits for it.
fn pauses(w: &mut Writer) {
    let at = "pause";
    let rules = [("seats", "2"), ("boxes", "2"), ("between_hands_ms", "4000"), ("away_ms", "60000")];
    w.tick().give(&Actor::Operator, open(at, "live-blackjack", &rules, None)).unwrap();
    w.duties();
    w.tick().sit(at, "bob", 1).unwrap();
    w.duties();
    w.tick().sit(at, "carol", 2).unwrap();
    w.tick().whole_round(at, &["bob", "carol"], 100);
    let ended = w.house.now;
    let bets = Command::OpenBets { table: table(at) };
    w.house.now = ended + 3_999;
    assert!(w.house.run_due().is_empty());
    w.refuse(&Actor::House, bets.clone());
    w.house.now = ended + 4_000;
    assert_eq!(w.house.run_due()[0].command, bets);
    // Nobody bets, and somebody waits.
    w.tick().give(&by("dave"), want(at)).unwrap();
    w.house.now = ended + 34_000;
    w.house.run_due();
    assert!(w.house.table(at).window().is_none());
    w.house.now = ended + 59_999;
    w.refuse(&Actor::House, Command::TidySeats { table: table(at) });
    w.house.now = ended + 60_000;
    w.house.run_due();
    assert!(w.house.table(at).seats.is_empty());
    w.tick().give(&Actor::Operator, Command::CloseTable { table: table(at) }).unwrap();
    w.duties();
}

/// Until no window is open at the table.
fn wait_for_rest(w: &mut Writer) {
    while w.house.table("bj").window().is_some() {
        let next = w.house.state.next_deadline().unwrap();
        wait(w, next);
    }
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log of a blackjack table with two seats, and of tables that replace others; spec/games/shared-tables.md. Fields as in entries-joy.json.";
    write().text(FILE, about, "", &["cage", "house", "player:alice", "player:bob", "player:erin", "table:bj-2"])
}
