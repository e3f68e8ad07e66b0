//! A round of blackjack as everyone may see it (openapi.yaml, `BlackjackView`). Holds slots; a face only once it lies
//! face-up.

use super::state::{BlackjackRound, Hand, Insured, Played};
use crate::points::total;
use crate::{Chips, Outcome};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::Serialize;

/// A card on the table: a slot, and a face only once it lies face-up.
#[derive(Serialize)]
struct CardView {
    slot: Slot,
    card: Option<Card>,
}

#[derive(Serialize)]
struct HandView {
    cards: Vec<CardView>,
    total: u16,
    soft: bool,
    stake: Chips,
    stood: bool,
    doubled: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    surrendered: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    even_money: bool,
    blackjack: bool,
    outcome: Option<Outcome>,
    returned: Option<Chips>,
}

#[derive(Serialize)]
struct InsuranceView {
    premium: Chips,
    returned: Option<Chips>,
}

#[derive(Serialize)]
struct BoxView {
    spot: u8,
    player: PlayerId,
    stake: Chips,
    insurance: Option<InsuranceView>,
    hands: Vec<HandView>,
}

#[derive(Serialize)]
struct DealerView {
    cards: Vec<CardView>,
    /// The total of the face-up cards.
    total: u16,
    soft: bool,
}

/// The table as everyone may see it.
#[derive(Serialize)]
pub(super) struct TableView {
    /// The game's word.
    kind: &'static str,
    boxes: Vec<BoxView>,
    dealer: DealerView,
}

impl BlackjackRound {
    pub(super) fn table_view(&self) -> TableView {
        let dealer = total(self.dealer_cards());
        let hand_view = |hand: &Hand, blackjack: bool| {
            let total = hand.total();
            HandView {
                cards: hand.cards.iter().map(|c| CardView { slot: c.slot, card: Some(c.card) }).collect(),
                total: total.points,
                soft: total.soft,
                stake: hand.stake,
                stood: hand.played == Played::Stood,
                doubled: hand.played == Played::Doubled,
                surrendered: hand.played == Played::GivenUp,
                even_money: hand.played == Played::EvenMoney,
                blackjack,
                outcome: hand.paid.as_ref().map(|line| line.outcome),
                returned: hand.paid.as_ref().map(|line| line.returned),
            }
        };
        TableView {
            kind: "blackjack",
            boxes: self
                .boxes
                .iter()
                .map(|b| BoxView {
                    spot: b.spot,
                    player: b.player.clone(),
                    stake: b.stake,
                    insurance: match b.insured {
                        Insured::No => None,
                        Insured::Taken(premium) => Some(InsuranceView { premium, returned: None }),
                        Insured::Paid { premium, returned } => {
                            Some(InsuranceView { premium, returned: Some(returned) })
                        }
                    },
                    hands: b.hands.iter().map(|hand| hand_view(hand, b.has_blackjack())).collect(),
                })
                .collect(),
            dealer: DealerView {
                cards: self.dealer.iter().map(|(slot, card)| CardView { slot: *slot, card: *card }).collect(),
                total: dealer.points,
                soft: dealer.soft,
            },
        }
    }
}
