//! A coup as the fold of its events: Dragon's card, Tiger's card, the payments (spec/games/dragon-tiger.md).

use super::{Coup, DragonTigerRules, Spot};
use crate::chance::{Chance, ChanceRound, FaceUp};
use crate::{Bet, BetRefusal, Chips, Dealing, Inapplicable, Place, RoundEvent, StepError};
use serde::{Deserialize, Serialize};

/// A coup.
pub type DragonTigerRound = ChanceRound<DragonTigerRules>;

/// The cards that lie.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Cards {
    dragon: Option<FaceUp>,
    tiger: Option<FaceUp>,
}

impl Cards {
    fn coup(&self) -> Option<Coup> {
        Some(Coup::of(self.dragon?.card, self.tiger?.card))
    }
}

#[derive(Serialize)]
struct TableView {
    dragon: Option<FaceUp>,
    tiger: Option<FaceUp>,
    outcome: Option<Coup>,
}

impl Chance for DragonTigerRules {
    type Spot = Spot;
    type Seen = Cards;
    const WORD: &'static str = "dragon_tiger";

    fn read(&self, bet: &Bet) -> Result<Spot, BetRefusal> {
        let valid = || "the spots are `dragon`, `tiger`, `tie` and `suited-tie`".to_owned();
        Spot::parse(&bet.spot).ok_or_else(|| BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: valid() })
    }

    fn begin(&self) -> Result<Cards, BetRefusal> {
        Ok(Cards { dragon: None, tiger: None })
    }

    fn next(&self, seen: &Cards, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        let side = match seen {
            Cards { dragon: None, .. } => Spot::Dragon,
            Cards { tiger: None, .. } => Spot::Tiger,
            _ => return Ok(None),
        };
        // Each of the two names is a place's.
        let Some(to) = Place::spot(side.name()) else { return Ok(None) };
        let slot = dealing.next_slot(0).ok_or(StepError::ShoeExhausted)?;
        Ok(Some(RoundEvent::Dealt { lane: 0, slot, to, card: Some(dealing.card(slot)?) }))
    }

    fn see(&self, seen: &mut Cards, event: &RoundEvent) -> Option<Result<(), Inapplicable>> {
        let RoundEvent::Dealt { slot, card: Some(card), .. } = *event else { return None };
        let lies = Some(FaceUp { slot, card });
        match &mut seen.dragon {
            Some(dragon) if dragon.slot == slot => {
                return Some(Err(Inapplicable(format!("slot {slot} lies on the table already"))));
            }
            Some(_) => seen.tiger = lies,
            none => *none = lies,
        }
        Some(Ok(()))
    }

    /// One card decides nothing.
    fn has_begun(&self, seen: &Cards) -> bool {
        seen.tiger.is_some()
    }

    fn returned(&self, seen: &Cards, spot: &Spot, stake: Chips) -> Option<Chips> {
        self.payout(*spot, seen.coup()?, stake)
    }

    fn view(&self, seen: &Cards) -> impl Serialize {
        TableView { dragon: seen.dragon, tiger: seen.tiger, outcome: seen.coup() }
    }
}
