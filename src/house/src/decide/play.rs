//! A round in progress: seeds, choices, and deadlines that pass (spec/recovery.md, "Deadlines", "Abandoned rounds";
//! C15, C18, C19). Which choice is legal the game's engine says.

use super::DecideError;
use super::pending_entry::PendingEntry;
use super::require;
use crate::{Actor, Contributor, Event, Lapsed, Offence, Phase, Refusal, SitOutCause, TableKind, VoidCause};
use fairshoe_fairness::{ClientSeed, PlayerId, PublicShuffle, SeedCommitment, round_entropy, seed_commitment};
use fairshoe_games::{Abandon, Action, Illegal};

impl PendingEntry<'_> {
    /// A seed; the last one opens the round and deals.
    pub fn reveal(
        &mut self,
        round_no: u64,
        player: &PlayerId,
        seed: &ClientSeed,
        next: Option<&SeedCommitment>,
    ) -> Result<(), DecideError> {
        if next.is_some() && self.table.cash().is_none() {
            return Err(Refusal::NotCash(self.table.id.clone()).into());
        }
        if self.table.live_round().is_some_and(|round| round.pile.is_some()) {
            return self.reveal_for_pile(round_no, player, seed);
        }
        let round = self.live_round(round_no)?;
        let Phase::AwaitingReveals { reveal_by } = round.phase else { return Err(Refusal::RevealsOver.into()) };
        let contributor = round.contributors.iter().find(|c| c.placed.player == *player);
        let contributor = contributor.ok_or_else(|| Refusal::NotAContributor(player.clone()))?;
        if contributor.seed.is_some() {
            return Err(Refusal::AlreadyRevealed(player.clone()).into());
        }
        let shoe = self.table.shoe.clone().ok_or_else(|| DecideError::Broken("the round has no shoe".into()))?;
        if seed_commitment(&shoe.id.context, round_no, player, seed) != contributor.placed.commitment {
            return Err(Refusal::SeedDoesNotOpen.into());
        }
        if self.time >= reveal_by {
            return Err(Refusal::DeadlinePassed(reveal_by).into());
        }

        self.note_balances();
        self.push(Event::SeedRevealed { player: player.clone(), seed: seed.clone() })?;
        // A player who does not play the next hand needs no seed for it.
        if let Some(commitment) = next.filter(|_| self.table.cash_seat(player).is_some_and(|(_, seat)| seat.is_ready()))
        {
            self.push(Event::NextCommitted { player: player.clone(), commitment: *commitment })?;
        }
        let round = self.table.live_round().ok_or_else(|| DecideError::Broken("the round is gone".into()))?;
        let seeds: Vec<_> =
            round.contributors.iter().filter_map(|c| Some((c.placed.player.clone(), c.seed.clone()?))).collect();
        if seeds.len() < round.contributors.len() {
            return Ok(());
        }
        let roots: Vec<_> = shoe.candidates.iter().map(|candidate| candidate.root).collect();
        let entropy = round_entropy(&shoe.id.context, shoe.id.shoe_no, &roots, round_no, &seeds)
            .map_err(|e| DecideError::Broken(e.to_string()))?;
        let candidates = self.table.rules.candidates();
        let pick = PublicShuffle::new(&entropy, candidates, &[]).pick;
        let others =
            (0..candidates).filter(|k| *k != pick).map(|k| self.dealer.seed(&shoe.id, k)).collect::<Result<_, _>>()?;
        // C17: the round's own deadline is a solo table's; a shared one has the turn clock (C16).
        let settle_by = (!self.table.is_shared()).then(|| self.time.saturating_add(self.table.round_time_ms()));
        self.push(Event::RoundOpened { entropy, pick, others, settle_by })?;
        self.play_on()
    }

    /// A player's choice.
    pub fn act(&mut self, player: &PlayerId, round_no: u64, decision: u32, action: &Action) -> Result<(), DecideError> {
        let round = self.live_round(round_no)?;
        if !matches!(round.phase, Phase::Open { .. }) {
            return Err(Refusal::AwaitingReveals(round.contributors.iter().filter(|c| c.seed.is_none()).count()).into());
        }
        let event = round.game.accept(player, decision, action, self.funds(player)).map_err(Refusal::from)?;
        let bank_from = round.bank_from(decision);
        let open = round.game.open_decisions().into_iter().find(|open| open.number == decision);
        let deadline = open.map(|open| round.deadline_of(&open)).unwrap_or_default();
        // C16: before the deadline, not at it.
        if self.time >= deadline {
            return Err(Refusal::DeadlinePassed(deadline).into());
        }
        self.note_balances();
        self.use_bank(player, bank_from)?;
        self.play(event)?;
        self.play_on()
    }

    /// A deadline passed: a round without its seeds is void (C15), an open one is finished by default play or refunded
    /// (C18, C19), a turn is played by default at once (C19).
    pub fn lapse(&mut self, by: &Actor, round_no: u64, lapsed: Lapsed) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house declares deadlines passed")?;
        let round = self.live_round(round_no)?;
        let deadline = match (lapsed, round.phase, &round.pile) {
            (Lapsed::Reveal, Phase::AwaitingReveals { reveal_by }, _) => reveal_by,
            (Lapsed::Round, Phase::Open { settle_by: Some(settle_by) }, None) => settle_by,
            (Lapsed::Turn, Phase::Open { settle_by: None }, None) => round.next_deadline().unwrap_or(u64::MAX),
            (Lapsed::Pile, Phase::Open { .. }, Some(pile)) => pile.stage.deadline(),
            _ => return Err(Refusal::NothingToDo("the round does not wait for that").into()),
        };
        if self.time < deadline {
            return Err(Refusal::DeadlineAhead(deadline).into());
        }
        self.note_balances();
        match lapsed {
            Lapsed::Reveal => self.void_for_missing_seeds(round_no),
            Lapsed::Round => self.abandon(),
            Lapsed::Turn => self.play_lapsed_turns(),
            Lapsed::Pile => self.fail_pile(),
        }
    }

    /// C15: bets back, the missing named; at a shared table they lose the seat and climb the cooldown ladder.
    fn void_for_missing_seeds(&mut self, round_no: u64) -> Result<(), DecideError> {
        let round = self.live_round(round_no)?;
        let offence = |c: &Contributor| if c.went_away { Offence::WentAway } else { Offence::RevealMissing };
        let (missing, offences): (Vec<PlayerId>, Vec<Offence>) = round
            .contributors
            .iter()
            .filter(|c| c.seed.is_none())
            .map(|c| (c.placed.player.clone(), offence(c)))
            .unzip();
        self.void(VoidCause::RevealMissing, missing.clone(), None)?;
        if self.table.is_shared() {
            for (player, offence) in missing.iter().zip(offences) {
                self.cool_down(std::slice::from_ref(player), offence)?;
            }
            match self.table.kind() {
                // Their chips stay before their seats.
                TableKind::Cash => self.sit_out_missing(&missing, SitOutCause::RevealMissing)?,
                TableKind::Betting => self.unseat(&missing)?,
            }
        }
        Ok(())
    }

    /// C19: the pending wagers come back where the rule set says so and the cap allows it (A001.oo), else default play
    /// ends the round.
    fn abandon(&mut self) -> Result<(), DecideError> {
        let rules = &self.table.rules.table;
        let round = self.table.live_round().ok_or_else(|| DecideError::Broken("no round is open".into()))?;
        let refunds = |c: &Contributor| self.state.conduct.refunds(&c.placed.player, self.time);
        let refunds = round.contributors.iter().map(refunds).max().unwrap_or_default();
        if rules.abandon == Abandon::Refund && (!round.exposed || rules.abandon_refunds.allows_more_than(refunds)) {
            let counted = round.exposed.then_some(refunds.saturating_add(1));
            return self.void(VoidCause::Abandoned, Vec::new(), counted);
        }
        while let Some(round) = self.table.live_round() {
            let open = round.game.open_decisions().into_iter().next();
            let open = open.ok_or_else(|| DecideError::Broken("the round waits for nobody".into()))?;
            self.play_default(open.number)?;
        }
        Ok(())
    }

    /// Every decision whose time is over is taken by default play; those that this leads to have their own time.
    fn play_lapsed_turns(&mut self) -> Result<(), DecideError> {
        while let Some(round) = self.table.live_round() {
            let lapsed = round.game.open_decisions().into_iter().find(|open| round.deadline_of(open) <= self.time);
            let Some(lapsed) = lapsed else { break };
            let bank_from = round.bank_from(lapsed.number);
            self.use_bank(&lapsed.player, bank_from)?;
            self.sit_out_missing(std::slice::from_ref(&lapsed.player), SitOutCause::TimedOut)?;
            self.play_default(lapsed.number)?;
        }
        Ok(())
    }

    pub(super) fn play_default(&mut self, decision: u32) -> Result<(), DecideError> {
        let round = self.table.live_round().ok_or_else(|| DecideError::Broken("no round is open".into()))?;
        let event = round.game.default_play(decision).map_err(|e: Illegal| DecideError::Broken(e.to_string()))?;
        self.play(event)?;
        self.play_on()
    }
}
