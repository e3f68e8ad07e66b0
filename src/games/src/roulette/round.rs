//! A spin as the fold of its two events: the number, then the payments (spec/games/roulette.md; R001.142, R001.143).

use super::RouletteRules;
use super::layout::{LayoutSpot, POCKETS, RED, normalise, spot};
use crate::chance::{Chance, ChanceRound, Fallen};
use crate::{Bet, BetRefusal, Chips, Dealing, Inapplicable, RoundEvent, Spin, StepError};
use fairshoe_fairness::Slot;
use serde::Serialize;

/// A spin of the wheel.
pub type RouletteRound = ChanceRound<RouletteRules>;

#[derive(Serialize)]
struct SpinView {
    slot: Slot,
    value: u8,
    pocket: u8,
    colour: &'static str,
}

#[derive(Serialize)]
struct TableView {
    spin: Option<SpinView>,
}

impl Chance for RouletteRules {
    type Spot = &'static LayoutSpot;
    type Seen = Fallen;
    const WORD: &'static str = "roulette";

    /// An error tells the spot that another spelling means.
    fn read(&self, bet: &Bet) -> Result<&'static LayoutSpot, BetRefusal> {
        spot(&bet.spot).ok_or_else(|| {
            let valid = match normalise(&bet.spot) {
                Ok(meant) => format!("write it `{}`", meant.name()),
                Err(why) => why,
            };
            BetRefusal::UnknownSpot { spot: bet.spot.clone(), valid }
        })
    }

    fn begin(&self) -> Result<Fallen, BetRefusal> {
        Ok(Fallen::default())
    }

    fn next(&self, seen: &Fallen, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        seen.next(dealing)
    }

    fn see(&self, seen: &mut Fallen, event: &RoundEvent) -> Option<Result<(), Inapplicable>> {
        seen.see(event, POCKETS)
    }

    fn has_begun(&self, seen: &Fallen) -> bool {
        seen.spin.is_some()
    }

    fn returned(&self, seen: &Fallen, spot: &&'static LayoutSpot, stake: Chips) -> Option<Chips> {
        self.payout(spot, seen.spin?.pocket, stake)
    }

    fn view(&self, seen: &Fallen) -> impl Serialize {
        let colour = |pocket: u8| match pocket {
            0 => "green",
            red if RED.contains(&red) => "red",
            _ => "black",
        };
        let view = |Spin { slot, value, pocket }| SpinView { slot, value, pocket, colour: colour(pocket) };
        TableView { spin: seen.spin.map(view) }
    }
}
