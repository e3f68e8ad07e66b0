//! Words of a round of JOY: events and actions are read in their one form. Of random rounds `second_engine` has more.

use crate::common;
use common::{joy, play};
use fairshoe_fairness::Slot;
use fairshoe_games::blackjack::BlackjackRound;
use fairshoe_games::{Action, DealingRule, Round, RoundEvent};

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
