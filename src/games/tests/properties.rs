//! Properties of every round, legal or forged: no face appears early, no money is made or lost, no event comes out of
//! place.

use crate::common;
use common::{RandomRound, ann, chips, joy, play, random_round};
use fairshoe_fairness::{Card, Slot};
use fairshoe_games::blackjack::BlackjackRound;
use fairshoe_games::{
    Action, ActionKind, Chips, DealingRule, Offer, Outcome, Place, Round, RoundEvent, Settlement, Wager,
};
use proptest::prelude::*;

fn fresh(random: &RandomRound) -> BlackjackRound {
    BlackjackRound::new(common::options_of(&joy()), DealingRule::Sequential, &random.placed).unwrap()
}

/// All visible parts of a round.
fn seen(round: &BlackjackRound) -> String {
    let open = round.open_decisions();
    let options: Vec<_> = open.iter().map(|open| round.options(open.number, Chips::MAX)).collect();
    format!(
        "{round:?} {} {open:?} {options:?} {:?} {:?} {}",
        round.view(),
        round.pending_stakes(),
        round.ahead(),
        round.is_settled()
    )
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    #[test]
    fn the_hole_card_is_nowhere_before_it_is_turned(seed: u64) {
        let random = random_round(&joy(), seed);
        // One pack: the text of the hole card is no other card's.
        let hole = random.hole.to_string();
        let mut round = fresh(&random);
        let mut turned = false;
        for event in &random.events {
            turned |= matches!(event, RoundEvent::Turned { .. });
            round.apply(event).unwrap();
            let text = format!("{event:?} {} {}", serde_json::to_string(event).unwrap(), seen(&round));
            let mut words = text.split(|c: char| !c.is_ascii_alphanumeric());
            prop_assert_eq!(words.any(|word| word == hole), turned, "{}", text);
        }
        prop_assert!(turned);
    }

    #[test]
    fn money_is_conserved_at_every_step(seed: u64) {
        let random = random_round(&joy(), seed);
        let mut round = fresh(&random);
        let mut escrow = random.stake;
        for event in &random.events {
            round.apply(event).unwrap();
            match event {
                RoundEvent::Acted { cost, .. } => escrow = escrow.plus(*cost).unwrap(),
                RoundEvent::Paid { lines } => {
                    for line in lines {
                        escrow = escrow.minus(line.stake).unwrap();
                    }
                }
                _ => {}
            }
            prop_assert_eq!(round.pending_stakes(), [(ann(), escrow)]);
        }
        prop_assert_eq!(escrow, Chips::ZERO);
        prop_assert!(round.is_settled());
    }

    #[test]
    fn the_same_cards_and_choices_give_the_same_round(seed: u64) {
        let (one, two) = (random_round(&joy(), seed), random_round(&joy(), seed));
        prop_assert_eq!(&one.events, &two.events);
        // A copy is independent: events applied to it do not change the original.
        let mut round = fresh(&one);
        for (n, event) in one.events.iter().enumerate() {
            let before = seen(&round);
            let mut copy = round.boxed_clone();
            for later in &one.events[n..] {
                copy.apply(later).unwrap();
            }
            prop_assert!(copy.is_settled());
            prop_assert_eq!(before, seen(&round));
            round.apply(event).unwrap();
        }
    }

    #[test]
    fn events_of_other_rounds_are_refused_or_fit_and_never_panic(seed: u64, other: u64, picks in prop::collection::vec(any::<u16>(), 60)) {
        let (random, other) = (random_round(&joy(), seed), random_round(&joy(), other));
        let pool: Vec<&RoundEvent> = random.events.iter().chain(&other.events).collect();
        let mut round = fresh(&random);
        for pick in picks {
            let before = seen(&round);
            let settled = round.is_settled();
            let event = pool[usize::from(pick) % pool.len()];
            match round.apply(event) {
                Ok(()) => prop_assert!(!settled),
                Err(error) => {
                    prop_assert!(!error.0.is_empty());
                    prop_assert_eq!(before, seen(&round), "a refused event changed the round");
                }
            }
        }
    }

    #[test]
    fn an_event_left_out_repeated_or_swapped_is_noticed(seed: u64, at: prop::sample::Index) {
        let random = random_round(&joy(), seed);
        let at = at.index(random.events.len());
        let refuses = |events: &[RoundEvent]| {
            let mut round = fresh(&random);
            events.iter().any(|event| round.apply(event).is_err()) || !round.is_settled()
        };
        let place = |event: &RoundEvent| if let RoundEvent::Dealt { to, .. } = event { Some(*to) } else { None };
        prop_assert!(!refuses(&random.events));
        let mut without = random.events.clone();
        let event = without.remove(at);
        // The lane, not the engine, decides the slot of a draw. So one of the dealer's draws may be missing if the rest
        // still adds up, and two cards drawn to one place may change places.
        let drawn_by_dealer = at > 3 && place(&event) == Some(Place::Dealer);
        prop_assert!(drawn_by_dealer || refuses(&without), "without {:?}", event);
        let mut twice = random.events.clone();
        twice.insert(at, event);
        prop_assert!(refuses(&twice));
        let pair = at.checked_sub(1).map(|before| (place(&random.events[before]), place(&random.events[at])));
        if pair.is_some_and(|(one, two)| one.is_none() || one != two) {
            let mut swapped = random.events.clone();
            swapped.swap(at - 1, at);
            prop_assert!(refuses(&swapped));
        }
    }

    #[test]
    fn every_event_survives_json_and_unknown_fields_are_refused(seed: u64) {
        for event in random_round(&joy(), seed).events {
            let text = serde_json::to_string(&event).unwrap();
            prop_assert_eq!(&serde_json::from_str::<RoundEvent>(&text).unwrap(), &event);
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            prop_assert_eq!(&serde_json::from_value::<RoundEvent>(value.clone()).unwrap(), &event);
            let word = event.word();
            let mut odd = value.clone();
            odd[word]["extra"] = 1.into();
            prop_assert!(serde_json::from_value::<RoundEvent>(odd).is_err());
            for field in value[word].as_object().unwrap().keys().filter(|field| *field != "card") {
                let mut less = value.clone();
                less[word].as_object_mut().unwrap().remove(field);
                prop_assert!(serde_json::from_value::<RoundEvent>(less).is_err(), "{} without {}", word, field);
            }
        }
    }
}

/// Every single change to an honest event is noticed, unless the result is another honest event (another slot, face or
/// deadline).
#[test]
fn forged_events_are_refused() {
    let dealt = |slot, to, card: Option<&str>| RoundEvent::Dealt {
        lane: 0,
        slot: Slot(slot),
        to,
        card: card.map(|c| c.parse().unwrap()),
    };
    let hand = |spot, hand| Place::Hand { spot, hand };
    let offered = |decision, words: &[(ActionKind, u64)]| RoundEvent::Offered {
        decision,
        player: ann(),
        place: hand(1, 1),
        options: words.iter().map(|(action, cost)| Offer::costing(*action, chips(*cost))).collect(),
        deadline: 77,
        bank_from: None,
        extra_ms: 0,
    };
    let acted = |decision, action, cost, default| RoundEvent::Acted {
        decision,
        player: ann(),
        action,
        cost: chips(cost),
        default,
    };
    let line = |place, wager, outcome, stake, returned| Settlement {
        player: ann(),
        place,
        wager,
        outcome,
        stake: chips(stake),
        returned: chips(returned),
    };
    let paid = |lines: &[Settlement]| RoundEvent::Paid { lines: lines.to_vec() };
    let turned =
        |slot, card: &str| RoundEvent::Turned { pile: None, slot: Slot(slot), card: card.parse::<Card>().unwrap() };
    let bob = |event: RoundEvent| {
        let text = serde_json::to_string(&event).unwrap().replace("\"ann\"", "\"bob\"");
        serde_json::from_str::<RoundEvent>(&text).unwrap()
    };
    use ActionKind::{Double, Hit, Insurance, Split, Stand};
    use Outcome::{Draw, Loss, Win};

    // Stake 10: 0–3 deal, 4 insurance asked, 5 taken, 6 peeked, 7 premium lost, 8 asked, 9 stand, 10 turned, 11 drawn,
    // 12 paid.
    let events = play(10, "Ts Ad 9h 2c 6d", "insurance=yes stand").events;
    assert_eq!(events.len(), 13);
    let insurance = Action::Insurance { take: true };
    let forgeries: &[(usize, Vec<RoundEvent>)] = &[
        (
            0,
            vec![
                dealt(0, Place::Dealer, Some("Ts")),
                dealt(0, hand(1, 2), Some("Ts")),
                dealt(0, hand(2, 1), Some("Ts")),
                dealt(0, hand(0, 0), Some("Ts")),
                dealt(0, hand(1, 1), None),
                RoundEvent::Dealt { lane: 1, slot: Slot(0), to: hand(1, 1), card: "Ts".parse().ok() },
                turned(0, "Ts"),
                RoundEvent::Peeked { slot: Slot(0), blackjack: false },
                offered(0, &[(Hit, 0), (Stand, 0)]),
                acted(0, Action::Stand, 0, false),
                paid(&[]),
                paid(&[line(hand(1, 1), Wager::Hand, Win, 10, 20)]),
            ],
        ),
        (1, vec![dealt(0, Place::Dealer, Some("Ad")), dealt(1, Place::Dealer, None), dealt(1, hand(1, 1), Some("Ad"))]),
        // The hole card face-up.
        (3, vec![dealt(3, Place::Dealer, Some("2c")), dealt(2, Place::Dealer, None), dealt(3, hand(1, 1), Some("2c"))]),
        (
            4,
            vec![
                offered(1, &[(Insurance, 5)]),
                offered(0, &[(Insurance, 4)]),
                offered(0, &[(Insurance, 5), (Hit, 0), (Stand, 0)]),
                offered(0, &[(Hit, 0), (Stand, 0), (Double, 10)]),
                offered(0, &[]),
                bob(offered(0, &[(Insurance, 5)])),
                turned(3, "2c"),
                RoundEvent::Peeked { slot: Slot(3), blackjack: false },
            ],
        ),
        (
            5,
            vec![
                acted(1, insurance.clone(), 5, false),
                acted(0, insurance.clone(), 4, false),
                acted(0, insurance.clone(), 6, false),
                acted(0, insurance.clone(), 0, false),
                acted(0, insurance.clone(), 5, true),
                acted(0, Action::Insurance { take: false }, 5, false),
                acted(0, Action::Stand, 0, false),
                acted(0, Action::Stand, 0, true),
                bob(acted(0, insurance, 5, false)),
                bob(acted(0, Action::Insurance { take: false }, 0, true)),
                RoundEvent::Peeked { slot: Slot(3), blackjack: false },
            ],
        ),
        (
            6,
            vec![
                RoundEvent::Peeked { slot: Slot(2), blackjack: false },
                turned(3, "2c"),
                offered(1, &[(Hit, 0), (Stand, 0), (Double, 10)]),
            ],
        ),
        (
            7,
            vec![
                paid(&[]),
                paid(&[line(hand(1, 1), Wager::Insurance, Win, 5, 15)]),
                paid(&[line(hand(1, 1), Wager::Insurance, Loss, 5, 1)]),
                paid(&[line(hand(1, 1), Wager::Insurance, Loss, 4, 0)]),
                paid(&[line(hand(1, 1), Wager::Insurance, Loss, 5, 0), line(hand(1, 1), Wager::Insurance, Loss, 5, 0)]),
                paid(&[line(hand(1, 1), Wager::Hand, Loss, 10, 0)]),
                bob(paid(&[line(hand(1, 1), Wager::Insurance, Loss, 5, 0)])),
                turned(3, "2c"),
            ],
        ),
        (
            8,
            vec![
                offered(1, &[(Hit, 0), (Stand, 0), (Double, 9)]),
                offered(1, &[(Stand, 0), (Hit, 0), (Double, 10)]),
                offered(1, &[(Hit, 0), (Stand, 0), (Double, 10), (Split, 10)]),
                offered(1, &[(Insurance, 5)]),
                offered(2, &[(Hit, 0), (Stand, 0), (Double, 10)]),
                dealt(4, hand(1, 1), Some("6d")),
                turned(3, "2c"),
            ],
        ),
        (
            9,
            vec![
                acted(1, Action::Split, 10, false),
                acted(1, Action::Stand, 1, false),
                acted(1, Action::Hit, 0, true),
                acted(1, Action::Double { amount: None }, 9, false),
                acted(1, Action::Double { amount: Some(chips(9)) }, 9, false),
                acted(0, Action::Stand, 0, false),
            ],
        ),
        // A face that makes the blackjack which the peek denied; another slot.
        (10, vec![turned(3, "Kc"), turned(3, "Tc"), turned(1, "2c"), dealt(4, Place::Dealer, Some("6d")), paid(&[])]),
        // Paid before the dealer's draw; a card to the player, hidden, or from a slot that lies there.
        (
            11,
            vec![
                paid(&[line(hand(1, 1), Wager::Hand, Win, 10, 20)]),
                dealt(4, hand(1, 1), Some("6d")),
                dealt(4, Place::Dealer, None),
                dealt(0, Place::Dealer, Some("6d")),
                dealt(3, Place::Dealer, Some("6d")),
            ],
        ),
        (
            12,
            vec![
                dealt(5, Place::Dealer, Some("6h")),
                paid(&[]),
                paid(&[line(hand(1, 1), Wager::Hand, Win, 10, 20)]),
                paid(&[line(hand(1, 1), Wager::Hand, Loss, 10, 0)]),
                paid(&[line(hand(1, 1), Wager::Hand, Draw, 10, 11)]),
                paid(&[line(hand(1, 1), Wager::Hand, Draw, 20, 20)]),
                paid(&[line(hand(1, 2), Wager::Hand, Draw, 10, 10)]),
                paid(&[line(Place::Dealer, Wager::Hand, Draw, 10, 10)]),
                paid(&[line(hand(1, 1), Wager::Hand, Draw, 10, 10), line(hand(1, 1), Wager::Hand, Draw, 10, 10)]),
            ],
        ),
    ];
    let mut round =
        BlackjackRound::new(common::options_of(&joy()), DealingRule::Sequential, &[common::placed(10)]).unwrap();
    for (n, event) in events.iter().enumerate() {
        let forged = forgeries.iter().filter(|(at, _)| *at == n).flat_map(|(_, forged)| forged);
        let others = events.iter().filter(|other| *other != event && other.word() != "dealt");
        for forged in forged.chain(others) {
            let before = seen(&round);
            assert!(round.apply(forged).is_err(), "at {n}: {forged:?}");
            assert_eq!(before, seen(&round), "at {n}: {forged:?}");
        }
        round.apply(event).unwrap();
    }
    assert!(round.is_settled());
    events.iter().for_each(|event| assert!(round.apply(event).is_err()));
}

/// The other half of the peek: an announced blackjack must be there.
#[test]
fn a_blackjack_that_the_peek_announced_must_lie_there() {
    let events = play(10, "Ts Ad 9h Kc", "insurance=yes").events;
    let mut round =
        BlackjackRound::new(common::options_of(&joy()), DealingRule::Sequential, &[common::placed(10)]).unwrap();
    events[..7].iter().for_each(|event| round.apply(event).unwrap());
    for card in ["2c", "Ac", "9c"] {
        assert!(
            round.apply(&RoundEvent::Turned { pile: None, slot: Slot(3), card: card.parse().unwrap() }).is_err(),
            "{card}"
        );
    }
    round.apply(&RoundEvent::Turned { pile: None, slot: Slot(3), card: "Qc".parse().unwrap() }).unwrap();
}

#[test]
fn an_exhausted_shoe_stops_the_round_with_an_error() {
    for have in [0, 1, 2, 3, 4] {
        let mut round = joy().open_round(&[common::placed(10)]).unwrap();
        let mut pile = common::Pile { cards: common::cards("Ts 6d 9h Tc")[..have].to_vec(), drawn: 0, funds: chips(0) };
        let error = loop {
            match round.step(&pile) {
                Ok(Some(event)) => {
                    round.apply(&event).unwrap();
                    pile.follow(&event);
                }
                Ok(None) => {
                    let stand = round.accept(&ann(), 0, &Action::Stand, pile.funds).unwrap();
                    round.apply(&stand).unwrap();
                }
                Err(error) => break error,
            }
        };
        assert_eq!(error, fairshoe_games::StepError::ShoeExhausted, "{have} cards");
        assert!(!round.is_settled());
    }
}

#[test]
fn text_that_is_no_event_is_refused() {
    for text in [
        r#"{}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1/1","card":"As"},"turned":{"slot":0,"card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"slot":0,"to":"1/1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":65536,"to":"1/1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":-1,"to":"1/1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1/1","card":"as"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1/1","card":39}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"01/1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1/+1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"0/1","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1/0","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"1/256","card":"As"}}"#,
        r#"{"dealt":{"lane":0,"slot":0,"to":"Dealer"}}"#,
        r#"{"Dealt":{"lane":0,"slot":0,"to":"dealer"}}"#,
        r#"{"peeked":{"slot":3,"blackjack":1}}"#,
        r#"{"peeked":{"slot":3,"blackjack":true,"card":"Ks"}}"#,
        r#"{"acted":{"decision":0,"player":"ann","action":"give_up","cost":0,"default":false}}"#,
        r#"{"acted":{"decision":0,"player":"ann","action":{"hit":1},"cost":0,"default":false}}"#,
        r#"{"acted":{"decision":0,"player":"ann","action":{"double":{"amount":5,"x":1}},"cost":5,"default":false}}"#,
        r#"{"acted":{"decision":0,"player":"ann","action":{"insurance":{}},"cost":5,"default":false}}"#,
        r#"{"acted":{"decision":4294967296,"player":"ann","action":"hit","cost":0,"default":false}}"#,
        r#"{"acted":{"decision":0,"player":"Ann","action":"hit","cost":0,"default":false}}"#,
        r#"{"acted":{"decision":0,"player":"ann","action":"hit","cost":-1,"default":false}}"#,
        r#"{"acted":{"decision":0,"player":"ann","action":"hit","cost":9007199254740992,"default":false}}"#,
        r#"{"offered":{"decision":0,"player":"ann","place":"1/1","options":[{"action":"hit","cost":0,"x":1}],"deadline":0}}"#,
        r#"{"paid":{"lines":[{"player":"ann","place":"1/1","wager":"hand","outcome":"push","stake":1,"returned":1}]}}"#,
        r#"{"paid":{"lines":[{"player":"ann","place":"1/1","wager":"hand","outcome":"draw","stake":1}]}}"#,
        r#"{"paid":{"lines":[],"sum":0}}"#,
    ] {
        assert!(serde_json::from_str::<RoundEvent>(text).is_err(), "{text}");
    }
}

#[test]
fn actions_read_and_write_the_same_words() {
    for text in ["hit", "stand", "double", "double=30", "split", "insurance=yes", "insurance=no"] {
        let action: Action = text.parse().unwrap();
        assert_eq!(action.to_string(), text);
        let json = serde_json::to_string(&action).unwrap();
        assert_eq!(serde_json::from_str::<Action>(&json).unwrap(), action);
    }
    for text in [
        "",
        "Hit",
        "hit=1",
        "double=",
        "double=-1",
        "double=x",
        "double=9007199254740992",
        "insurance",
        "insurance=maybe",
        "stand ",
    ] {
        assert!(text.parse::<Action>().is_err(), "`{text}`");
    }
}
