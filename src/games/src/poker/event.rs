//! What happens in poker and in no other game, as the log has it (spec/games/poker-table.md): how a hand begins, what
//! each pot paid, what the hand came to.

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
    /// Who.
    pub player: PlayerId,
    /// Their chips at the start of the hand.
    pub stack: Chips,
    /// Milliseconds in their time bank (R001.84).
    pub bank_ms: u64,
}

/// What `bets_closed` fixes of a hand: the button, the blinds, who is dealt in with how much and what each posts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandStart {
    /// Where button and blinds are.
    pub positions: Positions,
    /// Who is dealt in, from the left of the button; with two players the big blind first.
    pub seats: Vec<HandSeat>,
}

/// What one seat won of a pot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PotShare {
    /// Its number at the table, from 1.
    pub seat: u8,
    /// How much, minor units.
    pub amount: Chips,
    /// For the low hand (Omaha hi-lo).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub low: bool,
}

/// A pot as it was paid: its shares and its rake make up its amount.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PotPaid {
    /// What lay in it, minor units, before the rake.
    pub amount: Chips,
    /// The house's share (R001.81).
    pub rake: Chips,
    /// The seats that contested it, from the left of the button.
    pub seats: Vec<u8>,
    /// Who won it.
    pub won: Vec<PotShare>,
}

/// What the hand came to for one seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatResult {
    /// Its number at the table, from 1.
    pub seat: u8,
    /// Who.
    pub player: PlayerId,
    /// Everything they put in.
    pub put_in: Chips,
    /// Everything they got: pots, and what nobody called.
    pub got: Chips,
    /// Their chips after the hand.
    pub stack: Chips,
}

/// What happens in poker and in no other game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum PokerEvent {
    /// The hand is over: the one entry of its money (R001.112).
    Settled {
        /// The main pot first.
        pots: Vec<PotPaid>,
        /// What nobody called and goes back; it was in no pot and is not raked.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        uncalled: Option<SeatChips>,
        /// Every seat that was dealt in, from the left of the button.
        seats: Vec<SeatResult>,
    },
}

/// What a hand at table stakes came to.
#[derive(Clone, Copy, Debug)]
pub struct HandResult<'e> {
    /// The main pot first.
    pub pots: &'e [PotPaid],
    /// What nobody called and goes back.
    pub uncalled: Option<SeatChips>,
    /// Every seat that was dealt in, from the left of the button.
    pub seats: &'e [SeatResult],
}

impl RoundEvent {
    /// Whether only a hand at table stakes has this: a choice of its betting or its showdown, or what it came to. The
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

    /// What the hand came to, where this event ends one at table stakes.
    pub fn hand_result(&self) -> Option<HandResult<'_>> {
        let RoundEvent::Poker(PokerEvent::Settled { pots, uncalled, seats }) = self else { return None };
        Some(HandResult { pots, uncalled: *uncalled, seats })
    }
}
