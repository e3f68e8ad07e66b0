//! A round that chance alone decides: bets on spots, events that nobody chooses, and one settlement (R001.116). What
//! comes out, in which order, and what it pays is the game's.

use crate::claims::admit;
use crate::spot_bets::{BetView, SpotBets};
use crate::{
    Action, Ahead, Bet, BetRefusal, Chips, Dealing, Decision, Illegal, Inapplicable, Offer, Placed, Round, RoundEvent,
    SavedRound, Spin, StepError,
};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::fmt::Debug;

/// A game that chance alone decides.
pub trait Chance: Clone + Debug + Send + Sync + 'static {
    /// A spot of the layout.
    type Spot: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// The saved form of everything that has come out so far.
    type Seen: Clone + Debug + Serialize + DeserializeOwned + Send + Sync + 'static;
    /// The game's word.
    const WORD: &'static str;

    /// The spot of a bet. The log takes one name for each spot.
    fn read(&self, bet: &Bet) -> Result<Self::Spot, BetRefusal>;
    /// The state before the first event.
    fn begin(&self) -> Result<Self::Seen, BetRefusal>;
    /// The next event before the settlement; `None` if everything is out.
    fn next(&self, seen: &Self::Seen, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError>;
    /// Folds in an event that comes next; nothing if it is none of this game.
    fn see(&self, seen: &mut Self::Seen, event: &RoundEvent) -> Option<Result<(), Inapplicable>>;
    /// Whether a side can be ahead yet (C22).
    fn has_begun(&self, seen: &Self::Seen) -> bool;
    /// The return of a bet if the round ended now, its stake included (C5); `None` beyond the range of amounts.
    fn returned(&self, seen: &Self::Seen, spot: &Self::Spot, stake: Chips) -> Option<Chips>;
    /// The part of it that everyone may see.
    fn view(&self, seen: &Self::Seen) -> impl Serialize;
}

/// A card that lies face-up.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FaceUp {
    pub slot: Slot,
    pub card: Card,
}

/// The state of a wheel's round: the number, once it fell.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Fallen {
    pub spin: Option<Spin>,
}

impl Fallen {
    /// The number stands on the log before anything is settled (R001.143); a spin needs its committed slot (R001.142).
    pub fn next(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.spin.is_some() {
            return Ok(None);
        }
        let Spin { slot, value, pocket } = dealing.spin()?.ok_or(StepError::ShoeExhausted)?;
        Ok(Some(RoundEvent::Spun { slot, value, pocket }))
    }

    /// Folds in the spin of a wheel with so many pockets.
    pub fn see(&mut self, event: &RoundEvent, pockets: u8) -> Option<Result<(), Inapplicable>> {
        let RoundEvent::Spun { slot, value, pocket } = *event else { return None };
        if value >= pockets || pocket >= pockets {
            return Some(Err(Inapplicable(format!("the wheel has {pockets} pockets, from 0 on"))));
        }
        self.spin = Some(Spin { slot, value, pocket });
        Some(Ok(()))
    }
}

/// A round of such a game: the fold of its events.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(bound(serialize = "G: Serialize", deserialize = "G: DeserializeOwned"))]
pub struct ChanceRound<G: Chance> {
    rules: G,
    bets: SpotBets<G::Spot>,
    #[serde(flatten)]
    seen: G::Seen,
}

#[derive(Serialize)]
struct TableView<V> {
    /// The game's word.
    kind: &'static str,
    #[serde(flatten)]
    seen: V,
    bets: Vec<BetView>,
}

impl<G: Chance> ChanceRound<G>
where
    for<'r> SavedRound<'r>: From<&'r ChanceRound<G>>,
{
    /// A round with these checked bets.
    pub(crate) fn open(rules: &G, placed: &[Placed]) -> Result<Box<dyn Round>, BetRefusal> {
        let bets = SpotBets::place(placed, |bet| rules.read(bet))?;
        Ok(Box::new(ChanceRound { seen: rules.begin()?, bets, rules: rules.clone() }))
    }

    fn returned(&self) -> impl Fn(&G::Spot, Chips) -> Option<Chips> + '_ {
        |spot, stake| self.rules.returned(&self.seen, spot, stake)
    }
}

impl<G: Chance> Round for ChanceRound<G>
where
    for<'r> SavedRound<'r>: From<&'r ChanceRound<G>>,
{
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
        match self.rules.next(&self.seen, dealing)? {
            Some(event) => Ok(Some(event)),
            None => self.bets.settle(self.returned()).map(Some),
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
        if let RoundEvent::Paid { lines } = event {
            return self.bets.fold_paid(lines);
        }
        let none = || Err(Inapplicable(format!("`{}` is no event of {}", event.word(), G::WORD)));
        self.rules.see(&mut self.seen, event).unwrap_or_else(none)
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

    /// As if the round ended on what is out so far.
    fn ahead(&self) -> Ahead {
        if self.rules.has_begun(&self.seen) { self.bets.lead(self.returned()) } else { Ahead::Nobody }
    }

    fn view_json(&self) -> Box<RawValue> {
        let view = TableView { kind: G::WORD, seen: self.rules.view(&self.seen), bets: self.bets.views() };
        serde_json::value::to_raw_value(&view).unwrap_or_default()
    }
}
