//! A round from the close of its bets: contributors, seeds, the game in progress, what was staked and returned
//! (spec/entries.md, "A round"). Its rules are the game's, its end the decisions'.

use crate::pile::{PileShuffle, PileStage};
use crate::shoe_use::Shoe;
use crate::{Misfit, PlacedBet, RetainedWinnings, RoundResult, VoidCause, is_for_play, snapshot_serde};
use fairshoe_fairness::{ClientSeed, Lanes, PlayerId, RoundEntropy, Slot, TableId};
use fairshoe_games::{Ahead, Chips, Decision, Round};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// For no longer does a table for play chips await seeds, or a solo one a round's end: ten minutes.
const PLAY_WAIT_MS: u64 = 600_000;

/// How long a table awaits seeds, or a solo one a round's end, where its rule set says so many milliseconds. *Attack: a
/// guest begins a round that waits for a day, and goes; it keeps their place, and a few addresses keep all.*
pub fn waits_ms(table: &TableId, ms: u64) -> u64 {
    if is_for_play(table) { ms.min(PLAY_WAIT_MS) } else { ms }
}

/// How far a round has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Phase {
    /// Bets bind, seeds are awaited.
    AwaitingReveals {
        /// UTC milliseconds by which every seed must be out.
        reveal_by: u64,
    },
    /// Cards are dealt.
    Open {
        /// UTC milliseconds by which a solo round must be settled; a shared table has its turn clock instead.
        settle_by: Option<u64>,
    },
    /// Over.
    Settled,
    /// Void.
    Voided {
        /// Why.
        cause: VoidCause,
        /// The side that was ahead.
        ahead: Ahead,
    },
}

/// The wait of a round: a restart gives each wait its full time again once (spec/recovery.md, "Time again, once").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Wait {
    /// The seeds of its bets.
    Seeds,
    /// A stage of a pile's shuffle.
    Pile {
        /// The shuffle's round number.
        round_no: u64,
        /// Whether its seeds are awaited; else its commitments.
        seeds: bool,
    },
    /// A turn: the lowest number among the open decisions.
    Turn(u32),
}

/// One contributor of a round.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Contributor {
    /// Bets and commitment.
    pub placed: PlacedBet,
    /// The seed, once it is out.
    pub seed: Option<ClientSeed>,
    /// Every debit of the round so far.
    pub staked: Chips,
    /// Every credit of the round so far.
    pub returned: Chips,
    /// Whether they sat out or asked to leave before any seed of the round was out: they could know nothing of it.
    pub went_away: bool,
}

/// A round from `bets_closed` on. It keeps its place at the table until the next bet.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OpenRound {
    /// Its number at the table.
    pub round_no: u64,
    /// Its shoe's number.
    pub shoe_no: u64,
    /// The bettors, ascending by name.
    pub contributors: Vec<Contributor>,
    /// How far it has come.
    pub phase: Phase,
    /// The public shuffle's entropy, once all seeds are out.
    pub entropy: Option<RoundEntropy>,
    /// The candidate that is dealt.
    pub pick: u8,
    /// Which slot each draw takes.
    pub lanes: Option<Lanes>,
    /// After a restart, the time before which no open decision lapses (C21); UTC milliseconds.
    pub turn_floor: u64,
    /// The wait that the last restart met.
    pub resumed_in: Option<Wait>,
    /// Whether a face was turned up, or a wheel stopped: an abandoned round counts only then (A001.oo).
    pub exposed: bool,
    /// In a private game, the slots that were turned up, in order: what is opened when the shoe is sealed.
    pub shown: Vec<Slot>,
    /// The shoe numbers of the piles it has dealt from, the first deal's first: one, but where a game collects its
    /// cards.
    pub shoes: Vec<u64>,
    /// The game's piles before the one in use, the first deal's first.
    #[serde(with = "snapshot_serde::shared_list")]
    pub piles: Vec<Arc<Shoe>>,
    /// The shuffle of a new pile, while it goes on (A002.m).
    pub pile: Option<PileShuffle>,
    /// Players missing in the last one who are yet to be put out.
    pub absent: Vec<PlayerId>,
    /// The game in progress: the fold of its events so far.
    #[serde(with = "fairshoe_games::saved_round")]
    pub game: Box<dyn Round>,
}

impl Clone for OpenRound {
    fn clone(&self) -> Self {
        OpenRound {
            round_no: self.round_no,
            shoe_no: self.shoe_no,
            contributors: self.contributors.clone(),
            phase: self.phase,
            entropy: self.entropy,
            pick: self.pick,
            lanes: self.lanes.clone(),
            turn_floor: self.turn_floor,
            resumed_in: self.resumed_in,
            exposed: self.exposed,
            shown: self.shown.clone(),
            shoes: self.shoes.clone(),
            piles: self.piles.clone(),
            pile: self.pile.clone(),
            absent: self.absent.clone(),
            game: self.game.boxed_clone(),
        }
    }
}

impl OpenRound {
    /// The round's name everywhere outside its table: `TABLE:ROUND_NO`.
    pub fn id(table: &TableId, round_no: u64) -> String {
        format!("{table}:{round_no}")
    }

    /// A round whose bets have just closed, or a hand that has just begun.
    pub(crate) fn new(
        round_no: u64,
        shoe_no: u64,
        placed: Vec<PlacedBet>,
        reveal_by: u64,
        game: Box<dyn Round>,
    ) -> Self {
        let contributor =
            |placed| Contributor { placed, seed: None, staked: Chips::ZERO, returned: Chips::ZERO, went_away: false };
        OpenRound {
            round_no,
            shoe_no,
            contributors: placed.into_iter().map(contributor).collect(),
            phase: Phase::AwaitingReveals { reveal_by },
            entropy: None,
            pick: 0,
            lanes: None,
            turn_floor: 0,
            resumed_in: None,
            exposed: false,
            shown: Vec::new(),
            shoes: vec![shoe_no],
            piles: Vec::new(),
            pile: None,
            absent: Vec::new(),
            game,
        }
    }

    /// Whether it is neither settled nor void.
    pub fn is_live(&self) -> bool {
        matches!(self.phase, Phase::AwaitingReveals { .. } | Phase::Open { .. })
    }

    /// Whether a card of it left the shoe.
    pub fn was_dealt(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| !lanes.drawn().is_empty())
    }

    /// Every debit of the round.
    pub fn staked(&self) -> Chips {
        Chips::sum(self.contributors.iter().map(|c| c.staked)).unwrap_or_default()
    }

    /// Every credit of the round.
    pub fn returned(&self) -> Chips {
        Chips::sum(self.contributors.iter().map(|c| c.returned)).unwrap_or_default()
    }

    /// All that a contributor has put in so far. Chips of a hand of poker leave a seat as it ends: until then what
    /// was posted, bet, and called stands in the pot, and is no debit yet.
    pub fn put_in_so_far(&self, contributor: &Contributor) -> Chips {
        let player = &contributor.placed.player;
        let stakes = self.game.table_stakes().filter(|_| self.is_live());
        let in_pot = stakes.into_iter().flat_map(|stakes| stakes.put_in()).find(|(name, _)| name == player);
        in_pot.map_or(contributor.staked, |(_, amount)| amount)
    }

    /// Each contributor's result if it is settled now.
    pub(crate) fn results(&self) -> Vec<RoundResult> {
        self.contributors
            .iter()
            .map(|c| RoundResult { player: c.placed.player.clone(), staked: c.staked, returned: c.returned })
            .collect()
    }

    /// The same if it is void now: every wager comes back (C22), with what is kept of early winnings. In an abandoned
    /// round pending wagers come back; a premium already lost stays lost (A001.u).
    pub(crate) fn results_of_void(&self, cause: VoidCause, retained: &[RetainedWinnings]) -> Option<Vec<RoundResult>> {
        let pending = self.game.pending_stakes();
        let result = |c: &Contributor| {
            let player = &c.placed.player;
            let staked = self.put_in_so_far(c);
            let retained = retained
                .iter()
                .find(|winnings| winnings.player == *player)
                .map(|winnings| winnings.amount)
                .unwrap_or_default();
            let returned = match cause {
                VoidCause::Abandoned => {
                    let of_player = pending.iter().filter(|(name, _)| name == player).map(|(_, stake)| *stake);
                    Chips::sum(of_player.chain([c.returned]))
                }
                _ => staked.plus(retained),
            };
            Some(RoundResult { player: player.clone(), staked, returned: returned? })
        };
        self.contributors.iter().map(result).collect()
    }

    /// Takes in what it was to each contributor.
    pub(crate) fn take_results(&mut self, results: &[RoundResult]) {
        for (contributor, result) in self.contributors.iter_mut().zip(results) {
            (contributor.staked, contributor.returned) = (result.staked, result.returned);
        }
    }

    /// Its wait now.
    pub fn wait(&self) -> Wait {
        match (self.phase, &self.pile) {
            (Phase::AwaitingReveals { .. }, _) => Wait::Seeds,
            (_, Some(pile)) => Wait::Pile { round_no: pile.round_no, seeds: matches!(pile.stage, PileStage::Seeds(_)) },
            _ => Wait::Turn(self.game.open_decisions().iter().map(|open| open.number).min().unwrap_or_default()),
        }
    }

    /// When the base time of the last open turn is over, UTC milliseconds.
    pub(crate) fn turns_end(&self) -> u64 {
        let bank_ms =
            |open: &Decision| self.offered_bank_from(open.number).map_or(0, |from| open.deadline.saturating_sub(from));
        let end = |open: &Decision| self.deadline_of(open).saturating_sub(bank_ms(open));
        self.game.open_decisions().iter().map(end).max().unwrap_or_default()
    }

    /// When an open decision lapses: not before the deadline it was offered with, nor before one that a restart moved
    /// (C21). A time bank follows the turn that is given again.
    pub fn deadline_of(&self, decision: &Decision) -> u64 {
        let settle_by = if let Phase::Open { settle_by } = self.phase { settle_by.unwrap_or_default() } else { 0 };
        let bank_ms = self.offered_bank_from(decision.number).map_or(0, |from| decision.deadline.saturating_sub(from));
        decision.deadline.max(settle_by).max(self.turn_floor.saturating_add(bank_ms))
    }

    /// From when a decision's time bank runs, UTC milliseconds: not before a turn that a restart gave again is over
    /// (C21).
    pub fn bank_from(&self, decision: u32) -> Option<u64> {
        self.offered_bank_from(decision).map(|from| from.max(self.turn_floor))
    }

    /// From when it runs as the decision was offered.
    fn offered_bank_from(&self, decision: u32) -> Option<u64> {
        self.game.table_stakes()?.bank_from(decision)
    }

    /// When something in the round lapses next, UTC milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        match (self.phase, &self.pile) {
            (Phase::AwaitingReveals { reveal_by }, _) => Some(reveal_by),
            (Phase::Open { .. }, Some(pile)) => Some(pile.stage.deadline()),
            (Phase::Open { settle_by: Some(settle_by) }, None) => Some(settle_by),
            (Phase::Open { settle_by: None }, None) => {
                self.game.open_decisions().iter().map(|open| self.deadline_of(open)).min()
            }
            _ => None,
        }
    }

    /// The round's part of a player who bet in it.
    ///
    /// # Errors
    /// Somebody who did not.
    pub fn contributor(&mut self, player: &PlayerId) -> Result<&mut Contributor, Misfit> {
        self.contributors
            .iter_mut()
            .find(|c| c.placed.player == *player)
            .ok_or_else(|| Misfit::NoBetInRound(player.clone()))
    }
}
