//! The call of a hand, its course and its end, from the table's entries.

use super::{Call, CashTableCheck, CheckedSeat};
use crate::check::answers::answers;
use crate::check::flaw::same;
use crate::check::hand::{Clocks, HandCheck};
use crate::check::round::lapsed;
use crate::check::table::misplaced;
use crate::check::{Flaw, OnLog, Progress};
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{PlayerId, SeedCommitment, seed_commitment};
use fairshoe_games::Chips;
use fairshoe_games::poker::{Candidate, HandSeat, HandStart, Owes, missed, next_hand};
use fairshoe_house::{
    Account, Actor, Command, Entry, Event, LapseCause, Lapsed, PlayerCommitment, RoundResult, VoidCause, waits_ms,
};

impl CashTableCheck {
    /// The call may close once all ready players have committed, or the time is up.
    pub(super) fn closed_in_time(&mut self, entry: &Entry, call: &Call) -> Result<(), Flaw> {
        let waits = |seat: &&CheckedSeat| seat.is_ready() && !call.committed.contains_key(&seat.player);
        self.absent = self.seats.values().filter(waits).map(|seat| seat.player.clone()).collect();
        match entry.by == Actor::House && self.absent.is_empty() && call.committed.len() >= 2 {
            true => Ok(()),
            false => lapsed("the end of a call", entry.time, call.closes_at),
        }
    }

    pub(super) fn call_lapsed(
        &mut self,
        entry: &Entry,
        event: &Event,
        round_no: u64,
        cause: LapseCause,
    ) -> Result<(), Flaw> {
        let call = self.call.take().ok_or_else(|| misplaced(event))?;
        same("the hand whose call lapses", &call.round_no, &round_no)?;
        let expected = match &entry.command {
            Command::CloseCall { .. } => LapseCause::TooFewPlayers,
            Command::Recover { .. } => LapseCause::Restart,
            Command::CloseTable { .. } => LapseCause::Closed,
            _ => return Err(misplaced(event)),
        };
        same("why the call lapses", &expected, &cause)?;
        if matches!(entry.command, Command::CloseCall { .. }) { self.closed_in_time(entry, &call) } else { Ok(()) }
    }

    /// The players dealt in and their posts, computed again (spec/games/poker-table.md, "Button, blinds and posts").
    pub(super) fn hand_begins(
        &mut self,
        on_log: &OnLog,
        event: &Event,
        (round_no, shoe_no): (u64, u64),
        contributors: &[PlayerCommitment],
        reveal_by: u64,
        hand: &HandStart,
    ) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        let call = self.call.take().ok_or_else(|| misplaced(event))?;
        same("the hand that begins", &call.round_no, &round_no)?;
        same(
            "the reveal deadline",
            &entry.time.saturating_add(waits_ms(&self.table, self.rules.table.reveal_time_ms)),
            &reveal_by,
        )?;
        self.closed_in_time(entry, &call)?;
        let committed = |seat: &&CheckedSeat| seat.is_ready() && call.committed.contains_key(&seat.player);
        let candidate = |(number, seat): (&u8, &CheckedSeat)| Candidate {
            seat: *number,
            stack: seat.stack,
            owes: seat.owes,
            entry: seat.entry,
            straddle: seat.straddle,
        };
        let candidates: Vec<Candidate> = self.seats.iter().filter(|(_, seat)| committed(seat)).map(candidate).collect();
        let next =
            next_hand(&self.poker.blinds, self.positions.as_ref(), &candidates).ok_or_else(|| misplaced(event))?;
        let clocks = self.poker.clocks;
        let dealt = |due: fairshoe_games::poker::Due| {
            let seat = self.seats.get(&due.seat)?;
            let bank_ms = seat.bank_ms.saturating_add(clocks.bank_refill_ms).min(clocks.bank_ms);
            Some(HandSeat { due, player: seat.player.clone(), stack: seat.stack, bank_ms })
        };
        let seats: Option<Vec<HandSeat>> = next.seats.into_iter().map(dealt).collect();
        let expected = HandStart { positions: next.positions, seats: seats.ok_or(Flaw::Overflow)? };
        same("who is dealt in, and what each posts", &expected, hand)?;
        let is_dealt = |player: &PlayerId| hand.seats.iter().any(|seat| seat.player == *player);
        let seed = |(player, commitment): (&PlayerId, &SeedCommitment)| PlayerCommitment {
            player: player.clone(),
            commitment: *commitment,
        };
        let seeds: Vec<PlayerCommitment> =
            call.committed.iter().filter(|(player, _)| is_dealt(player)).map(seed).collect();
        same("the contributors", &seeds.as_slice(), &contributors)?;
        self.hand =
            Some(HandCheck::new(&self.poker, (round_no, shoe_no), on_log.index, reveal_by, contributors, hand)?);
        let before = self.positions.replace(hand.positions);
        let debts = self.seats.iter().map(|(number, seat)| (*number, (seat.owes, seat.bank_ms)));
        self.before_hand = Some((before, debts.collect()));
        for (number, seat) in &mut self.seats {
            if let Some(dealt) = hand.seats.iter().find(|dealt| dealt.due.seat == *number) {
                (seat.owes, seat.bank_ms) = (Owes::default(), dealt.bank_ms);
            } else if !seat.owes.entry {
                let (owes, passed) = (seat.owes, missed(before.as_ref(), &hand.positions, *number));
                seat.owes = Owes {
                    entry: false,
                    small: owes.small || passed.small,
                    big: owes.big || passed.big,
                    third: owes.third || passed.third,
                };
            }
        }
        self.next_round = round_no + 1;
        Ok(())
    }

    pub(super) fn hand_event(&mut self, entry: &Entry, event: &Event, openings: &[ShownOpening]) -> Result<(), Flaw> {
        match event {
            // A late seed of a void hand: it deals no card any more.
            Event::SeedLate { .. } if answers(entry, event) => return Ok(()),
            Event::ShoeDisclosed { shoe_no, auditor: None, .. } => {
                let by_house = [VoidCause::Crash, VoidCause::Malfunction, VoidCause::ShoeExhausted];
                let ended = self.hand.as_ref().filter(|hand| hand.shoe_no == *shoe_no && !self.in_use);
                let ended = ended
                    .is_some_and(|hand| matches!(hand.progress, Progress::Voided(cause) if by_house.contains(&cause)));
                return same("whether the house ended the hand that is disclosed", &true, &ended);
            }
            _ => {}
        }
        let leaving = self.seats.values().filter(|seat| seat.leaving).map(|seat| seat.player.clone()).collect();
        let clocks = Clocks { poker: &self.poker, turn_time_ms: self.rules.table.turn_time_ms, leaving };
        let shoe = self.shoe.as_mut().filter(|_| self.in_use).ok_or_else(|| misplaced(event))?;
        if let Event::ShoeRevealed { shoe_no, seeds, cause: None } = event {
            // No player holds a card of it: its hand was void before the first card, or never took place.
            let dealt =
                self.hand.as_ref().is_some_and(|hand| hand.shoe_no == *shoe_no && (hand.is_live() || hand.was_dealt()));
            same(
                "whether a deck is revealed that somebody holds cards of",
                &(false, shoe.shoe_no),
                &(dealt, *shoe_no),
            )?;
            self.in_use = false;
            return shoe.revealed(seeds);
        }
        let hand = self.hand.as_mut().ok_or_else(|| misplaced(event))?;
        match event {
            Event::SeedRevealed { player, seed } if answers(entry, event) => {
                let (context, round_no) = (&shoe.context, hand.round_no);
                let opens =
                    |commitment: &SeedCommitment| *commitment == seed_commitment(context, round_no, player, seed);
                hand.revealed(opens, player, seed, entry.time)
            }
            Event::RoundOpened { entropy, pick, others, settle_by: None } => hand.open(shoe, entropy, *pick, others),
            Event::BankUsed { player, used_ms, left_ms, .. } => hand.bank_used(player, *used_ms, *left_ms, entry.time),
            Event::Play(play) => {
                hand.play(&clocks, shoe, entry, play, openings)?;
                let (Some(results), rake) = (hand.result.clone(), hand.rake) else { return Ok(()) };
                for one in &results {
                    self.owe(self.account(one.seat), one.got.signed() - one.put_in.signed())?;
                    let seat = self.seat_mut(&one.player, one.seat)?;
                    let after = seat.stack.plus(one.got).and_then(|sum| sum.minus(one.put_in));
                    same("the stack after the hand", &after, &Some(one.stack))?;
                    seat.stack = one.stack;
                }
                self.owe(Account::Rake, rake.signed())
            }
            Event::RoundSettled { round_no, staked, returned, players } => {
                same("the sums of the hand", &Some((*staked, *returned)), &hand.sums())?;
                same("the hand that is over", &hand.round_no, round_no)?;
                let results = hand.result.iter().flatten().map(|one| (one.player.clone(), one.put_in, one.got));
                same("what the hand was to its players", &by_player(results), players)?;
                hand.progress = Progress::Settled;
                self.take_banks();
                Ok(())
            }
            Event::RoundVoided { round_no, cause, missing, players, standing, .. }
                if hand.is_live() && hand.result.is_none() =>
            {
                same("the void hand", &hand.round_no, round_no)?;
                let withheld = if *cause == VoidCause::RevealMissing { hand.missing() } else { Vec::new() };
                same("whose seeds are missing", &withheld, missing)?;
                match (&entry.command, cause) {
                    (Command::Lapse { lapsed: Lapsed::Reveal, .. }, VoidCause::RevealMissing) => {
                        lapsed("the reveal deadline", entry.time, hand.reveal_by)?;
                        self.cooldowns = hand.offences();
                    }
                    (Command::Recover { .. }, VoidCause::Crash) => {}
                    _ => return Err(misplaced(event)),
                }
                if hand.was_dealt() {
                    same(
                        "what everybody had in the pot",
                        &hand.game.table_stakes().map(|stakes| stakes.standing()),
                        standing,
                    )?;
                }
                let put_in = hand.game.table_stakes().map(|stakes| stakes.put_in()).unwrap_or_default();
                let back = put_in.into_iter().map(|(player, put_in)| (player, put_in, put_in));
                same("what the void is to its players", &by_player(back), players)?;
                hand.progress = Progress::Voided(*cause);
                self.undo_hand();
                Ok(())
            }
            Event::ShoeSealed { shoe_no, openings } if !hand.is_live() && hand.was_dealt() => {
                same("the sealed shoe", &shoe.shoe_no, shoe_no)?;
                self.in_use = false;
                hand.sealed(shoe, openings)
            }
            _ => Err(misplaced(event)),
        }
    }

    pub(super) fn undo_hand(&mut self) {
        let Some((positions, debts)) = self.before_hand.take() else { return };
        self.positions = positions;
        for (number, (owes, bank_ms)) in debts {
            if let Some(seat) = self.seats.get_mut(&number) {
                (seat.owes, seat.bank_ms) = (owes, bank_ms);
            }
        }
    }

    pub(super) fn take_banks(&mut self) {
        for seat in self.seats.values_mut() {
            if let Some(left) = self.hand.as_ref().and_then(|hand| hand.bank_of(&seat.player)) {
                seat.bank_ms = left;
            }
        }
    }
}

/// Each player's stakes and returns, in the form of a round's end.
fn by_player(of: impl Iterator<Item = (PlayerId, Chips, Chips)>) -> Vec<RoundResult> {
    let mut results: Vec<_> = of.map(|(player, staked, returned)| RoundResult { player, staked, returned }).collect();
    results.sort_by(|a, b| a.player.cmp(&b.player));
    results
}
