//! After a hand that left somebody without chips: rebuys, eliminations, bounties (spec/games/tournaments.md, 4.4, 7,
//! 10).

use super::{EventPending, broken};
use crate::decide::DecideError;
use crate::tournament::{EventEntry, Fall, Note, TournamentCommand as C, TournamentEvent};
use crate::{Actor, Refusal};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::bounty::{Bounties, Bounty};
use fairshoe_tournament::clock::within_levels;
use fairshoe_tournament::rank::{Elimination, ranks};
use std::cmp::Reverse;

impl EventPending<'_> {
    /// Those whom a table's last hand left without chips may rebuy, or are out.
    pub(super) fn settle_hand(&mut self, by: &Actor, table: u16) -> Result<(), DecideError> {
        self.require_duty(by, &C::SettleHand { event: self.event.name().clone(), table })?;
        let entries = self.event.to_settle.get(&table).cloned().unwrap_or_default();
        let (mut out, mut may_rebuy) = (Vec::new(), Vec::new());
        for entry_no in entries {
            let entry = self.entry(entry_no)?;
            if entry.rebuy_until.is_some() {
                continue;
            }
            let is_barred = matches!(self.event.noted.get(&entry_no), Some(Note::Disqualification(_)));
            match self.may_rebuy(entry) && !is_barred {
                true => may_rebuy.push(entry_no),
                false => out.push(entry_no),
            }
        }
        for entry_no in may_rebuy {
            let until = self.rebuy_until();
            self.push(TournamentEvent::RebuyAwaited { entry_no, until });
        }
        self.eliminate(out)
    }

    /// Whether an entry without chips may buy more (4.4).
    pub(super) fn may_rebuy(&self, entry: &EventEntry) -> bool {
        let Some(terms) = &self.event.structure().rebuy else { return false };
        let running = self.event.running(self.time).unwrap_or_default();
        let covers = self.funds(&entry.player) >= terms.price.saturating_add(terms.fee);
        within_levels(self.event.structure(), terms.levels, running) && entry.rebuys < terms.most && covers
    }

    fn rebuy_until(&self) -> u64 {
        let terms = self.event.structure().rebuy.as_ref();
        self.time.saturating_add(terms.map_or(0, |terms| terms.time_ms))
    }

    /// The elimination that an entry's last hand was.
    fn elimination(entry_no: EntryNo, fall: &Fall) -> Elimination {
        Elimination { entry_no, hand: fall.hand, table: fall.table, stack: fall.stack, distance: fall.distance }
    }

    /// These are out, from the lowest place upwards, and their heads fall.
    pub(super) fn eliminate(&mut self, out: Vec<EntryNo>) -> Result<(), DecideError> {
        let event = self.event;
        let mut falls = Vec::with_capacity(out.len());
        for entry_no in out {
            let fall = self.entry(entry_no)?.falls.clone();
            let fall = fall.ok_or_else(|| DecideError::Broken(format!("entry {entry_no} has lost no hand")))?;
            falls.push((entry_no, fall));
        }
        // From the lowest place upwards: by ranks.rs, the other way round.
        falls.sort_by_key(|(entry_no, fall)| (fall.hand, fall.stack, Reverse(fall.distance), Reverse(*entry_no)));
        let of_hand = falls.first().map(|(_, fall)| fall.hand);
        let batch: Vec<Elimination> = event
            .unranked
            .iter()
            .copied()
            .chain(falls.iter().map(|(entry_no, fall)| Self::elimination(*entry_no, fall)))
            .chain(self.falling_with(of_hand, &falls))
            .filter(|one| Some(one.hand) == of_hand)
            .collect();
        let after = event
            .remaining
            .saturating_sub(u64::try_from(batch.len()).unwrap_or(u64::MAX).saturating_sub(self.out_already(of_hand)));
        let ranked = ranks(after, &batch);
        let places = event.places().map_err(broken)?;
        let mut bounties = self.bounties_at_stake(&falls);
        for (entry_no, fall) in falls {
            let elimination = Self::elimination(entry_no, &fall);
            let first = ranked.iter().find(|rank| rank.entry_no == entry_no).map_or(u64::MAX, |rank| rank.first);
            let has_bounty = bounties.of.get(&entry_no).is_some_and(|bounty| *bounty != Bounty::default());
            if has_bounty && !fall.winners.is_empty() {
                let winners = bounties
                    .eliminate(entry_no, &fall.winners, first <= places)
                    .map_err(|error| DecideError::Broken(error.to_string()))?;
                self.push(TournamentEvent::BountyWon { entry_no, winners });
            }
            let Elimination { hand, table, stack, distance, .. } = elimination;
            self.push(TournamentEvent::PlayerEliminated { entry_no, hand, table, stack, distance });
        }
        Ok(())
    }

    /// Others who fell in the same hand, or round of hand-for-hand, and were not dealt with.
    fn falling_with(&self, hand: Option<u64>, falls: &[(EntryNo, Fall)]) -> Vec<Elimination> {
        let others = self.event.to_settle.values().flatten().filter(|other| falls.iter().all(|(of, _)| of != *other));
        let fell = others.filter_map(|other| {
            let entry = self.event.entries.get(other).filter(|entry| entry.rebuy_until.is_none())?;
            Some(Self::elimination(*other, entry.falls.as_ref()?))
        });
        fell.filter(|one| Some(one.hand) == hand).collect()
    }

    fn out_already(&self, hand: Option<u64>) -> u64 {
        let out = self.event.unranked.iter().filter(|one| Some(one.hand) == hand).count();
        u64::try_from(out).unwrap_or(u64::MAX)
    }

    /// The heads and totals of those who fall and of those who win them.
    fn bounties_at_stake(&self, falls: &[(EntryNo, Fall)]) -> Bounties {
        let mut bounties = Bounties::new(self.event.structure().bounty_onto_head);
        let concerned = falls.iter().flat_map(|(entry_no, fall)| fall.winners.iter().chain([entry_no]));
        for entry_no in concerned {
            if let Some(entry) = self.event.entries.get(entry_no) {
                bounties.of.insert(*entry_no, entry.bounty);
            }
        }
        bounties
    }

    /// No rebuy: they are eliminated as of the hand that left them without chips.
    pub(super) fn decline_rebuy(&mut self, by: &Actor, entry_no: EntryNo) -> Result<(), DecideError> {
        let entry = self.event.entries.get(&entry_no).filter(|entry| entry.rebuy_until.is_some());
        let entry = entry.ok_or(Refusal::NothingToDo("no rebuy of that entry is awaited"))?;
        let until = entry.rebuy_until.unwrap_or_default();
        match by {
            Actor::House if self.time < until => return Err(Refusal::DeadlineAhead(until).into()),
            Actor::House => {}
            _ if self.player(by)? == entry.player => {}
            _ => return Err(Refusal::NotAllowed("players decline their own rebuy").into()),
        }
        self.eliminate(vec![entry_no])
    }
}
