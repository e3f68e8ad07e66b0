//! Play at shared tables: turn clocks, the insurance window, lanes, shoes that last over rounds.

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::shared::*;
use common::*;
use fairshoe_fairness::{Card, HouseShoe, ServerSeed, Slot};
use fairshoe_games::{Action, ActionKind, Ahead, Peek, RoundEvent};
use fairshoe_house::{
    Actor, Command, Committed, Dealer, DealerError, Entry, Event, Lapsed, Phase, Reference, RetireCause, SeedDealer,
    ShoeId, VoidCause,
};
use std::collections::BTreeSet;

const TURN: u64 = 20 * SECOND;

fn acted(entry: &Entry) -> Vec<(String, Action, bool)> {
    let plays = course([entry]);
    let acted = plays.into_iter().filter_map(|e| match e {
        RoundEvent::Acted { player, action, default, .. } => Some((player.to_string(), action, default)),
        _ => None,
    });
    acted.collect()
}

fn lapse(lapsed: Lapsed, round_no: u64) -> Command {
    Command::Lapse { table: table("t1"), round_no, lapsed }
}

/// Alice and bob at a table where neither has 21 and nobody is insured.
fn two_at_play() -> House {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.wish_for("t1", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 6 && [0, 1].iter().all(|l| d.value(*l, 0) == 10 && (2..=6).contains(&d.value(*l, 1)))
    });
    house.deal_all("t1", &["alice", "bob"], 100);
    house
}

#[test]
fn c16_the_turn_clock_stands_in_the_offer_and_an_action_counts_before_it() {
    let mut house = two_at_play();
    assert_eq!(house.asked("t1"), ["alice"]);
    assert_eq!(house.open_decisions("t1")[0].deadline, house.now + TURN);
    assert_eq!(house.phase("t1"), Some(Phase::Open { settle_by: None }), "a shared round has no deadline of its own");
    let deadline = house.now + TURN;
    assert_eq!(house.state.next_deadline(), Some(deadline));
    house.now = deadline - 1;
    assert_eq!(refusal(house.give(&Actor::House, lapse(Lapsed::Turn, 0))).code(), "deadline_ahead");
    assert_eq!(refusal(house.give(&Actor::House, lapse(Lapsed::Round, 0))).code(), "nothing_to_do");
    assert_eq!(refusal(house.give(&Actor::House, lapse(Lapsed::Reveal, 0))).code(), "nothing_to_do");
    assert_eq!(refusal(house.give(&by("bob"), lapse(Lapsed::Turn, 0))).code(), "not_allowed");
    let mut late = two_at_play();
    late.now += TURN;
    assert_eq!(refusal(late.choose("t1", "alice", Action::Stand)).code(), "deadline_passed");
    // In time: the next player has their own full turn.
    house.choose("t1", "alice", Action::Stand).unwrap();
    assert_eq!((house.asked("t1"), house.open_decisions("t1")[0].deadline), (vec!["bob".to_owned()], house.now + TURN));
}

#[test]
fn r001_58_c19_a_turn_that_runs_out_is_played_by_default_at_once_and_the_next_player_asked() {
    let mut house = two_at_play();
    house.now += TURN;
    let entry = house.run_due().remove(0);
    assert_eq!(entry.by, Actor::House);
    assert_eq!(acted(&entry), [("alice".to_owned(), Action::Stand, true)]);
    assert_eq!(house.asked("t1"), ["bob"], "bob is not timed out with her");
    assert!(house.run_due().is_empty());
    house.choose("t1", "bob", Action::Stand).unwrap();
    assert_eq!(house.phase("t1"), Some(Phase::Settled));
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn r001_138_a_second_split_hand_is_asked_separately() {
    let mut house = House::shared("live-blackjack", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.wish_for("t1", &["alice"], 2, |d| {
        d.value(0, 0) == 8 && d.value(0, 1) == 8 && (4..=6).contains(&d.value(1, 0))
    });
    house.deal_all("t1", &["alice"], 100);
    house.choose("t1", "alice", Action::Split).unwrap();
    house.now += TURN;
    let entry = house.run_due().remove(0);
    assert_eq!(acted(&entry), [("alice".to_owned(), Action::Stand, true)]);
    let open = house.open_decisions("t1");
    assert_eq!((open.len(), open[0].place.to_string(), open[0].deadline), (1, "1/2".into(), house.now + TURN));
    house.choose("t1", "alice", Action::Hit).unwrap();
}

#[test]
fn a001_ff_a001_hh_the_insurance_window_is_one_for_all_players() {
    let players = ["alice", "bob", "carol"];
    let start = || {
        let mut house = House::shared("live-blackjack", &[], &players);
        house.sit_all("t1", &players);
        house.wish_for("t1", &players, 4, |d| {
            d.value(3, 0) == 1
                && d.value(3, 1) < 10
                && (0..3).all(|l| d.value(l, 0) + d.value(l, 1) < 18 && d.value(l, 0) > 1 && d.value(l, 1) > 1)
        });
        house.deal_all("t1", &players, 100);
        house
    };
    // All are asked at once, until the same time, and answer in any order.
    let mut house = start();
    assert_eq!(house.asked("t1"), players);
    assert_eq!(house.open_decisions("t1").iter().map(|open| open.deadline).collect::<BTreeSet<_>>().len(), 1);
    house.choose("t1", "carol", Action::Insurance { take: true }).unwrap();
    assert_eq!(house.asked("t1"), ["alice", "bob"]);
    assert_eq!(refusal(house.choose("t1", "bob", Action::Hit)).code(), "action_not_offered");
    house.choose("t1", "alice", Action::Insurance { take: false }).unwrap();
    let entry = house.choose("t1", "bob", Action::Insurance { take: true }).unwrap();
    // The window is over: one look, the lost premiums are collected, and the players are asked one by one.
    assert_eq!(names_of(&entry), ["play.acted", "posted", "play.peeked", "play.paid", "posted", "play.offered"]);
    assert_eq!((house.balance("carol"), house.balance("bob"), house.house_balance()), (999_850, 999_850, 100));
    assert_eq!(house.asked("t1"), ["alice"]);

    // A player who does not answer declines; those who did are not touched.
    let mut house = start();
    house.choose("t1", "bob", Action::Insurance { take: true }).unwrap();
    house.now += TURN;
    let entry = house.run_due().remove(0);
    let declined = |who: &str| (who.to_owned(), Action::Insurance { take: false }, true);
    assert_eq!(acted(&entry), [declined("alice"), declined("carol")]);
    assert_eq!(house.asked("t1"), ["alice"]);
    house.play_out("t1");
    assert_eq!(audit(&house.log).first_failure, None);
}

/// The measured attack: a shill who draws more or fewer cards to choose the dealer's (−2.4 % became −27 %).
#[test]
fn c9_a_players_choices_move_nobody_elses_cards_nor_the_dealers() {
    let courses: Vec<Vec<(u16, Vec<Slot>)>> = [Action::Hit, Action::Stand]
        .into_iter()
        .map(|first| {
            let mut house = two_at_play();
            house.choose("t1", "alice", first).unwrap();
            if house.asked("t1") == ["alice"] {
                house.choose("t1", "alice", Action::Stand).unwrap();
            }
            house.play_out("t1");
            let all = entries(&house.log);
            (0..3)
                .map(|lane| {
                    let slots = course(&all).into_iter().filter_map(|e| match e {
                        RoundEvent::Dealt { lane: drawn, slot, .. } if drawn == lane => Some(slot),
                        _ => None,
                    });
                    (lane, slots.collect())
                })
                .collect()
        })
        .collect();
    assert_ne!(courses[0][0], courses[1][0], "alice's own lane differs");
    assert_eq!(courses[0][1], courses[1][1], "bob's cards");
    let (hit, stood) = (&courses[0][2].1, &courses[1][2].1);
    let common = hit.len().min(stood.len());
    assert_eq!(hit[..common], stood[..common], "the dealer's cards");
    // A rule set that deals sequentially at a shared table is refused.
    let wrong = fairshoe_games::RuleSet::shipped("six-deck").unwrap().with_options([("dealing", "sequential")]);
    assert!(wrong.is_err());
}

#[test]
fn c9_baccarat_and_roulette_have_one_lane_at_shared_tables_too() {
    for (name, spot) in [("baccarat", "player"), ("roulette", "red")] {
        let mut house = House::shared(name, &[], &["alice", "bob"]);
        house.sit_all("t1", &["alice", "bob"]);
        for who in ["alice", "bob"] {
            house.place_bets("t1", who, &[(spot, 100)]).unwrap();
        }
        let entry = house.run_due().remove(0);
        assert_eq!(the(&entry, |e| if let Event::BetsClosed { lanes, .. } = e { Some(*lanes) } else { None }), 1);
        let entry = house.show_all("t1");
        // R001.116: one settlement of all bets, after the last card.
        let plays = course([&entry]);
        assert!(matches!(plays.last(), Some(RoundEvent::Paid { lines }) if lines.len() == 2), "{plays:?}");
    }
}

#[test]
fn r001_87_other_stakes_same_cards() {
    let dealt = |stake: u64| {
        let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
        house.credit("alice", stake * 7).unwrap();
        house.sit_all("t1", &["alice", "bob"]);
        course([&house.deal_all("t1", &["alice", "bob"], stake)])
            .into_iter()
            .filter(|e| matches!(e, RoundEvent::Dealt { .. }))
            .collect::<Vec<_>>()
    };
    assert_eq!(dealt(100), dealt(77_776));
}

#[test]
fn c10_a001_z_r004_22_a_shoe_lasts_over_rounds_and_what_is_drawn_never_comes_back() {
    let mut house = House::shared("study-group", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    let shoe = house.table("t1").shoe.clone().unwrap();
    let mut drawn: BTreeSet<Slot> = BTreeSet::new();
    for round in 0..6u64 {
        if round == 3 {
            // A void round's slots are burnt and count as dealt.
            house.deal_all("t1", &["alice", "bob"], 10);
            let reason = Reference::parse("spill").unwrap();
            if house.table("t1").live_round().is_some() {
                house
                    .give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no: round, reason })
                    .unwrap();
            }
            house.run_due();
        } else {
            house.whole_round("t1", &["alice", "bob"], 10);
        }
        let lanes = house.lanes("t1");
        let order: BTreeSet<Slot> = lanes.order().iter().copied().collect();
        assert_eq!(order.len(), 312 - drawn.len(), "each round shuffles all the slots that are left");
        assert!(order.is_disjoint(&drawn));
        drawn.extend(lanes.drawn());
        let now = house.table("t1").shoe.clone().unwrap();
        assert_eq!((now.id.shoe_no, &now.candidates), (0, &shoe.candidates), "the root stays as it was");
        let left: Vec<Slot> = (0..312).map(Slot).filter(|slot| !drawn.contains(slot)).collect();
        assert_eq!(now.undrawn, left);
    }
    assert_eq!(audit(&house.log).first_failure, None);
}

/// After each round: how many slots were left, and whether the shoe was changed for it.
fn ends(name: &str, reshuffle: &str, players: &[&str], rounds: usize) -> (Vec<(usize, bool)>, House) {
    let mut house = House::shared(name, &[("reshuffle", reshuffle)], players);
    house.sit_all("t1", players);
    let mut ends = Vec::new();
    for _ in 0..rounds {
        let spot = if name == "baccarat" { Some("player") } else { None };
        for who in players {
            let seat = house.table("t1").seat_of(&player(who)).unwrap().to_string();
            house.place_bets("t1", who, &[(spot.unwrap_or(&seat), 100)]).unwrap();
        }
        house.run_due();
        house.show_all("t1");
        house.play_out("t1");
        let left = house.lanes("t1").order().len() - house.lanes("t1").drawn().len();
        ends.push((left, house.table("t1").shoe.is_none()));
        house.run_due();
    }
    (ends, house)
}

#[test]
fn r003_13_a003_l_the_shoe_is_changed_when_at_most_so_many_cards_are_left_at_a_rounds_end() {
    let (ends, house) = ends("six-deck", r#"{"left_at_most":296}"#, &["alice", "bob"], 12);
    assert!(ends.iter().any(|end| end.1) && ends.iter().any(|end| !end.1));
    for (left, changed) in ends {
        assert_eq!(changed, left <= 296, "{left} left");
    }
    assert_eq!(audit(&house.log).first_failure, None);
    assert!(audit(&house.log).shoes_by_cause["threshold"] > 0);
}

#[test]
fn r004_15_a004_j_the_shoe_is_changed_when_fewer_than_so_many_are_left_and_never_in_a_round() {
    let (ends, house) = ends("study-group", r#"{"left_below":297}"#, &["alice", "bob"], 12);
    assert!(ends.iter().any(|end| end.1) && ends.iter().any(|end| !end.1));
    for (left, changed) in ends {
        assert_eq!(changed, left < 297, "{left} left");
    }
    for entry in entries(&house.log) {
        let names = names_of(&entry);
        if let Some(at) = names.iter().position(|name| name == "shoe_revealed") {
            assert!(names[..at].contains(&"round_settled".to_owned()), "{names:?}");
        }
    }
}

#[test]
fn r001_41_r001_51_r001_125_a001_w_a001_aa_the_cut_card_makes_this_the_last_hand() {
    for (name, back, players) in [("live-blackjack", 398, &["alice", "bob"][..]), ("baccarat", 398, &["alice"])] {
        let (ends, house) = ends(name, &format!("{{\"cut_back\":{back}}}"), players, 12);
        for (left, changed) in &ends {
            assert_eq!(*changed, *left < back, "{name}: {left} left");
        }
        assert!(ends.iter().any(|end| end.1));
        // The table says so in the round in which it appears, at the very draw; the shoe's next entry is its
        // retirement.
        let (mut left, mut said) = (416usize, false);
        for entry in entries(&house.log) {
            for (event, next) in entry.events.iter().zip(entry.events.iter().skip(1).map(Some).chain([None])) {
                match event {
                    Event::ShoeCommitted { .. } => (left, said) = (416, false),
                    Event::Play(RoundEvent::Dealt { .. }) => {
                        left -= 1;
                        let says = matches!(next, Some(Event::LastHand { .. }));
                        assert_eq!(says, left < back && !said, "{name}: {left} left");
                        said |= says;
                    }
                    Event::LastHand { .. } => {}
                    Event::RoundSettled { .. } => {
                        let retired =
                            matches!(next, Some(Event::ShoeRevealed { cause: Some(RetireCause::Threshold), .. }));
                        assert_eq!(retired, said, "{name}");
                    }
                    Event::BetsOpened { .. } => assert!(!said, "{name}: bets on a shoe whose last hand is over"),
                    _ => {}
                }
            }
        }
        assert_eq!(audit(&house.log).first_failure, None);
    }
}

/// Shows a two wherever it is asked: hands that never end.
struct AllTwos(SeedDealer);

impl Dealer for AllTwos {
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        self.0.commit(shoe, candidates)
    }
    fn card(&self, _: &ShoeId, _: u8, _: Slot) -> Result<Card, DealerError> {
        Ok("2c".parse().unwrap())
    }
    fn peek(&self, _: &ShoeId, _: u8, _: Slot, _: Peek) -> Result<bool, DealerError> {
        Ok(false)
    }
    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        self.0.wheel_value(shoe, candidate, slot)
    }
    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        self.0.seed(shoe, candidate)
    }
}

#[test]
fn c13_a_draw_that_finds_no_slot_voids_the_round_and_retires_the_shoe() {
    // One pack for two boxes suffices by the rule; it does not where every card is a two, and every hand is split.
    let players: Vec<&str> = NAMES[..2].to_vec();
    let one_pack = [("decks", "1"), ("boxes", "2"), ("seats", "2"), ("reshuffle", r#"{"left_below":26}"#)];
    let mut house = House::shared("study-group", &one_pack, &players);
    house.dealer = Box::new(AllTwos(SeedDealer::new(fairshoe_fairness::Master::from_bytes(MASTER))));
    house.sit_all("t1", &players);
    house.deal_all("t1", &players, 100);
    let last = loop {
        let who = house.asked("t1")[0].clone();
        let action = if house.offered("t1").contains(&ActionKind::Split) { Action::Split } else { Action::Hit };
        let entry = house.choose("t1", &who, action).unwrap();
        if house.table("t1").live_round().is_none() {
            break entry;
        }
    };
    let (cause, ahead) =
        the(&last, |e| if let Event::RoundVoided { cause, ahead, .. } = e { Some((*cause, *ahead)) } else { None });
    assert_eq!(cause, VoidCause::ShoeExhausted);
    assert_ne!(ahead, Ahead::Nobody);
    assert!(matches!(last.events.last(), Some(Event::ShoeRevealed { cause: Some(RetireCause::Exhausted), .. })));
    for who in players {
        assert_eq!(house.balance(who), 1_000_000);
    }
    assert_eq!((house.escrow("t1"), house.house_balance()), (0, 0));
}

#[test]
fn r001_120_a_shuffle_at_discretion_needs_the_option_and_a_cause_and_comes_after_the_hand() {
    let shuffle =
        |reason: Option<&str>| Command::RetireShoe { table: table("t1"), reason: reason.and_then(Reference::parse) };
    let mut house = House::shared("live-blackjack", &[], &["alice"]);
    assert_eq!(refusal(house.give(&Actor::Operator, shuffle(Some("worn cards")))).code(), "not_allowed");
    let mut house = House::shared("live-blackjack", &[("house_shuffle", "on")], &["alice"]);
    assert_eq!(refusal(house.give(&Actor::Operator, shuffle(None))).code(), "malformed");
    assert_eq!(refusal(house.give(&by("alice"), shuffle(Some("mine")))).code(), "not_allowed");
    let entry = house.give(&Actor::Operator, shuffle(Some("worn cards"))).unwrap();
    assert!(matches!(
        entry.events[..],
        [Event::ShoeRevealed { shoe_no: 0, cause: Some(RetireCause::HouseShuffle), .. }]
    ));
    house.run_due();
    house.sit_all("t1", &["alice"]);
    // While bets are open, or a hand is in progress: announced, and done when the hand is over, before the next bets
    // open.
    for open in [true, false] {
        if !open {
            house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
            house.run_due();
        }
        let shoe = house.table("t1").shoe.as_ref().unwrap().id.shoe_no;
        assert_eq!(names_of(&house.give(&Actor::Operator, shuffle(Some("worn cards"))).unwrap()), ["shuffle_asked"]);
        assert_eq!(refusal(house.give(&Actor::Operator, shuffle(Some("again")))).code(), "nothing_to_do");
        if open {
            house.place_bets("t1", "alice", &[("1", 100)]).unwrap();
            house.run_due();
        }
        house.show_all("t1");
        house.play_out("t1");
        let last = entries(&house.log).pop().unwrap();
        assert!(matches!(last.events.last(), Some(Event::ShoeRevealed { cause: Some(RetireCause::HouseShuffle), .. })));
        house.run_due();
        assert_eq!(house.table("t1").shoe.as_ref().unwrap().id.shoe_no, shoe + 1);
        assert!(house.table("t1").window().is_some() && !house.table("t1").betting().unwrap().shuffle_asked);
    }
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.shoes_by_cause["house_shuffle"]), (None, 3));
}

#[test]
fn r001_121_r001_124_the_shoe_that_comes_out_is_the_committed_one_card_for_card() {
    let (_, house) = ends("six-deck", r#"{"left_at_most":300}"#, &["alice", "bob"], 6);
    let mut committed = Vec::new();
    for event in entries(&house.log).into_iter().flat_map(|entry| entry.events) {
        match event {
            Event::ShoeCommitted { composition, candidates, .. } => committed.push((composition, candidates)),
            Event::ShoeRevealed { shoe_no, seeds, .. } => {
                let (composition, candidates) = &committed[shoe_no as usize];
                let shoe = HouseShoe::derive(&seeds[0], composition);
                assert_eq!(shoe.root(), candidates[0].root);
                let mut codes: Vec<u8> = (0..312).map(|slot| shoe.value(Slot(slot)).unwrap()).collect();
                codes.sort_unstable();
                assert!((0..312).all(|n| codes[n] as usize == n / 6), "six of each card");
            }
            _ => {}
        }
    }
    assert!(committed.len() > 1);
}

#[test]
fn r001_89_a_correction_takes_winnings_back_by_an_entry_with_a_cause() {
    let mut house = House::shared("live-blackjack", &[], &["alice"]);
    let correct = |amount: u64| Command::Correct {
        player: player("alice"),
        amount: chips(amount),
        reason: Reference::parse("case 17").unwrap(),
    };
    assert_eq!(refusal(house.give(&by("alice"), correct(5))).code(), "not_allowed");
    assert_eq!(refusal(house.give(&Actor::Operator, correct(1_000_001))).code(), "insufficient_balance");
    assert_eq!(refusal(house.give(&Actor::Operator, correct(0))).code(), "amount_out_of_range");
    let entry = house.give(&Actor::Operator, correct(250)).unwrap();
    assert_eq!(names_of(&entry), ["posted"]);
    assert_eq!((house.balance("alice"), house.house_balance()), (999_750, 250));
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.ledger.corrected), (None, 250.into()));
}

#[test]
fn r001_133_options_are_what_the_balance_allows_and_the_balance_of_the_moment_decides() {
    let mut house = House::shared("live-blackjack", &[], &[]);
    house.add_player("alice", 150);
    house.sit_all("t1", &["alice"]);
    house.wish_for("t1", &["alice"], 2, |d| {
        d.value(0, 0) == 8 && d.value(0, 1) == 8 && (4..=6).contains(&d.value(1, 0))
    });
    house.deal_all("t1", &["alice"], 100);
    assert_eq!(
        house.offered("t1"),
        [ActionKind::Hit, ActionKind::Stand, ActionKind::Double],
        "a split costs 100, 50 are left"
    );
    assert_eq!(refusal(house.choose("t1", "alice", Action::Split)).code(), "insufficient_balance");
    assert_eq!(
        refusal(house.choose("t1", "alice", Action::Double { amount: Some(chips(52)) })).code(),
        "insufficient_balance"
    );
    house.choose("t1", "alice", Action::Double { amount: Some(chips(50)) }).unwrap();
    house.assert_conserved();
}
