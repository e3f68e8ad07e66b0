//! Seats that nobody uses, wishes for one, changes that are bounded, tables that replace others
//! (spec/games/shared-tables.md, "Seats").

mod cash;
mod pause;
use crate::common;

use common::shared::*;
use common::*;
use fairshoe_house::{Actor, Command, Entry, Event, Reference, Refusal};
use fairshoe_judge::audit::{Book, Limits};

const BET: u64 = 15 * SECOND;

/// A seat may be unused for so long, and for so long where somebody waits; a wish stands for so long.
const IDLE: u64 = 30 * MINUTE;
const IDLE_WANTED: u64 = 5 * MINUTE;
const WISH: u64 = 10 * MINUTE;

/// A table that two players fill.
const TWO: [(&str, &str); 2] = [("seats", "2"), ("boxes", "2")];

fn want(at: &str) -> Command {
    Command::WantSeat { table: table(at) }
}

fn tidy(at: &str) -> Command {
    Command::TidySeats { table: table(at) }
}

fn unseat(at: &str, who: &str) -> Command {
    Command::Unseat { table: table(at), player: player(who), reason: Reference::parse("asleep").unwrap() }
}

/// What is due until a time is done when it is due.
fn wait(house: &mut House, until: u64) -> Vec<Entry> {
    let mut done = Vec::new();
    while let Some(deadline) = house.state.next_deadline().filter(|deadline| *deadline <= until) {
        house.now = house.now.max(deadline);
        done.extend(house.run_due());
    }
    house.now = house.now.max(until);
    done
}

fn left(entries: &[Entry]) -> Vec<(u64, Vec<String>)> {
    let of = |entry: &Entry| -> Vec<String> {
        let left =
            |event: &Event| if let Event::SeatLeft { player, .. } = event { Some(player.to_string()) } else { None };
        entry.events.iter().filter_map(left).collect()
    };
    entries
        .iter()
        .filter(|entry| matches!(entry.command, Command::TidySeats { .. }))
        .map(|entry| (entry.time, of(entry)))
        .collect()
}

#[test]
fn a_seat_that_nobody_uses_is_freed_after_half_an_hour() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    let sat = house.now;
    house.sit_all("t1", &["alice", "bob"]);
    assert_eq!(refusal(house.give(&Actor::House, tidy("t1"))).code(), "nothing_to_do", "a window is open");
    wait(&mut house, sat + 10 * MINUTE);
    let asked = house.now;
    house.ask("t1", "bob").unwrap();
    house.run_due();
    wait(&mut house, sat + IDLE - 1);
    assert_eq!(refusal(house.give(&Actor::House, tidy("t1"))).code(), "nothing_to_do", "a millisecond too early");
    let done = wait(&mut house, asked + IDLE);
    assert_eq!(left(&done), [(sat + IDLE, vec!["alice".to_owned()]), (asked + IDLE, vec!["bob".to_owned()])]);
    assert!(house.table("t1").seats.is_empty() && house.state.next_deadline().is_none());
    assert_eq!(finding(&house), None);
}

fn finding(house: &House) -> Option<String> {
    let mut book = Book::new(Limits::default());
    for (index, bytes) in (0..).zip(&house.log) {
        if let Err(finding) = book.feed(index, bytes) {
            return Some(finding.to_string());
        }
    }
    book.finish().first_failure.map(|finding| finding.to_string())
}

#[test]
fn a_player_who_plays_keeps_the_seat_however_long_a_round_lasts() {
    let mut house = House::shared("live-blackjack", &[("reveal_time_ms", "7200000")], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob", "carol"]);
    house.place_all("t1", &["alice", "bob"], 100);
    house.now += BET;
    house.run_due();
    // Two hours later the seeds come: alice and bob were in the round, carol was not.
    house.now += 2 * HOUR - 1;
    house.show_all("t1");
    house.play_out("t1");
    let ended = house.now;
    let done = house.run_due();
    assert_eq!(left(&done), [(ended, vec!["carol".to_owned()])]);
    assert!(matches!(done[0].command, Command::TidySeats { .. }), "before bets open again");
    assert!(house.table("t1").window().is_some());
}

#[test]
fn who_waits_for_a_seat_has_it_sooner() {
    let mut house = House::shared("live-blackjack", &TWO, &["alice", "bob", "carol", "dave", "erin"]);
    house.add_player("poor", 99);
    let sat = house.now;
    house.sit("t1", "alice", 1).unwrap();
    assert_eq!(refusal(house.give(&by("carol"), want("t1"))).code(), "nothing_to_do", "a seat is free");
    house.sit("t1", "bob", 2).unwrap();
    house.run_due();
    wait(&mut house, sat + 2 * MINUTE);
    for (who, code) in [("alice", "nothing_to_do"), ("poor", "chips_needed")] {
        assert_eq!(refusal(house.give(&by(who), want("t1"))).code(), code);
    }
    assert_eq!(refusal(house.give(&Actor::Operator, want("t1"))).code(), "not_allowed");
    let entry = house.give(&by("carol"), want("t1")).unwrap();
    assert_eq!(entry.events, [Event::SeatWanted { player: player("carol") }]);
    assert_eq!(refusal(house.give(&by("carol"), want("t1"))).code(), "nothing_to_do", "she waits already");
    house.give(&by("dave"), want("t1")).unwrap();
    assert_eq!(refusal(house.give(&by("erin"), want("t1"))).code(), "too_many_waiting");
    assert!(house.table("t1").waiting_at(house.now).eq([&player("carol"), &player("dave")]));
    let done = wait(&mut house, sat + IDLE_WANTED);
    assert_eq!(left(&done), [(sat + IDLE_WANTED, vec!["alice".to_owned(), "bob".to_owned()])]);
    // No seat is held for one who waits; the wish is over with a seat.
    house.sit("t1", "erin", 1).unwrap();
    house.sit("t1", "carol", 2).unwrap();
    assert!(house.table("t1").waiting_at(house.now).eq([&player("dave")]));
    assert_eq!(finding(&house), None);
}

#[test]
fn a_wish_that_is_over_frees_no_seat() {
    let mut house = House::shared("live-blackjack", &TWO, &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    let wished = house.now + 10;
    house.now = wished;
    house.give(&by("carol"), want("t1")).unwrap();
    house.place_all("t1", &["alice", "bob"], 100);
    house.run_due();
    house.show_all("t1");
    house.play_out("t1");
    house.run_due();
    let ended = house.now;
    let done = wait(&mut house, wished + WISH);
    assert_eq!(left(&done), [(ended + IDLE_WANTED, vec!["alice".to_owned(), "bob".to_owned()])]);
    house.sit_all("t1", &["alice", "bob"]);
    let sat = house.now;
    let done = wait(&mut house, sat + IDLE - 1);
    assert_eq!(left(&done), []);
    // A house that comes late finds idle what has become so, though the wish is over meanwhile.
    let mut late = House::shared("live-blackjack", &TWO, &["alice", "bob", "carol"]);
    late.sit_all("t1", &["alice", "bob"]);
    let sat = late.now;
    wait(&mut late, sat + MINUTE);
    late.give(&by("carol"), want("t1")).unwrap();
    late.now += 2 * WISH;
    let (house, command) = late.state.due(late.now).unwrap();
    let freed = late.give_late(&house, None, command).unwrap();
    assert_eq!(left(&[freed]), [(late.now, vec!["alice".to_owned(), "bob".to_owned()])]);
    assert!(finding(&late).unwrap().ends_with("[overdue]"), "that it comes late is another matter");
}

#[test]
fn after_a_restart_every_seat_counts_as_used() {
    let mut house = House::shared("live-blackjack", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    let sat = house.now;
    wait(&mut house, sat + IDLE - MINUTE);
    house.now += HOUR;
    house.crash();
    let done = house.run_due();
    assert_eq!(left(&done), []);
    let up = house.now;
    assert_eq!(left(&wait(&mut house, up + IDLE)), [(up + IDLE, vec!["alice".to_owned()])]);
}

#[test]
fn the_operator_unseats_a_player_as_if_they_had_left() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    assert_eq!(refusal(house.give(&by("alice"), unseat("t1", "bob"))).code(), "not_allowed");
    assert_eq!(refusal(house.give(&Actor::Operator, unseat("t1", "carol"))).code(), "not_seated");
    let before = house.balance("bob");
    house.place_bets("t1", "bob", &[("2", 100)]).unwrap();
    let entry = house.give(&Actor::Operator, unseat("t1", "bob")).unwrap();
    assert_eq!(names_of(&entry), ["bet_cancelled", "posted", "seat_left"]);
    assert_eq!(house.balance("bob"), before);
    // Not when the window's time is over: from then on nothing is cancelled.
    house.sit("t1", "bob", 2).unwrap();
    house.place_bets("t1", "bob", &[("2", 100)]).unwrap();
    house.now = house.table("t1").window().unwrap().closes_at.unwrap();
    assert_eq!(refusal(house.give(&Actor::Operator, unseat("t1", "bob"))).code(), "deadline_passed");
}

#[test]
fn a_newcomer_who_is_unseated_need_not_bet() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    house.whole_round("t1", &["alice"], 100);
    house.sit("t1", "bob", 2).unwrap();
    house.whole_round("t1", &["alice"], 100);
    assert!(house.table("t1").betting().unwrap().newcomers.contains(&player("bob")), "the shoe was changed for him");
    house.give(&Actor::Operator, unseat("t1", "bob")).unwrap();
    house.place_all("t1", &["alice"], 100);
    let done = house.run_due();
    assert!(!done.iter().flat_map(|entry| &entry.events).any(|event| matches!(event, Event::Cooldown { .. })));
}

#[test]
fn changes_without_a_round_are_bounded() {
    let mut house = House::shared("baccarat", &[("bet_time_ms", "604800000")], &["alice", "bob"]);
    let first = house.now;
    house.sit_all("t1", &["alice", "bob"]);
    for change in 1..64 {
        house.now += SECOND;
        match change % 2 {
            1 => house.place_bets("t1", "alice", &[("tie", 100)]).map(drop).unwrap(),
            _ => house.cancel("t1", "alice").map(drop).unwrap(),
        }
    }
    // What takes a change back is never refused; nobody else is concerned.
    let refused = refusal(house.place_bets("t1", "alice", &[("tie", 200)]));
    assert_eq!(refused, Refusal::TooManyChanges { until: first + HOUR });
    house.cancel("t1", "alice").unwrap();
    house.leave("t1", "alice").unwrap();
    assert_eq!(refusal(house.sit("t1", "alice", 1)).code(), "too_many_changes");
    assert_eq!(refusal(house.give(&by("alice"), want("t1"))).code(), "too_many_changes");
    house.place_bets("t1", "bob", &[("tie", 100)]).unwrap();
    house.now = first + HOUR - 1;
    assert_eq!(refusal(house.sit("t1", "alice", 1)).code(), "too_many_changes");
    house.now = first + HOUR;
    house.sit("t1", "alice", 1).unwrap();
    assert_eq!(finding(&house), None);
}

#[test]
fn a_round_ends_the_count_of_changes() {
    let mut house = House::shared("baccarat", &[("bet_time_ms", "604800000")], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob", "carol"]);
    for who in ["alice", "bob"] {
        for stake in 0..63 {
            house.place_bets("t1", who, &[("tie", 100 + stake)]).unwrap();
        }
        assert_eq!(refusal(house.place_bets("t1", who, &[("tie", 300)])).code(), "too_many_changes");
    }
    house.cancel("t1", "bob").unwrap();
    house.close("t1", &Actor::Operator).unwrap();
    house.show_all("t1");
    house.run_due();
    // Alice was in the round, bob was not.
    house.place_bets("t1", "alice", &[("tie", 100)]).unwrap();
    assert_eq!(refusal(house.ask("t1", "bob")).code(), "too_many_changes");
}

/// Attack: ask to play at a table that needs two and never bet, until the other's bets that lapse have used up their
/// changes.
#[test]
fn bets_that_nobody_joins_do_not_use_up_a_players_changes() {
    let mut house = House::shared("safe", &[("bet_time_ms", "60000")], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    // Almost all that are allowed, sitting and asking among them; a bet is placed in the end.
    for change in 0..59 {
        house.now += SECOND / 2;
        match change % 2 {
            0 => house.place_bets("t1", "alice", &[("1", 100)]).map(drop).unwrap(),
            _ => house.cancel("t1", "alice").map(drop).unwrap(),
        }
    }
    for idle in ["bob", "carol"] {
        for _ in 0..2 {
            house.now = house.table("t1").window().unwrap().closes_at.unwrap();
            house.run_due();
            if house.table("t1").seat_of(&player(idle)).is_none() {
                house.sit("t1", idle, 3).unwrap();
            }
            house.ask("t1", "alice").unwrap();
            drop(house.ask("t1", idle));
            house.run_due();
            house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
        }
    }
    // Changes of one's own still count.
    while house.cancel("t1", "alice").is_ok() && house.place_bets("t1", "alice", &[("1", 100)]).is_ok() {}
    assert_eq!(refusal(house.place_bets("t1", "alice", &[("1", 100)])).code(), "too_many_changes");
    assert_eq!(finding(&house), None);
}

#[test]
fn another_table_comes_in_the_place_of_a_closed_one_once() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    let open = |at: &str, name: &str, replaced: &str| Command::OpenTable {
        table: table(at),
        rules: rules(name, &[]),
        replaces: Some(table(replaced)),
    };
    let operator = Actor::Operator;
    assert_eq!(refusal(house.give(&operator, open("t2", "baccarat", "t1"))).code(), "not_replaceable", "it is open");
    house.give(&operator, Command::CloseTable { table: table("t1") }).unwrap();
    assert_eq!(refusal(house.give(&operator, open("t1", "baccarat", "t1"))).code(), "table_exists", "ids are unique");
    assert_eq!(refusal(house.give(&operator, open("t2", "baccarat", "none"))).code(), "not_replaceable");
    assert_eq!(refusal(house.give(&by("alice"), open("t2", "joy-own", "t1"))).code(), "not_replaceable", "another's");
    assert_eq!(refusal(house.sit("t1", "alice", 1)), Refusal::UnknownTable(table("t1")));
    let entry = house.give(&operator, open("t2", "baccarat", "t1")).unwrap();
    let replaces =
        the(
            &entry,
            |event| if let Event::TableOpened { replaces, .. } = event { Some(replaces.clone()) } else { None },
        );
    assert_eq!(replaces, Some(table("t1")));
    assert_eq!(refusal(house.give(&operator, open("t3", "baccarat", "t1"))).code(), "not_replaceable", "once");
    let refused = refusal(house.sit("t1", "alice", 1));
    assert_eq!((refused.code(), house.state.replaced_by(&table("t1"))), ("unknown_table", Some(&table("t2"))));
    assert!(refused.to_string().contains("t2"), "{refused}");
    assert_eq!(finding(&house), None);
}

#[test]
fn a_solo_table_for_everyone_has_short_windows() {
    let mut house = House::shared("live-blackjack", &[], &["alice"]);
    let open = |options: &[(&str, &str)]| Command::OpenTable {
        table: table("solo"),
        rules: rules("joy", options),
        replaces: None,
    };
    for options in [&[("reveal_time_ms", "300001")], &[("round_time_ms", "1800001")]] {
        assert_eq!(refusal(house.give(&Actor::Operator, open(options))).code(), "not_allowed", "{options:?}");
    }
    let own = Command::OpenTable { table: table("own"), rules: rules("joy-own", &[]), replaces: None };
    assert_eq!(refusal(house.give(&Actor::Operator, own.clone())).code(), "not_allowed");
    house.give(&by("alice"), own).unwrap();
    house.give(&Actor::Operator, open(&[("reveal_time_ms", "300000"), ("round_time_ms", "1800000")])).unwrap();
}
