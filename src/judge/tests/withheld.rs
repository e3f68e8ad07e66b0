//! A withheld reveal at a shared table (C15; spec/fairness.md, "The order on the log"; spec/games/shared-tables.md).

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::shared::*;
use common::*;
use fairshoe_games::Ahead;
use fairshoe_house::{
    Actor, Command, DecideError, Entry, Event, LATE_SEED_MS, Lapsed, Offence, VOIDS_REMEMBERED, VoidCause,
};
use fairshoe_judge::audit::VoidResult;

const REVEAL: u64 = 10 * SECOND;

/// All of these but the ones named show their seeds; then the time runs out.
fn withhold(house: &mut House, at: &str, missing: &[&str]) -> Entry {
    for who in house.awaited(at) {
        if !missing.contains(&who.as_str()) {
            house.show(at, &who).unwrap();
        }
    }
    house.now += REVEAL;
    let entry = house.run_due().remove(0);
    assert!(matches!(entry.command, Command::Lapse { lapsed: Lapsed::Reveal, .. }));
    entry
}

fn cooldowns(entry: &Entry) -> Vec<(String, u32, u64)> {
    let cooldown = |e: &Event| match e {
        Event::Cooldown { player, offence: Offence::RevealMissing, offences, until } => {
            Some((player.to_string(), *offences, until - entry.time))
        }
        _ => None,
    };
    entry.events.iter().filter_map(cooldown).collect()
}

#[test]
fn c15_one_of_seven_withholds_and_the_round_is_void_by_name() {
    let players: Vec<&str> = NAMES[..7].to_vec();
    let mut house = House::shared("live-blackjack", &[], &players);
    house.sit_all("t1", &players);
    house.place_all("t1", &players, 100);
    house.run_due();
    house.now += REVEAL - 1;
    assert!(house.run_due().is_empty());
    house.now -= REVEAL - 1;
    let entry = withhold(&mut house, "t1", &["dave"]);
    assert_eq!(names_of(&entry), ["posted", "round_voided", "cooldown", "seat_left"]);
    let voided = the(&entry, |e| if let Event::RoundVoided { .. } = e { Some(e.clone()) } else { None });
    let missing = vec![player("dave")];
    let results =
        the(&entry, |e| if let Event::RoundVoided { players, .. } = e { Some(players.clone()) } else { None });
    assert_eq!(results, players.iter().map(|who| result(who, 100, 100)).collect::<Vec<_>>());
    assert_eq!(
        voided,
        Event::RoundVoided {
            round_no: 0,
            cause: VoidCause::RevealMissing,
            missing,
            ahead: Ahead::Nobody,
            players: results,
            refunds: None,
            retained_winnings: vec![],
            standing: None
        }
    );
    assert_eq!(entry.before.len(), 7);
    for who in &players {
        assert_eq!(house.balance(who), 1_000_000, "bets back, to the unit");
    }
    assert_eq!((house.escrow("t1"), house.house_balance()), (0, 0));
    assert_eq!(cooldowns(&entry), [("dave".to_owned(), 1, 0)]);
    // The shoe stays: no card was chosen. The withholder's seat does not.
    let shoe = house.table("t1").shoe.as_ref().unwrap();
    assert_eq!((shoe.id.shoe_no, shoe.undrawn.len()), (0, 416));
    assert_eq!(house.table("t1").seat_of(&player("dave")), None);
    // The number is used up; the next window is open; a late seed changes nothing.
    let window = house.table("t1").window().unwrap();
    assert_eq!((window.round_no, window.expected.len()), (1, 6));
    assert!(house.show("t1", "dave").is_err());
    let left: Vec<&str> = players.iter().copied().filter(|who| *who != "dave").collect();
    house.whole_round("t1", &left, 100);
    assert_eq!(house.table("t1").withheld_lately(), 1);
    assert_eq!(audit(&house.log).first_failure, None);
    assert_eq!(audit(&house.log).cooldowns, 1);
}

#[test]
fn several_withhold_and_each_is_named_and_a_table_without_bettors_rests() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for who in ["alice", "bob"] {
        house.place_bets("t1", who, &[("red", 100)]).unwrap();
    }
    house.run_due();
    let entry = withhold(&mut house, "t1", &["alice", "bob"]);
    assert_eq!(cooldowns(&entry), [("alice".to_owned(), 1, 0), ("bob".to_owned(), 1, 0)]);
    assert!(house.table("t1").seats.is_empty());
    assert!(house.table("t1").window().is_none() && house.run_due().is_empty(), "no window opens over empty seats");
    // Of a wheel the void's slot is burnt all the same.
    assert_eq!(house.table("t1").shoe.as_ref().unwrap().undrawn.first().map(|slot| slot.0), Some(1));
}

#[test]
fn c15_the_ladder_climbs_over_twelve_hours_and_over_all_shared_tables() {
    let mut house = House::shared("roulette", &[("close_early", "off")], &["alice", "bob"]);
    house.open_rules("t2", rules("baccarat", &[("close_early", "off")]));
    house.open("solo", &[]);
    let mut waits = Vec::new();
    for n in 0..7u64 {
        let (at, spot) = if n % 2 == 0 { ("t1", "red") } else { ("t2", "player") };
        house.sit(at, "alice", 1).unwrap();
        house.run_due();
        house.place_bets(at, "alice", &[(spot, 100)]).unwrap();
        house.close(at, &Actor::Operator).unwrap();
        let entry = withhold(&mut house, at, &["alice"]);
        let [(_, offences, wait)] = cooldowns(&entry).try_into().unwrap();
        assert_eq!(u64::from(offences), n + 1);
        waits.push(wait / MINUTE);
        // Until then neither a seat nor a bet at any shared table; not a millisecond longer.
        let until = entry.time + wait;
        assert_eq!(house.state.conduct().until(&player("alice")), until);
        if wait > 0 {
            house.now = until - 1;
            for at in ["t1", "t2"] {
                assert_eq!(refusal(house.sit(at, "alice", 1)).code(), "cooldown");
            }
            // Solo tables harm nobody else: they stay open.
            let seed = house.any_seed("solo");
            house.bet("solo", "alice", 5, &seed).unwrap();
            house.reveal("solo", "alice", &seed).unwrap();
            house.finish("solo", "alice");
            house.run_due();
        }
        house.now = until;
    }
    assert_eq!(waits, [0, 5, 15, 30, 60, 60, 60]);
    assert_eq!(house.state.conduct().until(&player("bob")), 0);
    // Twelve hours after the last one nothing counts any more.
    house.now += 12 * HOUR;
    house.sit("t1", "alice", 1).unwrap();
    house.run_due();
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.close("t1", &Actor::Operator).unwrap();
    assert_eq!(cooldowns(&withhold(&mut house, "t1", &["alice"])), [("alice".to_owned(), 1, 0)]);
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn a_cooldown_bars_the_bets_at_seats_that_are_held_elsewhere() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.open_rules("t2", rules("roulette", &[("close_early", "off"), ("bet_time_ms", "3600000")]));
    house.sit("t2", "alice", 1).unwrap();
    house.run_due();
    for _ in 0..2 {
        house.sit("t1", "alice", 1).unwrap();
        house.run_due();
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.run_due();
        withhold(&mut house, "t1", &["alice"]);
    }
    assert_eq!(house.table("t2").seat_of(&player("alice")), Some(1), "seats held elsewhere are kept");
    assert_eq!(refusal(house.place_bets("t2", "alice", &[("red", 100)])).code(), "cooldown");
    house.now += 5 * MINUTE;
    house.place_bets("t2", "alice", &[("red", 100)]).unwrap();
}

#[test]
fn c15_anybody_may_hand_in_a_seed_and_a_wrong_one_counts_for_nothing() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_all("t1", &["alice", "bob"], 100);
    house.run_due();
    let of_bob = house.seed_for("t1", "bob");
    let reveal = |who: &str, seed: &fairshoe_fairness::ClientSeed, round_no: u64| Command::Reveal {
        table: table("t1"),
        round_no,
        player: player(who),
        seed: seed.clone(),
        saw: None,
        next: None,
    };
    assert_eq!(refusal(house.give(&Actor::Anyone, reveal("alice", &of_bob, 0))).code(), "seed_does_not_open");
    assert_eq!(refusal(house.give(&Actor::Anyone, reveal("carol", &of_bob, 0))).code(), "not_a_contributor");
    assert_eq!(refusal(house.give(&Actor::Anyone, reveal("bob", &of_bob, 1))).code(), "wrong_round");
    house.give(&by("alice"), reveal("bob", &of_bob, 0)).unwrap();
    assert_eq!(refusal(house.give(&Actor::Anyone, reveal("bob", &of_bob, 0))).code(), "already_revealed");
    house.now += REVEAL;
    assert_eq!(refusal(house.show("t1", "alice")).code(), "deadline_passed", "at the deadline it is late");
}

#[test]
fn three_withheld_reveals_in_a_hundred_rounds_can_be_seen() {
    let mut house = House::shared("roulette", &[("bet_time_ms", "1000"), ("spins", "4096")], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    let mut counts = Vec::new();
    for round in 0..110u64 {
        if house.table("t1").seat_of(&player("bob")).is_none() {
            house.now = house.now.max(house.state.conduct().until(&player("bob")));
            house.run_due();
            house.sit("t1", "bob", 2).unwrap();
            house.run_due();
        }
        for who in ["alice", "bob"] {
            house.place_bets("t1", who, &[("red", 100)]).unwrap();
        }
        house.run_due();
        if [2, 5, 9].contains(&round) {
            withhold(&mut house, "t1", &["bob"]);
            house.run_due();
        } else {
            house.show_all("t1");
            house.run_due();
        }
        counts.push(house.table("t1").withheld_lately());
    }
    assert_eq!((counts[1], counts[2], counts[8], counts[9], counts[101]), (0, 1, 2, 3, 3));
    assert_eq!((counts[102], counts[109]), (2, 0), "the hundred rolls on");
}

fn late(
    house: &mut House,
    at: &str,
    round_no: u64,
    who: &str,
    seed: fairshoe_fairness::ClientSeed,
) -> Result<Entry, DecideError> {
    house.give(&Actor::Anyone, Command::LateSeed { table: table(at), round_no, player: player(who), seed })
}

/// The void round as the auditor has it, whose seeds come late before the shoe is out, or after.
fn finished(late_first: bool) -> (VoidResult, House) {
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round_on("t1", &[("alice", "player"), ("bob", "banker")]);
    house.place_bets("t1", "alice", &[("player", 500)]).unwrap();
    house.place_bets("t1", "bob", &[("tie", 100)]).unwrap();
    house.run_due();
    let (round_no, seeds) = (house.seed_number("t1"), ["alice", "bob"].map(|who| house.seed_for("t1", who)));
    withhold(&mut house, "t1", &["alice", "bob"]);
    let [alice, bob] = seeds;
    let close = Command::CloseTable { table: table("t1") };
    let other = Command::RetireShoe { table: table("t1"), reason: None };
    if !late_first {
        house.now += HOUR;
        let idle = house.run_due();
        assert!(idle.iter().any(|entry| entry.command == other), "the shoe comes out before the seeds");
    }
    assert_eq!(refusal(late(&mut house, "t1", round_no, "alice", bob.clone())).code(), "seed_does_not_open");
    assert_eq!(refusal(late(&mut house, "t1", round_no, "carol", bob.clone())).code(), "not_a_contributor");
    assert_eq!(
        refusal(late(&mut house, "t1", 0, "alice", alice.clone())).code(),
        "wrong_round",
        "a round that was settled"
    );
    let entry = late(&mut house, "t1", round_no, "alice", alice.clone()).unwrap();
    assert_eq!((names_of(&entry), entry.before.len()), (vec!["seed_late".to_owned()], 0));
    let known = |house: &House| audit(&house.log).voids.listed[0].clone();
    assert_eq!(known(&house).default_play_net, None, "bob's is still missing");
    let cooldowns = house.state.conduct().until(&player("alice"));
    late(&mut house, "t1", round_no, "bob", bob).unwrap();
    assert_eq!(house.state.conduct().until(&player("alice")), cooldowns, "what was done stays done");
    assert_eq!(refusal(late(&mut house, "t1", round_no, "alice", alice)).code(), "already_revealed");
    house.give(&Actor::Operator, close).unwrap();
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.voids.total, report.voids.computable, report.late_seeds), (None, 1, 1, 2));
    assert_eq!(report.voids.by_late_seeds.total(), 1);
    (report.voids.listed[0].clone(), house)
}

#[test]
fn a_void_whose_seeds_come_late_is_finished_by_default_play_before_or_after_the_shoe_is_out() {
    let (before, _) = finished(true);
    let (after, house) = finished(false);
    assert_eq!((&before.nets, before.default_play_net), (&after.nets, after.default_play_net));
    assert_eq!(before.nets.len(), 2);
    // The same cards, had the seeds come in time.
    let mut in_time = House::shared("baccarat", &[], &["alice", "bob"]);
    in_time.sit_all("t1", &["alice", "bob"]);
    in_time.whole_round_on("t1", &[("alice", "player"), ("bob", "banker")]);
    in_time.place_bets("t1", "alice", &[("player", 500)]).unwrap();
    in_time.place_bets("t1", "bob", &[("tie", 100)]).unwrap();
    in_time.run_due();
    let had = ["alice", "bob"].map(|who| in_time.balance(who) as i64);
    in_time.show_all("t1");
    let stakes = [500, 100];
    let won: Vec<i64> = (0..2).map(|n| in_time.balance(["alice", "bob"][n]) as i64 - had[n] - stakes[n]).collect();
    assert_eq!(after.nets.iter().map(|(_, net)| *net).collect::<Vec<_>>(), won);
    // A closed table takes no more of them.
    let mut house = house;
    let seed = fairshoe_fairness::ClientSeed::from_bytes([1; 32]);
    assert_eq!(refusal(late(&mut house, "t1", 1, "alice", seed)).code(), "unknown_table");
}

#[test]
fn a_table_remembers_the_seeds_of_thirty_two_voids() {
    let mut house = House::shared("roulette", &[("spins", "64")], &["alice"]);
    let mut seeds = Vec::new();
    for round_no in 0..34 {
        house.now += HOUR;
        house.sit("t1", "alice", 1).unwrap();
        house.run_due();
        house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
        house.run_due();
        assert_eq!(house.seed_number("t1"), round_no);
        seeds.push(house.seed_for("t1", "alice"));
        withhold(&mut house, "t1", &["alice"]);
    }
    for (round_no, seed) in (0..).zip(seeds) {
        let given = late(&mut house, "t1", round_no, "alice", seed);
        assert_eq!(given.is_ok(), round_no >= 2, "round {round_no}");
    }
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.late_seeds), (None, VOIDS_REMEMBERED as u64));
    assert_eq!((report.voids.total, report.voids.listed.len()), (34, 34), "each void has one result");
}

/// Attack: the house drops a seed, and its friends leave as many rounds void as make the table forget it.
#[test]
fn within_the_hour_no_void_is_forgotten_for_others() {
    let names: Vec<String> = (0..40).map(|number| format!("p{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut house = House::shared("roulette", &[("spins", "64")], &names);
    let mut seeds = Vec::new();
    for who in &names {
        house.sit("t1", who, 1).unwrap();
        house.run_due();
        house.place_bets("t1", who, &[("red", 100)]).unwrap();
        house.run_due();
        seeds.push(house.seed_for("t1", who));
        withhold(&mut house, "t1", &[who]);
    }
    for (round_no, (who, seed)) in (0..).zip(names.iter().zip(seeds)) {
        late(&mut house, "t1", round_no, who, seed).unwrap();
    }
    assert_eq!(audit(&house.log).first_failure, None);
    let ghost = Command::LateSeed {
        table: table("t1"),
        round_no: 0,
        player: player("p0"),
        seed: fairshoe_fairness::ClientSeed::from_bytes([1; 32]),
    };
    assert_eq!(refusal(house.give(&by("ghost"), ghost)).code(), "not_allowed");
}

#[test]
fn the_operator_cannot_close_the_table_before_a_missing_seed_can_come() {
    let voided = || {
        let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
        house.sit_all("t1", &["alice", "bob"]);
        house.place_bets("t1", "alice", &[("player", 500)]).unwrap();
        house.place_bets("t1", "bob", &[("tie", 100)]).unwrap();
        house.run_due();
        let seeds = ["alice", "bob"].map(|who| house.seed_for("t1", who));
        withhold(&mut house, "t1", &["alice", "bob"]);
        (house, seeds)
    };
    let close = || Command::CloseTable { table: table("t1") };
    let (mut house, [alice, bob]) = voided();
    let voided_at = house.now;
    assert_eq!(refusal(house.give(&Actor::Operator, close())).code(), "awaiting_reveals");
    late(&mut house, "t1", 0, "alice", alice).unwrap();
    assert_eq!(refusal(house.give(&Actor::Operator, close())).code(), "awaiting_reveals", "the other one is missing");
    late(&mut house, "t1", 0, "bob", bob).unwrap();
    house.give(&Actor::Operator, close()).unwrap();
    assert_eq!((audit(&house.log).first_failure, voided_at), (None, house.now));
    // A seed that nobody hands in holds the table for an hour.
    let (mut house, _) = voided();
    house.wait(LATE_SEED_MS - 1);
    assert_eq!(refusal(house.give(&Actor::Operator, close())).code(), "awaiting_reveals");
    house.wait(1);
    house.give(&Actor::Operator, close()).unwrap();
    assert_eq!(audit(&house.log).first_failure, None);
    // The owner of a table may close it: the seeds are the owner's own.
    let mut house = House::with_table(&[], 0);
    house.add_player("carol", 100);
    house.open_own("carol", "own", joy(&[]));
    let seed = house.any_seed("own");
    house.bet("own", "carol", 10, &seed).unwrap();
    let by_when = house.state.next_deadline().unwrap();
    house.wait(by_when - house.now);
    house.run_due();
    assert_eq!(house.table("own").voided.len(), 1);
    assert_eq!(
        refusal(house.give(&Actor::Operator, Command::CloseTable { table: table("own") })).code(),
        "awaiting_reveals"
    );
    house.give(&by("carol"), Command::CloseTable { table: table("own") }).unwrap();
    assert_eq!(audit(&house.log).first_failure, None);
}
