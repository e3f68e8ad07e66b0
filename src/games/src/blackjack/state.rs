//! The cards and wagers on a blackjack table, and facts that follow from them alone.

use super::rules::box_number;
use super::{BlackjackRules, DealOrder, SplitAces, UpCard};
use crate::points::{HandTotal, card_value, total};
use crate::{Bet, BetRefusal, Chips, DealingRule, Decision, Place, Placed, Settlement};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::{Deserialize, Serialize};

/// A card that lies face-up, with the slot it came from.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FaceUp {
    pub slot: Slot,
    pub card: Card,
}

/// The player's use of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Played {
    /// The hand is still in play.
    Open,
    Stood,
    Doubled,
    GivenUp,
    EvenMoney,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Hand {
    pub cards: Vec<FaceUp>,
    pub stake: Chips,
    pub played: Played,
    /// A hit or a double was chosen and its card has not come yet.
    pub awaits_card: bool,
    pub paid: Option<Settlement>,
}

impl Hand {
    pub fn new(stake: Chips) -> Self {
        Hand { cards: Vec::with_capacity(5), stake, played: Played::Open, awaits_card: false, paid: None }
    }

    pub fn total(&self) -> HandTotal {
        total(self.cards.iter().map(|c| c.card))
    }
}

/// The state of a box's insurance.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Insured {
    No,
    Taken(Chips),
    Paid { premium: Chips, returned: Chips },
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PlayBox {
    pub spot: u8,
    pub player: PlayerId,
    pub stake: Chips,
    /// From the dealer's left; a split puts the new hand right after the old one.
    pub hands: Vec<Hand>,
    pub insured: Insured,
}

impl PlayBox {
    fn try_new(player: &PlayerId, bet: &Bet) -> Result<Self, BetRefusal> {
        let unknown = || BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: "a box is a number from 1".into() };
        let spot = box_number(&bet.spot).ok_or_else(unknown)?;
        Ok(PlayBox {
            spot,
            player: player.clone(),
            stake: bet.stake,
            hands: vec![Hand::new(bet.stake)],
            insured: Insured::No,
        })
    }

    pub fn is_split(&self) -> bool {
        self.hands.len() > 1
    }

    /// Two cards that make 21, in a box that was not split (R000.7, R000.23, R001.57, R003.10, A004.d).
    pub fn has_blackjack(&self) -> bool {
        !self.is_split() && self.hands.iter().all(|hand| hand.cards.len() == 2 && hand.total().points == 21)
    }
}

/// The question of an open decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Question {
    Insurance,
    EvenMoney,
    Play,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenDecision {
    pub decision: Decision,
    pub question: Question,
    pub box_index: usize,
    pub hand_index: usize,
}

/// A blackjack round: the fold of its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlackjackRound {
    pub(super) rules: BlackjackRules,
    pub(super) dealing: DealingRule,
    /// In the order of the bets.
    pub(super) players: Vec<PlayerId>,
    /// Ascending by number.
    pub(super) boxes: Vec<PlayBox>,
    /// The dealer's cards; `None` while a card lies face-down.
    pub(super) dealer: Vec<(Slot, Option<Card>)>,
    pub(super) open: Vec<OpenDecision>,
    pub(super) next_decision: u32,
    pub(super) dealt: usize,
    /// The first box that the window for insurance and even money may still ask. It only rises, and is past the last
    /// box from the first event after the deal that is no such question.
    pub(super) window_from: usize,
    pub(super) peeked: Option<bool>,
    pub(super) settled: bool,
}

impl BlackjackRound {
    /// A round before its first card. Limits, chips and balances were checked when the bets were placed.
    pub fn new(rules: BlackjackRules, dealing: DealingRule, placed: &[Placed]) -> Result<Self, BetRefusal> {
        let bets = placed.iter().flat_map(|p| p.bets.iter().map(move |bet| (&p.player, bet)));
        let mut boxes = bets.map(|(player, bet)| PlayBox::try_new(player, bet)).collect::<Result<Vec<_>, _>>()?;
        boxes.sort_by_key(|b| b.spot);
        for pair in boxes.windows(2) {
            let [one, two] = pair else { continue };
            let spot = one.spot.to_string();
            match one.spot == two.spot {
                true if one.player == two.player => return Err(BetRefusal::SpotTwice { spot }),
                true => return Err(BetRefusal::SpotTaken { spot, own: None }),
                false => {}
            }
        }
        if boxes.is_empty() {
            return Err(BetRefusal::Count { given: 0, most: usize::from(rules.boxes) });
        }
        let players = placed.iter().map(|p| p.player.clone()).collect();
        Ok(BlackjackRound {
            rules,
            dealing,
            players,
            boxes,
            dealer: Vec::with_capacity(6),
            open: Vec::new(),
            next_decision: 0,
            dealt: 0,
            window_from: 0,
            peeked: None,
            settled: false,
        })
    }

    /// The place of the n-th card of the deal, and whether it lies face-up; `None` when the deal is over.
    pub(super) fn deal_target(&self, n: usize) -> Option<(Place, bool)> {
        let boxes = self.boxes.len();
        let hand = |index: usize| self.boxes.get(index).map(|b| (Place::Hand { spot: b.spot, hand: 1 }, true));
        let up_card = Some((Place::Dealer, self.rules.up_card == UpCard::DealtUp));
        let hole_card = Some((Place::Dealer, false));
        match self.rules.deal_order {
            DealOrder::Interleaved => match n {
                n if n < boxes => hand(n),
                n if n == boxes => up_card,
                n if n <= 2 * boxes => hand(n - boxes - 1),
                n if n == 2 * boxes + 1 => hole_card,
                _ => None,
            },
            DealOrder::PpDd if n < 2 * boxes => hand(n / 2),
            DealOrder::PpDd if n == 2 * boxes => up_card,
            DealOrder::PpDd if n == 2 * boxes + 1 => hole_card,
            DealOrder::PpDd => None,
        }
    }

    /// The lane that draws for a place: each box has its own lane, shared by its split hands; the dealer has the last
    /// (C9).
    pub(super) fn lane_of(&self, to: Place) -> u16 {
        let index = match (self.dealing, to) {
            (DealingRule::Sequential, _) => 0,
            (DealingRule::Lanes, Place::Hand { spot, .. }) => {
                self.boxes.iter().position(|b| b.spot == spot).unwrap_or(self.boxes.len())
            }
            (DealingRule::Lanes, _) => self.boxes.len(),
        };
        u16::try_from(index).unwrap_or(u16::MAX)
    }

    /// Whether the deal is over and the up-card lies face-up.
    pub(super) fn is_dealt_out(&self) -> bool {
        self.deal_target(self.dealt).is_none() && self.up_card().is_some()
    }

    /// Whether a hand gets no further card and is asked nothing more.
    pub(super) fn is_finished(&self, owner: &PlayBox, hand: &Hand) -> bool {
        let rules = &self.rules;
        let limit = usize::from(rules.card_limit);
        let total = hand.total();
        let whole = hand.cards.len() >= 2;
        let split_ace = owner.is_split() && hand.cards.first().is_some_and(|first| first.card.rank() == 1);
        hand.paid.is_some()
            || hand.played != Played::Open && !hand.awaits_card
            || total.is_bust()
            || limit != 0 && hand.cards.len() >= limit
            || whole && rules.auto_stand_21 && total.points == 21
            || whole && rules.split_aces == SplitAces::OneCard && split_ace
            || !rules.hit_blackjack && owner.has_blackjack()
    }

    /// Every hand with its box and their positions, from the dealer's left.
    pub(super) fn hands(&self) -> impl Iterator<Item = (usize, usize, &PlayBox, &Hand)> {
        let boxes = self.boxes.iter().enumerate();
        boxes.flat_map(|(b, owner)| owner.hands.iter().enumerate().map(move |(h, hand)| (b, h, owner, hand)))
    }

    /// The dealer's face-up cards.
    pub(super) fn dealer_cards(&self) -> impl Iterator<Item = Card> + '_ {
        self.dealer.iter().filter_map(|(_, card)| *card)
    }

    /// The dealer's first card, once it lies face-up.
    pub(super) fn up_card(&self) -> Option<Card> {
        self.dealer.first().and_then(|(_, card)| *card)
    }

    /// The slot of the dealer's first card while it lies face-down.
    pub(super) fn hidden_up_card(&self) -> Option<Slot> {
        self.dealer.first().filter(|(_, card)| card.is_none()).map(|(slot, _)| *slot)
    }

    /// The slot of the hole card while it lies face-down.
    pub(super) fn hidden_hole(&self) -> Option<Slot> {
        self.dealer.get(1).filter(|(_, card)| card.is_none()).map(|(slot, _)| *slot)
    }

    /// Whether the dealer's two first cards lie open and make 21.
    pub(super) fn dealer_shows_blackjack(&self) -> bool {
        matches!(self.dealer.as_slice(), [(_, Some(one)), (_, Some(two)), ..] if total([*one, *two]).points == 21)
    }

    /// Whether everyone can see that the dealer has no blackjack: the up-card makes none, or a peek denied it.
    pub(super) fn dealer_blackjack_is_excluded(&self) -> bool {
        self.peeked == Some(false) || self.up_card().is_some_and(|up| !matches!(card_value(up), 1 | 10))
    }

    /// Whether the dealer's total still matters, or the dealer draws regardless (R000.13, A000.l, A000.m, R001.60,
    /// A003.n, A004.h).
    pub(super) fn dealer_draws(&self) -> bool {
        let limit = usize::from(self.rules.card_limit);
        let full = limit != 0 && self.dealer.len() >= limit;
        let contests = |owner: &PlayBox, hand: &Hand| {
            hand.paid.is_none()
                && !hand.total().is_bust()
                && !matches!(hand.played, Played::GivenUp | Played::EvenMoney)
                && (self.rules.draw_against_blackjack || !owner.has_blackjack())
        };
        let wanted = self.rules.dealer_always_draws || self.hands().any(|(_, _, owner, hand)| contests(owner, hand));
        wanted && !full && total(self.dealer_cards()).points <= 16
    }

    /// Whether the round is over.
    pub(super) fn is_over(&self) -> bool {
        let all_paid = self.hands().all(|(.., hand)| hand.paid.is_some())
            && !self.boxes.iter().any(|owner| matches!(owner.insured, Insured::Taken(_)));
        all_paid && self.is_dealt_out() && self.hidden_hole().is_none() && !self.dealer_draws()
    }
}
