//! Who may bet on a shoe (C11): within a shoe bettors may only leave, a newcomer gets a new one.

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::shared::*;
use common::*;
use fairshoe_house::{Actor, Command, Event, Offence, RetireCause};

const BET: u64 = 15 * SECOND;

/// Alice has played a round at t1 and sits before the next window; it is open.
fn alice_has_played(options: &[(&str, &str)]) -> House {
    let mut house = House::shared("live-blackjack", options, &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice"]);
    house.whole_round("t1", &["alice"], 100);
    assert!(house.table("t1").window().is_some());
    house
}

fn shoe_no(house: &House) -> u64 {
    house.table("t1").shoe.as_ref().unwrap().id.shoe_no
}

#[test]
fn c11_a_newcomer_waits_and_gets_a_new_shoe_at_the_end_of_the_round() {
    let mut house = alice_has_played(&[]);
    house.sit("t1", "bob", 2).unwrap();
    assert!(house.run_due().is_empty(), "not while bets are open");
    assert_eq!(refusal(house.place_bets("t1", "bob", &[("2", 100)])).code(), "newcomer_waits");
    let change = || Command::RetireShoe { table: table("t1"), reason: None };
    assert_eq!(refusal(house.give(&Actor::House, change())).code(), "round_in_progress");
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    house.run_due();
    house.show_all("t1");
    house.play_out("t1");
    let entries = house.run_due();
    assert_eq!(
        entries.iter().flat_map(names_of).collect::<Vec<_>>(),
        ["shoe_revealed", "shoe_committed", "table_noted", "bets_opened"]
    );
    let cause = the(&entries[0], |e| if let Event::ShoeRevealed { cause, .. } = e { *cause } else { None });
    assert_eq!((cause, shoe_no(&house)), (RetireCause::Newcomer, 1));
    // Both are waited for, both may bet; then there is no newcomer any more.
    assert_eq!(house.table("t1").window().unwrap().expected.len(), 2);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.whole_round("t1", &["alice", "bob"], 100);
    assert_eq!(shoe_no(&house), 1);
    assert_eq!(house.state.conduct().until(&player("bob")), 0);
    assert_eq!(audit(&house.log).shoes_by_cause["newcomer"], 1);
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn c11_a_shoe_is_changed_only_for_one_who_asked() {
    let mut house = alice_has_played(&[]);
    let change = || Command::RetireShoe { table: table("t1"), reason: None };
    // Bob sits and asks, but gets up again before the round ends: nobody asks any more.
    house.sit("t1", "bob", 2).unwrap();
    house.leave("t1", "bob").unwrap();
    house.whole_round("t1", &["alice"], 100);
    assert_eq!(shoe_no(&house), 0);
    house.leave("t1", "alice").unwrap();
    house.now += BET;
    house.run_due();
    assert_eq!(
        refusal(house.give(&Actor::House, change())).code(),
        "nothing_to_do",
        "the house changes no shoe at its own will"
    );
    // A player who bet in the shoe's last round and comes back is no newcomer.
    house.sit("t1", "alice", 5).unwrap();
    let entries = house.run_due();
    assert_eq!(entries.iter().flat_map(names_of).collect::<Vec<_>>(), ["bets_opened"]);
}

#[test]
fn c11_who_sits_out_one_round_is_a_newcomer_in_the_next() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    house.now += BET;
    house.run_due();
    house.show_all("t1");
    house.play_out("t1");
    house.run_due();
    assert_eq!(refusal(house.place_bets("t1", "bob", &[("2", 100)])).code(), "newcomer_waits");
    assert_eq!(shoe_no(&house), 0, "he sits, and has not asked");
    // Bob asks: once.
    assert_eq!(names_of(&house.ask("t1", "bob").unwrap()), ["play_asked"]);
    assert_eq!(refusal(house.ask("t1", "bob")).code(), "nothing_to_do");
    house.whole_round("t1", &["alice"], 100);
    assert_eq!(shoe_no(&house), 1);
    house.whole_round("t1", &["alice", "bob"], 100);
}

/// The attack: a shill comes and goes to force new shoes when the old one favours the players.
#[test]
fn c11_a_newcomer_who_does_not_bet_serves_the_ladder() {
    for leaves in [false, true] {
        let mut house = alice_has_played(&[]);
        let mut waits = Vec::new();
        for _ in 0..3 {
            house.sit("t1", "bob", 2).unwrap();
            house.whole_round("t1", &["alice"], 100);
            if leaves {
                house.leave("t1", "bob").unwrap();
            }
            house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
            let entry = match house.run_due().into_iter().next() {
                Some(entry) => entry,
                None => {
                    house.now += BET;
                    house.run_due().remove(0)
                }
            };
            let (offence, offences, until) = the(&entry, |e| match e {
                Event::Cooldown { player, offence, offences, until } => {
                    assert_eq!(player.as_str(), "bob");
                    Some((*offence, *offences, *until))
                }
                _ => None,
            });
            assert_eq!((offence, offences as usize), (Offence::NoBet, waits.len() + 1));
            waits.push((until - entry.time) / MINUTE);
            house.show_all("t1");
            house.play_out("t1");
            house.run_due();
            if !leaves {
                house.leave("t1", "bob").unwrap();
            }
            if until > house.now {
                assert_eq!(refusal(house.sit("t1", "bob", 2)).code(), "cooldown");
                house.now = until;
                house.run_due();
                house.ask("t1", "alice").ok();
                house.run_due();
            }
        }
        assert_eq!(waits, [0, 5, 15], "{leaves}");
        assert_eq!(audit(&house.log).first_failure, None);
        assert!(audit(&house.log).shoes_by_cause["newcomer"] >= 3);
    }
}

#[test]
fn c11_a_newcomer_who_bets_with_the_rest_serves_nothing_even_if_he_leaves_after() {
    let mut house = alice_has_played(&[]);
    house.sit("t1", "bob", 2).unwrap();
    house.whole_round("t1", &["alice"], 100);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.leave("t1", "bob").unwrap();
    assert_eq!(audit(&house.log).cooldowns, 0);
    // A window that the house itself ended is not the newcomer's doing, and they stay bound to bet in the next.
    let mut house = alice_has_played(&[]);
    house.sit("t1", "bob", 2).unwrap();
    house.whole_round("t1", &["alice"], 100);
    let reason = fairshoe_house::Reference::parse("camera").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no: 2, reason }).unwrap();
    house.run_due();
    assert!(house.table("t1").betting().unwrap().newcomers.contains(&player("bob")));
    assert_eq!(audit(&house.log).cooldowns, 0);
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    house.now += BET;
    assert!(names_of(&house.run_due()[0]).contains(&"cooldown".to_owned()));
}

/// Bets were announced closed while the newcomer had bet: they stayed marked, and were held to have let the next window
/// pass.
#[test]
fn c11_an_announcement_holds_nobody_and_forgets_nobody() {
    for bets in [true, false] {
        let mut house = alice_has_played(&[]);
        house.sit("t1", "bob", 2).unwrap();
        house.whole_round("t1", &["alice"], 100);
        let players: &[&str] = if bets { &["alice", "bob"] } else { &["alice"] };
        house.whole_round("t1", players, 100);
        assert_eq!(house.state.conduct().until(&player("bob")), 0, "the operator closed the window before its time");
        // The shoe was played without bob, if bob had not bet: bob waits for the next one, and is held to nothing in
        // between.
        assert_eq!(house.place_bets("t1", "bob", &[("2", 100)]).is_ok(), bets);
        house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
        house.now += BET;
        assert!(!names_of(&house.run_due()[0]).contains(&"cooldown".to_owned()));
    }
    // A window that an announcement ended without a round leaves the new shoe unplayed, and bob bound to bet on it.
    let mut house = alice_has_played(&[]);
    house.sit("t1", "bob", 2).unwrap();
    house.whole_round("t1", &["alice"], 100);
    house.close("t1", &Actor::Operator).unwrap();
    house.run_due();
    assert_eq!(house.state.conduct().until(&player("bob")), 0);
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    house.now += BET;
    assert!(names_of(&house.run_due()[0]).contains(&"cooldown".to_owned()));
}

/// The house cannot keep a shoe that is good for it by opening bets while a newcomer waits for the next one.
#[test]
fn c11_bets_do_not_open_on_the_old_shoe_while_a_newcomer_waits() {
    let mut house = alice_has_played(&[]);
    house.sit("t1", "bob", 2).unwrap();
    house.deal_all("t1", &["alice"], 100);
    house.play_out("t1");
    assert_eq!(refusal(house.give(&Actor::House, Command::OpenBets { table: table("t1") })).code(), "nothing_to_do");
}

#[test]
fn c11_a_wheel_is_exempt_its_slots_are_independent() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    house.show_all("t1");
    house.run_due();
    house.sit("t1", "bob", 2).unwrap();
    house.place_bets("t1", "bob", &[("black", 100)]).unwrap();
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    house.show_all("t1");
    house.run_due();
    assert_eq!(shoe_no(&house), 0);
    assert_eq!(house.table("t1").shoe.as_ref().unwrap().undrawn.len(), 62);
}

#[test]
fn c11_where_every_round_has_its_shoe_nobody_waits() {
    let mut house = House::shared("safe", &[], &["alice", "bob", "carol"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round("t1", &["alice", "bob"], 100);
    house.sit("t1", "carol", 3).unwrap();
    house.place_bets("t1", "carol", &[("3", 100)]).unwrap();
    house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
    assert_eq!(shoe_no(&house), 1);
}

/// At a solo table nobody can be held to play a shoe they asked for: a shoe that lasts is one player's, at a table of
/// their own.
#[test]
fn c11_a_solo_table_for_everyone_has_no_shoe_that_lasts() {
    let mut house = House::new();
    for who in ["alice", "bob"] {
        house.add_player(who, 1_000_000);
    }
    for name in ["rng-blackjack", "rng-baccarat", "six-deck-solo", "study-group-solo"] {
        let open = Command::OpenTable { table: table(name), rules: rules(name, &[]), replaces: None };
        assert_eq!(refusal(house.give(&Actor::Operator, open.clone())).code(), "not_allowed", "{name}");
        house.give(&by("alice"), open).unwrap();
    }
    house.run_due();
    let bet = house.place_command("rng-baccarat", "bob", &[("player", 100)]);
    assert_eq!(refusal(house.give(&by("bob"), bet)).code(), "not_allowed");
    // A wheel's slots are independent, and JOY has a new shoe each round.
    house.open_rules("joy", rules("joy", &[]));
    house.open_rules("wheel", rules("rng-roulette", &[]));
    for who in ["alice", "bob"] {
        let bet = house.place_command("wheel", who, &[("red", 100)]);
        house.give(&by(who), bet).unwrap();
        house.show("wheel", who).unwrap();
    }
    assert_eq!(house.table("wheel").shoe.as_ref().unwrap().undrawn.len(), 62);
}
