//! The events that only Safe has, as the log holds them, each with its rule (spec/games/safe.md).

use crate::Place;
use fairshoe_fairness::{Card, PlayerId};
use serde::{Deserialize, Serialize};

/// Why a player is disqualified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutCause {
    /// The hand they played is above 21 (R002.5).
    Bust,
    /// A face-down hand of theirs was opened and is above 21 (R002.15–17).
    FaceDown,
    /// They took no part in the shuffle of a new pile (A002.m).
    Absent,
}

/// Why a face-down hand is opened without its owner's wish.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OpeningCause {
    /// No alive player is without face-down hands (R002.15, A002.g).
    NoFreePlayer,
    /// Its owner is the only player left (R002.16).
    LastPlayer,
    /// The collected cards would not suffice for the next deal (A002.n).
    PileShort,
    /// The last round that the rule set has is over, with several players alive.
    LastRound,
}

/// Why a hand goes to the discards, all its cards face-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DiscardCause {
    /// The round is over and its player goes on (R002.7, A002.j).
    Advanced,
    /// Its player is disqualified (R002.7, R002.19).
    Out,
    /// A face-down hand that was opened and survived (A002.d, A002.v).
    Opened,
    /// A face-down hand that its owner gave up on a 21 (R002.18).
    Chosen,
}

/// The rule by which the winner wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WonBy {
    /// Alone, with no face-down hand to open (A002.h).
    LastAlive,
    /// Alone, and all their face-down hands survived (R002.16).
    Survived,
    /// The last player's face-down hand was above 21; this player was the last disqualified without face-down hands
    /// (R002.16).
    LastFreePlayer,
    /// As before, but every disqualified player held face-down hands: the owner of the last hand opened wins (A002.h).
    LastOpened,
    /// The last round that the rule set has is over: the first alive player in turn order.
    LastRound,
}

/// The events that only Safe has. Cards drawn, turned up and chosen are common events; these state what follows from
/// them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum SafeEvent {
    /// A face-down hand is about to be opened by rule; its hidden card is turned up next.
    Opening {
        /// The hand's owner.
        player: PlayerId,
        /// The hand.
        place: Place,
        /// The rule by which it is opened.
        why: OpeningCause,
    },
    /// A hand went to the discards, face-up.
    Discarded {
        /// The hand's owner.
        player: PlayerId,
        /// The hand.
        place: Place,
        /// Its cards, in the order in which they came to it.
        cards: Vec<Card>,
        /// The rule by which it is discarded.
        why: DiscardCause,
    },
    /// A player is disqualified (R002.3).
    Out {
        /// The player.
        player: PlayerId,
        /// The reason.
        cause: OutCause,
        /// Whether they held face-down hands, including the one that was opened (needed by R002.16).
        holder: bool,
    },
    /// The pile is used up: every hand without a hidden card is collected with the discards, and the round is over
    /// (R002.20).
    PileEmpty {
        /// Its number in the game; the first deal's is 0.
        pile: u16,
    },
    /// The cards of the next pile (A002.m); written again when a player takes no part in its shuffle.
    Collected {
        /// The next pile's number.
        pile: u16,
        /// Its cards, by ascending code.
        cards: Vec<Card>,
    },
    /// A new round begins, with these players, in turn order.
    Advanced {
        /// Its number in the game, from 1.
        round: u8,
        /// The players still alive.
        players: Vec<PlayerId>,
    },
    /// The game has its winner (R002.21).
    Won {
        /// The winner.
        player: PlayerId,
        /// The rule by which they win.
        by: WonBy,
    },
}
