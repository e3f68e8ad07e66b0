//! A round played from given cards, without seeds, house or service: `fairshoe-audit play` runs it.
//!
//! [`Script`] is a round in values, [`Words`] the same in the words of the command line. Owns the order in which given
//! cards, choices and spins are used; the engines own their meaning.

mod choices;
mod played;
mod table;
mod words;

pub use played::{BetMoney, Played, SeatMoney};
pub use words::{DEFAULT_BALANCE, Words};

use crate::{Action, BetRefusal, Chips, FaceUnknown, Illegal, Inapplicable, Placed, RoundEvent, RuleSet, StepError};
use choices::{Choices, Word};
use fairshoe_fairness::{Card, PlayerId};
use table::Table;
use thiserror::Error;

/// The most cards or actions a script may hold.
pub const MAX_SCRIPT_LENGTH: usize = 10_000;

/// A round to play: cards in the order in which they are drawn, actions in the order in which they are asked for.
#[derive(Clone, Debug)]
pub struct Script<'s> {
    /// The rule set of the round.
    pub rules: &'s RuleSet,
    /// The players' bets, by players in ascending order of their names.
    pub placed: &'s [Placed],
    /// Each player's balance before their bets.
    pub balance: Chips,
    /// The cards, in the order in which they are drawn.
    pub cards: &'s [Card],
    /// The choices, in the order in which they are asked for.
    pub actions: &'s [Action],
}

/// The course of a scripted round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Course {
    /// Every debit.
    pub staked: Chips,
    /// Every credit.
    pub returned: Chips,
    /// The same by player, in the order of the bets: (player, staked, returned).
    pub players: Vec<(PlayerId, Chips, Chips)>,
    /// The events of the round.
    pub events: Vec<RoundEvent>,
    /// The final view.
    pub view: serde_json::Value,
    /// Whether every wager is settled; some games may be left undecided.
    pub settled: bool,
}

/// Why a script cannot be played.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ScriptError {
    /// The words do not describe a round.
    #[error("{0}")]
    Words(String),
    /// The bet is refused.
    #[error("the bet is refused: {0}")]
    Bet(#[from] BetRefusal),
    /// An action is refused.
    #[error("action {position} ({action}) is illegal: {reason}")]
    Illegal {
        /// The action's position, from 1.
        position: usize,
        /// The script's action there.
        action: Action,
        /// The reason.
        reason: Illegal,
    },
    /// An action is marked as one player's, and another is asked.
    #[error("action {position} ({action}) is {given}'s, but {asked} is asked; possible now: {possible}")]
    NotAsked {
        /// The action's position, from 1.
        position: usize,
        /// The script's action there.
        action: Action,
        /// The player it is marked with.
        given: PlayerId,
        /// The player who is asked.
        asked: PlayerId,
        /// The words that would fit.
        possible: String,
    },
    /// A decision is open and no action is left.
    #[error("decision {decision} at {place} is open and no action is left; possible now: {possible}")]
    NoActionLeft {
        /// The decision's number.
        decision: u32,
        /// The hand.
        place: String,
        /// The words that would fit.
        possible: String,
    },
    /// Actions are left after the round was settled.
    #[error("the round is over and {left} action(s) are left, the first is `{first}`")]
    ActionsLeft {
        /// Their number.
        left: usize,
        /// The first of them.
        first: Action,
    },
    /// The cards do not suffice.
    #[error("card {0} is needed and not given")]
    NoCardLeft(usize),
    /// A card is twice in a pile, or was not collected for it.
    #[error("card {position} ({card}) cannot lie in pile {pile}: its cards are {}", if *pile == 0 { "those of one pack, each once" } else { "the collected ones, each once" })]
    NotInPile {
        /// The card's position in the script, from 1.
        position: usize,
        /// The card that cannot be dealt.
        card: Card,
        /// The pile, from 0.
        pile: u16,
    },
    /// The round needs more cards than a shoe of these rules holds: it would be void (C13).
    #[error("the shoe is exhausted; the round would be void (C13)")]
    ShoeExhausted,
    /// An amount is out of range, or the script exceeds a bound.
    #[error("{0}")]
    OutOfBounds(&'static str),
    /// The engine does not accept its own event.
    #[error("the engine contradicts itself: {0}")]
    Engine(#[from] Inapplicable),
}

/// The parts of a game's script (spec/games/play.md).
pub(crate) enum Form {
    /// Cards, and bets on spots.
    Cards {
        /// Whether each spot belongs to one player.
        player_a_spot: bool,
    },
    /// The pocket of a wheel, and bets on spots.
    Pocket {
        /// Gives a spot's name for each of its spellings.
        spelled: fn(&str) -> String,
    },
    /// Cards of one pack, collected and dealt again; all players enter with the same stake. One player wins; the round
    /// may stay undecided.
    Entries,
    /// The game has no script; the text says what to do instead.
    None(&'static str),
}

const AMOUNT: ScriptError = ScriptError::OutOfBounds("an amount is out of range");

impl Script<'_> {
    /// Plays the round to its settlement; each choice answers the open question.
    pub fn play(&self) -> Result<Course, ScriptError> {
        let words: Vec<Word> =
            self.actions.iter().map(|action| Word { player: None, action: action.clone() }).collect();
        let table = Table::new(self.rules, self.cards, None)?;
        run(self.rules, self.placed, self.balance, table, Choices::strict(&words))
    }
}

/// Plays a round; a choice of `None` leaves it undecided.
fn run(
    rules: &RuleSet,
    placed: &[Placed],
    balance: Chips,
    mut table: Table<'_>,
    mut choices: Choices<'_>,
) -> Result<Course, ScriptError> {
    if choices.len() > MAX_SCRIPT_LENGTH {
        return Err(ScriptError::OutOfBounds("a script holds at most 10000 actions"));
    }
    let mut players = Vec::new();
    for one in placed {
        rules.check_bets(&one.bets, balance)?;
        let staked = Chips::sum(one.bets.iter().map(|bet| bet.stake)).ok_or(AMOUNT)?;
        table.seat(&one.player, balance.minus(staked).ok_or(AMOUNT)?);
        players.push((one.player.clone(), staked, Chips::ZERO));
    }
    let mut round = rules.open_round(placed)?;
    let mut events = Vec::new();
    loop {
        let event = match round.step(&table).and_then(|event| table.has_card_of(event)) {
            Ok(Some(event)) => event,
            Ok(None) if round.is_settled() => break,
            Ok(None) => match round.needs_pile() {
                Some(pile) => table.place_pile(&pile)?,
                None => match choices.next(round.as_ref(), &table)? {
                    Some(event) => event,
                    None => break,
                },
            },
            // A deal may stay unfinished, but a card that a player asked for must be in the script.
            Err(StepError::Face(_))
                if choices.may_stop() && !matches!(events.last(), Some(RoundEvent::Acted { .. })) =>
            {
                break;
            }
            Err(StepError::Face(FaceUnknown(slot))) => return Err(ScriptError::NoCardLeft(table.position(slot))),
            Err(StepError::ShoeExhausted) => return Err(ScriptError::ShoeExhausted),
            Err(StepError::Overflow) => return Err(AMOUNT),
        };
        round.apply(&event)?;
        table.follow(&event, &mut players).ok_or(AMOUNT)?;
        events.push(event);
    }
    if let Some((left, first)) = choices.left() {
        return Err(ScriptError::ActionsLeft { left, first });
    }
    let staked = Chips::sum(players.iter().map(|p| p.1)).ok_or(AMOUNT)?;
    let returned = Chips::sum(players.iter().map(|p| p.2)).ok_or(AMOUNT)?;
    Ok(Course { staked, returned, players, events, view: round.view(), settled: round.is_settled() })
}
