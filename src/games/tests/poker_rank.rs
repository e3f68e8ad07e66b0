//! Counts every possible hand (spec/games/poker.md, "Ranking").

use aya_poker::base::{CARDS, Hand};
use fairshoe_fairness::Card;
use fairshoe_games::poker::rank::{Family, high, low};
use std::collections::{BTreeMap, HashSet};

fn card(code: usize) -> Card {
    Card::from_code(u8::try_from(code).unwrap()).unwrap()
}

fn cards(text: &str) -> Vec<Card> {
    text.split_whitespace().map(|card| card.parse().unwrap()).collect()
}

/// Published counts: see the table in spec/games/poker.md.
const SEVEN: [(&str, u64); 10] = [
    ("royal flush", 4_324),
    ("straight flush", 37_260),
    ("four of a kind", 224_848),
    ("full house", 3_473_184),
    ("flush", 4_047_644),
    ("straight", 6_180_020),
    ("three of a kind", 6_461_620),
    ("two pair", 31_433_400),
    ("pair", 58_627_800),
    ("high card", 23_294_460),
];

#[test]
fn all_hands_of_seven_cards_have_the_published_categories() {
    // Strengths are numbers below 2^16: one counter each, categories afterwards.
    let mut counts = vec![0u64; 1 << 16];
    let deck: Vec<Card> = (0..52).map(card).collect();
    let mut categories = BTreeMap::new();
    for a in 0..46 {
        for b in a + 1..47 {
            for c in b + 1..48 {
                for d in c + 1..49 {
                    for e in d + 1..50 {
                        for f in e + 1..51 {
                            for g in f + 1..52 {
                                let board = [deck[c], deck[d], deck[e], deck[f], deck[g]];
                                let strength = high(Family::Holdem, &[deck[a], deck[b]], &board).unwrap();
                                let count = &mut counts[usize::from(strength.number())];
                                if *count == 0 {
                                    categories.insert(strength.number(), strength.category());
                                }
                                *count += 1;
                            }
                        }
                    }
                }
            }
        }
    }
    let mut by_category: BTreeMap<&str, u64> = BTreeMap::new();
    for (number, category) in &categories {
        *by_category.entry(category).or_default() += counts[usize::from(*number)];
    }
    assert_eq!(by_category, BTreeMap::from(SEVEN));
    assert_eq!(categories.len(), 4_824, "distinct values");
    assert_eq!(counts.iter().sum::<u64>(), 133_784_560);
    // The categories rank in this order.
    let order: Vec<&str> = categories.values().rev().fold(Vec::new(), |mut order, category| {
        if order.last() != Some(category) {
            order.push(category);
        }
        order
    });
    assert_eq!(order, SEVEN.map(|(name, _)| name));
}

#[test]
fn all_hands_of_five_cards_fall_into_7462_classes() {
    let mut classes = HashSet::new();
    let mut hands = 0u64;
    for a in 0..48 {
        for b in a + 1..49 {
            for c in b + 1..50 {
                for d in c + 1..51 {
                    for e in d + 1..52 {
                        let hand: Hand = [a, b, c, d, e].iter().map(|&at: &usize| CARDS[at]).collect();
                        classes.insert(aya_poker::poker_rank(&hand).0);
                        hands += 1;
                    }
                }
            }
        }
    }
    assert_eq!((hands, classes.len()), (2_598_960, 7_462));
}

#[test]
fn r001_6_the_category_decides_then_the_cards_then_the_kicker_and_never_the_suit() {
    let board = cards("Ks Kd 7h 4c 2s");
    let strength = |hole: &str| high(Family::Holdem, &cards(hole), &board).unwrap();
    assert!(strength("7c 7d") > strength("Ac Ad"), "a full house beats two pair");
    assert!(strength("Ac Ad") > strength("Qc Qd"), "the higher pair");
    assert!(strength("Ac 3d") > strength("Qc Jd"), "the kicker");
    assert_eq!(strength("Ac 3d"), strength("Ah 3s"), "suits never rank");
    assert_eq!(strength("Ac 9d").category(), "pair");
    // The kicker must be a card that is not shared: here the board plays.
    let straight = cards("Ts Js Qd Kc Ah");
    let both = ["2c 3d", "9c 9d"].map(|hole| high(Family::Holdem, &cards(hole), &straight).unwrap());
    assert_eq!(both[0], both[1]);
}

#[test]
fn omaha_plays_two_of_the_hand_and_three_of_the_board() {
    let board = cards("As Ks Qs Js 2d");
    assert_eq!(
        high(Family::Omaha, &cards("Ts 9h 4h 5c"), &board).unwrap().category(),
        "straight",
        "one spade is not enough"
    );
    assert_eq!(
        high(Family::Omaha, &cards("Ts 9s 4h 5c"), &board).unwrap().category(),
        "straight flush",
        "not royal: that takes four of the board"
    );
    assert_eq!(
        high(Family::Omaha, &cards("Ac Ad Ah 3c"), &board).unwrap().category(),
        "three of a kind",
        "two aces of four"
    );
}

#[test]
fn a_low_of_eight_or_better_takes_two_of_the_hand_too() {
    let board = cards("Ac 2d 7h Ks Kd");
    let strength = |hole: &str| low(Family::Omaha, &cards(hole), &board);
    assert!(strength("3c 4d Qh Qs") > strength("3c 5d Qh Qs"));
    assert_eq!(strength("3c 4d Qh Qs"), strength("3h 4s Jh Js"));
    assert_eq!(strength("3c Td Qh Qs"), None, "one low card is not enough");
    assert_eq!(low(Family::Omaha, &cards("3c 4d Qh Qs"), &cards("Ac 2d Th Ks Kd")), None, "the board has two");
    // Straights and flushes do not count against a low: the wheel is the best.
    let wheel = cards("Ac 2c 3c Ks Kd");
    assert!(low(Family::Omaha, &cards("4c 5c Qh Qs"), &wheel) > low(Family::Omaha, &cards("4d 6c Qh Qs"), &wheel));
}

#[test]
fn a_short_deck_ranks_a_flush_above_a_full_house() {
    let board = cards("Ks Kd 9s 7s 6h");
    let strength = |hole: &str| high(Family::ShortDeck, &cards(hole), &board).unwrap();
    assert!(strength("As 8s") > strength("Kc 9c"));
    assert_eq!(
        high(Family::ShortDeck, &cards("Ac 8c"), &cards("6s 7d 9h Kd Qs")).unwrap().category(),
        "straight",
        "A 6 7 8 9"
    );
    assert_eq!(high(Family::ShortDeck, &cards("Ac 5c"), &board), None, "no five in this deck");
}

#[test]
fn what_is_no_hand_has_no_rank() {
    let board = cards("Ks Kd 7h 4c 2s");
    for (family, hole) in [
        (Family::Holdem, "Ac"),
        (Family::Holdem, "Ac Ad Ah"),
        (Family::Omaha, "Ac Ad"),
        (Family::Holdem, "Ac Ac"),
        (Family::Holdem, "Ks Ac"),
    ] {
        assert_eq!(high(family, &cards(hole), &board), None, "{hole}");
        assert_eq!(low(family, &cards(hole), &board), None, "{hole}");
    }
    assert_eq!(high(Family::Holdem, &cards("Ac Ad"), &board[..4]), None);
}
