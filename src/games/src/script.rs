//! A round played from given cards, without seeds, house or service: what `fairshoe-audit play` runs.

use crate::{Action, BetRefusal, Chips, Dealing, FaceUnknown, Illegal, Inapplicable, Peek, Placed, Round, RoundEvent, RuleSet, StepError};
use fairshoe_fairness::{Card, PlayerId, Slot};
use thiserror::Error;

/// The most cards or actions a script may hold.
pub const MAX_SCRIPT_LENGTH: usize = 10_000;

/// A round to play: cards in the order in which they are drawn, actions in the order in which they are asked for.
#[derive(Clone, Debug)]
pub struct Script<'s> {
    /// The rules.
    pub rules: &'s RuleSet,
    /// Who bets what.
    pub placed: &'s [Placed],
    /// What each player has before his bets.
    pub balance: Chips,
    /// The cards.
    pub cards: &'s [Card],
    /// The choices.
    pub actions: &'s [Action],
}

/// How a scripted round went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// Every debit.
    pub staked: Chips,
    /// Every credit.
    pub ret: Chips,
    /// The same by player, in the order of the bets: (player, staked, returned).
    pub players: Vec<(PlayerId, Chips, Chips)>,
    /// What happened.
    pub events: Vec<RoundEvent>,
    /// The final view.
    pub view: serde_json::Value,
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The bet is refused.
    #[error("the bet is refused: {0}")]
    Bet(#[from] BetRefusal),
    /// An action is refused.
    #[error("action {position} ({action}) is illegal: {reason}")]
    Illegal {
        /// Which action, from 1.
        position: usize,
        /// The action.
        action: Action,
        /// Why.
        reason: Illegal,
    },
    /// A decision is open and no action is left.
    #[error("decision {decision} at {place} is open and no action is left; possible now: {possible}")]
    NoActionLeft {
        /// The decision's number.
        decision: u32,
        /// The hand.
        place: String,
        /// The words that would do.
        possible: String,
    },
    /// Actions are left after the round was settled.
    #[error("the round is over and {left} action(s) are left, the first is `{first}`")]
    ActionsLeft {
        /// How many.
        left: usize,
        /// The first of them.
        first: Action,
    },
    /// The cards do not suffice.
    #[error("card {0} is needed and not given")]
    NoCardLeft(usize),
    /// Amounts out of range, or a script beyond its bounds.
    #[error("{0}")]
    OutOfBounds(&'static str),
    /// The engine does not accept its own event.
    #[error("the engine contradicts itself: {0}")]
    Engine(#[from] Inapplicable),
}

struct Deck<'c> {
    cards: &'c [Card],
    drawn: usize,
    balances: Vec<(PlayerId, Chips)>,
}

impl Deck<'_> {
    fn face(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.cards.get(slot.index()).copied().ok_or(FaceUnknown(slot))
    }
}

impl Dealing for Deck<'_> {
    fn next_slot(&self, _lane: u16) -> Option<Slot> {
        u16::try_from(self.drawn).ok().map(Slot)
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.face(slot)
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        Ok(question.answer(self.face(slot)?))
    }

    fn funds(&self, player: &PlayerId) -> Chips {
        self.balances.iter().find(|(name, _)| name == player).map(|(_, balance)| *balance).unwrap_or_default()
    }

    fn deadline(&self) -> u64 {
        0
    }
}

impl Script<'_> {
    /// Plays the round to its settlement.
    pub fn play(&self) -> Result<Course, ScriptError> {
        let out_of_range = ScriptError::OutOfBounds("an amount is out of range");
        if self.cards.len() > MAX_SCRIPT_LENGTH || self.actions.len() > MAX_SCRIPT_LENGTH {
            return Err(ScriptError::OutOfBounds("a script holds at most 10000 cards and 10000 actions"));
        }
        let mut players = Vec::new();
        for placed in self.placed {
            self.rules.check_bets(&placed.bets, self.balance)?;
            let staked = Chips::sum(placed.bets.iter().map(|bet| bet.stake)).ok_or(out_of_range.clone())?;
            players.push((placed.player.clone(), staked, Chips::ZERO));
        }
        let left = |staked: Chips| self.balance.minus(staked).unwrap_or_default();
        let balances = players.iter().map(|(name, staked, _)| (name.clone(), left(*staked))).collect();
        let mut deck = Deck { cards: self.cards, drawn: 0, balances };
        let mut round = self.rules.open_round(self.placed)?;
        let mut events = Vec::new();
        let mut actions = self.actions.iter().enumerate();
        loop {
            let event = match round.step(&deck) {
                Ok(Some(event)) => event,
                Ok(None) if round.is_settled() => break,
                Ok(None) => next_choice(round.as_ref(), &deck, &mut actions)?,
                Err(StepError::Face(FaceUnknown(slot))) => return Err(ScriptError::NoCardLeft(slot.index() + 1)),
                Err(StepError::ShoeExhausted) => return Err(ScriptError::NoCardLeft(deck.drawn + 1)),
                Err(StepError::Overflow) => return Err(out_of_range),
            };
            round.apply(&event)?;
            deck.follow(&event, &mut players).ok_or(out_of_range.clone())?;
            events.push(event);
        }
        if let Some((_, first)) = actions.next() {
            return Err(ScriptError::ActionsLeft { left: actions.len() + 1, first: first.clone() });
        }
        let staked = Chips::sum(players.iter().map(|p| p.1)).ok_or(out_of_range.clone())?;
        let ret = Chips::sum(players.iter().map(|p| p.2)).ok_or(out_of_range)?;
        Ok(Course { staked, ret, players, events, view: round.view() })
    }
}

impl Deck<'_> {
    /// Moves the cards and the balances on; `None` when an amount is out of range.
    fn follow(&mut self, event: &RoundEvent, players: &mut [(PlayerId, Chips, Chips)]) -> Option<()> {
        let mut post = |player: &PlayerId, staked: Chips, ret: Chips| {
            let line = players.iter_mut().find(|p| p.0 == *player)?;
            line.1 = line.1.plus(staked)?;
            line.2 = line.2.plus(ret)?;
            let balance = self.balances.iter_mut().find(|b| b.0 == *player)?;
            balance.1 = balance.1.minus(staked)?.plus(ret)?;
            Some(())
        };
        match event {
            RoundEvent::Dealt { .. } => self.drawn += 1,
            RoundEvent::Acted { player, cost, .. } => post(player, *cost, Chips::ZERO)?,
            RoundEvent::Paid { lines } => lines.iter().try_for_each(|line| post(&line.player, Chips::ZERO, line.ret))?,
            RoundEvent::Turned { .. } | RoundEvent::Peeked { .. } | RoundEvent::Offered { .. } => {}
        }
        Some(())
    }
}

fn next_choice<'a>(
    round: &dyn Round,
    deck: &Deck<'_>,
    actions: &mut impl Iterator<Item = (usize, &'a Action)>,
) -> Result<RoundEvent, ScriptError> {
    let open = round.open_decisions().into_iter().next().ok_or_else(|| Inapplicable("the round neither moves on nor asks".into()))?;
    let funds = deck.funds(&open.player);
    let Some((index, action)) = actions.next() else {
        let words = round.options(open.number, funds).iter().map(|offer| offer.action.to_string()).collect::<Vec<_>>();
        return Err(ScriptError::NoActionLeft { decision: open.number, place: open.place.to_string(), possible: words.join(", ") });
    };
    let illegal = |reason| ScriptError::Illegal { position: index + 1, action: action.clone(), reason };
    round.accept(&open.player, open.number, action, funds).map_err(illegal)
}
