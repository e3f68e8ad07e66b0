//! A coup as the fold of its events, and which event comes next (spec/games/baccarat.md). The drawing rules are
//! `coup.rs`, the payments `rules.rs`.

use super::BaccaratRules;
use super::coup::{Coup, Side, Spot, card_value, next_draw, outcome, points};
use crate::chance::{Chance, ChanceRound, FaceUp};
use crate::{Bet, BetRefusal, Chips, Dealing, Inapplicable, Place, RoundEvent, StepError};
use serde::{Deserialize, Serialize};

/// A coup.
pub type BaccaratRound = ChanceRound<BaccaratRules>;

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

/// The two hands.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hands {
    player: Hand,
    banker: Hand,
}

impl Hands {
    /// The hand that gets the next card.
    fn next(&self) -> Option<&Hand> {
        next_draw(&self.player.values(), &self.banker.values()).map(|side| match side {
            Side::Player => &self.player,
            Side::Banker => &self.banker,
        })
    }

    /// The coup's end if no more cards came.
    fn coup(&self) -> Coup {
        outcome(self.player.points(), self.banker.points())
    }
}

#[derive(Serialize)]
struct HandView<'h> {
    cards: &'h [FaceUp],
    points: u8,
}

#[derive(Serialize)]
struct TableView<'h> {
    player: HandView<'h>,
    banker: HandView<'h>,
    outcome: Option<&'static str>,
}

impl Chance for BaccaratRules {
    type Spot = Spot;
    type Seen = Hands;
    const WORD: &'static str = "baccarat";

    fn read(&self, bet: &Bet) -> Result<Spot, BetRefusal> {
        let valid = || "the spots are `player`, `banker` and `tie`".to_owned();
        Spot::parse(&bet.spot).ok_or_else(|| BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: valid() })
    }

    fn begin(&self) -> Result<Hands, BetRefusal> {
        Ok(Hands { player: Hand::new(Spot::Player)?, banker: Hand::new(Spot::Banker)? })
    }

    fn next(&self, seen: &Hands, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let Some(hand) = seen.next() else { return Ok(None) };
        let slot = dealing.next_slot(0).ok_or(StepError::ShoeExhausted)?;
        Ok(Some(RoundEvent::Dealt { lane: 0, slot, to: hand.place, card: Some(dealing.card(slot)?) }))
    }

    fn see(&self, seen: &mut Hands, event: &RoundEvent) -> Option<Result<(), Inapplicable>> {
        let RoundEvent::Dealt { slot, to, card: Some(card), .. } = *event else { return None };
        if seen.player.cards.iter().chain(&seen.banker.cards).any(|card| card.slot == slot) {
            return Some(Err(Inapplicable(format!("slot {slot} lies on the table already"))));
        }
        let hand = if seen.player.place == to { &mut seen.player } else { &mut seen.banker };
        hand.cards.push(FaceUp { slot, card });
        Some(Ok(()))
    }

    /// While a hand has no card, no side is ahead.
    fn has_begun(&self, seen: &Hands) -> bool {
        !seen.banker.cards.is_empty()
    }

    fn returned(&self, seen: &Hands, spot: &Spot, stake: Chips) -> Option<Chips> {
        self.payout(*spot, seen.coup(), stake)
    }

    fn view(&self, seen: &Hands) -> impl Serialize {
        let outcome = seen.next().is_none().then(|| seen.coup().word());
        TableView { player: seen.player.view(), banker: seen.banker.view(), outcome }
    }
}
