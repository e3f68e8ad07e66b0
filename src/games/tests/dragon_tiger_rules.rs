//! Dragon Tiger, one test for each rule or ruling (spec/games/dragon-tiger.md). A line is a coup: Dragon's card, Tiger's
//! card, bets, and the return of each.

use crate::spots;
use fairshoe_fairness::{Card, Composition, Slot};
use fairshoe_games::dragon_tiger::Coup;
use fairshoe_games::{Action, Chips, Edge, Illegal, Mode, Place, Reshuffle, RoundEvent, RuleSet, StepError, Wager};
use spots::*;

const ALL: &str = "dragon=100 tiger=100 tie=100 suited-tie=100";

fn dragon_tiger() -> RuleSet {
    RuleSet::shipped("dragon-tiger").unwrap()
}

/// The return of each of four bets of 100.
fn all(shoe: &str) -> String {
    returns(&dragon_tiger(), ALL, Given::shoe(shoe))
}

#[test]
fn r005_1_eight_packs_ace_lowest_king_highest_suits_count_nothing() {
    assert_eq!(dragon_tiger().composition(), Composition::Decks(8));
    let order = "Ac 2d 3h 4s 5c 6d 7h 8s 9c Td Jh Qs Kc".split(' ').collect::<Vec<_>>();
    for pair in order.windows(2) {
        assert_eq!(all(&format!("{} {}", pair[1], pair[0])), "200 0 0 0", "{pair:?}");
        assert_eq!(all(&format!("{} {}", pair[0], pair[1])), "0 200 0 0", "{pair:?}");
    }
    let [low, high] = ["Ac", "Ks"].map(|card| card.parse::<Card>().unwrap());
    assert_eq!([Coup::of(low, high), Coup::of(high, low)], [Coup::Tiger, Coup::Dragon]);
}

#[test]
fn r005_2_one_card_to_dragon_then_one_to_tiger_face_up() {
    let (events, round) = course(&dragon_tiger(), &placed("ann: tie=100"), Given::shoe("Qs Jd")).unwrap();
    let dealt = |slot, to, card: &str| RoundEvent::Dealt {
        lane: 0,
        slot: Slot(slot),
        to: Place::spot(to).unwrap(),
        card: Some(card.parse().unwrap()),
    };
    assert_eq!(events[..2], [dealt(0, "dragon", "Qs"), dealt(1, "tiger", "Jd")]);
    assert_eq!(events.len(), 3);
    assert_eq!(round.view()["outcome"], "dragon");
}

#[test]
fn a005_a_the_cut_card_lies_7_cards_from_the_back_and_no_card_is_burnt() {
    for name in ["dragon-tiger", "rng-dragon-tiger"] {
        let reshuffle = RuleSet::shipped(name).unwrap().table.reshuffle;
        assert_eq!(reshuffle, Reshuffle::CutBack(7), "{name}");
        for (dealt, last) in [(0, false), (408, false), (409, false), (410, true)] {
            assert_eq!(reshuffle.is_due(416 - dealt), last, "{dealt} dealt");
        }
    }
    contradictions(
        &dragon_tiger(),
        &[
            (&[("reshuffle", r#"{"cut_back":1}"#)], "2 cards"),
            (&[("reshuffle", r#"{"left_below":1}"#)], "2 cards"),
            (&[("reshuffle", r#"{"left_at_most":0}"#)], "2 cards"),
            (&[("reshuffle", r#"{"cut_back":416}"#)], "before its first card"),
        ],
    );
    for fits in [r#"{"cut_back":2}"#, r#"{"left_at_most":1}"#, r#"{"left_below":2}"#, r#""every_round""#] {
        assert!(dragon_tiger().with_options([("reshuffle", fits)]).is_ok(), "{fits}");
    }
}

#[test]
fn the_ways_are_those_of_every_pair_of_cards() {
    let rules = dragon_tiger();
    let Edge::OfBets(odds) = rules.edge() else { panic!("chance alone decides") };
    let shoe: Vec<Card> = rules.composition().values().into_iter().filter_map(Card::from_code).collect();
    let (dragon, tiger) = (Place::spot("dragon").unwrap(), Place::spot("tiger").unwrap());
    let mut counted = [0u64; 4];
    for (at, first) in shoe.iter().enumerate() {
        for (_, second) in shoe.iter().enumerate().filter(|(other, _)| *other != at) {
            counted[odds.decided(&[(dragon, *first), (tiger, *second)]).unwrap()] += 1;
        }
    }
    let ways = odds.ways(&[("dragon", Chips::new(100).unwrap())]).unwrap();
    assert_eq!(ways, [100, -100, -50, -50].into_iter().zip(counted).collect::<Vec<_>>());
    assert_eq!(odds.decided(&[(dragon, shoe[0])]), None);
}

#[test]
fn r001_87_stakes_never_move_a_card() {
    let rules = dragon_tiger();
    let cards = |bets: &str| {
        let (events, _) = course(&rules, &placed(bets), Given::shoe("9h 8h")).unwrap();
        events[..2].to_vec()
    };
    assert_eq!(cards("ann: dragon=100"), cards("ann: tiger=100000 tie=5000 | bob: dragon=100"));
}

#[test]
fn c6_the_rng_table_is_solo_and_plays_the_live_game() {
    let (live, rng) = (dragon_tiger(), RuleSet::shipped("rng-dragon-tiger").unwrap());
    assert_eq!((live.table.mode, rng.table.mode, rng.table.seats), (Mode::Shared, Mode::Solo, 1));
    assert_eq!(live.game, rng.game);
}

#[test]
fn c13_an_exhausted_shoe_stops_the_coup() {
    let round = course(&dragon_tiger(), &placed("ann: dragon=100"), Given::shoe("9h"));
    assert_eq!(round.err(), Some(StepError::ShoeExhausted));
}

#[test]
fn c18_there_is_nothing_to_decide() {
    let rules = dragon_tiger();
    let mut round = rules.open_round(&placed("ann: dragon=100")).unwrap();
    let mut table = Given::shoe("9h 8h");
    let ann = "ann".parse().unwrap();
    for _ in 0..2 {
        assert_eq!(round.accept(&ann, 0, &Action::Stand, Chips::MAX), Err(Illegal::NotOpen { given: 0, open: None }));
        assert!(round.default_play(0).is_err() && round.options(0, Chips::MAX).is_empty());
        let event = round.step(&table).unwrap().unwrap();
        round.apply(&event).unwrap();
        table.drawn += 1;
    }
}

#[test]
fn r001_116_one_settlement_after_both_cards_and_a_reader_refuses_all_else() {
    let rules = dragon_tiger();
    let mut round = rules.open_round(&placed("ann: dragon=100")).unwrap();
    let dealt = |slot, to, card: &str| RoundEvent::Dealt {
        lane: 0,
        slot: Slot(slot),
        to: Place::spot(to).unwrap(),
        card: Some(card.parse().unwrap()),
    };
    let spun = RoundEvent::Spun { slot: Slot(0), value: 0, pocket: 0 };
    let paid = RoundEvent::Paid { lines: vec![] };
    refuses_forgeries(round.as_ref(), &[dealt(0, "tiger", "9h"), spun.clone(), paid.clone()]);
    round.apply(&dealt(0, "dragon", "9h")).unwrap();
    refuses_forgeries(round.as_ref(), &[dealt(1, "dragon", "Kh"), dealt(0, "tiger", "9h"), spun, paid]);
    round.apply(&dealt(1, "tiger", "8h")).unwrap();
    let settlement = |returned| {
        let event = round.step(&Given::default()).unwrap().unwrap();
        let RoundEvent::Paid { mut lines } = event else { panic!("a settlement") };
        assert_eq!(lines[0].wager, Wager::Bet);
        lines[0].returned = chips(returned);
        RoundEvent::Paid { lines }
    };
    refuses_forgeries(round.as_ref(), &[dealt(2, "tiger", "Kh"), settlement(100), settlement(201)]);
    let honest = settlement(200);
    round.apply(&honest).unwrap();
    assert!(round.is_settled());
}

coups! { "dragon-tiger":
    fn r005_3_a005_b_four_spots_up_to_four_at_once_within_the_limits() "
        dragon=100 tiger=100 tie=100 suited-tie=100/<400; 399> | | <taken; refused insufficient_balance>
        dragon=100 tiger=100/200 | | taken
        <dragon=99; suited-tie=100001; dragon=100 dragon=100> | | refused <below_minimum; above_maximum; spot_twice>
        dragon=100 tiger=100 tie=100 suited-tie=100 dragon=100 | | refused bet_count
        <1; Dragon; suited_tie; player;>=100 | | refused unknown_spot
        @ bets_per_player=5 | contradiction four spots";
    fn r005_4_the_higher_rank_wins_1_to_1() "
        dragon=100 tiger=100 tie=100 suited-tie=100 | <Kc Qd; 2c Ad; 9c Td> | <200 0 0 0; 200 0 0 0; 0 200 0 0>
        ann: tiger=300, bob: dragon=101 | 3c 8d | pays ann tiger win 600, bob dragon loss 0";
    fn r005_5_a005_c_a_tie_takes_half_of_dragon_and_tiger_and_half_comes_back_rounded_down() "
        dragon=100 tiger=101 | <9h 9d; 9h 9h> | pays ann dragon loss 50, ann tiger loss 50
        @ stake_min=1
        dragon=1 tiger=3 | 9h 9d | 0 1";
    fn r005_6_tie_pays_8_to_1_whatever_the_suits() "
        dragon=100 tiger=100 tie=100 suited-tie=100 | 9h <9d; 9h> | 50 50 900 <0; 5100>
        @ tie_pays=11
        tie=100 | Ah Ad | 1200
        @ tie_pays=<0; 101> | contradiction 1 to 100";
    fn r005_7_suited_tie_pays_50_to_1_if_rank_and_suit_are_equal() "
        suited-tie=200 | Ks <Ks; Kc; Qs> | <10200; 0; 0>
        @ suited_tie_pays=101 | contradiction 1 to 100";
    fn c9_dragon_tiger_has_one_lane_and_contradictions_are_refused() "
        @ dealing=lanes | contradiction one lane
        @ decks=<1; 9; 0> | contradiction 2 to 8";
    fn c22_who_is_ahead_is_known_with_both_cards() "
        dragon=100 | <; 9h; 9h 8h; 8h 9h; 8h 8d> | ahead <nobody; nobody; players; house; house>
        dragon=100 tiger=100 | 8h 9h | ahead level
        dragon=800 tie=100 | 8h 8d | ahead players";
}
