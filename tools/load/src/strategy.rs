//! How the programs play. A strategy sees what its player sees, and nothing else.

use clap::ValueEnum;
use fairshoe_fairness::Stream;
use fairshoe_games::{Action, ActionKind, Offer};
use std::num::NonZeroU16;

/// A way of playing blackjack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Strategy {
    /// By the book: hits, stands, doubles and splits by hand and up-card; no insurance.
    Basic,
    /// As the dealer must: hits to 16, stands from 17.
    CopyDealer,
    /// Stands on every hard total that one card could bust.
    NeverBust,
    /// Any offered choice, insurance included: finds the rare paths.
    Random,
}

/// A hand to decide on, read out of the round's view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Situation {
    /// The hand's total.
    pub total: u64,
    /// Whether an ace counts 11 in it.
    pub soft: bool,
    /// The value of both cards, where the hand is a pair: 1 for aces, 10 for every ten.
    pub pair: Option<u8>,
    /// The value of the dealer's up-card, 1 for an ace.
    pub up: u8,
}

impl Situation {
    /// Reads hand `hand` of box `index`, both from 0, out of a blackjack view (openapi.yaml, `BlackjackView`).
    pub fn read(view: &serde_json::Value, index: usize, hand: usize) -> Option<Situation> {
        let own = view.get("boxes")?.get(index)?.get("hands")?.get(hand)?;
        let values: Vec<u8> = own.get("cards")?.as_array()?.iter().map(card_value).collect::<Option<_>>()?;
        let pair = match values.as_slice() {
            [first, second] if first == second => Some(*first),
            _ => None,
        };
        let up = card_value(view.get("dealer")?.get("cards")?.get(0)?)?;
        Some(Situation { total: own.get("total")?.as_u64()?, soft: own.get("soft")?.as_bool()?, pair, up })
    }
}

fn card_value(card: &serde_json::Value) -> Option<u8> {
    let card: fairshoe_fairness::Card = card.get("card")?.as_str()?.parse().ok()?;
    Some(card.rank().min(10))
}

impl Strategy {
    /// A choice among the options, or `None` if there is none this strategy can make.
    pub fn choose(self, situation: Situation, options: &[Offer], random: &mut Stream) -> Option<Action> {
        let offered = |kind: ActionKind| options.iter().any(|offer| offer.action == kind);
        if self == Strategy::Random {
            let count = NonZeroU16::new(u16::try_from(options.len()).ok()?)?;
            let kind = options.get(usize::from(random.below(count)))?.action;
            let coin = || NonZeroU16::new(2);
            return Some(match kind {
                ActionKind::Hit => Action::Hit,
                ActionKind::Stand => Action::Stand,
                ActionKind::Double => Action::Double { amount: None },
                ActionKind::Split => Action::Split,
                ActionKind::Insurance => Action::Insurance { take: random.below(coin()?) == 1 },
            });
        }
        if offered(ActionKind::Insurance) {
            return Some(Action::Insurance { take: false });
        }
        let wish = match self {
            Strategy::CopyDealer => vec![if situation.total <= 16 { Action::Hit } else { Action::Stand }],
            Strategy::NeverBust => {
                vec![if situation.total <= 11 || situation.soft && situation.total <= 17 { Action::Hit } else { Action::Stand }]
            }
            _ => basic(situation),
        };
        wish.into_iter().find(|action| offered(action.kind())).or_else(|| offered(ActionKind::Stand).then_some(Action::Stand))
    }
}

/// The first of these that is offered.
fn basic(hand: Situation) -> Vec<Action> {
    let Situation { total, soft, pair, up } = hand;
    let weak = (2..=6).contains(&up);
    let mut wish = Vec::new();
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
    use fairshoe_games::Chips;

    fn offers(kinds: &[ActionKind]) -> Vec<Offer> {
        kinds.iter().map(|&action| Offer { action, cost: Chips::ZERO }).collect()
    }

    fn hand(total: u64, soft: bool, pair: Option<u8>, up: u8) -> Situation {
        Situation { total, soft, pair, up }
    }

    #[test]
    fn each_strategy_plays_its_own_way() {
        use ActionKind::*;
        let mut random = Stream::new([0; 32]);
        let all = offers(&[Hit, Stand, Double, Split]);
        let few = offers(&[Hit, Stand]);
        let mut choose = |strategy: Strategy, hand, options: &[Offer]| strategy.choose(hand, options, &mut random).unwrap();
        assert_eq!(choose(Strategy::Basic, hand(16, false, Some(8), 10), &all), Action::Split);
        assert_eq!(choose(Strategy::Basic, hand(16, false, Some(8), 10), &few), Action::Hit);
        assert_eq!(choose(Strategy::Basic, hand(11, false, None, 6), &all), Action::Double { amount: None });
        assert_eq!(choose(Strategy::Basic, hand(12, false, None, 4), &few), Action::Stand);
        assert_eq!(choose(Strategy::Basic, hand(20, false, Some(10), 6), &all), Action::Stand);
        assert_eq!(choose(Strategy::CopyDealer, hand(16, true, None, 6), &all), Action::Hit);
        assert_eq!(choose(Strategy::CopyDealer, hand(17, true, None, 6), &all), Action::Stand);
        assert_eq!(choose(Strategy::NeverBust, hand(12, false, None, 1), &all), Action::Stand);
        assert_eq!(choose(Strategy::NeverBust, hand(11, false, None, 1), &all), Action::Hit);
        assert_eq!(choose(Strategy::Basic, hand(12, false, None, 1), &offers(&[Insurance])), Action::Insurance { take: false });
        assert_eq!(Strategy::Random.choose(hand(12, false, None, 1), &[], &mut Stream::new([1; 32])), None);
    }

    #[test]
    fn a_situation_is_read_out_of_the_view() {
        let view = serde_json::json!({
            "boxes": [{ "hands": [{ "cards": [{ "slot": 1, "card": "As" }, { "slot": 9, "card": "Ac" }], "total": 12, "soft": true }] }],
            "dealer": { "cards": [{ "slot": 3, "card": "Kd" }, { "slot": 7, "card": null }] }
        });
        assert_eq!(Situation::read(&view, 0, 0), Some(hand(12, true, Some(1), 10)));
        assert_eq!(Situation::read(&view, 0, 1), None);
    }
}
