//! A cash table's events, folded in.

use crate::cash::{Call, CashSeat, CashTable};
use crate::round::{OpenRound, Phase};
use crate::table::Seat;
use crate::tournament::{SetSeat, at_blinds};
use crate::{Event, EventPlace, Misfit, PlacedBet, PlayerCommitment, SitOutCause, Table};
use fairshoe_fairness::PlayerId;
use fairshoe_games::poker::{HandStart, Owes, PokerRules};
use fairshoe_games::{Chips, Round};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

impl Table {
    /// A hand whose players are those who committed a seed for it.
    fn begin_hand(
        &self,
        rules: &PokerRules,
        hand: &HandStart,
        contributors: &[PlayerCommitment],
    ) -> Result<Box<dyn Round>, Misfit> {
        let committed = |player: &PlayerId| contributors.iter().any(|one| one.player == *player);
        let all = hand.seats.iter().all(|seat| committed(&seat.player));
        // At a tournament's table everybody is dealt in, present or not (R001.11).
        let dealt_in = |one: &PlayerCommitment| hand.seats.iter().any(|seat| seat.player == one.player);
        let fits = match self.event {
            Some(_) => !contributors.is_empty() && contributors.iter().all(dealt_in),
            None => hand.seats.len() == contributors.len() && all,
        };
        if !fits {
            return Err("those who are dealt in are not those who committed a seed".into());
        }
        if !hand.seats.iter().all(|seat| (1..=self.rules.table.seats).contains(&seat.due.seat)) {
            return Err("somebody is dealt in at a seat that the table does not have".into());
        }
        rules.open_hand(hand.clone()).map_err(Misfit::Text)
    }

    /// Folds a cash table's own events in.
    pub(crate) fn apply_cash(&mut self, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::HandCalled { round_no, shoe_no, closes_at } => {
                self.apply_hand_called(*round_no, *shoe_no, *closes_at)
            }
            Event::HandSeedCommitted { player, commitment } => {
                self.open_call()?.seeds.insert(player.clone(), *commitment);
                Ok(())
            }
            Event::HandSeedWithdrawn { player } => {
                let taken = self.open_call()?.seeds.remove(player);
                taken.map(drop).ok_or_else(|| Misfit::NoHandSeed(player.clone()))
            }
            Event::CallLapsed { round_no, .. } => self.end_call(*round_no).map(drop),
            Event::HandBegun { round_no, shoe_no, contributors, reveal_by, hand, .. } => {
                self.apply_hand_begun((*round_no, *shoe_no), contributors, *reveal_by, hand)
            }
            Event::NextCommitted { player, commitment } => {
                self.cash_mut()?.carried.insert(player.clone(), *commitment);
                Ok(())
            }
            Event::SetSeats { level, blinds, button, doubled, late_extra_ms, seats } => {
                let (doubled, late_extra_ms) = (*doubled, *late_extra_ms);
                let place = EventPlace { level: *level, blinds: *blinds, button: *button, doubled, late_extra_ms };
                self.apply_set_seats(place, seats)
            }
            Event::PostsTaken { positions, seats } => {
                let cash = self.cash_mut()?;
                cash.positions = Some(*positions);
                cash.end_hand(seats);
                cash.seats.values_mut().for_each(|seat| seat.owes = Owes::default());
                Ok(())
            }
            event => {
                if let Event::SatOut { player, cause: SitOutCause::Asked, .. } | Event::LeaveAsked { player, .. } =
                    event
                {
                    self.note_went_away(player);
                }
                self.apply_to_cash_seat(event)
            }
        }
    }

    /// A player sits out or leaves while seeds are awaited: before the first one is out they know nothing of the hand.
    fn note_went_away(&mut self, player: &PlayerId) {
        let Some(round) = self.round.as_mut().filter(|round| matches!(round.phase, Phase::AwaitingReveals { .. }))
        else {
            return;
        };
        if round.contributors.iter().all(|one| one.seed.is_none())
            && let Some(one) = round.contributors.iter_mut().find(|one| one.placed.player == *player)
        {
            one.went_away = true;
        }
    }

    /// The seats of a tournament's table from the next hand on. A player who stays keeps everything but their chips.
    fn apply_set_seats(&mut self, place: EventPlace, seats: &[SetSeat]) -> Result<(), Misfit> {
        if self.event.is_none() || !self.is_between_rounds() {
            return Err("seats are set at a tournament's table, between hands".into());
        }
        let here = 1..=self.rules.table.seats;
        if !seats.iter().all(|one| here.contains(&one.seat)) || !seats.is_sorted_by(|a, b| a.seat < b.seat) {
            return Err("the seats do not ascend, or are not the table's".into());
        }
        let rules = at_blinds(&self.rules, place.blinds);
        if rules != *self.rules {
            self.rules = Arc::new(rules);
        }
        let bank_ms = self.rules.cash().map_or(0, |rules| rules.clocks.bank_ms);
        let stayed = |players: &BTreeMap<u8, Seat>, one: &SetSeat| {
            players.get(&one.seat).is_some_and(|seat| seat.player == one.player)
        };
        let players = std::mem::take(&mut self.seats);
        let cash = self.cash_mut()?;
        let mut before = std::mem::take(&mut cash.seats);
        for one in seats {
            let kept = before.remove(&one.seat).filter(|_| stayed(&players, one));
            let mut seat = kept.unwrap_or_else(|| CashSeat::new(bank_ms));
            (seat.stack, seat.bank_ms, seat.cut_off) = (one.stack, one.bank_ms, one.cut_off);
            cash.seats.insert(one.seat, seat);
        }
        let sits = |player: &PlayerId| seats.iter().any(|one| one.player == *player);
        cash.carried.retain(|player, _| sits(player));
        cash.event = Some(place);
        self.seats = seats.iter().map(|one| (one.seat, Seat { player: one.player.clone(), misses: 0 })).collect();
        Ok(())
    }

    fn cash_mut(&mut self) -> Result<&mut CashTable, Misfit> {
        self.kind.cash_mut().ok_or(Misfit::Rule("this event is a cash table's"))
    }

    fn open_call(&mut self) -> Result<&mut Call, Misfit> {
        self.cash_mut()?.call.as_mut().ok_or(Misfit::Rule("no hand is being called"))
    }

    fn end_call(&mut self, round_no: u64) -> Result<Call, Misfit> {
        let call = self.cash_mut()?.call.take().filter(|call| call.round_no == round_no);
        call.ok_or(Misfit::NoCall(round_no))
    }

    fn apply_hand_called(&mut self, round_no: u64, shoe_no: u64, closes_at: u64) -> Result<(), Misfit> {
        let in_use = self.shoe.as_ref().is_some_and(|shoe| shoe.id.shoe_no == shoe_no);
        if round_no != self.next_round || !self.is_between_rounds() || !in_use {
            return Err(Misfit::HandNotNext(round_no, shoe_no));
        }
        let awaited: BTreeSet<PlayerId> = self.ready().cloned().collect();
        let cash = self.cash_mut()?;
        cash.carried.clear();
        cash.call = Some(Call { round_no, shoe_no, closes_at, seeds: BTreeMap::new(), awaited });
        Ok(())
    }

    fn apply_hand_begun(
        &mut self,
        (round_no, shoe_no): (u64, u64),
        contributors: &[PlayerCommitment],
        reveal_by: u64,
        hand: &HandStart,
    ) -> Result<(), Misfit> {
        let call = self.end_call(round_no)?;
        if call.shoe_no != shoe_no || call.of(hand) != contributors {
            return Err(Misfit::HandCommitments(round_no));
        }
        let rules = self.rules.clone();
        let game = self.begin_hand(rules.cash().ok_or("the table deals no hands")?, hand, contributors)?;
        self.next_round = round_no.checked_add(1).ok_or("too many rounds")?;
        let committed: Vec<u8> = call.seeds.keys().filter_map(|player| self.seat_of(player)).collect();
        self.cash_mut()?.begin_hand(hand, &committed);
        let placed = |one: &PlayerCommitment| PlacedBet {
            player: one.player.clone(),
            bets: Vec::new(),
            commitment: one.commitment,
        };
        self.round =
            Some(OpenRound::new(round_no, shoe_no, contributors.iter().map(placed).collect(), reveal_by, game));
        Ok(())
    }

    fn apply_to_cash_seat(&mut self, event: &Event) -> Result<(), Misfit> {
        let (Event::ChipsAdded { player, seat, .. }
        | Event::ChipsAsked { player, seat, .. }
        | Event::SatIn { player, seat, .. }
        | Event::SatOut { player, seat, .. }
        | Event::LeaveAsked { player, seat }
        | Event::BankUsed { player, seat, .. }) = event
        else {
            return Err("this event is not one of such a table".into());
        };
        let number = self.seat_of(player);
        let cash = self.cash_mut()?;
        let place =
            number.and_then(|number| cash.seats.get_mut(&number)).ok_or_else(|| Misfit::NoSeat(player.clone()))?;
        if number != Some(*seat) {
            return Err(Misfit::NotAtSeat(player.clone(), *seat));
        }
        match event {
            Event::ChipsAdded { amount, stack, .. } => {
                if place.stack.plus(*amount) != Some(*stack) {
                    return Err(Misfit::ChipsAdded(place.stack, *amount, *stack));
                }
                (place.stack, place.top_up) = (*stack, Chips::ZERO);
            }
            Event::ChipsAsked { amount, .. } => place.top_up = *amount,
            Event::SatIn { entry, straddle, .. } => {
                // Still away until dealt in: else a seat could be held for ever by sitting in and out again.
                place.sitting_out = false;
                (place.entry, place.straddle) = (*entry, *straddle);
                // A player who comes in while a hand is being called is waited for too.
                if let Some(call) = cash.call.as_mut().filter(|_| place.is_ready()) {
                    call.awaited.insert(player.clone());
                }
            }
            Event::SatOut { .. } | Event::LeaveAsked { .. } => {
                place.sitting_out |= matches!(event, Event::SatOut { .. });
                place.leaving |= matches!(event, Event::LeaveAsked { .. });
                cash.carried.remove(player);
                if let Some(call) = &mut cash.call {
                    call.awaited.remove(player);
                }
            }
            Event::BankUsed { left_ms, .. } => place.bank_ms = *left_ms,
            _ => {}
        }
        Ok(())
    }
}
