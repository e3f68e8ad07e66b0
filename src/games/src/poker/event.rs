//! The events that only poker has, as the log holds them (spec/games/poker-table.md): how a hand begins, the payment of
//! each pot, each seat's result.

use crate::poker::{Due, Positions};
use crate::{ActionKind, Chips, RoundEvent, SeatChips};
use fairshoe_fairness::PlayerId;
use serde::{Deserialize, Serialize};

/// A player who is dealt in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandSeat {
    /// Their seat, and what they owe before the cards.
    pub due: Due,
    /// The player.
    pub player: PlayerId,
    /// Their chips at the start of the hand.
    pub stack: Chips,
    /// Milliseconds in their time bank (R001.84).
    pub bank_ms: u64,
}

/// The part of `bets_closed` that fixes a hand: the button, the blinds, the players dealt in, their stacks and posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandStart {
    /// The seats of the button and the blinds.
    pub positions: Positions,
    /// The players dealt in, from the left of the button; with two players the big blind first.
    pub seats: Vec<HandSeat>,
}

/// One seat's win from a pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PotShare {
    /// Its number at the table, from 1.
    pub seat: u8,
    /// The amount in minor units.
    pub amount: Chips,
    /// Whether it is for the low hand (Omaha hi-lo).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub low: bool,
}

/// A pot as it was paid: its shares and its rake make up its amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PotPaid {
    /// Its amount before the rake, in minor units.
    pub amount: Chips,
    /// The house's share (R001.81).
    pub rake: Chips,
    /// The seats that contested it, from the left of the button.
    pub seats: Vec<u8>,
    /// The winners' shares.
    pub won: Vec<PotShare>,
}

/// One seat's result of the hand.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatResult {
    /// Its number at the table, from 1.
    pub seat: u8,
    /// The player.
    pub player: PlayerId,
    /// All chips they put in.
    pub put_in: Chips,
    /// All chips they got: pots, and uncalled chips.
    pub got: Chips,
    /// Their chips after the hand.
    pub stack: Chips,
}

/// The events that only poker has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PokerEvent {
    /// The hand is over: the one entry of its money (R001.112).
    Settled {
        /// The main pot first.
        pots: Vec<PotPaid>,
        /// Uncalled chips that go back; they were in no pot and are not raked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uncalled: Option<SeatChips>,
        /// Every seat that was dealt in, from the left of the button.
        seats: Vec<SeatResult>,
    },
}

/// The result of a hand at table stakes.
#[derive(Clone, Copy, Debug)]
pub struct HandResult<'e> {
    /// The main pot first.
    pub pots: &'e [PotPaid],
    /// Uncalled chips that go back.
    pub uncalled: Option<SeatChips>,
    /// Every seat that was dealt in, from the left of the button.
    pub seats: &'e [SeatResult],
}

impl RoundEvent {
    /// Whether only a hand at table stakes has this event: a choice of its betting or showdown, or its result. The
    /// places that such a hand names are seats.
    pub fn is_at_table_stakes(&self) -> bool {
        use ActionKind::{Bet, Call, Check, Fold, Muck, Raise, Show};
        let is_choice = |kind| matches!(kind, Fold | Check | Call | Bet | Raise | Show | Muck);
        match self {
            RoundEvent::Offered { options, .. } => options.iter().any(|offer| is_choice(offer.action)),
            RoundEvent::Acted { action, .. } => is_choice(action.kind()),
            other => other.hand_result().is_some(),
        }
    }

    /// The hand's result, if this event ends a hand at table stakes.
    pub fn hand_result(&self) -> Option<HandResult<'_>> {
        let RoundEvent::Poker(PokerEvent::Settled { pots, uncalled, seats }) = self else { return None };
        Some(HandResult { pots, uncalled: *uncalled, seats })
    }
}
