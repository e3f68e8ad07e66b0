//! Deals (spec/games/tournaments.md, 11): all who are left wish for one, the clock stands, one proposal at a time is
//! answered by all.

use super::{EventPending, broken, signed};
use crate::decide::DecideError;
use crate::tournament::{DealMethod, StandCause, TournamentEvent};
use crate::{Account, Actor, Refusal};
use fairshoe_fairness::PlayerId;
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::deal::{DealPlayer, by_chips, by_icm, digest, of_amounts};
use fairshoe_tournament::prize::in_cash;
use std::collections::BTreeMap;

impl EventPending<'_> {
    /// The entry of a player who is left while a deal is possible (11.1).
    fn dealing(&self, by: &Actor) -> Result<EntryNo, DecideError> {
        let player: PlayerId = self.player(by)?;
        let (entry_no, _) = self.own_entry(&player)?;
        let event = self.event;
        let most = event.structure().deal.as_ref().map(|terms| u64::from(terms.most_players));
        let most = most.ok_or(Refusal::NotAllowed("in this event there are no deals"))?;
        if event.pool.is_none() || event.remaining > most || event.is_over() {
            return Err(Refusal::NotAllowed("a deal is for the last few players, when the prizes are final").into());
        }
        Ok(entry_no)
    }

    /// A wish for a deal, or the end of one; with the last one the clock stands.
    pub(super) fn want_deal(&mut self, by: &Actor, want: bool) -> Result<(), DecideError> {
        let entry_no = self.dealing(by)?;
        let event = self.event;
        if event.deal.wanted.contains(&entry_no) == want {
            return Err(Refusal::NothingToDo("that is so already").into());
        }
        if event.clock.stands.is_some() && want {
            return Err(Refusal::NothingToDo("a deal is being talked of already").into());
        }
        self.push(TournamentEvent::DealWanted { entry_no, want });
        if !want && event.clock.stands.is_some() {
            return self.no_deal();
        }
        let all = u64::try_from(event.deal.wanted.len()).unwrap_or(u64::MAX).saturating_add(1) >= event.remaining;
        // Hands in progress are played to their ends: the next ones are called at once, so that there is no other time.
        let is_drawing = event.draws.open.is_some() || event.draws.frozen.is_some();
        if want && all && (is_drawing || event.hand_for_hand.is_some()) {
            return Err(Refusal::HandInProgress.into());
        }
        if want && all {
            self.push(TournamentEvent::ClockStopped { cause: StandCause::Deal });
        }
        Ok(())
    }

    /// The talk is over, and the clock goes on.
    pub(super) fn no_deal(&mut self) -> Result<(), DecideError> {
        self.push(TournamentEvent::DealOff {});
        self.push(TournamentEvent::ClockStarted { cause: StandCause::Deal });
        Ok(())
    }

    /// The undistributed pool's numbers, by one of the methods (11.2 to 11.7).
    pub(super) fn propose_deal(
        &mut self,
        by: &Actor,
        method: DealMethod,
        amounts: Option<&[(EntryNo, u64)]>,
    ) -> Result<(), DecideError> {
        self.dealing(by)?;
        let event = self.event;
        if !matches!(event.clock.stands, Some((_, StandCause::Deal))) {
            return Err(Refusal::NothingToDo("not all who are left wish for a deal").into());
        }
        if !event.field().tables.keys().all(|number| event.is_idle(*number)) {
            return Err(Refusal::HandInProgress.into());
        }
        if event.deal.proposal.is_some() {
            return Err(Refusal::NothingToDo("another proposal stands; answer it first").into());
        }
        let left: BTreeMap<EntryNo, u64> = event.left().map(|(entry_no, entry)| (*entry_no, entry.chips)).collect();
        let players: Vec<DealPlayer> =
            left.iter().map(|(entry_no, chips)| DealPlayer { entry_no: *entry_no, chips: *chips }).collect();
        let table = event.prizes().map_err(broken)?;
        let prizes: Vec<u64> =
            (1..=event.remaining).map(|place| in_cash(&table, place, 0)).collect::<Result<_, _>>().map_err(broken)?;
        let shares = match (method, amounts) {
            (DealMethod::Chips, None) => by_chips(&players, &prizes),
            (DealMethod::Icm, None) => by_icm(&players, &prizes),
            (DealMethod::Amounts, Some(amounts)) if amounts.iter().map(|(entry_no, _)| entry_no).eq(left.keys()) => {
                let amounts: Vec<u64> = amounts.iter().map(|(_, amount)| *amount).collect();
                of_amounts(&players, &prizes, &amounts)
            }
            _ => return Err(Refusal::Malformed("amounts are one for each who is left, ascending by entry").into()),
        };
        let shares = shares.map_err(Refusal::Deal)?;
        let amounts: Vec<(EntryNo, u64)> = shares.iter().map(|share| (share.entry_no, share.paid)).collect();
        let method_name = match method {
            DealMethod::Chips => "chips",
            DealMethod::Icm => "icm",
            DealMethod::Amounts => "amounts",
        };
        let digest = digest(event.name().as_str(), method_name, &amounts);
        let answer_by = self.time.saturating_add(event.structure().clocks.commit_ms.saturating_mul(6));
        self.push(TournamentEvent::DealProposed { method, digest, amounts, answer_by });
        Ok(())
    }

    /// An answer; the last yes pays, a no ends the talk.
    pub(super) fn answer_deal(&mut self, by: &Actor, digest: &str, accept: bool) -> Result<(), DecideError> {
        let event = self.event;
        if *by == Actor::House {
            let ends = event.deal_ends().ok_or(Refusal::NothingToDo("no deal is being talked of"))?;
            if accept || self.time < ends {
                return Err(Refusal::DeadlineAhead(ends).into());
            }
            return self.no_deal();
        }
        let entry_no = self.dealing(by)?;
        let proposal = event.deal.proposal.as_ref().filter(|proposal| proposal.digest == digest);
        let proposal = proposal.ok_or(Refusal::NothingToDo("that proposal does not stand"))?;
        if self.time >= proposal.answer_by {
            return Err(Refusal::DeadlinePassed(proposal.answer_by).into());
        }
        if proposal.accepted.contains(&entry_no) {
            return Err(Refusal::NothingToDo("you accepted it already").into());
        }
        self.push(TournamentEvent::DealAnswered { entry_no, accept });
        if !accept {
            return self.no_deal();
        }
        let all = u64::try_from(proposal.accepted.len()).unwrap_or(u64::MAX).saturating_add(1) >= event.remaining;
        if !all {
            return Ok(());
        }
        let amounts = proposal.amounts.clone();
        let mut lines: Vec<(Account, i64)> = Vec::new();
        for (entry_no, amount) in &amounts {
            let entry = self.entry(*entry_no)?.clone();
            self.note_before(&entry.player);
            lines.extend([(self.pool(), -signed(*amount)), (self.payee(&entry), signed(*amount))]);
        }
        self.push(TournamentEvent::DealMade { amounts });
        self.push(TournamentEvent::ClockStarted { cause: StandCause::Deal });
        self.post(lines)
    }
}
