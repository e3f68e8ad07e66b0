//! Shared tables: seats, betting windows, bets (spec/games/shared-tables.md).

use crate::common;

use common::shared::*;
use common::*;
use fairshoe_games::{Bet, RoundEvent};
use fairshoe_house::{Account, Actor, Command, Event, LapseCause, Phase, Reference};

const BET: u64 = 15 * SECOND;

#[test]
fn c6_a_shared_table_has_seats_and_a_window_and_a_solo_table_neither() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    assert!(house.table("t1").is_shared());
    let bet = house.place_command("t1", "alice", &[("1", 100)]);
    assert_eq!(refusal(house.give(&by("alice"), bet)).code(), "bets_not_open", "no bet before a window");
    house.open("solo", &[]);
    assert_eq!(refusal(house.sit("solo", "alice", 1)).code(), "solo_table");
    assert_eq!(refusal(house.ask("solo", "alice")).code(), "solo_table");
    assert_eq!(refusal(house.leave("solo", "alice")).code(), "solo_table");
    assert_eq!(refusal(house.cancel("solo", "alice")).code(), "solo_table");
    assert_eq!(refusal(house.close("solo", &Actor::Operator)).code(), "solo_table");
    let open = Command::OpenBets { table: table("solo") };
    assert_eq!(refusal(house.give(&Actor::House, open)).code(), "solo_table");
    // A player's own table is a solo one.
    let own = Command::OpenTable { table: table("own"), rules: rules("live-blackjack", &[]), replaces: None };
    assert_eq!(refusal(house.give(&by("alice"), own)).code(), "not_allowed");
}

#[test]
fn a_seat_is_one_players_and_a_player_has_one_seat_at_a_table() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    let entry = house.sit("t1", "alice", 3).unwrap();
    assert_eq!(names_of(&entry), ["seat_taken", "play_asked"]);
    assert_eq!(entry.before, [(player("alice"), chips(1_000_000))]);
    assert_eq!(house.table("t1").seat_of(&player("alice")), Some(3));
    let before = house.fingerprint();
    for (who, seat) in [("bob", 3), ("bob", 0), ("bob", 8), ("alice", 4), ("alice", 3)] {
        assert_eq!(refusal(house.sit("t1", who, seat)).code(), "seat_not_free", "{who} {seat}");
    }
    assert_eq!(
        refusal(house.give(&Actor::Operator, Command::TakeSeat { table: table("t1"), seat: 1 })).code(),
        "not_allowed"
    );
    assert_eq!(
        refusal(house.give(&by("zoe"), Command::TakeSeat { table: table("t1"), seat: 1 })).code(),
        "not_allowed"
    );
    assert_eq!(refusal(house.leave("t1", "bob")).code(), "not_seated");
    assert_eq!(refusal(house.ask("t1", "bob")).code(), "not_seated");
    assert_eq!(before, house.fingerprint());
    // Seats at several tables are several seats (R001.80 is of poker rooms; here no rule limits them).
    house.open_rules("t2", rules("baccarat", &[]));
    house.sit("t2", "alice", 1).unwrap();
    assert_eq!(names_of(&house.leave("t1", "alice").unwrap()), ["seat_left"]);
    house.sit("t1", "bob", 3).unwrap();
}

#[test]
fn r004_18_a_seat_needs_chips_for_the_least_bet() {
    let mut house = House::shared("study-group", &[("stake_min", "10")], &["alice"]);
    house.add_player("bob", 9);
    assert_eq!(refusal(house.sit("t1", "bob", 1)).code(), "chips_needed");
    house.credit("bob", 1).unwrap();
    house.sit("t1", "bob", 1).unwrap();
    // Bets come from chips only: a player who has lost them is refused the bet, not the seat.
    house.run_due();
    house.withdraw("bob", 1).unwrap();
    assert_eq!(refusal(house.place_bets("t1", "bob", &[("1", 10)])).code(), "insufficient_balance");
}

#[test]
fn r001_88_r001_114_r001_117_name_rules_and_limits_stand_on_the_log_before_a_bet() {
    let house = House::shared("live-blackjack", &[], &["alice"]);
    let opening =
        entries(&house.log).into_iter().find(|entry| matches!(entry.command, Command::OpenTable { .. })).unwrap();
    let (rules, digest) = the(&opening, some!(Event::TableOpened { rules, digest, .. } => (rules, digest)));
    assert_eq!(opening.at.as_ref().unwrap().table.as_str(), "t1");
    assert_eq!((rules.table.stake_min.units(), rules.table.stake_max.units()), (100, 100_000));
    assert_eq!(*digest, rules.digest());
    let again = Command::OpenTable { table: table("t1"), rules: (*house.table("t1").rules).clone(), replaces: None };
    let mut house = house;
    assert_eq!(refusal(house.give(&Actor::Operator, again)).code(), "table_exists", "an id is unique, for ever");
}

#[test]
fn the_window_opens_when_somebody_asks_and_again_after_a_round_while_a_bettor_sits() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    assert!(house.table("t1").window().is_none(), "nobody sits, nothing opens");
    house.sit("t1", "alice", 1).unwrap();
    let entries = house.run_due();
    assert_eq!(entries.len(), 1);
    let closes_at = Some(house.now + BET);
    assert_eq!(entries[0].events, [Event::BetsOpened { round_no: 0, shoe_no: 0, closes_at }]);
    assert_eq!(entries[0].by, Actor::House);
    assert_eq!(house.state.next_deadline(), closes_at);
    house.whole_round("t1", &["alice"], 100);
    let ended = house.now;
    // The bettor still sits: the next window is open. Nobody else opens one.
    assert_eq!(house.table("t1").window().unwrap().round_no, 1);
    let open = || Command::OpenBets { table: table("t1") };
    assert_eq!(refusal(house.give(&Actor::House, open())).code(), "nothing_to_do");
    assert_eq!(refusal(house.give(&Actor::Operator, open())).code(), "not_allowed");
    // Alice gets up: the window ends empty, takes no number, and none opens after it.
    house.leave("t1", "alice").unwrap();
    house.now += BET;
    let entries = house.run_due();
    assert_eq!(entries.iter().flat_map(names_of).collect::<Vec<_>>(), ["bets_lapsed"]);
    assert_eq!(entries[0].events, [Event::BetsLapsed { round_no: 1, cause: LapseCause::NoBets, announced: false }]);
    assert_eq!(
        (house.table("t1").next_round, house.state.next_deadline()),
        (1, Some(ended + 30 * MINUTE)),
        "the shoe's"
    );
    house.sit("t1", "bob", 2).unwrap();
}

#[test]
fn r001_115_r001_118_bets_are_taken_before_the_close_only_within_the_limits_and_the_balance() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob", "carol"]);
    house.add_player("dave", 150);
    house.sit_all("t1", &["alice", "bob", "dave"]);
    let before = house.fingerprint();
    type Case = (&'static str, &'static [(&'static str, u64)], &'static str);
    let cases: [Case; 8] = [
        ("alice", &[("1", 98)], "below_minimum"),
        ("alice", &[("1", 100_002)], "above_maximum"),
        ("alice", &[("1", 101)], "off_step"),
        ("alice", &[("9", 100)], "unknown_spot"),
        ("alice", &[], "bet_count"),
        ("alice", &[("1", 100), ("4", 100)], "bet_count"),
        ("dave", &[("3", 200)], "insufficient_balance"),
        ("carol", &[("4", 100)], "not_seated"),
    ];
    for (who, bets, code) in cases {
        assert_eq!(refusal(house.place_bets("t1", who, bets)).code(), code, "{who} {bets:?}");
    }
    let Command::Bet { table: at, bets, commitment, .. } = house.place_command("t1", "alice", &[("1", 100)]) else {
        unreachable!()
    };
    let early = Command::Bet { table: at, round_no: 1, bets, commitment };
    assert_eq!(refusal(house.give(&by("alice"), early)).code(), "wrong_round");
    assert_eq!(before, house.fingerprint(), "a refused bet never leaves the balance");

    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    // From the timer's end on nothing is accepted, raised or cancelled, though the window still stands.
    house.now += BET;
    for result in [house.place_bets("t1", "bob", &[("2", 100)]), house.place_bets("t1", "alice", &[("1", 200)])] {
        assert_eq!(refusal(result).code(), "deadline_passed");
    }
    assert_eq!(refusal(house.cancel("t1", "alice")).code(), "deadline_passed");
    assert_eq!(refusal(house.leave("t1", "alice")).code(), "deadline_passed", "leaving is no way to cancel");
    house.leave("t1", "bob").unwrap();
    let entries = house.run_due();
    assert_eq!(names_of(&entries[0]), ["bets_closed"]);
    assert_eq!(house.balance("alice"), 1_000_000 - 100);
    for result in [house.place_bets("t1", "alice", &[("1", 200)]), house.cancel("t1", "alice")] {
        assert!(["round_in_progress", "wrong_round"].contains(&refusal(result).code()));
    }
}

#[test]
fn a001_mm_the_services_receive_time_decides_what_is_late() {
    for (at, taken) in [(BET - 1, true), (BET, false), (BET + 1, false)] {
        let mut house = House::shared("baccarat", &[], &["alice"]);
        house.sit_all("t1", &["alice"]);
        house.now += at;
        let result = house.place_bets("t1", "alice", &[("player", 100)]);
        assert_eq!(result.is_ok(), taken, "{at}");
        if let Ok(entry) = result {
            assert_eq!(entry.time, T0 + at, "the time it came is on the log");
        }
    }
}

#[test]
fn c2_c14_bets_are_debited_as_they_are_placed_and_replaced_or_cancelled_until_the_close() {
    let mut house = House::shared("six-deck", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    let entry = house.place_bets("t1", "alice", &[("1", 100), ("2", 50)]).unwrap();
    assert_eq!(names_of(&entry), ["bet_placed", "posted"]);
    assert_eq!((house.balance("alice"), house.escrow("t1")), (999_850, 150));
    // Raised, lowered, moved: what is placed counts towards the balance.
    for (bets, left) in [(&[("1", 1000u64), ("3", 1000)][..], 998_000), (&[("4", 2)], 999_998), (&[("4", 2)], 999_998)]
    {
        house.place_bets("t1", "alice", bets).unwrap();
        assert_eq!((house.balance("alice"), house.escrow("t1")), (left, i64::try_from(1_000_000 - left).unwrap()));
        assert_eq!(house.table("t1").window().unwrap().bets.len(), 1);
    }
    let entry = house.cancel("t1", "alice").unwrap();
    assert_eq!(names_of(&entry), ["bet_cancelled", "posted"]);
    assert_eq!((house.balance("alice"), house.escrow("t1")), (1_000_000, 0));
    assert_eq!(refusal(house.cancel("t1", "alice")).code(), "no_bet");
    // A bet of everything can be replaced by another of everything.
    let mut house = House::shared("six-deck", &[], &[]);
    house.add_player("bob", 1000);
    house.sit_all("t1", &["bob"]);
    house.place_bets("t1", "bob", &[("1", 1000)]).unwrap();
    house.place_bets("t1", "bob", &[("2", 600), ("1", 400)]).unwrap();
    assert_eq!(refusal(house.place_bets("t1", "bob", &[("2", 602), ("1", 400)])).code(), "insufficient_balance");
    // A player who leaves before the close takes the bets with them.
    let entry = house.leave("t1", "bob").unwrap();
    assert_eq!(names_of(&entry), ["bet_cancelled", "posted", "seat_left"]);
    assert_eq!((house.balance("bob"), house.escrow("t1")), (1000, 0));
    house.assert_conserved();
}

#[test]
fn r003_2_several_boxes_are_one_contributor_with_one_seed() {
    let mut house = House::shared("six-deck", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_bets("t1", "alice", &[("4", 10), ("1", 20), ("3", 30)]).unwrap();
    house.place_bets("t1", "bob", &[("2", 40)]).unwrap();
    let entry = house.run_due().remove(0);
    let (contributors, lanes) =
        the(&entry, some!(Event::BetsClosed { contributors, lanes, .. } => (contributors.clone(), *lanes)));
    assert_eq!(
        contributors.iter().map(|c| (c.player.as_str(), c.bets.len())).collect::<Vec<_>>(),
        [("alice", 3), ("bob", 1)]
    );
    assert_eq!(lanes, 5, "four boxes and the dealer");
    let entry = house.show_all("t1");
    let first: Vec<String> = course([&entry])
        .iter()
        .filter_map(some!(RoundEvent::Dealt { lane, to, .. } => format!("{lane}:{to}")))
        .take(10)
        .collect();
    assert_eq!(first, ["0:1/1", "1:2/1", "2:3/1", "3:4/1", "4:dealer", "0:1/1", "1:2/1", "2:3/1", "3:4/1", "4:dealer"]);
}

#[test]
fn a_spot_is_one_players_and_a_taken_seats_spot_its_players_alone() {
    let mut house = House::shared("six-deck", &[], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    // Seat 2 is bob's: alice may bet on 1, 3, 4, 5.
    assert_eq!(refusal(house.place_bets("t1", "alice", &[("1", 10), ("2", 10)])).code(), "spot_taken");
    house.place_bets("t1", "alice", &[("1", 10), ("3", 10), ("4", 10)]).unwrap();
    assert_eq!(refusal(house.place_bets("t1", "bob", &[("2", 10), ("3", 10)])).code(), "spot_taken");
    house.place_bets("t1", "bob", &[("2", 10), ("5", 10)]).unwrap();
    // Carol cannot sit down behind a box that is bet on: it is another's this round.
    assert_eq!(refusal(house.sit("t1", "carol", 3)).code(), "seat_not_free");
    house.place_bets("t1", "alice", &[("1", 10), ("4", 10)]).unwrap();
    house.sit("t1", "carol", 3).unwrap();
    assert_eq!(refusal(house.place_bets("t1", "carol", &[("3", 10), ("4", 10)])).code(), "spot_taken");
    house.place_bets("t1", "carol", &[("3", 10)]).unwrap();
    assert_eq!(refusal(house.place_bets("t1", "alice", &[("1", 10), ("3", 10)])).code(), "spot_taken");
    // Where spots are bets on an outcome, many may be placed on one.
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for who in ["alice", "bob"] {
        house.place_bets("t1", who, &[("banker", 100), ("tie", 100)]).unwrap();
    }
}

#[test]
fn bets_close_early_only_when_everyone_expected_has_bet() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    // Bob sat down while the window was open; alice alone opened it. Both are waited for, carol too.
    house.sit("t1", "carol", 3).unwrap();
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    assert_eq!(refusal(house.close("t1", &Actor::House)).code(), "deadline_ahead");
    house.place_bets("t1", "bob", &[("2", 100)]).unwrap();
    assert!(house.run_due().is_empty());
    house.place_bets("t1", "carol", &[("3", 100)]).unwrap();
    assert_eq!(names_of(&house.run_due()[0]), ["bets_closed"]);
    house.show_all("t1");
    house.play_out("t1");
    house.run_due();
    // The three of the last round are waited for again, whatever shoe it is.
    assert_eq!(house.table("t1").window().unwrap().expected.len(), 3);
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    house.leave("t1", "bob").unwrap();
    assert!(house.run_due().is_empty(), "carol is waited for");
    house.leave("t1", "carol").unwrap();
    assert_eq!(names_of(&house.run_due()[0]), ["bets_closed"]);

    // Without the option the timer alone closes.
    let mut house = House::shared("live-blackjack", &[("close_early", "off")], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    assert!(house.run_due().is_empty());
    assert_eq!(refusal(house.close("t1", &Actor::House)).code(), "deadline_ahead");
    house.now += BET;
    assert_eq!(names_of(&house.run_due()[0]), ["bets_closed"]);
}

/// A shoe that was changed has no last round of its own: a player who bet in the table's last round was not waited for,
/// and was shut out by the first bet on the new shoe.
#[test]
fn bets_do_not_close_early_on_a_new_shoe_before_the_regulars_have_bet() {
    for name in ["six-deck", "safe"] {
        let options: &[(&str, &str)] = if name == "safe" { &[] } else { &[("reshuffle", "{\"left_at_most\":311}")] };
        let mut house = House::shared(name, options, &["alice", "bob", "carol"]);
        house.sit_all("t1", &["alice", "bob", "carol"]);
        house.whole_round("t1", &["alice", "bob", "carol"], 100);
        assert_eq!(house.table("t1").shoe.as_ref().unwrap().id.shoe_no, 1, "{name}");
        assert_eq!(house.table("t1").window().unwrap().expected.len(), 3, "{name}");
        for (who, seat) in [("bob", "2"), ("alice", "1")] {
            house.place_bets("t1", who, &[(seat, 100)]).unwrap();
            assert!(house.run_due().is_empty(), "{name}: carol is not shut out");
        }
        house.place_bets("t1", "carol", &[("3", 100)]).unwrap();
        assert_eq!(names_of(&house.run_due()[0]), ["bets_closed"]);
    }
}

#[test]
fn r001_140_the_operators_announcement_closes_bets_before_the_timer() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_bets("t1", "alice", &[("straight:17", 100)]).unwrap();
    for by in [by("alice"), Actor::Anyone] {
        assert_eq!(refusal(house.close("t1", &by)).code(), "not_allowed");
    }
    let entry = house.close("t1", &Actor::Operator).unwrap();
    assert_eq!((entry.by.clone(), names_of(&entry)), (Actor::Operator, vec!["bets_closed".to_owned()]));
    assert_eq!(refusal(house.place_bets("t1", "bob", &[("red", 100)])).code(), "round_in_progress");
    assert!(the(&entry, some!(Event::BetsClosed { announced, .. } => *announced)));
    // Whom it cut short has let nothing pass.
    assert_eq!(house.table("t1").seats[&2].misses, 0);
    // An announcement over an empty layout makes no spin.
    let mut house = House::shared("roulette", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    let entry = house.close("t1", &Actor::Operator).unwrap();
    assert_eq!(entry.events, [Event::BetsLapsed { round_no: 0, cause: LapseCause::NoBets, announced: true }]);
}

#[test]
fn r001_141_the_next_window_opens_after_every_bet_of_the_spin_is_settled() {
    let mut house = House::shared("roulette", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("red", 100), ("straight:0", 100)]).unwrap();
    house.run_due();
    let open = Command::OpenBets { table: table("t1") };
    assert_eq!(refusal(house.give(&Actor::House, open.clone())).code(), "nothing_to_do", "while the seeds are awaited");
    let entry = house.show_all("t1");
    // R001.143: the number is on the log before the settlement, in the same entry; then bets open.
    assert_eq!(
        names_of(&entry),
        ["seed_revealed", "round_opened", "play.spun", "play.paid", "posted", "round_settled"]
    );
    house.give(&Actor::House, open).unwrap();
    assert_eq!(house.escrow("t1"), 0);
}

#[test]
fn a_seat_is_lost_after_three_windows_without_a_bet() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for round in 0..3u64 {
        assert_eq!(house.table("t1").seat_of(&player("bob")), Some(2), "round {round}");
        house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
        house.now += BET;
        let entry = house.run_due().remove(0);
        assert_eq!(names_of(&entry).contains(&"seat_left".to_owned()), round == 2);
        house.show_all("t1");
        house.play_out("t1");
        house.run_due();
    }
    assert_eq!(house.table("t1").seat_of(&player("bob")), None);
    // One bet, and the count begins again; leaving is no offence.
    house.sit("t1", "bob", 2).unwrap();
    assert_eq!(house.table("t1").seats[&2].misses, 0);
    assert_eq!(house.state.conduct().until(&player("bob")), 0);
}

#[test]
fn a_malfunction_while_bets_are_open_gives_them_back_and_asks_again() {
    let mut house = House::shared("six-deck", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_bets("t1", "alice", &[("1", 100), ("3", 100)]).unwrap();
    let void = Command::VoidRound { table: table("t1"), round_no: 0, reason: Reference::parse("camera").unwrap() };
    let entry = house.give(&Actor::Operator, void).unwrap();
    assert_eq!(names_of(&entry), ["posted", "bets_lapsed"]);
    assert_eq!((house.balance("alice"), house.escrow("t1"), house.table("t1").next_round), (1_000_000, 0, 0));
    assert_eq!(entry.before, [(player("alice"), chips(999_800))]);
    house.run_due();
    let window = house.table("t1").window().unwrap();
    assert_eq!(
        (window.round_no, window.expected.len()),
        (0, 2),
        "the number is still to be used, and both are waited for"
    );
    assert_eq!(house.table("t1").seats.values().map(|seat| seat.misses).max(), Some(0));
}

#[test]
fn chips_listed_at_a_shared_table_fit_an_entry_with_everybody_elses() {
    let options = [("chips", "[1,5,100]"), ("stake_min", "1"), ("stake_step", "1"), ("stake_max", "100000")];
    let names: Vec<&str> = NAMES[..8].to_vec();
    let mut house = House::shared("baccarat", &options, &names);
    house.sit_all("t1", &names);
    let long = |house: &House, who: &str, count: usize| {
        let Command::Bet { table, round_no, commitment, .. } = house.place_command("t1", who, &[]) else {
            unreachable!()
        };
        let bets = vec![Bet { spot: "player".into(), stake: chips(count as u64), chips: Some(vec![chips(1); count]) }];
        Command::Bet { table, round_no, bets, commitment }
    };
    // 20,000 bytes over eight seats are 2,500 each, and a chip of 1 takes two; a list has at most 1000.
    let too_long = long(&house, "alice", 1001);
    assert_eq!(refusal(house.give(&by("alice"), too_long)).code(), "malformed");
    for who in &names {
        let bet = long(&house, who, 1000);
        house.give(&by(who), bet).unwrap();
    }
    let entry = house.run_due().remove(0);
    assert!(entry.encode().unwrap().len() < 40_000);
    let mut house = House::shared(
        "baccarat",
        &[("chips", "[1000]"), ("stake_step", "1000"), ("stake_max", "100000000")],
        &["alice"],
    );
    house.sit_all("t1", &["alice"]);
    let heavy = |count: usize| {
        let bet =
            Bet { spot: "player".into(), stake: chips(1000 * count as u64), chips: Some(vec![chips(1000); count]) };
        vec![bet]
    };
    for (count, code) in [(501, "malformed"), (500, "ok")] {
        let Command::Bet { table, round_no, commitment, .. } = house.place_command("t1", "alice", &[]) else {
            unreachable!()
        };
        let command = Command::Bet { table, round_no, bets: heavy(count), commitment };
        let result = house.give(&by("alice"), command);
        assert_eq!(if result.is_ok() { "ok" } else { refusal(result).code() }, code);
    }
}

#[test]
fn a_table_with_a_round_is_not_closed_one_with_bets_open_gives_them_back() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    let close = || Command::CloseTable { table: table("t1") };
    for by in [Actor::House, by("alice"), Actor::Anyone] {
        assert_eq!(refusal(house.give(&by, close())).code(), "not_allowed");
    }
    house.place_all("t1", &["alice", "bob"], 100);
    house.run_due();
    assert_eq!(refusal(house.give(&Actor::Operator, close())).code(), "round_in_progress");
    house.show_all("t1");
    if matches!(house.phase("t1"), Some(Phase::Open { .. })) {
        assert_eq!(refusal(house.give(&Actor::Operator, close())).code(), "round_in_progress");
        house.play_out("t1");
    }
    house.run_due();
    let before = house.balance("alice");
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    let entry = house.give(&Actor::Operator, close()).unwrap();
    assert_eq!(names_of(&entry), ["posted", "bets_lapsed", "shoe_revealed", "table_closed"]);
    assert_eq!(entry.events[1], Event::BetsLapsed { round_no: 1, cause: LapseCause::Closed, announced: false });
    assert_eq!(house.balance("alice"), before);
    assert_eq!(refusal(house.sit("t1", "alice", 1)).code(), "unknown_table");
    assert_eq!(house.state.ledger().balance(&Account::Table(table("t1"))), None);
    house.assert_conserved();
}

#[test]
fn r004_19_the_limits_hold_again_when_bets_close_because_each_bet_was_checked_as_it_was_placed() {
    let mut house = House::shared("study-group", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_bets("t1", "alice", &[("1", 10)]).unwrap();
    for stake in [1, 1002, 11] {
        assert!(house.place_bets("t1", "bob", &[("2", stake)]).is_err(), "{stake}");
    }
    let entry = house.close("t1", &Actor::Operator).unwrap();
    let bets = the(&entry, some!(Event::BetsClosed { contributors, .. } => contributors.clone()));
    assert_eq!(bets.len(), 1, "a refused bet never enters the round");
    assert!(house.table("t1").rules.check_bets(&bets[0].bets, fairshoe_games::Chips::MAX).is_ok());
}

/// A payout cannot be refused once bets are closed, and one that leaves the range of amounts would stop the house.
#[test]
fn all_bets_of_a_round_together_stay_within_what_can_be_paid() {
    let options = [("stake_max", "1000000000000"), ("close_early", "off")];
    let mut house = House::shared("roulette", &options, &[]);
    for (seat, who) in (1..).zip(["alice", "bob", "carol"]) {
        house.add_player(who, 1 << 43);
        house.sit("t1", who, seat).unwrap();
    }
    house.run_due();
    let stake = 1_000_000_000_000;
    house.place_bets("t1", "alice", &[("straight:17", stake), ("red", stake)]).unwrap();
    house.place_bets("t1", "bob", &[("straight:17", stake), ("red", stake)]).unwrap();
    assert_eq!(refusal(house.place_bets("t1", "carol", &[("straight:17", stake)])).code(), "amount_out_of_range");
    // 2^42 in all, carol's own replaced bet not counted twice.
    house.place_bets("t1", "carol", &[("straight:17", (1 << 42) - 4 * stake)]).unwrap();
    house.place_bets("t1", "carol", &[("red", (1 << 42) - 4 * stake)]).unwrap();
    assert_eq!(
        refusal(house.place_bets("t1", "carol", &[("red", (1 << 42) - 4 * stake + 1)])).code(),
        "amount_out_of_range"
    );
}
