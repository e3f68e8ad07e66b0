//! A log of guests: how they come, play for play chips with nobody but each other, and go; who is refused where.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::*;
use common_shared::*;
use fairshoe_house::{Actor, Command, GUEST_IDLE_MS, GUEST_ROOM_MS, GUEST_UNUSED_MS, Lapsed, Reference};

use crate::common::shared as common_shared;

pub const FILE: &str = "entries-guests.json";

fn open(at: &str, name: &str) -> Command {
    Command::OpenTable { table: table(at), rules: rules(name, &[]), replaces: None }
}

fn take(at: &str, seat: u8) -> Command {
    Command::TakeSeat { table: table(at), seat }
}

fn dismiss(who: &str) -> Command {
    Command::DismissGuest { player: player(who) }
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
    w.house.add_player("alice", 100_000);
    let operator = Actor::Operator;
    w.refuse(&operator, Command::CreatePlayer { player: player("guest.0"), key: None });
    w.refuse(&operator, Command::CreatePlayer { player: player("guest.x"), key: None });
    w.refuse(&operator, Command::AdmitGuest {});
    w.refuse(&Actor::House, dismiss("guest.0"));
    for at in ["roulette", "play.roulette"] {
        w.tick().give(&operator, open(at, "roulette")).unwrap();
        w.duties();
    }
    for _ in 0..3 {
        w.tick().give(&Actor::House, Command::AdmitGuest {}).unwrap();
    }
    let admitted = w.house.now;

    // Chips of two kinds are at no table, and money is none of a guest's.
    w.refuse(&by("guest.0"), take("roulette", 1));
    w.refuse(&by("alice"), take("play.roulette", 1));
    w.refuse(&by("guest.0"), Command::WantSeat { table: table("roulette") });
    w.refuse(&by("guest.0"), open("own", "joy"));
    w.refuse(&by("alice"), open("play.own", "joy"));
    // A guest's own table is named after them, and no other is.
    for (who, name) in [("guest.0", "play.own"), ("guest.0", "play.guest.1.own"), ("guest.0", "play.guest.0.")] {
        w.refuse(&by(who), open(name, "joy"));
    }
    w.refuse(&operator, open("play.guest.0.own", "joy"));
    let amount = chips(5);
    w.refuse(&operator, Command::Credit { player: player("guest.0"), amount, reference: None });
    w.refuse(&operator, Command::Withdraw { player: player("guest.0"), amount, reference: None });
    let reason = Reference::parse("case 1").unwrap();
    w.refuse(&operator, Command::Correct { player: player("guest.0"), amount, reason });
    w.refuse(&Actor::House, dismiss("guest.0"));
    w.refuse(&Actor::House, dismiss("guest.3"));
    w.refuse(&Actor::House, dismiss("alice"));

    // Who has what they came with makes room after a minute, if the house wants it.
    wait(&mut w, admitted + GUEST_UNUSED_MS - 1);
    w.refuse(&Actor::House, dismiss("guest.2"));
    wait(&mut w, admitted + GUEST_UNUSED_MS);
    w.refuse(&operator, dismiss("guest.2"));
    w.house.give(&Actor::House, dismiss("guest.2")).unwrap();
    w.refuse(&Actor::House, dismiss("guest.2"));

    // Two play; what they win and lose is the account's of play chips.
    w.tick().sit("play.roulette", "guest.0", 1).unwrap();
    w.duties();
    w.tick().sit("play.roulette", "guest.1", 2).unwrap();
    w.duties();
    w.tick().whole_round_on("play.roulette", &[("guest.0", "red"), ("guest.1", "black")]);
    w.refuse(&Actor::House, dismiss("guest.0"));
    // Their own table is for play chips, too.
    w.tick().give(&by("guest.1"), open("play.guest.1.own", "joy")).unwrap();
    w.duties();
    w.tick().give(&by("guest.1"), Command::CloseTable { table: table("play.guest.1.own") }).unwrap();

    // Who has played does after five; the other's seat ends by itself, and a day later they go.
    w.tick().leave("play.roulette", "guest.1").unwrap();
    let left = w.house.now;
    w.duties();
    wait(&mut w, left + GUEST_UNUSED_MS);
    w.refuse(&Actor::House, dismiss("guest.1"));
    wait(&mut w, left + GUEST_ROOM_MS - 1);
    w.refuse(&Actor::House, dismiss("guest.1"));
    wait(&mut w, left + GUEST_ROOM_MS);
    w.refuse(&Actor::House, dismiss("guest.0"));
    w.house.give(&Actor::House, dismiss("guest.1")).unwrap();
    wait(&mut w, admitted + GUEST_IDLE_MS + 7_200_000);
    wait(&mut w, admitted + 2 * GUEST_IDLE_MS);
    assert_eq!(w.house.state.guest_count(), 0, "everybody is gone");
    w.refuse(&by("guest.0"), take("play.roulette", 1));
    w.tick().give(&Actor::House, Command::AdmitGuest {}).unwrap();
    // Their own table waits for ten minutes where its rule set says a day: for a seed, also after a start, and for the end.
    w.tick().give(&by("guest.3"), open("play.guest.3.late", "joy-own")).unwrap();
    w.duties();
    for lapsed in [Lapsed::Reveal, Lapsed::Round] {
        let seed = w
            .house
            .wish("play.guest.3.late", "guest.3", |cards| cards.iter().take(4).all(|value| (2..8).contains(value)));
        let round_no = w.house.table("play.guest.3.late").next_round;
        w.tick().bet("play.guest.3.late", "guest.3", 10, &seed).unwrap();
        match lapsed {
            Lapsed::Reveal => drop(w.tick().start().unwrap()),
            _ => drop(w.tick().reveal("play.guest.3.late", "guest.3", &seed).unwrap()),
        }
        w.duties();
        let lapses_at = w.house.now + 600_000;
        wait(&mut w, lapses_at - 1);
        w.refuse(&Actor::House, Command::Lapse { table: table("play.guest.3.late"), round_no, lapsed });
        wait(&mut w, lapses_at);
        assert!(w.house.table("play.guest.3.late").live_round().is_none(), "{lapsed:?}");
    }
    w.tick().give(&by("guest.3"), Command::CloseTable { table: table("play.guest.3.late") }).unwrap();
    // Put in order after a start, with a guest who sits.
    w.tick().sit("play.roulette", "guest.3", 1).unwrap();
    w.duties();
    w.tick().start().unwrap();
    w.duties();
    w
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log with guests, who come by number, play for play chips alone and go when they hold nothing; spec/ledger.md, \"Play chips\". Fields as in entries-joy.json.";
    write().text(FILE, about, "", &["cage", "house", "play", "player:alice", "player:guest.3", "table:play.roulette"])
}
