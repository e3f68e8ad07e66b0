//! A coup as the fold of its events, and which event comes next (spec/games/baccarat.md). The drawing rules are
//! `coup.rs`, the payments `rules.rs`.

use super::BaccaratRules;
use super::coup::{Coup, Side, Spot, card_value, next_draw, outcome, points};
use crate::claims::admit;
use crate::spot_bets::{BetView, SpotBets};
use crate::{
    Action, Ahead, BetRefusal, Chips, Dealing, Decision, Illegal, Inapplicable, Offer, Place, Round, RoundEvent,
    SavedRound, StepError,
};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A card that lies face-up; every card of this game does.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct FaceUp {
    slot: Slot,
    card: Card,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Hand {
    place: Place,
    cards: Vec<FaceUp>,
}

impl Hand {
    /// A bet lies at the place named like its spot.
    fn new(spot: Spot) -> Result<Self, BetRefusal> {
        let named = || BetRefusal::UnknownSpot { spot: spot.name().to_owned(), valid: "a hand has a name".into() };
        Ok(Hand { place: Place::spot(spot.name()).ok_or_else(named)?, cards: Vec::with_capacity(3) })
    }

    fn values(&self) -> Vec<u8> {
        self.cards.iter().map(|dealt| card_value(dealt.card)).collect()
    }

    fn points(&self) -> u8 {
        points(&self.values())
    }

    fn view(&self) -> HandView<'_> {
        HandView { cards: &self.cards, points: self.points() }
    }
}

#[derive(Serialize)]
struct HandView<'h> {
    cards: &'h [FaceUp],
    points: u8,
}

#[derive(Serialize)]
struct TableView<'h> {
    /// The game's word.
    kind: &'static str,
    player: HandView<'h>,
    banker: HandView<'h>,
    outcome: Option<&'static str>,
    bets: Vec<BetView>,
}

/// A baccarat round: the fold of its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BaccaratRound {
    rules: BaccaratRules,
    bets: SpotBets<Spot>,
    player: Hand,
    banker: Hand,
}

impl BaccaratRound {
    pub(super) fn new(rules: BaccaratRules, bets: SpotBets<Spot>) -> Result<Self, BetRefusal> {
        Ok(BaccaratRound { rules, bets, player: Hand::new(Spot::Player)?, banker: Hand::new(Spot::Banker)? })
    }

    /// The hand that gets the next card.
    fn next_hand(&self) -> Option<&Hand> {
        next_draw(&self.player.values(), &self.banker.values()).map(|side| match side {
            Side::Player => &self.player,
            Side::Banker => &self.banker,
        })
    }

    /// The coup's end if no more cards came.
    fn coup(&self) -> Coup {
        outcome(self.player.points(), self.banker.points())
    }

    fn face_up(&self) -> impl Iterator<Item = &FaceUp> {
        self.player.cards.iter().chain(&self.banker.cards)
    }
}

impl Round for BaccaratRound {
    fn boxed_clone(&self) -> Box<dyn Round> {
        Box::new(self.clone())
    }

    fn saved(&self) -> SavedRound<'_> {
        self.into()
    }

    fn lanes(&self) -> u16 {
        1
    }

    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.is_settled() {
            return Ok(None);
        }
        let Some(hand) = self.next_hand() else {
            let coup = self.coup();
            return self.bets.settle(|spot, stake| self.rules.payout(*spot, coup, stake)).map(Some);
        };
        let slot = dealing.next_slot(0).ok_or(StepError::ShoeExhausted)?;
        Ok(Some(RoundEvent::Dealt { lane: 0, slot, to: hand.place, card: Some(dealing.card(slot)?) }))
    }

    fn accept(
        &self,
        _player: &PlayerId,
        decision: u32,
        _action: &Action,
        _funds: Chips,
    ) -> Result<RoundEvent, Illegal> {
        Err(Illegal::NotOpen { given: decision, open: None })
    }

    fn default_play(&self, decision: u32) -> Result<RoundEvent, Illegal> {
        Err(Illegal::NotOpen { given: decision, open: None })
    }

    fn apply(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        admit(self, event)?;
        match event {
            RoundEvent::Dealt { slot, to, card: Some(card), .. } => {
                if self.face_up().any(|card| card.slot == *slot) {
                    return Err(Inapplicable(format!("slot {slot} lies on the table already")));
                }
                let hand = if self.player.place == *to { &mut self.player } else { &mut self.banker };
                hand.cards.push(FaceUp { slot: *slot, card: *card });
                Ok(())
            }
            RoundEvent::Paid { lines } => self.bets.fold_paid(lines),
            _ => Err(Inapplicable(format!("`{}` is no event of baccarat", event.word()))),
        }
    }

    fn open_decisions(&self) -> Vec<Decision> {
        Vec::new()
    }

    fn options(&self, _decision: u32, _funds: Chips) -> Vec<Offer> {
        Vec::new()
    }

    fn is_settled(&self) -> bool {
        self.bets.are_settled()
    }

    fn pending_stakes(&self) -> Vec<(PlayerId, Chips)> {
        self.bets.pending()
    }

    /// By the points dealt so far, as if the coup ended here; while a hand has no card, no side is ahead.
    fn ahead(&self) -> Ahead {
        if self.banker.cards.is_empty() {
            return Ahead::Nobody;
        }
        let coup = self.coup();
        self.bets.lead(|spot, stake| self.rules.payout(*spot, coup, stake))
    }

    fn view_json(&self) -> Box<RawValue> {
        let dealt = self.face_up().next().is_some() && self.next_hand().is_none();
        let outcome = dealt.then(|| self.coup().word());
        let view = TableView {
            kind: "baccarat",
            player: self.player.view(),
            banker: self.banker.view(),
            outcome,
            bets: self.bets.views(),
        };
        serde_json::value::to_raw_value(&view).unwrap_or_default()
    }
}
