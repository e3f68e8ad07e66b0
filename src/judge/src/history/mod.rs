//! Hand histories: the entries of a hand folded into a neutral form, and that form written for other programs
//! (spec/hand-histories.md).
//!
//! Owns: what a history holds, and the two notations. Does not own the verdict on the entries: a history says what they
//! say, so whoever exports has them audited first. Nothing is in a history but what is on the log, and what a player
//! gives of their own cards.

mod events;
mod fold;
mod ohh;
mod phh;

pub use events::{Announced, BountyTaken, EventHand};
pub use fold::{Historian, Told};
pub use ohh::OHH_VERSION;

use crate::bundle::RoundId;
use fairshoe_fairness::{Card, Composition, Opening, Origin, PlayerId, RoundEntropy, ServerSeed, Slot};
use fairshoe_games::poker::{Due, HandRules, PokerRules, Positions, PotPaid};
use fairshoe_games::{Action, Chips, RuleSet, SeatChips};
use fairshoe_house::Committed;
use thiserror::Error;

/// A player who was dealt in, and what the hand came to for them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DealtIn {
    /// Their seat, and what they owed before the cards.
    pub due: Due,
    /// The player.
    pub player: PlayerId,
    /// Their chips before anything was posted.
    pub stack: Chips,
    /// The slots of their hole cards.
    pub hole: Vec<Slot>,
    /// The faces of those that were turned up, in the same order.
    pub shown: Vec<Card>,
    /// Everything they put in.
    pub put_in: Chips,
    /// Their chips after the hand, rake taken.
    pub finishing: Chips,
}

/// The part of its debts that a stack pays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Posted {
    /// Paid as ante, minor units; it counts towards no call.
    pub ante: Chips,
    /// Chips that do not count towards a call.
    pub dead: Chips,
    /// Blind, straddle or another live post.
    pub live: Chips,
}

impl DealtIn {
    /// Ante, dead and live post in this order, each as far as the stack reaches (spec/games/poker.md, "Posts").
    pub fn posted(&self) -> Posted {
        let mut left = self.stack;
        let mut pay = |due: Chips| {
            let paid = due.min(left);
            left = left.minus(paid).unwrap_or_default();
            paid
        };
        Posted { ante: pay(self.due.ante), dead: pay(self.due.dead), live: pay(self.due.live) }
    }
}

/// The events after the hole cards; players by their place from the left of the button, from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HandStep {
    /// A street's cards, three or one.
    Board(Vec<Card>),
    /// A fold, check, call, bet or raise.
    Acted {
        /// The player's place.
        place: usize,
        /// The action.
        action: Action,
        /// Chips that it put in.
        cost: Chips,
        /// Whether they were the player's last.
        all_in: bool,
        /// Whether their time had run out.
        lapsed: bool,
    },
    /// Their hole cards lay open.
    Shown {
        /// The player's place.
        place: usize,
    },
    /// They gave the hand up unshown.
    Mucked {
        /// The player's place.
        place: usize,
    },
}

/// Hole cards that only their player knows, with their proofs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OwnCards {
    /// Their place from the left of the button.
    pub place: usize,
    /// In the order in which they were dealt.
    pub openings: Vec<Opening>,
}

/// One settled hand of a cash table, or of a tournament's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandHistory {
    /// Table and number.
    pub round: RoundId,
    /// Its shoe at the table.
    pub shoe_no: u64,
    /// The log's name, where the entries say it.
    pub log: Option<Origin>,
    /// UTC milliseconds at which it was fixed who is dealt in.
    pub started: u64,
    /// The table's rules; of a tournament's table with the blinds of the hand's level.
    pub rules: RuleSet,
    /// The digest of the rules with which the table was opened, as the log has it.
    pub digest: String,
    /// The log's facts about a tournament's hand.
    pub event: Option<EventHand>,
    /// The cards that the shoe holds.
    pub composition: Composition,
    /// The candidates as committed.
    pub candidates: Vec<Committed>,
    /// `E`.
    pub entropy: RoundEntropy,
    /// Which candidate was dealt.
    pub pick: u8,
    /// The seeds of the other candidates.
    pub others: Vec<ServerSeed>,
    /// The seats of button and blinds.
    pub positions: Positions,
    /// From the left of the button; with two players the big blind first.
    pub seats: Vec<DealtIn>,
    /// In order.
    pub steps: Vec<HandStep>,
    /// The board's cards with their slots.
    pub board: Vec<(Slot, Card)>,
    /// The slots of the burnt cards.
    pub burnt: Vec<Slot>,
    /// As they were paid, the main pot first.
    pub pots: Vec<PotPaid>,
    /// Chips that nobody called, which went back.
    pub uncalled: Option<SeatChips>,
    /// The openings of every card that lay open.
    pub openings: Vec<Opening>,
    /// The cards of the player for whom the history is written, if that player gave them.
    pub own: Option<OwnCards>,
}

/// Why there is no history.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HistoryError {
    /// The entries do not make a hand; no log that is sound has such.
    #[error("the entries of hand {round} make no hand: {what}")]
    Broken {
        /// The hand.
        round: RoundId,
        /// In words.
        what: String,
    },
    /// The openings given are not those of one player's hole cards.
    #[error("the openings given are not the {wanted} hole cards of one player of this hand")]
    NotOwn {
        /// How many cards a player has.
        wanted: usize,
    },
    /// An opening proves nothing.
    #[error("the opening given of slot {slot} does not hold: {why}")]
    Unproven {
        /// The slot that the opening is of.
        slot: Slot,
        /// In words.
        why: String,
    },
    /// The notation has no word for it.
    #[error("{0}")]
    NoWord(&'static str),
}

impl HandHistory {
    /// How this hand was bet and paid, by the number of those dealt in.
    pub fn hand_rules(&self) -> Option<HandRules> {
        self.poker().map(|rules| rules.hand_of(self.seats.len()))
    }

    fn poker(&self) -> Option<&PokerRules> {
        self.rules.cash()
    }

    /// The house's share of all pots.
    pub fn rake(&self) -> Chips {
        Chips::sum(self.pots.iter().map(|pot| pot.rake)).unwrap_or_default()
    }

    /// Shows one player's hole cards in their own history. The openings, in any order, must be of all their cards and
    /// of no other, and hold against the committed root of the candidate that was dealt.
    ///
    /// # Errors
    /// [`HistoryError::NotOwn`], [`HistoryError::Unproven`]; nothing has changed then.
    pub fn show_own(&mut self, openings: &[Opening]) -> Result<(), HistoryError> {
        let wanted = self.seats.first().map_or(0, |seat| seat.hole.len());
        let of = |seat: &DealtIn| {
            let found = seat.hole.iter().map(|slot| openings.iter().find(|opening| opening.slot == *slot).cloned());
            found.collect::<Option<Vec<Opening>>>().filter(|found| found.len() == openings.len())
        };
        let own = self.seats.iter().enumerate().find_map(|(place, seat)| Some(OwnCards { place, openings: of(seat)? }));
        let own = own.ok_or(HistoryError::NotOwn { wanted })?;
        for opening in &own.openings {
            let unproven = |why: String| HistoryError::Unproven { slot: opening.slot, why };
            let committed = self
                .candidates
                .get(usize::from(self.pick))
                .ok_or_else(|| unproven("there is no such candidate".into()))?;
            opening.verify(&committed.root, &self.composition).map_err(|e| unproven(e.to_string()))?;
        }
        self.own = Some(own);
        Ok(())
    }

    /// A player's hole cards as they are known when they are dealt: the player's own, to that player.
    fn dealt_cards(&self, place: usize) -> Option<Vec<Card>> {
        let own = self.own.as_ref().filter(|own| own.place == place)?;
        own.openings.iter().map(Opening::card).collect()
    }
}
