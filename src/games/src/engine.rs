//! A game's round as the house sees it: its questions to the dealing, the events it writes and folds, the decisions it
//! offers. This file names no game and knows no money account, no clock and no hidden face.

use crate::{Action, ActionKind, Chips, Place, RoundEvent, SavedRound};
use fairshoe_fairness::{Card, Composition, PlayerId, Slot};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use thiserror::Error;

/// A wager as a player places it: a stake on a spot of the layout.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Bet {
    /// The spot's name in the game: a box's or seat's number, or its name on the layout.
    pub spot: String,
    /// The stake in minor units.
    pub stake: Chips,
    /// The chips of the stake, in the order they were placed, if the rule set names denominations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub chips: Option<Vec<Chips>>,
}

/// One player's wagers in a round.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    /// The player.
    pub player: PlayerId,
    /// Their bets.
    pub bets: Vec<Bet>,
}

/// An option of an offered decision and what it costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// The action's word.
    pub action: ActionKind,
    /// Its cost in minor units; 0 for a free action. For a wager that may be less: the most that can be placed.
    pub cost: Chips,
    /// For a bet or raise at table stakes: the least and the most live chips of this street it may go to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<(Chips, Chips)>,
}

impl Offer {
    /// A free action.
    pub const fn free(action: ActionKind) -> Offer {
        Offer { action, cost: Chips::ZERO, to: None }
    }

    /// An action at this cost.
    pub const fn costing(action: ActionKind, cost: Chips) -> Offer {
        Offer { action, cost, to: None }
    }
}

/// A decision that is offered and not yet taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// Its number in the round.
    pub number: u32,
    /// The player who decides.
    pub player: PlayerId,
    /// The hand it is about.
    pub place: Place,
    /// UTC milliseconds at which default play decides.
    pub deadline: u64,
}

/// A yes-or-no question about a face that stays hidden: the cards for which the answer is yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peek {
    /// One bit for each card, by its code.
    yes: u64,
}

impl Peek {
    /// The question to which the answer is yes for these cards.
    pub fn whether(is_yes: impl Fn(Card) -> bool) -> Peek {
        let cards = (0..Card::COUNT).filter_map(Card::from_code).filter(|card| is_yes(*card));
        Peek { yes: cards.fold(0, |yes, card| yes | 1 << card.code()) }
    }

    /// The answer, if the face is known.
    pub fn answer(self, hidden: Card) -> bool {
        self.yes & 1 << hidden.code() != 0
    }
}

/// The dealer was asked for a face that it cannot give.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("the face of slot {0:?} is not known here")]
pub struct FaceUnknown(pub Slot);

/// An engine's questions to the table while it moves a round on. In the service the dealer answers them; in the auditor
/// the log's own claims or the revealed seed; in a script a list of cards.
pub trait Dealing {
    /// The slot that the next draw of `lane` takes; `None` when the shoe is exhausted.
    fn next_slot(&self, lane: u16) -> Option<Slot>;
    /// The face of a slot that is being turned up.
    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown>;
    /// The answer to a question about a slot that stays face-down.
    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown>;
    /// The money that a player could still stake.
    fn funds(&self, player: &PlayerId) -> Chips;
    /// UTC milliseconds at which a decision offered now lapses.
    fn deadline(&self) -> u64;
    /// The clock of a betting turn at table stakes; it may have so many milliseconds more than others (R001.83).
    fn turn_clock(&self, player: &PlayerId, extra_ms: u64) -> TurnClock {
        let _ = player;
        TurnClock { bank_from: None, deadline: self.deadline().saturating_add(extra_ms), extra_ms: 0 }
    }
    /// The face of a slot of an earlier pile of the same game, 0 being the first deal's.
    fn earlier_card(&self, pile: u16, slot: Slot) -> Result<Card, FaceUnknown> {
        let _ = pile;
        Err(FaceUnknown(slot))
    }
    /// The committed value and the pocket of this round's spin; `None` if the wheel has no slot left.
    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(None)
    }
}

/// The end of a betting turn (R001.83, R001.84).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TurnClock {
    /// UTC milliseconds from which the player's time bank runs, if they have one.
    pub bank_from: Option<u64>,
    /// UTC milliseconds at which default play decides.
    pub deadline: u64,
    /// The part of this, in milliseconds, that the player has because they were cut off (R001.104).
    pub extra_ms: u64,
}

/// One spin of a committed wheel (spec/fairness.md, "Wheel").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Spin {
    /// The slot of this spin.
    pub slot: Slot,
    /// The committed value, 0 to 36.
    pub value: u8,
    /// `(value + offset) mod 37`.
    pub pocket: u8,
}

/// A new pile that a game needs in the middle: a committed shoe of these cards, shuffled by these players (A002.m).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewPile {
    /// Its number in the game; the first deal's pile is 0.
    pub pile: u16,
    /// The cards it holds.
    pub composition: Composition,
    /// The players still in the game, ascending by name; each brings a fresh seed.
    pub players: Vec<PlayerId>,
}

/// An addition to a refusal's words if the player's own spot is known.
fn own_spot(own: Option<u8>) -> String {
    own.map(|seat| format!(": yours is `{seat}`, the number of your seat")).unwrap_or_default()
}

/// Why a bet is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BetRefusal {
    /// Either no bet, or more than the table has spots.
    #[error("a round takes 1 to {most} bets of a player, not {given}")]
    Count {
        /// The number of bets given.
        given: usize,
        /// The most bets the table takes.
        most: usize,
    },
    /// The layout has no such spot, or this rule set does not use it.
    #[error("no bet can be placed on spot `{spot}` here; {valid}")]
    UnknownSpot {
        /// The spot named.
        spot: String,
        /// The valid spots, in words.
        valid: String,
    },
    /// The same spot twice in one request.
    #[error("spot `{spot}` is named twice; add the stakes up")]
    SpotTwice {
        /// The spot named.
        spot: String,
    },
    /// Below the table's minimum.
    #[error("the stake {stake} is below the minimum {min}")]
    BelowMinimum {
        /// The stake.
        stake: Chips,
        /// The least stake.
        min: Chips,
    },
    /// Above the table's maximum.
    #[error("the stake {stake} is above the maximum {max}")]
    AboveMaximum {
        /// The stake.
        stake: Chips,
        /// The greatest stake.
        max: Chips,
    },
    /// Not a multiple of the table's step (C4).
    #[error("the stake {stake} is not a multiple of {step}")]
    OffStep {
        /// The stake.
        stake: Chips,
        /// A stake must be a multiple of this, in minor units.
        step: Chips,
    },
    /// A chip that the rule set does not have (R000.1).
    #[error("there is no chip of {chip}; the chips are {valid}")]
    UnknownChip {
        /// The chip placed.
        chip: Chips,
        /// The valid denominations, in words.
        valid: String,
    },
    /// A chip larger than the balance that is left (R000.2, A000.b).
    #[error("a chip of {chip} is larger than the {left} that are left of the balance")]
    ChipAboveBalance {
        /// The chip's value in minor units.
        chip: Chips,
        /// Balance minus the chips placed before it.
        left: Chips,
    },
    /// The chips listed do not add up to the stake.
    #[error("the chips add up to {chips}, the stake is {stake}")]
    ChipsDiffer {
        /// Their sum.
        chips: Chips,
        /// The stake given.
        stake: Chips,
    },
    /// The spot belongs to another player in this round.
    #[error("spot `{spot}` is another player's{}", own_spot(*own))]
    SpotTaken {
        /// The spot named.
        spot: String,
        /// The number of the player's seat, where spots are seats.
        own: Option<u8>,
    },
    /// More players than the game takes, or fewer than it needs.
    #[error("the game takes {least} to {most} players, not {given}")]
    Players {
        /// The number of players.
        given: usize,
        /// The fewest players with whom the game begins.
        least: usize,
        /// The most players that it takes.
        most: usize,
    },
    /// The stake is more than the player has (C2).
    #[error("the balance {balance} does not cover the stake {stake}")]
    InsufficientBalance {
        /// The player's balance.
        balance: Chips,
        /// The stake.
        stake: Chips,
    },
}

impl BetRefusal {
    /// The stable code of the HTTP contract.
    pub fn code(&self) -> &'static str {
        match self {
            BetRefusal::Count { .. } => "bet_count",
            BetRefusal::UnknownSpot { .. } => "unknown_spot",
            BetRefusal::SpotTwice { .. } => "spot_twice",
            BetRefusal::BelowMinimum { .. } => "below_minimum",
            BetRefusal::AboveMaximum { .. } => "above_maximum",
            BetRefusal::OffStep { .. } => "off_step",
            BetRefusal::UnknownChip { .. } => "unknown_chip",
            BetRefusal::ChipAboveBalance { .. } => "chip_above_balance",
            BetRefusal::ChipsDiffer { .. } => "chips_differ",
            BetRefusal::SpotTaken { .. } => "spot_taken",
            BetRefusal::Players { .. } => "player_count",
            BetRefusal::InsufficientBalance { .. } => "insufficient_balance",
        }
    }
}

/// Why an action is refused. Nothing changes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Illegal {
    /// The decision was never offered, is already taken, or has lapsed.
    #[error("decision {given} is not open{}", open.map(|n| format!("; the open one is {n}")).unwrap_or_default())]
    NotOpen {
        /// The number given.
        given: u32,
        /// The number that is open, if any.
        open: Option<u32>,
    },
    /// The decision is another player's.
    #[error("decision {decision} is not yours")]
    NotYours {
        /// The number given.
        decision: u32,
    },
    /// The rules do not offer that action now.
    #[error("{action} is not possible now: {why}")]
    NotOffered {
        /// The action's word.
        action: ActionKind,
        /// The rule that forbids it.
        why: &'static str,
    },
    /// The extra stake is not what the rules require.
    #[error("the extra stake {given} is refused: {why}")]
    Amount {
        /// The amount given.
        given: Chips,
        /// The rule's requirement, in words.
        why: &'static str,
    },
    /// A bet or raise to an amount that the rules do not allow.
    #[error("a bet or raise goes to at least {min} and at most {max}, not to {given}")]
    RaiseRange {
        /// The amount that the bet or raise would go to.
        given: Chips,
        /// The least amount.
        min: Chips,
        /// The greatest amount.
        max: Chips,
    },
    /// The action costs more than the player has.
    #[error("{action} costs {cost}, the balance is {balance}")]
    InsufficientBalance {
        /// The action's word.
        action: ActionKind,
        /// The action's cost.
        cost: Chips,
        /// The player's balance.
        balance: Chips,
    },
}

impl Illegal {
    /// The stable code of the HTTP contract.
    pub fn code(&self) -> &'static str {
        match self {
            Illegal::NotOpen { .. } => "decision_not_open",
            Illegal::NotYours { .. } => "not_your_decision",
            Illegal::NotOffered { .. } => "action_not_offered",
            Illegal::Amount { .. } => "extra_stake_refused",
            Illegal::RaiseRange { .. } => "raise_out_of_range",
            Illegal::InsufficientBalance { .. } => "insufficient_balance",
        }
    }
}

/// Why a round cannot be moved on.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum StepError {
    /// A draw found no undrawn slot: the round is void (C13).
    #[error("the shoe is exhausted")]
    ShoeExhausted,
    /// The dealer could not give a face.
    #[error(transparent)]
    Face(#[from] FaceUnknown),
    /// An amount left the range of [`Chips`].
    #[error("an amount is out of range")]
    Overflow,
}

/// An event does not fit the state: this engine did not write this log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct Inapplicable(pub String);

/// The side that would be ahead, by public faces and stakes alone (rule C22).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ahead {
    /// No card has decided anything yet.
    Nobody,
    /// Evenly matched.
    Level,
    /// The players, by stake.
    Players,
    /// The house, by stake.
    House,
}

/// The state of a hand at table stakes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standing {
    /// Each dealt-in seat's chips in the pot, from the left of the button.
    pub put_in: Vec<SeatChips>,
    /// The seats with the best of the open hands; empty before the flop, or while fewer than two hands are open.
    pub leading: Vec<u8>,
}

/// A seat and an amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatChips {
    /// The seat's number.
    pub seat: u8,
    /// The amount.
    pub amount: Chips,
}

/// A round that is played with chips at the table: money moves once, at its end (R001.12, R001.112), and each player
/// alone knows their cards.
pub trait TableStakes {
    /// When the time bank of an open decision's player begins to run, UTC milliseconds; `None` without a time bank
    /// (R001.84).
    fn bank_from(&self, decision: u32) -> Option<u64>;
    /// The slots whose faces this player alone may see: their hole cards.
    fn own_slots(&self, player: &PlayerId) -> Vec<Slot>;
    /// Every player's chips in the pot, and who is ahead by the open hands: for the record of a void (R001.26).
    fn standing(&self) -> Standing;
    /// Each player's chips in the pot.
    fn put_in(&self) -> Vec<(PlayerId, Chips)>;
}

/// A round in play. Its state is the fold of its events through [`Round::apply`]; nothing else changes it.
///
/// The house drives it: [`Round::step`] names the next thing that happens by itself, [`Round::accept`] turns a
/// player's choice into an event; each event is applied before the next question.
pub trait Round: Send + Sync {
    /// A copy to try events on.
    fn boxed_clone(&self) -> Box<dyn Round>;
    /// The round as it is saved in a file, to go on with later (see [`crate::saved_round`]).
    fn saved(&self) -> SavedRound<'_>;
    /// The number of lanes that the round draws from (spec/fairness.md, lanes).
    fn lanes(&self) -> u16;
    /// The next automatic event; `None` while the round waits for a decision or for a new pile, and once it is settled.
    /// Several decisions may be offered one after another before it waits (an insurance window).
    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError>;
    /// The event of a player's legal choice.
    fn accept(&self, player: &PlayerId, decision: u32, action: &Action, funds: Chips) -> Result<RoundEvent, Illegal>;
    /// The event of default play for an open decision (rule C18).
    fn default_play(&self, decision: u32) -> Result<RoundEvent, Illegal>;
    /// Folds one event in.
    fn apply(&mut self, event: &RoundEvent) -> Result<(), Inapplicable>;
    /// The decisions that are open, by number.
    fn open_decisions(&self) -> Vec<Decision>;
    /// The legal choices at an open decision with these funds.
    fn options(&self, decision: u32, funds: Chips) -> Vec<Offer>;
    /// The pile that the game needs before it can go on. The house commits it, has it shuffled and writes
    /// [`RoundEvent::Shuffled`], or [`RoundEvent::Absent`] for a player who took no part; then it asks again.
    fn needs_pile(&self) -> Option<NewPile> {
        None
    }
    /// Whether a card may still come out of a pile of this game; `None` from a game that does not keep account.
    fn may_come(&self, pile: u16, card: Card) -> Option<bool> {
        let _ = (pile, card);
        None
    }
    /// Whether a slot may hold this card after what was answered about it.
    fn may_be(&self, slot: Slot, card: Card) -> bool {
        let _ = (slot, card);
        true
    }
    /// The extra interface of a round played with chips at the table; `None` for every other round.
    fn table_stakes(&self) -> Option<&dyn TableStakes> {
        None
    }
    /// Whether every wager is settled.
    fn is_settled(&self) -> bool;
    /// All unsettled stakes, by player in the order of the bets.
    fn pending_stakes(&self) -> Vec<(PlayerId, Chips)>;
    /// The side that is ahead by public cards and stakes.
    fn ahead(&self) -> Ahead;
    /// The round as everyone may see it, as JSON text; hidden cards are slots.
    fn view_json(&self) -> Box<RawValue>;
    /// The same view as a JSON value, for look-ups.
    fn view(&self) -> serde_json::Value {
        serde_json::from_str(self.view_json().get()).unwrap_or_default()
    }
}
