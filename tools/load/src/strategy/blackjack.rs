//! A program's play of blackjack: any offered action, or the usual ones from the public view alone.

use super::{Strategy, one_of};
use fairshoe_fairness::{Card, Stream};
use fairshoe_games::blackjack::{BlackjackRules, DoubleAmount};
use fairshoe_games::{Action, ActionKind, Chips, Offer, Place};
use serde_json::Value;

/// A hand to decide on, read from the round's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The hand's total.
    pub total: u64,
    /// Whether an ace counts 11 in it.
    pub soft: bool,
    /// The value of both cards, if the hand is a pair: 1 for aces, 10 for every ten.
    pub pair: Option<u8>,
    /// The value of the dealer's up-card, 1 for an ace.
    pub up: u8,
}

impl Situation {
    /// Reads the hand at a place from a blackjack view (openapi.yaml, `BlackjackView`).
    pub fn read(view: &Value, place: Place) -> Option<Situation> {
        let Place::Hand { spot, hand } = place else { return None };
        let own = view.get("boxes")?.as_array()?.iter().find(|one| one["spot"].as_u64() == Some(u64::from(spot)))?;
        let own = own.get("hands")?.get(usize::from(hand).checked_sub(1)?)?;
        let values: Vec<u8> = own.get("cards")?.as_array()?.iter().map(card_value).collect::<Option<_>>()?;
        let pair = match values.as_slice() {
            [first, second] if first == second => Some(*first),
            _ => None,
        };
        // The up-card is the dealer's one face-up card, the first or the second.
        let up = view.get("dealer")?.get("cards")?.as_array()?.iter().find_map(card_value)?;
        Some(Situation { total: own.get("total")?.as_u64()?, soft: own.get("soft")?.as_bool()?, pair, up })
    }
}

fn card_value(card: &Value) -> Option<u8> {
    let card: Card = card.get("card")?.as_str()?.parse().ok()?;
    Some(card.rank().min(10))
}

/// A choice among the options.
pub(super) fn choose(
    strategy: Strategy,
    rules: &BlackjackRules,
    situation: Situation,
    options: &[Offer],
    random: &mut Stream,
) -> Option<Action> {
    let offered = |kind: ActionKind| options.iter().any(|offer| offer.action == kind);
    if strategy == Strategy::Random {
        let offer = options.get(one_of(options.len(), random))?;
        return anything(rules, offer, random);
    }
    if offered(ActionKind::Insurance) {
        return Some(Action::Insurance { take: false });
    }
    if offered(ActionKind::EvenMoney) {
        return Some(Action::EvenMoney { take: false });
    }
    let wish = match strategy {
        Strategy::CopyDealer => vec![if situation.total <= 16 { Action::Hit } else { Action::Stand }],
        Strategy::NeverBust => {
            vec![if situation.total <= 11 || situation.soft && situation.total <= 17 {
                Action::Hit
            } else {
                Action::Stand
            }]
        }
        _ => basic(situation),
    };
    wish.into_iter()
        .find(|action| offered(action.kind()))
        .or_else(|| offered(ActionKind::Stand).then_some(Action::Stand))
}

/// The offered action, with any of its parameters.
fn anything(rules: &BlackjackRules, offer: &Offer, random: &mut Stream) -> Option<Action> {
    Some(match offer.action {
        ActionKind::Hit => Action::Hit,
        ActionKind::Stand => Action::Stand,
        ActionKind::Double if rules.double_amount == DoubleAmount::UpTo && one_of(2, random) == 0 => {
            // For less: from one unit to the most that can be placed.
            let amount = Chips::new(offer.cost.units() / 2).filter(|half| *half != Chips::ZERO);
            Action::Double { amount: amount.or(Some(offer.cost)) }
        }
        ActionKind::Double => Action::Double { amount: None },
        ActionKind::Split => Action::Split,
        ActionKind::Insurance => Action::Insurance { take: one_of(2, random) == 1 },
        ActionKind::EvenMoney => Action::EvenMoney { take: one_of(2, random) == 1 },
        ActionKind::Surrender => Action::Surrender,
        _ => return None,
    })
}

/// The choices of basic strategy for this hand, best first.
fn basic(hand: Situation) -> Vec<Action> {
    let Situation { total, soft, pair, up } = hand;
    let weak = (2..=6).contains(&up);
    let mut wish = Vec::new();
    if !soft && pair != Some(8) && (total == 16 && matches!(up, 9 | 10 | 1) || total == 15 && up == 10) {
        wish.push(Action::Surrender);
    }
    let split = match pair {
        Some(1 | 8) => true,
        Some(2 | 3 | 7) => (2..=7).contains(&up),
        Some(6) => weak,
        Some(9) => weak || up == 8 || up == 9,
        Some(4) => up == 5 || up == 6,
        _ => false,
    };
    if split {
        wish.push(Action::Split);
    }
    let double = match (soft, total) {
        (false, 11) => up != 1,
        (false, 10) => (2..=9).contains(&up),
        (false, 9) => (3..=6).contains(&up),
        (true, 17..=18) => (3..=6).contains(&up),
        (true, 15..=16) => (4..=6).contains(&up),
        (true, 13..=14) => (5..=6).contains(&up),
        _ => false,
    };
    if double {
        wish.push(Action::Double { amount: None });
    }
    let stand = match (soft, total) {
        (true, 18) => (2..=8).contains(&up),
        (true, _) => total >= 19,
        (false, 12) => (4..=6).contains(&up),
        (false, 13..=16) => weak,
        (false, _) => total >= 17,
    };
    wish.push(if stand { Action::Stand } else { Action::Hit });
    wish
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_games::{GameRules, RuleSet};

    fn offers(kinds: &[ActionKind]) -> Vec<Offer> {
        kinds.iter().map(|&action| Offer::costing(action, Chips::new(10).unwrap())).collect()
    }

    fn hand(total: u64, soft: bool, pair: Option<u8>, up: u8) -> Situation {
        Situation { total, soft, pair, up }
    }

    fn rules(name: &str) -> BlackjackRules {
        match RuleSet::shipped(name).unwrap().game {
            GameRules::Blackjack(rules) => rules,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn each_strategy_plays_its_own_way() {
        use ActionKind::*;
        let mut random = Stream::new([0; 32]);
        let joy = rules("joy");
        let all = offers(&[Hit, Stand, Double, Split]);
        let few = offers(&[Hit, Stand]);
        let mut choose =
            |strategy: Strategy, hand, options: &[Offer]| choose(strategy, &joy, hand, options, &mut random);
        assert_eq!(choose(Strategy::Basic, hand(16, false, Some(8), 10), &all), Some(Action::Split));
        assert_eq!(choose(Strategy::Basic, hand(16, false, Some(8), 10), &few), Some(Action::Hit));
        assert_eq!(
            choose(Strategy::Basic, hand(16, false, None, 10), &offers(&[Hit, Stand, Surrender])),
            Some(Action::Surrender)
        );
        assert_eq!(choose(Strategy::Basic, hand(11, false, None, 6), &all), Some(Action::Double { amount: None }));
        assert_eq!(choose(Strategy::Basic, hand(12, false, None, 4), &few), Some(Action::Stand));
        assert_eq!(choose(Strategy::Basic, hand(20, false, Some(10), 6), &all), Some(Action::Stand));
        assert_eq!(choose(Strategy::CopyDealer, hand(16, true, None, 6), &all), Some(Action::Hit));
        assert_eq!(choose(Strategy::CopyDealer, hand(17, true, None, 6), &all), Some(Action::Stand));
        assert_eq!(choose(Strategy::NeverBust, hand(12, false, None, 1), &all), Some(Action::Stand));
        assert_eq!(choose(Strategy::NeverBust, hand(11, false, None, 1), &all), Some(Action::Hit));
        assert_eq!(
            choose(Strategy::Basic, hand(12, false, None, 1), &offers(&[Insurance])),
            Some(Action::Insurance { take: false })
        );
        assert_eq!(
            choose(Strategy::Basic, hand(21, true, None, 1), &offers(&[EvenMoney])),
            Some(Action::EvenMoney { take: false })
        );
        assert_eq!(choose(Strategy::Random, hand(12, false, None, 1), &[]), None);
    }

    #[test]
    fn random_doubles_for_less_where_the_rules_let_it() {
        let double = offers(&[ActionKind::Double]);
        let amounts = |name: &str| {
            let (rules, mut random) = (rules(name), Stream::new([3; 32]));
            let choose = |_| choose(Strategy::Random, &rules, hand(11, false, None, 6), &double, &mut random).unwrap();
            (0..20).map(choose).collect::<Vec<_>>()
        };
        assert!(amounts("joy").iter().all(|action| *action == Action::Double { amount: None }));
        let live = amounts("live-blackjack");
        assert!(
            live.contains(&Action::Double { amount: Chips::new(5) }) && live.contains(&Action::Double { amount: None })
        );
    }

    #[test]
    fn a_situation_is_read_out_of_the_view() {
        let view = serde_json::json!({
            "boxes": [
                { "spot": 2, "hands": [{ "cards": [{ "slot": 2, "card": "9d" }, { "slot": 5, "card": "8d" }], "total": 17, "soft": false }] },
                { "spot": 4, "hands": [{ "cards": [{ "slot": 1, "card": "As" }, { "slot": 9, "card": "Ac" }], "total": 12, "soft": true }] }
            ],
            "dealer": { "cards": [{ "slot": 3, "card": null }, { "slot": 7, "card": "Kd" }] }
        });
        let read = |spot, number| Situation::read(&view, Place::Hand { spot, hand: number });
        assert_eq!(read(4, 1), Some(hand(12, true, Some(1), 10)));
        assert_eq!(read(2, 1), Some(hand(17, false, None, 10)));
        assert_eq!((read(4, 2), read(1, 1), Situation::read(&view, Place::Dealer)), (None, None, None));
    }
}
