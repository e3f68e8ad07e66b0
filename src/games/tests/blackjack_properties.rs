//! The purpose of lanes at every form of blackjack, and faces that the table asks for in their time. What else is true of
//! random rounds is in `second_engine`.

use crate::common;
use common::boxes::{Play, player, shuffled};
use common::{Dice, bet, chips, options_of};
use fairshoe_fairness::Card;
use fairshoe_games::blackjack::BlackjackRound;
use fairshoe_games::{Bet, DealingRule, Mode, Place, Placed, RoundEvent, RuleSet, StepError};
use std::collections::BTreeMap;

const FORMS: [&str; 7] =
    ["joy", "live-blackjack", "rng-blackjack", "six-deck", "six-deck-solo", "study-group", "study-group-solo"];

/// Random bets of random players, within the rules of the table.
fn random_bets(rules: &RuleSet, dice: &mut Dice) -> Vec<Placed> {
    let names = ["ann", "bob", "cat", "dan", "eve", "fay", "gus"];
    let mut spots: Vec<u8> = (1..=options_of(rules).boxes).collect();
    dice.shuffle(&mut spots);
    let players = if rules.table.mode == Mode::Solo { 1 } else { 1 + dice.below(usize::from(rules.table.seats)) };
    let mut placed = Vec::new();
    for name in &names[..players] {
        let own = 1 + dice.below(usize::from(rules.table.bets_per_player));
        let bets: Vec<Bet> = spots
            .split_off(spots.len() - own.min(spots.len()))
            .into_iter()
            .map(|spot| bet(&spot.to_string(), rules.table.stake_min.units() + 2 * dice.below(50) as u64))
            .collect();
        if !bets.is_empty() {
            placed.push(Placed { player: player(name), bets });
        }
    }
    placed
}

/// Dice for each box.
fn box_dice(seed: u64) -> BTreeMap<u8, Dice> {
    (1..=7).map(|spot| (spot, Dice(seed.wrapping_mul(31).wrapping_add(u64::from(spot))))).collect()
}

/// The cards that each box and the dealer got.
fn by_lane(play: &Play) -> (BTreeMap<u8, Vec<Card>>, Vec<Card>) {
    let of_box = |spot: u8| play.faces(|place| matches!(place, Place::Hand { spot: at, .. } if *at == spot));
    ((1..=7).map(|spot| (spot, of_box(spot))).collect(), play.faces(|place| *place == Place::Dealer))
}

/// Plays the same shoe twice, the second time with other choices at one box. Returns whether another player's cards
/// changed, and whether a lane drew more cards than lanes promise to keep apart.
fn somebody_else_is_touched(name: &str, dealing: DealingRule, seed: u64) -> (bool, bool) {
    let mut dice = Dice(seed);
    let rules = RuleSet::shipped(name).unwrap();
    let boxes = options_of(&rules).boxes;
    let placed: Vec<Placed> = ["ann", "bob", "cat", "dan", "eve", "fay", "gus"][..usize::from(boxes)]
        .iter()
        .zip(1..=boxes)
        .map(|(name, spot)| Placed { player: player(name), bets: vec![bet(&spot.to_string(), 200)] })
        .collect();
    let rich = dice.below(2) == 0;
    let mut shoe = shuffled(&mut dice, 6, rich);
    shoe.truncate(78 + dice.below(234));
    let changed = 1 + dice.below(usize::from(boxes)) as u8;
    let run = |other: bool| {
        let round = BlackjackRound::new(options_of(&rules), dealing, &placed).unwrap();
        let mut play = Play::with_round(Box::new(round), &placed, 1_000_000, shoe.clone());
        let mut choices = box_dice(seed);
        if other {
            choices.insert(changed, Dice(seed ^ 0xdead_beef));
        }
        // Answers in the window come in one order, so that only the box's own choices differ.
        let _ = play.finish(&mut choices, &mut Dice(7));
        play
    };
    let (one, two) = (run(false), run(true));
    let undrawn = shoe.len();
    let lanes = usize::from(boxes) + 1;
    let beyond = [&one, &two].iter().any(|play| {
        let (of_boxes, dealer) = by_lane(play);
        of_boxes.values().chain([&dealer]).any(|cards| cards.len() >= undrawn / lanes)
    });
    let ((of_one, dealer_one), (of_two, dealer_two)) = (by_lane(&one), by_lane(&two));
    // The players who are left decide whether the dealer draws, but not which cards.
    let dealer_differs = dealer_one.iter().zip(&dealer_two).any(|(one, two)| one != two);
    let box_differs = (1..=7).any(|spot| spot != changed && of_one[&spot] != of_two[&spot]);
    (dealer_differs || box_differs, beyond)
}

#[test]
fn c9_with_lanes_no_choice_moves_anothers_cards() {
    for name in ["live-blackjack", "six-deck", "study-group"] {
        let mut checked = 0;
        for seed in 0..400 {
            let (touched, beyond) = somebody_else_is_touched(name, DealingRule::Lanes, seed);
            assert!(beyond || !touched, "{name}, seed {seed}");
            checked += usize::from(!beyond);
        }
        assert!(checked > 200, "{name}: {checked}");
    }
}

#[test]
fn c9_in_one_sequence_a_choice_moves_the_dealers_cards() {
    for name in ["live-blackjack", "six-deck", "study-group"] {
        let moved = (0..100).filter(|seed| somebody_else_is_touched(name, DealingRule::Sequential, *seed).0).count();
        assert!(moved > 20, "{name}: {moved}");
    }
}

#[test]
fn c9_boxes_in_ascending_order_are_lanes_0_and_on_and_the_dealer_is_the_last() {
    let rules = RuleSet::shipped("live-blackjack").unwrap();
    let placed = common::boxes::bets("ann 6:100, bob 2:100, cat 5:100");
    let mut play = Play::new(&rules, &placed, 1000, common::cards("8s 7d 6h 2c 8h 9c 9d 3s Ts 4s Tc Th Jh Qh Kh 2s"));
    assert_eq!(play.round.lanes(), 4);
    play.run();
    play.act(0, "split").unwrap();
    let dealt = play.events.iter().filter_map(|event| match event {
        RoundEvent::Dealt { lane, to, .. } => Some(format!("{to}:{lane}")),
        _ => None,
    });
    let expected = ["2/1:0", "5/1:1", "6/1:2", "dealer:3", "2/1:0", "5/1:1", "6/1:2", "dealer:3", "2/1:0", "2/2:0"];
    assert_eq!(dealt.collect::<Vec<_>>(), expected);
    // A solo table has one lane for any number of boxes.
    let solo = RuleSet::shipped("six-deck-solo").unwrap();
    assert_eq!(solo.open_round(&common::boxes::bets("ann 1:10 2:10 5:10")).unwrap().lanes(), 1);
}

/// The table of these tests fails when a face is requested that is not shown right then; here it must fail.
#[test]
fn r001_122_no_face_is_asked_for_before_its_time() {
    for name in FORMS {
        for seed in 0..200 {
            let mut dice = Dice(seed);
            let rules = RuleSet::shipped(name).unwrap();
            let placed = random_bets(&rules, &mut dice);
            let shoe = shuffled(&mut dice, usize::from(options_of(&rules).decks), true);
            let mut play = Play::new(&rules, &placed, 1000, shoe);
            play.finish(&mut box_dice(seed), &mut dice).unwrap();
            let hidden =
                play.events.iter().filter(|event| matches!(event, RoundEvent::Dealt { card: None, .. })).count();
            let turned = play.events.iter().filter(|event| matches!(event, RoundEvent::Turned { .. })).count();
            assert_eq!((hidden, turned), if name.starts_with("study") { (2, 2) } else { (1, 1) });
        }
    }
    let mut play = Play::at(&RuleSet::shipped("live-blackjack").unwrap(), "100", "Ts 9d 9h 8c");
    let _ = fairshoe_games::Dealing::card(&play.table, fairshoe_fairness::Slot(3));
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || play.act(0, "stand"))).is_err());
}

#[test]
fn c13_a_draw_that_finds_no_slot_stops_the_round() {
    let rules = RuleSet::shipped("study-group").unwrap();
    for have in 0..7 {
        let shoe = common::cards("2s 3s 2d 2h 3h 4c 5d")[..have].to_vec();
        let placed = common::boxes::bets("ann 1:10, bob 2:10");
        let mut play = Play::new(&rules, &placed, 100, shoe);
        let mut ended = play.try_run();
        let mut decision = 0;
        while ended.is_ok() {
            let event = play.round.accept(&player("ann"), decision, &"hit".parse().unwrap(), chips(100)).unwrap();
            play.round.apply(&event).unwrap();
            decision += 1;
            ended = play.try_run();
        }
        assert_eq!(ended, Err(StepError::ShoeExhausted), "{have}");
        assert!(!play.round.is_settled());
        // All pending stakes can still be returned.
        assert_eq!(play.round.pending_stakes(), [(player("ann"), chips(10)), (player("bob"), chips(10))]);
    }
}
