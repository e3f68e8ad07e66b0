//! Words and faces of a round of JOY: no face appears early, events and actions are read in their one form. Forged
//! events and money are in `blackjack_properties` and `second_engine`.

use crate::common;
use common::{RandomRound, joy, play, random_round};
use fairshoe_fairness::Slot;
use fairshoe_games::blackjack::BlackjackRound;
use fairshoe_games::{Action, Chips, DealingRule, Round, RoundEvent};
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
