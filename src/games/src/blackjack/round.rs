use super::hand::{HandTotal, total};
use super::{BlackjackRules, DealOrder, Insurance};
use crate::{
    Action, Ahead, Bet, BetRefusal, Chips, Dealing, Decision, Illegal, Inapplicable, Offer, Peek, Place, Placed, Round, RoundEvent,
    StepError,
};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde_json::value::RawValue;

/// A card that lies face-up, with the slot it came from.
#[derive(Clone, Copy, Debug)]
pub(super) struct FaceUp {
    pub slot: Slot,
    pub card: Card,
}

#[derive(Clone, Debug)]
pub(super) struct Hand {
    pub cards: Vec<FaceUp>,
    pub stake: Chips,
    pub stood: bool,
    pub doubled: bool,
    pub paid: Option<crate::Settlement>,
}

impl Hand {
    pub fn new(stake: Chips) -> Self {
        Hand { cards: Vec::with_capacity(5), stake, stood: false, doubled: false, paid: None }
    }

    pub fn total(&self) -> HandTotal {
        total(self.cards.iter().map(|c| c.card))
    }
}

/// Where a box's insurance stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Insured {
    NotAsked,
    Declined,
    Taken(Chips),
    Paid { premium: Chips, ret: Chips },
}

#[derive(Clone, Debug)]
pub(super) struct PlayBox {
    pub spot: u8,
    pub player: PlayerId,
    pub stake: Chips,
    pub hands: Vec<Hand>,
    pub insured: Insured,
}

impl PlayBox {
    fn try_new(player: &PlayerId, bet: &Bet) -> Result<Self, BetRefusal> {
        let spot = bet.spot.parse().ok().filter(|spot: &u8| *spot > 0 && spot.to_string() == bet.spot);
        let spot = spot.ok_or_else(|| BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: "a box is a number from 1".into() })?;
        Ok(PlayBox { spot, player: player.clone(), stake: bet.stake, hands: vec![Hand::new(bet.stake)], insured: Insured::NotAsked })
    }

    pub fn is_split(&self) -> bool {
        self.hands.len() > 1
    }

    /// Two cards that make 21, in a box that was not split (R000.7, R000.23).
    pub fn has_blackjack(&self) -> bool {
        !self.is_split() && self.hands.iter().all(|hand| hand.cards.len() == 2 && hand.total().points == 21)
    }
}

/// What an open decision asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Question {
    Insurance,
    Play,
}

#[derive(Clone, Debug)]
pub(super) struct OpenDecision {
    pub decision: Decision,
    pub question: Question,
    pub box_index: usize,
    pub hand_index: usize,
}

/// A blackjack round: the fold of its events.
#[derive(Clone, Debug)]
pub struct BlackjackRound {
    pub(super) rules: BlackjackRules,
    pub(super) boxes: Vec<PlayBox>,
    /// The dealer's cards; `None` while a card lies face-down.
    pub(super) dealer: Vec<(Slot, Option<Card>)>,
    pub(super) open: Option<OpenDecision>,
    pub(super) next_decision: u32,
    pub(super) dealt: usize,
    /// A hit or a double was chosen and its card has not come yet: (box, hand).
    pub(super) pending_draw: Option<(usize, usize)>,
    pub(super) peeked: Option<bool>,
    /// Hit, stand, double and split exist: the insurance window is over (R000.31).
    pub(super) play_began: bool,
    pub(super) settled: bool,
}

impl BlackjackRound {
    /// A round before its first card. The bets were checked when they were placed.
    pub fn new(rules: BlackjackRules, placed: &[Placed]) -> Result<Self, BetRefusal> {
        let bets = placed.iter().flat_map(|p| p.bets.iter().map(move |bet| (&p.player, bet)));
        let mut boxes = bets.map(|(player, bet)| PlayBox::try_new(player, bet)).collect::<Result<Vec<_>, _>>()?;
        boxes.sort_by_key(|b| b.spot);
        if let Some(pair) = boxes.windows(2).find(|pair| pair[0].spot == pair[1].spot) {
            return Err(BetRefusal::SpotTwice { spot: pair[0].spot.to_string() });
        }
        if boxes.is_empty() {
            return Err(BetRefusal::Count { given: 0, most: 1 });
        }
        Ok(BlackjackRound {
            rules,
            boxes,
            dealer: Vec::with_capacity(6),
            open: None,
            next_decision: 0,
            dealt: 0,
            pending_draw: None,
            peeked: None,
            play_began: false,
            settled: false,
        })
    }

    /// Where the n-th card of the deal goes; the last one is the hole card. `None` when the deal is over.
    fn deal_target(&self, n: usize) -> Option<Place> {
        let boxes = self.boxes.len();
        let hand = |index: usize| self.boxes.get(index).map(|b| Place::Hand { spot: b.spot, hand: 1 });
        match self.rules.deal_order {
            DealOrder::Interleaved => match n {
                n if n < boxes => hand(n),
                n if n == boxes => Some(Place::Dealer),
                n if n <= 2 * boxes => hand(n - boxes - 1),
                n if n == 2 * boxes + 1 => Some(Place::Dealer),
                _ => None,
            },
            DealOrder::PpDd if n < 2 * boxes => hand(n / 2),
            DealOrder::PpDd if n < 2 * boxes + 2 => Some(Place::Dealer),
            DealOrder::PpDd => None,
        }
    }

    fn hand_is_finished(&self, hand: &Hand) -> bool {
        let limit = usize::from(self.rules.card_limit);
        let total = hand.total();
        hand.stood
            || hand.doubled && hand.cards.len() > 2
            || total.is_bust()
            || limit != 0 && hand.cards.len() >= limit
            || self.rules.auto_stand_21 && hand.cards.len() > 1 && total.points == 21
    }

    /// The dealer's face-up cards.
    pub(super) fn dealer_cards(&self) -> impl Iterator<Item = Card> + '_ {
        self.dealer.iter().filter_map(|(_, card)| *card)
    }

    pub(super) fn up_card(&self) -> Option<Card> {
        self.dealer.first().and_then(|(_, card)| *card)
    }

    pub(super) fn hidden_hole(&self) -> Option<Slot> {
        self.dealer.iter().find(|(_, card)| card.is_none()).map(|(slot, _)| *slot)
    }

    fn draw(&self, dealing: &dyn Dealing, to: Place, face_up: bool) -> Result<RoundEvent, StepError> {
        let lane = 0;
        let slot = dealing.next_slot(lane).ok_or(StepError::ShoeExhausted)?;
        let card = if face_up { Some(dealing.card(slot)?) } else { None };
        Ok(RoundEvent::Dealt { lane, slot, to, card })
    }

    fn offer(&self, dealing: &dyn Dealing, box_index: usize, hand_index: usize, question: Question) -> Option<RoundEvent> {
        let owner = self.boxes.get(box_index)?;
        let options = self.options_at(question, box_index, hand_index, dealing.funds(&owner.player));
        let place = Place::Hand { spot: owner.spot, hand: u8::try_from(hand_index + 1).ok()? };
        Some(RoundEvent::Offered {
            decision: self.next_decision,
            player: owner.player.clone(),
            place,
            options,
            deadline: dealing.deadline(),
        })
    }

    /// The insurance window: after the deal, before anything else, under an ace, for those who can pay (R000.24, R000.31).
    fn insurance_step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let Some(up) = self.up_card() else { return Ok(None) };
        let closed = self.play_began || self.hidden_hole().is_none();
        if self.rules.insurance == Insurance::None || closed || up.rank() != 1 {
            return Ok(None);
        }
        let asked = |b: &PlayBox| b.insured == Insured::NotAsked && self.rules.premium(b.stake) <= dealing.funds(&b.player);
        if let Some(index) = self.boxes.iter().position(asked) {
            return Ok(self.offer(dealing, index, 0, Question::Insurance));
        }
        let taken = self.boxes.iter().any(|b| matches!(b.insured, Insured::Taken(_)));
        match (taken, self.peeked, self.hidden_hole()) {
            (true, None, Some(slot)) => Ok(Some(RoundEvent::Peeked { slot, blackjack: dealing.peek(slot, Peek::Blackjack { up })? })),
            (true, Some(false), _) => self.pay_lost_insurance().map(Some),
            _ => Ok(None),
        }
    }

    /// The hole card is turned, the dealer draws to 17 or to the card limit, everything is paid (R000.13, A000.l, A000.m).
    fn dealer_step(&self, dealing: &dyn Dealing) -> Result<RoundEvent, StepError> {
        if let Some(slot) = self.hidden_hole() {
            return Ok(RoundEvent::Turned { slot, card: dealing.card(slot)? });
        }
        let limit = usize::from(self.rules.card_limit);
        let may_draw = limit == 0 || self.dealer.len() < limit;
        let contested = self.boxes.iter().flat_map(|b| &b.hands).any(|hand| !hand.total().is_bust());
        if contested && may_draw && total(self.dealer_cards()).points <= 16 {
            return self.draw(dealing, Place::Dealer, true);
        }
        self.pay_all()
    }
}

impl Round for BlackjackRound {
    fn boxed_clone(&self) -> Box<dyn Round> {
        Box::new(self.clone())
    }

    fn lanes(&self) -> u16 {
        1
    }

    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.settled || self.open.is_some() {
            return Ok(None);
        }
        if let Some(to) = self.deal_target(self.dealt) {
            let is_hole = self.deal_target(self.dealt + 1).is_none();
            return self.draw(dealing, to, !is_hole).map(Some);
        }
        if let Some(event) = self.insurance_step(dealing)? {
            return Ok(Some(event));
        }
        if self.peeked == Some(true) {
            return self.dealer_step(dealing).map(Some);
        }
        let hands = || {
            self.boxes
                .iter()
                .enumerate()
                .flat_map(|(b, owner)| owner.hands.iter().enumerate().map(move |(h, hand)| (b, h, owner.spot, hand)))
        };
        let place = |spot, h: usize| u8::try_from(h + 1).map(|hand| Place::Hand { spot, hand }).map_err(|_| StepError::Overflow);
        if let Some((_, h, spot, _)) = hands().find(|(b, h, ..)| self.pending_draw == Some((*b, *h))) {
            return self.draw(dealing, place(spot, h)?, true).map(Some);
        }
        match hands().find(|(.., hand)| !self.hand_is_finished(hand)) {
            // The second card of a split hand comes by itself when its play starts (A000.h).
            Some((_, h, spot, hand)) if hand.cards.len() == 1 => self.draw(dealing, place(spot, h)?, true).map(Some),
            Some((b, h, ..)) => Ok(self.offer(dealing, b, h, Question::Play)),
            None => self.dealer_step(dealing).map(Some),
        }
    }

    fn accept(&self, player: &PlayerId, decision: u32, action: &Action, funds: Chips) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        if open.decision.player != *player {
            return Err(Illegal::NotYours { decision });
        }
        let cost = self.cost(open, action, funds)?;
        Ok(RoundEvent::Acted { decision, player: player.clone(), action: action.clone(), cost, default: false })
    }

    fn default_play(&self, decision: u32) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        let action = match open.question {
            Question::Insurance => Action::Insurance { take: false },
            Question::Play => Action::Stand,
        };
        Ok(RoundEvent::Acted { decision, player: open.decision.player.clone(), action, cost: Chips::ZERO, default: true })
    }

    fn apply(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        self.fold(event)
    }

    fn open_decisions(&self) -> Vec<Decision> {
        self.open.iter().map(|open| open.decision.clone()).collect()
    }

    fn options(&self, decision: u32, funds: Chips) -> Vec<Offer> {
        match self.open_decision(decision) {
            Ok(open) => self.options_at(open.question, open.box_index, open.hand_index, funds),
            Err(_) => Vec::new(),
        }
    }

    fn is_settled(&self) -> bool {
        self.settled
    }

    fn pending_stakes(&self) -> Vec<(PlayerId, Chips)> {
        let staked = |b: &PlayBox| {
            let hands = b.hands.iter().filter(|hand| hand.paid.is_none()).map(|hand| hand.stake);
            let premium = if let Insured::Taken(premium) = b.insured { Some(premium) } else { None };
            Chips::sum(hands.chain(premium)).unwrap_or_default()
        };
        self.boxes.iter().map(|b| (b.player.clone(), staked(b))).collect()
    }

    fn ahead(&self) -> Ahead {
        self.who_is_ahead()
    }

    fn view_json(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(&self.table_view()).unwrap_or_default()
    }
}
