//! A new pile in the middle of a game: commitments, seeds, the shuffle, and what follows where some are missing
//! (A002.m; spec/fairness.md, "Public shuffle").

use super::DecideError;
use super::pending_entry::PendingEntry;
use crate::pile::PileStage;
use crate::{Event, Phase, PlayerCommitment, Refusal, RetireCause, ShoeId};
use fairshoe_fairness::{ClientSeed, PlayerId, PublicShuffle, SeedCommitment, round_entropy, seed_commitment};
use fairshoe_games::RoundEvent;

/// A new pile in the middle of a game: a shoe of its own, fresh seeds of those still in (A002.m; spec/fairness.md).
impl PendingEntry<'_> {
    /// The pile is committed and commitments are asked for.
    pub fn open_pile(&mut self) -> Result<(), DecideError> {
        let pile = self.table.live_round().and_then(|round| round.game.needs_pile());
        let pile = pile.ok_or_else(|| DecideError::Broken("no pile is needed".into()))?;
        let context = self.state.context(&self.table.id).map_err(|e| DecideError::Broken(e.to_string()))?;
        let shoe_no = self.table.next_shoe;
        self.put_in_use(ShoeId { context, shoe_no, composition: pile.composition })?;
        let commit_by = self.time.saturating_add(self.table.reveal_time_ms());
        self.push(Event::PileOpened { round_no: self.table.next_round, shoe_no, players: pile.players, commit_by })
    }

    fn pile(&self, round_no: u64) -> Result<&crate::PileShuffle, Refusal> {
        let pile = self.table.live_round().and_then(|round| round.pile.as_ref());
        let pile = pile.ok_or(Refusal::NothingToDo("no pile is being shuffled"))?;
        if pile.round_no == round_no {
            Ok(pile)
        } else {
            Err(Refusal::WrongRound { given: round_no, current: pile.round_no })
        }
    }

    /// The hash of a fresh seed for the pile; the last one fixes them all.
    pub fn commit_seed(
        &mut self,
        player: &PlayerId,
        round_no: u64,
        commitment: &SeedCommitment,
    ) -> Result<(), DecideError> {
        let pile = self.pile(round_no)?;
        let PileStage::Commitments(commit_by) = pile.stage else {
            return Err(Refusal::NothingToDo("the commitments are all in").into());
        };
        let part = pile.of(player).ok_or_else(|| Refusal::NotAContributor(player.clone()))?;
        if part.commitment.is_some() {
            return Err(Refusal::NothingToDo("your commitment is in").into());
        }
        if self.time >= commit_by {
            return Err(Refusal::DeadlinePassed(commit_by).into());
        }
        self.push(Event::SeedCommitted { player: player.clone(), commitment: *commitment })?;
        let pile = self.pile(round_no)?;
        if !pile.missing().is_empty() {
            return Ok(());
        }
        let shoe_no = pile.shoe_no;
        let committed =
            |c: &crate::PileContributor| Some(PlayerCommitment { player: c.player.clone(), commitment: c.commitment? });
        let contributors = pile.contributors.iter().filter_map(committed).collect();
        let reveal_by = self.time.saturating_add(self.table.reveal_time_ms());
        self.push(Event::PileClosed { round_no, shoe_no, contributors, reveal_by })
    }

    /// A seed for the pile; the last one shuffles it, and the game goes on.
    pub fn reveal_for_pile(&mut self, round_no: u64, player: &PlayerId, seed: &ClientSeed) -> Result<(), DecideError> {
        let pile = self.pile(round_no)?;
        let PileStage::Seeds(reveal_by) = pile.stage else {
            return Err(Refusal::NothingToDo("commitments are awaited first").into());
        };
        let part = pile.of(player).ok_or_else(|| Refusal::NotAContributor(player.clone()))?;
        if part.seed.is_some() {
            return Err(Refusal::AlreadyRevealed(player.clone()).into());
        }
        let shoe = self.table.shoe.clone().ok_or_else(|| DecideError::Broken("the pile has no shoe".into()))?;
        if Some(seed_commitment(&shoe.id.context, round_no, player, seed)) != part.commitment {
            return Err(Refusal::SeedDoesNotOpen.into());
        }
        if self.time >= reveal_by {
            return Err(Refusal::DeadlinePassed(reveal_by).into());
        }
        self.note_balances();
        self.push(Event::SeedRevealed { player: player.clone(), seed: seed.clone() })?;
        let pile = self.pile(round_no)?;
        if !pile.missing().is_empty() {
            return Ok(());
        }
        let seeds: Vec<_> =
            pile.contributors.iter().filter_map(|c| Some((c.player.clone(), c.seed.clone()?))).collect();
        let roots: Vec<_> = shoe.candidates.iter().map(|candidate| candidate.root).collect();
        let entropy = round_entropy(&shoe.id.context, shoe.id.shoe_no, &roots, round_no, &seeds);
        let entropy = entropy.map_err(|e| DecideError::Broken(e.to_string()))?;
        let pick = PublicShuffle::new(&entropy, self.table.rules.candidates(), &[]).pick;
        let number = self.table.live_round().and_then(|round| round.game.needs_pile()).map(|pile| pile.pile);
        let number = number.ok_or_else(|| DecideError::Broken("no pile is needed".into()))?;
        self.push(Event::PileShuffled { round_no, entropy, pick })?;
        self.play(RoundEvent::Shuffled { pile: number })?;
        self.play_on()
    }

    /// Commitments or seeds are missing: those players are out by the game's rule, the pile was not used and is
    /// revealed; the game asks for the next one, or is over.
    pub fn fail_pile(&mut self) -> Result<(), DecideError> {
        let round = self.table.live_round().ok_or_else(|| DecideError::Broken("no round is open".into()))?;
        let (Phase::Open { .. }, Some(pile)) = (round.phase, &round.pile) else {
            return Err(Refusal::NothingToDo("no pile is being shuffled").into());
        };
        let (deadline, round_no, missing) = (pile.stage.deadline(), pile.round_no, pile.missing());
        if self.time < deadline {
            return Err(Refusal::DeadlineAhead(deadline).into());
        }
        self.push(Event::PileFailed { round_no, missing })?;
        self.retire_unused_pile()?;
        self.play_on()
    }

    /// The next of those missing who is still in: they are put out as soon as the game waits for a pile again, whatever
    /// their fellows' absence led to in between. The last one left is the winner, absent or not (A002.h): a game has
    /// just one.
    pub fn next_absent(&self) -> Option<PlayerId> {
        let round = self.table.live_round()?;
        let players = round.game.needs_pile()?.players;
        round.absent.iter().find(|player| players.contains(player)).cloned()
    }

    fn retire_unused_pile(&mut self) -> Result<(), DecideError> {
        let shoe = self.table.shoe.clone().ok_or_else(|| DecideError::Broken("the pile has no shoe".into()))?;
        let seeds =
            (0..self.table.rules.candidates()).map(|k| self.dealer.seed(&shoe.id, k)).collect::<Result<_, _>>()?;
        self.push(Event::ShoeRevealed { shoe_no: shoe.id.shoe_no, seeds, cause: Some(RetireCause::PileUnused) })
    }
}
