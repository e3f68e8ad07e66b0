//! A throw as the fold of its two events: the dice, then the payments (spec/games/sic-bo.md).

use super::SicBoRules;
use super::layout::{Spot, dice};
use crate::chance::{Chance, ChanceRound, Fallen};
use crate::{Bet, BetRefusal, Chips, Dealing, Inapplicable, RoundEvent, Spin, StepError};
use fairshoe_fairness::{DICE_THROWS, Slot};
use serde::Serialize;

/// A throw of the dice.
pub type SicBoRound = ChanceRound<SicBoRules>;

#[derive(Serialize)]
struct ThrowView {
    slot: Slot,
    value: u8,
    pocket: u8,
    dice: [u8; 3],
    total: u8,
}

#[derive(Serialize)]
struct TableView {
    throw: Option<ThrowView>,
}

impl Chance for SicBoRules {
    type Spot = Spot;
    type Seen = Fallen;
    const WORD: &'static str = "sic_bo";

    fn read(&self, bet: &Bet) -> Result<Spot, BetRefusal> {
        let valid =
            || "spots are `small`, `big`, `any-triple`, `total:9`, `single:3`, `double:3`, `triple:3`, `pair:3-5`";
        Spot::parse(&bet.spot).ok_or_else(|| BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid: valid().into() })
    }

    fn begin(&self) -> Result<Fallen, BetRefusal> {
        Ok(Fallen::default())
    }

    fn next(&self, seen: &Fallen, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        seen.next(dealing)
    }

    fn see(&self, seen: &mut Fallen, event: &RoundEvent) -> Option<Result<(), Inapplicable>> {
        seen.see(event, DICE_THROWS)
    }

    fn has_begun(&self, seen: &Fallen) -> bool {
        seen.spin.is_some()
    }

    fn returned(&self, seen: &Fallen, spot: &Spot, stake: Chips) -> Option<Chips> {
        self.payout(*spot, dice(seen.spin?.pocket), stake)
    }

    fn view(&self, seen: &Fallen) -> impl Serialize {
        let view = |Spin { slot, value, pocket }| {
            let dice = dice(pocket);
            ThrowView { slot, value, pocket, dice, total: dice.iter().sum() }
        };
        TableView { throw: seen.spin.map(view) }
    }
}
