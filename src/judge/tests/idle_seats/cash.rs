//! The same at cash tables of poker (spec/games/poker-table.md, "Between hands").

use super::common::poker::*;
use super::*;

const FOUR: [(&str, u64); 4] = [("alice", 20_000), ("bob", 20_000), ("carol", 20_000), ("dave", 20_000)];
const TEN_CHIPS: u64 = 5_000;

fn unseat(who: &str) -> Command {
    Command::Unseat { table: table("t1"), player: player(who), reason: Reference::parse("asleep").unwrap() }
}

#[test]
fn a_seat_whose_player_sits_out_is_freed_in_time_and_pays_its_chips() {
    let mut room = Room::empty(&[], &["alice", "bob"]);
    room.buy_in("t1", "alice", 1, TEN_CHIPS).unwrap();
    room.buy_in("t1", "bob", 2, TEN_CHIPS).unwrap();
    let taken = room.now;
    // Both are called to a hand, and sit out for want of a commitment.
    room.now += 5 * MINUTE;
    room.run_due();
    room.now = taken + 30 * MINUTE - 1;
    assert!(room.run_due().iter().all(|entry| !matches!(entry.command, Command::TidySeats { .. })));
    room.now += 1;
    let done = room.run_due();
    let freed: Vec<_> = done.iter().filter(|entry| matches!(entry.command, Command::TidySeats { .. })).collect();
    assert!(
        freed.iter().any(|entry| names_of(entry).ends_with(&["posted".to_owned(), "seat_left".to_owned()])),
        "{freed:?}"
    );
    assert_eq!((room.balance("alice"), room.table("t1").seat_of(&player("alice"))), (2_000_000, None));
}

/// What costs nothing keeps no seat: sitting in and out, or a commitment for a hand that does not begin.
#[test]
fn a_seat_is_used_by_hands_alone() {
    let mut room = Room::new(&[], &FOUR[..3]);
    room.deal_any();
    room.fold_out();
    let played = room.now;
    let all = ["alice", "bob", "carol"];
    for turn in 0..5 {
        room.run_due();
        for who in all {
            let _ = room.ask("t1", who);
        }
        room.run_due();
        // One alone makes no hand.
        room.commit_hand("t1", all[turn % 3]).unwrap();
        room.now += MINUTE;
        room.run_due();
        let _ = room.sit_out(all[turn % 3]);
        room.now += 4 * MINUTE;
    }
    room.now = played + 30 * MINUTE - 1;
    room.run_due();
    assert_eq!(room.table("t1").seats.len(), 3);
    room.now += 1;
    room.run_due();
    assert_eq!(room.table("t1").seats.len(), 0);
    assert_eq!(["alice", "bob", "carol"].map(|who| room.balance(who)).iter().sum::<u64>(), 6_000_000);
}

#[test]
fn the_operator_unseats_nobody_who_is_in_a_hand() {
    let mut room = Room::new(&[], &FOUR);
    room.deal_any();
    room.fold_out();
    room.run_due();
    room.sit_out("dave").unwrap();
    room.deal_any();
    assert_eq!(refusal(room.give(&Actor::Operator, unseat("alice"))).code(), "round_in_progress");
    assert_eq!(refusal(room.give(&by("alice"), unseat("dave"))).code(), "not_allowed");
    let entry = room.give(&Actor::Operator, unseat("dave")).unwrap();
    assert_eq!(names_of(&entry), ["leave_asked"]);
    let asked = room.log.len();
    room.fold_out();
    room.run_due();
    let events: Vec<_> = entries(&room.log[asked..]).iter().flat_map(names_of).collect();
    // One hand was dave's: leaving unasked, dave would have left early.
    assert!(events.contains(&"seat_left".to_owned()) && !events.contains(&"left_early".to_owned()), "{events:?}");
    assert_eq!(room.table("t1").seat_of(&player("dave")), None);
}

#[test]
fn commitments_without_a_hand_are_bounded() {
    let mut room = Room::new(&[], &FOUR[..2]);
    // The buy-in was a change, too.
    for _ in 0..63 {
        room.commit_hand("t1", "alice").unwrap();
    }
    assert_eq!(refusal(room.commit_hand("t1", "alice")).code(), "too_many_changes");
    room.sit_out("alice").unwrap();
    assert_eq!(refusal(room.ask("t1", "alice")).code(), "too_many_changes");
    room.leave("t1", "alice").unwrap();
}
