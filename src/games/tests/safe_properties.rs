//! Properties of every game of Safe, for all choices and piles.

use crate::safe_table;
use fairshoe_fairness::{Card, Composition, Slot};
use fairshoe_games::safe::SafeEvent;
use fairshoe_games::{Action, Chips, Dealing, Place, Placed, Round, RoundEvent, RuleSet};
use proptest::prelude::*;
use safe_table::{Dice, NAMES, Piles, entry, pack, safe_with, trace};
use serde_json::Value;
use std::collections::BTreeSet;

/// A game played with random piles and random legal choices, some by the clock, some shuffles without a player.
struct Played {
    rules: RuleSet,
    placed: Vec<Placed>,
    events: Vec<RoundEvent>,
}

/// A limit on the length of a game: at most 255 rounds of at most 52 cards; random games stay far below.
const MOST_EVENTS: usize = 20_000;

/// An action of this word: random where it names a card or a hand.
fn filled(dice: &mut Dice, round: &dyn Round, decision: &fairshoe_games::Decision, word: &str) -> Action {
    let view = round.view();
    let Place::Hand { spot, .. } = decision.place else { panic!() };
    let me = view["players"].as_array().unwrap().iter().find(|one| one["seat"] == spot).unwrap();
    let mut pick = |list: &Value| list[dice.below(list.as_array().unwrap().len())].clone();
    let text = match word {
        "change" => format!("change={}", pick(&me["hand"]["cards"])["card"].as_str().unwrap()),
        "open" | "discard" => format!("{word}={}", pick(&me["face_down"])["place"].as_str().unwrap()),
        _ => word.to_owned(),
    };
    text.parse().unwrap()
}

fn choose(dice: &mut Dice, round: &dyn Round, style: usize) -> RoundEvent {
    let open = round.open_decisions().remove(0);
    let offers = round.options(open.number, Chips::ZERO);
    let may = |word: &str| offers.iter().any(|offer| offer.action.to_string() == word);
    // Careful players keep a game going over several piles.
    let liked: &[&str] = match style {
        0 => &[],
        1 => &["accept", "stand", "hit", "pass"],
        2 => &["stand", "face_down", "pass"],
        _ => &["discard", "stand", "reject", "change", "hit", "pass"],
    };
    let word = match liked.iter().find(|word| may(word)) {
        Some(word) if dice.below(8) > 0 => (*word).to_owned(),
        _ if dice.below(10) == 0 => return round.default_play(open.number).unwrap(),
        _ => offers[dice.below(offers.len())].action.to_string(),
    };
    let action = filled(dice, round, &open, &word);
    round.accept(&open.player, open.number, &action, Chips::ZERO).unwrap()
}

/// `by_clock`: nobody chooses, and nobody is missing.
fn play(seed: u64, by_clock: bool) -> Played {
    let mut dice = Dice(seed);
    let rules = safe_with(&[
        ("pass", ["after_operation", "never"][dice.below(2)]),
        ("hit_change", ["seen", "declared"][dice.below(2)]),
        ("last_round", ["255", "255", "3"][dice.below(3)]),
    ]);
    let players = 2 + dice.below(5);
    let mut seats: Vec<usize> = (1..=6).collect();
    dice.shuffle(&mut seats);
    let placed: Vec<Placed> = (0..players).map(|n| entry(NAMES[n], &seats[n].to_string(), 100)).collect();
    let (styles, absences) = (dice.below(4), dice.below(3) == 0 && !by_clock);
    let mut first = pack();
    dice.shuffle(&mut first);
    let mut piles = Piles { piles: vec![first], drawn: 0 };
    let mut round = rules.open_round(&placed).unwrap();
    let mut events = Vec::new();
    while !round.is_settled() {
        let event = match (round.step(&piles).unwrap(), round.needs_pile()) {
            (Some(event), _) => event,
            (None, Some(wanted)) if absences && dice.below(2) == 0 => {
                RoundEvent::Absent { player: wanted.players[dice.below(wanted.players.len())].clone() }
            }
            (None, Some(wanted)) => {
                let Composition::Cards(mut cards) = wanted.composition else { panic!() };
                dice.shuffle(&mut cards);
                piles.piles.push(cards);
                piles.drawn = 0;
                RoundEvent::Shuffled { pile: wanted.pile }
            }
            (None, None) if by_clock => round.default_play(round.open_decisions()[0].number).unwrap(),
            (None, None) => choose(&mut dice, round.as_ref(), styles),
        };
        round.apply(&event).unwrap();
        piles.drawn += u16::from(matches!(event, RoundEvent::Dealt { .. }));
        events.push(event);
        assert!(events.len() < MOST_EVENTS, "it goes on and on: {}", trace(&events[..500]));
    }
    Played { rules, placed, events }
}

/// All open faces on the table, and the number of face-down cards.
fn on_the_table(view: &Value) -> (Vec<String>, usize) {
    let (mut faces, mut hidden) = (Vec::new(), 0);
    let mut card = |card: &Value| match card["card"].as_str() {
        Some(face) => faces.push(face.to_owned()),
        None => hidden += 1,
    };
    for player in view["players"].as_array().unwrap() {
        let hands = player["face_down"].as_array().unwrap().iter().chain([&player["hand"]]);
        hands.filter_map(|hand| hand["cards"].as_array()).flatten().for_each(&mut card);
    }
    if view["shown"].is_object() {
        card(&view["shown"]);
    }
    faces.extend(view["discard"].as_array().unwrap().iter().map(|card| card.as_str().unwrap().to_owned()));
    (faces, hidden)
}

/// Open cards of hands with a hidden card: they are not collected (A002.m).
fn face_up_beside_hidden(view: &Value) -> usize {
    let players = view["players"].as_array().unwrap().iter();
    players
        .flat_map(|player| player["face_down"].as_array().unwrap())
        .map(|hand| hand["cards"].as_array().unwrap().len() - 1)
        .sum()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(120) })]

    #[test]
    fn all_52_cards_are_accounted_for_at_every_step(seed: u64) {
        let played = play(seed, false);
        let mut round = played.rules.open_round(&played.placed).unwrap();
        for event in &played.events {
            round.apply(event).unwrap();
            let view = round.view();
            let (faces, hidden) = on_the_table(&view);
            if let Some(wanted) = round.needs_pile() {
                prop_assert_eq!(wanted.composition.check(), Ok(()));
                prop_assert!(wanted.players.is_sorted() && usize::from(wanted.composition.len()) > 2 * wanted.players.len());
                prop_assert_eq!(usize::from(wanted.composition.len()), faces.len() - face_up_beside_hidden(&view));
            }
            let different: BTreeSet<&String> = faces.iter().collect();
            prop_assert_eq!(different.len(), faces.len(), "a card lies twice after {:?}: {}", event, view);
            prop_assert_eq!(faces.len() + hidden + view["pile_left"].as_u64().unwrap() as usize, 52, "after {:?}: {}", event, view);
        }
        prop_assert_eq!(on_the_table(&round.view()).1, 0, "after the game every card was seen");
    }

    #[test]
    fn the_clock_alone_ends_every_game(seed: u64) {
        play(seed, true);
    }
}

/// A dealer who gives every hand a card that keeps it alive: two players who never lose.
#[derive(Clone)]
struct Kind {
    left: Vec<Card>,
    drawn: u16,
    view: Value,
}

impl Kind {
    /// The best face for the next draw: to 17 or more, else as far as possible.
    fn next(&self, hand: &[Card]) -> Option<Card> {
        let total = |card: &Card| fairshoe_games::blackjack::total(hand.iter().copied().chain([*card])).points;
        let best = |safe: bool| {
            self.left
                .iter()
                .filter(|card| (17..21).contains(&total(card)) == safe && total(card) < 22)
                .max_by_key(|c| total(c))
        };
        let low = self.left.iter().min_by_key(|card| total(card));
        if hand.is_empty() {
            self.left.iter().max_by_key(|card| card.rank())
        } else {
            best(true).or(best(false)).or(low)
        }
        .copied()
    }

    fn hand(&self) -> Vec<Card> {
        let players = self.view["players"].as_array().unwrap();
        let turn = self.view["shown"].is_null();
        assert!(turn, "declared: nothing is shown");
        // During the deal the next hand is the first with the fewest cards; later it is the hand that does not stand.
        let cards = |player: &Value| -> Vec<Card> {
            let cards = player["hand"]["cards"].as_array().cloned().unwrap_or_default();
            cards.iter().map(|card| card["card"].as_str().unwrap().parse().unwrap()).collect()
        };
        let dealt: Vec<Vec<Card>> = players.iter().map(cards).collect();
        let fewest = dealt.iter().min_by_key(|hand| hand.len()).unwrap();
        if fewest.len() < 2 {
            fewest.clone()
        } else {
            players.iter().find(|p| p["finished"] == false).map(cards).unwrap()
        }
    }
}

impl Dealing for Kind {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        Some(Slot(self.drawn))
    }
    fn card(&self, slot: Slot) -> Result<Card, fairshoe_games::FaceUnknown> {
        self.next(&self.hand()).ok_or(fairshoe_games::FaceUnknown(slot))
    }
    fn peek(&self, slot: Slot, _question: fairshoe_games::Peek) -> Result<bool, fairshoe_games::FaceUnknown> {
        Err(fairshoe_games::FaceUnknown(slot))
    }
    fn funds(&self, _player: &fairshoe_fairness::PlayerId) -> Chips {
        Chips::ZERO
    }
    fn deadline(&self) -> u64 {
        0
    }
}

/// A game that would never end by itself: two lucky players. Round 255 ends it, and every hand number is in range.
#[test]
fn the_last_round_ends_a_game_that_nobody_loses() {
    let rules = safe_with(&[("hit_change", "declared")]);
    let placed = [entry("ann", "1", 100), entry("bob", "2", 100)];
    let mut round = rules.open_round(&placed).unwrap();
    let mut kind = Kind { left: pack(), drawn: 0, view: round.view() };
    let mut events = Vec::new();
    while !round.is_settled() {
        kind.view = round.view();
        let event = match (round.step(&kind).unwrap(), round.needs_pile()) {
            (Some(event), _) => event,
            (None, Some(wanted)) => {
                let Composition::Cards(cards) = wanted.composition else { panic!() };
                (kind.left, kind.drawn) = (cards, 0);
                RoundEvent::Shuffled { pile: wanted.pile }
            }
            (None, None) => {
                let open = round.open_decisions().remove(0);
                let words: Vec<String> =
                    round.options(open.number, Chips::ZERO).iter().map(|o| o.action.to_string()).collect();
                let word = if words.contains(&"stand".to_owned()) { "stand" } else { "hit" };
                round.accept(&open.player, open.number, &word.parse().unwrap(), Chips::ZERO).unwrap()
            }
        };
        round.apply(&event).unwrap();
        if let RoundEvent::Dealt { card: Some(card), .. } = &event {
            kind.left.retain(|one| one != card);
            kind.drawn += 1;
        }
        events.push(event);
    }
    assert!(
        trace(&events[events.len() - 2..]).starts_with("won:ann:last_round"),
        "{}",
        trace(&events[events.len() - 40..])
    );
    assert_eq!(round.view()["round"], 255);
    assert!(round.view()["pile"].as_u64().unwrap() > 10);
}

/// Random games reach all provisions of the rules; otherwise the properties above would prove little.
#[test]
fn random_games_reach_every_event() {
    let mut words = BTreeSet::new();
    for seed in 0..1500 {
        for event in &play(seed, false).events {
            let told = trace(std::slice::from_ref(event));
            let word = match event {
                RoundEvent::Safe(SafeEvent::Opening { .. }) => told.rsplit(':').next().unwrap().to_owned(),
                RoundEvent::Safe(SafeEvent::Discarded { .. }) => {
                    told.split(':').nth(2).unwrap().split('[').next().unwrap().to_owned()
                }
                RoundEvent::Safe(_) => told.split(':').next_back().unwrap().split('[').next().unwrap().to_owned(),
                RoundEvent::Acted { action, .. } => action.kind().to_string(),
                RoundEvent::Turned { pile, .. } => if pile.is_some() { "earlier" } else { "turned" }.to_owned(),
                other => other.word().to_owned(),
            };
            words.insert(word);
        }
    }
    for word in "no_free_player last_player last_round advanced out opened chosen bust bust+ face_down+ absent absent+ last_alive survived \
                 last_free_player last_opened earlier turned shuffled absent hit stand change face_down accept reject open discard pass paid"
        .split_whitespace()
    {
        assert!(words.contains(word), "no random game had {word}: {words:?}");
    }
}
