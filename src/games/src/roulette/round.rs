//! A spin as the fold of its two events: the number, then the payments (spec/games/roulette.md; R001.142, R001.143).

use super::RouletteRules;
use super::layout::{LayoutSpot, POCKETS, RED};
use crate::claims::admit;
use crate::spot_bets::{BetView, SpotBets};
use crate::{
    Action, Ahead, Chips, Dealing, Decision, Illegal, Inapplicable, Offer, Round, RoundEvent, SavedRound, Spin,
    StepError,
};
use fairshoe_fairness::{PlayerId, Slot};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

#[derive(Serialize)]
struct SpinView {
    slot: Slot,
    value: u8,
    pocket: u8,
    colour: &'static str,
}

#[derive(Serialize)]
struct TableView {
    /// The game's word.
    kind: &'static str,
    spin: Option<SpinView>,
    bets: Vec<BetView>,
}

/// A spin of the wheel: the fold of its two events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouletteRound {
    rules: RouletteRules,
    bets: SpotBets<&'static LayoutSpot>,
    spin: Option<Spin>,
}

impl RouletteRound {
    pub(super) fn new(rules: RouletteRules, bets: SpotBets<&'static LayoutSpot>) -> Self {
        RouletteRound { rules, bets, spin: None }
    }
}

impl Round for RouletteRound {
    fn boxed_clone(&self) -> Box<dyn Round> {
        Box::new(self.clone())
    }

    fn saved(&self) -> SavedRound<'_> {
        self.into()
    }

    fn lanes(&self) -> u16 {
        1
    }

    /// The number stands on the log before anything is settled (R001.143); a spin needs its committed slot (R001.142).
    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.is_settled() {
            return Ok(None);
        }
        match self.spin {
            Some(spin) => self.bets.settle(|spot, stake| self.rules.payout(spot, spin.pocket, stake)).map(Some),
            None => {
                let Spin { slot, value, pocket } = dealing.spin()?.ok_or(StepError::ShoeExhausted)?;
                Ok(Some(RoundEvent::Spun { slot, value, pocket }))
            }
        }
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
        match *event {
            RoundEvent::Spun { slot, value, pocket } if value < POCKETS && pocket < POCKETS => {
                self.spin = Some(Spin { slot, value, pocket });
                Ok(())
            }
            RoundEvent::Spun { .. } => Err(Inapplicable("the wheel has pockets 0 to 36".into())),
            RoundEvent::Paid { ref lines } => self.bets.fold_paid(lines),
            _ => Err(Inapplicable(format!("`{}` is no event of roulette", event.word()))),
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

    /// By the number that fell; before it, no side is ahead.
    fn ahead(&self) -> Ahead {
        match self.spin {
            Some(spin) => self.bets.lead(|spot, stake| self.rules.payout(spot, spin.pocket, stake)),
            None => Ahead::Nobody,
        }
    }

    fn view_json(&self) -> Box<RawValue> {
        let colour = |pocket: u8| match pocket {
            0 => "green",
            red if RED.contains(&red) => "red",
            _ => "black",
        };
        let spin =
            self.spin.map(|Spin { slot, value, pocket }| SpinView { slot, value, pocket, colour: colour(pocket) });
        let view = TableView { kind: "roulette", spin, bets: self.bets.views() };
        serde_json::value::to_raw_value(&view).unwrap_or_default()
    }
}
